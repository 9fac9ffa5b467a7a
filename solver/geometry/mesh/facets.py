"""What is used of triangles at every step, prepared once."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats, Ints, Records, zeros_in_lines
from .cubics import NO_RULING
from .cut_edges import ARC, BULGING, heights_of_bows
from .pair_records import FACET
from .records import FACETS, NONE, ROUGH, MeshSurface

ENDS = ((0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1))  # of the tangents of a facet
AT_START, AT_END = np.array([0, 2, 4]), np.array([3, 5, 1])  # those of edges 0, 1, 2: onwards, and back from their ends
FLAT = 1e-9  # of the longest edge: bends below this are none
STRAIGHT = 0.1  # curvature of an edge over those of the two others, below which it is taken to be straight


def tangents_along(start: Floats, end: Floats, normals: Floats) -> Floats:
    """Tangents of the smooth surface along edges at their starts, by the parameter from 0 to 1 between their ends.

    The chords in the tangent planes, lengthened as for arcs of circles.
    """
    chords = end - start
    rise = np.einsum("tk,tk->t", chords, normals)[:, None]
    square = np.einsum("tk,tk->t", chords, chords)[:, None]
    tangents: Floats = (1.0 + ARC * rise * rise / square) * (chords - rise * normals)
    return tangents


def facets_of(surface: MeshSurface) -> Records:
    """Records FACET of all triangles.  Where facets are kept as they are, tangents are the edges themselves."""
    triangles, vertices = surface.triangles, surface.vertices
    corners, normals = vertices["position"][triangles["corners"]], vertices["normal"][triangles["corners"]]
    straight = np.isin(triangles["kind"], (FACETS, ROUGH))
    facets = zeros_in_lines(len(triangles), FACET)
    for k, (a, b) in enumerate(ENDS):
        tangents = tangents_along(corners[:, a], corners[:, b], normals[:, a])
        facets["tangents"][:, k] = np.where(straight[:, None], corners[:, b] - corners[:, a], tangents)
    edges = surface.edges
    bowed = edges[~straight[edges["triangle"]] & ~straight[edges["across"]] & (edges["across"] != NONE)]
    for end, place in ((0, AT_START), (1, AT_END)):
        # both charts end in the same curve
        facets["tangents"][bowed["triangle"], place[bowed["corner"]]] = bowed["tangents"][:, end]
    facets["corners"], facets["middle"] = corners, corners.mean(axis=1)
    facets["radius"] = np.linalg.norm(corners - facets["middle"][:, None], axis=2).max(axis=1, initial=0.0)
    facets["normal"], facets["chart"] = surface.facet_normals, triangles["chart"]
    facets["sag"] = np.abs(triangles["slopes"]).max(axis=1, initial=0.0) / 3.0 + np.abs(triangles["bulge"])
    np.maximum.at(facets["sag"], bowed["triangle"], BULGING * heights_of_bows(bowed))
    facets["ruling"] = straight_edges(triangles["slopes"], facets["corners"])
    facets["vertices"], facets["across"] = triangles["corners"], surface.across
    return facets


def straight_edges(slopes: Floats, corners: Floats) -> Ints:
    """(m,): of each triangle the edge that is much less bent than both others, NO_RULING without one.

    slopes : (m, 6), as in records TRIANGLE
    """
    bends = np.abs(slopes)[:, [[0, 2], [3, 5], [4, 1]]].max(axis=2)
    chords = np.roll(corners, -1, axis=1) - corners
    squares = np.einsum("tck,tck->tc", chords, chords)
    # a plane has no ruling: its bends are rounding
    bends[bends < FLAT * np.sqrt(squares.max(axis=1, keepdims=True))] = 0.0
    curvatures = bends / squares
    least = np.argmin(curvatures, axis=1)
    others = np.sort(curvatures, axis=1)[:, 1]
    return np.where(np.take_along_axis(curvatures, least[:, None], axis=1)[:, 0] < STRAIGHT * others, least, NO_RULING)
