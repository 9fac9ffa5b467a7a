"""Expressions: functions of t (/FUNCT_EXPR), constants made of parameters (/PARAMETER), and what is asked of histories.

The grammar is `expression.lark`. The text becomes postfix code for a small stack machine, never program text:
`compile_expression` hands it to the solver as plain arrays (`solver/core/functions.py` runs it, with exact first and
second derivatives), `evaluate_constant` runs it on the spot, `postfix_code` gives it to `results.expressions`.
"""

from __future__ import annotations

import difflib
import functools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput
from lark.exceptions import VisitError
from numpy.typing import NDArray

# Opcodes of the stack machine. CONSTANT takes the next of the program's constants.
(
    CONSTANT,
    VARIABLE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    NEGATE,
    SIN,
    COS,
    TAN,
    EXP,
    LOG,
    SQRT,
    ABS,
    MIN,
    MAX,
    SMOOTH_UNIT_STEP,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    EQUAL,
    NOT_EQUAL,
    AND,
    OR,
    NOT,
) = range(27)

COMPARISONS = {
    "<": LESS,
    "<=": LESS_OR_EQUAL,
    ">": GREATER,
    ">=": GREATER_OR_EQUAL,
    "==": EQUAL,
    "!=": NOT_EQUAL,
}
CONDITIONS = frozenset((*COMPARISONS.values(), AND, OR, NOT))  # what holds or does not
BINARY = frozenset((ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MIN, MAX, *COMPARISONS.values(), AND, OR))
_SIGNS = {**{opcode: sign for sign, opcode in COMPARISONS.items()}, AND: "and", OR: "or", NOT: "not"}

_UNARY_FUNCTIONS = {"sin": SIN, "cos": COS, "tan": TAN, "exp": EXP, "log": LOG, "sqrt": SQRT, "abs": ABS}
_FOLDED_FUNCTIONS = {"min": MIN, "max": MAX}
_ARGUMENTS = {
    **dict.fromkeys(_UNARY_FUNCTIONS, "1 argument"),
    "min": "2 or more arguments",
    "max": "2 or more arguments",
}
_STEP_ARGUMENTS = "5 arguments (x, x0, h0, x1, h1)"
_FUNCTION_NAMES = (*_UNARY_FUNCTIONS, *_FOLDED_FUNCTIONS, "step")


# What numbers have none of: operators, functions and parentheses, or a sign between two of them.
_CALCULATION = re.compile(r"[*/^()&]|[\w.)][+-]")


class ExpressionError(Exception):
    """A mistake in an expression; `position` is the 0-based place of the character it is about."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


@dataclass(frozen=True, slots=True)
class ExpressionProgram:
    """A compiled function of t.

    opcodes : (n,) int64, postfix order
    constants : (m,) float64, in the order in which the CONSTANT opcodes take them
    max_stack : deepest stack the program needs
    """

    opcodes: NDArray[np.int64]
    constants: NDArray[np.float64]
    max_stack: int


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of the postfix code; `name` stands for a value still to be looked up.

    position : 0-based place of what it comes from
    """

    opcode: int
    value: float = 0.0
    name: str = ""
    position: int = 0


_Code = list[Step]


