"""Edges where charts are cut, and which of them are nearest to a triangle.

Where two charts meet, the solid is divided by the plane that halves their angle: at a convex edge a point within the
solid belongs to the chart to which it is nearer, at a concave one to the chart below which it is deeper.  With theta
the angle from our normal N to the other's (positive: convex) and m the direction outwards, along our surface,

    b = cos(theta/2) m - sin(theta/2) N

is the normal of that plane.  The charts on both sides have the same plane, so that each point is on one side of it.

Cut edges may be chords of a curve, as round the end of a cylinder.  The curve leaves a vertex along N x N', which is
tangential to both charts; between its ends it is Hermite's cubic.  Both charts end there: a plane face round a hole
would stand into the hole with its chords.
"""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats as Array
from ...core.bodies import Ints, Records, zeros_in_lines
from ...core.jit.kernels import kernel
from .adjacency import Topology
from .records import EDGE, NONE
from .triangle_mesh import Floats, Indices
from .vertex_normals import unit_rows

SHARP = 0.05  # sine of the angle between two normals below which they have no common tangent
BULGING = 4.0 / 3.0  # of a triangle whose edges all bow outwards: how far it stands off, over their heights
LARGEST_BOW = 0.5  # of the length of an edge
ARC = 2.0 / 3.0  # an arc over its chord in the tangent plane, less 1, by the square of rise over chord


def cut_edges(corners: Floats, normals: Floats, topology: Topology) -> Records:
    """Records EDGE of a mesh, two a cut edge, sorted by triangle and corner.

    corners : (m, 3, 3)
    normals : (m, 3, 3), at the corners
    """
    triangle, corner = np.nonzero(topology.neighbours == NONE)
    end = (corner + 1) % 3
    across = topology.across[triangle, corner]
    start_point, end_point = corners[triangle, corner], corners[triangle, end]
    chord = end_point - start_point
    length = np.linalg.norm(chord, axis=1)
    ours = normals[triangle, corner], normals[triangle, end]
    # corners of the triangle beyond: its edge runs the other way
    back = np.argmax(topology.across[across] == triangle[:, None], axis=1)
    closed = (across != NONE)[:, None]
    theirs = (
        np.where(closed, normals[across, (back + 1) % 3], ours[0]),
        np.where(closed, normals[across, back], ours[1]),
    )
    normal, other = unit_rows(ours[0] + ours[1]), unit_rows(theirs[0] + theirs[1])
    direction = unit_rows(chord)
    outward = unit_rows(np.cross(direction, normal))
    normal = np.cross(outward, direction)
    angle = np.arctan2(np.einsum("ek,ek->e", other, outward), np.einsum("ek,ek->e", other, normal))
    half = 0.5 * angle[:, None]
    edges = zeros_in_lines(len(triangle), EDGE)
    edges["start"], edges["direction"], edges["length"] = start_point, direction, length
    edges["bisector"] = np.cos(half) * outward - np.sin(half) * normal
    edges["angle"] = angle
    edges["triangle"], edges["corner"], edges["across"] = triangle, corner, across
    edges["across_chart"] = np.where(across == NONE, NONE, topology.chart[across])
    for k, onwards in ((0, chord), (1, -chord)):
        tangent = np.cross(ours[k], theirs[k])
        sine = np.linalg.norm(tangent, axis=1)
        tangent = unit_rows(tangent)
        tangent *= np.einsum("ek,ek->e", onwards, tangent)[:, None]
        rise = np.linalg.norm(tangent - onwards, axis=1)
        fair = (sine > SHARP) & (rise < LARGEST_BOW * length)
        lengthening = 1.0 + ARC * (rise / np.where(length > 0.0, length, 1.0)) ** 2
        edges["tangents"][:, k] = np.where(fair[:, None], lengthening[:, None] * tangent, onwards)
    edges["bow"] = np.einsum("eik,ek->ei", edges["tangents"], edges["bisector"])
    return edges


def straighten(edges: Records) -> None:
    """Let cut edges be the chords themselves."""
    chord = edges["length"][:, None] * edges["direction"]
    edges["tangents"][:, 0], edges["tangents"][:, 1], edges["bow"] = chord, -chord, 0.0


def heights_of_bows(edges: Records) -> Floats:
    """(e,), how far curved edges stand off their chords."""
    return np.asarray(np.linalg.norm(edges["tangents"].sum(axis=1), axis=1) / 8.0)


