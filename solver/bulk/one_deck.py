"""One deck of many, as a worker process runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..run.endings import EXIT_DECK
from ..run.options import RunOptions
from .workers import Link

SIZE = "--max-size"
EXPECTED = "expected.toml"


@dataclass(frozen=True, slots=True)
class DeckTask:
    """A deck and how it is to be run.

    most_bytes : that its result file may have; None: as many as there are
    expects : whether it is judged by the numbers that stand beside it, if any do
    """

    path: str
    options: RunOptions
    most_bytes: int | None = None
    expects: bool = False


@dataclass(frozen=True, slots=True)
class DeckAnswer:
    """How a run ended, in plain data.

    text : what a person gets to read of what went wrong
    summary : as `gsolve DECK --json` has it
    too_large : whether the result file has more bytes than it may have
    unmet : what is not as expected, a line each; None where nothing is expected, or no run could tell
    remarks : what was found and belongs to no deck, as a folder that cannot be written; each once a process
    """

    exit_code: int
    text: str
    summary: dict[str, Any]
    too_large: bool = False
    unmet: list[str] | None = None
    remarks: list[str] = field(default_factory=list)


def run_deck(task: DeckTask, link: Link) -> DeckAnswer:
    """Run a deck and write its results; whatever goes wrong with it is in the answer."""
    from gsolve.parser.text.diagnostics import format_diagnostic
    from gsolve.parser.text.numbers import counted

    from ..results.files import result_paths
    from ..results.summary import plain
    from ..run.driver import run_to_files
    from ..run.endings import explain
    from ..run.observer import Caller, RunProgress
    from ..run.reading import read_model

    options, history = task.options, None

    def is_too_large() -> bool:
        return (
            task.most_bytes is not None
            and history is not None
            and history.exists()
            and history.stat().st_size > task.most_bytes
        )

    def look(at: RunProgress) -> str:
        return link.reason_to_stop() or (f"the limit to the size of its results, {SIZE}" if is_too_large() else "")

    lines: list[str] = []
    caller, wanted = Caller(lambda at: link.tell(at.fraction), look), ""
    try:
        expected, wanted = expected_beside(task)
        model = read_model(
            task.path,
            defines=options.defines,
            gjoint_alpha=options.gjoint_alpha,
            t_end=options.t_end,
            untrusted=options.untrusted,
        )
        history = result_paths(model.run_name, options.output).history
        outcome = run_to_files(model, options, caller)
        unmet = judged(history, expected) if expected is not None and history not in outcome.lost else None
    except Exception as error:
        code, summary = explain(error, lines.append, verbose=True)
        is_wanted = code == EXIT_DECK and summary["status"] == wanted
        return DeckAnswer(
            code, "\n".join(lines), plain(summary), unmet=[] if is_wanted else None, remarks=caller.remarks
        )
    summary = plain(outcome.summary)
    if outcome.status == "completed" and outcome.exit_code:
        lines += [format_diagnostic(doubt) for doubt in outcome.doubts]
        count = len(outcome.doubts)
        summary["message"] = f"completed, but --strict: {counted(count, 'warning')} about the results"
    lines += [summary["message"]] if summary["message"] else []
    return DeckAnswer(outcome.exit_code, "\n".join(lines), summary, is_too_large(), unmet, caller.remarks)


def expected_beside(task: DeckTask) -> tuple[Path | None, str]:
    """The file of expected numbers beside a deck, if it is to be judged and there is one, and the status expected.

    Raises
    ------
    OutputError
        the file has mistakes, which are told before anything is run
    """
    path = Path(task.path).with_name(EXPECTED)
    if not (task.expects and path.is_file()):
        return None, ""
    from ..results.compare.expected import read_expected

    return path, read_expected(path)[0]


def judged(history: Path, expected: Path) -> list[str]:
    """What is not as the file of expected numbers says; raises OutputError for what only a run shows to be wrong."""
    from ..results.compare.expected import judge
    from ..run.calls import load

    return [str(judgement) for judgement in judge(load(history), expected) if not judgement.met]
