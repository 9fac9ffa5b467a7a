"""Deck text to typed model.

    from gsolve.parser import DeckError, format_diagnostic, read_deck

`read_deck` gives a `model.Model`, or raises `DeckError` with every error of the deck.
"""

from .deck import read_deck
from .text.diagnostics import DeckError, Diagnostic, format_diagnostic, to_dict

__all__ = ["DeckError", "Diagnostic", "format_diagnostic", "read_deck", "to_dict"]
