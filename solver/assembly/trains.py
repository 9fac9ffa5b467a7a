"""A subsystem as a train of rotors: what there is, which angles are independent, and what they weigh."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np

from ..constraints.elimination import Ambiguous, combined, eliminate
from ..core.bodies import GROUND, Floats, Record, Records
from ..integration.system import System
from .rotors import RotorsOf, ends_of, find_rotors
from .train_checks import (
    ROUND_OFF,
    SAME_RATE,
    WELL_CONDITIONED,
    NotCondensed,
    is_even,
    is_on_axis,
    radius_of,
    records_of,
    refuse_families,
    touched_by_forces,
)

NOT_OF_SPINS = {"interface": "contact", "wall": "rigid walls", "sensor": "sensors on values"}
MOST_SPINS = 64  # of one train: what they weigh is a full matrix

Shares = dict[int, Decimal]  # coefficients of an angle, by place of the spin


class TrainPlan:
    """Subsystem s as a train of rotors.

    carrier : body, or GROUND
    rotors : by body; elimination : all angles by the independent ones; masses : D (n, n)
    joints : number of relations; gears : whether these are all of two shafts

    Raises
    ------
    NotCondensed
        it is none
    """

    def __init__(self, system: System, s: int, carrier: int | None = None) -> None:
        """carrier : the one to take, which joints and a point that is held may hold; None for one that flies freely"""
        self.among_joints = carrier is not None
        self._system, self._subsystem = system, system.subsystems[s]
        refuse_families(self._subsystem, NOT_OF_SPINS)
        subsystem = self._subsystem
        found = find_rotors(system, subsystem) if carrier is None else RotorsOf(system, subsystem, carrier)
        self.carrier, self.rotors, self._angles, self._slides = found.carrier, found.rotors, found.angles, found.slides
        self._check_forces()
        relations = self._relations()
        self.joints = len(relations)
        try:
            self.elimination = eliminate(self._coordinates(), relations)
        except Ambiguous:
            raise NotCondensed("ratios that close a loop but for rounding") from None
        self.inertia = self._inertia()
        self.masses = self._masses()
        self.driven = self._driven()
        self.momenta = self._momenta()
        self.free = FreeCarrier(system, self) if self.carrier != GROUND else None
        self._check_rates()

    @property
    def bodies(self) -> range:
        """All bodies, the carrier among them where it moves."""
        return range(self._subsystem["first_body"], self._subsystem["last_body"])

    def _coordinates(self) -> list[int]:
        """Keys of all angles and slides."""
        slides = [slide_key(body) for body, rotor in self.rotors.items() if rotor.slides]
        return [*(body for body, rotor in self.rotors.items() if rotor.turns), *slides]

    @property
    def has_planets(self) -> bool:
        """Whether some axes go round with others."""
        return any(rotor.arm_of != GROUND for rotor in self.rotors.values())

    def _of_drives(self) -> set[int]:
        """Rows of drives."""
        return set(self._own("drive")["row"].tolist())

    # ---- what there is ---------------------------------------------------------------------------------------

    def _check_forces(self) -> None:
        self.touched = self._touched()
        self._check_weight_of_planets()

    def _own(self, family: str) -> Records:
        """Records of a family."""
        return records_of(self._system, self._subsystem, family)

    def _touched(self) -> list[int]:
        """Bodies that are put in place in each step, as forces act on them that ask where they are; none without such.

        Those are springs, loads beside an axis or along axes that move, and friction by the force of a bearing.
        """
        springs, loads, rubbing = self._own("spring"), self._own("load"), self._rubbing()
        if not len(springs) and not rubbing and not any(self._asks_for_place(load) for load in loads):
            return []
        return sorted(rubbing | touched_by_forces(self._system, self._subsystem, {self.carrier, *self.rotors}))

    def _asks_for_place(self, load: Record) -> bool:
        """Whether what a load does to the spins depends on where its body is."""
        body = int(load["point"]["body"])
        if load["skew"] >= 0 or load["rotational"] or body == self.carrier:
            return bool(load["skew"] >= 0)
        rotor = self.rotors[body]
        on_axis = not rotor.turns or is_on_axis(load["point"]["arm"], rotor.axis, self._system.bodies[body])
        return rotor.arm_of != GROUND or not on_axis

    def _rubbing(self) -> set[int]:
        """Shafts with friction that follows the force of their bearing: that must hold them alone, on the ground."""
        found = set[int]()
        bearings = Counter[int]()
        for joint in self._own("joint"):
            if joint["n_rows"]:
                bearings.update(ends_of(joint))
        for force in self._own("joint_force"):
            if force["friction"] == 0.0:
                continue
            ends = ends_of(self._system.joints[force["joint"]]) - {GROUND}
            alone = len(ends) == 1 and all(bearings[i] == 1 and not self.rotors[i].slides for i in ends)
            if self.carrier != GROUND or not alone:
                raise NotCondensed("friction that follows the force of a bearing")
            found |= ends
        return found

    def _check_weight_of_planets(self) -> None:
        """Planets must hang in balance about their arm's axis where gravity is not along it."""
        bodies = self._system.bodies
        for body, arm in self.rotors.items():
            planets = [i for i, rotor in self.rotors.items() if rotor.arm_of == body]
            weights = [bodies["mass"][i] * np.outer(bodies["gravity"][i], self.rotors[i].arm) for i in planets]
            across = np.eye(3) - np.outer(arm.axis, arm.axis)
            if planets and np.abs(across @ np.sum(weights, axis=0)).max() > SAME_RATE * np.abs(weights).max():
                raise NotCondensed("planets out of balance under gravity")

    def _relations(self) -> list[dict[int, float]]:
        """Of each relation the coefficients of the angles and slides of bodies; drives are none."""
        first, system, found = self._subsystem["first_joint"], self._system, []
        of_drives, self.gears = self._of_drives(), True
        for relation in system.relations[self._subsystem["first_relation"] : self._subsystem["last_relation"]]:
            if int(relation["row"]) in of_drives:
                continue
            terms: dict[int, float] = {}
            terms_of = system.terms[relation["start"] : relation["end"]]
            self.gears = self.gears and len(terms_of) == 2 and bool(np.all(terms_of["rotational"] == 1))
            for term in terms_of:
                coordinate = (self._angles if term["rotational"] else self._slides)[term["joint"] - first]
                for body, sign in coordinate.items():
                    key = body if term["rotational"] else slide_key(body)
                    terms[key] = terms.get(key, 0.0) + sign * float(term["coefficient"])
            found.append(terms)
        return found

    # ---- how it moves ----------------------------------------------------------------------------------------

    def _inertia(self) -> dict[int, float]:
        """About the axis of each rotor, its planets as if they were points of mass; of a slide its mass."""
        inertia = {body: rotor.inertia for body, rotor in self.rotors.items()}
        inertia |= {slide_key(body): float(self._system.bodies["mass"][body]) for body in self.rotors}
        for body, rotor in self.rotors.items():
            if rotor.arm_of != GROUND:
                inertia[rotor.arm_of] += float(self._system.bodies["mass"][body] * (rotor.arm @ rotor.arm))
        return inertia

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
        drives = self._own("drive")
        driven = np.zeros((len(drives), len(self.masses)))
        for k, drive in enumerate(drives):
            joint = int(drive["joint"] - self._subsystem["first_joint"])
            for place, c in self.shares_of_joint(joint, turning=drive["rotational"] == 1).items():
                driven[k, place] = float(c)
        return driven

    def _momenta(self) -> Floats:
        """p (n,) at t = 0, by the momenta of the bodies."""
        momenta, bodies = np.zeros(len(self.masses)), self._system.bodies
        for body, rotor in self.rotors.items():
            if rotor.turns:
                self._add_along(momenta, body, float(rotor.axis @ bodies["momentum"][body]))
            if rotor.slides:
                moves = float(bodies["mass"][body] * rotor.axis @ bodies["velocity"][body])
                self._add_along(momenta, slide_key(body), moves)
            if rotor.arm_of != GROUND:
                moment = bodies["mass"][body] * np.cross(rotor.arm, bodies["velocity"][body])
                self._add_along(momenta, rotor.arm_of, float(rotor.axis @ moment))
        return momenta

    def _add_along(self, to: Floats, key: int, along: float) -> None:
        """What a force or momentum along an angle or a slide is on the spins."""
        for place, c in self.elimination.angles[key].items():
            to[place] += float(c) * along

    def weights(self) -> Floats:
        """Weight (n,) on the spins, of what slides."""
        weights, bodies = np.zeros(len(self.masses)), self._system.bodies
        for body, rotor in self.rotors.items():
            if rotor.slides and bodies["inverse_mass"][body] > 0.0:
                along = float(rotor.axis @ bodies["gravity"][body])
                self._add_along(weights, slide_key(body), float(bodies["mass"][body]) * along)
        return weights

    def _check_rates(self) -> None:
        """The motion that the momenta give must be that of the bodies."""
        bodies = self._system.bodies
        omega = self.free.angular_velocity if self.free else np.zeros(3)
        rates = np.linalg.solve(self.masses, self.momenta - (self.free.coupling.T @ omega if self.free else 0.0))
        spins = {
            body: sum(float(c) * rates[k] for k, c in shares.items())
            for body, shares in self.elimination.angles.items()
        }
        off, size, strayed, speed = 0.0, float(np.abs(omega).max()), 0.0, 0.0
        for i in self.bodies:
            rotation, velocity = bodies["rotation"][i], bodies["velocity"][i]
            expected, moves = omega, self.free.velocity_of(i) if self.free else np.zeros(3)
            if i in self.rotors:
                rotor = self.rotors[i]
                expected = omega + spins.get(i, 0.0) * rotor.axis
                moves = moves + spins.get(slide_key(i), 0.0) * rotor.axis
                if rotor.arm_of != GROUND:
                    moves = moves + spins[rotor.arm_of] * np.cross(rotor.axis, rotor.arm)
                size = max(size, abs(spins.get(i, 0.0)))
            found = rotation @ bodies["inverse_inertia"][i] @ rotation.T @ bodies["momentum"][i]
            off = max(off, float(np.abs(found - expected).max()))
            strayed = max(strayed, float(np.abs(velocity - moves).max()))
            speed = max(speed, float(np.abs(velocity).max()), float(np.abs(moves).max()))
        speed = max(
            speed, size * max(radius_of(bodies[i]) for i in self.bodies)
        )  # where only shafts turn, it is rounding
        if off > SAME_RATE * size or strayed > SAME_RATE * speed:
            raise NotCondensed("velocities that do not meet the rows")

    def shaft_of_joint(self, k: int) -> int:
        """The only rotor of the k-th joint, GROUND where there are two or none."""
        angle = self._angles[k]
        return next(iter(angle)) if len(angle) == 1 else GROUND

    def shares_of_joint(self, k: int, *, turning: bool) -> Shares:
        """Coefficients of the angle of the k-th joint, or of its slide."""
        coordinate = (self._angles if turning else self._slides)[k]
        angles = self.elimination.angles
        return combined((angles[body if turning else slide_key(body)], sign) for body, sign in coordinate.items())

    def fastest(self) -> list[int]:
        """Bodies one of which turns fastest, whatever the carrier and the spins do.

        Of all whose rates c r are along one line in the space of spins, those at its ends.
        """
        ends: dict[tuple[float, ...], list[tuple[float, int]]] = {}
        for body, shares in self.elimination.angles.items():
            if not shares or body not in self.rotors:
                continue
            rates = np.concatenate([np.r_[float(k), float(c) * self.rotors[body].axis] for k, c in shares.items()])
            parts = rates.reshape(-1, 4)[:, 1:]
            lead = parts.ravel()[np.argmax(np.abs(parts) > 0.5 * np.abs(parts).max())]
            line = (*rates[::4].tolist(), *(np.round(parts / lead, 12) + 0.0).ravel().tolist())
            reach = ends.setdefault(line, [(lead, body), (lead, body)])
            reach[:] = [min(reach[0], (lead, body)), max(reach[1], (lead, body))]
        found = {body for reach in ends.values() for _, body in reach}
        return sorted(found | ({self.carrier} - {GROUND}))


