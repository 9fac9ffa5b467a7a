"""Meshes as slaves of others that are small beside their triangles: long edges are divided.

The depth over a triangle of the slave is known at its corners, with slopes.  Where a triangle is longer than a curved
chart of the master is wide, its corners see nothing of what is below its middle.  Its edges are halved until they are
short beside that; new vertices lie on the smooth surface, so that the shape stays as it is.  Planes and their outlines
are seen from afar (see `cuts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from .adjacency import summed
from .facets import facets_of
from .known_surfaces import known_surface
from .records import PLANE_CHART, MeshSurface
from .surface import build_surface
from .triangle_mesh import Floats, Indices, TriangleMesh

LARGE = 0.25  # of the largest curved chart: area of charts that count
WIDTH = 0.25  # of the least extent of a curved chart: longest edge that follows it
FINEST = 1.0 / 128.0  # of the size of a mesh: no shorter edges are made
PARALLEL = 1e-4  # of the squares of normals: what there is along a ruling
FLAT = 1e-6  # of the squares of normals, across the steepest direction: less is a plane


class CurvedChart(NamedTuple):
    """width : least extent along the principal axes of the corners.  straight : one way, as a cylinder"""

    width: float
    straight: bool


def large_curved_charts(surface: MeshSurface) -> list[CurvedChart]:
    """Those of a mesh that are not small beside its largest one."""
    found, areas = [], []
    for chart in surface.charts:
        triangles = surface.chart_triangles[chart["first"] : chart["last"]]
        weighted = surface.facet_normals[triangles] * np.sqrt(surface.triangles["area"][triangles])[:, None]
        squares = np.linalg.eigvalsh(weighted.T @ weighted)
        if chart["kind"] == PLANE_CHART or squares[1] <= FLAT * squares[2]:
            continue
        points = surface.vertices["position"][np.unique(surface.triangles["corners"][triangles])]
        points = points - points.mean(axis=0)
        _, axes = np.linalg.eigh(points.T @ points)
        width = float(np.ptp(points @ axes, axis=0).min())
        found.append(CurvedChart(width, bool(squares[0] <= PARALLEL * squares[2])))
        areas.append(float(chart["area"]))
    return [chart for chart, area in zip(found, areas, strict=True) if area >= LARGE * max(areas)]


def longest_edge(slave: Sequence[CurvedChart], master: Sequence[CurvedChart]) -> float:
    """How long edges of a slave may be; infinite if it does not matter.

    Long edges along what is straight follow what is straight as well, as flanks of gears and pins in holes do.
    """
    slave_is_straight = any(chart.straight for chart in slave)
    widths = [chart.width for chart in master if not (chart.straight and slave_is_straight)]
    return WIDTH * min(widths, default=np.inf)


def with_divided_slaves(
    surfaces: Sequence[MeshSurface], meshes: Sequence[TriangleMesh], feature_angles: Sequence[float],
    smooth: Sequence[bool], roles: Sequence[tuple[int, int]],
) -> list[MeshSurface]:  # fmt: skip
    """Surfaces of single meshes, of which slaves are divided as their masters ask for.

    roles : slave and master of each pair
    """
    longest = np.full(len(meshes), np.inf)
    curved = [large_curved_charts(surface) for surface in surfaces]
    for slave, master in roles:
        longest[slave] = min(longest[slave], longest_edge(curved[slave], curved[master]))
    each = zip(surfaces, meshes, feature_angles, smooth, longest.tolist(), strict=True)
    return [known_surface(of[1], of[2:], partial(divided_surface, *of)) for of in each]


def divided_surface(
    surface: MeshSurface, mesh: TriangleMesh, feature_angle: float, is_smooth: bool, longest: float
) -> MeshSurface:
    """With no edge that is longer; the same if there is none."""
    return divided(surface, mesh, feature_angle, is_smooth, longest)[0]


def divided(
    surface: MeshSurface, mesh: TriangleMesh, feature_angle: float, is_smooth: bool, longest: float
) -> tuple[MeshSurface, TriangleMesh]:
    """With no edge that is longer; the same if there is none."""
    longest = max(longest, FINEST * float(np.ptp(mesh.vertices, axis=0).max()))
    while True:
        long = np.linalg.norm(np.roll(mesh.corners(), -1, axis=1) - mesh.corners(), axis=2) > longest
        if not long.any():
            return surface, mesh
        mesh = halved(mesh, long, middles_of_edges(surface, mesh))
        surface = build_surface(mesh, feature_angle, is_smooth)


def middles_of_edges(surface: MeshSurface, mesh: TriangleMesh) -> Floats:
    """(m, 3, 3), on the smooth surface, of the edges from each corner to the next."""
    corners = mesh.corners()
    tangents = facets_of(surface)["tangents"]
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
