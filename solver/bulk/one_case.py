"""One case of a study, as a worker runs it: a deck with values of its parameters, and what comes of it in numbers."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.python_words import in_python
from ..run.options import RunOptions
from .workers import Link

if TYPE_CHECKING:
    from gsolve.parser.model import Model

    from ..core.channels import Family
    from ..results.memory import MemoryHistory
    from ..results.responses import Response

NO_MEMORY = "there was not enough memory for it; with fewer processes at a time (-j) each has more"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A deck and all files that it reads, for a machine that does not have them.

    deck : its name; files : contents by names, relative to one folder
    """

    deck: str
    files: dict[str, bytes]

    def unpacked(self) -> Path:
        """The deck, in a folder of this process that is made once, used again and removed at its end."""
        digest = hashlib.sha256(repr((self.deck, sorted(self.files.items()))).encode()).hexdigest()
        with _UNPACKING:
            folder = _FOLDERS.get(digest)
            if folder is None or not all(Path(folder.name, name).is_file() for name in self.files):
                folder = _FOLDERS[digest] = self._in_new_folder()
        return Path(folder.name, self.deck)

    def _in_new_folder(self) -> tempfile.TemporaryDirectory[str]:
        folder = tempfile.TemporaryDirectory(prefix="gsolve-study-", ignore_cleanup_errors=True)
        for name, content in self.files.items():
            path = Path(folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder


_FOLDERS: dict[str, tempfile.TemporaryDirectory[str]] = {}  # of this process, by what is in them
_UNPACKING = threading.Lock()  # workers of a cluster may run cases in several threads


@dataclass(frozen=True, slots=True)
class CaseTask:
    """A case to run.

    deck : its path, or the deck with all it needs
    defines : values of parameters, as -D has them
    responses : expressions by name
    check_only : nothing is run, only looked for mistakes
    """

    deck: str | Bundle
    defines: dict[str, str]
    options: RunOptions
    responses: dict[str, str]
    check_only: bool = False


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """What came of a case.

    status : as of a run, or "deck errors", "refused"; "lost" where memory did not suffice
    message : why it is not completed, the errors of a deck
    text : all that there is to say where it is not completed
    responses : values by name, NaN where there is none; of runs that are completed
    remarks : what was found and belongs to no case, as a folder that cannot be written; each once a process
    """

    status: str
    message: str = ""
    text: str = ""
    responses: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def run_case(task: CaseTask, link: Link) -> CaseAnswer:
    """Run a case in memory; whatever goes wrong with it is in the answer."""
    from ..run.build import build_simulation
    from ..run.driver import run_in_memory
    from ..run.endings import explain
    from ..run.observer import Caller

    lines: list[str] = []
    caller = Caller(lambda at: link.tell(at.fraction), lambda at: link.reason_to_stop())
    path = str(task.deck.unpacked()) if isinstance(task.deck, Bundle) else task.deck
    try:
        model = read_case(path, task.defines, task.options)
        if task.check_only:
            families = build_simulation(model, task.options, caller, runs=False).families
            read_responses(task.responses, families, model.parameters)
            return CaseAnswer("completed", remarks=caller.remarks)
        outcome, history = run_in_memory(model, task.options, caller)
        values = {}
        if outcome.status == "completed":
            responses = read_responses(task.responses, history.families, model.parameters)
            values = values_of(responses, history, model)
        return CaseAnswer(outcome.status, outcome.message, outcome.message, values, caller.remarks)
    except MemoryError:  # with other neighbours it may do
        return CaseAnswer("lost", NO_MEMORY, f"gsolve: {NO_MEMORY}")
    except Exception as error:
        _, summary = explain(error, lines.append, verbose=True)
        mistakes = [found.message for found in summary.get("diagnostics", ()) if found.severity == "error"]
        message = "; ".join(mistakes) or summary["message"]
        return CaseAnswer(summary["status"], message, "\n".join(lines), remarks=caller.remarks)


@in_python
def read_case(deck: str | Path, defines: dict[str, str], options: RunOptions) -> Model:
    """The deck with the values of a case; raises DeckError, which speaks of parameters as a study does."""
    from ..run.reading import read_model

    return read_model(
        deck, defines=defines, gjoint_alpha=options.gjoint_alpha, t_end=options.t_end, untrusted=options.untrusted
    )


def read_responses(
    texts: Mapping[str, str], families: Iterable[Family], parameters: Mapping[str, float]
) -> dict[str, Response]:
    """The responses of a study.

    Raises
    ------
    UsageError
        with all that are wrong
    """
    from gsolve.parser.text.expressions import ExpressionError

    from ..results.expressions import pointed_out
    from ..results.responses import Response
    from ..run.options import UsageError

    found, complaints, known = {}, [], tuple(families)
    for name, text in texts.items():
        try:
            found[name] = Response(text, known, parameters)
        except ExpressionError as error:
            complaints.append(f"responses.{name}: {pointed_out(text, error)}")
    if complaints:
        raise UsageError("\n".join(complaints))
    return found


def values_of(responses: Mapping[str, Response], history: MemoryHistory, model: Model) -> dict[str, float]:
    """Of a run that may have ended early; NaN where it has no sample."""
    from ..results.variables import find_variable

    times = history.times()
    found = {}
    for name, response in responses.items():
        columns = {full: find_variable(history.families, full).read(history) for full in response.variables.values()}
        found[name] = response.value(times, columns, model.parameters) if len(times) else float("nan")
    return found


def bundle_of(deck: Path, files: Iterable[str]) -> Bundle:
    """A deck and its files; names stay as they are to each other."""
    paths = [os.path.abspath(deck), *map(os.path.abspath, files)]
    root = os.path.commonpath([os.path.dirname(path) for path in paths])
    contents = {os.path.relpath(path, root): Path(path).read_bytes() for path in dict.fromkeys(paths)}
    return Bundle(os.path.relpath(paths[0], root), contents)
