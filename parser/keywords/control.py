"""/BEGIN, /UNIT and /TITLE."""

from __future__ import annotations

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Field, Keyword, Stage, card, integer, text
from ..cards.reader import read_block
from ..model import Units
from ..text.numbers import parse_integer
from ..text.units import Unit, UnitError, UnitSystem, parse_unit

_QUANTITIES = ("mass", "length", "time")
_OLD_VERSION = 100
_OLDEST_VERSION = 44
_PRESENT_VERSION = 2022


def _unit_fields(prefix: str, meaning: str) -> tuple[Field, ...]:
    return tuple(
        text(f"{prefix}{quantity}", 1 + 20 * k, 20 + 20 * k, f"{meaning} of {quantity}")
        for k, quantity in enumerate(_QUANTITIES)
    )


BEGIN = Keyword(
    ("BEGIN",),
    "first keyword: run title, version of the card layouts, units",
    None,
    Stage.CONTROL,
    cards=(
        card(
            integer("INVERS", 1, "version whose card layouts the deck uses, such as 2022", required=True),
            integer("IRUN", 11, "no effect"),
        ),
        card(_unit_fields("input_", "unit in which the deck is written,"), since=_OLD_VERSION),
        card(_unit_fields("work_", "unit of the computation,"), since=_OLD_VERSION, optional=True),
    ),
    header="none",
)
UNIT = Keyword(
    ("UNIT",),
    "a unit system that single blocks may use",
    None,
    Stage.CONTROL,
    cards=(
        card(
            text("MUNIT", 1, 20, "unit of mass"),
            text("LUNIT", 21, 40, "unit of length"),
            text("TUNIT", 41, 60, "unit of time"),
        ),
    ),
    identity="unit",
    notes="Put its id after the id of a block, /GJOINT/GEAR/5/2: the numbers of the block are in these units.",
)
TITLE = Keyword(("TITLE",), "title of the run", None, Stage.CONTROL, header="none")
END = Keyword(("END",), "end of the deck", None, Stage.CONTROL, titled=False, header="none")
KEYWORDS = [BEGIN, UNIT, TITLE, END]


def read_begin(context: Context, block: Block) -> None:
    """Version and unit systems of the deck."""
    context.model.title = block.title
    context.layouts.version = _version(block)
    values = read_block(context, block)
    if values is None:
        return
    if values["INVERS"] < _OLDEST_VERSION:
        allowed = f"{_OLDEST_VERSION} or more, such as 2022"
        context.report(block.diagnose("error", "INVERS is not a version", field="INVERS", allowed=allowed))
    if context.layouts.version < _OLD_VERSION:
        return
    units: dict[str, Unit | None] = {}
    for quantity in _QUANTITIES:
        names = (f"input_{quantity}", f"work_{quantity}")
        given = [values.get(name, "") for name in names]
        if not any(given):
            message = f"the unit of {quantity} is missing"
            context.report(block.diagnose("error", message, field=names[0], allowed="for example kg, m and s"))
        for name, own, other in zip(names, given, given[::-1], strict=True):
            if other and not own and any(values.get(f"{name.split('_')[0]}_{each}") for each in _QUANTITIES):
                message = f"the unit of {quantity} is missing here: that of the other line is taken, {other}"
                context.report(block.diagnose("doubt", message, field=name))
            units[name] = _unit(context, block, name if own else names[1 - names.index(name)], own or other, quantity)
    if None in units.values():
        return
    context.input_units, context.work_units = (
        UnitSystem(*(units[f"{side}_{quantity}"] for quantity in _QUANTITIES)) for side in ("input", "work")
    )
    context.model.units = _units_of_model(context.work_units)


def _units_of_model(system: UnitSystem) -> Units:
    """As the model has them. Requires all three."""
    mass, length, time = system.mass, system.length, system.time
    assert mass and length and time
    return Units(mass.name, length.name, time.name, mass.size, length.size, time.size)


def _version(block: Block) -> int:
    """INVERS, before the layouts that depend on it are known; the present one if it is no version."""
    data = block.data_lines()
    word = data[0][1].split(",")[0][:10].strip() if data else ""
    number = parse_integer(word)
    return number if number is not None and number >= _OLDEST_VERSION else _PRESENT_VERSION


def _unit(context: Context, block: Block, field: str, word: str, quantity: str) -> Unit | None:
    if not word:
        return None
    try:
        unit = parse_unit(word, quantity)
    except UnitError as error:
        _complain(context, block, field, error)
        return None
    if unit is None:
        _complain(context, block, field, UnitError(f"the unit of {quantity} cannot be 0", "a unit such as kg, m, s"))
    return unit


def _complain(context: Context, block: Block, field: str, error: UnitError) -> None:
    context.report(block.diagnose("error", str(error), field=field, allowed=error.allowed, hint=error.hint))


def read_units(context: Context, blocks: list[Block]) -> None:
    """/UNIT blocks; the old form /UNIT/LENGTH/value gives the units of the whole deck."""
    old: dict[str, Unit | None] = {}
    for block in blocks:
        if block.options and block.options[0] in ("MASS", "LENGTH", "TIME"):
            _read_old_unit(context, block, old)
            continue
        if not context.define("unit", block):
            continue
        values = read_block(context, block)
        if values is None:
            continue
        assert block.id is not None
        system: list[Unit | None] = []
        for quantity, field in zip(_QUANTITIES, ("MUNIT", "LUNIT", "TUNIT"), strict=True):
            try:
                system.append(parse_unit(values[field], quantity) if values[field] else None)
            except UnitError as error:
                _complain(context, block, field, error)
        context.unit_systems[block.id] = UnitSystem(*system) if len(system) == len(_QUANTITIES) else None
    if old:
        units = context.input_units
        context.input_units = UnitSystem(
            old.get("MASS") or units.mass, old.get("LENGTH") or units.length, old.get("TIME") or units.time
        )
        context.work_units = context.input_units
        context.model.units = _units_of_model(context.work_units)


def _read_old_unit(context: Context, block: Block, old: dict[str, Unit | None]) -> None:
    quantity = block.options[0]
    word = block.options[1] if len(block.options) > 1 else ""
    try:
        old[quantity] = parse_unit(word, quantity.lower())
    except UnitError as error:
        context.report(block.diagnose("error", str(error), found=word, allowed=error.allowed, hint=error.hint))
