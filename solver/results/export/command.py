"""What is written of a result, and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..compare.units import factor
from ..files import OutputError
from ..result import Result
from ..scene.build import scene_of
from ..scene.forces import contact_forces
from ..scene.motion import SceneMotion
from .animation import SUFFIXES, write_animation
from .csv_files import write_csv
from .extras import extra
from .gltf import write_gltf
from .outputs import refuse_existing
from .parquet_files import write_parquet
from .tables import Table, chosen_table, family_tables
from .vtkhdf import write_forces, write_scene

FORMATS = ("csv", "parquet", "vtkhdf", "gltf")
AXES = ("x", "y", "z")
SECONDS = 8.0  # that animations play, if nothing is said
NEEDS = {"parquet": "pyarrow", "gltf": "pygltflib"}

Job = tuple[Path, Callable[[Path], object]]


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is asked for.

    formats : among FORMATS
    animate : file of the animation, .gif or .mp4
    output : folder or name of the files, None: where the user stands, named as the result
    variables : patterns of names; none: all histories, a table a family
    seconds : that animations play
    up : axis of the deck that is upwards; None: against gravity, z where there is none
    """

    formats: Sequence[str]
    animate: Path | None = None
    output: str | None = None
    variables: Sequence[str] = ()
    seconds: float = SECONDS
    up: str | None = None
    force: bool = False


def export_result(result: Result, request: ExportRequest) -> list[Path]:
    """Write files of a result; returns their names.

    Raises
    ------
    OutputError
        something is there already or cannot be written, the run has no frames to draw, a package is missing
    UnknownNameError
        the run has no such variable
    """
    _refuse_wrong(request)
    base = _base_of(result, request.output)
    jobs = [*_table_jobs(result, request, base), *_scene_jobs(result, request, base)]
    refuse_existing([path for path, _ in jobs], force=request.force)
    for path, write in jobs:
        write(path)
    return [path for path, _ in jobs]


def _refuse_wrong(request: ExportRequest) -> None:
    if not request.formats and request.animate is None:
        raise OutputError(f"nothing to export: ask for a format ({', '.join(FORMATS)}) or for --animate FILE.gif")
    if request.variables and not {"csv", "parquet"} & set(request.formats):
        raise OutputError("--variables chooses the columns of tables: it goes with the formats csv and parquet")
    if request.animate is not None and request.animate.suffix.lower() not in SUFFIXES:
        raise OutputError(f"--animate {request.animate}: the name of a {' or a '.join(SUFFIXES)} file is needed")
    if not 0.0 < request.seconds < float("inf"):
        raise OutputError(f"--seconds {request.seconds:g}: a positive number is needed")
    if request.up is not None and request.up not in AXES:
        raise OutputError(f"--up {request.up}: one of {', '.join(AXES)} is needed")
    for name in request.formats:
        if name in NEEDS:
            extra(NEEDS[name], f"--{name}")


def _base_of(result: Result, output: str | None) -> Path:
    """Name of the files without what each format adds."""
    name = result.path.stem if result.path is not None else result.run_name
    if output is None:
        return Path(name)
    return Path(output) / name if output.endswith("/") or Path(output).is_dir() else Path(output)


def _table_jobs(result: Result, request: ExportRequest, base: Path) -> list[Job]:
    def tables() -> list[Table]:  # blocks of a table are given once
        return (
            [chosen_table(result.source, base.name, request.variables)]
            if request.variables
            else family_tables(result.source)
        )

    jobs: list[Job] = []
    for format in ("csv", "parquet"):
        if format in request.formats:
            for table in tables():
                folder = base.with_name(f"{base.name}_{format}")
                path = (
                    base.with_name(f"{base.name}.{format}") if request.variables else folder / f"{table.name}.{format}"
                )
                write = partial(write_csv, table) if format == "csv" else partial(_parquet, table, result)
                jobs.append((path, write))
    return jobs


def _parquet(table: Table, result: Result, path: Path) -> None:
    write_parquet(table, path, result.attributes)


def _scene_jobs(result: Result, request: ExportRequest, base: Path) -> list[Job]:
    if request.animate is None and not {"vtkhdf", "gltf"} & set(request.formats):
        return []
    machine, frames = result.model, result.frames
    if not len(frames.time):
        raise OutputError(f"{result.path or 'this run'} has no frame yet: nothing can be drawn")
    scene = scene_of(machine, frames)
    if request.up is not None:
        scene = replace(scene, up=np.eye(3)[AXES.index(request.up)])
    motion = SceneMotion(scene, frames)
    jobs: list[Job] = []
    if "vtkhdf" in request.formats:
        jobs.append((base.with_name(f"{base.name}.vtkhdf"), lambda path: write_scene(motion, machine, path)))
        forces = contact_forces(result, frames.time)
        if forces is not None:
            path = base.with_name(f"{base.name}_forces.vtkhdf")
            jobs.append((path, lambda path: write_forces(forces, frames.time, path)))
    if "gltf" in request.formats:
        metres = factor(result.units.length, "m", "length")
        write = partial(write_gltf, scene, machine, frames, metres=metres, seconds=request.seconds)
        jobs.append((base.with_name(f"{base.name}.glb"), write))
    if request.animate is not None:
        draw = partial(write_animation, result, motion, seconds=request.seconds)
        jobs.append((request.animate, draw))
    return jobs
