"""Result files for tests: written from a fake run, and read back."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from fake_simulation import FakeSimulation, fake_model
from gsolve.solver.results.history import HistoryFile

GROUPS = ("energy", "diag", "th/node", "th/gjoint")  # of the fake run


def open_history(path: Path, simulation: FakeSimulation, **attributes: str | int | float) -> HistoryFile:
    attributes = {"n_steps": 0, "gsolve_version": "0", **attributes}
    return HistoryFile(path, fake_model(), simulation.families, samples_expected=11, attributes=attributes)


def write_history(path: Path, *, blocks: int = 3, **arguments: object) -> FakeSimulation:
    """A complete file of a fake run, written in some blocks; returns the simulation."""
    simulation = FakeSimulation(**arguments)
    history = open_history(path, simulation)
    while not simulation.finished:
        history.append(simulation.advance(-(-simulation.n_steps_estimate // blocks)))
        history.flush({"n_steps": simulation.step})
    history.close("completed", "", {"n_steps": simulation.step})
    return simulation


def datasets(path: Path) -> dict[str, bytes]:
    """Raw bytes of every dataset."""
    found = {}

    def visit(name: str, item: object) -> None:
        if isinstance(item, h5py.Dataset):
            value = item.asstr()[()] if h5py.check_string_dtype(item.dtype) else item[()]
            if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
                found[name] = repr((value.dtype.str, value.shape)).encode() + value.tobytes()
            else:
                found[name] = repr(value.tolist() if isinstance(value, np.ndarray) else value).encode()
        elif isinstance(item, h5py.Group) and "time" in item:
            visit(f"{name}/time", item["time"])  # one dataset under many names, of which visititems gives one

    with h5py.File(path) as file:
        file.visititems(visit)
    return found
