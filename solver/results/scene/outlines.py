"""Plane curves as bodies: outlines of some width, closed ones with their ends."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats, Ints
from .parts import Shape
from .surfaces import joined, plain


def extruded(outline: Floats, width: float, *, closed: bool) -> Shape:
    """A curve (n, 2) as a strip from z = -width/2 to width/2, its solid on the left; seen from both sides if open.

    A closed one that runs counter-clockwise is filled; one that runs clockwise is a hole, of which the wall is shown.
    """
    n = len(outline)
    count = n if closed else n - 1
    here, onward = np.arange(count), (np.arange(count) + 1) % n
    points = np.concatenate([np.c_[outline, np.full(n, z)] for z in (-0.5 * width, 0.5 * width)])
    wall = np.concatenate([np.c_[here, onward, onward + n], np.c_[here, onward + n, here + n]])
    if not closed or signed_area(outline) < 0.0:
        return plain(points, wall, two_sided=True)
    face = filled(outline)
    ends = np.concatenate([face[:, ::-1], face + n])
    return joined([plain(points, wall), plain(points, ends)])


def signed_area(outline: Floats) -> float:
    """Positive of a closed outline that runs counter-clockwise."""
    x, y = outline.T
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def filled(outline: Floats) -> Ints:
    """Counter-clockwise triangles (m, 3) that fill a closed outline (n, 2): ears are cut off one by one.

    An outline that crosses itself is filled as far as it has ears.
    """
    left = list(range(len(outline)) if signed_area(outline) > 0.0 else range(len(outline) - 1, -1, -1))
    triangles = []
    at, seen = 0, 0
    while len(left) > 3 and seen < len(left):
        ear = left[at - 1], left[at], left[(at + 1) % len(left)]
        if _is_ear(outline, ear, left):
            triangles.append(ear)
            del left[at]
            at, seen = (at + 1) % len(left), 0  # the next but one: fans of slivers are avoided
        else:
            at, seen = (at + 1) % len(left), seen + 1
    if len(left) == 3:
        triangles.append((left[0], left[1], left[2]))
    return np.array(triangles, dtype=np.int64).reshape(-1, 3)


def _is_ear(outline: Floats, ear: tuple[int, int, int], left: list[int]) -> bool:
    """Whether the corner is convex and no other corner lies in it."""
    a, b, c = outline[list(ear)]
    if _cross(b - a, c - b) <= 0.0:
        return False
    others = outline[[k for k in left if k not in ear]]
    inside = (
        (_cross(b - a, others - a) >= 0.0) & (_cross(c - b, others - b) >= 0.0) & (_cross(a - c, others - c) >= 0.0)
    )
    return not inside.any()


def _cross(u: Floats, v: Floats) -> Floats:
    product: Floats = u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]
    return product
