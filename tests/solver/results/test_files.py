"""Where results go: what is never written over, and one run at a time."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
from fake_simulation import FakeSimulation
from gsolve.solver.results.files import OutputError, ResultPlace, lock_path, made_by_gsolve, part_of, result_paths
from gsolve.solver.results.history_reader import HistoryReader
from gsolve.solver.results.info import read_info
from gsolve.solver.results.ordered_file import OrderedFile
from gsolve.solver.run.options import UsageError
from gsolve.solver.run.resume import read_checkpoint
from histories import open_history, write_history
from test_history import INTERVAL

SOLVER_TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in an empty directory."""
    monkeypatch.chdir(tmp_path)


def refusal(inputs: list[str], *, force: bool = True, output: str | None = None) -> str:
    with pytest.raises(OutputError) as refused, ResultPlace(result_paths("me", output), inputs, force=force):
        raise AssertionError("not refused")
    return str(refused.value)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    ("result", "read", "output"),
    [
        ("me.out", "me.out", None),
        ("me.h5", "me.h5", None),
        ("me.out", "./there/../me.out", None),
        ("there/me.h5", "there/me.h5", "there"),
        (".me.gsolve-lock", ".me.gsolve-lock", None),
    ],
)
def test_file_that_a_run_reads_is_no_place_for_results(result: str, read: str, output: str | None, force: bool) -> None:
    Path("there").mkdir()
    Path(read).write_text("gsolve 0.1.0 is what this deck begins with")
    assert refusal([read], force=force, output=output) == (
        f"{result} is a file that this run reads ({read}), and its results would go there: -o NAME writes elsewhere"
    )
    assert Path(read).read_text().endswith("begins with")


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("result", ["me.h5", "me.out"])
def test_links_to_what_a_run_reads_are_seen(link: object, result: str) -> None:
    Path("deck.rad").write_text("a deck")
    link("deck.rad", result)  # type: ignore[operator]
    assert refusal(["deck.rad"]).startswith(f"{result} is a file that this run reads (deck.rad), ")
    os.symlink(os.getcwd(), "round")
    assert refusal(["deck.rad"], output="round/me").startswith(f"round/{result} is a file that this run reads")
    assert Path("deck.rad").read_text() == "a deck"