class _CodeBuilder(Transformer[Token, _Code]):
    """Turns the parse into postfix code while parsing (no tree, so no recursion over long expressions)."""

    def number(self, items: list[Token]) -> _Code:
        return [Step(CONSTANT, float(items[0].lower().replace("d", "e")), position=_place(items[0]))]

    def name(self, items: list[Token]) -> _Code:
        return [Step(CONSTANT, name=str(items[0]), position=_place(items[0]))]

    def negate(self, items: list[_Code]) -> _Code:
        return [*items[0], Step(NEGATE, position=items[0][0].position)]

    def compare(self, items: list) -> _Code:
        left, sign, right = items
        return [*left, *right, Step(COMPARISONS[str(sign)], position=_place(sign))]

    def both(self, items: list) -> _Code:
        return _joined(AND, *items)

    def either(self, items: list) -> _Code:
        return _joined(OR, *items)

    def invert(self, items: list) -> _Code:
        _check_condition(items[1], items[0])
        return [*items[1], Step(NOT, position=_place(items[0]))]

    def call(self, items: list) -> _Code:
        token, arguments = items[0], [argument for argument in items[1:] if argument is not None]
        name, place = str(token).lower(), _place(token)
        if name in _UNARY_FUNCTIONS and len(arguments) == 1:
            return [*arguments[0], Step(_UNARY_FUNCTIONS[name], position=place)]
        if name in _FOLDED_FUNCTIONS and len(arguments) >= 2:
            code = list(arguments[0])
            for argument in arguments[1:]:
                code += [*argument, Step(_FOLDED_FUNCTIONS[name], position=place)]
            return code
        if name == "step" and len(arguments) == 5:
            return _step_code(place, *arguments)
        if name in _FUNCTION_NAMES:
            wanted = _ARGUMENTS.get(name, _STEP_ARGUMENTS)
            raise ExpressionError(f"{name} takes {wanted}, {len(arguments)} given", place)
        raise ExpressionError(f"unknown function '{token}'{_suggestion(str(token), _FUNCTION_NAMES)}", place)


def _joined(opcode: int, left: _Code, word: Token, right: _Code) -> _Code:
    for side in (left, right):
        _check_condition(side, word)
    return [*left, *right, Step(opcode, position=_place(word))]


def _check_condition(code: _Code, word: Token) -> None:
    if code[-1].opcode not in CONDITIONS:
        message = f"'{str(word).lower()}' needs a comparison here, such as 'x > 0', not a number"
        raise ExpressionError(message, code[0].position)


def _binary(opcode: int) -> Callable[[_CodeBuilder, list[_Code]], _Code]:
    def build(_: _CodeBuilder, items: list[_Code]) -> _Code:
        items[0].extend(items[1])
        items[0].append(Step(opcode, position=items[1][0].position))
        return items[0]

    return build


for _rule, _opcode in (
    ("add", ADD),
    ("subtract", SUBTRACT),
    ("multiply", MULTIPLY),
    ("divide", DIVIDE),
    ("power", POWER),
):
    setattr(_CodeBuilder, _rule, _binary(_opcode))


def _step_code(position: int, x: _Code, x0: _Code, h0: _Code, x1: _Code, h1: _Code) -> _Code:
    """step(x, x0, h0, x1, h1) = h0 + (h1 - h0) s((x - x0)/(x1 - x0)), s(u) = u^2 (3 - 2u) held at 0 and 1 outside."""

    if len(x0) == len(x1) == 1 and not (x0[0].name or x1[0].name) and not x0[0].value < x1[0].value:
        raise ExpressionError(f"step needs x0 < x1, not {x0[0].value:g} and {x1[0].value:g}", position)

    def then(opcode: int) -> Step:
        return Step(opcode, position=position)

    rise = [*h1, *h0, then(SUBTRACT)]
    ratio = [*x, *x0, then(SUBTRACT), *x1, *x0, then(SUBTRACT), then(DIVIDE)]
    return [*h0, *rise, *ratio, then(SMOOTH_UNIT_STEP), then(MULTIPLY), then(ADD)]


def compile_expression(text: str, lookup: Mapping[str, float] | None = None) -> ExpressionProgram:
    """Compile a function of t.

    text : the expression
    lookup : values of names (parameters) that may stand beside t and pi
    Raises ExpressionError.
    """
    opcodes: list[int] = []
    constants: list[float] = []
    names = lookup or {}
    code = _arithmetic(text)
    _value_of(code)  # constants in it that do not exist
    for step in code:
        if step.name and step.name.lower() == "t" and step.name not in names:
            opcodes.append(VARIABLE)
            continue
        opcodes.append(step.opcode)
        if step.opcode == CONSTANT:
            constants.append(named_value(step, names, also=("t",)) if step.name else step.value)
    return ExpressionProgram(np.array(opcodes, dtype=np.int64), np.array(constants), _depth(opcodes))


