"""Which dampers of springs and joints are in the matrix of a tree, and which freedoms they see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..core.bodies import Record
from ..forces.springs import AXIAL, NO_FUNCTION, C
from ..integration.system import System

# Of two branches: all freedoms of a damper meet in the matrix, where those of one chain do anyway.
MOST_MOVED = 4


class DamperPlan(NamedTuple):
    """One direction in which something is damped.

    force : spring or joint force; of_joint : which of the two; direction : degree of freedom of a spring
    ends : bodies at the first end and at the second
    moved : freedoms that move one end and not the other, in order: 1 where it is the second end, -1 the first
    """

    force: int
    of_joint: bool
    direction: int
    ends: tuple[int, int]
    moved: dict[int, int]


def plan_dampers(system: System, subsystem: Record, chain_of: Callable[[int], set[int]]) -> list[DamperPlan]:
    """Those of springs, then those of joints; `chain_of` gives the freedoms that move a body.

    Forces of the others are found by refinement alone, as those are that are in the matrix where it does not fit.
    """
    found = []
    for force, of_joint, direction, ends in _damped(system, subsystem):
        chains = [chain_of(body) for body in ends]
        moved = {k: 1 for k in chains[1] - chains[0]} | {k: -1 for k in chains[0] - chains[1]}
        in_one_chain = chains[0] <= chains[1] or chains[1] <= chains[0]
        if moved and (in_one_chain or len(moved) <= MOST_MOVED):
            found.append(DamperPlan(force, of_joint, direction, ends, dict(sorted(moved.items()))))
    return found


def _damped(system: System, subsystem: Record) -> Iterator[tuple[int, bool, int, tuple[int, int]]]:
    """As the first fields of `DamperPlan`."""
    for s in range(subsystem["first_spring"], subsystem["last_spring"]):
        spring = system.springs[s]
        for i in range(1 if spring["kind"] == AXIAL else 6):
            if spring["law"][i, C] != 0.0 or np.any(spring["curves"][i] != NO_FUNCTION):
                yield s, False, i, (int(spring["end_1"]["body"]), int(spring["end_2"]["body"]))
    for k in range(subsystem["first_joint_force"], subsystem["last_joint_force"]):
        force = system.joint_forces[k]
        if force["dissipates"]:
            joint = system.joints[force["joint"]]
            yield k, True, 0, (int(joint["carrier"]["body"]), int(joint["node"]["body"]))
