"""What ends a run before its end time because it was asked for: a condition on its histories, a sensor of the deck."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.expressions import ExpressionError

from ..core.bodies import Ints
from ..core.channels import Family, SampleBlock
from ..core.resumable import Resumable, State
from ..results.expressions import InstantExpression, pointed_out
from ..results.variables import UnknownNameError, Variable, find_variable
from .options import UsageError


class EndOfRun(Resumable):
    """What is looked at in each sample, in the order of time.

    reason : why the run ends, once it does; "" before
    passed, met : where this run goes on from one that was ended so: the time of its last sample, and the condition, if
        it was that; neither the condition nor sensors that were on by then end it again
    """

    KEPT = ("passed", "met")

    def __init__(self, model: Model, families: Sequence[Family], condition: str | None) -> None:
        """Read the condition, if there is one.

        Raises
        ------
        UsageError
            it is none, or speaks of what the run has no histories of
        """
        self.reason, self.passed, self.met = "", -math.inf, ""
        self._ended_at, self._ended_by = -math.inf, ""
        self._model = model
        self._sensors = [find_variable(families, f"sensor/{id}/TON") for id in model.engine.stop_sensors]
        self._expression: InstantExpression | None = None
        self._variables: dict[str, Variable] = {}
        if condition is not None:
            try:
                self._read(condition, families)
            except ExpressionError as error:
                raise UsageError(f"the condition that ends the run: {pointed_out(condition, error)}") from error

    def _read(self, text: str, families: Sequence[Family]) -> None:
        self._expression = InstantExpression(text, families, self._model.parameters)
        if not self._expression.is_condition:
            raise ExpressionError("this is a number; a condition compares, as in 'gjoint/1/VEL1 > 10'", 0)
        for name, place in self._expression.variables.items():
            try:
                self._variables[name] = find_variable(families, name)
            except UnknownNameError as error:
                raise ExpressionError(str(error), place) from error

    @property
    def is_possible(self) -> bool:
        """Whether there is anything to look at."""
        return bool(self._sensors) or self._expression is not None

    @property
    def before(self) -> str:
        """What ended the run that this one goes on from, and does not end this one; "" where nothing did."""
        if self.passed == -math.inf:
            return ""
        return f"past t = {self.passed:.9g}, where {self.met.strip() or 'a sensor'} ended it"

    def beyond(self) -> State:
        """The `state` of a run that goes on where this one was ended."""
        return {"passed": self._ended_at, "met": self._ended_by}

    def until_true(self, block: SampleBlock) -> SampleBlock:
        """The samples that the run keeps of a block: up to the first at which it ends, or all."""
        if self.reason or not len(block):
            return block.first(0)
        ends: dict[int, str] = {}  # first sample of each reason, in the order of what is told
        holds: Ints = np.zeros(0, dtype=np.int64)
        for id, variable in zip(self._model.engine.stop_sensors, self._sensors, strict=True):
            times = variable.values(block)
            on = np.flatnonzero((times <= block.times) & (times > self.passed))  # NaN before
            if len(on):
                name = self._model.sensors[id].name
                ends.setdefault(int(on[0]), f"{name} switched on at t = {times[on[0]]:.9g} (/STOP/LSENSOR)")
        if self._expression is not None and self._expression.text != self.met:
            columns = {name: variable.values(block) for name, variable in self._variables.items()}
            holds = np.flatnonzero(self._expression.values(block.times, columns))
            if len(holds):
                ends.setdefault(int(holds[0]), self._expression.text.strip())
        if not ends:
            return block
        last = min(ends)
        self._ended_at = float(block.times[last])
        self._ended_by = self._expression.text if self._expression is not None and last in holds else self.met
        self.reason = f"ended as asked at t = {block.times[last]:.9g}: {ends[last]}"
        return block.first(last + 1)
