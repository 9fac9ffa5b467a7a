"""Sensors that are on from the start."""

from __future__ import annotations

import pytest
from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation

DECK = """#RADIOSS STARTER
/BEGIN
sensors
2022, 0
kg, mm, s
kg, mm, s
/NODE
1, 0, 0, 0
2, 3, 4, 0
/RBODY/1
body
1, 0, 0, 3, 10
1, 1, 1
/JOINT/REVOLUTE/4
hinge
0, 1, 0
0, 0, 1
/SENSOR/{name}/7
watched
0
{values}
/RUN/m/1
0.01
/END
"""


def warnings_of(tmp_path, name, values):
    path = tmp_path / "deck.rad"
    path.write_text(DECK.format(name=name, values=values))
    simulation = Simulation(read_deck(path))
    simulation.start()
    return [found for found in simulation.warnings if found.keyword.startswith("/SENSOR")]


@pytest.mark.parametrize(
    ("name", "values", "message", "field", "other"),
    [
        ("DIST", "1, 2, 7.5", "the distance is 5 mm at t = 0, below Dmin", "Dmin", "Dmax"),
        ("DIST", "1, 2, 0, 4.5", "the distance is 5 mm at t = 0, above Dmax", "Dmax", "Dmin"),
        ("JOINT", "4, ANG, 0.5", "ANG is 0 rad at t = 0, below Vmin", "Vmin", "Vmax"),
    ],
)
def test_a_sensor_that_is_on_from_the_start_is_told(tmp_path, name, values, message, field, other):
    (warning,) = warnings_of(tmp_path, name, values)
    assert (warning.severity, warning.id, warning.field) == ("warning", 7, field)
    assert warning.message == f"{message}: the sensor is on from the start"
    assert warning.hint == f"a limit that the value is to pass later, from the other side, is {other}"


@pytest.mark.parametrize(
    ("name", "values"),
    [("DIST", "1, 2, 5, 6"), ("JOINT", "4, ANG, , 0.5"), ("JOINT", "4, RATE, 0.5"), ("ENERGY", "0, 0, 0\n0, 0, 1.0")],
)
def test_a_sensor_that_waits_is_not(tmp_path, name, values):
    assert not warnings_of(tmp_path, name, values)
