"""A model in motion: assembled arrays, the time step, and samples block by block."""

from __future__ import annotations

import math

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.assemble import assemble
from ..assembly.assembly import Assembly
from ..assembly.contact_capacity import describe_contact_beyond_capacity
from ..assembly.contact_start import overlaps_at_start
from ..assembly.coupler_alignment import unaligned_couplers
from ..assembly.drive_messages import jump_messages, refused_in_run
from ..assembly.initial_state import (
    InitialState,
    choose_rows,
    find_initial_state,
    initial_facts,
    may_choose_rows,
    new_deck_lines,
    refuse,
)
from ..constraints.rows import LARGEST_SLACK, LEFT_OUT
from ..contact.rigid_wall_setup import set_penalty_stiffness
from ..contact.setup import with_more_capacity
from ..core.bodies import Floats, Ints
from ..core.channels import Channel, Family, SampleBlock
from ..core.unit_names import unit
from ..forces.spring_setup import spring_warnings
from ..forces.springs import RECORD
from ..integration import loop
from ..integration import system as columns
from ..integration.kernels import pointers_of
from ..integration.kick_drift import FARTHEST
from ..integration.substeps import earliest, run_divided, subsystem_at_fault
from ..integration.system import (
    Samples,
    System,
    bytes_of_sample,
    clear_samples,
    copies_of,
    new_samples,
    restore,
)
from ..integration.threads import TimeLoop
from ..results.contact_output import ContactHistory, body_pair_family, body_pair_values, contact_family
from ..results.energies import ENERGIES, energies_of
from ..results.joint_output import joint_histories, joint_values
from ..results.node_output import (
    body_of_main_nodes,
    node_family,
    node_request,
    node_values,
    rigid_body_family,
    rigid_body_values,
)
from ..results.sensor_output import sensor_family, sensor_values
from ..results.spring_output import spring_family
from ..results.wall_output import wall_family, wall_values
from .console import counted
from .contact_warnings import ContactWarnings
from .routine_files import RoutineError
from .time_step import choose_time_step, friction_warning, step_excess
from .user_code import UserCode

BLOCK_BYTES = 64e6  # memory of one block of samples
# Steps that are taken back together where the step is too long, or rows cannot be met: of an automatic and of an
# imposed step, fewer of a large machine (this many, divided by its bodies and rows), and once steps are taken in parts.
LOOK_INTERVAL, LOOK_INTERVAL_IMPOSED, LOOK_WORK, CLOSE_LOOK = 256, 4096, 2**22, 32
TOO_OFTEN = 8  # steps in a row that had to be taken in parts: the step is too long everywhere
SHORTEST = 1e-6  # of the first automatic step, below which it is not halved


class SimulationError(Exception):
    """The run cannot go on.

    step, time : where it failed; partial : samples finished before
    """

    def __init__(self, message: str, step: int, time: float, partial: SampleBlock | None) -> None:
        super().__init__(message)
        self.message, self.step, self.time, self.partial = message, step, time, partial


