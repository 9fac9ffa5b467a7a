"""`gsolve gear-mesh`: makes what a request asks for, says what it is, writes the files."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from gsolve.parser.text.units import SI, STIFFNESS, conversion_factor

from .cards import TOOTH_STIFFNESS, PlacedPart, body_cards, contact_cards, curve_cards
from .data import GearError
from .make import Part, make_gear, make_pair
from .pair import Pair
from .request import Request
from .writers import SUFFIXES, Format, write_mesh

DEFAULT_NAME = "gear"


@dataclass(frozen=True, slots=True)
class Made:
    """What a request came to."""

    placed: tuple[PlacedPart, ...]
    pair: Pair | None
    width: float


def place_of(output: Path | None, kind: Format) -> tuple[Path, str]:
    """Folder and name of files; a folder alone gets files of the default name, and a suffix may be typed or not."""
    if output is None:
        return Path(), DEFAULT_NAME
    if output.is_dir():
        return output, DEFAULT_NAME
    return output.parent, output.name.removesuffix(SUFFIXES[kind])


def make(request: Request, name: str, kind: Format) -> Made:
    """Make one gear or a pair.

    Raises
    ------
    click.UsageError
        if that cannot be done
    """
    parts: tuple[Part, ...]
    pair = None
    try:
        if len(request.gears) == 2:
            gears, bodies = (request.gears[0], request.gears[1]), (request.bodies[0], request.bodies[1])
            first, second, pair = make_pair(gears, bodies, request.resolution, request.distance)
            parts = first, second
        else:
            parts = (make_gear(request.gears[0], request.bodies[0], request.resolution),)
    except GearError as error:
        raise click.UsageError(str(error)) from error
    origins = [np.zeros(3), pair.placement.translation if pair else np.zeros(3)]
    placed = tuple(
        PlacedPart(part, number, origins[number - 1], part.mass(request.density), file)
        for number, (part, file) in enumerate(zip(parts, _file_names(name, kind, len(parts)), strict=True), start=1)
    )
    return Made(placed, pair, min(body.width for body in request.bodies))


def _file_names(name: str, kind: Format, count: int) -> list[str]:
    return [name + (f"_{number}" if count > 1 else "") + SUFFIXES[kind] for number in range(1, count + 1)]


def write_files(made: Made, folder: Path, kind: Format, *, force: bool) -> list[str]:
    """Write meshes, and beside each its section as NAME_curve.rad; all or, if one is in the way, none.

    Raises
    ------
    click.UsageError
        if a file is there already, or cannot be written
    """
    curves = {}
    for placed in made.placed:
        if placed.part.curve is not None:
            text = "\n".join([*curve_cards(placed.part, placed.number), ""])
            curves[folder / f"{Path(placed.file).stem}_curve.rad"] = text
    meshes = {folder / placed.file: placed.part for placed in made.placed}
    for path in (*meshes, *curves):
        if path.exists() and not (force and path.is_file()):
            hint = "--force replaces it" if path.is_file() else "it is no file"
            raise click.UsageError(f"{path} exists already; {hint}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, part in meshes.items():
            write_mesh(path, part.mesh, part.name, kind)
        for path, text in curves.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    return [str(path) for path in (*meshes, *curves)]


def deck_lines(request: Request, made: Made, written: list[str]) -> list[str]:
    """All that is known as comments, then the cards."""
    units = [unit.name for unit in (request.units.mass, request.units.length, request.units.time) if unit]
    comments = [f"units {', '.join(units)}; angles in degrees"]
    for placed in made.placed:
        comments.append(_facts(placed))
    if made.pair:
        comments += _pair_facts(made.pair)
    comments += [f"WARNING: {text}" for text in warnings_of(request, made)]
    comments.append(f"written: {', '.join(written)}" if written else "nothing written; --output NAME writes the files")
    lines = [f"# {line}" for line in comments]
    for placed in made.placed:
        lines += body_cards(placed)
    if made.pair:
        title = " on ".join(placed.part.name for placed in made.placed)
        lines += contact_cards(1, 2, title, made.width, _stiffness(request, made.width))
    return lines


def warnings_of(request: Request, made: Made) -> list[str]:
    """Of the request, of the pair and of each gear; a pair tells of undercut itself."""
    found = list(request.notes)
    if made.pair:
        found += made.pair.warnings
    for placed in made.placed:
        notes = [note for note in placed.part.notes if not (made.pair and note.startswith("undercut"))]
        found += [f"{placed.part.name}: {note}" for note in notes]
    return found


def _stiffness(request: Request, width: float) -> float:
    assert request.units.length is not None
    return TOOTH_STIFFNESS * width * request.units.length.size * conversion_factor(SI, request.units, STIFFNESS)


def _facts(placed: PlacedPart) -> str:
    part, mass = placed.part, placed.mass
    measures = [f"{name} {value:.8g}" for name, value in part.measures.items()]
    solid = [f"{len(part.mesh.triangles)} triangles", f"volume {mass.volume:.8g}", f"area {mass.area:.8g}"]
    return f"{placed.number}: {part.name}: {', '.join(measures + solid)}"


def _pair_facts(pair: Pair) -> list[str]:
    name = {"rack": "distance of the reference line", "bevel": "cone distance"}.get(pair.kind, "centre distance")
    path = math.degrees(pair.path) if pair.kind == "bevel" else pair.path
    lines = [
        f"pair: {name} {pair.distance:.10g}, working pressure angle {math.degrees(pair.pressure_angle):.8g}, "
        f"turns of 2 by turn of 1 {pair.speed_ratio:.8g} ({pair.sense})",
        f"pair: contact ratio {pair.transverse_ratio:.6g} transverse, {pair.overlap_ratio:.6g} overlap, path of "
        f"contact {path:.8g}, backlash {pair.backlash:.6g}, clearance of the tips of 1 {pair.clearances[0]:.6g}, of 2 "
        f"{pair.clearances[1]:.6g}",
    ]
    if pair.kind == "rack":
        lines[0] = lines[0].replace("turns of 2 by turn of 1", "way of 2 by radian of 1")
    if pair.sliding:
        lines.append(
            f"pair: specific sliding of 1 where contact begins {pair.sliding[0]:.5g}, of 2 where it ends "
            f"{pair.sliding[1]:.5g}"
        )
    return lines


def plain_answer(request: Request, made: Made, written: list[str]) -> dict[str, Any]:
    """All of it by name, for a machine to read, in the units asked for; angles in degrees."""
    units = [unit.name for unit in (request.units.mass, request.units.length, request.units.time) if unit]
    answer: dict[str, Any] = {
        "units": dict(zip(("mass", "length", "time"), units, strict=True)),
        "gears": [_plain_part(placed) for placed in made.placed],
        "pair": None,
        "warnings": warnings_of(request, made),
        "written": written,
        "cards": deck_lines(request, made, written),
    }
    pair = made.pair
    if pair:
        answer["pair"] = {
            "kind": pair.kind,
            "distance": pair.distance,
            "working_pressure_angle": math.degrees(pair.pressure_angle),
            "path_of_contact": math.degrees(pair.path) if pair.kind == "bevel" else pair.path,
            "transverse_contact_ratio": pair.transverse_ratio,
            "overlap_ratio": pair.overlap_ratio,
            "backlash": pair.backlash,
            "clearances": list(pair.clearances),
            "specific_sliding": list(pair.sliding) if pair.sliding else None,
            "speed_ratio": pair.speed_ratio,
            "sense": pair.sense,
        }
    return answer


def _plain_part(placed: PlacedPart) -> dict[str, Any]:
    mass = placed.mass
    return {
        "name": placed.part.name,
        "file": placed.file,
        "triangles": len(placed.part.mesh.triangles),
        "measures": {name.replace(" ", "_"): value for name, value in placed.part.measures.items()},
        "volume": mass.volume,
        "area": mass.area,
        "mass": mass.mass,
        "centre": (placed.origin + mass.centre).tolist(),
        "inertia": mass.inertia.tolist(),
    }
