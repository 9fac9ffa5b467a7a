"""Flat faces within smooth charts, as between the fillets of a part.

Triangles of one plane make a face.  A face that is much wider than what lies beyond each of its edges is flat: if it
were the chord of a curve, its neighbours would be about as wide.  (So are the facets of a cylinder not taken for faces,
nor its wall.)  The vertices of a flat face have its normal, whatever lies beside it.
"""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats as Array
from ...core.bodies import Ints
from ...core.jit.kernels import kernel
from .adjacency import ROUNDING, Facets, Topology, joined_triangles, summed
from .records import NONE
from .triangle_mesh import Floats, Indices, edge_lengths
from .vertex_normals import unit_rows

SAME_PLANE, MOST_ROUNDING = 1e-6, 1e-3  # angle between normals of one plane; the most that rounding may add
WIDER = 3.0  # than what lies beyond an edge


def faces_of(corners: Floats, facets: Facets, topology: Topology) -> Indices:
    """(m,): the face of each triangle, numbered by their first triangles."""
    heights = 2.0 * facets.areas / edge_lengths(corners).max(axis=1)
    noise = 4.0 * ROUNDING * float(np.abs(corners).max()) / np.where(heights > 0.0, heights, 1.0)
    slack = SAME_PLANE + np.minimum(noise, MOST_ROUNDING)
    beyond = np.where(topology.neighbours == NONE, 0, topology.neighbours)
    sine = np.linalg.norm(np.cross(facets.normals[:, None], facets.normals[beyond]), axis=2)
    same = (topology.neighbours != NONE) & (sine < np.maximum(slack[:, None], slack[beyond]))
    return joined_triangles(topology.neighbours, same)


@kernel
def width_over(points: Array, face: int, first: Ints, outline: Ints, a: int, b: int) -> float:
    """How far a face reaches from the line through two points.

    outline : points of all faces, those of one in [first[face], first[face + 1])
    """
    x, y, z = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    square = x * x + y * y + z * z
    widest = 0.0
    for k in range(first[face], first[face + 1]):
        o = outline[k]
        u, v, w = points[o, 0] - points[a, 0], points[o, 1] - points[a, 1], points[o, 2] - points[a, 2]
        s = (u * x + v * y + w * z) / square
        u, v, w = u - s * x, v - s * y, w - s * z
        widest = max(widest, u * u + v * v + w * w)
    return float(np.sqrt(widest))


@kernel
def find_flat(points: Array, first: Ints, outline: Ints, borders: Ints, flat: Ints) -> None:
    """Clear `flat` (faces,) of faces that are not much wider than all that they border on.

    borders : (n, 4), face, the face beyond, and the two points of an edge between them
    """
    for n in range(len(borders)):
        face, other, a, b = borders[n, 0], borders[n, 1], borders[n, 2], borders[n, 3]
        if flat[face] == 1:
            own = width_over(points, face, first, outline, a, b)
            if not own > WIDER * width_over(points, other, first, outline, a, b):
                flat[face] = 0


def flat_normals(positions: Floats, facets: Facets, topology: Topology) -> tuple[Indices, Floats]:
    """Vertices of flat faces, those that belong to one alone, and its normal at each."""
    wedges, neighbours = topology.wedges, topology.neighbours
    face = faces_of(positions[wedges], facets, topology)
    count = int(face.max()) + 1
    beyond = np.where(neighbours == NONE, NONE, face[neighbours])
    triangle, edge = np.nonzero(beyond != face[:, None])
    a, b = wedges[triangle, edge], wedges[triangle, (edge + 1) % 3]
    order = np.argsort(face[triangle], kind="stable")
    first = np.searchsorted(face[triangle][order], np.arange(count + 1))
    inner = beyond[triangle, edge] != NONE
    borders = np.stack([face[triangle], beyond[triangle, edge], a, b], axis=1)[inner]
    flat = (np.bincount(face, minlength=count) > 1).astype(np.int64)
    flat[np.setdiff1d(np.arange(count), borders[:, 0])] = 0  # a whole chart is a plane, or not, by itself
    find_flat(positions, first, a[order], borders, flat)
    normals = unit_rows(summed(face, facets.areas[:, None] * facets.normals, count))
    corner = np.flatnonzero(flat[face])
    pairs = np.unique(np.stack([wedges[corner].ravel(), np.repeat(face[corner], 3)], axis=1), axis=0)
    vertex, times = np.unique(pairs[:, 0], return_counts=True)
    alone = pairs[np.isin(pairs[:, 0], vertex[times == 1])]
    return alone[:, 0], normals[alone[:, 1]]
