"""The depth of a patch: one number for its law, and the points that share the load.

With the depth zeta over the slave's surface, the depth that the law sees is

    z = min_c max_x zeta(x)/(1 - B |x - c|^2/(2 rho^2)).

Where the surfaces curve away from each other the only solution is the deepest point, c = x, and z its depth, exactly.
A line or a face has its ends or its corners as solution, with c between them so that they are in balance: as the bodies
tilt, the load goes over from one end to the other in proportion, in place of at once.  z is the stationary value of a
smooth problem: its gradient is that of the depths of the supporting points, by their shares, times the factor

    G = 1/(1 - B/(2 rho^2) sum share |x - c|^2),

and Phi(z), Phi' = K z^e, is a potential of the force.  An aligned line or face has z = G times its plain depth, so that
its force is G^(e+1) times that of a point: a potential cannot resist tilting otherwise, for the work of lifting one end
must be done on the force of both.

For given c and a rate s = B z/rho^2 the problem is that of the smallest sphere round points, with the depths as
additional weights; its solution has at most four points of support.  Points are added one by one where they are wanted
most (B. Gaertner, Fast and robust smallest enclosing balls, Proc. ESA 1999, 325-338, for spheres round points).
"""

from __future__ import annotations

import math

from ...core.bodies import Ints, Record, Records, Vector
from ...core.jit.kernels import kernel
from ...core.vectors import cross, dot, minus, plus, scaled, vector_of
from .cubics import UNSETTLED, depth_over, summit_on_outline, value_of_cubic
from .cuts import beyond_curve
from .pair_records import MOST_SUPPORTS
from .push import multipliers_of
from .quadratics import Deepest, Quadratic, deepest_of, value_at
from .records import NONE

TOLERANCE = 1e-9  # of the depth
MOST_POINTS = 60  # that are tried
MOST_PASSES = 40
SAME = 1e-15
FLAT = 1e-10  # of the square of distances: determinant of points on a line or in a plane


@kernel(inline=True)
def quadratic_in(carrier: Record) -> Quadratic:
    q = carrier.quadratic
    return Quadratic(q[0], q[1], q[2], q[3], q[4], q[5])


@kernel(inline=True)
def set_support(support: Record, k: int, v: float, w: float, depth: float, facet: Record) -> None:
    """The point at v, w of the k-th carrier."""
    support.carrier, support.place[0], support.place[1], support.depth = k, v, w, depth
    a, b, c = facet.corners[0], facet.corners[1], facet.corners[2]
    for m in range(3):
        support.point[m] = (1.0 - v - w) * a[m] + v * b[m] + w * c[m]


# ---- a few points in balance -----------------------------------------------------------------------------------


@kernel
def weights_of(supports: Records, chosen: Ints, k: int, rate: float) -> bool:
    """Shares of k chosen points that all have the same value about a centre among them; False without such.

    They are put into `share`, whatever they are.
    """
    origin = supports[chosen[0]]
    at = vector_of(origin.point)
    if k == 1:
        origin.share = 1.0
        return True
    one = supports[chosen[1]]
    d1 = minus(vector_of(one.point), at)
    r1 = (one.depth - origin.depth) / rate + 0.5 * dot(d1, d1)
    g11 = dot(d1, d1)
    if k == 2:
        if not g11 > 0.0:
            return False
        one.share = r1 / g11
        origin.share = 1.0 - one.share
        return one.share >= 0.0 and origin.share >= 0.0
    two = supports[chosen[2]]
    d2 = minus(vector_of(two.point), at)
    r2 = (two.depth - origin.depth) / rate + 0.5 * dot(d2, d2)
    g12, g22 = dot(d1, d2), dot(d2, d2)
    determinant = g11 * g22 - g12 * g12
    if not determinant > FLAT * g11 * g22:
        return False
    if k == 3:
        one.share, two.share = (r1 * g22 - r2 * g12) / determinant, (r2 * g11 - r1 * g12) / determinant
        origin.share = 1.0 - one.share - two.share
        return one.share >= 0.0 and two.share >= 0.0 and origin.share >= 0.0
    three = supports[chosen[3]]
    d3 = minus(vector_of(three.point), at)
    r3 = (three.depth - origin.depth) / rate + 0.5 * dot(d3, d3)
    c23, c31, c12 = cross(d2, d3), cross(d3, d1), cross(d1, d2)
    volume = dot(d1, c23)
    if not volume * volume > FLAT * determinant * dot(d3, d3):
        return False
    centre = scaled(1.0 / volume, plus(plus(scaled(r1, c23), scaled(r2, c31)), scaled(r3, c12)))
    one.share, two.share, three.share = dot(centre, c23) / volume, dot(centre, c31) / volume, dot(centre, c12) / volume
    origin.share = 1.0 - one.share - two.share - three.share
    return one.share >= 0.0 and two.share >= 0.0 and three.share >= 0.0 and origin.share >= 0.0


