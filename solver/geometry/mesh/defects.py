"""What keeps a welded mesh from bounding a solid, each defect with a place to look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.connected_sets import connected_sets
from .triangle_mesh import Edges, Floats, Indices, TriangleMesh, edges_of

FLAT = 1e-6  # height of a triangle, in lengths of its longest side, below which its normal is chance
ON_EDGE = 1e-3  # distance of a vertex from a free edge, in lengths of the edge, that is no gap but a crack
MOST_FREE_EDGES = 5000  # that are searched for vertices on them: they only serve a message


class Spot(NamedTuple):
    """How often something was found, and one place (3,) of it."""

    number: int
    place: Floats


class Holes(NamedTuple):
    """Free edges, which have a triangle on one side only.

    edges, place : how many, and the middle of the first
    loops : groups of free edges that hang together, which are rims of holes
    loop_edges, loop_length : of the loop of the first edge
    on_edges : vertices that lie on a free edge of which they are no end, and the place of one: a crack, or a T-junction
    """

    edges: int
    place: Floats
    loops: int
    loop_edges: int
    loop_length: float
    on_edges: Spot | None


class Turned(NamedTuple):
    """Triangles that face the other way than their neighbours.

    number, place : the least number that would have to be turned, and one of them
    one_sided : nothing would help: the surface has only one side, as a Moebius strip has
    """

    number: int
    place: Floats
    one_sided: bool


class Defects(NamedTuple):
    """All that is wrong with a mesh; None where nothing is.

    repeated : triangles with the same three vertices as another
    flat : triangles without area, whose vertices stand apart
    crowded : edges that more than two triangles share
    """

    repeated: Spot | None = None
    flat: Spot | None = None
    crowded: Spot | None = None
    turned: Turned | None = None
    holes: Holes | None = None

    @property
    def unsound(self) -> bool:
        """Whether the mesh is no boundary of a solid; one with flat triangles is."""
        return any(defect is not None for defect in (self.repeated, self.crowded, self.turned, self.holes))


def without_collapsed(mesh: TriangleMesh) -> tuple[TriangleMesh, Spot | None]:
    """The mesh without triangles that have lost a corner, as two became one vertex: edges close over them.

    Vertices that only such triangles had are left out too.
    """
    a, b, c = mesh.triangles.T
    collapsed = (a == b) | (b == c) | (c == a)
    if not collapsed.any():
        return mesh, None
    spot = Spot(int(collapsed.sum()), mesh.vertices[a[collapsed][0]])
    used, triangles = np.unique(mesh.triangles[~collapsed], return_inverse=True)
    return TriangleMesh(mesh.vertices[used], triangles.reshape(-1, 3)), spot


def find_defects(mesh: TriangleMesh) -> Defects:
    """All defects of a mesh without collapsed triangles; repeated triangles count once for the others."""
    single, repeated = _without_repeated(mesh)
    edges = edges_of(single)
    return Defects(repeated, _flat(single), _crowded(single, edges), _turned(single, edges), _holes(single, edges))


def _without_repeated(mesh: TriangleMesh) -> tuple[TriangleMesh, Spot | None]:
    _, first = np.unique(np.sort(mesh.triangles, axis=1), axis=0, return_index=True)
    extra = np.ones(len(mesh.triangles), dtype=bool)
    extra[first] = False
    if not extra.any():
        return mesh, None
    middles = mesh.corners()[extra].mean(axis=1)
    return TriangleMesh(mesh.vertices, mesh.triangles[~extra]), Spot(int(extra.sum()), middles[0])


def _flat(mesh: TriangleMesh) -> Spot | None:
    doubled_areas = np.linalg.norm(mesh.doubled_area_vectors(), axis=1)
    flat = doubled_areas <= FLAT * mesh.sides().max(axis=1) ** 2
    if not flat.any():
        return None
    return Spot(int(flat.sum()), mesh.corners()[flat][0].mean(axis=0))


def _crowded(mesh: TriangleMesh, edges: Edges) -> Spot | None:
    crowded = edges.first[edges.valence > 2]
    if not len(crowded):
        return None
    return Spot(len(crowded), mesh.vertices[edges.ends[crowded[0]]].mean(axis=0))


def _turned(mesh: TriangleMesh, edges: Edges) -> Turned | None:
    """Give each triangle a copy that is turned: over an edge that both run through alike, one meets the other's copy.

    Where a triangle hangs together with its own copy the surface has one side only.
    """
    one, other = edges.pairs()
    alike = edges.forward[one] == edges.forward[other]
    if not alike.any():
        return None
    m = len(mesh.triangles)
    i, j = edges.triangle[one], edges.triangle[other]
    ends = np.concatenate((i, i + m)), np.concatenate((j + m * alike, j + m * ~alike))
    label = connected_sets(2 * m, *ends)
    as_it_is, as_copy = label[:m], label[m:]
    if np.any(as_it_is == as_copy):
        place = mesh.corners()[np.flatnonzero(as_it_is == as_copy)[0]].mean(axis=0)
        return Turned(int(alike.sum()), place, True)
    piece = np.minimum(as_it_is, as_copy)
    sense = as_it_is < as_copy
    for_it, all_of_it = np.bincount(piece, sense), np.bincount(piece)
    minority = np.where(2 * for_it[piece] >= all_of_it[piece], ~sense, sense)
    first = mesh.corners()[np.flatnonzero(minority)[0]]
    return Turned(int(minority.sum()), first.mean(axis=0), False)


def _holes(mesh: TriangleMesh, edges: Edges) -> Holes | None:
    free = edges.first[edges.valence == 1]
    if not len(free):
        return None
    ends = edges.ends[free]
    vertices, compact = np.unique(ends, return_inverse=True)
    compact = compact.reshape(-1, 2)
    label = connected_sets(len(vertices), *compact.T)
    points = mesh.vertices[ends]
    of_first = label[compact[:, 0]] == label[compact[0, 0]]
    lengths = np.linalg.norm(points[:, 1] - points[:, 0], axis=1)
    return Holes(
        len(free),
        points[0].mean(axis=0),
        int(label.max()) + 1,
        int(of_first.sum()),
        float(lengths[of_first].sum()),
        _on_edges(mesh.vertices[vertices], compact, lengths),
    )


def _on_edges(points: Floats, ends: Indices, lengths: Floats) -> Spot | None:
    """Of points (n, 3) those that lie on edges (k, 2) between others of them."""
    from scipy.spatial import cKDTree

    chosen = np.unique(np.linspace(0, len(ends) - 1, min(len(ends), MOST_FREE_EDGES)).astype(np.int64))
    start, end = points[ends[chosen, 0]], points[ends[chosen, 1]]
    near = cKDTree(points).query_ball_point((start + end) / 2, (0.5 + ON_EDGE) * lengths[chosen])
    found: set[int] = set()
    for k, candidates in enumerate(near):
        others = np.array([point for point in candidates if point not in ends[chosen[k]]], dtype=np.int64)
        if not len(others):
            continue
        along = (end[k] - start[k]) / lengths[chosen[k]]
        arms = points[others] - start[k]
        distance = np.linalg.norm(arms - np.outer(arms @ along, along), axis=1)
        found.update(others[distance <= ON_EDGE * lengths[chosen[k]]].tolist())
    return Spot(len(found), points[min(found)]) if found else None
