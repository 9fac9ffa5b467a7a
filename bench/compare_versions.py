"""Do two versions of gsolve calculate the same?  Runs every example deck with both and compares the result files.

    python bench/compare_versions.py OLD/bin/gsolve NEW/bin/gsolve
    python bench/compare_versions.py OLD/bin/gsolve NEW/bin/gsolve --decks gear_pair winch --tolerance 1e-9
    python bench/compare_versions.py OLD/bin/gsolve NEW/bin/gsolve --keep FOLDER

Prints a line for each deck: how many datasets were compared, the one that is farthest apart, its relative difference,
and whether all are equal to within the tolerance (1e-12); below it what differs, the largest of the numbers first, and
what else is worth knowing.  `history_difference.py` says what a difference is relative to, and what is left out.
Listings are not compared.

Both versions run the decks of this project, with the options that the README of the deck shows.  Of decks that are
CHAOTIC only the samples up to the first impact are judged: the first one in which more points touch than at the start.

--keep leaves the results in FOLDER/old and FOLDER/new, one folder a deck.  A deck that is found there is not run again
as long as it, the installed sources of that version, and Python, NumPy and numba are the same: an interrupted
comparison goes on, and after a change only the changed version is run.

Exit status 0 if all is equal, 5 if not, 2 if the command is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from gsolve.parser import read_deck
from history_difference import Comparison, compare

ROOT = Path(__file__).resolve().parents[1]
DECKS = ROOT / "decks"
DIFFERENT, INTERRUPTED = 5, 130  # exit status
LINES_SHOWN = 6
CHAOTIC = {
    "billiard_break": "sixteen balls, and each impact magnifies what was different before it",
    "hopper": "a thousand balls: after some tenths of a second the last digit decides where each of them is",
}
# Run by the Python of an installation: its version, and what tells its state from every other.
DESCRIBE = """
import hashlib, importlib.metadata, importlib.util, pathlib, sys
digest = hashlib.sha256(sys.version.encode())
for library in ("numpy", "numba"):
    digest.update(importlib.metadata.version(library).encode())
for package in ("gsolve.parser", "gsolve.solver"):
    for folder in map(pathlib.Path, importlib.util.find_spec(package).submodule_search_locations):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
print(importlib.metadata.version("gsolve"), digest.hexdigest()[:16])
"""


class UsageError(Exception):
    """Something on the command line is wrong."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example deck.

    deck : the file to run
    options : what its README gives to gsolve besides the deck
    """

    name: str
    deck: Path
    options: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path) -> Example:
        """The first command in the README of a folder of decks/."""
        readme = (folder / "README.md").read_text(encoding="utf-8")
        command = re.search(r"^ {4}gsolve (\S+\.rad)(.*)$", readme, re.MULTILINE)
        if command is None:
            raise UsageError(f"{folder / 'README.md'} shows no command")
        return cls(folder.name, ROOT / command[1], tuple(shlex.split(command[2])))

    @property
    def digest(self) -> str:
        """Of all that the run depends on."""
        digest = hashlib.sha256(" ".join(self.options).encode())
        for path in sorted(self.deck.parent.glob("*.*")):
            if path.suffix not in (".h5", ".out", ".md"):
                digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()[:16]

    @property
    def size(self) -> float:
        """Largest extent of the nodes, in the deck's unit of length."""
        places = read_deck(self.deck).nodes.coordinates
        return float(np.ptp(places, axis=0).max(initial=0.0)) if len(places) else 0.0


