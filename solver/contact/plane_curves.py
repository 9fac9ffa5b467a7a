"""Plane curves on bodies: the common plane of two that may touch, and their points and their gap in space."""

from __future__ import annotations

import math

from ..core.bodies import Record, Records, Vector
from ..core.body_points import rotation_of
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, minus, plus, scaled, times, vector_of
from ..geometry.contact_points import put_gap, status_of, turn_normals
from ..geometry.curve2d.foot import ON_CIRCLE, ON_CURVE, ON_LINE, Master
from ..geometry.curve2d.gap import gap_of_pair
from ..geometry.curve2d.pair import NO_ARC, Pair, find_regions
from ..geometry.curve2d.planes import AS_IT_IS, Pose
from ..geometry.curve2d.region import Plane
from ..geometry.shapes import CURVE, CYLINDER, NOWHERE
from .records import Contacts


@kernel(inline=True)
def comes_first(shape: Record, other: Record) -> bool:
    """Whether a shape is curve A of a pair: the only curve, the smaller one, or that of the higher body."""
    if shape.kind != CURVE or other.kind != CURVE:
        return bool(shape.kind == CURVE)
    if shape.bounding_radius != other.bounding_radius:
        return bool(shape.bounding_radius < other.bounding_radius)
    return bool(shape.body > other.body)


@kernel(inline=True)
def centre_on(contacts: Contacts, shape: Record, bodies: Records) -> Vector:
    """Centre of a shape from the origin of all contacts."""
    return plus(vector_of(contacts.frames[shape.body].place), times(rotation_of(bodies[shape.body]), shape.centre))


@kernel(inline=True)
def axis_on(shape: Record, bodies: Records, k: int) -> Vector:
    """Axis k of a shape."""
    return times(rotation_of(bodies[shape.body]), shape.axes[k])


@kernel(inline=True)
def pair_in_plane(
    contacts: Contacts, a: int, b: int, stability: float, bodies: Records
) -> tuple[Pair, Plane, float, float]:
    """Curve a and another shape b in their common plane, that of b if it is a curve.

    a, b : rows of the shapes

    Also the sine of the angle between their planes, and the distance of these over the radius of the smaller curve.
    """
    one, other = contacts.shapes[a], contacts.shapes[b]
    curves = contacts.plane_curves.curves
    centre_a, centre_b = centre_on(contacts, one, bodies), centre_on(contacts, other, bodies)
    xa, ya, za = axis_on(one, bodies, 0), axis_on(one, bodies, 1), axis_on(one, bodies, 2)
    zb = axis_on(other, bodies, 2)
    if other.kind == CURVE:
        xb, yb = axis_on(other, bodies, 0), axis_on(other, bodies, 1)
        between = minus(centre_a, centre_b)
        cos, sin, off = dot(xa, xb), dot(xa, yb), dot(between, zb)
        length = math.sqrt(cos * cos + sin * sin)
        pose = Pose(cos / length, sin / length, dot(between, xb), dot(between, yb))
        master = Master(ON_CURVE, NO_ARC, AS_IT_IS, 0.0, 0.0, 0.0, 0.0, 0.0)
        width = min(curves[one.curve].width, curves[other.curve].width)
        plane = Plane(plus(centre_b, scaled(0.5 * off, zb)), xb, yb)
        radius = min(one.bounding_radius, other.bounding_radius)
        return (
            Pair(one.curve, other.curve, pose, master, width, stability),
            plane,
            sine_between(za, zb),
            abs(off) / radius,
        )
    between, plane = minus(centre_b, centre_a), Plane(centre_a, xa, ya)
    if other.kind == CYLINDER:
        half = other.dimensions[2]
        master = Master(ON_CIRCLE, NO_ARC, AS_IT_IS, dot(between, xa), dot(between, ya), other.dimensions[0], 0.0, 0.0)
        pair = Pair(one.curve, -1, AS_IT_IS, master, min(curves[one.curve].width, 2.0 * half), stability)
        beyond = max(0.0, abs(dot(between, za)) - half)
        return pair, plane, sine_between(za, zb), beyond / one.bounding_radius
    normal_x, normal_y = dot(zb, xa), dot(zb, ya)
    length = math.sqrt(normal_x * normal_x + normal_y * normal_y)
    normal_x, normal_y, height = normal_x / length, normal_y / length, dot(between, zb) / length
    master = Master(ON_LINE, NO_ARC, AS_IT_IS, height * normal_x, height * normal_y, 0.0, normal_x, normal_y)
    pair = Pair(one.curve, -1, AS_IT_IS, master, curves[one.curve].width, stability)
    return pair, plane, abs(dot(za, zb)), 0.0


