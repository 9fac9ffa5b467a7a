"""Processor time of first runs: on an empty folder of machine code, on a full one, on one that cannot be written.

    python bench/compile_time.py [GSOLVE]

GSOLVE is the program, by default the one beside this Python. Each deck runs for a thousandth of a second of its time,
one after the other into the same folder, as a new user would come by them. Python's own bytecode of gsolve is there,
as pip leaves it: all is done once before it is measured.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

DECKS = Path(__file__).parents[1] / "decks"
FIRST = ("gear_pair", "four_bar", "bouncing_ball", "cylinder_on_box", "rack_and_pinion", "cam_drive", "crash_block",
         "newtons_cradle", "gear_brake", "hunt_crossley")  # fmt: skip


def processor_time(command: list[str], cache: Path, folder: Path) -> float:
    """Seconds of processor time of a command that must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "GSOLVE_CACHE_DIR": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def deck_of(name: str) -> str:
    return str(sorted((DECKS / name).glob("*.rad"))[0])


def main() -> None:
    """Print the table."""
    program = sys.argv[1] if len(sys.argv) > 1 else str(Path(sys.executable).with_name("gsolve"))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        check = [program, "check", deck_of("gear_pair")]
        for command in (check, [program, deck_of("bouncing_ball"), "--force", "--t-end", "0.001"]):
            processor_time(command, folder / "bytecode", folder)
        print(f"check of gear_pair, nothing compiled {processor_time(check, folder / 'check', folder):6.1f} s")
        print(f"{'deck':<20}{'empty':>8}{'again':>8}{'read-only':>11}")
        cache, total = folder / "code", 0.0
        for name in FIRST:
            run = [program, deck_of(name), "--force", "--allow-user-code", "--t-end", "0.001"]
            first, again = processor_time(run, cache, folder), processor_time(run, cache, folder)
            cache.chmod(0o555)
            only_read = processor_time(run, cache, folder)
            cache.chmod(0o755)
            total += first - again
            print(f"{name:<20}{first:8.1f}{again:8.1f}{only_read:11.1f}", flush=True)
        print(f"{'compiled for all':<20}{total:8.1f}")
        everything = processor_time([program, "warm-up"], folder / "all", folder)
        print(f"warm-up, nothing compiled {everything:.1f} s")


if __name__ == "__main__":
    main()
