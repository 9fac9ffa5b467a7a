"""Published benchmark mechanisms: redundant rows, stiff springs and dampers, small fast linkages."""

from __future__ import annotations

import numpy as np
import pytest
from deck_text import DeckText
from linkages import AndrewsSqueezer, Bricard, FlyballGovernor, ParallelFourBars, SpatialSliderCrank, box_inertia
from running import Results, observed_order, run

X, Y, Z = np.eye(3)


def body(text: DeckText, main: int, places: dict[int, np.ndarray], mass: float, inertia: np.ndarray) -> None:
    """A rigid body: main node at its centre, further nodes without mass; inertia (3, 3) in global axes."""
    text.nodes({node: tuple(float(x) for x in place) for node, place in places.items()})
    products = (inertia[0, 1], inertia[1, 2], inertia[0, 2])
    text.rigid_body(main, [node for node in places if node != main], mass, np.diag(inertia), products)


def worst_row(results: Results) -> float:
    return float(np.max(results.scalar("diag", "constraint_violation")))


# ---- A03: Andrews' squeezer ----------------------------------------------------------------------------------------

SQUEEZER = AndrewsSqueezer()


def squeezer(dt: float, t_end: float = 0.03) -> DeckText:
    """Main nodes 10 to 70, pins after them; hinge 1 is that of the crank on the ground."""
    text = DeckText(t_end, dt, t_end / 30)
    pins = {name: np.append(place, 0.0) for name, place in SQUEEZER.pins(SQUEEZER.start).items()}
    pins |= {"origin": np.zeros(3), "a": np.append(SQUEEZER.anchor_a, 0.0), "b": np.append(SQUEEZER.anchor_b, 0.0)}
    on_body = {
        10: ("origin", "crank"), 20: ("crank", "head"), 30: ("b", "head", "spring"), 40: ("head", "upper"),
        50: ("a", "upper"), 60: ("head", "lower"), 70: ("a", "lower"),
    }  # fmt: skip
    node = {}
    for (main, names), mass, inertia, centre in zip(
        on_body.items(), SQUEEZER.masses, SQUEEZER.inertias, SQUEEZER.centres(SQUEEZER.start), strict=True
    ):
        node |= {(main, name): main + k for k, name in enumerate(names, start=1)}
        places = {main: np.append(centre, 0.0)} | {node[main, name]: pins[name] for name in names}
        body(text, main, places, mass, np.diag((0.6, 0.6, 1.0)) * inertia)
    for main, name in ((10, "origin"), (30, "b"), (50, "a"), (70, "a")):
        text.pair("REVOLUTE", 0, node[main, name])
    for first, second, name in (
        (10, 20, "crank"), (20, 30, "head"), (20, 40, "head"), (20, 60, "head"), (50, 40, "upper"), (70, 60, "lower"),
    ):  # fmt: skip
        text.pair("REVOLUTE", node[first, name], node[second, name])
    text.nodes({90: (*SQUEEZER.anchor_c, 0.0)})
    text.hold([90])
    stretched_spring(text, 90, node[30, "spring"], pins["spring"])
    text.load(10, "ZZ", SQUEEZER.torque)
    return text


def stretched_spring(text: DeckText, fixed: int, moving: int, start: np.ndarray) -> None:
    """The spring of the squeezer, which is not unstretched at t = 0: its force is a function of the elongation."""
    elongation = np.linalg.norm(start[:2] - SQUEEZER.anchor_c) - SQUEEZER.natural_length
    ends = ((x, SQUEEZER.stiffness * (x + float(elongation))) for x in (-1.0, 1.0))
    function = text.function(list(ends))
    text.block("/PROP/TYPE4/900", "spring", "1e-12", f"{SQUEEZER.stiffness!r}, 0, 1, 0, 0", f"{function:>10}", "0,")
    text.block("/PART/900", "spring", "900, 0, 0", "/SPRING/900", f"900, {fixed}, {moving}")


def test_squeezer_starts_with_the_published_accelerations():
    results = run(squeezer(1e-7, t_end=1e-5))
    assert results.node("ARZ", 10)[0] == pytest.approx(SQUEEZER.start_accelerations[0], rel=1e-4)
    assert results.node("ARZ", 20)[0] == pytest.approx(sum(SQUEEZER.start_accelerations), rel=1e-4)


def test_squeezer_reaches_the_published_position_at_second_order():
    steps, errors = [4e-6, 2e-6, 1e-6], []
    for step in steps:
        results = run(squeezer(step))
        beta = SQUEEZER.start[0] + results.of("th/joint", "ANG", results.ids["th/joint"][0])
        errors.append(abs(beta[-1] - SQUEEZER.at_003[0]) / SQUEEZER.at_003[0])
    assert errors[-1] <= 1e-4
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.1)
    assert worst_row(results) <= 1e-10
    # kinetic and spring energy are what the torque has done
    work = SQUEEZER.torque * (beta - beta[0])
    stored = results.scalar("energy", "total") - results.scalar("energy", "total")[0]
    np.testing.assert_allclose(stored, work, atol=1e-4 * work[-1])
    turned = SQUEEZER.turns(SQUEEZER.at_003) - SQUEEZER.turns(SQUEEZER.start)
    for main, angle in zip(range(10, 80, 10), turned, strict=True):
        seen = 2 * np.arctan2(results.node("Q3", main)[-1], results.node("Q0", main)[-1])
        assert abs(np.remainder(seen - angle + np.pi, 2 * np.pi) - np.pi) <= 2e-3


