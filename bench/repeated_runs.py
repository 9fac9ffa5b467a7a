"""What a run costs in a process that has made one before: reading, and everything of the run but its steps.

    python bench/repeated_runs.py

A run of T and one of 2 T, T a five hundredth of what the deck asks for, differ by the steps of T, so that twice the
first less the second is what both cost besides.  Processor time in milliseconds, the least of several, the two in turn;
results in memory and in files.  The column before is the first run of a deck in the process, with its steps: it builds
the surfaces of meshes, and compiles what is not on disk.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import gsolve

SECONDS, MOST, FEWEST = 4.0, 40, 4  # of repeats
PART = 1 / 500  # of the time of a deck
SMALL = ("gear_pair", "planetary_gear", "rack_and_pinion", "four_bar", "bouncing_ball")  # of one file each
DECKS = (*SMALL, "helical_pair", "worm_and_wheel")
FOLDER = Path(__file__).resolve().parents[1] / "decks"


def processor_time(work: Callable[[], object]) -> float:
    """In milliseconds."""
    start = time.process_time()
    work()
    return 1e3 * (time.process_time() - start)


def least(*works: Callable[[], object]) -> list[float]:
    """Milliseconds of each, in turn."""
    begun, rounds = time.monotonic(), list[list[float]]()
    while len(rounds) < FEWEST or (len(rounds) < MOST and time.monotonic() - begun < SECONDS):
        rounds.append([processor_time(work) for work in works])
    return [min(times) for times in zip(*rounds, strict=True)]


def besides_steps(model: gsolve.Model, t_end: float, output: Path | None) -> float:
    """Of a run, without its steps."""
    once, twice = least(*(partial(gsolve.run, model, t_end=t, output=output, force=True) for t in (t_end, 2 * t_end)))
    return 2 * once - twice


def main() -> None:
    """Print the table."""
    print(f"{'deck':<18}{'reading':>9}{'first run':>11}{'in memory':>11}{'in files':>10}   ms")
    with tempfile.TemporaryDirectory() as folder:
        for name in DECKS:
            path = FOLDER / name / f"{name}.rad"
            model = gsolve.read(path)
            t_end = PART * (model.engine.t_end or 0.0)
            first = processor_time(partial(gsolve.run, model, t_end=t_end))
            numbers = [*least(partial(gsolve.read, path)), first, besides_steps(model, t_end, None),
                       besides_steps(model, t_end, Path(folder, name))]  # fmt: skip
            print(f"{name:<18}{numbers[0]:>9.1f}{numbers[1]:>11.0f}{numbers[2]:>11.1f}{numbers[3]:>10.1f}", flush=True)


if __name__ == "__main__":
    main()
