"""The arrays of rigid walls and of the nodes that they hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Records, empty_arrays
from ..core.body_points import POINT

PLANE, SPHERE, CYLINDER, PARALLELOGRAM = range(4)
SLIDING, TIED, FRICTION = range(3)
# Refinements of their forces, after which what still changes may be larger than what counts, up to so many times.
WALL_PASSES, WALL_SLACK = 20, 1e6
# A wall, as far as it concerns one subsystem.
WALL = np.dtype(
    [
        ("number", "i8"),  # row in Model.rigid_walls
        ("kind", "i8"),
        ("mode", "i8"),
        ("penalty", "i8"),
        ("carrier", POINT),  # the node that carries it
        ("arm", "f8", 3),  # from the body's reference point to that node at t_n, global
        ("first_node", "i8"),
        ("last_node", "i8"),
        ("axis", "f8", 3),  # normal, or axis of a cylinder
        ("across", "f8", (2, 3)),  # of a parallelogram: place -> shares of its sides
        ("radius", "f8"),
        ("friction", "f8"),
        ("fresh", "i8"),  # of the first wall of a subsystem: 1: the matrix of its rows is that of this step
        ("damping_time", "f8"),  # c/k of a penalty wall
        ("elastic_work", "f8"),  # done by the forces on both sides, up to t_n
        ("damping_work", "f8"),
        ("friction_work", "f8"),
        ("coming_work", "f8", 3),  # of the forces of t_n in the step that follows: elastic, damping, friction
    ],
    align=True,
)

WALL_NODE = np.dtype(
    [
        ("node", "i8"),  # row in Model.nodes
        ("point", POINT),
        ("start", "f8", 3),  # place at t = 0, from the point M of the wall
        ("arm", "f8", 3),  # from the body's reference point at t_n, global
        ("place", "f8", 3),  # at t_n, from M
        ("gap", "f8"),
        ("in_front", "i8"),  # 0: it has come behind a parallelogram from the side
        ("normal", "f8", 3),
        ("force", "f8", 3),  # on the node
        ("elastic", "f8"),  # k z
        ("stiffness", "f8"),
        ("touches", "i8"),  # 1: its force is looked for in this pass
        ("tied", "i8"),  # 1: it hangs on a tied wall, with or without pressing on it
        ("was_tied", "i8"),  # at the end of the last step
        ("let_go", "i8"),  # 1: it was let go in this step
        ("rate", "f8", 3),  # that the trial motion leaves
        ("known", "i8"),  # 1: the responses below are those of this step
        ("response", "f8", (3, 3)),  # of the node's velocity against the wall to a force on both
        ("normal_response", "f8"),  # 0: rows hold it
        ("tangential_response", "f8"),
        ("first_reply", "i8"),  # row in Walls.reply
    ],
    align=True,
)

RECORD = ("FNX", "FNY", "FNZ", "FTX", "FTY", "FTZ", "NNODE", "EELAS", "EDISS", "EFRIC")
WALL_WIDTH = len(RECORD)
ELASTIC_ENERGY, DAMPING_ENERGY, FRICTION_ENERGY = (RECORD.index(name) for name in ("EELAS", "EDISS", "EFRIC"))


class Walls(NamedTuple):
    """All walls, sorted by subsystem."""

    walls: Records
    nodes: Records
    reply: Floats  # (n, 6) velocities of all bodies of a subsystem with rows to a unit force, three for each node
    change: Floats  # (nb, 6) of the velocities in a pass
    fastest: Floats  # (ns,) speed of a node against a wall so far


def no_walls() -> Walls:
    """The walls of a machine without any."""
    return Walls(np.zeros(0, WALL), np.zeros(0, WALL_NODE), *empty_arrays("fff", (6,), (6,), ()))
