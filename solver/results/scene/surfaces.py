"""Surfaces of simple things, of unit size; parts scale them.

Round ones have quarters in two tones, so that one sees them turn.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ...core.bodies import Floats, Ints
from .parts import Shape

CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def plain(points: Floats, triangles: Ints, *, two_sided: bool = False) -> Shape:
    """A shape of one tone."""
    return Shape(points, triangles, np.zeros(len(triangles), np.uint8), two_sided)


def joined(shapes: list[Shape]) -> Shape:
    """Several shapes as one."""
    starts = np.cumsum([0, *(len(shape.points) for shape in shapes[:-1])])
    return Shape(
        np.concatenate([shape.points for shape in shapes]),
        np.concatenate([shape.triangles + start for shape, start in zip(shapes, starts, strict=True)]),
        np.concatenate([shape.tone for shape in shapes]),
        any(shape.two_sided for shape in shapes),
    )


def box() -> Shape:
    """Edges of length 1, about the origin."""
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return plain(CORNERS, _halves(np.array(quads)))


def sphere(divisions: int) -> Shape:
    """Radius 1: an octahedron whose faces are divided; its eighths have two tones in turn."""
    i, j = (grid.ravel() for grid in np.meshgrid(*2 * (np.arange(divisions + 1),), indexing="ij"))
    inside = i + j <= divisions
    i, j = i[inside], j[inside]
    number = np.full((divisions + 2, divisions + 2), -1)
    number[i, j] = np.arange(len(i))
    up, down = i + j < divisions, i + j < divisions - 1
    face = np.concatenate(
        [np.c_[number[i, j], number[i + 1, j], number[i, j + 1]][up],
         np.c_[number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]][down]]
    )  # fmt: skip
    points: list[Ints] = []
    triangles, tones = [], []
    for signs in np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]):
        steps = np.c_[divisions - i - j, i, j] * signs
        odd = signs.prod() < 0
        triangles.append((face[:, ::-1] if odd else face) + len(points) * len(i))
        tones.append(np.full(len(face), odd, np.uint8))
        points.append(steps)
    unique, place = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    on_sphere = unique / np.linalg.norm(unique, axis=1)[:, None]
    return Shape(on_sphere, place.ravel()[np.concatenate(triangles)], np.concatenate(tones))


def revolved(profile: Floats, around: int) -> Shape:
    """Rings about z through points (n, 2) of radius and height, from below to above; quarters in two tones.

    around : points of a ring, a multiple of 4; a radius of 0 is a point.
    """
    angle = 2.0 * np.pi * np.arange(around) / around
    points = np.array([[r * np.cos(a), r * np.sin(a), z] for r, z in profile for a in angle])
    k = np.arange(around)
    rows = []
    for lower, upper in pairwise(range(len(profile))):
        # a ring of no radius is its first point
        a, b = (lower * around + (profile[lower][0] > 0.0) * step for step in (k, (k + 1) % around))
        d, c = (upper * around + (profile[upper][0] > 0.0) * step for step in (k, (k + 1) % around))
        rows += [np.c_[a, b, c]] if profile[lower][0] > 0.0 else []
        rows += [np.c_[a, c, d]] if profile[upper][0] > 0.0 else []
    tone = np.tile((k * 4 // around) % 2, len(rows)).astype(np.uint8)
    used, place = np.unique(np.concatenate(rows), return_inverse=True)
    return Shape(points[used], place.reshape(-1, 3), tone)


def cylinder(around: int) -> Shape:
    """Radius 1, length 1 along z, about the origin."""
    return frustum(1.0, 1.0, around)


def frustum(bottom: float, top: float, around: int) -> Shape:
    """Radii at z = -1/2 and z = 1/2."""
    return revolved(np.array([[0.0, -0.5], [bottom, -0.5], [top, 0.5], [0.0, 0.5]]), around)


def patch(cells: int) -> Shape:
    """A square of edges 1 in the x-y plane about the origin, chequered, seen from both sides."""
    i, j = (grid.ravel() for grid in np.meshgrid(*2 * (np.arange(cells),), indexing="ij"))
    n = cells + 1
    triangles = _halves(np.c_[i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1])
    x, y = (grid.ravel() / cells - 0.5 for grid in np.meshgrid(*2 * (np.arange(n),), indexing="ij"))
    return Shape(np.c_[x, y, np.zeros(n * n)], triangles, np.repeat((i + j) % 2, 2).astype(np.uint8), True)


def coil(turns: int, around: int, *, wire: float) -> Shape:
    """A spring along z from 0 to 1, of radius 1: straight ends, `turns` turns between; wire : its radius."""
    share = np.linspace(0.0, 1.0, turns * around + 1)
    angle = 2.0 * np.pi * turns * share
    turned = np.c_[np.cos(angle), np.sin(angle), 0.12 + 0.76 * share]
    path = np.concatenate([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.12]], turned, [[0.0, 0.0, 0.88], [0.0, 0.0, 1.0]]])
    # a wire of four flat sides; across z it is as thick when the spring is stretched
    outward = path * [1.0, 1.0, 0.0]
    length = np.linalg.norm(outward, axis=1)[:, None]
    outward = np.where(length > 0.0, outward / np.where(length > 0.0, length, 1.0), [1.0, 0.0, 0.0])
    side = np.cross([0.0, 0.0, 1.0], outward)
    upward = np.array([0.0, 0.0, 0.1]) + np.where(length > 0.0, 0.0, 1.0) * side
    corners = [path + wire * outward, path + wire * upward, path - wire * outward, path - wire * upward]
    return tube(np.stack(corners, axis=1))


def tube(rings: Floats) -> Shape:
    """Rings (n, k, 3) one after the other, each joined to the next; ends are open."""
    n, k = rings.shape[:2]
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n - 1), np.arange(k), indexing="ij"))
    onward = (j + 1) % k
    quads = np.c_[i * k + j, i * k + onward, (i + 1) * k + onward, (i + 1) * k + j]
    return plain(rings.reshape(-1, 3), _halves(quads), two_sided=True)


def ringed(loops: Floats) -> Shape:
    """Closed loops (n, k, 3), each joined to the next and the last to the first, as the skin of a ring."""
    n, k = loops.shape[:2]
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n), np.arange(k), indexing="ij"))
    onward, across = (j + 1) % k, (i + 1) % n
    return plain(loops.reshape(-1, 3), _halves(np.c_[i * k + j, i * k + onward, across * k + onward, across * k + j]))


def _halves(quads: Ints) -> Ints:
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3).astype(np.int64)


def moved(shape: Shape, offset: ArrayLike) -> Shape:
    """The shape elsewhere in its axes."""
    return Shape(shape.points + np.asarray(offset, dtype=np.float64), shape.triangles, shape.tone, shape.two_sided)
