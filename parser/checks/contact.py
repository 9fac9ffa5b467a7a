"""Checks of contacts that need all bodies: whether anything can touch at all."""

from __future__ import annotations

from typing import NamedTuple

from ..cards.context import Context
from ..model import ContactInterface, ForceCurveInterface, Model, Surface, meshes_of


class Carriers(NamedTuple):
    """Of each shape and of each mesh the row of the node whose body carries it; -1 = ground."""

    shapes: list[int]
    meshes: list[int]


def check_contacts(context: Context, bodies: Carriers) -> None:
    """Every interface has two shapes or meshes, on different bodies, that can touch; findings go to the context."""
    model = context.model
    for contact in model.contacts:
        fault = _why_nothing_touches(model, bodies, contact)
        if fault:
            field = "surf_j" if contact.side_j is not None else "surf_i"
            context.report(contact.where.diagnose("error", fault, field=field, allowed="solids on different bodies"))
        if not contact.exact and not len(meshes_of(contact)):
            message = "solids are not tessellated: these touch as exact shapes, as with analytical 1"
            context.report(contact.where.diagnose("doubt", message, field="analytical", found="2", allowed="0 or 1"))
    for interface in model.force_curve_contacts:
        _check_sides(context, bodies, interface)


def _why_nothing_touches(model: Model, bodies: Carriers, contact: ContactInterface) -> str:
    """The reason why no pair of an interface can touch; empty if one can."""
    first = _kinds_by_body(model, bodies, contact.side_i)
    second = first if contact.side_j is None else _kinds_by_body(model, bodies, contact.side_j)
    if len(first.keys() | second.keys()) == 1:
        body = next(iter(first))
        where = "the ground" if body < 0 else f"the body of node {model.nodes.ids[body]}"
        return f"all solids of the interface are on {where}: nothing can touch"
    planes = {body for body, kinds in first.items() if kinds == {"PLANE"}}
    if planes == set(first) and all(kinds == {"PLANE"} for kinds in second.values()):
        return "all solids of the interface are planes: two half-spaces cannot touch"
    return ""


def _kinds_by_body(model: Model, bodies: Carriers, side: Surface) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for row in side.shapes.tolist():
        found.setdefault(bodies.shapes[row], set()).add(model.shapes[row].kind)
    for row in side.meshes.tolist():
        found.setdefault(bodies.meshes[row], set()).add("MESH")
    return found


def _check_sides(context: Context, bodies: Carriers, interface: ForceCurveInterface) -> None:
    """Each side of a /INTER/TYPE6 is one body, and they are two."""
    sides = [set(_kinds_by_body(context.model, bodies, side)) for side in (interface.side_i, interface.side_j)]
    for field, side in zip(("surf_ID1", "surf_ID2"), sides, strict=True):
        if len(side) > 1:
            message = f"the solids of {field} are on {len(side)} bodies"
            hint = "an /INTER/TYPE6 is between two bodies; /INTER/IMPACT takes any number"
            context.report(interface.where.diagnose("error", message, field=field, allowed="one body", hint=hint))
    if sides[0] == sides[1]:
        message = "both surfaces are on one body: nothing can touch"
        context.report(interface.where.diagnose("error", message, field="surf_ID2", allowed="another body"))
