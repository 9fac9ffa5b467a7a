"""What is kept of meshes: flat arrays that hold all meshes of a deck, so that kernels see one type.

A mesh is cut into **charts** along edges that are steeper than its feature angle; triangles of one chart make one
smooth surface.  A vertex where charts meet is split into **wedges**, one for each chart and fan of triangles, with a
normal each: what is called a vertex here is a wedge.  All indices are those of the pooled arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats, Records, in_lines, zeros_in_lines
from .triangle_mesh import Indices

NONE = -1  # no triangle: beyond an edge where charts are cut
SMOOTH, PLANE_CHART, FACETS = 0, 1, 2  # kinds of charts: recovered from normals, plane, facets as they are
ROUGH = 3  # kind of triangles in smooth charts whose surface does not fit its normals
NEEDLE = 4  # of triangles that are too thin to have a normal: searches pass them by
MOST_SIDES = 8  # of a chart that is taken as a convex polygon

VERTEX = in_lines(
    np.dtype(
        [
            ("position", "f8", 3),
            ("normal", "f8", 3),  # unit, of the smooth surface
            ("chart", "i4"),
        ],
        align=True,
    )
)

# Edge c of a triangle leads from corner c to corner c + 1 (mod 3); corner c + 2 is opposite.
TRIANGLE = in_lines(
    np.dtype(
        [
            ("corners", "i4", 3),  # vertices, counter-clockwise as seen from outside
            ("neighbours", "i4", 3),  # of the same chart beyond each edge, past needles; NONE where it is cut
            ("chart", "i4"),
            ("kind", "i4"),  # of its chart, or NEEDLE; in a smooth one ROUGH and FACETS where the facet is not bent
            ("first_edge", "i4"),  # [first, last) of `nearest_edges`
            ("last_edge", "i4"),
            ("area", "f8"),
            ("slopes", "f8", 6),  # a_01 a_02 a_10 a_12 a_20 a_21, see `evaluate`, length
            ("bulge", "f8"),  # how far the middle stands off the surface that corners and normals give, length
            ("reach", "f8"),  # square of the distance for which a second-order expansion serves
            ("depth_cap", "f8"),  # half the thickness of the solid below; what is deeper belongs to another side
            ("curvature", "f8"),  # largest of the smooth surface within two triangles from here, inf where it has edges
        ],
        align=True,
    )
)

# A cut edge as one of its two charts sees it.
EDGE = in_lines(
    np.dtype(
        [
            ("start", "f8", 3),
            ("direction", "f8", 3),  # unit; the triangle lies to the left of it
            ("bisector", "f8", 3),  # unit normal of the plane that halves the angle between the charts, away from ours
            ("length", "f8"),
            ("bow", "f8", 2),  # slopes along `bisector`, times length, with which the curved edge leaves start and end
            ("tangents", "f8", (2, 3)),  # of the curved edge at its start, onwards, and at its end, back
            ("angle", "f8"),  # from our normal to the other chart's: positive where the edge is convex
            ("triangle", "i4"),
            ("corner", "i4"),
            ("across", "i4"),  # triangle of the other chart, NONE at an open edge
            ("across_chart", "i4"),
            ("outline", "i4"),  # the first cut edge of the same piece of an outline, see `outlines`
        ],
        align=True,
    )
)

CHART = np.dtype(
    [
        ("kind", "i4"),
        ("first", "i4"),  # [first, last) of `chart_triangles`
        ("last", "i4"),
        ("first_side", "i4"),  # [first, last) of `sides`, if it is a convex polygon; none otherwise
        ("last_side", "i4"),
        ("area", "f8"),
    ],
    align=True,
)

# A box of a tree, along the body axes; a leaf holds [first, last) of `box_triangles`.
BOX = in_lines(
    np.dtype(
        [
            ("centre", "f8", 3),
            ("half", "f8", 3),
            ("axis", "f8", 3),  # of the cone that holds all facet normals
            ("cosine", "f8"),  # of the half angle of the cone, -1 for all directions
            ("sine", "f8"),
            ("first", "i4"),
            ("last", "i4"),
            ("child", "i4"),  # the first of two that stand together; NONE in a leaf
            ("parent", "i4"),  # NONE at the root
        ],
        align=True,
    )
)

MESH = np.dtype(
    [
        ("first_triangle", "i8"),
        ("last_triangle", "i8"),
        ("first_chart", "i8"),
        ("last_chart", "i8"),
        ("first_edge", "i8"),
        ("last_edge", "i8"),
        ("first_box", "i8"),  # the root of its tree
        ("centre", "f8", 3),  # of the box that holds it
        ("radius", "f8"),  # about the centre
        ("mean_edge", "f8"),  # root of the mean square length of the edges
        ("least_depth_cap", "f8"),  # half the least thickness
    ],
    align=True,
)


class MeshSurface(NamedTuple):
    """All meshes, in the axes of their bodies.

    meshes, charts, vertices, triangles, edges, boxes : records, see above
    across : (triangles, 3), triangle beyond each edge, whether cut or not; NONE at an open edge
    facet_normals : (triangles, 3), unit
    nearest_edges : cut edges that are nearest somewhere in a triangle, ranges by `first_edge`, `last_edge`
    sides : cut edges, one of each side of a chart that is a convex polygon, ranges by `first_side`, `last_side`
    chart_triangles : triangles sorted by chart
    box_triangles : triangles sorted by leaf
    """

    meshes: Records
    charts: Records
    vertices: Records
    triangles: Records
    edges: Records
    boxes: Records
    across: Indices
    facet_normals: Floats
    nearest_edges: Indices
    sides: Indices
    chart_triangles: Indices
    box_triangles: Indices


def no_surface() -> MeshSurface:
    """Of a deck without meshes."""
    return MeshSurface(
        meshes=np.zeros(0, MESH),
        charts=np.zeros(0, CHART),
        vertices=zeros_in_lines(0, VERTEX),
        triangles=zeros_in_lines(0, TRIANGLE),
        edges=zeros_in_lines(0, EDGE),
        boxes=zeros_in_lines(0, BOX),
        across=np.zeros((0, 3), np.int64),
        facet_normals=np.zeros((0, 3)),
        nearest_edges=np.zeros(0, np.int64),
        sides=np.zeros(0, np.int64),
        chart_triangles=np.zeros(0, np.int64),
        box_triangles=np.zeros(0, np.int64),
    )
