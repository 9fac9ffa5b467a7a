"""Meshes of exact shapes at random attitudes on a half space and on each other: errors and their orders.

    python bench/mesh_accuracy.py           10 attitudes each, a minute
    python bench/mesh_accuracy.py 100 box   as many, only of what has "box" in its name

Depth 0.1 mm, bodies of 0.1 m.  On the half space the deepest point is known in closed form; each other, the exact
solids of gsolve are the reference.  Columns: edges of the triangles; root mean square errors of the depth, the force
over the force, the point, and the moment about the centre over force times radius; and the order of each, by which it
falls with the edges.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from gsolve.solver.geometry.mesh.tessellation import tessellate
from gsolve.solver.geometry.shapes import BOX, CYLINDER, ELLIPSOID, SPHERE
from scipy.spatial.transform import Rotation

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / name) for name in ("physics", "solver", ".")]
from contact_decks import ContactDeck  # noqa: E402
from running import run  # noqa: E402

DEPTH, STIFFNESS, RADIUS = 1e-4, 1e6, 0.05
EDGES = (0.012, 0.006, 0.003)
SHAPES = {
    "sphere": (SPHERE, (0.05, 0.0, 0.0), (0.05,)),
    "ellipsoid": (ELLIPSOID, (0.07, 0.05, 0.04), (0.07, 0.05, 0.04)),
    "cylinder": (CYLINDER, (0.05, 0.05, 0.05), (0.05, 0.1)),
    "box": (BOX, (0.06, 0.05, 0.04), (0.12, 0.1, 0.08)),
}
PAIRS = (("sphere", "ellipsoid"), ("ellipsoid", "ellipsoid"), ("sphere", "cylinder"), ("sphere", "box"))
NAMES = {"sphere": "SPHERE", "ellipsoid": "ELLIPSOID", "cylinder": "CYLINDER", "box": "BOX"}
QUANTITIES = ("depth, m", "force", "point, m", "moment")
Found = tuple[float, np.ndarray, np.ndarray]  # depth, force on the first body, point


def lowest(name: str, down: np.ndarray) -> np.ndarray:
    """The point of a shape that is farthest along a direction, axes of the shape."""
    size = np.array(SHAPES[name][1])
    if name == "box":
        return size * np.sign(down)
    if name == "cylinder":
        return np.array([*(size[0] * down[:2] / np.hypot(*down[:2])), size[2] * np.sign(down[2])])
    semi = np.full(3, size[0]) if name == "sphere" else size
    return semi**2 * down / np.linalg.norm(semi * down)


def touch(deck: ContactDeck) -> Found:
    """Of the first sample."""
    results = run(deck)
    force, point = (np.array([results.of("th/inter", f"{k}{axis}", 1)[0] for axis in "XYZ"]) for k in ("FN", "P"))
    return float(results.of("th/inter", "PEN", 1)[0]), force, point


def new_deck() -> ContactDeck:
    return ContactDeck(1e-6, 1e-6, 1e-6)


def add(deck: ContactDeck, name: str, place: np.ndarray, attitude: np.ndarray, edge: float | None) -> int:
    """A body of a shape as a mesh with such edges, or as it is; returns its surface."""
    number, size, card = SHAPES[name]
    node = deck.free_body(tuple(place.tolist()), 1.0, (2e-3, 2e-3, 2e-3))
    if edge is not None:
        return deck.mesh(node, tessellate(number, size, edge).moved(attitude, np.zeros(3)))
    deck.block(f"/SKEW/FIX/{node}", "axes", "0, 0, 0", *(", ".join(map(repr, attitude[:, c].tolist())) for c in (1, 2)))
    return deck.solid(NAMES[name], node, *card, skew=node)


def on_half_space(name: str, edge: float, attitude: np.ndarray) -> np.ndarray:
    """Errors of QUANTITIES."""
    arm = attitude @ lowest(name, attitude.T @ np.array([0.0, 0.0, -1.0]))
    place = np.array([0.013, 0.021, -arm[2] - DEPTH])
    deck = new_deck()
    deck.impact((add(deck, name, place, attitude, edge), deck.solid("PLANE", 0, 0.0, 0.0, 1.0)), STIFFNESS, 1.0)
    exact = DEPTH, np.array([0.0, 0.0, STIFFNESS * DEPTH]), place + arm + [0.0, 0.0, 0.5 * DEPTH]
    return errors(touch(deck), exact, place)


def on_each_other(names: tuple[str, str], edge: float, attitudes: np.ndarray, way: np.ndarray) -> np.ndarray:
    """Errors of QUANTITIES."""
    arms = [attitudes[k] @ lowest(name, attitudes[k].T @ (way if k == 0 else -way)) for k, name in enumerate(names)]
    apart = float((arms[0] - arms[1]) @ way) - DEPTH
    places = [np.zeros(3), arms[0] - arms[1] - DEPTH * way]  # deepest points, with their normals along the way
    assert apart > 0.0
    found = []
    for used in (None, edge):
        deck = new_deck()
        deck.master = 1  # what may have edges is the slave
        sides = [add(deck, name, places[k], attitudes[k], used) for k, name in enumerate(names)]
        deck.impact((sides[0], sides[1]), STIFFNESS, 1.0)
        found.append(touch(deck))
    return errors(found[1], found[0], places[0])


def errors(found: Found, exact: Found, centre: np.ndarray) -> np.ndarray:
    size = float(np.linalg.norm(exact[1]))
    moments = [np.cross(point - centre, force) for _, force, point in (found, exact)]
    of_force, of_point, of_moment = (
        float(np.linalg.norm(a - b)) for a, b in ((found[1], exact[1]), (found[2], exact[2]), moments)
    )
    return np.array([abs(found[0] - exact[0]), of_force / size, of_point, of_moment / (size * RADIUS)])


def report(name: str, of_edge) -> None:  # type: ignore[no-untyped-def]
    """Lines of one pair; of_edge : edge -> (n, 4) errors."""
    last = None
    for edge in EDGES:
        mean = np.sqrt(np.mean(np.square(of_edge(edge)), axis=0))
        line = "".join(f"{value:>10.1e}" for value in mean)
        if last is not None:
            line += "   order" + "".join(f"{math.log2(old / new):>6.1f}" if new > 1e-12 else f"{'':>6}"
                                         for old, new in zip(last, mean, strict=True))  # fmt: skip
        print(f"{name:<26}{1e3 * edge:>6.0f} mm{line}", flush=True)
        last = mean


def main() -> None:
    count, random = int(sys.argv[1]) if len(sys.argv) > 1 else 10, np.random.default_rng(1)
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    attitudes = Rotation.random(2 * count, rng=random).as_matrix().reshape(count, 2, 3, 3)
    ways = random.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    print(f"{'':<26}{'edges':>9}" + "".join(f"{name:>10}" for name in QUANTITIES))
    for name in (name for name in SHAPES if part in name):
        report(f"{name} on a half space", lambda edge, name=name: [on_half_space(name, edge, a[0]) for a in attitudes])
    for names in (names for names in PAIRS if part in ", ".join(names)):
        pairs = zip(attitudes, ways, strict=True)
        poses = [(a, way) for a, way in pairs]
        report(", ".join(names), lambda edge, names=names, poses=poses: [on_each_other(names, edge, *p) for p in poses])


if __name__ == "__main__":
    main()
