"""What a machine must do in the same way however it is written down, placed, sampled and calculated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from running import Results, read, run
from scipy.spatial.transform import Rotation
from transformed import transformed

from .common import STEP
from .invariants import Measure, Subject, change_of_energy, motion
from .machine_deck import Form

Floats = NDArray[np.float64]
AUTOMATIC_COLLISION = 0.03  # of the kinetic energy
# Relative to the size of the machine and its largest velocity: what rounding makes, when it grows a little
SAME = 1e-9
PERTURBED = 1e-9  # relative change of the places, which shows by how much rounding grows


def state(results: Results, mains: list[int], form: Form = Form()) -> Floats:  # noqa: B008
    """(nt, nb, 4, 3) displacements, velocities, and the same of rotations, in m and s."""
    length, time = form.length, form.time
    scales = {"D": 1 / length, "V": time / length, "VR": time}
    each = [np.stack([results.node_vector(name, node) * scales[name] for name in scales], axis=1) for node in mains]
    return np.stack(each, axis=1)


def differ(ours: Floats, theirs: Floats, size: float) -> float:
    """Largest difference of (nt, nb, 3, 3) states: of places by the size, of velocities by the largest of all.

    A tenth of the size in a second counts as a velocity at least: rounding of places is 1e-12 of it in a step of 1 ms.
    """
    apart = np.abs(theirs - ours).max(axis=(0, 1, 3))
    fastest = np.abs(ours).max(axis=(0, 1, 3))
    speed = max(fastest[1], 0.3 * fastest[2], 0.1 * size)
    return float(max(apart[0] / size, apart[1] / speed, 0.3 * apart[2] / speed))


def judged(subject: Subject, name: str, theirs: Floats) -> Measure:
    """By SAME, or where that fails by how much this machine makes of a small change."""
    ours = state(subject.results, subject.deck.mains)
    if theirs.shape != ours.shape:
        return Measure(name, float("inf"), SAME, "other samples")
    more = max(chosen_rows(subject), light_bodies(subject), short_steps(subject), searched_normals(subject),
               change_points(subject))  # fmt: skip
    value, bound = differ(ours, theirs, subject.size), max(SAME * more, subject.deck.approximate)
    if value <= bound:
        return Measure(name, value, bound)
    return Measure(name, value, max(bound, growth(subject, ours)), "bound by growth of rounding")


def chosen_rows(subject: Subject) -> float:
    """How much more a rounded machine may differ: rows that follow from others are left out by choice.

    They are off by the rounding, over a lever that may be a thirtieth of the size, and so is what others make of it.
    Where a heavy body is held by them, what is left of its motion by the rounding moves light ones.
    """
    digits = subject.deck.digits
    if digits is None or not subject.results.simulation.redundant_rows:
        return 1.0
    return float(max(1.0, 1000.0 * 10.0**-digits / SAME * max(1.0, 1e-2 * mass_ratio(subject))))


def light_bodies(subject: Subject) -> float:
    """How much more a machine of unequal masses may differ: forces of heavy bodies have the rounding of their size."""
    return max(1.0, 1e-4 * mass_ratio(subject))


def short_steps(subject: Subject) -> float:
    """The same where steps are short, or cut shortly before a sample: rounding of places is divided by them."""
    if not subject.deck.smooth:
        return 1.0
    dt = subject.results.simulation.dt
    cuts = [abs(time - dt * round(time / dt)) for time in subject.deck.bends]
    return max(1.0, STEP / min([dt, *(cut for cut in cuts if cut > 1e-9 * dt)]))


def searched_normals(subject: Subject) -> float:
    """The same where solids touch: normals of ellipsoids are searched for, and known to 1e-8 or so.

    What damps or rubs in a machine with rows sees estimates of the velocities. They depend on which matrix corrects the
    multipliers, which rounding may decide, by 1e-7 of the force.
    """
    if subject.deck.rough != "contact":
        return 1.0
    return 1e4 if subject.deck.rows and subject.deck.elastic is None else 100.0


def change_points(subject: Subject) -> float:
    """The same where a machine passes flat places: angles are off by the root of the rounding there."""
    return 1e-6 / SAME if subject.deck.branches else 1.0


def mass_ratio(subject: Subject) -> float:
    """Of the heaviest and the lightest body."""
    masses = [body.mass for body in subject.deck.bodies]
    return max(masses) / min(masses)


def growth(subject: Subject, ours: Floats) -> float:
    """What rounding of 1e-12 may become: a thousandth of what places changed by 1e-9 make.

    Where the force itself may jump (VOLUME) ten times of it, as rounding may do what that change does.
    """
    deck = read(subject.deck)
    random = np.random.default_rng(0)
    deck.nodes.coordinates = deck.nodes.coordinates * (1 + PERTURBED * random.normal(size=3))
    theirs = state(run(deck), subject.deck.mains)
    return (10.0 if subject.deck.jumps else 1e-3) * differ(ours, theirs, subject.size)


def objectivity(subject: Subject) -> Iterator[Measure]:
    """Turned and shifted as a whole it moves in the same way."""
    random = subject.case.choices()
    turn = Rotation.random(rng=random).as_matrix()
    results = run(transformed(read(subject.deck), turn, 3.0 * random.normal(size=3)))
    yield judged(subject, "objectivity", state(results, subject.deck.mains) @ turn)


def order(subject: Subject) -> Iterator[Measure]:
    """With other ids, and blocks in another order.

    Of nodes tied to a wall that have more forces than their body needs, one is let go first where they are pulled;
    which one is, is left to the order of the deck (docs/contact.md says so).
    """
    if subject.deck.indeterminate:
        return
    deck = subject.case.deck(Form(numbering=subject.case.number, order=subject.case.number))
    yield judged(subject, "order", state(run(deck), deck.mains))


def units(subject: Subject) -> Iterator[Measure]:
    """Calculated in other units."""
    choices = (("Mg", "mm", "s"), ("kg", "mm", "ms"), ("g", "mm", "ms"))
    form = Form(units=choices[subject.case.number % len(choices)])
    deck = subject.case.deck(form)
    yield judged(subject, "units", state(run(deck), deck.mains, form))


def sampling(subject: Subject) -> Iterator[Measure]:
    """At the same times the same bits, whatever the interval of the samples."""
    ours, theirs = subject.results, run(subject.deck, every=5 * subject.results.simulation.dt)
    _, here, there = np.intersect1d(ours.times, theirs.times, return_indices=True)
    same = all(
        np.array_equal(ours.values["th/node"][name][here], theirs.values["th/node"][name][there], equal_nan=True)
        for name in ours.values["th/node"]
    )
    yield Measure("sampling", 0.0 if same and len(here) > 1 else 1.0, 0.0)


def repeated(subject: Subject) -> Iterator[Measure]:
    """Once more, with two threads: the same bits."""
    theirs = run(subject.deck, threads=2)
    same = np.array_equal(motion(subject.results, subject.deck.mains, "D", "V"),
                          motion(theirs, subject.deck.mains, "D", "V"), equal_nan=True)  # fmt: skip
    yield Measure("repetition", 0.0 if same else 1.0, 0.0)


def automatic(subject: Subject) -> Iterator[Measure]:
    """The automatic step agrees with a finer imposed one.

    Elastic collisions keep their energy as 20 steps a touch can.  What smooth motion is off by is 1e-3 of the motion at
    most, or as much as a second-order error allows: e is 15/16 e here, and 3/16 e from half to a quarter of the step.
    """
    mains = subject.deck.mains
    every = subject.results.times[-1] / 10
    chosen = run(_without_step(subject), every=every)
    if not subject.deck.smooth:
        if subject.deck.elastic is not None:
            yield Measure("automatic collision", change_of_energy(subject, chosen), AUTOMATIC_COLLISION)
        return
    dt = chosen.simulation.dt
    finer = state(run(subject.deck, dt=dt / 4, every=every), mains)
    ours = state(chosen, mains)
    value = differ(finer, ours, subject.size)
    if value <= 1e-3:
        yield Measure("automatic step", value, 1e-3)
        return
    half = state(run(subject.deck, dt=dt / 2, every=every), mains)
    yield Measure("automatic step", value, max(1e-3, 8.0 * differ(finer, half, subject.size)), f"dt {dt:.1e}")


def _without_step(subject: Subject):  # type: ignore[no-untyped-def]
    model = read(subject.deck)
    model.engine.dt_initial = None
    model.engine.dt_max = None
    return model


COMPARISONS: tuple[Callable[[Subject], Iterator[Measure]], ...] = (
    objectivity, order, units, sampling, repeated, automatic,
)  # fmt: skip
