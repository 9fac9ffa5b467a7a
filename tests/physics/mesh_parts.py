"""Meshes of parts, convex and not, each about its mass centre, and decks in which two of them collide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product

import numpy as np
from contact_decks import ContactDeck
from gsolve.solver.geometry.mesh.properties import mass_properties
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, SPHERE
from mesh_samples import torus
from scipy.spatial.transform import Rotation

Cell = tuple[int, int, int]


def centred(mesh: TriangleMesh) -> TriangleMesh:
    """The mesh with its mass centre in the origin."""
    return mesh.moved(np.eye(3), -np.asarray(mass_properties(mesh, 1.0).centre))


def skin(cells: Iterable[Cell], size: float, parts: int = 1) -> TriangleMesh:
    """The outside of cubes of a grid; parts : cells that each is cut into, along each axis."""
    fine = {
        tuple(parts * a + b for a, b in zip(cell, more, strict=True))
        for cell in cells
        for more in product(range(parts), repeat=3)
    }
    numbers: dict[Cell, int] = {}
    triangles = []
    for cell, axis, side in product(sorted(fine), range(3), (0, 1)):
        beyond = tuple(cell[i] + (2 * side - 1) * (i == axis) for i in range(3))
        if beyond in fine:
            continue
        quad = []
        for more in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corner = [cell[i] + side * (i == axis) for i in range(3)]
            corner[(axis + 1) % 3] += more[0]
            corner[(axis + 2) % 3] += more[1]
            quad.append(numbers.setdefault((corner[0], corner[1], corner[2]), len(numbers)))
        a, b, c, d = quad if side else quad[::-1]
        triangles += [(a, b, c), (a, c, d)]
    return centred(TriangleMesh(np.array(list(numbers), dtype=float) * size / parts, np.array(triangles, np.int64)))


def turned_profile(profile: Iterable[tuple[float, float]], around: int) -> TriangleMesh:
    """A closed profile (radius > 0, z), its solid on the left, turned about z."""
    ring = np.array(list(profile), dtype=float)
    angle = 2 * math.pi * np.arange(around) / around
    vertices = np.stack([np.outer(ring[:, 0], np.cos(angle)), np.outer(ring[:, 0], np.sin(angle)),
                         np.outer(ring[:, 1], np.ones(around))], axis=2).reshape(-1, 3)  # fmt: skip
    i, k = (grid.ravel() for grid in np.meshgrid(np.arange(len(ring)), np.arange(around), indexing="ij"))
    j, n = (i + 1) % len(ring), (k + 1) % around
    a, b, c, d = i * around + k, i * around + n, j * around + k, j * around + n
    return centred(TriangleMesh(vertices, np.concatenate([np.c_[a, b, d], np.c_[a, d, c]]).astype(np.int64)))


def tube(outer: float, inner: float, half: float, around: int, rows: int) -> TriangleMesh:
    """A tube with flat ends."""
    z = half * np.linspace(-1.0, 1.0, rows + 1)
    radii = np.linspace(outer, inner, 3)[1:-1]
    outside, inside = [(outer, x) for x in z], [(inner, x) for x in z[::-1]]
    return turned_profile([*outside, *((r, half) for r in radii), *inside, *((r, -half) for r in radii[::-1])], around)


def blob(random: np.random.Generator, size: float, edge: float, roughness: float) -> TriangleMesh:
    """A ball with waves on it: smooth, and hollow in places."""
    ball = tessellate(SPHERE, (size, 0.0, 0.0), edge)
    ways, phases = random.normal(size=(6, 3)) * 1.6 / size, random.uniform(0, 2 * math.pi, 6)
    height = 1.0 + roughness / math.sqrt(6.0) * np.sin(ball.vertices @ ways.T + phases).sum(axis=1)
    return centred(ball._replace(vertices=ball.vertices * height[:, None]))


L_CELLS = (*((x, 0, 0) for x in range(3)), (0, 1, 0), (0, 2, 0))
T_CELLS = (*((x, 2, 0) for x in range(3)), (1, 0, 0), (1, 1, 0))
U_CELLS = (*((x, 0, 0) for x in range(3)), (0, 1, 0), (2, 1, 0))

# of about 0.1 m, with triangles of 6 mm
CONVEX: dict[str, Callable[[], TriangleMesh]] = {
    "box": lambda: tessellate(BOX, (0.06, 0.05, 0.04), 0.006),
    "sphere": lambda: tessellate(SPHERE, (0.06, 0.0, 0.0), 0.006),
    "cylinder": lambda: tessellate(CYLINDER, (0.05, 0.05, 0.05), 0.006),
    "ellipsoid": lambda: tessellate(ELLIPSOID, (0.08, 0.05, 0.04), 0.006),
    "frustum": lambda: tessellate(FRUSTUM, (0.06, 0.03, 0.06), 0.006),
}
NOT_CONVEX: dict[str, Callable[[], TriangleMesh]] = {
    "L": lambda: skin(L_CELLS, 0.036, 6),
    "T": lambda: skin(T_CELLS, 0.036, 6),
    "U": lambda: skin(U_CELLS, 0.036, 6),
    "torus": lambda: torus(0.045, 0.02, 48, 24),
    "tube": lambda: tube(0.06, 0.045, 0.04, 64, 12),
    "blob": lambda: blob(np.random.default_rng(1), 0.06, 0.006, 0.2),
}


@cache
def part(name: str) -> TriangleMesh:
    return {**CONVEX, **NOT_CONVEX}[name]()


def collision(
    one: str, other: str, seed: int, *, law: str = "poisson", master: int = 0, dt: float = 4e-5, every: float = 2e-5
) -> ContactDeck:
    """Two parts of 1 kg in random attitudes that fly at each other at 2 m/s, off centre and turning, without loss."""
    deck, sides, random = ContactDeck(0.05, dt, every), [], np.random.default_rng(seed)
    deck.master = master
    radii = [float(np.linalg.norm(part(name).vertices, axis=1).max()) for name in (one, other)]
    off = np.clip(0.3 * random.normal(size=2), -0.6, 0.6) * min(radii)
    for k, name in enumerate((one, other)):
        spin = tuple(random.uniform(-10.0, 10.0, 3).tolist())
        place = (1.02 * k * sum(radii), k * float(off[0]), k * float(off[1]))
        node = deck.free_body(place, 1.0, (2e-3, 3e-3, 4e-3), ((1.0, -1.0)[k], 0.0, 0.0), spin)
        sides.append(deck.mesh(node, part(name).moved(Rotation.random(rng=random).as_matrix(), np.zeros(3))))
    if law == "poisson":
        deck.poisson((sides[0], sides[1]), 1e7, 1.0)
    else:
        deck.volume((sides[0], sides[1]), 1e9, 0.01, 1.0, 0.0)
    return deck
