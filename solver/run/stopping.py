"""What ends a run before its end time because it was asked for: a condition on its histories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from gsolve.parser.text.expressions import ExpressionError

from ..core.channels import Family, SampleBlock
from ..results.expressions import InstantExpression, pointed_out
from ..results.variables import UnknownNameError, find_variable
from .options import UsageError


class StopCondition:
    """A condition that is looked at in each sample, in the order of time.

    reason : why the run ends, once it came true; "" before
    """

    def __init__(self, text: str, families: Sequence[Family], parameters: Mapping[str, float]) -> None:
        """Read the condition.

        Raises
        ------
        UsageError
            it is none, or speaks of what the run has no histories of
        """
        self.reason = ""
        try:
            self._expression = InstantExpression(text, families, parameters)
            if not self._expression.is_condition:
                raise ExpressionError("this is a number; a condition compares, as in 'gjoint/1/VEL1 > 10'", 0)
            self._variables = {}
            for name, place in self._expression.variables.items():
                try:
                    self._variables[name] = find_variable(families, name)
                except UnknownNameError as error:
                    raise ExpressionError(str(error), place) from error
        except ExpressionError as error:
            raise UsageError(f"stop_when: {pointed_out(text, error)}") from error

    def until_true(self, block: SampleBlock) -> int:
        """How many samples of a block the run keeps: up to the first at which the condition holds, or all."""
        if self.reason:
            return 0
        columns = {name: variable.values(block) for name, variable in self._variables.items()}
        holds = np.flatnonzero(self._expression.values(block.times, columns))
        if not len(holds):
            return len(block)
        self.reason = f"ended as asked at t = {block.times[holds[0]]:.9g}: {self._expression.text.strip()}"
        return int(holds[0]) + 1
