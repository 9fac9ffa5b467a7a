"""What the word "completed" promises, in one place: everything that may spoil it is collected and judged here.

Doubts come from the deck (a request that is dropped), from the run (a contact that is ignored, a step that is too
long) and from the checks of its books below.  A doubt leaves a run "completed", is counted beside that word, and
with --strict ends in exit status 1.  A check that finds an error makes the run "failed".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..results.balance import Balance

if TYPE_CHECKING:
    from gsolve.parser.text.diagnostics import Diagnostic

# Of the energy turned over: an error that is doubtful, and one with which nothing that was asked for is completed.
LARGEST_ENERGY_ERROR, NO_BALANCE = 0.05, 0.5
LARGEST_VIOLATION = 1e-5  # of a row, relative to its size; rows are met to 1e-10, those that depend on others to 1e-6


def energy_balance(balance: Balance) -> Diagnostic | None:
    """A doubt where energy came or went without a cause, an error where it did so by half and more."""
    from gsolve.parser.text.diagnostics import Diagnostic

    error = balance.energy_error
    if not error > LARGEST_ENERGY_ERROR:
        return None
    message = f"the energy balance is off by {error:.2g} of the energy turned over: these results are not to be trusted"
    hint = "the time step is too long for this machine: impose a shorter one (--dt), and compare"
    return Diagnostic("error" if error > NO_BALANCE else "doubt", message, hint=hint)


def constraint_violation(balance: Balance) -> Diagnostic | None:
    """An error where a condition of the machine was not met."""
    from gsolve.parser.text.diagnostics import Diagnostic

    violation = balance.worst_violation
    if not violation > LARGEST_VIOLATION:
        return None
    message = (
        f"a constraint was violated by {violation:.2g} of its size at t = {balance.time_of_worst_violation:.6g}, "
        f"more than the {LARGEST_VIOLATION:g} that a completed run promises"
    )
    return Diagnostic("error", message, hint="the results hold the residual of each joint, drive and coupler as RES")


CHECKS: tuple[Callable[[Balance], Diagnostic | None], ...] = (constraint_violation, energy_balance)


def judged(balance: Balance) -> list[Diagnostic]:
    """What a run that came to its end shows to be wrong with it: errors and doubts."""
    return [found for check in CHECKS if (found := check(balance)) is not None]


def doubts_of(warnings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those warnings that spoil the promise."""
    return [warning for warning in warnings if warning.severity == "doubt"]
