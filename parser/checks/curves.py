"""Checks of interfaces in which plane curves take part: what they may touch, and that all lies in one plane."""

from __future__ import annotations

import math

import numpy as np

from ..cards.context import Context
from ..keywords.contact_laws import VolumeLaw
from ..model import ContactInterface, Floats, ForceCurveInterface, Ints, Model, PlaneCurve, Shape
from ..text.numbers import numbered_list

_MOST_TILT = math.radians(0.1)
_MOST_OFFSET = 1e-3  # of the size of a curve
_PARTNERS = ("CURVE", "CYLINDER", "PLANE")
_ALLOWED = "curves, /SURF/CYL_SOLID across their plane (a circle), /SURF/PLANE_SOLID along their z (a straight line)"


Fields = tuple[tuple[str, Ints, Ints], tuple[str, Ints, Ints]]


def check_curves(
    context: Context, contact: ContactInterface | ForceCurveInterface, bodies: list[int], of_meshes: list[int]
) -> None:
    """What plane curves of an interface touch is plane as well, and lies in their plane at t = 0.

    bodies, of_meshes : of each shape and of each mesh the row of the node whose body carries it; -1 = ground
    """
    model = context.model
    first, second = ("surf_ID1", "surf_ID2") if isinstance(contact, ForceCurveInterface) else ("surf_i", "surf_j")
    side_i, side_j = contact.side_i.shapes, contact.side_j.shapes if contact.side_j else contact.side_i.shapes
    if not any(_is_curve(model, row) for side in (side_i, side_j) for row in side.tolist()):
        return
    fields = ((first, side_i, side_j), (second if contact.side_j else first, side_j, side_i))
    meshes = _mesh_beside_curve(context, contact, bodies, of_meshes, fields)
    if (
        not meshes
        and _check_partners(context, contact, bodies, fields)
        and _check_lines(context, contact, side_i, side_j, first)
    ):
        _check_plane(context, contact, fields)
    if isinstance(contact, ContactInterface) and isinstance(contact.law, VolumeLaw):
        _warn_of_widths(context, contact, [*side_i.tolist(), *side_j.tolist()])
    if isinstance(contact, ForceCurveInterface) and contact.gap and _has_curve(model, side_i):
        message = f"{first} holds a curve, and Gap makes solids larger, but no curves"
        context.report(contact.where.diagnose("error", message, field="Gap", allowed="0"))


def _is_curve(model: Model, row: int) -> bool:
    return model.shapes[row].kind == "CURVE"


def _has_curve(model: Model, side: Ints) -> bool:
    return any(_is_curve(model, row) for row in side.tolist())


def _warn_of_widths(context: Context, contact: ContactInterface, rows: list[int]) -> None:
    """VOLUME takes chord by width for the area."""
    model = context.model
    shapes = (model.shapes[row] for row in dict.fromkeys(rows))
    blank = [shape for shape in shapes if isinstance(shape, PlaneCurve) and not shape.width_is_given]
    if blank:
        message = f"the width of {blank[0].name} is blank: the area of contact is that of a curve {blank[0].width:g} "
        message += f"{model.units.length} wide"
        context.report(contact.where.diagnose("doubt", message, hint="VOLUME takes chord by width for the area"))


def _check_partners(
    context: Context, contact: ContactInterface | ForceCurveInterface, bodies: list[int], fields: Fields
) -> bool:
    """Whether the other side of each curve holds nothing but curves and what can be a circle or a line."""
    model = context.model
    for field, side, other in fields:
        curves = [row for row in other.tolist() if _is_curve(model, row)]
        for row in side.tolist():
            shape = model.shapes[row]
            met = [curve for curve in curves if bodies[curve] != bodies[row]]
            if shape.kind in _PARTNERS or not met:
                continue
            message = f"{shape.name} cannot touch {model.shapes[met[0]].name}, which is a plane curve"
            context.report(contact.where.diagnose("error", message, field=field, allowed=_ALLOWED))
            return False
    return True


def _mesh_beside_curve(
    context: Context,
    contact: ContactInterface | ForceCurveInterface,
    bodies: list[int],
    of_meshes: list[int],
    fields: Fields,
) -> bool:
    """Whether a mesh is to touch a curve, which is told of."""
    model = context.model
    sides = [contact.side_i, contact.side_j or contact.side_i]
    for (field, _, other), side in zip(fields, sides, strict=True):
        for row in side.meshes.tolist():
            met = [curve for curve in other.tolist() if _is_curve(model, curve) and bodies[curve] != of_meshes[row]]
            if met:
                message = f"{model.meshes[row].name} cannot touch {model.shapes[met[0]].name}, which is a plane curve"
                context.report(contact.where.diagnose("error", message, field=field, allowed=_ALLOWED))
                return True
    return False


