"""Curvatures of rows and coordinates, against differences of the rates of a motion with constant velocities."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.model.joint_types import JOINT_TYPES, Angle, Slide
from gsolve.solver.constraints.curvatures import joint_curvatures, relation_curvatures
from joint_definitions import DEFINITIONS
from joint_rig import MEASURES, SIDES, Rig, move_as_allowed, random_joint, random_motion, rig, scatter
from naive import move_trial

STEP = 2e-4
COORDINATES = [(Angle.TWIST, Slide.TRAVEL), (Angle.TWIST, Slide.DISTANCE)]


def curvatures(made: Rig, velocities: np.ndarray, spins: np.ndarray) -> np.ndarray:
    """(nr,) of all rows, at the places of t_n."""
    made.bodies["mean_velocity"], made.bodies["mean_angular_velocity"] = velocities, spins
    out = np.zeros(len(made.rows))
    joint_curvatures(made.joints, 0, len(made.joints), made.rows, made.bodies, out)
    relation_curvatures(made.relations, made.terms, 0, len(made.relations), made.joints, made.bodies, out)
    return out


def second_differences(made: Rig, velocities: np.ndarray, spins: np.ndarray) -> np.ndarray:
    """(nr,) of the residuals, bodies moving with constant velocities and spins: no accelerations."""
    found = []
    for step in (-2, -1, 0, 1, 2):
        move_trial(made.bodies, velocities, spins, step * STEP)
        found.append(made.residuals())
    move_trial(made.bodies, velocities, spins, 0.0)
    return np.array([-1, 16, -30, 16, -1]) @ np.array(found) / (12 * STEP**2)


def allowed(made: Rig, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and spins that the rows of a rig in an allowed pose admit."""
    velocities, spins = random_motion(random)
    jacobian = made.jacobian()
    motion = np.concatenate([velocities, spins], axis=1).ravel()
    jacobian[:, :6] = 0.0  # the ground rests
    motion = motion - np.linalg.pinv(jacobian) @ (jacobian @ motion)
    return motion.reshape(-1, 6)[:, :3], motion.reshape(-1, 6)[:, 3:]


@pytest.mark.parametrize("kind", JOINT_TYPES)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
def test_rows_bend_as_their_second_differences_say(kind, sides):
    """In an allowed pose and motion: Jacobians of tilts hold there alone."""
    random = np.random.default_rng(7)
    made = rig([random_joint(kind, sides, random)], seed=3)
    made.commit()
    move_as_allowed(made, random)
    motion = allowed(made, random)
    made.commit()
    np.testing.assert_allclose(curvatures(made, *motion), second_differences(made, *motion), atol=2e-6)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
def test_coordinates_that_are_only_measured_bend_anywhere(coordinates, sides):
    random = np.random.default_rng(5)
    made = rig([random_joint(MEASURES, sides, random, coordinates)], [[(0, True, 0.7)], [(0, False, -1.3)]], seed=2)
    scatter(made.bodies, random)
    made.commit()
    motion = random_motion(random)
    np.testing.assert_allclose(curvatures(made, *motion), second_differences(made, *motion), atol=5e-6)


@pytest.mark.parametrize("kind", ["UNIVERSAL", "REV_CYL", "CYLINDRICAL", "SCREW"])
def test_coordinates_of_joints_bend_where_their_rows_are_met(kind):
    random = np.random.default_rng(11)
    terms = [[(0, True, 0.7)], *([[(0, False, -1.3)]] if kind in ("CYLINDRICAL", "SCREW") else [])]
    made = rig([random_joint(kind, (1, 2), random)], terms, seed=4)
    assert DEFINITIONS[kind].freedoms > 1
    made.commit()
    move_as_allowed(made, random)
    made.commit()
    rows = len(made.rows) - len(terms)
    whole = made.jacobian()
    whole[rows:] = 0.0
    velocities, spins = random_motion(random)
    motion = np.concatenate([velocities, spins], axis=1).ravel()
    whole[:, :6] = 0.0
    motion = (motion - np.linalg.pinv(whole) @ (whole @ motion)).reshape(-1, 6)
    found = curvatures(made, motion[:, :3], motion[:, 3:])
    np.testing.assert_allclose(found, second_differences(made, motion[:, :3], motion[:, 3:]), atol=5e-6)
