"""From samples of joints and multipliers to the histories /th/gjoint, /th/joint, /th/coupler and /th/drive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from gsolve.parser.model import Units

from ..assembly.assembly import Assembly
from ..constraints.drive_setup import DrivePlace
from ..constraints.gear_joints import GearJointPlace
from ..constraints.joint_setup import CouplerPlace, JointPlace
from ..constraints.joints import DISTANCE, NO_ANGLE, SECOND_ANGLE, TRAVEL, TWO_PI
from ..core.bodies import Floats, Ints
from ..core.channels import Channel, Family, Table, family_of
from ..core.rotation import rotation_matrices
from ..core.unit_names import force_unit, moment_unit, power_unit, unit
from ..core.vectors import cross_products
from ..integration.system import Samples
from .node_output import QUATERNION, places_of

ANGLE, ANGLE_RATE, SLIDE, SLIDE_RATE = range(4)  # of Samples.joint
FORCE, MOMENT = slice(4, 7), slice(7, 10)
MOMENTS_IN_JOINT = ("MSPRING", "MDAMP", "MFRICT")  # columns of Samples.joint_force
FORCES_IN_JOINT = ("FSPRING", "FDAMP", "FFRICT")


@dataclass(frozen=True, slots=True)
class Sampled:
    """The samples of a block that are finished.

    joint : (k, nj, JOINT_WIDTH); joint_force : (k, njf, 3); multiplier : (k, nr); drive : (k, nd); body : (k, nb, 22)
    relative : (k, nr) residuals by their scale
    """

    joint: Floats
    joint_force: Floats
    multiplier: Floats
    drive: Floats
    body: Floats
    relative: Floats


class History(Protocol):
    """The channels of one kind of joint."""

    @property
    def family(self) -> Family: ...

    def fill(self, values: Table, sampled: Sampled) -> None:
        """Write the values (k, n) of every channel; they come as NaN."""


def joint_histories(assembly: Assembly) -> list[History]:
    """Histories of the kinds of joints that the model has."""
    model = assembly.model
    histories: list[History] = []
    if model.gear_joints:
        histories.append(GearJointHistory(assembly))
    if model.joints:
        histories.append(JointHistory(assembly))
    if model.couplers:
        histories.append(CouplerHistory(assembly))
    if model.drives:
        histories.append(DriveHistory(assembly))
    return histories


def joint_tables(
    assembly: Assembly, histories: list[History], samples: Samples, count: int
) -> dict[str, Callable[[], Table]]:
    """What makes values (count, n) of every channel, by group; NaN where a variable has no meaning for a kind."""

    sampled = Sampled(
        samples.joint[:count],
        samples.joint_force[:count],
        samples.multiplier[:count],
        samples.drive[:count],
        samples.body[:count],
        np.abs(samples.residual[:count]) / assembly.system.rows["scale"],
    )

    def table(history: History) -> Table:
        assert history.family.ids is not None
        shape = count, len(history.family.ids)
        values = {channel.name: np.full(shape, np.nan) for channel in history.family.channels}
        history.fill(values, sampled)
        return values

    return {history.family.group: partial(table, history) for history in histories}


class RowGroups:
    """Groups of rows, of which the largest residual is wanted."""

    def __init__(self, groups: Sequence[Sequence[int]], n_rows: int) -> None:
        # the last column, zero, stands in each group, so that none is empty
        self._flat = np.array([row for group in groups for row in (*group, n_rows)], dtype=np.int64)
        lengths = [len(group) + 1 for group in groups]
        self._start = np.cumsum([0, *lengths[:-1]]) if groups else np.zeros(0, dtype=np.int64)

    def worst(self, relative: Floats) -> Floats:
        """(k, groups) largest of `relative` (k, nr) in each group."""
        if len(self._start) == 0:
            return np.zeros((len(relative), 0))
        padded = np.hstack([relative, np.zeros((len(relative), 1))])
        return np.maximum.reduceat(padded[:, self._flat], self._start, axis=1)


def rows_of_joint(assembly: Assembly, index: int) -> range:
    """Rows of a joint of the solver."""
    joint = assembly.system.joints[index]
    return range(joint["row"], joint["row"] + joint["n_rows"])


def columns_of(items: Sequence[object], moving: Sequence[object]) -> Ints:
    """Places in the model of those of its items that move."""
    place = {id(item): k for k, item in enumerate(items)}
    return np.array([place[id(item)] for item in moving], dtype=np.int64)


def vector_channels(prefix: str, suffix: str, axes: str, unit_name: str, text: str) -> list[Channel]:
    """One channel an axis."""
    return [Channel(f"{prefix}{axis}{suffix}", unit_name, text.format(axis=axis)) for axis in axes]


def residual_channel(what: str) -> Channel:
    return Channel("RES", "1", f"largest residual of the {what}'s rows, relative to the size of the subsystem")


# ---- gear joints ---------------------------------------------------------------------------------------------


class GearJointHistory:
    """/th/gjoint."""

    def __init__(self, assembly: Assembly) -> None:
        model, places = assembly.model, assembly.places.gear_joints
        self.family = family_of("th/gjoint", gear_joint_channels(model.units), model.gear_joints)
        self._columns = columns_of(model.gear_joints, [place.gear_joint for place in places])
        self._nodes = [GearNode.of(places, k) for k in range(3)]
        groups = [[place.row, *(r for j in place.joints for r in rows_of_joint(assembly, j))] for place in places]
        self._rows = RowGroups(groups, len(assembly.system.rows))

    def fill(self, values: Table, sampled: Sampled) -> None:
        values["RES"][:, self._columns] = self._rows.worst(sampled.relative)
        for k, node in enumerate(self._nodes, start=1):
            force_of_relation = sampled.multiplier[:, node.row] * node.coefficient
            for names, first, chosen in (
                (("U2", "V2", "F2"), SLIDE, node.slides),
                ((f"ANG{k}", f"VEL{k}", f"T{k}"), ANGLE, ~node.slides),
            ):
                if not chosen.any():
                    continue
                at, index, sign = self._columns[node.place[chosen]], node.joint[chosen], node.sign[chosen]
                values[names[0]][:, at] = sign * sampled.joint[:, index, first]
                values[names[1]][:, at] = sign * sampled.joint[:, index, first + 1]
                values[names[2]][:, at] = force_of_relation[:, chosen]
            at = self._columns[node.place]
            for c, axis in enumerate("XYZ"):
                values[f"F{axis}{k}"][:, at] = sampled.joint[:, node.joint, FORCE][:, :, c]
                values[f"M{axis}{k}"][:, at] = sampled.joint[:, node.joint, MOMENT][:, :, c]


@dataclass(frozen=True, slots=True)
class GearNode:
    """Node k of those gear joints that have one, one row each."""

    place: Ints  # which of the moving gear joints
    joint: Ints
    row: Ints  # of the relation
    sign: Floats  # of r_k against the axis of the joint
    coefficient: Floats  # of the coordinate about r_k in the relation
    slides: Ints  # True for a rack

    @classmethod
    def of(cls, places: list[GearJointPlace], k: int) -> GearNode:
        chosen = [j for j, place in enumerate(places) if len(place.joints) > k]
        return cls(
            np.array(chosen, dtype=np.int64),
            np.array([places[j].joints[k] for j in chosen], dtype=np.int64),
            np.array([places[j].row for j in chosen], dtype=np.int64),
            np.array([places[j].signs[k] for j in chosen], dtype=float),
            np.array([places[j].coefficients[k] for j in chosen], dtype=float),
            np.array([k == 1 and places[j].gear_joint.kind == "RACK" for j in chosen], dtype=bool),
        )


def gear_joint_channels(units: Units) -> list[Channel]:
    force, moment = force_unit(units), moment_unit(units)
    channels = []
    for k in (1, 2, 3):
        channels += [
            Channel(f"ANG{k}", "rad", f"rotation of node {k} about r_{k} relative to node 0, unwrapped"),
            Channel(f"VEL{k}", unit(units, angle=1, time=-1), f"rate of ANG{k}, relative to node 0"),
            Channel(f"T{k}", moment, f"torque of the gear relation on node {k} about r_{k}"),
        ]
    channels += [
        Channel("U2", unit(units, length=1), "displacement of the rack (node 2) along r_2 relative to node 0"),
        Channel("V2", unit(units, length=1, time=-1), "rate of U2, relative to node 0"),
        Channel("F2", force, "force of the gear relation on the rack along r_2"),
    ]
    for k in (1, 2, 3):
        channels += vector_channels("F", str(k), "XYZ", force, f"bearing force on node {k}, global {{axis}}")
        channels += vector_channels("M", str(k), "XYZ", moment, f"bearing moment on node {k}, global {{axis}}")
    return [*channels, residual_channel("joint")]


# ---- joints --------------------------------------------------------------------------------------------------


class JointHistory:
    """/th/joint."""

    def __init__(self, assembly: Assembly) -> None:
        model, places = assembly.model, assembly.places.joints
        channels = joint_channels(model.units)
        if any(joint.rotation is not None for joint in model.joints):
            channels += joint_force_channels(model.units, rotational=True)
        if any(joint.translation is not None for joint in model.joints):
            channels += joint_force_channels(model.units, rotational=False)
        self.family = family_of("th/joint", channels, model.joints)
        self._columns = columns_of(model.joints, [place.joint for place in places])
        self._index = np.array([place.index for place in places], dtype=np.int64)
        joints = assembly.system.joints[self._index]
        self._carrier, self._triad = joints["carrier"]["body"], joints["triad"]
        self._angular = joints["angle_kind"] != NO_ANGLE
        self._sliding = np.isin(joints["slide_kind"], (TRAVEL, DISTANCE))
        self._twice_angular = joints["slide_kind"] == SECOND_ANGLE
        screws = [j for j, place in enumerate(places) if place.relation_row >= 0]
        self._screws = np.array(screws, dtype=np.int64)
        self._pitch_row = np.array([places[j].relation_row for j in screws], dtype=np.int64)
        self._lead = np.array([places[j].joint.pitch / TWO_PI for j in screws])
        self._forces = assembly.system.joint_forces
        groups = [[*rows_of_joint(assembly, p.index), *_relation_rows(p)] for p in places]
        self._rows = RowGroups(groups, len(assembly.system.rows))

    def fill(self, values: Table, sampled: Sampled) -> None:
        values["RES"][:, self._columns] = self._rows.worst(sampled.relative)
        for names, first, chosen in (
            (("ANG", "RATE"), ANGLE, self._angular),
            (("U", "V"), SLIDE, self._sliding),
            (("ANG2", "RATE2"), SLIDE, self._twice_angular),
        ):
            for c, name in enumerate(names):
                values[name][:, self._columns[chosen]] = sampled.joint[:, self._index[chosen], first + c]
        if self._forces is not None:
            for along, rotational in ((MOMENTS_IN_JOINT, 1), (FORCES_IN_JOINT, 0)):
                chosen = np.flatnonzero(self._forces["rotational"] == rotational)
                for c, name in enumerate(along if len(chosen) else ()):
                    values[name][:, self._forces["number"][chosen]] = sampled.joint_force[:, chosen, c]
        triad = self._triads(sampled.body)
        force, moment = sampled.joint[:, self._index, FORCE], sampled.joint[:, self._index, MOMENT]
        # the pitch of a screw: a force along the axis, and the moment that goes with it
        push = sampled.multiplier[:, self._pitch_row, None] * triad[:, self._screws, 0]
        force[:, self._screws] += push
        moment[:, self._screws] -= self._lead[:, None] * push
        for letter, vector in (("F", force), ("M", moment)):
            in_triad = np.einsum("knij,knj->kni", triad, vector)
            for c in range(3):
                values[letter + "XYZ"[c]][:, self._columns] = vector[:, :, c]
                values[letter + "RST"[c]][:, self._columns] = in_triad[:, :, c]

    def _triads(self, bodies: Floats) -> Floats:
        """(k, n, 3, 3) rows r, s, t of each joint, global."""
        carriers = rotation_matrices(bodies[:, self._carrier, QUATERNION])
        return np.einsum("nij,knlj->knil", self._triad, carriers)


def _relation_rows(place: JointPlace) -> list[int]:
    return [place.relation_row] if place.relation_row >= 0 else []


def joint_channels(units: Units) -> list[Channel]:
    force, moment = force_unit(units), moment_unit(units)
    spin, length, speed = unit(units, angle=1, time=-1), unit(units, length=1), unit(units, length=1, time=-1)
    channels = [
        Channel("ANG", "rad", "rotation of node j relative to node i about the axis, unwrapped"),
        Channel("RATE", spin, "rate of ANG"),
        Channel("ANG2", "rad", "rotation of a universal joint about its second axis"),
        Channel("RATE2", spin, "rate of ANG2"),
        Channel("U", length, "displacement of node j along the axis, 0 as in the deck, or distance of the nodes"),
        Channel("V", speed, "rate of U"),
    ]
    channels += vector_channels("F", "", "XYZ", force, "reaction force on node j, global {axis}")
    channels += vector_channels("M", "", "XYZ", moment, "reaction moment on node j, global {axis}")
    axes = "{axis} of the joint's axes (R along its axis), which turn with node i"
    channels += vector_channels("F", "", "RST", force, f"reaction force on node j, {axes}")
    channels += vector_channels("M", "", "RST", moment, f"reaction moment on node j, {axes}")
    return [*channels, residual_channel("joint")]


def joint_force_channels(units: Units, *, rotational: bool) -> list[Channel]:
    """Channels of what acts about or along the axis."""
    force, moment = force_unit(units), moment_unit(units)
    effort, name_of_unit, where = ("moment", moment, "about") if rotational else ("force", force, "along")
    names = MOMENTS_IN_JOINT if rotational else FORCES_IN_JOINT
    causes = "the spring, the preload and the stops", "damping", "friction"
    return [
        Channel(name, name_of_unit, f"{effort} of {cause} on node j, {where} the axis")
        for name, cause in zip(names, causes, strict=True)
    ]


# ---- couplers ------------------------------------------------------------------------------------------------


class CouplerHistory:
    """/th/coupler."""

    def __init__(self, assembly: Assembly) -> None:
        model = assembly.model
        self._places: list[CouplerPlace] = assembly.places.couplers
        self.family = family_of("th/coupler", coupler_channels(model.units), model.couplers)
        self._columns = columns_of(model.couplers, [place.coupler for place in self._places])
        self._joints, self._points = assembly.system.joints, assembly.system.points

    def fill(self, values: Table, sampled: Sampled) -> None:
        for column, place in zip(self._columns, self._places, strict=True):
            a, b = place.joints
            travels = place.coupler.kind == "R2T"
            first, names = (SLIDE, ("S2", "V2", "F2")) if travels else (ANGLE, ("PHI2", "RATE2", "T2"))
            reaction = sampled.multiplier[:, place.row]
            values["PHI1"][:, column] = sampled.joint[:, a, ANGLE]
            values["RATE1"][:, column] = sampled.joint[:, a, ANGLE_RATE]
            values["T1"][:, column] = reaction
            values[names[0]][:, column] = sampled.joint[:, b, first]
            values[names[1]][:, column] = sampled.joint[:, b, first + 1]
            values[names[2]][:, column] = -place.coupler.ratio * reaction
            values["RES"][:, column] = sampled.relative[:, place.row]
            on_a = -reaction[:, None] * self._axis(a, sampled.body)
            on_b = place.coupler.ratio * reaction[:, None] * self._axis(b, sampled.body)
            moment_b = cross_products(self._flange(place, sampled.body), on_b) if travels else on_b
            for c, axis in enumerate("XYZ"):
                values[f"SM{axis}1"][:, column] = on_a[:, c]
                values[f"SM{axis}2"][:, column] = moment_b[:, c]
                values[f"SF{axis}2"][:, column] = on_b[:, c] if travels else 0.0

    def _axis(self, joint: int, bodies: Floats) -> Floats:
        """(k, 3) axis of one side, global; it is fixed in the support."""
        carriers = rotation_matrices(bodies[:, self._joints["carrier"]["body"][joint], QUATERNION])
        return np.asarray(carriers @ self._joints["triad"][joint, 0])

    def _flange(self, place: CouplerPlace, bodies: Floats) -> Floats:
        """(k, 3) from the support of side b to its node; from where the node stood at t = 0 if that is the ground."""
        node, support = place.coupler.node_b, place.coupler.support_b
        flange = places_of(bodies, self._points[np.array([node])])[:, 0]
        if support < 0:
            return flange - self._points["origin"][node]
        return flange - places_of(bodies, self._points[np.array([support])])[:, 0]


def coupler_channels(units: Units) -> list[Channel]:
    force, moment = force_unit(units), moment_unit(units)
    spin = unit(units, angle=1, time=-1)
    return [
        Channel("PHI1", "rad", "rotation of side a (the spline of R2T) relative to its support, unwrapped"),
        Channel("RATE1", spin, "rate of PHI1"),
        Channel("T1", moment, "torque of the coupler on side a about its axis; the opposite acts on its support"),
        Channel("PHI2", "rad", "R2R: rotation of side b relative to its support, unwrapped"),
        Channel("RATE2", spin, "rate of PHI2"),
        Channel("T2", moment, "R2R: torque on side b about its axis; the opposite acts on its support"),
        Channel(
            "S2", unit(units, length=1), "R2T: displacement of the flange relative to its support, 0 as in the deck"
        ),
        Channel("V2", unit(units, length=1, time=-1), "rate of S2"),
        Channel("F2", force, "R2T: force on the flange along its axis; the opposite acts on its support"),
        *vector_channels(
            "SM", "1", "XYZ", moment, "moment on the support of side a, also on the ground, global {axis}"
        ),
        *vector_channels("SF", "2", "XYZ", force, "force on the support of side b, also on the ground, global {axis}"),
        *vector_channels("SM", "2", "XYZ", moment, "moment on the support of side b about its node, global {axis}"),
        residual_channel("coupler"),
    ]


# ---- drives --------------------------------------------------------------------------------------------------


class DriveHistory:
    """/th/drive."""

    def __init__(self, assembly: Assembly) -> None:
        model = assembly.model
        self._places: list[DrivePlace] = assembly.places.drives
        self.family = family_of("th/drive", drive_channels(model.units), model.drives)
        self._columns = columns_of(model.drives, [place.drive for place in self._places])

    def fill(self, values: Table, sampled: Sampled) -> None:
        for column, place in zip(self._columns, self._places, strict=True):
            rotational = place.drive.kind == "ROT"
            first, names = (ANGLE, ("ANG", "RATE", "T", "ANGERR")) if rotational else (SLIDE, ("U", "V", "F", "UERR"))
            coordinate, rate = sampled.joint[:, place.joint, first], sampled.joint[:, place.joint, first + 1]
            effort, wanted = sampled.multiplier[:, place.row], sampled.drive[:, place.index]
            for name, value in zip(names, (coordinate, rate, effort, coordinate - wanted), strict=True):
                values[name][:, column] = value
            values["POWER"][:, column] = effort * rate
            values["RES"][:, column] = sampled.relative[:, place.row]


def drive_channels(units: Units) -> list[Channel]:
    force, moment = force_unit(units), moment_unit(units)
    length = unit(units, length=1)
    asked = "less what the function asks for; NaN while the drive does not act"
    return [
        Channel("U", length, "DIST: distance of the nodes; TRA: displacement of node j from node i along the axis"),
        Channel("V", unit(units, length=1, time=-1), "rate of U"),
        Channel("F", force, "force of the drive on node j along U; the opposite acts on node i"),
        Channel("UERR", length, f"U {asked}"),
        Channel("ANG", "rad", "ROT: rotation of node j relative to node i about the axis, unwrapped"),
        Channel("RATE", unit(units, angle=1, time=-1), "rate of ANG"),
        Channel("T", moment, "torque of the drive on node j about the axis; the opposite acts on node i"),
        Channel("ANGERR", "rad", f"ANG {asked}"),
        Channel("POWER", power_unit(units), "power of the drive"),
        residual_channel("drive"),
    ]
