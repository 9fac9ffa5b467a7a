"""How well a study uses the cores: 200 gear trains in two processes beside one.

    python bench/sweep.py            local processes
    python bench/sweep.py --dask     and a Dask cluster of two workers on this machine

Each case is the train of 20 stages of decks/ with another torque. Machine code is kept from before. Efficiency is the
time of one process over twice that of two: of all, starting everything included, and of a case more, from the time of a
study of few cases. Processor time counts what all processes do, whatever else the machine does meanwhile; efficiency by
it is that of a machine with nothing else to do, but for what is done one after the other.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TRAIN = Path(__file__).resolve().parents[1] / "decks" / "gear_train_20" / "gear_train_20.rad"
CASES, FEW = 200, 4
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
    """Of work in processes that end with it."""
    began, before = time.perf_counter(), processor_seconds()
    work()
    return Cost(time.perf_counter() - began, processor_seconds() - before)


def processor_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_study(folder: Path, count: int, *options: str) -> None:
    """A study in a new folder."""
    folder.mkdir()
    (folder / "train.rad").write_text(deck_text())
    (folder / "study.toml").write_text(STUDY.format(count=count))
    subprocess.run([sys.executable, "-m", "gsolve", "sweep", str(folder / "study.toml"), "-q", *options], check=True)


def run_on_dask(folder: Path, count: int) -> None:
    """The same on a cluster of two workers, which is started and ended."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run_study(folder, count, "--scheduler", cluster.scheduler_address)


def main() -> None:
    """Print the table."""
    ways: dict[str, Callable[[Path, int], None]] = {
        "one process": lambda folder, count: run_study(folder, count, "-j1"),
        "two processes": lambda folder, count: run_study(folder, count, "-j2"),
    }
    if "--dask" in sys.argv[1:]:
        ways["Dask, two workers"] = run_on_dask
    print(
        f"{'':<18} {FEW:>5} cases {CASES:>14} cases {'a case more':>22}   efficiency: all, of a case more", flush=True
    )
    with tempfile.TemporaryDirectory() as name:
        run_study(Path(name, "first"), 2)
        one = None
        for number, (way, run) in enumerate(ways.items()):
            few = cost_of(lambda run=run, k=number: run(Path(name, f"few{k}"), FEW))  # type: ignore[misc]
            all_cases = cost_of(lambda run=run, k=number: run(Path(name, f"all{k}"), CASES))  # type: ignore[misc]
            more = all_cases - few
            print(
                f"{way:<18} {few.wall:5.1f} s {few.processor:5.1f} cpu {all_cases.wall:7.1f} s "
                f"{all_cases.processor:5.1f} cpu {1e3 * more.wall / (CASES - FEW):6.0f} ms "
                f"{1e3 * more.processor / (CASES - FEW):4.0f} ms cpu",
                end="",
            )
            if one is not None:
                print(
                    f"   {one[0].wall / (2 * all_cases.wall):.2f}, {one[1].wall / (2 * more.wall):.2f}; by processor "
                    f"time {one[0].processor / all_cases.processor:.2f}, {one[1].processor / more.processor:.2f}",
                    end="",
                )
            one = one or (all_cases, more)
            print(flush=True)


if __name__ == "__main__":
    main()
