"""Plane curves as arrays: segments, and a tree of boxes over them.

A curve runs with its solid on the left, in axes of its own; its centre is that of a circle about it.  A box of the tree
holds some segments side by side, and lies along them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.bodies import Floats, Ints, Record, Records
from .spline import Outline, turns_of
from .teeth import finest_pitch

MOST_CROSSINGS = 128  # of two curves
MOST_PAIRS = 256  # of nodes of two curves, from which a search may begin
MOST_LENSES = 8  # of two curves, whose crossings are kept from step to step
REACH_OF_LENS = math.radians(45.0)  # angle by which a run turns on either side of a lens, as far as that tells of it
FRONTS_PER_CURVE, FEWEST_FRONTS = 4, 8
MOST_NODES = 256  # of the tree at hand while two of them are searched
MOST_FACES = 32  # of a region
MOST_LOBES = 16  # likewise
EVEN = 1e-9  # of a segment
STRAIGHT = 1e-9  # radians by which a straight segment may turn
ROUND_OFF = 1e-13  # of the size of a curve, by which boxes are wider

PLANE_CURVE = np.dtype(
    [
        ("first", "i8"),  # of its segments
        ("segments", "i8"),
        ("root", "i8"),  # node of the tree
        ("closed", "i8"),
        ("radius", "f8"),  # of a circle about the origin of its axes
        ("pitch", "f8"),  # of its finest teeth, see `teeth`; inf without any
        ("width", "f8"),  # along z, that of the area of contact
    ],
    align=True,
)

SEGMENT = np.dtype(
    [
        ("x", "f8", 4),  # powers of u, lowest first
        ("y", "f8", 4),
        ("along_x", "f8"),  # direction of its chord, its length, and one over that
        ("along_y", "f8"),
        ("chord", "f8"),
        ("inverse_chord", "f8"),
        ("over_x", "f8", 4),  # powers of u in that direction and across, from its beginning
        ("over_y", "f8", 4),
        ("low", "f8"),  # between these two heights it lies over its chord
        ("high", "f8"),
        ("is_even", "i8"),  # 1: one step of Newton's method says which u is at a place over the chord
        ("corner", "f8"),  # angle by which the curve turns where it begins; 0: smooth
        ("least_bend", "f8"),  # least curvature; < 0: it is hollow
        ("run", "i8"),  # number of the convex run that it belongs to, see `lenses`; -1: it is hollow
        ("before", "f8"),  # by how much that has turned where it begins, and where it ends
        ("behind", "f8"),
    ],
    align=True,
)

NODE = np.dtype(
    [
        ("x", "f8"),  # middle of the box
        ("y", "f8"),
        ("along_x", "f8"),  # its long axis
        ("along_y", "f8"),
        ("length", "f8"),  # half of it
        ("height", "f8"),
        ("segment", "i4"),  # of a leaf; else -1
        ("run", "i4"),  # of all its segments; -1 where they have several, or are hollow
        ("right", "i8"),  # second child; the first is the node behind
        ("before", "f8"),  # by how much that run has turned where they begin, and where they end
        ("behind", "f8"),
    ],
    align=True,
)

# Two runs of two curves that cross twice, and the segments that do, see `lenses`.
LENS = np.dtype(
    [
        ("run_a", "i8"),
        ("run_b", "i8"),
        ("low_a", "f8"),  # between these angles, by which the runs have turned, they cross nowhere else
        ("high_a", "f8"),
        ("low_b", "f8"),
        ("high_b", "f8"),
        ("enters_a", "i8"),  # where A enters B
        ("enters_b", "i8"),
        ("leaves_a", "i8"),
        ("leaves_b", "i8"),
        ("along_ax", "f8"),  # directions in the middle of both parts, each in the axes of its curve
        ("along_ay", "f8"),
        ("along_bx", "f8"),
        ("along_by", "f8"),
    ],
    align=True,
)

# Pairs of nodes of two curves, see `fronts`.
FRONT = np.dtype(
    [
        ("a", "i8"),  # the curves; -1: none yet
        ("b", "i8"),
        ("skin", "f8"),  # how far the clock goes
        ("way", "f8"),  # of the middle of what may be in touch, and by how much A has turned, since it was made
        ("turn", "f8"),
        ("clock", "f8"),  # the longest way of a part of that
        ("cos", "f8"),  # pose of A in the axes of B when the clock was moved last
        ("sin", "f8"),
        ("x", "f8"),
        ("y", "f8"),
        ("first_x", "f8"),  # where A was when the front was made
        ("first_y", "f8"),
        ("middle_x", "f8"),  # of a circle about all that may be in touch
        ("middle_y", "f8"),
        ("radius", "f8"),
        ("count", "i8"),  # of pairs; -1: there were too many
        ("awake", "i8"),  # the first of them, leaves that overlapped when they were looked at last
        ("soon", "i8"),  # end of those that may wake soon, which stand behind them
        ("least", "f8"),  # up to this the clock may go on before any of these wakes
        ("far", "f8"),  # and up to this, before any of the rest does
        ("pairs", "i4", (MOST_PAIRS, 2)),
        ("wakes", "f8", MOST_PAIRS),  # when the way of a pair, way + turn * reach, is that
        ("reaches", "f8", MOST_PAIRS),  # how far it lies from the middle
        ("lenses", "i8"),
        ("lens", LENS, MOST_LENSES),
    ],
    align=True,
)

# Where two curves cross: A enters the solid of B, or leaves it.
CROSSING = np.dtype(
    [
        ("at_a", "f8"),  # number of the segment of A within its curve, and its u
        ("at_b", "f8"),
        ("x", "f8"),
        ("y", "f8"),
        ("enters", "i8"),
        ("of_lens", "i8"),  # 1: it comes from its two segments and the pose alone
        ("next_b", "i8"),  # crossing that follows along B
        ("used", "i8"),  # 1: a region about it is found
    ],
    align=True,
)

# A face that the other curve lies below, see `corners`.
FACE = np.dtype(
    [
        ("least", "f8"),  # depth of the deepest point
        ("depth", "f8"),  # of the point of contact
        ("x", "f8"),  # midway between the surfaces
        ("y", "f8"),
        ("normal_x", "f8"),  # of the force on curve A
        ("normal_y", "f8"),
        ("exists", "f8"),  # from 0 to 1
        ("weight", "f8"),
    ],
    align=True,
)

# A part of a region between two necks, see `lobes`; places are those of an arc.
LOBE = np.dtype(
    [
        ("neck_low", "f8"),  # between these two is the neck before it
        ("neck_high", "f8"),
        ("on_neck", "f8"),  # near the foot of that
        ("low", "f8"),  # between these two is its deepest point
        ("high", "f8"),
        ("begin", "f8"),  # the necks, or the ends of the arc
        ("end", "f8"),
        ("place", "f8"),  # of its deepest point
        ("on_master", "f8"),  # of the foot of that
        ("depth", "f8"),
        ("normal_x", "f8"),  # of the master there
        ("normal_y", "f8"),
        ("weight", "f8"),
        ("neck", "f8"),  # depth of the neck before it; then how much it is one with the lobe before
        ("area", "f8"),
        ("moment_x", "f8"),
        ("moment_y", "f8"),
        ("chord", "f8"),
        ("highest", "i8"),  # lobe that stands for those merged with it
        ("merged", "i8"),
    ],
    align=True,
)

CURVE_SCRATCH = np.dtype(
    [
        ("stack", "i8", (MOST_NODES, 2)),
        ("crossings", CROSSING, MOST_CROSSINGS),
        ("loop", "i8", MOST_CROSSINGS),  # crossings around a region
        ("faces", FACE, MOST_FACES),
        ("lobes", LOBE, MOST_LOBES),
    ],
    align=True,
)


class PlaneCurves(NamedTuple):
    """All plane curves of a machine."""

    curves: Records  # PLANE_CURVE
    segments: Records
    nodes: Records
    fronts: Records  # those of each thread
    scratch: Record  # likewise


def no_plane_curves() -> PlaneCurves:
    """None."""
    return PlaneCurves(
        np.zeros(0, PLANE_CURVE), np.zeros(0, SEGMENT), np.zeros(0, NODE), new_fronts(0), new_curve_scratch()
    )


def new_fronts(curves: int) -> Records:
    """Memory for the fronts of so many curves; two pairs that share a place only make them anew more often."""
    fronts = np.zeros(FRONTS_PER_CURVE * curves + FEWEST_FRONTS if curves else 0, FRONT)
    fronts["a"] = -1
    return fronts


def with_own_memory(curves: PlaneCurves) -> PlaneCurves:
    """The curves with memory of another thread."""
    return curves._replace(fronts=new_fronts(len(curves.curves)), scratch=new_curve_scratch())


def new_curve_scratch() -> Record:
    """Working memory for one pair at a time."""
    record: Any = np.zeros(1, CURVE_SCRATCH)[0]
    return record


def build_plane_curves(outlines: Sequence[Outline], widths: Sequence[float]) -> PlaneCurves:
    """Curves as arrays, each about the origin of its outline."""
    curves = np.zeros(len(outlines), PLANE_CURVE)
    counts = np.array([len(outline.coefficients) for outline in outlines], dtype=np.int64)
    curves["segments"], curves["first"] = counts, np.cumsum(counts) - counts
    curves["pitch"] = [finest_pitch(outline) for outline in outlines]
    curves["closed"] = [outline.closed for outline in outlines]
    curves["width"] = widths
    segments, nodes = np.zeros(int(counts.sum()), SEGMENT), list[tuple[Any, ...]]()
    for curve, outline in zip(curves, outlines, strict=True):
        own = segments[curve["first"] : curve["first"] + curve["segments"]]
        own["x"], own["y"] = outline.coefficients[:, 0], outline.coefficients[:, 1]
        lay_over_chords(own)
        own["corner"], own["least_bend"] = outline.corner, least_curvature(outline.coefficients)
        own["run"], own["before"], own["behind"] = convex_runs(
            own["least_bend"], own["corner"], turns_of(outline.coefficients)
        )
        curve["root"] = len(nodes)
        points = control_points(outline.coefficients)
        curve["radius"] = np.sqrt(np.max(np.sum(points * points, axis=2))) * (1.0 + ROUND_OFF)
        runs = list(zip(own["run"].tolist(), own["before"].tolist(), own["behind"].tolist(), strict=True))
        add_boxes(nodes, points, runs, extents_of(points), (0, len(own)), ROUND_OFF * float(np.abs(points).max()))
    return PlaneCurves(curves, segments, np.array(nodes, NODE), new_fronts(len(curves)), new_curve_scratch())


def control_points(coefficients: Floats) -> Floats:
    """(n, 4, 2) control points of segments (n, 2, 4) as Bezier curves: the curve lies within their hull."""
    a, b, c, d = np.moveaxis(coefficients, 2, 0)
    return np.stack([a, a + b / 3, a + 2 * b / 3 + c / 3, a + b + c + d], axis=1)


def lay_over_chords(segments: Records) -> None:
    """Set what segments are in the directions of their chords."""
    x, y = segments["x"], segments["y"]
    along_x, along_y = x[:, 1:].sum(axis=1), y[:, 1:].sum(axis=1)
    chord = np.hypot(along_x, along_y)
    along_x, along_y = along_x / chord, along_y / chord
    segments["along_x"], segments["along_y"], segments["chord"] = along_x, along_y, chord
    segments["inverse_chord"] = 1.0 / chord
    segments["over_x"][:, 1:] = along_x[:, None] * x[:, 1:] + along_y[:, None] * y[:, 1:]
    segments["over_y"][:, 1:] = over = along_x[:, None] * y[:, 1:] - along_y[:, None] * x[:, 1:]
    between = np.stack([over[:, 0] / 3.0, (2.0 * over[:, 0] + over[:, 1]) / 3.0])  # heights of two control points
    segments["is_even"] = misses_by_a_step(segments["over_x"] / chord[:, None]) < EVEN
    segments["low"], segments["high"] = np.minimum(between.min(axis=0), 0.0), np.maximum(between.max(axis=0), 0.0)


def misses_by_a_step(powers: Floats) -> Floats:
    """(n,) largest error of the u of places over chords after one step of Newton's method; (n, 4) powers of u."""
    u = np.linspace(0.0, 1.0, 17)
    a, b, c, d = (powers[:, k, None] for k in range(4))
    place = ((d * u + c) * u + b) * u + a
    found = place - ((((d * place + c) * place + b) * place + a) - place) / ((3 * d * place + 2 * c) * place + b)
    misses: Floats = np.abs(found - u).max(axis=1)
    return misses


