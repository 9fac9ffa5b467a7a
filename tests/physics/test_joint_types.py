"""Every kind of /JOINT against a closed form or an independent integration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from closed_form import AsymmetricTop, HeavyTop, Pendulum, rotation_about
from deck_text import DeckText
from linkages import BodyOnTurningLine
from running import Results, observed_order, run

X, Y, Z = np.eye(3)
GRAVITY = 9.81
TILTED = np.array([0.0, 0.6, 0.8])  # an axis; gravity along it is 0.8 g, across it 0.6 g
DOWN_ACROSS = np.array([0.0, 0.8, -0.6])
INERTIA = (0.02, 0.03, 0.045)


def machine(dt: float, t_end: float) -> DeckText:
    return DeckText(t_end, dt, t_end / 20)


def add_body(
    text: DeckText, main: int, place: np.ndarray, mass: float, inertia: tuple[float, float, float], *more: np.ndarray
) -> None:
    """A rigid body with its centre at `place`; nodes main + 1, main + 2 ... at the places after that."""
    places = {main: place, main + 9: place} | {main + k: p for k, p in enumerate(more, start=1)}
    text.nodes({node: tuple(float(x) for x in p) for node, p in places.items()})
    text.rigid_body(main, [node for node in places if node != main], mass, inertia)


def order_of(errors_at: Callable[[float], float], steps: list[float], finest: float) -> None:
    """Second order over three steps, and the last error small enough."""
    errors = [errors_at(step) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.1)
    assert errors[-1] <= finest


# ---- constant accelerations: exact at every step -------------------------------------------------------------------


def released(kind: str, *, dt: float = 1e-3, **more: float) -> DeckText:
    """A body on the ground's tilted axis, under gravity; its centre is where the joint is."""
    text = machine(dt, 1.0)
    add_body(text, 10, np.array([0.3, -0.2, 0.5]), 2.0, INERTIA)
    text.pair(kind, 0, 10, TILTED, **more)
    text.gravity([10], "Z", -GRAVITY)
    return text


def fallen(results: Results) -> np.ndarray:
    return results.node_vector("D", 10)


def test_translational_joint_slides_straight_without_turning():
    results = run(released("TRANSLATIONAL"))
    slide = -0.5 * 0.8 * GRAVITY * results.times**2
    np.testing.assert_allclose(fallen(results), slide[:, None] * TILTED, atol=1e-12)
    np.testing.assert_allclose(results.of("th/joint", "U", 2), slide, atol=1e-12)
    np.testing.assert_allclose(results.node_vector("VR", 10), 0.0, atol=1e-12)


@pytest.mark.parametrize("pitch", [0.5, -0.05])
def test_screw_turns_as_it_slides(pitch):
    results = run(released("SCREW", pitch=pitch))
    lead, inertia = pitch / (2 * np.pi), float(np.array(INERTIA) @ TILTED**2)
    slide = -0.5 * 0.8 * GRAVITY / (1 + inertia / (2.0 * lead**2)) * results.times**2
    np.testing.assert_allclose(fallen(results), slide[:, None] * TILTED, atol=1e-11)
    joint = results.ids["th/joint"][0]
    np.testing.assert_allclose(results.of("th/joint", "U", joint), slide, atol=1e-11)
    np.testing.assert_allclose(results.of("th/joint", "ANG", joint), slide / lead, rtol=1e-9, atol=1e-10)


def test_planar_joint_slides_down_its_plane_and_keeps_its_spin():
    text = released("PLANAR")
    spin = 7.0
    text.velocity(10, 0.4 * X, spin * TILTED)
    results = run(text)
    t = results.times[:, None]
    np.testing.assert_allclose(fallen(results), 0.4 * t * X + 0.5 * 0.6 * GRAVITY * t**2 * DOWN_ACROSS, atol=1e-11)
    np.testing.assert_allclose(results.rotation(10), rotation_about(TILTED, spin * results.times), atol=1e-9)


def test_parallel_axes_leave_the_fall_free_and_keep_the_spin():
    text = released("PARALLEL")
    spin = 7.0
    text.velocity(10, 0.4 * X, spin * TILTED)
    results = run(text)
    t = results.times[:, None]
    np.testing.assert_allclose(fallen(results), 0.4 * t * X - 0.5 * GRAVITY * t**2 * Z, atol=1e-11)
    np.testing.assert_allclose(results.rotation(10), rotation_about(TILTED, spin * results.times), atol=1e-9)


