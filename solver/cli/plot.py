"""Pictures of results and of studies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..run.console import Console
from ..run.options import UsageError
from .guard import guard

if TYPE_CHECKING:
    from ..results.plot.pictures import Picture

MOST_LINES = 30


@click.command()
@click.argument("what", nargs=-1, required=True, metavar="FILE.h5... [VARIABLE...]")
@click.option("-o", "--output", metavar="NAME", help="The picture: FILE.png, FILE.svg or FILE.pdf, or a directory.  "
              "[default: the name of the first file, .png, here]")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@click.option("--show", is_flag=True, help="Open a window; no file is written unless -o asks for one.")
@click.option("--over", metavar="VARIABLE", help="What stands along the axis in place of the time.")
@click.option("--fft", is_flag=True, help="Amplitudes by frequency.")
@click.option("--orders", metavar="SHAFT", help="Amplitudes by orders of a shaft: SHAFT is its rate or its angle, as "
              "gjoint/1/VEL1.")  # fmt: skip
@click.option("--from", "start", type=float, metavar="T", help="Draw samples from this time on.")
@click.option("--to", "end", type=float, metavar="T", help="Draw samples up to this time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON summary on standard output instead of text.")
def plot(
    what: tuple[str, ...],
    output: str | None,
    force: bool,
    show: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Draw what is in result files, or in the table of a study.

    Without variables a page that says whether the run was good and what the machine did. Variables are names
    (gjoint/1/VEL1), patterns ("node/*/V", in quotes), magnitudes of vectors (inter/2/FN) and expressions
    ("gjoint/1/T1 * gjoint/1/VEL1"). Histories of several files are drawn over each other. Of a study its responses.
    """
    console = Console(json=as_json)

    def work() -> tuple[int, dict[str, Any]]:
        from ..results.plot.figure import refuse_output, refuse_window, show_figure, write_figure

        files, variables = _sorted_out(what)
        path = None if show and output is None else _place(output, files[0])
        if path is not None:
            refuse_output(path, force=force)
        if show:
            refuse_window()
        from ..bulk.plots import draw

        picture = draw(files, variables, **options)
        if path is not None:
            write_figure(picture.figure, path, force=force)
        if not as_json:
            console.say("\n".join(_lines(picture, path)))
        if show:
            show_figure(picture.figure)
        summary = {"status": "drawn", "plot": None if path is None else str(path), "drawn": picture.curves}
        return 0, {**summary, "notes": picture.notes}

    guard(work, console)


def _sorted_out(what: tuple[str, ...]) -> tuple[list[Path], list[str]]:
    """Files, and what is to be drawn of them."""
    files = [Path(word) for word in what if word.endswith(".h5") or Path(word).is_file()]
    variables = [word for word in what if Path(word) not in files]
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        raise UsageError("\n".join(f"{name} does not exist" if not Path(name).exists() else f"{name} is no file"
                                   for name in missing))  # fmt: skip
    if not files:
        beside = [f"{word}.h5" for word in what if Path(f"{word}.h5").is_file()]
        hint = f"; did you mean {beside[0]}?" if beside else ", such as gear_pair.h5"
        raise UsageError(f"there is no result file among {', '.join(what)}{hint}")
    return files, variables


def _place(output: str | None, first: Path) -> Path:
    """Where the picture goes."""
    if output is None:
        return Path(f"{first.stem}.png")
    if output.endswith("/") or Path(output).is_dir():
        return Path(output) / f"{first.stem}.png"
    return Path(output) if Path(output).suffix else Path(f"{output}.png")


def _lines(picture: Picture, path: Path | None) -> list[str]:
    lines = picture.lines[:MOST_LINES]
    if len(picture.lines) > MOST_LINES:
        lines.append(f"and {len(picture.lines) - MOST_LINES} more")
    lines += [f"note          {note}" for note in picture.notes]
    return lines + ([f"picture       {path}"] if path is not None else [])
