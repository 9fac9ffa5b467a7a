"""Boxes of the trees of two curves: how far they are apart, and which to look at next."""

from __future__ import annotations

from ...core.bodies import Record, Records
from ...core.jit.kernels import kernel
from .curves import MOST_NODES
from .planes import Pose, moved, turned


@kernel(inline=True)
def boxes_apart(a: Record, b: Record, pose: Pose) -> float:
    """At least so far are two boxes from each other, by the axes of both; below 0 where they may overlap.

    pose : of curve A in the axes of curve B
    """
    x, y = moved(pose, a.x, a.y)
    dx, dy = x - b.x, y - b.y
    ux, uy = turned(pose, a.along_x, a.along_y)
    cos, sin = abs(ux * b.along_x + uy * b.along_y), abs(ux * b.along_y - uy * b.along_x)
    by_b = max(
        abs(dx * b.along_x + dy * b.along_y) - (b.length + a.length * cos + a.height * sin),
        abs(dx * b.along_y - dy * b.along_x) - (b.height + a.length * sin + a.height * cos),
    )
    by_a = max(
        abs(dx * ux + dy * uy) - (a.length + b.length * cos + b.height * sin),
        abs(dx * uy - dy * ux) - (a.height + b.length * sin + b.height * cos),
    )
    return max(by_a, by_b)


@kernel(inline=True)
def opens_first(one: Record, other: Record) -> bool:
    """Whether the children of the first of two nodes are looked at next: it is the larger one, or the other a leaf."""
    larger = one.length + one.height > other.length + other.height
    return bool(other.segment >= 0 or (one.segment < 0 and larger))


@kernel(inline=True)
def push_children(nodes: Records, stack: Records, p: int, q: int, height: int) -> int:
    """Put the children of one of two nodes, each with the other one, on a stack; its new height, -1 if that is full."""
    if height + 2 > MOST_NODES:
        return -1
    if opens_first(nodes[p], nodes[q]):
        stack[height, 0], stack[height, 1] = p + 1, q
        stack[height + 1, 0], stack[height + 1, 1] = nodes[p].right, q
    else:
        stack[height, 0], stack[height, 1] = p, q + 1
        stack[height + 1, 0], stack[height + 1, 1] = p, nodes[q].right
    return height + 2
