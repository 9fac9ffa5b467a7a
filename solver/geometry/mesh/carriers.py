"""Listed triangles of the slave that reach below the master at the pose at hand, and where each is deepest.

A triangle of which a bound says that it cannot carry before the slave has moved by b against the master sleeps for the
most part of that way, see `sleep`: it is too high, beyond what its chart is in charge of, cut off whole, or nothing
pushes against it.

The deepest place follows from what the nodes know.  Where that may not be enough, the master itself is evaluated below
that place, for the carriers that share a load.
"""

from __future__ import annotations

import math

from ...core.bodies import Floats, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import dot, times, vector_of
from .cubics import (
    UNSETTLED,
    Cubic,
    cubic_of,
    depth_over,
    most_of,
    summit_on_outline,
    value_of_cubic,
    with_cubic,
)
from .cuts import (
    bend_cuts,
    beyond_curves,
    cut_with,
    distance_beyond,
    is_unsure,
    master_below,
    motion_to_touch,
    set_bends,
    set_cuts,
)
from .nodes import FURTHEST, evaluate_node, place_node, roughly_off
from .pair_records import MeshPairs
from .push import ALONG, Multipliers, may_be_pushed, multipliers_of, pulls
from .quadratics import (
    Deepest,
    Quadratic,
    deepest_of,
    deepest_on_cut,
    is_behind,
    middles_of,
    quadratic_of,
    upper_bound,
    value_at,
)
from .records import MOST_SIDES, NONE, MeshSurface
from .sleep import SLEEP, find_awake, rest, sleep_above, sleep_beside, sleep_turned_away, stay_awake
from .supports import quadratic_in
from .sweep import OPPOSED

TOUCH = 1e-12  # of the radius of the master: what is no deeper is rounding, as of faces that lie in one plane
STEPS = 3  # towards the deepest place of a cubic
OFF_CURVE = 2e-3  # of the depth: how far beyond a curve the deepest place may be found
SAME_PLACE = 2e-3  # coordinates: the next one would be by the square of it from there, and the depth by that of this
LOOKS = 6  # at the master below the deepest place
# Of the depth and of the size of the triangle, the larger counts: how far a deepest place may be beyond a cut that none
# of its nodes knew, and how much deeper it may be thought to be than it is.
BEYOND_OF_DEPTH, BEYOND_OF_SIZE = 0.1, 1e-3
WRONG_OF_DEPTH, WRONG_OF_SIZE = 0.5, 1e-2
NORMALS_KNOWN = 0.5  # of a cell, and of the motion that would let a facet face the master: for so far it does not


@kernel(inline=True)
def along_curves(carrier: Record, held: Multipliers, q: Quadratic, v: float, w: float) -> Quadratic:
    """A quadratic less what the curves bend that hold v, w.

    Over the straight lines that touch the curves it is what it is over the curves, to second order: without that the
    deepest place on such a line may be far off the curve.
    """
    one, by_v, by_w, vv, vw, ww = q
    for cut, multiplier in ((held.cut, held.value), (held.other, held.other_value)):
        if cut == NONE:
            continue
        ab, bc, ca = (
            multiplier * carrier.bends[cut, 0],
            multiplier * carrier.bends[cut, 1],
            multiplier * carrier.bends[cut, 2],
        )
        more_vv, more_vw, more_ww = ab, ab + ca - bc, ca
        one += (more_vv * v + more_vw * w) * v + more_ww * w * w
        by_v -= 2.0 * more_vv * v + more_vw * w
        by_w -= 2.0 * more_ww * w + more_vw * v
        vv, vw, ww = vv + more_vv, vw + more_vw, ww + more_ww
    return Quadratic(one, by_v, by_w, vv, vw, ww)


@kernel(inline=True)
def keep_quadratic(carrier: Record, q: Quadratic) -> None:
    for c in range(6):
        carrier.quadratic[c] = q[c]


@kernel(inline=True)
def is_cut_off(carrier: Record, curved: bool, v: float, w: float) -> bool:
    """Whether a place is beyond a cut.  curved : whether these are curves"""
    if curved:
        return beyond_curves(carrier, v, w) > 0.0
    return not is_behind(carrier.beyond, carrier.cuts, v, w)


@kernel(inline=True)
def deepest_again(carrier: Record, held: Multipliers, q: Quadratic, before: Deepest) -> Deepest:
    """The deepest place of a carrier whose cuts have been bent a little since it was found.

    Where one of them held it before its last step, it stays on that, within the triangle or on the same edge.
    """
    if held.cut != NONE and held.other == NONE and held.value > 0.0:
        found, deepest = deepest_on_cut(q, carrier.beyond, carrier.cuts, held.cut, before)
        if found and abs(deepest.v - before.v) + abs(deepest.w - before.w) < SAME_PLACE:
            return deepest
    return deepest_of(q, carrier.beyond, carrier.cuts)


