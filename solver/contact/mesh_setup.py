"""Meshes of the model, and the exact shapes that they meet, as arrays of pairs.

Imported only where there are such: that takes a while.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from gsolve.parser.model import ContactInterface, ForceCurveInterface

from ..core.bodies import Ints, Record, Records
from ..core.known import Known, bytes_of, digest_of
from ..geometry.broad_phase import SIDE_I, SIDE_J
from ..geometry.mesh.division import with_divided_slaves
from ..geometry.mesh.known_surfaces import MOST_BYTES
from ..geometry.mesh.pair_records import SEED, MeshPairs, new_scratch
from ..geometry.mesh.pairs import NO_INTEGRALS, ReadyMeshes, made_ready, pairs_of, slave_of
from ..geometry.mesh.pooling import pooled
from ..geometry.mesh.records import MeshSurface
from ..geometry.mesh.surface import FEATURE_ANGLE, build_surfaces
from ..geometry.mesh.tessellation import tessellate
from ..geometry.mesh.triangle_mesh import TriangleMesh
from ..geometry.shapes import BOX, MESH, PLANE
from .mesh_bodies import BodyMesh, kinds_of_members
from .mesh_records import LIST_POOL, MESH_PAIR, MeshContacts, with_pools
from .normal_laws import VOLUME

AROUND = 128  # facets of an exact shape around it
POOL = 4096  # of lists of an interface to begin with
SEEDS = 4096
HALF_SPACE = 1e6  # times the largest of the meshes: extent of the triangle that stands for a half space


def pairs_that_meet(shapes: Records, rows: Ints, kinds: Ints, side: Ints) -> tuple[Ints, Ints]:
    """Places among the members of an interface of those that may meet as meshes, the lower one first."""
    low, high = np.triu_indices(len(rows), 1)
    sides = (side[low] & SIDE_I) * (side[high] & SIDE_J) + (side[low] & SIDE_J) * (side[high] & SIDE_I)
    meet = (sides != 0) & (shapes["body"][rows[low]] != shapes["body"][rows[high]])
    meet &= (kinds[low] == MESH) | (kinds[high] == MESH)
    return low[meet], high[meet]


def build_mesh_contacts(
    interfaces: Records, contacts: Sequence[ContactInterface | ForceCurveInterface], shapes: Records,
    sides: Sequence[tuple[Ints, Ints]], meshes: Sequence[BodyMesh], first_mesh: int,
) -> MeshContacts:  # fmt: skip
    """All pairs of interfaces; fills in what these, and the shapes, need of them.

    sides : of each interface rows of the shapes, and the sides they are on.  first_mesh : row of the first of `meshes`
    """
    found = []
    for contact, (rows, side) in zip(contacts, sides, strict=True):
        low, high = pairs_that_meet(shapes, rows, kinds_of_members(contact, shapes, rows), side)
        found.append((rows[low], rows[high], side[low]))
    used = np.unique(np.concatenate([np.r_[low, high] for low, high, _ in found]))
    at_nodes = nodes_alone(contacts, found)
    triangles, angles, smooth = meshes_of(shapes, used, meshes, first_mesh, at_nodes)
    surfaces = build_surfaces(triangles, angles, smooth)
    roles, table = list[tuple[int, int]](), list[tuple[int, ...]]()
    pools, volumes = list[tuple[int, int]](), list[float]()
    for interface, contact, (low, high, side) in zip(interfaces, contacts, found, strict=True):
        interface["first_mesh_pair"], first = len(table), len(roles)
        for a, b, side_a in zip(low.tolist(), high.tolist(), side.tolist(), strict=True):
            ways = roles_of(contact, surfaces, shapes, (a, b) if side_a & SIDE_I else (b, a))
            table.append((a, b, len(roles), len(ways), ways[0][0]))
            roles += [(int(shapes["mesh"][slave]), int(shapes["mesh"][master])) for slave, master in ways]
        interface["last_mesh_pair"] = len(table)
        if len(roles) > first:
            interface["list_pool"] = len(pools)
            pools.append((first, len(roles)))
        exponent = float(interface["exponent"]) if interface["law"] == VOLUME else NO_INTEGRALS
        volumes += [exponent] * (len(roles) - first)
    without_bending = sorted({int(mesh) for mesh in shapes["mesh"][at_nodes]})
    ready = ready_meshes(surfaces, (triangles, angles, smooth), roles, without_bending, planes_of(shapes, used))
    set_thickness(ready.surface, shapes, used)
    pairs = pairs_of(ready, roles)
    pairs.pairs["exponent"] = volumes
    return with_first_buffers(ready.surface, pairs, mesh_pairs(table), pools)


def with_first_buffers(
    surface: MeshSurface, pairs: MeshPairs, table: Records, pools: Sequence[tuple[int, int]]
) -> MeshContacts:
    """What evaluates pairs, with buffers that `mesh_records.with_longer_buffer` makes longer.

    table : MESH_PAIR.  pools : first pair of each interface, and where they end
    """
    records = np.zeros(len(pools), LIST_POOL)
    records["first_pair"], records["last_pair"] = np.array(pools).T
    pairs, pose = pairs._replace(seeds=np.zeros(SEEDS, SEED)), np.zeros((3, 3, 3))
    built = MeshContacts(surface, pairs, new_scratch(), table, records, pose)
    return with_pools(built, np.full(len(pools), POOL))


def mesh_pairs(table: Sequence[tuple[int, ...]]) -> Records:
    """Records MESH_PAIR of rows of shapes, first pairs, ways and slaves."""
    pairs = np.zeros(len(table), MESH_PAIR)
    for column, name in enumerate(("low", "high", "pair", "ways", "slave")):
        pairs[name] = [entry[column] for entry in table]
    return pairs


def nodes_alone(contacts: Sequence[ContactInterface | ForceCurveInterface], found: Sequence[tuple[Ints, ...]]) -> Ints:
    """Rows of the shapes that touch with their vertices alone in some interface."""
    rows = [
        np.r_[low, high]
        for contact, (low, high, _) in zip(contacts, found, strict=True)
        if isinstance(contact, ContactInterface) and contact.at_nodes
    ]
    return np.unique(np.concatenate([*rows, np.zeros(0, np.int64)]))


def roles_of(
    contact: ContactInterface | ForceCurveInterface, surfaces: Sequence[MeshSurface], shapes: Records,
    pair: tuple[int, int],
) -> list[tuple[int, int]]:  # fmt: skip
    """Rows of slave and master of two shapes, once or both ways round.

    pair : rows of the shapes, that on side i first
    """
    i, j = pair
    if shapes["kind"][i] == PLANE:
        return [(j, i)]
    if shapes["kind"][j] == PLANE:
        return [(i, j)]
    master = contact.master if isinstance(contact, ContactInterface) else "AUTO"
    if master == "I_AND_J":
        return [(i, j), (j, i)]
    if master == "AUTO":
        low, high = min(i, j), max(i, j)
        one, other = int(shapes["mesh"][low]), int(shapes["mesh"][high])
        return [(low, high)] if one == other or slave_of(surfaces, one, other) == one else [(high, low)]
    return [(j, i)] if master == "I" else [(i, j)]


# ---- surfaces --------------------------------------------------------------------------------------------------


def meshes_of(
    shapes: Records, used: Ints, meshes: Sequence[BodyMesh], first_mesh: int, at_nodes: Ints
) -> tuple[list[TriangleMesh], list[float], list[bool]]:
    """Meshes of shapes in their own axes, equal ones once, their feature angles, and whether they are smooth.

    Fills in the `mesh` of the shapes.  at_nodes : rows of shapes that touch with their vertices alone
    """
    triangles, angles, smooth = list[TriangleMesh](), list[float](), list[bool]()
    known = dict[Hashable, int]()
    largest = float(shapes["bounding_radius"][used][shapes["kind"][used] != PLANE].max())
    for row in used.tolist():
        shape, angle, is_smooth = shapes[row], FEATURE_ANGLE, True
        kind = int(shape["kind"])
        key: Hashable = row
        if kind == MESH:
            body = meshes[row - first_mesh]
            angle, is_smooth, key = body.mesh.feature_angle, body.mesh.smooth, body.shape_key() or row
        elif kind != PLANE:
            key = kind, *shape["dimensions"].tolist()
        key = key, row in at_nodes
        shape["mesh"] = known.setdefault(key, len(triangles))
        if shape["mesh"] < len(triangles):
            continue
        if kind == MESH:
            found, _ = body.centred()
        elif kind == PLANE:
            found, is_smooth = half_space(HALF_SPACE * largest), False
        else:
            found = tessellated(shape)
        triangles.append(found)
        angles.append(angle)
        smooth.append(is_smooth)
    return triangles, angles, smooth


def planes_of(shapes: Records, used: Ints) -> list[int]:
    """Meshes that stand for half spaces."""
    return sorted({int(mesh) for mesh in shapes["mesh"][used[shapes["kind"][used] == PLANE]]})


def ready_meshes(
    surfaces: Sequence[MeshSurface], meshes: tuple[list[TriangleMesh], list[float], list[bool]],
    roles: Sequence[tuple[int, int]], without_bending: Sequence[int], endless: Sequence[int],
) -> ReadyMeshes:  # fmt: skip
    """Surfaces in one, divided as their masters ask for, and what pairs read of them; known from an earlier run.

    meshes : triangles, feature angles and whether they are smooth.  endless : half spaces, as thick as can be
    """

    def find() -> ReadyMeshes:
        surface = pooled(with_divided_slaves(surfaces, *meshes, bending))
        for mesh in surface.meshes[list(endless)]:
            surface.triangles["depth_cap"][mesh["first_triangle"] : mesh["last_triangle"]] = math.inf
        return unchanging(made_ready(surface, without_bending))

    bending = [(slave, master) for slave, master in roles if slave not in without_bending]
    triangles, angles, smooth = meshes
    settings = tuple(angles), tuple(smooth), tuple(bending), tuple(without_bending), tuple(endless)
    return _known.get((tuple(map(digest_of, triangles)), settings), find)


def unchanging(meshes: ReadyMeshes) -> ReadyMeshes:
    """Marked as what no run writes to: later runs in this process share them."""
    for array in arrays_of(meshes):
        array.flags.writeable = False
    return meshes


def arrays_of(meshes: ReadyMeshes) -> list[Any]:
    """All that is kept."""
    parts = (part if isinstance(part, tuple) else (part,) for part in meshes)
    return [np.asarray(array) for part in parts for array in part]


def _bytes_of(meshes: ReadyMeshes) -> int:
    return bytes_of(arrays_of(meshes))


_known = Known[ReadyMeshes](MOST_BYTES, _bytes_of)


def set_thickness(surface: MeshSurface, shapes: Records, used: Ints) -> None:
    """What shapes know of the thickness of their meshes."""
    for row in used[shapes["kind"][used] == MESH].tolist():
        shapes["dimensions"][row, 1] = surface.meshes["least_depth_cap"][shapes["mesh"][row]]


def half_space(extent: float) -> TriangleMesh:
    """z < 0 as far as any mesh is: a triangle that is endless for all of them."""
    corners = extent * np.array([[1.0, 0.0, 0.0], [-0.5, math.sqrt(0.75), 0.0], [-0.5, -math.sqrt(0.75), 0.0]])
    return TriangleMesh(corners, np.array([[0, 1, 2]], dtype=np.int64))


def tessellated(shape: Record) -> TriangleMesh:
    """An exact shape as triangles."""
    kind, dimensions = int(shape["kind"]), shape["dimensions"]
    if kind == BOX:
        return tessellate(BOX, dimensions, 2.0 * float(dimensions.max()))
    return tessellate(kind, dimensions, 2.0 * math.pi * float(dimensions[:2].max()) / AROUND)
