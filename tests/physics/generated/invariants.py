"""What one run of a machine must keep: rows, energy, momenta, freedom, first motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from gsolve.solver.results.balance import USES, WORK
from numpy.typing import NDArray
from running import Results, run

from .families import Case
from .machine_deck import MachineDeck
from .twin import Twin

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A value that is to stay below a bound."""

    invariant: str
    value: float
    bound: float
    remark: str = ""

    @property
    def broken(self) -> bool:
        return not self.value <= self.bound


@dataclass
class Subject:
    """A machine under judgement: its deck and its run."""

    case: Case
    deck: MachineDeck
    results: Results

    @property
    def mass(self) -> float:
        return sum(body.mass for body in self.deck.bodies)

    @property
    def size(self) -> float:
        """Largest distance from the origin that any body has (m), its own size counted."""
        return 0.3 + max(float(np.max(np.abs(positions(self.results, node)))) for node in self.deck.mains)


def positions(results: Results, node: int) -> Floats:
    return results.node_vector("", node)


def turned_over(results: Results) -> float:
    """Energy that the run turned over, as the balance of gsolve measures it."""
    energy = results.values["energy"]
    uses = sum(np.abs(energy[name]) for name in USES if name in energy)
    return float(max(np.max(uses), *(np.max(np.abs(energy[name])) for name in WORK)))


# ---- rows ----------------------------------------------------------------------------------------------------------

EXACT, ROUNDED = 1e-10, 1e-5


def rows(subject: Subject) -> Iterator[Measure]:
    """Residuals: 1e-10, with rounded coordinates as far as rows that follow from others may be off."""
    redundant = bool(subject.results.simulation.redundant_rows)
    bound = ROUNDED if subject.deck.digits is not None and redundant else EXACT
    yield Measure("rows", float(np.max(subject.results.scalar("diag", "constraint_violation"))), bound)


# ---- energy --------------------------------------------------------------------------------------------------------

SMOOTH_ENERGY = 1e-4  # of the energy turned over; larger errors have to be of second order
LEAST_ENERGY = 1e-12  # J for each kg: a machine at rest


def energy_error(subject: Subject, results: Results) -> float:
    """Largest error of the balance over the energy turned over; what elastic contacts kept is judged apart."""
    error = float(np.max(np.abs(results.imbalance())))
    return error / (turned_over(results) + LEAST_ENERGY * subject.mass)


def energy(subject: Subject) -> Iterator[Measure]:
    """The balance closes to 1e-4, or else as fast as the square of the step: a quarter of it leaves a sixteenth.

    An eighth is asked for; and 1e-4 will do.
    """
    error = energy_error(subject, subject.results)
    if error <= SMOOTH_ENERGY:
        yield Measure("energy", error, SMOOTH_ENERGY)
        return
    dt, remark = subject.results.simulation.dt, f"{error:.1e}"
    for parts in (4, 16, 64):  # where steps were taken in parts the whole step says little
        before, error = error, energy_error(subject, run(subject.deck, dt=dt / parts))
        bound = max(SMOOTH_ENERGY, before / (2.5 if subject.deck.rough else 8.0))
        remark += f", {error:.1e}"
        if error <= bound:
            break
    yield Measure("energy", error, bound, f"with the whole step, a quarter of it ...: {remark}")


def kinetic(subject: Subject, results: Results) -> Floats:
    """(nt,) of all bodies, from their velocities."""
    total = np.zeros(len(results.times))
    for body, node in zip(subject.deck.bodies, subject.deck.mains, strict=True):
        rotation, spin = results.rotation(node), results.node_vector("VR", node)
        own = np.einsum("tji,tj->ti", rotation, spin)
        total += 0.5 * body.mass * (results.node_vector("V", node) ** 2).sum(axis=1)
        total += 0.5 * np.einsum("ti,ij,tj->t", own, body.inertia, own)
    return total


def change_of_energy(subject: Subject, results: Results) -> float:
    """Part of the kinetic energy that solids gained or lost which touched and have parted; 0 while they touch."""
    interfaces = results.values["th/inter"]
    overlapped = subject.deck.jumps and interfaces["NPATCH"][0].any()  # EELAS does not begin with what was stored then
    if overlapped or not interfaces["FLICKER"].any() or interfaces["NPATCH"][-1].any():
        return 0.0
    energy = kinetic(subject, results) + results.scalar("energy", "contact_elastic")
    return float(abs(energy[-1] / energy[0] - 1.0))


def elastic(subject: Subject) -> Iterator[Measure]:
    """Solids that met and parted without loss have the kinetic energy that they had, or a finer step gives it."""
    if subject.deck.elastic is None:
        return

    value, bound = change_of_energy(subject, subject.results), subject.deck.elastic
    if value <= bound:
        yield Measure("kinetic energy", value, bound)
        return
    finer = change_of_energy(subject, run(subject.deck, dt=subject.results.simulation.dt / 4))
    yield Measure("kinetic energy", finer, max(bound / 5, value / 6), f"{value:.1e} with the whole step")


