"""Expressions of histories at one instant, such as `gjoint/1/VEL1 * 2 > limit and t > 0.1`.

Grammar, functions and constants are those of the deck's own expressions (`parser/text/expressions.py`); comparisons,
`and`, `or`, `not` and variables come in addition. A condition is 1 where it holds and 0 elsewhere. A value that does
not exist is NaN, of which no comparison but `!=` holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from gsolve.parser.text import expressions as code
from gsolve.parser.text.expressions import ExpressionError, Step, named_value, postfix_code

from ..core.bodies import Floats
from ..core.channels import Family


def _smooth_unit_step(u: Floats) -> Floats:
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


_MEANING: dict[int, Callable[..., Any]] = {
    code.ADD: np.add,
    code.SUBTRACT: np.subtract,
    code.MULTIPLY: np.multiply,
    code.DIVIDE: np.divide,
    code.POWER: np.power,
    code.NEGATE: np.negative,
    code.SIN: np.sin,
    code.COS: np.cos,
    code.TAN: np.tan,
    code.EXP: np.exp,
    code.LOG: np.log,
    code.SQRT: np.sqrt,
    code.ABS: np.abs,
    code.MIN: np.minimum,
    code.MAX: np.maximum,
    code.SMOOTH_UNIT_STEP: _smooth_unit_step,
    code.LESS: np.less,
    code.LESS_OR_EQUAL: np.less_equal,
    code.GREATER: np.greater,
    code.GREATER_OR_EQUAL: np.greater_equal,
    code.EQUAL: np.equal,
    code.NOT_EQUAL: np.not_equal,
    code.AND: np.logical_and,
    code.OR: np.logical_or,
    code.NOT: np.logical_not,
}


class InstantExpression:
    """An expression of variables, parameters and t.

    text : as written
    variables : as written, each once, with the place of the first: `gjoint/1/VEL1`
    is_condition : whether it holds or does not, rather than being a number
    """

    def __init__(self, text: str, families: Iterable[Family], parameters: Mapping[str, float]) -> None:
        """Read an expression; raises ExpressionError.

        families : what a run has histories of: a variable begins with one of their names and a slash
        parameters : of the deck
        """
        self.text = text
        self.variables: dict[str, int] = {}
        families = tuple(families)
        also = ("t", *(family.group.removeprefix("th/") for family in families))
        self.steps = [self._known(step, parameters, also) for step in postfix_code(text, variable_pattern(families))]
        self.is_condition = self.steps[-1].opcode in code.CONDITIONS

    def _known(self, step: Step, parameters: Mapping[str, float], also: tuple[str, ...]) -> Step:
        """The step with the value of a parameter; variables and t keep their names.

        also : names that may have been meant where one is unknown
        """
        if not step.name:
            return step
        if is_variable(step.name):
            self.variables.setdefault(unquoted(step.name), step.position)
            return Step(step.opcode, name=unquoted(step.name), position=step.position)
        if step.name == "t" and "t" not in parameters:
            return step
        return Step(step.opcode, named_value(step, parameters, also), position=step.position)

    def values(self, times: Floats, columns: Mapping[str, Floats]) -> Floats:
        """Values (k,) at some samples.

        times : (k,)
        columns : of each variable of `variables`, (k,)
        """
        stack: list[Any] = []
        with np.errstate(all="ignore"):  # a value that does not exist is NaN
            for step in self.steps:
                if step.opcode == code.CONSTANT:
                    stack.append(self._operand(step, times, columns))
                    continue
                operands = [stack.pop()]
                if step.opcode in code.BINARY:
                    operands.insert(0, stack.pop())
                stack.append(np.asarray(_MEANING[step.opcode](*operands), dtype=float))
        return np.array(np.broadcast_to(stack[0], times.shape), dtype=float)

    @staticmethod
    def _operand(step: Step, times: Floats, columns: Mapping[str, Floats]) -> Floats | np.float64:
        if not step.name:
            return np.float64(step.value)
        return times if step.name == "t" else np.asarray(columns[step.name], dtype=float)


def variable_pattern(families: Iterable[Family]) -> re.Pattern[str]:
    """What a variable looks like: `family/variable`, `family/object/variable`, or anything with a slash in quotes."""
    names: dict[bool, list[str]] = {True: [], False: []}
    for family in families:
        names[family.ids is not None].append(re.escape(family.group.removeprefix("th/")))
    parts = [r"\"[^\"/]+/[^\"]*\"", r"'[^'/]+/[^']*'"]
    if names[True]:
        parts.append(rf"\b(?:th/)?(?:{'|'.join(names[True])})/(?:\*|[\w.:#-]+)/[A-Za-z_]\w*\b(?!\s*\()")
    if names[False]:
        parts.append(rf"\b(?:{'|'.join(names[False])})/[A-Za-z_]\w*\b(?!\s*\()")
    return re.compile("|".join(parts), re.IGNORECASE)


def is_variable(name: str) -> bool:
    """Whether a name is that of a variable."""
    return "/" in name


def unquoted(name: str) -> str:
    """A variable without the quotes that a blank in it needs."""
    return name.strip("\"'")


def pointed_out(text: str, error: ExpressionError) -> str:
    """What is wrong with an expression, the expression, and a caret below the place."""
    return f"{error.message}\n  | {text}\n  | {' ' * error.position}^"
