"""Closed meshes from rows of sections: walls are grids, ends are cut up tooth by tooth on the same points."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...geometry.mesh.triangle_mesh import Floats, Indices, TriangleMesh
from .data import CylindricalGear, GearError, Rack, Resolution
from .profile import HalfProfile, gear_profile, rack_profile
from .triangulation import grid_triangles, repeated_polygon, ring_triangles

Flat = Callable[[Floats], Floats]
FEWEST_AROUND = 48  # segments of a bore or rim


@dataclass(frozen=True, slots=True)
class Body:
    """What carries the teeth, as lengths.

    width : of the teeth; bore : diameter of the hole, 0 for none; rim : of a ring, from its roots to the outside
    inset : of bevel teeth, how far from the outer sphere they end
    """

    width: float
    bore: float = 0.0
    rim: float = 0.0
    inset: float = 0.0


def sector_points(teeth: int) -> int:
    """Segments of a bore or rim for each tooth."""
    return max(1, math.ceil(FEWEST_AROUND / teeth))


def polar_rows(level: Floats, angle: Floats, height: Floats) -> Floats:
    """Points (rows, columns, 3) of rows of radii, angles and heights."""
    level, angle, height = np.broadcast_arrays(level, angle, height)
    return np.stack([level * np.cos(angle), level * np.sin(angle), height], axis=-1)


def circle_rows(radius: float, teeth: int, turn: Floats, height: Floats) -> Floats:
    """Rows of points on a cylinder, the first of each opposite the middle of a space."""
    count = teeth * sector_points(teeth)
    angle = -math.pi / teeth + 2.0 * math.pi * np.arange(count) / count
    return polar_rows(np.float64(radius), angle + turn[:, None], height[:, None])  # type: ignore[arg-type]


def flat_xy(points: Floats) -> Floats:
    """Plane coordinates of points of an end that is normal to z."""
    return points[:, :2]


def build_solid(
    outer: Floats, inner: Floats, teeth: int, *, through: bool, flat: Flat = flat_xy, whole_ends: bool = False
) -> TriangleMesh:
    """The solid between an outer and an inner wall.

    Parameters
    ----------
    outer : (rows, columns, 3), loops about z, upwards; columns is a multiple of `teeth`
    inner : (rows, columns, 3), the same of the hole; its first and last row belong to the two ends
    through : the inner rows bound a hole; if not, there are two, and each is closed by a disc
    flat : plane coordinates of the points of an end
    whole_ends : cut up an end as one ring: for threads, of which there may be one
    """
    points = np.concatenate([outer.reshape(-1, 3), inner.reshape(-1, 3)])
    outside, inside = (np.arange(wall.size // 3).reshape(len(wall), -1) for wall in (outer, inner))
    inside += outside.size
    parts = [grid_triangles(points, outside)]
    for row, sense in ((0, -1), (-1, 1)):
        if whole_ends:
            end = ring_triangles(flat(points), outside[row], inside[row])
        else:
            end = repeated_polygon(flat(points), _sectors(outside[row], inside[row], teeth))
        parts.append(end[:, ::sense])
    if through:
        parts.append(grid_triangles(points, inside)[:, ::-1])
    else:
        centres = inner.mean(axis=1)
        for row, sense in ((0, -1), (-1, 1)):
            middle = np.full(inside.shape[1], len(points) + row % 2)
            parts.append(np.c_[middle, inside[row], np.roll(inside[row], -1)][:, ::sense])
        points = np.concatenate([points, centres])
    return TriangleMesh(points, np.concatenate(parts))


def _sectors(outer: Indices, inner: Indices, teeth: int) -> Indices:
    """Of each tooth the points of its end, counter-clockwise."""
    sectors = []
    for loop in (outer, inner):
        count = len(loop) // teeth
        columns = (np.arange(teeth)[:, None] * count + np.arange(count + 1)) % len(loop)
        sectors.append(loop[columns])
    return np.concatenate([sectors[0], sectors[1][:, ::-1]], axis=1)


def width_rows(width: float, rows: int, *, double: bool) -> Floats:
    """Heights of the rows, about the middle; a double helix has one at its apex."""
    if double and rows % 2:
        rows += 1
    heights: Floats = width * (np.arange(rows + 1) / rows - 0.5)
    return heights


def twist_of(gear: CylindricalGear, height: Floats) -> Floats:
    """Angle by which a section is turned."""
    return gear.twist * (np.abs(height) if gear.double else height)


def gear_rows(profile: HalfProfile, teeth: int, turn: Floats, height: Floats, narrower: Floats, land: int) -> Floats:
    """Rows of points of toothed sections, (rows, teeth * columns, 3)."""
    starts = profile.pitch * np.arange(teeth)
    rows = []
    for angle, z, less in zip(turn, height, narrower, strict=True):
        level, position = profile.outline(land, less)
        around = (starts[:, None] + position).ravel() + angle
        rows.append(polar_rows(np.tile(level, teeth), around, np.float64(z)))  # type: ignore[arg-type]
    return np.stack(rows)


def gear_mesh(gear: CylindricalGear, body: Body, resolution: Resolution) -> TriangleMesh:
    """Mesh of a spur, helical or double-helical gear, or ring: axis z, a tooth on +x, the middle of the width at 0.

    Raises
    ------
    GearError
        if bore or rim do not fit
    """
    profile = gear_profile(gear, resolution)
    height = width_rows(body.width, resolution.rows, double=gear.double)
    turn = twist_of(gear, height)
    narrower = gear.form.crowning * (2.0 * height / body.width) ** 2 / gear.base_radius
    if profile.half[-1] <= narrower.max():
        raise GearError(f"crowning {gear.form.crowning:g} leaves no tooth at the ends of the width; make it less")
    toothed = gear_rows(profile, gear.teeth, turn, height, narrower, resolution.land)
    if gear.ring:
        if body.rim <= 0.0:
            raise GearError(f"rim {body.rim:g} is not a positive length")
        # The rim keeps clear of the roots by its rim; its chords must too.
        radius = (gear.root_radius + body.rim) / math.cos(math.pi / (gear.teeth * sector_points(gear.teeth)))
        return build_solid(circle_rows(radius, gear.teeth, turn, height), toothed, gear.teeth, through=True)
    largest = 2.0 * gear.root_radius * math.cos(math.pi / gear.teeth)
    if not 0.0 <= body.bore < 0.98 * largest:
        raise GearError(f"bore {body.bore:g} is not from 0 to {0.98 * largest:g}, 0.98 of what the roots leave")
    if body.bore:
        inner = circle_rows(0.5 * body.bore, gear.teeth, turn, height)
    else:
        inner = circle_rows(0.3 * largest, gear.teeth, turn[[0, -1]], height[[0, -1]])
    return build_solid(toothed, inner, gear.teeth, through=body.bore > 0.0)


def rack_loop(rack: Rack, profile: HalfProfile, land: int, narrower: float = 0.0) -> Floats:
    """Section of a rack with its body, counter-clockwise: the teeth from +x to -x, then the points below the spaces."""
    level, position = profile.outline(land, narrower)
    starts = rack.pitch * (np.arange(rack.teeth) - 0.5 * (rack.teeth - 1))
    below = np.append(starts, starts[-1] + rack.pitch) - 0.5 * rack.pitch
    x = np.append((starts[:, None] + position).ravel(), below[-1])
    y = np.append(np.tile(level, rack.teeth), profile.level[0])
    back = np.full(len(below), profile.level[0] - rack.body * rack.module)
    return np.c_[np.append(x[::-1], below), np.append(y[::-1], back)]


def rack_mesh(rack: Rack, width: float, resolution: Resolution) -> TriangleMesh:
    """Mesh of a rack: teeth towards +y, along x, the width along z; the middle at x = 0, z = 0.

    Raises
    ------
    GearError
        if crowning leaves no tooth
    """
    profile = rack_profile(rack, resolution)
    height = width_rows(width, resolution.rows, double=rack.double)
    aside = math.tan(rack.helix) * (np.abs(height) if rack.double else height)
    narrower = rack.form.crowning / math.cos(rack.transverse_pressure_angle) * (2.0 * height / width) ** 2
    if profile.half[-1] <= narrower.max():
        raise GearError(f"crowning {rack.form.crowning:g} leaves no tooth at the ends of the width; make it less")
    loops = [rack_loop(rack, profile, resolution.land, less) for less in narrower]
    rows = [
        np.c_[loop + np.array([shift, 0.0]), np.full(len(loop), z)]
        for loop, shift, z in zip(loops, aside, height, strict=True)
    ]
    points = np.concatenate(rows)
    indices = np.arange(len(points)).reshape(len(rows), -1)
    parts = [grid_triangles(points, indices)]
    back = indices.shape[1] - rack.teeth - 1  # where the points below the spaces begin
    columns = (back - 1) // rack.teeth
    cells = []
    for tooth in range(rack.teeth):  # of the loop, which runs towards -x
        top = tooth * columns + np.arange(columns + 1)
        below = back + rack.teeth - tooth + np.array([-1, 0])
        cells.append(np.append(top, below))
    for row, sense in ((0, -1), (-1, 1)):
        parts.append(repeated_polygon(points[:, :2], indices[row][np.array(cells)])[:, ::sense])
    return TriangleMesh(points, np.concatenate(parts))
