"""Normals of the smooth surface at the vertices of a mesh.

First the weights of N. Max (Weights for computing vertex normals from facet normals, J. Graphics Tools 4 (1999) 1-6),
exact on spheres.  Then the height of the vertices round about is fitted (`height_fit`), which makes the normal third
order in the size of triangles.  Vertices are those of one chart alone: what lies beyond a cut edge says nothing about
this side.

Curvature may jump within a chart, as from a fillet to the face beside it.  Where a fit leaves more than it should, the
vertices on one side of each edge at the vertex are tried by themselves, without cubic terms, and the best side is
taken if it leaves far less: on a face that is the face, whose vertices lie in it, so that large faces stay flat.

Where the facets round a vertex turn further than an edge of the chart may, as at the tip of a cone, there is no tangent
plane: each facet keeps its own normal there.

A fit is believed if its normal is no further from the first than the facets round the vertex and its neighbours are;
if not, the first normal stays, and if that is further off than the facets at the vertex itself, their mean does,
weighted by their angles.  So normals are never wilder than the facets.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.bodies import Floats as Array
from ...core.bodies import Ints
from ...core.jit.kernels import kernel
from ...core.vectors import row, set_vector
from .adjacency import ROUNDING, Facets, Topology, corner_angles, summed
from .height_fit import FEWEST_FOR_CUBIC, QUADRATIC, TERMS, Ring, extent_of, fit_ring, misfit, near_part
from .triangle_mesh import Floats, Indices, edge_lengths

ENOUGH, ENOUGH_FOR_SIDES = 14, 33  # vertices round about from which on no further ring is looked at
HUB = 24  # neighbours of a vertex from which on its own neighbours are not near each other
STEEPEST = math.radians(60.0)  # of a fit, from the first normal, whatever the facets
SAME_SIDE = math.cos(math.radians(50.0))  # of the angle between first normals of vertices that are fitted together
UNEXPLAINED = 0.02  # of the angle to the facets: misfit from which on sides are tried
BETTER = 0.15  # of it: misfit of a side that is taken instead
FEWEST_ON_SIDE, FEWEST_FOR_CUBIC_SIDE = 8, 18
ALONG = 0.15  # sine of the angle by which a vertex may lie off the line through two, and is still on it
NOISE = 4.0 * ROUNDING  # of the largest coordinate: misfits that are rounding


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
    from scipy.sparse import coo_matrix

    wedges = topology.wedges
    count = len(topology.sources)
    a, b = wedges.ravel(), np.roll(wedges, -1, axis=1).ravel()
    ones = np.ones(2 * len(a), np.int8)
    matrix = coo_matrix((ones, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(count, count)).tocsr()
    matrix.sum_duplicates()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


@kernel
def gather_ring(v: int, enough: int, first: Ints, near: Ints, seen: Ints, ring: Ints) -> int:
    """Vertices within two steps of v, then within more, up to four, until they are enough; their number.

    seen : (vertices,), which ring was the last to hold it; its own stamp is 5 v + enough % 5
    """
    stamp = 5 * v + enough % 5
    seen[v] = stamp
    count, start = 0, 0
    for n in range(first[v], first[v + 1]):
        seen[near[n]] = stamp
        ring[count] = near[n]
        count += 1
    for _ in range(3):
        if start > 0 and count >= enough:
            break
        last = count
        for k in range(start, last):
            o = ring[k]
            if first[o + 1] - first[o] > HUB:
                continue
            for n in range(first[o], first[o + 1]):
                if seen[near[n]] != stamp:
                    seen[near[n]] = stamp
                    ring[count] = near[n]
                    count += 1
        start = last
    return count


@kernel
def keep_near(ring: Ints, count: int, v: int, start: Array) -> int:
    """Leave out vertices whose first normals are far from that of v; the number left."""
    kept = 0
    for k in range(count):
        o = ring[k]
        if start[v, 0] * start[o, 0] + start[v, 1] * start[o, 1] + start[v, 2] * start[o, 2] >= SAME_SIDE:
            ring[kept] = o
            kept += 1
    return kept


@kernel
def take_side(ring: Ring, towards: int, sign: float, normal: Array, side: Ints) -> int:
    """Vertices on one side of the line from the vertex to another, or on it; the number of those written."""
    p, v = ring.positions, ring.vertex
    x, y, z = p[towards, 0] - p[v, 0], p[towards, 1] - p[v, 1], p[towards, 2] - p[v, 2]
    a = sign * (normal[1] * z - normal[2] * y)
    b = sign * (normal[2] * x - normal[0] * z)
    c = sign * (normal[0] * y - normal[1] * x)
    length = math.sqrt(a * a + b * b + c * c)
    count = 0
    for k in range(ring.size):
        o = ring.vertices[k]
        x, y, z = p[o, 0] - p[v, 0], p[o, 1] - p[v, 1], p[o, 2] - p[v, 2]
        if a * x + b * y + c * z >= -ALONG * length * math.sqrt(x * x + y * y + z * z):
            side[count] = o
            count += 1
    return count


class Fits(NamedTuple):
    """Normals (n, 3) of vertices, frames (n, 3, 3) and terms (n, 10) of their fits."""

    normals: Array
    frames: Array
    terms: Array


@kernel(inline=True)
def set_fit(fits: Fits, v: int, normal: Array, frame: Array, terms: Array) -> None:
    """The fit of a vertex."""
    for c in range(3):
        fits.normals[v, c] = normal[c]
        for d in range(3):
            fits.frames[v, c, d] = frame[c, d]
    for c in range(TERMS + 1):
        fits.terms[v, c] = terms[c]


@kernel
def fit_best_side(ring: Ring, neighbours: Ints, wanted: float, start: Array, side: Ints, fits: Fits) -> None:
    """Replace the fit of a vertex by that of one side of it, if there is one with a misfit below `wanted`."""
    v = ring.vertex
    normal, frame, terms = np.empty(3), np.empty((3, 3)), np.zeros(TERMS + 1)
    for n in range(len(neighbours)):
        for sign in (-1.0, 1.0):
            count = take_side(ring, neighbours[n], sign, start[v], side)
            if count < FEWEST_ON_SIDE:
                continue
            half = Ring(ring.positions, v, side, count)
            set_vector(normal, row(start, v))
            if fit_ring(half, FEWEST_FOR_CUBIC_SIDE, normal, frame, terms) == 0:
                continue
            left = misfit(half, frame, terms)
            if left < wanted:
                wanted = left
                set_fit(fits, v, normal, frame, terms)


@kernel
def furthest_facet(v: int, first: Ints, near: Ints, start: Array, spread: Array) -> float:
    """A bound on the angle from the first normal of v to the facets round it and its neighbours."""
    limit = spread[v]
    for k in range(first[v], first[v + 1]):
        o = near[k]
        cosine = start[v, 0] * start[o, 0] + start[v, 1] * start[o, 1] + start[v, 2] * start[o, 2]
        limit = max(limit, spread[o] + math.acos(max(-1.0, min(1.0, cosine))))
    return limit


@kernel
def fit_all(
    positions: Array, fitted: Ints, first: Ints, near: Ints, start: Array, spread: Array, noise: float, fits: Fits
) -> None:
    """Fits of all vertices, those that can be fitted.

    fitted : (n,), 1 where a fit is wanted; comes back 1 where it was found and is believed
    start : (n, 3), first normals
    spread : (n,), angle from the first normal to the furthest facet at the vertex
    noise : length
    """
    n = len(positions)
    seen, vertices, side = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    squares = np.empty(n)
    for v in range(n):
        seen[v] = -1
    for v in range(n):
        if fitted[v] == 0:
            continue
        fitted[v] = 0
        count = keep_near(vertices, gather_ring(v, ENOUGH, first, near, seen, vertices), v, start)
        near_ones = near_part(Ring(positions, v, vertices, count), squares)
        if near_ones < min(count, FEWEST_FOR_CUBIC):
            count = keep_near(vertices, gather_ring(v, ENOUGH_FOR_SIDES, first, near, seen, vertices), v, start)
            near_ones = near_part(Ring(positions, v, vertices, count), squares)
        ring = Ring(positions, v, vertices, near_ones)
        kept = 0
        if near_ones >= FEWEST_FOR_CUBIC:
            kept = fit_ring(ring, FEWEST_FOR_CUBIC, fits.normals[v], fits.frames[v], fits.terms[v])
        if kept < QUADRATIC:
            set_vector(fits.normals[v], row(start, v))
            ring = Ring(positions, v, vertices, count)
            kept = fit_ring(ring, FEWEST_FOR_CUBIC, fits.normals[v], fits.frames[v], fits.terms[v])
        if kept == 0:
            set_vector(fits.normals[v], row(start, v))
            continue
        left = misfit(ring, fits.frames[v], fits.terms[v])
        if left > UNEXPLAINED * spread[v] and left * extent_of(ring)[0] > noise:
            count = keep_near(vertices, gather_ring(v, ENOUGH_FOR_SIDES, first, near, seen, vertices), v, start)
            ring = Ring(positions, v, vertices, count)
            fit_best_side(ring, near[first[v] : first[v + 1]], BETTER * left, start, side, fits)
        limit = min(furthest_facet(v, first, near, start, spread), STEEPEST)
        normal = fits.normals[v]
        if normal[0] * start[v, 0] + normal[1] * start[v, 1] + normal[2] * start[v, 2] >= math.cos(limit):
            fitted[v] = 1
        else:
            set_vector(fits.normals[v], row(start, v))


def fit_normals(
    positions: Floats, topology: Topology, wanted: Indices, first: Floats, spread: Floats
) -> tuple[Floats, Floats, Floats, Indices]:
    """Normals (w, 3), frames (w, 3, 3) and terms (w, 10) of the fits, and which are believed (w,)."""
    starts, near = rings(topology)
    fitted = wanted.astype(np.int64)
    fits = Fits(first.copy(), np.zeros((len(first), 3, 3)), np.zeros((len(first), TERMS + 1)))
    noise = NOISE * float(np.abs(positions).max())
    fit_all(positions, fitted, starts, near, first, spread, noise, fits)
    return (*fits, fitted)
