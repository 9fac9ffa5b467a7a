"""What a program in Python calls: `read`, `check`, `run` and `load`, handed out as `gsolve.read` ..."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from gsolve.parser.model import Model

from ..core.python_words import defaults_of, in_python, reworded
from ..results.files import OutputError
from .check import Check, check_model
from .driver import Outcome, run_in_memory, run_to_files
from .frame_plan import frames_asked
from .observer import Caller, RunProgress
from .options import DEFAULT_INTERVAL, ORDERS, RunOptions, UsageError
from .reading import read_model

if TYPE_CHECKING:
    from ..constraints.gear_joints import GjointAlpha
    from ..results.result import Result

Parameters = Mapping[str, float | int | str]
Deck: TypeAlias = str | os.PathLike[str] | Model


class RunError(Exception):
    """A run failed: it diverged, violates its constraints, passed a /STOP limit, or its file could not be written.

    result : what it came to until then
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(result)

    def __str__(self) -> str:
        return self.result.message


@in_python
def read(
    path: str | os.PathLike[str],
    *,
    parameters: Parameters | None = None,
    t_end: float | None = None,
    gjoint_alpha: GjointAlpha = "documented",
    untrusted: bool = False,
) -> Model:
    """Read and check a deck.

    Parameters
    ----------
    path
        `NAME_0000.rad` (with `NAME_0001.rad` beside it, if present), or any other file that holds everything.
    parameters
        Values in place of those of /PARAMETER, by name.
    t_end
        End time, in place of that of /RUN.
    gjoint_alpha
        How FscaleV of /GJOINT is taken: "documented" or "inverse".
    untrusted
        Let the deck name files (includes, meshes, routines) below its own folder only.

    Raises
    ------
    DeckError
        With every error of the deck, as `diagnostics`.
    """
    RunOptions(t_end=t_end, gjoint_alpha=gjoint_alpha)
    if not isinstance(parameters, Mapping | None):
        raise UsageError(f"parameters: {parameters!r} is no dictionary of values by name, as {{'speed': 2.5}}")
    defines = {name: _number_text(name, value) for name, value in (parameters or {}).items()}
    return read_model(_path("path", path), defines=defines, gjoint_alpha=gjoint_alpha, t_end=t_end, untrusted=untrusted)


@in_python
def check(
    deck: Deck,
    *,
    parameters: Parameters | None = None,
    t_end: float | None = None,
    dt: float | None = None,
    accuracy: float | None = None,
    order: int = ORDERS[0],
    threads: int = 1,
    assemble: bool = False,
    settle: bool = False,
    general: bool = False,
) -> Check:
    """Assemble a deck and find all about it, without running it: what `gsolve check` says, as data.

    Parameters
    ----------
    deck
        A model, or the path of a deck.
    parameters
        As of `read`; for a path only.
    t_end, dt, accuracy, order, threads, assemble, settle, general
        As of `run`.

    Raises
    ------
    DeckError
        The deck has errors, or its machine cannot be assembled.
    UsageError
        An option has a value that it cannot have.
    """
    model = _model_of(deck, parameters, t_end)
    options = RunOptions(
        t_end=t_end, dt=dt, accuracy=accuracy, order=order, threads=threads, assemble=assemble, settle=settle,
        general=general, gjoint_alpha=model.gjoint_alpha,
    )  # fmt: skip
    found = check_model(model, options, Caller(None, None))
    told = [reworded(warning, defaults_of(check)) for warning in found.warnings]
    return replace(found, warnings=told, figures={**found.figures, "warnings": told})