def reaction(results: Results, axes: str) -> np.ndarray:
    """(nt, k) components of the force on node j of the first joint."""
    joint = results.ids["th/joint"][0]
    return np.stack([results.of("th/joint", "F" + axis, joint) for axis in axes], axis=1)


def test_point_mass_slides_down_a_plane_of_the_ground():
    """It falls by g sin(slope) along the plane, and the plane carries m g cos(slope) across."""
    mass, start = 1.5, np.array([0.4, 0.0, 0.0])
    text = machine(1e-3, 1.0)
    text.nodes({2: (0.3, -0.2, 0.5)})
    text.masses([2], mass)
    text.pair("POINT_PLANE", 0, 2, TILTED)
    text.gravity([2], "Z", -GRAVITY)
    text.velocity(2, start, np.zeros(3))
    results = run(text)
    t = results.times[:, None]
    expected = t * start + 0.5 * 0.6 * GRAVITY * t**2 * DOWN_ACROSS
    np.testing.assert_allclose(results.node_vector("D", 2), expected, atol=1e-11)
    np.testing.assert_allclose(reaction(results, "RST"), np.tile([0.8 * mass * GRAVITY, 0, 0], (len(t), 1)), atol=1e-8)


def test_point_mass_on_a_free_wedge_pushes_it_away():
    """Wedge M on a frictionless floor, slope of sine 0.6: N = m g cos / (1 + (m/M) sin^2), constant."""
    mass, wedge, sine, cosine = 0.5, 3.0, 0.6, 0.8
    text = machine(1e-3, 0.5)
    add_body(text, 10, np.zeros(3), wedge, INERTIA, np.array([0.1, 0.3, 0.2]))
    text.nodes({2: (0.1 + 0.4 * cosine, -0.1, 0.2 - 0.4 * sine)})
    text.masses([2], mass)
    text.pair("POINT_PLANE", 11, 2, (sine, 0.0, cosine))
    text.pair("TRANSLATIONAL", 0, 10, X)
    text.gravity([2], "Z", -GRAVITY)
    results = run(text)
    push = mass * GRAVITY * cosine / (1 + mass / wedge * sine**2)
    half = 0.5 * results.times[:, None] ** 2
    falls = push / mass * np.array([sine, 0.0, cosine]) - GRAVITY * Z
    np.testing.assert_allclose(results.node_vector("D", 2), half * falls, atol=1e-11)
    np.testing.assert_allclose(results.node_vector("D", 10), half * -push * sine / wedge * X, atol=1e-11)
    np.testing.assert_allclose(reaction(results, "R"), push, rtol=1e-8)
    momentum = mass * results.node("VX", 2) + wedge * results.node("VX", 10)
    np.testing.assert_allclose(momentum, 0.0, atol=1e-11)


def test_bead_on_a_turning_plane_flies_out_along_it():
    """A wall h off the vertical axis turns at w: r'' = w^2 r along it, free fall, N = m (2 w r' - w^2 h) across."""
    mass, w, h, r0, speed, rise = 0.5, 3.0, 0.2, 0.1, 0.4, 2.0

    def errors(dt: float) -> tuple[float, float]:
        text = machine(dt, 0.5)
        add_body(text, 10, np.zeros(3), 3.0, INERTIA, np.array([0.3, h, -0.2]))
        text.pair("REVOLUTE", 0, 10)
        text.turn_steadily(10, "ZZ", w)
        text.nodes({2: (r0, h, 0.0)})
        text.masses([2], mass)
        wall = text.pair("POINT_PLANE", 11, 2, Y)
        text.gravity([2], "Z", -GRAVITY)
        text.velocity(10, np.zeros(3), w * Z)
        text.velocity(2, (speed - w * h, w * r0, rise), np.zeros(3))
        results = run(text)
        t = results.times
        r = r0 * np.cosh(w * t) + speed / w * np.sinh(w * t)
        rate = w * r0 * np.sinh(w * t) + speed * np.cosh(w * t)
        c, s = np.cos(w * t), np.sin(w * t)
        expected = np.stack((c * r - s * h, s * r + c * h, rise * t - 0.5 * GRAVITY * t**2), axis=1)
        force = results.of("th/joint", "FR", wall) - mass * (2 * w * rate - w**2 * h)
        # the first half step starts at t = 0: the force of that sample alone is of first order, as for a STRUT
        return float(np.max(np.abs(results.node_vector("", 2) - expected))), float(np.max(np.abs(force[1:])))

    order_of(lambda dt: errors(dt)[0], [4e-3, 2e-3, 1e-3], finest=1e-5)
    order_of(lambda dt: errors(dt)[1], [4e-3, 2e-3, 1e-3], finest=1e-4)


