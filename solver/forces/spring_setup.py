"""Springs of the model as the records of `solver/forces/springs.py`, unstretched at t = 0."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from gsolve.parser.model import Model, Spring, SpringDof, SpringProperty
from gsolve.parser.text.diagnostics import DeckError, Diagnostic
from numpy.typing import NDArray

from ..core.bodies import GROUND, Floats, Ints, Record, Records
from ..core.windows import window_of_spring
from .springs import AXIAL, F1, F2, F4, GENERAL, NO_FUNCTION, OFF, SPRING, B, C


def build_springs(
    model: Model,
    order: Sequence[int] | Ints,
    points: Records,
    function_index: dict[int, int],
    skew_index: dict[int, int],
    can_turn: NDArray[np.bool_],
) -> Records:
    """The springs model.springs[order[0]], model.springs[order[1]] ... as records, unstretched at t = 0.

    points : NODE_POINT of each node
    function_index, skew_index : as `build_function_tables` and `build_skews` return them
    can_turn : (nb,) False for bodies that have no rotary inertia, which no moment may act on
    Raises DeckError for a spring that is given per unit length and has none.
    """
    records = np.zeros(len(order), SPRING)
    without_length = []
    for record, number in zip(records, order, strict=True):
        spring = model.springs[number]
        prop, skew_id = spring.property, spring.skew_id or spring.property.skew_id
        record["number"], record["special"] = number, _is_special(spring, model)
        record["kind"] = AXIAL if prop.kind == "TYPE4" else GENERAL
        _hold_bodies(record, spring, points, can_turn)
        length = np.linalg.norm(record["span"])
        record["unit"] = length if prop.per_length else 1.0
        if prop.per_length and length == 0.0:
            without_length.append(spring)
        record["skew"], record["axes"] = skew_index[skew_id], _initial_axes(spring, model)
        record["window"], record["restarts"] = window_of_spring(prop, model), _follows_sensor(prop)
        record["law"], record["curves"] = _law(prop), _curves(prop, function_index)
        record["status"] = OFF
    _refuse_zero_length(without_length)
    return records


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


def _hold_bodies(record: Record, spring: Spring, points: Records, can_turn: NDArray[np.bool_]) -> None:
    """Ends of a spring, and from the first to the second: its nodes, or both at one common point."""
    ends = points[[spring.node_1, spring.node_2]]
    span = ends["origin"][1] - ends["origin"][0]
    turns = can_turn[ends["body"]]
    if spring.property.moment_equilibrium and turns.any():
        # from each node to the common point
        common = 0.5 * (ends["origin"][0] + ends["origin"][1]) if turns.all() else ends["origin"][int(turns[0])]
        ends["arm"] += common - ends["origin"]
        span = np.zeros(3)
    record["end_1"], record["end_2"] = ends[["body", "arm"]]
    record["span"] = record["separation"] = span


def is_damped(springs: Records) -> NDArray[np.bool_]:
    """(ns,) whether the force of a spring depends on its rate."""
    law, has_curve = springs["law"], springs["curves"] != NO_FUNCTION
    rate_factor = (law[:, :, B] != 0.0) | has_curve[:, :, F2]
    depends = (law[:, :, C] != 0.0) | has_curve[:, :, F4] | (has_curve[:, :, F1] & rate_factor)
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