def least_curvature(coefficients: Floats) -> Floats:
    """(n,) least curvature of segments (n, 2, 4), by samples; 0 where it is no more than round-off."""
    u = np.linspace(0.0, 1.0, 17)
    slopes, bends = np.array([0 * u, 1 + 0 * u, 2 * u, 3 * u * u]), np.array([0 * u, 0 * u, 2 + 0 * u, 6 * u])
    (dx, dy), (ex, ey) = np.moveaxis(coefficients @ slopes, 1, 0), np.moveaxis(coefficients @ bends, 1, 0)
    square = dx * dx + dy * dy
    turns = (dx * ey - dy * ex) / square  # of the segment, if it went on like that
    least = np.min((dx * ey - dy * ex) / square**1.5, axis=1)
    return np.where(np.abs(turns).max(axis=1) < STRAIGHT, 0.0, least)


Run = tuple[int, float, float]  # of a segment: number, and by how much the run has turned where that begins and ends


def convex_runs(least_bend: Floats, corner: Floats, turns: Floats) -> tuple[Ints, Floats, Floats]:
    """(n,) number of the convex run of each segment, -1 of hollow ones, and by how much it has turned at both ends.

    turns : (n,) angle by which each turns, radians
    """
    goes_on = (corner[1:] >= 0.0) & (least_bend[1:] >= 0.0) & (least_bend[:-1] >= 0.0)
    runs: Ints = np.cumsum(np.concatenate([[0], ~goes_on]))
    behind = np.cumsum(turns + np.concatenate([[0.0], np.maximum(corner[1:], 0.0)]))
    return np.where(least_bend < 0.0, -1, runs), behind - turns, behind