def kept(subject: Subject) -> Iterator[Measure]:
    """What elastic forces made or lost over touches that ended, where they may not do so without bound."""
    if subject.deck.kept is not None:
        made = float(np.max(np.abs(subject.results.scalar("energy", "contact_error"))))
        yield Measure("kept", made / (turned_over(subject.results) + LEAST_ENERGY * subject.mass), subject.deck.kept)


# ---- momenta -------------------------------------------------------------------------------------------------------

MOMENTUM = 1e-11


def momenta(subject: Subject) -> Iterator[Measure]:
    """Of what nothing holds and nothing acts on: to round-off, of the sum of the magnitudes of all bodies."""
    if subject.deck.grounded or subject.deck.loaded:
        return
    results = subject.results
    linear = angular = 0.0
    for body, node in zip(subject.deck.bodies, subject.deck.mains, strict=True):
        speed = float(np.linalg.norm(results.node_vector("V", node), axis=1).max())
        spin = float(np.linalg.norm(results.node_vector("VR", node), axis=1).max())
        linear += body.mass * speed
        angular += body.mass * speed * subject.size + np.trace(body.inertia) * spin
    for name, values, scale in (
        ("momentum", results.momentum(), linear),
        ("spin", results.angular_momentum(), angular),
    ):
        change = float(np.max(np.abs(values - values[0])))
        yield Measure(name, change / (scale + 1e-300), MOMENTUM)


# ---- freedom and first motion --------------------------------------------------------------------------------------

FIRST_VELOCITY, FIRST_ACCELERATION = 1e-6, 1e-4
SHORT = 1e-4  # s: step of the runs that give the first acceleration


def freedom(subject: Subject) -> Iterator[Measure]:
    """Degrees of freedom as the singular values of a dense Jacobian say."""
    twin = twin_of(subject.deck)
    found = subject.results.simulation.degrees_of_freedom
    yield Measure("freedom", abs(found - twin.freedom), 0.0, f"{found}, dense {twin.freedom}")


def first_motion(subject: Subject) -> Iterator[Measure]:
    """Velocities and accelerations at t = 0 against a dense calculation.

    Those of gsolve are right to the first order in the step; two short steps extrapolate that to the second. What
    velocities are off by, as those of bodies 1e10 times heavier than others are, accelerations are over the step.
    """
    deck = subject.deck
    if not deck.known_forces or not deck.smooth:
        return
    if deck.digits is not None and subject.results.simulation.redundant_rows:
        return  # its rounding is part of the machine, and not of the twin
    twin = twin_of(deck)
    expected_velocities = twin.velocities()
    runs = [run(deck, dt=dt, t_end=4 * dt, every=dt) for dt in (SHORT, SHORT / 2)]
    first = [motion(results, deck.mains, "V", "VR")[0] for results in runs]
    second = [motion(results, deck.mains, "A", "AR")[0] for results in runs]
    off = apart(first[1], expected_velocities, 1e-3)
    # gaps that rounding left are closed before, which turns rows by as much over the distances between joints
    rounded = 100.0 * 10.0**-deck.digits if deck.digits is not None else 0.0
    yield Measure("first velocity", off, max(FIRST_VELOCITY, rounded))
    found, expected = 2 * second[1] - second[0], twin.accelerations()
    left = apart(second[1], expected, 1.0) ** 2  # about what extrapolation leaves of an error of the first order
    bound = max(FIRST_ACCELERATION, 10.0 * left, 10.0 * off / SHORT)
    yield Measure("first acceleration", apart(found, expected, 1.0), bound)


def motion(results: Results, mains: list[int], translational: str, rotational: str) -> Floats:
    """(nt, nb, 6)"""
    each = [np.hstack([results.node_vector(name, node) for name in (translational, rotational)]) for node in mains]
    return np.stack(each, axis=1)


def apart(found: Floats, expected: Floats, least: float) -> float:
    """Largest difference of (..., nb, 6) motions over the largest component or the least that counts."""
    scale = np.array([1.0] * 3 + [0.3] * 3)  # m: the size of a body
    return float(np.max(np.abs((found - expected) * scale)) / max(np.max(np.abs(expected * scale)), least))


def twin_of(deck: MachineDeck) -> Twin:
    return Twin(deck.bodies, deck.rows, deck.pulls, deck.acceleration)


ALWAYS: tuple[Callable[[Subject], Iterator[Measure]], ...] = (rows, energy, elastic, kept, momenta)
SOMETIMES: tuple[Callable[[Subject], Iterator[Measure]], ...] = (freedom, first_motion)