@kernel(inline=True)
def square_distance(edges: Records, k: int, points: Array, p: int) -> float:
    """Square of the distance of a point from the chord of a cut edge."""
    edge = edges[k]
    along = square = 0.0
    for i in range(3):
        along += (points[p, i] - edge.start[i]) * edge.direction[i]
    along = min(max(along, 0.0), edge.length)
    for i in range(3):
        square += (points[p, i] - edge.start[i] - along * edge.direction[i]) ** 2
    return square


@kernel
def spread_nearest(edges: Records, samples: Ints, points: Array, nearest: Ints, squares: Array) -> None:
    """Let samples that lie in one triangle tell each other their nearest cut edges until nothing changes.

    samples : (m, 7), of each triangle
    points : (n, 3), of each sample
    nearest, squares : (n,), the edge found for each sample and the square of its distance; NONE and infinity at first
    """
    count = len(samples)
    forward = True
    changed = True
    while changed:
        changed = False
        for step in range(count):
            t = step if forward else count - 1 - step
            for i in range(7):
                k = nearest[samples[t, i]]
                if k < 0:
                    continue
                for j in range(7):
                    p = samples[t, j]
                    if nearest[p] == k:
                        continue
                    square = square_distance(edges, k, points, p)
                    if square < squares[p]:
                        nearest[p], squares[p] = k, square
                        changed = True
        forward = not forward


def nearest_cut_edges(corners: Floats, edges: Records, topology: Topology) -> tuple[Indices, Indices]:
    """Cut edges that are nearest somewhere in each triangle: [first[t], first[t + 1]) of the second.

    Asked at corners, middles of edges and the middle; with the cut edges that begin or end at a corner.
    """
    m = len(corners)
    if len(edges) == 0:
        return np.zeros(m + 1, np.int64), np.zeros(0, np.int64)
    wedges, neighbours = topology.wedges, topology.neighbours
    n = len(topology.sources)
    # an edge between two triangles is one sample, numbered by the first of its two sides
    own = np.arange(3 * m).reshape(m, 3)
    back = np.argmax(neighbours[neighbours] == np.arange(m)[:, None, None], axis=2)
    side = np.where(neighbours == NONE, own, np.minimum(own, 3 * neighbours + back))
    samples = np.concatenate([wedges, n + side, (n + 3 * m + np.arange(m))[:, None]], axis=1)
    points = np.zeros((n + 4 * m, 3))
    points[wedges] = corners
    points[n + own] = 0.5 * (corners + np.roll(corners, -1, axis=1))
    points[n + 3 * m :] = corners.mean(axis=1)
    nearest = np.full(len(points), NONE)
    squares = np.full(len(points), np.inf)
    number = np.arange(len(edges))
    at_start = wedges[edges["triangle"], edges["corner"]]
    at_end = wedges[edges["triangle"], (edges["corner"] + 1) % 3]
    for sample in (n + 3 * edges["triangle"] + edges["corner"], at_start, at_end):
        nearest[sample], squares[sample] = number, 0.0
    spread_nearest(edges, samples, points, nearest, squares)
    # at a vertex on the outline: all cut edges of its wedge
    triangles = np.repeat(np.arange(m), 7)
    lists = [(triangles, nearest[samples].ravel())]
    for vertex in (at_start, at_end):
        order = np.argsort(vertex, kind="stable")
        first = np.searchsorted(vertex[order], wedges.ravel())
        last = np.searchsorted(vertex[order], wedges.ravel(), side="right")
        for k in range(int((last - first).max())):
            some = np.flatnonzero(first + k < last)
            lists.append((some // 3, order[first[some] + k]))
    triangle, edge = (np.concatenate(side) for side in zip(*lists, strict=True))
    keep = edge != NONE
    # a crease that ends within its chart has both its sides there: of the two that of the triangle
    crease = edges["across_chart"] == topology.chart[edges["triangle"]]
    some = np.flatnonzero(keep & crease[edge])
    offset = corners[triangle[some]].mean(axis=1) - edges["start"][edge[some]]
    keep[some[np.einsum("ek,ek->e", offset, edges["bisector"][edge[some]]) > 0.0]] = False
    pairs = np.sort(triangle[keep] * np.int64(len(edges)) + edge[keep])
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])]
    triangle, edge = pairs // len(edges), pairs % len(edges)
    return np.searchsorted(triangle, np.arange(m + 1)), edge
