"""Which subsystems are trains of rotors, and their records: decided once, at t = 0.

A train is a subsystem whose bodies all turn about axes that are fixed in the ground, with their centres of mass on
these, and which only relations of their angles couple.  Whatever else there is in a subsystem leaves it on the general
path, and says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from ..constraints.elimination import Ambiguous, Elimination, eliminate, in_parts
from ..constraints.joints import ACROSS_S, ACROSS_T, ALONG, NO_SLIDE, TILT_S, TILT_T, TWIST
from ..constraints.spins import COEFFICIENT, HINGE, ROTOR, SPIN, TRAIN
from ..core.bodies import GROUND, NO_ROTATION, Floats, Record
from ..integration.system import System, Trains, note_families

REVOLUTE = sorted([ALONG, ACROSS_S, ACROSS_T, TILT_S, TILT_T])
ROUND_OFF = 1e-12  # by which a centre may be off an axis, or an axis off another, by size
MOST_SPINS = 64  # of one train: what they weigh is a full matrix
WELL_CONDITIONED = 1e-10  # least eigenvalue of a matrix of masses, over the largest

SAME_RATE = 1e-9  # relative difference of rates that is rounding

Shares = dict[int, Decimal]  # coefficients of an angle, by place of the spin


class NotCondensed(Exception):
    """Why a subsystem takes the general path, in a few words."""


@dataclass(slots=True)
class Condensation:
    """What became of the subsystems of a machine.

    trains : (gear relations, rotors, spins) of each that is condensed
    reasons : why others are not, where they have rows
    """

    trains: list[tuple[int, int, int]] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def condense(system: System) -> tuple[System, Condensation]:
    """The system with its trains of rotors condensed; bodies are where they are at t = 0, velocities meet all rows."""
    plans: dict[int, TrainPlan] = {}
    found = Condensation()
    for s in range(len(system.subsystems)):
        subsystem = system.subsystems[s]
        if subsystem["last_joint"] == subsystem["first_joint"]:
            continue
        try:
            plans[s] = plan = TrainPlan(system, s)
        except NotCondensed as reason:
            found.reasons.append(str(reason))
            continue
        found.trains.append((plan.gears, len(plan.axes), len(plan.masses)))
    return (with_trains(system, plans), found) if plans else (system, found)


class TrainPlan:
    """Subsystem s as a train of rotors on the ground.

    axes : of each body, global; elimination : all angles by the independent ones; masses : D (n, n)

    Raises
    ------
    NotCondensed
        it is none
    """

    def __init__(self, system: System, s: int) -> None:
        self._system, self._subsystem = system, system.subsystems[s]
        refuse_families(self._subsystem)
        self.axes: dict[int, Floats] = {}
        self.inertia: dict[int, float] = {}
        for joint in self._joints():
            self._add_bearing(joint)
        self._check_bodies()
        self.signs = [self._sign(joint) for joint in self._joints()]
        self._check_forces()
        relations = self._relations()
        self.gears = len(relations)
        try:
            self.elimination = eliminate(self.axes, relations)
        except Ambiguous:
            raise NotCondensed("ratios that close a loop but for rounding") from None
        self.masses = self._masses()
        self.driven = self._driven()
        self.rates = self._rates()

    def _joints(self) -> list[Record]:
        return list(self._system.joints[self._subsystem["first_joint"] : self._subsystem["last_joint"]])

    # ---- what there is ---------------------------------------------------------------------------------------

    def _add_bearing(self, joint: Record) -> None:
        """A joint with rows must be the bearing of one body on the ground."""
        if joint["n_rows"] == 0:
            return
        kinds = self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]]
        ends = [int(joint[end]["body"]) for end in ("node", "carrier")]
        if sorted(kinds) != REVOLUTE or joint["angle_kind"] != TWIST:
            raise NotCondensed("joints other than shafts")
        if ends.count(GROUND) != 1:
            raise NotCondensed("shafts on carriers that move")
        body = ends[0] or ends[1]
        axis = self.axes.setdefault(body, joint["triad"][0].copy())
        if np.abs(np.cross(axis, joint["triad"][0])).max() > ROUND_OFF:
            raise NotCondensed("bearings of one shaft that are not in line")
        arm = joint["node"]["arm"] if ends[0] else joint["carrier"]["arm"]
        if not is_on_axis(arm, axis, self._system.bodies[body]):
            raise NotCondensed("shafts whose centre of mass is off their axis")

    def _check_bodies(self) -> None:
        for i in range(self._subsystem["first_body"], self._subsystem["last_body"]):
            body = self._system.bodies[i]
            if i not in self.axes:
                raise NotCondensed("bodies that are on no bearing")
            if body["turning"] == NO_ROTATION:
                raise NotCondensed("shafts without inertia")
            axis = self.axes[i]
            if not is_on_axis(body["mass_arm"], axis, body):
                raise NotCondensed("shafts whose centre of mass is off their axis")
            # body axes are the global ones at t = 0, but where gaps were closed
            turned = body["rotation"] @ body["inertia"] @ body["rotation"].T @ axis
            self.inertia[i] = float(axis @ turned)
            if np.abs(turned - self.inertia[i] * axis).max() > ROUND_OFF * self.inertia[i]:
                raise NotCondensed("shafts that turn about no principal axis")

    def _sign(self, joint: Record) -> tuple[int, float]:
        """The body whose angle a joint measures, and in which sense; body GROUND where it measures none."""
        ends = [int(joint[end]["body"]) for end in ("node", "carrier")]
        if joint["n_rows"] == 0 and (joint["angle_kind"] != TWIST or joint["slide_kind"] != NO_SLIDE):
            raise NotCondensed("coordinates other than angles of shafts")
        if ends[0] == ends[1]:
            return GROUND, 0.0
        if GROUND not in ends:
            raise NotCondensed("angles between shafts")
        body = ends[0] or ends[1]
        along = float(self.axes[body] @ joint["triad"][0])
        if np.abs(np.cross(self.axes[body], joint["triad"][0])).max() > ROUND_OFF:
            raise NotCondensed("angles about axes other than those of shafts")
        return body, (1.0 if along > 0.0 else -1.0) * (1.0 if ends[0] else -1.0)

    def _check_forces(self) -> None:
        own = {name: slice(self._subsystem[f"first_{name}"], self._subsystem[f"last_{name}"]) for name in _FORCES}
        forces, drives = self._system.joint_forces[own["joint_force"]], self._system.drives[own["drive"]]
        if np.any(forces["friction"] != 0.0):
            raise NotCondensed("friction that follows the force of a bearing")
        if np.any(forces["rotational"] == 0) or np.any(drives["rotational"] == 0):
            raise NotCondensed("slides")
        for load in self._system.loads[own["load"]]:
            body = int(load["point"]["body"])
            if load["skew"] >= 0:
                raise NotCondensed("loads along axes that move")
            if not load["rotational"] and not is_on_axis(load["point"]["arm"], self.axes[body], self._system.bodies[body]):
                raise NotCondensed("forces beside the axis of a shaft")

    # ---- how it moves ----------------------------------------------------------------------------------------

    def _relations(self) -> list[dict[int, float]]:
        """Of each relation the coefficients of the angles of bodies; drives are none."""
        first, system, found = self._subsystem["first_joint"], self._system, []
        of_drives = set(system.drives["row"].tolist())
        for relation in system.relations[self._subsystem["first_relation"] : self._subsystem["last_relation"]]:
            if int(relation["row"]) in of_drives:
                continue
            terms: dict[int, float] = {}
            for term in system.terms[relation["start"] : relation["end"]]:
                body, sign = self.signs[term["joint"] - first]
                if not term["rotational"]:
                    raise NotCondensed("racks and screws")
                if body != GROUND:
                    terms[body] = terms.get(body, 0.0) + sign * float(term["coefficient"])
            found.append(terms)
        return found

    def _masses(self) -> Floats:
        """D = sum of J c c^T."""
        n = len(self.elimination.independent)
        if n == 0:
            raise NotCondensed("shafts that cannot turn")
        if n > MOST_SPINS:
            raise NotCondensed(f"more than {MOST_SPINS} independent spins")
        masses = np.zeros((n, n))
        for body, shares in self.elimination.angles.items():
            places, values = list(shares), np.array([float(c) for c in shares.values()])
            masses[np.ix_(places, places)] += self.inertia[body] * np.outer(values, values)
        scale = np.sqrt(np.diag(masses))
        if not np.linalg.eigvalsh(masses / np.outer(scale, scale))[0] > WELL_CONDITIONED:
            raise NotCondensed("spins of very unequal inertia")
        return masses

    def _driven(self) -> Floats:
        """E (drives, spins): what each driven angle is of the spins."""
        drives = self._system.drives[self._subsystem["first_drive"] : self._subsystem["last_drive"]]
        driven = np.zeros((len(drives), len(self.masses)))
        for k, drive in enumerate(drives):
            for place, c in self.shares_of_joint(int(drive["joint"])).items():
                driven[k, place] = float(c)
        if len(drives) and np.linalg.matrix_rank(driven) < len(drives):
            raise NotCondensed("drives of angles that depend on each other")
        return driven

    def _rates(self) -> Floats:
        """u' (n,) at t = 0, by the velocities of the bodies."""
        bodies, n = self._system.bodies, len(self.masses)
        spin = {i: float(axis @ bodies["momentum"][i]) / self.inertia[i] for i, axis in self.axes.items()}
        momenta = np.zeros(n)
        for body, shares in self.elimination.angles.items():
            for place, c in shares.items():
                momenta[place] += float(c) * self.inertia[body] * spin[body]
        rates = np.linalg.solve(self.masses, momenta)
        fastest = max(map(abs, spin.values()))
        for body, shares in self.elimination.angles.items():
            if abs(sum(float(c) * rates[k] for k, c in shares.items()) - spin[body]) > SAME_RATE * fastest:
                raise NotCondensed("velocities that do not meet the ratios")
        return rates

    def shares_of_joint(self, joint: int) -> Shares:
        """Coefficients of the angle of a joint."""
        body, sign = self.signs[joint - self._subsystem["first_joint"]]
        return {k: Decimal(sign) * c for k, c in self.elimination.angles[body].items()} if body != GROUND else {}

    def fastest(self) -> list[Shares]:
        """Angles one of which grows fastest, whatever the spins do: one for each direction in the space of spins."""
        longest: dict[tuple[float, ...], tuple[Decimal, Shares]] = {}
        for shares in self.elimination.angles.values():
            if not shares:
                continue
            first = next(iter(shares.values()))
            direction = tuple(x for k, c in shares.items() for x in (float(k), round(float(c / first), 12)))
            if direction not in longest or abs(first) > longest[direction][0]:
                longest[direction] = abs(first), shares
        return [shares for _, shares in longest.values()]


