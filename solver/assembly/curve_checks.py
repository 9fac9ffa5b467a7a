"""Plane curves that are wholly inside each other at t = 0: no crossing, and so no force."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from gsolve.parser.model import ContactInterface, Floats, Model, PlaneCurve, Shape
from gsolve.parser.text.diagnostics import Diagnostic

from .body_plan import NodePlan

MOST_PAIRS = 10_000  # of an interface that are looked at
SMALLER = 1.0 - 1e-6  # as if so much smaller, a curve lies within one that is the same and in the same place


def warn_of_curves_inside(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """Warnings for a curve or circle that lies within another one or a half space, by the points of the curves."""
    found = []
    for contact in model.contacts:
        pairs = pairs_with_curves(model, plan, contact)
        for one, other in islice(pairs, MOST_PAIRS):
            inner = which_is_inside(plan, one, other)
            if inner is not None:
                found.append(describe(contact, inner, other if inner is one else one))
        if next(pairs, None) is not None:
            message = (
                f"only the first {MOST_PAIRS} pairs of curves were looked at for one that lies wholly inside another"
            )
            hint = "those that do have no force on them: see that no others lie so at t = 0"
            found.append(contact.where.diagnose("warning", message, hint=hint))
    return found


def pairs_with_curves(model: Model, plan: NodePlan, contact: ContactInterface) -> Iterator[tuple[Shape, Shape]]:
    """Shapes on different bodies that may touch, at least one of which is a plane curve."""
    shapes, within = model.shapes, contact.side_j is None
    side_i = contact.side_i.shapes.tolist()
    side_j = contact.side_j.shapes.tolist() if contact.side_j else side_i
    curves_j = [j for j in side_j if isinstance(shapes[j], PlaneCurve)]
    for i in side_i:
        for j in side_j if isinstance(shapes[i], PlaneCurve) else curves_j:
            if i != j and (not within or i < j) and on_two_bodies(plan, shapes[i], shapes[j]):
                yield shapes[i], shapes[j]


def on_two_bodies(plan: NodePlan, one: Shape, other: Shape) -> bool:
    """Whether two shapes are on different bodies."""
    bodies = [plan.body_of_node[shape.node] if shape.node >= 0 else -1 for shape in (one, other)]
    return bool(bodies[0] != bodies[1])


def describe(contact: ContactInterface, inner: Shape, outer: Shape) -> Diagnostic:
    """The warning."""
    message = f"{inner.name} lies wholly inside {outer.name} at t = 0, or on it: "
    message += "they do not cross, so that no force acts on them"
    hint = "move them apart; if all around the outer curve is meant to be solid, side is 1"
    if outer.kind == "PLANE":
        hint = "move them apart, or turn the normal round: it points out of the half space, which is solid behind it"
    return contact.where.diagnose("warning", message, hint=hint)


def which_is_inside(plan: NodePlan, one: Shape, other: Shape) -> Shape | None:
    """Which of two shapes lies within the other one, if one of them does."""
    for inner, outer in ((one, other), (other, one)):
        has_inside = isinstance(outer, PlaneCurve) and outer.closed and not outer.other_side
        if isinstance(inner, PlaneCurve) and isinstance(outer, PlaneCurve):
            points = in_axes_of(plan, outer, points_of(plan, inner))
            middle = points.mean(axis=0)
            if has_inside and np.all(is_inside(middle + SMALLER * (points - middle), outer.points)):
                return inner
        elif isinstance(inner, PlaneCurve) and outer.kind == "CYLINDER":
            away = in_axes_of(plan, outer, points_of(plan, inner))
            if np.all(np.hypot(away[:, 0], away[:, 1]) < outer.dimensions[0]):
                return inner
        elif isinstance(inner, PlaneCurve) and outer.kind == "PLANE":
            points = points_of(plan, inner)
            middle = points.mean(axis=0)
            away = middle + SMALLER * (points - middle) - place_of(plan, outer)
            if np.all(away @ outer.axes[2] < 0.0):
                return inner
        elif isinstance(outer, PlaneCurve) and inner.kind == "CYLINDER" and has_inside:
            centre = in_axes_of(plan, outer, place_of(plan, inner)[None])
            clear = np.all(np.linalg.norm(outer.points - centre[0], axis=1) > inner.dimensions[0])
            if clear and is_inside(centre, outer.points)[0]:
                return inner
    return None


def place_of(plan: NodePlan, shape: Shape) -> Floats:
    """Where a shape stands at t = 0."""
    return shape.offset if shape.node < 0 else plan.coordinates[shape.node] + shape.offset


def points_of(plan: NodePlan, curve: PlaneCurve) -> Floats:
    """(n, 3) points of a curve in space."""
    return place_of(plan, curve) + curve.points @ curve.axes[:2]


def in_axes_of(plan: NodePlan, shape: Shape, points: Floats) -> Floats:
    """(n, 2) points in the x-y plane of a shape."""
    inside: Floats = (points - place_of(plan, shape)) @ shape.axes[:2].T
    return inside


def is_inside(points: Floats, polygon: Floats) -> Floats:
    """(n,) whether points lie within a polygon: a line from each to the right crosses it an odd number of times."""
    crosses = np.zeros(len(points), dtype=bool)
    for (x1, y1), (x2, y2) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if y1 == y2:
            continue
        between = (y1 > points[:, 1]) != (y2 > points[:, 1])
        crosses ^= between & (points[:, 0] < x1 + (points[:, 1] - y1) * (x2 - x1) / (y2 - y1))
    return crosses
