"""`gsolve report`: reads a result file and writes the page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from gsolve.parser.text.numbers import counted

from ...core.channels import Family, SampleBlock
from ...core.python_words import in_python
from ..closing import FINAL_VALUES, final_values
from ..describe import table
from ..files import OutputError, made_by_gsolve, made_whole
from ..hdf5 import opened
from ..history_reader import HistoryReader
from ..info import read_info
from ..machine_reader import frames_of
from ..result import Result
from .curves import pack_curves
from .drawing import pack_bodies, pack_scene
from .motion import TURN_TO_SEE, fastest_turn, held_by, pack_arrows, pack_frames
from .packing import Pack
from .page import page_of

MOST_BODIES_HELD = 5000  # of more bodies the page does not say which histories are theirs


@dataclass(frozen=True)
class Report:
    """What was written.

    path : of the page
    size : in bytes
    frames, bodies : that it draws; 0 where it has no picture
    curves : that it carries
    notes : what it leaves out or cannot show, a sentence each
    """

    path: Path
    size: int
    frames: int
    bodies: int
    curves: int
    notes: list[str]


def report_path(source: Path, output: str | os.PathLike[str] | None) -> Path:
    """Where the page goes: beside where the user stands, or at `output`, a folder or a name with or without .html."""
    name = f"{source.stem}.html"
    if output is None:
        return Path(name)
    text = os.fspath(output)
    if text.endswith("/") or Path(text).is_dir():
        return Path(text) / name
    return Path(text) if text.lower().endswith((".html", ".htm")) else Path(f"{text}.html")


def write_report(source: Path, output: str | os.PathLike[str] | None = None, *, force: bool = False) -> Report:
    """Write the page of a result file.

    Raises
    ------
    OutputError
        the file is no result of gsolve or cannot be read, or the page cannot go where it was asked to go
    """
    path = report_path(source, output)
    _refuse(path, force)
    text, said = make_page(source)
    data = text.encode("utf-8")
    _write(path, data)
    return Report(path, len(data), **said)


@in_python
def report(
    result: Result | str | os.PathLike[str], output: str | os.PathLike[str] | None = None, *, force: bool = False
) -> Report:
    """Write a page of HTML about a run, complete in itself: plots, the machine in motion, messages, balance.

    Parameters
    ----------
    result
        A result file, or what was loaded from one or written to one.
    output
        The page, or a folder; None: NAME.html in the current directory.
    force
        Replace a page that gsolve made earlier.

    Raises
    ------
    OutputError
        The file is no result of gsolve or cannot be read, the result is in memory only, or the page cannot go there.
    """
    source = result if isinstance(result, str | os.PathLike) else result.path
    if source is None:
        raise OutputError(
            "these results are in memory only, and a report is made from a result file: gsolve.run(..., output=NAME)"
        )
    return write_report(Path(source), output, force=force)


def make_page(source: Path) -> tuple[str, dict[str, Any]]:
    """The page as text, and what it holds: frames, bodies, curves, notes."""
    facts = read_info(source)
    reader = HistoryReader(source)
    pack, notes = Pack(), list[str]()
    try:
        with opened(source) as file:
            times = reader.times()
            if facts["status"] != "completed":
                notes.append(_status_note(facts))
            machine = _packed_machine(file, reader, pack, notes)
            arrows = pack_arrows(file, times, pack) if machine else None
            curves = pack_curves(file, times, reader.families, pack) if len(times) else None
            tables = _tables(file, reader.families, times)
    except OSError as error:
        raise OutputError(f"cannot read {source} as HDF5: it is damaged, or no result file") from error
    if curves is None:
        notes.append("The file has no samples yet, so that there is nothing to plot.")
    else:
        notes += _curve_notes(curves)
    if machine and not arrows and any(family.group == "th/inter" for family in reader.families):
        notes.append(
            "No contact force acts at any sample, so that the picture has no arrows: contacts shorter than the time "
            "between two samples show in the energies alone."
        )
    if arrows and arrows["left"]:
        notes.append(f"{counted(arrows['left'], 'contact')} have no arrows: only the first ones are drawn.")
    units = {what: facts[f"units_{what}"] for what in ("mass", "length", "time")}
    block = pack.text({"units": units, "curves": curves, "machine": machine, "arrows": arrows})
    said = {
        "frames": machine["frames"]["time"]["n"] if machine else 0,
        "bodies": len(machine["bodies"]) if machine else 0,
        "curves": len(curves["list"]) if curves else 0,
        "notes": notes,
    }
    return page_of(facts, tables, notes, block, moves=machine is not None), said


def _packed_machine(file: h5py.File, reader: HistoryReader, pack: Pack, notes: list[str]) -> dict[str, Any] | None:
    """Scene and frames; None, and a note why, where the file has none."""
    from ..scene.build import scene_of

    try:
        machine, frames = reader.machine(), frames_of(reader)
    except OutputError as error:
        notes.append(f"There is no picture of the machine: {error}.")
        return None
    if not len(frames.time) or not len(machine.body):
        notes.append("There is no picture of the machine: the file has no frames of it yet.")
        return None
    packed = pack_frames(frames, pack)
    kept = packed["time"]["n"]
    if kept < packed["in_file"]:
        notes.append(
            f"The picture has {kept} of the {packed['in_file']} frames in the file, so that the page stays small."
        )
    turn = fastest_turn(file, frames.time) * max(1.0, packed["in_file"] / kept)
    if turn > TURN_TO_SEE:
        notes.append(
            f"What turns fastest turns by up to {np.degrees(turn):.0f} degrees from one frame to the next: in the "
            "picture it may seem to stand still or to turn back. The plots show how it turns; "
            "a run with more frames (--frames N) shows it in the picture too."
        )
    held = held_by(machine) if len(machine.body) <= MOST_BODIES_HELD else None
    return {
        "scene": pack_scene(scene_of(machine, frames), machine, pack),
        "frames": packed,
        "bodies": pack_bodies(machine),
        "held": held,
    }


def _status_note(facts: dict[str, Any]) -> str:
    if facts["status"] == "running":
        return "The run is not over, or was killed: this page shows what was in the file when it was made."
    return f"The run is not completed but {facts['status']}: {facts['message']}"


def _curve_notes(curves: dict[str, Any]) -> list[str]:
    notes = []
    fine, coarse = (level["bundle"] for level in curves["levels"])
    if coarse > 1:
        most = f"{fine} or {coarse}" if 1 < fine < coarse else f"{coarse}"
        notes.append(
            f"Curves show the smallest and the largest value of every {most} samples; the file has all of them."
        )
    left = curves["left"]
    for family, count in left["objects"].items():
        notes.append(f"Of the {count} objects of {family} the first {left['most_objects']} have curves here.")
    if left["curves"]:
        notes.append(f"{counted(left['curves'], 'curve')} of the file found no room on the page.")
    return notes


def _tables(file: h5py.File, families: tuple[Family, ...], times: np.ndarray[Any, Any]) -> list[tuple[str, str]]:
    """Energies, and what the run said of its last sample."""
    if not len(times):
        return []
    last = len(times) - 1
    block = SampleBlock(times[last:], {
        family.group: {channel.name: file[family.group][channel.name][last : last + 1] for channel in family.channels}
        for family in families
        if family.group in FINAL_VALUES
    })  # fmt: skip
    tables = [("Energies", "\n".join(_energies(file, families, len(times))))] if "energy" in file else []
    lines = final_values(families, block)
    if lines:
        tables.append(("Final values", "\n".join(lines)))
    return tables


def _energies(file: h5py.File, families: tuple[Family, ...], count: int) -> list[str]:
    """What each energy is at the end, and its extremes; those that are 0 throughout are left out."""
    channels = next(family.channels for family in families if family.group == "energy")
    rows = []
    for channel in channels:
        values = file["energy"][channel.name][:count]
        if np.any(np.nan_to_num(values)):
            numbers = (values[0], values[-1], np.nanmin(values), np.nanmax(values))
            rows.append([f"{channel.name} [{channel.unit}]", *(f"{number:.6g}" for number in numbers)])
    return table(["energy", "first", "last", "smallest", "largest"], rows) if rows else ["all energies are 0"]


def _refuse(path: Path, force: bool) -> None:
    if not os.path.lexists(path):
        return
    if not force:
        raise OutputError(f"{path} already there; --force overwrites, -o NAME writes elsewhere")
    if not made_by_gsolve(path):
        raise OutputError(
            f"{path} was not made by gsolve, and --force replaces what gsolve made only: "
            "move it away, or write elsewhere with -o NAME"
        )


def _write(path: Path, data: bytes) -> None:
    """The whole page, or nothing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with made_whole(path) as part:
            part.write_bytes(data)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error
