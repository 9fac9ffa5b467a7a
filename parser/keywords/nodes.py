"""/NODE, /ADMAS, /SKEW and /FRAME."""

from __future__ import annotations

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, direction, integer, real, vector
from ..cards.unresolved import IdTable
from ..model import AddedMass, Floats, Nodes, Skew
from ..text.units import LENGTH, MASS

_TINY = 1e-20
_COLLINEAR = 1e-5
_NODE_ID = integer("node_ID", 1, "node id; 0 is the ground, wherever a node is asked for", required=True, minimum=1)
_ORIGIN = card(vector(("Ox", "Oy", "Oz"), 1, "origin", LENGTH), since=120)
_FRAME_ORIGIN = card(vector(("Ox", "Oy", "Oz"), 1, "origin", LENGTH))
_Y_AXIS = card(vector(("X1", "Y1", "Z1"), 1, "direction of the Y' axis"))
_Z_AXIS = card(vector(("X2", "Y2", "Z2"), 1, "direction of the Z' axis"))


def build_nodes(block: Block, values: Values, context: Context) -> None:
    """/NODE; blocks follow one another in the order of the deck."""
    records = values["records"]
    coordinates = np.stack([records.columns[axis] for axis in "XYZ"], axis=1)
    context.unresolved.node_tables.append((IdTable(block, records, records.columns["node_ID"]), coordinates))


def join_nodes(context: Context) -> None:
    """All /NODE blocks as one table; an id given twice is an error."""
    parts = context.unresolved.node_tables
    if not parts:
        return
    keep = context.first_of_each([table for table, _ in parts], "node")
    ids = np.concatenate([table.ids for table, _ in parts])
    coordinates = np.concatenate([coordinates for _, coordinates in parts])
    if not keep.all():
        ids, coordinates = ids[keep], coordinates[keep]
    context.set_nodes(Nodes(ids, coordinates))
    parts.clear()


def build_skew_fix(block: Block, values: Values, context: Context) -> None:
    """/SKEW/FIX: Z' keeps its direction, X' = Y' x Z', Y' = Z' x X'."""
    axes = fixed_axes(block, values, context)
    if axes is None:
        return
    assert block.id is not None
    context.model.skews[block.id] = Skew(block.id, block.title, block, False, axes, np.empty(0, dtype=np.int64))


def fixed_axes(block: Block, values: Values, context: Context) -> Floats | None:
    """Axes (rows X', Y', Z') from the vectors of a /SKEW/FIX or /FRAME/FIX; None after an error."""
    y = np.array([values["X1"], values["Y1"], values["Z1"]])
    z = np.array([values["X2"], values["Y2"], values["Z2"]])
    if y[0] == 0.0 and y[2] == 0.0:
        y[1] = -1.0 if y[1] < 0.0 else 1.0
    if z[0] == 0.0 and z[1] == 0.0:
        z[2] = -1.0 if z[2] < 0.0 else 1.0
    return _orthonormal(block, context, np.cross(y, z), z, "the axes Y' and Z' are parallel", "X2")


def _orthonormal(block: Block, context: Context, x: Floats, z: Floats, message: str, field: str) -> Floats | None:
    """Rows X', Y', Z' from the directions of X' and Z' (perpendicular); None if X' has no direction."""
    scale = np.linalg.norm(x)
    if scale <= _TINY:
        context.report(block.diagnose("error", message, field=field))
        return None
    x = x / scale
    z = z / np.linalg.norm(z)
    return np.stack((x, np.cross(z, x), z))


def build_skew_mov(block: Block, values: Values, context: Context) -> None:
    """/SKEW/MOV: the axis DIR lies along N1-N2, the next axis (cyclic) points to the side of N3."""
    nodes = np.array([values["N1"], values["N2"], values["N3"]], dtype=np.int64)
    first = "XYZ".index(values.get("DIR", "X"))
    points = context.model.nodes.coordinates[nodes]
    along = points[1] - points[0]
    towards = points[2] - points[0]
    normal = np.cross(along, towards)
    if np.linalg.norm(along) <= _TINY:
        context.report(block.diagnose("error", "N1 and N2 stand at the same place", field="N2"))
        return
    if np.linalg.norm(normal) <= _COLLINEAR * np.linalg.norm(along) * np.linalg.norm(towards):
        context.report(
            block.diagnose("error", "N1, N2 and N3 stand on one line", field="N3", hint="move N3 off the line")
        )
        return
    axes = np.empty((3, 3))
    axes[first] = along / np.linalg.norm(along)
    axes[(first + 2) % 3] = normal / np.linalg.norm(normal)
    axes[(first + 1) % 3] = np.cross(axes[(first + 2) % 3], axes[first])
    assert block.id is not None
    context.model.skews[block.id] = Skew(block.id, block.title, block, True, axes, nodes, first)  # type: ignore[arg-type]


