"""Vertices of the slave against one chart of the master: depth by an expansion of second order.

The expansion stands about the middle of a cell of a lattice fixed to the master, in which the vertex is: it follows
from the place of the vertex alone, not from how the vertex came there.  The cells of a pair are equal, and small
against the triangles of the master, so that what the expansion leaves out is small against the error of the surface;
they are halved as often as triangles are smaller than most, as those next to the base circle of a gear.  Halves lie
within the cell that they are of: all places in one of them come to it by the same cells.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Record, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, minus, plus, scaled, set_vector, times, vector_of
from ..surface_point import size_of
from .evaluate import foot_of, surface_over
from .records import SMOOTH, MeshSurface

ROUNDING = 1e-9
UNSURE = 4.0  # a node is off contact by so many times what it may be wrong
FURTHEST = 6.0  # cells from the middle of one, for that
TURN = 0.1  # radians a cell: where it has edges, the largest feature angle from one triangle to the next
LARGEST = 4.0  # edge of a cell over the reach of the triangle below: a fifth of its least height
MOST_HALVINGS = 5
# Of the lattice, in cells: no middle lies on an edge of a regular mesh, where it would belong to either triangle;
# small, as the cells of a half space are large and its heights are zero to rounding then.
SHIFTS = (0.00137, 0.00291, 0.00418)


@kernel(inline=True)
def turned_back(rotation: Floats, v: Vector) -> Vector:
    """rotation^T v."""
    return (
        rotation[0, 0] * v[0] + rotation[1, 0] * v[1] + rotation[2, 0] * v[2],
        rotation[0, 1] * v[0] + rotation[1, 1] * v[1] + rotation[2, 1] * v[2],
        rotation[0, 2] * v[0] + rotation[1, 2] * v[1] + rotation[2, 2] * v[2],
    )


@kernel(inline=True)
def into_master(rotation: Floats, offset: Vector, point: Floats | Vector) -> Vector:
    """A point of the slave in axes of the master."""
    return plus(times(rotation, point), offset)


@kernel(inline=True)
def hessian_times(h: Floats, v: Vector) -> Vector:
    """h v, of h: xx, yy, zz, xy, xz, yz."""
    return (
        h[0] * v[0] + h[3] * v[1] + h[4] * v[2],
        h[3] * v[0] + h[1] * v[1] + h[5] * v[2],
        h[4] * v[0] + h[5] * v[1] + h[2] * v[2],
    )


@kernel(inline=True)
def middle_of_cell(x: float, cell: float, shift: float) -> float:
    return cell * (math.floor(x / cell + 0.5 + shift) - shift)


@kernel(inline=True)
def middle_of(x: Vector, cell: float) -> Vector:
    return (
        middle_of_cell(x[0], cell, SHIFTS[0]),
        middle_of_cell(x[1], cell, SHIFTS[1]),
        middle_of_cell(x[2], cell, SHIFTS[2]),
    )


@kernel(inline=True)
def middle_of_half(middle: Vector, x: Vector, cell: float) -> Vector:
    """Of the cell with half the edge that x is in.  middle : of the whole.  cell : edge of the half"""
    quarter = 0.5 * cell
    return (
        middle[0] + math.copysign(quarter, x[0] - middle[0]),
        middle[1] + math.copysign(quarter, x[1] - middle[1]),
        middle[2] + math.copysign(quarter, x[2] - middle[2]),
    )


@kernel(inline=True)
def distance_aside(surface: MeshSurface, triangle: Record, x: Vector) -> float:
    """How much further x is from the middle of a bent triangle than that is long; -inf of others."""
    if triangle.kind != SMOOTH:
        return -math.inf
    start = vector_of(surface.vertices[triangle.corners[0]].position)
    one = minus(vector_of(surface.vertices[triangle.corners[1]].position), start)
    other = minus(vector_of(surface.vertices[triangle.corners[2]].position), start)
    apart = minus(minus(x, start), scaled(1.0 / 3.0, plus(one, other)))
    return math.sqrt(dot(apart, apart)) - math.sqrt(max(dot(one, one), dot(other, other)))


@kernel(inline=True)
def expand(node: Record, surface: MeshSurface, x: Vector) -> bool:
    """Expand the height of the master about the cell of x.

    Where the triangle found there is much smaller than most, the cell is halved until it is small against that.
    Whether a triangle was found.
    """
    left, middle = MOST_HALVINGS, middle_of(x, node.cell)
    while True:
        foot = foot_of(surface, node.foot, middle)
        node.foot = foot.triangle
        below = surface.triangles[foot.triangle]
        if left == 0 or below.kind != SMOOTH or node.cell <= LARGEST * math.sqrt(below.reach):
            break
        node.cell *= 0.5
        middle = middle_of_half(middle, x, node.cell)
        left -= 1
    at = surface_over(surface, foot, middle)
    node.aside = distance_aside(surface, below, middle)
    node.height, node.beyond_at, node.edge = at.phi, at.beyond, at.edge
    set_vector(node.at, middle)
    set_vector(node.slope, at.normal)
    set_vector(node.beyond_slope, at.beyond_gradient)
    for k in range(6):
        node.hessian[k] = at.hessian[k]
    own, about = size_of(at.hessian), below.curvature
    node.curvature = max(own, about) if about < math.inf else own + TURN / node.cell
    return at.found


@kernel(inline=True)
def roughly_off(node: Record, rotation: Floats, offset: Vector, clock: float) -> bool:
    """Whether a node is off contact, by an expansion that no longer serves for its depth: that tells how long to sleep.

    What the expansion leaves out is taken to be less than the largest curvature about there times the square of the
    distance.
    """
    d = minus(into_master(rotation, offset, node.position), vector_of(node.at))
    bent, slope = hessian_times(node.hessian, d), vector_of(node.slope)
    square = dot(d, d)
    depth = -(node.height + dot(slope, d) + 0.5 * dot(bent, d))
    if depth > -UNSURE * node.curvature * square or square > FURTHEST * FURTHEST * node.cell * node.cell:
        return False
    node.depth, node.clock, node.apart = depth, clock, math.sqrt(square)
    node.beyond = node.beyond_at + dot(vector_of(node.beyond_slope), d)
    set_vector(node.normal, turned_back(rotation, plus(slope, bent)))
    return True


@kernel(inline=True)
def evaluate_node(node: Record, rotation: Floats, offset: Vector, clock: float) -> bool:
    """Depth, normal and `beyond` of a node where the slave is, by its expansion; False where that does not serve."""
    d = minus(into_master(rotation, offset, node.position), vector_of(node.at))
    half = 0.5 * node.cell
    if not (abs(d[0]) <= half and abs(d[1]) <= half and abs(d[2]) <= half):
        return False
    bent = hessian_times(node.hessian, d)
    slope = vector_of(node.slope)
    node.depth = -(node.height + dot(slope, d) + 0.5 * dot(bent, d))
    node.beyond = node.beyond_at + dot(vector_of(node.beyond_slope), d)
    set_vector(node.normal, turned_back(rotation, plus(slope, bent)))
    node.clock, node.apart = clock, 0.0
    return True


@kernel
def place_node(node: Record, surface: MeshSurface, pair: Record, rotation: Floats, offset: Vector) -> None:
    """The same after expanding the height of the master where the node is now."""
    node.cell = pair.cell
    pair.expansions += 1
    if not expand(node, surface, into_master(rotation, offset, node.position)):
        pair.lost += 1
    if not evaluate_node(node, rotation, offset, pair.clock):
        # on the border between two cells, to rounding
        node.cell *= 1.0 + ROUNDING
        evaluate_node(node, rotation, offset, pair.clock)
