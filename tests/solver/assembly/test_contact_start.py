"""Solids that overlap at t = 0: which are told of, and which are ignored."""

from __future__ import annotations

import naive.assembly as twin
import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import PoissonLaw
from gsolve.solver.assembly.contact_start import find_overlaps, new_overlaps
from hand_models import Machine
from naive.interfaces import Interface
from step_rig import Kernels, Twin


def ball_in_floor(depth, **limits):
    """Started simulation of a ball of radius 0.1 that lies that deep in a half space."""
    machine = Machine([(0, 0, 0.1 - depth)])
    machine.mass(1, 1.0)
    machine.contact([machine.solid("SPHERE", 1, 0.1)], [machine.solid("PLANE", 0)], PoissonLaw(1e6, 1.0, 1.0), **limits)
    simulation = machine.simulation(1e-5)
    simulation.compile()
    return simulation


@pytest.mark.parametrize(("depth", "told"), [(0.009, False), (0.011, True)])
def test_an_overlap_of_more_than_a_tenth_of_the_radius_is_warned_of(depth, told):
    messages = [warning.message for warning in ball_in_floor(depth).warnings]
    assert messages == ([f"solids 2 and 3 overlap by {depth:g} m at t = 0, much of their size"] if told else [])


def test_an_overlap_that_is_ignored_is_warned_of():
    assert ball_in_floor(0.004, greatest_penetration=0.005).warnings == []
    (warning,) = ball_in_floor(0.006, greatest_penetration=0.005).warnings
    assert (warning.severity, warning.field) == ("warning", "pen_max")
    assert warning.message == (
        "solids 2 and 3 overlap by 0.006 m at t = 0, more than pen_max: "
        "this contact is ignored until they lie less deep"
    )
    assert warning.hint == "a pen_max of more than 0.006 counts it"


def test_an_interface_that_acts_later_says_nothing_of_the_start():
    assert ball_in_floor(0.05, greatest_penetration=0.01, t_start=0.5).warnings == []


@pytest.mark.parametrize(("icog", "told"), [(1, True), (4, False)])
def test_a_solid_that_moves_with_a_main_node_is_warned_of(icog, told):
    """ICoG 1 takes the main node half way to the secondary one, which is as heavy."""
    machine = Machine([(0, 0, 1), (0, 0, 2)])
    machine.mass(1, 1.0)
    machine.mass(2, 1.0)
    machine.body(1, [2], inertia=(1, 1, 1, 0, 0, 0), icog=icog)
    machine.contact([machine.solid("SPHERE", 1, 0.1)], [machine.solid("PLANE", 0)], PoissonLaw(1e6, 1.0, 1.0))
    messages = [warning.message for warning in machine.simulation(1e-5).warnings if "drawn" in warning.message]
    assert messages == (
        [
            "this solid stands 0.5 m from where it was drawn: it is counted from main node 1, which ICoG moved to the "
            "mass centre of its body"
        ]
        if told
        else []
    )


@pytest.mark.parametrize("seed", range(3))
def test_overlaps_at_the_start_are_those_of_all_pairs(seed):
    """Of balls with each other and of balls and boxes with half spaces, each as deep as its deepest point."""
    random = np.random.default_rng(seed)
    machine = Machine(random.uniform(-0.3, 0.3, (12, 3)))
    solids = []
    for node in range(1, 13):
        machine.body(node, [], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
        kind, size = ("SPHERE", (0.16,)) if node <= 9 else ("BOX", (0.2, 0.15, 0.1))
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        solids.append(machine.solid(kind, node, *size, axes=axes * np.linalg.det(axes), offset=(0.01, 0, 0)))
    floors = [machine.solid("PLANE", 0, offset=(0, 0, -0.2)), machine.solid("PLANE", 1, offset=(0, 0, -0.3))]
    machine.contact(solids[:9], None, PoissonLaw(1e6, 1.0, 1.0))
    machine.contact(floors, solids, PoissonLaw(1e6, 1.0, 1.0))
    kernels = Kernels(machine, 1e-6)
    of_twin, system = Twin(machine, kernels), kernels.system
    for k in range(2):
        interface = of_twin.interface(Interface, None)
        number = [int(record["number"]) for record in system.contacts.interfaces].index(k)
        overlaps = new_overlaps(system, system.contacts, 200)
        count = find_overlaps(overlaps, 0, number)
        shapes = np.sort(system.contacts.members["shape"][overlaps.pair[:count]], axis=1).tolist()
        expected = twin.overlaps(interface, of_twin.machine())
        found = dict(zip(map(tuple, shapes), overlaps.depth[:count].tolist(), strict=True))
        assert found.keys() == expected.keys() and len(found) >= 3
        for pair, deepest in expected.items():
            assert found[pair] == pytest.approx(deepest, abs=1e-14)
