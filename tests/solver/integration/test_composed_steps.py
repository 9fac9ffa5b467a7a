"""Steps of order 4 and 6 against accelerations by dense matrices and scipy's integration."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.integration.accurate.composition_coefficients import (
    ORDERS,
    STAGE_BEGINS,
    STAGE_COUNTS,
    STAGE_LENGTHS,
)
from gsolve.solver.integration.accurate.composition_loop import advance_composed
from gsolve.solver.run.simulation import Simulation
from naive.plane import Plane
from plane_machines import all_links, started

T_END, STEP = 0.2, 0.01


@pytest.fixture(scope="module")
def flown():
    """Displacements and velocities in the plane at the end."""
    machine = all_links(t_end=T_END)
    planes = started(machine, 1e-3)._system.planes  # a machine by itself, which does not move
    twin, bodies = Plane(planes.links.copy(), planes.bodies.copy()), planes.bodies.copy()
    places = np.column_stack([bodies["place"], bodies["angle"]])
    fall = np.column_stack([bodies["gravity"], np.zeros(len(bodies))])
    moved, velocities = twin.fly(places, np.zeros(places.shape), T_END + STEP, fall)
    return moved - places, velocities


@pytest.mark.parametrize("order, tolerance", [(4, 1e-6), (6, 1e-8)])
def test_a_machine_with_all_links_moves_by_its_differential_equation(order, tolerance, flown):
    """From rest; one step beyond the end, as runs go for their last sample."""
    displacements, velocities = flown
    simulation = Simulation(all_links(t_end=T_END).model, t_end=T_END, dt=STEP, order=order)
    while not simulation.finished:
        simulation.advance(7)
    found = simulation._system.bodies
    by = (found["displacement"] + found["low_displacement"])[:, :2]
    np.testing.assert_allclose(by, displacements[:, :2], atol=tolerance)
    np.testing.assert_allclose(found["mean_velocity"][:, :2], velocities[:, :2], atol=20 * tolerance)
    assert advance_composed.__doc__


@pytest.mark.parametrize("row", range(len(ORDERS)), ids=ORDERS)
def test_stages_are_symmetric_and_meet_the_conditions_of_their_order(row):
    """Hairer, Lubich, Wanner, V.3: sums of odd powers of the lengths vanish, of themselves give 1."""
    lengths = STAGE_LENGTHS[row, : STAGE_COUNTS[row]]
    np.testing.assert_array_equal(lengths, lengths[::-1])
    assert np.sum(lengths) == pytest.approx(1.0, abs=1e-15)
    for power in range(3, ORDERS[row], 2):
        assert np.sum(lengths**power) == pytest.approx(0.0, abs=1e-15)
    begins = STAGE_BEGINS[row, : STAGE_COUNTS[row] + 1]
    np.testing.assert_allclose(np.diff(begins), lengths, atol=4e-16)
    assert begins[-1] == 1.0 and np.all((begins >= 0.0) & (begins <= 1.0))
