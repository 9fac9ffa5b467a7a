"""The page: text of the run, written here, and its data, drawn by the scripts that the page carries."""

from __future__ import annotations

import html
import re
from importlib.resources import files
from typing import Any

from gsolve.parser.text.diagnostics import Diagnostic
from gsolve.parser.text.numbers import counted

from ...core.version import version
from ..describe import diagnostic_lines
from ..info import KINDS

ASSETS, VENDORED = "assets", "vendored"
# In this order: libraries, then what uses them.
LIBRARIES = ("uplot.min.js",)
DRAWING = "three.min.js"  # only where there is something to draw in space
SCRIPTS = ("data.js", "clock.js", "plots.js", "bodies.js", "view.js", "main.js")
LICENCES = {"three.js 0.187.0": "three.LICENSE", "uPlot 1.6.32": "uplot.LICENSE"}
MARK = "<!doctype html>\n<!-- gsolve {version} report -->\n"


def page_of(facts: dict[str, Any], tables: list[tuple[str, str]], notes: list[str], block: str, *, moves: bool) -> str:
    """The whole page.

    Parameters
    ----------
    facts : of `info.read_info`
    tables : headings and texts in columns
    notes : what the page leaves out or cannot show, a sentence each
    block : of `Pack.text`
    moves : whether there is a machine to be drawn
    """
    libraries = (*LIBRARIES, DRAWING) if moves else LIBRARIES
    scripts = [_asset(VENDORED, name) for name in libraries] + [_asset(ASSETS, name) for name in SCRIPTS]
    values = {
        "title": _escaped(f"{facts['run_name']}: {facts['title']}" if facts["title"] else facts["run_name"]),
        "run_name": _escaped(facts["run_name"]),
        "deck_title": _escaped(facts["title"]),
        "status": _escaped(facts["status"]),
        "facts": _pairs(facts),
        "tables": "\n".join(_table(heading, text) for heading, text in tables),
        "messages": _messages(facts["messages"]),
        "notes": _notes(notes),
        "warnings": _warnings(facts["messages"]),
        "licences": _licences(moves),
        "styles": _asset(VENDORED, "uplot.min.css") + _asset(ASSETS, "page.css"),
        "scripts": "\n".join(f"<script>\n{script}\n</script>" for script in scripts),
        "block": block,
        "moves": "moves" if moves else "still",
    }
    template = _asset(ASSETS, "page.html")
    mark = MARK.format(version=version())
    return mark + re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)


def _asset(folder: str, name: str) -> str:
    return files(__package__).joinpath(folder, name).read_text(encoding="utf-8")


def _escaped(text: Any) -> str:
    """Text as HTML shows it; what is no text, as bytes of names of files, is shown by its number."""
    return html.escape(str(text).encode("utf-8", "backslashreplace").decode("utf-8"))


def _pairs(facts: dict[str, Any]) -> str:
    from ..info import run_facts

    pairs = [*run_facts(facts), ("deck's SHA-256", facts.get("deck_sha256", ""))]
    rows = (f"<dt>{_escaped(label)}</dt><dd>{_escaped(text)}</dd>" for label, text in pairs if text)
    return "<dl>" + "\n".join(rows) + "</dl>"


def _table(heading: str, text: str) -> str:
    return f'<h3>{_escaped(heading)}</h3>\n<pre tabindex="0">{_escaped(text)}</pre>'


def _notes(notes: list[str]) -> str:
    items = "\n".join(f"<li>{_escaped(note)}</li>" for note in notes)
    return f'<ul class="notes" aria-label="What this page leaves out">{items}</ul>' if notes else ""


def _warnings(messages: list[Diagnostic] | None) -> str:
    """How many there are, for the link to them."""
    count = sum(message.severity != "note" for message in messages or ())
    return f" ({counted(count, 'warning')})" if count else ""


def _messages(messages: list[Diagnostic] | None) -> str:
    """All that was told, the weightiest kind first."""
    if messages is None:
        return "<p>The run is not over, or was killed: its messages are not in the file yet; the listing has them.</p>"
    parts = []
    for severity in ("doubt", "warning", "note"):
        own = [message for message in messages if message.severity == severity]
        if own:
            items = "\n".join(f"<li><pre>{_escaped(text)}</pre></li>" for text in diagnostic_lines(own))
            heading = KINDS[severity].removesuffix(":")  # type: ignore[index]
            parts.append(f'<h3>{heading[0].upper()}{heading[1:]}</h3>\n<ul class="{severity}">{items}</ul>')
    return "\n".join(parts) or "<p>None: nothing was wrong with the deck or doubtful about the results.</p>"


def _licences(moves: bool) -> str:
    names = [name for name in LICENCES if moves or not name.startswith("three")]
    parts = (
        f"<details><summary>{_escaped(name)}, MIT licence</summary><pre>{_escaped(_asset(VENDORED, LICENCES[name]))}"
        "</pre></details>"
        for name in names
    )
    return "\n".join(parts)
