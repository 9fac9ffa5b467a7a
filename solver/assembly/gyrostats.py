"""A subsystem as bodies that carry rotors among joints of all kinds: which bodies are rotors, and on which carrier.

A body is a rotor on another (or on the ground) if it has bearings on that one alone and nothing else holds it or is
measured against it; so may be a planet carrier with its planets, if the whole is even.  A carrier with its rotors must
be a train that could fly freely (`trains`), but for the joints that hold the carrier.  What is no rotor stays a body.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ..constraints.joints import ACROSS_S, ACROSS_T, ALONG, TILT_S, TILT_T
from ..core.bodies import GROUND, NO_ROTATION, Records
from ..integration.system import System
from .rotors import ends_of
from .train_checks import NotCondensed, records_of, refuse_families, touched_by_forces
from .trains import TrainPlan

NOT_OF_GYROSTATS = {"interface": "contact", "wall": "rigid walls", "condition": "conditions on nodes"}
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


class GyrostatPlan:
    """Subsystem s as bodies that carry rotors.

    carried : carriers with their rotors; bodies : those that move by themselves, carriers among them
    relations : those that are not of one train alone; touched : bodies on which forces act; touched_joints : likewise

    Raises
    ------
    NotCondensed
        there are no rotors, or what cannot be among them
    """

    def __init__(self, system: System, s: int) -> None:
        self._system, self._subsystem = system, system.subsystems[s]
        refuse_families(self._subsystem, NOT_OF_GYROSTATS)
        if np.any(records_of(system, self._subsystem, "joint_force")["friction"] > 0.0):
            raise NotCondensed("friction that follows the force of a bearing")
        self._joints = range(self._subsystem["first_joint"], self._subsystem["last_joint"])
        self._own = range(self._subsystem["first_body"], self._subsystem["last_body"])
        self._drives = set(records_of(system, self._subsystem, "drive")["row"].tolist())
        self.carried = self._find_carried()
        if not self.carried:
            raise NotCondensed("no rotors on bodies that move")
        rotors = {body for group in self.carried for body in group.bodies if body != group.carrier}
        self.rotors = len(rotors)
        self.bodies = [body for body in self._own if body not in rotors]
        self.train_of_joint = {joint: k for k, group in enumerate(self.carried) for joint in group.joints}
        self.relations = [relation for relation in self._relations() if not self._is_of_a_train(relation)]
        self.touched_joints = sorted(set(records_of(system, self._subsystem, "joint_force")["joint"].tolist()))
        self.touched = self._touched()

    # ---- who is a rotor --------------------------------------------------------------------------------------

    def _find_carried(self) -> list[Carried]:
        near: dict[int, set[int]] = defaultdict(set)
        turning_only = {body: self._may_be_rotor(body) for body in self._own}
        for i in self._joints:
            joint = self._system.joints[i]
            ends = ends_of(joint)
            for body in ends:
                near[body] |= ends - {body}
                if body != GROUND and joint["n_rows"] and self._kinds(joint) != SHAFT:
                    turning_only[body] = False
        on: dict[int, list[int]] = defaultdict(list)
        for body in self._own:
            if turning_only[body] and len(near[body]) == 1:
                (base,) = near[body]
                if len(near[base]) > 1 or base == GROUND:
                    on[base].append(body)
        arms: dict[int, list[int]] = defaultdict(list)
        for arm, planets in on.items():
            beyond = near[arm] - set(planets)
            if arm != GROUND and turning_only[arm] and len(beyond) == 1:
                arms[next(iter(beyond))].append(arm)
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

    def _kinds(self, joint: Records) -> tuple[int, ...]:
        rows = self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]]
        return tuple(sorted(rows.tolist()))

    def _may_be_rotor(self, body: int) -> bool:
        record = self._system.bodies[body]
        as_built = not np.any(record["displacement"]) and np.array_equal(record["rotation"], np.eye(3))
        return bool(record["turning"] != NO_ROTATION and record["inverse_mass"] > 0.0 and as_built)

    def _carried_alone(self, carrier: int, rotors: list[int]) -> Carried | None:
        """A carrier with those of some rotors that fit: all of them, or each that does by itself."""
        whole = self._carried(carrier, rotors)
        if whole is not None or len(rotors) == 1:
            return whole
        return self._carried(carrier, [body for body in rotors if self._carried(carrier, [body]) is not None])

    def _carried(self, carrier: int, rotors: list[int]) -> Carried | None:
        """A carrier and rotors as a train, if they are one."""
        if not rotors or (carrier != GROUND and not self._may_be_rotor(carrier)):
            return None
        bodies = sorted({carrier, *rotors} - {GROUND})
        inside = {GROUND, *bodies} if carrier == GROUND else set(bodies)
        joints = [i for i in self._joints if ends_of(self._system.joints[i]) <= inside]
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
        for relation in self._relations():
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
