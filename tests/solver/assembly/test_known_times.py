"""Times at which a deck changes something."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.deck import read_deck
from gsolve.solver.assembly.known_times import kinks, known_times

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
