"""Engine keywords: run control, in the freer syntax of the engine file (values separated by blanks or commas)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..cards.block import Block
from ..cards.context import Context
from ..cards.headers import values_below
from ..cards.layout import Keyword, Stage
from ..text.diagnostics import Diagnostic, Severity
from ..text.expressions import ExpressionError, is_calculation
from ..text.numbers import parse_integer, parse_real

Item = tuple[int, int, str]
_ITEM = re.compile(r"[^\s,]+")
_VALUES_BELOW = ("/TFILE", "/DT", "/DTIX", "/STOP")  # what may be taken for values in a header is nothing else


@dataclass(frozen=True, slots=True)
class EngineValue:
    """One value of an engine data line."""

    name: str
    meaning: str
    required: bool = False
    above: float | None = None
    minimum: float | None = None


@dataclass(frozen=True, slots=True)
class EngineKeyword:
    """One engine keyword: the values of its data line, in order, and what they set; of a list `apply` reads them."""

    name: str
    meaning: str
    values: tuple[EngineValue, ...]
    apply: Callable[[Block, list[float | None], Context], None]
    is_list: bool = False


def _read_values(block: Block, context: Context, keyword: EngineKeyword) -> list[float | None] | None:
    """The values of an engine block, None where one is left out; None in place of the list after an error."""
    items: list[Item] = []
    for offset, line in block.data_lines():
        items.extend((offset, match.start(), match[0]) for match in _ITEM.finditer(line))
    values: list[float | None] = []
    for k, declared in enumerate(keyword.values):
        if k >= len(items):
            if declared.required:
                message = f"{declared.name} is missing"
                allowed = f"the {declared.meaning}, on the line after {block.keyword}"
                context.report(block.diagnose("error", message, field=declared.name, allowed=allowed))
                return None
            values.append(None)
            continue
        value = _convert(block, context, declared, items[k])
        if value is None:
            return None
        values.append(value)
    if len(items) > len(keyword.values):
        extra = items[len(keyword.values)]
        context.report(_at(block, "doubt", "text that is not read", extra, ""))
    return values


def _convert(block: Block, context: Context, declared: EngineValue, item: Item) -> float | None:
    value = parse_real(item[2])
    message, allowed, hint = "", "a number", ""
    if value is None and is_calculation(item[2]):
        try:
            value = context.calculate(item[2])
        except ExpressionError as error:
            message, allowed = f"{declared.name}: {error.message}", "a number, or an expression such as 2/30"
            unknown = "unknown name" in message and "did you mean" not in message
            hint = context.suggest_parameter("") if unknown else ""
        else:
            if value is None:
                return None
    if value is None and not message:
        message = f"{declared.name} is not a number"
    elif value is not None:
        message, allowed = _fault_of(declared, value)
    if message:
        context.report(_at(block, "error", message, item, declared.name, allowed=allowed, hint=hint))
        return None
    return value


def _fault_of(declared: EngineValue, value: float) -> tuple[str, str]:
    """What is wrong with a number, and what is allowed; both empty if nothing is."""
    if value - value != 0.0:
        return f"{declared.name} is not a number", "a number"
    if declared.above is not None and value <= declared.above:
        return f"{declared.name} must be greater than {declared.above:g}", f"more than {declared.above:g}"
    if declared.minimum is not None and value < declared.minimum:
        return f"{declared.name} must not be negative", f"{declared.minimum:g} or more"
    return "", ""


def _at(
    block: Block, severity: Severity, message: str, item: Item, field: str, *, allowed: str = "", hint: str = ""
) -> Diagnostic:
    """A message about one value of an engine data line."""
    offset, column, text = item
    return block.diagnose_line(
        severity,
        message,
        block.body_line + offset,
        block.lines()[offset],
        field=field,
        found=text,
        allowed=allowed,
        hint=hint,
        column=column + 1,
        ruler=" " * column + "^" * len(text),
    )


def _apply_run(block: Block, values: list[float | None], context: Context) -> None:
    engine = context.model.engine
    engine.t_end = values[0]
    engine.where_run = block
    if len(block.options) > 1:
        number = parse_integer(block.options[1])
        if number is None:
            message = "the run number is not a whole number"
            context.report(block.diagnose("error", message, found=block.options[1], allowed="/RUN/name/1"))
        elif number != 1:
            message = f"run number {number} continues an earlier run; a run goes on from its result file"
            hint = "gsolve resume NAME.h5 --t-end T"
            context.report(block.diagnose("error", message, found=block.options[1], allowed="1", hint=hint))
        else:
            engine.run_number = number


def _apply_sampling(block: Block, values: list[float | None], context: Context) -> None:
    if block.options:
        message = f"type {block.options[0]} of /TFILE, a format of Radioss, is not used: histories go to an HDF5 file"
        hint = "write /TFILE; the file NAMET01 of Radioss, and what reads it, is not there"
        context.report(block.diagnose("warning", message, hint=hint))
    context.model.engine.sampling_interval = values[0]


def _apply_step(block: Block, values: list[float | None], context: Context) -> None:
    context.model.engine.dt_scale, context.model.engine.dt_min = values


def _apply_step_limits(block: Block, values: list[float | None], context: Context) -> None:
    initial, largest = (value or None for value in values)
    if initial is not None and largest is not None and initial > largest:
        offset, line = block.data_lines()[0]
        message, found = "dt_ini is greater than dt_max", f"{initial:g} and {largest:g}"
        context.report(block.diagnose_line("error", message, block.body_line + offset, line, found=found))
        return
    context.model.engine.dt_initial, context.model.engine.dt_max = initial, largest


def _apply_stop(block: Block, values: list[float | None], context: Context) -> None:
    context.model.engine.stop_energy_error = values[0] or None


def _apply_stop_sensors(block: Block, values: list[float | None], context: Context) -> None:
    """/STOP/LSENSOR: ids of sensors, then, on a line of its own, flags of output that gsolve has no use for."""
    lines = block.data_lines()
    good, ids = True, list[int]()
    for offset, line in lines if len(lines) == 1 else lines[:-1]:
        for match in _ITEM.finditer(line):
            item, id = (offset, match.start(), match[0]), parse_integer(match[0])
            if id is None or id not in context.defined["sensor"]:
                message = "this is no id of a sensor" if id is None else f"sensor {id} does not exist"
                hint = context.nearest("sensor", id or 0)
                context.report(_at(block, "error", message, item, "sens_ID", allowed="ids of /SENSOR", hint=hint))
                good = False
            elif id not in ids:
                ids.append(id)
    if good and not ids:
        message, allowed = "no sensor is named", f"ids of sensors, on the line after {block.keyword}"
        context.report(block.diagnose("error", message, field="sens_ID", allowed=allowed))
    context.model.engine.stop_sensors = ids if good else []


def _apply_nothing(block: Block, values: list[float | None], context: Context) -> None:
    pass


def _apply_print(block: Block, values: list[float | None], context: Context) -> None:
    number = parse_integer(block.options[0]) if block.options else -100
    if not number:
        message = "the number of cycles between prints is missing"
        context.report(block.diagnose("error", message, allowed="/PRINT/n with a whole number n"))
        return
    context.model.engine.print_every = abs(number)


ENGINE_KEYWORDS = {
    keyword.name: keyword
    for keyword in (
        EngineKeyword("RUN", "run name and end time", (EngineValue("Tstop", "end time", True, above=0.0),), _apply_run),
        EngineKeyword(
            "TFILE",
            "interval of the time histories",
            (EngineValue("dT", "interval between samples", True, above=0.0),),
            _apply_sampling,
        ),
        EngineKeyword(
            "DT",
            "time step: factor on the stable step, and smallest step allowed",
            (EngineValue("scale", "factor", minimum=0.0), EngineValue("Tmin", "smallest step", minimum=0.0)),
            _apply_step,
        ),
        EngineKeyword(
            "DTIX",
            "first and largest time step; equal values impose the step",
            (EngineValue("dt_ini", "first step", minimum=0.0), EngineValue("dt_max", "largest step", minimum=0.0)),
            _apply_step_limits,
        ),
        EngineKeyword("PRINT", "/PRINT/n: a listing line every n steps", (), _apply_print),
        EngineKeyword(
            "STOP",
            "stop limits",
            (
                EngineValue("Emax", "largest energy error in %; 0 = none", minimum=0.0),
                *(EngineValue(name, "not used") for name in ("Mmax", "Nmax", "NTH", "NANIM", "NERR_POSIT")),
            ),
            _apply_stop,
        ),
        EngineKeyword(
            "STOP/LSENSOR",
            "ids of sensors, any of which ends the run; a second line, of flags of output, is not used",
            (),
            _apply_stop_sensors,
            is_list=True,
        ),
        EngineKeyword("VERS", "version of the engine deck (not used)", (), _apply_nothing),
    )
}


# What a `Block` of an engine keyword carries.
ENGINE_DECLARATIONS = [
    Keyword((keyword.name,), keyword.meaning, None, Stage.CONTROL, titled=False, header="none")
    for keyword in ENGINE_KEYWORDS.values()
]


def apply_engine(context: Context, blocks: list[Block]) -> None:
    """Set `context.model.engine` from the engine blocks; a keyword given twice is an error."""
    first: dict[str, Block] = {}
    for block in blocks:
        if not _is_of_use(context, block):
            continue
        keyword = ENGINE_KEYWORDS[block.declaration.name]
        earlier = first.setdefault(keyword.name, block)
        if earlier is not block:
            message = f"{block.keyword} is given twice"
            context.report(block.diagnose("error", message, hint=f"first given at {earlier.place}"))
            continue
        values = [] if keyword.is_list else _read_values(block, context, keyword)
        if values is not None:
            keyword.apply(block, values, context)


def _is_of_use(context: Context, block: Block) -> bool:
    """Whether what follows the keyword in the header leaves it one of ours; what it is otherwise is reported."""
    if not block.options or parse_integer(block.options[0]) is not None:
        return True
    if block.keyword in _VALUES_BELOW and parse_real(block.options[0]) is not None:
        numbers = " ".join(option for option in block.options if parse_real(option) is not None)
        message, hint = values_below(block.keyword, numbers)
        context.report(block.diagnose("error", message, found=block.options[0], hint=hint))
        return False
    if block.keyword == "/DT":
        kind = "/".join([block.keyword, *block.options])
        message = f"{kind} is not used: this solver chooses its own step and never adds mass"
        context.report(block.diagnose("warning", message, hint="/DT and /DTIX without more parts limit the step"))
        return False
    if block.keyword == "/TFILE":
        context.report(block.diagnose("error", "the type of /TFILE is not a number", found=block.options[0]))
        return False
    return True
