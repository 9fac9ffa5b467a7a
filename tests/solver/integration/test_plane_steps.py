"""Planar machines step by step against SHAKE with dense matrices, and what is condensed of a machine."""

from __future__ import annotations

import numpy as np
from gsolve.solver.assembly.condense import Plane as PlaneFound
from gsolve.solver.integration.copies import copies_of, restore
from gsolve.solver.integration.planes import advance_planes
from naive.plane import Plane
from plane_machines import all_links, started

DT, STEPS = 2e-3, 8


def test_a_machine_with_all_links_is_shake_in_its_plane():
    machine = all_links(t_end=STEPS * DT)
    simulation = started(machine, DT)
    planes = simulation._system.planes
    twin, bodies = Plane(planes.links.copy(), planes.bodies.copy()), planes.bodies.copy()
    places = np.column_stack([bodies["place"], bodies["angle"]])
    velocities = np.column_stack([bodies["velocity"], bodies["rate"]])
    fall = np.column_stack([bodies["gravity"], np.zeros(len(bodies))])
    for k in range(STEPS + 1):
        places, velocities = twin.step(places, velocities, DT if k else 0.0, DT, fall)
    while not simulation.finished:
        simulation.advance(7)
    found = simulation._system.planes.bodies
    np.testing.assert_allclose(np.column_stack([found["place"], found["angle"]]), places, atol=1e-8)
    np.testing.assert_allclose(np.column_stack([found["velocity"], found["rate"]]), velocities, atol=1e-6)
    assert simulation.condensation.planes == [PlaneFound(bodies=6, joints=8)]
    assert advance_planes.__doc__


def test_the_loop_goes_on_from_copies_with_the_same_bits():
    simulation = started(all_links(t_end=10.0), DT)
    simulation.advance(50)
    system, step = simulation._system, simulation.step
    copies = copies_of(system)
    simulation.advance(50)
    after = system.planes.bodies.copy()
    restore(system, copies)
    simulation._machine.step = step
    simulation.advance(50)
    for name in ("place", "low", "cosine", "sine", "velocity", "rate"):
        np.testing.assert_array_equal(after[name], system.planes.bodies[name])


def test_a_weld_has_two_links():
    assert len(started(all_links(), DT)._system.planes.links) == 9  # of eight joints in the plane
