"""First runs at once share a folder of machine code; one that is killed as it compiles leaves it usable."""

from __future__ import annotations

import hashlib
import shutil
import signal
import time
from pathlib import Path

import pytest
from forked import programs
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
# The program, which also puts the machine code that it reads into a folder, but for that of what it begins with.
COPIER = """
import shutil, sys
from pathlib import Path
from gsolve.solver.cli import main
from gsolve.solver.core.jit import machine_code

code = Path(sys.argv.pop())
path, read = machine_code.MachineCode.path, set()
def noted(self, *of):
    read.add(path(self, *of))
    return path(self, *of)
machine_code.MachineCode.path = noted
try:
    main()
finally:
    for each in read:
        if not each.name.startswith("solver.assembly.initial_kernels."):
            shutil.copy(each, code)
"""
COMPILES = "Compiling what this deck needs"


class Run:
    """A run of the deck in a folder of its own, which keeps machine code in a shared one."""

    def __init__(self, folder: Path, code: Path) -> None:
        folder.mkdir()
        (folder / "fall.rad").write_text(DECK)
        self.results = folder / "fall.h5"
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("GSOLVE_CACHE_DIR", str(code))
            self.process = programs().start("fall.rad")

    def said(self) -> str:
        """Wait for its end, which must be a good one."""
        said = "".join(self.process.communicate())
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


def most_of_the_code(place: Path) -> Path:
    """A folder of machine code that lacks what is called at the start of a run, and all that is compiled for that."""
    code = place / "code"
    code.mkdir()
    (place / "fall.rad").write_text(DECK)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        assert programs().run("fall.rad").returncode == 0  # or all that it compiles would be copied
        done = programs().run("fall.rad", "--force", str(code), code=COPIER)
    assert done.returncode == 0, done.stderr
    return code


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """What two runs said, and they, which began at once on such a folder; a third one was killed as it compiled."""
    place = tmp_path_factory.mktemp("runs")
    code = most_of_the_code(place)
    there = len(list(code.glob("solver.*")))
    killed, *runs = (Run(place / name, code) for name in ("killed", "one", "other"))
    end = time.monotonic() + 60.0
    while (made := len(list(code.glob("solver.*"))) - there) < 3:
        assert time.monotonic() < end
        time.sleep(0.001)
    killed.process.kill()
    killed.process.communicate()
    assert killed.process.returncode == -signal.SIGKILL and not killed.results.exists()
    texts = [run.said() for run in runs]
    assert there > 1 and len(list(code.glob("solver.*"))) - there > made + 3
    return place, texts, runs


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
