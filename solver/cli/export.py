"""`gsolve export`: results in the formats of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from .guard import guard


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option("--csv", "csv", is_flag=True, help="Tables with names and units: NAME_csv/FAMILY.csv.")
@click.option("--parquet", is_flag=True, help="The same as Parquet: NAME_parquet/FAMILY.parquet.")
@click.option("--vtkhdf", is_flag=True, help="The machine in motion for ParaView: NAME.vtkhdf, and NAME_forces.vtkhdf "
              "with the forces of contacts.")  # fmt: skip
@click.option("--gltf", is_flag=True, help="The machine in motion for Blender, PowerPoint and browsers: NAME.glb.")
@click.option("--animate", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.gif|mp4",
              help="Draw the motion; needs no display.")  # fmt: skip
@click.option("--variables", multiple=True, metavar="NAME", help="Only these histories, side by side in one table, as "
              "gjoint/1/VEL1 or node/*/VZ; may be given several times.")  # fmt: skip
@click.option("--output", "-o", metavar="NAME", help="Folder or name of the files.  [default: that of FILE, here]")
@click.option("--seconds", type=float, default=8.0, show_default=True, metavar="S", help="How long animations play.")
@click.option("--up", type=click.Choice(["x", "y", "z"]),
              help="Axis of the deck that is upwards.  [default: against gravity, z where there is none]")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
def export(file: Path, as_json: bool, **options: Any) -> None:
    """Write a result for other programs: tables, surfaces in motion, animations."""
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..results.compare.sides import load_result
        from ..results.export.command import FORMATS, ExportRequest, export_result

        formats = [name for name in FORMATS if options.pop(name)]
        result = load_result(file)
        written = export_result(result, ExportRequest(formats=formats, **options))
        if result.status != "completed":
            console.error(f"gsolve: note: the run of {file} is {result.status}: exported as far as it is written")
        if not as_json:
            console.say("\n".join(f"written  {path}" for path in written))
        return 0, {"status": "exported", "run_status": result.status, "files": [str(path) for path in written]}

    guard(work, console)
