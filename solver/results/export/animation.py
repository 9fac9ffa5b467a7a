"""The motion as a GIF or an MP4, drawn by matplotlib without a display."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

from ..files import OutputError
from ..result import Result
from ..scene.motion import SceneMotion
from .drawing import Painter
from .extras import extra
from .outputs import new_file

SUFFIXES = (".gif", ".mp4")
MOST_PICTURES = 25  # a second
LARGER_SIDE, SMALLEST_SHARE, DPI = 8.0, 0.55, 100  # of a picture: inches, least height or width, dots an inch
SEAM = 0.3  # width of edges, points
MARGIN = 0.4  # above the machine, for the text, inches


def write_animation(result: Result, motion: SceneMotion, path: Path, *, seconds: float) -> int:
    """Draw frames, evenly chosen where there are too many; returns how many.

    Raises
    ------
    OutputError
        matplotlib, or what writes MP4 files, is not installed; the file cannot be written
    """
    writers = extra("matplotlib.animation", "--animate")
    figures, agg = extra("matplotlib.figure", "--animate"), extra("matplotlib.backends.backend_agg", "--animate")
    collections = extra("matplotlib.collections", "--animate")
    painter = Painter(motion, result.model)
    frames = pictures_of(len(motion.frames.time), seconds)
    (left, low), (right, high) = painter.camera.bounds
    width, height = (max(SMALLEST_SHARE, side / max(right - left, high - low)) for side in (right - left, high - low))
    width, height = LARGER_SIDE * width, LARGER_SIDE * height + MARGIN
    figure = figures.Figure(figsize=(_even(width), _even(height)), dpi=DPI, facecolor="white")
    agg.FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0 - MARGIN / height))
    axes.set(xlim=(left, right), ylim=(low, high), aspect="equal")
    axes.set_axis_off()
    drawn = axes.add_collection(collections.PolyCollection([], edgecolors="face"))
    figure.text(0.02, 1.0 - 0.5 * MARGIN / height, result.title, ha="left", va="center", color="#333333")
    clock = figure.text(0.98, 1.0 - 0.5 * MARGIN / height, "", ha="right", va="center", color="#333333")
    writer = _writer(writers, path, max(1.0, len(frames) / seconds))
    with new_file(path) as part, writer.saving(figure, str(part), dpi=DPI):
        for k in frames:
            triangles = painter.triangles(k)
            drawn.set_verts(triangles.corners)
            drawn.set_facecolor(triangles.colours)
            # edges close the seams between facets; those of what is seen through would show
            drawn.set_linewidth(np.where(triangles.colours[:, 3] == 1.0, SEAM, 0.0))
            clock.set_text(f"t = {_time(motion.frames.time, k)} {result.units.time}")
            writer.grab_frame()
    return len(frames)


def pictures_of(count: int, seconds: float) -> list[int]:
    """Frames that are drawn."""
    most = max(2, round(MOST_PICTURES * seconds))
    return sorted(set(np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist()))


def _even(inches: float) -> float:
    """A length with an even number of dots, which MP4 needs."""
    return 2.0 * round(0.5 * inches * DPI) / DPI


def _time(times: Any, k: int) -> str:
    """With as many digits as tell frames apart."""
    span = float(times[-1] - times[0]) or 1.0
    return f"{times[k]:.{max(0, 2 - int(np.floor(np.log10(span))))}f}"


def _writer(writers: Any, path: Path, rate: float) -> Any:
    if path.suffix.lower() == ".gif":
        return writers.PillowWriter(fps=rate)
    matplotlib = extra("matplotlib", "--animate")
    matplotlib.rcParams["animation.ffmpeg_path"] = _ffmpeg()
    return writers.FFMpegWriter(fps=rate, codec="libx264", extra_args=["-pix_fmt", "yuv420p"])


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        program: str = extra("imageio_ffmpeg", "--animate").get_ffmpeg_exe()
    except (OutputError, RuntimeError) as error:
        raise OutputError(
            "--animate to .mp4 needs the program ffmpeg, which is not installed: pip install 'gsolve[export]' brings "
            "one along; a .gif needs none"
        ) from error
    return program
