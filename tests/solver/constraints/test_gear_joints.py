"""/GJOINT as joints and a relation: which joints are made, shared and turned round."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.model.joint_types import JOINT_TYPES
from hand_models import Machine, Z, unit

X = (1.0, 0.0, 0.0)


def machine(count, **more):
    return Machine([(0.1 * k, 0.0, 0.0) for k in range(count)], **more)


def places_of(made):
    assembly = made.assemble()
    return assembly.system, assembly.places.gear_joints


def gear(made, nodes, axes, kind="GEAR", **more):
    made.joint(kind, nodes, axes, masses=1.0, inertias=0.01, **more)


def test_joints_of_the_same_shaft_are_made_once():
    made = machine(4)
    gear(made, [1, 2, 3], [Z, X])
    gear(made, [1, 3, 4], [X, Z])
    system, (first, second) = places_of(made)
    assert (first.joints, second.joints) == ([0, 1], [1, 2])
    assert first.signs == second.signs == [1.0, 1.0]
    assert len(system.rows) == 3 * 5 + 2


def test_a_shaft_seen_with_its_axis_the_other_way_is_shared_and_its_coordinate_turned_round():
    made = machine(4)
    gear(made, [1, 2, 3], [Z, Z], alpha=0.5)
    gear(made, [1, 3, 4], [(0, 0, -1.0), Z], alpha=3.0)
    system, (_, second) = places_of(made)
    assert (second.joints, second.signs, second.coefficients) == ([1, 2], [-1.0, 1.0], [3.0, 1.0])
    assert system.terms["joint"].tolist() == [0, 1, 1, 2]
    assert system.terms["coefficient"].tolist() == [0.5, 1.0, -3.0, 1.0]


@pytest.mark.parametrize("axis, kind", [(X, "GEAR"), (unit((1.0, 0.0, 1e-6)), "GEAR"), (Z, "RACK")])
def test_another_axis_or_a_rack_is_a_joint_of_its_own(axis, kind):
    made = machine(4)
    gear(made, [1, 2, 3], [Z, Z])
    gear(made, [1, 4, 3], [Z, axis], kind)
    system, (first, second) = places_of(made)
    assert first.joints[1] != second.joints[1]
    assert len(system.joints) == 4


def test_a_shaft_on_another_carrier_is_a_joint_of_its_own():
    made = machine(4)
    gear(made, [1, 2, 3], [Z, Z])
    gear(made, [4, 2, 3], [Z, Z])
    system, places = places_of(made)
    assert [place.joints for place in places] == [[0, 1], [2, 3]]
    assert len(system.rows) == 4 * 5 + 2


def test_a_shaft_that_rides_on_the_carrier_adds_no_rows_and_does_not_turn():
    made = machine(4)
    gear(made, [1, 2, 3], [Z, Z], alpha=0.5)
    made.body(1, [3], inertia=(1.0, 1.0, 1.0, 0, 0, 0))
    made.load(2, "ZZ", 1.0)
    system, (place,) = places_of(made)
    assert system.joints["n_rows"][place.joints].tolist() == [5, 0]
    assert len(system.rows) == 6
    run = made.run(1e-2)
    np.testing.assert_allclose(run.joint("ANG1"), 0.0, atol=1e-14)  # held by its own carrier


@pytest.mark.parametrize("kind, joints", [("GEAR", ["REVOLUTE"] * 2), ("DIFF", ["REVOLUTE"] * 3),
                                          ("RACK", ["REVOLUTE", "TRANSLATIONAL"])])  # fmt: skip
def test_relation_takes_angles_of_shafts_and_the_slide_of_a_rack(kind, joints):
    made = machine(len(joints) + 1)
    gear(made, range(1, len(joints) + 2), [Z] * len(joints), kind, alpha=0.25)
    system, (place,) = places_of(made)
    assert system.joints["n_rows"].tolist() == [len(JOINT_TYPES[name].rows) for name in joints]
    assert system.terms["rotational"].tolist() == [int(name == "REVOLUTE") for name in joints]
    assert system.terms["coefficient"].tolist() == place.coefficients == [0.25, 1.0, 1.0][: len(joints)]
    assert system.relations["row"].tolist() == [place.row]
