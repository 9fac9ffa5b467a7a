"""/CURVE/2D: plane curves by points, which /INTER lets touch each other."""

from __future__ import annotations

import math

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, blank_or_real, card, integer, real
from ..cards.table_reader import Records
from ..model import Floats, PlaneCurve, Surface
from ..text.units import LENGTH
from .axes import global_components

_POINT = card(
    real("x", 1, "coordinate along x of the skew, from the node", LENGTH),
    real("y", 21, "coordinate along y of the skew, from the node", LENGTH),
)
_CORNER_ANGLE = 40.0  # degrees
_CLOSE = 1e-9  # of the size of a curve, within which two points must be one
_FLAT = 1e-9  # of its square, the least area of a closed one


def build_curve(block: Block, values: Values, context: Context) -> None:
    """/CURVE/2D: a curve on a node, in the x-y plane of a skew."""
    records: Records = values["records"]
    points = np.stack([records.columns["x"], records.columns["y"]], axis=1)
    closed = values["closed"] == 1
    if not _check_points(block, records, points, closed, values["n_points"], context):
        return
    _warn_of_crossing(block, records, points, closed, context)
    width = values["width"]
    assert block.id is not None
    row = len(context.model.shapes)
    axes = global_components(context, values["skew_ID"], np.eye(3))
    curve = PlaneCurve(
        block.id,
        block.title,
        block,
        "CURVE",
        values["node"],
        axes,
        np.zeros(3),
        np.zeros(3),
        points=points,
        closed=closed,
        other_side=values["side"] == 1,
        corner_angle=math.radians(values["corner_angle"]),
        width=context.unit_factor(block, LENGTH) if math.isnan(width) else width,
        width_is_given=not math.isnan(width),
    )
    context.model.shapes.append(curve)
    context.unresolved.surfaces[block.id] = Surface(block.id, block.title, block, np.array([row], dtype=np.int64))


def _check_points(
    block: Block, records: Records, points: Floats, closed: bool, announced: int, context: Context
) -> bool:
    """Whether there are as many points as announced, enough of them, and none too near to another one."""
    count = len(points)
    if count != announced:
        message = f"n_points announces {announced} points, and there are {count}"
        allowed = f"{count}, or that many lines" if count else "that many lines"
        context.report(block.diagnose("error", message, field="n_points", allowed=allowed))
        return False
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if count else 0.0
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    different = 1 + int(np.count_nonzero(steps)) - int(closed and count > 1 and bool(np.all(points[0] == points[-1])))
    least = 3 if closed else 2
    if different < least:
        what = "a closed curve" if closed else "a curve"
        message = f"{what} needs {least} different points or more, and there {'is' if different == 1 else 'are'} "
        message += f"{different if count else 0}"
        context.report(block.diagnose("error", message, field="n_points", found=str(count), allowed=f"{least} or more"))
        return False
    near = np.flatnonzero((steps > 0.0) & (steps < _CLOSE * size))
    thrice = np.flatnonzero((steps[1:] == 0.0) & (steps[:-1] == 0.0))
    if len(thrice):
        message = "three points in a row are equal: two of them make a corner, more mean nothing"
        _report_point(block, records, int(thrice[0]) + 2, message, context)
        return False
    if len(near):
        message = f"this point is only {steps[near[0]]:.3g} from the one before, and not equal to it"
        hint = "leave one of them out, or make them equal if that is to be a corner"
        _report_point(block, records, int(near[0]) + 1, message, context, hint)
        return False
    if closed and abs(_area(points)) < _FLAT * size * size:
        message = "the curve encloses no area, or as much to its left as to its right"
        context.report(block.diagnose("error", message, field="closed", allowed="points around an area, or closed 0"))
        return False
    return True


def _report_point(block: Block, records: Records, row: int, message: str, context: Context, hint: str = "") -> None:
    context.report_record(block, records, row, _POINT.fields[0], message, hint=hint)