@pytest.mark.parametrize("name", ["me.h5", "me.out"])
@pytest.mark.parametrize("content", [b"precious", b"\x89HDF\r\n\x1a\n damaged", b"gsolve is a program"])
def test_force_leaves_alone_what_gsolve_did_not_make(name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    assert refusal([], force=True) == (
        f"{name} was not made by gsolve, or is damaged, and --force replaces results of gsolve only: "
        f"move it away, or write elsewhere with -o NAME"
    )
    assert Path(name).read_bytes() == content


def test_hdf5_of_another_program_and_a_folder_are_not_made_by_gsolve() -> None:
    with h5py.File("me.h5", "w") as file:
        file["time"] = np.arange(3.0)
    Path("me.out").mkdir()
    assert not made_by_gsolve(Path("me.h5")) and not made_by_gsolve(Path("me.out"))
    assert "me.h5 was not made by gsolve" in refusal([])


def test_results_of_earlier_runs_are_known_by_what_is_in_them() -> None:
    write_history(Path("me.h5"))
    Path("me.out").write_text("gsolve 0.1.0\ndeck me\n")
    assert made_by_gsolve(Path("me.h5")) and made_by_gsolve(Path("me.out"))
    with ResultPlace(result_paths("me", None), ["deck.rad"], force=True):
        pass
    assert refusal([], force=False) == ("me.h5 and me.out already there; --force overwrites, -o NAME writes elsewhere")


def test_place_is_free_again_and_clean_after_a_run() -> None:
    paths = result_paths("me", None)
    Path(".me.h5.gsolve-part-1").write_text("of a run that was killed")
    with ResultPlace(paths, [], force=False):
        assert refusal([]) == "me.h5 is being written by another run; -o NAME writes elsewhere"
        assert [str(path) for path in Path().iterdir()] == [".me.gsolve-lock"]
    assert list(Path().iterdir()) == []
    with ResultPlace(paths, [], force=False):
        pass


@pytest.mark.parametrize("letter", ["n", "é"])
def test_names_of_results_may_be_as_long_as_those_of_files(letter: str) -> None:
    longest = letter * ((255 - len(".out")) // len(letter.encode()))
    paths, other = (result_paths(name, None) for name in (longest, longest[:-1] + "x"))
    assert lock_path(paths.history) != lock_path(other.history)
    left = [part_of(path) for path in (paths.history, paths.listing, other.history)]
    assert len(set(left)) == 3
    for part in left:
        part.write_text("of a run that was killed")
    with ResultPlace(paths, [], force=False):
        assert set(Path().iterdir()) == {lock_path(paths.history), left[2]}
        write_history(paths.history)
        assert made_by_gsolve(paths.history)
        with ResultPlace(other, [], force=False):  # it has a lock of its own
            pass


def test_death_of_a_process_sets_its_place_free() -> None:
    holder = (
        "import time; from gsolve.solver.results.files import *\n"
        "with ResultPlace(result_paths('me', None), [], force=True): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", holder], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        assert refusal([]) == "me.h5 is being written by another run; -o NAME writes elsewhere"
        process.kill()
    with ResultPlace(result_paths("me", None), [], force=True):
        pass
    assert list(Path().iterdir()) == []


# ---- a file that opens at any moment -------------------------------------------------------------------------


def everything_of(path: Path) -> dict[str, object]:
    """All datasets and attributes of a file, each read."""
    found: dict[str, object] = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]} if isinstance(item, h5py.Dataset) else {}))
        found.update(file.attrs, time=file["time"][:])
    return found


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bytes]]:
    """Places and bytes of all that is written from now on."""
    found: list[tuple[int, bytes]] = []
    put = OrderedFile._put

    def logged(self: OrderedFile, offset: int, data: bytes) -> None:
        found.append((offset, bytes(data)))
        put(self, offset, data)

    monkeypatch.setattr(OrderedFile, "_put", logged)
    return found


def disk_after_each(writes: list[tuple[int, bytes]]) -> Iterator[int]:
    """Number of each write, once the file disk.h5 has it and all before, as a kill would leave them."""
    with open("disk.h5", "w+b") as disk:
        for count, (offset, data) in enumerate(writes):
            disk.seek(offset)
            disk.write(data)
            disk.flush()
            yield count


