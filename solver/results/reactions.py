"""Reactions of nodes (REACX ... REACZZ of /TH/NODE): what /BCS and imposed motions exert on them.

They are the multipliers of rows that hold one direction of one node.  A node that /BCS holds in all directions has
such rows, in place of standing still by itself, where its reactions are asked for (`BodyPlan.measured`).
"""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Skew

from ..assembly.assembly import Assembly
from ..assembly.body_plan import NodePlan
from ..constraints.nodal_constraints import RIDING, ROTATION
from ..core.bodies import Floats, Ints
from .node_output import moving_axes, places_of


class Reactions:
    """Sums of the multipliers of single directions, node by node.

    nodes : (n,) rows of the nodes whose reactions are wanted
    """

    def __init__(self, assembly: Assembly, nodes: Ints) -> None:
        self._points = assembly.system.points
        records, terms = assembly.system.conditions
        term = terms[records["first_term"]]
        single = (records["last_term"] - records["first_term"] == 1) & (term["kind"] != RIDING)
        single &= np.isin(term["point"], nodes)
        self._term, self._row = term[single], records["row"][single]
        self._shape = len(nodes), 6
        self._unknown = [column for column, node in enumerate(nodes.tolist()) if _is_unmeasured(assembly.plan, node)]
        columns: dict[int, list[int]] = {}
        for column, node in enumerate(nodes.tolist()):
            columns.setdefault(node, []).append(column)
        self._columns = [np.array(columns[node]) for node in self._term["point"].tolist()]
        skews: list[Skew] = list(assembly.model.skews.values())
        self._skews = [skews[k] if k >= 0 else None for k in self._term["skew"].tolist()]

    def values(self, bodies: Floats, multipliers: Floats) -> Floats:
        """Force and moment (k, n, 6), global axes, of samples bodies (k, nb, 22) and multipliers (k, nr)."""
        result = np.zeros((len(bodies), *self._shape))
        for term, row, columns, skew in zip(self._term, self._row, self._columns, self._skews, strict=True):
            axis = np.tile(term["axis"], (len(bodies), 1))
            if skew is not None:
                places = places_of(bodies, self._points[skew.nodes])
                axis = moving_axes(places, skew.direction)[:, term["component"]]
            first = 3 if term["kind"] == ROTATION else 0
            push = (term["coefficient"] * multipliers[:, row])[:, None] * axis
            result[:, columns, first : first + 3] += push[:, None, :]
        result[:, self._unknown] = np.nan
        return result


def _is_unmeasured(plan: NodePlan, node: int) -> bool:
    """Whether a node is held, but not by rows."""
    body = plan.bodies[plan.body_of_node[node]] if plan.body_of_node[node] >= 0 else None
    if body is None or body.main_node != node or body.measured:
        return False
    return body.holds_translation or body.holds_rotation
