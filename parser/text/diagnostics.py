"""Messages about a deck: one `Diagnostic` a fact, `DeckError` for all the errors of a deck at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

from .numbers import counted

# A doubt is a warning that the results are not what the deck asks for, or not to be trusted; it is shown as a warning.
# A note says what a run did.
Severity = Literal["error", "warning", "doubt", "note"]
LABELS = {"error": "error", "warning": "warning", "doubt": "warning", "note": "note"}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message in the user's terms.

    line is 1-based, 0 where the message is about a whole file; column is 1-based, 0 where the message is
    about a whole line. `excerpt` is the line of the deck, and `ruler` the field marks and the caret below it.
    """

    severity: Severity
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    keyword: str = ""
    id: int | None = None
    title: str = ""
    field: str = ""
    found: str = ""
    allowed: str = ""
    hint: str = ""
    excerpt: str = ""
    ruler: str = ""

    def __str__(self) -> str:
        return format_diagnostic(self)


class DeckError(Exception):
    """The deck cannot be run; carries every error found (and the warnings on the way)."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        """How many errors, and each of them."""
        errors = [str(diagnostic) for diagnostic in self.diagnostics if diagnostic.severity == "error"]
        return "\n".join([f"{counted(len(errors), 'error')} in the deck", *errors])


class Where(Protocol):
    """Leads from an object of the model back to its block in the deck."""

    @property
    def file(self) -> str: ...

    @property
    def line(self) -> int: ...

    @property
    def keyword(self) -> str: ...

    @property
    def id(self) -> int | None: ...

    @property
    def title(self) -> str: ...

    def diagnose(
        self,
        severity: Severity,
        message: str,
        *,
        field: str = "",
        found: str = "",
        allowed: str = "",
        hint: str = "",
    ) -> Diagnostic:
        """A message about this block, or about one named field of its cards (line, column and ruler found)."""
        ...


def format_diagnostic(diagnostic: Diagnostic) -> str:
    """The message as plain text, several lines, without a newline at the end."""
    place = diagnostic.file
    if diagnostic.line:
        place += f":{diagnostic.line}"
    if diagnostic.column:
        place += f":{diagnostic.column}"
    label = LABELS[diagnostic.severity]
    lines = [f"{place}: {label}: {diagnostic.message}" if place else f"{label}: {diagnostic.message}"]
    if diagnostic.keyword:
        block = diagnostic.keyword if diagnostic.id is None else f"{diagnostic.keyword}/{diagnostic.id}"
        title = f' "{diagnostic.title}"' if diagnostic.title else ""
        field = f", field {diagnostic.field}" if diagnostic.field else ""
        lines.append(f"  in {block}{title}{field}")
    if diagnostic.excerpt or diagnostic.ruler:
        lines.append(f"  | {diagnostic.excerpt}")
        lines.extend(f"  | {mark}" for mark in diagnostic.ruler.split("\n") if mark)
    for label, text in (("found", diagnostic.found), ("allowed", diagnostic.allowed), ("hint", diagnostic.hint)):
        if text:
            lines.append(f"  {label + ':':9}" + text.replace("\n", "\n" + " " * 11))
    return "\n".join(lines)


def to_dict(diagnostic: Diagnostic) -> dict[str, str | int | None]:
    """The message as plain data, for machine-readable output."""
    return asdict(diagnostic)