def test_squeezer_reaches_the_published_position_to_a_tolerance():
    tolerance = 1e-7
    results = run(squeezer(1e-5), every=0.03, accuracy=tolerance)
    places = SQUEEZER.turns(SQUEEZER.at_003) - SQUEEZER.turns(SQUEEZER.start)
    rates = SQUEEZER.turns(SQUEEZER.rates_at_003)
    for main, angle, rate in zip(range(10, 80, 10), places, rates, strict=True):
        turned = 2 * np.arctan2(results.node("Q3", main)[-1], results.node("Q0", main)[-1])
        assert abs(np.remainder(turned - angle + np.pi, 2 * np.pi) - np.pi) <= 50 * tolerance
        assert abs(results.node("VRZ", main)[-1] - rate) <= 50 * tolerance * np.abs(rates).max()
    assert worst_row(results) <= 1e-13


# ---- A04: Bricard's linkage ----------------------------------------------------------------------------------------


def bricard(dt: float, t_end: float) -> DeckText:
    """Rods 10 to 50 with ends 11, 12 to 51, 52."""
    linkage = Bricard()
    text = DeckText(t_end, dt, t_end / 50)
    for k, inertia in enumerate(linkage.inertias()):
        first, last, main = linkage.points[k], linkage.points[k + 1], 10 * (k + 1)
        body(text, main, {main: (first + last) / 2, main + 1: first, main + 2: last}, 1.0, np.diag(inertia))
    ends = [0, *(10 * k + 2 for k in range(1, 6))]
    starts = [*(10 * k + 1 for k in range(1, 6)), 0]
    for before, after, axis in zip(ends, starts, linkage.axes, strict=True):
        text.pair("REVOLUTE", before, after, axis)
    text.gravity(range(10, 60, 10), "Y", -9.81)
    return text


def test_bricard_linkage_moves_with_one_redundant_row():
    results = run(bricard(1e-3, t_end=5.0))
    assert results.simulation.degrees_of_freedom == 1
    assert len(results.simulation.redundant_rows) == 1
    corner = results.node_vector("", 32)
    np.testing.assert_allclose(corner, Bricard().corner(results.times), atol=1e-3)
    # the turning point after a whole period is the start, but for the step
    np.testing.assert_allclose(corner[-1], [0.999999998, -1.000067258, 0.999932740], atol=1e-3)
    assert worst_row(results) <= 1e-10
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-3 * 9.81


def test_bricard_linkage_moves_to_a_tolerance():
    """In space, with a redundant row."""
    results = run(bricard(5e-4, t_end=5.0), every=0.5, accuracy=1e-7)
    np.testing.assert_allclose(results.node_vector("", 32), Bricard().corner(results.times), atol=2e-6)
    assert worst_row(results) <= 1e-10


def test_bricard_linkage_converges_at_second_order():
    steps, errors = [4e-3, 2e-3, 1e-3], []
    for step in steps:
        results = run(bricard(step, t_end=1.0))
        errors.append(float(np.max(np.abs(results.node_vector("", 32) - Bricard().corner(results.times)))))
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.15)


# ---- A05: flyball governor -----------------------------------------------------------------------------------------


def governor(t_end: float) -> DeckText:
    """Shaft 10, slider 20 and two arms: rod 30 with hinge 31, tip 32 and middle 33, and rod 40 likewise."""
    machine = FlyballGovernor()
    text = DeckText(t_end, None, t_end / 60)
    spin = machine.shaft_speed * Z
    hinges = {11: np.array([0.05, 0.0, 1.0]), 12: np.array([-0.05, 0.0, 1.0])}
    ends = {21: np.array([0.05, 0.0, 0.5]), 22: np.array([-0.05, 0.0, 0.5])}
    body(text, 10, {10: Z / 2} | hinges, 0.3, np.diag(box_inertia(0.3, 0.01, 0.01, 1.0)))
    body(text, 20, {20: Z / 2} | ends, 3.0, np.diag(box_inertia(3.0, 0.1, 0.1, 0.1)))
    text.pair("REVOLUTE", 0, 10)
    text.pair("TRANSLATIONAL", 10, 20)
    for main, hinge, end in ((30, 11, 21), (40, 12, 22)):
        along = np.array([np.sign(hinges[hinge][0]) * np.cos(machine.start_angle), 0, -np.sin(machine.start_angle)])
        axes = np.stack((along, Y, np.cross(along, Y)), axis=1)
        inertia = axes @ np.diag(box_inertia(machine.rod_mass, 1.0, 0.01, 0.01)) @ axes.T
        middle, tip = hinges[hinge] + along / 2, hinges[hinge] + along
        body(text, main, {main: middle, main + 1: hinges[hinge], main + 2: tip, main + 3: middle}, 0.3, inertia)
        text.masses([main + 2], machine.tip_mass)
        text.pair("REVOLUTE", hinge, main + 1, Y)
        text.spring(end, main + 3, machine.stiffness, machine.damping)
        centre = (machine.rod_mass * middle + machine.tip_mass * tip) / (machine.rod_mass + machine.tip_mass)
        text.velocity(main, np.cross(spin, centre), spin)
    for main in (10, 20):
        text.velocity(main, (0, 0, 0), spin)
    # weights as loads, so that this deck needs no code that the squeezer's does not
    weights = {10: 0.3, 20: machine.slider_mass, 30: machine.rod_mass + machine.tip_mass}
    for main, mass in (weights | {40: weights[30]}).items():
        text.load(main, "Z", -machine.gravity * mass)
    return text


