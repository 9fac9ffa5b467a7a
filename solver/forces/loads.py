"""/CLOAD and /GRAV: forces and moments that are functions of time.

value(t) = y_scale f((t - t_origin) / x_scale) along one axis, fixed or turning with a moving skew (a follower load).
Gravity that is constant in a fixed direction is a property of the bodies (`set_constant_gravity`) and has a potential;
any other is a load, m times its value at the mass centre, and its work is external work.
"""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import ConcentratedLoad, Gravity, Model
from gsolve.parser.text.expressions import VARIABLE, ExpressionProgram

from ..core.bodies import GROUND, Floats, Records
from ..core.body_points import EXTERNAL, POINT, add_force, add_moment, arm_of, forces_on
from ..core.functions import FunctionTables, build_function_tables, value
from ..core.jit.kernels import kernel
from ..core.skews import skew_axes
from ..core.vectors import scaled, set_vector, vector_of
from ..core.windows import share_of_kick, window_of_load

LOAD = np.dtype(
    [
        ("point", POINT),
        ("rotational", "i8"),  # 1: a moment
        ("function", "i8"),
        ("skew", "i8"),  # moving skew, -1: `axis` is fixed
        ("component", "i8"),  # axis of the skew
        ("axis", "f8", 3),
        ("x_scale", "f8"),
        ("y_scale", "f8"),  # of gravity: times the mass
        ("t_start", "f8"),  # acts for t_start <= t < t_stop
        ("t_stop", "f8"),
        ("t_origin", "f8"),  # the time that the function's abscissa counts from
        ("sensor_id", "i8"),  # that switches it, 0: none
    ],
    align=True,
)


@kernel(inline=True)
def add_loads(
    loads: Records, first: int, last: int, bodies: Records, tables: FunctionTables, skews: Records, axes: Floats,
    t: float, dt: float, previous_dt: float,
) -> None:  # fmt: skip
    """Add the loads [first, last) of the kick at t to the external forces on the bodies; axes (3, 3) is for work."""
    for i in range(first, last):
        load = loads[i]
        share = share_of_kick(load.t_start, load.t_stop, t, dt, previous_dt)
        if share == 0.0:
            continue
        if load.skew >= 0:
            skew_axes(skews, load.skew, bodies, axes)
            set_vector(load.axis, vector_of(axes[load.component]))
        size = share * load.y_scale * value(tables, load.function, (t - load.t_origin) / load.x_scale)
        body, along = bodies[load.point.body], scaled(size, vector_of(load.axis))
        if load.rotational == 1:
            add_moment(forces_on(body, EXTERNAL), along)
        else:
            add_force(forces_on(body, EXTERNAL), arm_of(load.point, body, False), along)


def constant_gravities(model: Model, tables: FunctionTables, function_index: dict[int, int]) -> dict[int, float]:
    """Values of the functions of the gravities that have a potential, by their places in the model.

    Those are constant at all times, without a sensor, in a direction that does not move.
    """
    found = {}
    for place, gravity in enumerate(model.gravities):
        size = constant_value(gravity, model, tables, function_index)
        moves = gravity.skew_id and model.skews[gravity.skew_id].moving
        if size is not None and gravity.sensor_id == 0 and not moves:
            found[place] = size
    return found


def constant_value(
    gravity: Gravity, model: Model, tables: FunctionTables, function_index: dict[int, int]
) -> float | None:
    """Value of the function of a gravity where it is the same at all times, else None; 1 without a function."""
    if gravity.function_id == 0:
        return 1.0
    function = model.functions[gravity.function_id]
    if isinstance(function.program, ExpressionProgram):
        if VARIABLE in function.program.opcodes:
            return None
        return float(value(tables, function_index[gravity.function_id], 0.0))
    return float(function.y[0]) if np.all(function.y == function.y[0]) else None


def accelerations_at_start(model: Model) -> Floats:
    """(n, 3) of each /GRAV at t = 0, global axes, as if no sensor kept it off."""
    tables, function_index = build_function_tables(model)
    found = np.zeros((len(model.gravities), 3))
    for row, gravity in enumerate(model.gravities):
        size = constant_value(gravity, model, tables, function_index)
        if size is None:
            size = float(value(tables, function_index[gravity.function_id], 0.0))
        found[row] = gravity.y_scale * size * axis_of(model, gravity.skew_id, gravity.direction)
    return found


def axis_of(model: Model, skew_id: int, direction: int) -> Floats:
    """Unit vector (3,) of a direction at t = 0."""
    return model.skews[skew_id].axes[direction] if skew_id else np.eye(3)[direction]


def set_constant_gravity(
    model: Model, constant: dict[int, float], points: Records, main_nodes: set[int], bodies: Records
) -> None:
    """Acceleration of every body whose own or main node is in the group of a constant /GRAV, by their places."""
    for place, size in constant.items():
        gravity = model.gravities[place]
        pull = gravity.y_scale * size * axis_of(model, gravity.skew_id, gravity.direction)
        for node in main_nodes.intersection(gravity.nodes.tolist()):
            bodies["gravity"][points["body"][node]] += pull


def build_loads(
    model: Model,
    constant: dict[int, float],
    points: Records,
    main_nodes: set[int],
    bodies: Records,
    function_index: dict[int, int],
    skew_index: dict[int, int],
) -> Records:
    """One record for each /CLOAD and node, and for each /GRAV and body but constant ones; none on the ground."""
    items: list[tuple[object, ...]] = []

    def add(source: ConcentratedLoad | Gravity, node: int, rotational: bool, arm: Floats, factor: float) -> None:
        skew = skew_index[source.skew_id] if source.skew_id and model.skews[source.skew_id].moving else -1
        items.append(
            ((points["body"][node], tuple(arm)), int(rotational), function_index[source.function_id], skew,
             source.direction, tuple(axis_of(model, source.skew_id, source.direction)), source.x_scale,
             factor * source.y_scale, *window_of_load(source, model), source.sensor_id)
        )  # fmt: skip

    for load in model.loads:
        for node in load.nodes.tolist():
            if points["body"][node] != GROUND:
                add(load, node, load.rotational, points["arm"][node], 1.0)
    for place, gravity in enumerate(model.gravities):
        if place not in constant:
            for node in sorted(main_nodes.intersection(gravity.nodes.tolist())):
                body = bodies[points["body"][node]]
                add(gravity, node, False, body["mass_arm"], float(body["mass"]))
    return np.array(items, dtype=LOAD)