def evaluate_constant(text: str, lookup: Mapping[str, float]) -> float:
    """Value of an expression of numbers and names.

    text : the expression; a name may be written with or without a leading &
    lookup : value of each name, spelled as in the text
    Raises ExpressionError, also where the value does not exist (division by zero, log of a negative number ...).
    """
    value = _value_of(_with_values(_arithmetic(text), lookup))
    assert value is not None
    return value


def _with_values(code: _Code, lookup: Mapping[str, float]) -> Iterator[Step]:
    """The code with values of names."""
    for step in code:
        value = named_value(step, lookup) if step.name else step.value
        if not math.isfinite(value):
            raise ExpressionError("the number is too large", step.position)
        yield Step(step.opcode, value, position=step.position)


def is_calculation(text: str) -> bool:
    """Whether a text that is no number is meant to be calculated: 24/72, 2*pi, &a-1, pi."""
    return _CALCULATION.search(text) is not None or text.lower() in ("pi", "-pi", "+pi")


def names_in(text: str) -> list[str]:
    """The names in an expression, of whatever they are, without a leading &."""
    return re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text)


def postfix_code(text: str, variables: re.Pattern[str]) -> list[Step]:
    """Code of an expression that may have comparisons, and variables beside names.

    variables : what a variable looks like; where it fits, it goes before anything else that may be meant
    Raises ExpressionError.
    """
    found: dict[int, str] = {}

    def name_instead(match: re.Match[str]) -> str:
        found[match.start()] = match.group()
        return "_" * len(match.group())

    masked = variables.sub(name_instead, text)
    code = _parse(masked, text)
    _value_of(code)  # constants in it that do not exist
    return [replace(step, name=found[step.position]) if step.name and step.position in found else step for step in code]


def named_value(step: Step, names: Mapping[str, float], also: tuple[str, ...] = ()) -> float:
    """Value of a name: a parameter, written with or without a leading &, or pi.

    also : other names to suggest where this one is unknown
    Raises ExpressionError.
    """
    name = step.name.removeprefix("&")
    if name in names:
        return float(names[name])
    if step.name.lower() == "pi":
        return math.pi
    if step.name.lower() in _FUNCTION_NAMES:
        raise ExpressionError(f"'{step.name}' is a function and needs parentheses", step.position)
    hint = _suggestion(name, (*also, "pi", *_FUNCTION_NAMES, *names))
    raise ExpressionError(f"unknown name '{name}'{hint}", step.position)


def _smooth_unit_step(u: float) -> float:
    u = min(max(u, 0.0), 1.0)
    return u * u * (3.0 - 2.0 * u)


_MEANING: dict[int, tuple[Callable[..., float], str]] = {
    ADD: (operator.add, "{} + {}"),
    SUBTRACT: (operator.sub, "{} - {}"),
    MULTIPLY: (operator.mul, "{} * {}"),
    DIVIDE: (operator.truediv, "{} / {}"),
    POWER: (math.pow, "{} ^ {}"),
    NEGATE: (operator.neg, "-{}"),
    SIN: (math.sin, "sin({})"),
    COS: (math.cos, "cos({})"),
    TAN: (math.tan, "tan({})"),
    EXP: (math.exp, "exp({})"),
    LOG: (math.log, "log({})"),
    SQRT: (math.sqrt, "sqrt({})"),
    ABS: (abs, "abs({})"),
    MIN: (min, "min({}, {})"),
    MAX: (max, "max({}, {})"),
    SMOOTH_UNIT_STEP: (_smooth_unit_step, "step({})"),
}


