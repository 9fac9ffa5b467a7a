"""Which subsystems are trains of rotors, and their records: decided once, at t = 0.

A train is a subsystem whose bodies all turn about axes that are fixed in one carrier, with their centres of mass on
these, and which only relations of their angles couple.  The carrier is the ground or a body that is free; on one that
moves rotors are even all around.  Whatever else there is in a subsystem leaves it on the general path, and says so.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from ..constraints.elimination import Ambiguous, eliminate, in_parts
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

    trains : of each that is condensed: gear relations, rotors, spins, whether its carrier is free
    reasons : why others are not, where they have rows
    """

    trains: list[tuple[int, int, int, bool]] = field(default_factory=list)
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
        found.trains.append((plan.gears, len(plan.axes), len(plan.masses), plan.free is not None))
    return (with_trains(system, plans), found) if plans else (system, found)


class TrainPlan:
    """Subsystem s as a train of rotors.

    carrier : body, or GROUND
    axes : of each rotor, global; elimination : all angles by the independent ones; masses : D (n, n)

    Raises
    ------
    NotCondensed
        it is none
    """

    def __init__(self, system: System, s: int) -> None:
        self._system, self._subsystem = system, system.subsystems[s]
        refuse_families(self._subsystem)
        self.carrier = self._find_carrier()
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
        self.momenta = self._momenta()
        self.free = FreeCarrier(system, self) if self.carrier != GROUND else None
        self._check_rates()

    def _joints(self) -> list[Record]:
        return list(self._system.joints[self._subsystem["first_joint"] : self._subsystem["last_joint"]])

    @property
    def bodies(self) -> range:
        """All bodies, the carrier among them where it moves."""
        return range(self._subsystem["first_body"], self._subsystem["last_body"])

    # ---- what there is ---------------------------------------------------------------------------------------

    def _find_carrier(self) -> int:
        """The body that has most of the bearings; the ground where it has one."""
        count: Counter[int] = Counter()
        for joint in self._joints():
            if joint["n_rows"]:
                count.update(int(joint[end]["body"]) for end in ("carrier", "node"))  # of two the first is preferred
        if not count:
            raise NotCondensed("no shafts")
        return GROUND if GROUND in count else count.most_common(1)[0][0]

    def _add_bearing(self, joint: Record) -> None:
        """A joint with rows must be the bearing of one body on the carrier."""
        if joint["n_rows"] == 0:
            return
        kinds = self._system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]]
        if sorted(kinds) != REVOLUTE or joint["angle_kind"] != TWIST:
            raise NotCondensed("joints other than shafts")
        body, end = self._rotor_of(joint)
        if body == self.carrier:
            raise NotCondensed("shafts on several carriers that move")
        axis = self.axes.setdefault(body, joint["triad"][0].copy())
        if np.abs(np.cross(axis, joint["triad"][0])).max() > ROUND_OFF:
            raise NotCondensed("bearings of one shaft that are not in line")
        if not is_on_axis(joint[end]["arm"], axis, self._system.bodies[body]):
            raise NotCondensed("shafts whose centre of mass is off their axis")

    def _rotor_of(self, joint: Record) -> tuple[int, str]:
        """The body of a joint that is not the carrier, and its end; the carrier where there is none, or two."""
        ends = [int(joint[end]["body"]) for end in ("node", "carrier")]
        if ends.count(self.carrier) != 1:
            return self.carrier, ""
        return (ends[0], "node") if ends[1] == self.carrier else (ends[1], "carrier")

    def _check_bodies(self) -> None:
        for i in self.bodies:
            body = self._system.bodies[i]
            if body["turning"] == NO_ROTATION:
                raise NotCondensed("shafts without inertia")
            if i == self.carrier:
                continue
            if i not in self.axes:
                raise NotCondensed("bodies that are on no bearing")
            axis = self.axes[i]
            if not is_on_axis(body["mass_arm"], axis, body):
                raise NotCondensed("shafts whose centre of mass is off their axis")
            # body axes are the global ones at t = 0, but where gaps were closed
            turned = body["rotation"] @ body["inertia"] @ body["rotation"].T @ axis
            self.inertia[i] = float(axis @ turned)
            if np.abs(turned - self.inertia[i] * axis).max() > ROUND_OFF * self.inertia[i]:
                raise NotCondensed("shafts that turn about no principal axis")

    def _sign(self, joint: Record) -> tuple[int, float]:
        """The rotor whose angle a joint measures, and in which sense; body GROUND where it measures none."""
        if joint["n_rows"] == 0 and (joint["angle_kind"] != TWIST or joint["slide_kind"] != NO_SLIDE):
            raise NotCondensed("coordinates other than angles of shafts")
        if joint["node"]["body"] == joint["carrier"]["body"]:
            return GROUND, 0.0
        if joint["turns"] or abs(joint["angle"]) > ROUND_OFF:
            raise NotCondensed("shafts turned by closing gaps")
        body, end = self._rotor_of(joint)
        if body == self.carrier:
            raise NotCondensed("angles between shafts")
        along = float(self.axes[body] @ joint["triad"][0])
        if np.abs(np.cross(self.axes[body], joint["triad"][0])).max() > ROUND_OFF:
            raise NotCondensed("angles about axes other than those of shafts")
        return body, (1.0 if along > 0.0 else -1.0) * (1.0 if end == "node" else -1.0)

    def _check_forces(self) -> None:
        own = {name: slice(self._subsystem[f"first_{name}"], self._subsystem[f"last_{name}"]) for name in _FORCES}
        forces, drives = self._system.joint_forces[own["joint_force"]], self._system.drives[own["drive"]]
        if np.any(forces["friction"] != 0.0):
            raise NotCondensed("friction that follows the force of a bearing")
        if np.any(forces["rotational"] == 0) or np.any(drives["rotational"] == 0):
            raise NotCondensed("slides")
        if len(drives) and self.carrier != GROUND:
            raise NotCondensed("drives on a carrier that moves")
        for load in self._system.loads[own["load"]]:
            body = int(load["point"]["body"])
            if load["skew"] >= 0:
                raise NotCondensed("loads along axes that move")
            on_axis = body == self.carrier or is_on_axis(
                load["point"]["arm"], self.axes[body], self._system.bodies[body]
            )
            if not load["rotational"] and not on_axis:
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

    def _momenta(self) -> Floats:
        """p (n,) at t = 0, by the momenta of the bodies."""
        momenta = np.zeros(len(self.masses))
        for body, shares in self.elimination.angles.items():
            along = float(self.axes[body] @ self._system.bodies["momentum"][body])
            for place, c in shares.items():
                momenta[place] += float(c) * along
        return momenta

    def _check_rates(self) -> None:
        """The motion that the momenta give must be that of the bodies."""
        bodies = self._system.bodies
        omega = self.free.angular_velocity if self.free else np.zeros(3)
        spins = np.linalg.solve(self.masses, self.momenta - (self.free.coupling.T @ omega if self.free else 0.0))
        off, size = 0.0, float(np.abs(omega).max())
        for i in self.bodies:
            shares, rotation = self.elimination.angles.get(i, {}), bodies["rotation"][i]
            spin = sum(float(c) * spins[k] for k, c in shares.items())
            expected = omega + spin * self.axes[i] if i in self.axes else omega
            found = rotation @ bodies["inverse_inertia"][i] @ rotation.T @ bodies["momentum"][i]
            off, size = max(off, float(np.abs(found - expected).max())), max(size, abs(spin))
        if off > SAME_RATE * size:
            raise NotCondensed("velocities that do not meet the rows")

    def shares_of_joint(self, joint: int) -> Shares:
        """Coefficients of the angle of a joint."""
        body, sign = self.signs[joint - self._subsystem["first_joint"]]
        return {k: Decimal(sign) * c for k, c in self.elimination.angles[body].items()} if body != GROUND else {}

    def fastest(self) -> list[int]:
        """Bodies one of which turns fastest, whatever the carrier and the spins do.

        Of all whose rates c r are along one line in the space of spins, those at its ends.
        """
        ends: dict[tuple[float, ...], list[tuple[float, int]]] = {}
        for body, shares in self.elimination.angles.items():
            if not shares:
                continue
            rates = np.concatenate([np.r_[float(k), float(c) * self.axes[body]] for k, c in shares.items()])
            parts = rates.reshape(-1, 4)[:, 1:]
            lead = parts.ravel()[np.argmax(np.abs(parts) > 0.5 * np.abs(parts).max())]
            line = (*rates[::4].tolist(), *(np.round(parts / lead, 12) + 0.0).ravel().tolist())
            reach = ends.setdefault(line, [(lead, body), (lead, body)])
            reach[:] = [min(reach[0], (lead, body)), max(reach[1], (lead, body))]
        found = {body for reach in ends.values() for _, body in reach}
        return sorted(found | ({self.carrier} - {GROUND}))