@kernel(inline=True)
def centre_of_chosen(supports: Records, chosen: Ints, k: int) -> Vector:
    centre = (0.0, 0.0, 0.0)
    for i in range(k):
        centre = plus(centre, scaled(supports[chosen[i]].share, vector_of(supports[chosen[i]].point)))
    return centre


@kernel(inline=True)
def value_about(support: Record, centre: Vector, rate: float) -> float:
    d = minus(vector_of(support.point), centre)
    return support.depth + 0.5 * rate * dot(d, d)


@kernel
def balance(supports: Records, n: int, rate: float, chosen: Ints, likely: int) -> tuple[float, Vector, int]:
    """The least over c of the largest depth + rate/2 |x - c|^2 among n points: value, c, bits of those that support.

    Every choice of up to four points is tried; the right one leaves no other point above its value.

    likely : bits of the choice that is tried first
    """
    best, value, centre, bits = math.inf, 0.0, (0.0, 0.0, 0.0), 0
    for choice in range(1 << n):
        mask, k = choice if choice > 0 else likely, 0
        for i in range(n):
            if mask >> i & 1:
                if k == MOST_SUPPORTS:
                    k += 1
                    break
                chosen[k] = i
                k += 1
        if k > MOST_SUPPORTS or not weights_of(supports, chosen, k, rate):
            continue
        c = centre_of_chosen(supports, chosen, k)
        level = -math.inf
        for i in range(k):
            level = max(level, value_about(supports[chosen[i]], c, rate))
        excess = 0.0
        for i in range(n):
            if not mask >> i & 1:
                excess = max(excess, value_about(supports[i], c, rate) - level)
        if excess < best:
            best, value, centre, bits = excess, level, c, mask
            if excess <= SAME * abs(level):
                break
    k = 0
    for i in range(n):
        supports[i].share = 0.0
        if bits >> i & 1:
            chosen[k] = i
            k += 1
    weights_of(supports, chosen, k, rate)
    return value, centre, bits


@kernel
def balance_scale_free(
    supports: Records, n: int, stiffening: float, depth: float, chosen: Ints
) -> tuple[float, Vector]:
    """The same with the rate that follows from the value itself: that value, and c.

    depth : a first estimate of it
    """
    centre, bits = (0.0, 0.0, 0.0), (1 << n) - 1
    for _ in range(MOST_PASSES):
        _, centre, bits = balance(supports, n, stiffening * depth, chosen, bits)
        mean, square = 0.0, 0.0
        for i in range(n):
            d = minus(vector_of(supports[i].point), centre)
            mean += supports[i].share * supports[i].depth
            square += supports[i].share * dot(d, d)
        better = mean / (1.0 - 0.5 * stiffening * square)
        if abs(better - depth) <= SAME * depth or n == 1:
            return better, centre
        depth = better
    return depth, centre


@kernel(inline=True)
def keep_those_that_share(supports: Records, n: int) -> int:
    kept = 0
    for i in range(n):
        if supports[i].share > 0.0:
            if kept < i:
                supports[kept] = supports[i]
            kept += 1
    return kept


# ---- the points of a patch -------------------------------------------------------------------------------------


@kernel(inline=True)
def raised(q: Quadratic, facet: Record, rate: float, centre: Vector) -> Quadratic:
    """The depth over a triangle and rate/2 |x - centre|^2, x in its plane."""
    a, b, c = vector_of(facet.corners[0]), vector_of(facet.corners[1]), vector_of(facet.corners[2])
    d, e1, e2 = minus(a, centre), minus(b, a), minus(c, a)
    half = 0.5 * rate
    return Quadratic(
        q[0] + half * dot(d, d),
        q[1] + rate * dot(e1, d),
        q[2] + rate * dot(e2, d),
        q[3] + half * dot(e1, e1),
        q[4] + rate * dot(e1, e2),
        q[5] + half * dot(e2, e2),
    )


