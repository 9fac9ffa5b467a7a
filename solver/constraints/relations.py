"""Relations between coordinates of joints: gears, screws, couplers, and what drives act on; one row each.

    g = sum over the terms of coefficient * coordinate = 0,

a coordinate being the angle or the slide of a joint.  The multiplier lambda is the force (moment) coefficient * lambda
on node j of each joint along its slide (about its axis), and the opposite on body a.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.bodies import GROUND, Floats, Record, Records, Vector
from ..core.jit.kernels import kernel
from ..core.rotation import to_global
from ..core.vectors import plus
from .joints import TWO_PI, angle_direction, between, slide_direction
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
def add_force(entry: Record, sign: float, f: Vector, arm: Vector) -> None:
    """Add sign * (f, arm x f) to an entry."""
    fx, fy, fz = sign * f[0], sign * f[1], sign * f[2]
    x, y, z = arm
    jacobian = entry.jacobian
    jacobian[0] += fx
    jacobian[1] += fy
    jacobian[2] += fz
    jacobian[3] += y * fz - z * fy
    jacobian[4] += z * fx - x * fz
    jacobian[5] += x * fy - y * fx


@kernel(inline=True)
def add_moment(entry: Record, sign: float, m: Vector) -> None:
    """Add sign * m to the angular part of an entry."""
    jacobian = entry.jacobian
    jacobian[3] += sign * m[0]
    jacobian[4] += sign * m[1]
    jacobian[5] += sign * m[2]


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
            if joint.carrier == joint.node:
                continue
            a, b, c = bodies[joint.carrier], bodies[joint.node], term.coefficient
            if term.rotational == 1:
                m = angle_direction(joint, a, b)
                if row.left_out == LEFT_OUT:
                    # what the ratios of a loop lack to close adds up as it turns
                    travel += abs(c * (TWO_PI * joint.turns + joint.angle))
                if term.node_entry >= 0:
                    add_moment(entries[term.node_entry], c, m)
                if term.carrier_entry >= 0:
                    add_moment(entries[term.carrier_entry], -c, m)
                continue
            arm = joint.node_arm
            at_node = to_global(b.rotation, arm[0], arm[1], arm[2])
            at_carrier = plus(between(joint, a, b, False), at_node)
            f = slide_direction(joint, a, at_carrier)
            travel += abs(c * joint.slide)
            if term.node_entry >= 0:
                add_force(entries[term.node_entry], c, f, at_node)
            if term.carrier_entry >= 0:
                add_force(entries[term.carrier_entry], -c, f, at_carrier)
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
