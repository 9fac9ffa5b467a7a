"""Histories as tables of columns, block by block: what CSV and Parquet files are written from.

A family has one table: a row a sample and object, so that tables of ten thousand objects have no more columns than
those of one.  Chosen variables stand side by side: a row a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..machine_reader import FRAMES
from ..result import Source
from ..variables import OBJECTS, Family, UnknownNameError, Variable, find_variables

NUMBERS = 400_000  # of a block, about
BODY = FRAMES.removeprefix(OBJECTS)


@dataclass(frozen=True, slots=True)
class Column:
    """unit : "" of labels, "1" of pure numbers; kind : of the values: float, int or str"""

    name: str
    unit: str
    description: str
    kind: type = float


@dataclass(frozen=True, slots=True)
class Table:
    """name : of the family, or of the run where variables were chosen; blocks : gives the columns of some rows"""

    name: str
    columns: list[Column]
    blocks: Iterator[list[NDArray[Any]]]


def family_tables(source: Source) -> list[Table]:
    """A table each family, and one of the poses of bodies at frames."""
    families = [*source.families, *([source.frames] if source.frames is not None else [])]
    return [_table_of(source, family) for family in families]


def _table_of(source: Source, family: Family) -> Table:
    channels = [Column(channel.name, channel.unit, channel.description) for channel in family.channels]
    name = family.group.removeprefix(OBJECTS)
    if family.ids is None:
        return Table(name, [_time(source), *channels], _rows(source, family))
    labels = [Column("id", "", "as in the deck", int), Column("name", "", "of the object", str)]
    labels += [
        Column(label.name, "", label.description, int if isinstance(label.values, np.ndarray) else str)
        for label in family.labels
    ]
    return Table(name, [_time(source), *labels, *channels], _object_rows(source, family))


def _time(source: Source) -> Column:
    return Column("time", source.time_unit, "of the sample")


def _rows(source: Source, family: Family) -> Iterator[list[NDArray[Any]]]:
    times = source.times()
    for start, stop in _spans(len(times), len(family.channels)):
        found = [source.rows(family.group, channel.name, start, stop) for channel in family.channels]
        yield [times[start:stop], *found]


def _object_rows(source: Source, family: Family) -> Iterator[list[NDArray[Any]]]:
    assert family.ids is not None
    times = source.frame_times() if family.group == FRAMES else source.times()
    labels = [family.ids, np.array(family.names, dtype=object)]
    labels += [
        label.values if isinstance(label.values, np.ndarray) else np.array(label.values, dtype=object)
        for label in family.labels
    ]
    count = len(family.ids)
    for start, stop in _spans(len(times), count * (len(family.channels) + len(labels))):
        found = [source.rows(family.group, channel.name, start, stop).ravel() for channel in family.channels]
        yield [np.repeat(times[start:stop], count), *(np.tile(label, stop - start) for label in labels), *found]


def _spans(count: int, width: int) -> Iterator[tuple[int, int]]:
    step = max(1, NUMBERS // max(1, width))
    return ((start, min(start + step, count)) for start in range(0, count, step))


# ---- chosen variables ------------------------------------------------------------------------------------------


def chosen_table(source: Source, name: str, patterns: Sequence[str]) -> Table:
    """The histories of names and patterns, side by side, each once.

    Raises
    ------
    UnknownNameError
        there is none of a name, or poses of bodies, which have times of their own, stand among others
    """
    variables: dict[str, Variable] = {}
    for pattern in patterns:
        families = [source.frames] if source.frames is not None and _is_body(pattern) else source.families
        variables |= {variable.name: variable for variable in find_variables(families, pattern)}
    groups = {variable.group for variable in variables.values()}
    if FRAMES in groups and len(groups) > 1:
        raise UnknownNameError(
            "poses of bodies have times of their own, those of the frames, and go in no table with others: "
            "export body/... by itself"
        )
    times = source.frame_times() if FRAMES in groups else source.times()
    columns = [Column(variable.name, variable.unit, variable.description) for variable in variables.values()]
    return Table(name, [_time(source), *columns], _chosen_rows(source, times, list(variables.values())))


def _is_body(pattern: str) -> bool:
    return pattern.strip().lower().removeprefix("/").removeprefix(OBJECTS).startswith(f"{BODY}/")


def _chosen_rows(source: Source, times: NDArray[Any], variables: list[Variable]) -> Iterator[list[NDArray[Any]]]:
    widths = {family.group: 1 if family.ids is None else len(family.ids) for family in source.families}
    for start, stop in _spans(len(times), max(len(variables), *widths.values())):
        columns, read = [times[start:stop]], {}
        for variable in variables:
            key = (variable.group, variable.channel.name)
            if key not in read:
                read[key] = source.rows(*key, start, stop)
            columns.append(read[key] if variable.place is None else read[key][:, variable.place])
        yield columns