@kernel
def deepest_raised(
    carrier: Record, nodes: Records, listed: Record, facet: Record, rate: float, centre: Vector
) -> Deepest:
    """Where a carrier is deepest with rate/2 |x - centre|^2 on top.

    On an edge that no cut is near by the cubic.  Or else by the quadratic that touches it where it is deepest without
    that: elsewhere this may be off, see `true_depth`.
    """
    if carrier.cuts == 0:
        plain, cubic = depth_over(nodes, listed, facet)
        on_outline, highest, _ = summit_on_outline(raised(plain, facet, rate, centre), cubic)
        if on_outline:
            return highest
    return deepest_of(raised(quadratic_in(carrier), facet, rate, centre), carrier.beyond, carrier.cuts)


@kernel
def true_depth(
    carrier: Record, nodes: Records, listed: Record, facet: Record, pulled: Quadratic, v: float, w: float
) -> float:
    """Depth at a place of a carrier that may be far from where its quadratic touches the cubic and its cuts the curves.

    pulled : see `raised`.  Off a curve by a little, its multiplier tells what the depth is on it
    """
    plain, cubic = depth_over(nodes, listed, facet)
    depth = value_at(plain, v, w) + value_of_cubic(cubic, v, w)
    held = multipliers_of(carrier, pulled, v, w)
    for cut, multiplier in ((held.cut, held.value), (held.other, held.other_value)):
        if cut != NONE:
            depth -= multiplier * beyond_curve(carrier, cut, v, w)
    return depth


@kernel
def most_wanted(
    carriers: Records, members: Ints, facets: Records, nodes: Records, lists: Records, rate: float, centre: Vector,
    level: float,
) -> tuple[int, Deepest]:  # fmt: skip
    """The point that rises most above a level, and its carrier; -1 if none does."""
    at, best, first, most = -1, Deepest(level, 0.0, 0.0), members[0], -math.inf
    for k in members:
        carrier = carriers[k]
        facet = facets[carrier.triangle]
        d = minus(vector_of(facet.middle), centre)
        furthest = math.sqrt(dot(d, d)) + facet.radius
        carrier.most = carrier.depth + 0.5 * rate * furthest * furthest
        if carrier.most > most:
            first, most = k, carrier.most
    # that which may rise most comes first: then few of the others are looked at
    for place in range(-1, len(members)):
        k = first if place < 0 else members[place]
        carrier = carriers[k]
        if carrier.most <= best.depth:
            continue
        carrier.most = -math.inf
        found = deepest_raised(carrier, nodes, lists[carrier.listed], facets[carrier.triangle], rate, centre)
        if found.depth > best.depth:
            at, best = k, found
    return at, best


@kernel
def find_supports(
    carriers: Records, members: Ints, facets: Records, nodes: Records, lists: Records, stiffening: float,
    supports: Records, chosen: Ints,
) -> tuple[float, Vector, int]:  # fmt: skip
    """Points that share the load of a patch; the depth for its law, the centre c and the number of points.

    Points have the depth of the cubic, whatever quadratics found them; one that is higher than that is lowered, so that
    it is not wanted again.

    members : its carriers.  nodes, lists : of the pair
    """
    first = members[0]
    for k in members:
        if carriers[k].depth > carriers[first].depth:
            first = k
    deepest = carriers[first]
    set_support(supports[0], first, deepest.place[0], deepest.place[1], deepest.depth, facets[deepest.triangle])
    supports[0].share = 1.0
    depth, centre, n = deepest.depth, vector_of(supports[0].point), 1
    for _ in range(MOST_POINTS):
        level, rate = depth * (1.0 + TOLERANCE), stiffening * depth
        k, found = most_wanted(carriers, members, facets, nodes, lists, rate, centre, level)
        if k < 0:
            break
        carrier, facet = carriers[k], facets[carriers[k].triangle]
        pulled = raised(quadratic_in(carrier), facet, rate, centre)
        true = true_depth(carrier, nodes, lists[carrier.listed], facet, pulled, found.v, found.w)
        n = keep_those_that_share(supports, n)
        support = supports[n]
        set_support(support, k, found.v, found.w, true, facet)
        higher = found.depth - value_about(support, centre, rate)
        if abs(higher) > UNSETTLED * depth:
            support.depth += higher
        elif higher > TOLERANCE * depth:
            carrier.quadratic[0] -= higher
        n += 1
        depth, centre = balance_scale_free(supports, n, stiffening, depth, chosen)
    return depth, centre, keep_those_that_share(supports, n)


@kernel(inline=True)
def factor_of(supports: Records, n: int, centre: Vector, stiffening: float) -> float:
    """G."""
    square = 0.0
    for i in range(n):
        d = minus(vector_of(supports[i].point), centre)
        square += supports[i].share * dot(d, d)
    return 1.0 / (1.0 - 0.5 * stiffening * square)
