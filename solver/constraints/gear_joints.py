"""/GJOINT: gear, differential and rack-and-pinion joints, held at position level.

Nodes 1 to 3 sit on the carrier, node 0, in `joints` of their own, with axes r_k fixed in the carrier:
    a shaft       REVOLUTE: the rigid link (3 rows) and R_k r_k parallel to R_0 r_k (2 rows: equations 2-5 of /GJOINT)
    a rack        TRANSLATIONAL: it slides along r_2 (2 rows) and keeps the orientation of node 0 (3 rows);
                  STRUT, the first two alone, for a rack without inertia
and one relation couples their coordinates (equations 1, 6 and 9 of /GJOINT, at position level):
    GEAR  alpha theta_1 + theta_2 = 0
    DIFF  alpha theta_1 + theta_2 + theta_3 = 0
    RACK  alpha theta_1 + u_2 = 0

A joint of a node on a carrier is made once for each (carrier, node, axis): a shaft in several gears on one housing
repeats nothing.  The multiplier lambda of the relation is the torque coefficient_k * lambda on shaft k about r_k.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from gsolve.parser.model import GearJoint

from ..core.bodies import Floats
from .row_builder import RowSet

# How the ratio of a gear joint is read: as documented, or as OpenRadioss does.
GjointAlpha = Literal["documented", "inverse"]

_Key = tuple[int, int, tuple[float, ...], bool]


@dataclass(slots=True)
class GearJointPlace:
    """Where a gear joint went: the joints of its nodes 1 to 3, its row, and the coefficients of its relation."""

    gear_joint: GearJoint
    joints: list[int]
    signs: list[float]  # -1 where a joint, made for another gear joint, has its axis the other way
    row: int
    coefficients: list[float]


@dataclass(slots=True)
class GearJointSetup:
    """Makes the joints and relations of /GJOINT blocks, sharing what can be shared."""

    row_set: RowSet
    gjoint_alpha: str
    _known: dict[_Key, int] = field(default_factory=dict)

    def add(self, gear_joints: list[GearJoint], scale: float) -> list[GearJointPlace]:
        """Rows of the gear joints of one subsystem of size `scale`."""
        places = [self._add_joints(gear_joint, scale) for gear_joint in gear_joints]
        for place in places:
            self._add_relation(place, scale)
        return places

    def _add_joints(self, gear_joint: GearJoint, scale: float) -> GearJointPlace:
        place = GearJointPlace(gear_joint, [], [], -1, [])
        for k in range(1, 4):
            node = int(gear_joint.nodes[k])
            if node < 0:
                continue
            kind = "REVOLUTE"
            if gear_joint.kind == "RACK" and k == 2:
                kind = "TRANSLATIONAL" if self.row_set.turns(node) else "STRUT"
            joint, sign = self._joint(int(gear_joint.nodes[0]), node, gear_joint.axes[k - 1], kind, scale)
            place.joints.append(joint)
            place.signs.append(sign)
            self.row_set.name_rows(f"/GJOINT/{gear_joint.kind}/{gear_joint.id}, node_ID{k}", gear_joint.where)
        return place

    def _joint(self, carrier: int, node: int, axis: Floats, kind: str, scale: float) -> tuple[int, float]:
        """The joint of a node on a carrier, made now if it is new, and -1 if its axis points the other way."""
        shaft = kind == "REVOLUTE"
        for sign in (1.0, -1.0):
            known = self._known.get((carrier, node, _rounded(sign * axis), shaft))
            if known is not None:
                return known, sign
        row_set = self.row_set
        bodies = row_set.body_of(carrier), row_set.body_of(node)
        joint = row_set.joints.add(kind, bodies, row_set.arm_of(node), axis, scale)
        self._known[carrier, node, _rounded(axis), shaft] = joint
        return joint, 1.0

    def _add_relation(self, place: GearJointPlace, scale: float) -> None:
        gear_joint = place.gear_joint
        alpha = gear_joint.fscale_v if self.gjoint_alpha == "documented" else 1.0 / gear_joint.fscale_v
        place.coefficients = [alpha, 1.0, 1.0][: len(place.joints)]
        rack = gear_joint.kind == "RACK"
        size = max(scale, abs(alpha)) if rack else sum(abs(c) for c in place.coefficients)
        terms = [
            (joint, not (rack and k == 1), sign * c)
            for k, (joint, sign, c) in enumerate(zip(place.joints, place.signs, place.coefficients, strict=True))
        ]
        place.row = self.row_set.relations.add(terms, size)
        self.row_set.name_rows(f"/GJOINT/{gear_joint.kind}/{gear_joint.id}, ratio", gear_joint.where)


def _rounded(axis: Floats) -> tuple[float, ...]:
    return tuple((np.round(axis, 9) + 0.0).tolist())
