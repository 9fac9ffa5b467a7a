"""Charts that are swept along a straight line, as flanks of spur gears and walls of cams: the same at each section.

Fits find the normal of each vertex by itself, and with fewer neighbours at both ends: rows of vertices that should be
equal differ by the error of the fit, so that such surfaces would push a little along their rulings.  Where all facets
of a chart are parallel to one direction, its normals are made square to it, and vertices on one ruling get one normal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .adjacency import ROUNDING, summed
from .charts import CutMesh
from .records import NONE, SMOOTH
from .triangle_mesh import Floats, Indices
from .vertex_normals import unit_rows

PARALLEL = 1e-5  # sine of the angle between a ruling and a facet, up to which they are parallel
CURVED = 1e-6  # of the square of normals across the other two directions: less is a plane
SAME_RULING = 16.0 * ROUNDING  # of the size of the mesh: distance between rulings that are one
AT_END = 1e-3  # weight of vertices at the ends of rulings, whose fits have half of the neighbours


class Rulings(NamedTuple):
    """axes : (c, 3), unit, of charts; zero of those that are not extruded.  chart : (w,), of vertices"""

    axes: Floats
    chart: Indices


def find_rulings(cut: CutMesh) -> Rulings:
    """The direction along which each smooth chart is extruded."""
    topology, facets = cut.topology, cut.facets
    chart, count = topology.chart, len(cut.kinds)
    weighted = np.where(facets.trusted, facets.areas, 0.0)[:, None] * facets.normals
    products = np.einsum("ti,tj->tij", weighted, facets.normals).reshape(-1, 9)
    values, vectors = np.linalg.eigh(summed(chart, products, count).reshape(-1, 3, 3))
    axes = vectors[:, :, 0]
    sines = np.where(facets.trusted, np.abs(np.einsum("tk,tk->t", facets.normals, axes[chart])), 0.0)
    steepest = np.zeros(count)
    np.maximum.at(steepest, chart, sines)
    extruded = (steepest <= PARALLEL) & (values[:, 1] > CURVED * values[:, 2]) & (cut.kinds == SMOOTH)
    of_vertex = np.empty(len(cut.positions), np.int64)
    of_vertex[topology.wedges] = chart[:, None]
    return Rulings(np.where(extruded[:, None], axes, 0.0), of_vertex)


def straightened(cut: CutMesh, rulings: Rulings) -> Floats:
    """(w, 3), normals of all vertices, those of extruded charts the same along each ruling."""
    axes = rulings.axes[rulings.chart]
    some = np.flatnonzero(axes.any(axis=1))
    if len(some) == 0:
        return cut.normals
    axes, at = axes[some], cut.positions[some]
    flat = unit_rows(cut.normals[some] - np.einsum("wk,wk->w", cut.normals[some], axes)[:, None] * axes)
    size = float(np.ptp(cut.positions, axis=0).max())
    section = at - np.einsum("wk,wk->w", at, axes)[:, None] * axes
    tree = cKDTree(np.c_[section, size * rulings.chart[some]])
    one, other = tree.query_pairs(SAME_RULING * size, output_type="ndarray").T
    graph = coo_array((np.ones(len(one), dtype=bool), (one, other)), shape=(len(some), len(some)))
    number, ruling = connected_components(graph, directed=False)
    weight = np.where(at_ends(cut, rulings)[some], AT_END, 1.0)
    means = unit_rows(summed(ruling, weight[:, None] * flat, number))
    normals = cut.normals.copy()
    normals[some] = means[ruling]
    return normals


def at_ends(cut: CutMesh, rulings: Rulings) -> Indices:
    """(w,), whether a vertex lies on a cut edge that is not along the ruling."""
    topology = cut.topology
    triangle, corner = np.nonzero(topology.neighbours == NONE)
    one, other = topology.wedges[triangle, corner], topology.wedges[triangle, (corner + 1) % 3]
    along = unit_rows(cut.positions[other] - cut.positions[one])
    across = np.abs(np.einsum("ek,ek->e", along, rulings.axes[topology.chart[triangle]])) < 1.0 - PARALLEL
    found = np.zeros(len(cut.positions), dtype=bool)
    found[one[across]] = found[other[across]] = True
    return found


def straight_bulges(cut: CutMesh, rulings: Rulings, slopes: Floats, bulges: Floats) -> Floats:
    """(m,), bulges of all triangles: where one edge is a ruling the cubic along the others says it all."""
    wedges = cut.topology.wedges
    axes = rulings.axes[cut.topology.chart]
    found = bulges.copy()
    for c in range(3):
        one, other, across = wedges[:, c], wedges[:, (c + 1) % 3], (c + 2) % 3
        along = unit_rows(cut.positions[other] - cut.positions[one])
        ruled = np.abs(np.einsum("tk,tk->t", along, axes)) > 1.0 - PARALLEL**2
        from_ruling = 0.5 * (slopes[:, c, across] + slopes[:, (c + 1) % 3, across])
        towards = 0.5 * (slopes[:, across, c] + slopes[:, across, (c + 1) % 3])
        found = np.where(ruled, (towards - from_ruling) / 27.0, found)
    return found
