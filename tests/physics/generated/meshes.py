"""Meshed parts that meet in flight, and that fall on a floor, slide and rest; convex ones and others."""

from __future__ import annotations

from functools import cache

import numpy as np
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, FRUSTUM, SPHERE
from joint_definitions import unit
from mesh_parts import L_CELLS, T_CELLS, U_CELLS, blob, skin, torus, tube
from scipy.spatial.transform import Rotation

from .collisions import BOUNCE, FLOOR, REACH, SPEED, add_law, contact_body, let_fall, skewed_solid
from .common import Floats, NewDeck, chosen
from .machine_deck import MachineDeck

EDGE = 0.012  # of triangles
SOLIDS = {"SPHERE": SPHERE, "BOX": BOX, "CYLINDER": CYLINDER, "FRUSTUM": FRUSTUM, "ELLIPSOID": ELLIPSOID}
CELLS = {"L": L_CELLS, "T": T_CELLS, "U": U_CELLS}
PARTS = (*SOLIDS, *CELLS, "TORUS", "TUBE", "BLOB")
# Turned, or in other units, 95 of 100 move the same way to 1e-9, or as chaos lets them. In others rounding tells if a
# chart of the master is found at an edge of coarse meshes: 2.5e-2 at most of 130 machines.
APPROXIMATE = 0.05
KEPT = 0.01  # of the energy turned over, that elastic contacts with loss and friction beside them may be off by


def part(random: np.random.Generator, kind: str) -> TriangleMesh:
    """A mesh of a random size within the reach of solids, about its mass centre."""
    r = random.uniform(0.7, 1.0, 3)
    if kind == "BLOB":
        mesh = blob(random, float(r[0]), EDGE / REACH, 0.2)
    elif kind in SOLIDS:
        size = {"SPHERE": (1.0, 0.0, 0.0), "CYLINDER": (r[0], r[0], r[1]), "FRUSTUM": (r[0], r[1] * r[0], r[2])}
        mesh = tessellate(SOLIDS[kind], size.get(kind, tuple(r)), EDGE / REACH)
    else:
        mesh = plain_part(kind)
    return mesh.scaled(float(random.uniform(0.8, 1.0)) * REACH / float(np.linalg.norm(mesh.vertices, axis=1).max()))


@cache
def plain_part(kind: str) -> TriangleMesh:
    if kind == "TORUS":
        return torus(0.7, 0.3, 32, 16)
    if kind == "TUBE":
        return tube(0.7, 0.5, 0.6, 40, 6)
    return skin(CELLS[kind], 0.5, 3)


def turned_mesh(deck: MachineDeck, random: np.random.Generator, node: int) -> int:
    """Some part on a node at a random attitude; returns its id."""
    mesh = part(random, chosen(random, PARTS))
    return deck.mesh(node, mesh.moved(Rotation.random(rng=random).as_matrix(), np.zeros(3)))


def meeting(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """A mesh and a mesh or a solid in any pose that fly at each other."""
    deck = new(0.06, BOUNCE / 100, 5e-4)
    deck.rough, deck.approximate = "contact", APPROXIMATE
    deck.master = int(random.choice([0, 0, 0, 1, 2, 3]))
    way, solids = unit(random.normal(size=3)), []
    for k in range(2):
        sign = 2.0 * k - 1.0
        place = sign * 1.05 * REACH * way + 0.015 * random.normal(size=3)
        body = contact_body(deck, random, place, 1.0, -sign * SPEED / 2 * way)
        if k == 1 and random.random() < 0.25:
            kind = chosen(random, tuple(SOLIDS))
            solids.append(skewed_solid(deck, random, kind, deck.mains[body], np.zeros(3)))
        else:
            solids.append(turned_mesh(deck, random, deck.mains[body]))
    add_law(deck, random, (solids[0], solids[1]), 1.0, rubs=bool(random.random() < 0.4))
    deck.elastic = None if deck.elastic is None else max(deck.elastic, 1e-3)
    return deck


def heap(new: NewDeck, random: np.random.Generator) -> MachineDeck:
    """1 to 3 meshed parts that fall on a floor, with friction of all kinds and loss."""
    deck = new(0.06, 1e-4, 1e-3)
    deck.rough, deck.grounded, deck.kept, deck.approximate = "contact", True, KEPT, APPROXIMATE
    slab = tessellate(BOX, (0.6, 0.6, 0.1), 0.2)
    below: Floats = np.array([0.0, 0.0, -0.1])
    floor = deck.solid("PLANE", FLOOR) if random.random() < 0.5 else deck.mesh(FLOOR, slab, centre=below.tolist())
    solids = []
    for k in range(int(random.integers(1, 4))):
        place = np.array([*(0.02 * random.normal(size=2)), 1.02 * REACH + 2.05 * REACH * k])
        start = np.array([*(0.5 * random.normal(size=2)), -1.0])
        body = contact_body(deck, random, place, float(random.uniform(0.5, 2.0)), start)
        solids.append(turned_mesh(deck, random, deck.mains[body]))
    let_fall(deck, random, [*solids, floor])
    return deck