@in_python
def run(
    deck: Deck,
    *,
    parameters: Parameters | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    t_end: float | None = None,
    dt: float | None = None,
    accuracy: float | None = None,
    order: int = ORDERS[0],
    stop_when: str | None = None,
    threads: int = 1,
    assemble: bool = False,
    settle: bool = False,
    general: bool = False,
    allow_user_code: bool = False,
    checkpoint_every: str = DEFAULT_INTERVAL,
    frames: int | Literal["off"] | None = None,
    progress: Callable[[RunProgress], object] | None = None,
    stop: Callable[[RunProgress], bool | str] | None = None,
    on_failure: Literal["raise", "return"] = "raise",
) -> Result:
    """Run a deck.

    Parameters
    ----------
    deck
        A model, which can be run again and again, or the path of a deck.
    parameters
        As of `read`; for a path only.
    output
        None: the results stay in memory. Otherwise they go to NAME.h5 and NAME.out as those of `gsolve DECK -o NAME`.
    force
        Replace results of earlier runs.
    t_end, dt
        End time and imposed time step, in the deck's unit of time, in place of those of the deck.
    accuracy
        Tolerance of steps that are controlled by their error, 1e-8 to 1e-1.
    order
        Of the steps: 2, or 4 and 6 where all is smooth and nothing dissipates.
    stop_when
        Condition on histories, as "gjoint/1/VEL1 > 10"; the run ends, completed, at the first sample at which it holds.
    threads
        Threads for subsystems that nothing couples; the results do not depend on it.
    assemble
        Move a machine whose joints do not fit at t = 0 to the nearest positions where they do.
    settle
        Find the static equilibrium first, loads and drives held as at t = 0, and start from there at rest.
    general
        Take the general path everywhere.
    allow_user_code
        Run the routines of contacts that the deck names.
    checkpoint_every
        Of a run with files: the time between checkpoints, from which `resume` can go on. "10min", "90s" or "2h" of wall
        time, "0.05" of simulated time in the deck's unit, or "never". At the end of the run there is one as well.
    frames
        About how many poses of all bodies to keep, evenly spaced, for pictures; None is about 200, "off" none.
    progress
        Called after each block of steps, a few times a second at most (oftener while blocks are short, at the
        beginning), and at the end.
    stop
        Called at the same times, and while the machine is settled; a true answer ends the run as "stopped", with a text
        as its reason.
    on_failure
        Whether a run that fails raises RunError, which has the results, or returns them.

    Raises
    ------
    DeckError
        The deck has errors, or its machine cannot be assembled; nothing was run.
    RunError
        The run failed.
    OutputError
        The results cannot go to `output`, and nothing was run; or they were removed while it ran.
    UsageError
        An option has a value that it cannot have.
    StoppedError
        `stop` ended it while the machine was settled; there are no results.
    """
    asked = {name: value for name, value in locals().items() if name not in ("deck", "progress", "stop")}
    _check_answers(on_failure, progress=progress, stop=stop)
    model = _model_of(deck, parameters, t_end)
    options = RunOptions(
        output=_path_or_none("output", output), force=force, t_end=t_end, dt=dt, accuracy=accuracy,
        order=order, stop_when=stop_when, threads=threads, assemble=assemble, settle=settle, general=general,
        allow_user_code=allow_user_code, gjoint_alpha=model.gjoint_alpha, checkpoint_every=checkpoint_every,
        frames=_frames(frames), command_line=_call_text(model, asked),
    )  # fmt: skip
    caller = Caller(progress, stop, defaults_of(run))
    from ..results.result import Result

    if output is None:
        _, history = run_in_memory(model, options, caller)
        result = Result(history)
    else:
        result = _loaded(run_to_files(model, options, caller))
    return _answer(result, caller, on_failure)


@in_python
def resume(
    path: str | os.PathLike[str],
    *,
    t_end: float | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    deck: str | os.PathLike[str] | None = None,
    stop_when: str | None = None,
    threads: int = 1,
    allow_user_code: bool = False,
    checkpoint_every: str = DEFAULT_INTERVAL,
    progress: Callable[[RunProgress], object] | None = None,
    stop: Callable[[RunProgress], bool | str] | None = None,
    on_failure: Literal["raise", "return"] = "raise",
) -> Result:
    """Go on with a run from the newest checkpoint in its result file, as `gsolve resume` does.

    Parameters
    ----------
    path
        The result file of a run that was stopped or killed, or of one that is to go on to a later end.
    t_end
        Another end time, in the deck's unit of time.
    output
        Where the results go; None: into the file itself.
    deck
        The deck, where it is not where it was.
    stop_when
        Another condition that ends the run; None: the one that it had.
    force, threads, allow_user_code, checkpoint_every, progress, stop, on_failure
        As of `run`.

    Raises
    ------
    DeckError, RunError
        As `run` does.
    OutputError
        The file cannot be read, or the results not be written.
    UsageError
        The file has no checkpoint, has come to its end, or the deck, gsolve or an option is another one.
    """
    from .resume import ResumeOptions
    from .resume import resume as go_on

    _check_answers(on_failure, progress=progress, stop=stop)
    options = ResumeOptions(
        deck=_path_or_none("deck", deck), t_end=t_end,
        output=_path_or_none("output", output), force=force, stop_when=stop_when, threads=threads,
        allow_user_code=allow_user_code, checkpoint_every=checkpoint_every,
    )  # fmt: skip
    caller = Caller(progress, stop, defaults_of(resume))
    return _answer(_loaded(go_on(Path(_path("path", path)), options, caller)), caller, on_failure)


def _frames(value: object) -> int | None:
    try:
        return frames_asked(value)
    except ValueError as error:
        raise UsageError(f"frames: {error}") from error