def _apply(step: Step, operands: list[float]) -> float:
    function, form = _MEANING[step.opcode]
    try:
        value = function(*operands)
    except (ValueError, ZeroDivisionError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        written = form.format(*(f"{operand:g}" for operand in operands))
        raise ExpressionError(f"{written} has no finite value", step.position)
    return value


def _value_of(code: Iterable[Step]) -> float | None:
    """The value of an expression, None of a condition and where there are names in it.

    Raises ExpressionError where a part has none whatever its names stand for: 1/0, log(-1).
    """
    stack: list[float | None] = []
    for step in code:
        if step.opcode == CONSTANT:
            stack.append(None if step.name else step.value)
            continue
        operands = [stack.pop()]
        if step.opcode in BINARY:
            operands.insert(0, stack.pop())
        known = [operand for operand in operands if operand is not None]
        is_known = len(known) == len(operands) and step.opcode not in CONDITIONS
        stack.append(_apply(step, known) if is_known else None)
    return stack[0]


def _suggestion(name: str, known: Iterable[str]) -> str:
    by_lower = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean '{by_lower[near[0]]}'?" if near else ""


def _depth(opcodes: list[int]) -> int:
    deepest = depth = 0
    for opcode in opcodes:
        if opcode in (CONSTANT, VARIABLE):
            depth += 1
        elif opcode in BINARY:
            depth -= 1
        deepest = max(deepest, depth)
    return deepest


def _place(token: Token) -> int:
    return token.start_pos or 0


@functools.cache
def _parser() -> Lark:
    # The grammar's names are unambiguous to an LALR(1) parser, which needs no tree when given the transformer.
    return Lark.open("expression.lark", rel_to=__file__, parser="lalr", transformer=_CodeBuilder())


def _arithmetic(text: str) -> _Code:
    """Code of an expression of a deck."""
    code = _parse(text, text)
    for step in code:
        if step.opcode in CONDITIONS:
            raise ExpressionError(f"'{_SIGNS[step.opcode]}' has no meaning in an expression of a deck", step.position)
    return code


def _parse(masked: str, text: str) -> _Code:
    """Code of an expression in which names stand for other things that `text` has there."""
    if not text.strip():
        raise ExpressionError("the expression is empty", 0)
    _check_parentheses(masked)
    try:
        return _parser().parse(masked)  # type: ignore[return-value]
    except VisitError as error:
        raise error.orig_exc from None
    except UnexpectedInput as error:
        _explain(text, error)


def _check_parentheses(text: str) -> None:
    open_places: list[int] = []
    for place, character in enumerate(text):
        if character == "(":
            open_places.append(place)
        elif character == ")":
            if not open_places:
                raise ExpressionError("')' without a matching '('", place)
            open_places.pop()
    if open_places:
        raise ExpressionError("'(' is not closed", open_places[-1])


def _explain(text: str, error: UnexpectedInput) -> NoReturn:
    at: int | None = error.pos_in_stream
    place = len(text) if at is None or at < 0 else at
    token = getattr(error, "token", None)
    if isinstance(error, UnexpectedCharacters):
        if text[place] == "=":
            raise ExpressionError("'=' is no comparison; equality is written with '=='", place) from None
        raise ExpressionError(f"'{text[place]}' means nothing in an expression", place) from None
    if token is None or token.type == "$END":
        raise ExpressionError("the expression ends too early", len(text.rstrip())) from None
    if str(token) == "*" and text[place - 1] == "*":
        raise ExpressionError("'**' is not an operator; a power is written with '^'", place - 1) from None
    if token.type == "COMPARISON" and re.search(r"[\w.)\"']\s*$", text[:place]):
        raise ExpressionError("a second comparison; join two with 'and'", place) from None
    if token.type in ("NAME", "NUMBER") or str(token) == "(":
        written = text[place : place + len(token)]
        before = re.search(r"\S+\s*$", text[:place])
        after = f" after '{before.group().strip()}'" if before else ""
        raise ExpressionError(f"an operator is missing before '{written}'{after}", place) from None
    raise ExpressionError(f"a number, a name or '(' is missing before '{token}'", place) from None
