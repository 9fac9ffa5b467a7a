"""The history file: its layout, that everybody can open it, and that neither kills nor full disks spoil it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from fake_simulation import FakeSimulation, fake_model
from gsolve.solver.bulk.study_table import is_study
from gsolve.solver.core.channels import Channel, Family, SampleBlock
from gsolve.solver.results.files import OutputError
from gsolve.solver.results.history import IN_MEMORY_BYTES, HistoryFile
from gsolve.solver.results.history_layout import chunk_shape
from gsolve.solver.results.history_reader import HistoryReader
from gsolve.solver.results.info import read_info
from gsolve.solver.run.options import UsageError
from gsolve.solver.run.resume import read_checkpoint
from histories import GROUPS, datasets, open_history, write_history

INTERVAL = 10 * 1e-3  # of the samples of the fake simulation, which are its multiples


@pytest.fixture(scope="module")
def history_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("history") / "fake.h5"
    write_history(path)
    return path


def test_every_sample_is_written_once_whatever_the_blocks(tmp_path: Path) -> None:
    for blocks in (1, 3, 100):
        path = tmp_path / f"{blocks}.h5"
        write_history(path, blocks=blocks)
        with h5py.File(path) as file:
            np.testing.assert_array_equal(file["time"][:], np.arange(11) * INTERVAL)
            np.testing.assert_array_equal(file["th/node/DX"][:], np.outer(file["time"][:], [10, 20]))


def test_root_attributes_say_what_the_run_was(history_path: Path) -> None:
    with h5py.File(history_path) as file:
        attributes = dict(file.attrs)
        assert file["deck"].asstr()[()] == "{}"
    assert attributes.pop("created").endswith("+00:00")
    assert attributes == {
        "Conventions": "CF-1.8",
        "title": "A fake machine",
        "run_name": "fake",
        "deck_sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
        "units_mass": "kg",
        "units_length": "m",
        "units_time": "s",
        "n_steps": 100,
        "gsolve_version": "0",
        "status": "completed",
        "message": "",
    }


def test_every_dataset_has_a_long_name_and_every_quantity_a_unit(history_path: Path) -> None:
    without = []

    def visit(name: str, item: object) -> None:
        if not isinstance(item, h5py.Dataset):
            return
        label = name.rsplit("/")[-1] in ("id", "name", "deck", "messages")
        if "long_name" not in item.attrs or ("units" in item.attrs) == label:
            without.append(name)

    with h5py.File(history_path) as file:
        file.visititems(visit)
    assert without == []


def test_time_is_one_dataset_with_a_name_in_every_group(history_path: Path) -> None:
    with h5py.File(history_path) as file:
        for group in GROUPS:
            assert file[f"{group}/time"] == file["time"]
            for name, dataset in file[group].items():
                if name not in ("time", "id", "name"):
                    assert dataset.dims[0][0] == file["time"], name
        assert file["th/node/DX"].dims[1][0] == file["th/node/id"]


def test_h5py_reads_ids_and_names(history_path: Path) -> None:
    with h5py.File(history_path) as file:
        assert file["th/node/id"][:].tolist() == [10, 20]
        assert file["th/gjoint/name"].asstr()[:].tolist() == ["grün"]


@pytest.mark.parametrize("group", ["/", *(f"/{group}" for group in GROUPS)])
def test_xarray_opens_each_group_alone_with_its_time(history_path: Path, group: str) -> None:
    with xarray.open_dataset(history_path, group=group, engine="h5netcdf") as dataset:
        assert dataset.sizes["time"] == 11
        np.testing.assert_array_equal(dataset["time"], np.arange(11) * INTERVAL)
        for name, variable in dataset.data_vars.items():
            assert name in ("deck", "messages") or "units" in variable.attrs


def test_xarray_selects_a_node_by_its_id(history_path: Path) -> None:
    with xarray.open_dataset(history_path, group="/th/node", engine="h5netcdf") as dataset:
        np.testing.assert_array_equal(dataset["DX"].sel(id=20), 20 * dataset["time"])
        assert dataset["DX"].sel(id=20)["name"] == "node 1"
        assert dataset["DX"].attrs["units"] == "m"


def test_xarray_takes_names_as_coordinates_to_select_by(history_path: Path) -> None:
    with xarray.open_dataset(history_path, group="/th/node", engine="h5netcdf") as dataset:
        assert set(dataset.coords) == {"time", "id", "name"}
        by_name = dataset["DX"].swap_dims(id="name")
        np.testing.assert_array_equal(by_name.sel(name="node 1"), 20 * dataset["time"])


def test_labels_say_what_they_are(history_path: Path) -> None:
    with h5py.File(history_path) as file:
        found = {name: dict(file[f"th/gjoint/{name}"].attrs) for name in ("id", "name")}
    assert (found["id"]["long_name"], found["name"]["long_name"]) == ("gear joint id", "gear joint name")


@pytest.mark.parametrize("names", [(), ("", "rotor")])
def test_object_without_a_name_is_called_by_its_id(tmp_path: Path, names: tuple[str, ...]) -> None:
    family = Family("th/rbody", (Channel("FX", "N", "f"),), np.array([4, 5]), names)
    history = HistoryFile(tmp_path / "h.h5", fake_model(), (family,), samples_expected=1, attributes={})
    history.close("completed", "", {})
    with h5py.File(tmp_path / "h.h5") as file:
        assert file["th/rbody/name"].asstr()[:].tolist() == ["rigid body 4", names[1] if names else "rigid body 5"]


def test_attributes_may_be_long_and_need_not_be_text(tmp_path: Path) -> None:
    attributes = {"parameters": "x" * 200_000, "command_line": "gsolve \udcff.rad"}
    history = HistoryFile(tmp_path / "h.h5", fake_model(), (), samples_expected=1, attributes=attributes)
    history.close("completed", "", {})
    with h5py.File(tmp_path / "h.h5") as file:
        assert len(file.attrs["parameters"]) == 200_000
        assert file.attrs["command_line"] == "gsolve \\udcff.rad"


def test_families_without_objects_are_left_out(history_path: Path) -> None:
    with h5py.File(history_path) as file:
        assert set(file["th"]) == {"node", "gjoint"}


def test_two_equal_runs_give_equal_datasets(tmp_path: Path) -> None:
    write_history(tmp_path / "a.h5", blocks=2)
    write_history(tmp_path / "b.h5", blocks=7)
    assert datasets(tmp_path / "a.h5") == datasets(tmp_path / "b.h5")


def test_file_format_is_the_oldest_one_so_that_every_reader_opens_it(history_path: Path) -> None:
    with h5py.File(history_path) as file:
        superblock_version = file.id.get_create_plist().get_version()[0]
    assert superblock_version == 0


def test_space_set_aside_is_given_back_at_the_end(history_path: Path) -> None:
    assert history_path.stat().st_size < 100_000


@pytest.mark.parametrize(
    ("objects", "samples", "chunk"),
    [
        (None, 1001, (1001,)),
        (None, 10**6, (1024,)),
        (1, 10**6, (1024, 1)),
        (5, 11, (11, 5)),
        (1000, 1001, (65, 1000)),
        (30_000, 1001, (32, 2048)),
        (30_000, 2, (2, 30_000)),
    ],
)
def test_chunks_hold_half_a_megabyte_at_most(objects: int | None, samples: int, chunk: tuple[int, ...]) -> None:
    assert chunk_shape(objects, samples) == chunk
    assert 8 * np.prod(chunk) <= 512 * 1024


def test_samples_wait_in_memory_until_the_flush(tmp_path: Path) -> None:
    simulation = FakeSimulation()
    history = open_history(tmp_path / "fake.h5", simulation)
    history.append(simulation.advance(50))
    on_disk = (tmp_path / "fake.h5").read_bytes()
    history.append(simulation.advance(50))
    assert (tmp_path / "fake.h5").read_bytes() == on_disk
    history.flush({})
    with h5py.File(tmp_path / "fake.h5", locking=False) as file:
        assert len(file["time"]) == 11
    history.close("completed", "", {})


def test_large_blocks_go_to_the_file_without_a_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gsolve.solver.results.history.BUFFER_BYTES", 1000)
    simulation = FakeSimulation()
    history = open_history(tmp_path / "fake.h5", simulation)
    history.append(simulation.advance(100))
    assert history.samples == 11
    history.close("completed", "", {})


def test_thirty_thousand_nodes_are_written_and_read_back(tmp_path: Path) -> None:
    write_history(tmp_path / "fake.h5", nodes=30_000, steps=400, blocks=9)
    with h5py.File(tmp_path / "fake.h5") as file:
        np.testing.assert_array_equal(file["th/node/DX"][:, 29_999], file["time"][:] * 300_000)


def test_directory_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "fake.h5"
    with pytest.raises(OutputError, match=f"^cannot create {path}: No such file or directory$"):
        open_history(path, FakeSimulation())


def test_existing_file_is_replaced_and_never_opened_for_writing(tmp_path: Path) -> None:
    path, kept = tmp_path / "fake.h5", tmp_path / "kept.h5"
    path.write_text("precious")
    os.link(path, kept)
    open_history(path, FakeSimulation()).close("completed", "", {})
    assert kept.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == [path, kept]
    with h5py.File(path) as file:
        assert file.attrs["status"] == "completed"


def test_failed_write_is_reported_once_and_the_file_can_be_let_go(tmp_path: Path) -> None:
    simulation = FakeSimulation()
    history = open_history(tmp_path / "fake.h5", simulation)
    with open("/dev/full", "r+b", buffering=0) as full:
        os.dup2(full.fileno(), history._disk.fileno())
    history._reserved_bytes = 1 << 40  # the system has promised more than it keeps
    history.append(simulation.advance(50))
    with pytest.raises(OutputError, match=r"fake\.h5: No space left on device$"):
        history.flush({})
    history.close_without_waiting("disk full")


WRITER = """
import resource, signal, sys
import numpy as np
from fake_simulation import FakeSimulation
from histories import open_history
from gsolve.solver.run.options import UsageError
from gsolve.solver.results.files import OutputError
from pathlib import Path