_FORCES = ("joint_force", "drive", "load")


def refuse_families(subsystem: Record) -> None:
    """Families whose forces or rows are not of spins alone.

    Raises
    ------
    NotCondensed
        the subsystem has one
    """
    names = {"interface": "contact", "wall": "rigid walls", "spring": "springs", "condition": "conditions on nodes"}
    for family, name in names.items():
        if subsystem[f"last_{family}"] > subsystem[f"first_{family}"]:
            raise NotCondensed(name)


def is_on_axis(arm: Floats, axis: Floats, body: Record) -> bool:
    """Whether an arm from the reference point of a body ends on an axis through that."""
    across = np.abs(np.cross(arm, axis)).max()
    return bool(across <= ROUND_OFF * max(float(np.abs(arm).max()), radius_of(body)))


def radius_of(body: Record) -> float:
    """Largest radius of gyration of a body."""
    return float(np.sqrt(np.abs(body["inertia"]).max() / body["mass"])) if body["mass"] > 0.0 else 0.0


# ---- records -------------------------------------------------------------------------------------------------


class CoefficientList:
    """Coefficients of angles, one after the other."""

    def __init__(self) -> None:
        self._items: list[tuple[int, float, float, float]] = []

    def add(self, shares: Shares, first_spin: int) -> tuple[int, int]:
        """The coefficients of one angle; returns where they begin and end."""
        start = len(self._items)
        self._items += [(first_spin + place, *in_parts(c)) for place, c in shares.items()]
        return start, len(self._items)

    def build(self) -> np.ndarray:
        return np.array(self._items, dtype=COEFFICIENT)


