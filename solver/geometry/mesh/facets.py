"""What is used of triangles at every step, prepared once."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats, Ints, Records, zeros_in_lines
from .pair_records import FACET
from .records import FACETS, NONE, ROUGH, MeshSurface

ENDS = ((0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1))  # of the tangents of a facet
ARC = 2.0 / 3.0  # an arc over its chord in the tangent plane, less 1, by the square of rise over chord


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
    facets["corners"], facets["middle"] = corners, corners.mean(axis=1)
    facets["radius"] = np.linalg.norm(corners - facets["middle"][:, None], axis=2).max(axis=1, initial=0.0)
    facets["normal"], facets["chart"] = surface.facet_normals, triangles["chart"]
    facets["sag"] = np.abs(triangles["slopes"]).max(axis=1, initial=0.0) / 3.0 + np.abs(triangles["bulge"])
    facets["vertices"], facets["across"] = triangles["corners"], surface.across
    return facets


def bounds_of(facets: Records, order: Ints) -> Floats:
    """(n, 6) least and largest coordinates of the smooth surfaces of triangles, in an order."""
    corners, sag = facets["corners"][order], facets["sag"][order, None]
    bounds: Floats = np.concatenate([corners.min(axis=1) - sag, corners.max(axis=1) + sag], axis=1)
    return bounds


def charts_of_leaves(surface: MeshSurface) -> Ints:
    """Of each box, the only chart of its triangles; NONE if there are several, or if it is no leaf."""
    only = np.full(len(surface.boxes), NONE, np.int64)
    leaves = np.flatnonzero(surface.boxes["child"] == NONE)
    leaves = leaves[np.argsort(surface.boxes["first"][leaves])]
    if len(leaves):
        chart = surface.triangles["chart"][surface.box_triangles].astype(np.int64)
        first = surface.boxes["first"][leaves]
        least, most = np.minimum.reduceat(chart, first), np.maximum.reduceat(chart, first)
        only[leaves] = np.where(least == most, least, NONE)
    return only
