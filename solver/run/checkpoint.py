"""Where a run stands, kept in its result file so that `gsolve resume` can go on from there bit for bit."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from ..core.digests import digest_of_file
from ..core.resumable import State
from ..core.version import version
from ..results.checkpoint import checkpoint_bytes
from ..results.files import OutputError
from .checkpoint_times import CheckpointInterval, CheckpointTimes
from .options import RunOptions, user_routines

if TYPE_CHECKING:
    from pathlib import Path

    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic

    from ..results.history import Earlier, HistoryFile

# Options that change what a run calculates; a resumed run has those of the run before.
OPTIONS = (
    "defines", "t_end", "dt", "gjoint_alpha", "assemble", "settle", "general", "accuracy", "order", "untrusted",
    "stop_when", "frames",
)  # fmt: skip
Stamp = tuple[int, int, int]
NOTES_SHARE = 0.02  # of the wall time, that a run may take to note where it stands
ARITHMETIC = "gsolve.solver.integration.loop"  # all kernels of a step are among what this imports


def origin_of(model: Model, options: RunOptions) -> State:
    """What a run was of: a checkpoint serves no other."""
    import numba
    import numpy as np

    from ..core.jit.machine_code import digest_of_sources

    return {
        "gsolve": version(),
        "arithmetic": digest_of_sources(ARITHMETIC).hex(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "deck": os.path.abspath(model.files[0]) if model.files else "",
        "deck_sha256": model.deck_sha256,
        "files": {name: digest_of_file(name) for name in files_beside(model)},
        "options": {name: getattr(options, name) for name in OPTIONS},
    }


def files_beside(model: Model) -> list[str]:
    """Files that a run reads and whose text is not in the result file: meshes, routines."""
    return sorted({*model.mesh_files, *(routine.file for routine in user_routines(model))})


@dataclass(frozen=True, slots=True)
class Continuation:
    """Where a run goes on from.

    earlier : the results up to there; listing : what was listed so far
    time, step : at which it goes on
    run : all that has changed until then, by name
    times : all at which the run was continued, as text
    wall_time : seconds that it has taken until then
    stamp : of the file that all this was read from
    """

    earlier: Earlier
    listing: str
    time: float
    step: int
    run: State
    times: str
    wall_time: float
    stamp: Stamp

    def refuse_other_file(self) -> None:
        """Raises OutputError where another run has written the file since."""
        if stamp_of(self.earlier.path) != self.stamp:
            raise OutputError(
                f"{self.earlier.path} was written by another run meanwhile: gsolve resume goes on from what is there "
                "now"
            )


def stamp_of(path: Path) -> Stamp:
    """What changes when a file is written."""
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns, found.st_size


def differs_by_rounding() -> Diagnostic:
    """What to say where a checkpoint was made by other machine code, or on another processor."""
    from gsolve.parser.text.diagnostics import Diagnostic

    return Diagnostic(
        "warning",
        "the machine, as it is put together here, differs by rounding from the one that the checkpoint was made of: "
        "the run goes on, but not bit for bit as it would have there",
    )


class CheckpointKeeper:
    """Writes the checkpoints of a run to its result file.

    origin : what the run is of
    number : of the checkpoint that the run begins with, 0 for none; time : where it begins
    """

    def __init__(self, interval: CheckpointInterval, origin: State, number: int = 0, time: float = 0.0) -> None:
        self._origin, self._number = origin, number
        self._times = CheckpointTimes(interval, time)
        self._noted: State | None = None
        self._next_note = -math.inf

    def is_due(self, time: float) -> bool:
        """Whether it is time for one."""
        return self._times.is_due(time)

    def steps_left(self, time: float, dt: float) -> float:
        """Steps up to the next one that simulated time asks for."""
        return self._times.simulated_time_left(time) / dt

    def note(self, history: HistoryFile, run: Callable[[], State], time: float) -> None:
        """Remember where the run stands now and then: where it is ended between two places, it has gone too far."""
        began = monotonic()
        if began >= self._next_note:
            self._noted = copy.deepcopy(self._state(history, run(), time))
            now = monotonic()
            self._next_note = now + (now - began) / NOTES_SHARE

    def keep_noted(self, history: HistoryFile, changed: Callable[[State], State]) -> str:
        """Write what was remembered last, with its simulation changed, as a checkpoint; as `keep`."""
        if self._noted is None:
            return ""
        run = self._noted["run"]
        return self._write(history, self._noted | {"run": run | {"simulation": changed(run["simulation"])}})

    def keep(self, history: HistoryFile, run: State, time: float) -> str:
        """Write a checkpoint, all samples so far being flushed; returns why that could not be done, or nothing."""
        return self._write(history, self._state(history, run, time))

    def _state(self, history: HistoryFile, run: State, time: float) -> State:
        return {
            "origin": self._origin, "samples": history.samples_taken, "frames": history.frames_taken, "time": time,
            "run": run,
        }  # fmt: skip

    def _write(self, history: HistoryFile, state: State) -> str:
        time = state["time"]
        try:
            history.write_checkpoint(self._number + 1, checkpoint_bytes(self._number + 1, state))
        except OutputError as error:
            self._times.made(time)
            return str(error)
        self._number += 1
        self._times.made(time)
        return ""