@pytest.fixture(params=["on disk", "in memory first", "in memory"])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What HDF5 works on."""
    most = {"on disk": 0, "in memory first": 5 << 19, "in memory": 1 << 40}[request.param]
    monkeypatch.setattr("gsolve.solver.results.history.IN_MEMORY_BYTES", most)
    return str(request.param)


def test_file_opens_after_every_single_write(writes: list[tuple[int, bytes]], where: str) -> None:
    simulation = FakeSimulation(steps=100_000, nodes=50)
    history = open_history(Path("me.h5"), simulation)
    ends, began_in_memory = [len(writes)], history._disk.is_in_memory
    for _ in range(5):
        history.append(simulation.advance(800))
        history.flush({"n_steps": simulation.step})
        ends.append(len(writes))
    assert began_in_memory == (where != "on disk")
    assert history._disk.is_in_memory == (where == "in memory")
    assert ends[-1] > ends[0] + 50
    flushes = [range(*pair) for pair in itertools.pairwise(ends)]
    longest = max(flushes, key=len)  # in which an index grows; the others are as the first one
    assert len(longest) > len(flushes[0])
    looked_at = {*flushes[0], *longest, ends[-1] - 1}
    families = HistoryReader(Path("me.h5")).families
    histories = [f"{family.group}/{channel.name}" for family in families for channel in family.channels]
    ever_shorter = list[str]()
    for count in disk_after_each(writes):
        if count not in looked_at:
            continue
        found = everything_of(Path("disk.h5"))
        times = found["time"]
        known = ~np.isnan(times)  # the newest may be missing
        np.testing.assert_array_equal(times[known], (INTERVAL * np.arange(len(times)))[known])
        assert found["status"] == "running"
        shorter = [path for path in histories if len(found[path]) < len(times)]
        ever_shorter += shorter[:1] + shorter[-1:]  # gsolve takes long to read them all
        assert lengths_in(Path("disk.h5"), {*shorter[:1], *shorter[-1:]}) <= {len(times)}
    assert len(set(ever_shorter)) > 1
    assert lengths_in(Path("disk.h5"), set(histories)) == {history.samples}
    assert len(times) == history.samples and known.all()


@pytest.mark.usefixtures("where")
def test_a_run_that_is_killed_as_it_ends_is_one_that_goes_on(writes: list[tuple[int, bytes]]) -> None:
    simulation = FakeSimulation(steps=2000, nodes=50)
    asked_by_resume = {"command_line": "gsolve me.rad", "resumed": "", "t_end": 1.0, "wall_time_s": 0.0}
    history = open_history(Path("me.h5"), simulation, **asked_by_resume)
    history.append(simulation.advance(2000))
    history.flush({"n_steps": simulation.step})
    begin, said = len(writes), "a message that is longer than none " * 20
    history.close("stopped", said, {"n_steps": simulation.step})
    found = list[tuple[str, str]]()
    for count in disk_after_each(writes):
        if count >= begin:
            attributes = HistoryReader(Path("disk.h5")).attributes
            found.append((attributes["status"], attributes["message"]))
            assert read_info(Path("disk.h5"))["status"] == attributes["status"]
            with pytest.raises(UsageError, match=r"disk\.h5 has no checkpoint"):
                read_checkpoint(Path("disk.h5"))
    assert found[-1] == ("stopped", said)
    assert set(found) <= {("running", ""), ("running", said), ("stopped", ""), ("stopped", said)}


def lengths_in(path: Path, wanted: set[str]) -> set[int]:
    """Of some histories as gsolve reads them, whole, by object and in pieces."""
    reader, found = HistoryReader(path), set[int]()
    for family in reader.families:
        for channel in family.channels:
            place = family.group, channel.name
            if "/".join(place) not in wanted:
                continue
            found |= {len(reader.rows(*place, 0, len(reader.times()))), len(reader.values(*place))}
            if family.ids is not None:
                found.add(len(HistoryReader(path).column(*place, 0)))
    return found


KILLER = """
import os, random, signal, sys, time
from pathlib import Path
from fake_simulation import FakeSimulation
from gsolve.solver.results import history as module
from histories import open_history

module.IN_MEMORY_BYTES = int(sys.argv[1])
open_history(Path("first.h5"), FakeSimulation(nodes=50)).close("completed", "", {})  # what all writers know then
Path("first.h5").unlink()
chance = random.Random(20260101)
for k in range(16):
    writer = os.fork()
    if writer == 0:
        simulation = FakeSimulation(steps=10**9, nodes=50)
        history = open_history(Path(f"{k}.h5"), simulation)
        while True:
            history.append(simulation.advance(1000))
            history.flush({"n_steps": simulation.step})
    time.sleep(chance.uniform(0.0, 0.1))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
"""


@pytest.mark.parametrize("in_memory", [0, 1 << 40])
def test_runs_killed_at_random_times_leave_files_that_open(in_memory: int) -> None:
    """16 writers that flush all the time, so that they are killed while they make the file or inside a flush."""
    environment = {**os.environ, "PYTHONPATH": str(SOLVER_TESTS)}
    subprocess.run([sys.executable, "-c", KILLER, str(in_memory)], env=environment, check=True, timeout=60)
    left = list(Path().glob("*.h5"))
    assert len(left) > 3
    for path in left:
        assert everything_of(path)["status"] == "running"


@pytest.mark.parametrize("output", [".h5", ".out", "folder/.h5"])
def test_a_suffix_alone_is_no_name(output):
    with pytest.raises(OutputError) as refused:
        result_paths("me", output)
    assert str(refused.value) == f"-o {output}: a name is missing; give a directory, or a name as in run.h5"


@pytest.mark.parametrize("length", [252, 300])
def test_a_name_that_no_file_can_have_is_refused_as_one(length: int) -> None:
    name = "n" * length
    told = f"cannot create {name}.out: File name too long; -o NAME writes elsewhere"
    with pytest.raises(OutputError, match=told), ResultPlace(result_paths("me", name), [], force=False):
        pass
