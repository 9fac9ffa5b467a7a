"""A run from model to results: drives the simulation block by block, writes, shows progress, ends cleanly."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gsolve.parser.text.numbers import counted

from ..core.channels import SampleBlock
from ..core.python_words import reworded, with_arguments
from ..core.resumable import Resumable, State
from ..core.unit_names import energy_unit
from ..core.version import version
from ..results.balance import Balance, lever_arms
from ..results.closing import balance_lines, final_values
from ..results.describe import SCREEN_JOINTS, deck_facts, diagnostic_lines, fact, joint_lines, span
from ..results.files import OutputError, ResultPaths, ResultPlace, result_paths
from ..results.history import HistoryFile, Status
from ..results.listing import Listing, StepTable
from ..results.memory import MemoryHistory
from ..results.summary import plain
from .build import build_simulation
from .checkpoint import CheckpointKeeper, Continuation, differs_by_rounding, origin_of
from .checkpoint_times import checkpoint_interval
from .console import RepeatedMessages, duration, grouped
from .endings import EXIT_RUN_FAILED
from .interrupt import EXIT_INTERRUPTED
from .observer import Observer, RunProgress
from .options import RunOptions, input_files, refuse_user_code
from .promise import doubts_of, judged, note

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic

    from ..results.contents import Contents
    from .simulation import Simulation, SimulationError

BLOCK_SECONDS = 0.3  # wall time between two looks at the keyboard
FLUSH_SECONDS = 1.0  # wall time that a kill may cost
EXIT_CODES: dict[Status, int] = {"completed": 0, "failed": EXIT_RUN_FAILED, "stopped": EXIT_INTERRUPTED}
EXIT_DOUBTS = EXIT_RUN_FAILED


@dataclass(slots=True)
class Outcome:
    """How a run ended.

    paths : the files of the run, None for one in memory
    warnings : all, those that are doubts about the results included
    strict : whether doubts make a completed run a failure for who called it
    contents : what its file has besides histories, None where that cannot be relied on
    lost : its files that others removed or replaced
    """

    status: Status
    message: str
    paths: ResultPaths | None
    balance: Balance
    warnings: list[Diagnostic] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    strict: bool = False
    contents: Contents | None = field(default=None, repr=False)
    lost: list[Path] = field(default_factory=list)

    @property
    def doubts(self) -> list[Diagnostic]:
        """Warnings that spoil what "completed" promises."""
        return doubts_of(self.warnings)

    @property
    def summary(self) -> dict[str, Any]:
        """All of it, for a machine to read."""
        return {
            "status": self.status,
            "message": self.message,
            **self.figures,
            "doubts": self.doubts,
            "warnings": self.warnings,
        }

    @property
    def exit_code(self) -> int:
        """Exit code of the process."""
        if self.strict and self.status == "completed" and self.doubts:
            return EXIT_DOUBTS
        return EXIT_CODES[self.status]


def run_to_files(
    model: Model, options: RunOptions, observer: Observer, continued: Continuation | None = None, t_end: float = 0.0
) -> Outcome:
    """Run a model and write NAME.h5 and NAME.out.

    continued : where it goes on from; t_end : its end then, which may be another one than that of the options

    Raises
    ------
    DeckError
        the model cannot be assembled; no file is touched
    OutputError
        the results cannot be put where they belong; nothing was run
    """
    started = time.monotonic()
    paths = result_paths(model.run_name, options.output)
    refuse_user_code(model, allowed=options.allow_user_code)
    interval = checkpoint_interval(options.checkpoint_every)
    with ResultPlace(paths, input_files(model), force=options.force) as place:
        if continued is not None:
            continued.refuse_other_file()
        state = continued.run["simulation"] if continued is not None else None
        simulation = build_simulation(model, options, observer, state=state, has_checkpoints=interval is not None)
        if continued is not None and t_end != simulation.t_end:
            simulation.extend(t_end)
        place.refuse_existing()
        with observer:
            history = _open_history(paths, model, simulation, options, continued)
            keeper = None
            if interval is not None:
                number, time_now = (continued.earlier.number, continued.time) if continued is not None else (0, 0.0)
                keeper = CheckpointKeeper(interval, origin_of(model, options), number, time_now)
            try:
                listing = Listing(
                    paths.listing, f"gsolve {version()}", observer.say, continued.listing if continued else ""
                )
            except OutputError as error:
                history.close_without_waiting(str(error))
                paths.history.unlink()
                raise
            try:
                run = _Run(model, simulation, history, listing, observer, started, keeper)
                if continued is not None:
                    run.go_on_from(continued)
                outcome = run.to_the_end(paths, options)
                place.lost = outcome.lost
                return outcome
            finally:
                listing.close()


def run_in_memory(model: Model, options: RunOptions, observer: Observer) -> tuple[Outcome, MemoryHistory]:
    """Run a model, and keep what `run_to_files` would write to NAME.h5; no file is touched.

    Raises
    ------
    DeckError
        the model cannot be assembled
    """
    started = time.monotonic()
    refuse_user_code(model, allowed=options.allow_user_code)
    simulation = build_simulation(model, options, observer)
    with observer:
        attributes = _first_attributes(model, simulation, options)
        history = MemoryHistory(model, simulation.families, attributes=attributes, picture=simulation.picture)
        run = _Run(model, simulation, history, None, observer, started)
        return run.to_the_end(None, options), history


def _first_attributes(
    model: Model, simulation: Simulation, options: RunOptions, continued: Continuation | None = None
) -> dict[str, str | int | float]:
    return {
        "gsolve_version": version(),
        "command_line": options.command_line,
        "resumed": continued.times if continued is not None else "",
        "parameters": json.dumps(plain(model.parameters), ensure_ascii=False),
        "gjoint_alpha": options.gjoint_alpha,
        "t_end": simulation.t_end,
        "dt_min": simulation.dt,
        "dt_max": simulation.dt,
        "dt_reason": simulation.dt_reason,
        "n_steps": 0,
        "energy_turned_over": 0.0,
        "energy_error": 0.0,
        "doubts": 0,
        "wall_time_s": 0.0,
        **controlled_figures(simulation),
        **simulation.settled_figures,
    }


def _open_history(
    paths: ResultPaths, model: Model, simulation: Simulation, options: RunOptions, continued: Continuation | None
) -> HistoryFile:
    interval = simulation.sampling_interval
    samples = int(simulation.t_end / interval) + 2 if interval > 0 else 2
    attributes = _first_attributes(model, simulation, options, continued)
    has_checkpoints = checkpoint_interval(options.checkpoint_every) is not None
    return HistoryFile(
        paths.history, model, simulation.families, samples_expected=samples, attributes=attributes,
        picture=simulation.picture,
        checkpoint_bytes=simulation.nbytes if has_checkpoints else None,
        earlier=continued.earlier if continued is not None else None,
    )  # fmt: skip


def controlled_figures(simulation: Simulation) -> dict[str, float | str]:
    """Steps of machines that have steps of their own, where that is asked for."""
    controlled = simulation.controlled_steps
    return controlled.figures() if controlled is not None else {}


class _Ended(Exception):
    """The run is over before its time; carries how."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class _Run(Resumable):
    """One run and everything it writes to."""

    KEPT = ("first_dt",)

    def __init__(
        self,
        model: Model,
        simulation: Simulation,
        history: HistoryFile | MemoryHistory,
        listing: Listing | None,
        observer: Observer,
        started: float,
        keeper: CheckpointKeeper | None = None,
    ) -> None:
        self.model = model
        self.simulation = simulation
        self.history = history
        self.listing = listing
        self.observer = observer
        self.keeper = keeper
        self.continued: Continuation | None = None
        self.first_step = 0  # of those that it takes itself
        self.is_between_blocks = True
        self.started = self.first_step_at = started
        self.warnings = [*model.warnings, *simulation.warnings]
        self.first_dt = simulation.dt
        units = model.units
        joule = units.mass_si * (units.length_si / units.time_si) ** 2
        self.balance = Balance(joule, lever_arms(model, simulation.families))
        self.last_block: SampleBlock | None = None
        self.failure: SimulationError | None = None
        self.repeated = RepeatedMessages()
        self.steps = StepTable(model.engine.print_every, simulation.n_steps_estimate)
        self.notes = [note(remark) for remark in observer.remarks]

    # ---- checkpoints -----------------------------------------------------------------------------------------

    def state(self) -> State:
        """All that a run has changed so far."""
        return super().state() | {
            "simulation": self.simulation.state(),
            "balance": self.balance.state(),
            "steps": self.steps.state(),
            "repeated": self.repeated.state(),
            "warnings": plain(self.warnings),
            "notes": plain(self.notes),
            "step": self.simulation.step,
        }

    def restore(self, state: State) -> None:
        """Stand where the run stood whose state this is; the simulation does so already."""
        from gsolve.parser.text.diagnostics import Diagnostic

        super().restore(state)
        self.balance.restore(state["balance"])
        self.steps.restore(state["steps"])
        self.repeated.restore(state["repeated"])
        self.warnings = [Diagnostic(**item) for item in state["warnings"]]
        self.notes = [*(Diagnostic(**item) for item in state["notes"]), *self.notes]
        self.first_step = state["step"]

    def go_on_from(self, continued: Continuation) -> None:
        """Go on where another run stood."""
        self.continued = continued
        self.started -= continued.wall_time
        self.restore(continued.run)
        if self.simulation.differs_by_rounding(continued.run["simulation"]):
            self.warnings.append(differs_by_rounding())

    def _keep_checkpoint(self) -> None:
        if self.keeper is None or not isinstance(self.history, HistoryFile) or not self.is_between_blocks:
            return
        self._flush()
        if self.simulation.reason_of_end:  # it stands after the last sample
            failure = self.keeper.keep_noted(self.history, self.simulation.beyond_end)
        else:
            failure = self.keeper.keep(self.history, self.state(), self.simulation.time)
        if failure:
            self.notes.append(note(failure))
            self._tell([f"note: {failure}"])

    def _flush(self) -> None:
        self.history.flush(self._attributes())
        if self.listing is not None:
            self.listing.flush()

    # ---- the run ---------------------------------------------------------------------------------------------

    def _announce(self, options: RunOptions) -> None:
        simulation, model = self.simulation, self.model
        if self.listing is None:
            return
        if self.continued is not None:
            when = f"{self.continued.time:.9g} {model.units.time}"
            parts = (f"at t = {when}", f"step {self.continued.step}", f"to t = {simulation.t_end:g}", simulation.past)
            self.listing.both([fact("resumed", ", ".join(filter(None, parts)))])
            return
        self.listing.both(fact(label, text) for label, text in (*deck_facts(model), *simulation.facts))
        if simulation.new_deck_lines:
            self.listing.only(simulation.new_deck_lines)
            self.observer.say(fact("assembly", f"the new coordinates are in {self.listing.path}, as lines of /NODE"))
        self.listing.only(joint_lines(model, options.gjoint_alpha))
        for line in joint_lines(model, options.gjoint_alpha, most=SCREEN_JOINTS):
            self.observer.say(line)
        self.listing.both(diagnostic_lines(self.warnings))

    def _close(self, status: Status, message: str) -> None:
        """Messages are kept in the words of who started the run, but for reasons of an end, which are its own."""
        arguments = self.observer.arguments
        if status == "failed":
            message = with_arguments(message, arguments)
        messages = [reworded(found, arguments) for found in (*self.warnings, *self.notes)]
        self.history.close(status, message, self._attributes(), messages)

    def _tell(self, lines: Iterable[str]) -> None:
        """Lines for the listing and the screen, while the run goes on."""
        if self.listing is not None:
            self.observer.clear()
            self.listing.both(lines)

    def to_the_end(self, paths: ResultPaths | None, options: RunOptions) -> Outcome:
        """Say what was read, march, close the files, say how it went."""
        lost: list[Path] = []
        try:
            self._announce(options)
            status, message = self._attempt()
            if status != "failed":
                self._keep_checkpoint()
            if status == "completed":
                self.simulation.conclude()
                self._keep(None)
            status, message = self._judge(status, message)
            lost = self._lost()
            if lost:
                names = " and ".join(map(str, lost))
                what = f"{names} {'were' if len(lost) > 1 else 'was'} removed or replaced while the run wrote"
                status, message = "failed", f"{what} {'them' if len(lost) > 1 else 'it'}: its results are not there"
            self._close(status, message)
        except OutputError as error:
            status, message = "failed", str(error)
            self.history.close_without_waiting(message)
        except KeyboardInterrupt:
            self._close("stopped", self._stopped_message(self.observer.interruption()))
            raise
        except BaseException as error:
            self._close("failed", f"internal error: {error}")
            raise
        finally:
            self.observer.clear()
        outcome = Outcome(status, message, paths, self.balance, self.warnings, self._results(paths), options.strict)
        outcome.contents, outcome.lost = self.history.contents, lost
        self._conclude(outcome)
        return outcome

    def _lost(self) -> list[Path]:
        """Files that are no longer where the run writes them."""
        writers = [writer for writer in (self.history, self.listing) if isinstance(writer, (HistoryFile, Listing))]
        return [writer.path for writer in writers if not writer.is_in_place]

    def _judge(self, status: Status, message: str) -> tuple[Status, str]:
        """Whether a run that came to its end is completed; what speaks against that is said."""
        found = judged(self.balance)
        if found is None:
            return status, message
        self._tell(diagnostic_lines([found]))
        self.warnings.append(found)
        is_failure = found.severity == "error" and status == "completed"
        return ("failed", found.message) if is_failure else (status, message)

    def _attempt(self) -> tuple[Status, str]:
        from .simulation import SimulationError

        status, message = self._march_to_the_end()
        try:
            self.simulation.finish()
        except SimulationError as error:
            if status == "completed":
                return "failed", str(error)
        return status, message

    def _march_to_the_end(self) -> tuple[Status, str]:
        from .simulation import SimulationError

        try:
            self._march()
        except _Ended as ended:
            return ended.status, ended.message
        except KeyboardInterrupt:
            if not self.observer.takes_interrupts:
                raise
            return "stopped", self._stopped_message(self.observer.interruption())
        except SimulationError as error:
            self._keep(error.partial)
            if self.simulation.reason_of_end:  # it had ended before
                return "completed", self.simulation.reason_of_end
            self.failure = error
            return "failed", str(error)
        return "completed", self.simulation.reason_of_end

    @property
    def steps_taken(self) -> int:
        """Steps so far; the one beyond t_end, which only serves the last sample, does not count."""
        if self.failure is not None:
            return self.failure.step
        step = self.balance.latest.get("diag", {}).get("step")
        return int(step) if self.simulation.finished and step is not None else self.simulation.step

    @property
    def time(self) -> float:
        """Time that the run has come to."""
        if self.failure is not None:
            return self.failure.time
        return self.balance.time if self.simulation.finished else self.simulation.time

    def _stopped_message(self, reason: str) -> str:
        return f"stopped by {reason} at t = {self.simulation.time:.9g}"

    def _march(self) -> None:
        """Advance in blocks of about `BLOCK_SECONDS`, flush about every `FLUSH_SECONDS`."""
        simulation = self.simulation
        max_steps = 100
        flushed = time.monotonic()
        self.first_step_at = flushed
        self.observer.begin(simulation.t_end, self.model.units.time)
        if self.listing is not None:
            self.listing.only(["", self.steps.header()])
        while not simulation.finished:
            begun, before = time.monotonic(), simulation.step
            if self.keeper is not None and simulation.may_end_early and isinstance(self.history, HistoryFile):
                self.keeper.note(self.history, self.state, simulation.time)
            self.is_between_blocks = False
            self._keep(simulation.advance(self._steps_of_block(max_steps)))
            self.is_between_blocks = True
            now = time.monotonic()
            max_steps = next_block(max(simulation.step - before, 1), now - begun)
            if self.keeper is not None and self.keeper.is_due(simulation.time) and not simulation.finished:
                self._keep_checkpoint()
                flushed = now
            elif now - flushed > FLUSH_SECONDS:
                self._flush()
                flushed = now
            self._check_energy_error()
            at = RunProgress(self.time, simulation.t_end, self.steps_taken, time.monotonic() - self.first_step_at)
            reason = self.observer.look(at)
            if reason and not simulation.finished:
                raise _Ended("stopped", self._stopped_message(reason))

    def _steps_of_block(self, most: int) -> int:
        """At most so many; fewer where a checkpoint is due before."""
        if self.keeper is None:
            return most
        left = self.keeper.steps_left(self.simulation.time, self.simulation.dt)
        return most if left >= most else max(1, ceil(left - 1e-9))

    def _keep(self, block: SampleBlock | None) -> None:
        """Write down a block of samples and the messages that came with it."""
        if block is not None:
            block.complete()
            self.history.append(block)
            self.balance.add(block)
            self.last_block = block if len(block) else self.last_block
            if self.listing is not None:
                self.listing.only(self.steps.lines(block))
        if self.simulation.new_warnings:
            self._tell(diagnostic_lines(self.simulation.new_warnings))
            self.warnings += self.simulation.new_warnings
            self.simulation.new_warnings.clear()
        for message in self.simulation.messages:
            if self.repeated.is_new(message):
                self.notes.append(note(message))
                self._tell([message])
            elif self.observer.verbose:
                self._tell([message])
        self.simulation.messages.clear()

    def _check_energy_error(self) -> None:
        """End the run where /STOP sets a limit to the energy error, in percent."""
        limit, percent = self.model.engine.stop_energy_error, 100 * self.balance.energy_error
        if limit and percent > limit:
            where = f"t = {self.simulation.time:.9g}, step {self.simulation.step}"
            raise _Ended(
                "failed", f"energy error {percent:.3g} % at {where} is above the {limit:g} % that /STOP allows"
            )

    def _attributes(self) -> dict[str, str | int | float]:
        simulation = self.simulation
        return {
            "dt_min": simulation.dt_min_used,
            "dt_max": simulation.dt_max_used,
            "n_steps": self.steps_taken,
            "energy_turned_over": self.balance.turnover,
            "energy_error": self.balance.energy_error,
            "doubts": len(doubts_of(self.warnings)),
            "wall_time_s": time.monotonic() - self.started,
            **controlled_figures(simulation),
        }

    def _results(self, paths: ResultPaths | None) -> dict[str, Any]:
        """Figures of the run for a machine to read."""
        simulation, balance = self.simulation, self.balance
        return {
            **simulation.summary(),
            "run_name": self.model.run_name,
            "files": self.model.files,
            "mesh_files": self.model.mesh_files,
            "title": self.model.title,
            **({"history": str(paths.history), "listing": str(paths.listing)} if paths else {}),
            "t": self.time,
            "t_end": simulation.t_end,
            "n_samples": balance.samples,
            "parameters": self.model.parameters,
            "dt": self.first_dt,
            "dt_reason": simulation.dt_reason,
            "degrees_of_freedom": simulation.degrees_of_freedom,
            "redundant_rows": len(simulation.redundant_rows),
            "energy": balance.latest.get("energy", {}),
            "constraint_violation": balance.worst_violation,
            **self._attributes(),
        }

    def _conclude(self, outcome: Outcome) -> None:
        if self.listing is None or outcome.paths is None:
            return
        simulation, balance = self.simulation, self.balance
        wall = time.monotonic() - self.first_step_at
        rate = f", {grouped((self.steps_taken - self.first_step) / wall)} steps/s" if wall > 0 else ""
        lines = self.repeated.repeated()
        lines += final_values(self.simulation.families, self.last_block)
        lines += [
            fact(
                "run",
                f"{outcome.status} at t = {self.time:.9g} {self.model.units.time}, "
                f"{grouped(self.steps_taken)} steps in {duration(wall)}{rate}",
            ),
            fact("time step", f"{span(simulation.dt_min_used, simulation.dt_max_used)} {self.model.units.time}"),
        ]
        controlled = simulation.controlled_steps
        if controlled is not None and controlled.taken:
            label = "order" if controlled.order else "accuracy"
            lines.append(fact(label, controlled.text(self.model.units.time)))
        if simulation.divided_steps:
            lines.append(fact("", f"{counted(simulation.divided_steps, 'step')} taken in parts"))
        lines += balance_lines(balance, energy_unit(self.model.units))
        if outcome.doubts:
            lines.append(fact("doubts", f"{counted(len(outcome.doubts), 'warning')} above about these results"))
        lines.append(fact("wall time", duration(time.monotonic() - self.started)))
        written = [str(path) for path in (outcome.paths.history, outcome.paths.listing) if path not in outcome.lost]
        if written:
            lines.append(fact("results", ", ".join(written)))
        self.listing.both(lines)
        if outcome.message:
            self.listing.only([f"{outcome.status}: {outcome.message}"])
            tell = self.observer.say if outcome.status == "completed" else self.observer.error
            tell(f"gsolve: {outcome.message}")
        if outcome.exit_code == EXIT_DOUBTS and outcome.status == "completed":
            self.observer.error(
                f"gsolve: completed, but --strict: {counted(len(outcome.doubts), 'warning')} about the results"
            )


def next_block(max_steps: int, seconds: float) -> int:
    """Steps of the next block, so that it takes `BLOCK_SECONDS`; grows tenfold at most from block to block."""
    wanted = max_steps * BLOCK_SECONDS / max(seconds, 1e-9)
    return int(min(max(1.0, wanted), 10.0 * max_steps))
