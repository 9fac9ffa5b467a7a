"""Parquet, by pyarrow: each column knows its unit and description, the file the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .extras import extra
from .outputs import new_file
from .tables import Column, Table


def write_parquet(table: Table, path: Path, attributes: Mapping[str, Any]) -> None:
    """Write a table; attributes : of the result file, kept with the file.

    Raises
    ------
    OutputError
        pyarrow is not installed, or the file cannot be written
    """
    arrow, parquet = (extra(name, "--parquet") for name in ("pyarrow", "pyarrow.parquet"))
    types = {float: arrow.float64(), int: arrow.int64(), str: arrow.string()}
    fields = [arrow.field(column.name, types[column.kind], metadata=_facts(column)) for column in table.columns]
    schema = arrow.schema(fields, metadata={name: str(value) for name, value in attributes.items()})
    with new_file(path) as part, parquet.ParquetWriter(part, schema) as writer:
        for block in table.blocks:
            arrays = [arrow.array(values, type=field.type) for values, field in zip(block, schema, strict=True)]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _facts(column: Column) -> dict[str, str]:
    facts = {"description": column.description}
    return {"units": column.unit, **facts} if column.unit else facts
