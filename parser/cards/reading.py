"""What the readers of cards share, before anything is built of what they read."""

from __future__ import annotations

import difflib

from ..text.diagnostics import DeckError, Diagnostic
from ..text.expressions import evaluate_constant, names_in
from ..text.source import Source
from .layout import Layouts


class Reading:
    """The text of a deck, the layouts of its version, its parameters, and all messages so far.

    parameters : by name; None where a parameter has no value after an error
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.layouts = Layouts()
        self.parameters: dict[str, float | int | None] = {}
        self.diagnostics: list[Diagnostic] = list(source.diagnostics)

    # Messages

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def sorted_diagnostics(self) -> list[Diagnostic]:
        """All messages, each once, in the order of files and lines."""
        rank = {file: index for index, file in enumerate(self.source.files)}
        unique = list(dict.fromkeys(self.diagnostics))
        unique.sort(key=lambda d: (rank.get(d.file, len(rank)), d.line, d.column))
        return unique

    @property
    def has_errors(self) -> bool:
        return any(diagnostic.severity == "error" for diagnostic in self.diagnostics)

    def raise_errors(self) -> None:
        """Raise `DeckError` with everything found so far if there is an error among it."""
        if self.has_errors:
            raise DeckError(self.sorted_diagnostics())

    # Parameters

    def suggest_parameter(self, name: str) -> str:
        close = difflib.get_close_matches(name, list(self.parameters), 3, 0.5)
        if close:
            return f"did you mean {' or '.join(close)}?"
        if self.parameters:
            return f"parameters of this deck: {', '.join(sorted(self.parameters))}"
        return "the deck has no /PARAMETER"

    def known_parameters(self) -> dict[str, float | int]:
        """The parameters that have a value."""
        return {name: value for name, value in self.parameters.items() if value is not None}

    def calculate(self, text: str) -> float | None:
        """The value of an expression of numbers and parameters; None if one of these has none after an error.

        Raises ExpressionError.
        """
        if any(self.parameters.get(name, 0.0) is None for name in names_in(text)):
            return None
        return evaluate_constant(text, self.known_parameters())
