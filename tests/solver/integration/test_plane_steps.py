"""Planar machines step by step against SHAKE with dense matrices, and what is condensed of a machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gsolve.parser import read_deck
from gsolve.solver.assembly.condense import Plane as PlaneFound
from gsolve.solver.integration.copies import changing_arrays, copied, restore
from gsolve.solver.integration.planes import advance_planes
from gsolve.solver.run.simulation import Simulation
from naive.plane import Plane
from plane_machines import all_links, started

DT, STEPS = 2e-3, 8
CAM = Path(__file__).parents[3] / "decks" / "cam_and_followers" / "cam_and_followers.rad"


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
    copies = copied(changing_arrays(system))
    simulation.advance(50)
    after = system.planes.bodies.copy()
    restore(system, copies)
    simulation._machine.step = step
    simulation.advance(50)
    for name in ("place", "low", "cosine", "sine", "velocity", "rate"):
        np.testing.assert_array_equal(after[name], system.planes.bodies[name])


def test_a_weld_has_two_links():
    assert len(started(all_links(), DT)._system.planes.links) == 9  # of eight joints in the plane


def test_what_contacts_see_of_a_step_is_what_they_see_on_the_general_path():
    """How bodies came to t_n and go on from there, and what acts on them in the plane, at the last step of a block."""

    def motion(general: bool) -> list[np.ndarray]:
        simulation = Simulation(read_deck(CAM), dt=1e-5, t_end=5e-3, general=general)
        while not simulation.finished:
            simulation.advance(1000)
        contacts = simulation._system.contacts
        fields = [contacts.moves[name] for name in ("next_step", "next_turn")]
        return [*fields, contacts.contacts["elastic"], contacts.contacts["total"], contacts.interfaces["damping_work"]]

    for found, expected in zip(motion(False), motion(True), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
