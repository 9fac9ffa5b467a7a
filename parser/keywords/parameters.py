"""/PARAMETER: named numbers and expressions of them, in any order, with overrides from the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Card, Keyword, Stage, card, integer, real, text
from ..cards.reader import read_block
from ..text.diagnostics import Diagnostic
from ..text.expressions import ExpressionError, evaluate_constant, is_calculation
from ..text.numbers import parse_integer, parse_real

_NAME_WIDTH = 9
_EXPRESSION_COLUMN = 10
_NAME = text("name", 1, 10, "name of the parameter, at most 9 characters, from column 1 on", required=True)
_VALUE_CARDS: dict[str, tuple[Card, ...]] = {
    "INTEGER": (card(_NAME, integer("value", 11, "value")),),
    "REAL": (card(_NAME, real("value", 11, "value")),),
    "INT_EXPR": (card(_NAME, text("expression", 11, 100, "expression of numbers and parameters", required=True)),),
    "REAL_EXPR": (card(_NAME, text("expression", 11, 100, "expression of numbers and parameters", required=True)),),
}
_MEANINGS = {
    "INTEGER": "a named integer",
    "REAL": "a named real",
    "INT_EXPR": "a named integer, given by an expression of other parameters",
    "REAL_EXPR": "a named real, given by an expression of other parameters",
}

KEYWORDS = [
    Keyword(
        (f"PARAMETER/GLOBAL/{kind}", f"PARAMETER/LOCAL/{kind}"),
        _MEANINGS[kind],
        None,
        Stage.CONTROL,
        cards=cards,
        listing="text" if kind.endswith("EXPR") else "",
        identity="PARAMETER",
        notes="Written `&name` or `-&name` in place of any number, and in the id of a header. LOCAL means the same.",
    )
    for kind, cards in _VALUE_CARDS.items()
]


class _Parameter:
    """One parameter: where it is defined, and its value or expression."""

    def __init__(self, block: Block, whole: bool) -> None:
        self.block = block
        self.whole = whole
        self.value: float | int | None = None
        self.expression = ""
        self.waiting = False
        self.done = False


def read_parameters(context: Context, blocks: list[Block], defines: Mapping[str, str]) -> None:
    """Fill `context.parameters` from the blocks and the `-D NAME=VALUE` overrides.

    A parameter without a value (after an error) is None, so that its uses are not complained about again.
    """
    parameters: dict[str, _Parameter] = {}
    for block in blocks:
        _read_one(context, block, parameters)
    context.parameters.update(dict.fromkeys(parameters))
    for name, value in defines.items():
        _override(context, parameters, name, value)
    for name in parameters:
        context.parameters[name] = _resolve(context, parameters, name)


def _read_one(context: Context, block: Block, parameters: dict[str, _Parameter]) -> None:
    values = read_block(context, block)
    if values is None or not _check_name(context, block, values["name"], parameters):
        return
    whole = block.declaration.name.rsplit("/", 1)[1].startswith("INT")
    parameter = parameters[values["name"]] = _Parameter(block, whole)
    if "value" in values:
        parameter.value = values["value"]
        parameter.done = True
        return
    lines = [values["expression"]] + [line.strip() for _, line in block.data_lines()[1:]]
    parameter.expression = " ".join(lines).strip()


def _check_name(context: Context, block: Block, name: str, parameters: dict[str, _Parameter]) -> bool:
    message = ""
    hint = ""
    if len(name) > _NAME_WIDTH or len(name.split()) > 1:
        message = f"a parameter name has at most {_NAME_WIDTH} characters and no blank"
    elif not (name[0].isalpha() or name[0] == "_") or not all(c.isalnum() or c == "_" for c in name):
        message = "a parameter name consists of letters, digits and _ and begins with a letter"
    elif name in parameters:
        message, hint = f"the parameter {name} is defined twice", f"first defined at {parameters[name].block.place}"
    if message:
        context.report(block.diagnose("error", message, field="name", hint=hint))
    return not message


def _override(context: Context, parameters: dict[str, _Parameter], name: str, value: str) -> None:
    parameter = parameters.get(name)
    if parameter is None:
        hint = context.suggest_parameter(name)
        context.report(Diagnostic("error", f"-D {name}={value}: no parameter is called {name}", hint=hint))
        return
    number = _given_number(value.strip(), parameter.whole)
    if number is None or number - number != 0 or (parameter.whole and number != int(number)):
        what = "a whole number" if parameter.whole else "a number"
        context.report(
            Diagnostic(
                "error",
                f"-D {name}={value}: the value of {name} is {what}",
                hint=f"{name} is defined at {parameter.block.place}",
            )
        )
        return
    parameter.value = int(number) if parameter.whole else number
    parameter.done = True


def _given_number(text: str, whole: bool) -> float | None:
    """A number from the command line, which may be calculated: 24/72, 2*pi*50; None if it is none."""
    number = parse_integer(text) if whole else parse_real(text)
    if number is None and is_calculation(text):
        with suppress(ExpressionError):
            return evaluate_constant(text, {})
    return number


def _resolve(context: Context, parameters: dict[str, _Parameter], name: str) -> float | int | None:
    """The value of a parameter, those it needs first; None after an error."""
    parameter = parameters[name]
    if parameter.done:
        return parameter.value
    parameter.waiting = True
    try:
        value = evaluate_constant(parameter.expression, _Others(context, parameters, name))
        if parameter.whole and value != int(value):
            raise ExpressionError(f"the value {value!r} of {name} is not a whole number", 0)
        parameter.value = int(value) if parameter.whole else value
    except ExpressionError as error:
        _complain(context, parameter, error)
    except _NoValueError:
        pass
    parameter.waiting = False
    parameter.done = True
    return parameter.value


class _NoValueError(Exception):
    """A parameter without a value is asked for; why it has none is reported where it is defined."""


class _Others(Mapping[str, float]):
    """The values of the other parameters, each worked out when an expression asks for it."""

    def __init__(self, context: Context, parameters: dict[str, _Parameter], user: str) -> None:
        self._context = context
        self._parameters = parameters
        self._user = user

    def __getitem__(self, name: str) -> float:
        if self._parameters[name].waiting:
            way = f" by way of {name}" if name != self._user else ""
            raise ExpressionError(f"{self._user} depends on itself{way}", 0)
        value = _resolve(self._context, self._parameters, name)
        if value is None:
            raise _NoValueError
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)


def _complain(context: Context, parameter: _Parameter, error: ExpressionError) -> None:
    """Point at the place of the expression, which may stand on a continuation line."""
    context.report(_at_position(parameter.block, error.message, error.position))


def _at_position(block: Block, message: str, position: int) -> Diagnostic:
    data = block.data_lines()
    offset, line = data[0]
    column = _EXPRESSION_COLUMN + len(line[_EXPRESSION_COLUMN:]) - len(line[_EXPRESSION_COLUMN:].lstrip())
    length = len(line.rstrip()) - column
    for following in data[1:]:
        if position <= length:
            break
        position -= length + 1
        offset, line = following
        column = len(line) - len(line.lstrip())
        length = len(line.strip())
    column += position
    return block.diagnose_line(
        "error",
        message,
        block.body_line + offset,
        line,
        field="expression",
        column=column + 1,
        ruler=" " * column + "^",
    )
