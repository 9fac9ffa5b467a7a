"""/GRNOD: groups of nodes."""

from __future__ import annotations

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, integer
from ..cards.table_reader import Records
from ..cards.unresolved import GroupOfGroups
from ..model import Ints
from ..text.numbers import numbered_list


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
        assert block.id is not None
        context.unresolved.groups_of_groups[block.id] = GroupOfGroups(block, values["ids"], values["id_offsets"])
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
    first = abs(int(ids[0]))
    message = f"{kind} {first} does not exist"
    if len(ids) > 1:
        message = f"{kind}s {numbered_list(np.abs(ids).tolist())} do not exist"
    context.report(block.diagnose_id(message, int(offsets[0]), int(ids[0]), hint=context.nearest(kind, first)))


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


def _rows_of_steps(context: Context, block: Block, records: Records) -> Ints:
    known = context.model.nodes.ids
    inside = np.zeros(len(known), dtype=bool)
    columns = records.columns
    for first, last, step in zip(*(columns[name].tolist() for name in ("first", "last", "incr")), strict=True):
        inside |= (known >= first) & (known <= last) & ((known - first) % max(step, 1) == 0)
    return _sorted_rows(context, np.flatnonzero(inside))


def _rows_of_parts(block: Block, values: Values, context: Context) -> Ints | None:
    ids: Ints = values["ids"]
    unknown = np.array([abs(id) not in context.defined["part"] for id in ids.tolist()], dtype=bool)
    if unknown.any():
        _report_unknown(block, context, "part", ids[unknown], values["id_offsets"][unknown])
        return None
    nodes_of_part = context.unresolved.nodes_of_part

    def gather(chosen: list[int]) -> Ints:
        rows = [np.empty(0, dtype=np.int64), *(part for id in chosen for part in nodes_of_part.get(abs(id), []))]
        return np.concatenate(rows)

    added = gather(ids[ids > 0].tolist())
    removed = gather(ids[ids < 0].tolist())
    added = added[(added >= 0) & ~np.isin(added, removed)]
    return _sorted_rows(context, added)


def join_groups(context: Context) -> None:
    """Resolve /GRNOD/GRNOD, whatever the order of the blocks."""
    waiting = context.unresolved.groups_of_groups
    state: dict[int, str] = {}

    def resolve(id: int) -> Ints | None:
        if id in context.groups or id not in waiting:
            return context.groups.get(id)
        group = waiting[id]
        if state.get(id) == "open":
            context.report(group.block.diagnose("error", f"group {id} contains itself"))
            return None
        if id in state:
            return None
        state[id] = "open"
        unknown = np.array([abs(other) not in context.defined["group"] for other in group.ids.tolist()], dtype=bool)
        if unknown.any():
            _report_unknown(group.block, context, "group", group.ids[unknown], group.offsets[unknown])
        parts = [(other, resolve(abs(other))) for other in group.ids[~unknown].tolist()]
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


def _id_list(kind: str, meaning: str, reference: str = "") -> Keyword:
    return Keyword(
        (f"GRNOD/{kind}",), meaning, build_group, Stage.GROUPS, listing="ids", reference=reference, identity="group"
    )


KEYWORDS = [
    _id_list("NODE", "group of nodes; a negative id removes a node", "node"),
    _id_list("NODENS", "group of nodes in the order given", "node"),
    _id_list("GRNOD", "group of node groups; a negative id removes the nodes of a group", "group"),
    _id_list("GENE", "all nodes with ids in ranges, given as pairs first, last"),
    Keyword(
        ("GRNOD/GEN_INCR",),
        "nodes first, first + incr, ... up to last, one range a line",
        build_group,
        Stage.GROUPS,
        records=(
            card(
                integer("first", 1, "first id"),
                integer("last", 11, "last id"),
                integer("incr", 21, "increment", default=1, minimum=1),
            ),
        ),
        listing="records",
        identity="group",
    ),
    _id_list("PART", "nodes of the elements of parts; a negative id removes the nodes of a part", "part"),
]
