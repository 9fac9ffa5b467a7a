"""What a run does about steps that fail: other rows left out, larger buffers, a step in parts, shorter steps."""

from __future__ import annotations

import numpy as np

from ..assembly.dependent_rows import choose_rows, may_choose_rows, widen_slack
from ..constraints.rows import LEFT_OUT
from ..core.bodies import Floats
from ..integration.system import Samples
from .failures import Failure
from .machine import Machine

# Steps that are taken back together where the step is too long, or rows cannot be met: of an automatic and of an
# imposed step, fewer of a large machine (this many, divided by its bodies and rows), and once steps are taken in parts.
LOOK_INTERVAL, LOOK_INTERVAL_IMPOSED, LOOK_WORK, CLOSE_LOOK = 256, 4096, 2**22, 32
TOO_OFTEN = 8  # steps in a row that had to be taken in parts: the step is too long everywhere


class Recovery:
    """How steps of a machine can be taken back and taken otherwise.

    messages : where it says what it did
    divided_steps : steps that were taken in parts
    """

    def __init__(self, machine: Machine, messages: list[str]) -> None:
        self._machine, self._messages = machine, messages
        most = LOOK_INTERVAL_IMPOSED if machine.schedule.imposed else LOOK_INTERVAL
        work = len(machine.system.bodies) + len(machine.system.rows)
        self._look_interval = min(max(CLOSE_LOOK, LOOK_WORK // work), most)
        self.divided_steps, self._divided_at, self._divided_in_a_row = 0, -2, 0
        self._chosen_for = (-1, -1)  # step and row that rows were last chosen anew for
        self._slack_before: float | None = None  # of that row, where it was given more

    @property
    def may_go_back(self) -> bool:
        """Whether steps may have to be taken back: found too long, or because of a row that cannot be met."""
        system = self._machine.system
        return not self._machine.schedule.imposed or len(system.rows) > 0 or len(system.contacts.interfaces) > 0

    def end_of_block(self, step: int) -> int:
        """The step at or after `step` where a block may end."""
        schedule = self._machine.schedule
        if self.may_go_back:
            step = schedule.end_of_interval(step, self._look_interval)
        return min(step, schedule.last_step + 1)

    def end_of_piece(self, end: int) -> int:
        """Where the steps end that are taken back together, in a block up to `end`."""
        return min(end, self.end_of_block(self._machine.step + 1)) if self.may_go_back else end

    def attempt(self, failure: Failure, before: list[Floats], samples: Samples) -> bool:
        """Go back to the step that failed and take it with other rows left out, or in parts.

        before : copies of the state at the machine's step

        Returns whether the samples at hand can go on; else the machine stands at the step that failed.
        """
        machine = self._machine
        fits = machine.fits_into_larger_buffers(failure)
        machine.go_back(before, samples)
        if fits:
            machine.enlarge_buffers(failure.culprit)
            return True
        if failure.step > machine.step:
            machine.run(samples, failure.step - machine.step)
            machine.step = failure.step
        if failure.is_unmet_row and self._choose_rows_anew(failure.culprit):
            return True
        return self._divide_step(failure, samples)

    def halve(self, excess: float, why: str) -> None:
        """Half the step from here on, as often as it is that many times too long; once where that is unknown (inf)."""
        machine = self._machine
        machine.schedule.halve(machine.step, excess)
        self._messages.append(f"time step halved to {machine.schedule.dt:.6g} at t = {machine.time:.6g}: {why}")

    def _choose_rows_anew(self, culprit: int) -> bool:
        """Where row `culprit` is not met by the rows that are solved for, solve for others, or in another order.

        Happens where a machine starts in a singular position, in which more rows depend on each other than later on;
        where rows are independent thanks to a high-valence body alone, and were not at the start; and where a machine
        whose deck is rounded has come to a place in which that shows more.
        """
        machine = self._machine
        system, initial = machine.system, machine.initial
        is_left_out = bool(system.rows["left_out"][culprit] == LEFT_OUT)
        chosen, self._chosen_for = self._chosen_for, (machine.step, culprit)
        if self._chosen_for == chosen:
            self._give_slack_back(culprit)
            return False
        self._slack_before = None
        if not may_choose_rows(machine.assembly, culprit):
            return False
        assert initial is not None
        before, order = initial.redundancy, system.matrix.row_at
        redundancy = choose_rows(machine.assembly, culprit)
        initial.redundancy = redundancy
        initial.degrees_of_freedom += len(redundancy.left_out) - len(before.left_out)
        slack = machine.system.rows["slack"].copy()
        widen_slack(machine.system, redundancy, np.abs(machine.system.rows["committed_residual"]))
        row = machine.assembly.row_names[culprit]
        if not np.array_equal(np.sort(redundancy.left_out), np.sort(before.left_out)):
            self._messages.append(f"other rows are left out from t = {machine.time:.6g} on: {row} was no longer met")
            return True
        wider = float(machine.system.rows["slack"][culprit])
        if is_left_out and wider > slack[culprit]:
            self._slack_before = float(slack[culprit])
            self._messages.append(
                f"{row} may be off by {wider:.2g} of its size from t = {machine.time:.6g} on: it follows from others "
                "as far as the deck is rounded"
            )
            return True
        machine.system.rows["slack"] = slack
        return not np.array_equal(order, machine.system.matrix.row_at)

    def _give_slack_back(self, row: int) -> None:
        """Take back what a row was given at this step, as it is not met all the same."""
        if self._slack_before is not None:
            self._machine.system.rows["slack"][row] = self._slack_before
            self._messages.append(f"{self._machine.assembly.row_names[row]} was not met with that either")
            self._slack_before = None

    def _divide_step(self, failure: Failure, samples: Samples) -> bool:
        """Take the step at hand in parts, those subsystems that need it; not again and again."""
        machine = self._machine
        if not machine.has_subsystem_at_fault(failure):
            return False
        self._divided_in_a_row = self._divided_in_a_row + 1 if self._divided_at == machine.step - 1 else 1
        if self._divided_in_a_row > TOO_OFTEN:
            return False
        parts = machine.run_in_parts(samples)
        if parts is None:
            return False
        if parts:
            if self.divided_steps == 0:
                self._tell_of_parts(failure, parts)
            self.divided_steps += 1
            self._divided_at = machine.step
        self._look_interval = CLOSE_LOOK
        machine.step += 1
        return True

    def _tell_of_parts(self, failure: Failure, parts: int) -> None:
        """Say, of the first step that is taken in parts, why."""
        assembly, culprit = self._machine.assembly, failure.culprit
        if failure.is_unmet_row:
            why = f"{assembly.row_names[culprit]} could not be met"
        else:
            why = f"node {assembly.main_node_ids[culprit]} ran away"
        self._messages.append(
            f"the step at t = {self._machine.time:.6g} {assembly.model.units.time} was taken in {parts} parts, "
            f"as {why} in one; more steps like it are only counted"
        )
