"""Interfaces in small machines against a twin that tries all pairs and adds up all points, step by step."""

from __future__ import annotations

import naive.contact as twin
import numpy as np
import pytest
from gsolve.parser.keywords.contact_laws import HuntCrossleyLaw, ImpactLaw, PoissonLaw, VolumeLaw
from gsolve.parser.model import CoulombFriction
from gsolve.solver.assembly import division
from hand_models import Machine
from naive.interfaces import Interface
from scipy.spatial.transform import Rotation
from step_rig import Kernels, Twin, compare_step

DT = 4e-5
STEPS = [DT, DT, 0.5 * DT, 0.5 * DT, 1.5 * DT, 0.7 * DT, DT, 0.25 * DT]
SLANT = Rotation.from_rotvec((0.3, -0.2, 0.5)).as_matrix()
INERTIA = (0.02, 0.03, 0.025, 0.002, -0.001, 0.001)
ON = (0.5, 0.3, 0.4, 1.1)  # mu_s, mu_d, v_s, v_d
FRICTIONS = {
    "none": (None, None),
    "on": (CoulombFriction("STATIC_AND_DYNAMIC", *ON), twin.Coulomb(*ON)),
    "dynamic": (CoulombFriction("DYNAMIC", *ON), twin.Coulomb(*ON, dynamic_only=True)),
    "stiction": (CoulombFriction("STICTION", 0.3, 0.2, 0.4, 1.1), twin.Stiction(0.3, 0.2, 0.4, 1.1)),
    "given spring": (
        CoulombFriction("STICTION", 0.3, 0.2, 0.4, 1.1, 3e4, 2.0),
        twin.Stiction(0.3, 0.2, 0.4, 1.1, 3e4, 2.0),
    ),
}
LAWS = {
    "poisson": (PoissonLaw(1e5, 0.6, 3.0), twin.poisson(1e5, 0.6, 3.0), {}),
    "elastic": (PoissonLaw(4e5, 1.0, 3.0), twin.poisson(4e5, 1.0, 3.0), {}),
    "impact": (ImpactLaw(8e4, 1.2, 20.0, 5e-3), twin.impact(8e4, 1.2, 20.0, 5e-3), {}),
    "linear": (ImpactLaw(8e4, 1.0, 0.0, 5e-3), twin.impact(8e4, 1.0, 0.0, 5e-3), {"lossless": True}),
    "volume": (VolumeLaw(2e7, 5e7, 1.0, 8.0), twin.volume(1e15 / 7e7, 1.0, 8.0), {}),
    "hunt_crossley": (HuntCrossleyLaw(4e5, 1.5, 0.3, 0.0), twin.hunt_crossley(4e5, 1.5, 0.3), {}),
    "by first touch": (HuntCrossleyLaw(4e5, 1.5, None, 0.2), twin.hunt_crossley(4e5, 1.5, loss=0.2),
                       {"by_touch": True}),
}  # fmt: skip


def balls():
    """Three balls, one of them off the centre of its body, on each other and on a slanted floor of the ground."""
    made = Machine([(0, 0, 0.095), (0.185, 0.02, 0.1), (0.09, 0.13, 0.19)])
    for node, mass in ((1, 1.0), (2, 1.5), (3, 0.7)):
        made.body(node, [], mass=mass, inertia=INERTIA)
    made.velocity([1, 2, 3], [(0.5, 0, -1.0), (-0.3, 0.1, -0.4), (0, -0.6, -0.9)], [(1, 5, 2), (-3, 0, 1), (0, 2, -4)])
    made.gravity([1, 2, 3], "Z", -9.81)
    solids = [made.solid("SPHERE", 1, 0.1), made.solid("SPHERE", 2, 0.1), made.solid("SPHERE", 3, 0.09, offset=0.01)]
    return made, solids, [made.solid("PLANE", 0, axes=SLANT, offset=(0.1, 0.1, 0.0))]


def boxes():
    """Two boxes that slide and rock on a floor that rides on a third body, which flies."""
    made = Machine([(0, 0, 0.05), (0.3, 0.3, 0.06), (0, 0, -1)])
    for node, mass in ((1, 1.0), (2, 2.0), (3, 5.0)):
        made.body(node, [], mass=mass, inertia=[(1 + 9 * (node == 3)) * x for x in INERTIA])
    made.velocity([1, 2, 3], [(0.9, 0.1, -0.2), (0, 0.5, -0.1), (0, 0, 0.2)], [(0.2, 1, 0), (0, 0, 3), (0, 0.2, 0)])
    solids = [made.solid("BOX", 1, 0.2, 0.16, 0.104), made.solid("BOX", 2, 0.1, 0.1, 0.13, offset=(0.01, 0, 0.004))]
    return made, solids, [made.solid("PLANE", 3, offset=(0, 0, 1.0))]


