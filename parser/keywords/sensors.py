"""/SENSOR: switches by time, by values of the motion, and by other sensors."""

from __future__ import annotations

import math

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Card, Field, Keyword, Stage, Values, blank_or_real, card, direction, integer, real
from ..model import LogicSensor, Sensor, ValueSensor
from ..text.units import FORCE, LENGTH, MOMENT, NUMBER, RATE, TIME, VELOCITY, Dimension
from .common_checks import must_be_zero

# Variables of joints and what they are measured in.
_GEAR: dict[str, Dimension] = {
    **{f"ANG{k}": NUMBER for k in (1, 2, 3)},
    **{f"VEL{k}": RATE for k in (1, 2, 3)},
    **{f"T{k}": MOMENT for k in (1, 2, 3)},
    "U2": LENGTH,
    "V2": VELOCITY,
    "F2": FORCE,
}
_JOINT: dict[str, Dimension] = {
    "ANG": NUMBER, "RATE": RATE, "ANG2": NUMBER, "RATE2": RATE, "U": LENGTH, "V": VELOCITY,
}  # fmt: skip
_DRIVE: dict[str, Dimension] = {"ANG": NUMBER, "RATE": RATE, "T": MOMENT, "U": LENGTH, "V": VELOCITY, "F": FORCE}
VARIABLES = {"GJOINT": _GEAR, "JOINT": _JOINT, "DRIVE": _DRIVE}

_ENERGY: Dimension = MOMENT  # mass length^2 / time^2, as well
_FORCES = {"X": "X", "Y": "Y", "Z": "Z", "FN": "FN", "NF": "FN", "FT": "FT", "TF": "FT"}
_ON_FOR_GOOD = "Once on it stays on."
_LIMITS = (
    "It is on once the value has been below {low} or above {high} for Tmin without a break, Tdelay later. A blank "
    "limit is none{zero}. "
)


# ---- building ------------------------------------------------------------------------------------------------


