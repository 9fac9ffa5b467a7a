"""Gears as pictures: teeth of plain flanks, wheels with spokes, bevel gears, racks.

Axes: z along the axis of the gear, x through the middle of a tooth.  Lengths as they are drawn.
"""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats
from .parts import Shape
from .surfaces import box, joined, plain, ringed

# Height of a tooth over its pitch in steps around: root, flank, tip, flank; in modules beyond the pitch circle.
TOOTH = np.array([[-0.5, -1.25], [-0.32, -1.25], [-0.12, 1.0], [0.12, 1.0], [0.32, -1.25]])
SMOOTH_POINTS = 72  # around a wheel without teeth
BORE = 0.22  # of the radius
KEYWAY = 1.45  # its depth, of the bore
LUG = 1.06  # on the outside of a ring
NOTCH = 0.2  # half the angle of both, rad
SPOKES = 5


def rim(radius: float, teeth: int, *, inward: bool = False) -> Floats:
    """(n, 2) outline of the toothed side of a gear about its axis; teeth : 0 of a smooth one."""
    if teeth == 0:
        angle = 2.0 * np.pi * np.arange(SMOOTH_POINTS) / SMOOTH_POINTS
        return radius * np.c_[np.cos(angle), np.sin(angle)]
    module = 2.0 * radius / teeth
    angle = (2.0 * np.pi * (np.arange(teeth)[:, None] + TOOTH[:, 0]) / teeth).ravel()
    height = np.tile(TOOTH[:, 1], teeth) * (-module if inward else module)
    return (radius + height)[:, None] * np.c_[np.cos(angle), np.sin(angle)]


def notched(outline: Floats, radius: float, depth: float) -> Floats:
    """A circle point by point beside an outline, `depth` times as wide at one place, which shows the turn."""
    angle = np.arctan2(outline[:, 1], outline[:, 0])
    factor = np.where(np.abs(angle) <= NOTCH, depth, 1.0)
    return (radius * factor)[:, None] * np.c_[np.cos(angle), np.sin(angle)]


def spur(radius: float, teeth: int, width: float) -> Shape:
    """An external gear with its middle at the origin."""
    outer = rim(radius, teeth)
    return between(outer, notched(outer, BORE * radius, KEYWAY), 0.5 * width)


def ring_gear(radius: float, teeth: int, width: float, thickness: float) -> Shape:
    """An internal gear with a lug outside."""
    inner = rim(radius, teeth, inward=True)
    return between(notched(inner, radius + thickness, LUG), inner, 0.5 * width)


def between(outer: Floats, inner: Floats, half: float) -> Shape:
    """A plate between two outlines of as many points, from -half to half."""
    loops = [(outer, -half), (outer, half), (inner, half), (inner, -half)]
    return ringed(np.stack([np.c_[outline, np.full(len(outline), z)] for outline, z in loops]))


def spoked(radius: float, width: float) -> Shape:
    """A wheel without teeth: rim, hub and spokes."""
    circle = rim(radius, 0)
    parts = [between(circle, 0.84 * circle, 0.5 * width), between(0.24 * circle, 0.12 * circle, 0.5 * width)]
    bar = box()
    for k in range(SPOKES):
        angle = 2.0 * np.pi * k / SPOKES
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        points = bar.points * [0.66 * radius, 0.1 * radius, 0.5 * width] + [0.53 * radius, 0.0, 0.0]
        parts.append(Shape(points @ turn.T, bar.triangles, np.full(len(bar.triangles), k == 0, np.uint8)))
    return joined(parts)


def bevel(radius: float, half_angle: float, teeth: int, face: float) -> Shape:
    """A bevel gear: its outer pitch circle about the origin, the apex of its cone on +z.

    half_angle : of the pitch cone, up to pi/2, where the gear is a crown
    face : how much of the cone it takes, below 1
    """
    outer = rim(radius, teeth)
    apex = np.array([0.0, 0.0, radius / np.tan(half_angle)])
    # teeth stand on the cone: what is higher is nearer to the apex, by the slope of the back cone
    rise = (np.hypot(*outer.T) - radius) * np.tan(half_angle) if half_angle < 1.5 else np.zeros(len(outer))
    rise = np.clip(rise, -0.3 * radius, 0.3 * radius)
    large = np.c_[outer, rise]
    small = apex + (1.0 - face) * (large - apex)
    back = -max(0.25 * radius * np.sin(half_angle), 0.12 * radius)
    bore = notched(outer, BORE * radius, KEYWAY)
    front = float(small[:, 2].max())
    loops = [np.c_[0.8 * outer, np.full(len(outer), back)], large, small]
    return ringed(np.stack([*loops, *(np.c_[bore, np.full(len(bore), z)] for z in (front, back))]))


def rack(pitch: float, first: int, last: int, width: float, height: float) -> Shape:
    """A rack along x, its pitch line at y = 0, its teeth towards +y: tooth k at k times pitch."""
    module = pitch / np.pi
    steps = (np.arange(first, last + 1)[:, None] + TOOTH[:, 0]).ravel() * pitch
    top = np.tile(TOOTH[:, 1], last + 1 - first) * module
    return _bar(np.append(steps, (last + 0.5) * pitch), np.append(top, TOOTH[0, 1] * module), width, height)


def bar(start: float, end: float, width: float, height: float) -> Shape:
    """A rack without teeth."""
    return _bar(np.array([start, end]), np.zeros(2), width, height)


def _bar(x: Floats, top: Floats, width: float, height: float) -> Shape:
    bottom = np.full(len(x), float(top.min()) - height)
    edges = ((top, 0.5 * width), (top, -0.5 * width), (bottom, -0.5 * width), (bottom, 0.5 * width))
    rings = np.stack([np.c_[x, y, np.full(len(x), z)] for y, z in edges], axis=1)  # sections one after the other
    n = len(rings)
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(n - 1), np.arange(4), indexing="ij"))
    onward = (j + 1) % 4
    quads = np.c_[i * 4 + j, (i + 1) * 4 + j, (i + 1) * 4 + onward, i * 4 + onward]
    ends = np.array([[0, 1, 2, 3], [4 * n - 1, 4 * n - 2, 4 * n - 3, 4 * n - 4]])
    quads = np.concatenate([quads, ends])
    return plain(rings.reshape(-1, 3), quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3).astype(np.int64))
