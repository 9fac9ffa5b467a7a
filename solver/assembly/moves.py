"""What closing gaps moved: bodies, and the new coordinates and axes in the layout of the deck."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from gsolve.parser.model.joint_types import JOINT_TYPES

from ..core.bodies import GROUND, Floats
from ..core.unit_names import unit
from .assembly import Assembly

STILL = 1e-12  # a move of so much of the size of the machine, or rad, is none
MOST_MOVES = 10  # on the screen


class Move(NamedTuple):
    """Where a body went when gaps were closed.

    node : id of its main node
    displacement : (3,) of that node
    rotation : (3,) axis times angle in rad
    size : of the move, of the size of the machine or in rad
    """

    node: int
    displacement: Floats
    rotation: Floats
    size: float


def moves_of_bodies(assembly: Assembly) -> list[Move]:
    """The bodies that moved from where they were built, the largest moves first."""
    system, ids = assembly.system, assembly.model.nodes.ids
    scale = max(float(system.rows["scale"].max()), np.finfo(float).tiny)
    places = new_coordinates(assembly) - assembly.model.nodes.coordinates
    moves = []
    for b, plan in enumerate(assembly.bodies):
        if plan is None:
            continue
        vector, scalar = system.bodies["quaternion"][b, 1:], system.bodies["quaternion"][b, 0]
        sine = float(np.linalg.norm(vector))
        angle = 2 * np.arctan2(sine, scalar)
        rotation = vector * (angle / sine if sine > 0.0 else 0.0)
        displacement = places[plan.main_node]
        size = max(float(np.linalg.norm(system.bodies["displacement"][b])) / scale, abs(angle))
        if size > STILL:
            moves.append(Move(int(ids[plan.main_node]), displacement, rotation, size))
    return sorted(moves, key=lambda move: -move.size)


def new_coordinates(assembly: Assembly) -> Floats:
    """(n, 3) where the nodes of the deck are once the gaps are closed; a main node that ICoG moves, as in the deck."""
    bodies, body = assembly.system.bodies, assembly.system.points["body"]
    places = assembly.model.nodes.coordinates
    arms = places - bodies["centre"][body]
    turned = np.einsum("nij,nj->ni", bodies["rotation"][body], arms) - arms
    moved = places + bodies["displacement"][body] + turned
    return np.where(body[:, None] == GROUND, places, moved)


def move_lines(assembly: Assembly, moves: list[Move]) -> list[str]:
    """Displacement and rotation of the bodies that moved most."""
    length, more = unit(assembly.model.units, length=1), len(moves) - MOST_MOVES
    lines = [
        f"the body of node {move.node} by {vector_text(move.displacement)} {length}, turned by "
        f"{vector_text(move.rotation)} rad"
        for move in moves[:MOST_MOVES]
    ]
    return [*lines, f"and {more} more bodies"] if more > 0 else lines


def position_lines(assembly: Assembly) -> list[str]:
    """Lines of /NODE with all nodes that moved, and the axes of joints that turned."""
    model, rows = assembly.model, assembly.system.rows
    still = STILL * float(rows["scale"].max(initial=0.0))
    places = new_coordinates(assembly)
    moved = np.flatnonzero(np.abs(places - model.nodes.coordinates).max(axis=1, initial=0.0) > still)
    lines = ["nodes that were moved, at their new places:", "/NODE"]
    lines += [f"{model.nodes.ids[n]:>10}" + "".join(f"{x:>20.12g}" for x in tidy(places[n], still)) for n in moved]
    axes = new_axes(assembly)
    if axes:
        lines += ["axes that turned with their bodies, in global components:", *axes]
    lines += ["(inertias of bodies, given in global axes or a skew, have turned with them as well)"]
    return lines


def new_axes(assembly: Assembly) -> list[str]:
    """Axes of joints, drives and couplers that turned with the node that carries them."""
    model, points, rotation = assembly.model, assembly.system.points, assembly.system.bodies["rotation"]
    given = []
    for joint in model.joints:
        given.append((f"/JOINT/{joint.kind}/{joint.id}, ax ay az", joint.node_i, joint.axis_i))
        if JOINT_TYPES[joint.kind].has_second_axis:
            given.append((f"/JOINT/{joint.kind}/{joint.id}, bx by bz", joint.node_j, joint.axis_j))
    given += [(f"/DRIVE/{d.kind}/{d.id}, ax ay az", d.node_i, d.axis) for d in model.drives if d.kind != "DIST"]
    for coupler in model.couplers:
        given.append((f"/COUPLER/{coupler.kind}/{coupler.id}, ax ay az", coupler.support_a, coupler.axis_a))
        given.append((f"/COUPLER/{coupler.kind}/{coupler.id}, bx by bz", coupler.support_b, coupler.axis_b))
    for gears in model.gear_joints:
        name = f"/GJOINT/{gears.kind}/{gears.id}"
        given += [(f"{name}, r{k}x r{k}y r{k}z", int(gears.nodes[0]), gears.axes[k - 1]) for k in (1, 2, 3)]
    lines = []
    for name, node, axis in given:
        if node < 0:
            continue
        turned = rotation[points["body"][node]] @ axis
        if np.abs(turned - axis).max() > STILL:
            lines.append(f"{name}: " + ", ".join(f"{x:.12g}" for x in tidy(turned, STILL)))
    return lines


def tidy(vector: Floats, still: float) -> Floats:
    """A vector with zeros in place of its rounding errors."""
    return np.where(np.abs(vector) > still, vector, 0.0)


def vector_text(vector: Floats) -> str:
    """(0.1, 0, -2)"""
    return "(" + ", ".join(f"{x:.4g}" for x in tidy(vector, STILL)) + ")"
