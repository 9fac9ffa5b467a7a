"""Histories as pandas and xarray have them; both are imported here alone, and need not be installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .result import ObjectHistories, ObjectTable, Result, Table

if TYPE_CHECKING:
    import pandas
    import xarray


def package(name: str) -> Any:
    """A package that gsolve does not need itself.

    Raises
    ------
    ImportError
        with the command that installs it
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(f"this needs {name}, which is not installed: pip install {name}", name=name) from error


def object_frame(histories: ObjectHistories) -> pandas.DataFrame:
    """A row a sample, a column a variable."""
    pandas = package("pandas")
    values = {name: np.asarray(histories[name]) for name in histories.variables}
    return pandas.DataFrame(values, index=_time_index(pandas, histories.time))


def table_frame(table: Table) -> pandas.DataFrame:
    """A row a sample; a column a variable, or a variable and id."""
    pandas = package("pandas")
    index = _time_index(pandas, table.time)
    if not isinstance(table, ObjectTable):
        return pandas.DataFrame({name: np.asarray(table[name]) for name in table.variables}, index=index)
    columns = pandas.MultiIndex.from_product([table.variables, table.ids.tolist()], names=["variable", "id"])
    values = np.concatenate([table[name] for name in table.variables], axis=1)
    return pandas.DataFrame(np.asarray(values), index=index, columns=columns)


def result_frame(result: Result) -> pandas.DataFrame:
    """All histories, each under its name."""
    pandas = package("pandas")
    columns = {
        f"{table.group}/{name}": np.asarray(table[name])
        for table in (result.energy, result.diag)
        for name in table.variables
    }
    for family in result.th:
        table = result.th[family]
        for name in table.variables:
            values = np.asarray(table[name])
            columns |= {f"{family}/{id}/{name}": values[:, k] for k, id in enumerate(table.ids)}
    return pandas.DataFrame(columns, index=_time_index(pandas, result.time))


def table_dataset(table: Table) -> xarray.Dataset:
    """The group as xarray reads it from the file."""
    xarray = package("xarray")
    time = table.time
    coordinates: dict[str, Any] = {
        "time": ("time", np.asarray(time), {"units": time.units, "description": time.description})
    }
    axes: tuple[str, ...] = ("time",)
    if isinstance(table, ObjectTable):
        axes = ("time", "id")
        coordinates |= {"id": ("id", table.ids), "name": ("id", np.array(table.names, dtype=object))}
        for label, values in table.labels.items():
            coordinates[label] = ("id", np.array(values, dtype=np.int64 if isinstance(values, np.ndarray) else object))
    variables = {}
    for name in table.variables:
        history = table[name]
        variables[name] = (axes, np.asarray(history), {"units": history.units, "description": history.description})
    return xarray.Dataset(variables, coordinates)


def result_tree(result: Result) -> xarray.DataTree:
    """The file as xarray's `open_datatree` reads it."""
    xarray = package("xarray")
    if not hasattr(xarray, "DataTree"):
        raise ImportError("this needs xarray 2024.10 or newer: pip install --upgrade xarray", name="xarray")
    groups: dict[str, Any] = {"/": xarray.Dataset({"deck": ((), result.deck)}, attrs=result.attributes)}
    groups |= {f"/{table.group}": table_dataset(table) for table in (result.energy, result.diag)}
    groups |= {f"/th/{family}": table_dataset(result.th[family]) for family in result.th}
    return xarray.DataTree.from_dict(groups)


def _time_index(pandas: Any, time: Any) -> Any:
    return pandas.Index(np.asarray(time), name="time")
