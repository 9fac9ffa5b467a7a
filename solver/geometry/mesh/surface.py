"""Smooth surfaces of meshes: everything that is done once a mesh, before the first step.

1. `adjacency`: neighbours; `charts`: charts, wedges of vertices, planes, first normals
2. `vertex_normals`: normals by least squares; `bulges`: what they and the corners leave open; `extruded`: surfaces that
   are the same at each section
3. `cut_edges`: edges of charts, and the nearest of them for each triangle; `outlines`: corners, convex polygons
4. `box_tree`: the tree of boxes; `thickness`: half the thickness of the solid below each triangle
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from ...core.bodies import Record, Records, zeros_in_lines
from .adjacency import past_needles
from .box_tree import build_tree
from .bulges import edge_slopes, find_bulges
from .charts import CutMesh, cut_into_charts
from .cut_edges import BULGING, cut_edges, heights_of_bows, nearest_cut_edges, straighten
from .evaluate import find_curvatures, mark_rough
from .extruded import find_rulings, straight_bulges, straightened
from .known_surfaces import known_surface
from .outlines import find_sides, name_outlines
from .records import CHART, FACETS, MESH, NEEDLE, NONE, PLANE_CHART, TRIANGLE, VERTEX, MeshSurface
from .thickness import depth_caps
from .triangle_mesh import Floats, Indices, TriangleMesh, edge_lengths
from .vertex_normals import fit_normals

FEATURE_ANGLE = math.radians(40.0)
EXPANSION = 0.0025  # of the square of the least height of a triangle: its `reach`


def build_surfaces(
    meshes: Sequence[TriangleMesh], feature_angles: Sequence[float], smooth: Sequence[bool]
) -> list[MeshSurface]:
    """The surface of each mesh; `pooled` puts them into one.

    meshes : closed and oriented; an edge that is open or shared by more than two triangles is a cut edge
    feature_angles : of each, radians: edges whose facets make a larger angle are kept sharp
    smooth : of each, whether the surface is recovered from normals, or the facets are taken as they are
    """
    each = zip(meshes, feature_angles, smooth, strict=True)
    return [known_surface(of[0], of[1:], partial(build_surface, *of)) for of in each]


def build_surface(mesh: TriangleMesh, feature_angle: float = FEATURE_ANGLE, is_smooth: bool = True) -> MeshSurface:
    """The surface of one mesh."""
    cut = cut_into_charts(mesh, feature_angle)
    flat = cut.kinds == PLANE_CHART
    wedges = cut.topology.wedges
    corners = cut.positions[wedges]
    bulge, slopes = np.zeros(len(wedges)), np.zeros((len(wedges), 3, 3))
    if is_smooth:
        normals, frames, terms, fitted = fit_normals(cut.positions, cut.topology, cut.smooth, cut.normals, cut.spread)
        cut = cut._replace(normals=normals)
        rulings = find_rulings(cut)
        cut = cut._replace(normals=straightened(cut, rulings))
        slopes = edge_slopes(cut.positions, cut.normals, wedges)
        bulge = find_bulges(cut.positions, cut.normals, wedges, slopes, frames, terms, fitted)
        bulge = straight_bulges(cut, rulings, slopes, bulge)
        edges = cut_edges(corners, cut.normals[wedges], cut.topology)
    else:
        cut = cut._replace(kinds=np.full(len(cut.kinds), FACETS))
        edges = cut_edges(corners, np.repeat(cut.facets.normals[:, None], 3, axis=1), cut.topology)
        straighten(edges)
    edges["outline"] = name_outlines(edges, wedges, cut.facets.normals)
    first_side, sides = find_sides(edges, cut.topology.chart[edges["triangle"]], flat, float(np.ptp(mesh.vertices)))
    first_near, near = nearest_cut_edges(corners, edges, cut.topology)
    margin = np.abs(slopes).max(axis=(1, 2)) / 3.0 + np.abs(bulge)
    np.maximum.at(margin, edges["triangle"], BULGING * heights_of_bows(edges))
    tree = build_tree(corners, cut.facets.normals, margin)
    vertices = vertex_records(cut)
    triangles = triangle_records(cut, slopes, bulge)
    triangles["first_edge"], triangles["last_edge"] = first_near[:-1], first_near[1:]
    if is_smooth:
        mark_rough(vertices, triangles, cut.facets.normals)
    find_curvatures(vertices, triangles)
    triangles["curvature"] = largest_about(triangles["curvature"], wedges, len(vertices))
    chart_triangles = np.argsort(cut.topology.chart, kind="stable")
    surface = MeshSurface(
        meshes=np.zeros(1, MESH),
        charts=chart_records(cut, chart_triangles, first_side),
        vertices=vertices,
        triangles=triangles,
        edges=edges,
        boxes=tree.boxes,
        across=cut.topology.across,
        facet_normals=cut.facets.normals,
        nearest_edges=near,
        sides=sides,
        chart_triangles=chart_triangles,
        box_triangles=tree.order,
    )
    set_mesh_record(surface.meshes[0], surface, mesh)
    triangles["depth_cap"] = depth_caps(tree, 2.0 * float(surface.meshes["radius"][0]))
    surface.meshes["least_depth_cap"] = triangles["depth_cap"].min()
    return surface


def largest_about(values: Floats, wedges: Indices, vertices: int) -> Floats:
    """Of each triangle, the largest value among those within two triangles from it in its chart."""
    for _ in range(2):
        of_vertex = np.full(vertices, -math.inf)
        np.maximum.at(of_vertex, wedges, values[:, None])
        values = of_vertex[wedges].max(axis=1)
    return values


def vertex_records(cut: CutMesh) -> Records:
    vertices = zeros_in_lines(len(cut.positions), VERTEX)
    vertices["position"], vertices["normal"] = cut.positions, cut.normals
    vertices["chart"][cut.topology.wedges] = cut.topology.chart[:, None]
    return vertices


def triangle_records(cut: CutMesh, slopes: Floats, bulge: Floats) -> Records:
    topology = cut.topology
    triangles = zeros_in_lines(len(topology.chart), TRIANGLE)
    lengths = edge_lengths(cut.positions[topology.wedges])
    triangles["corners"], triangles["neighbours"] = topology.wedges, past_needles(topology, cut.facets, lengths)
    triangles["chart"], triangles["kind"] = topology.chart, cut.kinds[topology.chart]
    alone = (triangles["neighbours"] == NONE).all(axis=1)
    triangles["kind"][~cut.facets.trusted & ~alone] = NEEDLE
    triangles["slopes"] = slopes[:, [0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    triangles["area"], triangles["bulge"] = cut.facets.areas, bulge
    triangles["reach"] = EXPANSION * (2.0 * cut.facets.areas / lengths.max(axis=1)) ** 2
    return triangles


def chart_records(cut: CutMesh, chart_triangles: Indices, first_side: Indices) -> Records:
    chart = cut.topology.chart
    charts = np.zeros(len(cut.kinds), CHART)
    charts["kind"] = cut.kinds
    charts["first"] = np.searchsorted(chart[chart_triangles], np.arange(len(charts)))
    charts["last"] = np.append(charts["first"][1:], len(chart))
    charts["first_side"], charts["last_side"] = first_side[:-1], first_side[1:]
    charts["area"] = np.bincount(chart, cut.facets.areas)
    return charts


def set_mesh_record(record: Record, surface: MeshSurface, mesh: TriangleMesh) -> None:
    """Ranges and sizes of a mesh."""
    for name, array in (
        ("triangle", surface.triangles),
        ("chart", surface.charts),
        ("edge", surface.edges),
    ):
        record["last_" + name] = len(array)
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    record["centre"] = 0.5 * (low + high)
    record["radius"] = np.linalg.norm(mesh.vertices - record["centre"], axis=1).max()
    sides = np.roll(mesh.corners(), -1, axis=1) - mesh.corners()
    record["mean_edge"] = math.sqrt((sides**2).sum(axis=2).mean())