class Simulation:
    """One run of a model.

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
    ) -> None:
        self._model = model
        self._close_gaps = close_gaps
        self.t_end = t_end if t_end is not None else model.engine.t_end or 0.0
        self._assembly: Assembly = assemble(model, gjoint_alpha, self.t_end)
        self.messages: list[str] = []
        self.new_warnings: list[Diagnostic] = []
        self._contact_warnings = ContactWarnings(model)
        self.warnings: list[Diagnostic] = [*self._assembly.diagnostics]
        self.warnings += spring_warnings(model, self._system.points.body)
        self.sampling_interval = model.engine.sampling_interval or self.t_end / 1000
        step = choose_time_step(model, self._system, self.t_end, self.sampling_interval, dt)
        self.dt = self.dt_min_used = self.dt_max_used = self._first_dt = step.value
        self.dt_reason, self._dt_imposed = step.reason, step.imposed
        set_penalty_stiffness(self._system.walls, self._system.bodies, self.dt)
        if step.warning:
            self.warnings.append(Diagnostic("warning", step.warning))
        self._schedule(0, 0.0)
        self.n_steps_estimate = self._last_step
        self.step = 0
        self._loop = TimeLoop(self._system, max(1, threads))
        self._reference_energy: float | None = None
        self._steepness_told = False
        self._started = False
        self._request = node_request(model)
        self._node_points = self._system.points.of(self._request.nodes)
        self._bodies_of_rigid = body_of_main_nodes(self._assembly)
        self._joints = joint_histories(self._assembly)
        self._contacts = ContactHistory(self._assembly)
        self._user_code = UserCode(model, allow_user_code)
        self.families = self._families()
        self.initial: InitialState | None = None
        most = LOOK_INTERVAL_IMPOSED if step.imposed else LOOK_INTERVAL
        work = len(self._system.bodies) + len(self._system.rows)
        self._look_interval = min(max(CLOSE_LOOK, LOOK_WORK // work), most)
        self.divided_steps, self._divided_at, self._divided_in_a_row = 0, -2, 0

    @property
    def _system(self) -> System:
        return self._assembly.system

    @property
    def time(self) -> float:
        """Time of the next step."""
        return self._time_of(self.step)

    @property
    def degrees_of_freedom(self) -> int:
        """Degrees of freedom that the rows leave, known once the machine was started."""
        return self.initial.degrees_of_freedom if self.initial else 0

    @property
    def redundant_rows(self) -> list[str]:
        """Names of the rows that depend on others."""
        return [] if self.initial is None else [self._assembly.row_names[i] for i in self.initial.redundancy.left_out]

    @property
    def finished(self) -> bool:
        return self.step > self._last_step

    @property
    def needs_compilation(self) -> bool:
        """True while the kernels for a deck of this kind have not been compiled on this machine."""
        return not all(pointer.is_kept for pointer in pointers_of(self._system))

    # ---- set-up ----------------------------------------------------------------------------------------------

    def compile(self) -> None:
        """Find the state to start from; compiles the kernels where that is still due."""
        if self._started:
            return
        self._started = True
        self.initial = find_initial_state(self._assembly, self.t_end, self._close_gaps)
        self.warnings += self.initial.warnings + unaligned_couplers(self._assembly)
        overlaps = overlaps_at_start(self._assembly)
        refuse(self._assembly, [overlap for overlap in overlaps if overlap.severity == "error"])
        self.warnings += overlaps
        self.warnings += self._user_code.load(self._system)
        if self._user_code.needs_one_thread:
            self._loop.threads = 1
        self._loop.prepare(self._system)

    # ---- running ---------------------------------------------------------------------------------------------

    def _schedule(self, step: int, time: float) -> None:
        """Steps counted from `step` at `time`, of length dt, up to t_end."""
        self._step_0, self._time_0 = step, time
        self._last_step = step + steps_until(self.t_end - time, self.dt)

    def _time_of(self, step: int) -> float:
        return self._time_0 + (step - self._step_0) * self.dt

    def _sample_steps(self, first: int, end: int) -> Ints:
        """Steps in [first, end) that are samples: the first at or after each multiple of the interval, and the last."""
        k = math.floor(self._time_of(first - 1) / self.sampling_interval)
        steps: list[int] = []
        while True:
            step = self._step_0 + math.ceil((k * self.sampling_interval - self._time_0) / self.dt - 1e-9)
            if step >= min(end, self._last_step):
                break
            if step >= first and (not steps or step > steps[-1]):
                steps.append(step)
            k += 1
        if first <= self._last_step < end:
            steps.append(self._last_step)
        return np.array(steps, dtype=np.int64)

    def advance(self, max_steps: int) -> SampleBlock:
        """Run about max_steps steps; returns the samples finished meanwhile (perhaps none).

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
        end = self._end_of_block(self.step + max_steps)
        steps = self._sample_steps(self.step, end)
        most = max(1, int(BLOCK_BYTES / bytes_of_sample(self._system, len(self._loop.chunks))))
        if len(steps) > most:
            end = self._end_of_block(int(steps[most - 1]) + 1)
            steps = steps[steps < end]
        system = self._system
        samples = new_samples(system, steps, len(self._loop.chunks))
        while self.step < end:
            self._refuse_short_step(samples)
            piece = min(end, self._end_of_block(self.step + 1)) if self._may_go_back else end
            before = copies_of(system) if self._may_go_back else None
            system.parts["largest_turn"] = 0.0
            failures = [o for o in self._run_chunks(samples, piece - self.step) if o[0] != loop.COMPLETED]
            self._refuse_failed_routine(samples)
            if failures:
                block = self._recover(failures, before, samples)
                if block is not None:
                    return block
                system = self._system
                continue
            if before is not None and not self._dt_imposed:
                excess, why = step_excess(system, self._model, self.dt)
                if excess > 1.0 and self.dt > self._shortest_step():
                    block = self._block(samples, int(np.searchsorted(steps, self.step)))
                    restore(system, before)
                    self._halve(excess, why)
                    return block
            if self._dt_imposed:
                self._warn_of_steepness()
            self.step = piece
            self.new_warnings += self._contact_warnings.found(self._system, self.dt if self._dt_imposed else None)
            self.messages += self._user_code.messages()
            if len(self._system.drives):
                self.messages += jump_messages(self._assembly.places.drives, self._system.drives, self._model.units)
        return self._block(samples, len(steps))

    def _recover(self, failures: list[Ints], before: list[Floats] | None, samples: Samples) -> SampleBlock | None:
        """Go back to the step that failed and take it with other rows left out, or in parts; else halve the step.

        Returns None where the samples at hand can go on; where the step was halved, those up to there.

        Raises
        ------
        SimulationError
            nothing of this helps
        """
        status, step, culprit = earliest(failures)
        message = self._describe_failure(status, step, culprit)
        if before is not None:
            restore(self._system, before)
            clear_samples(samples, int(np.searchsorted(samples.step, self.step)))
            if status == loop.NO_CAPACITY and not message:
                contacts = with_more_capacity(self._system.contacts, culprit)
                self._assembly.system = self._system._replace(contacts=contacts)
                return None
            if step > self.step:
                self._run_chunks(samples, step - self.step)
                self.step = step
            if status == loop.ROWS_NOT_MET and self._choose_rows_anew(culprit):
                return None
            if subsystem_at_fault(self._system, status, culprit) >= 0 and self._divide_step(status, culprit, samples):
                return None
            if status in (loop.ROWS_NOT_MET, loop.DIVERGED, loop.NOT_HELD) and self._may_halve:
                block = self._block(samples, int(np.searchsorted(samples.step, step)))
                self._halve(math.inf, "the run would fail")
                return block
        done = int(np.searchsorted(samples.step, step))
        raise SimulationError(message, step, self._time_of(step), self._block(samples, done))

    def _choose_rows_anew(self, culprit: int) -> bool:
        """Where row `culprit` was left out but is no longer met by the others, leave out others from here on.

        Happens where a machine starts in a singular position, in which more rows depend on each other than later on.
        If none are better, the row is given more slack, as far as that goes.
        """
        rows = self._system.rows
        if rows["left_out"][culprit] != LEFT_OUT or not may_choose_rows(self._assembly, culprit):
            return False
        assert self.initial is not None
        before = self.initial.redundancy
        redundancy = choose_rows(self._assembly, culprit)
        if np.array_equal(np.sort(redundancy.left_out), np.sort(before.left_out)):
            rows["slack"][culprit] *= 10.0
            return bool(rows["slack"][culprit] <= LARGEST_SLACK)
        self.initial.redundancy = redundancy
        self.initial.degrees_of_freedom += len(redundancy.left_out) - len(before.left_out)
        row = self._assembly.row_names[culprit]
        self.messages.append(f"other rows are left out from t = {self.time:.6g} on: {row} was no longer met")
        return True

    def _divide_step(self, status: int, culprit: int, samples: Samples) -> bool:
        """Take the step at hand in parts, those subsystems that need it; not again and again."""
        self._divided_in_a_row = self._divided_in_a_row + 1 if self._divided_at == self.step - 1 else 1
        if self._divided_in_a_row > TOO_OFTEN:
            return False
        divided = run_divided(self._loop, self._system, samples, self.step, self.time, self.dt)
        if divided is None:
            return False
        if divided:
            if self.divided_steps == 0:
                node, unmet = self._assembly.main_node_ids, status == loop.ROWS_NOT_MET
                why = (
                    f"{self._assembly.row_names[culprit]} could not be met"
                    if unmet
                    else f"node {node[culprit]} ran away"
                )
                self.messages.append(
                    f"the step at t = {self.time:.6g} {self._model.units.time} was taken in {max(divided.values())} "
                    f"parts, as {why} in one; more steps like it are only counted"
                )
            self.divided_steps += 1
            self._divided_at = self.step
        self._look_interval = CLOSE_LOOK
        self._user_code.keep_points(self._system, self.step)
        self.step += 1
        return True

    @property
    def _may_halve(self) -> bool:
        return not self._dt_imposed and self.dt > self._shortest_step()

    def _warn_of_steepness(self) -> None:
        """Say so, once, where friction in joints is too steep for an imposed step."""
        if self._steepness_told:
            return
        warning = friction_warning(self._system, self._model, self.dt)
        if warning:
            self._steepness_told = True
            self.new_warnings.append(Diagnostic("warning", warning))

    @property
    def _may_go_back(self) -> bool:
        """Whether steps may have to be taken back: found too long, or because of a row that cannot be met."""
        return not self._dt_imposed or len(self._system.rows) > 0 or len(self._system.contacts.interfaces) > 0

    def _end_of_block(self, step: int) -> int:
        """The step at or after `step` where a block may end."""
        if self._may_go_back:
            interval = self._look_interval
            step = self._step_0 + interval * -((self._step_0 - step) // interval)
        return min(step, self._last_step + 1)

    def _shortest_step(self) -> float:
        """An automatic step is not halved below this."""
        return max(2 * (self._model.engine.dt_min or 0.0), self._first_dt * SHORTEST)

    def _refuse_short_step(self, samples: Samples) -> None:
        shortest = self._model.engine.dt_min
        if shortest is not None and self.dt < shortest:
            message = f"the time step {self.dt:.6g} is below the minimum of /DT, {shortest:.6g}: {self.dt_reason}"
            done = int(np.searchsorted(samples.step, self.step))
            raise SimulationError(message, self.step, self.time, self._block(samples, done))

    def _refuse_failed_routine(self, samples: Samples) -> None:
        """End the run where a routine of the user gave no force, unless that may be due to a step that is too long."""
        failure = self._user_code.failure()
        if failure is None or (self._may_halve and step_excess(self._system, self._model, self.dt)[0] > 1.0):
            return
        step = self._step_0 + math.floor((failure[0] - self._time_0) / self.dt + 1e-6)
        done = int(np.searchsorted(samples.step, step))
        raise SimulationError(failure[1], step, self._time_of(step), self._block(samples, done))

    def _run_chunks(self, samples: Samples, n_steps: int) -> list[Ints]:
        """All chunks through n_steps, up to one that fails."""
        outcomes: list[Ints] = []
        for step, count in self._user_code.pieces(self.step, n_steps, samples.step):
            outcomes = self._loop.run(self._system, samples, step, count, self._step_0, self._time_0, self.dt)
            if any(outcome[0] != loop.COMPLETED for outcome in outcomes):
                break
            self._user_code.keep_points(self._system, step + count - 1)
        return outcomes

    def _halve(self, excess: float, why: str) -> None:
        """Half the step from here on, as often as it is that many times too long; once where that is unknown."""
        time = self.time
        self.dt *= 0.5
        while 2.0 < excess < math.inf and self.dt > self._shortest_step():
            self.dt, excess = 0.5 * self.dt, 0.5 * excess
        self._schedule(self.step, time)
        self.dt_min_used = min(self.dt_min_used, self.dt)
        self.messages.append(f"time step halved to {self.dt:.6g} at t = {time:.6g}: {why}")

    def _describe_failure(self, status: int, step: int, culprit: int) -> str:
        where = f"at step {step}, t = {self._time_of(step):.6g} {self._model.units.time}"
        if status == loop.NO_ROOM:
            return describe_contact_beyond_capacity(self._assembly, culprit, where)
        if status in (loop.JUMP, loop.NO_DISTANCE):
            return refused_in_run(self._assembly, status == loop.JUMP, culprit, where)
        advice = "a shorter time step may help" if self._dt_imposed else "shorter time steps did not help"
        if status == loop.NOT_HELD:
            wall = self._model.rigid_walls[self._system.walls.walls["number"][culprit]]
            return f"the forces of {wall.name} on its nodes do not settle {where} ({advice})"
        if status == loop.ROWS_NOT_MET:
            row = self._assembly.row_names[culprit]
            residual = self._system.rows["residual"][culprit]
            return f"{row} cannot be met {where}: its residual stays at {residual:.3g} ({advice})"
        node, body = int(self._assembly.main_node_ids[culprit]), self._system.bodies[culprit]
        bounded = np.all(np.abs(body["trial_displacement"]) < FARTHEST)
        what = "turns by more than 2 rad in one step" if bounded else "moves beyond all bounds"
        return f"the run diverged {where}: node {node} {what} ({advice})"

    # ---- results ---------------------------------------------------------------------------------------------

    def _families(self) -> tuple[Family, ...]:
        model = self._model
        energy = unit(model.units, mass=1, length=2, time=-2)
        momentum = unit(model.units, mass=1, length=1, time=-1)
        angular = unit(model.units, mass=1, length=2, time=-1)
        diag = [
            Channel("step", "1", "number of the step"),
            Channel("dt", unit(model.units, time=1), "time step"),
            Channel("constraint_violation", "1", "largest residual of a row, relative to its size"),
            Channel("iterations", "1", "corrections of the multipliers in the step, largest of all subsystems"),
        ]
        diag += [Channel(f"momentum_{axis}", momentum, f"linear momentum, {axis}") for axis in "xyz"]
        diag += [
            Channel(f"angular_momentum_{axis}", angular, f"angular momentum about the origin, {axis}") for axis in "xyz"
        ]
        families = [
            Family("energy", tuple(Channel(name, energy, text) for name, text in ENERGIES)),
            Family("diag", tuple(diag)),
            node_family(model, self._request),
            rigid_body_family(model),
            *(history.family for history in self._joints),
            spring_family(self._assembly),
            contact_family(self._assembly),
            body_pair_family(self._assembly),
            wall_family(model),
            sensor_family(model),
        ]
        return tuple(f for f in families if f.ids is None or (len(f.ids) > 0 and f.channels))

    def _block(self, samples: Samples, count: int) -> SampleBlock:
        """The first `count` samples as channels."""
        times = np.array([self._time_of(int(step)) for step in samples.step[:count]])
        block = SampleBlock(times)
        if count == 0:
            return block
        groups = {family.group: family for family in self.families}
        block.values["energy"] = self._energies(samples, count)
        block.values["diag"] = self._diagnostics(samples, count)
        bodies = samples.body[:count]
        if "th/node" in groups:
            block.values["th/node"] = node_values(bodies, self._node_points, self._request)
        if "th/rbody" in groups:
            block.values["th/rbody"] = rigid_body_values(bodies, *self._bodies_of_rigid)
        block.values |= joint_values(self._assembly, self._joints, samples, count)
        if "th/spring" in groups:
            block.values["th/spring"] = {
                name: samples.spring[:count][:, self._assembly.spring_place, c] for c, name in enumerate(RECORD)
            }
        if "th/inter" in groups:
            steps = samples.step[:count].astype(float)
            block.values["th/inter"] = self._contacts.values(samples.interface[:count], steps)
        if "th/inter_pairs" in groups:
            block.values["th/inter_pairs"] = body_pair_values(self._assembly, samples.body_pair[:count])
        if "th/rwall" in groups:
            block.values["th/rwall"] = wall_values(self._model, self._system, samples.wall[:count])
        if "th/sensor" in groups:
            block.values["th/sensor"] = sensor_values(self._model, times)
        try:
            self._user_code.hand_over(block)
        except RoutineError as error:
            raise SimulationError(str(error), self.step, float(times[-1]), block) from error
        return block

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

    def _energies(self, samples: Samples, count: int) -> dict[str, Floats]:
        values = energies_of(samples, count, self.initial.impact_loss if self.initial else 0.0)
        if self._reference_energy is None:
            self._reference_energy = float(values["error"][0])
        values["error"] -= self._reference_energy
        return values

    def _diagnostics(self, samples: Samples, count: int) -> dict[str, Floats]:
        sums = samples.sums[:, :count].sum(axis=0)
        values = {
            "step": samples.step[:count].astype(float),
            "dt": np.full(count, self.dt),
            "constraint_violation": samples.worst[:, :count].max(axis=0, initial=0.0),
            "iterations": samples.passes[:, :count].max(axis=0, initial=0).astype(float),
        }
        for c, axis in enumerate("xyz"):
            values[f"momentum_{axis}"] = sums[:, columns.MOMENTUM + c]
            values[f"angular_momentum_{axis}"] = sums[:, columns.ANGULAR_MOMENTUM + c]
        return values

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What the machine is, for screen and listing: (label, text)."""
        system, units = self._system, self._model.units
        n_rows, n_subsystems, moving = len(system.rows), len(system.parts), len(system.bodies) - 1
        facts = [
            (
                "machine",
                f"{counted(moving, 'moving body', 'moving bodies')} in "
                f"{counted(n_subsystems, 'independent subsystem')}, {counted(n_rows, 'constraint row')}",
            ),
            ("freedom", self._freedom()),
        ]
        if self.initial is not None:
            facts += initial_facts(self._assembly, self.initial)
        facts.append(("time step", f"{self.dt:.6g} {units.time}: {self.dt_reason}"))
        facts.append(("run", f"to t = {self.t_end:g} {units.time} in {self.n_steps_estimate} steps, "
                             f"a sample every {self.sampling_interval:g} {units.time}"))  # fmt: skip
        return facts

    def _freedom(self) -> str:
        text = counted(self.degrees_of_freedom, "degree of freedom", "degrees of freedom")
        driven = self.initial.driven if self.initial else 0
        return f"{text}, {driven} more {'is' if driven == 1 else 'are'} driven" if driven else text

    @property
    def new_deck_lines(self) -> list[str]:
        """Lines for the deck with what closing gaps moved; none if nothing was moved by more than rounding."""
        return [] if self.initial is None else new_deck_lines(self._assembly, self.initial)

    def summary(self) -> dict[str, float | str]:
        """Figures of the run so far that are not in the samples."""
        return {
            "degrees_of_freedom": float(self.degrees_of_freedom),
            "redundant_rows": float(len(self.redundant_rows)),
            "impact_loss": self.initial.impact_loss if self.initial else 0.0,
            "divided_steps": float(self.divided_steps),
        }


def steps_until(duration: float, dt: float) -> int:
    """Steps of dt after which `duration` is reached, a rounding error forgiven."""
    return max(0, math.ceil(duration / dt - 1e-9))
