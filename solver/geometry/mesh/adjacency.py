"""Triangles and their neighbours, charts of triangles that make one smooth surface, wedges of vertices."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.connected_sets import connected_sets
from .records import NONE
from .triangle_mesh import Floats, Indices, TriangleMesh, edge_lengths

# Coordinates may come from single precision, 6e-8 of the largest.  A triangle whose height is no larger than some
# hundred times that has a normal by chance.
ROUNDING = 1.2e-7
TRUSTED_HEIGHT = 100.0
MOST_NEEDLES = 8  # beside each other


class Facets(NamedTuple):
    """The triangles of a mesh by themselves.

    normals : (m, 3), unit; of a triangle that is too thin to have one, that of a neighbour
    areas : (m,)
    trusted : (m,), whether the normal is the triangle's own
    """

    normals: Floats
    areas: Floats
    trusted: np.ndarray


class Topology(NamedTuple):
    """How the triangles of a mesh hang together.

    across : (m, 3), triangle beyond each edge; NONE where there is none, or more than one
    neighbours : (m, 3), the same, NONE also where charts are cut
    chart : (m,), numbered in the order of their first triangles
    wedges : (m, 3), wedge at each corner, numbered in the order of their first corners
    sources : (wedges,), vertex of the mesh
    """

    across: Indices
    neighbours: Indices
    chart: Indices
    wedges: Indices
    sources: Indices


def triangles_across(triangles: Indices) -> Indices:
    """(m, 3): triangle beyond each edge, by its reverse; NONE where an edge is open or has more than two triangles."""
    start = triangles.ravel().astype(np.int64)
    end = np.roll(triangles, -1, axis=1).ravel()
    size = int(triangles.max(initial=0)) + 1
    key, reverse = start * size + end, end * size + start
    order = np.argsort(key, kind="stable")
    keys = key[order]
    at = np.searchsorted(keys, reverse)
    last = np.searchsorted(keys, reverse, side="right")
    own = np.searchsorted(keys, key, side="right") - np.searchsorted(keys, key)
    single = (last - at == 1) & (own == 1)
    beyond = np.where(single, order[np.minimum(at, len(order) - 1)] // 3, NONE)
    return beyond.reshape(-1, 3)


def facets_of(mesh: TriangleMesh, across: Indices) -> Facets:
    """Normals and areas.

    Files in single precision hold needles and caps whose height is mere rounding: they take the normal of a neighbour
    that has one, at their longest edge if they can.
    """
    corners = mesh.corners()
    doubled = mesh.doubled_area_vectors()
    size = np.linalg.norm(doubled, axis=1)
    lengths = edge_lengths(corners)
    limit = TRUSTED_HEIGHT * ROUNDING * float(np.abs(mesh.vertices).max(initial=0.0))
    trusted = size > limit * lengths.max(axis=1)
    normals = doubled / np.where(size > 0.0, size, 1.0)[:, None]
    known = trusted.copy()
    order = np.argsort(-lengths, axis=1, kind="stable")
    for _ in range(MOST_NEEDLES):
        before = np.count_nonzero(known)
        for rank in range(3):
            asked = np.flatnonzero(~known)
            beyond = across[asked, order[asked, rank]]
            found = (beyond != NONE) & known[beyond]
            normals[asked[found]] = normals[beyond[found]]
            known[asked[found]] = True
        if np.count_nonzero(known) == before:
            break
    lost = ~known & (size == 0.0)
    normals[lost] = (0.0, 0.0, 1.0)
    return Facets(normals, 0.5 * size, trusted)


def _numbered_by_first(labels: Indices) -> Indices:
    """Labels renamed in the order in which they first occur."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def joined_triangles(neighbours: Indices, joined: np.ndarray) -> Indices:
    """(m,): numbers of the sets of triangles that hang together across edges (m, 3) that join."""
    here, edge = np.nonzero(joined)
    return connected_sets(len(neighbours), here, neighbours[here, edge])