# ---- pendulums -----------------------------------------------------------------------------------------------------


def swing(length: float, gravity: float, t: np.ndarray, *, down: np.ndarray = DOWN_ACROSS) -> np.ndarray:
    """(n, 3) from the pivot, released along x."""
    side, up = Pendulum(length, gravity).position(t)
    return side[:, None] * X - up[:, None] * down


def point_mass(kind: str, dt: float, down: np.ndarray) -> DeckText:
    text = machine(dt, 2.0)
    text.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    text.hold([1])
    text.masses([2], 1.5)
    text.pair(kind, 1, 2, np.cross(X, down))
    text.gravity([2], "Z", -GRAVITY)
    return text


def test_distance_makes_a_pendulum_of_a_point_mass():
    def error(dt: float) -> float:
        results = run(point_mass("DISTANCE", dt, -Z))
        return float(np.max(np.abs(results.node_vector("", 2) - swing(1.0, GRAVITY, results.times, down=-Z))))

    order_of(error, [4e-3, 2e-3, 1e-3], finest=1e-4)


def test_revolute_spherical_link_swings_across_its_axis():
    def error(dt: float) -> float:
        results = run(point_mass("REV_SPH", dt, DOWN_ACROSS))
        return float(np.max(np.abs(results.node_vector("", 2) - swing(1.0, 0.6 * GRAVITY, results.times))))

    order_of(error, [4e-3, 2e-3, 1e-3], finest=1e-4)


@pytest.mark.parametrize("kind", ["REVOLUTE", "CYLINDRICAL"])
def test_body_beside_a_tilted_axis_swings_about_it(kind):
    """A compound pendulum; on the cylindrical joint it slides down the axis meanwhile."""
    arm, mass = 0.2, 2.0
    about_axis = float(np.array(INERTIA) @ TILTED**2)
    reduced = (about_axis + mass * arm**2) / (mass * arm)

    def error(dt: float) -> float:
        text = machine(dt, 2.0)
        add_body(text, 10, arm * X, mass, INERTIA, np.zeros(3))
        text.pair(kind, 0, 11, TILTED)
        text.gravity([10], "Z", -GRAVITY)
        results = run(text)
        centre = swing(reduced, 0.6 * GRAVITY, results.times) * arm / reduced
        if kind == "CYLINDRICAL":
            centre = centre - 0.5 * 0.8 * GRAVITY * results.times[:, None] ** 2 * TILTED
        return float(np.max(np.abs(results.node_vector("", 10) - centre)))

    order_of(error, [4e-3, 2e-3, 1e-3], finest=1e-4)


# ---- tops ----------------------------------------------------------------------------------------------------------


def heavy_top(dt: float, t_end: float) -> DeckText:
    top = HeavyTop()
    text = machine(dt, t_end)
    add_body(text, 10, Y, top.mass, top.inertia, np.zeros(3))
    text.pair("SPHERICAL", 0, 11)
    text.gravity([10], "Z", -top.gravity)
    text.velocity(10, np.cross(top.angular_velocity_0, Y), top.angular_velocity_0)
    return text


def test_heavy_top_on_a_spherical_joint_converges_at_second_order():
    def error(dt: float) -> float:
        results = run(heavy_top(dt, 0.2))
        return float(np.max(np.abs(results.node_vector("", 10) - HeavyTop().centre(results.times))))

    order_of(error, [8e-5, 4e-5, 2e-5], finest=1e-3)


def test_energy_of_the_heavy_top_has_no_slope():
    results = run(heavy_top(1e-4, 20.0), every=0.0101)
    error = results.scalar("energy", "error")
    band = float(np.ptp(error))
    assert band <= 1e-3 * np.max(results.scalar("energy", "kinetic_rotational"))
    slope = np.polyfit(results.times, error, 1)[0] * results.times[-1]
    assert abs(slope) <= 0.05 * band


