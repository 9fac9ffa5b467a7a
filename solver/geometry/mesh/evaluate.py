"""The smooth surface of a mesh at a point: signed height, normal, curvature, and how far beyond the edges of a chart.

**Coordinates.**  With the corners P_i of a triangle and the unit normals N_i there, a point near the surface is

    x = sum b_i (P_i + t N_i),  sum b_i = 1,

found by Newton's method.  On an edge, b_i = 0, both triangles give the same coordinates: with M = sum b_i N_i and the
surface below, phi is continuous within a chart, to rounding, and so is M.

**Surface.**  S = sum b_i P_i + sum g_i N_i, where

    g_i = -b_i sum_j b_j (b_i + b_k/2) a_ij + 9 B b_0 b_1 b_2,   a_ij = (P_j - P_i).N_i

bends each edge to Hermite's cubic between its normals; B is the bulge of the triangle.  All cubics are reproduced, so
that the height is of fourth order in the size of triangles if the normals are of third order.

**Height.**  phi = (x - S).M/|M| = t |M| - sum g_i N_i.M/|M|, a function of the coordinates alone; `normal` is its exact
gradient divided by its length, the Hessian is exact but for terms of second order in the angle across a triangle.
Triangles whose surface is steeper against M than 0.1 and half of the angle between M and the facet (`ROUGH`: needles
beside which vertices are off the surface, creases that were asked to be smooth) have M for their normal and no
curvature; those whose facet is further than 75 degrees from M are planes.

From one triangle to the next the normal jumps by what the surfaces miss each other's slope, third order again.

**Edges of charts.**  Beyond a cut edge phi goes on as the second-order expansion about the edge, and straight on from
where that has turned the normal by half a radian: what is far outside is never extrapolated by cubics.  `beyond` is the
signed distance from the plane that halves the angle between two charts (see `cut_edges`), at the nearest cut edge; the
chart is in charge of x where it is negative.

Charts of facets as they are (`FACETS`) are walked across by the same planes: phi is that of the plane in charge, the
largest at convex edges and the least at concave ones, so that it is continuous; the normal jumps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, vector_of
from ..surface_point import NO_CURVATURE, NO_EDGE, SurfacePoint, Tensor, added, applied, size_of, symmetric
from .patch import Slopes, bend, parts_of, second_bend
from .records import FACETS, NEEDLE, NONE, PLANE_CHART, ROUGH, SMOOTH, MeshSurface
from .shell import FOLDED, Patch, Shell, along, clamped, lifted, patch_of, shell_of

MOST_STEPS, PATIENCE = 200, 100  # of a walk, and of them without getting nearer
OUTSIDE = -1e-10  # coordinates below this are outside
BESIDE = -1.0  # coordinates above this are those of a triangle next to the right one
STEEP, PART = 0.1, 0.5  # angle from which on a surface is too steep for its normals, part of theirs to the facet
FURTHEST = math.cos(math.radians(75.0))  # of the angle between the normals of corners and their facet
MOST_TURN = 0.5  # radians by which the normal turns beyond a cut edge: a hollow ends, it is not deep far away from it
SMALLEST = 1e-300
SAMPLES = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (1.0 / 3.0, 1.0 / 3.0))


@kernel(inline=True)
def next_edge(triangle: Record, shell: Shell, came_from: int) -> tuple[int, bool]:
    """The edge furthest beyond which x lies, of those that lead on within the chart; NONE if there is none.

    And whether x lies beyond the edge across which the walk has come: both sides send it to the other.
    """
    v, w, _ = shell
    furthest, edge, back = OUTSIDE, NONE, False
    for corner in range(3):
        opposite = w if corner == 0 else 1.0 - v - w if corner == 1 else v
        neighbour = triangle.neighbours[corner]
        if opposite < furthest and neighbour != NONE:
            if neighbour == came_from:
                back = True
            else:
                furthest, edge = opposite, corner
    return edge, back


@kernel(inline=True)
def locate(surface: MeshSurface, triangle: int, x: Vector) -> tuple[int, Shell, bool]:
    """Walk within a chart to the triangle over which x lies, or to its edge; the coordinates of x there.

    And whether the walk came to its end.

    Where triangles overlap or leave a gap, as beside needles, a walk may go in circles: it ends after some steps that
    lead no nearer, with the triangle that x is least outside of.
    """
    came_from = NONE
    best, best_triangle, best_shell, patience = -math.inf, triangle, Shell(0.0, 0.0, 0.0), PATIENCE
    for _ in range(MOST_STEPS):
        here = surface.triangles[triangle]
        shell = shell_of(patch_of(surface.vertices, here), x, here.area)
        edge, back = next_edge(here, shell, came_from)
        least = min(shell.v, min(shell.w, 1.0 - shell.v - shell.w))
        if edge == NONE and (not back or least > best):
            return triangle, shell, True
        patience -= 1
        if least > best:
            best, best_triangle, best_shell, patience = least, triangle, shell, PATIENCE
        if patience == 0 or edge == NONE:
            break
        came_from = triangle
        triangle = here.neighbours[edge]
    return best_triangle, best_shell, best > BESIDE


class Height(NamedTuple):
    phi: float
    gradient: Vector
    hessian: Tensor


@kernel(inline=True)
def slopes_of(triangle: Record) -> Slopes:
    a = triangle.slopes
    return Slopes(a[0], a[1], a[2], a[3], a[4], a[5], triangle.bulge)


@kernel
def height_at(patch: Patch, shell: Shell, slopes: Slopes, area: float) -> Height:
    """Height and its derivatives at coordinates of a triangle.

    Where the coordinates fold the gradient is taken to be the normal, without curvature.
    """
    v, w, t = shell
    a, b = lifted(patch.edge_1, t, patch.change_1), lifted(patch.edge_2, t, patch.change_2)
    m = along(patch.normal, v, patch.change_1, w, patch.change_2)
    length = math.sqrt(dot(m, m))
    unit = scaled(1.0 / length, m)
    f1, f2 = patch.change_1, patch.change_2
    p1, p2 = dot(f1, unit), dot(f2, unit)
    c0 = dot(patch.normal, unit)
    parts = parts_of(slopes, v, w)
    raised = bend(parts, (c0, c0 + p1, c0 + p2))
    phi = t * length - raised.value
    up = cross(a, b)
    determinant = dot(up, m)
    if not determinant > 2.0 * FOLDED * area:
        return Height(phi, unit, NO_CURVATURE)
    inverse = 1.0 / determinant
    grad_v, grad_w, grad_t = scaled(inverse, cross(b, m)), scaled(inverse, cross(m, a)), scaled(inverse, up)
    n1, n2 = dot(patch.normal, f1), dot(patch.normal, f2)
    f11, f12, f22 = dot(f1, f1), dot(f1, f2), dot(f2, f2)
    bent_1 = bend(parts, (n1, n1 + f11, n1 + f12))
    bent_2 = bend(parts, (n2, n2 + f12, n2 + f22))
    phi_v = t * p1 - raised.v - (bent_1.value - p1 * raised.value) / length
    phi_w = t * p2 - raised.w - (bent_2.value - p2 * raised.value) / length
    gradient = along(scaled(length, grad_t), phi_v, grad_v, phi_w, grad_w)
    vv, vw, ww = second_bend(slopes, v, w, (c0, c0 + p1, c0 + p2))
    turn = (t + raised.value / length) / length
    phi_vv = turn * (f11 - p1 * p1) - vv - 2.0 * (bent_1.v - p1 * raised.v) / length
    phi_ww = turn * (f22 - p2 * p2) - ww - 2.0 * (bent_2.w - p2 * raised.w) / length
    phi_vw = turn * (f12 - p1 * p2) - vw - (bent_1.w - p1 * raised.w + bent_2.v - p2 * raised.v) / length
    # second derivatives of the coordinates themselves: x_vt = f1, x_wt = f2, all others are zero
    mixed = along((0.0, 0.0, 0.0), p1 - dot(f1, gradient), grad_v, p2 - dot(f2, gradient), grad_w)
    hessian = symmetric(along((0.0, 0.0, 0.0), phi_vv, grad_v, 2.0 * phi_vw, grad_w), grad_v)
    hessian = added(hessian, phi_ww, symmetric(grad_w, grad_w))
    hessian = added(hessian, 2.0, symmetric(mixed, grad_t))
    return Height(phi, gradient, hessian)


class NearestEdge(NamedTuple):
    """edge : NONE if the chart has none; value, gradient : signed distance beyond it"""

    edge: int
    value: float
    gradient: Vector


@kernel(inline=True)
def beyond_curve(edge: Record, rest: Vector, held: float) -> tuple[float, Vector]:
    """How far a point is beyond the curve of a cut edge, and the gradient of that.

    The plane that halves the angle between the charts turns with the tangent of the curve.

    rest : from the start of the edge to the point.  held : how far along the chord the foot is
    """
    direction, bisector, part = vector_of(edge.direction), vector_of(edge.bisector), held / edge.length
    chord = scaled(edge.length, direction)
    first, last = minus(vector_of(edge.tangents[0]), chord), plus(vector_of(edge.tangents[1]), chord)
    change, across = minus(last, first), part * (1.0 - part)
    off = lifted(first, part, change)
    tangent = along(chord, 1.0 - 2.0 * part, off, across, change)
    length = math.sqrt(dot(tangent, tangent))
    tangent = scaled(1.0 / length, tangent)
    turn = dot(bisector, tangent) / (1.0 + dot(direction, tangent))
    normal = lifted(bisector, -turn, plus(direction, tangent))
    apart = along(rest, -held, direction, -across, off)
    if not 0.0 < part < 1.0:
        return dot(apart, normal), normal
    second = lifted(scaled(-2.0, off), 2.0 - 4.0 * part, change)
    turning = -dot(normal, second) / length * dot(apart, tangent) / edge.length
    return dot(apart, normal), lifted(normal, turning, direction)


@kernel(inline=True)
def nearest_edge(surface: MeshSurface, triangle: int, x: Vector) -> NearestEdge:
    """The cut edge that is nearest to x, of those that are nearest somewhere in a triangle.

    Of two that are equally near, at a corner of the chart, the one from which x is further.
    """
    here = surface.triangles[triangle]
    least, nearest, value, gradient = math.inf, NONE, NO_EDGE, (0.0, 0.0, 0.0)
    for k in range(here.first_edge, here.last_edge):
        edge = surface.edges[surface.nearest_edges[k]]
        direction, bisector = vector_of(edge.direction), vector_of(edge.bisector)
        rest = minus(x, vector_of(edge.start))
        held = min(max(dot(rest, direction), 0.0), edge.length)
        apart = lifted(rest, -held, direction)
        square = dot(apart, apart)
        if square > least * (1.0 + 1e-9):
            continue
        off, slope = dot(rest, bisector), bisector
        if edge.bow[0] != 0.0 or edge.bow[1] != 0.0:
            off, slope = beyond_curve(edge, rest, held)
        if square < least * (1.0 - 1e-9) or abs(off) > abs(value):
            nearest, value, gradient = surface.nearest_edges[k], off, slope
        least = min(least, square)
    return NearestEdge(nearest, value, gradient)


@kernel
def follow_outline(surface: MeshSurface, triangle: int, x: Vector, near: NearestEdge) -> tuple[int, NearestEdge, bool]:
    """From x outside a chart: the triangle at the nearest of its edges, and whether it was found.

    A walk over triangles may end beside it.
    """
    for _ in range(MOST_STEPS):
        other = surface.edges[near.edge].triangle
        if other == triangle or surface.triangles[other].kind == NEEDLE:
            return triangle, near, True
        triangle = other
        near = nearest_edge(surface, triangle, x)
    return triangle, near, False


@kernel(inline=True)
def smooth_height(surface: MeshSurface, triangle: int, shell: Shell, x: Vector) -> Height:
    """Height of x over a smooth chart, beyond its edges as expanded about the nearest point within."""
    here = surface.triangles[triangle]
    patch = patch_of(surface.vertices, here)
    held = clamped(patch, shell)
    height = height_at(patch, held, slopes_of(here), here.area)
    v, w, t = held
    a, b = lifted(patch.edge_1, t, patch.change_1), lifted(patch.edge_2, t, patch.change_2)
    rest = lifted(minus(x, along(patch.origin, v, a, w, b)), -t, patch.normal)
    if here.kind == ROUGH:
        m = along(patch.normal, v, patch.change_1, w, patch.change_2)
        m = scaled(1.0 / math.sqrt(dot(m, m)), m)
        return Height(height.phi + dot(m, rest), m, NO_CURVATURE)
    bent = applied(height.hessian, rest)
    square = dot(bent, bent)
    if square > MOST_TURN * MOST_TURN:
        s = MOST_TURN / math.sqrt(square)
        phi = height.phi + dot(height.gradient, rest) + s * (1.0 - 0.5 * s) * dot(bent, rest)
        return Height(phi, lifted(height.gradient, s, bent), height.hessian)
    phi = height.phi + dot(height.gradient, rest) + 0.5 * dot(bent, rest)
    return Height(phi, plus(height.gradient, bent), height.hessian)


@kernel
def mark_rough(vertices: Records, triangles: Records, facet_normals: Floats) -> None:
    """Find triangles of smooth charts that are not to be bent, see above, and flatten their middles."""
    for k in range(len(triangles)):
        here = triangles[k]
        if here.kind != SMOOTH:
            continue
        patch, slopes = patch_of(vertices, here), slopes_of(here)
        facet = vector_of(facet_normals[k])
        furthest = 1.0
        for place in range(len(SAMPLES)):
            v, w = SAMPLES[place]
            m = along(patch.normal, v, patch.change_1, w, patch.change_2)
            furthest = min(furthest, dot(m, facet) / math.sqrt(dot(m, m)))
        if not furthest > FURTHEST:
            here.kind = FACETS
        steepest = math.cos(STEEP + PART * math.acos(max(furthest, 0.0)))
        for place in range(len(SAMPLES)):
            v, w = SAMPLES[place]
            m = along(patch.normal, v, patch.change_1, w, patch.change_2)
            gradient = height_at(patch, Shell(v, w, 0.0), slopes, here.area).gradient
            cosine = dot(gradient, m) / math.sqrt(dot(m, m) * dot(gradient, gradient))
            if here.kind == SMOOTH and not cosine > steepest:
                here.kind = ROUGH
        if here.kind != SMOOTH:
            here.bulge = 0.0


@kernel
def find_curvatures(vertices: Records, triangles: Records) -> None:
    """Fill in the largest curvature of each smooth triangle by itself, from the Hessian at some places of it."""
    for k in range(len(triangles)):
        here = triangles[k]
        here.curvature = 0.0 if here.kind == PLANE_CHART else math.inf
        if here.kind != SMOOTH:
            continue
        patch, slopes, largest = patch_of(vertices, here), slopes_of(here), 0.0
        for place in range(len(SAMPLES)):
            v, w = SAMPLES[place]
            largest = max(largest, size_of(height_at(patch, Shell(v, w, 0.0), slopes, here.area).hessian))
        here.curvature = largest


@kernel
def locate_facet(surface: MeshSurface, triangle: int, x: Vector) -> tuple[int, bool]:
    """Walk within a chart of facets to the one in charge of x; and whether the walk came to its end."""
    for _ in range(MOST_STEPS):
        here, normal = surface.triangles[triangle], vector_of(surface.facet_normals[triangle])
        furthest, edge = -math.inf, NONE
        for corner in range(3):
            neighbour = here.neighbours[corner]
            if neighbour == NONE:
                continue
            start = vector_of(surface.vertices[here.corners[corner]].position)
            chord = minus(vector_of(surface.vertices[here.corners[(corner + 1) % 3]].position), start)
            away = cross(chord, plus(normal, vector_of(surface.facet_normals[neighbour])))
            off = dot(minus(x, start), away) / math.sqrt(max(dot(away, away), SMALLEST))
            if off > furthest:
                furthest, edge = off, corner
        if not furthest > 0.0:
            return triangle, True
        triangle = here.neighbours[edge]
    return triangle, False


@kernel(inline=True)
def is_outside(triangle: Record, shell: Shell) -> bool:
    """Whether x lies beyond a cut edge of a triangle."""
    v, w, _ = shell
    for corner in range(3):
        opposite = w if corner == 0 else 1.0 - v - w if corner == 1 else v
        if opposite < OUTSIDE and triangle.neighbours[corner] == NONE:
            return True
    return False


class Foot(NamedTuple):
    """Where a point is taken to be over a chart.

    shell : its coordinates there, of smooth charts.  near : the nearest cut edge
    found : whether the search came to its end
    """

    triangle: int
    shell: Shell
    near: NearestEdge
    found: bool


@kernel
def foot_of(surface: MeshSurface, triangle: int, x: Vector) -> Foot:
    """The triangle of a chart below x, in body axes; the search walks from a triangle of it."""
    shell, followed = Shell(0.0, 0.0, 0.0), True
    if surface.triangles[triangle].kind == NEEDLE:
        triangle = surface.triangles[triangle].neighbours[0]
    of_facets = surface.charts[surface.triangles[triangle].chart].kind == FACETS
    if of_facets:
        triangle, found = locate_facet(surface, triangle, x)
    else:
        triangle, shell, found = locate(surface, triangle, x)
    near = nearest_edge(surface, triangle, x)
    if of_facets:
        if near.value > 0.0:
            triangle, near, followed = follow_outline(surface, triangle, x, near)
    elif near.edge != NONE and is_outside(surface.triangles[triangle], shell):
        outer, near, followed = follow_outline(surface, triangle, x, near)
        if outer != triangle:
            triangle, here = outer, surface.triangles[outer]
            shell = shell_of(patch_of(surface.vertices, here), x, here.area)
    return Foot(triangle, shell, near, found and followed)


@kernel(inline=True)
def surface_over(surface: MeshSurface, foot: Foot, x: Vector) -> SurfacePoint:
    """The surface of a chart at x, in body axes.  foot : of x"""
    triangle, shell, near, found = foot
    here = surface.triangles[triangle]
    if here.kind == SMOOTH or here.kind == ROUGH:
        height = smooth_height(surface, triangle, shell, x)
        normal = scaled(1.0 / math.sqrt(dot(height.gradient, height.gradient)), height.gradient)
        return SurfacePoint(triangle, height.phi, normal, height.hessian, near.value, near.gradient, near.edge, found)
    corner = surface.vertices[here.corners[0]]
    normal = vector_of(corner.normal) if here.kind == PLANE_CHART else vector_of(surface.facet_normals[triangle])
    phi = dot(minus(x, vector_of(corner.position)), normal)
    return SurfacePoint(triangle, phi, normal, NO_CURVATURE, near.value, near.gradient, near.edge, found)


@kernel
def evaluate_surface(surface: MeshSurface, triangle: int, x: Vector) -> SurfacePoint:
    """The surface of the chart of a triangle at x, in body axes; the search walks from this triangle."""
    return surface_over(surface, foot_of(surface, triangle, x), x)
