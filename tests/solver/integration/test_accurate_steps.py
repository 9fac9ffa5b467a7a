"""Steps controlled by their error against accelerations by dense matrices and scipy's integration."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.solver.integration.accurate.loop import advance_accurate
from gsolve.solver.integration.accurate.records import new_clock
from gsolve.solver.integration.accurate.step import growth_after
from gsolve.solver.run.simulation import Simulation
from naive.plane import Plane
from plane_machines import all_links, started

T_END, TOLERANCE = 0.2, 1e-8


@pytest.fixture(scope="module")
def flown():
    """Displacements and velocities in the plane at the end."""
    machine = all_links(t_end=T_END)
    planes = started(machine, 1e-3)._system.planes  # a machine by itself, which does not move
    twin, bodies = Plane(planes.links.copy(), planes.bodies.copy()), planes.bodies.copy()
    places = np.column_stack([bodies["place"], bodies["angle"]])
    fall = np.column_stack([bodies["gravity"], np.zeros(len(bodies))])
    moved, velocities = twin.fly(places, np.zeros(places.shape), T_END, fall)
    return moved - places, velocities


@pytest.mark.parametrize("general", [False, True], ids=["in_plane", "all_rows"])
def test_a_machine_with_all_links_moves_by_its_differential_equation(general, flown):
    """From rest; a step may be off by a tenth of the tolerance, by the size and the speeds of the machine."""
    displacements, velocities = flown
    simulation = Simulation(all_links(t_end=T_END).model, t_end=T_END, accuracy=TOLERANCE, general=general)
    while not simulation.finished:
        simulation.advance(7)
    assert simulation.controlled_steps.taken > 0
    found = simulation._system.bodies
    by = (found["displacement"] + found["low_displacement"])[:, :2]
    np.testing.assert_allclose(by, displacements[:, :2], atol=20 * TOLERANCE)
    np.testing.assert_allclose(found["mean_velocity"][:, :2], velocities[:, :2], atol=200 * TOLERANCE)
    assert advance_accurate.__doc__


def grown(error, before=1.0, rejected=0):
    clock = new_clock()
    clock["error_before"], clock["was_rejected"] = before, rejected
    return growth_after(clock, error)


def test_the_next_step_goes_by_the_errors_of_the_last_two():
    """Gustafsson's controller: a constant error settles where steps keep their length, a growing one shortens them."""
    settled = 0.9 ** (1.0 / 0.13)  # 0.9 e^(-1/5 + 3/4 0.04 + 0.04) = 1
    assert grown(settled, settled) == pytest.approx(1.0, rel=1e-12)
    assert grown(settled, 0.5 * settled) < 1.0 < grown(settled, 2.0 * settled)
    assert grown(1e-12) == 5.0 and grown(0.0) == 5.0


def test_a_step_after_one_that_was_rejected_is_no_longer():
    assert grown(1e-3) > 1.0
    assert grown(1e-3, rejected=1) == grown(0.0, rejected=1) == 1.0
    assert grown(1.0, rejected=1) == grown(1.0) < 1.0