def test_governor_runs_three_seconds_with_the_automatic_step():
    results = run(governor(3.0))
    angle, height, speed = FlyballGovernor().motion(results.times)
    np.testing.assert_allclose(results.node("Z", 20), height, atol=1e-4)
    np.testing.assert_allclose(1.0 - results.node("Z", 32), np.sin(angle), atol=1e-4)
    np.testing.assert_allclose(results.node("VRZ", 10), speed, rtol=1e-4)
    # a step that looks at the springs alone would be 2 sqrt(m/K): the dampers are what limits it
    assert results.simulation.dt < 2 * 3.0 / (2 * FlyballGovernor().damping)
    assert worst_row(results) <= 1e-10


# ---- spatial slider-crank ------------------------------------------------------------------------------------------


def spatial_slider_crank(dt: float, t_end: float) -> DeckText:
    """Crank 10, rod 20, slider 30."""
    machine = SpatialSliderCrank()
    text = DeckText(t_end, dt, t_end / 20)
    centres, axes = machine.places(1e-30j)
    velocities, turning = machine.speed * centres.imag / 1e-30, machine.speed * axes.imag / 1e-30
    centres, axes = centres.real, axes.real
    bearing = np.array(machine.bearing)
    pin = bearing + machine.crank * Z
    inertias = (machine.crank_inertia, machine.rod_inertia, (machine.slider_inertia,) * 3)
    places = (
        {10: centres[0], 11: bearing, 12: pin}, {20: centres[1], 21: pin, 22: centres[2]},
        {30: centres[2], 31: centres[2]},
    )  # fmt: skip
    for k, nodes in enumerate(places):
        main = 10 * (k + 1)
        body(text, main, nodes, machine.masses[k], axes[k] @ np.diag(inertias[k]) @ axes[k].T)
        spin = turning[k] @ axes[k].T
        text.velocity(main, velocities[k], (spin[2, 1], spin[0, 2], spin[1, 0]))
    text.pair("REVOLUTE", 0, 11, X)
    text.pair("SPHERICAL", 12, 21)
    text.pair("UNIVERSAL", 31, 22, Y, second=axes[1][:, 2])
    text.pair("TRANSLATIONAL", 0, 30, X)
    text.gravity((10, 20, 30), "Z", -machine.gravity)
    return text


def test_spatial_slider_crank_follows_its_one_coordinate_at_second_order():
    steps, errors = [1e-3, 5e-4, 2.5e-4], []
    expected = SpatialSliderCrank().slider(np.linspace(0.0, 0.5, 21))
    for step in steps:
        results = run(spatial_slider_crank(step, t_end=0.5))
        errors.append(float(np.max(np.abs(results.node("X", 30) - expected))))
    assert results.simulation.degrees_of_freedom == 1
    assert len(results.simulation.redundant_rows) == 0
    assert errors[-1] <= 1e-4
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.15)


# ---- the references themselves -------------------------------------------------------------------------------------


def test_reference_motions_agree_with_published_figures():
    """IFToMM's problems as solved by Exudyn (J. Gerstmayr, test models fourBarMechanismIftomm and bricardMechanism, and
    its flyball governor at 0.25 ms), and the initial gaps of the squeezer.
    """
    np.testing.assert_allclose(ParallelFourBars().pin(10.0), (0.3284573768, 0.9445187937), atol=2e-6)
    np.testing.assert_allclose(
        Bricard().corner([1.0, 4.0]),
        [(0.5105022, -1.6491673, 0.1401235), (0.5248956, -1.6438775, 0.1488334)],
        atol=1e-5,
    )
    height = FlyballGovernor().motion([0.0, 0.5, 1.0, 2.0, 3.0])[1]
    np.testing.assert_allclose(height[1:], (0.74324945, 0.50142097, 0.50590944, 0.51324638), atol=1e-6)
    assert np.max(np.abs(SQUEEZER.gaps(SQUEEZER.start))) <= 1e-16
    assert np.max(np.abs(SQUEEZER.gaps(SQUEEZER.at_003))) <= 1e-15
