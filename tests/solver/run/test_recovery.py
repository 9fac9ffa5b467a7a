"""What a run does about steps that fail, on a machine without mechanics."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from gsolve.solver.constraints.redundancy import Dependence, Redundancy
from gsolve.solver.constraints.rows import LARGEST_SLACK, LEFT_OUT, ROW
from gsolve.solver.integration.status import DIVERGED, INACCURATE, NO_CAPACITY, ROWS_NOT_MET
from gsolve.solver.integration.substeps import Plan
from gsolve.solver.run.failures import Failure
from gsolve.solver.run.recovery import CLOSE_LOOK, LEAD, LOOK_INTERVAL, LOOK_INTERVAL_IMPOSED, TOO_OFTEN, Recovery
from gsolve.solver.run.schedule import Schedule
from gsolve.solver.run.time_step import TimeStep

N_BODIES, N_ROWS = 3, 10


class StubMachine:
    """Notes what is asked of it; `parts` is how many the step that failed is taken in, None where that fails."""

    def __init__(self, parts=2, imposed=False):
        self.step, self.parts, self.asked, self.initial = 0, parts, [], None
        self.planned, self.inaccurate = {}, []
        self.weakened = False
        self.schedule = Schedule(TimeStep(1e-3, "a stub", imposed), 1.0, 0.1, None)
        self.system = SimpleNamespace(
            bodies=[None] * N_BODIES,
            rows={"left_out": [0] * N_ROWS},
            contacts=SimpleNamespace(interfaces=[]),
            subsystems=np.array([(0, N_ROWS)], dtype=[("first_row", "i8"), ("last_row", "i8")]),
            matrix=SimpleNamespace(hub_start=[0, 0]),
        )
        self.planar = self.geared = False
        self.assembly = SimpleNamespace(
            agreeing=frozenset(),
            system=self.system,
            model=SimpleNamespace(units=SimpleNamespace(time="s")),
            main_node_ids=[0, 10, 20],
            row_names=[f"row {k}" for k in range(N_ROWS)],
        )

    @property
    def time(self):
        return self.schedule.time_of(self.step)

    def copies(self):
        return []

    def go_back(self, copies, samples):
        self.asked.append("back")

    def run(self, samples, n_steps):
        self.asked.append(f"run {n_steps}")

    def subsystem_at_fault(self, failure):
        return 0 if failure.status in (ROWS_NOT_MET, DIVERGED, INACCURATE) else -1

    def has_let_rows_go(self, s):
        return self.weakened

    def find_plan(self, s, failed_step, samples):
        self.asked.append(f"plan from {self.step}")
        return Plan({failed_step: [None] * self.parts}, self.inaccurate) if self.parts else None

    def way_of(self, s):
        return "in its plane" if self.planar else ""

    def leave_way(self, s):
        self.planar = False

    def has_gyrostats(self, s):
        return self.geared

    def leave_gyrostats(self, s):
        self.geared = False

    def whole_step(self):
        return Plan({self.step: [None]}, [self.step])

    def follow(self, s, plan):
        self.planned.update(plan.substeps)

    def is_planned(self, step, s):
        return step in self.planned

    def forget_plans(self):
        self.asked.append("forget plans")

    def pass_plans(self, step):
        self.passed = step

    @property
    def divided_steps(self):
        return len(self.planned)

    def fits_into_larger_buffers(self, failure):
        return failure.status == NO_CAPACITY

    def enlarge_buffers(self, interface):
        self.asked.append(f"buffers of {interface}")


def recovery_of(machine):
    messages = []
    recovery = Recovery(machine, messages, [])
    recovery.keep()
    return recovery, messages


def test_steps_before_the_one_that_fails_are_repeated_and_that_one_is_taken_in_parts():
    machine = StubMachine()
    recovery, _ = recovery_of(machine)
    assert recovery.attempt(Failure(ROWS_NOT_MET, 7, 1), None)
    # rows are chosen where the step failed; the plan begins some steps before
    assert machine.asked == ["back", "run 7", "back", "run 4", "plan from 4"]
    assert (machine.step, recovery.divided_steps) == (4, 1)


def test_where_weak_rows_were_let_go_rows_are_not_chosen_anew_before_parts_are_tried():
    machine = StubMachine()
    machine.weakened = True
    recovery, _ = recovery_of(machine)
    assert recovery.attempt(Failure(ROWS_NOT_MET, 7, 1), None)
    assert machine.asked == ["back", "run 4", "plan from 4"]


@pytest.mark.parametrize(
    ("status", "culprit", "why"),
    [(ROWS_NOT_MET, N_ROWS - 1, "row 9 could not be met"), (DIVERGED, 2, "node 20 ran away")],
)
def test_message_names_the_row_or_the_node_that_made_a_step_be_taken_in_parts(status, culprit, why):
    """There may be more rows than bodies."""
    recovery, messages = recovery_of(StubMachine(parts=4))
    assert recovery.attempt(Failure(status, 2, culprit), None)
    assert recovery.attempt(Failure(status, 9, culprit), None)
    assert messages == [
        f"the step at t = 0.002 s was taken in 4 parts, as {why} in one; more steps like it are only counted"
    ]


def test_steps_in_a_row_are_not_taken_in_parts_for_ever():
    machine = StubMachine()
    recovery, _ = recovery_of(machine)
    taken = [recovery.attempt(Failure(ROWS_NOT_MET, step, 0), None) for step in range(TOO_OFTEN + 1)]
    assert taken == [True] * TOO_OFTEN + [False]
    assert machine.step == TOO_OFTEN


@pytest.mark.parametrize(("imposed", "goes_on"), [(True, True), (False, False)])
def test_energy_may_be_looked_after_in_every_step_where_the_step_is_imposed(imposed, goes_on):
    recovery, _ = recovery_of(StubMachine(imposed=imposed))
    taken = [recovery.attempt(Failure(INACCURATE, step, 0), None) for step in range(TOO_OFTEN + 1)]
    assert taken == [True] * TOO_OFTEN + [goes_on]


def test_energy_that_parts_do_not_keep_is_warned_of_once_and_counted():
    machine, warnings = StubMachine(imposed=True), []
    recovery = Recovery(machine, [], warnings)
    recovery.keep()
    for machine.inaccurate in ([2], [3, 4]):
        assert recovery.attempt(Failure(INACCURATE, 5 * machine.inaccurate[0], 4), None)
    assert recovery.inaccurate_steps == 3
    (warning,) = warnings
    assert warning.message == (
        "the step at t = 0.002 s gains or loses more than 0.0001 of the kinetic energy of the machine around row 4, in "
        "parts too; more steps like it are only counted"
    )
    assert warning.severity == "doubt"


def test_step_that_cannot_be_taken_in_parts_keeps_its_length_where_only_energy_is_at_stake():
    machine = StubMachine(parts=None, imposed=True)
    recovery, _ = recovery_of(machine)
    assert recovery.attempt(Failure(INACCURATE, 6, 4), None)
    assert (machine.step, recovery.inaccurate_steps) == (6, 1)


def test_full_buffer_is_enlarged_and_all_steps_are_repeated():
    machine = StubMachine()
    recovery, messages = recovery_of(machine)
    assert recovery.attempt(Failure(NO_CAPACITY, 5, 3), None)
    assert machine.asked == ["back", "buffers of 3"]
    assert (machine.step, messages) == (0, [])


def test_step_that_fails_in_parts_too_is_left_to_shorter_steps():
    machine = StubMachine(parts=None)
    recovery, messages = recovery_of(machine)
    assert not recovery.attempt(Failure(DIVERGED, 5, 1), None)
    recovery.halve(float("inf"), "the run would fail")
    assert messages == ["time step halved to 0.0005 at t = 0.005: the run would fail"]
    assert machine.schedule.time_of(7) == pytest.approx(0.006, rel=1e-12)


def test_machine_that_fails_in_its_plane_in_parts_too_goes_on_by_the_general_path():
    machine = StubMachine(parts=None)
    machine.planar = True
    recovery, messages = recovery_of(machine)
    assert recovery.attempt(Failure(ROWS_NOT_MET, 20, 1), None)
    assert machine.step == 20 - LEAD and not machine.planar
    assert messages == [
        "the machine around row 1 goes on by the general path from t = 0.017 on: "
        "a step in its plane failed, in parts too"
    ]
    recovery.keep()
    machine.weakened = True
    assert not recovery.attempt(Failure(ROWS_NOT_MET, 20, 1), None)


@pytest.mark.parametrize(("failure", "name"), [((ROWS_NOT_MET, 1), "row 1"), ((DIVERGED, 2), "node 20")])
def test_machine_that_fails_as_gyrostats_goes_on_by_the_general_path(failure, name):
    machine = StubMachine(parts=None)
    machine.geared = True
    recovery, messages = recovery_of(machine)
    assert recovery.attempt(Failure(failure[0], 20, failure[1]), None)
    assert machine.step == 20 - LEAD and not machine.geared
    assert messages == [
        f"the machine around {name} goes on by the general path, with all of its shafts, from t = 0.017 on: "
        "a step failed"
    ]


@pytest.mark.parametrize(("imposed", "interval"), [(False, LOOK_INTERVAL), (True, LOOK_INTERVAL_IMPOSED)])
def test_blocks_end_at_whole_intervals_closer_ones_after_a_step_in_parts(imposed, interval):
    machine = StubMachine(imposed=imposed)
    last = machine.schedule.last_step + 1
    recovery, _ = recovery_of(machine)
    assert [recovery.end_of_block(step) for step in (1, interval)] == [min(interval, last)] * 2
    assert recovery.attempt(Failure(ROWS_NOT_MET, 0, 0), None)
    assert [recovery.end_of_block(step) for step in (1, CLOSE_LOOK + 1)] == [CLOSE_LOOK, 2 * CLOSE_LOOK]


class ChoosingMachine(StubMachine):
    """A machine whose first row is left out; rows are chosen as `chosen` says."""

    def __init__(self, distance):
        super().__init__(parts=None)
        rows = np.zeros(N_ROWS, ROW)
        rows["scale"], rows["slack"] = 1.0, 1e-10
        rows["left_out"][0] = LEFT_OUT
        self.system.rows, self.system.matrix.row_at = rows, np.arange(1, N_ROWS)
        self.chosen = Redundancy(np.array([0]), [], [Dependence(0, distance, distance, np.array([1]))], [])
        self.initial = SimpleNamespace(redundancy=self.chosen._replace(found=[]), degrees_of_freedom=1)


def choose(monkeypatch, machine):
    monkeypatch.setattr("gsolve.solver.run.recovery.choose_rows", lambda assembly, culprit: machine.chosen)
    recovery, messages = recovery_of(machine)
    return recovery, messages


@pytest.mark.parametrize("distance", [0.0, 1e-12])
def test_slack_does_not_grow_where_a_row_follows_exactly_from_others(monkeypatch, distance):
    machine = ChoosingMachine(distance)
    recovery, messages = choose(monkeypatch, machine)
    assert not recovery.attempt(Failure(ROWS_NOT_MET, 0, 0), None)
    assert (machine.system.rows["slack"] == 1e-10).all()
    assert not messages


@pytest.mark.parametrize(("distance", "slack"), [(2e-8, 2e-7), (1e-4, LARGEST_SLACK)])
def test_slack_that_grows_is_told_of_and_limited(monkeypatch, distance, slack):
    machine = ChoosingMachine(distance)
    recovery, messages = choose(monkeypatch, machine)
    assert recovery.attempt(Failure(ROWS_NOT_MET, 0, 0), None)
    assert machine.system.rows["slack"][0] == pytest.approx(slack)
    why = "it follows from others as far as the deck is rounded"
    assert messages == [f"row 0 may be off by {slack:.2g} of its size from t = 0 on: {why}"]


def test_slack_that_did_not_help_is_given_back(monkeypatch):
    machine = ChoosingMachine(2e-8)
    recovery, messages = choose(monkeypatch, machine)
    assert recovery.attempt(Failure(ROWS_NOT_MET, 0, 0), None)
    recovery.keep()
    assert not recovery.attempt(Failure(ROWS_NOT_MET, 0, 0), None)
    assert machine.system.rows["slack"][0] == 1e-10
    assert messages[1:] == ["row 0 was not met with that either"]
