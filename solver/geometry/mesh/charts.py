"""Meshes cut into charts: planes among them, wedges, and a first normal for each wedge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .adjacency import ROUNDING, Facets, Topology, facets_of, split_vertices, summed, topology_of, triangles_across
from .flat_faces import flat_normals
from .records import PLANE_CHART, SMOOTH
from .triangle_mesh import Floats, Indices, TriangleMesh
from .vertex_normals import first_normals, unit_rows

POINTED = 0.75  # of the feature angle: how far facets may be from the normal at a vertex that has one
FLAT = 4.0 * ROUNDING  # times the largest coordinate: height over a plane up to which a chart is one


class Planes(NamedTuple):
    """The plane that each chart (c,) is, or nearly is.

    normals : (c, 3), unit
    offsets : (c,), of the plane along its normal from the origin
    kinds : (c,), PLANE_CHART if all vertices lie in it, to the rounding of single precision, or SMOOTH
    """

    normals: Floats
    offsets: Floats
    kinds: Indices


def planes_of_charts(mesh: TriangleMesh, facets: Facets, topology: Topology) -> Planes:
    """Planes along the mean normals of charts, halfway between their lowest and highest vertex."""
    chart = topology.chart
    count = int(chart.max()) + 1
    normals = unit_rows(summed(chart, (facets.areas * facets.trusted)[:, None] * facets.normals, count))
    lost = ~normals.any(axis=1)
    normals[lost] = unit_rows(summed(chart, facets.normals, count))[lost]
    heights = np.einsum("tck,tk->tc", mesh.corners(), normals[chart])
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, chart, heights.min(axis=1))
    np.maximum.at(high, chart, heights.max(axis=1))
    # a closed chart has no mean normal
    flat = normals.any(axis=1) & (high - low <= FLAT * float(np.abs(mesh.vertices).max()))
    return Planes(normals, 0.5 * (low + high), np.where(flat, PLANE_CHART, SMOOTH))


class CutMesh(NamedTuple):
    """A mesh cut into charts.

    positions, normals : (w, 3), of the wedges
    spread : (w,), angle from the normal to the furthest facet
    smooth : (w,), whether the normal may be fitted
    kinds : (c,), of the charts
    """

    facets: Facets
    topology: Topology
    positions: Floats
    normals: Floats
    spread: Floats
    smooth: Indices
    kinds: Indices


def cut_into_charts(mesh: TriangleMesh, feature_angle: float) -> CutMesh:
    """Charts, wedges and first normals; charts that are planes get one normal, and their vertices are put into it."""
    across = triangles_across(mesh.triangles)
    facets = facets_of(mesh, across)
    topology = topology_of(mesh, across, facets, feature_angle)
    planes = planes_of_charts(mesh, facets, topology)
    flat = planes.kinds[topology.chart] == PLANE_CHART
    facets = facets._replace(normals=np.where(flat[:, None], planes.normals[topology.chart], facets.normals))
    normals, spread = first_normals(mesh.corners(), facets, topology)
    topology, pointed = split_vertices(topology, np.flatnonzero(spread > POINTED * feature_angle))
    if len(pointed):
        normals, spread = first_normals(mesh.corners(), facets, topology)
    positions = mesh.vertices[topology.sources]
    chart = np.empty(len(positions), np.int64)
    chart[topology.wedges] = topology.chart[:, None]
    in_plane = planes.kinds[chart] == PLANE_CHART
    at = chart[in_plane]
    normals[in_plane] = planes.normals[at]
    heights = np.einsum("wk,wk->w", positions[in_plane], planes.normals[at]) - planes.offsets[at]
    positions[in_plane] -= heights[:, None] * planes.normals[at]
    smooth = ~in_plane
    smooth[pointed] = False
    in_face, of_face = flat_normals(positions, facets, topology)
    kept = smooth[in_face]
    normals[in_face[kept]] = of_face[kept]
    smooth[in_face] = False
    return CutMesh(facets, topology, positions, normals, spread, smooth.astype(np.int64), planes.kinds)
