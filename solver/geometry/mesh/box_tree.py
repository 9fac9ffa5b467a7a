"""A tree of boxes over the triangles of a mesh, with cones that hold their normals.

Each box is split at the median of the middles of its triangles, along the axis on which they spread most; a leaf holds
up to eight.  All boxes of one depth are split at once.
"""

from __future__ import annotations

import numpy as np

from ...core.bodies import Records, zeros_in_lines
from .records import BOX, NONE
from .triangle_mesh import Floats, Indices
from .vertex_normals import unit_rows

LEAF = 8
NORMAL_SPREAD = 2.0


def build_tree(corners: Floats, normals: Floats, margin: Floats) -> tuple[Records, Indices]:
    """Boxes, the root first and children after their parents, and the triangles sorted by leaf.

    corners : (m, 3, 3)
    normals : (m, 3), of the facets
    margin : (m,), how far the smooth surface may stand off each triangle
    """
    count = len(corners)
    middles = corners.mean(axis=1)
    size = NORMAL_SPREAD * np.sqrt(np.mean((np.roll(corners, -1, axis=1) - corners) ** 2) * 3.0)
    places = np.concatenate([middles, size * normals], axis=1)
    order = np.arange(count)
    first, number = np.array([0]), np.array([0])
    begin, end, child = [0], [count], [NONE]
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
    boxes = zeros_in_lines(len(begin), BOX)
    boxes["first"], boxes["last"], boxes["child"] = begin, end, child
    inner = np.flatnonzero(boxes["child"] != NONE)
    boxes["parent"] = NONE
    for side in (0, 1):
        boxes["parent"][boxes["child"][inner] + side] = inner
    low, high = corners.min(axis=1) - margin[:, None], corners.max(axis=1) + margin[:, None]
    _set_bounds(boxes, order, low, high, normals)
    return boxes, order


def _set_bounds(boxes: Records, order: Indices, low: Floats, high: Floats, normals: Floats) -> None:
    """Centres, half extents and cones: of the boxes of one length at a time, whose triangles make a table."""
    for size in np.unique(boxes["last"] - boxes["first"]):
        these = np.flatnonzero(boxes["last"] - boxes["first"] == size)
        inside = order[boxes["first"][these, None] + np.arange(size)]
        bottom, top = low[inside].min(axis=1), high[inside].max(axis=1)
        boxes["centre"][these], boxes["half"][these] = 0.5 * (bottom + top), 0.5 * (top - bottom)
        axis = unit_rows(normals[inside].sum(axis=1))
        cosine = np.einsum("bik,bk->bi", normals[inside], axis).min(axis=1)
        boxes["axis"][these], boxes["cosine"][these] = axis, np.where(axis.any(axis=1), cosine, -1.0)