@dataclass(frozen=True, slots=True)
class Version:
    """An installed gsolve.

    state : of its sources, and of what they run on
    results : folder for its results
    """

    program: Path
    number: str
    state: str
    results: Path

    @classmethod
    def of(cls, program: Path, results: Path) -> Version:
        """Ask the Python that the executable belongs to."""
        python = program.resolve().parent / ("python.exe" if sys.platform == "win32" else "python")
        if not program.is_file() or not python.is_file():
            raise UsageError(f"{program} is no gsolve in the folder of a Python environment")
        done = subprocess.run([python, "-c", DESCRIBE], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UsageError(f"{python} has no gsolve: {done.stderr.strip().rpartition(chr(10))[2]}")
        number, state = done.stdout.split()
        return cls(program.resolve(), number, state, results)

    def run(self, example: Example) -> Path:
        """Result file of a deck, from an earlier run if there is one.

        Raises
        ------
        RuntimeError
            gsolve ended with anything but 0
        """
        folder = self.results / example.name
        folder.mkdir(parents=True, exist_ok=True)
        made_by, wanted = folder / "made_by.txt", f"{self.state} {example.digest}\n"
        if made_by.exists() and made_by.read_text(encoding="utf-8") == wanted:
            return result_in(folder)
        for older in (made_by, *folder.glob("*.h5")):
            older.unlink(missing_ok=True)
        done = subprocess.run(
            [self.program, example.deck, *example.options, "--force", "--quiet", "-o", folder],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr
        (folder / "messages.txt").write_text(said, encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode}: {said.strip().partition(chr(10))[0]}")
        made_by.write_text(wanted, encoding="utf-8")
        return result_in(folder)


def result_in(folder: Path) -> Path:
    """The history file in a folder."""
    (result,) = folder.glob("*.h5")
    return result


def examples(names: Sequence[str]) -> list[Example]:
    """The example decks of these names; all of them without any."""
    known = {folder.name: folder for folder in sorted(DECKS.iterdir()) if (folder / "README.md").exists()}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"no such deck: {', '.join(unknown)}; there are {', '.join(known)}")
    return [Example.of(known[name]) for name in names or known]


def compared(example: Example, old: Version, new: Version, tolerance: float) -> Comparison:
    """Run a deck with both versions and compare."""
    results, failed = [], Comparison()
    for which, version in (("old", old), ("new", new)):
        try:
            results.append(version.run(example))
        except RuntimeError as error:
            failed.differences.append(f"not run by the {which} version, {error}")
    if failed.differences:
        return failed
    found = compare(*results, tolerance, size=example.size, to_first_touch=example.name in CHAOTIC)
    if found.until is not None:
        found.notes.insert(0, f"chaotic: {CHAOTIC[example.name]}")
    return found


def report(name: str, found: Comparison) -> None:
    """The line of a deck, and what is below it."""
    verdict = "DIFFERENT" if found.differences else "equal"
    until = "" if found.until is None else f" to t = {found.until:g}"
    print(f"{name:<22}{found.datasets:>9}  {found.worst or '-':<28}{found.relative:>10.1e}  {verdict}{until}")
    shown = found.differences[:LINES_SHOWN]
    if more := len(found.differences) - len(shown):
        shown.append(f"and {more} more")
    for line in shown:
        print(f"    {line}")
    for line in found.notes:
        print(f"    note: {line}")
    sys.stdout.flush()


def compare_versions(given: argparse.Namespace, folder: Path) -> int:
    """Print the table; returns the exit status."""
    chosen = examples(given.decks)
    old, new = (
        Version.of(Path(program), folder / which) for which, program in (("old", given.old), ("new", given.new))
    )
    for which, version in (("old", old), ("new", new)):
        print(f"{which}: gsolve {version.number}, state {version.state}")
    print(f"{'deck':<22}{'datasets':>9}  {'farthest apart':<28}{'relative':>10}  to {given.tolerance:g}", flush=True)
    different = []
    for example in chosen:
        found = compared(example, old, new, given.tolerance)
        report(example.name, found)
        if found.differences:
            different.append(example.name)
    print(f"{len(chosen) - len(different)} of {len(chosen)} decks are equal")
    return DIFFERENT if different else 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Run the example decks with two versions of gsolve and compare.")
    parser.add_argument("old", help="a gsolve executable, as OLD/.venv/bin/gsolve")
    parser.add_argument("new", help="another one")
    parser.add_argument("--decks", nargs="+", default=[], metavar="NAME", help="only these folders of decks/")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where results are left, and found again")
    parser.add_argument("--tolerance", type=float, default=1e-12, help="largest relative difference (1e-12)")
    given = parser.parse_args()
    if not given.tolerance >= 0.0:
        parser.error(f"--tolerance {given.tolerance:g}: it is 0 or more")
    try:
        if given.keep is not None:
            return compare_versions(given, given.keep.resolve())
        with tempfile.TemporaryDirectory() as folder:
            return compare_versions(given, Path(folder))
    except UsageError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