MACHINES = {"balls": balls, "boxes": boxes}
CASES = [
    ("balls", "poisson", "on"), ("balls", "elastic", "none"), ("balls", "volume", "stiction"),
    ("balls", "by first touch", "dynamic"), ("boxes", "impact", "stiction"), ("boxes", "volume", "dynamic"),
    ("balls", "linear", "none"), ("boxes", "linear", "dynamic"), ("boxes", "hunt_crossley", "on"),
    ("boxes", "by first touch", "given spring"), ("boxes", "poisson", "none"),
]  # fmt: skip


def built(which, law, friction, window=(0.0, np.inf)):
    """Kernels and twin of a machine with one interface, all against all where it is of balls and a floor."""
    made, solids, floor = MACHINES[which]()
    given_law, twin_law, more = LAWS[law]
    given_friction, twin_friction = FRICTIONS[friction]
    sides = (solids + floor, None) if which == "balls" else (floor, solids)
    made.contact(*sides, given_law, given_friction, t_start=window[0], t_stop=window[1])
    kernels = Kernels(made, DT, passes=20)
    of_twin = Twin(made, kernels)
    of_twin.interface(Interface, twin_law, twin_friction, window=window, **more)
    return kernels, of_twin


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_what_touches_moves_step_by_step_as_the_twin(case):
    """Points, forces, their works and records."""
    kernels, of_twin = built(*case)
    machine = of_twin.machine()
    found = set()
    for dt in STEPS:
        compare_step(kernels, of_twin, machine, dt)
        found.add(len(of_twin.interfaces[0].touches))
    assert max(found) >= 3
    if case[2] != "none":
        assert np.linalg.norm(of_twin.interfaces[0].record()[3:6]) > 1.0


@pytest.mark.parametrize("case", [case for case in CASES if case[0] == "balls" and case[1] != "volume"], ids="-".join)
def test_parts_of_an_interface_move_step_by_step_as_the_twin_of_the_whole(monkeypatch, case):
    """Each ball is a part of its own."""
    monkeypatch.setattr(division, "number_of_parts", lambda bodies: bodies)
    kernels, of_twin = built(*case)
    machine = of_twin.machine()
    assert len(kernels.system.parts) == len(kernels.system.contacts.parts.records) == 3
    for dt in STEPS:
        compare_step(kernels, of_twin, machine, dt)
    parts = kernels.system.contacts.parts.interfaces
    assert len(of_twin.interfaces[0].touches) == parts["contacts"].sum() >= 3


STICKING = [case for case in CASES if case[2] in ("stiction", "given spring")]


@pytest.mark.parametrize("case", STICKING, ids="-".join)
def test_what_breaks_away_slips_step_by_step_as_in_the_twin(case):
    """One point, then all of two solids; how far they slip faster and faster does not depend on the steps."""
    kernels, of_twin = built(*case)
    machine, went = of_twin.machine(), set()
    for dt in 5 * STEPS:
        compare_step(kernels, of_twin, machine, dt)
        went |= {touch.spring.slipped > 0.0 for touch in of_twin.interfaces[0].touches}
    assert went == {False, True}


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_what_begins_and_ends_while_it_touches_acts_in_its_part_of_the_kick_as_in_the_twin(case):
    """From the second step to the fifth, and within a kick; afterwards nothing is stored."""
    steps = STEPS[1:]
    times = np.cumsum(steps)
    for start, stop in ((times[0], times[3]), (times[0] - 0.1 * DT, times[3] + 0.2 * DT)):
        kernels, of_twin = built(*case, window=(start, stop))
        machine, shares = of_twin.machine(), []
        for dt in steps:
            compare_step(kernels, of_twin, machine, dt)
            shares.append(of_twin.interfaces[0].share)
        assert shares[0] == 0.0 < shares[1] < shares[2] > shares[4] > shares[5] == 0.0
        assert shares[2] == pytest.approx(1.0)
        assert of_twin.interfaces[0].works[0] != 0.0
