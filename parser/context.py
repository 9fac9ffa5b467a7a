"""What all builders share: the deck being read, the model being built, and the ids known so far."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from .block import Block, Row
from .diagnostics import DeckError, Diagnostic
from .layout import Dimension, Field, Keyword, Layout, Values, layout_of
from .model import Engine, Ints, Model, Nodes, Units
from .numbers import nearest, numbered_list
from .reader import CompiledLayout, compile_layout
from .source import Source
from .table_reader import Records
from .units import SI, UnitSystem, conversion_factor

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
}


class Context:
    """The state of reading one deck."""

    def __init__(self, source: Source, gjoint_alpha: Literal["documented", "inverse"]) -> None:
        self.source = source
        self.gjoint_alpha = gjoint_alpha
        self.diagnostics: list[Diagnostic] = list(source.diagnostics)
        self.version = 0
        self.input_units: UnitSystem = SI
        self.work_units: UnitSystem = SI
        self.unit_systems: dict[int, UnitSystem | None] = {}
        self.parameters: dict[str, float | int | None] = {}
        self.defined: dict[str, dict[int, Block]] = {kind: {} for kind in _DEFINED_BY}
        self.groups: dict[int, Ints] = {}
        self.objects: dict[str, Any] = {}
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
        self._layouts: dict[Keyword, CompiledLayout] = {}
        self._factors: dict[tuple[int, Dimension], float] = {}
        self._rows: dict[int, int] | None = None
        self._order: tuple[Ints, Ints] | None = None

    # Messages

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

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

    def sorted_diagnostics(self) -> list[Diagnostic]:
        """All messages, each once, in the order of files and lines."""
        rank = {file: index for index, file in enumerate(self.source.files)}
        unique = list(dict.fromkeys(self.diagnostics))
        unique.sort(key=lambda d: (rank.get(d.file, len(rank)), d.line, d.column))
        return unique

    def raise_errors(self) -> None:
        """Raise `DeckError` with everything found so far if there is an error among it."""
        if any(diagnostic.severity == "error" for diagnostic in self.diagnostics):
            raise DeckError(self.sorted_diagnostics())

    # Layouts and units

    def compiled(self, keyword: Keyword) -> CompiledLayout:
        compiled = self._layouts.get(keyword)
        if compiled is None:
            compiled = self._layouts[keyword] = compile_layout(layout_of(keyword, self.version))
        return compiled

    def layout(self, keyword: Keyword) -> Layout:
        return self.compiled(keyword).layout

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

    # Parameters

    def suggest_parameter(self, name: str) -> str:
        close = difflib.get_close_matches(name, list(self.parameters), 3, 0.5)
        if close:
            return f"did you mean {' or '.join(close)}?"
        if self.parameters:
            return f"parameters of this deck: {', '.join(sorted(self.parameters))}"
        return "the deck has no /PARAMETER"

    def known_parameters(self) -> dict[str, float | int]:
        """The parameters that have a value."""
        return {name: value for name, value in self.parameters.items() if value is not None}

    def parameter_value(self, text: str) -> float | None:
        """The value of `&name` or `-&name`; None if there is none."""
        value = self.parameters.get(text.lstrip("-")[1:])
        if value is None:
            return None
        return -float(value) if text.startswith("-") else float(value)

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
        zero_node = self.node_rows.get(0, -1) if field.required else -1
        records.columns[field.name] = np.where(ids == 0, zero_node, rows)
        return not bad

    # References

    def nearest(self, kind: str, id: int) -> str:
        """A hint with the nearest ids of a kind, or the keyword that the deck lacks."""
        ids = self.model.nodes.ids.tolist() if kind == "node" else list(self.defined[kind])
        if not ids:
            return f"the deck has no {_DEFINED_BY[kind]}"
        return f"nearest {kind} ids: {numbered_list(nearest(id, ids))}"

    def resolve_fields(self, block: Block, fields: list[Field], values: Values) -> bool:
        """Check what the fields of a block refer to; nodes become rows, groups become arrays of rows.

        Fields without a value (it could not be read) are passed over.
        """
        good = True
        for field in fields:
            if field.name not in values:
                continue
            kind = field.reference
            id = values[field.name]
            if kind == "node":
                row = self.node_rows.get(id, -1) if id or field.required else -1
                values[field.name] = row
                known = row >= 0 or not id
            elif kind == "group":
                rows = self.groups.get(id)
                values[field.name] = rows
                known = not id or id in self.defined["group"]
                if id and rows is not None and not len(rows):
                    self._report_empty(block, field, id)
                    good = False
                good &= rows is not None or not id
            else:
                known = not id or id in self.defined[kind]
            if not known:
                message = f"{kind} {id} does not exist"
                self.report(block.diagnose("error", message, field=field.name, hint=self.nearest(kind, id)))
                good = False
        return good

    def _report_empty(self, block: Block, field: Field, id: int) -> None:
        group = self.defined["group"][id]
        message = f"group {id} holds no node"
        self.report(
            block.diagnose("error", message, field=field.name, hint=f"{group.name} is defined at {group.place}")
        )

    def define(self, kind: str, block: Block) -> bool:
        """Enter a block as the definition of its id; False if the id is taken (which is reported)."""
        table = self.defined.setdefault(kind, {})
        assert block.id is not None
        first = table.setdefault(block.id, block)
        if first is block:
            return True
        self.report(
            block.diagnose(
                "error",
                f"the id {block.id} is used twice",
                hint=f"first used by {first.name} at {first.place}",
            )
        )
        return False
