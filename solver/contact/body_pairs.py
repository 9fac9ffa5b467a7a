"""Pairs of bodies whose contact is recorded by itself (/TH/INTER ... PAIRS).

All pairs of an interface that might ever touch are known from its sides, and each is a column of the history from the
start on: so the file has its final layout before the first step.  That bounds their number.
"""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import ContactInterface, ForceCurveInterface, HistoryRequest, Model, Surface
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.bodies import GROUND, Ints, Records
from .records import BODY_PAIR

MOST_PAIRS = 1000  # of an interface


def check_body_pairs(model: Model, body_of_node: Ints) -> list[Diagnostic]:
    """Errors for interfaces with more pairs than can be recorded.

    body_of_node : (n,) any number for each body, -1 where a node does not move
    """
    bodies, errors = bodies_of_shapes(model, body_of_node, -1), []
    for request in model.history_requests:
        for contact in model.interfaces:
            if not asks_for_pairs(request, contact):
                continue
            side_i, side_j = sides_of_bodies(contact, bodies, len(model.shapes))
            most = len(side_i) * len(side_j)
            if most > 4 * MOST_PAIRS or len(pairs_of_bodies(side_i, side_j)) > MOST_PAIRS:
                errors.append(
                    request.where.diagnose(
                        "error",
                        f"{contact.name} has too many pairs of bodies to record each by itself",
                        found=f"{len(side_i)} bodies against {len(side_j)}",
                        allowed=f"at most {MOST_PAIRS} pairs",
                        hint="leave out PAIRS, or give the bodies of interest an interface of their own",
                    )
                )
    return errors


def asks_for_pairs(request: HistoryRequest, contact: ContactInterface | ForceCurveInterface) -> bool:
    """Whether a /TH block asks for the pairs of an interface; without ids it asks for all."""
    return request.by_pairs and (len(request.items) == 0 or contact.id in request.items)


def bodies_of_shapes(model: Model, body_of_node: Ints, ground: int) -> Ints:
    """(n,) body that each shape of the model is fixed to, and then each mesh."""
    nodes = np.array([*(shape.node for shape in model.shapes), *(mesh.node for mesh in model.meshes)], dtype=np.int64)
    return np.where(nodes >= 0, np.append(body_of_node, ground)[nodes], ground)


def sides_of_bodies(
    contact: ContactInterface | ForceCurveInterface, body_of_solid: Ints, first_mesh: int
) -> tuple[Ints, Ints]:
    """Bodies on both sides of an interface, each sorted; first_mesh : place of the first mesh among the solids."""

    def bodies_of(side: Surface) -> Ints:
        return np.unique(body_of_solid[np.concatenate([side.shapes, side.meshes + first_mesh])])

    side_i = bodies_of(contact.side_i)
    return side_i, side_i if contact.side_j is None else bodies_of(contact.side_j)


def pairs_of_bodies(side_i: Ints, side_j: Ints) -> list[tuple[int, int]]:
    """Pairs that may touch, that of side i first; each once, where both bodies are on both sides."""
    found: dict[tuple[int, int], None] = {}
    for a in side_i.tolist():
        for b in side_j.tolist():
            if a != b and (b, a) not in found:
                found[a, b] = None
    return list(found)


def build_body_pairs(model: Model, interfaces: Records, points: Records) -> Records:
    """The pairs to record, interface by interface in the order of `interfaces`, which take note of their places."""
    bodies = bodies_of_shapes(model, points["body"], GROUND)
    blocks, count = [np.zeros(0, BODY_PAIR)], 0
    for record in interfaces:
        contact, pairs = model.interfaces[record["number"]], list[tuple[int, int]]()
        if any(asks_for_pairs(request, contact) for request in model.history_requests):
            pairs = pairs_of_bodies(*sides_of_bodies(contact, bodies, len(model.shapes)))
        block = np.zeros(len(pairs), BODY_PAIR)
        if pairs:
            both = np.array(pairs)
            block["i"], block["j"] = both.T
            block["low"], block["high"] = both.min(axis=1), both.max(axis=1)
            block.sort(order=["low", "high"])
        block["number"] = record["number"]
        record["first_body_pair"], record["last_body_pair"] = count, count + len(block)
        count += len(block)
        blocks.append(block)
    return np.concatenate(blocks)
