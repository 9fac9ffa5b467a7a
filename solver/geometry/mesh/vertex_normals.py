"""Normals of the smooth surface at the vertices of a mesh.

First the weights of N. Max (Weights for computing vertex normals from facet normals, J. Graphics Tools 4 (1999) 1-6),
exact on spheres.  Then the height of the vertices round about over the tangent plane is fitted by least squares,

    z = a x + b y + F q + four cubic terms,   q = (c x^2 + 2 d x y + e y^2)/2,   F = 2/(1 + sqrt(1 - |grad q|^2)),

with weights r^-4, in a frame that is turned until a = b = 0, with F from the fit before.  Spheres and cylinders of any
curvature are then exact.  With the cubic terms the normal is of third order in the
size of triangles.  Vertices are those of one chart alone: what lies beyond a cut edge says nothing about this side.

A mesh does not always determine all terms: a cylinder may have vertices at its two ends only.  Terms are taken in their
order, along the principal axes of the vertices found, and one that those before it explain on these is left out.

Where the facets round a vertex turn further than an edge of the chart may, as at the tip of a cone, there is no tangent
plane: each facet keeps its own normal there.

A fit is believed if its normal is no further from the first than the facets round the vertex and its neighbours are;
if not, the first normal stays, and if that is further off than the facets at the vertex itself, their mean does,
weighted by their angles.  So normals are never wilder than the facets.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.sparse import coo_matrix

from ...core.bodies import Floats as Array
from ...core.bodies import Ints
from ...core.jit.kernels import kernel
from .adjacency import Facets, Topology, corner_angles, edge_lengths, summed
from .triangle_mesh import Floats, Indices

TERMS = 9
FEWEST_FOR_CUBIC = 12  # vertices round about
ENOUGH = 14  # from so many on, no further ring is looked at
HUB = 24  # neighbours of a vertex from which on its own neighbours are not near each other
FEWEST = 5
SWEEPS = 6
MOST_ROUND = 0.9  # square of the steepest slope that F takes into account
STEEPEST = math.radians(60.0)  # from the first normal, whatever the facets
LEAST = np.array([1e-8, 1e-8, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3])  # see `solve_independent`


def unit_rows(vectors: Floats) -> Floats:
    """Each row divided by its length; rows without length stay zero."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))


def first_normals(corners: Floats, facets: Facets, topology: Topology) -> tuple[Floats, Floats]:
    """Of each wedge: Max's normal or the mean of its facets, (w, 3); the angle to the furthest facet, (w,)."""
    count = len(topology.sources)
    wedges = topology.wedges
    lengths = edge_lengths(corners)
    angles = corner_angles(corners) * facets.trusted[:, None]
    maxima, means = np.zeros((count, 3)), np.zeros((count, 3))
    for c in range(3):
        product = (lengths[:, c] * lengths[:, (c + 2) % 3]) ** 2
        weight = facets.areas * facets.trusted / np.where(product > 0.0, product, 1.0)
        maxima += summed(wedges[:, c], weight[:, None] * facets.normals, count)
        means += summed(wedges[:, c], angles[:, c, None] * facets.normals, count)
    lost = np.linalg.norm(means, axis=1) < 1e-12  # none of the facets is trusted
    for c in range(3):
        at = lost[wedges[:, c]]
        means += summed(wedges[at, c], facets.normals[at], count)
    means, maxima = unit_rows(means), unit_rows(maxima)

    def furthest(normals: Floats) -> Floats:
        cosine = np.full(count, 1.0)
        for c in range(3):
            np.minimum.at(cosine, wedges[:, c], np.einsum("tk,tk->t", facets.normals, normals[wedges[:, c]]))
        return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))

    spread = furthest(means)
    wild = np.arccos(np.clip(np.einsum("vk,vk->v", maxima, means), -1.0, 1.0)) > spread
    normals = np.where(wild[:, None], means, maxima)
    return normals, np.maximum(spread, furthest(normals))


