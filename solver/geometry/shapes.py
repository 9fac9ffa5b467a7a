"""Shapes fixed to bodies, as contact sees them: sphere, box, cylinder, frustum, ellipsoid, half space, curve, mesh.

A shape has a centre and three axes of its own.  Dimensions, along the axes of the shape:

    SPHERE      radius
    BOX         half lengths along x, y, z
    CYLINDER    radius, radius, half length along z
    FRUSTUM     radius at the bottom (-z), radius at the top (+z), half length along z; one radius may be zero
    ELLIPSOID   semi-axes along x, y, z
    PLANE       none: the half space z < 0 is solid
    CURVE       radius of a circle about it, half of its least width, radius; it lies in the x-y plane, see `curve2d`
    MESH        radius of a sphere about it, half of its least thickness, radius; see `mesh`

Kernels work on a `Solid`: a shape where its body has carried it, as tuples in global components.  Its centre is
taken relative to some origin near by, so that nothing is lost far from the global one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.bodies import Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.vectors import cross, dot, plus, scaled, times

# in this order a pair is handed to its module: the first of the two has the lower kind
SPHERE, ELLIPSOID, CYLINDER, FRUSTUM, BOX, PLANE, CURVE, MESH = range(8)
NAMES_OF_KINDS = ("SPHERE", "ELLIPSOID", "CYLINDER", "FRUSTUM", "BOX", "PLANE", "CURVE", "MESH")
NOWHERE = (0.0, 0.0, 0.0)
SMALLEST_SQUARE = 1e-200  # a squared length below this has no direction

SHAPE = np.dtype(
    [
        ("kind", "i8"),
        ("body", "i8"),
        ("centre", "f8", 3),  # from the body's reference point, body axes
        ("axes", "f8", (3, 3)),  # body axes -> shape axes: its rows are the shape's axes
        ("dimensions", "f8", 3),
        ("bounding_radius", "f8"),  # about the centre
        ("curve", "i8"),  # of a plane curve: its row among them
        ("mesh", "i8"),  # likewise of a mesh, and of the mesh in place of an exact shape; -1: none
        ("source", "i8"),  # row in the model: its shapes, then its meshes
    ],
    align=True,
)


class Solid(NamedTuple):
    """A shape in its place."""

    kind: int
    centre: Vector
    x: Vector  # its axes
    y: Vector
    z: Vector
    size: Vector  # its dimensions


def bounding_radius(kind: int, dimensions: ArrayLike) -> float:
    """Radius of the sphere about the centre that holds a shape; infinite for a half space."""
    a, b, c = np.asarray(dimensions, dtype=float)
    if kind == PLANE:
        return math.inf
    if kind in (SPHERE, CURVE, MESH):
        return float(a)
    if kind == BOX:
        return math.sqrt(a * a + b * b + c * c)
    if kind == ELLIPSOID:
        return float(max(a, b, c))
    return math.hypot(max(a, b), c)


def new_shapes(n: int) -> Records:
    """n shapes without dimensions, at the reference points of their bodies, their axes the body's."""
    shapes = np.zeros(n, SHAPE)
    shapes["axes"], shapes["mesh"] = np.eye(3), -1
    return shapes


def set_shape(shape: Record, kind: int, body: int, centre: ArrayLike, axes: ArrayLike, dimensions: ArrayLike) -> None:
    """Fill in one shape; dimensions (3,) as the module says, those it does not have are zero."""
    shape["kind"], shape["body"] = kind, body
    shape["centre"], shape["axes"], shape["dimensions"] = centre, axes, dimensions
    shape["bounding_radius"] = bounding_radius(kind, dimensions)


@kernel(inline=True)
def centre_of(shape: Record, offset: Vector, rotation: Floats) -> Vector:
    """Centre of a shape, its body's reference point being at `offset`."""
    return plus(offset, times(rotation, shape.centre))


@kernel(inline=True)
def solid_of(shape: Record, offset: Vector, rotation: Floats) -> Solid:
    """A shape in its place, its body's reference point being at `offset`."""
    size = shape.dimensions
    return Solid(
        shape.kind,
        centre_of(shape, offset, rotation),
        times(rotation, shape.axes[0]),
        times(rotation, shape.axes[1]),
        times(rotation, shape.axes[2]),
        (size[0], size[1], size[2]),
    )


