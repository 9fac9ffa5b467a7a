"""What a run says of its meshes: where triangles are too long for the penetrations met, and what may be missed.

The smooth surface of a triangle is off by about s^3/A, s how far it stands off the facet and A the area of it: that is
of fourth order in the length of edges (measured with balls and cylinders, of which it is 0.3 to 1.1 times).  Vertices
alone miss up to s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.bodies import Floats, Ints, Record
from ..geometry.mesh.records import SMOOTH
from .mesh_records import MeshContacts
from .records import Contacts

COARSE = 0.05  # of the penetration that the surface may be off
NEAR = 4  # triangles that are looked at


class MissedPlaces(NamedTuple):
    """Two shapes of which places of contact may have been missed.

    one, other : rows of the shapes
    lost, astray, exhausted : how often, see PAIR
    """

    one: int
    other: int
    lost: int
    astray: int
    exhausted: int


def missed_places(contacts: Contacts, interface: Record) -> list[MissedPlaces]:
    """All of an interface, the worst first."""
    meshes, found = contacts.meshes, []
    for entry in meshes.table[interface["first_mesh_pair"] : interface["last_mesh_pair"]]:
        pairs = meshes.pairs.pairs[entry["pair"] : entry["pair"] + entry["ways"]]
        counts = [int(pairs[name].sum()) for name in ("lost", "astray", "exhausted")]
        if any(counts):
            found.append(MissedPlaces(int(entry["low"]), int(entry["high"]), *counts))
    return sorted(found, key=lambda missed: -(missed.lost + missed.astray + missed.exhausted))


class CoarseMesh(NamedTuple):
    """Two shapes whose penetration is uncertain.

    coarser, other : rows of the shapes, the one that is more so first
    depth, error : of the penetration
    time, place : when and where they were deepest; from the origin of all contacts
    at_nodes : the coarser one touches with its vertices alone
    """

    coarser: int
    other: int
    depth: float
    error: float
    time: float
    place: Floats
    at_nodes: bool


def coarse_meshes(contacts: Contacts, interface: Record, at_nodes: bool) -> list[CoarseMesh]:
    """All of an interface, the worst first; at_nodes : slaves touch with their vertices alone."""
    meshes, found = contacts.meshes, []
    for entry in meshes.table[interface["first_mesh_pair"] : interface["last_mesh_pair"]]:
        if entry["deepest"] == 0.0:
            continue
        pair = meshes.pairs.pairs[entry["pair"]]
        of_slave = surface_error(meshes, int(pair["slave"]), entry["on_slave"], at_nodes)
        of_master = surface_error(meshes, int(pair["master"]), entry["on_master"], False)
        error, depth = of_slave + of_master, float(entry["deepest"])
        if not error > COARSE * depth:
            continue
        rows = int(entry["low"]), int(entry["high"])
        slave_first = (rows[0] == entry["slave"]) == (of_slave >= of_master)
        one, other = rows if slave_first else rows[::-1]
        by_nodes = at_nodes and of_slave >= of_master
        found.append(CoarseMesh(one, other, depth, error, float(entry["time"]), entry["place"].copy(), by_nodes))
    return sorted(found, key=lambda coarse: coarse.depth / coarse.error)


def surface_error(meshes: MeshContacts, mesh: int, place: Floats, by_nodes: bool) -> float:
    """How far the surface of a mesh is off near a place, in its own axes; 0 where it is flat or taken as it is."""
    record = meshes.surface.meshes[mesh]
    of_mesh = slice(int(record["first_triangle"]), int(record["last_triangle"]))
    facets, triangles = meshes.pairs.facets[of_mesh], meshes.surface.triangles[of_mesh]
    apart = np.linalg.norm(facets["middle"] - place, axis=1) - facets["radius"]
    near = nearest(apart)
    near = near[triangles["kind"][near] == SMOOTH]
    if not len(near):
        return 0.0
    sag = float(np.median(facets["sag"][near]))
    return sag if by_nodes else sag**3 / float(np.median(triangles["area"][near]))


def nearest(apart: Floats) -> Ints:
    """Where the `NEAR` least of some distances are, the least first; to sort all takes long."""
    furthest = min(NEAR, len(apart)) - 1
    near = np.flatnonzero(apart <= np.partition(apart, furthest)[furthest])
    return near[np.argsort(apart[near], kind="stable")[:NEAR]]
