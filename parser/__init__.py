"""Deck text to typed model.

    from gsolve.parser import DeckError, format_diagnostic, read_deck

`read_deck` gives a `model.Model`, or raises `DeckError` with every error of the deck.

Packages, lowest first; each imports only those before it:

text : what decks are written in: lines, numbers, units, expressions, messages
model : what a deck becomes: the typed objects that the solver gets
cards : how blocks are read, whatever their keyword
keywords : what can be read: one file a family of keywords
checks : what can be looked at when the whole deck is read
deck : `read_deck`, the way through all of them
reference : the deck reference, written from the declarations of keywords
"""

from .deck import included_files, is_engine_deck, read_deck, run_name_of
from .text.diagnostics import DeckError, Diagnostic, format_diagnostic, to_dict

__all__ = [
    "DeckError",
    "Diagnostic",
    "format_diagnostic",
    "included_files",
    "is_engine_deck",
    "read_deck",
    "run_name_of",
    "to_dict",
]
