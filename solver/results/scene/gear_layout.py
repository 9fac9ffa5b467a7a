"""Wheels that gear joints and couplers stand for: where they are, how large, with how many teeth.

A result file knows ratios and the places of shafts.  Two parallel shafts apart get wheels that touch: r_1/r_2 is the
ratio and r_1 + r_2 the distance, or r_2 - r_1 where both turn the same way (internal).  Crossing shafts get pitch
cones about the line that rolls.  Teeth are drawn where the ratio is one of small whole numbers; how many there are in
truth is not known.  All lengths and directions are global, as drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ...core.bodies import Floats

FEWEST_TEETH, MOST_TEETH = 17, 150
LARGEST_DENOMINATOR = 100
EXACT = 1e-6  # of a ratio that is one of whole numbers
PARALLEL = 1e-6  # sine of the angle between axes that are parallel
COAXIAL = 1e-6  # of the size of the machine: distance of axes that are one
PLANETS = 3
COAXIAL_RADIUS = 0.6  # of the size of the machine: the larger of two wheels on one axis
WORM = 0.25  # of the distance of axes that cross: radius of the one that turns faster
PULLEYS = 0.35  # of the distance of axes: mean radius of wheels that cannot touch
LARGEST = 3.0  # of the size of the machine: a larger wheel is not drawn


@dataclass(frozen=True, slots=True)
class Shaft:
    """node : row in the table of nodes; place, axis : (3,) as drawn, the axis of unit length"""

    node: int
    place: Floats
    axis: Floats


@dataclass(slots=True, eq=False)
class Wheel:
    """A wheel on a shaft.

    centre, axis : (3,); of a bevel wheel the axis points to the apex
    reference : (3,) unit, across the axis: through the middle of a tooth
    level : how many widths it is moved along the axis, so that two wheels of a shaft do not stand in each other
    half_angle : of the pitch cone of a bevel wheel; 0 of a cylinder
    ring : internal
    teeth : 0 : none are drawn
    """

    name: str
    shaft: Shaft
    centre: Floats
    axis: Floats
    radius: float
    half_angle: float = 0.0
    ring: bool = False
    long: bool = False
    level: int = 0
    teeth: int = 0
    reference: Floats = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True, slots=True)
class Mesh:
    """Two wheels that touch: direction (3,) from the axis of the first to where they do."""

    first: Wheel
    second: Wheel
    direction: Floats


def mesh_of(name: str, one: Shaft, two: Shaft, alpha: float, size: float) -> Mesh | tuple[Wheel, Wheel] | None:
    """Wheels of two shafts with alpha w_1 + w_2 = 0 relative to what carries them; a pair that does not touch as such.

    size : of the machine
    """
    sine = float(np.linalg.norm(np.cross(one.axis, two.axis)))
    if sine > PARALLEL:
        return _crossing(name, one, two, alpha, size)
    alpha = alpha if one.axis @ two.axis > 0.0 else -alpha
    between = two.place - one.place
    across = between - one.axis * (between @ one.axis)
    distance = float(np.linalg.norm(across))
    if distance <= COAXIAL * size:
        return _coaxial(name, one, two, alpha, size)
    direction = across / distance
    external = alpha > 0.0
    ratio: float = abs(alpha)
    if not external and abs(1.0 - ratio) * LARGEST * size < distance:
        return _pulleys(name, one, two, ratio, distance)
    second = distance / (1.0 + ratio) if external else distance / abs(1.0 - ratio)
    first = ratio * second
    # both in one plane, halfway between the nodes
    middle = 0.5 * float(between @ one.axis)
    wheel_1 = Wheel(name, one, one.place + middle * one.axis, one.axis, first, ring=not external and first > second)
    wheel_2 = Wheel(name, two, two.place - middle * one.axis, one.axis, second, ring=not external and second > first)
    return Mesh(wheel_1, wheel_2, -direction if wheel_2.ring else direction)


def _coaxial(name: str, one: Shaft, two: Shaft, alpha: float, size: float) -> tuple[Wheel, Wheel]:
    """On one axis, as sun and ring seen from the planet carrier: in one plane, the larger round the smaller."""
    ratio: float = min(max(abs(alpha), 0.25), 4.0)
    large = COAXIAL_RADIUS * size
    radii = (large, large / ratio) if ratio > 1.0 else (large * ratio, large)
    rings = (alpha > 1.0, 0.0 < alpha < 1.0)
    if not any(rings):
        return Wheel(name, one, one.place, one.axis, radii[0]), Wheel(name, two, two.place, one.axis, radii[1])
    middle = 0.5 * (one.place + two.place)
    return (
        Wheel(name, one, middle, one.axis, radii[0], ring=rings[0]),
        Wheel(name, two, middle, one.axis, radii[1], ring=rings[1]),
    )


def planets_of(wheels: tuple[Wheel, Wheel], carrier: Shaft) -> list[Wheel]:
    """Planets between sun and ring, on their carrier; none where there is no ring.

    How many there are in truth is not known, nor is any of them a body: they are drawn as they stand on the carrier.
    """
    if not any(wheel.ring for wheel in wheels):
        return []
    sun, ring = sorted(wheels, key=lambda wheel: wheel.ring)
    radius, arm = 0.5 * (ring.radius - sun.radius), 0.5 * (ring.radius + sun.radius)
    across = np.cross(sun.axis, np.eye(3)[int(np.argmin(np.abs(sun.axis)))])
    across /= np.linalg.norm(across)
    other = np.cross(sun.axis, across)
    angles = 2.0 * math.pi / PLANETS * np.arange(PLANETS)
    places = sun.centre + arm * (np.outer(np.cos(angles), across) + np.outer(np.sin(angles), other))
    return [Wheel(sun.name, carrier, place, sun.axis, radius) for place in places]


def _pulleys(name: str, one: Shaft, two: Shaft, ratio: float, distance: float) -> tuple[Wheel, Wheel]:
    second = 2.0 * PULLEYS * distance / (1.0 + ratio)
    return Wheel(name, one, one.place, one.axis, ratio * second), Wheel(name, two, two.place, one.axis, second)


def _crossing(name: str, one: Shaft, two: Shaft, alpha: float, size: float) -> Mesh | tuple[Wheel, Wheel] | None:
    """Bevel gears where axes meet; where they only cross a worm, or screw gears, of the width of the gap."""
    t_1, t_2 = nearest(one, two)
    foot_1, foot_2 = one.place + t_1 * one.axis, two.place + t_2 * two.axis
    gap = float(np.linalg.norm(foot_2 - foot_1))
    if gap > 1e-3 * size:
        share = float(np.clip(abs(alpha) / (1.0 + abs(alpha)), WORM, 1.0 - WORM))
        radii = (share * gap, (1.0 - share) * gap)
        return (
            Wheel(name, one, foot_1, one.axis, radii[0], long=radii[0] < radii[1]),
            Wheel(name, two, foot_2, two.axis, radii[1], long=radii[1] < radii[0]),
        )
    rolls = one.axis + alpha * two.axis  # both turn about this line as one
    if float(np.linalg.norm(rolls)) <= PARALLEL:
        return None
    rolls /= np.linalg.norm(rolls)
    # the nodes stand on one side of the apex; the farther one says on which, and how large the cone is
    stands = max((-t_1, one.axis), (-t_2, two.axis), key=lambda pair: abs(pair[0]))
    side = float(np.sign(stands[0] * (rolls @ stands[1]))) or 1.0
    rolls = side * rolls
    far, cosine = abs(stands[0]), abs(float(rolls @ stands[1]))
    length = far / cosine if cosine > 0.05 else far
    length = min(length, LARGEST * size) if far > 1e-6 * size else 0.5 * size
    apex = 0.5 * (foot_1 + foot_2)
    wheels = []
    for shaft in (one, two):
        cosine = float(rolls @ shaft.axis)
        outward = shaft.axis if cosine >= 0.0 else -shaft.axis
        half_angle = math.acos(min(1.0, abs(cosine)))
        centre = apex + outward * length * abs(cosine)
        wheels.append(Wheel(name, shaft, centre, -outward, length * math.sin(half_angle), half_angle=half_angle))
    if min(wheel.radius for wheel in wheels) <= 1e-3 * size:
        return None
    direction = rolls - wheels[0].axis * (rolls @ wheels[0].axis)
    return Mesh(wheels[0], wheels[1], direction / np.linalg.norm(direction))


def nearest(one: Shaft, two: Shaft) -> tuple[float, float]:
    """Where on two axes that are not parallel, from their places, they are nearest to each other."""
    between = two.place - one.place
    cosine = float(one.axis @ two.axis)
    of_one, of_two = float(between @ one.axis), float(between @ two.axis)
    square = 1.0 - cosine * cosine
    return (of_one - cosine * of_two) / square, (cosine * of_one - of_two) / square


# ---- levels and teeth ------------------------------------------------------------------------------------------


def merged(meshes: list[Mesh]) -> tuple[list[Wheel], list[Mesh]]:
    """Wheels of all meshes, each once: what is equal is one wheel; what differs on a shaft is moved along it."""
    of_node: dict[int, list[Wheel]] = {}
    kept = []
    for mesh in meshes:
        pair = (mesh.first, mesh.second)
        level = next(k for k in range(len(meshes) + 1) if all(_fits(wheel, k, of_node) for wheel in pair))
        here = []
        for wheel in pair:
            wheel.level = level
            others = of_node.setdefault(wheel.shaft.node, [])
            same = next((other for other in others if other.level == level and _touch(wheel, other)), None)
            if same is None:
                others.append(wheel)
            here.append(same or wheel)
        kept.append(Mesh(here[0], here[1], mesh.direction))
    return [wheel for wheels in of_node.values() for wheel in wheels], kept


def _fits(wheel: Wheel, level: int, of_node: dict[int, list[Wheel]]) -> bool:
    """Whether what stands on the shaft at this level, near this plane, is the same wheel."""
    there = [other for other in of_node.get(wheel.shaft.node, ()) if other.level == level and _touch(wheel, other)]
    return all(
        other.ring == wheel.ring
        and math.isclose(other.radius, wheel.radius, rel_tol=EXACT)
        and math.isclose(other.half_angle, wheel.half_angle, abs_tol=EXACT)
        and (wheel.half_angle == 0.0 or bool(other.axis @ wheel.axis > 0.0))
        for other in there
    )


def _touch(wheel: Wheel, other: Wheel) -> bool:
    apart = float(np.linalg.norm(wheel.centre - other.centre))
    return apart < 0.4 * min(wheel.radius, other.radius)


def set_teeth(meshes: list[Mesh]) -> None:
    """Numbers of teeth of wheels that mesh, and where they stand: a tooth of one in a gap of the other."""
    for members in _connected(meshes):
        wheels = list({id(wheel): wheel for mesh in members for wheel in (mesh.first, mesh.second)}.values())
        counts = teeth_of([wheel.radius for wheel in wheels])
        for wheel, count in zip(wheels, counts, strict=True):
            wheel.teeth = count
        _set_phases(members)


def teeth_of(radii: list[float]) -> list[int]:
    """Whole numbers in the ratio of the radii, the least with enough teeth; zeros where there are none."""
    shares = [Fraction(radius / radii[0]).limit_denominator(LARGEST_DENOMINATOR) for radius in radii]
    if any(
        abs(float(share) - radius / radii[0]) > EXACT * radius / radii[0]
        for share, radius in zip(shares, radii, strict=True)
    ):
        return [0] * len(radii)
    first = math.lcm(*(share.denominator for share in shares))
    counts = [int(first * share) for share in shares]
    counts = [count * -(-FEWEST_TEETH // min(counts)) for count in counts]
    return counts if max(counts) <= MOST_TEETH else [0] * len(radii)


def _connected(meshes: list[Mesh]) -> Iterator[list[Mesh]]:
    """Meshes that share wheels, together."""
    left = list(meshes)
    while left:
        members = [left.pop(0)]
        wheels = {id(members[0].first), id(members[0].second)}
        grown = True
        while grown:
            joining = [mesh for mesh in left if wheels & {id(mesh.first), id(mesh.second)}]
            members += joining
            left = [mesh for mesh in left if mesh not in joining]
            wheels |= {id(wheel) for mesh in joining for wheel in (mesh.first, mesh.second)}
            grown = bool(joining)
        yield members


def _set_phases(members: list[Mesh]) -> None:
    start = members[0].first
    start.reference = members[0].direction
    done = {id(start)}
    left = list(members)
    while left:
        mesh = next(mesh for mesh in left if {id(mesh.first), id(mesh.second)} & done)
        left.remove(mesh)
        one, two = (mesh.first, mesh.second) if id(mesh.first) in done else (mesh.second, mesh.first)
        if id(two) in done:
            continue  # of a loop of wheels: it stands already
        done.add(id(two))
        towards = mesh.direction if one is mesh.first else _seen_from_second(mesh)
        opposite = _seen_from_second(mesh) if one is mesh.first else mesh.direction
        share = _angle(one.reference, towards, one.axis) * one.teeth / (2.0 * np.pi)
        # along the line on which both roll, angles of two go against those of one unless one is in the other
        same_way = bool(np.cross(one.axis, towards) @ np.cross(two.axis, opposite) > 0.0)
        fraction = share + 0.5 if same_way else 0.5 - share
        turn = -fraction * 2.0 * np.pi / two.teeth if two.teeth else 0.0
        two.reference = np.cos(turn) * opposite + np.sin(turn) * np.cross(two.axis, opposite)


def _seen_from_second(mesh: Mesh) -> Floats:
    """Direction from the axis of the second wheel to where the two touch."""
    if mesh.second.half_angle == 0.0:
        return mesh.direction if mesh.first.ring or mesh.second.ring else -mesh.direction
    contact = mesh.first.centre + mesh.first.radius * mesh.direction - mesh.second.centre
    across = contact - mesh.second.axis * (contact @ mesh.second.axis)
    return across / np.linalg.norm(across)


def _angle(start: Floats, end: Floats, axis: Floats) -> float:
    """From one direction to another about an axis."""
    return math.atan2(float(np.cross(start, end) @ axis), float(start @ end))
