"""A subsystem as bodies that carry rotors among joints of all kinds: which bodies are rotors, and on which carrier.

A body is a rotor if nothing but bearings along one axis, through its centre of mass, holds it.  Of the bodies on which
it has these one is its carrier (or the ground is); a bearing on another holds that one to the carrier, as the rotor's
spin is nothing to it.  A planet carrier with its planets may be a rotor too, if the whole is even.  A carrier with its
rotors must be a train that could fly freely (`trains`), but for the joints that hold it.  What is no rotor stays a
body.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ..constraints.joints import ACROSS_S, ACROSS_T, ALONG, NO_ANGLE, NO_SLIDE, TILT_S, TILT_T, TRAVEL, TWIST
from ..core.bodies import GROUND, NO_ROTATION, Floats, Records
from ..integration.system import System
from .rotors import ends_of
from .train_checks import NotCondensed, are_parallel, is_on_axis, records_of, refuse_families, touched_by_forces
from .trains import Shares, TrainPlan

NOT_OF_GYROSTATS = {"interface": "contact", "wall": "rigid walls", "sensor": "sensors on values"}
# Bodies on which forces act, for each rotor: each is put in place in each step, and beyond this the general path is
# faster.
MOST_TOUCHED = 3
SHAFT = (ALONG, ACROSS_S, ACROSS_T, TILT_S, TILT_T)


@dataclass(slots=True)
class Carried:
    """A carrier with its rotors, as a train of their own.

    carrier : body, or GROUND; bodies : of the machine, by those of the train; joints : likewise
    """

    carrier: int
    bodies: list[int]
    joints: list[int]
    train: TrainPlan

    @property
    def rotors(self) -> list[int]:
        """All bodies but the carrier."""
        return [body for body in self.bodies if body != self.carrier]

    def shares_of_joint(self, joint: int) -> Shares:
        """Coefficients of the angle of one of the joints."""
        return self.train.shares_of_joint(self.joints.index(joint), turning=True)

    def shares_of_rotor(self, body: int) -> Shares:
        """The same of the angle of a rotor about its axis."""
        return self.train.elimination.angles[1 + self.bodies.index(body)]

    def sign_along(self, body: int, axis: Floats) -> float:
        """1 or -1: whether the axis of a rotor is along another that is parallel to it."""
        return 1.0 if self.train.rotors[1 + self.bodies.index(body)].axis @ axis > 0.0 else -1.0


class GyrostatPlan:
    """Subsystem s as bodies that carry rotors.

    carried : carriers with their rotors; train_of : of each rotor, which of these; train_of_joint : of their joints
    bodies : those that move by themselves, carriers among them
    relations : those that are not of one train alone; touched : bodies on which forces act; touched_joints : likewise

    Raises
    ------
    NotCondensed
        there are no rotors, or what cannot be among them, or it would not pay
    """

    def __init__(self, system: System, s: int) -> None:
        self._system, self._subsystem = system, system.subsystems[s]
        refuse_families(self._subsystem, NOT_OF_GYROSTATS)
        if np.any(records_of(system, self._subsystem, "joint_force")["friction"] > 0.0):
            raise NotCondensed("friction that follows the force of a bearing")
        self._joints = range(self._subsystem["first_joint"], self._subsystem["last_joint"])
        self._own = range(self._subsystem["first_body"], self._subsystem["last_body"])
        self._held = self._held_by_conditions()
        self._of_body: dict[int, list[int]] = defaultdict(list)
        self._near: dict[int, set[int]] = defaultdict(set)
        for i in self._joints:
            ends = ends_of(system.joints[i])
            for body in ends:
                self._of_body[body].append(i)
                self._near[body] |= ends - {body}
        drives = records_of(system, self._subsystem, "drive")
        self._drives, self._driven = set(drives["row"].tolist()), set(drives["joint"].tolist())
        self._relations_of: dict[int, list[int]] = defaultdict(list)  # of each joint
        for k, relation in enumerate(self._relations()):
            for joint in system.terms["joint"][relation["start"] : relation["end"]].tolist():
                self._relations_of[joint].append(k)
        self.carried = self._find_carried()
        if not self.carried:
            raise NotCondensed("no rotors on bodies that move")
        self.train_of = {body: k for k, group in enumerate(self.carried) for body in group.rotors}
        self.bodies = [body for body in self._own if body not in self.train_of]
        self.train_of_joint = {joint: k for k, group in enumerate(self.carried) for joint in group.joints}
        self.relations = [relation for relation in self._relations() if not self._is_of_a_train(relation)]
        self.touched_joints = sorted(set(records_of(system, self._subsystem, "joint_force")["joint"].tolist()))
        self.touched = self._touched()
        if len(self.touched) > MOST_TOUCHED * len(self.train_of):
            raise NotCondensed("forces on many bodies, and few rotors")

    # ---- who is a rotor --------------------------------------------------------------------------------------

    def _find_carried(self) -> list[Carried]:
        on, near = self._rotors_by_carrier(), self._near
        arms: dict[int, list[int]] = defaultdict(list)
        for arm, planets in on.items():
            beyond = near[arm] - set(planets)
            if arm != GROUND and self._has_only_bearings(arm) and len(beyond) == 1:
                (base,) = beyond
                if self._is_in_line(arm, [i for i in self._of_body[arm] if base in ends_of(self._system.joints[i])]):
                    arms[base].append(arm)
        found, used = list[Carried](), set[int]()
        for base in sorted({*on, *arms}, key=lambda body: body in arms, reverse=True):
            if base in used:
                continue
            beside = [arm for arm in arms.get(base, []) if arm not in used]
            planets = [body for arm in beside for body in on[arm]]
            group = self._carried(base, [*on.get(base, []), *beside, *planets]) if beside else None
            group = group or self._carried_alone(base, on.get(base, []))
            if group is not None:
                used.update(group.bodies)
                found.append(group)
        return sorted(found, key=lambda group: group.bodies)

    def _rotors_by_carrier(self) -> dict[int, list[int]]:
        """What may be a rotor, by the body that would carry it: of several one that carries others, if there is any."""
        on: dict[int, list[int]] = defaultdict(list)
        taken = set[int]()
        for body in sorted(self._own, key=lambda body: len(self._near[body])):
            if body in on or not self._has_only_bearings(body) or not self._is_in_line(body, self._of_body[body]):
                continue
            bearings = self._beyond(body, [i for i in self._of_body[body] if self._system.joints["n_rows"][i]])
            driven = self._beyond(body, [i for i in self._of_body[body] if i in self._driven])
            if not self._near[body] <= bearings:
                continue  # an angle about an axis that nothing holds
            bases = {base for base in bearings - taken if driven <= {base}}
            bases -= {base for base in bases if self._near[base] == {body}}  # that one is rather a rotor on this body
            if bases:
                on[min(bases, key=lambda base: (base != GROUND, base not in on, base))].append(body)
                taken.add(body)
        return on

    def _beyond(self, body: int, joints: list[int]) -> set[int]:
        """Bodies to which joints of a body lead."""
        return {end for i in joints for end in ends_of(self._system.joints[i])} - {body}

    def _has_only_bearings(self, body: int) -> bool:
        """Whether nothing else holds a body that may be a rotor."""
        joints = [self._system.joints[i] for i in self._of_body[body]]
        return self._may_be_rotor(body) and all(not joint["n_rows"] or self._kinds(joint) == SHAFT for joint in joints)

    def _is_in_line(self, body: int, joints: list[int]) -> bool:
        """Whether joints of a body are along one axis, through its centre of mass."""
        record, axes = self._system.bodies[body], list[Floats]()
        for i in joints:
            joint = self._system.joints[i]
            end = "node" if joint["node"]["body"] == body else "carrier"
            axes.append(joint["triad"][0])
            off = joint["n_rows"] and not is_on_axis(joint[end]["arm"], axes[0], record)
            measures_other = joint["angle_kind"] not in (NO_ANGLE, TWIST) or joint["slide_kind"] not in (
                NO_SLIDE,
                TRAVEL,
            )
            if off or measures_other or not are_parallel(axes[0], axes[-1]):
                return False
        return bool(axes)

    def _kinds(self, joint: Records) -> tuple[int, ...]:
        rows = self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]]
        return tuple(sorted(rows.tolist()))

    def _may_carry(self, body: int) -> bool:
        """Whether a body turns, and is where it was built."""
        record = self._system.bodies[body]
        as_built = not np.any(record["displacement"]) and np.array_equal(record["rotation"], np.eye(3))
        return bool(record["turning"] != NO_ROTATION) and as_built

    def _may_be_rotor(self, body: int) -> bool:
        return self._may_carry(body) and self._system.bodies["inverse_mass"][body] > 0.0 and body not in self._held

    def _held_by_conditions(self) -> set[int]:
        """Bodies that conditions on nodes hold or move."""
        own, conditions = self._subsystem, self._system.conditions
        records = conditions.records[own["first_condition"] : own["last_condition"]]
        found = set[int]()
        for record in records:
            terms = conditions.terms[record["first_term"] : record["last_term"]]
            if np.any(terms["skew"] >= 0):
                raise NotCondensed("conditions on nodes along axes that move")
            found.update(terms["node"]["body"].tolist(), terms["main"]["body"].tolist())
        return found

    def _carried_alone(self, carrier: int, rotors: list[int]) -> Carried | None:
        """A carrier with those of some rotors that fit: all of them, or each that does by itself."""
        whole = self._carried(carrier, rotors)
        if whole is not None or len(rotors) == 1:
            return whole
        return self._carried(carrier, [body for body in rotors if self._carried(carrier, [body]) is not None])

    def _carried(self, carrier: int, rotors: list[int]) -> Carried | None:
        """A carrier and rotors as a train, if they are one."""
        if not rotors or (carrier != GROUND and not self._may_carry(carrier)):
            return None
        bodies = sorted({carrier, *rotors} - {GROUND})
        inside = {GROUND, *bodies} if carrier == GROUND else set(bodies)
        near = {i for body in rotors for i in self._of_body[body]}
        joints = sorted(i for i in near if ends_of(self._system.joints[i]) <= inside)
        try:
            return Carried(carrier, bodies, joints, self._train(carrier, bodies, joints))
        except NotCondensed:
            return None

    def _train(self, carrier: int, bodies: list[int], joints: list[int]) -> TrainPlan:
        """The same in a system of its own, of no forces."""
        system = self._system
        number = {body: k for k, body in enumerate([GROUND, *bodies])}
        own = system.joints[joints]
        for end in ("carrier", "node"):
            own[end]["body"] = [number[body] for body in own[end]["body"].tolist()]
        place = {joint: k for k, joint in enumerate(joints)}
        starts, terms, relations = [0], [], []
        near = {k for joint in joints for k in self._relations_of[joint]}
        for k in sorted(near):
            relation = self._relations()[k]
            of_relation = system.terms[relation["start"] : relation["end"]].copy()
            if relation["row"] in self._drives or not set(of_relation["joint"].tolist()) <= place.keys():
                continue
            of_relation["joint"] = [place[joint] for joint in of_relation["joint"].tolist()]
            terms.append(of_relation)
            relations.append(relation)
            starts.append(starts[-1] + len(of_relation))
        own_relations = np.array(relations, dtype=system.relations.dtype)
        own_relations["start"], own_relations["end"] = starts[:-1], starts[1:]
        subsystems = np.zeros(1, system.subsystems.dtype)
        for family, count in (("body", len(bodies)), ("joint", len(joints)), ("relation", len(relations))):
            subsystems[f"last_{family}"] = count
        subsystems["first_body"], subsystems["last_body"] = 1, 1 + len(bodies)
        alone = system._replace(
            bodies=system.bodies[[GROUND, *bodies]], joints=own, relations=own_relations, subsystems=subsystems,
            terms=np.concatenate(terms) if terms else system.terms[:0],
        )  # fmt: skip
        return TrainPlan(alone, 0, carrier=number[carrier])

    # ---- rows and forces -------------------------------------------------------------------------------------

    def _relations(self) -> Records:
        return self._system.relations[self._subsystem["first_relation"] : self._subsystem["last_relation"]]

    def _is_of_a_train(self, relation: Records) -> bool:
        """Whether a relation is one of the angles of one train, so that all of them meet it."""
        joints = self._system.terms["joint"][relation["start"] : relation["end"]].tolist()
        trains = {self.train_of_joint.get(joint, -1) for joint in joints}
        return len(trains) == 1 and -1 not in trains and relation["row"] not in self._drives

    def _touched(self) -> set[int]:
        """Bodies on which forces act, or that carry their axes."""
        found = touched_by_forces(self._system, self._subsystem, set(self._own))
        for joint in self.touched_joints:
            found |= ends_of(self._system.joints[joint])
        return found - {GROUND}
