"""CSV: a header of names with units in brackets, numbers with all their digits, empty cells for NaN."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .outputs import new_file
from .tables import Column, Table


def write_csv(table: Table, path: Path) -> None:
    """Write a table.

    Raises
    ------
    OutputError
        the file cannot be written
    """
    with new_file(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([_heading(column) for column in table.columns])
        for block in table.blocks:
            writer.writerows(zip(*map(_cells, block), strict=True))


def _heading(column: Column) -> str:
    return column.name if column.unit in ("", "1") else f"{column.name} [{column.unit}]"


def _cells(values: NDArray[Any]) -> list[Any]:
    """Python writes a number with the fewest digits that give it back to the last bit."""
    cells: list[Any] = values.tolist()
    if values.dtype.kind == "f":
        for k in np.flatnonzero(np.isnan(values)):
            cells[k] = None
    return cells
