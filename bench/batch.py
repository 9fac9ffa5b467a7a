"""What many decks cost: processor time of `gsolve batch`, all of its processes together.

    python bench/batch.py            50 small decks
    python bench/batch.py --all      also 500: the wrong decks of the tests, the example decks, small ones for the rest

The small decks are runs of a tenth of the time of five examples; of the examples among the 500 it is a hundredth.
Machine code is kept from before: run it twice. Wall time and user and system time in seconds.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from repeated_runs import FOLDER, SMALL

REPOSITORY = FOLDER.parent
JOBS = 2
T_END = re.compile(r"(?<=\n)(/RUN/[^\n]*\n)([^\n]*)")


def shortened(text: str, part: float) -> str:
    """A deck that runs for a part of its time."""
    return T_END.sub(lambda match: f"{match[1]}{part * float(match[2].split()[0]):.9g}", text)


def put_small_decks(folder: Path, count: int) -> None:
    """Small decks, a folder each."""
    for k in range(count):
        name = SMALL[k % len(SMALL)]
        place = folder / f"small_{k}"
        place.mkdir(parents=True)
        (place / f"{name}.rad").write_text(shortened((FOLDER / name / f"{name}.rad").read_text(), 0.1))


def put_examples(folder: Path) -> int:
    """All example decks with the files that they need; returns how many decks there are."""
    examples = [path.parent for path in sorted(FOLDER.glob("*/*.rad"))]
    for example in dict.fromkeys(examples):
        shutil.copytree(example, folder / example.name)
    for deck in folder.rglob("*.rad"):
        deck.write_text(shortened(deck.read_text(), 0.01))
    return len(set(examples))


def put_wrong_decks(folder: Path) -> int:
    """The decks with mistakes; returns how many there are."""
    sys.path.insert(0, str(REPOSITORY / "tests"))
    from golden_cases import golden_cases

    cases = [*golden_cases("parser"), *golden_cases("solver")]
    for case in cases:
        place = folder / case.home.parent.parent.name / case.home.stem / case.name
        place.mkdir(parents=True)
        for name in case.real_files:
            shutil.copy(case.home.parent / name, place)
        for name, text in case.texts.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return len(cases)


def measure(what: str, folder: Path) -> None:
    """Run all decks below a folder."""
    report = folder / "report.json"
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "gsolve", "batch", str(folder), "-j", str(JOBS), "-q", "--json", str(report)]
    subprocess.run(command, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    counts = json.loads(report.read_text())["counts"]
    number = sum(counts.values())
    ends = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    print(f"{what:<28}{number:>6}{wall:>9.1f}{user:>9.1f}{system:>9.1f}{1e3 * (user + system) / number:>9.0f}   {ends}")


def main() -> None:
    """Print the table."""
    print(f"{'':<28}{'decks':>6}{'wall':>9}{'user':>9}{'system':>9}{'ms each':>9}")
    with tempfile.TemporaryDirectory() as name:
        small = Path(name, "small")
        put_small_decks(small, 50)
        measure("small decks", small)
        if "--all" in sys.argv[1:]:
            mixed = Path(name, "mixed")
            put_small_decks(mixed, 500 - put_examples(mixed) - put_wrong_decks(mixed))
            measure("wrong, examples, small", mixed)


if __name__ == "__main__":
    main()