def build_frame_fix(block: Block, values: Values, context: Context) -> None:
    """/FRAME/FIX: origin and axes, for /INIVEL/AXIS."""
    axes = fixed_axes(block, values, context)
    if axes is not None:
        origin = np.array([values["Ox"], values["Oy"], values["Oz"]])
        assert block.id is not None
        context.unresolved.frames[block.id] = (origin, axes)


def build_added_mass(block: Block, values: Values, context: Context) -> None:
    """/ADMAS types 0 (to each node), 1 (shared by the nodes) and 5 (node by node)."""
    kind = block.declaration.name.split("/")[1]
    if kind == "5":
        nodes, masses = values["records"].columns["node_ID"], values["records"].columns["MASS"]
    else:
        nodes = values["grnd_ID"]
        share = values["MASS"] / len(nodes) if kind == "1" else values["MASS"]
        masses = np.full(len(nodes), share)
    assert block.id is not None
    context.model.added_masses.append(AddedMass(block.id, block.title, block, nodes, masses))


_MASS = real("MASS", 1, "added mass", MASS, minimum=0.0)
_MASS_GROUP = integer("grnd_ID", 21, "node group", reference="group", required=True)

NODE = Keyword(
    ("NODE",),
    "nodes, one a line",
    build_nodes,
    Stage.NODES,
    records=(
        card(_NODE_ID, *(real(axis, 11 + 20 * k, f"global coordinate {axis}", LENGTH) for k, axis in enumerate("XYZ"))),
    ),
    listing="records",
    titled=False,
    header="unit",
)

KEYWORDS = [
    NODE,
    Keyword(
        ("ADMAS/0",),
        "mass added to each node of a group",
        build_added_mass,
        Stage.OBJECTS,
        cards=(card(_MASS, _MASS_GROUP),),
        identity="ADMAS",
    ),
    Keyword(
        ("ADMAS/1",),
        "mass shared equally by the nodes of a group",
        build_added_mass,
        Stage.OBJECTS,
        cards=(card(_MASS, _MASS_GROUP),),
        identity="ADMAS",
    ),
    Keyword(
        ("ADMAS/5",),
        "masses added node by node, one a line",
        build_added_mass,
        Stage.OBJECTS,
        records=(card(_MASS, integer("node_ID", 21, "node", reference="node", required=True)),),
        listing="records",
        identity="ADMAS",
    ),
    Keyword(
        ("SKEW/FIX",),
        "fixed axes",
        build_skew_fix,
        Stage.DEFINITIONS,
        cards=(_ORIGIN, _Y_AXIS, _Z_AXIS),
        identity="skew",
        notes=(
            "Z' keeps its direction, X' = Y' x Z', Y' = Z' x X'. The origin is not used. "
            "Decks below version 120 have no origin card."
        ),
    ),
    Keyword(
        ("SKEW/MOV",),
        "axes that move with three nodes",
        build_skew_mov,
        Stage.DEFINITIONS,
        cards=(
            card(
                integer("N1", 1, "origin node", reference="node", required=True),
                integer("N2", 11, "node on the axis DIR", reference="node", required=True),
                integer("N3", 21, "node on the side of the next axis", reference="node", required=True),
                direction("DIR", 31, "axis along N1-N2", ("X", "Y", "Z"), default="X", since=2019),
            ),
        ),
        identity="skew",
        notes="With DIR X, Y' points to the side of N3; with Y, Z' does; with Z, X' does.",
    ),
    Keyword(
        ("FRAME/FIX",),
        "fixed reference frame",
        build_frame_fix,
        Stage.DEFINITIONS,
        cards=(_FRAME_ORIGIN, _Y_AXIS, _Z_AXIS),
        identity="frame",
    ),
]
