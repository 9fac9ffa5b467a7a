"""Coordinates of a point near a triangle with normals at its corners: x = sum b_i (P_i + t N_i), sum b_i = 1."""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.bodies import Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, scaled, vector_of

FOLDED = 0.1  # of its undeformed value: Jacobian determinant below which the coordinates are not pursued


class Patch(NamedTuple):
    """One triangle: its first corner, edges from there, normal at the first corner and changes along those edges."""

    origin: Vector
    edge_1: Vector
    edge_2: Vector
    normal: Vector
    change_1: Vector
    change_2: Vector


class Shell(NamedTuple):
    """Coordinates b_1, b_2, t of a point."""

    v: float
    w: float
    t: float


@kernel(inline=True)
def patch_of(vertices: Records, triangle: Record) -> Patch:
    corners = triangle.corners
    a, b, c = vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]
    origin, normal = vector_of(a.position), vector_of(a.normal)
    return Patch(
        origin,
        minus(vector_of(b.position), origin),
        minus(vector_of(c.position), origin),
        normal,
        minus(vector_of(b.normal), normal),
        minus(vector_of(c.normal), normal),
    )


@kernel(inline=True)
def along(origin: Vector, v: float, a: Vector, w: float, b: Vector) -> Vector:
    """origin + v a + w b."""
    return (
        origin[0] + v * a[0] + w * b[0],
        origin[1] + v * a[1] + w * b[1],
        origin[2] + v * a[2] + w * b[2],
    )


@kernel(inline=True)
def lifted(edge: Vector, t: float, change: Vector) -> Vector:
    return edge[0] + t * change[0], edge[1] + t * change[1], edge[2] + t * change[2]


@kernel(inline=True)
def corrected(shell: Shell, rest: Vector, a: Vector, b: Vector, m: Vector, up: Vector, determinant: float) -> Shell:
    """Coordinates and the solution of dv a + dw b + dt m = rest.  up : a x b.  determinant : of a, b, m"""
    inverse = 1.0 / determinant
    dv, dw, dt = dot(rest, cross(b, m)) * inverse, dot(rest, cross(m, a)) * inverse, dot(rest, up) * inverse
    return Shell(shell.v + dv, shell.w + dw, shell.t + dt)


@kernel(inline=True)
def newton_step(patch: Patch, shell: Shell, x: Vector, least: float) -> Shell:
    """Better coordinates of x; the same where the coordinates fold."""
    v, w, t = shell
    a, b = lifted(patch.edge_1, t, patch.change_1), lifted(patch.edge_2, t, patch.change_2)
    m = along(patch.normal, v, patch.change_1, w, patch.change_2)
    up = cross(a, b)
    determinant = dot(up, m)
    if not determinant > least:
        return shell
    rest = lifted(minus(x, along(patch.origin, v, a, w, b)), -t, patch.normal)
    return corrected(shell, rest, a, b, m, up, determinant)


@kernel(inline=True)
def projected(patch: Patch, x: Vector) -> Shell:
    """Coordinates in the plane of a triangle, for triangles that their normals turn over."""
    up = cross(patch.edge_1, patch.edge_2)
    square = dot(up, up)
    if not square > 0.0:
        return Shell(1.0 / 3.0, 1.0 / 3.0, 0.0)
    rest = minus(x, patch.origin)
    v, w = dot(rest, cross(patch.edge_2, up)) / square, dot(rest, cross(up, patch.edge_1)) / square
    return Shell(v, w, dot(rest, up) / math.sqrt(square))


@kernel(inline=True)
def shell_of(patch: Patch, x: Vector, area: float) -> Shell:
    """Coordinates of x."""
    least, third = 2.0 * FOLDED * area, 1.0 / 3.0
    a, b = patch.edge_1, patch.edge_2
    m, up = along(patch.normal, third, patch.change_1, third, patch.change_2), cross(a, b)
    determinant = dot(up, m)
    if not determinant > least:
        return projected(patch, x)
    # the first step, from the middle of the triangle, where all that t brings is zero
    rest = minus(x, along(patch.origin, third, a, third, b))
    shell = corrected(Shell(third, third, 0.0), rest, a, b, m, up, determinant)
    shell = newton_step(patch, shell, x, least)
    return newton_step(patch, shell, x, least)


@kernel(inline=True)
def on_edge(patch: Patch, shell: Shell, corner: int) -> tuple[float, float, float]:
    """The point v, w of an edge that is nearest to the coordinates, and the square of its distance."""
    v, w, _ = shell
    if corner == 0:
        start, side = (0.0, 0.0), (1.0, 0.0)
    elif corner == 1:
        start, side = (1.0, 0.0), (-1.0, 1.0)
    else:
        start, side = (0.0, 1.0), (0.0, -1.0)
    zero = (0.0, 0.0, 0.0)
    d = along(zero, side[0], patch.edge_1, side[1], patch.edge_2)
    r = along(zero, v - start[0], patch.edge_1, w - start[1], patch.edge_2)
    square = dot(d, d)
    s = min(max(dot(r, d) / square, 0.0), 1.0) if square > 0.0 else 0.0
    rest = minus(r, scaled(s, d))
    return start[0] + s * side[0], start[1] + s * side[1], dot(rest, rest)


@kernel
def clamped(patch: Patch, shell: Shell) -> Shell:
    """The coordinates, or, outside the triangle, those of its nearest point, t unchanged."""
    v, w, t = shell
    best = math.inf
    nearest = shell
    for corner in range(3):
        opposite = w if corner == 0 else 1.0 - v - w if corner == 1 else v
        if opposite < 0.0:
            a, b, square = on_edge(patch, shell, corner)
            if square < best:
                best, nearest = square, Shell(a, b, t)
    return nearest
