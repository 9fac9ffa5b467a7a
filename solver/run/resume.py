"""`gsolve resume`: a run goes on from the newest checkpoint of its result file."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.resumable import State
from ..core.version import version
from ..results.checkpoint import checkpoint_bytes, newest_state
from ..results.files import OutputError, result_paths
from ..results.hdf5 import DAMAGE, damaged, opened
from ..results.history import Earlier, stored_checkpoints
from ..results.history_reader import attributes_of
from .checkpoint import OPTIONS, Continuation, Stamp, files_beside, origin_of, stamp_of
from .driver import Outcome, run_to_files
from .observer import Observer
from .options import DEFAULT_INTERVAL, ORDERS, RunOptions, UsageError
from .reading import read_model

if TYPE_CHECKING:
    from gsolve.parser.model import Model

LONGEST_LINE = 60  # letters of a line of a deck that are shown


@dataclass(frozen=True, slots=True)
class ResumeOptions:
    """What can be chosen anew where a run goes on.

    deck : where it is now, None for where it was
    t_end : another end, None for the one that it had
    output : as of a run, None for the file itself
    stop_when : another condition, None for the one that it had

    The others are those of a run.
    """

    deck: str | None = None
    t_end: float | None = None
    output: str | None = None
    force: bool = False
    stop_when: str | None = None
    threads: int = 1
    strict: bool = False
    allow_user_code: bool = False
    checkpoint_every: str = DEFAULT_INTERVAL


@dataclass(frozen=True, slots=True)
class Stored:
    """The newest checkpoint of a result file, and what else there is to know of its run."""

    path: Path
    number: int
    state: State
    t_end: float
    deck_text: str
    run_name: str
    command_line: str
    resumed: str
    wall_time: float
    status: str
    stamp: Stamp


def resume(path: Path, asked: ResumeOptions, observer: Observer) -> Outcome:
    """Go on with a run.

    Raises
    ------
    OutputError
        the file cannot be read, or the results not be written
    UsageError
        the file has no checkpoint, or the deck, gsolve or an option is another one
    DeckError
        the deck has errors
    """
    stored = read_checkpoint(path)
    options = _options_of(stored, asked)
    refuse_other_gsolve(stored)
    model = _read_deck(stored, asked, options)
    refuse_other_deck(stored, model, options)
    refuse_end(stored, asked.t_end)
    if asked.t_end is not None:
        refuse_other_machine(stored, model, options, asked.t_end)
    run, time = stored.state["run"], stored.state["time"]
    continued = Continuation(
        Earlier(
            path, stored.state["samples"], stored.state["frames"], stored.number,
            checkpoint_bytes(stored.number, stored.state),
        ),
        _listing_of(stored), time, run["step"], run, ", ".join(filter(None, [stored.resumed, f"{time:.9g}"])),
        stored.wall_time, stored.stamp,
    )  # fmt: skip
    return run_to_files(model, options, observer, continued, stored.t_end if asked.t_end is None else asked.t_end)


def read_checkpoint(path: Path) -> Stored:
    """The newest checkpoint of a result file.

    Raises
    ------
    OutputError
        it is no result file, or is damaged
    UsageError
        there is none in it
    """
    try:
        stamp = stamp_of(path)
        with opened(path) as file:
            if "gsolve_version" not in file.attrs:
                raise OutputError(f"{path} is an HDF5 file, but not a result of gsolve")
            found = newest_state(stored_checkpoints(file))
            attributes, deck_text = attributes_of(file), file["deck"].asstr()[()]
            names = ("run_name", "command_line", "resumed", "status")
            run_name, command_line, resumed, status = (str(attributes[name]) for name in names)
            t_end, wall_time = float(attributes["t_end"]), float(attributes["wall_time_s"])
    except KeyError as error:
        raise OutputError(f"{path} is damaged, or was made by another version of gsolve: {error.args[0]}") from error
    except DAMAGE as error:
        raise damaged(path) from error
    if found is None:
        raise UsageError(
            f"{path} has no checkpoint: its run kept none (--checkpoint-every never), was killed before the first, "
            "or failed; run the deck again"
        )
    number, state = found
    return Stored(path, number, state, t_end, deck_text, run_name, command_line, resumed, wall_time, status, stamp)


def _options_of(stored: Stored, asked: ResumeOptions) -> RunOptions:
    """Those of the run before, with what can be chosen anew."""
    kept = {name: stored.state["origin"]["options"][name] for name in OPTIONS}
    if asked.stop_when is not None:
        kept["stop_when"] = asked.stop_when
    output = asked.output if asked.output is not None else str(stored.path)
    is_same = result_paths(stored.run_name, output).history.resolve() == stored.path.resolve()
    return RunOptions(
        **kept, output=output, force=asked.force or is_same,
        threads=asked.threads, strict=asked.strict,
        allow_user_code=asked.allow_user_code, checkpoint_every=asked.checkpoint_every,
        command_line=stored.command_line,
    )  # fmt: skip


def _listing_of(stored: Stored) -> str:
    """What the run has listed so far; nothing where that is gone."""
    try:
        return stored.path.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# ---- what must be the same -----------------------------------------------------------------------------------


def refuse_other_gsolve(stored: Stored) -> None:
    """Raises UsageError where another gsolve made the checkpoint."""
    origin = stored.state["origin"]
    if origin["gsolve"] != version():
        raise UsageError(
            f"{stored.path} was written by gsolve {origin['gsolve']}, and this is {version()}: a run goes on with the "
            "version that began it, or begins anew"
        )


def refuse_other_deck(stored: Stored, model: Model, options: RunOptions) -> None:
    """Raises UsageError where the deck, or a file that it names, is not what it was."""
    before, now = stored.state["origin"], origin_of(model, options)
    if before["arithmetic"] != now["arithmetic"]:
        raise UsageError(
            f"{stored.path} was written by other sources of gsolve {version()}: a run goes on with those that began "
            "it, or begins anew"
        )
    if before["deck_sha256"] != now["deck_sha256"]:
        raise UsageError(f"the deck is not the one of {stored.path} any more: {first_change(stored.deck_text, model)}")
    for name in files_beside(model):
        if before["files"].get(name, "") != now["files"][name]:
            raise UsageError(f"{name} is not what it was when {stored.path} was written")


def first_change(before: str, model: Model) -> str:
    """The first place where the text of a deck differs from what it was."""
    old, new = before.splitlines(), model.deck_text.splitlines()
    for tag, first, last, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            was = f"was '{old[first][:LONGEST_LINE].rstrip()}'" if last > first else "was not there"
            now = f"is '{new[begin][:LONGEST_LINE].rstrip()}'" if end > begin else "is gone"
            return f"line {begin + 1}, includes resolved, {was} and {now}"
    return "it differs in line ends"


def refuse_end(stored: Stored, t_end: float | None) -> None:
    """Raises UsageError where the run has come to its end already."""
    time, end = stored.state["time"], t_end if t_end is not None else stored.t_end
    is_closed = stored.status == "completed" or t_end is not None  # else it was killed behind its last step
    if is_closed and time >= end * (1.0 - 1e-12):
        raise UsageError(
            f"{stored.path} has come to t = {min(time, stored.t_end):.9g}, its end is t = {end:.9g}: --t-end T goes on "
            "to a later time"
        )


def _read_deck(stored: Stored, asked: ResumeOptions, options: RunOptions) -> Model:
    deck = asked.deck or stored.state["origin"]["deck"]
    if asked.deck and not os.path.isfile(asked.deck):
        raise UsageError(f"--deck: there is no file {asked.deck}")
    if not deck or not os.path.isfile(deck):
        raise UsageError(
            f"the deck of {stored.path} is not at {deck} any more: say where it is, "
            f"gsolve resume {stored.path} --deck FILE"
        )
    return read_model(
        deck, defines=options.defines, gjoint_alpha=options.gjoint_alpha, t_end=options.t_end,
        untrusted=options.untrusted,
    )  # fmt: skip


def refuse_other_machine(stored: Stored, model: Model, options: RunOptions, t_end: float) -> None:
    """Raises UsageError where the machine to another end has other rows than that of the checkpoint.

    A motion that is imposed all along is built into the machine, one that ends on the way is not; and steps of their
    own, as an accuracy or an order asks for, are laid out for the whole run.
    """
    if options.accuracy is not None or options.order != ORDERS[0]:
        what = "that are controlled by their error" if options.accuracy is not None else f"of order {options.order}"
        raise UsageError(f"--t-end: steps {what} are laid out for the end that the run had")
    from .simulation import Simulation

    def shapes(end: float | None) -> dict[str, tuple[int, ...]]:
        longer = replace(options, t_end=end)
        simulation = Simulation(
            model, gjoint_alpha=longer.gjoint_alpha, t_end=end, dt=longer.dt, close_gaps=longer.assemble,
            allow_user_code=longer.allow_user_code, general=longer.general, frames=0,
        )  # fmt: skip
        simulation.start()
        return simulation.shapes

    if shapes(t_end) != shapes(options.t_end):
        raise UsageError(
            f"--t-end: a motion that the deck imposes ends before t = {t_end:g}, and was built into the machine of "
            f"{stored.path} as one that does not: run the deck anew with --t-end {t_end:g}"
        )