@kernel(inline=True)
def settle(carrier: Record, plain: Quadratic, cubic: Cubic, facet: Record, chart: Record, touch: float) -> Deepest:
    """The deepest place of a carrier, with its quadratic as it touches the cubic there, and its cuts the curves.

    carrier : with its cuts.  chart : of the master
    """
    curved = carrier.cuts > 0 and (chart.first_side == chart.last_side or facet.sag > touch)
    has_cubic = most_of(cubic) > touch
    if has_cubic:
        # the usual case: on an edge, and no cut holds it
        on_outline, highest, touching = summit_on_outline(plain, cubic)
        if on_outline and not is_cut_off(carrier, curved, highest.v, highest.w):
            if curved:
                bend_cuts(carrier, highest.v, highest.w)
            keep_quadratic(carrier, touching)
            return highest
    q, deepest = plain, deepest_of(plain, carrier.beyond, carrier.cuts)
    held = Multipliers(NONE, 0.0, NONE, 0.0)
    for _ in range(STEPS):
        if curved:
            if deepest.depth > -math.inf:
                held = multipliers_of(carrier, q, deepest.v, deepest.w)
            # where all of it seems to be cut off the middle is as good a place to begin
            here = deepest if deepest.depth > -math.inf else Deepest(-math.inf, 1.0 / 3.0, 1.0 / 3.0)
            bend_cuts(carrier, here.v, here.w)
        elif not deepest.depth > -math.inf or not has_cubic:
            break
        if deepest.depth > -math.inf:
            q = with_cubic(plain, cubic, deepest.v, deepest.w)
            if curved:
                q = along_curves(carrier, held, q, deepest.v, deepest.w)
        before, deepest = deepest, deepest_of(q, carrier.beyond, carrier.cuts)
        if abs(deepest.v - before.v) + abs(deepest.w - before.w) < SAME_PLACE:
            break
    if curved and deepest.depth > touch:
        # curves that cut it off where it is deepest by those that touch elsewhere leave nothing
        bend_cuts(carrier, deepest.v, deepest.w)
        deepest = deepest_again(carrier, held, q, deepest)
        if beyond_curves(carrier, deepest.v, deepest.w) > OFF_CURVE * deepest.depth:
            return Deepest(-math.inf, 0.0, 0.0)  # nothing is left of it, or next to nothing
    if has_cubic and deepest.depth > touch:
        there = value_at(plain, deepest.v, deepest.w) + value_of_cubic(cubic, deepest.v, deepest.w)
        if abs(there - deepest.depth) > UNSETTLED * deepest.depth:
            q, deepest = plain, deepest_of(plain, carrier.beyond, carrier.cuts)
    keep_quadratic(carrier, q)
    return deepest


@kernel(inline=True)
def nearest_corner(v: float, w: float) -> int:
    """The corner with the largest coordinate, or nearly so."""
    return 0 if v + w < 0.5 else 1 if v > w else 2


@kernel
def set_carrier(
    carrier: Record, listed: Record, nodes: Records, plain: Quadratic, cubic: Cubic, facet: Record, rotation: Floats,
    chart: Record, triangles: Records, edges: Records, touch: float,
) -> bool:  # fmt: skip
    """Fill in the deepest place of a carrier.

    False if another chart is in charge wherever it is deep, if it does not face the master there, or if that is deeper
    than half the thickness of the master: it belongs to another side then.

    carrier : with its cuts.  facet : of the slave.  chart, triangles, edges : of the master
    """
    deepest = settle(carrier, plain, cubic, facet, chart, touch)
    if not deepest.depth > touch:
        return False
    foot = nodes[listed.nodes[nearest_corner(deepest.v, deepest.w)]].foot
    if deepest.depth > triangles[foot].depth_cap:
        return False
    q = quadratic_in(carrier)
    if pulls(carrier, q, deepest.v, deepest.w, nodes, listed, vector_of(facet.normal), rotation, edges):
        return False
    carrier.foot = foot
    carrier.depth, carrier.place[0], carrier.place[1] = deepest.depth, deepest.v, deepest.w
    return True


@kernel(inline=True)
def is_astray(carrier: Record, listed: Record, nodes: Records, facet: Record) -> bool:
    """Whether the deepest place is further from the triangle that is taken to be below it than it is deep.

    Along a strip that winds about a solid, as the tip of a thread, what was the nearest part of it may not lead to what
    is the nearest one now.  The nearest node tells: it is on the facet, and in the cell it was expanded in.
    """
    node = nodes[listed.nodes[nearest_corner(carrier.place[0], carrier.place[1])]]
    # two radii for what is uneven, one and the cell for how far from the place that was
    return node.aside > carrier.depth + 3.0 * facet.radius + node.cell


# ---- carriers that share the load ---------------------------------------------------------------------------------


