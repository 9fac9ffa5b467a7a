"""A tree of boxes over triangles, for what is asked of a mesh before a run: which triangles cross, how thick it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.bodies import Records
from .triangle_mesh import Floats, Indices

LEAF = 8  # triangles
BITS = 10  # of each coordinate in the order of triangles
STACK = 64  # boxes that wait while a tree is searched: two for each depth at most

# Box k has the children 2 k + 1 and 2 k + 2; a box of the last depth holds [first, last) of `order`.
BOX = np.dtype([("low", "f8", 3), ("high", "f8", 3), ("first", "i8"), ("last", "i8"), ("child", "i8")])


class Tree(NamedTuple):
    """Boxes, the root first, and the triangles sorted by leaf; child is -1 in a leaf."""

    boxes: Records
    order: Indices


def build_tree(corners: Floats) -> Tree:
    """A complete binary tree over triangles (m, 3, 3), sorted along a curve that fills space (Morton's order)."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    order = np.argsort(_morton_codes(corners.mean(axis=1)), kind="stable")
    leaves = 1 << (-(-len(corners) // LEAF) - 1).bit_length()
    boxes = np.zeros(2 * leaves - 1, BOX)
    boxes["child"] = -1
    starts = len(corners) * np.arange(leaves + 1) // leaves
    boxes["first"][leaves - 1 :], boxes["last"][leaves - 1 :] = starts[:-1], starts[1:]
    boxes["low"][leaves - 1 :] = np.minimum.reduceat(low[order], starts[:-1])
    boxes["high"][leaves - 1 :] = np.maximum.reduceat(high[order], starts[:-1])
    count = leaves // 2
    while count:
        parents = np.arange(count - 1, 2 * count - 1)
        boxes["child"][parents] = 2 * parents + 1
        boxes["low"][parents] = np.minimum(boxes["low"][2 * parents + 1], boxes["low"][2 * parents + 2])
        boxes["high"][parents] = np.maximum(boxes["high"][2 * parents + 1], boxes["high"][2 * parents + 2])
        count //= 2
    return Tree(boxes, order)


def _morton_codes(points: Floats) -> Indices:
    """The digits of three whole coordinates of each point, one after the other."""
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    scale = (2**BITS - 1) / np.where(extent > 0.0, extent, 1.0)
    whole = ((points - low) * scale).astype(np.int64)
    codes = np.zeros(len(points), dtype=np.int64)
    for bit in range(BITS):
        for axis in range(3):
            codes |= ((whole[:, axis] >> bit) & 1) << (3 * bit + axis)
    return codes