def _check_answers(on_failure: str, **functions: object) -> None:
    """What is done with the answers of a run, before it begins."""
    if on_failure not in ("raise", "return"):
        raise UsageError(f"on_failure: {on_failure!r} is neither 'raise' nor 'return'")
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise UsageError(f"{name}: {function!r} is no function that can be called")


def _loaded(outcome: Outcome) -> Result:
    """The results of a run with files, as `load` would give them; what the run knows of them is not read again.

    Raises
    ------
    OutputError
        the file is gone, or another one has its name
    """
    from ..results.history_reader import HistoryReader
    from ..results.result import Result

    assert outcome.paths is not None
    if outcome.paths.history in outcome.lost:
        raise OutputError(outcome.message)
    return Result(HistoryReader(outcome.paths.history, outcome.contents))


def _answer(result: Result, caller: Caller, on_failure: str) -> Result:
    """What a run gives back, or raises."""
    if caller.error_of_callback is not None:
        raise caller.error_of_callback
    if result.status == "failed" and on_failure == "raise":
        raise RunError(result)
    return result


def load(path: str | os.PathLike[str]) -> Result:
    """The results in a file NAME.h5; histories are read when they are asked for.

    Raises
    ------
    OutputError
        The file is not there, is damaged, or is no result of gsolve.
    """
    from ..results.history_reader import HistoryReader
    from ..results.result import Result

    return Result(HistoryReader(_path("path", path)))


@in_python
def export(
    result: Result | str | os.PathLike[str],
    *formats: str,
    output: str | os.PathLike[str] | None = None,
    variables: Sequence[str] = (),
    animate: str | os.PathLike[str] | None = None,
    seconds: float = 8.0,
    up: str | None = None,
    force: bool = False,
) -> list[Path]:
    """Write a result for other programs, as `gsolve export` does; gives the names of the files.

    Parameters
    ----------
    result
        What a run gave, or its file.
    formats
        Among "csv", "parquet", "vtkhdf" and "gltf".
    output
        Folder or name of the files; None: that of the result, in the current folder.
    variables
        Names and patterns of the histories that tables hold, side by side; none: a table a family.
    animate
        An animation to draw, a .gif or .mp4 file.
    seconds, up
        How long animations play; the axis of the deck that is upwards, "x", "y" or "z". None: against gravity, z where
        there is none.
    force
        Whether files that are there are replaced.

    Raises
    ------
    OutputError
        A file is there or cannot be written, the run has no frames, or a package is not installed.
    UnknownNameError
        The run has no such variable.
    UsageError
        There is no such format.
    """
    from ..results.export.command import FORMATS, ExportRequest, export_result
    from ..results.result import Result

    wrong = [name for name in formats if name not in FORMATS]
    if wrong:
        raise UsageError(f"no format {wrong[0]!r}: there are {', '.join(FORMATS)}")
    request = ExportRequest(
        formats=formats, animate=Path(_path("animate", animate)) if animate is not None else None,
        output=_path_or_none("output", output), variables=variables, seconds=seconds, up=up,
        force=force,
    )  # fmt: skip
    return export_result(result if isinstance(result, Result) else load(result), request)


def _model_of(deck: Deck, parameters: Parameters | None, t_end: float | None) -> Model:
    if not isinstance(deck, Model):
        return read(_path("deck", deck), parameters=parameters, t_end=t_end)
    if parameters is not None:
        raise UsageError("parameters are taken when a deck is read: gsolve.read(path, parameters=...)")
    return deck


def _path(name: str, value: object) -> str:
    """A path as text; raises UsageError for what is none."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(path, str):
        raise UsageError(f"{name}: {value!r} is no path: a text is needed, or a pathlib.Path")
    return path


def _path_or_none(name: str, value: object) -> str | None:
    return None if value is None else _path(name, value)


def _number_text(name: str, value: Any) -> str:
    """A value of a parameter as -D has it, with all its digits."""
    if isinstance(value, str):
        return value
    try:
        if isinstance(value, bool):
            raise TypeError
        return repr(int(value)) if value == int(value) and not isinstance(value, float) else repr(float(value))
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"parameters: {name} = {value!r} is not a number") from None


def _call_text(model: Model, asked: Mapping[str, Any]) -> str:
    """How the run was called, for the record."""
    defaults = {"order": ORDERS[0], "threads": 1, "on_failure": "raise", "checkpoint_every": DEFAULT_INTERVAL}
    given = [f"{name}={value!r}" for name, value in asked.items() if value not in (None, False, defaults.get(name))]
    return f"gsolve.run({', '.join([repr(model.files[0] if model.files else model.run_name), *given])})"
