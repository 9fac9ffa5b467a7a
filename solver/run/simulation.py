"""A run of a model: assembled, started, and advanced block by block to samples."""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.accurate_plan import plan_accuracy
from ..assembly.assemble import assemble
from ..assembly.condense import Condensation
from ..assembly.contradictions import describe_contradiction
from ..assembly.initial_facts import new_deck_lines, settled_figures
from ..assembly.initial_state import InitialState
from ..assembly.known_times import known_times
from ..assembly.settled import Settled
from ..contact.rigid_wall_setup import set_penalty_stiffness
from ..core.bodies import Floats, Ints
from ..core.channels import Family, SampleBlock
from ..core.resumable import Resumable, State
from ..forces.spring_setup import spring_warnings
from ..integration.array_state import arrays_of
from ..integration.system import Samples, System
from ..results.families import Histories
from ..results.history_layout import Picture
from ..results.machine_output import MachineOutput
from ..results.machine_reader import FRAMES
from ..results.mesh_report import MeshReport, mesh_reports
from .block import Block, united
from .controlled_steps import ControlledSteps, controlled_steps
from .facts import frame_facts, machine_facts, schedule_facts
from .failures import Failure, describe_failure, describe_others, find_contradiction, where_of
from .frame_plan import plan_frames
from .machine import Machine
from .recovery import Recovery
from .routine_files import RoutineError
from .schedule import NO_TIMES, Schedule, every_step_is_a_sample
from .stopping import EndOfRun
from .time_step import SAMPLES_ALONE, TimeStep, choose_time_step, step_excess
from .user_code import UserCode
from .violations import Violations
from .watch import Watch

BLOCK_BYTES = 64e6  # memory of one block of samples
STEPS_UNTIL_LOOK = 256  # where a condition may end the run: blocks are alike then, however fast they run


class SimulationError(Exception):
    """The run cannot go on.

    step, time : where it failed; partial : samples finished before
    """

    def __init__(self, message: str, step: int, time: float, partial: SampleBlock | None) -> None:
        super().__init__(message)
        self.message, self.step, self.time, self.partial = message, step, time, partial


