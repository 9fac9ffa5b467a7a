"""Meshes as slaves of others that are small beside their triangles: long edges are divided.

The depth over a triangle of the slave is known at its corners, with slopes.  Where a triangle is longer than a chart of
the master is wide, its corners see nothing of what is below its middle.  Its edges are halved until none is longer than
that; new vertices lie on the smooth surface, so that the shape stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .adjacency import summed
from .facets import facets_of
from .records import PLANE_CHART, MeshSurface
from .surface import build_surface, build_surfaces
from .triangle_mesh import Floats, Indices, TriangleMesh

LARGE = 0.25  # of the largest chart of its kind: area of charts that count
# of the least extent of a curved chart: longest edge that follows it, where it is straight one way and where it is not
STRAIGHT, ROUND = 0.5, 0.25
PARALLEL = 1e-4  # of the squares of normals: what there is along a ruling
FINEST = 1.0 / 128.0  # of the size of a mesh: no shorter edges are made


def longest_edge(surface: MeshSurface, mesh: int) -> float:
    """How long edges of a slave of a mesh may be; infinite if it does not matter.

    Convex polygons cut triangles of any size exactly.
    """
    record = surface.meshes[mesh]
    charts = surface.charts[record["first_chart"] : record["last_chart"]]
    plane = charts["kind"] == PLANE_CHART
    polygon = charts["first_side"] < charts["last_side"]
    widths = np.full(len(charts), np.inf)
    for k, chart in enumerate(charts):
        if polygon[k]:
            continue
        triangles = surface.chart_triangles[chart["first"] : chart["last"]]
        widths[k] = width_of_face(surface, triangles) if plane[k] else least_extent(surface, triangles)
    longest = np.inf
    for kind in (plane & ~polygon, ~plane):
        if kind.any():
            large = kind & (charts["area"] >= LARGE * charts["area"][kind].max())
            longest = min(longest, float(widths[large].min()))
    return longest


def width_of_face(surface: MeshSurface, triangles: Indices) -> float:
    """Twice the area over the length of the outline."""
    edges = surface.edges[np.isin(surface.edges["triangle"], triangles)]
    around = float(edges["length"].sum())
    return 2.0 * float(surface.triangles["area"][triangles].sum()) / around if around > 0.0 else np.inf


def least_extent(surface: MeshSurface, triangles: Indices) -> float:
    """Along the principal axes of the corners, by how much of it edges may take."""
    normals = surface.facet_normals[triangles] * np.sqrt(surface.triangles["area"][triangles])[:, None]
    squares = np.linalg.eigvalsh(normals.T @ normals)
    part = STRAIGHT if squares[0] < PARALLEL * squares.sum() else ROUND
    points = surface.vertices["position"][np.unique(surface.triangles["corners"][triangles])]
    points = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(points.T @ points)
    return part * float(np.ptp(points @ axes, axis=0).min())


def with_divided_slaves(
    surface: MeshSurface, meshes: Sequence[TriangleMesh], feature_angles: Sequence[float], smooth: Sequence[bool],
    roles: Sequence[tuple[int, int]],
) -> MeshSurface:  # fmt: skip
    """Surfaces of meshes of which slaves are divided as their masters ask for; the same if none has to be.

    roles : slave and master of each pair
    """
    longest = np.full(len(meshes), np.inf)
    asked = {master: longest_edge(surface, master) for _, master in roles}
    for slave, master in roles:
        longest[slave] = min(longest[slave], asked[master])
    found = [divided(*each) for each in zip(meshes, feature_angles, smooth, longest.tolist(), strict=True)]
    if all(new is old for new, old in zip(found, meshes, strict=True)):
        return surface
    return build_surfaces(found, feature_angles, smooth)


def divided(mesh: TriangleMesh, feature_angle: float, is_smooth: bool, longest: float) -> TriangleMesh:
    """With no edge that is longer; the mesh itself if there is none."""
    longest = max(longest, FINEST * float(np.ptp(mesh.vertices, axis=0).max()))
    while True:
        long = np.linalg.norm(np.roll(mesh.corners(), -1, axis=1) - mesh.corners(), axis=2) > longest
        if not long.any():
            return mesh
        mesh = halved(mesh, long, middles_of_edges(mesh, feature_angle, is_smooth))


def middles_of_edges(mesh: TriangleMesh, feature_angle: float, is_smooth: bool) -> Floats:
    """(m, 3, 3), on the smooth surface, of the edges from each corner to the next."""
    corners = mesh.corners()
    tangents = facets_of(build_surface(mesh, feature_angle, is_smooth))["tangents"]
    bows = tangents[:, [0, 2, 4]] + tangents[:, [3, 5, 1]]
    return np.asarray(0.5 * (corners + np.roll(corners, -1, axis=1)) + bows / 8.0)


def halved(mesh: TriangleMesh, long: Indices, middles: Floats) -> TriangleMesh:
    """Triangles (m, 3) divided at the middles of their long edges, the longer of two first."""
    triangles = np.asarray(mesh.triangles)
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    edges, edge = np.unique(ends, axis=0, return_inverse=True)
    edge = edge.reshape(-1, 3)
    split = np.bincount(edge.ravel(), long.ravel().astype(float), len(edges)) > 0.0
    count = np.bincount(edge.ravel(), minlength=len(edges))
    middle = summed(edge.ravel(), middles.reshape(-1, 3), len(edges)) / count[:, None]
    number = len(mesh.vertices) + np.cumsum(split) - 1
    found = []
    for k in range(8):
        marks = [bool(k >> c & 1) for c in range(3)]
        some = np.flatnonzero((split[edge] == marks).all(axis=1))
        if len(some) == 0:
            continue
        turn = marks.index(True) if sum(marks) == 1 else (marks.index(False) + 1) % 3 if sum(marks) == 2 else 0
        order = (turn + np.arange(3)) % 3
        a, b, c = triangles[some][:, order].T
        ab, bc, ca = number[edge[some][:, order]].T
        if sum(marks) == 0:
            parts = [(a, b, c)]
        elif sum(marks) == 1:
            parts = [(a, ab, c), (ab, b, c)]
        elif sum(marks) == 2:
            parts = [(ab, b, bc), (a, ab, bc), (a, bc, c)]
        else:
            parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        found += [np.stack(part, axis=1) for part in parts]
    vertices = np.concatenate([mesh.vertices, middle[split]])
    return TriangleMesh(vertices, np.concatenate(found))
