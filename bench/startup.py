"""How long a user waits: wall time of whole commands, from the shell's point of view.

    python bench/startup.py

Measures `gsolve --version`, the answer to a deck with a mistake, the gear pair of decks/ (10 000 steps) with machine
code kept from before, and the first run after installation, which compiles (in an empty cache of its own; yours is
left alone).  Each but the last is the fastest of several; all times are seconds and contain starting Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 5
GEAR_PAIR = Path(__file__).resolve().parents[1] / "decks" / "gear_pair" / "gear_pair.rad"
GSOLVE = [sys.executable, "-c", "from gsolve.solver.cli import main; main()"]


def seconds_of(arguments: list[str], folder: str, exit_code: int = 0, **environment: str) -> float:
    """Wall time of one command."""
    start = time.perf_counter()
    done = subprocess.run(
        [*GSOLVE, *arguments], cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode != exit_code:
        raise SystemExit(f"gsolve {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return seconds


def report(name: str, limit: float | None, times: list[float]) -> None:
    """One line of the table."""
    bound = "" if limit is None else f"{limit:>10.1f}"
    print(f"{name:<48}{min(times):>8.2f}{bound}", flush=True)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder, "wrong.rad")
        wrong.write_text(GEAR_PAIR.read_text().replace("/GJOINT/GEAR/1", "/GJOINT/GEER/1"))
        run = [str(GEAR_PAIR), "--force", "--quiet"]
        print(f"{'command':<48}{'seconds':>8}{'expected':>10}")
        report("gsolve --version", None, [seconds_of(["--version"], folder) for _ in range(REPEATS)])
        report("a deck with a mistake", None, [seconds_of([str(wrong)], folder, exit_code=3) for _ in range(REPEATS)])
        seconds_of(run, folder)
        report("gear pair, 10 000 steps", 1.5, [seconds_of(run, folder) for _ in range(REPEATS)])
        first = seconds_of(run, folder, XDG_CACHE_HOME=str(Path(folder, "empty")))
        report("gear pair, first run after installation", 45.0, [first])


if __name__ == "__main__":
    main()
