"""The system in which gyrostats move: joints and rows between bodies that move by themselves, and all of it together.

Rows are those that neither bearings of rotors nor ratios of one train are.  A joint between a carrier and a rotor that
they name stands behind all others: it follows spins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..constraints.flywheels import GEARED, ON_FLYWHEEL, SPIN_JOINT, Gyrostats
from ..constraints.joints import TWIST
from ..constraints.nodal_constraints import Conditions
from ..constraints.relations import RELATION, TERM
from ..constraints.rows import ENTRY, ROW_WORK
from ..core.bodies import GROUND, Record, Records
from ..integration.system import FAMILIES, GYROSTATS, System, note_families
from .dependent_rows import leave_out_dependent_rows, rebuild_matrix
from .gyrostat_bodies import GyrostatBodies
from .gyrostats import Carried, GyrostatPlan
from .train_records import TrainArrays, full_shares
from .trains import Shares

SHARED = (
    "drive",
    "condition",
    "spring",
    "joint_force",
    "load",
)  # families of which a subsystem has the same in both systems


class Spins(NamedTuple):
    """An angle of spins of one carrier: coefficients, their range among those of trains.

    rotor : whose angle it is, GROUND where it is that of a joint of the train
    """

    group: Carried
    shares: Shares
    start: int
    end: int
    rotor: int


class GyrostatRows:
    """Collects joints, rows and relations of the moving system."""

    def __init__(self, system: System, trains: TrainArrays, bodies: GyrostatBodies) -> None:
        self._system, self._trains, self._bodies = system, trains, bodies
        self.joints, self.spin_joints = list[Records](), list[Records]()
        self.joint_of = np.full(len(system.joints), -1, dtype=np.int64)
        self.rows, self.entries, self.row_of = list[Records](), list[int](), list[int]()
        self._row_at = dict[int, int]()  # where rows of the deck went
        self.relations, self.terms = list[Records](), list[Record]()
        self.on_flywheels = list[tuple[int, float]]()
        self.drives, self.conditions = system.drives.copy(), Conditions(*(array.copy() for array in system.conditions))
        self.drives["row"] = self.conditions.records["row"] = -1  # of those that are not here
        self._known = dict[tuple[int, int], int]()  # places of joints that follow spins, by joint and rotor
        self._ranges = list[tuple[int, int]]()  # of their coefficients

    @property
    def end_of_joints(self) -> int:
        """Place of the next joint between bodies that move by themselves."""
        return len(self._system.joints) + len(self.joints)

    def add(self, s: int, plan: GyrostatPlan) -> None:
        """Joints, relations and drives of subsystem s."""
        subsystem = self._system.subsystems[s]
        for joint in range(subsystem["first_joint"], subsystem["last_joint"]):
            if joint not in plan.train_of_joint:
                self._add_joint(joint, s, plan)
        for relation in plan.relations:
            self._add_relation(relation, s, plan)
        for i in range(subsystem["first_drive"], subsystem["last_drive"]):
            joint, row = (int(self._system.drives[name][i]) for name in ("joint", "row"))
            self.drives["row"][i] = self._row_at[row]
            self.drives["joint"][i] = self._known.get((joint, GROUND), self.joint_of[joint])
        for i in range(subsystem["first_condition"], subsystem["last_condition"]):
            self._add_condition(i)

    def _add_row(self, row: int, bodies: list[int]) -> int:
        """A row of the deck, on bodies of the moving system; returns its first entry."""
        record, start = self._system.rows[row : row + 1].copy(), len(self.entries)
        record["start"], record["end"] = start, start + len(bodies)
        self.entries += bodies
        self.rows.append(record)
        self._row_at[row] = len(self.row_of)
        self.row_of.append(row)
        return start

    def _add_joint(self, joint: int, s: int, plan: GyrostatPlan) -> None:
        """A joint between bodies that move by themselves, and its rows; a rotor's bearing is on its carrier."""
        record = self._system.joints[joint : joint + 1].copy()
        bodies = list[int]()
        for end, sign in (("node", 1.0), ("carrier", -1.0)):
            body = int(record[end]["body"][0])
            record[end]["arm"] -= self._bodies.shift[body]
            record["centre_offset"] += sign * self._bodies.shift[body]
            record[end]["body"] = self._bodies.place[body]
            bodies += [self._bodies.place[body]] if self._bodies.place[body] != GROUND else []
        record["row"], record["entry"], record["width"] = len(self.rows), len(self.entries), len(bodies)
        first = int(self._system.joints["row"][joint])
        for row in range(first, first + int(record["n_rows"][0])):
            self._add_row(row, bodies)
        self.joint_of[joint] = self.end_of_joints
        self.joints.append(record)
        parts = self._spins_of(joint, s, plan)
        self._trains.turn_joint(joint, [(spins.shares, sign, self._first_spin(spins, s)) for spins, sign in parts])

    def _first_spin(self, spins: Spins, s: int) -> int:
        """The first spin of the gyrostat of an angle."""
        return int(self._bodies.gyrostats[self._bodies.of[s, spins.group.carrier]]["first_spin"][0])

    def _add_condition(self, i: int) -> None:
        """A condition on nodes of bodies that move by themselves."""
        record, bodies = self.conditions.records[i : i + 1], list[int]()
        terms = self.conditions.terms[record["first_term"][0] : record["last_term"][0]]
        for k in range(len(terms)):
            terms["entry"][k] = len(self.entries) + len(bodies)
            for end in ("node", "main"):
                body = int(terms[end]["body"][k])
                terms[end]["arm"][k] -= self._bodies.shift[body]
                terms[end]["body"][k] = self._bodies.place[body]
                bodies += [self._bodies.place[body]] if body != GROUND else []
        record["row"] = len(self.rows)
        self._add_row(int(self._system.conditions.records["row"][i]), bodies)

    def _add_relation(self, relation: Record, s: int, plan: GyrostatPlan) -> None:
        """A relation: on flywheels, and on carriers by what these turn of its angles, where it is of rotors."""
        terms, on = list[Record](), dict[int, float]()  # bodies of the row, and what it has on those that are flywheels
        ends = list[tuple[int, int]]()  # of each term
        for term in self._system.terms[relation["start"] : relation["end"]]:
            joint = int(term["joint"])
            if joint not in plan.train_of_joint:
                place = int(self.joint_of[joint])
                record = self.joints[place - len(self._system.joints)]
                ends.append((int(record["node"]["body"][0]), int(record["carrier"]["body"][0])))
                terms.append(with_joint(term, place))
            for spins, sign in self._spins_of(joint, s, plan):
                number = self._bodies.of[s, spins.group.carrier]
                for flywheel, share in self._bodies.on_flywheels(number, spins.shares).items():
                    on[flywheel] = on.get(flywheel, 0.0) + sign * float(term["coefficient"]) * share
                ends.append((GROUND, self._bodies.place[spins.group.carrier]))
                terms.append(with_joint(term, self._spin_joint(joint, number, spins), sign))
        for pair in ends:
            on |= {body: on.get(body, 0.0) for body in pair if body != GROUND}
        bodies = list(on)
        start = self._add_row(int(relation["row"]), bodies)
        entry = {body: start + k for k, body in enumerate(bodies)}
        for term, (node, carrier) in zip(terms, ends, strict=True):
            term["node_entry"], term["carrier_entry"] = entry.get(node, -1), entry.get(carrier, -1)
        self.on_flywheels += [(entry[body], share) for body, share in on.items() if share != 0.0]
        own = np.zeros(1, RELATION)
        own["row"], own["start"], own["end"] = len(self.rows) - 1, len(self.terms), len(self.terms) + len(terms)
        self.terms += terms
        self.relations.append(own)

    def _spins_of(self, joint: int, s: int, plan: GyrostatPlan) -> list[tuple[Spins, float]]:
        """What spins add to the angle of a joint, beyond what bodies that move by themselves do; with signs."""
        record = self._system.joints[joint]
        if joint in plan.train_of_joint:
            group = plan.carried[plan.train_of_joint[joint]]
            hinge = self._trains.hinges[joint]
            return [(Spins(group, group.shares_of_joint(joint), hinge["start"], hinge["end"], GROUND), 1.0)]
        found = []
        for end, sign in (("node", 1.0), ("carrier", -1.0)):
            body = int(record[end]["body"])
            if body in plan.train_of:
                group, rotor = plan.carried[plan.train_of[body]], self._trains.rotors[body]
                spins = Spins(group, group.shares_of_rotor(body), rotor["start"], rotor["end"], body)
                found.append((spins, sign * group.sign_along(body, record["triad"][0])))
        return found

    def _spin_joint(self, joint: int, number: int, spins: Spins) -> int:
        """The place, below zero, of a joint whose angle is one of spins of a gyrostat."""
        key = joint, spins.rotor
        if key not in self._known:
            self._known[key] = -1 - len(self.spin_joints)
            gyrostat, free = self._bodies.gyrostats[number][0], spins.group.train.free
            record = self._system.joints[joint : joint + 1].copy()
            record["carrier"]["body"], record["node"]["body"] = gyrostat["body"], gyrostat["first_flywheel"]
            record["n_rows"], record["aligned"], record["angle_kind"] = 0, 1, TWIST
            shares = full_shares(spins.shares, len(spins.group.train.masses))
            # the turn of the carrier takes K c from the angle
            record["triad"][0, 0] = free.stored @ shares if free else 0.0
            self.spin_joints.append(record)
            self._ranges.append((spins.start, spins.end))
        return self._known[key]

    def build(self) -> dict[str, Any]:
        """Arrays of the moving system, joints of the deck among them."""
        joints = np.concatenate([self._system.joints, *self.joints, *self.spin_joints])
        terms: Records = np.array(self.terms, dtype=TERM)
        relations = np.concatenate(self.relations) if self.relations else self._system.relations[:0]
        rows = np.concatenate(self.rows) if self.rows else self._system.rows[:0]
        for array in (terms, self.drives):  # joints that follow spins come after all others
            array["joint"] = np.where(array["joint"] < 0, self.end_of_joints - 1 - array["joint"], array["joint"])
        entries = np.zeros(len(self.entries), ENTRY)
        entries["body"] = self.entries
        return {"joints": joints, "terms": terms, "relations": relations, "rows": rows, "entries": entries,
                "drives": self.drives, "conditions": self.conditions}  # fmt: skip

    def spin_joint_records(self) -> Records:
        """SPIN_JOINT of each joint that follows spins."""
        found = [(self.end_of_joints + k, *limits) for k, limits in enumerate(self._ranges)]
        return np.array(found, dtype=SPIN_JOINT)


