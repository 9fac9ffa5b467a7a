"""Machines in a plane whose bodies touch: the same motion, forces and energies as on the general path."""

from __future__ import annotations

import gsolve
import numpy as np
import pytest
from gsolve.parser.model import CoulombFriction, Model
from gsolve.solver.assembly.plane_plan import PlanePlan
from gsolve.solver.assembly.train_checks import NotCondensed
from gsolve.solver.contact.normal_laws import USER, USER_FRICTION
from gsolve.solver.run.machine import IN_PLANE
from gsolve.solver.run.simulation import Simulation
from interrupted import histories_of
from running import DECKS, read, run
from twins import SAME_FORCE, check_columns, check_leaving

ROUNDED = 1e-9  # damping is refined to different bits on both paths


def deck(name: str) -> Model:
    return read(DECKS / name / f"{name}.rad")


def rubbing(mode: str) -> Model:
    """The gears by curves with friction."""
    model = deck("spur_pair_by_curves")
    model.contacts[0].friction = CoulombFriction(mode, 0.1, 0.1, 0.01, 0.1)
    return model


@pytest.mark.parametrize(
    "model, dt, steps",
    [
        (lambda: deck("spur_pair_by_curves"), 2e-6, 2000),
        (lambda: rubbing("STATIC_AND_DYNAMIC"), 2e-6, 2000),
        (lambda: rubbing("STICTION"), 2e-6, 2000),
        (lambda: deck("cam_and_followers"), 1e-5, 5000),
        (lambda: deck("geneva_drive"), 2e-5, 12000),
        (lambda: deck("gear_rattle"), 2e-6, 5000),
        (lambda: deck("toy_planetary"), 1e-5, 2000),
        (lambda: deck("rack_and_pinion_meshed"), 2e-6, 500),
    ],
    ids=["gears", "friction", "stiction", "cam", "Geneva drive", "two gaps", "planets", "meshes"],
)
def test_what_touches_in_a_plane_moves_as_on_the_general_path(model, dt, steps):
    """Accelerations have the round-off of angles of some radians over dt^2."""
    ways = [run(model(), dt=dt, t_end=steps * dt, every=20 * dt, general=general) for general in (False, True)]
    assert [any(label == "plane" for label, _ in way.simulation.facts) for way in ways] == [True, False]
    assert any(np.max(ways[1].values["th/inter"]["NPATCH"], axis=0) > 0)
    same_force = max(SAME_FORCE, 16 * np.finfo(float).eps / dt**2)
    check_columns(*ways, same=ROUNDED, same_force=same_force)


def test_what_touches_leaves_its_plane_as_it_was():
    check_leaving(deck("cam_and_followers"), IN_PLANE)


def test_threads_and_blocks_do_not_change_what_touches():
    def history(steps: int, threads: int) -> bytes:
        model = deck("spur_pair_side_by_side")
        model.engine.sampling_interval = 2e-5
        simulation = Simulation(model, t_end=2e-3, threads=threads)
        blocks = []
        while not simulation.finished:
            blocks.append(simulation.advance(steps))
        assert len(simulation.condensation.planes) == 2
        return b"".join(block.values["th/inter"]["FNX"].tobytes() for block in blocks if len(block))

    assert history(7, 1) == history(10_000, 2)


def test_a_run_that_touches_is_resumed_with_the_same_bytes(tmp_path):
    path, whole, part = DECKS / "geneva_drive" / "geneva_drive.rad", tmp_path / "whole.h5", tmp_path / "part.h5"
    gsolve.run(path, output=whole, t_end=0.4)
    gsolve.run(path, output=part, t_end=0.23)
    gsolve.resume(part, t_end=0.4)
    found, expected = histories_of(part), histories_of(whole)
    assert [name for name in expected if found[name] != expected[name] and not name.startswith("th/body/")] == []


@pytest.mark.parametrize(
    "field, value, reason",
    [
        ("zero_crossing", 1, "steps that end at first touches"),
        ("last_part", 1, "contacts that threads share"),
        ("law", USER, "routines for contacts"),
        ("friction", USER_FRICTION, "routines for contacts"),
    ],
)
def test_contacts_that_are_not_known_in_a_plane(field, value, reason):
    simulation = Simulation(deck("geneva_drive"))
    simulation.start()
    system = simulation._system
    assert PlanePlan(system, 0).touched == [1, 2]
    system.contacts.interfaces[field] = value
    system.subsystems["cut_at_touch"] = system.contacts.interfaces["zero_crossing"].any()
    with pytest.raises(NotCondensed, match=reason):
        PlanePlan(system, 0)
