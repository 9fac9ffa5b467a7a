"""Histories as pandas and xarray have them; both are imported here alone, and need not be installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .arrays import History

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


def frame(time: History, columns: Mapping[Any, NDArray[np.float64]], levels: tuple[str, ...] = ()) -> pandas.DataFrame:
    """A row a sample, a column a history (nt,); levels : names of the parts of the columns' names."""
    pandas = package("pandas")
    values = {name: np.asarray(history) for name, history in columns.items()}
    found = pandas.DataFrame(values, index=pandas.Index(np.asarray(time), name="time"))
    if levels:
        found.columns.names = levels
    return found


def dataset(
    time: History,
    histories: Iterable[History],
    labels: Mapping[str, NDArray[np.int64] | tuple[str, ...]],
    *,
    axis: str = "time",
) -> xarray.Dataset:
    """A group as xarray reads it from the file.

    labels : of the objects, `id` among them, none for scalars
    axis : dimension of the times; `frame` counts frames
    """
    xarray = package("xarray")

    def attributes(history: History) -> dict[str, str]:
        return {"units": history.units, "long_name": history.description}

    axes = (axis, "id") if labels else (axis,)
    coordinates: dict[str, Any] = {"time": (axis, np.asarray(time), attributes(time))}
    if axis == "frame":
        numbers = {"units": "1", "long_name": "number of the frame"}
        coordinates["frame"] = ("frame", np.arange(len(time), dtype=np.float64), numbers)
    for name, values in labels.items():
        coordinates[name] = ("id", np.array(values, dtype=np.int64 if isinstance(values, np.ndarray) else object))
    variables = {history.name: (axes, np.asarray(history), attributes(history)) for history in histories}
    return xarray.Dataset(variables, coordinates)


def tree(groups: Mapping[str, xarray.Dataset], texts: Mapping[str, str], attributes: dict[str, Any]) -> xarray.DataTree:
    """The file as xarray's `open_datatree` reads it; texts : its datasets beside the groups."""
    xarray = package("xarray")
    if not hasattr(xarray, "DataTree"):
        raise ImportError("this needs xarray 2024.10 or newer: pip install --upgrade xarray", name="xarray")
    root = xarray.Dataset({name: ((), text) for name, text in texts.items()}, attrs=attributes)
    return xarray.DataTree.from_dict({"/": root, **{f"/{name}": group for name, group in groups.items()}})
