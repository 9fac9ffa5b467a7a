"""What became of many decks, for machines: JUnit's XML, which CI systems show, and JSON."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..core.version import version
from ..results.files import made_whole, part_of
from ..results.summary import summary_text
from ..run.options import UsageError
from .batch import BatchOutcome, DeckResult
from .one_deck import EXPECTED
from .selection import ChosenDeck

# Characters that XML cannot hold, not even as an entity.
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_JUNIT = re.compile(rb"<\?xml [^>]*\?>\s*<testsuites name=\"gsolve\"")  # how `junit_text` begins
# A failure says something of the deck; an error, that nobody could tell.
JUNIT_TAGS = {"lost": "error", "timeout": "error", "not run": "skipped", "stopped": "skipped"}


def prepare_places(reports: Sequence[Path], chosen: Sequence[ChosenDeck]) -> list[Path]:
    """Before hours of work: refuse files that must not be replaced or cannot be written, make folders that lack.

    Returns those that were made; where a report is refused none is left.

    Raises
    ------
    UsageError
        with each of them
    """
    read = {os.path.realpath(name) for deck in chosen for name in (deck.path, Path(deck.path).with_name(EXPECTED))}
    written = {os.path.realpath(path): path for deck in chosen for path in deck.results}
    complaints = [why for path in reports if (why := _why_not_replaced(path, read, written))]
    if len({os.path.realpath(path) for path in reports}) < len(reports):
        complaints.append(f"both reports would go to {reports[0]}")
    wanted = [path.parent for path in reports if _is_plain(path)]
    lacking = [folder for of in wanted for folder in (of, *of.parents) if not os.path.isdir(folder)]
    complaints = complaints or [why for path in reports if (why := _why_not_written(path))]
    if complaints:
        for folder in sorted(lacking, key=lambda folder: len(folder.parts), reverse=True):
            with suppress(OSError):  # it was not made
                folder.rmdir()
        raise UsageError("\n".join(complaints))
    return [folder for folder in dict.fromkeys(wanted) if folder in lacking]


def _why_not_replaced(path: Path, read: Container[str], written: Mapping[str, Path]) -> str:
    """Why a report must not go to a file, or nothing; read, written : by the batch, names without links."""
    target = os.path.realpath(path)
    if os.path.isdir(path):  # names may be too long for any file
        return f"{path} is a folder, not a file to write"
    if target in read:
        return f"{path} is read by this batch: a report cannot go there"
    if any(suffix.lower() == ".rad" for suffix in (path.suffix, Path(target).suffix)):
        return f"{path} is a deck by its name: a report cannot go there"
    for name, result in written.items():
        if target == name:
            return f"{path} is a result of this batch: a report cannot go there"
        if Path(name).is_relative_to(target):
            return f"{path} is a folder of this batch, in which {result} is written: a report cannot go there"
    if os.path.isfile(path) and not _is_report(path) and _stream_of(path) is None:
        return f"{path} is no report of gsolve batch, and only those are replaced: move it away, or name another file"
    return ""


def _is_report(path: Path) -> bool:
    """Whether a file is a report by what is in it; an empty one has nothing to lose."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    if not content or _JUNIT.match(content):
        return True
    try:
        summary = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(summary, dict) and {"gsolve_version", "counts", "decks"} <= summary.keys()


def _why_not_written(path: Path) -> str:
    """Why a report cannot go to a file, or nothing; its folder is made."""
    try:
        if not _is_plain(path):
            target = path if os.path.exists(path) else os.path.dirname(os.path.realpath(path))
            return "" if os.access(target, os.W_OK) else f"{path} cannot be written"
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            os.lstat(path)  # some names no file can have, as those that are too long
        place = part_of(path)
        place.touch()  # what will be done at the end; rights alone do not tell, as of root
        place.unlink()
    except FileExistsError:
        return f"{path} cannot be written: {path.parent} is no folder"
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    return ""


def counts_of(results: list[DeckResult]) -> dict[str, int]:
    """How many decks ended how."""
    return dict(Counter(result.status for result in results))


def json_summary(outcome: BatchOutcome) -> dict[str, Any]:
    """All of a batch in plain data."""
    return {
        "gsolve_version": version(),
        "exit_code": outcome.exit_code,
        "ended_by": outcome.ended_by,
        "seconds": outcome.seconds,
        "processes": outcome.processes,
        "counts": counts_of(outcome.results),
        "decks": [
            {
                "deck": result.deck,
                "status": result.status,
                "message": result.message,
                "seconds": result.seconds,
                "summary": result.summary,
            }
            for result in outcome.results
        ],
    }


def json_text(outcome: BatchOutcome) -> str:
    """`json_summary` as a file has it."""
    return summary_text(json_summary(outcome)) + "\n"


def junit_text(outcome: BatchOutcome) -> str:
    """The results as JUnit has those of tests: a case a deck, whose class is its folder."""
    results = outcome.results
    tags = [JUNIT_TAGS.get(result.status, "failure") for result in results if not result.is_well]
    begun = datetime.now(UTC) - timedelta(seconds=outcome.seconds)
    numbers = {
        "tests": str(len(results)),
        "failures": str(tags.count("failure")),
        "errors": str(tags.count("error")),
        "skipped": str(tags.count("skipped")),
        "time": f"{outcome.seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", {"name": "gsolve", **numbers})
    when = begun.isoformat(timespec="seconds")
    suite = ElementTree.SubElement(root, "testsuite", {"name": "gsolve batch", "timestamp": when, **numbers})
    for result in results:
        folder, name = os.path.split(result.deck)
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(folder or "."), name=_xml(name), file=_xml(result.deck),
            time=f"{result.seconds:.3f}",
        )  # fmt: skip
        if not result.is_well:
            fault = ElementTree.SubElement(case, JUNIT_TAGS.get(result.status, "failure"))
            fault.set("message", _xml(f"{result.status}: {result.message}"))
            fault.set("type", result.status)
            fault.text = _xml(result.text or result.message)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _is_plain(path: Path) -> bool:
    """Whether a report takes its place as a whole, and is not written to what is there: links, pipes, /dev/stdout."""
    return not os.path.lexists(path) or (os.path.isfile(path) and not os.path.islink(path))


def _stream_of(path: Path) -> int | None:
    """The stream of this process to which a link leads, as /dev/stdout does; None if there is none."""
    if not _is_plain(path):
        for stream in (1, 2):
            with suppress(OSError):  # one that is closed
                if os.path.samestat(os.stat(path), os.fstat(stream)):
                    return stream
    return None


def write_report(path: Path, text: str) -> None:
    """Put a text into its file as a whole; what is no plain file, as a pipe, is written to as it is.

    What goes to a stream of this process is added to what stands there: a log that is one is kept.
    """
    stream = _stream_of(path)
    with made_whole(path) if _is_plain(path) else nullcontext(path) as place:
        target = place if stream is None else os.dup(stream)
        with open(target, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)


def write_reports(outcome: BatchOutcome, junit: Path | None, summary: Path | None) -> list[str]:
    """Write what was asked for; returns a line for each report that cannot be written after all."""
    complaints = []
    for path, text_of in ((junit, junit_text), (summary, json_text)):
        try:
            if path is not None:
                write_report(path, text_of(outcome))
        except OSError as error:
            complaints.append(f"the report {path} cannot be written: {error.strerror}")
    return complaints


def _xml(text: str) -> str:
    return _NO_XML.sub("?", text)