class FreeCarrier:
    """What a carrier that is free, with all of its rotors, has as one body: a gyrostat.

    inertia : I_l - J D^-1 J^T (3, 3); coupling : J (3, n); centres : of the bodies, from the common one
    """

    def __init__(self, system: System, plan: TrainPlan) -> None:
        bodies = system.bodies
        own = bodies[list(plan.bodies)]
        self._check(system, plan)
        mass = own["mass"]
        self.mass = float(mass.sum())
        places = own["centre"] + own["displacement"]
        self.origin = mass @ places / self.mass
        self.centres = dict(zip(plan.bodies, places - self.origin, strict=True))
        arms = places - self.origin
        self.velocity = mass @ own["velocity"] / self.mass
        self.momentum = own["momentum"].sum(axis=0) + (mass[:, None] * np.cross(arms, own["velocity"])).sum(axis=0)
        squared = (arms**2).sum(axis=1)
        orbital = (mass * squared).sum() * np.eye(3) - np.einsum("b,bi,bj->ij", mass, arms, arms)
        self.coupling = np.zeros((3, len(plan.masses)))
        for body, shares in plan.elimination.angles.items():
            for place, c in shares.items():
                self.coupling[:, place] += float(c) * plan.inertia[body] * plan.axes[body]
        self.stored = self.coupling @ np.linalg.inv(plan.masses)  # K
        self.inertia = own["inertia"].sum(axis=0) + orbital - self.stored @ self.coupling.T
        self.inertia = 0.5 * (self.inertia + self.inertia.T)
        least, *_, largest = np.linalg.eigvalsh(self.inertia)
        if not least > WELL_CONDITIONED * largest:
            raise NotCondensed("a carrier that is very light")
        self.angular_velocity = np.linalg.solve(self.inertia, self.momentum - self.stored @ plan.momenta)
        off = own["velocity"] - self.velocity - np.cross(self.angular_velocity, arms)
        speed = np.abs(own["velocity"]).max() + np.abs(self.angular_velocity).max() * np.sqrt(squared.max())
        if np.abs(off).max() > SAME_RATE * speed:
            raise NotCondensed("velocities that do not meet the rows")

    def _check(self, system: System, plan: TrainPlan) -> None:
        own = system.bodies[list(plan.bodies)]
        if np.any(own["inverse_mass"] <= 0.0) or np.any(own["mass_arm"] != 0.0):
            raise NotCondensed("a carrier that is held at a point")
        if np.any(own["mass"] <= 0.0):
            raise NotCondensed("bodies without mass")
        if np.any(own["rotation"] != np.eye(3)):
            raise NotCondensed("bodies turned by closing gaps")
        if np.any(own["gravity"] != own["gravity"][0]):
            raise NotCondensed("gravity on some bodies of a free machine")
        for body, axis in plan.axes.items():
            if not is_even(system.bodies["inertia"][body], axis, plan.inertia[body], ROUND_OFF):
                raise NotCondensed("shafts of unequal inertia on a carrier that moves")


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


