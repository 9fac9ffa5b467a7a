"""Which bodies of a subsystem turn about axes that are fixed in one carrier, and which ride on such a rotor.

A body is a rotor if a bearing holds it on the carrier, or on a rotor in line with that one's axis: the sun and the ring
of a planetary set, whose arm carries their bearings.  A bearing on a rotor that is parallel to its axis but beside it
makes a planet: that turns about its own axis, which goes round with the arm.  All angles are counted against the
carrier, so that the angle of a joint is the difference of those of its two bodies.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress

import numpy as np

from ..constraints.joints import ACROSS_S, ACROSS_T, ALONG, NO_SLIDE, TILT_S, TILT_T, TWIST
from ..core.bodies import GROUND, NO_ROTATION, Floats, Record
from ..integration.system import System
from .train_checks import ROUND_OFF, NotCondensed, are_parallel, is_on_axis

REVOLUTE = sorted([ALONG, ACROSS_S, ACROSS_T, TILT_S, TILT_T])
MOST_CARRIERS = 4  # that are tried

Angle = dict[int, float]  # of a joint: by body the factor, 1 or -1, of its angle


@dataclass(slots=True)
class Rotor:
    """A body that turns about an axis.

    axis : in the axes of the carrier; arm_of : the rotor with which the axis goes round, GROUND where it is fixed
    arm : from that one's axis, at t = 0; inertia : about the axis
    """

    axis: Floats
    arm_of: int
    arm: Floats
    inertia: float = 0.0


class RotorsOf:
    """The rotors of a subsystem on one carrier.

    rotors : by body; angles : of each joint of the subsystem, none of one that is on the carrier with both its nodes

    Raises
    ------
    NotCondensed
        there is a body that is none
    """

    def __init__(self, system: System, subsystem: Record, carrier: int) -> None:
        self._system, self.carrier = system, carrier
        self.rotors: dict[int, Rotor] = {}
        joints = list(system.joints[subsystem["first_joint"] : subsystem["last_joint"]])
        self._add_bearings([joint for joint in joints if joint["n_rows"]])
        for i in range(subsystem["first_body"], subsystem["last_body"]):
            self._check_body(i)
        self.angles = [self._angle(joint) for joint in joints]

    # ---- bearings --------------------------------------------------------------------------------------------

    def _add_bearings(self, bearings: list[Record]) -> None:
        """Rotors by their bearings: those on the carrier first, then those on rotors that are known."""
        for joint in bearings:
            kinds = self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]]
            if sorted(kinds) != REVOLUTE or joint["angle_kind"] != TWIST:
                raise NotCondensed("joints other than shafts")
        known, waiting = {self.carrier}, bearings
        while waiting:
            found = [bool(ends_of(joint) & known) for joint in waiting]
            if not any(found):
                raise NotCondensed("shafts on several carriers that move")
            for joint in compress(waiting, found):
                self._add_bearing(joint)
            waiting = [joint for joint, is_found in zip(waiting, found, strict=True) if not is_found]
            known = {self.carrier, *self.rotors}
        for joint in bearings:
            self._check_in_line(joint)

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
        rotor = Rotor(axis, GROUND, np.zeros(3))
        if base != self.carrier:
            self._check_as_built(base)
            other = self.rotors[base]
            if not are_parallel(axis, other.axis):
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
        if body["turning"] == NO_ROTATION:
            raise NotCondensed("shafts without inertia")
        if i == self.carrier:
            return
        if i not in self.rotors:
            raise NotCondensed("bodies that are on no bearing")
        rotor = self.rotors[i]
        if not is_on_axis(body["mass_arm"], rotor.axis, body):
            raise NotCondensed("shafts whose centre of mass is off their axis")
        # body axes are the global ones at t = 0, but where gaps were closed
        turned = body["rotation"] @ body["inertia"] @ body["rotation"].T @ rotor.axis
        rotor.inertia = float(rotor.axis @ turned)
        if np.abs(turned - rotor.inertia * rotor.axis).max() > ROUND_OFF * rotor.inertia:
            raise NotCondensed("shafts that turn about no principal axis")

    def _angle(self, joint: Record) -> Angle:
        """What a joint measures."""
        if joint["n_rows"] == 0 and (joint["angle_kind"] != TWIST or joint["slide_kind"] != NO_SLIDE):
            raise NotCondensed("coordinates other than angles of shafts")
        ends = [int(joint["node"]["body"]), int(joint["carrier"]["body"])]
        if ends[0] == ends[1]:
            return {}
        if joint["turns"] or abs(joint["angle"]) > ROUND_OFF:
            raise NotCondensed("shafts turned by closing gaps")
        angle: Angle = {}
        for body, sign in zip(ends, (1.0, -1.0), strict=True):
            if body == self.carrier:
                continue
            if body not in self.rotors:
                raise NotCondensed("angles against the ground on a carrier that moves")
            if not are_parallel(self.rotors[body].axis, joint["triad"][0]):
                raise NotCondensed("angles about axes other than those of shafts")
            angle[body] = sign if self.rotors[body].axis @ joint["triad"][0] > 0.0 else -sign
        return angle


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
    candidates = [GROUND] if GROUND in count else [body for body, _ in count.most_common(MOST_CARRIERS)]
    refused: NotCondensed | None = None
    for carrier in candidates:
        try:
            return RotorsOf(system, subsystem, carrier)
        except NotCondensed as reason:
            refused = refused or reason
    assert refused is not None
    raise refused


def ends_of(joint: Record) -> set[int]:
    """The bodies of a joint."""
    return {int(joint["carrier"]["body"]), int(joint["node"]["body"])}
