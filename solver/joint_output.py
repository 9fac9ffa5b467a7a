"""From samples of links and multipliers to the histories of gear joints (/th/gjoint)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .assemble import Assembly
from .channels import Channel, Family
from .gear_joints import PIN, ROWS_OF_LINK, SLIDE, SLIDE_POINT
from .node_output import QUATERNION
from .rotation import rotation_matrices
from .state import Floats, Ints, Records
from .system import Samples
from .units import unit


def gear_joint_family(assembly: Assembly) -> Family:
    """Channels of all gear joints; NaN where a variable has no meaning for a kind."""
    units = assembly.model.units
    force, moment = unit(units, mass=1, length=1, time=-2), unit(units, mass=1, length=2, time=-2)
    length, speed = unit(units, length=1), unit(units, length=1, time=-1)
    channels = []
    for k in (1, 2, 3):
        channels += [
            Channel(f"ANG{k}", "rad", f"rotation of node {k} about r_{k} relative to node 0, unwrapped"),
            Channel(f"VEL{k}", unit(units, angle=1, time=-1), f"rate of ANG{k}"),
            Channel(f"T{k}", moment, f"torque of the gear relation on node {k} about r_{k}"),
        ]
    channels += [
        Channel("U2", length, "displacement of the rack (node 2) along r_2 relative to node 0"),
        Channel("V2", speed, "rate of U2"),
        Channel("F2", force, "force of the gear relation on the rack along r_2"),
    ]
    for k in (1, 2, 3):
        channels += [Channel(f"F{axis}{k}", force, f"bearing force on node {k}, global {axis}") for axis in "XYZ"]
        channels += [Channel(f"M{axis}{k}", moment, f"bearing moment on node {k}, global {axis}") for axis in "XYZ"]
    channels.append(Channel("RES", "1", "largest residual of the joint's rows, relative to the size of the subsystem"))
    joints = assembly.model.gear_joints
    return Family(
        "th/gjoint",
        tuple(channels),
        np.array([joint.id for joint in joints], dtype=np.int64),
        tuple(joint.title for joint in joints),
    )


class JointArrays(NamedTuple):
    """Where the values of all gear joints are, one row a joint; -1 where a joint has no such node."""

    column: Ints  # (nj,) place in the model
    row: Ints  # (nj,) of the relation
    link: Ints  # (nj, 3) of nodes 1 to 3
    sign: Floats  # (nj, 3) of r_k against the axis of the link
    coefficient: Floats  # (nj, 3) of the coordinates about r_k in the relation


def joint_arrays(assembly: Assembly) -> JointArrays:
    """Arrays of the joints that move."""
    n = len(assembly.joints)
    link, sign, coefficient = np.full((n, 3), -1, dtype=np.int64), np.ones((n, 3)), np.zeros((n, 3))
    for j, place in enumerate(assembly.joints):
        link[j, : len(place.links)] = place.links
        sign[j, : len(place.links)] = place.signs
        coefficient[j, : len(place.links)] = place.coefficients
    column = np.array([assembly.joint_column[id(place.joint)] for place in assembly.joints], dtype=np.int64)
    row = np.array([place.row for place in assembly.joints], dtype=np.int64)
    return JointArrays(column, row, link, sign, coefficient)


def gear_joint_values(
    assembly: Assembly, joints: JointArrays, family: Family, samples: Samples, count: int
) -> dict[str, Floats]:
    """Values (count, n) of every channel, from the first `count` samples."""
    n = len(assembly.model.gear_joints)
    values = {channel.name: np.full((count, n), np.nan) for channel in family.channels}
    links, scale = assembly.system.links, assembly.system.rows["scale"]
    relative = np.abs(samples.residual[:count]) / scale
    multiplier = samples.multiplier[:count]
    worst = relative[:, joints.row]
    for k in (1, 2, 3):
        has_node = np.flatnonzero(joints.link[:, k - 1] >= 0)
        link = joints.link[has_node, k - 1]
        kind, columns, sign = links["kind"][link], joints.column[has_node], joints.sign[has_node, k - 1]
        force_of_relation = multiplier[:, joints.row[has_node]] * joints.coefficient[has_node, k - 1]
        sliding = (kind == SLIDE) | (kind == SLIDE_POINT)
        names = (("U2", "V2", "F2"), sliding), ((f"ANG{k}", f"VEL{k}", f"T{k}"), ~sliding)
        for (coordinate, rate, force), chosen in names:
            values[coordinate][:, columns[chosen]] = sign[chosen] * samples.link[:count, link[chosen], 0]
            values[rate][:, columns[chosen]] = sign[chosen] * samples.link[:count, link[chosen], 1]
            values[force][:, columns[chosen]] = force_of_relation[:, chosen]
        forces, moments = bearing_reactions(links[link], multiplier, samples.body[:count])
        for c, axis in enumerate("XYZ"):
            values[f"F{axis}{k}"][:, columns] = forces[:, :, c]
            values[f"M{axis}{k}"][:, columns] = moments[:, :, c]
        for i in range(5):
            held = i < np.vectorize(ROWS_OF_LINK.get, otypes=[np.int64])(kind) if len(kind) else kind > 0
            worst[:, has_node[held]] = np.maximum(worst[:, has_node[held]], relative[:, links["row"][link[held]] + i])
    values["RES"][:, joints.column] = worst
    return values


def bearing_reactions(links: Records, multiplier: Floats, bodies: Floats) -> tuple[Floats, Floats]:
    """Forces and moments (count, n, 3) of links on their nodes, global components, from the rows of `gear_joints`."""
    count, n = len(multiplier), len(links)
    kind, row = links["kind"], links["row"]
    in_triad = np.zeros((2, count, n, 3))
    pin = np.flatnonzero(kind == PIN)
    for i in range(3):
        in_triad[0, :, pin, i] = multiplier[:, row[pin] + i].T
    # the axis rows have the directions t and -s
    in_triad[1, :, pin, 2] = multiplier[:, row[pin] + 3].T
    in_triad[1, :, pin, 1] = -multiplier[:, row[pin] + 4].T
    sliding = np.flatnonzero((kind == SLIDE) | (kind == SLIDE_POINT))
    for i in (1, 2):
        in_triad[0, :, sliding, i] = multiplier[:, row[sliding] + i - 1].T
    oriented = np.flatnonzero(kind == SLIDE)
    for i in range(3):
        in_triad[1, :, oriented, i] = multiplier[:, row[oriented] + 2 + i].T
    carriers = rotation_matrices(bodies[:, links["carrier"], QUATERNION])
    force, moment = np.einsum("snij,nlj,ksnl->ksni", carriers, links["triad"], in_triad, optimize=True)
    return force, moment
