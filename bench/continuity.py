"""How often the force of two solids, meshes or plane curves jumps while one of them moves and turns.

    python bench/continuity.py              500 random paths for each pair of solids and depth: half an hour
    python bench/continuity.py 50           as many
    python bench/continuity.py 500 box      only pairs whose name contains "box"
    python bench/continuity.py 500 curves   plane curves
    python bench/continuity.py 500 meshes   meshes of convex and other parts

A path begins with an overlap of 1e-4 or 0.02 m, or anywhere deep, of solids of about a metre, and goes on for a
displacement of some 0.15 m and a rotation of some 0.3 rad; those of plane curves, which have a radius of 50 mm, with an
overlap of 1e-4 or 2e-3 m for 4 mm and 0.05 rad; and those of meshes of 0.1 m so for 8 mm and 0.1 rad.  A jump is a
change of force and moment, relative to the largest on the path, that bisection cannot make smaller than 1e-5, or than
1e-3 of meshes, whose own roughness is up to 1e-3.  Columns: paths with a jump; the largest jump; and the least
penetration at a jump, over the smallest half extent of the two solids.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "physics"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solver"))
import curve_rig
import pair_of_meshes
from mesh_parts import CONVEX, NOT_CONVEX
from shape_rig import (
    NAMES_OF_PAIRS,
    PAIRS,
    gap,
    largest_jump,
    random_pair,
    smallest_half_extent,
    turning_path,
)

DEPTHS = (1e-4, 0.02, None)  # None: anywhere
DEPTHS_OF_CURVES = DEPTHS_OF_MESHES = (1e-4, 2e-3)
SIZE_OF_MESHES, LEAST_OF_MESHES = 0.25, 0.02  # two of them; smallest half extent
# slave and master
PAIRS_OF_MESHES = (
    ("sphere", "ellipsoid"), ("box", "box"), ("box", "sphere"), ("cylinder", "box"), ("frustum", "cylinder"),
    ("L", "T"), ("L", "box"), ("U", "torus"), ("torus", "torus"), ("tube", "L"), ("blob", "blob"), ("blob", "T"),
)  # fmt: skip
STEPS, JUMP, JUMP_OF_MESHES = 40, 1e-5, 1e-3


def jumps(kinds: tuple[int, int], depth: float | None, count: int) -> list[tuple[float, float]]:
    """Of each path with a jump, its size and the relative penetration at which it happens."""
    found = []
    for k in range(count):
        random = np.random.default_rng(1000 + k)
        i, j = random_pair(random, kinds, depth)
        path = turning_path(i, j, random.normal(size=3) * 0.15, random.normal(size=3) * 0.3)
        jump, at = largest_jump(path, STEPS)
        if jump > JUMP:
            size = min(smallest_half_extent(i), smallest_half_extent(j))
            found.append((jump, -gap(*path(at)).gap / size))
    return found


def jumps_of_curves(name: str, depth: float, count: int) -> list[tuple[float, float]]:
    """The same of plane curves."""
    found = []
    for k in range(count):
        random = np.random.default_rng(1000 + k)
        two = curve_rig.PAIRS[name](random)
        start = curve_rig.overlapping(two, random, depth)
        way = random.normal(size=3) * [0.004, 0.004, 0.05]
        jump = curve_rig.largest_jump(two, lambda s, start=start, way=way: start + s * way, STEPS)
        if jump > JUMP:
            found.append((jump, two.deepest(*start) / curve_rig.SIZE))
    return found


def jumps_of_meshes(names: tuple[str, str], depth: float, count: int) -> list[tuple[float, float]]:
    """The same of meshes."""
    shapes, found = {**CONVEX, **NOT_CONVEX}, []
    pair = pair_of_meshes.PairOfMeshes(*(shapes[name]() for name in names))
    for k in range(count):
        random = np.random.default_rng(1000 + k)
        start = pair_of_meshes.overlapping(pair, random, depth, SIZE_OF_MESHES)
        way = random.normal(size=3) * 0.008, random.normal(size=3) * 0.1

        def path(s: float, start=start, way=way):  # type: ignore[no-untyped-def]
            return pair_of_meshes.on_the_way(start, *way, s)

        jump, at = largest_jump(path, STEPS, pair.force)
        if jump > JUMP_OF_MESHES:
            found.append((jump, pair.deepest(*path(at)) / LEAST_OF_MESHES))
    return found


def main() -> None:
    """Print a line for each pair and depth."""
    parser = argparse.ArgumentParser(description="how often the force of two solids jumps")
    parser.add_argument("paths", nargs="?", type=int, default=500)
    parser.add_argument("pair", nargs="?", default="", help="part of a pair's name")
    given = parser.parse_args()
    print(f"{'pair':<26}{'depth, m':>10}{'jumps':>12}{'largest':>12}{'from':>8}", flush=True)
    for name, kinds in zip(NAMES_OF_PAIRS, PAIRS, strict=True):
        if given.pair not in name:
            continue
        for depth in DEPTHS:
            report(name, depth, jumps(kinds, depth, given.paths), given.paths)
    for name in curve_rig.PAIRS:
        label = f"curves: {name}"
        if given.pair in label:
            for depth in DEPTHS_OF_CURVES:
                report(label, depth, jumps_of_curves(name, depth, given.paths), given.paths)
    for names in PAIRS_OF_MESHES:
        label = f"meshes: {', '.join(names)}"
        if given.pair in label:
            for depth in DEPTHS_OF_MESHES:
                report(label, depth, jumps_of_meshes(names, depth, given.paths), given.paths)


def report(name: str, depth: float | None, found: list[tuple[float, float]], paths: int) -> None:
    """One line."""
    where = f"{'any' if depth is None else depth:>10}{f'{len(found)}/{paths}':>12}"
    worst = f"{max(jump for jump, _ in found):>12.1e}{min(at for _, at in found):>8.2f}" if found else ""
    print(f"{name:<26}{where}{worst}", flush=True)


if __name__ == "__main__":
    main()