def topology_of(mesh: TriangleMesh, across: Indices, facets: Facets, feature_angle: float) -> Topology:
    """Cut charts at edges whose facets make a larger angle than the feature angle (radians)."""
    triangles = mesh.triangles
    count = len(triangles)
    beyond = np.where(across == NONE, 0, across)
    cosine = np.einsum("tk,tek->te", facets.normals, facets.normals[beyond])
    joined = (across != NONE) & (cosine >= math.cos(feature_angle) - 1e-12)
    neighbours = np.where(joined, across, NONE)
    chart = joined_triangles(neighbours, joined)
    here, edge = np.nonzero(joined)
    there = across[here, edge]
    start, end = triangles[here, edge], triangles[here, (edge + 1) % 3]
    pairs = []
    for vertex, own in ((start, edge), (end, (edge + 1) % 3)):
        other = np.argmax(triangles[there] == vertex[:, None], axis=1)
        pairs.append((3 * here + own, 3 * there + other))
    wedges = connected_sets(3 * count, *(np.concatenate(side) for side in zip(*pairs, strict=True)))
    sources = np.empty(int(wedges.max(initial=-1)) + 1, np.int64)
    sources[wedges] = triangles.ravel()
    return Topology(across, neighbours, chart, wedges.reshape(-1, 3), sources)


def split_vertices(topology: Topology, wedges: Indices) -> tuple[Topology, Indices]:
    """Give every corner at these wedges (w,) a wedge of its own; the numbers of the new ones."""
    split = np.zeros(len(topology.sources), bool)
    split[wedges] = True
    apart = split[topology.wedges].ravel()
    kept = len(topology.sources)
    labels = np.where(apart, kept + np.arange(len(apart)), topology.wedges.ravel())
    corners = topology.sources[topology.wedges.ravel()]
    labels = _numbered_by_first(labels)
    sources = np.empty(int(labels.max()) + 1, np.int64)
    sources[labels] = corners
    return topology._replace(wedges=labels.reshape(-1, 3), sources=sources), labels[apart]


def past_needles(topology: Topology, facets: Facets, lengths: Floats) -> Indices:
    """(m, 3): the neighbours without the triangles that have no normal of their own.

    What lay next to such a needle gets the triangle beyond it, the needle itself three times a triangle next to it.
    """
    neighbours = topology.neighbours.copy()
    order = np.argsort(-lengths, axis=1, kind="stable")
    for needle in np.flatnonzero(~facets.trusted).tolist():
        for edge in range(3):
            beside = int(topology.neighbours[needle, edge])
            if beside != NONE and facets.trusted[beside]:
                at = np.flatnonzero(topology.neighbours[beside] == needle)
                neighbours[beside, at] = _beyond(needle, beside, topology.neighbours, facets.trusted, order)
        neighbours[needle] = _beyond(needle, NONE, topology.neighbours, facets.trusted, order)
    return neighbours


def _beyond(needle: int, beside: int, neighbours: Indices, trusted: np.ndarray, order: Indices) -> int:
    """A triangle next to a needle, or to needles next to it, other than the one beside it; longest edges first."""
    waiting, seen = [needle], {needle, beside, NONE}
    for here in waiting:
        for edge in order[here]:
            there = int(neighbours[here, edge])
            if there not in seen:
                if trusted[there]:
                    return there
                seen.add(there)
                waiting.append(there)
    return NONE


def corner_angles(corners: Floats) -> Floats:
    """(m, 3): angle of a triangle at each corner."""
    forth = np.roll(corners, -1, axis=1) - corners
    back = np.roll(corners, 1, axis=1) - corners
    sine = np.linalg.norm(np.cross(forth, back), axis=2)
    angles: Floats = np.arctan2(sine, np.einsum("tck,tck->tc", forth, back))
    return angles


def summed(indices: Indices, values: Floats, count: int) -> Floats:
    """(count, k): sum of the values (n, k) that stand at each index."""
    sums: list[Floats] = [np.asarray(np.bincount(indices, column, count), np.float64) for column in values.T]
    return np.stack(sums, axis=1)
