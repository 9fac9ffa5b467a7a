"""/NODE, /GRNOD, /ADMAS, /SKEW and /FRAME."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .layout import LENGTH, MASS, Keyword, Stage, Values, card, direction, integer, real, vector
from .model import AddedMass, Floats, Ints, Nodes, Skew
from .numbers import numbered_list

if TYPE_CHECKING:
    from .block import Block
    from .context import Context

_TINY = 1e-20
_COLLINEAR = 1e-5
_NODE_ID = integer("node_ID", 1, "node id")
_ORIGIN = card(vector(("Ox", "Oy", "Oz"), 1, "origin", LENGTH), since=120)
_FRAME_ORIGIN = card(vector(("Ox", "Oy", "Oz"), 1, "origin", LENGTH))
_Y_AXIS = card(vector(("X1", "Y1", "Z1"), 1, "direction of the Y' axis"))
_Z_AXIS = card(vector(("X2", "Y2", "Z2"), 1, "direction of the Z' axis"))


def build_nodes(block: Block, values: Values, context: Context) -> None:
    """/NODE; blocks follow one another in the order of the deck."""
    records = values["records"]
    ids = records.columns["node_ID"]
    coordinates = np.stack([records.columns[axis] for axis in "XYZ"], axis=1)
    negative = np.flatnonzero(ids < 0)
    if len(negative):
        context.report_record(block, records, negative[0], NODE.records[0].fields[0], "a node id cannot be negative")
        return
    context.objects.setdefault("nodes", []).append((block, records, ids, coordinates))


def join_nodes(context: Context) -> None:
    """All /NODE blocks as one table; an id given twice is an error."""
    parts = context.objects.pop("nodes", [])
    if not parts:
        return
    ids = np.concatenate([part[2] for part in parts])
    coordinates = np.concatenate([part[3] for part in parts])
    order = np.argsort(ids, kind="stable")
    repeated = np.flatnonzero(np.diff(ids[order]) == 0)
    starts = np.cumsum([0] + [len(part[2]) for part in parts])
    for k in repeated[:20].tolist():
        first, second = int(order[k]), int(order[k + 1])
        _report_repeated(context, parts, starts, first, second)
    if len(repeated):
        keep = np.ones(len(ids), dtype=bool)
        keep[order[repeated + 1]] = False
        ids, coordinates = ids[keep], coordinates[keep]
    context.set_nodes(Nodes(ids, coordinates))


def _report_repeated(context: Context, parts: list, starts: Ints, first: int, second: int) -> None:  # type: ignore[type-arg]
    def part_of(row: int) -> tuple[int, int]:
        index = int(np.searchsorted(starts, row, side="right")) - 1
        return index, row - int(starts[index])

    index, row = part_of(first)
    block, records = parts[index][:2]
    file, line = context.source.place(block.body_line + int(records.offsets[row]))
    index, row = part_of(second)
    block, records, ids = parts[index][:3]
    context.report_record(
        block,
        records,
        row,
        NODE.records[0].fields[0],
        f"node {ids[row]} is defined twice",
        hint=f"first defined at {file}:{line}",
    )


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
        context.objects.setdefault("frames", {})[block.id] = (origin, axes)


def build_group(block: Block, values: Values, context: Context) -> None:
    """/GRNOD/...: node rows, each once; sorted by id except for NODENS."""
    kind = block.declaration.name.split("/")[1]
    if kind in ("NODE", "NODENS"):
        rows = _rows_of_list(block, values, context, sort=kind == "NODE")
    elif kind == "GENE":
        rows = _rows_of_ranges(context, values["ids"], block)
    elif kind == "GEN_INCR":
        rows = _rows_of_steps(context, block, values["records"])
    elif kind == "PART":
        rows = _rows_of_parts(block, values, context)
    else:
        context.objects.setdefault("groups of groups", {})[block.id] = (block, values)
        return
    if rows is not None:
        assert block.id is not None
        context.groups[block.id] = rows


def _sorted_rows(context: Context, rows: Ints) -> Ints:
    """Unique rows in the order of node ids."""
    unique = np.unique(rows)
    return unique[np.argsort(context.model.nodes.ids[unique], kind="stable")]


def _rows_of_list(block: Block, values: Values, context: Context, *, sort: bool) -> Ints | None:
    ids: Ints = values["ids"]
    rows = context.rows_of(np.abs(ids))
    unknown = np.flatnonzero(rows < 0)
    if len(unknown):
        _report_unknown(block, context, "node", ids[unknown], values["id_offsets"][unknown])
        return None
    added, removed = rows[ids > 0], rows[ids < 0]
    if len(removed):
        added = added[~np.isin(added, removed)]
    if sort:
        return _sorted_rows(context, added)
    _, first = np.unique(added, return_index=True)
    return added[np.sort(first)]


def _report_unknown(block: Block, context: Context, kind: str, ids: Ints, offsets: Ints) -> None:
    """Ids of a list that nothing has."""
    offset = int(offsets[0])
    line = block.lines()[offset]
    column = line.find(str(ids[0]))
    names = numbered_list([abs(int(id)) for id in ids])
    message = f"{kind} {names} does not exist" if len(ids) == 1 else f"{kind}s {names} do not exist"
    context.report(
        block.diagnose_line(
            "error",
            message,
            block.body_line + offset,
            line,
            found=str(ids[0]),
            hint=context.nearest(kind, abs(int(ids[0]))),
            column=column + 1,
            ruler=" " * column + "^" * len(str(ids[0])),
        )
    )


def _rows_of_ranges(context: Context, ids: Ints, block: Block) -> Ints | None:
    if len(ids) % 2:
        hint = "ids come in pairs, first and last"
        context.report(block.diagnose("error", "the list of ranges has an odd number of ids", hint=hint))
        return None
    known = context.model.nodes.ids
    inside = np.zeros(len(known), dtype=bool)
    for first, last in ids.reshape(-1, 2).tolist():
        inside |= (known >= first) & (known <= last)
    return _sorted_rows(context, np.flatnonzero(inside))


def _rows_of_steps(context: Context, block: Block, records: object) -> Ints:
    known = context.model.nodes.ids
    inside = np.zeros(len(known), dtype=bool)
    columns = records.columns  # type: ignore[attr-defined]
    for first, last, step in zip(*(columns[name].tolist() for name in ("first", "last", "incr")), strict=True):
        inside |= (known >= first) & (known <= last) & ((known - first) % max(step, 1) == 0)
    return _sorted_rows(context, np.flatnonzero(inside))


def _rows_of_parts(block: Block, values: Values, context: Context) -> Ints | None:
    ids: Ints = values["ids"]
    unknown = np.array([abs(id) not in context.defined["part"] for id in ids.tolist()], dtype=bool)
    if unknown.any():
        _report_unknown(block, context, "part", ids[unknown], values["id_offsets"][unknown])
        return None
    nodes_of_part: dict[int, list[Ints]] = context.objects.get("nodes of parts", {})

    def gather(chosen: list[int]) -> Ints:
        rows = [np.empty(0, dtype=np.int64), *(part for id in chosen for part in nodes_of_part.get(abs(id), []))]
        return np.concatenate(rows)

    added = gather(ids[ids > 0].tolist())
    removed = gather(ids[ids < 0].tolist())
    added = added[(added >= 0) & ~np.isin(added, removed)]
    return _sorted_rows(context, added)


def join_groups(context: Context) -> None:
    """Resolve /GRNOD/GRNOD, whatever the order of the blocks."""
    waiting = context.objects.pop("groups of groups", {})
    state: dict[int, str] = {}

    def resolve(id: int) -> Ints | None:
        if id in context.groups or id not in waiting:
            return context.groups.get(id)
        block, values = waiting[id]
        if state.get(id) == "open":
            context.report(block.diagnose("error", f"group {id} contains itself"))
            return None
        if id in state:
            return None
        state[id] = "open"
        ids: Ints = values["ids"]
        unknown = np.array([abs(other) not in context.defined["group"] for other in ids.tolist()], dtype=bool)
        if unknown.any():
            _report_unknown(block, context, "group", ids[unknown], values["id_offsets"][unknown])
        parts = [(other, resolve(abs(other))) for other in ids[~unknown].tolist()]
        state[id] = "done"
        if unknown.any() or any(rows is None for _, rows in parts):
            return None
        empty = [np.empty(0, dtype=np.int64)]
        added = np.concatenate(empty + [rows for other, rows in parts if other > 0 and rows is not None])
        removed = np.concatenate(empty + [rows for other, rows in parts if other < 0 and rows is not None])
        context.groups[id] = _sorted_rows(context, added[~np.isin(added, removed)])
        return context.groups[id]

    for id in waiting:
        resolve(id)


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


def _group_keyword(kind: str, meaning: str, reference: str, **more: object) -> Keyword:
    return Keyword(
        (f"GRNOD/{kind}",),
        meaning,
        build_group,
        Stage.GROUPS,
        reference=reference,
        identity="group",
        **{"listing": "ids", **more},  # type: ignore[arg-type]
    )


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
    numbered=False,
)

KEYWORDS = [
    NODE,
    _group_keyword("NODE", "group of nodes; a negative id removes a node", "node"),
    _group_keyword("NODENS", "group of nodes in the order given", "node"),
    _group_keyword("GRNOD", "group of node groups; a negative id removes the nodes of a group", "group"),
    _group_keyword("GENE", "all nodes with ids in ranges, given as pairs first, last", ""),
    _group_keyword(
        "GEN_INCR",
        "nodes first, first + incr, ... up to last, one range a line",
        "",
        listing="records",
        records=(
            card(
                integer("first", 1, "first id"),
                integer("last", 11, "last id"),
                integer("incr", 21, "increment", default=1, minimum=1),
            ),
        ),
    ),
    _group_keyword("PART", "nodes of the elements of parts; a negative id removes the nodes of a part", "part"),
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
