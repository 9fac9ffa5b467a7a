"""Histories of nodes and of rigid bodies (th/node, th/rbody), from the samples of the bodies that carry them.

A body sample has the 22 columns named below, global components.  A node at arm a (body axes) on a body with mass
centre displacement u and rotation R has

    D = u + (R - E) a,   V = v + w x r,   A = a_G + alpha x r + w x (w x r),   r = R a,

and shares the rotation, the angular velocity and the angular acceleration of its body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from gsolve.parser.model import HistoryRequest, Model, Skew, Units
from numpy.typing import NDArray

from ..core.bodies import GROUND, Floats, Ints, Records
from ..core.body_points import NODE_POINT
from ..core.channels import Channel, Family
from ..core.unit_names import force_unit, moment_unit, unit
from ..core.vectors import cross_products

if TYPE_CHECKING:
    from ..assembly.assembly import Assembly

# Columns of a body sample (ns, nb, 22).
DISPLACEMENT = slice(0, 3)
QUATERNION = slice(3, 7)
VELOCITY = slice(7, 10)
ANGULAR_VELOCITY = slice(10, 13)
ACCELERATION = slice(13, 16)
ANGULAR_ACCELERATION = slice(16, 19)
TURNED = slice(19, 22)

# A deck without /TH/NODE gets all variables of all nodes, if it has no more nodes than this (25 variables of
# 200 nodes are 40 kB a sample); a larger deck has to say what it wants.
NODES_WRITTEN_UNASKED = 200


@dataclass(frozen=True, slots=True)
class _Group:
    """Variables that are the components of one vector (or of the quaternion)."""

    names: tuple[str, ...]
    description: str
    unit_of: Callable[[Units], str] = unit
    in_skew: bool = True

    def channels(self, units: Units) -> list[Channel]:
        of_group = self.unit_of(units)
        return [
            Channel(name, of_group, f"{self.description}, {component}")
            for name, component in zip(self.names, ("w", "x", "y", "z")[-len(self.names) :], strict=True)
        ]


GROUPS = {
    "D": _Group(("DX", "DY", "DZ"), "displacement", partial(unit, length=1)),
    "V": _Group(("VX", "VY", "VZ"), "velocity", partial(unit, length=1, time=-1)),
    "A": _Group(("AX", "AY", "AZ"), "acceleration", partial(unit, length=1, time=-2)),
    "VR": _Group(("VRX", "VRY", "VRZ"), "angular velocity", partial(unit, time=-1, angle=1)),
    "AR": _Group(("ARX", "ARY", "ARZ"), "angular acceleration", partial(unit, time=-2, angle=1)),
    "XYZ": _Group(("X", "Y", "Z"), "position, global axes", partial(unit, length=1), in_skew=False),
    "DR": _Group(("DRX", "DRY", "DRZ"), "time integral of the angular velocity", partial(unit, angle=1)),
    "Q": _Group(("Q0", "Q1", "Q2", "Q3"), "rotation quaternion, global axes", in_skew=False),
}
# Those that only a /TH/NODE has which asks for them.
REACTIONS = {
    "REAC": _Group(("REACX", "REACY", "REACZ"), "force of /BCS and imposed motions on the node", force_unit),
    "REACR": _Group(("REACXX", "REACYY", "REACZZ"), "moment of /BCS and imposed motions on the node", moment_unit),
}
NODE_GROUPS = {**GROUPS, **REACTIONS}
NODE_VARIABLES = tuple(name for group in NODE_GROUPS.values() for name in group.names)


@dataclass(frozen=True, slots=True)
class NodeRequest:
    """The columns of th/node: one a node and skew asked for.

    nodes : (n,) node rows; names : n names, "" where the deck gives none
    axes : (n, 3, 3) rows X', Y', Z' at t = 0 of the skew of each column, None if all are global
    moving : columns of each skew that moves
    wanted : for each variable asked for by anybody, the columns (n,) it was asked for
    """

    nodes: Ints
    names: tuple[str, ...]
    axes: Floats | None
    wanted: dict[str, NDArray[np.bool_]]
    moving: tuple[tuple[Skew, Ints], ...] = ()


def node_request(model: Model) -> NodeRequest:
    """Union of all /TH/NODE blocks of a deck; everything of every node of a small deck that has none.

    A node that several blocks name is one column with the variables of all of them, unless they ask for it in
    different skews: then it is one column a skew.  The first name given to a column stays.
    """
    requests = [request for request in model.history_requests if request.family == "NODE"]
    if not requests and len(model.nodes) <= NODES_WRITTEN_UNASKED:
        return _request_of_all(len(model.nodes))
    column_of: dict[tuple[int, int], int] = {}
    names: list[str] = []
    columns_of_variable: dict[str, list[int]] = {}
    for request in requests:
        columns = []
        for node, name, skew_id in _items(request, len(model.nodes)):
            column = column_of.setdefault((node, skew_id), len(column_of))
            if column == len(names):
                names.append("")
            names[column] = names[column] or name
            columns.append(column)
        for variable in request.variables:
            columns_of_variable.setdefault(variable, []).extend(columns)
    wanted = {}
    for variable in NODE_VARIABLES:
        if variable in columns_of_variable:
            wanted[variable] = np.zeros(len(names), dtype=bool)
            wanted[variable][columns_of_variable[variable]] = True
    skew_ids = [skew_id for _, skew_id in column_of]
    axes = None
    if any(skew_ids):
        axes = np.array([model.skews[skew_id].axes if skew_id else np.eye(3) for skew_id in skew_ids])
    moving = tuple(
        (skew, np.flatnonzero(np.array(skew_ids) == skew_id))
        for skew_id, skew in model.skews.items()
        if skew.moving and skew_id in skew_ids
    )
    return NodeRequest(np.array([node for node, _ in column_of], dtype=np.int64), tuple(names), axes, wanted, moving)


def _request_of_all(count: int) -> NodeRequest:
    wanted = {name: np.ones(count, dtype=bool) for group in GROUPS.values() for name in group.names}
    return NodeRequest(np.arange(count), ("",) * count, None, wanted)


def _items(request: HistoryRequest, count: int) -> list[tuple[int, str, int]]:
    """Node row, name and skew of each item of a block; no items stand for all nodes."""
    if len(request.items) == 0:
        return [(node, "", 0) for node in range(count)]
    return list(zip(request.items.tolist(), request.names, request.skew_ids, strict=True))


def node_family(model: Model, request: NodeRequest) -> Family:
    """The group th/node: a channel for each variable that any node was asked for."""
    return Family(
        "th/node",
        tuple(channel for channel in node_channels(model.units) if channel.name in request.wanted),
        model.nodes.ids[request.nodes],
        request.names,
    )


def node_channels(units: Units) -> list[Channel]:
    """Of all that a node can be asked for."""
    return [channel for group in NODE_GROUPS.values() for channel in group.channels(units)]


def node_values(
    samples: Floats, points: Records, request: NodeRequest, reactions: Floats | None = None
) -> dict[str, Floats]:
    """Values (ns, n) of each channel of th/node; NaN where a node was not asked for a variable.

    samples : (ns, nb, 22) body samples; points : one a node of the model; reactions : (ns, n, 6) forces and moments
    on the nodes of the request, where it asks for them.
    """
    values = {}
    axes = None if request.axes is None else _axes_now(samples, points, request)
    motion = _Motion(samples, points[request.nodes])
    for key, group in NODE_GROUPS.items():
        wanted = [name for name in group.names if name in request.wanted]
        if not wanted:
            continue
        if key in REACTIONS:
            assert reactions is not None
            components = reactions[:, :, :3] if key == "REAC" else reactions[:, :, 3:]
        else:
            components = motion.group(key)
        if axes is not None and group.in_skew:
            components = np.einsum("snij,snj->sni", axes, components)
        for name in wanted:
            column = components[:, :, group.names.index(name)]
            values[name] = np.where(request.wanted[name], column, np.nan)
    return values


def _axes_now(samples: Floats, points: Records, request: NodeRequest) -> Floats:
    """Axes (ns, n, 3, 3) of the columns of a request; those of moving skews turn with their nodes."""
    assert request.axes is not None
    axes = np.tile(request.axes, (len(samples), 1, 1, 1))
    for skew, columns in request.moving:
        places = places_of(samples, points[skew.nodes])
        axes[:, columns] = moving_axes(places, skew.direction)[:, None]
    return axes


def places_of(samples: Floats, points: Records) -> Floats:
    """Positions (ns, n, 3) of points."""
    return _Motion(samples, points).group("XYZ")


def moving_axes(places: Floats, direction: int) -> Floats:
    """Axes (ns, 3, 3) of a skew on three nodes at `places` (ns, 3, 3): one along N1-N2, the next towards N3."""
    along, across = places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
    normal = cross_products(along, across)
    u, w = (vector / np.linalg.norm(vector, axis=1, keepdims=True) for vector in (along, normal))
    axes = np.empty_like(places)
    for k, axis in enumerate((u, cross_products(w, u), w)):
        axes[:, (direction + k) % 3] = axis
    return axes


class _Motion:
    """What points do at samples.

    states : (ns, n, 22) of their bodies; points : (n,)
    """

    def __init__(self, samples: Floats, points: Records) -> None:
        self._states, self._points = samples[:, points["body"]], points

    def group(self, key: str) -> Floats:
        """Global components (ns, n, 3), or (ns, n, 4) for Q, of one group of variables."""
        match key:
            case "D":
                return self._states[:, :, DISPLACEMENT] + self._turned
            case "XYZ":
                return self._points["origin"] + self.group("D")  # type: ignore[no-any-return]
            case "V":
                return self._states[:, :, VELOCITY] + cross_products(self._spin, self._arms)
            case "A":
                relative = cross_products(self._states[:, :, ANGULAR_ACCELERATION], self._arms)
                relative += cross_products(self._spin, cross_products(self._spin, self._arms))
                return self._states[:, :, ACCELERATION] + relative
            case "VR":
                return self._spin
            case "AR":
                return self._states[:, :, ANGULAR_ACCELERATION]
            case "DR":
                return self._states[:, :, TURNED]
            case _:
                return self._states[:, :, QUATERNION]

    @property
    def _spin(self) -> Floats:
        return self._states[:, :, ANGULAR_VELOCITY]

    @cached_property
    def _turned(self) -> Floats:
        """By how much the rotation has moved the ends of arms (ns, n, 3), global components."""
        return turned_by(self._states[:, :, QUATERNION], self._points["arm"])

    @cached_property
    def _arms(self) -> Floats:
        """From the mass centres to the points (ns, n, 3), global components."""
        return self._points["arm"] + self._turned  # type: ignore[no-any-return]


def turned_by(quaternions: Floats, vectors: Floats) -> Floats:
    """(R - E) v of unit quaternions (..., 4), w first, and vectors (..., 3).

    Without the E there is no cancellation: a node that turns little has a small displacement to full precision.
    """
    w, q = quaternions[..., :1], quaternions[..., 1:]
    half = cross_products(q, vectors)
    return 2.0 * (w * half + cross_products(q, half))


def rigid_body_family(model: Model) -> Family:
    """The group th/rbody: resultant force and moment of each /RBODY, and the node variables of its mass centre."""
    ids = np.array([body.id for body in model.rigid_bodies], dtype=np.int64)
    names = tuple(body.title for body in model.rigid_bodies)
    return Family("th/rbody", tuple(rigid_body_channels(model.units)), ids, names)


def rigid_body_channels(units: Units) -> list[Channel]:
    """Of all that is written of a /RBODY."""
    force = force_unit(units)
    moment = moment_unit(units)
    channels = [
        Channel(f"F{axis.upper()}", force, f"resultant of all forces on the body: mass times acceleration, {axis}")
        for axis in "xyz"
    ]
    channels += [
        Channel(
            f"M{axis.upper()}",
            moment,
            f"resultant moment about the mass centre: rate of the angular momentum, global axes, {axis}",
        )
        for axis in "xyz"
    ]
    return channels + [channel for group in GROUPS.values() for channel in group.channels(units)]


def rigid_body_values(samples: Floats, points: Records, masses: Floats, inertias: Floats) -> dict[str, Floats]:
    """Values (ns, n) of each channel of th/rbody.

    F = m a_G and M = dL/dt = R (J alpha' + w' x J w'), primes in body axes: what loads, gravity, springs, joints
    and supports together exert on the body.

    samples : (ns, nb, 22); points : (n,) mass centres; masses : (n,); inertias : (n, 3, 3) about them, body axes.
    """
    motion = _Motion(samples, points)
    groups = {key: motion.group(key) for key in GROUPS}
    bodies, force = points["body"], masses[:, None] * groups["A"]
    quaternions = samples[:, bodies, QUATERNION]
    inverse = quaternions * np.array([1.0, -1.0, -1.0, -1.0])
    spin, growth = samples[:, bodies, ANGULAR_VELOCITY], samples[:, bodies, ANGULAR_ACCELERATION]
    spin = spin + turned_by(inverse, spin)
    growth = growth + turned_by(inverse, growth)
    moment = np.einsum("nij,snj->sni", inertias, growth)
    moment += cross_products(spin, np.einsum("nij,snj->sni", inertias, spin))
    moment += turned_by(quaternions, moment)

    values = {f"F{axis}": force[:, :, i] for i, axis in enumerate("XYZ")}
    values |= {f"M{axis}": moment[:, :, i] for i, axis in enumerate("XYZ")}
    for key, group in GROUPS.items():
        values |= {name: groups[key][:, :, i] for i, name in enumerate(group.names)}
    return values


def mass_centres(assembly: Assembly) -> tuple[Records, Floats, Floats]:
    """Mass centre, mass and inertia about it of each /RBODY; those of bodies that do not move stay where they are."""
    plan, bodies = assembly.plan, assembly.system.bodies
    main = np.array([body.main_node for body in assembly.model.rigid_bodies], dtype=np.int64)
    index = assembly.system.points["body"][main]
    of_group = np.array(plan.centres_of_groups).reshape(-1, 3)[plan.group_of_node[main]]
    arms, masses = bodies["mass_arm"][index], bodies["mass"][index]
    centres = np.where(index[:, None] == GROUND, of_group, bodies["centre"][index] + arms)
    about_centre = np.einsum("ni,ni->n", arms, arms)[:, None, None] * np.eye(3) - np.einsum("ni,nj->nij", arms, arms)
    inertias = bodies["inertia"][index] - masses[:, None, None] * about_centre
    points = np.zeros(len(index), NODE_POINT)
    points["body"], points["arm"], points["origin"] = index, arms, centres
    return points, masses, inertias
