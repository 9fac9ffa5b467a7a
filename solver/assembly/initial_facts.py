"""What was found at t = 0, in words: gaps that were closed, rows that depend on others."""

from __future__ import annotations

import numpy as np
from gsolve.parser.text.numbers import counted

from ..constraints.redundancy import Redundancy
from ..constraints.rows import LEAST_SLACK
from ..core.unit_names import unit
from .assembly import Assembly
from .initial_state import InitialState
from .moves import move_lines, new_coordinates, position_lines
from .settled import Settled
from .start_errors import MISFIT
from .start_messages import short_list

MOST_GROUPS = 10  # of redundancies on the screen


def initial_facts(assembly: Assembly, found: InitialState) -> list[tuple[str, str]]:
    """What was found, for screen and listing: (label, text)."""
    facts = []
    if has_moved(found):
        lines = ["gaps between joints closed by moving", *move_lines(assembly, found.moves)]
        facts.append(("assembly", "\n".join(lines)))
    if found.settled is not None:
        facts.append(("settled", settled_text(assembly, found.settled)))
    count = len(found.redundancy.left_out)
    if count:
        slack = float(assembly.system.rows["slack"][found.redundancy.left_out].max())
        within = f" within {slack:.2g} of the size (the deck is rounded)" if slack > LEAST_SLACK else ""
        lines = [
            f"{counted(count, 'constraint row')} met by the others{within}; the reactions are not unique, those of "
            "least norm are given:"
        ]
        shared = shared_rows(assembly, found.redundancy)
        lines += [f"{number} among {names}" for names, number in shared[:MOST_GROUPS]]
        if len(shared) > MOST_GROUPS:
            lines.append(f"... and {len(shared) - MOST_GROUPS} more groups")
        facts.append(("redundant", "\n".join(lines)))
    if found.rounding > 0.0:
        moved = f"points and axes of joints moved by up to {found.rounding:.2g} of the size, so that these rows agree"
        facts.append(("rounding", f"{moved} wherever the machine goes (the deck is rounded)"))
    return facts


def settled_text(assembly: Assembly, settled: Settled) -> str:
    """How well a machine was settled, and how far that moved it."""
    unit_of = assembly.model.units
    of_what = scale_text(assembly, settled.scale, settled.by_gravity)
    ways = new_coordinates(assembly) - assembly.model.nodes.coordinates
    moved = float(np.linalg.norm(ways, axis=1).max(initial=0.0))
    steps = f"at rest after {counted(settled.steps, 'step')} at t = 0"
    left = f"largest acceleration left {settled.residual:.1g} {of_what}" if settled.scale > 0.0 else "nothing moves it"
    return f"{steps}: {left}, moved at most {moved:.4g} {unit(unit_of, length=1)}"


def scale_text(assembly: Assembly, scale: float, by_gravity: bool) -> str:
    """What accelerations of a machine that is settled are parts of."""
    if by_gravity:
        return "of gravity"
    return f"of the {scale:.3g} {unit(assembly.model.units, length=1, time=-2)} that it had"


def settled_figures(assembly: Assembly, settled: Settled) -> dict[str, str | int | float]:
    """The same for a result file."""
    return {
        "settled": settled_text(assembly, settled),
        "settled_steps": settled.steps,
        "settled_residual": settled.residual,
    }


def new_deck_lines(assembly: Assembly, found: InitialState) -> list[str]:
    """Where nodes and axes went if gaps of more than the rounding of a deck were closed, as lines for the deck."""
    return position_lines(assembly) if has_moved(found) else []


def has_moved(found: InitialState) -> bool:
    return bool(found.moves) and found.moves[0].size > MISFIT


def shared_rows(assembly: Assembly, redundancy: Redundancy) -> list[tuple[str, int]]:
    """Names of the rows of each group of dependent ones, and how many of them are left out; each names once."""
    left_out = set(redundancy.left_out.tolist())
    numbers: dict[str, int] = {}
    for group in redundancy.groups:
        names = short_list(list(dict.fromkeys(assembly.row_names[row] for row in group)))
        numbers[names] = numbers.get(names, 0) + len(left_out.intersection(group.tolist()))
    return list(numbers.items())
