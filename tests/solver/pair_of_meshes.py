"""A pair of meshes at poses, and what the law F = K z^e, K = 1, makes of its patches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from gsolve.solver.contact.dispatch import mesh_pointers
from gsolve.solver.contact.mesh_records import MeshContacts, forget_lists, with_longer_buffer
from gsolve.solver.contact.mesh_setup import mesh_pairs, with_first_buffers
from gsolve.solver.core.jit.references import Reference
from gsolve.solver.geometry.contact_points import BUFFER_FULL, number_of
from gsolve.solver.geometry.mesh.division import with_divided_slaves
from gsolve.solver.geometry.mesh.pair_records import MeshPairs, PairScratch
from gsolve.solver.geometry.mesh.pairs import made_ready, pairs_of
from gsolve.solver.geometry.mesh.pooling import pooled
from gsolve.solver.geometry.mesh.records import MeshSurface
from gsolve.solver.geometry.mesh.surface import FEATURE_ANGLE, build_surfaces
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh


class Wrench(NamedTuple):
    """On the slave, about its origin, in its axes; and the energy."""

    force: np.ndarray
    moment: np.ndarray
    energy: float


Pose = tuple[np.ndarray, np.ndarray]  # of the slave in axes of the master


class PairOfMeshes:
    """Slave and master; lists are carried on from pose to pose."""

    def __init__(self, slave: TriangleMesh, master: TriangleMesh, exponent: float = -1.0, nodes: bool = False) -> None:
        meshes, rules = [slave, master], ([FEATURE_ANGLE] * 2, [True] * 2)
        surfaces = build_surfaces(meshes, *rules)
        surface = pooled(surfaces if nodes else with_divided_slaves(surfaces, meshes, *rules, [(0, 1)]))
        pairs = pairs_of(made_ready(surface, [0] if nodes else []), [(0, 1)])
        pairs.pairs["exponent"] = exponent
        self._reference = Reference(with_first_buffers(surface, pairs, mesh_pairs([(0, 1, 0, 1, 0)]), [(0, 1)]))

    @property
    def meshes(self) -> MeshContacts:
        return self._reference.value

    @property
    def surface(self) -> MeshSurface:
        return self.meshes.surface

    @property
    def pairs(self) -> MeshPairs:
        return self.meshes.pairs

    @property
    def scratch(self) -> PairScratch:
        return self.meshes.scratch

    def patches(self, rotation: np.ndarray, offset: np.ndarray) -> np.ndarray:
        find = mesh_pointers()["find_mesh_patches"].entry()  # as runs call it
        self.meshes.pose[0] = rotation
        while (n := number_of(find(self._reference.address, 0, 0, *(float(x) for x in offset)))) == BUFFER_FULL:
            self._reference = Reference(with_longer_buffer(self.meshes, 0))
        assert n >= 0
        return self.scratch.patches[:n].copy()

    def carriers(self, rotation: np.ndarray, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Depths (n,) of all triangles of the slave that carry, and the points (n, 3) of its surface, its axes."""
        self.scratch.carriers["depth"] = 0.0
        self.patches(rotation, offset)
        found = self.scratch.carriers[self.scratch.carriers["depth"] > 0.0]
        facets, (v, w) = self.pairs.facets[found["triangle"]], found["place"].T
        b = np.stack([1.0 - v - w, v, w], axis=1)
        points = np.einsum("ni,nik->nk", b, facets["corners"])
        for i, j, there, back in ((0, 1, 0, 3), (1, 2, 2, 5), (2, 0, 4, 1)):
            bow = facets["tangents"][:, there] + facets["tangents"][:, back]
            points += 0.5 * (b[:, i] * b[:, j])[:, None] * bow
        return found["depth"].copy(), points

    def wrench(self, rotation: np.ndarray, offset: np.ndarray, e: float = 1.0) -> Wrench:
        force, moment, energy = np.zeros(3), np.zeros(3), 0.0
        for patch in self.patches(rotation, offset):
            law = patch["depth"] ** e
            energy += patch["share"] * law * patch["depth"] / (e + 1.0)
            push = law * patch["weight"] * patch["normal"]
            force += push
            moment += np.cross(patch["point"], push)
        return Wrench(force, moment, energy)

    def force(self, rotation: np.ndarray, offset: np.ndarray, e: float = 1.5) -> np.ndarray:
        """(6,) force and moment about the slave's origin, axes of the master."""
        wrench = self.wrench(rotation, offset, e)
        return np.concatenate([rotation @ wrench.force, rotation @ wrench.moment])

    def deepest(self, rotation: np.ndarray, offset: np.ndarray) -> float:
        return float(np.max(self.patches(rotation, offset)["depth"], initial=0.0))

    def forget_lists(self) -> None:
        forget_lists(self.meshes, 0)


def turned(*axis: float) -> np.ndarray:
    """Rotation by a vector, Rodrigues."""
    v = np.asarray(axis, float)
    angle = np.linalg.norm(v)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def gradient(pair: PairOfMeshes, rotation: np.ndarray, offset: np.ndarray, step: float, arm: float) -> np.ndarray:
    """Force and moment / arm as minus the central differences of the energy, axes of the slave."""
    found = np.zeros(6)
    for k in range(3):
        d = np.zeros(3)
        d[k] = step
        up = pair.wrench(rotation, offset + rotation @ d).energy
        found[k] = (pair.wrench(rotation, offset - rotation @ d).energy - up) / (2.0 * step)
        up = pair.wrench(rotation @ turned(*(d / arm)), offset).energy
        found[k + 3] = (pair.wrench(rotation @ turned(*(-d / arm)), offset).energy - up) / (2.0 * step)
    return found


def overlapping(pair: PairOfMeshes, random: np.random.Generator, depth: float, size: float) -> Pose:
    """A random attitude, and where the slave, coming from far away in a random direction, is so deep.

    size : of both meshes together
    """
    rotation, way = turned(*random.normal(size=3) * 2.0), random.normal(size=3)
    way /= np.linalg.norm(way)
    at, step = size, 0.01 * size
    while not pair.deepest(rotation, at * way) > depth:
        at -= step
        assert at > -size
    low, high = at, at + step
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if pair.deepest(rotation, middle * way) > depth else (low, middle)
    return rotation, low * way


def on_the_way(start: Pose, shift: np.ndarray, turn: np.ndarray, s: float) -> Pose:
    """The pose at s of a path that begins with a pose, shifted and turned about the slave's origin."""
    return turned(*(s * turn)) @ start[0], start[1] + s * shift
