"""A subsystem as bodies that move in one plane: its normal, what holds the bodies in it, and the links between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..constraints import joints as rows_of
from ..constraints.plane_links import ANGLE, NO_DRIVE, NO_TURN, ONE_ROW, PIN, RAIL, ROD, SLOT, TRAVEL
from ..contact.normal_laws import USER, USER_FRICTION
from ..core.bodies import GROUND, NO_ROTATION, Floats, Record, Records
from ..integration.system import System
from .rotors import ends_of
from .train_checks import (
    ROUND_OFF,
    SAME_RATE,
    NotCondensed,
    are_parallel,
    records_of,
    refuse_families,
    touched_by_forces,
)

POINT, TILT = (rows_of.ALONG, rows_of.ACROSS_S, rows_of.ACROSS_T), (rows_of.TILT_S, rows_of.TILT_T)
ACROSS, TURN = POINT[1:], (rows_of.TURN_R, rows_of.TURN_S, rows_of.TURN_T)
NOT_IN_A_PLANE = {"wall": "rigid walls", "condition": "conditions on nodes", "sensor": "sensors on values"}


class Held(NamedTuple):
    """What a joint does in the plane and across it.

    links : kinds, in the plane; height, tilt : whether it keeps the height of the bodies equal, and n common
    """

    links: tuple[int, ...]
    height: bool
    tilt: bool


# By the rows of a joint whose axis is along the normal, across it, or anyhow.
ALONG_NORMAL = {
    (*POINT, *TILT): Held((PIN,), True, True),
    (*ACROSS, *TILT): Held((PIN,), False, True),
    ACROSS: Held((PIN,), False, False),
    (rows_of.ALONG, *TILT): Held((), True, True),
    TILT: Held((), False, True),
    (rows_of.ALONG,): Held((), True, False),
}
ACROSS_NORMAL = {(*ACROSS, *TURN): Held((RAIL,), True, True), ACROSS: Held((SLOT,), True, False)}
ANYHOW = {
    POINT: Held((PIN,), True, False),
    (*POINT, *TURN): Held((PIN, NO_TURN), True, True),
    (rows_of.LENGTH,): Held((ROD,), False, False),
    (): Held((), False, False),
}


class LinkPlan(NamedTuple):
    """One link, vectors (2,) in the axes of the plane; see `plane_links.LINK`."""

    kind: int
    joint: int
    row: int
    axis: Floats
    constant: float
    drive: int = NO_DRIVE


class PlanePlan:
    """Subsystem s in its plane.

    axes : (3, 3) rows: two directions in the plane and its normal
    links : in the order of the joints; touched : bodies on which other forces than weight act

    Raises
    ------
    NotCondensed
        it does not stay in a plane, or has what is not known there
    """

    def __init__(self, system: System, s: int, *, any_rank: bool = False) -> None:
        """any_rank : rows of the plane may be redundant"""
        self._system, self._subsystem = system, system.subsystems[s]
        self.axes = self._axes()
        self._refuse()
        self._check_bodies()
        held = [self._held_by(joint) for joint in self._joints()]
        self._check_held(held)
        self.links = [link for k, of_joint in enumerate(held) for link in self._links_of(k, of_joint)]
        self.links += self._of_drives()
        if not self.links:
            raise NotCondensed("no joint in the plane")
        if not any_rank:
            self._check_rank()
        self.touched = self._touched()

    @property
    def bodies(self) -> range:
        return range(self._subsystem["first_body"], self._subsystem["last_body"])

    @property
    def rows_of_subsystem(self) -> slice:
        return slice(int(self._subsystem["first_row"]), int(self._subsystem["last_row"]))

    @property
    def normal(self) -> Floats:
        return self.axes[2]

    def _joints(self) -> Records:
        return self._own("joint")

    def rows(self, joint: Record) -> tuple[int, ...]:
        return tuple(self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]].tolist())

    # ---- the plane -------------------------------------------------------------------------------------------

    def _axes(self) -> Floats:
        """The normal is the axis of a joint that keeps axes parallel."""
        for joint in self._joints():
            if set(TILT) <= set(self.rows(joint)):
                normal = self._axis(joint)
                helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
                first = helper - (helper @ normal) * normal
                first /= np.linalg.norm(first)
                return np.array([first, np.cross(normal, first), normal])
        raise NotAPlane

    def _axis(self, joint: Record) -> Floats:
        """Of a joint, global."""
        return np.asarray(self._system.bodies["rotation"][joint["carrier"]["body"]] @ joint["triad"][0])

    def in_plane(self, vector: Floats) -> Floats:
        """Components (2,)."""
        return self.axes[:2] @ vector

    def _is_across(self, axis: Floats) -> bool:
        return abs(float(axis @ self.normal)) <= ROUND_OFF

    def _refuse(self) -> None:
        """What there is not in the plane; that axes are parallel is checked first, as others expect no plane."""
        for joint in self._joints():
            rows, axis = self.rows(joint), self._axis(joint)
            if rows and rows not in ANYHOW and not are_parallel(axis, self.normal) and not self._is_across(axis):
                raise NotAPlane
        subsystem = self._subsystem
        refuse_families(subsystem, NOT_IN_A_PLANE)
        self._refuse_contacts()
        driven = self._own("drive")["row"]
        relations = self._system.relations["row"][subsystem["first_relation"] : subsystem["last_relation"]]
        if not set(relations.tolist()) <= set(driven.tolist()):
            raise NotCondensed("joints that are geared")
        known = int(self._joints()["n_rows"].sum()) + len(driven)
        if known != subsystem["last_row"] - subsystem["first_row"]:
            raise NotCondensed("rows of other kinds than joints and drives")
        if np.any(self._own("joint_force")["friction"] > 0.0):
            raise NotCondensed("friction that follows the force of a bearing")

    def _refuse_contacts(self) -> None:
        """Contacts that ask for more of a step, or of the bodies, than there is in the plane."""
        interfaces = self._interfaces()
        if self._subsystem["cut_at_touch"] == 1:
            raise NotCondensed("steps that end at first touches")
        if np.any(interfaces["last_part"] > interfaces["first_part"]):
            raise NotCondensed("contacts that threads share")
        if np.any((interfaces["law"] == USER) | (interfaces["friction"] == USER_FRICTION)):
            raise NotCondensed("routines for contacts")

    def _own(self, family: str) -> Records:
        return records_of(self._system, self._subsystem, family)

    # ---- bodies ----------------------------------------------------------------------------------------------

    def _check_bodies(self) -> None:
        """They turn about the normal alone."""
        bodies = self._system.bodies[list(self.bodies)]
        if np.any(bodies["inverse_mass"] <= 0.0) or np.any(bodies["mass_arm"] != 0.0):
            raise NotCondensed("bodies held at a point")
        if np.any(bodies["turning"] == NO_ROTATION):
            raise NotCondensed("bodies that cannot turn")
        if np.abs(bodies["rotation"] @ self.normal - self.normal).max() > ROUND_OFF:
            raise NotAPlane
        velocity, momentum = bodies["velocity"], bodies["momentum"]
        rotation, inverse = bodies["rotation"], bodies["inverse_inertia"]
        rates = np.einsum("bij,bjk,blk,bl->bi", rotation, inverse, rotation, momentum)
        tilting = rates - np.outer(rates @ self.normal, self.normal)
        moves, turns = np.abs(velocity).max(), np.abs(rates).max()
        if np.abs(velocity @ self.normal).max() > SAME_RATE * moves or np.abs(tilting).max() > SAME_RATE * turns:
            raise NotAPlane

    def _held_by(self, joint: Record) -> Held:
        """What a joint does."""
        rows, axis = self.rows(joint), self._axis(joint)
        if rows in ANYHOW:
            held = ANYHOW[rows]
        elif are_parallel(axis, self.normal) and rows in ALONG_NORMAL:
            held = ALONG_NORMAL[rows]
        elif self._is_across(axis) and rows in ACROSS_NORMAL:
            held = ACROSS_NORMAL[rows]
        else:
            raise NotAPlane
        if ROD in held.links:
            separation = self._separation(joint)
            if abs(separation @ self.normal) > ROUND_OFF * np.abs(separation).max():
                raise NotCondensed("rods across the plane")
        return held

    def _separation(self, joint: Record) -> Floats:
        """From the place of a joint on body a to node j."""
        bodies = self._system.bodies
        a, b = bodies[joint["carrier"]["body"]], bodies[joint["node"]["body"]]
        between = joint["centre_offset"] + (b["displacement"] - a["displacement"])
        arms = b["rotation"] @ joint["node"]["arm"] - a["rotation"] @ joint["carrier"]["arm"]
        return np.asarray(between + arms)

    def _check_held(self, held: list[Held]) -> None:
        """Body by body: joints with those that are held keep the height of the next and its normal."""
        heights, tilts, done = set[int](), set[int](), {GROUND}
        ends = [(int(joint["carrier"]["body"]), int(joint["node"]["body"])) for joint in self._joints()]
        changed = True
        while changed:
            changed = False
            for (a, b), of_joint in zip(ends, held, strict=True):
                for body, other in ((a, b), (b, a)):
                    if other not in done or body in done:
                        continue
                    if of_joint.height:
                        heights.add(body)
                    if of_joint.tilt:
                        tilts.add(body)
                    if body in heights and body in tilts:
                        done.add(body)
                        changed = True
        if not done.issuperset(self.bodies):
            raise NotCondensed("bodies that nothing keeps in the plane")

    def _check_rank(self) -> None:
        """Rows of the plane must be independent; across it there is one for each of three motions of a body."""
        subsystem = self._subsystem
        rows = subsystem["last_row"] - subsystem["first_row"] - subsystem["left_out"]
        if sum(1 if link.kind in ONE_ROW else 2 for link in self.links) + 3 * len(self.bodies) != rows:
            raise NotCondensed("redundant rows in the plane")

    # ---- links and forces ------------------------------------------------------------------------------------

    def _links_of(self, k: int, held: Held) -> Iterator[LinkPlan]:
        joint, number = self._joints()[k], int(self._subsystem["first_joint"]) + k
        axis, constant = np.zeros(2), 0.0
        for kind in held.links:
            if kind in (RAIL, SLOT):
                axis = self.in_plane(np.cross(self.normal, joint["triad"][0]))  # in the axes of body a
            if kind == ROD:
                constant = float(self._system.rows["constant"][joint["row"]])
            yield LinkPlan(kind, number, int(joint["row"]), axis, constant)

    def _of_drives(self) -> Iterator[LinkPlan]:
        """Links of the drives."""
        subsystem, system = self._subsystem, self._system
        for number in range(subsystem["first_drive"], subsystem["last_drive"]):
            drive = system.drives[number]
            joint = system.joints[drive["joint"]]
            axis, sign = joint["triad"][0], float(np.sign(joint["triad"][0] @ self.normal))
            turns = drive["rotational"] == 1 and joint["angle_kind"] == rows_of.TWIST
            travels = drive["rotational"] == 0 and joint["slide_kind"] == rows_of.TRAVEL
            if turns and are_parallel(self._axis(joint), self.normal):
                yield LinkPlan(ANGLE, int(drive["joint"]), int(drive["row"]), np.zeros(2), sign, number)
            elif travels and self._is_across(self._axis(joint)):
                yield LinkPlan(TRAVEL, int(drive["joint"]), int(drive["row"]), self.in_plane(axis), 0.0, number)
            else:
                raise NotCondensed("drives of distances, or across the plane")

    def _touched(self) -> list[int]:
        """Bodies that are put in place in each step."""
        found = touched_by_forces(self._system, self._subsystem, self.bodies)
        found |= self._in_contact()
        for joint in self._own("joint_force")["joint"]:
            found |= ends_of(self._system.joints[joint]) - {GROUND}
        return sorted(found)

    def _in_contact(self) -> set[int]:
        """Bodies that may touch."""
        contacts, found = self._system.contacts, set[int]()
        for interface in self._interfaces():
            found.update(contacts.members["body"][interface["first_member"] : interface["last_member"]].tolist())
        return found - {GROUND}

    def _interfaces(self) -> Records:
        own = slice(int(self._subsystem["first_interface"]), int(self._subsystem["last_interface"]))
        return self._system.contacts.interfaces[own]


class NotAPlane(NotCondensed):
    """The machine is one in space: nobody expects a plane of it."""
