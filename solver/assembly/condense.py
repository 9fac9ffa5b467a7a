"""Which subsystems are trains of rotors, gyrostats among rows, or move in a plane: decided once, at t = 0.

A train is a subsystem whose bodies all turn about axes that are fixed in one carrier, with their centres of mass on
these, or ride on such a rotor as planets, and which only relations of their angles couple.  The carrier is the ground
or a body that is free; on one that moves rotors are even all around.  Of the others, where gears tie joints to each
other, bodies that carry rotors are gyrostats (`gyrostats`); where none do, a machine moves in a plane where all axes
are parallel and joints hold every body in it.  Whatever else there is in a subsystem leaves it on the general path;
where gears tie joints to each other, or all axes are parallel, the run says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from gsolve.parser.text.numbers import counted

from ..constraints.plane_links import NO_DRIVE
from ..integration.system import System
from .gyrostat_records import with_gyrostats
from .gyrostats import GyrostatPlan
from .plane_plan import NotAPlane, PlanePlan
from .plane_records import with_planes
from .train_checks import NotCondensed, couples_joints
from .train_records import TrainArrays, add_trains
from .trains import TrainPlan
from .tree_plan import NotATree, TreePlan
from .tree_records import with_trees


class Train(NamedTuple):
    """A subsystem that is condensed, as a run tells of it.

    joints : relations between its angles; gears : whether all of them are of two shafts
    """

    joints: int
    gears: bool
    rotors: int
    spins: int
    free: bool


class Gyrostats(NamedTuple):
    """A subsystem in which bodies that carry rotors move among joints of all kinds.

    rows : that are left of them
    """

    rotors: int
    carriers: int
    spins: int
    rows: int


class Plane(NamedTuple):
    """A subsystem that moves in a plane."""

    bodies: int
    joints: int


class Tree(NamedTuple):
    """A subsystem that moves by joint coordinates.

    rows : that close its loops
    """

    bodies: int
    freedoms: int
    rows: int


@dataclass(slots=True)
class Condensation:
    """What became of the subsystems of a machine.

    trains : those that are condensed
    reasons : why others are not that have gears
    gyrostats : those of bodies that carry rotors; moving : the system in which they move
    planes : those that move in a plane
    plane_reasons : why others do not whose axes are parallel
    trees : those that move by joint coordinates
    tree_reasons : why others do not that these would spare unknowns
    """

    trains: list[Train] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    gyrostats: list[Gyrostats] = field(default_factory=list)
    moving: System | None = None
    planes: list[Plane] = field(default_factory=list)
    plane_reasons: list[str] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)
    tree_reasons: list[str] = field(default_factory=list)


def condense(system: System, others: Container[int] = ()) -> tuple[System, Condensation]:
    """The system with its trains of rotors condensed and planar machines in their planes.

    Bodies are where they are at t = 0, velocities meet all rows.
    others : subsystems whose steps are of other kinds; what moves in a plane, or else by joint coordinates, has the
        records of that all the same
    """
    plans: dict[int, TrainPlan] = {}
    carried: dict[int, GyrostatPlan] = {}
    planes: dict[int, PlanePlan] = {}
    trees: dict[int, TreePlan] = {}
    found = Condensation()
    for s in range(len(system.subsystems)):
        subsystem = system.subsystems[s]
        if subsystem["last_joint"] == subsystem["first_joint"]:
            continue
        if s in others:
            try:
                planes[s] = PlanePlan(system, s, any_rank=True)
            except NotCondensed:
                with suppress(NotCondensed):
                    trees[s] = TreePlan(system, s)
            continue
        try:
            plans[s] = plan = TrainPlan(system, s)
        except NotCondensed as reason:
            if couples_joints(system, subsystem):
                add_gyrostats(system, s, carried, trees, found, reason)
            else:
                add_plane(system, s, planes, found)
                if s not in planes:
                    add_tree(system, s, trees, found)
            continue
        free = plan.free is not None
        found.trains.append(Train(plan.joints, plan.gears, len(plan.rotors), len(plan.masses), free))
    if plans or carried:
        system = with_spins(system, plans, carried, found)
    if planes:
        system = with_planes(system, planes)
        system.planes.active[[s for s in planes if s in others]] = 0
    if trees:
        system = with_trees(system, trees)
        system.trees.active[[s for s in trees if s in others]] = 0
    return system, found


def add_gyrostats(
    system: System, s: int, plans: dict[int, GyrostatPlan], trees: dict[int, TreePlan], found: Condensation,
    reason: NotCondensed,
) -> None:  # fmt: skip
    """Subsystem s, which is no train for a reason, as bodies that carry rotors if there are any, else as a tree."""
    try:
        plans[s] = GyrostatPlan(system, s)
    except NotCondensed:
        add_tree(system, s, trees, found)
        if s not in trees:
            found.reasons.append(str(reason))


def with_spins(
    system: System, trains: dict[int, TrainPlan], carried: dict[int, GyrostatPlan], found: Condensation
) -> System:
    """The system with its trains and gyrostats."""
    arrays = TrainArrays(system)
    add_trains(system, trains, arrays)
    if not carried:
        return system._replace(trains=arrays.build())
    system, found.moving = with_gyrostats(system, carried, arrays)
    for s, plan in carried.items():
        own = found.moving.subsystems[s]
        spins = sum(len(group.train.masses) for group in plan.carried)
        rows = int(own["last_row"] - own["first_row"])
        found.gyrostats.append(Gyrostats(len(plan.train_of), len(plan.carried), spins, rows))
    return system


def add_plane(system: System, s: int, plans: dict[int, PlanePlan], found: Condensation) -> None:
    """Subsystem s in its plane, if it moves in one."""
    try:
        plans[s] = plan = PlanePlan(system, s)
    except NotAPlane:
        return
    except NotCondensed as reason:
        found.plane_reasons.append(str(reason))
        return
    joints = {link.joint for link in plan.links if link.drive == NO_DRIVE}  # a drive measures by one of its own
    found.planes.append(Plane(len(plan.bodies), len(joints)))


def add_tree(system: System, s: int, plans: dict[int, TreePlan], found: Condensation) -> None:
    """Subsystem s by joint coordinates, if these spare unknowns."""
    try:
        plans[s] = plan = TreePlan(system, s)
    except NotATree:
        return
    except NotCondensed as reason:
        found.tree_reasons.append(str(reason))
        return
    found.trees.append(Tree(len(plan.limbs), plan.n_freedoms, len(plan.rows)))


def phrases(found: Condensation) -> list[str]:
    """Trains of rotors, and rotors on bodies that move, in words, the most frequent first."""
    lines = []
    for train, count in Counter(found.trains).most_common():
        each = "a " if count > 1 else ""
        if train.joints:
            what = f"{each}train of {counted(train.joints, 'gear' if train.gears else 'joint')}"
        else:
            what = counted(train.rotors, "shaft")
        unknowns = "one unknown" if train.spins == 1 else f"{train.spins} unknowns"
        where = " on a free carrier" if train.free else ""
        lines.append(f"{count} times {what}: {unknowns}{where}" if count > 1 else f"{what}: {unknowns}{where}")
    for machine, count in Counter(found.gyrostats).most_common():
        what = f"{counted(machine.rotors, 'shaft')} on {counted(machine.carriers, 'carrier')}: "
        what += f"{counted(machine.spins, 'spin')} among {counted(machine.rows, 'row')}"
        lines.append(f"{count} times {what}" if count > 1 else what)
    return lines


def plane_phrases(found: Condensation) -> list[str]:
    """Planar machines, likewise."""
    lines = []
    for plane, count in Counter(found.planes).most_common():
        bodies, joints = counted(plane.bodies, "body", "bodies"), counted(plane.joints, "joint")
        what = f"{bodies} and {joints}, three unknowns a body"
        lines.append(f"{count} times {what}" if count > 1 else what)
    return lines


def tree_phrases(found: Condensation) -> list[str]:
    """Machines that move by joint coordinates, likewise."""
    lines = []
    for tree, count in Counter(found.trees).most_common():
        what = f"{counted(tree.bodies, 'body', 'bodies')} by {counted(tree.freedoms, 'joint coordinate')}"
        what += f", {counted(tree.rows, 'row')} where loops are closed" if tree.rows else ""
        lines.append(f"{count} times {what}" if count > 1 else what)
    return lines


def general_phrases(found: Condensation) -> list[str]:
    """Why other subsystems go none of these ways."""
    ways = {"as rotors": found.reasons, "in a plane": found.plane_reasons, "as a tree": found.tree_reasons}
    return [
        f"general{f' {count} times' if count > 1 else ''}, not {way}: {reason}"
        for way, reasons in ways.items()
        for reason, count in Counter(reasons).most_common()
    ]
