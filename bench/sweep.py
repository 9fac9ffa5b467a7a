"""How well a study uses the cores: 200 gear trains in two processes beside one.

    python bench/sweep.py            local processes
    python bench/sweep.py --dask     and a Dask cluster of two workers on this machine, which is there before the study

Each case is the train of 20 stages of decks/ with another torque. Machine code is kept from before. Efficiency is the
time of one process over twice that of two: of all, starting everything included, and of a case more, from the time of a
study of few cases. All ways are taken in turn three times, and the least of each counts. Processor time counts what all
processes do, whatever else the machine does meanwhile; efficiency by it is that of a machine with nothing else to do,
but for what is done one after the other.
"""

from __future__ import annotations

import contextlib
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

TRAIN = Path(__file__).resolve().parents[1] / "decks" / "gear_train_20" / "gear_train_20.rad"
CASES, FEW, ROUNDS = 200, 4, 3
STUDY = """\
deck = "train.rad"
[parameters]
torque = {{ start = 1.0, stop = 2.0, count = {count} }}
[responses]
speed = "final(gjoint/20/VEL2)"
"""


def deck_text() -> str:
    """The train, with its torque as a parameter."""
    text = TRAIN.read_text()
    start = text.index("/CLOAD/1\n")
    lines = text[start:].split("\n")
    card = next(k for k, line in enumerate(lines[2:], 2) if not line.startswith("#"))
    lines[card] = lines[card][:80] + f"{'&torque':>20}"
    parameter = "/PARAMETER/GLOBAL/REAL/1\ntorque, N m\ntorque    1.0\n"
    return text[:start].replace("/NODE\n", f"{parameter}/NODE\n", 1) + "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock, and of processors."""

    wall: float
    processor: float

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall - other.wall, self.processor - other.processor)


def cost_of(work: Callable[[], object]) -> Cost:
    """Of work in processes that end with it, or that were there before and stay."""
    began, before = time.perf_counter(), processor_seconds()
    work()
    return Cost(time.perf_counter() - began, processor_seconds() - before)


def processor_seconds() -> float:
    """Of all processes that were started here."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = [process.cpu_times() for process in psutil.Process().children(recursive=True)]
    return used.ru_utime + used.ru_stime + sum(times.user + times.system for times in living)


def run_study(folder: Path, count: int, *options: str) -> None:
    """A study in a new folder."""
    folder.mkdir()
    (folder / "train.rad").write_text(deck_text())
    (folder / "study.toml").write_text(STUDY.format(count=count))
    subprocess.run([sys.executable, "-m", "gsolve", "sweep", str(folder / "study.toml"), "-q", *options], check=True)


def cluster_of_two(stack: contextlib.ExitStack) -> str:
    """The address of a Dask cluster of two workers on this machine, which ends with `stack`."""
    from distributed import LocalCluster

    cluster = stack.enter_context(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    return str(cluster.scheduler_address)


def line(costs: list[Cost], one: list[Cost]) -> str:
    """Costs of a study of few cases and of all, and the efficiency beside `one` process: of all, of a case more."""
    (few, all_cases), more, more_of_one = costs, costs[1] - costs[0], one[1] - one[0]
    return (
        f"{few.wall:5.1f} s {few.processor:5.1f} cpu {all_cases.wall:7.1f} s {all_cases.processor:5.1f} cpu "
        f"{1e3 * more.wall / (CASES - FEW):6.0f} ms {1e3 * more.processor / (CASES - FEW):4.0f} ms cpu   "
        f"{one[1].wall / (2 * all_cases.wall):.2f}, {more_of_one.wall / (2 * more.wall):.2f}; by processor time "
        f"{one[1].processor / all_cases.processor:.2f}, {more_of_one.processor / more.processor:.2f}"
    )


def least(costs: list[Cost]) -> Cost:
    """What is left of costs where other programs took the least."""
    return Cost(min(cost.wall for cost in costs), min(cost.processor for cost in costs))


def main() -> None:
    """Print the table."""
    ways: dict[str, tuple[str, ...]] = {"one process": ("-j1",), "two processes": ("-j2",)}
    print(
        f"{'':<18} {FEW:>5} cases {CASES:>14} cases {'a case more':>22}   efficiency: all, of a case more", flush=True
    )
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        if "--dask" in sys.argv[1:]:
            ways["Dask, two workers"] = ("--scheduler", cluster_of_two(stack))
        run_study(Path(name, "first"), 2)
        folders = (Path(name, str(number)) for number in itertools.count())
        costs: dict[tuple[str, int], list[Cost]] = {(way, count): [] for way in ways for count in (FEW, CASES)}
        for _, (way, options), count in itertools.product(range(ROUNDS), ways.items(), (FEW, CASES)):
            costs[way, count].append(cost_of(partial(run_study, next(folders), count, *options)))
        found = {way: [least(costs[way, FEW]), least(costs[way, CASES])] for way in ways}
    for way in ways:
        print(f"{way:<18} {line(found[way], found['one process'])}")


if __name__ == "__main__":
    main()
