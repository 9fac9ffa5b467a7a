"""Result files with histories that a test chooses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import gsolve
import numpy as np
from fake_simulation import fake_model
from gsolve.solver.core.channels import Channel, Family, SampleBlock
from gsolve.solver.results.history import HistoryFile
from numpy.typing import ArrayLike


def make_result(
    path: Path,
    times: Sequence[float] | np.ndarray,
    histories: Mapping[str, ArrayLike],
    *,
    units: Mapping[str, str] | None = None,
    names: Mapping[int, str] | None = None,
    status: str = "completed",
    message: str = "",
    parameters: Mapping[str, float] | None = None,
    time_unit: str = "s",
) -> gsolve.Result:
    """A file of histories by their names, as node/2/VX and energy/total.

    units : by variable, as VX; names : of objects, by id
    """
    groups: dict[str, dict[str, dict[int | None, np.ndarray]]] = {}
    for name, values in histories.items():
        group, *item, variable = name.split("/")
        group = f"th/{group}" if item else group
        of_item = groups.setdefault(group, {}).setdefault(variable, {})
        of_item[int(item[0]) if item else None] = np.broadcast_to(np.asarray(values, dtype=float), (len(times),))
    families, block = [], SampleBlock(np.asarray(times, dtype=float))
    for group, tables in groups.items():
        channels = tuple(Channel(variable, (units or {}).get(variable, "1"), variable) for variable in tables)
        ids = [id for id in next(iter(tables.values())) if id is not None]
        if ids:
            titles = tuple((names or {}).get(id, f"object {id}") for id in ids)
            families.append(Family(group, channels, np.array(ids), titles))
            block.values[group] = {variable: np.stack([of[id] for id in ids], 1) for variable, of in tables.items()}
        else:
            families.append(Family(group, channels))
            block.values[group] = {variable: of[None] for variable, of in tables.items()}
    model = fake_model()
    model.units = replace(model.units, time=time_unit)
    attributes = {"n_steps": 1, "gsolve_version": "0", "parameters": json.dumps(parameters or {})}
    file = HistoryFile(path, model, tuple(families), samples_expected=len(times), attributes=attributes)
    file.append(block)
    if status == "running":
        file.flush({})
    else:
        file.close(status, message, {})
    return gsolve.load(path)
