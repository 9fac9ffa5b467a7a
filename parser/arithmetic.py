"""Arithmetic of /PARAMETER expressions, by the grammar in `arithmetic.lark`; nothing is evaluated as program text."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

Lookup = Callable[[str], float]


class ArithmeticFault(ValueError):
    """An expression that cannot be read or has no value; `position` is 0-based, -1 if unknown."""

    def __init__(self, message: str, position: int = -1) -> None:
        super().__init__(message)
        self.position = position


_FUNCTIONS: dict[str, tuple[Callable[..., float], int]] = {
    "sin": (math.sin, 1), "cos": (math.cos, 1), "tan": (math.tan, 1),
    "asin": (math.asin, 1), "acos": (math.acos, 1), "atan": (math.atan, 1), "atan2": (math.atan2, 2),
    "sinh": (math.sinh, 1), "cosh": (math.cosh, 1), "tanh": (math.tanh, 1),
    "exp": (math.exp, 1), "log": (math.log, 1), "ln": (math.log, 1), "log10": (math.log10, 1),
    "sqrt": (math.sqrt, 1), "abs": (abs, 1), "min": (min, -2), "max": (max, -2),
    "int": (math.trunc, 1), "nint": (lambda x: math.floor(x + 0.5), 1), "mod": (math.fmod, 2),
}  # fmt: skip
_CONSTANTS = {"pi": math.pi}


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("arithmetic.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True)


def parse_arithmetic(text: str) -> Any:
    """The expression as a tree.

    Raises `ArithmeticFault` where the text is no expression.
    """
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        position = error.pos_in_stream
        if position is None or position < 0 or position >= len(text.rstrip()):
            raise ArithmeticFault("the expression ends too early", len(text.rstrip())) from None
        raise ArithmeticFault(f"{text[position]} is not expected here", position) from None


def evaluate(tree: Any, lookup: Lookup) -> float:
    """The value of an expression; `lookup` gives the value of a parameter and may raise."""
    try:
        return _value(tree, lookup)
    except ArithmeticFault:
        raise
    except ZeroDivisionError:
        raise ArithmeticFault("the expression divides by zero") from None
    except OverflowError:
        raise ArithmeticFault("the value of the expression is too large") from None
    except ValueError as error:
        raise ArithmeticFault(f"the expression has no value ({error})") from None


def _value(tree: Any, lookup: Lookup) -> float:
    if tree.data == "number":
        return float(str(tree.children[0]).lower().replace("d", "e"))
    if tree.data == "name":
        name: Token = tree.children[0]
        constant = _CONSTANTS.get(name.lower())
        return lookup(str(name)) if constant is None else constant
    if tree.data == "call":
        return _call(tree, lookup)
    operands = [_value(child, lookup) for child in tree.children]
    if tree.data == "negate":
        return -operands[0]
    left, right = operands
    if tree.data == "add":
        return left + right
    if tree.data == "subtract":
        return left - right
    if tree.data == "multiply":
        return left * right
    if tree.data == "divide":
        return left / right
    result = left**right
    if isinstance(result, complex):
        raise ValueError("a negative number has no such power")
    return result


def _call(tree: Tree[Any], lookup: Lookup) -> float:
    name: Any = tree.children[0]
    known = _FUNCTIONS.get(name.lower())
    if known is None:
        raise ArithmeticFault(f"no function is called {name}; there are {' '.join(sorted(_FUNCTIONS))}", name.start_pos)
    function, count = known
    arguments = [_value(child, lookup) for child in tree.children[1:]]
    if (count > 0 and len(arguments) != count) or len(arguments) < abs(count):
        expected = f"{count}" if count > 0 else f"at least {-count}"
        raise ArithmeticFault(f"{name} takes {expected} arguments, not {len(arguments)}", name.start_pos)
    return float(function(*arguments))
