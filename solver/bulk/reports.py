"""What became of many decks, for machines: JUnit's XML, which CI systems show, and JSON."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..core.version import version
from ..results.files import made_whole
from ..results.summary import summary_text
from ..run.options import UsageError
from .batch import BatchOutcome, DeckResult

# Characters that XML cannot hold, not even as an entity.
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A failure says something of the deck; an error, that nobody could tell.
JUNIT_TAGS = {"lost": "error", "timeout": "error", "not run": "skipped", "stopped": "skipped"}


def refuse_places(*paths: Path | None) -> None:
    """Before hours of work: refuse files that cannot be written.

    Raises
    ------
    UsageError
        with each of them
    """
    complaints = []
    for path in filter(None, paths):
        if path.is_dir():
            complaints.append(f"{path} is a folder, not a file to write")
        elif not path.parent.is_dir():
            complaints.append(f"{path} cannot be written: there is no folder {path.parent}")
        elif not os.access(path if path.exists() else path.parent, os.W_OK):
            complaints.append(f"{path} cannot be written")
    if complaints:
        raise UsageError("\n".join(complaints))


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


def write_report(path: Path, text: str) -> None:
    """Put a text into its file as a whole; what is no plain file, as /dev/stdout, is written to as it is."""
    is_plain = not os.path.lexists(path) or (path.is_file() and not path.is_symlink())
    with made_whole(path) if is_plain else nullcontext(path) as place:
        place.write_text(text, encoding="utf-8", errors="backslashreplace")


def write_reports(outcome: BatchOutcome, junit: Path | None, json: Path | None) -> None:
    """Write what was asked for.

    Raises
    ------
    UsageError
        a file cannot be written after all
    """
    try:
        if junit is not None:
            write_report(junit, junit_text(outcome))
        if json is not None:
            write_report(json, summary_text(json_summary(outcome)) + "\n")
    except OSError as error:
        raise UsageError(f"a report cannot be written: {error}") from error


def _xml(text: str) -> str:
    return _NO_XML.sub("?", text)