@kernel
def look_below(
    pair: Record, carrier: Record, listed: Record, nodes: Records, facet: Record, rotation: Floats, offset: Vector,
    surface: MeshSurface, touch: float,
) -> bool:  # fmt: skip
    """Evaluate the master below the deepest place of a carrier; False if that does not touch.

    Where a cut edge is in charge there that none of its nodes knew, the carrier is cut by that as well and has another
    deepest place, below which is to be looked once more.
    """
    carrier.looks -= 1
    v, w, depth = carrier.place[0], carrier.place[1], carrier.depth
    at = master_below(pair, facet, surface, carrier.foot, rotation, offset, v, w)
    if not at.beyond > max(BEYOND_OF_DEPTH * depth, BEYOND_OF_SIZE * facet.radius):
        carrier.looks = 0
        return depth + at.phi <= max(WRONG_OF_DEPTH * depth, WRONG_OF_SIZE * facet.radius)
    if carrier.looks == 0 or carrier.cuts == MOST_SIDES:
        pair.exhausted += 1
        return False  # the chart beyond is as deep where they meet
    cut_with(carrier, nodes, listed, surface, rotation, offset, at.edge)
    set_bends(carrier, carrier.cuts - 1, nodes, listed, facet, rotation, surface.edges)
    plain, cubic = depth_over(nodes, listed, facet)
    return set_carrier(carrier, listed, nodes, plain, cubic, facet, rotation, surface.charts[listed.chart],
                       surface.triangles, surface.edges, touch)  # fmt: skip


@kernel
def look_below_supports(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, carriers: Records, n: int
) -> tuple[int, bool]:
    """Look below the carriers that share a load and were not looked at: how many of the n remain, and if all are as
    they were.
    """  # fmt: skip
    first = pair.first + pair.turn * pair.capacity
    nodes = pairs.nodes[first : first + pair.nodes]
    touch = TOUCH * surface.meshes[pair.master].radius
    kept, same = 0, True
    for k in range(n):
        carrier = carriers[k]
        stays = True
        if carrier.shares == 1 and carrier.looks > 0:
            depth, listed = carrier.depth, pairs.listed[first + carrier.listed]
            facet = pairs.facets[carrier.triangle]
            stays = look_below(pair, carrier, listed, nodes, facet, rotation, offset, surface, touch)
            same = same and stays and carrier.depth == depth
        if stays:
            if kept < k:  # a carrier is long
                carriers[kept] = carriers[k]
            kept += 1
    return kept, same


# ---- all of them --------------------------------------------------------------------------------------------------


@kernel(inline=True)
def motion_before_touch(carrier: Record, corners: Vector, middles: Vector, extra: float) -> float:
    """How far the slave has to move until a triangle may touch in spite of all its cuts; zero if it may do so now."""
    furthest = 0.0
    for cut in range(carrier.cuts):
        furthest = max(furthest, motion_to_touch(carrier, cut, corners, middles, extra))
    return furthest


@kernel(inline=True)
def is_turned_away(
    listed: Record, nodes: Records, facet: Record, rotation: Floats, offset: Vector, pair: Record
) -> bool:
    """Whether nothing pushes against a facet, which then sleeps.

    Neither the master nor its nearest cut edges push against it, at its corners: so it is with the flat end of one gear
    that lies in one plane with that of another, against the flanks of this.  Normals turn by the curvatures of the
    master and with the slave; within a cell of their expansions they are known, further away they turn by the largest
    curvature about there until another cut edge may have come to a corner.
    """
    normal, turn = vector_of(facet.normal), 1.0 / (NORMALS_KNOWN * (ALONG - OPPOSED))
    turned, bent, curved, alone = times(rotation, normal), 0.0, 0.0, FURTHEST * pair.cell
    for c in range(3):
        node = nodes[listed.nodes[c]]
        if may_be_pushed(node, normal, turned):
            return False
        for k in range(6):
            bent = max(bent, abs(node.hessian[k]))
        curved = max(curved, node.curvature)
        if node.edge != NONE:
            alone = min(alone, abs(node.beyond))
    way = NORMALS_KNOWN * pair.cell
    spread = min(max(1.0 / way, 3.0 * bent * turn), max(1.0 / max(way, alone), curved * turn))
    sleep_turned_away(listed, facet, pair, rotation, offset, spread, turn)
    return True