def rings(topology: Topology) -> tuple[Indices, Indices]:
    """Neighbours of each wedge along edges of its chart: [first[v], first[v + 1]) of the second."""
    wedges = topology.wedges
    count = len(topology.sources)
    a, b = wedges.ravel(), np.roll(wedges, -1, axis=1).ravel()
    ones = np.ones(2 * len(a), np.int8)
    matrix = coo_matrix((ones, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(count, count)).tocsr()
    matrix.sum_duplicates()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


@kernel
def gather_ring(v: int, first: Ints, near: Ints, seen: Ints, ring: Ints) -> int:
    """Vertices within two steps of v, within three if those are few; the number of those written into `ring`.

    seen : (vertices,), the vertex that last came by
    """
    seen[v] = v
    count, start = 0, 0
    for n in range(first[v], first[v + 1]):
        seen[near[n]] = v
        ring[count] = near[n]
        count += 1
    for _ in range(2):
        if start > 0 and count >= ENOUGH:
            break
        last = count
        for k in range(start, last):
            o = ring[k]
            if first[o + 1] - first[o] > HUB:
                continue
            for n in range(first[o], first[o + 1]):
                if seen[near[n]] != v:
                    seen[near[n]] = v
                    ring[count] = near[n]
                    count += 1
        start = last
    return count


@kernel
def set_frame(normal: Array, frame: Array) -> None:
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


@kernel
def turn_to_principal_axes(positions: Array, v: int, ring: Ints, count: int, nearest: float, frame: Array) -> None:
    """Turn rows 0 and 1 of the frame to the principal axes of the ring, with weights r^-4."""
    xx = xy = yy = 0.0
    for k in range(count):
        x = y = square = 0.0
        for i in range(3):
            d = positions[ring[k], i] - positions[v, i]
            x += d * frame[0, i]
            y += d * frame[1, i]
            square += d * d
        weight = (nearest / square) ** 2
        xx += weight * x * x
        xy += weight * x * y
        yy += weight * y * y
    angle = 0.5 * math.atan2(2.0 * xy, xx - yy)
    c, s = math.cos(angle), math.sin(angle)
    for i in range(3):
        a, b = frame[0, i], frame[1, i]
        frame[0, i], frame[1, i] = c * a + s * b, c * b - s * a


@kernel
def solve_independent(matrix: Array, right: Array, number: int, least: Array) -> bool:
    """Solve the normal equations in place by Cholesky's method; a column that those before explain gets 0.

    least : (number,), part of the square of a column below which it counts as explained
    Returns False if the first two are no two columns.
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
            elif rest > least[i]:
                matrix[i, i] = math.sqrt(rest)
                kept[i] = 1
    if not (kept[0] and kept[1]):
        return False
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
    return True


@kernel(inline=True)
def set_columns(x: float, y: float, factor: float, columns: Array) -> None:
    columns[0], columns[1] = x, y
    columns[2], columns[3], columns[4] = 0.5 * factor * x * x, factor * x * y, 0.5 * factor * y * y
    columns[5], columns[6], columns[7], columns[8] = x * x * x, x * x * y, x * y * y, y * y * y


@kernel(inline=True)
def roundness(c: float, d: float, e: float, x: float, y: float) -> float:
    """F, see above: of a circle of curvature k, (1 - sqrt(1 - k^2 x^2))/k over k x^2/2."""
    steep = min((c * x + d * y) ** 2 + (d * x + e * y) ** 2, MOST_ROUND)
    return 2.0 / (1.0 + math.sqrt(1.0 - steep))


@kernel
def fit_heights(positions: Array, v: int, ring: Ints, count: int, frame: Array, terms: Array, least: Array) -> bool:
    """Terms (9,) of the height over the frame at v; False if the ring does not determine them.

    The unit of length is the distance of the furthest vertex of the ring; it is noted in terms[9].
    terms : those of the sweep before come in, as curvatures along the axes of this frame
    """
    unit = terms[TERMS]
    number = TERMS if count >= FEWEST_FOR_CUBIC else 5
    matrix, right, columns = np.zeros((TERMS, TERMS)), np.zeros(TERMS), np.zeros(TERMS)
    for k in range(count):
        x = y = z = square = 0.0
        for i in range(3):
            d = (positions[ring[k], i] - positions[v, i]) / unit
            x += d * frame[0, i]
            y += d * frame[1, i]
            z += d * frame[2, i]
            square += d * d
        weight = 1.0 / (square * square)
        set_columns(x, y, roundness(terms[2], terms[3], terms[4], x, y), columns)
        for i in range(number):
            right[i] += weight * columns[i] * z
            for j in range(i + 1):
                matrix[i, j] += weight * columns[i] * columns[j]
    if not solve_independent(matrix, right, number, least):
        return False
    for i in range(TERMS):
        terms[i] = right[i]
    return True


@kernel
def extent_of(positions: Array, v: int, ring: Ints, count: int) -> tuple[float, float]:
    """Squares of the distances of the nearest and the furthest vertex of the ring."""
    nearest, furthest = math.inf, 0.0
    for k in range(count):
        square = 0.0
        for i in range(3):
            square += (positions[ring[k], i] - positions[v, i]) ** 2
        nearest, furthest = min(nearest, square), max(furthest, square)
    return nearest, furthest


@kernel
def carry_curvature(tensor: Array, frame: Array, terms: Array) -> None:
    """Curvatures (3, 3) as terms along the axes of a frame."""
    for k, i, j in ((2, 0, 0), (3, 0, 1), (4, 1, 1)):
        terms[k] = 0.0
        for m in range(3):
            for n in range(3):
                terms[k] += frame[i, m] * tensor[m, n] * frame[j, n]


@kernel
def fit_vertex(
    positions: Array, v: int, ring: Ints, count: int, normal: Array, frame: Array, terms: Array, least: Array
) -> bool:
    """Turn the normal (3,) of a vertex to that of the fit; its last frame and terms."""
    nearest, furthest = extent_of(positions, v, ring, count)
    if count < FEWEST or not nearest > 0.0:
        return False
    terms[TERMS] = math.sqrt(furthest)
    tensor = np.zeros((3, 3))
    for _ in range(SWEEPS):
        set_frame(normal, frame)
        turn_to_principal_axes(positions, v, ring, count, nearest, frame)
        carry_curvature(tensor, frame, terms)
        last_c, last_d, last_e = terms[2], terms[3], terms[4]
        if not fit_heights(positions, v, ring, count, frame, terms, least):
            return False
        length = math.sqrt(1.0 + terms[0] * terms[0] + terms[1] * terms[1])
        for i in range(3):
            normal[i] = (frame[2, i] - terms[0] * frame[0, i] - terms[1] * frame[1, i]) / length
            for j in range(3):
                tensor[i, j] = terms[2] * frame[0, i] * frame[0, j] + terms[4] * frame[1, i] * frame[1, j]
                tensor[i, j] += terms[3] * (frame[0, i] * frame[1, j] + frame[1, i] * frame[0, j])
        change = abs(terms[2] - last_c) + abs(terms[3] - last_d) + abs(terms[4] - last_e)
        if abs(terms[0]) + abs(terms[1]) + change < 1e-12:
            break
    return True


@kernel
def fit_all(
    positions: Array,
    fitted: Ints,
    first: Ints,
    near: Ints,
    normals: Array,
    spread: Array,
    frames: Array,
    terms: Array,
    least: Array,
) -> None:
    """Normals (n, 3) of all vertices, those that can be fitted; frames (n, 3, 3) and terms (n, 10) of the fits.

    fitted : (n,), 1 where a fit is wanted; comes back 1 where it was found and is believed
    spread : (n,), angle from the first normal to the furthest facet at the vertex
    """
    n = len(positions)
    seen, ring, normal = np.full(n, -1), np.empty(n, np.int64), np.empty(3)
    start = normals.copy()
    for v in range(n):
        if fitted[v] == 0:
            continue
        count = gather_ring(v, first, near, seen, ring)
        for i in range(3):
            normal[i] = start[v, i]
        fitted[v] = 0
        if not fit_vertex(positions, v, ring, count, normal, frames[v], terms[v], least):
            continue
        limit = spread[v]
        for k in range(first[v], first[v + 1]):
            o = near[k]
            cosine = start[v, 0] * start[o, 0] + start[v, 1] * start[o, 1] + start[v, 2] * start[o, 2]
            limit = max(limit, spread[o] + math.acos(max(-1.0, min(1.0, cosine))))
        cosine = normal[0] * start[v, 0] + normal[1] * start[v, 1] + normal[2] * start[v, 2]
        if cosine >= math.cos(min(limit, STEEPEST)):
            fitted[v] = 1
            for i in range(3):
                normals[v, i] = normal[i]


def fit_normals(
    positions: Floats, topology: Topology, wanted: Indices, first: Floats, spread: Floats
) -> tuple[Floats, Floats, Floats, Indices]:
    """Normals (w, 3), frames (w, 3, 3) and terms (w, 10) of the fits, and which are believed (w,)."""
    starts, near = rings(topology)
    normals, fitted = first.copy(), wanted.astype(np.int64)
    frames, terms = np.zeros((len(first), 3, 3)), np.zeros((len(first), TERMS + 1))
    fit_all(positions, fitted, starts, near, normals, spread, frames, terms, LEAST)
    return normals, frames, terms, fitted