@kernel(inline=True)
def into_axes(solid: Solid, v: Vector) -> Vector:
    """Components of a vector along the axes of a solid."""
    return dot(solid.x, v), dot(solid.y, v), dot(solid.z, v)


@kernel(inline=True)
def out_of_axes(solid: Solid, v: Vector) -> Vector:
    """The vector that has these components along the axes of a solid."""
    x, y, z = solid.x, solid.y, solid.z
    return (
        x[0] * v[0] + y[0] * v[1] + z[0] * v[2],
        x[1] * v[0] + y[1] * v[1] + z[1] * v[2],
        x[2] * v[0] + y[2] * v[1] + z[2] * v[2],
    )


@kernel(inline=True)
def axis_of(solid: Solid, k: int) -> Vector:
    if k == 0:
        return solid.x
    if k == 1:
        return solid.y
    return solid.z


@kernel(inline=True)
def is_round(kind: int) -> bool:
    """Cylinder or frustum."""
    return CYLINDER <= kind <= FRUSTUM


@kernel(inline=True)
def normalised(v: Vector) -> Vector:
    """v/|v|; a vector of no length becomes (0, 0, 1)."""
    square = dot(v, v)
    if square < SMALLEST_SQUARE:
        return 0.0, 0.0, 1.0
    return scaled(1.0 / math.sqrt(square), v)


@kernel(inline=True)
def any_normal(v: Vector) -> Vector:
    """A unit vector at right angles to the unit vector v."""
    ax, ay, az = abs(v[0]), abs(v[1]), abs(v[2])
    if ax <= ay and ax <= az:
        return normalised(cross(v, (1.0, 0.0, 0.0)))
    if ay <= az:
        return normalised(cross(v, (0.0, 1.0, 0.0)))
    return normalised(cross(v, (0.0, 0.0, 1.0)))


@kernel(inline=True)
def support_of_box(solid: Solid, d: Vector) -> Vector:
    size = solid.size
    return out_of_axes(
        solid,
        (
            size[0] if dot(solid.x, d) >= 0 else -size[0],
            size[1] if dot(solid.y, d) >= 0 else -size[1],
            size[2] if dot(solid.z, d) >= 0 else -size[2],
        ),
    )


@kernel(inline=True)
def support_of_frustum(solid: Solid, d: Vector) -> Vector:
    bottom, top, half = solid.size
    x, y, z = into_axes(solid, d)
    across = math.sqrt(x * x + y * y)
    end, radius = (half, top) if half * z + top * across >= -half * z + bottom * across else (-half, bottom)
    # in the axes of the frustum: for a d along its axis what rounding leaves across still lies in the end
    factor = radius / across if across > 1e-100 else 0.0
    return out_of_axes(solid, (factor * x, factor * y, end))


@kernel(inline=True)
def support_of_ellipsoid(solid: Solid, d: Vector) -> Vector:
    a, b, c = solid.size
    x, y, z = into_axes(solid, d)
    x, y, z = a * x, b * y, c * z
    length = math.sqrt(x * x + y * y + z * z)
    return out_of_axes(solid, (a * x / length, b * y / length, c * z / length))


@kernel
def support(solid: Solid, d: Vector) -> Vector:
    """The point of a bounded solid that lies furthest along d, |d| = 1."""
    if solid.kind == BOX:
        arm = support_of_box(solid, d)
    elif is_round(solid.kind):
        arm = support_of_frustum(solid, d)
    elif solid.kind == ELLIPSOID:
        arm = support_of_ellipsoid(solid, d)
    else:
        arm = scaled(solid.size[0], d)
    return plus(solid.centre, arm)


@kernel
def reach(solid: Solid, d: Vector) -> float:
    """How far a bounded solid reaches from its centre along d, |d| = 1."""
    a, b, c = solid.size
    x, y, z = into_axes(solid, d)
    if solid.kind == BOX:
        return a * abs(x) + b * abs(y) + c * abs(z)
    if is_round(solid.kind):
        across = math.sqrt(x * x + y * y)
        return max(c * z + b * across, -c * z + a * across)
    if solid.kind == ELLIPSOID:
        return math.sqrt(a * a * x * x + b * b * y * y + c * c * z * z)
    return a
