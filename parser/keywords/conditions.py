"""/BCS, /IMPDISP, /IMPVEL, /IMPACC, /INIVEL, /GRAV and /CLOAD."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Field, Keyword, Stage, Values, card, digits, direction, integer, real, vector
from ..model import (
    BoundaryCondition,
    ConcentratedLoad,
    Direction,
    Floats,
    Gravity,
    ImposedMotion,
    InitialVelocity,
)
from ..text.units import (
    ACCELERATION,
    ANGULAR_ACCELERATION,
    FORCE,
    LENGTH,
    MOMENT,
    NUMBER,
    RATE,
    TIME,
    VELOCITY,
    Dimension,
)
from .axes import global_components
from .common_checks import check_times, must_be_zero

_AXES = ("X", "Y", "Z")
_ALL_AXES = ("X", "Y", "Z", "XX", "YY", "ZZ")
_ANGULAR: dict[str, Dimension] = {"DISP": NUMBER, "VEL": RATE, "ACC": ANGULAR_ACCELERATION}
_LINEAR: dict[str, Dimension] = {"DISP": LENGTH, "VEL": VELOCITY, "ACC": ACCELERATION}


def _direction(name: str) -> tuple[Direction, bool]:
    """Axis 0 to 2, and whether it is a rotation."""
    return _AXES.index(name[0]), len(name) == 2  # type: ignore[return-value]


def _common_fields(block: Block, values: Values) -> dict[str, Any]:
    """What every function of time that acts on nodes along a direction has, by the names of the model."""
    return {
        "id": block.id,
        "title": block.title,
        "where": block,
        "function_id": values["fct_ID"],
        "direction": _direction(values["Dir"])[0],
        "skew_id": values["skew_ID"],
        "sensor_id": values["sens_ID"],
        "nodes": values["grnod_ID"],
        "x_scale": values["Ascale_x"],
        "y_scale": values["Fscale_y"],
    }


def build_boundary_condition(block: Block, values: Values, context: Context) -> None:
    """/BCS and /BCS/LAGMUL: fixed directions."""
    if not any(values["Tra"] + values["Rot"]):
        context.report(block.diagnose("doubt", "no direction is marked, so nothing is fixed", field="Tra"))
        return
    assert block.id is not None
    context.model.boundary_conditions.append(
        BoundaryCondition(
            block.id, block.title, block, values["Tra"], values["Rot"], values["skew_ID"], values["grnod_ID"]
        )
    )


def build_imposed_motion(block: Block, values: Values, context: Context) -> None:
    """/IMPDISP, /IMPVEL and /IMPACC."""
    kind: Literal["DISP", "VEL", "ACC"] = block.declaration.name[3:]  # type: ignore[assignment]
    rotational = _direction(values["Dir"])[1]
    values["Fscale_y"] *= context.unit_factor(block, (_ANGULAR if rotational else _LINEAR)[kind])
    context.model.imposed_motions.append(
        ImposedMotion(
            **_common_fields(block, values),
            kind=kind,
            rotational=rotational,
            t_start=values["Tstart"],
            t_stop=values["Tstop"],
        )
    )


def build_gravity(block: Block, values: Values, context: Context) -> None:
    """/GRAV; without a group it acts on all nodes."""
    if values["grnod_ID"] is None:
        values["grnod_ID"] = np.arange(len(context.model.nodes), dtype=np.int64)
    context.model.gravities.append(Gravity(**_common_fields(block, values)))


def _check_load(block: Block, values: Values, context: Context) -> bool:
    """Whether a load depends on time only."""
    if values.get("Itypfun", 1) == 1:
        return True
    message = "loads that depend on displacement or velocity are not supported"
    context.report(block.diagnose("error", message, field="Itypfun", allowed="0 or 1 (function of time)"))
    return False


def build_load(block: Block, values: Values, context: Context) -> None:
    """/CLOAD: forces and moments on nodes."""
    rotational = _direction(values["Dir"])[1]
    values["Fscale_y"] *= context.unit_factor(block, MOMENT if rotational else FORCE)
    context.model.loads.append(ConcentratedLoad(**_common_fields(block, values), rotational=rotational))


def build_initial_velocity(block: Block, values: Values, context: Context) -> None:
    """/INIVEL/TRA, ROT and T+G: one vector for all nodes of a group."""
    kind: Literal["TRA", "ROT", "T+G"] = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    nodes = values["grnod_ID"]
    velocity = global_components(context, values["skew_ID"], np.array([values["Vx"], values["Vy"], values["Vz"]]))
    spread = np.tile(velocity, (len(nodes), 1))
    _add_velocity(block, context, kind, nodes, None if kind == "ROT" else spread, spread if kind == "ROT" else None)


def build_axis_velocity(block: Block, values: Values, context: Context) -> None:
    """/INIVEL/AXIS: rigid rotation about an axis of a frame through its origin, v = V + Vr e x (x - O)."""
    nodes = values["grnod_ID"]
    origin, axes = context.unresolved.frames.get(values["frame_ID"], (np.zeros(3), np.eye(3)))
    translation = np.array([values["Vx"], values["Vy"], values["Vz"]]) @ axes
    spin = values["Vr"] * axes[_direction(values["Dir"])[0]]
    arms = context.model.nodes.coordinates[nodes] - origin
    _add_velocity(block, context, "AXIS", nodes, translation + np.cross(spin, arms), np.tile(spin, (len(nodes), 1)))


def build_node_velocity(block: Block, values: Values, context: Context) -> None:
    """/INIVEL/NODE: translational and rotational velocity node by node."""
    records = values["records"]
    columns = records.columns
    translational = np.stack([columns[name] for name in ("Vx", "Vy", "Vz")], axis=1)
    rotational = np.stack([columns[name] for name in ("Wx", "Wy", "Wz")], axis=1)
    for row, skew_id in enumerate(columns["skew_ID"].tolist()):
        if skew_id and skew_id not in context.defined["skew"]:
            context.report_record(
                block,
                records,
                row,
                NODE_CARD.fields[1],
                f"skew {skew_id} does not exist",
                hint=context.nearest("skew", skew_id),
            )
            return
        translational[row] = global_components(context, skew_id, translational[row])
        rotational[row] = global_components(context, skew_id, rotational[row])
    _add_velocity(block, context, "NODE", columns["node_ID"], translational, rotational)


def _add_velocity(
    block: Block,
    context: Context,
    kind: Literal["TRA", "ROT", "T+G", "AXIS", "NODE"],
    nodes: Any,
    translational: Floats | None,
    rotational: Floats | None,
) -> None:
    assert block.id is not None
    context.model.initial_velocities.append(
        InitialVelocity(block.id, block.title, block, kind, nodes, translational, rotational)
    )


_AT_THE_START = (
    must_be_zero("tstart", "initial velocities that set in later are not supported"),
    must_be_zero("sens_ID", "initial velocities that set in later are not supported"),
)
_GROUP = "group of nodes"
_START = card(
    real("tstart", 1, "start time (not supported)", TIME), integer("sens_ID", 21, "sensor (not supported)"),
    optional=True, since=2025,
)  # fmt: skip
_FIXED = card(
    digits("Tra", 4, "fixed translations"),
    digits("Rot", 8, "fixed rotations"),
    integer("skew_ID", 11, "axes", reference="skew"),
    integer("grnod_ID", 21, _GROUP, reference="group", required=True),
)
NODE_CARD = card(
    integer("node_ID", 1, "node", reference="node", required=True),
    integer("skew_ID", 11, "axes"),
    vector(("Vx", "Vy", "Vz"), 21, "velocity", VELOCITY),
)


def _load_fields(axes: tuple[str, ...], function_needed: bool) -> tuple[Field, ...]:
    return (
        integer("fct_ID", 1, "function of time", reference="function", required=function_needed),
        direction("Dir", 11, "direction", axes, required=True),
        integer("skew_ID", 21, "axes", reference="skew"),
        integer("sens_ID", 31, "sensor", reference="sensor"),
    )


def _imposed_keyword(kind: str, meaning: str) -> Keyword:
    extra: tuple[Field, ...] = ()
    if kind != "ACC":
        extra = (
            integer("frame_ID", 51, "moving frame (not supported)"),
            integer("Icoor", 61, "1 = cylindrical (not supported)", since=120),
        )
    return Keyword(
        (f"IMP{kind}",),
        meaning,
        build_imposed_motion,
        Stage.OBJECTS,
        cards=(
            card(
                _load_fields(_ALL_AXES, True),
                integer("grnod_ID", 41, _GROUP, reference="group", required=True),
                extra,
            ),
            card(
                real("Ascale_x", 1, "scale of the abscissa", TIME, default=1.0, minimum=0.0),
                real("Fscale_y", 21, "scale of the ordinate, in units of the motion", default=1.0),
                real("Tstart", 41, "start time", TIME),
                real("Tstop", 61, "stop time", TIME, default=math.inf),
                optional=True,
            ),
        ),
        identity=f"IMP{kind}",
        checks=(
            must_be_zero("frame_ID", "motion imposed in a moving frame is not supported; a moving skew is"),
            must_be_zero("Icoor", "motion imposed in cylindrical coordinates is not supported"),
            check_times,
        ),
        notes="The value is Fscale_y f(t / Ascale_x) from Tstart to Tstop.",
    )


def _initial_keyword(kind: str, meaning: str, unit: Dimension) -> Keyword:
    return Keyword(
        (f"INIVEL/{kind}",),
        meaning,
        build_initial_velocity,
        Stage.OBJECTS,
        cards=(
            card(
                vector(("Vx", "Vy", "Vz"), 1, "velocity", unit),
                integer("grnod_ID", 61, _GROUP, reference="group", required=True),
                integer("skew_ID", 71, "axes", reference="skew"),
            ),
            _START,
        ),
        identity=f"INIVEL/{kind}",
        checks=_AT_THE_START,
    )


KEYWORDS = [
    Keyword(
        ("BCS",), "fixed directions of nodes", build_boundary_condition, Stage.OBJECTS, cards=(_FIXED,), identity="BCS"
    ),
    Keyword(
        ("BCS/LAGMUL",),
        "fixed directions of nodes (the same as /BCS)",
        build_boundary_condition,
        Stage.OBJECTS,
        cards=(_FIXED,),
        identity="BCS/LAGMUL",
    ),
    _imposed_keyword("DISP", "imposed displacement from the initial position, or angle"),
    _imposed_keyword("VEL", "imposed velocity or angular velocity"),
    _imposed_keyword("ACC", "imposed acceleration or angular acceleration"),
    _initial_keyword("TRA", "initial velocity", VELOCITY),
    _initial_keyword("ROT", "initial angular velocity", RATE),
    _initial_keyword("T+G", "initial velocity (and of the grid, which does not matter here)", VELOCITY),
    Keyword(
        ("INIVEL/AXIS",),
        "initial rigid motion about an axis",
        build_axis_velocity,
        Stage.OBJECTS,
        cards=(
            card(
                direction("Dir", 1, "axis of the frame", _AXES, required=True),
                integer("frame_ID", 11, "frame; 0 = global", reference="frame"),
                integer("grnod_ID", 21, _GROUP, reference="group", required=True),
            ),
            card(
                vector(("Vx", "Vy", "Vz"), 1, "velocity of the origin, in the frame", VELOCITY),
                real("Vr", 61, "angular velocity about the axis", RATE),
            ),
            _START,
        ),
        identity="INIVEL/AXIS",
        checks=_AT_THE_START,
        notes="v = V + Vr e x (x - O); the nodes also turn with Vr e.",
    ),
    Keyword(
        ("INIVEL/NODE",),
        "initial velocities node by node, two lines each",
        build_node_velocity,
        Stage.OBJECTS,
        records=(NODE_CARD, card(vector(("Wx", "Wy", "Wz"), 21, "angular velocity", RATE))),
        listing="records",
        identity="INIVEL/NODE",
    ),
    Keyword(
        ("GRAV",),
        "gravity along one direction",
        build_gravity,
        Stage.OBJECTS,
        cards=(
            card(
                _load_fields(_AXES, False),
                integer("grnod_ID", 41, "group of nodes; 0 = all nodes", reference="group"),
                real("Ascale_x", 61, "scale of the abscissa", TIME, default=1.0, minimum=0.0),
                real("Fscale_y", 81, "acceleration along Dir", ACCELERATION, default=1.0),
            ),
        ),
        identity="GRAV",
        notes="The acceleration is Fscale_y f(t / Ascale_x); without a function it is Fscale_y.",
    ),
    Keyword(
        ("CLOAD",),
        "force or moment on each node of a group",
        build_load,
        Stage.OBJECTS,
        cards=(
            card(
                _load_fields(_ALL_AXES, True),
                integer("grnod_ID", 41, _GROUP, reference="group", required=True),
                integer("Itypfun", 51, "1 = function of time", default=1, choices=(1, 2, 3), since=2023),
                real("Ascale_x", 61, "scale of the abscissa", TIME, default=1.0, minimum=0.0),
                real("Fscale_y", 81, "scale of the ordinate, in units of force or moment", default=1.0),
            ),
        ),
        identity="CLOAD",
        checks=(_check_load,),
        notes="The load is Fscale_y f(t / Ascale_x). In a moving skew it follows the skew.",
    ),
]
