"""Joints that start beyond their stops."""

from __future__ import annotations

import pytest
from gsolve.parser import read_deck
from gsolve.solver.run.simulation import Simulation

DECK = """#RADIOSS STARTER
/BEGIN
stops
2022, 0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0
/RBODY/1
body
1, 0, 0, 3, 10
1, 1, 1
/JOINT/{kind}/4
on its stop
0, 1, 0
0, 0, 1
0, 0, 0, 0, 0
0, 0, 0, 0
{lower}, {upper}, 1000, 0
0, 0, 0, 0
/RUN/m/1
0.01
/END
"""


def warnings_of(tmp_path, kind, lower, upper):
    path = tmp_path / "deck.rad"
    path.write_text(DECK.format(kind=kind, lower=lower, upper=upper))
    simulation = Simulation(read_deck(path))
    simulation.start()
    return simulation.warnings


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "message", "field"),
    [
        (
            "REVOLUTE", 0.1, 2.0,
            "the joint starts 0.1 rad beyond its lower stop: its rotation is 0 at t = 0, and the stop pushes with "
            "100 N m", "lower",
        ),
        (
            "TRANSLATIONAL", -2.0, -0.25,
            "the joint starts 0.25 m beyond its upper stop: its translation is 0 at t = 0, and the stop pushes with "
            "250 N", "upper",
        ),
    ],
)  # fmt: skip
def test_joint_that_starts_beyond_a_stop_is_warned_about(tmp_path, kind, lower, upper, message, field):
    (warning,) = warnings_of(tmp_path, kind, lower, upper)
    assert (warning.severity, warning.message, warning.field) == ("warning", message, field)
    assert (warning.keyword, warning.id, warning.line) == (f"/JOINT/{kind}", 4, 19)


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1.0), (-1.0, 0.0), (-1.0, 1.0), (-1.0, -1e-9)])
def test_joint_that_starts_between_or_at_its_stops_is_not(tmp_path, lower, upper):
    assert warnings_of(tmp_path, "REVOLUTE", lower, upper) == []