def enclosing_circle(coefficients: Floats) -> tuple[Floats, float]:
    """Centre (2,) and radius of a circle about a curve, little larger than need be."""
    points = control_points(coefficients).reshape(-1, 2)
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    step = 1.0
    for k in range(200):  # towards the farthest point, by less and less (M. Badoiu and K. Clarkson, SODA 2003)
        away = points - centre
        step = 1.0 / (k + 2.0)
        centre = centre + step * away[np.argmax(np.sum(away * away, axis=1))]
    return centre, float(np.sqrt(np.max(np.sum((points - centre) ** 2, axis=1))) * (1.0 + ROUND_OFF))


def extents_of(points: Floats) -> Floats:
    """(2, 2, n, 2) least and greatest coordinates of segments along axes, and along those turned by 45 degrees."""
    extents = []
    for turn in (0.0, 0.25 * math.pi):
        axes = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
        turned = points @ axes
        extents.append([turned.min(axis=1), turned.max(axis=1)])
    return np.array(extents)


def add_boxes(
    nodes: list[tuple[Any, ...]], points: Floats, runs: Sequence[Run], extents: Floats, segments: tuple[int, int],
    wider: float,
) -> None:  # fmt: skip
    """Add the node of segments from one up to another and all below it.

    points (n, 4, 2), runs (n,), extents (2, 2, n, 2) : of all; wider : by round-off
    """
    first, end = segments
    own = points[first:end].reshape(-1, 2)
    along = own[-1] - own[0]
    size = math.hypot(*(own.max(axis=0) - own.min(axis=0)))
    if math.hypot(*along) < 0.5 * size:
        along = np.array([1.0, 0.0])
    along = along / np.linalg.norm(along)
    across = np.array([-along[1], along[0]])
    x, y = own @ along, own @ across
    low_x, high_x, low_y, high_y = x.min(), x.max(), y.min(), y.max()
    middle = 0.5 * (low_x + high_x) * along + 0.5 * (low_y + high_y) * across
    place, leaf = len(nodes), end - first == 1
    run, before, _ = runs[first]  # runs count upwards: those of both ends are one where all are
    nodes.append(())
    right = 0
    if not leaf:
        half = first + best_split(extents[:, :, first:end])
        add_boxes(nodes, points, runs, extents, (first, half), wider)
        right = len(nodes)
        add_boxes(nodes, points, runs, extents, (half, end), wider)
    nodes[place] = (
        *middle, *along, 0.5 * float(high_x - low_x) + wider, 0.5 * float(high_y - low_y) + wider,
        first if leaf else -1, run if run == runs[end - 1][0] else -1, right, before, runs[end - 1][2],
    )  # fmt: skip


def best_split(extents: Floats) -> int:
    """How many of the segments go into the first of two boxes, so that boxes of many segments are small."""
    n = extents.shape[2]
    if n == 2:
        return 1
    cost, number = np.full(n - 1, np.inf), np.arange(1, n)
    for low, high in extents:
        sizes = []
        for order in (slice(None), slice(None, None, -1)):
            size = np.maximum.accumulate(high[order]) - np.minimum.accumulate(low[order])
            sizes.append((size[:, 0] + size[:, 1])[order])
        cost = np.minimum(cost, number * sizes[0][:-1] + (n - number) * sizes[1][1:])
    few = n // 8  # a tree of little depth
    return few + int(np.argmin(cost[few : n - 1 - few])) + 1
