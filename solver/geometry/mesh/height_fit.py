"""Height of a surface over its tangent plane at a vertex, by least squares from the vertices round about.

    z = a x + b y + F q + four cubic terms,   q = (c x^2 + 2 d x y + e y^2)/2,   F = 2/(1 + sqrt(1 - |grad q|^2)),

with weights r^-6, in a frame that is turned until a = b = 0, with F from a fit without cubic terms.  Spheres and
cylinders of any curvature are then exact.

A mesh does not always determine all terms: a cylinder may have vertices at its two ends only.  Terms are taken in their
order, along the principal axes of the vertices found, and one that those before it explain on these is left out.
Vertices much further than most, across a large face beside small ones, are taken only where the others leave one of the
first five out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats, Ints
from ...core.jit.kernels import kernel

TERMS = 9
QUADRATIC = 5  # of them without the cubic ones
FEWEST_FOR_CUBIC = 12  # vertices round about
NEAR_ONES, FAR = 6, 3.0  # vertices further than so many times the distance of the sixth are left out if the others do
SWEEPS = 3  # without cubic terms, and as many with them
MOST_ROUND = 0.9  # square of the steepest slope that F takes into account
# Part of the square of a column that those before it leave, below which it is left out: linear, quadratic, cubic terms
SAME_AXIS, EXPLAINED, EXPLAINED_CUBIC = 1e-8, 1e-2, 1e-3


class Ring(NamedTuple):
    """Vertices round about one: vertices[:size]."""

    positions: Floats
    vertex: int
    vertices: Ints
    size: int


@kernel(inline=True)
def offset(ring: Ring, k: int) -> tuple[float, float, float]:
    """From the vertex to the k-th of its ring."""
    p, v, o = ring.positions, ring.vertex, ring.vertices[k]
    return p[o, 0] - p[v, 0], p[o, 1] - p[v, 1], p[o, 2] - p[v, 2]


@kernel
def set_frame(normal: Floats, frame: Floats) -> None:
    """Two unit vectors at right angles to a unit normal, as the rows 0 and 1 of the frame; the normal as row 2."""
    x, y, z = normal[0], normal[1], normal[2]
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        a, b, c = 0.0, z, -y
    elif abs(y) <= abs(z):
        a, b, c = -z, 0.0, x
    else:
        a, b, c = y, -x, 0.0
    length = math.sqrt(a * a + b * b + c * c)
    a, b, c = a / length, b / length, c / length
    frame[0, 0], frame[0, 1], frame[0, 2] = a, b, c
    frame[1, 0], frame[1, 1], frame[1, 2] = y * c - z * b, z * a - x * c, x * b - y * a
    frame[2, 0], frame[2, 1], frame[2, 2] = x, y, z


@kernel(inline=True)
def in_frame(frame: Floats, d: tuple[float, float, float]) -> tuple[float, float, float]:
    return (
        frame[0, 0] * d[0] + frame[0, 1] * d[1] + frame[0, 2] * d[2],
        frame[1, 0] * d[0] + frame[1, 1] * d[1] + frame[1, 2] * d[2],
        frame[2, 0] * d[0] + frame[2, 1] * d[1] + frame[2, 2] * d[2],
    )


@kernel
def turn_to_principal_axes(ring: Ring, unit: float, frame: Floats) -> None:
    """Turn rows 0 and 1 of the frame to the principal axes of the ring, with weights r^-4."""
    xx = xy = yy = 0.0
    for k in range(ring.size):
        d = offset(ring, k)
        x, y, _ = in_frame(frame, d)
        weight = (unit * unit / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])) ** 2
        xx += weight * x * x
        xy += weight * x * y
        yy += weight * y * y
    angle = 0.5 * math.atan2(2.0 * xy, xx - yy)
    c, s = math.cos(angle), math.sin(angle)
    for i in range(3):
        a, b = frame[0, i], frame[1, i]
        frame[0, i], frame[1, i] = c * a + s * b, c * b - s * a


@kernel(inline=True)
def least_rest(term: int) -> float:
    return SAME_AXIS if term < 2 else EXPLAINED if term < QUADRATIC else EXPLAINED_CUBIC


@kernel
def solve_independent(matrix: Floats, right: Floats, number: int) -> int:
    """Solve the normal equations in place by Cholesky's method; a column that those before explain gets 0.

    Without y^2 there are no x y^2 and y^3, without x^2 no x^3 and x^2 y.

    Returns how many of the first five are independent, 0 if the first two are not.
    """
    scale, kept = np.zeros(TERMS), np.zeros(TERMS, np.int64)
    for i in range(number):
        if matrix[i, i] > 0.0:
            scale[i] = 1.0 / math.sqrt(matrix[i, i])
    for i in range(number):
        right[i] *= scale[i]
        for j in range(i + 1):
            rest = matrix[i, j] * scale[i] * scale[j]
            for k in range(j):
                rest -= matrix[i, k] * matrix[j, k]
            if j < i:
                matrix[i, j] = rest / matrix[j, j] if kept[j] else 0.0
            elif rest > least_rest(i) and (i < QUADRATIC or kept[2 if i < 7 else 4]):
                matrix[i, i] = math.sqrt(rest)
                kept[i] = 1
    if not (kept[0] and kept[1]):
        return 0
    for i in range(number):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] = right[i] / matrix[i, i] if kept[i] else 0.0
    for i in range(number - 1, -1, -1):
        for k in range(i + 1, number):
            right[i] -= matrix[k, i] * right[k]
        right[i] = right[i] / matrix[i, i] if kept[i] else 0.0
    for i in range(number):
        right[i] *= scale[i]
    independent = 0
    for i in range(QUADRATIC):
        independent += kept[i]
    return independent


@kernel(inline=True)
def set_columns(x: float, y: float, terms: Floats, columns: Floats) -> None:
    """What each term adds to the height at (x, y); F from the curvatures among the terms.

    Of a circle of curvature k, F is (1 - sqrt(1 - k^2 x^2))/k over k x^2/2.
    """
    steep = (terms[2] * x + terms[3] * y) ** 2 + (terms[3] * x + terms[4] * y) ** 2
    factor = 2.0 / (1.0 + math.sqrt(1.0 - min(steep, MOST_ROUND)))
    columns[0], columns[1] = x, y
    columns[2], columns[3], columns[4] = 0.5 * factor * x * x, factor * x * y, 0.5 * factor * y * y
    columns[5], columns[6], columns[7], columns[8] = x * x * x, x * x * y, x * y * y, y * y * y


@kernel
def fit_heights(ring: Ring, number: int, frame: Floats, terms: Floats) -> int:
    """Terms (9,) of the height in a frame, the first `number` of them; how many of five the ring determines.

    terms : those of the sweep before come in, as curvatures along the axes of this frame; terms[9]: unit of length
    """
    unit = terms[TERMS]
    matrix, right, columns = np.zeros((TERMS, TERMS)), np.zeros(TERMS), np.zeros(TERMS)
    for k in range(ring.size):
        x, y, z = in_frame(frame, offset(ring, k))
        x, y, z = x / unit, y / unit, z / unit
        weight = (x * x + y * y + z * z) ** -3
        set_columns(x, y, terms, columns)
        for i in range(number):
            right[i] += weight * columns[i] * z
            for j in range(i + 1):
                matrix[i, j] += weight * columns[i] * columns[j]
    kept = solve_independent(matrix, right, number)
    if kept > 0:
        for i in range(TERMS):
            terms[i] = right[i]
    return kept


@kernel
def extent_of(ring: Ring) -> tuple[float, float]:
    """Distances of the nearest and the furthest vertex of the ring."""
    nearest, furthest = math.inf, 0.0
    for k in range(ring.size):
        d = offset(ring, k)
        square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        nearest, furthest = min(nearest, square), max(furthest, square)
    return math.sqrt(nearest), math.sqrt(furthest)


@kernel
def carry_curvature(tensor: Floats, frame: Floats, terms: Floats) -> None:
    """Curvatures (3, 3) as terms along the axes of a frame."""
    for k, i, j in ((2, 0, 0), (3, 0, 1), (4, 1, 1)):
        terms[k] = 0.0
        for m in range(3):
            for n in range(3):
                terms[k] += frame[i, m] * tensor[m, n] * frame[j, n]


@kernel
def set_curvature(frame: Floats, terms: Floats, tensor: Floats) -> None:
    """Curvatures (3, 3) from terms along the axes of a frame."""
    for i in range(3):
        for j in range(3):
            tensor[i, j] = terms[2] * frame[0, i] * frame[0, j] + terms[4] * frame[1, i] * frame[1, j]
            tensor[i, j] += terms[3] * (frame[0, i] * frame[1, j] + frame[1, i] * frame[0, j])


@kernel
def fit_ring(ring: Ring, fewest_for_cubic: int, normal: Floats, frame: Floats, terms: Floats) -> int:
    """Turn the normal (3,) of a vertex to that of the fit; its last frame (3, 3) and terms (10,).

    Returns how many of the five terms of lower order the ring determines, 0 if there is no fit.
    """
    if ring.size < QUADRATIC:
        return 0
    nearest, furthest = extent_of(ring)
    if not nearest > 0.0:
        return 0
    number = TERMS if ring.size >= fewest_for_cubic else QUADRATIC
    for i in range(TERMS):
        terms[i] = 0.0
    terms[TERMS] = furthest
    tensor = np.zeros((3, 3))
    kept = 0
    for sweep in range(2 * SWEEPS):
        quadratic = sweep < SWEEPS
        set_frame(normal, frame)
        turn_to_principal_axes(ring, nearest, frame)
        carry_curvature(tensor, frame, terms)
        last_c, last_d, last_e = terms[2], terms[3], terms[4]
        kept = fit_heights(ring, QUADRATIC if quadratic else number, frame, terms)
        if kept == 0:
            return 0
        length = math.sqrt(1.0 + terms[0] * terms[0] + terms[1] * terms[1])
        for i in range(3):
            normal[i] = (frame[2, i] - terms[0] * frame[0, i] - terms[1] * frame[1, i]) / length
        if quadratic:
            set_curvature(frame, terms, tensor)
            change = abs(terms[2] - last_c) + abs(terms[3] - last_d) + abs(terms[4] - last_e)
            if number == QUADRATIC and abs(terms[0]) + abs(terms[1]) + change < 1e-12:
                break
    return kept


@kernel
def near_part(ring: Ring, squares: Floats) -> int:
    """Bring those of a ring that are not much further than most near ones to its front; their number.

    squares : (n,), work space
    """
    for k in range(ring.size):
        d = offset(ring, k)
        squares[k] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    limit, most = 0.0, 0.0
    for k in range(ring.size):
        most = max(most, squares[k])
    for _ in range(min(NEAR_ONES, ring.size)):
        least = math.inf
        for k in range(ring.size):
            if limit < squares[k] < least:
                least = squares[k]
        limit = min(least, most)
    limit *= FAR * FAR
    front = 0
    for k in range(ring.size):
        if squares[k] <= limit:
            a, b = ring.vertices[front], ring.vertices[k]
            ring.vertices[front], ring.vertices[k] = b, a
            squares[front], squares[k] = squares[k], squares[front]
            front += 1
    return front


@kernel
def misfit(ring: Ring, frame: Floats, terms: Floats) -> float:
    """What a fit leaves, as an angle: weighted root mean square of heights over that of distances."""
    unit = terms[TERMS]
    columns = np.zeros(TERMS)
    left = whole = 0.0
    for k in range(ring.size):
        x, y, z = in_frame(frame, offset(ring, k))
        x, y, z = x / unit, y / unit, z / unit
        square = x * x + y * y + z * z
        weight = square**-3
        set_columns(x, y, terms, columns)
        for i in range(TERMS):
            z -= terms[i] * columns[i]
        left += weight * z * z
        whole += weight * square
    return math.sqrt(left / whole)