def test_two_bodies_fixed_to_each_other_tumble_as_one():
    inertias, start = (1.0, 2.0, 2.5), np.array([0.3, 2.0, 0.2])

    def error(dt: float) -> float:
        text = machine(dt, 4.0)
        add_body(text, 10, 0.4 * X, 1.0, (0.3, 0.7, 0.9), np.array([0.1, 0.2, -0.1]))
        add_body(text, 20, -0.2 * X, 2.0, (0.7, 1.06, 1.36))
        for main, place in ((10, 0.4 * X), (20, -0.2 * X)):
            text.velocity(main, np.cross(start, place), start)
        text.pair("FIXED", 11, 20, TILTED)
        results = run(text)
        expected = AsymmetricTop(inertias, tuple(start)).rotation(results.times)
        return float(max(np.max(np.abs(results.rotation(main) - expected)) for main in (10, 20)))

    order_of(error, [8e-3, 4e-3, 2e-3], finest=1e-4)


# ---- a body on a line that turns -----------------------------------------------------------------------------------


def test_bead_on_a_strut_flies_out_along_the_turning_line():
    line = BodyOnTurningLine(mass=0.5, rotor=0.1, distance=0.1, turn_rate=6.0)

    def error(dt: float) -> float:
        text = machine(dt, 1.0)
        add_body(text, 10, np.zeros(3), 3.0, (0.08, 0.07, 0.1))
        text.pair("REVOLUTE", 0, 10)
        text.nodes({2: (0.1, 0.0, 0.0)})
        text.masses([2], line.mass)
        text.pair("STRUT", 10, 2, X)
        text.velocity(10, (0, 0, 0), 6.0 * Z)
        text.velocity(2, (0, 0.6, 0), (0, 0, 0))
        results = run(text)
        turn, _, distance = line.motion(results.times)
        expected = distance[:, None] * np.stack((np.cos(turn), np.sin(turn), 0 * turn), axis=1)
        return float(np.max(np.abs(results.node_vector("", 2) - expected)))

    order_of(error, [4e-3, 2e-3, 1e-3], finest=1e-4)


def test_revolute_cylindrical_link_turns_slides_and_spins():
    line = BodyOnTurningLine(2.0, 0.02, (0.03, 0.045), distance=0.3, speed=-0.5, spin_rate=9.0, turn_rate=2.0)

    def error(dt: float) -> float:
        text = machine(dt, 1.0)
        text.nodes({1: (0, 0, 0)})
        text.hold([1])
        add_body(text, 10, 0.3 * X, line.mass, INERTIA)
        text.pair("REV_CYL", 1, 10, Z, second=X)
        text.velocity(10, (-0.5, 0.6, 0.0), (9.0, 0.0, 2.0))
        results = run(text)
        turn, _, distance = line.motion(results.times)
        expected = distance[:, None] * np.stack((np.cos(turn), np.sin(turn), 0 * turn), axis=1)
        turned = np.max(np.abs(results.rotation(10) - line.rotation(results.times)))
        return float(max(np.max(np.abs(results.node_vector("", 10) - expected)), turned))

    order_of(error, [4e-3, 2e-3, 1e-3], finest=1e-4)


@pytest.mark.parametrize("kind", ["PERPENDICULAR", "UNIVERSAL"])
def test_axis_that_stays_horizontal_turns_and_spins(kind):
    """Gimbal with a massless ring: the body spins about its own axis, which turns about the vertical."""
    line = BodyOnTurningLine(2.0, 0.02, (0.03, 0.045), spin_rate=9.0, turn_rate=2.0)

    def error(dt: float) -> float:
        text = machine(dt, 2.0)
        add_body(text, 10, np.zeros(3), line.mass, INERTIA)
        text.pair(kind, 0, 10, Z, second=X)
        text.velocity(10, (0, 0, 0), (9.0, 0.0, 2.0))
        results = run(text)
        return float(np.max(np.abs(results.rotation(10) - line.rotation(results.times))))

    order_of(error, [4e-3, 2e-3, 1e-3], finest=2e-4)
