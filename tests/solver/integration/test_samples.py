"""Samples of bodies and joints: motion, energies and momenta by their definitions, for clouds of point masses."""

from __future__ import annotations

import naive.integration as twin
import numpy as np
import pytest
from gsolve.solver.core.bodies import GENERAL, GROUND, NO_ROTATION, new_bodies
from gsolve.solver.integration import samples
from gsolve.solver.integration import system as columns
from joint_rig import SIDES, one_joint, scatter
from naive import quaternion
from scipy.spatial.transform import Rotation

FIELDS = {
    "displacement": slice(0, 3), "quaternion": slice(3, 7), "velocity": slice(7, 10), "angular_velocity": slice(10, 13),
    "acceleration": slice(13, 16), "angular_acceleration": slice(16, 19), "turned": slice(19, 22),
}  # fmt: skip
SUMS = {
    "kinetic_translational": columns.KINETIC_TRANSLATIONAL, "kinetic_rotational": columns.KINETIC_ROTATIONAL,
    "translational_of_half_steps": columns.TRANSLATIONAL_OF_HALF_STEPS,
    "rotational_of_half_steps": columns.ROTATIONAL_OF_HALF_STEPS,
    "gravity": columns.GRAVITY,
    "momentum": slice(columns.MOMENTUM, columns.MOMENTUM + 3),
    "angular_momentum": slice(columns.ANGULAR_MOMENTUM, columns.ANGULAR_MOMENTUM + 3),
}  # fmt: skip


def sampled(body, sums, dt, previous_dt):
    out = np.full(columns.SAMPLE_WIDTH, np.nan)
    samples.sample_body(body, out, sums, dt, previous_dt)
    return out


def cloud_in_motion(random, kind, size):
    """A body of point masses (one, for a point) in any motion; returns it, its masses and their arms."""
    body = new_bodies(2)[1]
    masses, places = random.uniform(0.5, 2.0, 6), random.normal(size=(6, 3))
    if kind == "point":
        masses, arms = masses[:1], np.zeros((1, 3))
        body["centre"], body["mass"], body["inverse_mass"] = places[0], masses[0], 1.0 / masses[0]
    else:
        arms = twin.set_cloud(body, masses, places, places[2] if kind == "pivoted" else None)
        turn = Rotation.random(rng=random)
        body["turning"], body["rotation"], body["quaternion"] = GENERAL, turn.as_matrix(), quaternion(turn)
        body["momentum"], body["trial_momentum"] = size * random.normal(size=(2, 3))
        body["turned"] = random.normal(size=3)
    if kind != "pivoted":
        body["velocity"], body["trial_velocity"] = size * random.normal(size=(2, 3))
        body["displacement"] = random.normal(size=3)
    body["gravity"] = random.normal(size=3)
    return body, masses, arms


@pytest.mark.parametrize(("dt", "previous_dt"), [(0.1, 0.1), (0.2, 0.05), (0.1, 0.0), (1e-7, 1e-3)])
@pytest.mark.parametrize("size", [0.0, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("kind", ["free", "pivoted", "point"])
def test_a_sample_has_the_motion_and_adds_the_energies_and_momenta_of_the_twin(kind, size, dt, previous_dt):
    random = np.random.default_rng(4)
    sums = random.normal(size=columns.SUMS_WIDTH)
    total = sums.copy()
    tolerance = 1e-13 * (1.0 + size) * (1.0 + size) / min(1.0, dt + previous_dt)
    for _ in range(3):
        body, masses, arms = cloud_in_motion(random, kind, size)
        if kind == "point":
            assert body["turning"] == NO_ROTATION
        expected = twin.sample(body, masses, arms, dt, previous_dt)
        out = sampled(body, sums, dt, previous_dt)
        for name, place in FIELDS.items():
            np.testing.assert_allclose(out[place], expected[name], rtol=0, atol=tolerance, err_msg=name)
        for name, place in SUMS.items():
            total[place] += expected[name]
    np.testing.assert_allclose(sums, total, rtol=1e-13, atol=tolerance)


@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
@pytest.mark.parametrize("kind", ["REVOLUTE", "UNIVERSAL", "STRUT", "DISTANCE", "MEASURES"])
def test_reactions_of_a_joint_are_those_of_its_rows_moved_to_its_node(kind, sides):
    made = one_joint(kind, sides, 3)
    random = np.random.default_rng(5)
    scatter(made.bodies, random)
    made.commit()
    jacobian, multiplier = made.jacobian(), random.normal(size=len(made.rows))
    wrench = (jacobian.T @ multiplier).reshape(4, 6)
    a, b = sides
    (joint,) = made.built
    arm = made.bodies["rotation"][b] @ (joint.node_j - made.bodies["centre"][b])
    if b == GROUND:  # the ground has no rows: what acts on body a, the other way round, about node j where it stands
        wrench[b] = -wrench[a]
        arm = joint.node_j - made.bodies["centre"][a] - made.bodies["displacement"][a]
    out = np.zeros(columns.JOINT_WIDTH)
    samples.add_reaction(made.joints[0], made.entries, made.bodies, multiplier, out)
    np.testing.assert_allclose(out[4:], twin.reaction_at_node(wrench[b], arm), atol=1e-14)
    assert not out[:4].any()
