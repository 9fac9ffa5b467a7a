"""What the word "completed" promises, in one place: everything that may spoil it is collected and judged here.

Doubts come from the deck (a request that is dropped), from the run (a contact that is ignored, a step that is too
long) and from the checks of its books below.  A doubt leaves a run "completed", is counted beside that word, and
with --strict ends in exit status 1.  A check that finds an error makes the run "failed"; rows that are not met within
their tolerance (`violations`) end it where they are found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..results.balance import Balance

if TYPE_CHECKING:
    from gsolve.parser.text.diagnostics import Diagnostic

# Of the energy turned over: an error that is doubtful, and one with which nothing that was asked for is completed.
LARGEST_ENERGY_ERROR, NO_BALANCE = 0.05, 0.5


def judged(balance: Balance) -> Diagnostic | None:
    """A doubt where energy came or went without a cause, an error where more than half of it did so."""
    from gsolve.parser.text.diagnostics import Diagnostic

    error = balance.energy_error
    if not error > LARGEST_ENERGY_ERROR:
        return None
    message = f"the energy balance is off by {error:.2g} of the energy turned over: these results are not to be trusted"
    hint = "the time step is too long for this machine: impose a shorter one (--dt), and compare"
    return Diagnostic("error" if error > NO_BALANCE else "doubt", message, hint=hint)


def doubts_of(warnings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those warnings that spoil the promise."""
    return [warning for warning in warnings if warning.severity == "doubt"]


def note(message: str) -> Diagnostic:
    """What a run did, as a message."""
    from gsolve.parser.text.diagnostics import Diagnostic

    return Diagnostic("note", message)
