"""The direction in which two convex solids are furthest apart, or overlap least: a first, rough answer.

For a unit vector d let

    p(d) = max over b in j, a in i of (b - a) . d

be how far i must move along d to clear j.  The signed gap is the greatest -p(d): the distance when they are apart,
else minus the least translation that separates them.  p is the support function of M = {b - a}.

    apart       the point of M nearest to the origin, by a walk over simplices of support points
                (E. Gilbert, D. Johnson, S. Keerthi, IEEE J. Robotics and Automation 4, 1988, 193-203)
    overlapping the facet of M nearest to the origin: a polytope inside M is grown at the facet that bounds the gap
                (G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, ch. 4), started not
                from the simplex of the walk but from an octahedron about a point deep inside M, which cannot be flat

`refine_normal` turns the answer into one exact to round-off.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.bodies import Floats, Record, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled
from .face_overlap import MOST_CORNERS, MOST_ROWS
from .shapes import ELLIPSOID, SPHERE, Solid, axis_of, is_round, normalised, reach, support

MOST_STEPS = 60
MOST_VERTICES = 120
MOST_FACETS = 400
MOST_FACES = 12
MOST_DIRECTIONS = 40
CLOSE = 1e-5  # relative; two overlaps that differ by less than this are the same to the search


def scratch_type(
    corners: int = MOST_CORNERS,
    rows: int = MOST_ROWS,
    directions: int = MOST_DIRECTIONS,
) -> np.dtype[np.void]:
    """Working memory of one query, with these capacities; a record, as kernels pass it on by its address alone."""
    return np.dtype(
        [
            ("polygons", "f8", (2, corners, 2)),
            ("rows", "f8", (rows, 3)),  # of a region
            ("depths", "f8", MOST_FACES),  # along the faces of j, then i
            ("edge_depths", "f8", 18),  # along the common normals of the edges of two boxes
            ("directions", "f8", (directions, 9)),  # direction, overlap, deepest point, factor, overlap that counts
            ("simplex", "f8", (4, 3)),
            ("vertices", "f8", (MOST_VERTICES, 3)),  # of the polytope
            ("planes", "f8", (MOST_FACETS, 4)),  # outward normal and offset
            ("facets", "i8", (MOST_FACETS, 3)),  # corners, counter-clockwise from outside; -1: none
            ("edges", "i8", (MOST_FACETS, 2)),
            ("plain", "i8"),  # 1: the points found are those of one separating direction alone, with constant weights
            ("gap", "f8"),  # what a query for the gap finds: see `put_gap`
            ("normal", "f8", 3),
            ("on_i", "f8", 3),
            ("on_j", "f8", 3),
        ],
        align=True,
    )


SCRATCH = scratch_type()


def new_scratch() -> Record:
    """Working memory for one query at a time."""
    return np.zeros(1, SCRATCH)[0]


@kernel(inline=True)
def clearance(i: Solid, j: Solid, d: Vector) -> float:
    """p(d): how far i must move along d to clear j; negative when d separates them."""
    return reach(i, scaled(-1.0, d)) + reach(j, d) - dot(d, minus(i.centre, j.centre))


@kernel(inline=True)
def difference_support(i: Solid, j: Solid, d: Vector) -> Vector:
    """The point of M furthest along d."""
    return minus(support(j, d), support(i, scaled(-1.0, d)))


@kernel(inline=True)
def rounding_radius(solid: Solid) -> float:
    """Radius of the largest ball that rolls inside a solid over all of its surface."""
    if solid.kind == ELLIPSOID:
        a, b, c = solid.size
        return min(a, b, c) ** 2 / max(a, b, c)
    return solid.size[0] if solid.kind == SPHERE else 0.0


@kernel(inline=True)
def vertex(rows: Floats, k: int) -> Vector:
    return rows[k, 0], rows[k, 1], rows[k, 2]


@kernel(inline=True)
def set_vertex(rows: Floats, k: int, v: Vector) -> None:
    rows[k, 0], rows[k, 1], rows[k, 2] = v[0], v[1], v[2]


@kernel
def nearest_on_triangle(a: Vector, b: Vector, c: Vector) -> tuple[Vector, int]:
    """Point of a triangle nearest to the origin, and which corners (bits) span it (C. Ericson, 2005, 5.1.5)."""
    ab, ac = minus(b, a), minus(c, a)
    d1, d2 = -dot(ab, a), -dot(ac, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, 1
    d3, d4 = -dot(ab, b), -dot(ac, b)
    if d3 >= 0.0 and d4 <= d3:
        return b, 2
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return plus(a, scaled(d1 / (d1 - d3), ab)), 3
    d5, d6 = -dot(ab, c), -dot(ac, c)
    if d6 >= 0.0 and d5 <= d6:
        return c, 4
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return plus(a, scaled(d2 / (d2 - d6), ac)), 5
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        return plus(b, scaled((d4 - d3) / ((d4 - d3) + (d5 - d6)), minus(c, b))), 6
    normal = cross(ab, ac)
    square = dot(normal, normal)
    if square > 0.0:
        return scaled(dot(a, normal) / square, normal), 7
    return a, 1


@kernel
def nearest_on_simplex(simplex: Floats, n: int) -> tuple[Vector, int, bool]:
    """Nearest point to the origin of up to four points; keeps those that span it; True: the origin is inside."""
    a = vertex(simplex, 0)
    if n == 1:
        return a, 1, False
    b = vertex(simplex, 1)
    if n == 2:
        ab = minus(b, a)
        square = dot(ab, ab)
        t = -dot(a, ab) / square if square > 0.0 else 0.0
        if t <= 0.0:
            return a, 1, False
        if t >= 1.0:
            set_vertex(simplex, 0, b)
            return b, 1, False
        return plus(a, scaled(t, ab)), 2, False
    c = vertex(simplex, 2)
    if n == 3:
        near, bits = nearest_on_triangle(a, b, c)
        return near, keep(simplex, bits, a, b, c), False
    d = vertex(simplex, 3)
    best, near, bits, found = math.inf, a, 1, False
    best_a, best_b, best_c = a, b, c
    for side in range(4):
        # the face opposite to one corner
        if side == 0:
            p, q, r, opposite = a, b, c, d
        elif side == 1:
            p, q, r, opposite = a, c, d, b
        elif side == 2:
            p, q, r, opposite = a, d, b, c
        else:
            p, q, r, opposite = b, d, c, a
        normal = cross(minus(q, p), minus(r, p))
        own, other = -dot(p, normal), dot(minus(opposite, p), normal)
        if own * other > 0.0 and other != 0.0:
            continue  # the origin lies on the inner side of this face
        found = True
        candidate, spanned = nearest_on_triangle(p, q, r)
        square = dot(candidate, candidate)
        if square < best:
            best, near, bits = square, candidate, spanned
            best_a, best_b, best_c = p, q, r
    if not found:
        return (0.0, 0.0, 0.0), 4, True
    return near, keep(simplex, bits, best_a, best_b, best_c), False


@kernel
def keep(simplex: Floats, bits: int, a: Vector, b: Vector, c: Vector) -> int:
    n = 0
    if bits & 1:
        set_vertex(simplex, n, a)
        n += 1
    if bits & 2:
        set_vertex(simplex, n, b)
        n += 1
    if bits & 4:
        set_vertex(simplex, n, c)
        n += 1
    return n


@kernel
def separating_direction(i: Solid, j: Solid, scratch: Record, margin: float, first_only: bool) -> tuple[Vector, bool]:
    """Direction from j to i in which they are furthest apart, when their cores are; else False.

    margin : the cores are the solids less this much of their rounding.  first_only : any separating direction of the
    solids will do.
    """
    simplex = scratch.simplex
    d = normalised(minus(i.centre, j.centre))
    n = 0
    scale = reach(i, d) + reach(j, d)
    nearest = math.inf
    for _ in range(MOST_STEPS):
        tip = difference_support(i, j, d)
        p = dot(tip, d)
        if first_only and p < 0.0:
            return d, True
        tip = minus(tip, scaled(margin, d))
        p -= margin
        # p bounds the distance from below, the nearest point from above
        if n > 0 and nearest + p <= 1e-5 * nearest:
            return d, True
        for k in range(n):
            if simplex[k, 0] == tip[0] and simplex[k, 1] == tip[1] and simplex[k, 2] == tip[2]:
                return d, p < 0.0
        set_vertex(simplex, n, tip)
        v, n, inside = nearest_on_simplex(simplex, n + 1)
        if inside:
            return d, False
        length = math.sqrt(dot(v, v))
        if length <= 1e-14 * scale:
            return d, False
        if length >= nearest * (1 - 1e-15):
            return d, p < 0.0
        nearest = length
        d = scaled(-1.0 / length, v)
    return d, clearance(i, j, d) < margin


@kernel(inline=True)
def set_facet(scratch: Record, f: int, a: int, b: int, c: int) -> None:
    """Facet with the corners a, b, c; one without an area is never the nearest."""
    p, q, r = vertex(scratch.vertices, a), vertex(scratch.vertices, b), vertex(scratch.vertices, c)
    pq, pr = minus(q, p), minus(r, p)
    normal = cross(pq, pr)
    square = dot(normal, normal)
    scratch.facets[f, 0], scratch.facets[f, 1], scratch.facets[f, 2] = a, b, c
    if square <= 1e-24 * dot(pq, pq) * dot(pr, pr):
        scratch.planes[f, 0], scratch.planes[f, 1], scratch.planes[f, 2], scratch.planes[f, 3] = 0.0, 0.0, 0.0, math.inf
        return
    normal = scaled(1.0 / math.sqrt(square), normal)
    scratch.planes[f, 0], scratch.planes[f, 1], scratch.planes[f, 2] = normal[0], normal[1], normal[2]
    scratch.planes[f, 3] = dot(normal, p)


@kernel(inline=True)
def inner_radius(solid: Solid) -> float:
    """Radius of a ball about the centre inside a solid."""
    a, b, c = solid.size
    if is_round(solid.kind):
        slant = math.sqrt(4 * c * c + (a - b) ** 2)
        return min(c, (a + b) * c / slant)
    return a if solid.kind == SPHERE else min(a, b, c)


@kernel
def start_octahedron(i: Solid, j: Solid, scratch: Record) -> int:
    """An octahedron inside M, about the difference of the centres: six vertices, eight facets."""
    middle = minus(j.centre, i.centre)
    radius = inner_radius(i) + inner_radius(j)
    for k in range(6):
        sign = radius if k % 2 == 0 else -radius
        set_vertex(scratch.vertices, k, plus(middle, scaled(sign, axis_of(j, k // 2))))
    for k in range(8):
        x, y, z = k & 1, 2 + ((k >> 1) & 1), 4 + ((k >> 2) & 1)
        if ((k & 1) + ((k >> 1) & 1) + ((k >> 2) & 1)) % 2 == 0:
            set_facet(scratch, k, x, y, z)
        else:
            set_facet(scratch, k, x, z, y)
    return 8


@kernel
def least_overlap_direction(i: Solid, j: Solid, known: Vector, scratch: Record) -> Vector:
    """Direction in which i clears j by the least translation, rough for curved solids; no worse than `known`.

    The search ends with the best direction so far where the vertices are used up (deep inside solids a hundred times
    as long as they are wide) or the facets: a polytope of V vertices has 2 V - 4 of them, unless rounding takes its
    shape away, and then it is as fine as it gets.
    """
    vertices, planes, facets = scratch.vertices, scratch.planes, scratch.facets
    n_facets, n_vertices = start_octahedron(i, j, scratch), 6
    best_d, best = known, clearance(i, j, known)
    scale = best + math.sqrt(dot(vertex(vertices, 0), vertex(vertices, 0)))
    while n_vertices < len(vertices):
        nearest, offset = -1, math.inf
        for f in range(n_facets):
            if facets[f, 0] >= 0 and planes[f, 3] < offset:
                nearest, offset = f, planes[f, 3]
        if nearest < 0:
            break
        d = vertex(planes, nearest)
        tip = difference_support(i, j, d)
        p = dot(tip, d)
        if p < best:
            best, best_d = p, d
        if best < 0.0 or min(p, best) - offset <= CLOSE * best + 1e-13 * scale:
            break
        n_edges = remove_seen(scratch, n_facets, nearest, tip, 1e-13 * scale)
        if n_edges == 0:
            break
        set_vertex(vertices, n_vertices, tip)
        n_facets = close_with(scratch, n_facets, n_edges, n_vertices)
        if n_facets == 0:
            break
        n_vertices += 1
    return best_d


@kernel
def remove_seen(scratch: Record, n_facets: int, nearest: int, tip: Vector, tolerance: float) -> int:
    """Remove the facets that a point outside sees; the number of edges about them, in scratch.edges, 0: too many."""
    planes, facets, edges = scratch.planes, scratch.facets, scratch.edges
    n_edges = 0
    for f in range(n_facets):
        seen = facets[f, 0] >= 0 and (f == nearest or dot(vertex(planes, f), tip) - planes[f, 3] > tolerance)
        if not seen:
            continue
        for k in range(3):
            a, b = facets[f, k], facets[f, (k + 1) % 3]
            # an edge met from both sides is inside the part that is seen
            twin = -1
            for e in range(n_edges):
                if edges[e, 0] == b and edges[e, 1] == a:
                    twin = e
                    break
            if twin >= 0:
                n_edges -= 1
                edges[twin, 0], edges[twin, 1] = edges[n_edges, 0], edges[n_edges, 1]
            elif n_edges >= len(edges):
                return 0
            else:
                edges[n_edges, 0], edges[n_edges, 1] = a, b
                n_edges += 1
        facets[f, 0] = -1
    return n_edges


@kernel
def close_with(scratch: Record, n_facets: int, n_edges: int, tip: int) -> int:
    """Facets between the edges and a vertex, where facets were removed; the end of all facets, 0: too many."""
    free = 0
    for e in range(n_edges):
        while free < n_facets and scratch.facets[free, 0] >= 0:
            free += 1
        if free >= len(scratch.facets):
            return 0
        set_facet(scratch, free, scratch.edges[e, 0], scratch.edges[e, 1], tip)
        n_facets = max(n_facets, free + 1)
    return n_facets
