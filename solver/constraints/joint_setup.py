"""/JOINT and /COUPLER of the model as joints and relations of the solver.

A screw is a joint with the relation u - (pitch / 2 pi) theta = 0.  A coupler (ideal gear) is two joints without rows,
each measuring a node against its support, and a relation: R2T phi_a - ratio s_b = 0, R2R phi_a - ratio phi_b = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from gsolve.parser.model import Coupler, Joint

from .joints import LENGTH, NO_ANGLE, NO_SLIDE, POINT, ROWS_OF_JOINT, TRAVEL, TWIST, TWO_PI
from .row_builder import RowSet

# Joints whose slide counts from t = 0.
SLIDING = ("CYLINDRICAL", "TRANSLATIONAL", "SCREW", "STRUT")
COUPLER_NODES = {
    "R2T": ("node_spline", "node_support_r", "node_flange", "node_support_t"),
    "R2R": ("node_a", "node_support_a", "node_b", "node_support_b"),
}


@dataclass(slots=True)
class JointPlace:
    """Where a /JOINT went: its joint, and the row of a screw's relation (-1: none)."""

    joint: Joint
    index: int
    relation_row: int


@dataclass(slots=True)
class CouplerPlace:
    """Where a /COUPLER went: the joints that measure side a and side b, and its row."""

    coupler: Coupler
    joints: tuple[int, int]
    row: int


def add_joint(row_set: RowSet, joint: Joint, scale: float) -> JointPlace:
    """Rows of a /JOINT in a subsystem of size `scale`."""
    i, j = joint.node_i, joint.node_j
    bodies = row_set.body_of(i), row_set.body_of(j)
    arm_i, arm_j = row_set.arm_of(i, j), row_set.arm_of(j, i)
    centres = row_set.bodies["centre"]
    as_built = centres[bodies[1]] + arm_j - centres[bodies[0]]
    place = arm_i
    if joint.kind == "FIXED":
        place = as_built
    elif joint.kind in SLIDING:
        place = arm_i + ((as_built - arm_i) @ joint.axis_i) * joint.axis_i
    index = row_set.joints.add(
        joint.kind,
        bodies,
        arm_j,
        joint.axis_i,
        scale,
        place=place,
        axis_j=joint.axis_j if joint.kind in ("UNIVERSAL", "PERPENDICULAR", "REV_CYL") else None,
        length=joint.length,
    )
    name = f"/JOINT/{joint.kind}/{joint.id}"
    row_set.name_rows(name, joint.where)
    relation_row = -1
    if joint.kind == "SCREW":
        lead = joint.pitch / TWO_PI
        relation_row = row_set.relations.add([(index, False, 1.0), (index, True, -lead)], max(scale, abs(lead)))
        row_set.name_rows(f"{name}, pitch", joint.where)
    return JointPlace(joint, index, relation_row)


def add_coupler(row_set: RowSet, coupler: Coupler, scale: float) -> CouplerPlace:
    """The row of a /COUPLER in a subsystem of size `scale`."""
    travels = coupler.kind == "R2T"
    sides = (coupler.node_a, coupler.support_a, coupler.axis_a), (coupler.node_b, coupler.support_b, coupler.axis_b)
    joints = []
    for (node, support, axis), slides in zip(sides, (False, travels), strict=True):
        bodies = row_set.body_of(support), row_set.body_of(node)
        coordinates = (NO_ANGLE, TRAVEL) if slides else (TWIST, NO_SLIDE)
        arm = row_set.arm_of(node, support)
        joints.append(row_set.joints.add("NONE", bodies, arm, axis, scale, coordinates=coordinates))
    size = 1.0 + abs(coupler.ratio) * (scale if travels else 1.0)
    row = row_set.relations.add([(joints[0], True, 1.0), (joints[1], not travels, -coupler.ratio)], size)
    row_set.name_rows(f"/COUPLER/{coupler.kind}/{coupler.id}", coupler.where)
    return CouplerPlace(coupler, (joints[0], joints[1]), row)


def turns_matter(kind: str) -> tuple[bool, bool]:
    """Whether a kind of /JOINT needs the rotation of node i (which carries the axes) and of node j."""
    rows = set(ROWS_OF_JOINT[kind])
    return kind != "SPHERICAL" and rows != {LENGTH}, not rows <= {*POINT, LENGTH}
