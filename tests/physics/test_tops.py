"""Rigid bodies in free rotation and under gravity, against Jacobi's functions and published figures."""

import numpy as np
import pytest
from closed_form import AsymmetricTop, HeavyTop, Pendulum, SymmetricTop
from deck_text import DeckText
from running import DECKS, Results, observed_order, run

ASYMMETRIC_TOP = DECKS / "asymmetric_top" / "asymmetric_top.rad"
HEAVY_TOP = DECKS / "heavy_top" / "heavy_top.rad"
PENDULUM = DECKS / "pendulum" / "pendulum.rad"
INERTIAS = np.array([1.0, 2.0, 3.0])
TOP = AsymmetricTop((1.0, 2.0, 3.0), (0.05, 2.0, 0.05))


def body_angular_velocity(results: Results, node: int) -> np.ndarray:
    """(nt, 3) in the axes of the body, which are the global ones at t = 0."""
    return np.einsum("nji,nj->ni", results.rotation(node), results.node_vector("VR", node))


def phase_error(results: Results, periods: tuple[float, float]) -> float:
    """Least-squares shift of the body's angular velocity along its orbit between two times in periods, in rad."""
    window = (results.times >= periods[0] * TOP.period) & (results.times <= periods[1] * TOP.period)
    t = results.times[window]
    difference = body_angular_velocity(results, 1)[window] - TOP.angular_velocity(t)
    direction = TOP.angular_acceleration(t)
    return float(np.sum(difference * direction) / np.sum(direction**2) * 2 * np.pi / TOP.period)


def test_asymmetric_top_is_in_phase_after_five_periods():
    results = run(ASYMMETRIC_TOP, dt=1e-4, every=0.05, t_end=82.0)
    assert abs(phase_error(results, (4.0, 5.0))) <= 1e-7
    momentum = np.einsum("nij,nj->ni", results.rotation(1), INERTIAS * body_angular_velocity(results, 1))
    assert np.max(np.abs(momentum - [0.05, 4.0, 0.15])) <= 1e-12 * np.linalg.norm(momentum[0])


def test_phase_of_the_asymmetric_top_converges_at_second_order():
    steps = [4e-3, 2e-3, 1e-3]
    errors = [abs(phase_error(run(ASYMMETRIC_TOP, dt=step, every=0.2), (4.0, 5.0))) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.05)


def test_attitude_of_the_asymmetric_top_converges_at_second_order():
    steps, errors = [4e-3, 2e-3, 1e-3], []
    for step in steps:
        results = run(ASYMMETRIC_TOP, dt=step, every=0.2, t_end=20.0)
        errors.append(float(np.max(np.abs(results.rotation(1) - TOP.rotation(results.times)))))
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.05)
    results = run(ASYMMETRIC_TOP, every=0.2, t_end=20.0)
    mark = results.rotation(1) @ np.array([0.0, 1.0, 0.0])
    np.testing.assert_allclose(results.node_vector("", 3), mark, atol=1e-12)


def test_energy_of_the_asymmetric_top_stays_in_its_band():
    results = run(ASYMMETRIC_TOP, every=0.2)
    total = results.scalar("energy", "total")
    assert total[0] == pytest.approx(4.005, rel=1e-6)
    assert np.ptp(total) <= 1e-6 * total[0]


def test_symmetric_top_precesses_regularly():
    start = (2.0, 4.0, 6.0)
    deck = DeckText(t_end=2.0, dt=1e-4, every=0.02)
    deck.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    deck.rigid_body(1, [2], mass=1.0, inertia=(0.04, 0.04, 0.02))
    deck.velocity(1, (0, 0, 0), start)
    results = run(deck)
    exact = SymmetricTop(0.04, 0.02, start)
    np.testing.assert_allclose(results.rotation(1), exact.rotation(results.times), atol=2e-6)
    np.testing.assert_allclose(body_angular_velocity(results, 1)[:, 2], 6.0, rtol=2e-7)


def test_spherical_body_turns_exactly():
    deck = DeckText(t_end=3.0, dt=1e-3, every=0.1)
    deck.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    deck.rigid_body(1, [2], mass=1.0, inertia=(0.3, 0.3, 0.3))
    deck.velocity(1, (0, 0, 0), (2.0, 4.0, 6.0))
    results = run(deck)
    exact = SymmetricTop(0.3, 0.3, (2.0, 4.0, 6.0)).rotation(results.times)
    np.testing.assert_allclose(results.rotation(1), exact, atol=1e-12)


def heavy_top_error(results: Results) -> float:
    centre = (results.node_vector("", 2) + results.node_vector("", 5)) / 2
    return float(np.max(np.abs(centre - HeavyTop().centre(results.times))))


def test_heavy_top_converges_to_the_published_motion_at_second_order():
    steps = [8e-5, 4e-5, 2e-5]
    errors = [heavy_top_error(run(HEAVY_TOP, dt=step, every=0.004)) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.05)
    assert errors[-1] < 1e-3


def test_heavy_top_keeps_its_spin_and_its_fixed_point():
    results = run(HEAVY_TOP)
    assert heavy_top_error(results) < 1e-4
    assert np.max(np.abs(results.node_vector("", 1))) <= 1e-12
    np.testing.assert_allclose(body_angular_velocity(results, 1)[:, 1], 150.0, rtol=1e-6)
    total = results.scalar("energy", "total")
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-6 * np.max(np.abs(total))


def pendulum_error(results: Results) -> float:
    x, y = Pendulum().position(results.times)
    return float(np.max(np.hypot(results.node("X", 2) - x, results.node("Y", 2) - y)))


def test_pendulum_a01_converges_at_second_order():
    steps = [4e-3, 2e-3, 1e-3]
    errors = [pendulum_error(run(PENDULUM, dt=step, every=0.1)) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(2.0, abs=0.05)


def test_pendulum_a01_after_ten_seconds():
    results = run(PENDULUM)
    assert pendulum_error(results) <= 1e-5
    assert results.node("X", 2)[-1] == pytest.approx(0.27508746257612, abs=1e-5)
    assert np.max(np.abs(results.scalar("energy", "error"))) <= 1e-6
    np.testing.assert_allclose(results.node("Z", 2), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.hypot(results.node("X", 2), results.node("Y", 2)), 1.0, rtol=1e-12)


def test_pendulum_of_a_single_point_mass_on_its_pivot():
    deck = DeckText(t_end=2.0, dt=1e-3, every=0.05)
    deck.nodes({1: (0, 0, 0), 2: (1, 0, 0)})
    deck.masses([2], 1.0)
    deck.rigid_tie(1, [2])
    deck.hold([1], "111 000")
    deck.gravity([1, 2], "Y", -9.81)
    assert pendulum_error(run(deck)) <= 1e-5
