"""A tree of boxes over the triangles of a mesh, with cones that hold their normals.

Each box is split at the median of the middles of its triangles, along the axis on which they spread most; a leaf holds
up to sixteen.  All boxes of one depth are split at once.

Kernels walk down a tree without a stack: a bit for each depth says whether the other box there has been seen too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...core.bodies import Records, zeros_in_lines
from ...core.jit.kernels import kernel
from .records import BOX, NONE
from .triangle_mesh import Floats, Indices, TriangleMesh
from .vertex_normals import unit_rows

LEAF = 16
NORMAL_SPREAD = 2.0


class BoxTree(NamedTuple):
    """Triangles and the boxes that hold them.

    boxes : BOX, the root first and children after their parents
    order : (m,) triangles sorted by leaf
    corners : (m, 3, 3)
    normals : (m, 3), of the facets, unit
    """

    boxes: Records
    order: Indices
    corners: Floats
    normals: Floats


def tree_of(mesh: TriangleMesh) -> BoxTree:
    """The tree of the facets of a mesh."""
    return build_tree(mesh.corners(), unit_rows(mesh.doubled_area_vectors()), np.zeros(len(mesh.triangles)))


def build_tree(corners: Floats, normals: Floats, margin: Floats) -> BoxTree:
    """The tree over triangles.

    margin : (m,), how far the smooth surface may stand off each triangle; corners, normals : see `BoxTree`
    """
    count = len(corners)
    middles = corners.mean(axis=1)
    size = NORMAL_SPREAD * np.sqrt(np.mean((np.roll(corners, -1, axis=1) - corners) ** 2) * 3.0)
    places = np.concatenate([middles, size * normals], axis=1)
    order = np.arange(count)
    first, number = np.array([0]), np.array([0])
    begin, end, child = [0], [count], [NONE]
    levels = [0, 1]  # where boxes of one depth begin
    while True:
        last = np.append(first[1:], count)
        split = last - first > LEAF
        if not split.any():
            break
        low, high = np.minimum.reduceat(places[order], first), np.maximum.reduceat(places[order], first)
        axis = (high - low).argmax(axis=1)
        which, box = np.repeat(axis, last - first), np.repeat(np.arange(len(first)), last - first)
        along = places[order, which]
        # normals are of a few kinds as a rule: between them, and not in the middle of the larger number
        each = np.arange(len(first))
        below = np.add.reduceat(along < (0.5 * (low + high))[each, axis][box], first)
        order = order[np.lexsort((order, along, box))]
        halves, numbers = [], []
        cuts = np.where((axis >= 3) & (below > 0) & (below < last - first), below, (last - first) // 2)
        for a, b, k, cut, part in zip(
            first.tolist(), last.tolist(), number.tolist(), split.tolist(), cuts.tolist(), strict=True
        ):
            if not cut:
                halves.append(a)
                numbers.append(k)
                continue
            middle = a + part
            child[k] = len(begin)
            halves += [a, middle]
            numbers += [len(begin), len(begin) + 1]
            begin += [a, middle]
            end += [middle, b]
            child += [NONE, NONE]
        first, number = np.array(halves), np.array(numbers)
        levels.append(len(begin))
    boxes = zeros_in_lines(len(begin), BOX)
    boxes["first"], boxes["last"], boxes["child"] = begin, end, child
    inner = np.flatnonzero(boxes["child"] != NONE)
    boxes["parent"] = NONE
    for side in (0, 1):
        boxes["parent"][boxes["child"][inner] + side] = inner
    low, high = corners.min(axis=1) - margin[:, None], corners.max(axis=1) + margin[:, None]
    for start, stop in pairwise(levels):
        _set_bounds(boxes[start:stop], order, low, high, normals)
    return BoxTree(boxes, order, corners, normals)


def _set_bounds(boxes: Records, order: Indices, low: Floats, high: Floats, normals: Floats) -> None:
    """Centres, half extents and cones of boxes that have no triangle in common."""
    sizes = boxes["last"] - boxes["first"]
    starts = np.append(0, np.cumsum(sizes)[:-1])
    inside = order[np.arange(sizes.sum()) + np.repeat(boxes["first"] - starts, sizes)]  # box after box
    bottom, top = np.minimum.reduceat(low[inside], starts), np.maximum.reduceat(high[inside], starts)
    boxes["centre"] = 0.5 * (bottom + top)
    boxes["half"] = 0.5 * (top - bottom) + np.spacing(np.maximum(-bottom, top))  # nothing slips out by a bit
    axis = unit_rows(np.add.reduceat(normals[inside], starts))
    cosine = np.einsum("ik,ik->i", normals[inside], np.repeat(axis, sizes, axis=0))
    boxes["axis"] = axis
    boxes["cosine"] = np.where(axis.any(axis=1), np.minimum.reduceat(cosine, starts), -1.0)
    boxes["sine"] = np.sqrt(np.maximum(0.0, 1.0 - boxes["cosine"] ** 2))


@kernel(inline=True)
def next_box(boxes: Records, box: int, depth: int, trail: int) -> tuple[int, int, int]:
    """After all below a box has been seen: the box beside the nearest one whose sibling is still to come.

    depth, trail : of the box, and the bits of the boxes that it lies in; depth 0 is the end
    """
    while depth > 0 and (trail >> depth) & 1:
        box = boxes[box].parent
        depth -= 1
    if depth > 0:
        child = boxes[boxes[box].parent].child
        box = 2 * child + 1 - box
        trail |= 1 << depth
    return box, depth, trail