def with_trains(system: System, plans: dict[int, TrainPlan]) -> System:
    """The system with the records of its trains."""
    subsystems = system.subsystems
    trains, rotors = np.zeros(len(subsystems), TRAIN), np.zeros(len(system.bodies), ROTOR)
    hinges, fastest = np.zeros(len(system.joints), HINGE), list[tuple[int, int]]()
    spins, numbers, coefficients = list[np.ndarray](), list[Floats](), CoefficientList()
    total = size = 0
    for s, subsystem in enumerate(subsystems):
        subsystem["first_spin"] = total
        if s in plans:
            plan, train = plans[s], trains[s]
            spins.append(np.zeros(len(plan.masses), SPIN))
            spins[-1]["momentum"] = plan.masses @ plan.rates
            for body, shares in plan.elimination.angles.items():
                rotors["start"][body], rotors["end"][body] = coefficients.add(shares, total)
                rotors["axis"][body], rotors["inertia"][body] = plan.axes[body], plan.inertia[body]
            for joint in range(subsystem["first_joint"], subsystem["last_joint"]):
                hinges["start"][joint], hinges["end"][joint] = coefficients.add(plan.shares_of_joint(joint), total)
            train["first_fastest"] = len(hinges) + len(fastest)
            fastest += [coefficients.add(shares, total) for shares in plan.fastest()]
            train["last_fastest"] = len(hinges) + len(fastest)
            train["steady"] = int(is_steady(system, plan))
            inverse = np.linalg.inv(plan.masses)
            inverse = 0.5 * (inverse + inverse.T)
            of_drives = plan.driven @ inverse @ plan.driven.T
            train["inverse"], train["work"] = size, size + inverse.size
            numbers += [inverse.ravel(), of_drives.ravel(), np.zeros(of_drives.size + len(of_drives))]
            size += inverse.size + 2 * of_drives.size + len(of_drives)
            total += len(plan.masses)
        subsystem["last_spin"] = total
    rotors["quaternion"] = system.bodies["quaternion"]
    note_families(subsystems)
    return system._replace(
        trains=Trains(
            trains=trains,
            spins=np.concatenate(spins),
            rotors=rotors,
            hinges=np.concatenate([hinges, np.array(fastest, dtype=HINGE)]),
            coefficients=coefficients.build(),
            numbers=np.concatenate(numbers),
        )
    )


