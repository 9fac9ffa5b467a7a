"""Rows that cannot be met together in a run: which ones they are, whether they contradict each other, and the words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints.joint_builder import CODES_OF_LENGTHS
from ..constraints.redundancy import Redundancy, row_sizes, scaled_rows, subsystem_of_rows, unit_rows
from ..constraints.rows import LEFT_OUT
from ..core.bodies import Floats, Ints
from ..core.unit_names import unit
from ..integration.system import System
from .assembly import Assembly

SAME = 1e-9  # distance of a row, of unit size, from others that say the same
BY_MOTION = 1e-3  # of a residual that motions against each other make in a step
SHARES = 0.05  # of the largest coefficient in a combination of rows, from which on one is named
MOST_ROWS = 600  # of a subsystem that is looked through for the weakest combination
MOST_PLACES = 4  # blocks named in a message


class Contradiction(NamedTuple):
    """Why a row cannot be met.

    row : the one that is off; others : those that it does not go together with, the heaviest first; none where the row
        moves nothing, as all is held
    certain : the motions asked for exclude each other, whatever the time step
    """

    row: int
    others: Ints
    certain: bool


def contradiction_of(assembly: Assembly, redundancy: Redundancy, row: int) -> Contradiction:
    """Why a row that is left out is not met in the step at hand, in the state in which it failed."""
    system = assembly.system
    if not np.any(scaled_rows(np.array([row]), system.rows, system.entries, system.bodies).toarray()):
        return Contradiction(row, np.zeros(0, dtype=np.int64), bool(wanted_growth(system)[row] != 0.0))
    partners = next((found.partners for found in redundancy.found if found.row == row), np.zeros(0, dtype=np.int64))
    if system.rows["left_out"][row] != LEFT_OUT or len(partners) == 0:
        return Contradiction(row, partners[:0], False)
    first = min(row, int(partners.min()))
    inside = np.arange(first, max(row, int(partners.max())) + 1)
    scaled = scaled_rows(inside, system.rows, system.entries, system.bodies)
    size = row_sizes(scaled)
    jacobian = scaled.toarray() / size[:, None]
    own, others = jacobian[row - first], jacobian[partners - first]
    share = np.linalg.lstsq(others.T, own, rcond=None)[0]
    asked = wanted_growth(system)[inside] / size
    against = float(asked[row - first] - share @ asked[partners - first]) * size[row - first]
    same = float(np.linalg.norm(own - share @ others)) <= SAME
    certain = same and abs(against) > BY_MOTION * abs(system.rows["residual"][row])
    order = np.argsort(-np.abs(share), kind="stable")
    order = order[np.abs(share[order]) > SHARES * np.abs(share).max()]
    return Contradiction(row, partners[order], bool(certain))


def wanted_growth(system: System) -> Floats:
    """By how much drives and imposed motions let the coordinate of each row (nr,) grow in the step at hand."""
    growth = np.zeros(len(system.rows))
    for records in (system.drives, system.conditions.records):
        active = records[records["active"] == 1]
        growth[active["row"]] = active["target_step"]
    return growth


def weakest_combination(assembly: Assembly, row: int) -> Contradiction:
    """The rows, with `row` among them, that are nearest to depending on each other at the positions at hand."""
    system = assembly.system
    subsystem = system.subsystems[subsystem_of_rows(system.subsystems, row)]
    inside = np.arange(subsystem["first_row"], subsystem["last_row"])
    inside = inside[system.rows["left_out"][inside] != LEFT_OUT]
    none = Contradiction(row, np.zeros(0, dtype=np.int64), False)
    if len(inside) > MOST_ROWS or row not in inside:
        return none
    every = np.arange(subsystem["first_row"], subsystem["last_row"])
    jacobian = unit_rows(every, system.rows, system.entries, system.bodies)[inside - every[0]].toarray()
    _, vectors = np.linalg.eigh(jacobian @ jacobian.T + np.diag(~np.any(jacobian, axis=1)))
    share = np.abs(vectors[:, 0])
    if share[inside == row][0] < SHARES * share.max():
        return none
    order = np.argsort(-share, kind="stable")
    order = order[share[order] > SHARES * share.max()]
    return Contradiction(row, inside[order[inside[order] != row]], False)


def describe_contradiction(assembly: Assembly, found: Contradiction, where: str) -> str:
    """What asks for what others do not allow; where : step and time."""
    residual = abs(float(assembly.system.rows["residual"][found.row]))
    return (
        f"{block_text(assembly, found.row)} asks for a motion that contradicts {blocks_text(assembly, found)}: {where} "
        f"it is off by {residual:.3g}{unit_of_row(assembly, found.row)}; take one of them away, or let them agree"
    )


def blocks_text(assembly: Assembly, found: Contradiction) -> str:
    """The blocks of the other rows, each once."""
    own = assembly.row_wheres[found.row]
    texts = list(
        dict.fromkeys(block_text(assembly, int(row)) for row in found.others if assembly.row_wheres[row] is not own)
    )
    texts = texts or [block_text(assembly, int(row)) for row in found.others[:1]] or holders(assembly, found.row)
    more = len(texts) - MOST_PLACES
    texts = texts[:MOST_PLACES] + ([f"{more} more"] if more > 0 else [])
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def holders(assembly: Assembly, row: int) -> list[str]:
    """The /BCS that hold the nodes of a row."""
    model, entries = assembly.model, assembly.system.entries
    drives = [place.drive for place in assembly.places.drives if place.row == row]
    nodes = {node for drive in drives for node in (drive.node_i, drive.node_j)}
    for body in entries["body"][assembly.system.rows["start"][row] : assembly.system.rows["end"][row]]:
        plan = assembly.bodies[body]
        nodes.update(plan.nodes.tolist() if plan is not None else [])
    found = [held for held in model.boundary_conditions if nodes.intersection(held.nodes.tolist())]
    return [f"/BCS/{held.id} ({held.where.file}:{held.where.line})" for held in found] or ["what holds its nodes"]


def block_text(assembly: Assembly, row: int) -> str:
    """A row and the place of its block in the deck."""
    where = assembly.row_wheres[row]
    return f"{assembly.row_names[row]} ({where.file}:{where.line})"


def unit_of_row(assembly: Assembly, row: int) -> str:
    """A blank and the unit of a row's residual; nothing where that depends on the deck."""
    system = assembly.system
    length = unit(assembly.model.units, length=1)
    for drive in system.drives[system.drives["row"] == row]:
        return " rad" if drive["rotational"] == 1 else f" {length}"
    kind = int(system.rows["kind"][row])
    if kind >= 0:
        return f" {length}" if kind in CODES_OF_LENGTHS else " rad"
    return ""