limit = int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
simulation = FakeSimulation(steps=10**9, nodes=50)
try:
    history = open_history(Path(sys.argv[1]), simulation)
    while True:
        history.append(simulation.advance(1000))
        history.flush({"n_steps": simulation.step})
        print(history.samples, flush=True)
except OutputError as error:
    history.close_without_waiting(str(error))
    print(error, file=sys.stderr)
"""


def start_writer(path: Path, limit: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), str(limit)]
    return subprocess.Popen(
        command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_killed_writer_leaves_a_file_with_all_flushed_samples(tmp_path: Path) -> None:
    path = tmp_path / "fake.h5"
    with start_writer(path) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) > 1500:
                break
        process.send_signal(signal.SIGKILL)
        flushed = [int(line), *(int(rest) for rest in process.stdout if rest.endswith("\n"))][-1]
    with h5py.File(path) as file:
        assert file.attrs["status"] == "running"
        times = file["time"][:]
        assert len(times) >= flushed
        np.testing.assert_array_equal(times[:flushed], np.arange(flushed) * INTERVAL)
        np.testing.assert_array_equal(file["th/node/DX"][:flushed, 49], 500 * times[:flushed])
    for group in GROUPS:
        with xarray.open_dataset(path, group=group, engine="h5netcdf") as dataset:
            assert dataset.sizes["time"] >= flushed


@pytest.mark.parametrize("limit", [4_000_000, IN_MEMORY_BYTES + 4_000_000])
def test_full_disk_keeps_the_samples_that_found_room(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "fake.h5"
    with start_writer(path, limit) as process:
        written, errors = process.communicate(timeout=30)
        assert process.returncode == 0
    assert errors == f"cannot write {path}: File too large\n"
    flushed = int(written.splitlines()[-1])
    assert flushed > 100
    with h5py.File(path) as file:
        assert file.attrs["status"] == "failed"
        assert file.attrs["message"] == errors.strip()
        np.testing.assert_array_equal(file["time"][:], np.arange(flushed) * INTERVAL)


def test_block_of_any_family_may_come_in_any_order_of_channels(tmp_path: Path) -> None:
    family = Family("th/rbody", (Channel("FX", "N", "f"), Channel("FY", "N", "f")), np.array([4]), ("a",))
    history = HistoryFile(
        tmp_path / "h.h5", fake_model(), (family,), samples_expected=1, attributes={"gsolve_version": "0"}
    )
    history.append(SampleBlock(np.zeros(1), {"th/rbody": {"FY": np.array([[2.0]]), "FX": np.array([[1.0]])}}))
    history.close("completed", "", {})
    with h5py.File(tmp_path / "h.h5") as file:
        assert (file["th/rbody/FX"][0, 0], file["th/rbody/FY"][0, 0]) == (1.0, 2.0)


def test_attributes_change_their_values_and_types(tmp_path: Path) -> None:
    """Not a number is itself, -0 is not 0, and a number may become a text."""
    changes = {
        "a": (1, 2),
        "b": (0.0, -0.0),
        "c": (float("nan"), float("nan")),
        "d": ("x", "a longer text"),
        "e": (1, "one"),
    }
    first = {name: values[0] for name, values in changes.items()}
    history = HistoryFile(tmp_path / "h.h5", fake_model(), (), samples_expected=1, attributes=first)
    history.close("completed", "", {name: values[1] for name, values in changes.items()})
    with h5py.File(tmp_path / "h.h5") as file:
        assert repr({name: file.attrs[name] for name in changes}) == (
            "{'a': np.int64(2), 'b': np.float64(-0.0), 'c': np.float64(nan), 'd': 'a longer text', 'e': 'one'}"
        )


def test_history_that_a_kill_left_shorter_than_its_times_ends_with_nan(history_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.h5"
    shutil.copy(history_path, path)
    with h5py.File(path, "a") as file:
        whole = file["th/node/DX"][:]
        file["th/node/DX"].resize(7, axis=0)
    reader = HistoryReader(path)
    assert whole.shape == (11, 2)
    for found in (reader.rows("th/node", "DX", 0, 11), reader.values("th/node", "DX")):
        np.testing.assert_array_equal(found[:7], whole[:7])
        assert found.shape == whole.shape and np.isnan(found[7:]).all()
    np.testing.assert_array_equal(reader.rows("th/node", "DX", 5, 9), reader.values("th/node", "DX")[5:9])
    column = HistoryReader(path).column("th/node", "DX", 1)
    np.testing.assert_array_equal(column, reader.values("th/node", "DX")[:, 1])


@pytest.mark.parametrize("gone", ["deck", "th/node/name"])
def test_file_that_lacks_what_all_have_is_damaged(history_path: Path, tmp_path: Path, gone: str) -> None:
    path = tmp_path / "damaged.h5"
    shutil.copy(history_path, path)
    with h5py.File(path, "a") as file:
        del file[gone]
    with pytest.raises(OutputError, match="it is damaged"):
        HistoryReader(path)


def test_attributes_that_somebody_took_out_are_named(history_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "changed.h5"
    shutil.copy(history_path, path)
    with h5py.File(path, "a") as file:
        del file.attrs["run_name"], file.attrs["units_time"]
    told = r"changed\.h5 is damaged: it lacks the attributes run_name, units_time, which all results have"
    with pytest.raises(OutputError, match=told):
        HistoryReader(path)


def test_damaged_bytes_are_one_error_and_never_another(history_path: Path, tmp_path: Path) -> None:
    whole, path, chance = history_path.read_bytes(), tmp_path / "damaged.h5", random.Random(1)
    refused = 0
    for _ in range(40):
        data = bytearray(whole)
        for place in chance.sample(range(len(data)), len(data) // 200):
            data[place] = chance.randrange(256)
        path.write_bytes(data)
        for read in (HistoryReader, read_info, read_checkpoint):
            try:
                read(path)
            except (OutputError, UsageError):  # the second: it has no checkpoint
                refused += 1
        assert not is_study(path)
    assert refused > 20


def test_text_with_nul_is_kept_in_words(tmp_path: Path) -> None:
    path = tmp_path / "nul.h5"
    open_history(path, FakeSimulation()).close("stopped", "a\0b", {})
    assert HistoryReader(path).attributes["message"] == "a\\x00b"
