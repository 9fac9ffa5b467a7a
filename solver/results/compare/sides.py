"""What is compared: the histories of a run or of a table, by their full names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...core.bodies import Floats
from ..files import OutputError
from ..history_reader import HistoryReader
from ..result import Result
from ..variables import Variable, all_variables
from .csv_file import Column, read_table


@dataclass(slots=True)
class Side:
    """One of the two that are compared.

    label : its file, or "result" in memory
    times, time_unit : of the samples
    units : of each history, by its name
    values : gives the (nt,) values of a name
    whole : whether it has all histories of a run, so that one that the other has alone is new
    resolution : of a written number, below which digits mean nothing
    status : of the run, "" of a table
    origin : what the run was made from: its deck, its parameters and the version of gsolve, by name; none of a table
    notes : what has to be known of it
    unmapped : columns of a table that stand for no history
    objects : name and histories of each object, by "node/12"
    run : that it is, whose frames are compared too; None of a table
    """

    label: str
    times: Floats
    time_unit: str
    units: dict[str, str]
    values: Callable[[str], Floats]
    whole: bool = True
    resolution: float = 0.0
    status: str = ""
    origin: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unmapped: list[str] = field(default_factory=list)
    objects: dict[str, str] = field(default_factory=dict)
    run: Result | None = None


def load_result(path: Path) -> Result:
    """A result file.

    Raises
    ------
    OutputError
        it is not there, damaged, or of another program
    """
    if not path.exists():
        raise OutputError(f"{path} does not exist")
    if path.suffix.lower() == ".out":
        raise OutputError(f"{path} is a listing; the histories are in {path.with_suffix('.h5')}")
    return Result(HistoryReader(path))


def side_of_result(result: Result, label: str = "result") -> Side:
    """All histories of a run."""
    variables = {variable.name: variable for variable in all_variables(result.families)}

    def values(name: str) -> Floats:
        variable = variables[name]
        table = getattr(result, variable.group) if variable.place is None else result.th[_family(variable)]
        whole = np.asarray(table[variable.channel.name])
        return whole if variable.place is None else whole[:, variable.place]

    path = str(result.path) if result.path is not None else label
    units = {name: variable.unit for name, variable in variables.items()}
    objects = {name.rpartition("/")[0]: variable.object_name for name, variable in variables.items()}
    return Side(
        path, np.asarray(result.time), result.time.units, units, values,
        status=result.status, origin=_origin(result), notes=_status_notes(result), objects=objects,
        run=result,
    )  # fmt: skip


def side_of_table(path: Path, run: Result) -> Side:
    """A CSV file, whose columns are told by the names of the histories of a run; units it does not name are the run's.

    Raises
    ------
    OutputError
        it cannot be read, or no column stands for a history
    """
    table = read_table(path, run.families)
    columns: dict[str, Column] = {column.variable.name: column for column in table.columns}
    if not columns:
        if not table.unmapped:
            raise OutputError(f"{path}: there is no column beside the time; {table.hint}")
        names = ", ".join(repr(name) for name in table.unmapped[:6])
        raise OutputError(f"{path}: no column stands for a history of {run.path or 'the run'} ({names}); {table.hint}")
    return Side(
        str(path),
        table.times,
        table.time_unit or run.time.units,
        {name: column.unit or column.variable.unit for name, column in columns.items()},
        lambda name: columns[name].values,
        whole=False,
        resolution=table.resolution,
        notes=table.notes,
        unmapped=table.unmapped,
    )


def _origin(result: Result) -> dict[str, str]:
    parameters = {f"parameter {name}": f"{value:.12g}" for name, value in result.parameters.items()}
    version = str(result.attributes.get("gsolve_version", ""))
    return {"deck": str(result.attributes.get("deck_sha256", "")), "version of gsolve": version, **parameters}


def _family(variable: Variable) -> str:
    return variable.group.removeprefix("th/")


def _status_notes(result: Result) -> list[str]:
    why = f": {result.message}" if result.message else ""
    if result.status == "running":
        return ["its run goes on, or was killed; compared as far as it is written"]
    return [] if result.status == "completed" else [f"its run {_was(result.status)}{why}"]


def _was(status: str) -> str:
    return "was stopped" if status == "stopped" else status
