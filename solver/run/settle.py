"""The static equilibrium before a run, by kinetic damping.

The machine moves as in a run, its clock held at t = 0.  Whenever the kinetic energy of a subsystem has passed a peak,
which is where its forces balance but for what it does at other frequencies, its velocities are taken away (P. A.
Cundall, Explicit finite-difference methods in geomechanics, 1976).  It is at rest once the mean acceleration from rest
to the next peak is nearly nothing.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import DeckError, Diagnostic
from gsolve.parser.text.numbers import counted

from ..assembly.assemble import assemble
from ..assembly.initial_facts import scale_text
from ..assembly.initial_state import kinetic_energies
from ..assembly.settled import Settled, place_of, stop
from ..assembly.start_errors import refuse
from ..contact.rigid_wall_setup import set_penalty_stiffness
from .console import grouped
from .endings import StoppedError
from .failures import describe_failure
from .held_model import held_at_start
from .machine import Machine
from .observer import Observer
from .options import RunOptions, user_routines
from .schedule import Schedule
from .time_step import choose_time_step, step_excess
from .user_code import UserCode

AT_REST = 1e-9  # acceleration that is nothing, by the scale
GOOD = 1e-6  # and one that is as good as that where it does not fall any more
MOST_STEPS, LONGEST_RISE = 400_000, 60_000  # in all, and without a peak of the energy
MOST_RESTS, FALLS = 300, 0.7  # velocities taken away until the acceleration has fallen to this much
HOPELESS_RESTS = 400  # likewise, of what is not as good as at rest
LOOKS = 16  # in the time from one peak to the next
SAY_SECONDS = 0.3  # wall time between two words about how far it is
MOST_NAMES = 5  # of what moves


@dataclass(slots=True)
class Course:
    """How a subsystem comes to rest.

    bodies : its places among all
    since, since_time : step and time from which it has moved from rest
    energy, fastest : kinetic energy and speed at the last look; body : which one is that fast
    residual : largest mean acceleration of the last way from rest to a peak, by the scale
    best, rests : least of these so far, and velocities taken away since it last fell
    """

    bodies: slice
    since: int = 0
    since_time: float = 0.0
    energy: float = 0.0
    fastest: float = 0.0
    body: int = 0
    residual: float = math.inf
    best: float = math.inf
    rests: int = 0
    is_done: bool = False

    @property
    def is_hopeless(self) -> bool:
        """Whether its acceleration gets no less."""
        return self.rests > HOPELESS_RESTS


@dataclass(slots=True)
class Relaxation:
    """A machine on its way to rest.

    scale, by_gravity : as of `Settled`
    """

    machine: Machine
    model: Model
    courses: list[Course]
    scale: float
    by_gravity: bool

    @property
    def is_done(self) -> bool:
        """Whether all of it is at rest."""
        return all(course.is_done for course in self.courses)

    @property
    def steps_from_rest(self) -> int:
        """Steps since one of the subsystems that are not at rest was stopped."""
        return min(self.machine.step - course.since for course in self.courses if not course.is_done)

    @property
    def is_hopeless(self) -> bool:
        """Whether a subsystem has had its time: all steps, or too many without a peak, or a better one."""
        moving = [course for course in self.courses if not course.is_done]
        longest = max((self.machine.step - course.since for course in moving), default=0)
        late = bool(moving) and self.machine.step > MOST_STEPS
        return late or longest > LONGEST_RISE or any(course.is_hopeless for course in moving)


def settle(model: Model, options: RunOptions, observer: Observer) -> Settled:
    """Find where a machine is at rest, from the positions of the deck.

    Raises
    ------
    DeckError
        the machine cannot start, or comes to no rest: with the bodies that go on
    StoppedError
        the observer asks for it
    """
    relaxation = begin(held_at_start(model), options)
    machine, said = relaxation.machine, time.monotonic()
    while not relaxation.is_done:
        if time.monotonic() - said > SAY_SECONDS:
            said = time.monotonic()
            reason = observer.settling(f"settling: {grouped(machine.step)} steps, {moving_parts(relaxation)}")
            if reason:
                raise StoppedError(f"stopped by {reason} while the machine was settled, before the run began")
        failure = advance(relaxation, 1 + relaxation.steps_from_rest // LOOKS)
        for course in relaxation.courses if not failure else ():
            look_at(course, relaxation)
        if failure or relaxation.is_hopeless:
            refuse(machine.assembly, [unsettled(relaxation, failure)])
    residual = max((course.residual for course in relaxation.courses), default=0.0)
    return Settled(machine.step, residual, relaxation.scale, relaxation.by_gravity, place_of(machine.system))


def begin(model: Model, options: RunOptions) -> Relaxation:
    """A machine at rest where the deck has it; `model` is held at t = 0."""
    refuse_unsettleable(model)
    t_end = options.t_end if options.t_end is not None else model.engine.t_end or 0.0
    interval = model.engine.sampling_interval or t_end / 1000
    assembly = assemble(model, options.gjoint_alpha, t_end)
    step = choose_time_step(model, assembly.system, t_end, interval, options.dt)
    set_penalty_stiffness(assembly.system.walls, assembly.system.bodies, step.value)
    schedule = Schedule(step, t_end, interval, model.engine.dt_min)
    machine = Machine(assembly, schedule, UserCode(model, allowed=False), options.threads, general=True)
    machine.start(options.assemble)
    machine.compile()
    stop(machine.system, slice(None))
    pull = float(np.linalg.norm(machine.system.bodies["gravity"], axis=1).max(initial=0.0))
    subsystems = machine.system.subsystems
    courses = [Course(slice(int(s["first_body"]), int(s["last_body"]))) for s in subsystems]
    return Relaxation(machine, model, [course for course in courses if course.bodies.stop > course.bodies.start], pull,
                      pull > 0.0)  # fmt: skip


def refuse_unsettleable(model: Model) -> None:
    """Refuse what has no forces at rest that this could find: kinematic walls, and routines that see a time pass.

    Raises
    ------
    DeckError
        with each of them
    """
    errors = [
        wall.where.diagnose(
            "error", "a machine cannot be settled on a rigid wall that stops nodes at once",
            hint="let the wall push by penalty (Iform 1), take an interface in its place, or run without --settle",
        )
        for wall in model.rigid_walls
        if not wall.penalty
    ]  # fmt: skip
    errors += [
        routine.where.diagnose(
            "error", "a machine cannot be settled on contacts with a routine of the user, for which time goes on",
            field=routine.field, hint="run without --settle",
        )
        for routine in user_routines(model)
    ]  # fmt: skip
    if errors:
        raise DeckError([*model.warnings, *errors])


def advance(relaxation: Relaxation, n_steps: int) -> str:
    """Take a few steps, in shorter ones where they turn out too long; returns why that cannot be done, or nothing."""
    machine, schedule = relaxation.machine, relaxation.machine.schedule
    none = machine.new_samples(np.zeros(0, dtype=np.int64))
    while True:
        copies = machine.copies()
        failure = machine.run(none, n_steps)
        excess = (
            0.0 if failure or not schedule.may_halve else step_excess(machine.system, relaxation.model, schedule.dt)[0]
        )
        if failure is None and excess <= 1.0:
            machine.step += n_steps
            return ""
        text = ""
        if failure is not None:
            text = describe_failure(failure, machine.assembly, schedule.time_of(failure.step), schedule.imposed)
        fits = failure is not None and machine.fits_into_larger_buffers(failure)
        machine.go_back(copies, none)
        if fits and failure is not None:
            machine.enlarge_buffers(failure.culprit)
        elif schedule.may_halve:
            schedule.halve(machine.step, excess or math.inf)
        else:
            return text


def look_at(course: Course, relaxation: Relaxation) -> None:
    """Stop a subsystem where its energy has passed a peak; it is at rest where that took nearly no acceleration."""
    machine, bodies = relaxation.machine, relaxation.machine.system.bodies[course.bodies]
    energies = np.abs(kinetic_energies(bodies))
    energy, mass = float(energies.sum()), bodies["mass"]
    speeds = np.sqrt(2.0 * energies / np.where(mass > 0.0, mass, np.inf))
    fastest = float(speeds.max())
    time = machine.time - course.since_time
    if relaxation.scale == 0.0:
        relaxation.scale = fastest / time
    if energy > course.energy and not course.is_done:
        course.energy, course.fastest = energy, fastest
        course.body = course.bodies.start + int(speeds.argmax())
        return
    if not course.is_done:
        course.residual = max(fastest, course.fastest) / time / (relaxation.scale or 1.0)
        course.rests += 1
        if course.residual < FALLS * course.best:
            course.best, course.rests = course.residual, 0
        as_good = course.residual <= GOOD and course.rests > MOST_RESTS
        course.is_done = course.residual <= AT_REST or as_good
    stop(machine.system, course.bodies)
    course.since, course.since_time, course.energy, course.fastest = machine.step, machine.time, 0.0, 0.0


def moving_parts(relaxation: Relaxation) -> str:
    """What is not at rest, by the body of each part that is fastest, and how it moves."""
    moving = [course for course in relaxation.courses if not course.is_done]
    names = [how_it_moves(course, relaxation) for course in moving[:MOST_NAMES]]
    more = [f"{len(moving) - MOST_NAMES} more"] if len(moving) > MOST_NAMES else []
    return "; ".join([*names, *more])


def how_it_moves(course: Course, relaxation: Relaxation) -> str:
    """A subsystem by the node of its fastest body, and what accelerates it."""
    assembly = relaxation.machine.assembly
    name = f"the body of node {assembly.main_node_ids[course.body]}"
    if course.residual == math.inf:
        return f"{name} gets faster and faster"
    scale = scale_text(assembly, relaxation.scale, relaxation.by_gravity)
    return f"{name} keeps an acceleration of {course.residual:.1g} {scale}"


def unsettled(relaxation: Relaxation, failure: str) -> Diagnostic:
    """The error for a machine that comes to no rest, with the bodies that go on."""
    steps = counted(relaxation.machine.step, "step")
    what = failure or f"after {steps} {moving_parts(relaxation)}"
    hint = "run without --settle, and let dampers bring the machine to rest"
    if not failure:
        hint = f"nothing may fall or turn freely: hold it, or {hint}"
        if relaxation.model.contacts:
            hint += "; friction holds what is at rest as stiction alone (friction 4), without it what lies creeps"
    return Diagnostic(
        "error", f"the machine finds no static equilibrium from the positions of the deck: {what}", hint=hint
    )