class Simulation(Resumable):
    """One run of a model.

    t_end, sampling_interval, dt_reason : as the deck and the options say
    settled_figures : how well the machine was settled before, known once it was started; empty if it was not
    accuracy : which machines have steps of their own, None where that is not asked for
    n_steps_estimate : steps of the whole run, if the first step stays
    families : channels of the samples
    warnings : of the model and its state at t = 0
    new_warnings, messages : what came up since the caller last cleared them

    Raises
    ------
    DeckError
        if the mechanics of the deck are wrong (zero mass, a singular inertia ...)
    """

    def __init__(
        self,
        model: Model,
        *,
        gjoint_alpha: str = "documented",
        t_end: float | None = None,
        dt: float | None = None,
        threads: int = 1,
        close_gaps: bool = False,
        allow_user_code: bool = False,
        general: bool = False,
        accuracy: float | None = None,
        order: int = 2,
        stop_when: str | None = None,
        settled: Settled | None = None,
        frames: int | None = None,
    ) -> None:
        """general : no subsystem is condensed, all take the general path; accuracy : tolerance of controlled steps

        order : of steps, 4 or 6 for compositions
        stop_when : condition that ends the run at the first sample at which it holds
        settled : where it starts, at rest
        frames : how many there are to be, 0 for none, None for as many as usual
        """
        self._model, self._close_gaps, self._settled = model, close_gaps, settled
        self.t_end = t_end if t_end is not None else model.engine.t_end or 0.0
        self.sampling_interval = model.engine.sampling_interval or self.t_end / 1000
        self._assembly = assemble(model, gjoint_alpha, self.t_end)
        system = self._system
        self.accuracy = plan_accuracy(self._assembly, accuracy, order)
        self._has_ordinary_steps = self.accuracy is None or not self.accuracy.needs_no_grid
        if self._has_ordinary_steps or dt is not None:
            step = choose_time_step(model, system, self.t_end, self.sampling_interval, dt)
        else:
            step = TimeStep(self.sampling_interval, SAMPLES_ALONE, False)
        set_penalty_stiffness(system.walls, system.bodies, step.value)
        self.warnings = [*self._assembly.diagnostics, *spring_warnings(model, system.points["body"])]
        if step.warning:
            self.warnings.append(Diagnostic("doubt", step.warning))
        self.new_warnings: list[Diagnostic] = []
        self.messages: list[str] = []
        known, too_dense = known_times(model, self.t_end, step.value) if self._has_ordinary_steps else (NO_TIMES, [])
        self.messages += [f"steps do not end at the points of {name}: there are too many of them" for name in too_dense]
        self._schedule = Schedule(step, self.t_end, self.sampling_interval, model.engine.dt_min, known)
        if self._schedule.samples_every_step and model.engine.sampling_interval is not None:
            self.warnings.append(every_step_is_a_sample(self._schedule, model.units.time))
        self.dt_reason, self.n_steps_estimate = step.reason, self._schedule.last_step
        self._user_code = UserCode(model, allow_user_code)
        self._machine = Machine(self._assembly, self._schedule, self._user_code, threads, general=general,
                                accuracy=self.accuracy)  # fmt: skip
        self._recovery = Recovery(self._machine, self.messages, self.new_warnings)
        self._watch = Watch(self._assembly, self._schedule, self._user_code)
        self._histories = Histories(self._assembly)
        self._violations = Violations(self._assembly)
        self.families: tuple[Family, ...] = self._histories.families
        self._end = EndOfRun(model, self.families, stop_when)
        self.settled_figures: dict[str, str | int | float] = {}
        self._output = MachineOutput(self._assembly, gjoint_alpha)
        # frames beyond the samples would end steps that are controlled by their error, and the routines' pieces
        only_samples = accuracy is not None or any(contact.post is not None for contact in model.contacts)
        self._frames = plan_frames(
            frames,
            self.t_end,
            self.sampling_interval,
            len(self._output.tables["body"]["id"]),
            only_samples=only_samples,
        )

    @property
    def _system(self) -> System:
        return self._assembly.system

    # ---- running ---------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Find the state to start from."""
        if self.initial is None:
            self.warnings += self._machine.start(self._close_gaps, self._settled)
            self.settled_figures = settled_figures(self._assembly, self._settled) if self._settled else {}

    def compile(self) -> None:
        """The same, and compile the loop where that is still due."""
        self.start()
        self._machine.compile()

    def advance(self, max_steps: int) -> SampleBlock:
        """Run about max_steps steps; returns the samples finished meanwhile (perhaps none).

        Where a condition may end the run it is looked at after the same steps whatever max_steps, and the samples after
        the one at which it first holds are left out.

        An imposed step without rows is run for at most max_steps.  What may have to be taken back is run
        in whole intervals, always the same ones whatever max_steps: one in which an automatic
        step turns out too long is repeated with half of it, one in which a row cannot be met up to that step.

        Raises
        ------
        SimulationError
            the run diverged or a row could not be met; carries the samples before that
        """
        self.compile()
        self._user_code.require()
        machine, schedule, recovery = self._machine, self._schedule, self._recovery
        block, end = self._new_block(STEPS_UNTIL_LOOK if self._end.is_possible else max_steps)
        samples = block.samples
        while machine.step < end:
            self._refuse_short_step(block)
            piece = recovery.end_of_piece(end)
            recovery.keep()
            failure = machine.run(samples, piece - machine.step)
            self._refuse_failed_routine(block)
            if failure is not None:
                time = schedule.time_of(failure.step)
                message = describe_failure(failure, self._assembly, time, schedule.imposed)
                against = find_contradiction(failure, self._assembly, self.initial)
                if against is not None and against.certain:
                    where = where_of(failure, self._assembly, time)
                    message = describe_contradiction(self._assembly, against, where)
                    raise self._error(message, failure.step, block)
                if failure.is_of_long_step and schedule.may_halve and len(self._system.contacts.interfaces):
                    # steps before it may have been too long, too: parts would make up for the last of them alone
                    excess, why = self._excess_before(failure, samples)
                    if excess > 1.0:
                        return self._repeated(block, excess, why)
                if recovery.attempt(failure, samples):
                    continue
                if not (failure.is_of_long_step and schedule.may_halve):
                    message += describe_others(failure, self._assembly, against)
                    raise self._error(message, failure.step, block)
                found = self._samples_of(block, failure.step)
                recovery.halve(math.inf, "the run would fail")
                return found
            if schedule.may_halve and self._has_ordinary_steps:
                excess, why = step_excess(self._system, self._model, schedule.dt)
                if excess > 1.0:
                    return self._repeated(block, excess, why)
            machine.step = piece
            self.new_warnings += self._watch.warnings()
            self.messages += self._watch.messages()
        return self._samples_of(block, end)

    def _excess_before(self, failure: Failure, samples: Samples) -> tuple[float, str]:
        """`step_excess` of the steps before the one that failed; the machine stands in that again."""
        self._recovery.return_to(failure, samples)
        found = step_excess(self._system, self._model, self._schedule.dt)
        self._machine.run(samples, 1)
        return found

    def _repeated(self, block: Block, excess: float, why: str) -> SampleBlock:
        """The samples before the piece at hand, which is to be repeated with shorter steps."""
        self._recovery.go_back(block.samples)
        found = self._samples_of(block, self._machine.step)
        self._recovery.halve(excess, why)
        return found

    def _new_block(self, max_steps: int) -> tuple[Block, int]:
        """The next block of about max_steps, empty, and the step where it ends; fewer steps if memory asks."""
        machine, recovery = self._machine, self._recovery
        end = recovery.end_of_block(machine.step + max_steps)
        samples, frames = self._steps_to_keep(end)
        most = machine.samples_in(BLOCK_BYTES)
        steps = united(samples, frames)
        if len(steps) > most:
            end = recovery.end_of_block(int(steps[most - 1]) + 1)
            samples, frames = (which[which < end] for which in (samples, frames))
        return Block(machine.new_samples, samples, frames), end

    def _steps_to_keep(self, end: int) -> tuple[Ints, Ints]:
        """Steps from the one at hand to `end` that are samples, and those that are frames."""
        schedule, step, plan = self._schedule, self._machine.step, self._frames
        samples = schedule.sample_steps(step, end)
        return samples, schedule.steps_at(plan.interval, plan.every, step, end) if plan is not None else samples[:0]

    def _refuse_short_step(self, block: Block) -> None:
        """End the run where the step was halved below what the deck allows."""
        dt, shortest = self._schedule.dt, self._schedule.dt_min
        if shortest is not None and dt < shortest:
            message = f"the time step {dt:.6g} is below the minimum of /DT, {shortest:.6g}: {self.dt_reason}"
            raise self._error(message, self.step, block)

    def _refuse_failed_routine(self, block: Block) -> None:
        """End the run where a routine of the user gave no force, unless that may be due to a step that is too long."""
        failure, schedule = self._user_code.failure(), self._schedule
        if failure is None or (schedule.may_halve and step_excess(self._system, self._model, schedule.dt)[0] > 1.0):
            return
        time, message = failure
        raise self._error(message, schedule.step_at(time), block)

    def _error(self, message: str, step: int, block: Block) -> SimulationError:
        """The end of the run at a step, with the samples before it."""
        return SimulationError(message, step, self._schedule.time_of(step), self._samples_of(block, step, failing=True))

    def _samples_of(self, block: Block, end: int, *, failing: bool = False) -> SampleBlock:
        """The samples before step `end` as channels; routines of the user get them too.

        failing : the run ends anyhow

        Raises
        ------
        SimulationError
            rows are not met at one of them, or a routine of the user failed
        """
        samples = block.of_samples(end)
        steps, times = samples.step, self._times_of(samples.step)
        violation = self._violations.first(samples, len(steps))
        found = self._histories.block(samples, times, self.dt, self.impact_loss)
        if self._end.is_possible:
            # where a sample violates its rows, those before it may end the run
            kept = found if violation is None or failing else found.first(violation.sample)
            ended = self._end.until_true(kept)
            if self._end.reason:
                found, violation = ended, None
        if self._frames is not None:
            found.frames = self._frames_of(block, int(steps[len(found) - 1]) + 1 if self._end.reason else end)
        try:
            self._user_code.hand_over(found)
        except RoutineError as error:
            self._end.reason = ""
            raise SimulationError(str(error), self.step, float(times[-1]), found) from error
        if violation is not None and not failing:
            time = float(times[violation.sample])
            message = self._violations.describe(violation, time)
            raise SimulationError(message, int(steps[violation.sample]), time, found)
        return found

    def _frames_of(self, block: Block, end: int) -> SampleBlock:
        """The frames before step `end`, with the last sample where the run is ended by a condition."""
        steps, bodies = block.of_frames(end, with_last=bool(self._end.reason))
        return SampleBlock(self._times_of(steps), {FRAMES: self._output.poses(bodies)})

    def _times_of(self, steps: Ints) -> Floats:
        return np.array([self._schedule.time_of(int(step)) for step in steps])

    @property
    def picture(self) -> Picture:
        """The machine, and the frames that there will be."""
        plan = self._frames
        if plan is None:
            return Picture(self._output.tables)
        return Picture(self._output.tables, self._output.family, plan.frames)

    def finish(self) -> None:
        """Say to routines of the user that no more results follow.

        Raises
        ------
        SimulationError
            such a routine failed
        """
        try:
            self._user_code.finish()
        except RoutineError as error:
            raise SimulationError(str(error), self.step, self.time, None) from error

    def conclude(self) -> None:
        """Say what can only be said of the whole run, once its end is reached."""
        self.new_warnings += self._watch.warnings_at_end()

    # ---- checkpoints -----------------------------------------------------------------------------------------

    def note_start(self) -> None:
        """Before the first step of a run that is to have checkpoints."""
        self.start()
        self._machine.note_start()

    @property
    def nbytes(self) -> int:
        """Memory of the arrays of the machine, which bounds that of a checkpoint."""
        return self._machine.nbytes

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the arrays of the machine, by name: how many bodies, rows and so on it has."""
        return {name: array.shape for name, array in arrays_of(self._system).items()}

    @property
    def _parts(self) -> dict[str, Resumable]:
        """All that a run changes."""
        return {
            "schedule": self._schedule, "machine": self._machine, "recovery": self._recovery, "watch": self._watch,
            "violations": self._violations, "histories": self._histories, "user_code": self._user_code,
            "end": self._end,
        }  # fmt: skip

    def state(self) -> State:
        """All that the run has changed since `note_start`, by name; between two calls of `advance`."""
        return {name: part.state() for name, part in self._parts.items()}

    def beyond_end(self, state: State) -> State:
        """A state of this run, which was ended as asked, for one that goes on beyond that."""
        return state | {"end": self._end.beyond()}

    def restore(self, state: State) -> None:
        """Stand where the run stood whose state this is, after `note_start`.

        Raises
        ------
        KeyError
            it is a state of another machine
        """
        for name, part in self._parts.items():
            part.restore(state[name])

    def differs_by_rounding(self, state: State) -> bool:
        """Whether what no step changes has other numbers than where a state was made."""
        return self._machine.differs(state["machine"])

    def extend(self, t_end: float) -> None:
        """Let the run go on to another end."""
        self.t_end = t_end
        known, _ = known_times(self._model, t_end, self._schedule.dt) if self._has_ordinary_steps else (NO_TIMES, [])
        self._schedule.extend(t_end, known)

    # ---- what it came to -------------------------------------------------------------------------------------

    @property
    def step(self) -> int:
        """The next step."""
        return self._machine.step

    @property
    def time(self) -> float:
        """Time of the next step."""
        return self._machine.time

    @property
    def finished(self) -> bool:
        return self.step > self._schedule.last_step or bool(self.reason_of_end)

    @property
    def may_end_early(self) -> bool:
        """Whether a condition or a sensor may end it before its end time."""
        return self._end.is_possible

    @property
    def past(self) -> str:
        """The end of the run that this one goes on from, where a condition or a sensor made it; "" elsewhere."""
        return self._end.before

    @property
    def reason_of_end(self) -> str:
        """Why the run ended before its end time, as asked; "" if it did not."""
        return self._end.reason

    @property
    def dt(self) -> float:
        """The time step at hand."""
        return self._schedule.dt

    @property
    def dt_min_used(self) -> float:
        return self._schedule.dt_min_used

    @property
    def dt_max_used(self) -> float:
        return self._schedule.dt_max_used

    @property
    def divided_steps(self) -> int:
        """Steps that were taken in parts."""
        return self._recovery.divided_steps

    @property
    def inaccurate_steps(self) -> int:
        """Steps whose rows gain or lose energy, for which shorter ones did not help."""
        return self._recovery.inaccurate_steps

    @property
    def initial(self) -> InitialState | None:
        """What was found and done at t = 0, None before `compile`."""
        return self._machine.initial

    @property
    def controlled_steps(self) -> ControlledSteps | None:
        """Steps of machines that have steps of their own so far, None where that is not asked for."""
        return controlled_steps(self._system, self.accuracy) if self.accuracy is not None else None

    @property
    def condensation(self) -> Condensation | None:
        """Which subsystems are condensed to spins, None before `start` and where the general path is asked for."""
        return self._machine.condensation

    @property
    def degrees_of_freedom(self) -> int:
        """Degrees of freedom that the rows leave, known once the machine was started."""
        return self.initial.degrees_of_freedom if self.initial else 0

    @property
    def redundant_rows(self) -> list[str]:
        """Names of the rows that depend on others."""
        return [self._assembly.row_names[row] for row in self.initial.redundancy.left_out] if self.initial else []

    @property
    def impact_loss(self) -> float:
        """Kinetic energy that was lost at t = 0 by making the velocities consistent."""
        return self.initial.impact_loss if self.initial else 0.0

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What the machine is, for screen and listing: (label, text)."""
        return [
            *machine_facts(self._machine),
            *schedule_facts(self._machine, self.n_steps_estimate),
            *frame_facts(self._frames),
        ]

    @property
    def meshes(self) -> list[MeshReport]:
        """What there is to know of each mesh."""
        return mesh_reports(self._assembly)

    @property
    def new_deck_lines(self) -> list[str]:
        """Lines for the deck with what closing gaps moved; none if nothing was moved by more than rounding."""
        return new_deck_lines(self._assembly, self.initial) if self.initial else []

    def summary(self) -> dict[str, float | str]:
        """Figures of the run so far that are not in the samples."""
        return {
            "degrees_of_freedom": float(self.degrees_of_freedom),
            "redundant_rows": float(len(self.redundant_rows)),
            "impact_loss": self.impact_loss,
            "divided_steps": float(self.divided_steps),
            "inaccurate_steps": float(self.inaccurate_steps),
        }
