"""Times at which a deck changes something."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.deck import read_deck
from gsolve.parser.keywords.contact_laws import ImpactLaw
from gsolve.solver.assembly.known_times import kinks, known_times
from hand_models import Machine

DECK = """#RADIOSS STARTER
/BEGIN
windows
2022, 0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0
2, 1, 0, 0
/ADMAS/5/1
mass
1.0, 1
1.0, 2
/GRNOD/NODE/1
both
1, 2
/FUNCT/1
ramp
0.0, 0.0
0.2, 1.0
0.4, 2.0
0.5, 0.0
/FUNCT/2
dense
{dense}
/SENSOR/TIME/1
on at 0.3
0.3
/CLOAD/1
pushed from 0.3 on
1, X, 0, 1, 1, 0.5, 1.0
/CLOAD/2
by many points
2, Y, 0, 0, 1, 1.0, 1.0
/RUN/windows/1
1.0
/DT
/END
"""


def model_of(tmp_path):
    points = "\n".join(f"{0.001 * k:.3f}, {(-1) ** k}" for k in range(1000))
    path = tmp_path / "windows.rad"
    path.write_text(DECK.format(dense=points).replace("/DT\n", ""))
    return read_deck(path)


def test_windows_and_kinks_are_known(tmp_path):
    times, dense = known_times(model_of(tmp_path), 1.0, 1e-4)
    # the ramp counts from the sensor, twice as fast, and has a kink at 0.4 only; the other function's ends are none
    assert times == pytest.approx(np.unique([*np.round(np.arange(1, 999) * 1e-3, 6), 0.3, 0.5]), abs=1e-12)
    assert not dense


def test_a_function_with_more_kinks_than_steps_is_named(tmp_path):
    times, dense = known_times(model_of(tmp_path), 1.0, 1e-2)
    assert times == pytest.approx([0.3, 0.5])
    assert dense == ["/FUNCT/2 'dense'"]


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [([0, 1, 2], [0, 1, 2], []), ([0, 1, 2, 3], [0, 1, 1, 1], [1]), ([0, 1], [0, 1], []), ([0], [1], [])],
)
def test_a_kink_is_where_the_slope_jumps(x, y, found, tmp_path):
    function = model_of(tmp_path).functions[1]
    function.x, function.y = np.array(x, dtype=float), np.array(y, dtype=float)
    assert kinks(function).tolist() == found


def machine_of_windows(random):
    """A machine of masses with one block of each kind that acts for some time, with sensors and without."""
    machine = Machine([(3.0 * k, 0, 0) for k in range(8)])
    for node in range(1, 9):
        machine.mass(node, 1.0)

    def times():
        return tuple(np.sort(random.uniform(-0.2, 1.2, 2)).tolist()) if random.random() < 0.8 else (0.0, np.inf)

    def sensor():
        return machine.sensor(*times()) if random.random() < 0.7 else 0

    machine.drive("VEL", 1, "X", "t", window=times(), sensor=sensor())
    machine.coordinate_drive("TRA", 0, 2, "t", level=1, axis=(1.0, 0, 0), window=times(), sensor=sensor())
    machine.load(3, "X", 1.0, "t", sensor=sensor())
    machine.gravity([4], "X", 1.0, "t", sensor=sensor())
    machine.spring(5, 6, 1.0, sensor=sensor(), flag=int(random.integers(3)))
    balls = [[machine.solid("SPHERE", node, 0.1)] for node in (7, 8)]
    start, stop = times()
    machine.contact(*balls, ImpactLaw(1.0, 1.0, 0.0, 1.0), t_start=start, t_stop=stop, sensor_id=sensor())
    return machine


@pytest.mark.parametrize("seed", range(40))
def test_all_that_acts_for_some_time_is_built_with_times_that_are_known(seed):
    machine = machine_of_windows(np.random.default_rng(seed))
    system = machine.assemble().system
    built = [
        *(system.conditions.records[name] for name in ("t_start", "t_stop")),
        *(system.drives[name] for name in ("t_start", "t_stop")),
        *(system.loads[name] for name in ("t_start", "t_stop")),
        system.springs["window"].ravel(),
        system.contacts.interfaces["window"].ravel(),
    ]
    of_sensors = [(sensor.delay, sensor.stop) for sensor in machine.model.sensors.values()]
    expected = np.unique(np.concatenate([*built, *of_sensors]))
    times, _ = known_times(machine.model, 1.0, 1e-3)
    assert times.tolist() == expected[(expected > 0.0) & (expected < 1.0)].tolist()
    assert [len(part) for part in built] == [1, 1, 1, 1, 2, 2, 2, 2]


def test_times_of_motions_end_with_their_sensor():
    """Nothing stops at its own time where its sensor has switched it off before."""
    machine = Machine([(0, 0, 0)])
    machine.mass(1, 1.0)
    machine.drive("VEL", 1, "X", "t", window=(0.1, 0.5), sensor=machine.sensor(0.2, 0.4))
    assert known_times(machine.model, 1.0, 1e-3)[0] == pytest.approx([0.2, 0.3, 0.4])
