"""Joints of every kind: rows and coordinates by their definitions, Jacobians and rates by differences, reactions."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.model.joint_types import JOINT_TYPES, POINT, Angle, Row, Slide
from gsolve.solver.constraints import joints as kernels
from gsolve.solver.constraints.joint_builder import CODE, JointBuilder, triad_about
from gsolve.solver.constraints.joints import commit_joints, joint_jacobians, set_angle, set_rates
from gsolve.solver.constraints.rows import TIGHT, RowBuilder
from gsolve.solver.core.bodies import GENERAL, GROUND
from gsolve.solver.integration.samples import add_reaction
from joint_definitions import DEFINITIONS
from joint_rig import MEASURES, SIDES, move_as_allowed, one_joint, random_motion, scatter, set_pose
from naive import joint_rows, move_trial, rates
from scipy.spatial.transform import Rotation

NO_ANGLE, TWIST = Angle.NO_ANGLE, Angle.TWIST
NO_SLIDE, TRAVEL, DISTANCE = Slide.NO_SLIDE, Slide.TRAVEL, Slide.DISTANCE
MEASURED = [(TWIST, NO_SLIDE), (TWIST, TRAVEL), (TWIST, DISTANCE), (NO_ANGLE, TRAVEL), (NO_ANGLE, DISTANCE)]
every_kind = pytest.mark.parametrize("kind", JOINT_TYPES)
every_side = pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)


# ---- the table ----------------------------------------------------------------------------------------------------


def test_every_type_has_its_definition():
    assert list(DEFINITIONS) == list(JOINT_TYPES)


def test_rows_and_coordinates_of_the_table_have_codes_of_their_own_in_the_kernels():
    for members in (Row, Angle, Slide):
        assert [getattr(kernels, member.name) for member in members] == list(range(len(members)))


# ---- rows ------------------------------------------------------------------------------------------------------


@every_kind
@every_side
@pytest.mark.parametrize("seed", range(2))
def test_residuals_follow_their_definitions_wherever_the_bodies_are(kind, sides, seed):
    made = one_joint(kind, sides, seed)
    scatter(made.bodies, np.random.default_rng(seed))
    expected = joint_rows(made.built[0], made.joints[0]["triad"], made.bodies)
    assert len(expected) == 6 - DEFINITIONS[kind].freedoms
    assert np.max(np.abs(expected)) > 1e-3
    np.testing.assert_allclose(made.residuals(), expected, atol=4e-15)


@every_kind
@every_side
@pytest.mark.parametrize("seed", range(2))
def test_rows_are_met_and_coordinates_right_in_every_motion_that_the_joint_allows(kind, sides, seed):
    made = one_joint(kind, sides, seed)
    np.testing.assert_allclose(made.commit(), 0.0, atol=2e-15)
    expected = move_as_allowed(made, np.random.default_rng(seed))
    np.testing.assert_allclose(made.residuals(), 0.0, atol=4e-15)
    np.testing.assert_allclose(made.coordinates()[:, 0], expected, atol=4e-15)


@every_kind
def test_residuals_and_coordinates_do_not_change_when_the_pair_is_carried_along(kind):
    random = np.random.default_rng(4)
    made = one_joint(kind, (1, 2), 4)
    scatter(made.bodies, random)
    before, coordinates = made.residuals(), made.coordinates()
    turn, shift = Rotation.from_rotvec(random.normal(size=3)), random.normal(size=3)
    for body in made.bodies[1:]:
        centre = body["centre"] + body["displacement"]
        set_pose(body, turn * Rotation.from_matrix(body["rotation"]), turn.apply(centre) + shift - body["centre"])
    np.testing.assert_allclose(made.residuals(), before, atol=6e-15)
    np.testing.assert_allclose(made.coordinates(), coordinates, atol=6e-15)


@every_kind
@every_side
@pytest.mark.parametrize("seed", range(2))
def test_jacobian_is_the_derivative_of_the_residuals(kind, sides, seed):
    random = np.random.default_rng(seed)
    made = one_joint(kind, sides, seed)
    move_as_allowed(made, random)
    made.commit()
    motion = random_motion(random)
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=4e-9)


@pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if not DEFINITIONS[kind].only_where_met])
@every_side
def test_jacobian_is_the_derivative_of_the_residuals_also_where_they_are_not_met(kind, sides):
    random = np.random.default_rng(6)
    made = one_joint(kind, sides, 6)
    scatter(made.bodies, random)
    made.commit()
    motion = random_motion(random)
    np.testing.assert_allclose(made.derivatives(*motion)[0], rates(made.jacobian(), *motion), atol=4e-9)


@every_kind
@every_side
@pytest.mark.parametrize("seed", range(2))
def test_jacobian_is_the_slope_of_the_definitions(kind, sides, seed):
    """Differences of the twin of the rows, not of the kernel, about a random pose that the joint allows."""
    random = np.random.default_rng([seed, 5])
    made = one_joint(kind, sides, seed)
    move_as_allowed(made, random)
    made.commit()
    velocities, spins = random_motion(random)
    jacobian, step, values = made.jacobian(), 1e-5, []
    for h in (step, -step):
        move_trial(made.bodies, velocities, spins, h)
        values.append(joint_rows(made.built[0], made.joints[0]["triad"], made.bodies))
    slopes = (values[0] - values[1]) / (2 * step)
    np.testing.assert_allclose(slopes, rates(jacobian, velocities, spins), atol=4e-9)


@every_kind
def test_rows_do_no_work_in_a_rigid_motion_of_the_pair(kind):
    random = np.random.default_rng(13)
    made = one_joint(kind, (1, 2), 13)
    move_as_allowed(made, random)
    made.commit()
    velocity, spin = random.normal(size=(2, 3))
    centres = made.bodies["centre"] + made.bodies["displacement"]
    motion = velocity + np.cross(spin, centres), np.tile(spin, (4, 1))
    np.testing.assert_allclose(rates(made.jacobian(), *motion), 0.0, atol=8e-15)


@every_kind
def test_rows_of_a_joint_are_independent(kind):
    made = one_joint(kind, (1, 2), 3)
    move_as_allowed(made, np.random.default_rng(3))
    made.commit()
    assert np.linalg.matrix_rank(made.jacobian(), tol=1e-6) == 6 - DEFINITIONS[kind].freedoms


@pytest.mark.parametrize("kind", ["DISTANCE", "REV_SPH"])
def test_length_may_be_given_instead_of_built(kind):
    builder = RowBuilder()
    joints = JointBuilder(builder, np.zeros((3, 3)))
    node_j = np.array([0.3, 0.0, 0.4])
    for length in (None, 0.7):
        joints.add(JOINT_TYPES[kind], (1, 2), node_j, np.array([0.0, 0.0, 1.0]), 1.0, place=np.zeros(3), length=length)
    rows, _ = builder.build()
    assert rows["constant"][rows["kind"] == CODE[Row.LENGTH]].tolist() == [0.5, 0.7]
    assert joints.build()["slide"].tolist() == [0.5, 0.5]


def test_a_joint_within_one_body_has_no_rows():
    builder = RowBuilder()
    joints = JointBuilder(builder, np.zeros((3, 3)))
    joints.add(JOINT_TYPES["REVOLUTE"], (2, 2), np.zeros(3), np.array([0.0, 0.0, 1.0]), 1.0)
    assert len(builder) == 0
    assert joints.build()["n_rows"].tolist() == [0]


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, -1, 0), (0, 0, 1), (0.6, 0.0, -0.8), (0.36, 0.48, 0.8)])
def test_triad_is_orthonormal_right_handed_and_starts_with_the_axis(axis):
    axis = np.array(axis, dtype=float)
    for second in (None, np.array([0.48, 0.6, 0.64])):
        triad = triad_about(axis, second)
        np.testing.assert_allclose(triad @ triad.T, np.eye(3), atol=3e-16)
        np.testing.assert_array_equal(triad[0], axis)
        assert np.linalg.det(triad) == pytest.approx(1.0, abs=1e-15)
    assert triad[1] @ second > 0.0
    assert triad[2] @ second == pytest.approx(0.0, abs=1e-15)


# ---- coordinates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["REVOLUTE", "CYLINDRICAL", "SCREW", "PLANAR", "PARALLEL", "UNIVERSAL", "REV_CYL"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_angle_is_unwrapped_over_whole_turns(kind, sign):
    made = one_joint(kind, (GROUND, 2), 5)
    axis = made.built[0].r
    body = made.bodies[2]
    for k in range(1, 20):
        # about node j, which stays; the hinge of a REV_CYL takes it along, but the angle does not see that
        turn = Rotation.from_rotvec(sign * 0.9 * k * axis)
        arm = made.built[0].node_j - body["centre"]
        set_pose(body, turn, arm - turn.apply(arm))
        made.commit()
        assert made.coordinates()[0, 0] == pytest.approx(sign * 0.9 * k, abs=1e-14 * k)


@pytest.mark.parametrize("angles", [(0.4, 2.6), (-2.5, 1.0), (3.0, -2.9), (0.0, 1.5), (1.2, -1.6)])
@pytest.mark.parametrize("seed", range(2))
def test_universal_joint_measures_the_rotation_of_its_cross_and_of_body_b_on_the_cross(angles, seed):
    """R = R_r(angle) R_b(second angle), angles beyond a quarter turn too."""
    made = one_joint("UNIVERSAL", (GROUND, 2), seed)
    joint = made.built[0]
    turn = Rotation.from_rotvec(angles[0] * joint.r) * Rotation.from_rotvec(angles[1] * joint.axis_j)
    arm = joint.node_j - made.bodies[2]["centre"]
    set_pose(made.bodies[2], turn, arm - turn.apply(arm))
    np.testing.assert_allclose(made.residuals(), 0.0, atol=2e-15)
    np.testing.assert_allclose(made.coordinates()[:, 0], angles, atol=3e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_second_angle_of_a_universal_joint_is_unwrapped_over_whole_turns(sign):
    made = one_joint("UNIVERSAL", (GROUND, 2), 5)
    joint, body = made.built[0], made.bodies[2]
    for k in range(1, 20):
        turn = Rotation.from_rotvec(sign * 0.9 * k * joint.axis_j)
        arm = joint.node_j - body["centre"]
        set_pose(body, turn, arm - turn.apply(arm))
        made.commit()
        np.testing.assert_allclose(made.coordinates()[:, 0], [0.0, sign * 0.9 * k], atol=1e-14 * k)


@every_side
@pytest.mark.parametrize("measured", MEASURED)
def test_a_joint_without_rows_measures_bodies_in_any_pose(sides, measured):
    made = one_joint(MEASURES, sides, 8, measured)
    scatter(made.bodies, np.random.default_rng(8))
    assert len(made.residuals()) == 0
    joint = made.built[0]
    a, b = (made.bodies[body] for body in sides)
    relative = Rotation.from_matrix(a["rotation"].T @ b["rotation"]).as_quat(canonical=True)
    x_i, x_j = (body["centre"] + body["displacement"] + body["rotation"] @ (node - body["centre"])
                for body, node in ((a, joint.node_i), (b, joint.node_j)))  # fmt: skip
    angle = 2 * np.arctan2(relative[:3] @ joint.r, relative[3])
    slide = {NO_SLIDE: 0.0, TRAVEL: (x_j - x_i) @ a["rotation"] @ joint.r, DISTANCE: np.linalg.norm(x_j - x_i)}
    expected = angle if measured[0] == TWIST else 0.0, slide[measured[1]]
    np.testing.assert_allclose(made.coordinates()[:, 0], expected, atol=4e-15)


def turn_freely(made, motion, random):
    """Give the bodies inertia and the momenta of a motion."""
    for body, velocity, spin in zip(made.bodies, *motion, strict=True):
        principal = np.diag(random.uniform(0.5, 2.0, 3))
        body["turning"], body["inertia"], body["inverse_inertia"] = GENERAL, principal, np.linalg.inv(principal)
        body["velocity"] = velocity
        body["momentum"] = body["rotation"] @ principal @ body["rotation"].T @ spin


@every_kind
@every_side
def test_rates_at_the_start_are_the_derivatives_of_the_coordinates(kind, sides):
    """Bodies that move as the joint allows (to first order): rates of a pair that its rows hold."""
    random = np.random.default_rng(21)
    made = one_joint(kind, sides, 21)
    move_as_allowed(made, random)
    made.commit()
    motion = kept_motion(made, random)
    turn_freely(made, motion, random)
    set_rates(made.joints, 0, len(made.joints), made.bodies)
    found = [made.joints["angle_rate"][0], made.joints["slide_rate"][0]]
    np.testing.assert_allclose(found, made.derivatives(*motion)[1][:, 0], atol=4e-9)
    measures = DEFINITIONS[kind].measures
    # the distance of a rod is held, the others move
    moves = "ANG" in measures, not DEFINITIONS[kind].is_rod and ("U" in measures or "ANG2" in measures)
    assert (abs(found[0]) > 1e-3, abs(found[1]) > 1e-3) == moves


def kept_motion(made, random):
    """A random motion less what the rows of the joint forbid."""
    jacobian = made.jacobian()
    motion = np.concatenate(random_motion(random), axis=1).ravel()
    motion -= np.linalg.pinv(jacobian) @ (jacobian @ motion)
    return np.split(motion.reshape(4, 6), 2, axis=1)


@every_side
@pytest.mark.parametrize("measured", MEASURED)
def test_rates_of_a_joint_that_only_measures_are_derivatives_too(sides, measured):
    random = np.random.default_rng(23)
    made = one_joint(MEASURES, sides, 23, measured)
    scatter(made.bodies, random)
    made.commit()
    motion = random_motion(random)
    turn_freely(made, motion, random)
    set_rates(made.joints, 0, len(made.joints), made.bodies)
    found = [made.joints["angle_rate"][0], made.joints["slide_rate"][0]]
    np.testing.assert_allclose(found, made.derivatives(*motion)[1][:, 0], atol=4e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("step", [0.05, 1.9, 3.1])
def test_angle_counts_turns_in_both_directions(sign, step):
    made = one_joint("REVOLUTE", (1, 2), 1)
    joint = made.joints[0]
    for k in range(1, 40):
        wrapped = float(np.angle(np.exp(1j * sign * step * k)))
        # the half-angle formula may give it a whole turn off
        set_angle(joint, wrapped + (2 * np.pi if k % 3 == 0 and wrapped < 0 else 0.0))
        commit_joints(made.joints, 0, 1, 0.1)
        total = 2 * np.pi * joint["turns"] + joint["angle"]
        assert total == pytest.approx(sign * step * k, abs=1e-12)
        assert -np.pi < joint["angle"] <= np.pi
        assert joint["angle_rate"] == pytest.approx(sign * step / 0.1, rel=1e-11)


# ---- tolerance and reactions -----------------------------------------------------------------------------------


@every_kind
def test_tolerance_of_lengths_grows_with_the_distance_from_the_place_and_no_other(kind):
    """Node j 50 m away: rounding of the lengths grows with it, that of directions does not."""
    made = one_joint(kind, (1, 2), 2, scale=2.0)
    made.bodies["displacement"][2] = (30.0, 0.0, 40.0)
    made.commit()
    joint_jacobians(made.joints, 0, 1, made.rows, made.entries, made.bodies)
    joint = made.built[0]
    apart = joint.node_j - joint.node_i + (30.0, 0.0, 40.0)
    rows = JOINT_TYPES[kind].rows
    far = 0.0 if set(POINT) <= set(rows) else np.abs(made.joints[0]["triad"] @ apart).sum()
    expected = [2.0 + far if row.is_length else 1.0 for row in rows]
    np.testing.assert_allclose(1 / (TIGHT * made.rows["inverse_tolerance"]), expected, rtol=1e-14)


@every_kind
@every_side
def test_reaction_on_node_j_has_the_power_of_the_rows_and_its_opposite_acts_on_body_a(kind, sides):
    """F . (v_j - v_a there) + M . (omega_b - omega_a) = lambda . G v for any motion of the bodies."""
    random = np.random.default_rng(31)
    made = one_joint(kind, sides, 31)
    move_as_allowed(made, random)
    made.commit()
    jacobian, multiplier, out = made.jacobian(), random.normal(size=len(made.rows)), np.zeros(10)
    add_reaction(made.joints[0], made.entries, made.bodies, multiplier, out)
    force, moment = out[4:7], out[7:10]
    np.testing.assert_array_equal(out[:4], 0.0)
    a, b = (made.bodies[body] for body in sides)
    arm_b = b["rotation"] @ (made.built[0].node_j - b["centre"])
    arm_a = b["centre"] + b["displacement"] + arm_b - a["centre"] - a["displacement"]
    for _ in range(6):
        velocities, spins = random_motion(random)
        v_a, v_b, spin_a, spin_b = velocities[sides[0]], velocities[sides[1]], spins[sides[0]], spins[sides[1]]
        slip = v_b + np.cross(spin_b, arm_b) - v_a - np.cross(spin_a, arm_a)
        power = force @ slip + moment @ (spin_b - spin_a)
        assert power == pytest.approx(multiplier @ rates(jacobian, velocities, spins), abs=2e-14)


def test_multipliers_are_forces_along_the_triad_and_moments_about_it():
    made = one_joint("REVOLUTE", (1, 2), 7)
    move_as_allowed(made, np.random.default_rng(7))
    made.commit()
    made.jacobian()
    out = np.zeros(10)
    add_reaction(made.joints[0], made.entries, made.bodies, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), out)
    r, s, t = made.joints[0]["triad"] @ made.bodies[1]["rotation"].T
    np.testing.assert_allclose(out[4:7], r + 2 * s + 3 * t, atol=1e-14)
    np.testing.assert_allclose(out[7:10], 4 * t - 5 * s, atol=1e-14)


@pytest.mark.parametrize("kind", ["TRANSLATIONAL", "FIXED"])
def test_moments_of_a_joint_that_does_not_turn_are_about_its_triad(kind):
    made = one_joint(kind, (1, 2), 7)
    move_as_allowed(made, np.random.default_rng(7))
    made.commit()
    made.jacobian()
    out = np.zeros(10)
    multiplier = np.zeros(len(made.rows))
    multiplier[-3:] = 1.0, 2.0, 3.0
    add_reaction(made.joints[0], made.entries, made.bodies, multiplier, out)
    triad = made.joints[0]["triad"] @ made.bodies[1]["rotation"].T
    np.testing.assert_allclose(out[7:10], (1.0, 2.0, 3.0) @ triad, atol=1e-14)
    np.testing.assert_allclose(out[4:7], 0.0, atol=1e-14)
