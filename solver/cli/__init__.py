"""The command line: `gsolve DECK`, `gsolve check DECK` and their kin."""

from .program import gsolve, main

__all__ = ["gsolve", "main"]