def build_time(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/TIME."""
    assert block.id is not None
    delay, stop = values["Tdelay"], values.get("Tstop", math.inf)
    context.model.sensors[block.id] = Sensor(block.id, block.title, block, delay, stop)


def _add(
    block: Block, values: Values, context: Context, limits: tuple[float, float], *, object_id: int = 0,
    nodes: tuple[int, ...] = (), variable: str = "", switches_off: bool,
) -> None:  # fmt: skip
    assert block.id is not None
    context.model.sensors[block.id] = ValueSensor(
        block.id, block.title, block, block.declaration.name.split("/")[1],  # type: ignore[arg-type]
        object_id, nodes, variable, *limits, values.get("Tmin", 0.0), values["Tdelay"], switches_off,
    )  # fmt: skip


def build_distance(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/DIST."""
    nodes = values["node_ID1"], values["node_ID2"]
    _add(block, values, context, (values["Dmin"], values["Dmax"]), nodes=nodes, switches_off=values["Dflag"] == 1)


def build_speed(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/VEL."""
    _add(block, values, context, (-math.inf, values["Vmax"]), nodes=(values["node_ID"],), switches_off=False)


def build_force(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/INTER and /SENSOR/RWALL; without a direction anything that touches switches."""
    id_field = _id_field(block).name
    variable = _FORCES.get(values["DIR"], "")
    limits = (values["Fmin"], values["Fmax"]) if variable else (-math.inf, 0.0)
    _add(block, values, context, limits, object_id=values[id_field], variable=variable, switches_off=True)


def build_energy(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/ENERGY."""
    variable = "KE" if _is_limited(values["KEmin"], values["KEmax"]) else "IE"
    limits = values[f"{variable}min"], values[f"{variable}max"]
    _add(block, values, context, limits, variable=variable, switches_off=False)


def build_coordinate(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/GJOINT, /SENSOR/JOINT and /SENSOR/DRIVE."""
    quantity, variable = block.declaration.name.split("/")[1], values["Var"]
    factor = context.unit_factor(block, VARIABLES[quantity][variable])
    limits = values["Vmin"] * factor, values["Vmax"] * factor
    object_id, off = values[_id_field(block).name], values["Dflag"] == 1
    _add(block, values, context, limits, object_id=object_id, variable=variable, switches_off=off)


def build_logic(block: Block, values: Values, context: Context) -> None:
    """/SENSOR/AND, OR, NOT, SENS."""
    assert block.id is not None
    kind = block.declaration.name.split("/")[1]
    inputs = tuple(id for id in (values["sens_ID1"], values.get("sens_ID2", 0)) if id)
    context.model.sensors[block.id] = LogicSensor(
        block.id, block.title, block, kind, inputs, values["Tdelay"]  # type: ignore[arg-type]
    )  # fmt: skip


def _id_field(block: Block) -> Field:
    """The field that names the object a sensor looks at."""
    return block.declaration.cards[1].fields[0]


# ---- checks --------------------------------------------------------------------------------------------------


def _check_times(block: Block, values: Values, context: Context) -> bool:
    """Whether a sensor switches off after it switched on."""
    delay, stop = values["Tdelay"], values.get("Tstop", math.inf)
    if stop > delay:
        return True
    message = "Tstop must be later than Tdelay"
    context.report(block.diagnose("error", message, field="Tstop", allowed=f"more than {delay:g}"))
    return False


def _is_limited(lower: float, upper: float) -> bool:
    return lower > -math.inf or upper < math.inf


def _check_limits(block: Block, values: Values, context: Context, low: str, high: str) -> bool:
    """Whether a sensor has a limit, and the lower one is below the upper one."""
    lower, upper = values[low], values[high]
    if not _is_limited(lower, upper):
        message = "the sensor has no limit, so nothing switches it"
        context.report(block.diagnose("error", message, field=low, allowed=f"{low}, {high} or both"))
        return False
    if lower <= upper:
        return True
    message = f"{low} is greater than {high}, so the sensor would always be on"
    context.report(block.diagnose("error", message, field=low, allowed=f"{upper:g} or less"))
    return False


def _check_distance(block: Block, values: Values, context: Context) -> bool:
    if values["node_ID1"] == values["node_ID2"]:
        message = "the two nodes are one, whose distance from itself is always 0"
        context.report(block.diagnose("error", message, field="node_ID2", allowed="another node than node_ID1"))
        return False
    return _check_limits(block, values, context, "Dmin", "Dmax")


def _check_coordinate(block: Block, values: Values, context: Context) -> bool:
    return _check_limits(block, values, context, "Vmin", "Vmax")


def _check_force(block: Block, values: Values, context: Context) -> bool:
    if values["DIR"] in _FORCES:
        return _check_limits(block, values, context, "Fmin", "Fmax")
    if {values["Fmin"], values["Fmax"]} <= {-math.inf, 0.0, math.inf}:  # 0 is what preprocessors write
        return True
    message = "limits of a force need its direction"
    allowed = "X, Y, Z, FN (size of the normal force) or FT (of friction)"
    context.report(block.diagnose("error", message, field="DIR", allowed=allowed))
    return False


def _check_energy(block: Block, values: Values, context: Context) -> bool:
    """Limits of one energy, of the whole machine."""
    for field in ("part_ID", "subset_ID"):
        if values[field]:
            message = "the energy of a part by itself is not known: sensors see that of the whole machine"
            context.report(block.diagnose("error", message, field=field, allowed="0"))
            return False
    kinetic, internal = (_is_limited(values[f"{name}min"], values[f"{name}max"]) for name in ("KE", "IE"))
    if kinetic and internal:
        message = "a sensor has limits of one energy only"
        hint = "make two of it, and join them by /SENSOR/OR"
        context.report(block.diagnose("error", message, field="IEmin", hint=hint))
        return False
    name = "IE" if internal else "KE"
    return _check_limits(block, values, context, f"{name}min", f"{name}max")


# ---- cards ---------------------------------------------------------------------------------------------------

_DELAY = card(real("Tdelay", 1, "how much later the sensor is on", TIME, minimum=0.0))
_LEAST = real("Tmin", 61, "how long the value must be outside its limits", TIME, minimum=0.0)
_FLAG = integer("Dflag", 81, "1: off again once the value is within its limits, 0: stays on", choices=(0, 1))
_DIRECTIONS = (*_FORCES, "ANY")
_FILTER = must_be_zero("Fcut", "filtering what a sensor sees is not supported")
_OF_ONE_STEP = (
    "The value is that of the state at the begin of a step; what the sensor switches acts from the next step on."
)


def _lower(name: str, first: int, meaning: str, dimension: Dimension = NUMBER) -> Field:
    return blank_or_real(name, first, meaning, dimension, default=-math.inf)


def _upper(name: str, first: int, meaning: str, dimension: Dimension = NUMBER) -> Field:
    return blank_or_real(name, first, meaning, dimension, default=math.inf)


def _value_keyword(names: tuple[str, ...], meaning: str, build: object, *cards: Card, notes: str, check: object = None,
                   no_filter: bool = False) -> Keyword:  # fmt: skip
    checks = ((check,) if check is not None else ()) + ((_FILTER,) if no_filter else ())
    return Keyword(
        tuple(f"SENSOR/{name}" for name in names), meaning, build, Stage.DEFINITIONS,  # type: ignore[arg-type]
        cards=(_DELAY, *cards), identity="sensor", checks=checks, notes=f"{notes} {_OF_ONE_STEP}",  # type: ignore[arg-type]
    )  # fmt: skip


def _force_keyword(names: tuple[str, ...], what: str, id_name: str, reference: str, *more: Field) -> Keyword:
    return _value_keyword(
        names,
        f"switch by the force on {what}",
        build_force,
        card(
            integer(id_name, 1, what, reference=reference, required=True),
            direction("DIR", 11, "which force: X, Y, Z, FN (size of the normal force), FT (of friction)", _DIRECTIONS,
                      default="ANY"),
            _lower("Fmin", 21, "on below this force", FORCE),
            _upper("Fmax", 41, "on above this force", FORCE),
            _LEAST,
            *more,
        ),
        notes=_LIMITS.format(low="Fmin", high="Fmax", zero="") + "Without DIR, or with ANY, it is on while anything "
        "touches. It is off again once the force was within its limits for Tmin + Tdelay.",
        check=_check_force,
        no_filter=bool(more),
    )  # fmt: skip


def _coordinate_keyword(quantity: str, what: str) -> Keyword:
    return _value_keyword(
        (quantity,),
        f"switch by a coordinate, a rate or an effort of {what}",
        build_coordinate,
        card(
            integer(f"{quantity.lower()}_ID", 1, what, reference=quantity, required=True),
            direction("Var", 11, "which value, as in the results", tuple(VARIABLES[quantity]), required=True),
            _lower("Vmin", 21, "on below this value, in the unit of Var"),
            _upper("Vmax", 41, "on above this value, in the unit of Var"),
            _LEAST,
            _FLAG,
        ),
        notes="A keyword of gsolve. "
        + _LIMITS.format(low="Vmin", high="Vmax", zero="")
        + "With Dflag = 1 it is off again once the "
        "value was within them for Tmin + Tdelay. Angles count turns, in radians.",
        check=_check_coordinate,
    )


def _logic_keyword(names: tuple[str, ...], meaning: str, notes: str, *ids: Field) -> Keyword:
    return Keyword(
        tuple(f"SENSOR/{name}" for name in names),
        meaning,
        build_logic,
        Stage.DEFINITIONS,
        cards=(_DELAY, card(*ids)),
        identity="sensor",
        notes=notes,
    )


_FIRST = integer("sens_ID1", 1, "first sensor", reference="sensor", required=True)
_SECOND = integer("sens_ID2", 11, "second sensor", reference="sensor", required=True)

KEYWORDS = [
    Keyword(
        ("SENSOR/TIME", "SENSOR/TYPE0"),
        "switch that is on from a time on",
        build_time,
        Stage.DEFINITIONS,
        cards=(
            card(real("Tdelay", 1, "time from which the sensor is active", TIME)),
            card(real("Tstop", 1, "time until which it is active", TIME, default=math.inf), optional=True, since=2023),
        ),
        identity="sensor",
        checks=(_check_times,),
    ),
    _value_keyword(
        ("DIST", "TYPE2"),
        "switch by the distance of two nodes",
        build_distance,
        card(
            integer("node_ID1", 1, "first node", reference="node", required=True),
            integer("node_ID2", 11, "second node", reference="node", required=True),
            real("Dmin", 21, "on below this distance", LENGTH, default=-math.inf),
            real("Dmax", 41, "on above this distance", LENGTH, default=math.inf),
            _LEAST,
            _FLAG,
        ),
        notes=_LIMITS.format(low="Dmin", high="Dmax", zero=", and so is 0")
        + "With Dflag = 1 it is off again once the distance was within "
        "them for Tmin + Tdelay.",
        check=_check_distance,
    ),
    _value_keyword(
        ("VEL", "TYPE9"),
        "switch by the speed of a node",
        build_speed,
        card(
            integer("node_ID", 1, "node", reference="node", required=True),
            real("Vmax", 11, "on above this speed", VELOCITY, required=True, minimum=0.0),
            real("Fcut", 31, "cut-off frequency of a filter (not supported)"),
        ),
        notes=f"It is on once the node was faster than Vmax, Tdelay later. {_ON_FOR_GOOD}",
        no_filter=True,
    ),
    _value_keyword(
        ("ENERGY", "TYPE14"),
        "switch by an energy of the whole machine",
        build_energy,
        card(
            integer("part_ID", 1, "part (not supported)"),
            integer("subset_ID", 11, "subset (not supported)"),
            integer("Iselect", 21, "not used: the energy is that of the whole machine", choices=(0, 1, 2)),
        ),
        card(
            real("IEmin", 1, "on below this energy of springs and contacts", _ENERGY, default=-math.inf),
            real("IEmax", 21, "on above it", _ENERGY, default=math.inf),
            real("KEmin", 41, "on below this kinetic energy", _ENERGY, default=-math.inf),
            real("KEmax", 61, "on above it", _ENERGY, default=math.inf),
            real("Tmin", 81, "how long the energy must be outside its limits", TIME, minimum=0.0),
        ),
        notes=_LIMITS.format(low="the lower limit", high="the upper one", zero=", and so is 0")
        + f"{_ON_FOR_GOOD} All bodies of the deck "
        "become one subsystem.",
        check=_check_energy,
    ),
    _force_keyword(("RWALL", "RWAL", "TYPE7"), "a rigid wall", "rwall_ID", "RWALL"),
    _force_keyword(
        ("INTER", "TYPE6"), "the first side of a contact interface", "int_ID", "INTER",
        real("Fcut", 81, "cut-off frequency of a filter (not supported)"),
    ),
    _coordinate_keyword("GJOINT", "a gear joint"),
    _coordinate_keyword("JOINT", "a joint"),
    _coordinate_keyword("DRIVE", "a drive"),
    _logic_keyword(("AND", "TYPE4"), "on while two sensors are", "", _FIRST, _SECOND),
    _logic_keyword(("OR", "TYPE5"), "on while one of two sensors is", "", _FIRST, _SECOND),
    _logic_keyword(("NOT", "TYPE8"), "on while a sensor is off", "", _FIRST),
    _logic_keyword(
        ("SENS", "TYPE3"),
        "on from one sensor to another",
        "On from when sens_ID1 is on, for Tdelay at least, and until sens_ID2 is on; without sens_ID2 for Tdelay. It "
        "is on once.",
        _FIRST,
        integer("sens_ID2", 11, "sensor that ends it", reference="sensor"),
    ),
]  # fmt: skip