@kernel(inline=True)
def sine_between(one: Vector, other: Vector) -> float:
    """Sine of the angle between two axes."""
    across = cross(one, other)
    return math.sqrt(dot(across, across))


@kernel(inline=True)
def teeth_passed(contacts: Contacts, a: int, b: int) -> float:
    """How many teeth of one of them pass in a unit of time, at most, where curve a and another shape b may touch."""
    one, other, curves = contacts.shapes[a], contacts.shapes[b], contacts.plane_curves.curves
    frame, opposite = contacts.frames[one.body], contacts.frames[other.body]
    moves = minus(vector_of(frame.velocity), vector_of(opposite.velocity))
    turns = minus(vector_of(frame.spin), vector_of(opposite.spin))
    speed, spin = math.sqrt(dot(moves, moves)), math.sqrt(dot(turns, turns))
    passed = (speed + spin * one.bounding_radius) / curves[one.curve].pitch
    if other.kind == CURVE:
        passed = max(passed, (speed + spin * other.bounding_radius) / curves[other.curve].pitch)
    return passed


@kernel
def touch_curves(contacts: Contacts, interface: Record, row_i: int, row_j: int, bodies: Records) -> int:
    """Put the points of a curve and another shape into `contacts.points`: `contact_points.status_of` their number.

    row_i, row_j : of the shapes of members i and j.  Notes how far the two are from one plane.
    """
    swapped = not comes_first(contacts.shapes[row_i], contacts.shapes[row_j])
    a, b = (row_j, row_i) if swapped else (row_i, row_j)
    pair, plane, tilt, offset = pair_in_plane(contacts, a, b, interface.curve_stability, bodies)
    interface.most_tilt, interface.most_offset = max(interface.most_tilt, tilt), max(interface.most_offset, offset)
    interface.teeth = max(interface.teeth, teeth_passed(contacts, a, b))
    n = find_regions(contacts.plane_curves, pair, plane, contacts.points)
    if swapped:
        turn_normals(contacts.points, n)
    contacts.scratch.plain = 0  # the spring to the centroid, and faces that share a load, leave no gradient
    return status_of(n)


@kernel
def find_curve_gap(contacts: Contacts, row_i: int, row_j: int, bodies: Records) -> int:
    """Write the gap of a curve and another shape to the scratch; -1 where they cross.  Returns GAP_FOUND."""
    swapped = not comes_first(contacts.shapes[row_i], contacts.shapes[row_j])
    a, b = (row_j, row_i) if swapped else (row_i, row_j)
    pair, plane, _, _ = pair_in_plane(contacts, a, b, 0.0, bodies)
    gap = gap_of_pair(contacts.plane_curves, pair)
    on_a = plus(plane.origin, plus(scaled(gap.on_a[0], plane.x), scaled(gap.on_a[1], plane.y)))
    on_b = plus(plane.origin, plus(scaled(gap.on_b[0], plane.x), scaled(gap.on_b[1], plane.y)))
    normal = scaled(1.0 / gap.distance, minus(on_a, on_b)) if gap.distance > 0.0 else NOWHERE
    if swapped:
        return put_gap(contacts.scratch, gap.distance, scaled(-1.0, normal), on_b, on_a)
    return put_gap(contacts.scratch, gap.distance, normal, on_a, on_b)
