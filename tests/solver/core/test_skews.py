"""Axes of skews: against cross products in NumPy, finite differences, and the balance of the couples they carry."""

from types import SimpleNamespace

import naive.core as twin
import numpy as np
import pytest
from body_rig import bodies_in, records_of, set_trial
from gsolve.solver.core.body_points import DISSIPATIVE, ELASTIC, EXTERNAL, NODE_POINT
from gsolve.solver.core.skews import GLOBAL_AXES, add_couple_on_skew, build_skews, middle_axis, skew_axes, skew_spin
from naive.core import Motion, Points
from scipy.spatial.transform import Rotation

RANDOM = np.random.default_rng(3)


def three_bodies_in_motion():
    """Ground and three moving bodies, one point on each; and the same a little later."""
    points = Points(np.array([1, 2, 3]), RANDOM.normal(size=(3, 3)), RANDOM.normal(size=(3, 3)))
    turns = RANDOM.normal(size=(4, 3))
    turns[0] = 0.0
    motion = Motion(
        RANDOM.normal(size=(4, 3)),
        Rotation.from_rotvec(turns).as_matrix(),
        RANDOM.normal(size=(4, 3)),
        RANDOM.normal(size=(4, 3)),
    )
    return points, motion


def later(motion, dt):
    spin = Rotation.from_rotvec(motion.angular_velocity * dt).as_matrix()
    return motion._replace(displacement=motion.displacement + dt * motion.velocity, rotation=spin @ motion.rotation)


def positions(points, motion):
    arms = np.einsum("kij,kj->ki", motion.rotation[points.body], points.arm)
    return points.origin + motion.displacement[points.body] + arms - points.arm


def moving_skew(direction, points):
    model = SimpleNamespace(
        skews={7: SimpleNamespace(moving=True, axes=np.eye(3), direction=direction, nodes=np.array([4, 5, 6]))}
    )
    of_nodes = np.zeros(7, NODE_POINT)
    of_nodes[4:] = records_of(points)
    skews, index_of = build_skews(model, of_nodes)
    assert index_of == {0: GLOBAL_AXES, 7: 0}
    return skews


def axes_of(skews, index, motion):
    out = np.empty((3, 3))
    skew_axes(skews, index, bodies_in(motion), out)
    return out


def wrench_of_couple(skews, motion, axes, couple):
    """Wrenches (nb, 6) of a couple on the axes, the same for every kind of force."""
    found = []
    for kind, name in ((ELASTIC, "elastic"), (DISSIPATIVE, "dissipative"), (EXTERNAL, "external")):
        bodies = bodies_in(motion)
        add_couple_on_skew(skews, 0, bodies, axes, tuple(couple), kind)
        assert all(bodies[other].any() == (other == name) for other in ("elastic", "dissipative", "external"))
        found.append(bodies[name])
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    return found[0]


def test_global_and_fixed_axes_stay():
    axes = Rotation.from_rotvec([0.3, 0.4, 0.5]).as_matrix()
    skew = SimpleNamespace(moving=False, axes=axes, direction=0, nodes=np.empty(0, dtype=np.int64))
    skews, index_of = build_skews(SimpleNamespace(skews={3: skew}), np.zeros(0, NODE_POINT))
    _, motion = three_bodies_in_motion()
    assert np.array_equal(axes_of(skews, index_of[0], motion), np.eye(3))
    assert np.array_equal(axes_of(skews, index_of[3], motion), axes)
    assert skew_spin(skews, index_of[3], bodies_in(motion), axes) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_moving_axes_follow_their_three_nodes(direction):
    points, motion = three_bodies_in_motion()
    skews = moving_skew(direction, points)
    axes = axes_of(skews, 0, motion)
    n1, n2, n3 = positions(points, motion)
    u = (n2 - n1) / np.linalg.norm(n2 - n1)
    w = np.cross(u, n3 - n1) / np.linalg.norm(np.cross(u, n3 - n1))
    assert axes[direction] == pytest.approx(u, abs=1e-14)
    assert axes[(direction + 2) % 3] == pytest.approx(w, abs=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0, abs=1e-14)
    assert axes[(direction + 1) % 3] @ (n3 - n1) > 0.0


