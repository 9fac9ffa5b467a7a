"""Smooth surfaces of meshes: everything that is done once a mesh, before the first step."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...core.bodies import Record, Records, zeros_in_lines
from ...core.jit.references import Reference
from .adjacency import ROUNDING, Facets, Topology, corner_angles, facets_of, split_vertices, summed, topology_of, triangles_across
from .box_tree import build_tree
from .bulges import edge_slopes, find_bulges
from .closest import ray_thickness
from .cut_edges import cut_edges, nearest_cut_edges
from .evaluate import mark_rough
from .records import CHART, FACETS, MESH, PLANE_CHART, SMOOTH, TRIANGLE, VERTEX, MeshSurface, no_surface
from .triangle_mesh import Floats, Indices, TriangleMesh
from .vertex_normals import first_normals, fit_normals, unit_rows

FEATURE_ANGLE = math.radians(40.0)
POINTED = 0.75  # of the feature angle: how far facets may be from the normal at a vertex that has one
FLAT = 4.0 * ROUNDING  # times the largest coordinate: height over a plane up to which a chart is one


def build_surfaces(
    meshes: Sequence[TriangleMesh], feature_angles: Sequence[float], smooth: Sequence[bool]
) -> MeshSurface:
    """The surfaces of all meshes.

    meshes : closed and oriented; an edge that is open or shared by more than two triangles is a cut edge
    feature_angles : of each, radians: edges whose facets make a larger angle are kept sharp
    smooth : of each, whether the surface is recovered from normals, or the facets are taken as they are
    """
    parts = [
        build_surface(mesh, angle, is_smooth)
        for mesh, angle, is_smooth in zip(meshes, feature_angles, smooth, strict=True)
    ]
    return pooled(parts) if parts else no_surface()


def planes_of_charts(positions: Floats, facets: Facets, topology: Topology, size: float) -> tuple[Floats, Indices]:
    """Unit normal of each chart (c, 3), and the kind of each: a plane or smooth.

    A chart is a plane if all its vertices lie in one, to the rounding of single precision.
    """
    count = int(topology.chart.max()) + 1
    normals = unit_rows(summed(topology.chart, (facets.areas * facets.trusted)[:, None] * facets.normals, count))
    lost = ~normals.any(axis=1)
    normals[lost] = unit_rows(summed(topology.chart, facets.normals, count))[lost]
    chart = topology.chart
    _, first = np.unique(chart, return_index=True)
    origin = positions[topology.wedges[first, 0]]
    heights = np.einsum(
        "tck,tk->tc", positions[topology.wedges] - origin[chart][:, None], normals[chart]
    )
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, chart, heights.min(axis=1))
    np.maximum.at(high, chart, heights.max(axis=1))
    return normals, np.where(high - low <= FLAT * size, PLANE_CHART, SMOOTH)


def build_surface(mesh: TriangleMesh, feature_angle: float, is_smooth: bool) -> MeshSurface:
    """The surface of one mesh."""
    across = triangles_across(mesh.triangles)
    facets = facets_of(mesh, across)
    topology = topology_of(mesh, across, facets, feature_angle)
    chart = topology.chart
    corners = mesh.corners()
    positions = mesh.vertices[topology.sources]
    planes, kinds = planes_of_charts(positions, facets, topology, float(np.abs(mesh.vertices).max()))
    normals, spread = first_normals(corners, facets, topology)
    topology, pointed = split_vertices(topology, np.flatnonzero(spread > POINTED * feature_angle))
    if len(pointed):
        positions = mesh.vertices[topology.sources]
        normals, spread = first_normals(corners, facets, topology)
    wedges = topology.wedges
    chart_of_wedge = np.empty(len(positions), np.int64)
    chart_of_wedge[wedges] = chart[:, None]
    flat = kinds[chart_of_wedge] == PLANE_CHART
    normals[flat] = planes[chart_of_wedge[flat]]
    bulge = np.zeros(len(chart))
    slopes = np.zeros((len(chart), 3, 3))
    if is_smooth:
        wanted = ~flat
        wanted[pointed] = False
        normals, frames, terms, fitted = fit_normals(positions, topology, wanted, normals, spread)
        slopes = edge_slopes(positions, normals, wedges)
        bulge = find_bulges(positions, normals, wedges, slopes, frames, terms, fitted)
        at_corners = normals[wedges]
    else:
        kinds = np.full(len(kinds), FACETS)
        at_corners = np.repeat(facets.normals[:, None], 3, axis=1)
    edges = cut_edges(corners, at_corners, topology)
    if not is_smooth:
        edges["bow"] = 0.0
    first_near, near = nearest_cut_edges(corners, edges, topology)
    margin = np.abs(slopes).max(axis=(1, 2)) / 3.0 + np.abs(bulge)
    boxes, box_triangles = build_tree(corners, facets.normals, margin)

    vertices = zeros_in_lines(len(positions), VERTEX)
    vertices["position"], vertices["normal"] = positions, normals
    vertices["source"], vertices["chart"] = topology.sources, chart_of_wedge
    triangles = zeros_in_lines(len(chart), TRIANGLE)
    triangles["corners"], triangles["neighbours"] = wedges, topology.neighbours
    triangles["chart"], triangles["kind"] = chart, kinds[chart]
    triangles["first_edge"], triangles["last_edge"] = first_near[:-1], first_near[1:]
    triangles["slopes"] = slopes[:, [0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    triangles["area"], triangles["bulge"] = facets.areas, bulge
    if is_smooth:
        mark_rough(vertices, triangles, facets.normals)
    chart_triangles = np.argsort(chart, kind="stable")
    charts = np.zeros(len(kinds), CHART)
    charts["kind"] = kinds
    charts["first"] = np.searchsorted(chart[chart_triangles], np.arange(len(kinds)))
    charts["last"] = np.append(charts["first"][1:], len(chart))
    charts["area"] = np.bincount(chart, facets.areas)
    surface = MeshSurface(
        meshes=np.zeros(1, MESH),
        charts=charts,
        vertices=vertices,
        triangles=triangles,
        edges=edges,
        boxes=boxes,
        across=topology.across,
        facet_normals=facets.normals,
        pseudo_normals=pseudo_normals(mesh, facets)[topology.sources],
        nearest_edges=near,
        chart_triangles=chart_triangles,
        box_triangles=box_triangles,
    )
    set_mesh_record(surface.meshes[0], surface, mesh)
    surface.meshes["smooth"] = is_smooth
    ray_thickness(Reference(surface), 0)
    surface.meshes["least_depth_cap"] = surface.triangles["depth_cap"].min()
    return surface


def pseudo_normals(mesh: TriangleMesh, facets: Facets) -> Floats:
    """(n, 3), of each vertex: the normals of its facets times their angles there.

    A point whose nearest point of the surface is this vertex is outside if it lies on their side (J. A. Baerentzen,
    H. Aanaes, Signed distance computation using the angle weighted pseudonormal, IEEE Trans. Visualization and
    Computer Graphics 11 (2005) 243-253).
    """
    angles = corner_angles(mesh.corners())
    weighted = (angles[:, :, None] * facets.normals[:, None]).reshape(-1, 3)
    return unit_rows(summed(mesh.triangles.ravel(), weighted, len(mesh.vertices)))


def set_mesh_record(record: Record, surface: MeshSurface, mesh: TriangleMesh) -> None:
    """Ranges and sizes of a mesh."""
    for name, array in (
        ("vertex", surface.vertices),
        ("triangle", surface.triangles),
        ("chart", surface.charts),
        ("edge", surface.edges),
        ("box", surface.boxes),
    ):
        record["last_" + name] = len(array)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    record["centre"] = 0.5 * (low + high)
    record["radius"] = np.linalg.norm(mesh.vertices - record["centre"], axis=1).max()
    sides = np.roll(mesh.corners(), -1, axis=1) - mesh.corners()
    record["mean_edge"] = math.sqrt((sides**2).sum(axis=2).mean())


# members of records and arrays that are indices, and into what
INDICES = {
    "charts": {"mesh": "meshes", "first": "chart_triangles", "last": "chart_triangles"},
    "vertices": {"chart": "charts"},
    "triangles": {
        "corners": "vertices",
        "neighbours": "triangles",
        "chart": "charts",
        "first_edge": "nearest_edges",
        "last_edge": "nearest_edges",
    },
    "edges": {"triangle": "triangles", "across": "triangles", "across_chart": "charts"},
    "boxes": {"first": "box_triangles", "last": "box_triangles", "child": "boxes", "parent": "boxes"},
    "meshes": {
        f"{end}_{name}": array
        for end in ("first", "last")
        for name, array in (
            ("vertex", "vertices"),
            ("triangle", "triangles"),
            ("chart", "charts"),
            ("edge", "edges"),
            ("box", "boxes"),
        )
    },
}
WHOLE_INDICES = {"across": "triangles", "nearest_edges": "edges", "chart_triangles": "triangles"} | {
    "box_triangles": "triangles"
}


def pooled(parts: Sequence[MeshSurface]) -> MeshSurface:
    """The arrays of all meshes one after the other, indices moved; NONE stays."""
    members = {}
    start = {name: np.cumsum([0] + [len(getattr(part, name)) for part in parts]) for name in MeshSurface._fields}
    for name in MeshSurface._fields:
        arrays = [getattr(part, name) for part in parts]
        length = int(start[name][-1])
        if name in ("vertices", "triangles", "edges", "boxes"):
            whole: Records = zeros_in_lines(length, arrays[0].dtype)
        else:
            whole = np.zeros((length, *arrays[0].shape[1:]), arrays[0].dtype)
        for p, array in enumerate(arrays):
            here = whole[start[name][p] : start[name][p + 1]]
            here[:] = array
            for field, target in INDICES.get(name, {}).items():
                _move(here[field], start[target][p])
            if name in WHOLE_INDICES:
                _move(here, start[WHOLE_INDICES[name]][p])
        members[name] = whole
    return MeshSurface(**members)


def _move(indices: Indices, by: int) -> None:
    indices[indices >= 0] += by
