"""Which charts a point is in contact with, and how deep it is at an edge.

A point near a master is held against several charts, one candidate each, and each keeps its own height: charts are
never mixed within a triangle.  Three things decide which candidates count.

**Edges.**  `beyond` is measured from the plane that halves the angle between two charts.  Of the charts that meet at
an edge exactly one has it negative, and is in charge: at a convex edge the one below which the point is less deep (the
height of the solid is the maximum over its charts), at a concave one the one below which it is deeper (the minimum).
So a point below a face but close behind its edge has no phantom depth there, and none is dropped.  The field of a slave
triangle is cut where `beyond`, linear over it, is zero; where charts meet both fields are equally deep.

**Flush faces.**  A slave node flush with an end of the master has no depth over that end, but rounding; what is no
deeper than a tolerance is no contact.  Over the other face, in which it is by delta, it is beyond by
delta sin(theta/2): the cut runs through the slave a delta inside its edge, not along its nodes, and does not flicker.

**Thin parts.**  A candidate deeper than half the thickness of the solid, `depth_cap`, belongs to the far side.

A slave face against a sharp master edge crosses both charts and is deepest on the plane between them, by
z = s cos(theta/2), where s is how far the edge stands out from there along the mean of the two normals.  The edge
penetrates the face by s times the cosine between that mean and the normal of the face: `edge_penetration`.  It goes
over into z when the face lies down on one of the charts.  Of slave triangles those that face away from a chart do not
count, but only those: at a sharp slave edge on a face each of its two faces may be 80 degrees off.
"""

from __future__ import annotations

import math

from ...core.bodies import Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, plus
from ..surface_point import SurfacePoint

FACING = math.cos(math.radians(80.0))  # least cosine between a chart's normal and the reverse of a slave triangle's
TOUCH = 1e-12  # of the size of a mesh: what is no deeper is rounding


@kernel(inline=True)
def counts(point: SurfacePoint, depth_cap: float, touch: float) -> bool:
    """Whether a point touches a chart: deeper than rounding, no deeper than the cap, and the chart in charge of it."""
    return touch < -point.phi <= depth_cap and point.beyond <= 0.0


@kernel(inline=True)
def faces(normal: Vector, slave_normal: Vector) -> bool:
    """Whether a slave triangle may touch a chart at all."""
    return dot(normal, slave_normal) < -FACING


@kernel(inline=True)
def second_is_in_charge(first: SurfacePoint, second: SurfacePoint) -> bool:
    """Of two candidates of one point, charts of one master: whether the second one is in charge.

    A chart whose edges the point is within goes before one that it is beyond; of two that it is within, the two sides
    of a plate, the nearer one is in charge.
    """
    if first.beyond <= 0.0 and second.beyond <= 0.0:
        return abs(second.phi) < abs(first.phi)
    return second.beyond < first.beyond


@kernel(inline=True)
def edge_penetration(depth: float, normal: Vector, other: Vector, slave_normal: Vector) -> float:
    """How far a convex edge between charts with these normals stands into a slave face.

    depth : of the face below both charts, where it crosses the plane between them
    slave_normal : outwards
    """
    mean = plus(normal, other)
    # s = depth/cos(theta/2), |mean| = 2 cos(theta/2)
    return max(depth * -2.0 * dot(mean, slave_normal) / dot(mean, mean), 0.0)
