"""Bodies of the system in which gyrostats move, made from their plans.

Behind the bodies of the deck, on which its forces act, stand those that move by themselves, with the mass of all rotors
on them, and the flywheels of each subsystem behind its bodies.
"""

from __future__ import annotations

import numpy as np

from ..constraints.flywheels import GYROSTAT
from ..constraints.spins import TRAIN
from ..core.bodies import BODY, GENERAL, GROUND, Floats, Records, zeros_in_lines
from ..integration.system import System
from .gyrostats import Carried, GyrostatPlan
from .train_records import TrainArrays, full_shares
from .trains import Shares


class GyrostatBodies:
    """Collects bodies, gyrostats and what these have in the arrays of trains.

    place : of bodies of the deck in those that move by themselves, of a rotor that of its carrier
    shift : by how much the reference points of these are from those of the deck, at t = 0
    of : by subsystem and carrier the number of its gyrostat; rates : W of each gyrostat
    """

    def __init__(self, system: System, trains: TrainArrays) -> None:
        self._system, self._trains = system, trains
        self._bodies, self.gyrostats = list[Records](), list[Records]()
        self.place, self.shift = {GROUND: GROUND}, {GROUND: np.zeros(3)}
        self.of, self.rates = dict[tuple[int, int], int](), list[Floats]()

    @property
    def end(self) -> int:
        """Place of the next body."""
        return len(self._system.bodies) + len(self._bodies)

    def add(self, s: int, plan: GyrostatPlan) -> None:
        """The bodies of subsystem s, with their rotors."""
        carried = {group.carrier: group for group in plan.carried}
        for body in plan.bodies:
            self.place[body] = self.end
            group = carried.get(body)
            self._bodies.append(self._system.bodies[body : body + 1].copy() if group is None else self._whole(group))
            self.shift[body] = self._bodies[-1]["centre"][0] - self._system.bodies["centre"][body]
        for body, k in plan.train_of.items():
            carrier = plan.carried[k].carrier
            self.place[body], between = self.place[carrier], self._system.bodies["centre"][[carrier, body]]
            self.shift[body] = self.shift[carrier] + between[0] - between[1]
        self._trains.rotors["touched"][sorted(plan.touched)] = 1
        for body in [*([GROUND] if GROUND in carried else []), *plan.bodies]:
            self.of[s, body] = len(self.gyrostats)
            self._add_gyrostat(body, carried.get(body), plan.touched)

    def _whole(self, group: Carried) -> Records:
        """A carrier and its rotors as one body, whose momentum is that of all less what the rotors store."""
        free, body = group.train.free, self._system.bodies[group.carrier : group.carrier + 1].copy()
        assert free is not None
        body["mass"], body["mass_arm"], body["turning"] = free.mass, free.mass_arm, GENERAL
        body["inverse_mass"] = 0.0 if free.is_held else 1.0 / free.mass
        body["inertia"], inverse = free.inertia, np.linalg.inv(free.inertia)
        body["inverse_inertia"] = 0.5 * (inverse + inverse.T)
        body["centre"], body["velocity"] = free.origin, free.velocity
        body["momentum"] = free.momentum - free.stored @ group.train.momenta
        for kind in ("elastic", "external", "dissipative"):
            body[kind] = 0.0
        return body

    def _add_gyrostat(self, body: int, group: Carried | None, touched: set[int]) -> None:
        """The records of a body that moves by itself, and its flywheels."""
        trains, gyrostat, train = self._trains, np.zeros(1, GYROSTAT), np.zeros(1, TRAIN)
        train["carrier"], train["quaternion"], train["rotation"] = body, [1.0, 0.0, 0.0, 0.0], np.eye(3)
        gyrostat["body"], gyrostat["train"] = self.place[body], trains.number_of_trains
        gyrostat["first_spin"] = gyrostat["last_spin"] = trains.number_of_spins
        own = [body]
        rates: Floats = np.zeros((0, 0))
        if group is None:
            trains.rotors["locked"][body] = self._system.bodies["inertia"][body]
        else:
            own, plan, n = group.bodies, group.train, len(group.train.masses)
            trains.add_rotors(plan, [GROUND, *group.bodies], group.joints)
            gyrostat["last_spin"] += n
            gyrostat["first_fastest"] = len(trains.fastest)
            trains.fastest += [group.bodies[i - 1] for i in plan.fastest()]
            gyrostat["last_fastest"] = len(trains.fastest)
            rates = np.asarray(np.linalg.inv(np.linalg.cholesky(plan.masses)).T, np.float64)
            moments, coupling = (plan.free.coupling, plan.free.stored) if plan.free else (np.zeros((3, n)),) * 2
            gyrostat["moments"], gyrostat["rates"] = trains.add_numbers(moments), trains.add_numbers(rates)
            gyrostat["coupling"], gyrostat["first_flywheel"] = trains.add_numbers(coupling), self.end
            self._add_flywheels(rates.T @ plan.momenta)
        train["first_touched"] = len(trains.touched)
        trains.touched += sorted(touched.intersection(own))
        train["last_touched"] = len(trains.touched)
        trains.rotors["train"][own] = trains.number_of_trains
        trains.add_carrier(train)
        self.gyrostats.append(gyrostat)
        self.rates.append(rates)

    def _add_flywheels(self, rates: Floats) -> None:
        """Flywheels of unit mass, at their rates (n,)."""
        flywheels = np.zeros(len(rates), BODY)
        flywheels["mass"] = flywheels["inverse_mass"] = 1.0
        flywheels["quaternion"], flywheels["rotation"] = [1.0, 0.0, 0.0, 0.0], np.eye(3)
        flywheels["velocity"][:, 0] = rates
        self._bodies += [flywheels[k : k + 1] for k in range(len(rates))]

    def on_flywheels(self, number: int, shares: Shares) -> dict[int, float]:
        """What an angle of spins of a gyrostat is of its flywheels."""
        rates, first = self.rates[number], int(self.gyrostats[number]["first_flywheel"][0])
        parts = rates.T @ full_shares(shares, len(rates))
        return {first + k: float(part) for k, part in enumerate(parts) if part != 0.0}

    def build(self) -> Records:
        """The bodies of the deck, and those that move."""
        bodies = zeros_in_lines(self.end, BODY)
        bodies[: len(self._system.bodies)] = self._system.bodies
        bodies[len(self._system.bodies) :] = np.concatenate(self._bodies)
        for name in ("quaternion", "rotation", "displacement", "low_displacement"):
            bodies[f"trial_{name}"] = bodies[name]
        return bodies
