"""How well a study uses the cores: 200 gear trains in two processes beside one.

    python bench/sweep.py            local processes
    python bench/sweep.py --dask     and a Dask cluster of two workers on this machine

Each case is the train of 20 stages of decks/ with another torque. Machine code is kept from before; times contain
starting everything. Efficiency is the time of one process over twice that of two.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAIN = Path(__file__).resolve().parents[1] / "decks" / "gear_train_20" / "gear_train_20.rad"
CASES = 200
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


def seconds_of(folder: Path, count: int, *options: str) -> float:
    """Wall time of a study in a new folder."""
    folder.mkdir()
    (folder / "train.rad").write_text(deck_text())
    (folder / "study.toml").write_text(STUDY.format(count=count))
    command = [sys.executable, "-m", "gsolve", "sweep", str(folder / "study.toml"), "-q", *options]
    started = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds_of(folder / "first", 2)
        one = seconds_of(folder / "one", CASES, "-j1")
        print(f"one process         {one:8.1f} s", flush=True)
        two = seconds_of(folder / "two", CASES, "-j2")
        print(f"two processes       {two:8.1f} s   efficiency {one / (2 * two):.2f}", flush=True)
        if "--dask" in sys.argv[1:]:
            from distributed import LocalCluster

            with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
                dask = seconds_of(folder / "dask", CASES, "--scheduler", cluster.scheduler_address)
                print(f"Dask, two workers   {dask:8.1f} s   efficiency {one / (2 * dask):.2f}", flush=True)


if __name__ == "__main__":
    main()
