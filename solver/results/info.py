"""`gsolve info`: what is in a result file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic, Severity
from gsolve.parser.text.numbers import counted

from .describe import LABEL_WIDTH, diagnostic_lines, fact, parameters_text, span
from .files import OutputError
from .hdf5 import DAMAGE, damaged, opened
from .history_reader import attributes_of, groups_of, long_name, messages_of
from .machine_reader import FRAMES

# Severities of messages and their headings, in the order in which they are listed.
KINDS: dict[Severity, str] = {
    "warning": "warnings about the deck and the run:",
    "doubt": "warnings about the results:",
    "note": "notes of the run:",
}


def read_info(path: Path) -> dict[str, Any]:
    """Everything about a result file but its numbers: attributes, times, messages, families, variables and objects.

    Raises
    ------
    OutputError
        the file is not a result file of gsolve, or cannot be read
    """
    try:
        with opened(path) as file:
            if "gsolve_version" not in file.attrs or "time" not in file:
                raise OutputError(f"{path} is an HDF5 file, but not a result of gsolve")
            times = file["time"][:]
            facts: dict[str, Any] = {"file": str(path), **attributes_of(file)}
            if "parameters" in facts:
                facts["parameters"] = json.loads(facts["parameters"])
            facts["n_samples"] = len(times)
            facts["t_first"], facts["t_last"] = (float(times[0]), float(times[-1])) if len(times) else (None, None)
            facts["energy_error_largest"] = _largest(file, "energy/error")
            facts["constraint_violation_largest"] = _largest(file, "diag/constraint_violation")
            facts["messages"] = list(messages_of(file)) if _holds_messages(file, facts) else None
            facts["families"] = [_family(file[group]) for group in groups_of(file)]
            facts["n_frames"] = len(file[FRAMES]["time"]) if FRAMES in file else None
            facts["n_bodies"] = len(file["model/body"]) if "model/body" in file else None
            return facts
    except DAMAGE as error:
        raise damaged(path) from error


def _holds_messages(file: h5py.File, facts: dict[str, Any]) -> bool:
    """Whether all that was told is there: not before the run is over, nor in files of older versions."""
    return "messages" in file and facts["status"] != "running"


def _largest(file: h5py.File, name: str) -> float | None:
    if name not in file or not len(file[name]):
        return None
    return float(np.nanmax(np.abs(file[name][:]), initial=0.0))


def _family(group: h5py.Group) -> dict[str, Any]:
    variables = [
        {"name": name, "unit": dataset.attrs["units"], "description": long_name(dataset.id)}
        for name, dataset in group.items()
        if name != "time" and "units" in dataset.attrs  # else a label
    ]
    objects = []
    if "id" in group:
        names = group["name"].asstr()[:]
        objects = [{"id": int(id), "name": name} for id, name in zip(group["id"][:], names, strict=True)]
    return {"group": group.name.lstrip("/"), "objects": objects, "variables": variables}


def info_lines(facts: dict[str, Any], *, verbose: bool) -> list[str]:
    """The facts of `read_info` as text; `verbose` lists messages and objects, and describes variables."""
    lines = [fact(*pair) for pair in run_facts(facts)]
    if facts["messages"] is not None:
        lines += _message_lines(facts["messages"], verbose)
    elif facts.get("doubts"):
        lines.append(fact("doubts", f"{facts['doubts']} about these results: see the listing"))
    for family in facts["families"]:
        lines += _family_lines(family, verbose)
    return lines


def run_facts(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What `read_info` found of the run as a whole: labels and texts."""
    time_unit = facts["units_time"]
    status = facts["status"] + (f": {facts['message']}" if facts["message"] else "")
    if facts["status"] == "running":
        status += " (or killed: the file holds the run up to its last flush)"
    pairs = [
        ("file", facts["file"]),
        ("run", f"{facts['run_name']}: {facts['title']}"),
        ("made by", f"gsolve {facts['gsolve_version']}, {facts['created']}, FscaleV {facts['gjoint_alpha']}"),
        ("status", status),
        ("units", f"{facts['units_mass']}, {facts['units_length']}, {time_unit}"),
    ]
    if facts.get("command_line"):
        pairs.append(("command", facts["command_line"]))
    if facts.get("parameters"):
        pairs.append(("parameters", parameters_text(facts["parameters"])))
    if facts["n_samples"]:
        times = f"{facts['t_first']:.6g} to {facts['t_last']:.6g} of {facts['t_end']:.6g} {time_unit}"
        pairs.append(("samples", f"{facts['n_samples']}, t = {times}"))
    else:
        pairs.append(("samples", "none yet"))
    if facts["n_frames"] is not None:
        bodies = counted(facts["n_bodies"], "body", "bodies")
        pairs.append(("frames", f"{facts['n_frames']} of {bodies}"))
    reason = f" (the first: {facts['dt_reason']})" if "dt_reason" in facts else ""
    steps = f"{facts['n_steps']} of {span(facts['dt_min'], facts['dt_max'])} {time_unit}"
    pairs.append(("steps", steps + reason))
    if facts.get("settled"):
        pairs.append(("settled", facts["settled"]))
    pairs.append(("wall time", f"{facts['wall_time_s']:.3g} s"))
    if facts["energy_error_largest"] is not None:
        energy = next(family for family in facts["families"] if family["group"] == "energy")
        unit = next(variable["unit"] for variable in energy["variables"] if variable["name"] == "error")
        relative = f", {facts['energy_error']:.2g} of the energy turned over" if "energy_error" in facts else ""
        pairs.append(("energy", f"largest error {facts['energy_error_largest']:.3g} {unit}{relative}"))
    if facts["constraint_violation_largest"]:  # 0: there is nothing to violate
        pairs.append(("constraints", f"largest violation {facts['constraint_violation_largest']:.3g}"))
    return pairs


def _message_lines(messages: list[Diagnostic], verbose: bool) -> list[str]:
    """How many of each kind, and which they are."""
    severities = Counter(message.severity for message in messages)
    doubts, warnings, notes = severities["doubt"], severities["doubt"] + severities["warning"], severities["note"]
    counts = [counted(warnings, "warning")] if warnings else []
    counts += [f"{doubts} of them about these results"] if doubts else []
    counts += [counted(notes, "note")] if notes else []
    hint = " (-v lists them)" if counts and not verbose else ""
    lines = [fact("messages", (", ".join(counts) or "none") + hint)]
    for severity, heading in KINDS.items():
        if verbose and severities[severity]:
            lines += [heading, *diagnostic_lines(message for message in messages if message.severity == severity)]
    return lines


def _family_lines(family: dict[str, Any], verbose: bool) -> list[str]:
    objects = family["objects"]
    count = f" ({counted(len(objects), 'object')})" if objects else ""
    lines = [f"/{family['group']}{count}"]
    if verbose:
        lines += [f"  {item['name']:<24}[{item['unit']}]  {item['description']}" for item in family["variables"]]
        lines += [f"  id {item['id']:<10} {item['name']}".rstrip() for item in objects]
        return lines
    by_unit: dict[str, list[str]] = {}
    for variable in family["variables"]:
        by_unit.setdefault(variable["unit"], []).append(variable["name"])
    return lines + [f"  {'[' + unit + ']':<{LABEL_WIDTH}}{' '.join(names)}" for unit, names in by_unit.items()]