def is_steady(system: System, plan: TrainPlan) -> bool:
    """Whether the matrix of the rows stays what it is while the shafts turn: none has an unequal inertia across."""
    for i, axis in plan.axes.items():
        inertia = system.bodies["inertia"][i]
        across = 0.5 * (np.trace(inertia) - plan.inertia[i])
        even = plan.inertia[i] * np.outer(axis, axis) + across * (np.eye(3) - np.outer(axis, axis))
        if np.abs(system.bodies["rotation"][i] @ inertia @ system.bodies["rotation"][i].T - even).max() > 0.0:
            return False
    return True


def phrases(found: Condensation) -> list[str]:
    """What became of the subsystems, in words, the most frequent first."""
    lines = []
    for (gears, rotors, spins), count in Counter(found.trains).most_common():
        what = f"train of {gears} gear{'s' * (gears != 1)}" if gears else f"{rotors} shaft{'s' * (rotors != 1)}"
        unknowns = "one unknown" if spins == 1 else f"{spins} unknowns"
        lines.append(f"{what}: {unknowns}" if count == 1 else f"{count} times a {what}: {unknowns}".replace("a 1", "1"))
    for reason, count in Counter(found.reasons).most_common():
        lines.append(f"general path{f' {count} times' if count > 1 else ''}: {reason}")
    return lines
