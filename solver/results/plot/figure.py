"""Figures: how they look, how they are opened, written and shown; the one place that knows matplotlib's packages."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from ..files import OutputError, made_whole
from ..frames import package

FORMATS = (".png", ".svg", ".pdf")
DPI = 120
# Okabe and Ito: told apart with any colour vision; in grey by their styles.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINE_STYLES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (1.5, 1)))
GREY = "0.8"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COLOUR_MAP = "viridis"
_STYLE = {
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "legend.fontsize": 7.5,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "lines.linewidth": 1.1,
    "lines.dash_capstyle": "butt",
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 6),
    "legend.frameon": False,
    "agg.path.chunksize": 20_000,
    "svg.hashsalt": "gsolve",
    "figure.dpi": 100.0,
}
# What differs from call to call is left out, so that one result gives the same bytes each time.
_METADATA: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def matplotlib(module: str) -> Any:
    """A module of matplotlib, by its name below it.

    Raises
    ------
    OutputError
        it is not installed
    """
    try:
        package("matplotlib")
    except ImportError as error:
        raise OutputError("pictures need matplotlib, which is not installed: pip install 'gsolve[plot]'") from error
    return import_module(f"matplotlib.{module}")


@contextmanager
def style() -> Iterator[None]:
    """Whatever is drawn or written inside looks the same, whatever the settings of the user are."""
    with matplotlib("style").context(["default", _STYLE]):
        yield


def new_figure(width: float, height: float) -> Any:
    """An empty figure of a size in inches, whose parts find their places by themselves."""
    return matplotlib("figure").Figure(figsize=(width, height), layout="constrained")


def colour_map() -> Any:
    """From dark to bright, for any colour vision."""
    return matplotlib("cm").ScalarMappable(cmap=COLOUR_MAP).cmap


def colour_of(k: int) -> str:
    """Of curve k of a panel."""
    return COLOURS[k % len(COLOURS)]


def line_style_of(k: int) -> Any:
    """Of curve k of a panel."""
    return LINE_STYLES[k % len(LINE_STYLES)]


def scale_in_decades(axes: Any, least: float, largest: float) -> None:
    """Powers of ten along the y axis, from the one below the least to the one above the largest that is drawn."""
    low, high = floor(log10(least)), ceil(log10(largest))
    axes.set_yscale("log")
    axes.set_ylim(10.0**low, 10.0 ** max(high, low + 1))
    axes.yaxis.set_major_formatter(_power_of_ten)  # matplotlib's own sets formulas, which takes a second of a page
    axes.yaxis.set_minor_formatter("")


def _power_of_ten(value: float, _: int | None = None) -> str:
    return f"10{str(round(log10(value))).translate(_RAISED)}"


def plain(text: str) -> str:
    """A text of a user as matplotlib shows it as it is: no formula, and nothing that a legend leaves out."""
    escaped = text.replace("$", r"\$")
    return f" {escaped}" if escaped.startswith("_") else escaped


def write_footer(figure: Any, lines: Sequence[str]) -> None:
    """Small print at the foot of a figure: what has to be known of what is drawn."""
    if lines:
        text = "\n".join(line for note in lines for line in _folded(note, figure))
        figure.supxlabel(plain(text), x=0.01, ha="left", fontsize=7, color="0.35")


def _folded(note: str, figure: Any) -> list[str]:
    """A note in lines that fit the width of the figure."""
    import textwrap

    return textwrap.wrap(note, width=int(figure.get_figwidth() * 18))


def refuse_output(path: Path, *, force: bool) -> None:
    """Refuse a place for a picture before the work of drawing it is done.

    Raises
    ------
    OutputError
        matplotlib is not installed, the ending is none of `FORMATS`, there is something already, or a file in place of
        a directory
    """
    matplotlib("figure")
    if path.suffix.lower() not in FORMATS:
        raise OutputError(f"{path}: a picture is written as {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if os.path.lexists(path) and not (force and path.is_file()):
        hint = "--force overwrites, another name writes elsewhere" if path.is_file() else "it is no file"
        raise OutputError(f"{path} already there; {hint}")
    there = next((folder for folder in path.parents if os.path.exists(folder)), Path())
    if not there.is_dir():
        raise OutputError(f"cannot write {path}: {there} is no directory")


def write_figure(figure: Any, path: Path, *, force: bool) -> None:
    """Write a figure, as a whole or not at all, into directories that are made as needed.

    Raises
    ------
    OutputError
        as of `refuse_output`
    """
    refuse_output(path, force=force)
    kind = path.suffix.lower()
    content = io.BytesIO()
    with style():
        figure.savefig(content, format=kind[1:], dpi=DPI, metadata=_METADATA[kind])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with made_whole(path) as part:
            part.write_bytes(content.getvalue())
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def refuse_window() -> None:
    """Refuse to show a figure where there is no display.

    Raises
    ------
    OutputError
        with what to do instead
    """
    matplotlib("figure")
    displays = ("DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in displays):
        raise OutputError("--show needs a display, and there is none here: -o FILE.png writes a picture")


def show_figure(figure: Any) -> None:
    """Show a figure in a window, until it is closed.

    Raises
    ------
    OutputError
        matplotlib finds no toolkit that opens windows
    """
    pyplot = matplotlib("pyplot")
    canvas = pyplot.figure(figsize=figure.get_size_inches()).canvas
    if canvas.required_interactive_framework is None:
        raise OutputError(
            "--show: matplotlib finds no toolkit that opens windows: pip install PyQt6, or -o FILE.png for a picture"
        )
    canvas.manager.canvas.figure = figure  # in place of the empty one that came with the window
    figure.set_canvas(canvas)
    with style():
        pyplot.show()
