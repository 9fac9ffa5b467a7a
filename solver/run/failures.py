"""What went wrong in a step, and the words for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.contact_capacity import describe_contact_beyond_capacity
from ..assembly.contradictions import (
    Contradiction,
    block_text,
    blocks_text,
    contradiction_of,
    weakest_combination,
)
from ..assembly.drive_messages import refused_in_run
from ..assembly.initial_state import InitialState
from ..core.bodies import FARTHEST
from ..integration.status import (
    DIED,
    DIVERGED,
    INACCURATE,
    JUMP,
    NO_CAPACITY,
    NO_DISTANCE,
    NOT_HELD,
    ROWS_NOT_MET,
    TOO_SHORT,
)


class Failure(NamedTuple):
    """Why the loop could not complete a step.

    status : as `integration.status` numbers them
    culprit : index of the body, row, drive, wall or interface, as the status says
    """

    status: int
    step: int
    culprit: int

    @property
    def is_unmet_row(self) -> bool:
        """Whether the corrections of a row did not converge."""
        return self.status == ROWS_NOT_MET or (self.status == TOO_SHORT and self.culprit >= 0)

    @property
    def is_inaccurate(self) -> bool:
        """Whether rows gained or lost too much energy."""
        return self.status == INACCURATE

    @property
    def is_full_buffer(self) -> bool:
        """Whether a contact interface found more than is kept of it."""
        return self.status == NO_CAPACITY

    @property
    def is_of_long_step(self) -> bool:
        """Whether shorter steps may help."""
        return self.status in (ROWS_NOT_MET, DIVERGED, NOT_HELD, INACCURATE)


def find_contradiction(failure: Failure, assembly: Assembly, initial: InitialState | None) -> Contradiction | None:
    """Why a row was not met, in the state in which it failed; None where something else failed, or nobody knows."""
    if not failure.is_unmet_row or initial is None:
        return None
    found = contradiction_of(assembly, initial.redundancy, failure.culprit)
    return found if len(found.others) or found.certain else None


def describe_others(failure: Failure, assembly: Assembly, found: Contradiction | None) -> str:
    """With what a row that cannot be met does not go together, for the end of a message."""
    if not failure.is_unmet_row:
        return ""
    found = found or weakest_combination(assembly, failure.culprit)
    return f"; it does not go together with {blocks_text(assembly, found)}" if len(found.others) else ""


def where_of(failure: Failure, assembly: Assembly, time: float) -> str:
    """Step and time of a failure."""
    return f"at step {failure.step}, t = {time:.6g} {assembly.model.units.time}"


def describe_failure(failure: Failure, assembly: Assembly, time: float, imposed: bool) -> str:
    """What failed, in the state in which it did, and what the user may do.

    time : of the step that failed; imposed : whether the user imposed the time step
    """
    status, _, culprit = failure
    model, system = assembly.model, assembly.system
    where = where_of(failure, assembly, time)
    if status == DIED:
        return f"a compiled part of gsolve failed {where} (a fault of gsolve: please report it with the deck)"
    if status == NO_CAPACITY:
        return describe_contact_beyond_capacity(assembly, culprit, where)
    if status in (JUMP, NO_DISTANCE):
        return refused_in_run(assembly, status == JUMP, culprit, where)
    if status == TOO_SHORT:
        what = f": {block_text(assembly, culprit)} cannot be met" if culprit >= 0 else ""
        composed = system.accurate.clocks["order"].max()
        if composed:
            return f"parts of a step of order {composed} became too short {where}{what} (it may do without --order)"
        return f"steps that keep to the tolerance of --accuracy became too short {where}{what} (it may do without it)"
    advice = "a shorter time step may help" if imposed else "shorter time steps did not help"
    if status == NOT_HELD:
        wall = model.rigid_walls[system.walls.walls["number"][culprit]]
        return f"the forces of {wall.name} on its nodes do not settle {where} ({advice})"
    if status == INACCURATE:
        return f"{block_text(assembly, culprit)} and the rows around it gain or lose energy {where} ({advice})"
    if status == ROWS_NOT_MET:
        residual = system.rows["residual"][culprit]
        return f"{block_text(assembly, culprit)} cannot be met {where}: its residual stays at {residual:.3g} ({advice})"
    node, body = int(assembly.main_node_ids[culprit]), system.bodies[culprit]
    bounded = np.all(np.abs(body["trial_displacement"]) < FARTHEST)
    what = "turns by more than 2 rad in one step" if bounded else "moves beyond all bounds"
    return f"the run diverged {where}: node {node} {what} ({advice})"
