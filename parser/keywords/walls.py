"""/RWALL: rigid walls that nodes cannot pass."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Card, Keyword, Stage, Values, card, integer, real, vector
from ..cards.unresolved import WallNodes
from ..model import AddedMass, Floats, InitialVelocity, Ints, Model, RigidWall
from ..text.numbers import numbered_list
from ..text.units import LENGTH, MASS, VELOCITY

_MODES: tuple[Literal["SLIDING", "TIED", "FRICTION"], ...] = ("SLIDING", "TIED", "FRICTION")
_FRICTION = 2
_MEAN_FILTER = 1
_NOWHERE = 1e-10


def build_wall(block: Block, values: Values, context: Context) -> None:
    """/RWALL: the wall; its nodes are chosen when all bodies are known."""
    kind: Literal["PLANE", "SPHER", "CYL", "PARAL"] = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    geometry = _geometry(block, values, context, kind)
    added, removed = (_rows(values[name]) for name in ("grnd_ID1", "grnd_ID2"))
    if values["node_ID"] >= 0 and values["node_ID"] in added:
        message = f"node {context.model.nodes.ids[values['node_ID']]} carries the wall and cannot be held by it"
        context.report(block.diagnose("error", message, field="grnd_ID1", allowed="a group without it"))
        return
    if geometry is None:
        return
    point, normal, sides = geometry
    assert block.id is not None
    wall = RigidWall(
        block.id,
        block.title,
        block,
        kind,
        _MODES[values["Slide"]],
        values["node_ID"],
        np.empty(0, dtype=np.int64),
        point,
        normal,
        sides,
        values["Diameter"] / 2.0 if kind in ("SPHER", "CYL") else 0.0,
        values["fric"] if values["Slide"] == _FRICTION else 0.0,
        values["ffac"] if values["ifq"] else 1.0,
        values["ifq"],
        values.get("Iform", 0) == 1,
    )
    context.model.rigid_walls.append(wall)
    context.unresolved.walls.append(WallNodes(block, wall, values["d"], added, removed))
    _move(block, values, context)


def _check_friction(block: Block, values: Values, context: Context) -> bool:
    if values["Slide"] != _FRICTION or values["fric"]:
        return True
    message = "Slide 2 needs a friction coefficient"
    context.report(block.diagnose("error", message, field="fric", allowed="more than 0"))
    return False


def _check_filter(block: Block, values: Values, context: Context) -> bool:
    if values["ifq"] != _MEAN_FILTER or 0.0 < values["ffac"] <= 1.0:
        return True
    message = f"the filter factor of ifq {values['ifq']} must be between 0 and 1"
    context.report(block.diagnose("error", message, field="ffac", allowed="0 to 1"))
    return False


def _check_diameter(block: Block, values: Values, context: Context) -> bool:
    if values["Diameter"] > 0.0:
        return True
    message = "the diameter must be more than 0"
    context.report(block.diagnose("error", message, field="Diameter", allowed="more than 0"))
    return False


def _rows(group: Ints | None) -> Ints:
    return np.empty(0, dtype=np.int64) if group is None else group


def _geometry(block: Block, values: Values, context: Context, kind: str) -> tuple[Floats, Floats, Floats] | None:
    """Point, unit normal or axis, and sides; None after an error."""
    node = values["node_ID"]
    point = np.array([values[name] for name in ("XM", "YM", "ZM")])
    if node >= 0:
        point = context.model.nodes.coordinates[node].copy()
    none = np.zeros((2, 3))
    if kind == "SPHER":
        return point, np.zeros(3), none
    first = np.array([values[name] for name in ("XM1", "YM1", "ZM1")]) - point
    what = "M is the node that carries the wall" if node >= 0 else "M is the point on the card before"
    if np.linalg.norm(first) <= _NOWHERE:
        direction = {"PLANE": "the normal", "CYL": "the axis", "PARAL": "the first side"}[kind]
        message = f"M1 stands at M, so that {direction} has no direction"
        context.report(block.diagnose("error", message, field="XM1", hint=what))
        return None
    if kind != "PARAL":
        return point, first / np.linalg.norm(first), none
    second = np.array([values[name] for name in ("XM2", "YM2", "ZM2")]) - point
    normal = np.cross(first, second)
    if np.linalg.norm(normal) <= _NOWHERE * np.linalg.norm(first) * max(float(np.linalg.norm(second)), _NOWHERE):
        message = "M, M1 and M2 stand on one line, so that the wall has no area"
        context.report(block.diagnose("error", message, field="XM2", hint=what))
        return None
    return point, normal / np.linalg.norm(normal), np.stack((first, second))


def _move(block: Block, values: Values, context: Context) -> None:
    """Mass and velocity that the card of a moving wall gives its node."""
    node = values["node_ID"]
    if node < 0:
        return
    assert block.id is not None
    nodes = np.array([node], dtype=np.int64)
    if values["Mass"]:
        context.model.added_masses.append(AddedMass(block.id, block.title, block, nodes, np.array([values["Mass"]])))
    velocity = np.array([[values[name] for name in ("VX0", "VY0", "VZ0")]])
    if velocity.any():
        context.model.initial_velocities.append(
            InitialVelocity(block.id, block.title, block, "NODE", nodes, velocity, None)
        )


def choose_wall_nodes(context: Context, off_walls: set[int]) -> None:
    """The secondary nodes of all walls.

    off_walls : rows of nodes that no wall holds, as they are secondary nodes of rigid bodies (Ikrem 0)
    """
    model = context.model
    for block, wall, distance, added, removed in context.unresolved.walls:
        held = np.zeros(len(model.nodes), dtype=bool)
        if distance > 0.0:
            depth = distance_to(wall, model)
            held |= (depth >= 0.0) & (depth <= distance)
        held[added] = True
        held[removed] = False
        if wall.node >= 0:
            held[wall.node] = False
        taken_out = [row for row in np.flatnonzero(held).tolist() if row in off_walls]
        held[taken_out] = False
        rows = np.flatnonzero(held)
        wall.nodes = rows[np.argsort(model.nodes.ids[rows], kind="stable")]
        if taken_out:
            _warn_taken_out(block, context, taken_out)
        if not len(rows):
            message = "the wall holds no node"
            context.report(block.diagnose("doubt", message, field="d", hint="nodes come by d and by grnd_ID1"))


def _warn_taken_out(block: Block, context: Context, rows: list[int]) -> None:
    ids = sorted(context.model.nodes.ids[rows].tolist())
    which = f"node {ids[0]} is a secondary node of a rigid body and passes" if len(ids) == 1 else (
        f"nodes {numbered_list(ids)} are secondary nodes of rigid bodies and pass"
    )  # fmt: skip
    hint = "Ikrem 1 of the /RBODY lets the wall hold them"
    context.report(block.diagnose("doubt", f"{which} through the wall", hint=hint))


def distance_to(wall: RigidWall, model: Model) -> Floats:
    """How far each node is in front of a wall at t = 0; NaN for nodes beside a parallelogram."""
    arms = model.nodes.coordinates - wall.point
    if wall.kind == "PLANE":
        return arms @ wall.normal
    if wall.kind == "SPHER":
        return np.linalg.norm(arms, axis=1) - wall.radius
    if wall.kind == "CYL":
        return np.linalg.norm(arms - np.outer(arms @ wall.normal, wall.normal), axis=1) - wall.radius
    places = arms @ np.linalg.pinv(wall.sides)
    inside = ((places >= 0.0) & (places <= 1.0)).all(axis=1)
    return np.where(inside, arms @ wall.normal, np.nan)


def _wall_keyword(kind: str, meaning: str, points: tuple[Card, ...], notes: str) -> Keyword:
    round_wall = kind in ("SPHER", "CYL")
    return Keyword(
        (f"RWALL/{kind}",),
        meaning,
        build_wall,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_ID", 1, "node that carries the wall; 0 = fixed", reference="node"),
                integer("Slide", 11, "0 sliding, 1 tied, 2 sliding with friction", choices=(0, 1, 2)),
                integer("grnd_ID1", 21, "group of nodes held by the wall", reference="group"),
                integer("grnd_ID2", 31, "group of nodes not held by it", reference="group"),
                integer("Iform", 41, "0 kinematic, 1 penalty", choices=(0, 1), since=2026),
            ),
            card(
                real("d", 1, "nodes up to this distance in front are held", LENGTH, minimum=0.0),
                real("fric", 21, "friction coefficient (Slide 2)", minimum=0.0),
                real("Diameter", 41, "diameter" if round_wall else "not used", LENGTH),
                real("ffac", 61, "filter factor of the friction force (Slide 2), not used", default=1.0, minimum=0.0),
                integer("ifq", 81, "filter of the friction force (Slide 2), not used; 0 = none", choices=(0, 1, 2, 3)),
            ),
            card(
                vector(("XM", "YM", "ZM"), 1, "point M on the wall", LENGTH),
                only_if="node_ID",
                only_for=(0,),
            ),
            card(
                real("Mass", 1, "mass added to the node", MASS, minimum=0.0),
                vector(("VX0", "VY0", "VZ0"), 21, "initial velocity of the node", VELOCITY),
                only_if="node_ID",
            ),
            *points,
        ),
        identity="RWALL",
        notes=f"{notes} The point M of a moving wall is the node that carries it.",
        checks=(_check_friction, _check_filter, *((_check_diameter,) if round_wall else ())),
    )


def _point_card(number: int, meaning: str) -> Card:
    names = (f"XM{number}", f"YM{number}", f"ZM{number}")
    return card(vector(names, 1, meaning, LENGTH))


KEYWORDS = [
    _wall_keyword(
        "PLANE", "infinite plane wall", (_point_card(1, "point M1; the normal points from M to M1"),),
        "Nodes are held on the side of the normal.",
    ),
    _wall_keyword("SPHER", "wall in the form of a sphere", (), "M is the centre. Nodes are held outside."),
    _wall_keyword(
        "CYL", "wall in the form of an infinite cylinder", (_point_card(1, "point M1; the axis runs from M to M1"),),
        "M is on the axis. Nodes are held outside.",
    ),
    _wall_keyword(
        "PARAL",
        "wall in the form of a parallelogram",
        (_point_card(1, "corner M1; M to M1 is a side"), _point_card(2, "corner M2; M to M2 is a side")),
        "Nodes are held on the side of M M1 x M M2.",
    ),
]  # fmt: skip
