"""What is looked at in /JOINT before it becomes part of the model: whether its values go with each other.

The functions are checks of `layout.Keyword`: one that needs a field with an error of its own is passed over.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Check, Values, cards_text
from ..model import Floats
from ..model.joint_types import JOINT_TYPES, JointType
from .axes import are_parallel, is_blank, read_axis

FIRST_AXIS = ("ax", "ay", "az")
SECOND_AXIS = ("bx", "by", "bz")
_SAME_POINT = 1e-12


def joint_checks(joint_type: JointType) -> tuple[Check, ...]:
    """The checks of one type of joint."""
    checks: list[Check] = [_check_nodes, _check_axes]
    if joint_type.pitch:
        checks.append(_check_pitch)
    if joint_type.length:
        checks.append(_check_length)
    for coordinate, suffix in joint_type.force_fields.items():
        rotational = coordinate == "rotation"
        checks += [
            partial(_check_stops, suffix),
            partial(_check_friction, suffix, rotational),
            partial(_check_idle, suffix, rotational),
        ]
    return tuple(checks)


def type_of(block: Block) -> JointType:
    """The type that the keyword of a /JOINT says."""
    return JOINT_TYPES[block.declaration.name.split("/")[1]]


def check_unused(block: Block, values: Values, context: Context) -> bool:
    """Whether the card of the second axis holds nothing that the type has no use for.

    Where cards of springs, stops and friction may follow, values there tell that a blank card was forgotten.
    """
    joint_type = type_of(block)
    kind = joint_type.kind
    unused = [] if joint_type.has_second_axis else [(name, "the second axis") for name in SECOND_AXIS]
    unused += [] if joint_type.pitch else [("pitch", "pitch")]
    unused += [] if joint_type.length else [("length", "length")]
    given = {what: field for field, what in reversed(unused) if values[field] and not math.isnan(values[field])}
    if not given:
        return True
    if not joint_type.forces:
        for what, field in given.items():
            message = f"{what} is not used by a {kind} and is ignored"
            context.report(block.diagnose("doubt", message, field=field))
        return True
    needed = "only its pitch belongs on this card" if joint_type.pitch else "this card must be blank"
    message = f"a {kind} has no use for what stands here: {needed}"
    allowed = cards_text(block.declaration, block.layout.cards)
    first = min(given.values(), key=[field for field, _ in unused].index)
    place = block.find(first)
    hint = block.blank_card_before(place[0]) if place else ""
    hint = hint or "was a blank card forgotten? Springs, stops and friction begin on card 5"
    context.report(block.diagnose("error", message, field=first, allowed=allowed, hint=hint))
    return False


def check_pair(block: Block, values: Values, context: Context, first: str, second: str) -> bool:
    """Whether two fields name different nodes, not both the ground."""
    if values[first] != values[second]:
        return True
    same = "0, the ground" if values[first] < 0 else f"node {context.model.nodes.ids[values[first]]}"
    message = f"{first} and {second} are both {same}: nothing can move between them"
    allowed = "different nodes, one of them 0 for the ground if need be"
    context.report(block.diagnose("error", message, field=second, allowed=allowed))
    return False


def are_one_point(context: Context, first: int, second: int) -> bool:
    """Whether two node rows are at one point at t = 0; the point on the ground is that of the other node."""
    if first < 0 or second < 0:
        return True
    points = context.model.nodes.coordinates[[first, second]]
    return bool(np.abs(points[1] - points[0]).max() <= _SAME_POINT * np.abs(points).max())


def _check_nodes(block: Block, values: Values, context: Context) -> bool:
    return check_pair(block, values, context, "node_i", "node_j")


def _check_axes(block: Block, values: Values, context: Context) -> bool:
    return read_axes(block, values, context) is not None


def _check_pitch(block: Block, values: Values, context: Context) -> bool:
    """Whether a screw has a pitch."""
    if values["pitch"] != 0.0:
        return True
    allowed = "the advance per turn; negative for a left-handed screw"
    message = f"the pitch of a {type_of(block).kind} must not be 0"
    context.report(block.diagnose("error", message, field="pitch", allowed=allowed))
    return False


def read_axes(block: Block, values: Values, context: Context) -> tuple[Floats, Floats] | None:
    """Axes on node i and on node j; None after an error."""
    joint_type, skew_id = type_of(block), values["skew_ID"]
    default = f"the z axis of skew {skew_id}" if skew_id else "the global z axis"
    first = read_axis(block, values, context, FIRST_AXIS, "node_i", skew_id=skew_id, default=default)
    if not joint_type.has_second_axis:
        return None if first is None else (first, first.copy())
    second = read_axis(block, values, context, SECOND_AXIS, "node_j", skew_id=skew_id)
    if first is None or second is None:
        return None
    if are_parallel(first, second):
        message = f"the axes of node_i and node_j of a {joint_type.kind} must not be parallel"
        hint = "the axis of node_i is the z axis, because ax, ay, az are blank" if is_blank(values, FIRST_AXIS) else ""
        allowed = joint_type.second_axis.value
        context.report(block.diagnose("error", message, field="bx", allowed=allowed, hint=hint))
        return None
    return first, second


def _check_length(block: Block, values: Values, context: Context) -> bool:
    """Whether a joint that keeps a length has one."""
    kind, length = type_of(block).kind, values["length"]
    allowed = "a positive number, or blank for the distance as built"
    if length <= 0.0:
        message = f"the length of a {kind} must be more than 0"
        context.report(block.diagnose("error", message, field="length", allowed=allowed))
        return False
    if not are_one_point(context, values["node_i"], values["node_j"]):
        return True
    ground = next((field for field in ("node_i", "node_j") if values[field] < 0), "")
    if ground:
        message = f"a {kind} cannot end on the ground: its point there would be the other node itself"
        hint = "use a node held by /BCS at the point on the ground"
        context.report(block.diagnose("error", message, field=ground, hint=hint))
        return False
    if math.isnan(length):
        first, second = (context.model.nodes.ids[values[field]] for field in ("node_i", "node_j"))
        message = f"nodes {first} and {second} stand at the same point: there is no length as built"
        context.report(block.diagnose("error", message, field="length", allowed="a positive number"))
        return False
    return True


def _check_stops(suffix: str, block: Block, values: Values, context: Context) -> bool:
    """Whether stops have a stiffness and stand in order."""
    lower, upper = values["lower" + suffix], values["upper" + suffix]
    faults = []
    if lower >= upper:
        faults.append(("upper", "upper must be more than lower", f"more than lower, {lower:g}"))
    limits = [name for name in ("lower", "upper") if math.isfinite(values[name + suffix])]
    if limits and not values["stop_stiffness" + suffix]:
        message = f"{' and '.join(limits)} cannot stop anything without a stop_stiffness"
        faults.append(("stop_stiffness", message, "a positive number"))
    return _report_faults(block, context, suffix, faults)


def _check_friction(suffix: str, rotational: bool, block: Block, values: Values, context: Context) -> bool:
    """Whether friction has a slip velocity, and in a bearing a radius."""
    faults = []
    if not values["slip_velocity" + suffix]:
        given = [name for name in ("friction_force", "friction_coeff") if values[name + suffix]]
        if given:
            need = "needs" if len(given) == 1 else "need"
            message = f"{' and '.join(given)} {need} a slip_velocity, at which friction is fully developed"
            faults.append(("slip_velocity", message, "a positive number"))
    if rotational and values["friction_coeff" + suffix] and not values["radius" + suffix]:
        message = "friction_coeff needs the radius at which the bearing force rubs"
        faults.append(("radius", message, "a positive number"))
    return _report_faults(block, context, suffix, faults)


def _report_faults(block: Block, context: Context, suffix: str, faults: list[tuple[str, str, str]]) -> bool:
    """Errors of (field, message, what is allowed); whether there are none."""
    for field, message, allowed in faults:
        context.report(block.diagnose("error", message, field=field + suffix, allowed=allowed))
    return not faults


def _check_idle(suffix: str, rotational: bool, block: Block, values: Values, context: Context) -> bool:
    """Warn of values that nothing else on the cards makes use of."""
    limits = math.isfinite(values["lower" + suffix]) or math.isfinite(values["upper" + suffix])
    rubs = values["friction_force" + suffix] or values["friction_coeff" + suffix]
    for field, used, reason in (
        ("free_value", values["stiffness" + suffix], "without a stiffness"),
        ("stop_stiffness", limits, "without lower or upper"),
        ("stop_damping", limits, "without lower or upper"),
        ("radius", rotational and values["friction_coeff" + suffix], _no_radius(rotational)),
        ("slip_velocity", rubs, "without friction"),
    ):
        if values[field + suffix] and not used:
            context.report(block.diagnose("doubt", f"{field} has no effect {reason}", field=field + suffix))
    return True


def _no_radius(rotational: bool) -> str:
    return "without a friction_coeff" if rotational else "on a translation"
