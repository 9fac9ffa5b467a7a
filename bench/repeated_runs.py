"""What a run costs in a process that has made one before: reading, and everything of the run but its steps.

    python bench/repeated_runs.py

A run of T and one of 2 T differ by the steps of T, so that twice the first less the second is what both cost besides.
Processor time in milliseconds, the least of several; results in memory and in files.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import gsolve

REPEATS = 40
DECKS = ("gear_pair", "planetary_gear", "rack_and_pinion", "four_bar", "bouncing_ball")
FOLDER = Path(__file__).resolve().parents[1] / "decks"


def least(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def besides_steps(model: gsolve.Model, t_end: float, output: Path | None) -> float:
    """Of a run, without its steps."""
    once, twice = (
        least(lambda t=t: gsolve.run(model, t_end=t, output=output, force=True))  # type: ignore[misc]
        for t in (t_end, 2 * t_end)
    )
    return 2 * once - twice


def main() -> None:
    """Print the table."""
    print(f"{'deck':<18}{'reading':>9}{'in memory':>11}{'in files':>10}   ms")
    with tempfile.TemporaryDirectory() as folder:
        for name in DECKS:
            path = FOLDER / name / f"{name}.rad"
            model = gsolve.read(path)
            t_end = 0.1 * (model.engine.t_end or 0.0)
            gsolve.run(model, t_end=t_end)
            files = Path(folder, name)
            numbers = (least(lambda path=path: gsolve.read(path)), besides_steps(model, t_end, None),  # type: ignore[misc]
                       besides_steps(model, t_end, files))  # fmt: skip
            print(f"{name:<18}{numbers[0]:>9.1f}{numbers[1]:>11.1f}{numbers[2]:>10.1f}", flush=True)


if __name__ == "__main__":
    main()
