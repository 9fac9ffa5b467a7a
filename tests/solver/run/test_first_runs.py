"""First runs at once share an empty folder of machine code; one that is killed as it compiles leaves it usable."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gsolve.solver.core.jit.machine_code import DIGEST
from interrupted import histories_of

# A point mass that falls: no deck needs less of the solver.
DECK = """\
#RADIOSS STARTER
/BEGIN
fall
      2022         0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0
/GRNOD/NODE/1
point
         1
/ADMAS/0/1
mass
1.0, 1
/GRAV/1
down
0, Z, 0, 0, 1, 1, -9.81
/RUN/fall/1
1.0
/TFILE
0.1
/DTIX
0.01 0.01
"""
PROGRAM = [sys.executable, "-c", "from gsolve.solver.cli import main; main()"]
COMPILES = "Compiling what this deck needs"
PATIENCE = 600.0  # seconds


class Run:
    """A run of the deck in a folder of its own, which keeps machine code in a shared one."""

    def __init__(self, folder: Path, code: Path) -> None:
        folder.mkdir()
        (folder / "fall.rad").write_text(DECK)
        self.results = folder / "fall.h5"
        self.process = subprocess.Popen(
            [*PROGRAM, "fall.rad"], cwd=folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**os.environ, "GSOLVE_CACHE_DIR": str(code)},
        )  # fmt: skip

    def said(self) -> str:
        """Wait for its end, which must be a good one."""
        said, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, said
        assert "machine code" not in said, said
        return said


def kept(code: Path) -> dict[str, int]:
    """Files of machine code with the times at which they were written; none of them is damaged."""
    paths = list(code.iterdir())
    for path in paths:
        content = path.read_bytes()
        assert hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST], path
    return {path.name: path.stat().st_mtime_ns for path in paths}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """What two runs said, and they, which began at once on an empty folder; a third one was killed as it compiled."""
    place = tmp_path_factory.mktemp("runs")
    killed, *runs = (Run(place / name, place / "code") for name in ("killed", "one", "other"))
    while len(list((place / "code").glob("solver.*"))) < 30:
        assert killed.process.poll() is None
        time.sleep(0.01)
    killed.process.kill()
    killed.process.communicate()
    assert not killed.results.exists()
    return place, [run.said() for run in runs], runs


def test_first_runs_at_once_give_the_same(ended):
    _, said, runs = ended
    assert all(COMPILES in text for text in said)
    first, second = (histories_of(run.results) for run in runs)
    assert len(first) > 30 and "th/node/Z" in first and "th/node/time" in first
    assert first == second


def test_the_next_run_reads_all_that_they_compiled(ended, tmp_path):
    """Also what the killed one had written."""
    place, _, runs = ended
    for unfinished in (place / "code").glob(".new-*"):  # what it was writing
        unfinished.unlink()
    before = kept(place / "code")
    following = Run(tmp_path / "next", place / "code")
    assert COMPILES not in following.said()
    assert kept(place / "code") == before
    assert histories_of(following.results) == histories_of(runs[0].results)


def test_after_a_killed_run_the_next_one_compiles_what_is_missing(ended, tmp_path):
    """A folder as a killed run leaves it: without one of the files, and with one that was being written."""
    code = tmp_path / "code"
    shutil.copytree(ended[0] / "code", code)
    missing = next(code.glob("solver.assembly.initial_kernels.*"))  # called by its address, and soon compiled
    missing.rename(code / ".new-unfinished")
    before = {path.name for path in code.iterdir()}
    assert COMPILES in Run(tmp_path / "next", code).said()
    assert {path.name for path in code.iterdir()} == before | {missing.name}
