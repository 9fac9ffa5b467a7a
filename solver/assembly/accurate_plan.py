"""Which subsystems have steps of their own, where that is asked for, and why others have not.

Steps that are controlled by their error, and compositions of order 4 or 6, are taken where forces and motions are
smooth, but for jumps at times that the deck names; compositions where nothing dissipates, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from gsolve.parser.model import Drive
from gsolve.parser.text.numbers import counted

from ..constraints.motion_law import DISPLACEMENT, FIXED
from ..constraints.tree_limbs import FREE, NO_LIMB
from ..core.bodies import GROUND, Floats, Record, Records
from ..forces.springs import DMAX, DMIN, GENERAL
from ..integration.accurate.composition_coefficients import MOST_STAGES, ORDERS, STAGE_COUNTS
from ..integration.accurate.records import (
    AIM,
    CLOCK,
    COORDINATES,
    FREEDOM_MOTION,
    LIMB_MOTION,
    MOTION,
    PREDICTED,
    Accurate,
    new_clock,
)
from ..integration.system import System
from .assembly import Assembly
from .known_times import kinks, known_times

ORDINARY_ORDER = 2
LEAST_STEP = 1e-12  # of the duration of the run
EACH_KINK = 1e-300  # a time step with which no function has too many kinks


class NotSmooth(Exception):
    """Why a subsystem has no steps of its own."""


@dataclass(slots=True)
class AccuratePlan:
    """What becomes of a tolerance, or of an order.

    tolerance : of steps that are controlled by their error, 0 where they are compositions; order : of these, else 0
    taken : subsystems whose steps are such, and for words how many bodies and joints they have
    in_plane, by_coordinates : those of them that are solved for in a plane, or by joint coordinates, known at t = 0
    reasons : why others with bodies are not
    """

    tolerance: float
    order: int
    taken: dict[int, tuple[int, int]]
    reasons: list[str]
    in_plane: set[int] = field(default_factory=set)
    by_coordinates: set[int] = field(default_factory=set)

    @property
    def needs_no_grid(self) -> bool:
        """Whether nothing moves by the steps of the grid, which then serve samples alone."""
        return bool(self.taken) and not self.reasons and self.order == 0


def plan_accuracy(assembly: Assembly, tolerance: float | None, order: int) -> AccuratePlan | None:
    """Decide for each subsystem with bodies; None where nothing but the ordinary step is asked for.

    tolerance : of steps that are controlled by their error, None where none is given; order : of a step without
    """
    if tolerance is None and order == ORDINARY_ORDER:
        return None
    plan = AccuratePlan(tolerance or 0.0, 0 if tolerance is not None else order, {}, [])
    for s, subsystem in enumerate(assembly.system.subsystems):
        bodies = int(subsystem["last_body"] - subsystem["first_body"])
        if bodies == 0:
            continue
        try:
            refuse_what_is_not_smooth(assembly, subsystem)
            if plan.order and subsystem["damping_passes"] > 0:
                raise NotSmooth("dampers")
        except NotSmooth as reason:
            plan.reasons.append(str(reason))
            continue
        joints = assembly.system.joints[subsystem["first_joint"] : subsystem["last_joint"]]
        plan.taken[s] = bodies, int(np.sum(joints["n_rows"] > 0))
    return plan


def phrases(plan: AccuratePlan) -> list[str]:
    """What became of the subsystems, in words."""
    lines = []
    kinds = Counter((*size, way_of(plan, s)) for s, size in plan.taken.items())
    for (bodies, joints, way), count in kinds.most_common():
        what = counted(bodies, "body", "bodies")
        what += f" and {counted(joints, 'joint')}" if joints else ""
        what += way
        times = f"{count} times " if count > 1 else ""
        lines.append(f"{times}{what}: {how(plan)}")
    for reason, count in Counter(plan.reasons).most_common():
        lines.append(f"ordinary step{f' {count} times' if count > 1 else ''}: {reason}")
    return lines


def way_of(plan: AccuratePlan, s: int) -> str:
    """How a subsystem is solved for, where not by all of its rows."""
    if s in plan.in_plane:
        return " in a plane"
    return " by joint coordinates" if s in plan.by_coordinates else ""


def how(plan: AccuratePlan) -> str:
    """How steps are taken."""
    if plan.order:
        return f"order {plan.order}, steps of {STAGE_COUNTS[ORDERS.index(plan.order)]} stages on the general path"
    return f"steps are controlled by their error, tolerance {plan.tolerance:g}"


# ---- what is not smooth --------------------------------------------------------------------------------------


def refuse_what_is_not_smooth(assembly: Assembly, subsystem: Record) -> None:
    """Raises NotSmooth where forces or motions jump, or bend sharply, at times that nobody knows."""
    for family, what in (("interface", "contact"), ("wall", "rigid walls"), ("sensor", "sensors on values")):
        if subsystem[f"last_{family}"] > subsystem[f"first_{family}"]:
            raise NotSmooth(what)
    for reason in (*of_conditions(assembly.system, subsystem), *of_springs(assembly, subsystem),
                   *of_joint_forces(assembly, subsystem), *of_drives(assembly, subsystem)):  # fmt: skip
        raise NotSmooth(reason)


def of_conditions(system: System, subsystem: Record) -> Iterator[str]:
    """Conditions are held step by step, but for translations along fixed axes."""
    own = system.conditions.records[subsystem["first_condition"] : subsystem["last_condition"]]
    if np.any(own["kind"] != FIXED):
        yield "imposed motions of nodes"
    if np.any(own["stepwise"] == 1):
        yield "conditions on rotations of nodes, or along axes that move"


def of_springs(assembly: Assembly, subsystem: Record) -> Iterator[str]:
    """Springs that begin, end or break, or whose axes turn with nodes."""
    system = assembly.system
    for spring in system.springs[subsystem["first_spring"] : subsystem["last_spring"]]:
        name = f"spring {assembly.model.springs[spring['number']].id}"
        if np.isfinite(spring["window"]).any():
            yield f"{name} is switched on or off"
        if np.isfinite(spring["law"][:, (DMIN, DMAX)]).any():
            yield f"{name} may break"
        if spring["kind"] == GENERAL and spring["skew"] >= 0 and system.skews["moving"][spring["skew"]] == 1:
            yield f"the axes of {name} move"


def of_joint_forces(assembly: Assembly, subsystem: Record) -> Iterator[str]:
    """Friction and stops."""
    for force in assembly.system.joint_forces[subsystem["first_joint_force"] : subsystem["last_joint_force"]]:
        name = assembly.model.joints[force["number"]].name
        if force["friction_force"] > 0.0 or force["friction"] > 0.0:
            yield f"friction in {name}"
        if force["stop_stiffness"] > 0.0 or force["stop_damping"] > 0.0:
            yield f"stops of {name}"


def of_drives(assembly: Assembly, subsystem: Record) -> Iterator[str]:
    """Displacements along tables: the velocity jumps at their points."""
    model = assembly.model
    for place in assembly.places.drives:
        if not subsystem["first_drive"] <= place.index < subsystem["last_drive"]:
            continue
        record, drive = assembly.system.drives[place.index], place.drive
        if record["kind"] == DISPLACEMENT and follows_kinks(assembly, drive):
            function = model.functions[drive.function_id].name
            yield f"the rate of {assembly.row_names[place.row]} jumps at points of {function}"


def follows_kinks(assembly: Assembly, drive: Drive) -> bool:
    """Whether the function of a drive has points at which its slope jumps."""
    functions = assembly.model.functions
    return drive.function_id in functions and len(kinks(functions[drive.function_id])) > 0


# ---- records -------------------------------------------------------------------------------------------------


def with_accurate(assembly: Assembly, plan: AccuratePlan, t_end: float) -> System:
    """The system with the records of the subsystems that a plan takes; bodies are where they are at t = 0.

    t_end : time of the last sample
    """
    system = assembly.system
    clocks = np.array([new_clock()] * len(system.subsystems), dtype=CLOCK)
    for s in plan.taken:
        clock = clocks[s]
        clock["active"], clock["tolerance"], clock["order"] = 1, plan.tolerance, plan.order
        clock["size"], clock["least"] = size_of(system, system.subsystems[s]), LEAST_STEP * t_end
    motions = np.zeros(len(system.bodies), MOTION)
    for name in ("turned", "turned_now"):
        motions[name] = system.bodies["turned"]
    aims = np.zeros(len(system.drives), AIM)
    aims["place"] = system.drives["held"] + system.drives["target"]
    aims["speed"] = system.drives["held_velocity"]
    return system._replace(
        accurate=Accurate(
            clocks=clocks, motions=motions, freedoms=np.zeros(0, FREEDOM_MOTION), limbs=np.zeros(0, LIMB_MOTION),
            coordinates=np.zeros(len(system.joints), COORDINATES), aims=aims,
            curvatures=np.zeros(len(system.rows)),
            multipliers=np.zeros((len(system.rows) if plan.order else 0, MOST_STAGES, PREDICTED)),
            events=events_of(assembly, t_end),
        )
    )  # fmt: skip


def with_ways(system: System, plan: AccuratePlan) -> System:
    """The system in which subsystems whose steps are controlled by their error move in a plane, or by coordinates.

    The plan knows it as well.
    """
    clocks, subsystems = system.accurate.clocks, system.subsystems
    controlled = (clocks["active"] == 1) & (clocks["order"] == 0)
    clocks["in_plane"] = controlled & (subsystems["last_link"] > subsystems["first_link"])
    clocks["by_coordinates"] = controlled & (subsystems["last_freedom"] > subsystems["first_freedom"])
    plan.in_plane = set(np.flatnonzero(clocks["in_plane"]).tolist())
    plan.by_coordinates = set(np.flatnonzero(clocks["by_coordinates"]).tolist())
    freedoms: Records = np.zeros(len(system.trees.freedoms), FREEDOM_MOTION)
    limbs: Records = np.zeros(len(system.trees.limbs), LIMB_MOTION)
    for s in plan.by_coordinates:
        subsystem = subsystems[s]
        of_limbs = system.trees.limbs[subsystem["first_limb"] : subsystem["last_limb"]]
        clocks["flies"][s] = np.any(of_limbs["kind"] == FREE)
        own = limbs[subsystem["first_limb"] : subsystem["last_limb"]]
        own["last_freedom"] = [*of_limbs["first_freedom"][1:], subsystem["last_freedom"]]
        for i, limb in enumerate(of_limbs, subsystem["first_limb"]):
            limbs["root"][i] = i if limb["parent"] == NO_LIMB else limbs["root"][limb["parent"]]
    freedoms["speed_before"] = system.trees.freedoms["before"][:, 0]
    return system._replace(accurate=system.accurate._replace(freedoms=freedoms, limbs=limbs))


def events_of(assembly: Assembly, t_end: float) -> Floats:
    """Times at which the deck changes something, each once, and the end of the run."""
    times, _ = known_times(assembly.model, t_end, EACH_KINK)
    kept = [0.0]
    for time in times.tolist():
        if min(time - kept[-1], t_end - time) > 2 * LEAST_STEP * t_end:
            kept.append(time)
    return np.array([*kept[1:], t_end])


def size_of(system: System, subsystem: Record) -> float:
    """Size of a subsystem: how far its nodes are apart, or the largest radius of gyration of its bodies."""
    bodies = np.arange(subsystem["first_body"], subsystem["last_body"])
    own = system.bodies[bodies]
    places = [own["centre"], system.points["origin"][np.isin(system.points["body"], bodies)]]
    joints = system.joints[subsystem["first_joint"] : subsystem["last_joint"]]
    for end in ("carrier", "node"):
        point = joints[end][joints[end]["body"] != GROUND]
        places.append(system.bodies["centre"][point["body"]] + point["arm"])
    extent = float(np.max(np.ptp(np.concatenate(places), axis=0)))
    inertia = np.trace(own["inertia"], axis1=1, axis2=2)
    gyration = np.sqrt(np.where(own["mass"] > 0.0, inertia / np.where(own["mass"] > 0.0, own["mass"], 1.0), 0.0))
    size = max(extent, float(gyration.max()))
    return size if size > 0.0 else 1.0