@kernel(inline=True)
def is_still_turned_away(
    listed: Record, nodes: Records, facet: Record, rotation: Floats, offset: Vector, pair: Record
) -> bool:
    """Whether a facet that was turned away still is, by where its nodes were expanded: it sleeps on then.

    Of the angle by which normals may turn until facets face the master one part is for that between there and here.
    """
    turned, turn = times(rotation, vector_of(facet.normal)), 1.0 / (NORMALS_KNOWN * (ALONG - OPPOSED))
    curved, alone = 0.0, FURTHEST * pair.cell
    for c in range(3):
        node = nodes[listed.nodes[c]]
        if dot(vector_of(node.slope), turned) - node.curvature * node.apart < ALONG - 1.0 / turn:
            return False
        curved = max(curved, node.curvature)
        if node.edge != NONE:
            if dot(vector_of(node.beyond_slope), turned) < ALONG:
                return False
            alone = min(alone, abs(node.beyond_at) - node.apart)
    if alone < NORMALS_KNOWN * pair.cell:
        return False
    sleep_turned_away(listed, facet, pair, rotation, offset, max(1.0 / alone, curved * turn), turn)
    return True


@kernel(inline=True)
def place_rough(
    nodes: Records, listed: Record, surface: MeshSurface, pair: Record, rotation: Floats, offset: Vector
) -> bool:
    """Expand the nodes of a triangle that are known roughly; whether any was."""
    any_rough = False
    for c in range(3):
        node = nodes[listed.nodes[c]]
        if node.apart > 0.0:
            place_node(node, surface, pair, rotation, offset)
            any_rough = True
    return any_rough


@kernel
def find_carriers(
    pairs: MeshPairs, pair: Record, surface: MeshSurface, rotation: Floats, offset: Vector, carriers: Records
) -> int:
    """Write the triangles that carry to `carriers`; their number, -1 beyond capacity."""
    first = pair.first + pair.turn * pair.capacity
    nodes, clock = pairs.nodes[first : first + pair.nodes], pair.clock
    lists = pairs.listed[first : first + pair.listed]
    touch, triangles, edges = TOUCH * surface.meshes[pair.master].radius, surface.triangles, surface.edges
    stale, awake = 0, find_awake(pairs, pair, rotation, offset)
    for place in range(awake):
        listed = lists[pairs.awake[place]]
        for c in range(3):
            node = nodes[listed.nodes[c]]
            if node.clock == clock:
                continue
            if not (evaluate_node(node, rotation, offset, clock) or roughly_off(node, rotation, offset, clock)):
                node.clock = clock
                pairs.stale[stale] = listed.nodes[c]
                stale += 1
    for k in range(stale):
        place_node(nodes[pairs.stale[k]], surface, pair, rotation, offset)
    n = 0
    for place in range(awake):
        k = pairs.awake[place]
        listed = lists[k]
        facet = pairs.facets[listed.triangle]
        corners, middles = middles_of(nodes, listed, facet)
        cubic = cubic_of(nodes, listed, facet)
        top = upper_bound(corners, middles) + most_of(cubic)
        if top > touch and listed.deep == 1 and is_still_turned_away(listed, nodes, facet, rotation, offset, pair):
            rest(pairs.rests, first + k, listed, pair, listed.gap)
            continue
        if top > 0.0 and place_rough(nodes, listed, surface, pair, rotation, offset):
            corners, middles = middles_of(nodes, listed, facet)
            cubic = cubic_of(nodes, listed, facet)
            top = upper_bound(corners, middles) + most_of(cubic)
        if top <= touch:
            sleep_above(listed, nodes, facet, pair, rotation, offset, touch - top)
            rest(pairs.rests, first + k, listed, pair, listed.gap)
            continue
        outside = distance_beyond(nodes, listed, surface, rotation, offset) - facet.sag
        if outside > 0.0:
            sleep_beside(listed, facet, pair, rotation, offset, outside)
            rest(pairs.rests, first + k, listed, pair, listed.gap)
            continue
        if is_turned_away(listed, nodes, facet, rotation, offset, pair):
            rest(pairs.rests, first + k, listed, pair, listed.gap)
            continue
        stay_awake(listed)
        if n >= len(carriers):
            return -1
        set_cuts(carriers[n], nodes, listed, facet, surface, rotation, offset)
        carrier = carriers[n]
        if carrier.cuts > 0:
            set_bends(carrier, 0, nodes, listed, facet, rotation, edges)
        apart = motion_before_touch(carrier, corners, middles, most_of(cubic) - touch)
        if apart > 0.0:
            sleep_beside(listed, facet, pair, rotation, offset, SLEEP * apart)
            rest(pairs.rests, first + k, listed, pair, listed.gap)
            continue
        q = quadratic_of(corners, middles)
        carrier.listed, carrier.triangle, carrier.chart = k, listed.triangle, listed.chart
        chart = surface.charts[listed.chart]
        if set_carrier(carrier, listed, nodes, q, cubic, facet, rotation, chart, triangles, edges, touch):
            if is_astray(carrier, listed, nodes, facet):
                pair.astray += 1
                continue
            pair.deepest = max(pair.deepest, carrier.depth)
            carrier.looks = LOOKS if is_unsure(carrier, nodes, listed, facet, surface, pair) else 0
            n += 1
    return n