def _area(points: Floats) -> float:
    x, y = (points - points[0]).T
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _warn_of_crossing(block: Block, records: Records, points: Floats, closed: bool, context: Context) -> None:
    """A warning if the curve crosses itself: what is solid there is not what was meant."""
    crossing = first_crossing(points, closed)
    if crossing is None:
        return
    one, other, place = crossing
    message = (
        f"the curve crosses itself between its points {one + 1} and {one + 2} and between {other + 1} and "
        f"{(other + 1) % len(points) + 1}, near ({place[0]:.6g}, {place[1]:.6g})"
    )
    hint = "each part pushes with its own left side (closed: with the side of the whole), also where another part is"
    context.report(block.diagnose("warning", message, hint=hint))


def first_crossing(points: Floats, closed: bool) -> tuple[int, int, Floats] | None:
    """The first two sides of a polygon that cross, and where; None without any.

    points : (n, 2); sides are numbered by the points at which they begin
    """
    ends = np.roll(points, -1, axis=0) if closed else points[1:]
    starts = points[: len(ends)]
    kept = np.flatnonzero(np.any(starts != ends, axis=1))
    low, high = np.minimum(starts, ends)[kept], np.maximum(starts, ends)[kept]
    order = np.argsort(low[:, 0], kind="stable")
    sorted_low = low[order, 0]
    found: tuple[int, int, Floats] | None = None
    for at, k in enumerate(order.tolist()):
        last = int(np.searchsorted(sorted_low, high[k, 0], side="right"))
        others = order[at + 1 : last]
        others = others[(low[others, 1] <= high[k, 1]) & (high[others, 1] >= low[k, 1])]
        neighbours = (np.abs(others - k) == 1) | (closed & (np.abs(others - k) == len(kept) - 1))
        for other in others[~neighbours].tolist():
            one, two = sorted((int(kept[k]), int(kept[other])))
            place = _meeting(starts[one], ends[one], starts[two], ends[two])
            if place is not None and (found is None or (one, two) < found[:2]):
                found = one, two, place
    return found


def _meeting(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats | None:
    """Where two straight lines from a to b and from c to d cross."""
    along, across, between = b - a, d - c, c - a
    cross = along[0] * across[1] - along[1] * across[0]
    if cross == 0.0:
        return None
    s = (between[0] * across[1] - between[1] * across[0]) / cross
    t = (between[0] * along[1] - between[1] * along[0]) / cross
    if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
        return None
    place: Floats = a + s * along
    return place


KEYWORDS = [
    Keyword(
        ("CURVE/2D",),
        "plane curve by points on a node, for contacts",
        build_curve,
        Stage.GROUPS,
        cards=(
            card(
                integer("node", 1, "node the curve is fixed to; 0 = ground", reference="node"),
                integer("skew_ID", 11, "the curve lies in its x-y plane at t = 0", reference="skew"),
                integer("closed", 21, "1 = the last point is joined to the first", choices=(0, 1)),
                integer("n_points", 31, "number of points", required=True, minimum=1),
                integer(
                    "side",
                    41,
                    "solid is, closed: 0 inside, 1 outside; open: 0 on the left, 1 on the right of the curve",
                    choices=(0, 1),
                ),
                real(
                    "corner_angle",
                    51,
                    "degrees by which the polygon through the points turns at a corner, or more",
                    default=_CORNER_ANGLE,
                    minimum=0.0,
                    maximum=180.0,
                ),
                blank_or_real("width", 71, "width along z, of the area of contact; blank: 1", LENGTH, above=0.0),
            ),
        ),
        records=(_POINT,),
        listing="records",
        identity="surface",
        notes=(
            "The curve is smooth between corners: a cubic spline through its points. Two equal points in a row are a "
            "corner. An open curve goes on at its ends at right angles into the solid. From t = 0 on it moves and "
            "turns with the body of the node."
        ),
    ),
]
