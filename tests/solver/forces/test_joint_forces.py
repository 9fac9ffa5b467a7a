"""The law of what acts in joints, written out again for numbers of all signs."""

import numpy as np
import pytest
from gsolve.solver.forces.joint_forces import (
    JOINT_FORCE,
    damping_force,
    depth,
    elastic_force,
    step_between,
    stored_energy,
)

LAW = dict(
    stiffness=3.0, damping=0.5, free_value=0.2, preload=0.7, lower=-1.0, upper=1.5, stop_stiffness=20.0,
    stop_damping=4.0,
)  # fmt: skip
PLACES = np.linspace(-2.0, 2.5, 19)


def force_at(q: float) -> np.void:
    force = np.zeros(1, JOINT_FORCE)
    for name, value in {**LAW, "coordinate": q}.items():
        force[name] = value
    return force.view(np.recarray)[0]


def naive(q: float, rate: float) -> tuple[float, float]:
    """Spring with damper, and what the stops push."""
    between = 0.7 - 3.0 * (q - 0.2) - 0.5 * rate
    if q < -1.0:
        return between, max(0.0, 20.0 * (-1.0 - q) - 4.0 * rate)
    if q > 1.5:
        return between, -max(0.0, 20.0 * (q - 1.5) + 4.0 * rate)
    return between, 0.0


@pytest.mark.parametrize("rate", [-30.0, -1.0, 0.0, 1.0, 30.0])
def test_sum_of_elastic_and_damping_force_is_the_law(rate: float) -> None:
    for q in PLACES:
        force = force_at(q)
        assert elastic_force(force) + damping_force(force, rate) == pytest.approx(sum(naive(q, rate)), abs=1e-12)


def test_damping_takes_energy_whatever_the_place_and_rate() -> None:
    for q in PLACES:
        for rate in (-30.0, -1.0, 1.0, 30.0):
            assert damping_force(force_at(q), rate) * rate < 0.0


def test_elastic_force_is_the_slope_of_the_stored_energy() -> None:
    h = 1e-6
    for q in PLACES + 0.01:  # off the kinks
        slope = (stored_energy(force_at(q + h)) - stored_energy(force_at(q - h))) / (2 * h)
        assert elastic_force(force_at(q)) == pytest.approx(-slope, rel=1e-8, abs=1e-8)
    assert stored_energy(force_at(0.2)) == 0.0


def test_no_stop_is_met_where_none_is() -> None:
    force = force_at(1e9)
    force.lower, force.upper = -np.inf, np.inf
    assert depth(force) == 0.0


def test_friction_turns_round_smoothly_within_the_slip_velocity() -> None:
    u = np.linspace(-2.0, 2.0, 81)
    found = np.array([step_between(0.1 * x, 0.1) for x in u])
    x = np.clip((u + 1) / 2, 0, 1)
    np.testing.assert_allclose(found, -1 + 2 * x**2 * (3 - 2 * x), atol=1e-15)
    assert step_between(5.0, 0.0) == 0.0
