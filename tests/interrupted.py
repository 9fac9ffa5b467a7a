"""Runs that are stopped or killed on their way and continued, to be compared with the same run in one go."""

from __future__ import annotations

import random
import signal
from pathlib import Path
from typing import Any

import gsolve
from forked import programs
from histories import datasets

# A run that ends by SIGKILL as soon as it has written a checkpoint of a time or a later one.
KILLED = """
import os, signal, sys
import gsolve
from gsolve.solver.run.checkpoint import CheckpointKeeper

deck, file, every, last, t_end = sys.argv[1:]
signal.alarm(900)  # examples may be long
keep = CheckpointKeeper.keep

def keep_and_die(self, history, run, time):
    failure = keep(self, history, run, time)
    if time >= float(last):
        os.kill(os.getpid(), signal.SIGKILL)
    return failure

CheckpointKeeper.keep = keep_and_die
chosen = dict(allow_user_code=True, checkpoint_every=every, t_end=float(t_end))
gsolve.run(deck, output=file, **chosen) if deck else gsolve.resume(file, **chosen)
"""


def deck_of(folder: Path) -> Path:
    """The deck of an example: its starter deck where it has two."""
    return min(path for path in folder.glob("*.rad") if not path.stem.endswith("_0001"))


def histories_of(path: Path) -> dict[str, bytes]:
    """Every dataset of a result file in its bytes, but for where the run stood."""
    return {name: value for name, value in datasets(path).items() if not name.startswith("checkpoint/")}


def run_stopped(deck: Path, file: Path, parts: list[float], threads: int = 1, t_end: float | None = None) -> int:
    """A run that is stopped at parts of its time and continued each time; returns how often it was."""
    every = repr((t_end or gsolve.read(deck).engine.t_end) / 20)
    count = 0
    chosen: dict[str, Any] = {"allow_user_code": True, "checkpoint_every": every}
    for part in [*sorted(parts), 2.0]:

        def stop(at: gsolve.RunProgress, part: float = part) -> bool:
            return at.fraction >= part

        if not file.exists():
            result = gsolve.run(deck, output=file, stop=stop, t_end=t_end, **chosen)
        elif gsolve.load(file).status != "completed":
            result = gsolve.resume(file, stop=stop, threads=threads, **chosen)
            count += 1
        assert result.status in ("stopped", "completed"), result.message
    return count


def run_killed(deck: Path, file: Path, part: float, t_end: float | None = None) -> None:
    """A run that ends by SIGKILL at a part of its time."""
    t_end = t_end or gsolve.read(deck).engine.t_end
    done = programs().run(str(deck), str(file), repr(t_end / 50), repr(part * t_end), repr(t_end), code=KILLED)
    assert done.returncode == -signal.SIGKILL, f"the run ended before: {done.returncode} {done.stderr}"


def random_parts(seed: str, count: int) -> list[float]:
    """Parts of a run, the same for the same text."""
    chooses = random.Random(seed)
    return [chooses.uniform(0.02, 0.9) for _ in range(count)]