class TrainArrays:
    """Collects the records of all trains."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.trains, self.rotors = np.zeros(len(system.subsystems), TRAIN), np.zeros(len(system.bodies), ROTOR)
        self.hinges, self.coefficients = np.zeros(len(system.joints), HINGE), CoefficientList()
        self.spins, self.fastest = list[np.ndarray](), list[int]()
        self.number_of_spins = self._size = 0
        self._numbers = list[Floats]()
        self.trains["quaternion"], self.trains["rotation"] = [1.0, 0.0, 0.0, 0.0], np.eye(3)
        self.rotors["quaternion"][:, 0] = 1.0

    def add(self, s: int, plan: TrainPlan) -> None:
        """The train of subsystem s."""
        train, rotors, first = self.trains[s], self.rotors, self.number_of_spins
        spins = np.zeros(len(plan.masses), SPIN)
        spins["momentum"] = plan.momenta
        for body, shares in plan.elimination.angles.items():
            rotors["start"][body], rotors["end"][body] = self.coefficients.add(shares, first)
            rotors["axis"][body], rotors["inertia"][body] = plan.axes[body], plan.inertia[body]
            rotors["quaternion"][body] = self._system.bodies["quaternion"][body]
        subsystem = self._system.subsystems[s]
        for joint in range(subsystem["first_joint"], subsystem["last_joint"]):
            shares = plan.shares_of_joint(joint)
            self.hinges["start"][joint], self.hinges["end"][joint] = self.coefficients.add(shares, first)
        train["first_fastest"] = len(self.fastest)
        self.fastest += plan.fastest()
        train["last_fastest"] = len(self.fastest)
        train["carrier"], train["steady"] = plan.carrier, int(is_steady(self._system, plan))
        inverse = np.linalg.inv(plan.masses)
        inverse = 0.5 * (inverse + inverse.T)
        of_drives = plan.driven @ inverse @ plan.driven.T
        train["inverse"] = self._add_numbers(inverse)
        train["work"] = self._add_numbers(of_drives)
        self._add_numbers(np.zeros(of_drives.size + len(of_drives)))
        if plan.free is not None:
            self._add_carrier(train, plan, plan.free)
        self.spins.append(spins)
        self.number_of_spins += len(spins)

    def _add_carrier(self, train: Record, plan: TrainPlan, free: FreeCarrier) -> None:
        bodies, rotors = self._system.bodies, self.rotors
        train["coupling"] = self._add_numbers(free.stored)
        train["inverse_mass"], train["gravity"] = 1.0 / free.mass, bodies["gravity"][plan.carrier]
        train["inertia"] = free.inertia
        inverse = np.linalg.inv(free.inertia)
        train["inverse_inertia"] = 0.5 * (inverse + inverse.T)
        train["velocity"], train["momentum"] = free.velocity, free.momentum
        for i in plan.bodies:
            rotors["locked"][i], rotors["centre"][i] = bodies["inertia"][i], free.centres[i]

    def _add_numbers(self, numbers: Floats) -> int:
        start = self._size
        self._numbers.append(numbers.ravel())
        self._size += numbers.size
        return start

    def build(self) -> Trains:
        return Trains(
            trains=self.trains, spins=np.concatenate(self.spins), rotors=self.rotors, hinges=self.hinges,
            coefficients=self.coefficients.build(), fastest=np.array(self.fastest, dtype=np.int64),
            numbers=np.concatenate(self._numbers),
        )  # fmt: skip


def with_trains(system: System, plans: dict[int, TrainPlan]) -> System:
    """The system with the records of its trains."""
    arrays, subsystems = TrainArrays(system), system.subsystems
    for s in range(len(subsystems)):
        subsystems["first_spin"][s] = arrays.number_of_spins
        if s in plans:
            arrays.add(s, plans[s])
        subsystems["last_spin"][s] = arrays.number_of_spins
    note_families(subsystems)
    return system._replace(trains=arrays.build())


def is_even(inertia: Floats, axis: Floats, along: float, tolerance: float) -> bool:
    """Whether an inertia is the same about all axes across one."""
    across = 0.5 * (np.trace(inertia) - along)
    even = along * np.outer(axis, axis) + across * (np.eye(3) - np.outer(axis, axis))
    return bool(np.abs(inertia - even).max() <= tolerance * np.abs(inertia).max())


def is_steady(system: System, plan: TrainPlan) -> bool:
    """Whether the matrix of the rows stays what it is while all moves: the ground carries even shafts."""
    rotation, inertia = system.bodies["rotation"], system.bodies["inertia"]
    return plan.carrier == GROUND and all(
        is_even(rotation[i] @ inertia[i] @ rotation[i].T, axis, plan.inertia[i], 1e-15) for i, axis in plan.axes.items()
    )


def phrases(found: Condensation) -> list[str]:
    """What became of the subsystems, in words, the most frequent first."""
    lines = []
    for (gears, rotors, spins, free), count in Counter(found.trains).most_common():
        what = f"train of {gears} gear{'s' * (gears != 1)}" if gears else f"{rotors} shaft{'s' * (rotors != 1)}"
        unknowns = ("one unknown" if spins == 1 else f"{spins} unknowns") + " on a free carrier" * free
        lines.append(f"{what}: {unknowns}" if count == 1 else f"{count} times a {what}: {unknowns}".replace("a 1", "1"))
    for reason, count in Counter(found.reasons).most_common():
        lines.append(f"general path{f' {count} times' if count > 1 else ''}: {reason}")
    return lines
