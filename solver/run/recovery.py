"""What a run does about steps that fail: other rows left out, larger buffers, a step in parts, shorter steps."""

from __future__ import annotations

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.dependent_rows import choose_rows, may_choose_rows, widen_slack
from ..constraints.rows import LEFT_OUT
from ..core.bodies import Floats
from ..core.resumable import Resumable, State
from ..integration.accuracy import LARGEST_ERROR
from ..integration.array_state import bare
from ..integration.substeps import CALM, Plan
from ..integration.system import Samples
from .failures import Failure
from .machine import Machine

# Steps that are taken back together where the step is too long, or rows cannot be met: of an automatic and of an
# imposed step, fewer of a large machine (this many, divided by its bodies and rows), and once steps are taken in parts.
LOOK_INTERVAL, LOOK_INTERVAL_IMPOSED, LOOK_WORK, CLOSE_LOOK = 256, 4096, 2**22, 32
# Rows that are not met in so many steps in a row, or steps planned in parts at once: the step is too long everywhere.
TOO_OFTEN, TOO_MANY = 8, 256
LEAD = 3  # steps before the one that fails from which on parts may get shorter, step by step


class Recovery(Resumable):
    """How steps of a machine can be taken back and taken otherwise.

    messages, warnings : where it says what it did
    """

    KEPT = ("_look_interval", "_divided_until", "_divided_in_a_row", "_has_told", "_slack_before")

    def __init__(self, machine: Machine, messages: list[str], warnings: list[Diagnostic]) -> None:
        self._machine, self._messages, self._warnings = machine, messages, warnings
        most = LOOK_INTERVAL_IMPOSED if machine.schedule.imposed else LOOK_INTERVAL
        work = len(machine.system.bodies) + len(machine.system.rows)
        self._look_interval = min(max(CLOSE_LOOK, LOOK_WORK // work), most)
        self._divided_until, self._divided_in_a_row = -2, 0  # the last step that is planned in parts
        self._has_told, self._inaccurate = False, set[int]()
        self._kept: list[tuple[int, list[Floats]]] = []  # steps and copies of the state, of the last two pieces
        self._chosen_for = (-1, -1)  # step and row that rows were last chosen anew for
        self._slack_before: float | None = None  # of that row, where it was given more

    def state(self) -> State:
        """With the states of the machine at the begin of the last two pieces."""
        return super().state() | {
            "_inaccurate": sorted(self._inaccurate),
            "_chosen_for": list(self._chosen_for),
            "_kept": [{"step": step, "copies": list(map(bare, copies))} for step, copies in self._kept],
        }

    def restore(self, state: State) -> None:
        """The same."""
        super().restore(state)
        self._inaccurate, self._chosen_for = set(state["_inaccurate"]), tuple(state["_chosen_for"])
        self._kept = [(kept["step"], kept["copies"]) for kept in state["_kept"]]

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

    @property
    def divided_steps(self) -> int:
        """Steps that were taken in parts."""
        return self._machine.divided_steps

    @property
    def inaccurate_steps(self) -> int:
        """Steps whose rows gain or lose energy, in parts too."""
        return len(self._inaccurate)

    def keep(self) -> None:
        """Keep the state at hand, at the begin of a piece, and that at the begin of the one before."""
        if self.may_go_back:
            earlier = [(step, copies) for step, copies in self._kept if step < self._machine.step]
            self._kept = [*earlier[-1:], (self._machine.step, self._machine.copies())]
            self._machine.pass_plans(self._kept[0][0])

    def go_back(self, samples: Samples) -> None:
        """Return to the begin of the piece."""
        step, copies = self._kept[-1]
        self._machine.step = step
        self._machine.go_back(copies, samples)

    def return_to(self, failure: Failure, samples: Samples) -> None:
        """Go back to before the step that failed, and forget what that left of itself."""
        self.go_back(samples)
        self._advance_to(failure.step, samples)

    def attempt(self, failure: Failure, samples: Samples) -> bool:
        """Go back to the step that failed, or before it, and take it with other rows left out, or in parts.

        Returns whether the samples at hand can go on; else the machine stands at the step that failed.
        """
        if not self.may_go_back:
            return False
        machine = self._machine
        fits, s = machine.fits_into_larger_buffers(failure), machine.subsystem_at_fault(failure)
        # a row that others do not meet while weak ones are let go: it is the step that is too long, not their choice
        chooses = failure.is_unmet_row and not machine.has_let_rows_go(s)
        self.go_back(samples)
        if fits:
            machine.enlarge_buffers(failure.culprit)
            self._kept.clear()
            return True
        if s >= 0 and machine.has_gyrostats(s):
            self._advance_to(max(machine.step, failure.step - LEAD), samples)
            machine.leave_gyrostats(s)
            self._kept.clear()
            self._messages.append(
                f"the machine around {self._name_of(failure)} goes on by the general path, with all of its shafts, "
                f"from t = {machine.time:.6g} on: a step failed"
            )
            return True
        if s >= 0 and not chooses and self._plan_parts(s, failure, samples):
            return True
        self._advance_to(failure.step, samples)
        if failure.is_unmet_row and self._choose_rows_anew(failure.culprit):
            self._kept.clear()
            return True
        if s < 0 or not chooses:
            return False
        self.go_back(samples)
        if self._plan_parts(s, failure, samples):
            return True
        self._advance_to(failure.step, samples)
        return False

    def _name_of(self, failure: Failure) -> str:
        """The row or the node that a failure of a subsystem comes from."""
        assembly = self._machine.assembly
        if failure.is_inaccurate or failure.is_unmet_row:
            return assembly.row_names[failure.culprit]
        return f"node {assembly.main_node_ids[failure.culprit]}"

    def _advance_to(self, step: int, samples: Samples) -> Failure | None:
        """Run up to a step; the machine stands there, or at the begin of the piece if that failed.

        It may fail before the step that failed first: with a state that is put back, matrices are made anew.
        """
        failure = self._machine.run(samples, step - self._machine.step) if step > self._machine.step else None
        if failure is None:
            self._machine.step = step
        else:
            self.go_back(samples)
        return failure

    def halve(self, excess: float, why: str) -> None:
        """Half the step from here on, as often as it is that many times too long; once where that is unknown (inf)."""
        machine = self._machine
        machine.forget_plans()
        self._divided_in_a_row = 0
        self._kept.clear()
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
        widen_slack(machine.assembly, redundancy, np.abs(machine.system.rows["committed_residual"]))
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
            self.keep()

    # ---- steps in parts --------------------------------------------------------------------------------------

    def _plan_parts(self, s: int, failure: Failure, samples: Samples) -> bool:
        """Plan how subsystem s gets through the step that failed in parts; the machine stands where that begins.

        If it does not, or should not again and again, the machine stands at the begin of the piece.
        """
        machine = self._machine
        in_a_row = self._divided_in_a_row + 1 if failure.step <= self._divided_until + CALM + 1 else 1
        gives_up = failure.is_unmet_row or machine.schedule.may_halve
        if machine.is_planned(failure.step, s) or (in_a_row > TOO_OFTEN and gives_up):
            return False
        plan = self._plan_from_earlier(s, failure.step, samples) or self._plan_from_here(s, failure.step, samples)
        way = machine.way_of(s)
        if plan is None and way:
            self._advance_to(max(machine.step, failure.step - LEAD), samples)
            machine.leave_way(s)
            self._kept.clear()
            self._messages.append(
                f"the machine around {machine.assembly.row_names[failure.culprit]} goes on by the general path from "
                f"t = {machine.time:.6g} on: a step {way} failed, in parts too"
            )
            return True
        if plan is None and failure.is_inaccurate and not machine.schedule.may_halve:
            self._advance_to(failure.step, samples)
            plan = machine.whole_step()
            machine.follow(s, plan)
        if plan is None:
            return False
        self._divided_in_a_row, self._divided_until = in_a_row, max(plan.substeps)
        self._look_interval = CLOSE_LOOK
        self._tell_of_plan(failure, plan)
        return True

    def _plan_from_here(self, s: int, failed_step: int, samples: Samples) -> Plan | None:
        """Plan from some steps before the one that failed, or from the begin of the piece; else return to that."""
        machine = self._machine
        self._advance_to(max(machine.step, failed_step - LEAD), samples)
        plan = machine.find_plan(s, failed_step, samples)
        if plan is None or (machine.schedule.may_halve and len(plan.substeps) > TOO_MANY):
            self.go_back(samples)
            return None
        machine.follow(s, plan)
        return plan

    def _plan_from_earlier(self, s: int, failed_step: int, samples: Samples) -> Plan | None:
        """The same from the piece before, where this one begins too late; its samples stay as they were handed over."""
        machine, begin = self._machine, self._kept[-1][0]
        if len(self._kept) < 2 or failed_step - begin >= LEAD:
            return None
        masked = samples._replace(step=np.where(samples.step < begin, -1, samples.step))
        latest = self._kept.pop()
        self.go_back(masked)
        plan = self._plan_from_here(s, failed_step, masked)
        if plan is not None and self._advance_to(begin, masked) is None:
            return plan
        machine.unfollow(s, plan)
        self._kept.append(latest)
        self.go_back(samples)
        return None

    def _tell_of_plan(self, failure: Failure, plan: Plan) -> None:
        """Say why steps are taken in parts, and what did not help, both the first time."""
        assembly, schedule, culprit = self._machine.assembly, self._machine.schedule, failure.culprit
        unit = assembly.model.units.time
        if plan.most_substeps > 1 and not self._has_told:
            if failure.is_inaccurate:
                why = f"the machine around {assembly.row_names[culprit]} gained or lost energy"
            elif failure.is_unmet_row:
                why = f"{assembly.row_names[culprit]} could not be met"
            else:
                why = f"node {assembly.main_node_ids[culprit]} ran away"
            step = max(plan.substeps, key=lambda step: len(plan.substeps[step]))
            self._messages.append(
                f"the step at t = {schedule.time_of(step):.6g} {unit} was taken in {plan.most_substeps} parts, "
                f"as {why} in one; more steps like it are only counted"
            )
            self._has_told = True
        if plan.inaccurate and not self._inaccurate:
            self._warnings.append(
                Diagnostic(
                    "doubt",
                    f"the step at t = {schedule.time_of(plan.inaccurate[0]):.6g} {unit} gains or loses more than "
                    f"{LARGEST_ERROR:g} of the kinetic energy of the machine around {assembly.row_names[culprit]}, in "
                    "parts too; more steps like it are only counted",
                    hint="impose a shorter time step (--dt), and compare",
                )
            )
        self._inaccurate.update(plan.inaccurate)
