"""Force curves between two bodies in small machines against a twin, step by step, in and out again."""

from __future__ import annotations

from types import SimpleNamespace

import naive.core as core_twin
import numpy as np
import pytest
from gsolve.parser.model import ForceCurveInterface, Surface
from hand_models import Machine
from naive.interfaces import CurveInterface
from step_rig import Kernels, Twin, compare_step

DT = 1e-4
DEPTHS, STIFFNESS = (0.0, 1e-3, 3e-3, 8e-3), 3e5
LOADING = list(zip(DEPTHS, (0.0, 60.0, 400.0, 900.0), strict=True))
UNLOADING = list(zip(DEPTHS, (0.0, 10.0, 150.0, 700.0), strict=True))
BY_RATE = [(-2.0, -3.0), (0.0, 0.0), (2.0, 5.0)]
BY_FORCE = [(0.0, 0.5), (300.0, 1.5)]
FRICTION = {"friction_force": 2.0, "friction": 0.4}
NONE = {"friction_force": 0.0, "friction": 0.0}
APART, OVERLAPPING = 1e-4, -3e-3
CASES = {
    "elastic": (0, NONE, {}, OVERLAPPING),
    "elastic with friction": (0, FRICTION, {}, APART),
    "unloading": (1, FRICTION, {}, APART),
    "decoupled": (2, NONE, {}, OVERLAPPING),
    "reduced gap": (1, FRICTION, {"reduce_gap": True}, OVERLAPPING),
    "adjusted": (1, NONE, {"adjust_force": True}, OVERLAPPING),
}


def table(points, scale=1.0):
    x, y = np.transpose(points)
    return lambda at: scale * core_twin.table(x, y, at)


def box_on_a_floor(formulation, friction, more, start):
    """A box that falls on a floor of another body, tilted; its lowest corner at the height `start`."""
    made = Machine([(0, 0, 0), (0, 0, -1)])
    made.body(1, [], mass=1.0, inertia=(0.02, 0.03, 0.025, 0.002, -0.001, 0.001))
    made.body(2, [], mass=8.0, inertia=(0.2, 0.3, 0.25, 0, 0, 0))
    made.velocity([1, 2], [(0.4, 0.1, -0.6), (0, 0, 0.1)], [(0.3, 0.5, 1.0), (0, 0, 0)])
    box = made.solid("BOX", 1, 0.2, 0.16, 0.1)
    floor = made.solid("PLANE", 2, offset=(0, 0, 0.95 - start))
    names = ("loading", "unloading", "damping_by_velocity", "damping_by_force", "friction_by_force",
             "friction_by_velocity")  # fmt: skip
    ids = {}
    for name, points in zip(names, (LOADING, UNLOADING, BY_RATE, BY_FORCE, BY_FORCE, [(0, 1.0), (2.0, 0.6)]),
                            strict=True):  # fmt: skip
        ids[name if "_" in name else f"{name}_function"] = made.function(points)
    sides = [Surface(*made._head("/SURF"), np.array([side])) for side in (box, floor)]
    values = {
        "penetration_scale": 0.8, "force_scale": 1.2, "unloading_scale": 0.9, "unloading_stiffness": STIFFNESS,
        "viscosity": 6.0, "damping_scale": 0.7, "force_abscissa": 1.5, "velocity_abscissa": 2.0, "gap": 0.0,
        "reduce_gap": False, "adjust_force": False, "t_start": 0.0, "t_stop": np.inf, **friction, **more,
    }  # fmt: skip
    made.model.force_curve_contacts.append(
        ForceCurveInterface(*made._head("/INTER/TYPE6"), *sides, formulation=formulation, **ids, **values)
    )
    damper, factor, sliding = table(BY_RATE, 0.7), table(BY_FORCE), table([(0, 1.0), (2.0, 0.6)])

    def coefficient(slip, force):
        return values["friction"] * factor(force / 1.5) * sliding(np.linalg.norm(slip) / 2.0)

    given = SimpleNamespace(
        formulation=formulation, stiffness=STIFFNESS, loading=lambda z: table(LOADING, 1.2)(z / 0.8),
        unloading=lambda z: table(UNLOADING, 0.9)(z / 0.8),
        damping=lambda v, f: (6.0 * v + damper(v / 2.0)) * factor(f / 1.5),
        viscosity=6.0, coefficient=coefficient,
        most=lambda slip, f: values["friction_force"] + coefficient(slip, f) * f,
        kinks=[0.8 * z for z in DEPTHS], reduce_gap=values["reduce_gap"], adjust_force=values["adjust_force"],
        **friction,
    )  # fmt: skip
    return made, given


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_force_curve_moves_two_bodies_step_by_step_as_the_twin(case):
    made, given = box_on_a_floor(*case)
    kernels = Kernels(made, DT, passes=60)
    of_twin = Twin(made, kernels)
    interface = of_twin.interface(CurveInterface, given)
    machine = of_twin.machine()
    forces, slipped = [], set()
    for _ in range(80):
        compare_step(kernels, of_twin, machine, DT)
        forces.append(interface.elastic)
        slipped |= {touch.spring.slips for touch in interface.touches}
    assert np.diff(forces).min() < 0.0 < np.diff(forces).max()  # loads and unloads
    assert forces[-1] == 0.0  # and they part
    assert not case[1]["friction"] or slipped == {False, True}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_force_curve_that_begins_and_ends_acts_in_its_part_of_the_kick_as_in_the_twin(case):
    formulation, friction, more, _ = case
    start, stop = 3 * DT, 11 * DT
    made, given = box_on_a_floor(formulation, friction, {**more, "t_start": start, "t_stop": stop}, OVERLAPPING)
    kernels = Kernels(made, DT, passes=60)
    of_twin = Twin(made, kernels)
    interface = of_twin.interface(CurveInterface, given, window=(start, stop))
    machine, shares = of_twin.machine(), set()
    for _ in range(14):
        compare_step(kernels, of_twin, machine, DT)
        shares.add(round(interface.share, 6))
    assert shares == {0.0, 0.5, 1.0}
    assert interface.works[0] != 0.0