def _check_lines(
    context: Context, contact: ContactInterface | ForceCurveInterface, side_i: Ints, side_j: Ints, field: str
) -> bool:
    """Whether some shape is no straight line: two of these cross once, and enclose nothing."""
    shapes = [context.model.shapes[row] for row in {*side_i.tolist(), *side_j.tolist()}]
    if not all(is_line(shape) for shape in shapes):
        return True
    ids = numbered_list(sorted(shape.id for shape in shapes))
    message = f"surfaces {ids} are straight lines: they cross once and enclose nothing, so that they cannot touch"
    hint = "make one of them a closed curve, or bend it"
    context.report(contact.where.diagnose("error", message, field=field, hint=hint))
    return False


def is_line(shape: Shape) -> bool:
    """Whether a shape is a straight line in the plane of curves."""
    return shape.kind == "PLANE" or (isinstance(shape, PlaneCurve) and shape.is_straight)


def _check_plane(context: Context, contact: ContactInterface | ForceCurveInterface, fields: Fields) -> None:
    """Whether all shapes of an interface lie in the plane of its first curve."""
    model = context.model
    rows = [row for _, side, _ in fields for row in side.tolist()]
    curve = next(model.shapes[row] for row in rows if _is_curve(model, row))
    assert isinstance(curve, PlaneCurve)
    told: set[int] = set()
    for field, side, _ in fields:
        for row in side.tolist():
            shape = model.shapes[row]
            if row in told or shape is curve:
                continue
            told.add(row)
            fault, hint = _why_not_in_plane(model, shape, curve)
            if fault:
                context.report(contact.where.diagnose("error", fault, field=field, hint=hint))
                return


def _why_not_in_plane(model: Model, shape: Shape, curve: PlaneCurve) -> tuple[str, str]:
    """What keeps a shape from lying in the plane of a curve, and a hint; empty if it does."""
    normal, unit = curve.axes[2], model.units.length
    off = float(normal @ (_place(model, shape) - _place(model, curve)))
    cosine = float(normal @ shape.axes[2])
    tilt = math.atan2(float(np.linalg.norm(np.cross(normal, shape.axes[2]))), abs(cosine))
    if shape.kind == "PLANE":
        if 0.5 * math.pi - tilt <= _MOST_TILT:
            return "", ""
        angle = math.degrees(0.5 * math.pi - tilt)
        message = f"the normal of {shape.name} leaves the plane of {curve.name} by {angle:.3g} degrees"
        return message, "as a straight line in that plane it needs a normal at right angles to z of the curve"
    if shape.kind == "CYLINDER":
        if tilt > _MOST_TILT:
            message = f"the axis of {shape.name} and z of {curve.name} are {math.degrees(tilt):.3g} degrees apart"
            return message, "as a circle in the plane of the curve it needs an axis along that"
        if abs(off) > 0.5 * shape.dimensions[1]:
            message = f"the plane of {curve.name} passes {shape.name} by: it is {abs(off):.6g} {unit} from the middle"
            return message, f"half of the length of the cylinder is {0.5 * shape.dimensions[1]:.6g} {unit}"
        return "", ""
    names = f"{curve.name} and {shape.name}"
    if cosine < 0.0 and tilt <= _MOST_TILT:
        hint = "turn the skew of one of them about its x axis, and change the sign of all y"
        return f"the z axes of {names} point in opposite directions", hint
    if tilt > _MOST_TILT:
        hint = "curves lie in the x-y planes of their skews, through their nodes"
        angle = math.degrees(tilt if cosine >= 0.0 else math.pi - tilt)
        return f"{names} do not lie in one plane: their z axes are {angle:.3g} degrees apart", hint
    assert isinstance(shape, PlaneCurve)
    size = min(float(np.linalg.norm(np.ptp(each.points, axis=0))) for each in (shape, curve))
    if abs(off) > _MOST_OFFSET * size:
        hint = "curves lie in the x-y planes of their skews, through their nodes"
        return f"{names} do not lie in one plane: their planes are {abs(off):.6g} {unit} apart", hint
    return "", ""


def _place(model: Model, shape: Shape) -> Floats:
    """Where a shape stands at t = 0."""
    return shape.offset if shape.node < 0 else model.nodes.coordinates[shape.node] + shape.offset
