"""A result as a page for people."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ..run.console import Console
from .guard import guard


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@click.option(
    "-o", "--output", metavar="OUT.html", help="The page; a folder: NAME.html in it.  [default: NAME.html here]"
)
@click.option("--force", is_flag=True, help="Replace a page that gsolve made earlier.")
@click.option("--open", "show", is_flag=True, help="Show the page in the browser.")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
def report(file: Path, output: str | None, force: bool, show: bool, as_json: bool) -> None:
    """One page of HTML about a run, complete in itself: plots, the machine in motion in 3D, messages, balance."""
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from gsolve.parser.text.numbers import counted

        from ..results.report.write import write_report

        made = write_report(file, output, force=force)
        if not as_json:
            picture = f"{counted(made.bodies, 'body', 'bodies')} in {counted(made.frames, 'frame')}, "
            curves = counted(made.curves, "curve")
            console.say(f"{made.path}: {picture if made.bodies else ''}{curves}, {made.size / 1e6:.1f} MB")
            for note in made.notes:
                console.say(f"  {note}")
        if show and click.launch(str(made.path)) != 0:
            console.error(f"no browser could be started; open {made.path} in one")
        return 0, {"status": "written", **asdict(made), "path": str(made.path)}

    guard(work, console)
