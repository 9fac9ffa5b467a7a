"""Body points against NumPy: where they are, how they move, what forces and impulses do, in any motion of a body."""

from __future__ import annotations

import naive.core as twin
import numpy as np
import pytest
from body_rig import bodies_in, records_of, set_trial
from gsolve.solver.core import body_points
from gsolve.solver.core.bodies import GENERAL, GROUND, NO_ROTATION, SPHERICAL, new_bodies
from gsolve.solver.core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL
from naive.core import Motion, Points
from scipy.spatial.transform import Rotation

RANDOM = np.random.default_rng(12)
TURNING = [NO_ROTATION, SPHERICAL, GENERAL]


def motion_of_four(seed, turn=1.0, far=0.0, speed=1.0):
    """The ground and three bodies with six points, two of them on the ground."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(4, 4, 3)) * np.array([1.0, turn, speed, speed])[:, None, None]
    values[:, GROUND] = 0.0
    values[0, 1:] += far
    points = Points(np.array([1, 2, 3, 2, GROUND, GROUND]), random.normal(size=(6, 3)), random.normal(size=(6, 3)))
    points.arm[1] = 0.0
    return Motion(values[0], Rotation.from_rotvec(values[1]).as_matrix(), values[2], values[3]), points


def random_body(turning, seed=3):
    """A body of any mass and inertia in any motion, at t_n and in both steps around it."""
    random = np.random.default_rng(seed)
    body = new_bodies(2)[1]
    body["turning"], body["mass"], body["inverse_mass"] = turning, 2.5, 0.4
    if turning != NO_ROTATION:
        axes = Rotation.random(rng=random).as_matrix()
        body["inertia"] = axes @ np.diag([2.0, 3.0, 4.0] if turning == GENERAL else [2.5] * 3) @ axes.T
        body["inverse_inertia"] = np.linalg.inv(body["inertia"])
    for name in ("displacement", "velocity", "momentum"):
        body[name], body["trial_" + name] = random.normal(size=(2, 3))
    for prefix in ("", "trial_"):
        attitude = Rotation.random(rng=random)
        body[prefix + "rotation"], body[prefix + "quaternion"] = (
            attitude.as_matrix(), attitude.as_quat(scalar_first=True)
        )  # fmt: skip
    for name in ("mean_velocity", "mean_angular_velocity", "step_rotation", "theta", "gravity"):
        body[name] = random.normal(size=3)
    return body


MOTIONS = {"any": {}, "not turned": {"turn": 0.0}, "at rest": {"speed": 0.0}, "hardly turned": {"turn": 1e-9}}


@pytest.mark.parametrize("trial", [False, True])
@pytest.mark.parametrize("given", MOTIONS.values(), ids=MOTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_points_move_with_their_bodies(seed, given, trial):
    motion, points = motion_of_four(seed, **given)
    other_motion, _ = motion_of_four(seed + 10)
    bodies, records = bodies_in(other_motion if trial else motion), records_of(points)
    set_trial(bodies, motion if trial else other_motion)
    places = [twin.position(motion, points, point) for point in range(6)]
    for point in range(6):
        record, body = records[point], bodies[points.body[point]]
        arm = body_points.arm_of(record, body, trial)
        np.testing.assert_allclose(arm, twin.arm(motion, points, point), atol=4e-15)
        moved = places[point] - points.origin[point]
        np.testing.assert_allclose(body_points.displacement_of(record, arm, body, trial), moved, atol=4e-15)
        if not trial:
            velocity = twin.velocity(motion, points, point)
            np.testing.assert_allclose(body_points.velocity_at(arm, body), velocity, atol=8e-15)
        for other in range(6):
            found = body_points.separation(record, body, records[other], bodies[points.body[other]], trial)
            np.testing.assert_allclose(found, places[other] - places[point], atol=8e-15)


def test_separations_far_from_the_origin_are_exact():
    motion, points = motion_of_four(1, turn=0.0, far=1e9)
    motion.displacement[1:] = np.round(motion.displacement[1:])
    bodies, records = bodies_in(motion), records_of(points)
    moved = motion.displacement[2] - motion.displacement[1] + points.origin[1] - points.origin[0]
    np.testing.assert_array_equal(body_points.separation(records[0], bodies[1], records[1], bodies[2], False), moved)


@pytest.mark.parametrize("trial", [False, True])
def test_what_is_fixed_in_a_body_turns_with_it_and_back(trial):
    a, b = random_body(GENERAL), random_body(GENERAL, seed=4)
    prefix = "trial_" if trial else ""
    vector = tuple(RANDOM.normal(size=3))
    np.testing.assert_allclose(body_points.direction_of(vector, a, trial), a[prefix + "rotation"] @ vector, atol=1e-15)
    np.testing.assert_allclose(
        body_points.in_body_axes(vector, a, trial), a[prefix + "rotation"].T @ vector, atol=1e-15
    )
    w, v = body_points.orientation_between(a, b, trial)
    relative = a[prefix + "rotation"].T @ b[prefix + "rotation"]
    np.testing.assert_allclose(Rotation.from_quat([w, *v], scalar_first=True).as_matrix(), relative, atol=4e-15)
    np.testing.assert_array_equal(body_points.rotation_of(a), a["rotation"])


@pytest.mark.parametrize("trial", [False, True])
def test_reference_points_shift_to_the_last_bit_of_their_sums(trial):
    a, b = random_body(GENERAL), random_body(GENERAL, seed=4)
    prefix = "trial_" if trial else ""
    a[prefix + "displacement"], b[prefix + "displacement"] = 1e9, 1e9
    a[prefix + "low_displacement"], b[prefix + "low_displacement"] = 1e-9, -2e-9
    np.testing.assert_allclose(body_points.shift_between(a, b, trial), -3e-9, rtol=1e-15)
    np.testing.assert_array_equal(body_points.displacement_of_reference(a, trial), 1e9)


@pytest.mark.parametrize("turning", TURNING)
@pytest.mark.parametrize("trial", [False, True])
def test_velocities_in_a_step_are_those_of_the_momentum(turning, trial):
    body, arm = random_body(turning), RANDOM.normal(size=3)
    prefix = "trial_" if trial else ""
    spin = twin.angular_velocity(body, body[prefix + "momentum"])
    np.testing.assert_allclose(body_points.spin_in_step(body, trial), spin, atol=4e-15)
    expected = body[prefix + "velocity"] + np.cross(spin, arm)
    np.testing.assert_allclose(body_points.velocity_in_step(arm, body, trial), expected, atol=8e-15)


def test_what_else_is_asked_of_a_motion():
    body = random_body(GENERAL)
    assert body_points.spin_of(body) == tuple(body["mean_angular_velocity"])
    assert body_points.turn_of_last_step(body) == tuple(body["step_rotation"])
    assert body_points.angle_of_step(body) == pytest.approx(np.linalg.norm(body["theta"]), rel=1e-15)
    assert body_points.free_fall(body) == tuple(body["gravity"])
    body["inverse_mass"] = 0.0
    assert body_points.free_fall(body) == (0.0, 0.0, 0.0)


def test_forces_and_moments_are_set_and_add_up():
    q = RANDOM.normal(size=6)
    for add, set_to in (
        (body_points.add_force, body_points.set_force),
        (body_points.add_moment, body_points.set_moment),
    ):
        for _ in range(3):
            vector, arm = RANDOM.normal(size=(2, 3))
            at = (tuple(arm),) if add is body_points.add_force else ()
            expected = [*vector, *np.cross(arm, vector)] if at else [0.0, 0.0, 0.0, *vector]
            before = q.copy()
            add(q, *at, tuple(vector))
            np.testing.assert_allclose(q, before + expected, atol=2e-15)
            set_to(q, *at, tuple(vector))
            np.testing.assert_allclose(q, expected, atol=1e-15)
    before = q.copy()
    body_points.add_force_at_reference(q, (1.0, 2.0, -3.0))
    np.testing.assert_array_equal(q - before, np.add(before, [1.0, 2.0, -3.0, 0.0, 0.0, 0.0]) - before)
    body_points.clear(q)
    assert not q.any()


def test_forces_of_each_kind_are_those_of_the_body():
    body = random_body(GENERAL)
    for kind, name in ((ELASTIC, "elastic"), (DISSIPATIVE, "dissipative"), (EXTERNAL, "external")):
        body[name] = RANDOM.normal(size=6)
        np.testing.assert_array_equal(body_points.forces_on(body, kind), body[name])


def inverse_mass_of(body):
    """(6, 6) of the reference point and the rotation, global."""
    inverse = np.zeros((6, 6))
    inverse[:3, :3] = body["inverse_mass"] * np.eye(3)
    inverse[3:, 3:] = np.transpose([twin.angular_velocity(body, unit) for unit in np.eye(3)])
    return inverse


@pytest.mark.parametrize("turning", TURNING)
def test_impulses_change_a_body_by_its_inverse_mass(turning):
    body, q, out = random_body(turning), RANDOM.normal(size=6), np.zeros(6)
    inverse = inverse_mass_of(body)
    body_points.set_mobility(body)
    body_points.apply_mobility(body, q, out)
    np.testing.assert_allclose(out, inverse @ q, atol=2e-15)
    np.testing.assert_allclose(np.concatenate(body_points.velocities_by(body, tuple(q[:3]), tuple(q[3:]))), out)
    velocity, momentum = body["trial_velocity"].copy(), body["trial_momentum"].copy()
    before = body_points.add_power(0.0, q, body, True)
    spin = twin.angular_velocity(body, momentum)
    assert before == pytest.approx(q @ [*velocity, *spin], abs=8e-15)
    body_points.apply_impulse(body, q, 0.7)
    np.testing.assert_allclose(body["trial_velocity"], velocity + 0.7 * inverse[:3] @ q, atol=2e-15)
    np.testing.assert_allclose(body["trial_momentum"], momentum + 0.7 * q[3:], atol=2e-15)
    assert body_points.add_power(-before, q, body, True) == pytest.approx(0.7 * q @ inverse @ q, abs=8e-15)


@pytest.mark.parametrize("turning", TURNING)
def test_a_point_answers_an_impulse_there(turning):
    body, arm = random_body(turning), RANDOM.normal(size=3)
    at_arm = np.hstack([np.eye(3), np.transpose([np.cross(unit, arm) for unit in np.eye(3)])])  # (v, omega) -> velocity
    expected = at_arm @ inverse_mass_of(body) @ at_arm.T
    found = np.transpose([body_points.response_at(arm, body, tuple(unit)) for unit in np.eye(3)])
    np.testing.assert_allclose(found, expected, atol=4e-15)
    direction = RANDOM.normal(size=3)
    share = body_points.inverse_mass_of_turning(tuple(arm), body, tuple(direction))
    whole = direction @ expected @ direction
    assert share == pytest.approx(whole - body["inverse_mass"] * direction @ direction, abs=1e-14)


@pytest.mark.parametrize("turning", TURNING)
def test_mass_is_the_inverse_of_the_inverse_mass_where_a_body_can_move(turning):
    body = random_body(turning)
    found = np.array([[body_points.mass_entry(body, i, j) for j in range(6)] for i in range(6)])
    inverse = inverse_mass_of(body)
    free = [body_points.can_move(body, component) for component in range(6)]
    assert free == [True] * 3 + [turning != NO_ROTATION] * 3
    np.testing.assert_allclose((found @ inverse)[np.ix_(free, free)], np.eye(sum(free)), atol=4e-15)
    np.testing.assert_array_equal(found[~np.array(free)], np.eye(6)[~np.array(free)])
    body["inverse_mass"] = 0.0
    assert [body_points.can_move(body, component) for component in range(3)] == [False] * 3
    assert [body_points.mass_entry(body, k, k) for k in range(3)] == [1.0] * 3
