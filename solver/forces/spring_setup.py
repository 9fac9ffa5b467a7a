"""Springs of the model as the arrays of `solver/forces/springs.py`, unstretched at t = 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from gsolve.parser.model import Model, Spring, SpringDof, SpringProperty
from gsolve.parser.text.diagnostics import DeckError, Diagnostic
from numpy.typing import NDArray

from ..core.bodies import GROUND, Floats, Ints, Points
from .springs import AXIAL, F1, F2, F4, GENERAL, NO_FUNCTION, OFF, B, C, Springs


def build_springs(
    model: Model,
    order: Sequence[int] | Ints,
    point_of_node: Ints,
    points: Points,
    function_index: dict[int, int],
    skew_index: dict[int, int],
    can_turn: NDArray[np.bool_],
) -> Springs:
    """The springs model.springs[order[0]], model.springs[order[1]] ... as arrays, unstretched at t = 0.

    point_of_node : (number of nodes,) row in `points`, set for both nodes of every spring
    function_index, skew_index : as `build_function_tables` and `build_skews` return them
    can_turn : (nb,) False for bodies that have no rotary inertia, which no moment may act on
    Raises DeckError for a spring that is given per unit length and has none.
    """
    springs = [model.springs[k] for k in order]
    count = len(springs)
    ends = _build_ends(springs, point_of_node, points, can_turn)
    span = ends.origin[1::2] - ends.origin[0::2]
    lengths = np.linalg.norm(span, axis=1)
    per_length = np.array([spring.property.per_length for spring in springs], dtype=bool)
    _refuse_zero_length([springs[s] for s in np.flatnonzero(per_length & (lengths == 0.0))])

    curves = [_curves(spring.property, function_index) for spring in springs]
    specials = np.array([_is_special(spring, model) for spring in springs], dtype=np.int64)
    return Springs(
        number=np.array(order, dtype=np.int64),
        kind=np.array([AXIAL if spring.property.kind == "TYPE4" else GENERAL for spring in springs], dtype=np.int64),
        ends=ends,
        span=span,
        unit=np.where(per_length, lengths, 1.0),
        skew=np.array([skew_index[spring.skew_id or spring.property.skew_id] for spring in springs], dtype=np.int64),
        window=np.array([_window(spring.property, model) for spring in springs]).reshape(count, 2),
        restarts=np.array([_follows_sensor(spring.property) for spring in springs], dtype=np.int64),
        law=np.array([_law(spring.property) for spring in springs]).reshape(count, 6, 11),
        curves=np.array(curves, dtype=np.int64).reshape(count, 6, 3),
        specials=specials,
        number_of_specials=int(specials.sum()),
        status=np.full(count, OFF, dtype=np.int64),
        axes=np.array([_initial_axes(spring, model) for spring in springs]).reshape(count, 3, 3),
        separation=span.copy(),
        twist=np.zeros((count, 3)),
        reference=np.zeros((count, 6)),
        elongation=np.zeros((count, 6)),
        growth=np.zeros((count, 6)),
        curve_value=np.zeros((count, 6)),
        elastic=np.zeros((count, 6)),
        dissipative=np.zeros((count, 6)),
        released=np.zeros(count),
    )


_NO_FORCE = SpringDof(
    stiffness=0.0, damping=0.0, a=1.0, b=0.0, d=1.0, fct_1=0, fct_2=0, fct_4=0, e=0.0, f=1.0, abscissa_scale=1.0,
    damping_scale=1.0, min_elongation=-math.inf, max_elongation=math.inf,
)  # fmt: skip


def _initial_axes(spring: Spring, model: Model) -> Floats:
    skew = model.skews.get(spring.skew_id or spring.property.skew_id)
    return np.eye(3) if skew is None else skew.axes


def _law(spring_property: SpringProperty) -> list[list[float]]:
    fields = (
        "stiffness", "damping", "a", "b", "d", "e", "f", "abscissa_scale", "damping_scale", "min_elongation",
        "max_elongation",
    )  # fmt: skip
    return [[getattr(dof, field) for field in fields] for dof in _six(spring_property)]


def _curves(spring_property: SpringProperty, function_index: dict[int, int]) -> list[list[int]]:
    rows = {**function_index, 0: NO_FUNCTION}
    return [[rows[dof.fct_1], rows[dof.fct_2], rows[dof.fct_4]] for dof in _six(spring_property)]


def _six(spring_property: SpringProperty) -> list[SpringDof]:
    return [*spring_property.dofs, *[_NO_FORCE] * (6 - len(spring_property.dofs))]


def _follows_sensor(spring_property: SpringProperty) -> bool:
    return spring_property.sensor_id != 0 and spring_property.sensor_flag == 2


def _is_special(spring: Spring, model: Model) -> bool:
    skew = model.skews.get(spring.skew_id or spring.property.skew_id)
    moving_axes = spring.property.kind == "TYPE8" and skew is not None and skew.moving
    return moving_axes or any(dof.fct_1 or dof.fct_4 for dof in spring.property.dofs)


def _refuse_zero_length(springs: list[Spring]) -> None:
    errors = [
        spring.where.diagnose(
            "error",
            f"spring {spring.id} has properties per unit length (Ileng = 1), but its two nodes are at the same place",
        )
        for spring in springs
    ]
    if errors:
        raise DeckError(errors)


def _window(spring_property: SpringProperty, model: Model) -> tuple[float, float]:
    if spring_property.sensor_id == 0:
        return -math.inf, math.inf
    sensor = model.sensors[spring_property.sensor_id]
    if spring_property.sensor_flag == 0:
        return sensor.delay, math.inf
    if spring_property.sensor_flag == 1:
        return -math.inf, sensor.delay
    return sensor.delay, sensor.stop


def _build_ends(springs: list[Spring], point_of_node: Ints, points: Points, can_turn: NDArray[np.bool_]) -> Points:
    rows = np.array([[point_of_node[s.node_1], point_of_node[s.node_2]] for s in springs], dtype=np.int64).ravel()
    body, arm, origin = points.body[rows], points.arm[rows], points.origin[rows]
    for s, spring in enumerate(springs):
        turns_1, turns_2 = can_turn[body[2 * s]], can_turn[body[2 * s + 1]]
        if not spring.property.moment_equilibrium or not (turns_1 or turns_2):
            continue
        first, second = origin[2 * s].copy(), origin[2 * s + 1].copy()
        common = 0.5 * (first + second) if turns_1 and turns_2 else (second if turns_1 else first)
        arm[2 * s] += common - first
        arm[2 * s + 1] += common - second
        origin[2 * s : 2 * s + 2] = common
    return Points(body, arm, origin)


def is_damped(springs: Springs) -> NDArray[np.bool_]:
    """(ns,) whether the force of a spring depends on its rate."""
    has_curve = springs.curves != NO_FUNCTION
    rate_factor = (springs.law[:, :, B] != 0.0) | has_curve[:, :, F2]
    depends = (springs.law[:, :, C] != 0.0) | has_curve[:, :, F4] | (has_curve[:, :, F1] & rate_factor)
    return np.asarray(np.any(depends, axis=1))


def spring_warnings(model: Model, body_of_node: Ints) -> list[Diagnostic]:
    """Warnings about TYPE8 springs whose fixed axes pass a couple to the ground.

    body_of_node : (number of nodes,) 0 for nodes that do not move
    """
    found = []
    for spring in model.springs:
        skew = model.skews.get(spring.skew_id or spring.property.skew_id)
        moving_axes = skew is not None and skew.moving
        bodies = {int(body_of_node[spring.node_1]), int(body_of_node[spring.node_2])}
        apart = not np.array_equal(model.nodes.coordinates[spring.node_1], model.nodes.coordinates[spring.node_2])
        if spring.property.kind != "TYPE8" or moving_axes or GROUND in bodies or len(bodies) == 1:
            continue
        if apart and not spring.property.moment_equilibrium and any(map(_acts, spring.property.dofs[:3])):
            message = (
                f"spring {spring.id} joins two moving bodies at nodes that lie apart, in axes fixed in space: the "
                "couple of its forces is held by the ground, so the machine's angular momentum is not kept"
            )
            hint = "give it a skew that moves with one of the bodies (/SKEW/MOV), or set Iequil = 1"
            found.append(spring.where.diagnose("warning", message, hint=hint))
    return found


def _acts(dof: SpringDof) -> bool:
    return any((dof.stiffness, dof.damping, dof.fct_1, dof.fct_4))