@pytest.mark.parametrize("direction", [0, 1, 2])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_axes_spin_and_couples_are_those_of_the_twin_on_triangles_of_any_size(direction, size):
    points, motion = three_bodies_in_motion()
    points = Points(points.body, size * points.arm, size * points.origin)
    skews = moving_skew(direction, points)
    motion = motion._replace(displacement=size * motion.displacement)
    nodes = positions(points, motion)
    axes = axes_of(skews, 0, motion)
    np.testing.assert_allclose(axes, twin.moving_axes(nodes, direction), atol=2e-15)
    velocities = np.array([twin.velocity(motion, points, point) for point in range(3)])
    spin = twin.spin_of_axes(nodes, velocities, direction)
    np.testing.assert_allclose(skew_spin(skews, 0, bodies_in(motion), axes), spin, atol=1e-12 * np.linalg.norm(spin))
    couple = RANDOM.normal(size=3)
    wrench = wrench_of_couple(skews, motion, axes, couple)
    expected = twin.couple_on_axes(motion, points, range(3), direction, couple)
    expected[0] = 0.0
    for part in (slice(0, 3), slice(3, 6)):
        scale = np.abs(expected[:, part]).max()
        np.testing.assert_allclose(wrench[:, part], expected[:, part], atol=1e-12 * scale)


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_axes_in_the_middle_of_a_step_are_those_on_the_mean_of_the_edges(direction):
    points, motion = three_bodies_in_motion()
    skews = moving_skew(direction, points)
    _, trial = three_bodies_in_motion()
    before, after = positions(points, motion), positions(points, trial)
    expected = twin.moving_axes(0.5 * (before + after), direction)
    bodies = bodies_in(motion)
    set_trial(bodies, trial)
    for component in range(3):
        found = middle_axis(skews[0], component, bodies)
        np.testing.assert_allclose(found, expected[component], atol=4e-15)


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_spin_is_the_rate_of_the_axes(direction):
    points, motion = three_bodies_in_motion()
    skews = moving_skew(direction, points)
    axes = axes_of(skews, 0, motion)
    h = 1e-5
    rate = (axes_of(skews, 0, later(motion, h)) - axes_of(skews, 0, later(motion, -h))) / (2 * h)
    spin = np.array(skew_spin(skews, 0, bodies_in(motion), axes))
    size = np.abs(rate).max()
    assert np.cross(spin, axes) == pytest.approx(rate, abs=1e-8 * max(1.0, size**3))


@pytest.mark.parametrize("direction", [0, 1, 2])
def test_a_couple_on_the_axes_reaches_the_bodies_whole_and_does_the_power_of_the_spin(direction):
    points, motion = three_bodies_in_motion()
    skews = moving_skew(direction, points)
    axes = axes_of(skews, 0, motion)
    couple = RANDOM.normal(size=3)
    wrench = wrench_of_couple(skews, motion, axes, couple)
    size = np.abs(wrench).max()
    assert wrench[:, :3].sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-14 * size)
    centres = positions(points, motion) - np.einsum("kij,kj->ki", motion.rotation[points.body], points.arm)
    about_origin = wrench[1:, 3:] + np.cross(centres, wrench[1:, :3])
    assert about_origin.sum(axis=0) == pytest.approx(couple, abs=1e-13 * size)
    power = np.sum(wrench[:, :3] * motion.velocity) + np.sum(wrench[:, 3:] * motion.angular_velocity)
    spin = np.array(skew_spin(skews, 0, bodies_in(motion), axes))
    assert power == pytest.approx(couple @ spin, rel=1e-12)
