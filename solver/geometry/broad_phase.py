"""Pairs of shapes that may touch: found in a grid, kept while nothing has moved far.

A shape is held in a box along the global axes, wider by a skin, a sphere in a sphere wider by it.  Pairs that overlap
so are candidates; they stay valid as long as every shape stays within what holds it.  Shapes of similar size are sorted
into a grid whose cells are as large as the largest of their boxes, so that partners lie in the same or a neighbouring
cell; those much larger, like walls, are compared with all others.  Candidates are sorted by their shapes: their order
says nothing about the grid.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.bodies import GROUND, Floats, Ints, Record, Records, Vector, in_lines
from ..core.body_points import can_move, rotation_of
from ..core.jit.kernels import kernel
from ..core.vectors import dot, minus, set_vector, times, vector_of
from .shapes import CURVE, CYLINDER, FRUSTUM, NOWHERE, PLANE, SPHERE, Solid, centre_of, reach, solid_of

LARGE = 4.0  # times the median radius, from which on a shape is compared with all others
SKIN = 0.1  # of the median radius
CELLS_PER_SHAPE = 4
FEWEST_CELLS = 64
ENDLESS = 1e30
SIDE_I, SIDE_J = 1, 2  # bits of a member's side; both, where all bodies of a surface may touch each other


# What candidates and contacts need: a line of the cache.
MEMBER = in_lines(
    np.dtype(
        [
            ("centre", "f8", 3),  # of the shape at t_n, from the origin of all contacts
            ("radius", "f8"),  # of a sphere, else NaN
            ("shape", "i4"),
            ("kind", "i4"),  # of the shape
            ("body", "i4"),  # likewise
            ("side", "i4"),  # SIDE_I, SIDE_J or both
            ("centred", "i4"),  # 1: its centre is the reference point of its body
            ("large", "i4"),  # 1: compared with all others
        ],
        align=True,
    )
)

# What finding candidates leaves of each member.
BOUNDS = np.dtype(
    [
        ("built_at", "f8", 3),  # its centre then
        ("low", "f8", 3),  # box along the global axes
        ("high", "f8", 3),
        ("cell", "i4"),
        ("sorted", "i4"),  # the k-th member of an interface in the order of cells, noted in its k-th member
        ("first_pair", "i4"),  # where its pairs start, while they are sorted
    ],
    align=True,
)


@kernel
def half_extent(solid: Solid) -> Vector:
    """How far a bounded solid reaches along the global axes, both ways."""
    if solid.kind == SPHERE:
        return solid.size[0], solid.size[0], solid.size[0]
    if solid.kind == FRUSTUM:  # it reaches further one way than the other; the cylinder round it does not
        radius = max(solid.size[0], solid.size[1])
        size = (radius, radius, solid.size[2])
        solid = Solid(CYLINDER, solid.centre, solid.x, solid.y, solid.z, size)
    return reach(solid, (1.0, 0.0, 0.0)), reach(solid, (0.0, 1.0, 0.0)), reach(solid, (0.0, 0.0, 1.0))


@kernel(inline=True)
def extent_of(shape: Record, rotation: Floats) -> Vector:
    """`half_extent` of a shape on a body; curves and meshes reach alike whichever way they are turned."""
    if shape.kind >= CURVE:
        return shape.dimensions[0], shape.dimensions[0], shape.dimensions[0]
    return half_extent(solid_of(shape, NOWHERE, rotation))


@kernel(inline=True)
def place_members(
    members: Records, first: int, last: int, shapes: Records, frames: Records, bodies: Records
) -> tuple[Vector, Vector]:
    """Centres of the members where their bodies have carried them, relative to the origin of all contacts.

    frames : of `records.FRAME`, where the bodies are now

    Returns the least and the greatest components of the velocities of their bodies, turning left out.
    """
    slow_x = slow_y = slow_z = math.inf
    fast_x = fast_y = fast_z = -math.inf
    for m in range(first, last):
        frame = frames[members[m].body]
        centre = vector_of(frame.place)
        if members[m].centred == 0:
            centre = centre_of(shapes[members[m].shape], centre, rotation_of(bodies[members[m].body]))
        set_vector(members[m].centre, centre)
        x, y, z = vector_of(frame.velocity)
        slow_x, slow_y, slow_z = min(slow_x, x), min(slow_y, y), min(slow_z, z)
        fast_x, fast_y, fast_z = max(fast_x, x), max(fast_y, y), max(fast_z, z)
    return (slow_x, slow_y, slow_z), (fast_x, fast_y, fast_z)


@kernel(inline=True)
def still_within(
    members: Records, bounds: Records, first: int, last: int, shapes: Records, bodies: Records, skin: float
) -> bool:
    """Whether all members [first, last) are within their boxes, so that the candidates are still all that may touch."""
    limit = skin * skin
    for m in range(first, last):
        if members[m].kind == SPHERE:
            moved = minus(vector_of(members[m].centre), vector_of(bounds[m].built_at))
            if not dot(moved, moved) <= limit:  # written so that a NaN is not within
                return False
        elif members[m].kind != PLANE and not body_is_held(bodies[members[m].body]):
            extent = extent_of(shapes[members[m].shape], rotation_of(bodies[members[m].body]))
            for c in range(3):
                low, high = members[m].centre[c] - extent[c], members[m].centre[c] + extent[c]
                if not (bounds[m].low[c] <= low and high <= bounds[m].high[c]):
                    return False
    return True


@kernel(inline=True)
def body_is_held(body: Record) -> bool:
    return not can_move(body, 0) and not can_move(body, 3)


@kernel
def set_boxes(
    members: Records, bounds: Records, first: int, last: int, shapes: Records, bodies: Records, skin: float
) -> None:
    """Boxes of the members where they are, wider by the skin on each side."""
    for m in range(first, last):
        shape = shapes[members[m].shape]
        low, high = bounds[m].low, bounds[m].high
        if shape.kind == PLANE:
            for c in range(3):
                low[c], high[c] = -ENDLESS, ENDLESS
            continue
        extent = extent_of(shape, rotation_of(bodies[shape.body]))
        for c in range(3):
            bounds[m].built_at[c] = members[m].centre[c]
            low[c] = members[m].centre[c] - extent[c] - skin
            high[c] = members[m].centre[c] + extent[c] + skin


@kernel
def find_pairs(
    members: Records, bounds: Records, first: int, last: int, shapes: Records, bodies: Records, skin: float,
    cell_start: Ints, pair: Ints, buffer: Ints,
) -> int:  # fmt: skip
    """Candidates among the members [first, last), to pair (capacity, 2): members, the lower one first.

    cell_start, buffer : working memory, for the cells and one more, and as much as for the pairs

    Returns their number; where that exceeds the capacity, the candidates are not complete.
    """
    set_boxes(members, bounds, first, last, shapes, bodies, skin)
    found = 0
    for m in range(first, last):
        if members[m].large == 0:
            continue
        for other in range(first, last):
            if members[other].large == 1 and other <= m:
                continue
            found = add_pair(members, bounds, m, other, shapes, bodies, pair, found)
    found = find_in_grid(members, bounds, first, last, shapes, bodies, cell_start, pair, found)
    if found <= len(pair):
        sort_pairs(bounds, first, last, pair, buffer, found)
    return found


@kernel(inline=True)
def add_pair(
    members: Records, bounds: Records, m: int, other: int, shapes: Records, bodies: Records, pair: Ints, found: int
) -> int:
    """Add two members to the candidates, if they may touch; the new number of candidates."""
    side, other_side = members[m].side, members[other].side
    opposite = (side & SIDE_I and other_side & SIDE_J) or (side & SIDE_J and other_side & SIDE_I)
    if not opposite or not boxes_overlap(bounds[m], bounds[other]):
        return found
    if not math.isnan(members[m].radius + members[other].radius) and spheres_apart(bounds[m], bounds[other]):
        return found
    if members[m].body == members[other].body:
        return found
    if above_ground_plane(members[m], bounds[other], shapes, bodies) or above_ground_plane(
        members[other], bounds[m], shapes, bodies
    ):
        return found
    if found < len(pair):
        pair[found, 0], pair[found, 1] = min(m, other), max(m, other)
    return found + 1


@kernel(inline=True)
def boxes_overlap(one: Record, other: Record) -> bool:
    overlap = True
    for c in range(3):
        overlap = overlap and one.low[c] <= other.high[c] and other.low[c] <= one.high[c]
    return overlap


@kernel(inline=True)
def spheres_apart(one: Record, other: Record) -> bool:
    """Whether two spheres cannot touch while neither moves further than the skin."""
    reach = 0.5 * (one.high[0] - one.low[0] + other.high[0] - other.low[0])
    between = minus(vector_of(one.built_at), vector_of(other.built_at))
    return bool(dot(between, between) > reach * reach)


@kernel(inline=True)
def above_ground_plane(plane: Record, box: Record, shapes: Records, bodies: Records) -> bool:
    """Whether a box lies wholly outside a member that is a half space that does not move."""
    if plane.kind != PLANE or plane.body != GROUND:
        return False
    outward = times(rotation_of(bodies[GROUND]), shapes[plane.shape].axes[2])
    low, high = box.low, box.high
    lowest = (
        low[0] if outward[0] > 0 else high[0],
        low[1] if outward[1] > 0 else high[1],
        low[2] if outward[2] > 0 else high[2],
    )
    return dot(outward, minus(lowest, vector_of(plane.centre))) > 0.0


class Grid(NamedTuple):
    """Cells about the members of an interface that are not large."""

    number: int  # of these members; fewer than two need no cells
    lowest: Vector  # corner of the first cell
    size: float  # of a cell
    nx: int  # cells along the axes
    ny: int
    nz: int


@kernel
def grid_about(members: Records, bounds: Records, first: int, last: int) -> Grid:
    """The grid of the members [first, last): its cells are as large as the largest box, or larger to be few enough."""
    lowest_x = lowest_y = lowest_z = ENDLESS
    highest_x = highest_y = highest_z = -ENDLESS
    size, number = 0.0, 0
    for m in range(first, last):
        if members[m].large == 1:
            continue
        low, high = bounds[m].low, bounds[m].high
        lowest_x, highest_x = min(lowest_x, low[0]), max(highest_x, high[0])
        lowest_y, highest_y = min(lowest_y, low[1]), max(highest_y, high[1])
        lowest_z, highest_z = min(lowest_z, low[2]), max(highest_z, high[2])
        size = max(size, high[0] - low[0], high[1] - low[1], high[2] - low[2])
        number += 1
    lowest = lowest_x, lowest_y, lowest_z
    if number < 2 or not size > 0.0:
        return Grid(0, lowest, size, 1, 1, 1)
    most = CELLS_PER_SHAPE * (last - first) + FEWEST_CELLS
    while True:
        nx = int(min((highest_x - lowest_x) / size, 1e6)) + 1
        ny = int(min((highest_y - lowest_y) / size, 1e6)) + 1
        nz = int(min((highest_z - lowest_z) / size, 1e6)) + 1
        if nx * ny * nz <= most:
            break
        size *= 1.25
    return Grid(number, lowest, size, nx, ny, nz)


@kernel
def sort_into_cells(members: Records, bounds: Records, first: int, last: int, grid: Grid, start: Ints) -> None:
    """Order of the members by cells, in bounds.sorted; cell k begins at start[k + 1] there."""
    cells = grid.nx * grid.ny * grid.nz
    for k in range(cells + 1):
        start[k] = 0
    for m in range(first, last):
        if members[m].large == 1:
            continue
        low, high = bounds[m].low, bounds[m].high
        ix = int((0.5 * (low[0] + high[0]) - grid.lowest[0]) / grid.size)
        iy = int((0.5 * (low[1] + high[1]) - grid.lowest[1]) / grid.size)
        iz = int((0.5 * (low[2] + high[2]) - grid.lowest[2]) / grid.size)
        row = min(iz, grid.nz - 1) * grid.ny + min(iy, grid.ny - 1)
        bounds[m].cell = row * grid.nx + min(ix, grid.nx - 1)
        start[bounds[m].cell + 1] += 1
    for k in range(cells):
        start[k + 1] += start[k]
    for m in range(last - 1, first - 1, -1):  # backwards: start ends where each cell starts, order ascends in it
        if members[m].large == 0:
            cell = bounds[m].cell
            start[cell + 1] -= 1
            bounds[first + start[cell + 1]].sorted = m


@kernel
def find_in_grid(
    members: Records,
    bounds: Records,
    first: int,
    last: int,
    shapes: Records,
    bodies: Records,
    start: Ints,
    pair: Ints,
    found: int,
) -> int:
    """Candidates among the members that are not large."""
    grid = grid_about(members, bounds, first, last)
    if grid.number < 2:
        return found
    sort_into_cells(members, bounds, first, last, grid, start)
    nx, ny, nz = grid.nx, grid.ny, grid.nz
    for iz in range(nz):
        for iy in range(ny):
            for ix in range(nx):
                here = (iz * ny + iy) * nx + ix
                begin, end = start[here + 1], grid.number if here + 2 > nx * ny * nz else start[here + 2]
                if begin == end:
                    continue
                for k in range(begin, end):
                    for l in range(k + 1, end):
                        found = add_pair(members, bounds, bounds[first + k].sorted, bounds[first + l].sorted, shapes,
                                         bodies, pair, found)  # fmt: skip
                for step in range(14, 27):  # one of each pair of opposite neighbours
                    jx, jy, jz = ix + step % 3 - 1, iy + step // 3 % 3 - 1, iz + step // 9 - 1
                    if not (0 <= jx < nx and 0 <= jy < ny and jz < nz):
                        continue
                    there = (jz * ny + jy) * nx + jx
                    other_end = grid.number if there + 2 > nx * ny * nz else start[there + 2]
                    for k in range(begin, end):
                        for l in range(start[there + 1], other_end):
                            found = add_pair(members, bounds, bounds[first + k].sorted, bounds[first + l].sorted,
                                             shapes, bodies, pair, found)  # fmt: skip
    return found


@kernel
def sort_pairs(bounds: Records, first: int, last: int, pair: Ints, copy: Ints, found: int) -> None:
    """Sort candidates by their first member, then by their second."""
    for m in range(first, last):
        bounds[m].first_pair = 0
    for k in range(found):
        bounds[pair[k, 0]].first_pair += 1
    total = 0
    for m in range(first, last):
        here = bounds[m].first_pair
        bounds[m].first_pair = total
        total += here
    for k in range(found):
        of_first = bounds[pair[k, 0]]
        copy[of_first.first_pair, 0], copy[of_first.first_pair, 1] = pair[k, 0], pair[k, 1]
        of_first.first_pair += 1
    for k in range(found):
        a, b, place = copy[k, 0], copy[k, 1], k
        while place > 0 and pair[place - 1, 0] == a and pair[place - 1, 1] > b:
            pair[place, 0], pair[place, 1] = pair[place - 1, 0], pair[place - 1, 1]
            place -= 1
        pair[place, 0], pair[place, 1] = a, b