def slide_key(body: int) -> int:
    """Key of the slide of a body; that of its angle is the body."""
    return -body


class FreeCarrier:
    """What a carrier that is free, with all of its rotors, has as one body: a gyrostat.

    It is that of its common centre, or of the point at which the carrier is held.

    inertia : I_l - J D^-1 J^T (3, 3); coupling : J (3, n); centres : of the bodies, from that point
    mass_arm : from there to the common centre
    """

    def __init__(self, system: System, plan: TrainPlan) -> None:
        bodies = system.bodies
        own = bodies[list(plan.bodies)]
        self._check(system, plan)
        mass = own["mass"]
        self.mass = float(mass.sum())
        places = own["centre"] + own["displacement"]
        centre = mass @ (places + own["mass_arm"]) / self.mass
        self.is_held = bool(bodies["inverse_mass"][plan.carrier] <= 0.0)
        self.origin = bodies["centre"][plan.carrier].copy() if self.is_held else centre
        self.mass_arm = centre - self.origin
        self.centres = dict(zip(plan.bodies, places - self.origin, strict=True))
        arms = places - self.origin
        self.velocity = np.zeros(3) if self.is_held else mass @ own["velocity"] / self.mass
        self.momentum = own["momentum"].sum(axis=0) + (mass[:, None] * np.cross(arms, own["velocity"])).sum(axis=0)
        squared = (arms**2).sum(axis=1)
        orbital = (mass * squared).sum() * np.eye(3) - np.einsum("b,bi,bj->ij", mass, arms, arms)
        self.coupling = np.zeros((3, len(plan.masses)))
        for body, shares in plan.elimination.angles.items():
            for place, c in shares.items():
                self.coupling[:, place] += float(c) * plan.inertia[body] * plan.rotors[body].axis
        self.stored = self.coupling @ np.linalg.inv(plan.masses)  # K
        self.inertia = own["inertia"].sum(axis=0) + orbital - self.stored @ self.coupling.T
        self.inertia = 0.5 * (self.inertia + self.inertia.T)
        least, *_, largest = np.linalg.eigvalsh(self.inertia)
        if not least > WELL_CONDITIONED * largest:
            raise NotCondensed("a carrier that is very light")
        self.angular_velocity = np.linalg.solve(self.inertia, self.momentum - self.stored @ plan.momenta)

    def velocity_of(self, body: int) -> Floats:
        """Velocity of the centre of a body as if all were one."""
        return self.velocity + np.cross(self.angular_velocity, self.centres[body])

    def _check(self, system: System, plan: TrainPlan) -> None:
        own = system.bodies[list(plan.bodies)]
        carrier = np.array(plan.bodies) == plan.carrier
        if np.any((own["inverse_mass"] <= 0.0) & ~(carrier & plan.among_joints)):
            raise NotCondensed("a carrier that is held at a point")
        if np.any(own["mass"] <= 0.0):
            raise NotCondensed("bodies without mass")
        if np.any(own["rotation"] != np.eye(3)):
            raise NotCondensed("bodies turned by closing gaps")
        if np.any(own["gravity"] != own["gravity"][0]):
            raise NotCondensed("gravity on some bodies of a free machine")
        for body, rotor in plan.rotors.items():
            if not is_even(system.bodies["inertia"][body], rotor.axis, rotor.inertia, ROUND_OFF):
                raise NotCondensed("shafts of unequal inertia on a carrier that moves")
            self._check_planets(system, plan, body)

    def _check_planets(self, system: System, plan: TrainPlan, body: int) -> None:
        """The planets of an arm must be in balance, and their inertia even about its axis."""
        planets = [i for i, rotor in plan.rotors.items() if rotor.arm_of == body]
        if not planets:
            return
        own, axis = system.bodies[planets], plan.rotors[body].axis
        arms = own["centre"] - system.bodies["centre"][body]
        inertia = np.zeros((3, 3))
        for m, arm in zip(own["mass"], arms, strict=True):
            inertia += m * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))
        across = own["mass"] @ (arms - np.outer(arms @ axis, axis))
        off = np.abs(across).max() > SAME_RATE * own["mass"].sum() * np.abs(arms).max()
        if off or not is_even(inertia, axis, float(axis @ inertia @ axis), SAME_RATE):
            raise NotCondensed("planets out of balance on a carrier that moves")
