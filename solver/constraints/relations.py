"""Relations between coordinates of joints: gears, screws, couplers, and what drives act on; one row each.

    g = sum over the terms of coefficient * coordinate = 0,

a coordinate being the angle or the slide of a joint.  The multiplier lambda is the force (moment) coefficient * lambda
on node j of each joint along its slide (about its axis), and the opposite on body a.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.bodies import GROUND, Floats, Records
from ..core.body_points import add_force, add_moment
from ..core.jit.kernels import kernel
from ..core.vectors import opposite, scaled
from .joints import TWO_PI, angle_direction, arms_of, slide_direction
from .rows import LEFT_OUT, RowBuilder, clear_row, widen_tolerance

RELATION = np.dtype([("row", "i8"), ("start", "i8"), ("end", "i8")], align=True)
TERM = np.dtype(
    [
        ("joint", "i8"),
        ("rotational", "i8"),  # 1: its angle, 0: its slide
        ("node_entry", "i8"),  # entry of body b, -1 for the ground
        ("carrier_entry", "i8"),
        ("coefficient", "f8"),
        ("coefficient_high", "f8"),  # its leading 26 bits: their product with whole turns is exact
    ],
    align=True,
)


@kernel(inline=True)
def relation_residuals(
    relations: Records, terms: Records, first: int, last: int, joints: Records, rows: Records
) -> None:
    """Residuals of the relations at the trial coordinates.

    Whole turns are summed apart: coefficient_high * turns is exact, so the residual's floor does not grow with them.
    """
    for j in range(first, last):
        relation = relations[j]
        turns_high, turns_low, rest = 0.0, 0.0, 0.0
        for k in range(relation.start, relation.end):
            term = terms[k]
            joint = joints[term.joint]
            if term.rotational == 1:
                turns_high += term.coefficient_high * joint.trial_turns
                turns_low += (term.coefficient - term.coefficient_high) * joint.trial_turns
                rest += term.coefficient * joint.trial_angle
            else:
                rest += term.coefficient * joint.trial_slide
        rows[relation.row].residual = TWO_PI * (turns_high + turns_low) + rest


@kernel(inline=True)
def relation_jacobians(
    relations: Records, terms: Records, first: int, last: int, joints: Records, rows: Records, entries: Records,
    bodies: Records,
) -> None:  # fmt: skip
    """Entries of the relation rows at t_n; a body that appears in several terms collects them."""
    for j in range(first, last):
        relation = relations[j]
        row = rows[relation.row]
        clear_row(row, entries)
        travel = 0.0
        for k in range(relation.start, relation.end):
            term = terms[k]
            joint = joints[term.joint]
            if joint.carrier.body == joint.node.body:
                continue
            a, b, c = bodies[joint.carrier.body], bodies[joint.node.body], term.coefficient
            if term.rotational == 1:
                m = scaled(c, angle_direction(joint, a, b))
                if row.left_out == LEFT_OUT:
                    # what the ratios of a loop lack to close adds up as it turns
                    travel += abs(c * (TWO_PI * joint.turns + joint.angle))
                if term.node_entry >= 0:
                    add_moment(entries[term.node_entry].jacobian, m)
                if term.carrier_entry >= 0:
                    add_moment(entries[term.carrier_entry].jacobian, opposite(m))
                continue
            at_node, at_carrier = arms_of(joint, a, b, False)
            f = scaled(c, slide_direction(joint, a, at_carrier))
            travel += abs(c * joint.slide)
            if term.node_entry >= 0:
                add_force(entries[term.node_entry].jacobian, at_node, f)
            if term.carrier_entry >= 0:
                add_force(entries[term.carrier_entry].jacobian, at_carrier, opposite(f))
        if travel > 0.0:
            widen_tolerance(row, travel)


class RelationBuilder:
    """Adds relations one by one and makes the flat arrays."""

    def __init__(self, builder: RowBuilder, bodies_of: Callable[[int], tuple[int, int]]) -> None:
        """bodies_of : bodies b and a of a joint."""
        self._rows = builder
        self._bodies_of = bodies_of
        self._terms: list[list[tuple[int, bool, float, int, int]]] = []
        self._relation_rows: list[int] = []

    def __len__(self) -> int:
        return len(self._terms)

    def add(self, terms: list[tuple[int, bool, float]], scale: float) -> int:
        """The relation of terms (joint, rotational, coefficient); returns its row."""
        bodies: list[int] = []
        for joint, _, _ in terms:
            b, a = self._bodies_of(joint)
            bodies += [body for body in (b, a) if a != b and body != GROUND and body not in bodies]
        row, first_entry = self._rows.add(bodies, scale)
        entry_of = {body: first_entry + k for k, body in enumerate(bodies)}
        found = []
        for joint, rotational, coefficient in terms:
            b, a = self._bodies_of(joint)
            found.append((joint, rotational, coefficient, entry_of.get(b, -1), entry_of.get(a, -1)))
        self._terms.append(found)
        self._relation_rows.append(row)
        return row

    def build(self) -> tuple[Records, Records]:
        """The relations and their terms."""
        flat = [term for terms in self._terms for term in terms]
        terms = np.zeros(len(flat), TERM)
        fields = ("joint", "rotational", "coefficient", "node_entry", "carrier_entry")
        for name, column in zip(fields, zip(*flat, strict=True), strict=False):
            terms[name] = column
        terms["coefficient_high"] = leading_bits(terms["coefficient"])
        relations = np.zeros(len(self._terms), RELATION)
        counts = np.array([len(terms) for terms in self._terms], dtype=np.int64)
        relations["row"], relations["end"] = self._relation_rows, np.cumsum(counts)
        relations["start"] = relations["end"] - counts
        return relations, terms


def leading_bits(values: Floats) -> Floats:
    """The leading 26 bits of each value (Veltkamp splitting), so that its product with an integer < 2^27 is exact."""
    scaled = values * 134217729.0  # 2^27 + 1
    return scaled - (scaled - values)
