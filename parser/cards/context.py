"""What all builders share: the deck being read, the model being built, and the ids known so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..model import Engine, Ints, Model, Nodes, Surface, Units
from ..text.numbers import nearest_ids
from ..text.source import Source
from ..text.units import SI, Dimension, UnitSystem, conversion_factor
from .block import Block, Row
from .compiled_layout import CompiledLayout, compile_layout
from .layout import Field, Keyword, Layout, Values
from .reading import Reading
from .table_reader import Records
from .unresolved import IdTable, Unresolved

# What defines the objects that numbers refer to.
_DEFINED_BY = {
    "node": "/NODE",
    "group": "/GRNOD",
    "function": "/FUNCT",
    "skew": "/SKEW",
    "frame": "/FRAME/FIX",
    "sensor": "/SENSOR",
    "part": "/PART",
    "material": "/MAT",
    "property": "/PROP",
    "surface": "/SURF",
    "GJOINT": "/GJOINT",
    "JOINT": "/JOINT",
    "DRIVE": "/DRIVE",
    "INTER": "/INTER",
    "RWALL": "/RWALL",
    "GRSHEL": "/GRSHEL",
    "GRSH3N": "/GRSH3N",
    "GRBRIC": "/GRBRIC",
}
_MOST_REPETITIONS = 20


class Context(Reading):
    """The state of reading one deck: what its readers share, and what is known by now.

    unit_systems : of /UNIT, by id; None after an error in the block
    defined : the block of each id, by kind ("node" by `node_rows`)
    groups : node rows of each group
    unresolved : what waits for later blocks
    model : what is built
    """

    def __init__(self, source: Source, gjoint_alpha: Literal["documented", "inverse"]) -> None:
        super().__init__(source)
        self.gjoint_alpha = gjoint_alpha
        self.input_units: UnitSystem = SI
        self.work_units: UnitSystem = SI
        self.unit_systems: dict[int, UnitSystem | None] = {}
        self.defined: dict[str, dict[int, Block]] = {kind: {} for kind in _DEFINED_BY}
        self.groups: dict[int, Ints] = {}
        self.unresolved = Unresolved()
        self.model = Model(
            run_name="",
            title="",
            units=Units("kg", "m", "s", 1.0, 1.0, 1.0),
            nodes=Nodes(np.empty(0, dtype=np.int64), np.empty((0, 3))),
            engine=Engine(),
            deck_text="",
            deck_sha256="",
            files=[],
        )
        self._compiled: dict[Layout, CompiledLayout] = {}
        self._factors: dict[tuple[int, Dimension], float] = {}
        self._rows: dict[int, int] | None = None
        self._order: tuple[Ints, Ints] | None = None

    # Messages

    def report_record(
        self,
        block: Block,
        records: Records,
        row: int,
        field: Field,
        message: str,
        *,
        found: str = "",
        allowed: str = "",
        hint: str = "",
    ) -> None:
        """An error about one field of one record of a list."""
        where = Row(block, int(records.offsets[row]), block.id)
        self.report(where.diagnose("error", message, field=field.name, found=found, allowed=allowed, hint=hint))

    # Layouts and units

    def compiled(self, keyword: Keyword) -> CompiledLayout:
        """The layout that a keyword has in this deck, ready for reading."""
        layout = self.layouts.of(keyword)
        compiled = self._compiled.get(layout)
        if compiled is None:
            compiled = self._compiled[layout] = compile_layout(layout)
        return compiled

    def unit_factor(self, block: Block, dimension: Dimension) -> float:
        """From the units of a block to working units."""
        key = (block.unit_id, dimension)
        factor = self._factors.get(key)
        if factor is None:
            system = self.unit_systems.get(block.unit_id) if block.unit_id else self.input_units
            factor = 1.0 if system is None else conversion_factor(system, self.work_units, dimension)
            self._factors[key] = factor
        return factor

    def unit_factors(self, block: Block, dimensions: Iterable[tuple[str, Dimension]]) -> list[tuple[str, float]]:
        """The fields that have to be multiplied, and by what."""
        if not block.unit_id and self.input_units == self.work_units:
            return []
        factors = [(name, self.unit_factor(block, dimension)) for name, dimension in dimensions]
        return [(name, factor) for name, factor in factors if factor != 1.0]

    # Nodes

    def set_nodes(self, nodes: Nodes) -> None:
        self.model.nodes = nodes
        self._rows = None
        self._order = None

    @property
    def node_rows(self) -> dict[int, int]:
        """Row of each node id; built when first asked for."""
        if self._rows is None:
            ids = self.model.nodes.ids.tolist()
            self._rows = dict(zip(ids, range(len(ids)), strict=True))
        return self._rows

    def rows_of(self, ids: Ints) -> Ints:
        """Node rows of many ids; -1 for ids that no node has."""
        if len(ids) < 1000:
            rows = self.node_rows
            return np.array([rows.get(id, -1) for id in ids.tolist()], dtype=np.int64)
        if self._order is None:
            order = np.argsort(self.model.nodes.ids, kind="stable")
            self._order = order, self.model.nodes.ids[order]
        order, known = self._order
        if not len(known):
            return np.full(len(ids), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(known, ids), len(known) - 1)
        return np.where(known[place] == ids, order[place], -1)

    def resolve_node_column(self, block: Block, field: Field, records: Records) -> bool:
        """Replace a column of node ids by rows (0 becomes -1); unknown ids are reported."""
        ids = records.columns[field.name]
        rows = self.rows_of(ids)
        bad = np.flatnonzero((rows < 0) & (ids != 0)).tolist()
        for row in bad[:1]:
            more = f" (nor do {len(bad) - 1} more of this field)" if len(bad) > 1 else ""
            self.report_record(
                block,
                records,
                row,
                field,
                f"node {ids[row]} does not exist{more}",
                hint=self.nearest("node", int(ids[row])),
            )
        records.columns[field.name] = np.where(ids == 0, -1, rows)
        return not bad

    # References

    def surface(self, id: int) -> Surface | None:
        """A surface that can touch something; one of elements is made when it is first asked for."""
        make = self.unresolved.surfaces_of_elements.pop(id, None)
        made = make() if make is not None else None
        if made is not None:
            self.unresolved.surfaces[id] = made
        return self.unresolved.surfaces.get(id)

    def nearest(self, kind: str, id: int) -> str:
        """A hint with the nearest ids of a kind, or the keyword that the deck lacks."""
        ids = self.model.nodes.ids.tolist() if kind == "node" else list(self.defined[kind])
        return nearest_ids(id, ids, kind, _DEFINED_BY[kind])

    def resolve_fields(self, block: Block, fields: list[Field], values: Values) -> bool:
        """Check what the fields of a block refer to; nodes become rows, groups become arrays of rows.

        Fields without a value (it could not be read) are passed over; those that refer to nothing lose theirs.
        """
        good = True
        for field in fields:
            if field.name not in values:
                continue
            kind = field.reference
            id = values[field.name]
            usable = True
            if kind == "node":
                row = self.node_rows.get(id, -1) if id else -1
                values[field.name] = row
                known = row >= 0 or not id
            elif kind == "group":
                rows = self.groups.get(id)
                values[field.name] = rows
                known = not id or id in self.defined["group"]
                if id and rows is not None and not len(rows):
                    self._report_empty(block, field, id)
                    usable = False
                usable &= rows is not None or not id
            else:
                known = not id or id in self.defined[kind]
            if not known:
                message = f"{kind} {id} does not exist"
                self.report(block.diagnose("error", message, field=field.name, hint=self.nearest(kind, id)))
            if not (known and usable):
                del values[field.name]
                good = False
        return good

    def _report_empty(self, block: Block, field: Field, id: int) -> None:
        group = self.defined["group"][id]
        message = f"group {id} holds no node"
        hint = f"{group.name} is defined at {group.place}"
        if group.looks_untitled:
            hint += f'; its title is "{group.title}": is the line of the title missing?'
        self.report(block.diagnose("error", message, field=field.name, hint=hint))

    def first_of_each(self, tables: list[IdTable], what: str) -> NDArray[np.bool_]:
        """Which ids of some tables, one after the other, are not repetitions; repetitions are reported."""
        ids = np.concatenate([table.ids for table in tables])
        order = np.argsort(ids, kind="stable")
        repeated = np.flatnonzero(np.diff(ids[order]) == 0)
        first_rows = np.cumsum([0] + [len(table.ids) for table in tables])
        for k in repeated[:_MOST_REPETITIONS].tolist():
            first, second = (_locate(tables, first_rows, int(order[j])) for j in (k, k + 1))
            (earlier, earlier_row), (table, row) = first, second
            file, line = self.source.place(earlier.block.body_line + int(earlier.records.offsets[earlier_row]))
            field = table.block.layout.records[0].fields[0]
            message = f"{what} {table.ids[row]} is defined twice"
            self.report_record(table.block, table.records, row, field, message, hint=f"first defined at {file}:{line}")
        keep = np.ones(len(ids), dtype=bool)
        keep[order[repeated + 1]] = False
        return keep

    def define(self, kind: str, block: Block) -> bool:
        """Enter a block as the definition of its id; False if the id is taken (which is reported)."""
        table = self.defined.setdefault(kind, {})
        assert block.id is not None
        first = table.setdefault(block.id, block)
        if first is block:
            return True
        hint = f"first used by {first.name} at {first.place}"
        if not any(block.options):
            hint += "; a header without an id has the id 1"
        self.report(block.diagnose("error", f"the id {block.id} is used twice", hint=hint))
        return False


def _locate(tables: list[IdTable], first_rows: Ints, row: int) -> tuple[IdTable, int]:
    """Table and row in it of a row of all tables one after the other."""
    index = int(np.searchsorted(first_rows, row, side="right")) - 1
    return tables[index], row - int(first_rows[index])