def with_joint(term: Record, joint: int, sign: float = 1.0) -> Record:
    """A term of the coordinate of another joint, or of that reversed."""
    term = term.copy()
    term["joint"] = joint
    for name in ("coefficient", "coefficient_high"):
        term[name] *= sign
    return term


@dataclass(slots=True)
class Whole:
    """What is like an assembly, as far as the matrix of a system is asked for."""

    system: System


def with_gyrostats(system: System, plans: dict[int, GyrostatPlan], trains: TrainArrays) -> tuple[System, System]:
    """The system, and that in which its gyrostats move; both share all but what has to be apart.

    trains : of the system, to which those of the gyrostats are added
    """
    bodies = GyrostatBodies(system, trains)
    rows = GyrostatRows(system, trains, bodies)
    geared, subsystems = np.zeros(len(system.subsystems), GEARED), system.subsystems.copy()
    touched_joints = list[int]()

    def ends() -> dict[str, int]:
        """Where what is added next begins, by family."""
        return {
            "body": bodies.end, "joint": rows.end_of_joints, "row": len(rows.rows), "relation": len(rows.relations),
            "gyrostat": len(bodies.gyrostats), "on_flywheel": len(rows.on_flywheels),
            "spin_joint": len(rows.spin_joints), "touched_joint": len(touched_joints),
        }  # fmt: skip

    for s, subsystem in enumerate(subsystems):
        first = ends()
        if s in plans:
            bodies.add(s, plans[s])
            rows.add(s, plans[s])
            touched_joints += plans[s].touched_joints
            geared["active"][s] = 1
        last = ends()
        for family in set(FAMILIES) - set(SHARED if s in plans else ()):
            subsystem[f"last_{family}"] = subsystem[f"first_{family}"]
        for family in first:
            record = subsystem if f"first_{family}" in subsystems.dtype.names else geared[s]
            record[f"first_{family}"], record[f"last_{family}"] = first[family], last[family]
    note_families(subsystems)
    subsystems["families"] |= np.where(geared["active"] == 1, GYROSTATS, 0)
    all_bodies, arrays = bodies.build(), rows.build()
    gyrostats = Gyrostats(
        geared=geared, gyrostats=np.concatenate(bodies.gyrostats),
        on_flywheels=np.array(rows.on_flywheels, dtype=ON_FLYWHEEL), spin_joints=rows.spin_joint_records(),
        touched_joints=np.array(touched_joints, dtype=np.int64), row_of=np.array(rows.row_of, dtype=np.int64),
        joint_of=rows.joint_of,
    )  # fmt: skip
    system = system._replace(
        bodies=all_bodies[: len(system.bodies)], joints=arrays["joints"][: len(system.joints)], trains=trains.build(),
        gyrostats=gyrostats,
    )  # fmt: skip
    moving = system._replace(
        **arrays, bodies=all_bodies, subsystems=subsystems, steps=system.steps.copy(),
        row_work=np.zeros((len(arrays["rows"]), ROW_WORK)), body_work=np.zeros((len(all_bodies), 6)),
    )  # fmt: skip
    return system, with_matrix(moving)


def with_matrix(moving: System) -> System:
    """The moving system with the matrix of its rows, and rates of joints that follow spins as those of the deck."""
    turned = moving.gyrostats.spin_joints["joint"]
    rates, work = moving.joints["angle_rate"].copy(), moving.subsystems["drive_work"].copy()
    moving.rows["left_out"] = 0
    whole = Whole(moving)
    rebuild_matrix(whole)
    leave_out_dependent_rows(whole)
    whole.system.joints["angle_rate"][turned] = rates[turned]
    whole.system.subsystems["drive_work"] = work
    whole.system.subsystems["stale"] = 1
    return whole.system


def leave_gyrostats(system: System, s: int) -> System:
    """The system with subsystem s on the general path from t_n on, where its bodies and joints are."""
    system.gyrostats.geared["active"][s] = 0
    subsystem = system.subsystems[s]
    rows = slice(int(subsystem["first_row"]), int(subsystem["last_row"]))
    system.rows["multiplier"][rows] = system.rows["previous_multiplier"][rows] = 0.0  # they are those of a sample
    subsystem["stale"] = 1
    return system._replace(gyrostats=system.gyrostats)
