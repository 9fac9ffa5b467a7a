"""Which bodies of a subsystem turn about axes that are fixed in one carrier, and which ride on such a rotor.

A body is a rotor if a bearing holds it on the carrier, or on a rotor in line with that one's axis: the sun and the ring
of a planetary set, whose arm carries their bearings.  A bearing on a rotor that is parallel to its axis but beside it
makes a planet: that turns about its own axis, which goes round with the arm.  All angles are counted against the
carrier, so that the angle of a joint is the difference of those of its two bodies.

On a carrier that is held, a bearing may also let its body slide along the axis (a rack, a screw, a shaft on a spline),
or slide alone; and /BCS at a node that lets it only turn about one axis is a bearing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress

import numpy as np

from ..constraints.joints import (
    ACROSS_S,
    ACROSS_T,
    ALONG,
    NO_ANGLE,
    NO_SLIDE,
    TILT_S,
    TILT_T,
    TRAVEL,
    TURN_R,
    TURN_S,
    TURN_T,
    TWIST,
)
from ..constraints.motion_law import FIXED
from ..constraints.nodal_constraints import ROTATION
from ..core.bodies import GROUND, NO_ROTATION, Floats, Record
from ..integration.system import System
from .train_checks import ROUND_OFF, NotCondensed, are_parallel, is_on_axis

# Rows of the joints that are bearings, and whether these let their body turn and slide
BEARINGS = {
    (ALONG, ACROSS_S, ACROSS_T, TILT_S, TILT_T): (True, False),
    (ACROSS_S, ACROSS_T, TILT_S, TILT_T): (True, True),
    (ACROSS_S, ACROSS_T, TURN_R, TURN_S, TURN_T): (False, True),
}
STRUT = (ACROSS_S, ACROSS_T)  # of a body without inertia
MOST_CARRIERS = 4  # that are tried

Coordinate = dict[int, float]  # angle or slide of a joint: by body the factor, 1 or -1, of its own


@dataclass(slots=True)
class Rotor:
    """A body that turns about an axis, or slides along it.

    axis : in the axes of the carrier; arm_of : the rotor with which the axis goes round, GROUND where it is fixed
    arm : from that one's axis, at t = 0; inertia : about the axis
    turns, slides : whether it does
    """

    axis: Floats
    arm_of: int
    arm: Floats
    inertia: float = 0.0
    turns: bool = True
    slides: bool = False


class RotorsOf:
    """The rotors of a subsystem on one carrier.

    rotors : by body; angles, slides : of each joint of the subsystem, by bodies that have such a coordinate

    Raises
    ------
    NotCondensed
        there is a body that is none
    """

    def __init__(self, system: System, subsystem: Record, carrier: int) -> None:
        self._system, self.carrier = system, carrier
        self.rotors: dict[int, Rotor] = {}
        joints = list(system.joints[subsystem["first_joint"] : subsystem["last_joint"]])
        for body, axis in axes_held_by_nodes(system, subsystem).items():
            self.rotors[body] = Rotor(axis, GROUND, np.zeros(3))
            self._check_as_built(body)
        if self.rotors and carrier != GROUND:
            raise NotCondensed("shafts on several carriers that move")
        self._add_bearings([joint for joint in joints if joint["n_rows"]])
        for i in range(subsystem["first_body"], subsystem["last_body"]):
            self._check_body(i)
        for joint in joints:
            self._check_coordinates(joint)
        self.angles = [self._coordinate(joint, turning=True) for joint in joints]
        self.slides = [self._coordinate(joint, turning=False) for joint in joints]

    # ---- bearings --------------------------------------------------------------------------------------------

    def _add_bearings(self, bearings: list[Record]) -> None:
        """Rotors by their bearings: those on the carrier first, then those on rotors that are known."""
        for joint in bearings:
            self._freedom(joint)
        known, waiting = {self.carrier, *self.rotors}, bearings
        while waiting:
            found = [bool(ends_of(joint) & known) for joint in waiting]
            if not any(found):
                raise NotCondensed("shafts on several carriers that move")
            for joint in compress(waiting, found):
                self._add_bearing(joint)
            waiting = [joint for joint, is_found in zip(waiting, found, strict=True) if not is_found]
            known = {self.carrier, *self.rotors}
        for joint in bearings:
            self._restrict(joint)
        for joint in bearings:
            self._check_in_line(joint)

    def _freedom(self, joint: Record) -> tuple[bool, bool]:
        """Whether a bearing lets its body turn and slide."""
        kinds = tuple(sorted(self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]].tolist()))
        if kinds == STRUT and np.all(self._system.bodies["turning"][sorted(ends_of(joint) - {GROUND})] == NO_ROTATION):
            return False, True
        if kinds not in BEARINGS:
            raise NotCondensed("joints other than shafts and slides")
        return BEARINGS[kinds]

    def _restrict(self, joint: Record) -> None:
        """What bearings of a body beyond its first do not let it do."""
        turns, slides = self._freedom(joint)
        for body in ends_of(joint) - {self.carrier}:
            if self.carrier in ends_of(joint):
                self.rotors[body].turns &= turns
                self.rotors[body].slides &= slides
            elif slides:
                raise NotCondensed("slides on shafts")

    def _add_bearing(self, joint: Record) -> None:
        """The body of a bearing that is not known yet as a rotor on the other."""
        ends = {int(joint[end]["body"]): end for end in ("carrier", "node")}
        if len(ends) == 1:
            return
        base = self.carrier if self.carrier in ends else next(body for body in ends if body in self.rotors)
        body = next(body for body in ends if body != base)
        if body in self.rotors:
            return
        axis = joint["triad"][0].copy()
        turns, slides = self._freedom(joint)
        if slides:
            if self.carrier != GROUND:
                raise NotCondensed("slides on a carrier that moves")
            self._check_as_built(body)
        rotor = Rotor(axis, GROUND, np.zeros(3), turns=turns, slides=slides)
        if base != self.carrier:
            self._check_as_built(base)
            other = self.rotors[base]
            if not are_parallel(axis, other.axis) or other.slides or not other.turns:
                raise NotCondensed("shafts on several carriers that move")
            rotor.axis = other.axis
            if is_on_axis(joint[ends[base]]["arm"], other.axis, self._system.bodies[base]):
                rotor.arm_of, rotor.arm = other.arm_of, other.arm
            elif other.arm_of != GROUND:
                raise NotCondensed("planets on planets")
            else:
                self._check_as_built(body)
                rotor.arm_of, arm = base, joint[ends[base]]["arm"]
                rotor.arm = arm - (arm @ other.axis) * other.axis
        self.rotors[body] = rotor

    def _check_as_built(self, body: int) -> None:
        moved = self._system.bodies[body]
        if np.any(moved["rotation"] != np.eye(3)) or np.any(moved["displacement"] != 0.0):
            raise NotCondensed("shafts turned by closing gaps")

    def _check_in_line(self, joint: Record) -> None:
        """A bearing must be in line with the axes of its bodies, but for that of the arm of a planet."""
        arms: list[tuple[int, Floats]] = []
        for end in ("carrier", "node"):
            body = int(joint[end]["body"])
            if body == self.carrier:
                arms.append((GROUND, np.zeros(3)))
                continue
            rotor, arm = self.rotors[body], joint[end]["arm"]
            if not are_parallel(rotor.axis, joint["triad"][0]):
                raise NotCondensed("bearings of one shaft that are not in line")
            if not rotor.turns:
                return
            if is_on_axis(arm, rotor.axis, self._system.bodies[body]):
                arms.append((rotor.arm_of, rotor.arm))
            else:
                arms.append((body, arm - (arm @ rotor.axis) * rotor.axis))
        (base, arm), (other, other_arm) = arms
        size = max(np.abs(arm).max(), np.abs(other_arm).max())
        if base != other or np.abs(arm - other_arm).max() > ROUND_OFF * size:
            raise NotCondensed("shafts whose centre of mass is off their axis")

    # ---- bodies and angles -----------------------------------------------------------------------------------

    def _check_body(self, i: int) -> None:
        body = self._system.bodies[i]
        if i not in self.rotors and i != self.carrier:
            raise NotCondensed("bodies that are on no bearing")
        if i != self.carrier and not self.rotors[i].turns:
            return
        if body["turning"] == NO_ROTATION:
            raise NotCondensed("shafts without inertia")
        if i == self.carrier:
            return
        rotor = self.rotors[i]
        if not is_on_axis(body["mass_arm"], rotor.axis, body):
            raise NotCondensed("shafts whose centre of mass is off their axis")
        # body axes are the global ones at t = 0, but where gaps were closed
        turned = body["rotation"] @ body["inertia"] @ body["rotation"].T @ rotor.axis
        rotor.inertia = float(rotor.axis @ turned)
        if np.abs(turned - rotor.inertia * rotor.axis).max() > ROUND_OFF * rotor.inertia:
            raise NotCondensed("shafts that turn about no principal axis")

    def _check_coordinates(self, joint: Record) -> None:
        """What a joint measures must be sums of angles and slides of bodies."""
        if joint["angle_kind"] not in (NO_ANGLE, TWIST) or joint["slide_kind"] not in (NO_SLIDE, TRAVEL):
            raise NotCondensed("coordinates other than angles and slides")
        if joint["node"]["body"] == joint["carrier"]["body"]:
            return
        if joint["turns"] or abs(joint["angle"]) > ROUND_OFF or abs(joint["slide"]) > 0.0:
            raise NotCondensed("shafts turned by closing gaps")
        for body in ends_of(joint) - {self.carrier}:
            if body not in self.rotors:
                raise NotCondensed("angles against the ground on a carrier that moves")
            if not are_parallel(self.rotors[body].axis, joint["triad"][0]):
                raise NotCondensed("angles about axes other than those of shafts")
            if joint["slide_kind"] == TRAVEL and self.rotors[body].arm_of != GROUND:
                raise NotCondensed("slides of planets")

    def _coordinate(self, joint: Record, *, turning: bool) -> Coordinate:
        """The angle or the slide of a joint."""
        ends = [int(joint["node"]["body"]), int(joint["carrier"]["body"])]
        found: Coordinate = {}
        if ends[0] == ends[1] or (joint["angle_kind"] != TWIST if turning else joint["slide_kind"] != TRAVEL):
            return found
        for body, sign in zip(ends, (1.0, -1.0), strict=True):
            if body != self.carrier:
                rotor = self.rotors[body]
                if rotor.turns if turning else rotor.slides:
                    found[body] = sign if rotor.axis @ joint["triad"][0] > 0.0 else -sign
        return found


def find_rotors(system: System, subsystem: Record) -> RotorsOf:
    """The rotors of a subsystem on the carrier that fits: the ground where it has a bearing, else one of many bearings.

    Raises
    ------
    NotCondensed
        none fits
    """
    count: Counter[int] = Counter()
    for joint in system.joints[subsystem["first_joint"] : subsystem["last_joint"]]:
        if joint["n_rows"]:
            count.update(int(joint[end]["body"]) for end in ("carrier", "node"))  # of two the first is preferred
    if not count:
        raise NotCondensed("no shafts")
    on_ground = GROUND in count or subsystem["last_condition"] > subsystem["first_condition"]
    candidates = [GROUND] if on_ground else [body for body, _ in count.most_common(MOST_CARRIERS)]
    refused: NotCondensed | None = None
    for carrier in candidates:
        try:
            return RotorsOf(system, subsystem, carrier)
        except NotCondensed as reason:
            refused = refused or reason
    assert refused is not None
    raise refused


def axes_held_by_nodes(system: System, subsystem: Record) -> dict[int, Floats]:
    """Bodies that /BCS holds at a node but for one rotation, and the axis of that.

    Raises
    ------
    NotCondensed
        there is any other condition on a node
    """
    held: dict[int, list[Floats]] = {}
    conditions, bodies = system.conditions, system.bodies
    for condition in conditions.records[subsystem["first_condition"] : subsystem["last_condition"]]:
        terms = conditions.terms[condition["first_term"] : condition["last_term"]]
        body = int(terms["node"]["body"][0])
        fixed = condition["kind"] == FIXED and len(terms) == 1 and terms["kind"][0] == ROTATION
        if not fixed or terms["skew"][0] >= 0 or bodies["inverse_mass"][body] > 0.0:
            raise NotCondensed("conditions on nodes")
        held.setdefault(body, []).append(terms["axis"][0])
    if any(len(axes) != 2 for axes in held.values()):
        raise NotCondensed("conditions on nodes")
    across = {body: np.cross(one, other) for body, (one, other) in held.items()}
    return {body: axis / np.linalg.norm(axis) for body, axis in across.items()}


def ends_of(joint: Record) -> set[int]:
    """The bodies of a joint."""
    return {int(joint["carrier"]["body"]), int(joint["node"]["body"])}
