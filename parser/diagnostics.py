"""Messages about a deck: one `Diagnostic` a fact, `DeckError` for all the errors of a deck at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

Severity = Literal["error", "warning"]


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


class DeckError(Exception):
    """The deck cannot be run; carries every error found (and the warnings on the way)."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__(f"{sum(d.severity == 'error' for d in self.diagnostics)} errors in the deck")


class Where(Protocol):
    """Leads from an object of the model back to its block in the deck."""

    file: str
    line: int
    keyword: str
    id: int | None
    title: str

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
