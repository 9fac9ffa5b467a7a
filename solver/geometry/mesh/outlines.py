"""Outlines of charts: where they have corners, and charts that are convex polygons.

A place is within a chart if it is behind the planes of its cut edges (see `cut_edges`).  Along a smooth piece of the
outline the nearest edge says so, and the planes change little from edge to edge.  Two pieces that meet in a corner have
planes of their own, and at a corner of less than 180 degrees a place has to be behind both.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.bodies import Records
from ...core.connected_sets import connected_sets
from .records import MOST_SIDES
from .triangle_mesh import Floats, Indices

CORNER = math.radians(30.0)  # by which an outline turns inwards, from where on its two sides are pieces of their own
SAME_SIDE = 1e-4  # difference between normals of planes, and between their offsets by the size of the mesh
STRAIGHT = 1e-6  # of the size of the mesh: how far the outline of a polygon may be from its sides


def name_outlines(edges: Records, wedges: Indices, normals: Floats) -> Indices:
    """(e,): of each cut edge, the first of those that make one piece of an outline.

    wedges : (m, 3), vertices of triangles.  normals : (m, 3), of facets
    """
    count = len(edges)
    starts = wedges[edges["triangle"], edges["corner"]]
    ends = wedges[edges["triangle"], (edges["corner"] + 1) % 3]
    order = np.argsort(starts, kind="stable")
    at = np.minimum(np.searchsorted(starts[order], ends), count - 1)
    following = order[at]
    here, there = edges["direction"], edges["direction"][following]
    turn = np.einsum("ek,ek->e", np.cross(here, there), normals[edges["triangle"]])
    angle = np.arctan2(turn, np.einsum("ek,ek->e", here, there))
    joined = np.flatnonzero((starts[following] == ends) & (angle <= CORNER))
    label = connected_sets(count, joined, following[joined])
    _, first = np.unique(label, return_index=True)
    return np.asarray(first[label], dtype=np.int64)


def find_sides(edges: Records, chart: Indices, flat: Indices, size: float) -> tuple[Indices, Indices]:
    """Edges that stand for the sides of charts that are convex polygons: those of c from first[c] to first[c + 1].

    chart : (e,), of each edge.  flat : (c,), whether a chart is a plane.  size : of the mesh
    """
    count = len(flat)
    none = np.zeros(count + 1, np.int64), np.zeros(0, np.int64)
    some = np.flatnonzero(flat[chart])
    if len(some) == 0:
        return none
    bisectors = edges["bisector"][some]
    offsets = np.einsum("ek,ek->e", bisectors, edges["start"][some]) / size
    keys = np.round(np.c_[bisectors, offsets] / SAME_SIDE).astype(np.int64)
    # of each side the longest edge
    order = np.lexsort((-edges["length"][some], *keys.T, chart[some]))
    ordered = np.c_[chart[some], keys][order]
    first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    sides = some[order[first]]
    sides = sides[np.bincount(chart[sides], minlength=count)[chart[sides]] <= MOST_SIDES]
    # all of the outline lies behind each side, and each edge along one of them
    by_chart = some[np.argsort(chart[some], kind="stable")]
    begin = np.searchsorted(chart[by_chart], np.arange(count), side="left")
    end = np.searchsorted(chart[by_chart], np.arange(count), side="right")
    lengths = (end - begin)[chart[sides]]
    side = np.repeat(np.arange(len(sides)), lengths)
    within = np.arange(len(side)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    other = by_chart[np.repeat(begin[chart[sides]], lengths) + within]
    s = edges[sides[side]]
    off = np.einsum("pk,pk->p", edges["start"][other] - s["start"], s["bisector"]) / size
    convex = np.ones(count, dtype=bool)
    convex[chart[other[off > STRAIGHT]]] = False
    past = edges["start"][other] + edges["length"][other][:, None] * edges["direction"][other]
    also = np.einsum("pk,pk->p", past - s["start"], s["bisector"]) / size
    along = (np.abs(off) <= STRAIGHT) & (np.abs(also) <= STRAIGHT)
    found = np.zeros(len(edges), dtype=bool)
    found[other[along]] = True
    convex[chart[some[~found[some]]]] = False
    sides = sides[convex[chart[sides]]]
    sides = sides[np.argsort(chart[sides], kind="stable")]
    return np.searchsorted(chart[sides], np.arange(count + 1)), sides
