"""Tables of numbers as CSV files: with columns named as histories are, or as OpenRadioss's th_to_csv writes them."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...core.bodies import Floats
from ...core.channels import Family
from ..files import OutputError
from ..variables import UnknownNameError, Variable, all_variables, find_variable

# What tells a header of th_to_csv from others.
_FIRST_COLUMNS = ["time", "INTERNAL ENERGY", "KINETIC ENERGY"]
_WRITTEN_TO = 5e-7  # it writes six digits after the point
_UNIT = re.compile(r"\s*\[(?P<unit>[^\]]*)\]\s*$")


@dataclass(frozen=True, slots=True)
class Column:
    """A column that stands for a history; unit "" where the table names none."""

    variable: Variable
    unit: str
    values: Floats


@dataclass(slots=True)
class Table:
    """What a CSV file has.

    unmapped : names of the columns that stand for no history
    resolution : half a unit of the last digit of its numbers, 0 where all digits are there
    hint : what to do where no column stands for a history
    """

    times: Floats
    time_unit: str
    columns: list[Column]
    unmapped: list[str]
    resolution: float = 0.0
    notes: list[str] = field(default_factory=list)
    hint: str = "columns are named as gjoint/1/VEL1, see docs/compare.md"


def read_table(path: Path, families: Sequence[Family]) -> Table:
    """Read a CSV file: a header, then a row a sample, the time in a column named time.

    families : of the run that gives names their meaning

    Raises
    ------
    OutputError
        the file cannot be read, has no column of the time, or something in it that is no number; names the line
    """
    header, numbers = _read(path)
    names, units = zip(*(_split(cell) for cell in header), strict=True)
    try:
        at = [name.lower() for name in names].index("time")
    except ValueError:
        raise OutputError(f"{path}, line 1: there is no column 'time'; found {', '.join(names[:8])}") from None
    times = numbers[:, at]
    if not np.all(np.isfinite(times)) or any(later <= sooner for sooner, later in pairwise(times.tolist())):
        raise OutputError(f"{path}: the times do not grow from row to row")
    converted = list(names[: len(_FIRST_COLUMNS)]) == _FIRST_COLUMNS
    nodes = _nodes(families) if converted else {}
    found, unmapped = [], []
    for k, name in enumerate(names):
        if k == at:
            continue
        variable = _of_radioss(name, nodes) if converted else _named(name, families)
        if variable is None:
            unmapped.append(name)
        else:
            found.append(Column(variable, units[k], numbers[:, k]))
    twice = sorted({c.variable.name for c in found if sum(c.variable.name == d.variable.name for d in found) > 1})
    if twice:
        raise OutputError(f"{path}, line 1: more than one column stands for {', '.join(twice)}")
    table = Table(times, units[at], found, unmapped)
    if converted:
        table.resolution = _WRITTEN_TO
        table.notes.append("written by th_to_csv with six digits after the point: 5e-7 is added to the tolerance")
        if any(re.search(r"\bvar \d+$", name) for name in unmapped):
            table.hint = "its columns have no names of variables: /TH/TITLE in the engine deck gives them"
    return table


def _read(path: Path) -> tuple[list[str], Floats]:
    """Header and numbers (nt, n) of a file; an empty cell is NaN.

    Commas divide columns, or tabs where the header has some and no comma.
    """
    try:
        lines = StringIO(_text(path), newline="")
        first = lines.readline()
        delimiter = "\t" if "\t" in first and "," not in first else ","
        lines.seek(0)
        rows = [(line, row) for line, row in _numbered(csv.reader(lines, delimiter=delimiter))
                if any(map(str.strip, row))]  # fmt: skip
    except (OSError, csv.Error) as error:
        raise OutputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if len(rows) < 2:
        raise OutputError(f"{path} holds no samples: a header and at least one row are needed")
    header = rows[0][1]
    if len(header) == 1 and ";" in header[0]:
        raise OutputError(f"{path}, line 1: columns are divided by ';', and a comma is needed")
    numbers = np.full((len(rows) - 1, len(header)), np.nan)
    for k, (line, row) in enumerate(rows[1:]):
        if len(row) != len(header):
            raise OutputError(f"{path}, line {line}: {len(row)} numbers, the header has {len(header)} names")
        for c, cell in enumerate(row):
            try:
                numbers[k, c] = _number(cell)
            except ValueError:
                raise OutputError(f"{path}, line {line}, {header[c].strip()}: {cell!r} is no number") from None
    return header, numbers


def _text(path: Path) -> str:
    """Of a file in UTF-8, or in UTF-16 with a mark at its begin, as spreadsheets write it."""
    data = path.read_bytes()
    encoding = "utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    return data.decode(encoding, "replace")


def _numbered(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows, each with the line on which it begins: a quoted cell may go over several."""
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def _number(cell: str) -> float:
    """Of a cell, NaN of an empty one; Python's own 1_000 is no number of a table."""
    if "_" in cell:
        raise ValueError(cell)
    return float(cell) if cell.strip() else np.nan


def _split(cell: str) -> tuple[str, str]:
    """Name and unit of a header cell as "node/2/VX [m/s]"."""
    match = _UNIT.search(cell)
    return (cell[: match.start()].strip(), match["unit"].strip()) if match else (cell.strip(), "")


def _named(name: str, families: Sequence[Family]) -> Variable | None:
    try:
        return find_variable(families, name)
    except UnknownNameError:
        return None


def _nodes(families: Sequence[Family]) -> dict[tuple[str, str], Variable]:
    """Histories of nodes by id and variable."""
    variables = all_variables(family for family in families if family.group == "th/node")
    return {(variable.name.split("/")[1], variable.channel.name): variable for variable in variables}


def _of_radioss(name: str, nodes: Mapping[tuple[str, str], Variable]) -> Variable | None:
    """The history of a column of th_to_csv: those of nodes are named GROUP ID NAME VARIABLE.

    Names of groups and nodes may have numbers in them: a column is taken only if one node alone can be meant.
    """
    *words, last = name.split() or [""]
    ids = [(word, " ".join(words[k + 1 :])) for k, word in enumerate(words) if word.isdecimal()]
    meant = [
        nodes[id, last]
        for id, title in ids
        if (id, last) in nodes and (len(ids) == 1 or _is_title(title, nodes[id, last]))
    ]
    return meant[0] if len(meant) == 1 else None


def _is_title(title: str, node: Variable) -> bool:
    return title == " ".join(node.object_name.split())
