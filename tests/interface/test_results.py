"""Results in memory, in a file and as other programs read them are the same."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import gsolve
import h5py
import numpy as np
import pandas
import pytest
import xarray
from xarray_files import lengths_found_once

REPOSITORY = Path(__file__).parents[2]
DECKS = REPOSITORY / "decks"
GEAR_PAIR = DECKS / "gear_pair" / "gear_pair.rad"
TIMES = ("created", "wall_time_s", "command_line")


@pytest.fixture(scope="module")
def memory() -> gsolve.Result:
    return gsolve.run(GEAR_PAIR)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> gsolve.Result:
    return gsolve.run(GEAR_PAIR, output=tmp_path_factory.mktemp("results") / "pair")


@pytest.fixture(scope="module")
def tree(file: gsolve.Result) -> xarray.DataTree:
    """The file as xarray reads it."""
    assert file.path is not None
    with lengths_found_once(), xarray.open_datatree(file.path, engine="h5netcdf") as read:
        return read.load()


def tables(result: gsolve.Result) -> dict[str, object]:
    every = (result.energy, result.diag, *(result.th[name] for name in result.th), result.th.body)
    return {table.group: table for table in every}


@pytest.mark.parametrize("deck", ["gear_pair/gear_pair", "geneva_drive/geneva_drive", "bouncing_ball/bouncing_ball"])
def test_every_dataset_in_memory_is_that_of_the_file(deck: str, tmp_path: Path) -> None:
    model = gsolve.read(DECKS / f"{deck}.rad")
    t_end = 0.3 * model.engine.t_end
    ours = gsolve.run(model, t_end=t_end)
    loaded = gsolve.run(model, output=tmp_path / "x", t_end=t_end)
    assert ours.path is None and loaded.path == tmp_path / "x.h5"
    assert list(tables(ours)) == list(tables(loaded))
    assert (ours.messages, ours.deck) == (loaded.messages, loaded.deck)
    same = set(ours.attributes) - set(TIMES)
    assert set(ours.attributes) == set(loaded.attributes)
    assert {name: ours.attributes[name] for name in same} == {name: loaded.attributes[name] for name in same}
    others = tables(loaded)
    for group, table in tables(ours).items():
        assert table.variables == others[group].variables
        for name in table.variables:
            here, there = table[name], others[group][name]
            assert here.tobytes() == there.tobytes()
            assert (here.units, here.description) == (there.units, there.description)


def test_xarray_reads_what_the_result_gives_it(file: gsolve.Result, tree: xarray.DataTree) -> None:
    for group, table in tables(file).items():
        dataset = tree[group].to_dataset()
        assert set(dataset.data_vars) == set(table.variables)
        xarray.testing.assert_equal(dataset, table.to_xarray())
        for name in table.variables:
            assert dataset[name].values.tobytes() == table[name].tobytes()
            assert dataset[name].attrs == {"units": table[name].units, "long_name": table[name].description}


def test_results_in_memory_are_those_of_the_shell(memory: gsolve.Result, tmp_path: Path, monkeypatch) -> None:
    import subprocess

    subprocess.run([sys.executable, "-m", "gsolve", str(GEAR_PAIR), "-q", "-o", str(tmp_path / "x")], check=True)
    loaded = gsolve.load(tmp_path / "x.h5")
    for group, table in tables(memory).items():
        for name in table.variables:
            assert table[name].tobytes() == tables(loaded)[group][name].tobytes()


def test_gear_pair_has_the_speed_of_the_closed_form(memory: gsolve.Result) -> None:
    """1 N m for 1 s on I_1 + alpha^2 I_2 = 0.04 kg m2."""
    speed = memory.th.gjoint[1].VEL1
    np.testing.assert_allclose(speed, 25.0 * memory.time, atol=1e-11)
    assert (speed.name, speed.units, memory.time.units) == ("VEL1", "rad/s", "s")
    assert memory.energy.total[-1] == pytest.approx(12.5)
    assert memory.units == ("kg", "m", "s")
    assert (memory.status, memory.message, memory.run_name) == ("completed", "", "gear_pair")


@pytest.mark.parametrize("which", ["memory", "file"])
def test_ways_to_a_history_lead_to_the_same(which: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(which)
    table = result.th.node
    assert table.ids.tolist() == [2, 3] and table.names == ("pinion", "wheel") and len(table) == 2
    one = table[3]
    assert (one.id, one.name) == (3, "wheel")
    for other in (table.named("wheel").VRZ, result.th["node"][np.int64(3)]["VRZ"], table.VRZ[:, 1], list(table)[1].VRZ):
        assert other.tobytes() == one.VRZ.tobytes() and other.units == "rad/s"
    assert "node" in result.th and set(result.th) == {"gjoint", "node"}
    assert table.units("VRZ") == one.units("VRZ") == "rad/s"


@pytest.mark.parametrize("which", ["memory", "file"])
def test_histories_cannot_be_written_to(which: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(which)
    for history in (result.time, result.energy.total, result.th.node.VRZ, result.th.node[2].VRZ):
        with pytest.raises(ValueError, match="read-only"):
            history[0] = 1.0


def test_what_is_computed_from_a_history_claims_no_unit(memory: gsolve.Result) -> None:
    speed = memory.th.gjoint[1].VEL1
    assert speed[10:20].units == "rad/s"
    for computed in (2 * speed, speed**2, np.gradient(speed), np.fft.rfft(speed), np.cumsum(speed), speed.reshape(-1)):
        assert getattr(computed, "units", "") == ""
    assert type(speed + 1) is np.ndarray and isinstance(speed.max(), float)
    out = np.empty(len(speed))
    assert np.add(speed, 1, out=out) is out


@pytest.mark.parametrize("which", ["memory", "file"])
def test_results_can_be_sent_to_other_processes(which: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(which)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        np.testing.assert_array_equal(again.th.gjoint[1].VEL1, result.th.gjoint[1].VEL1)
    for error in (gsolve.RunError(result), gsolve.DeckError([gsolve.Diagnostic("error", "no mass")])):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    history = pickle.loads(pickle.dumps(result.energy.total))
    assert (history.units, history.name) == ("J", "total")


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda r: r.th.gjoin, "this run has no histories of 'gjoin'; did you mean gjoint?"),
        (lambda r: r.th["wheels"], "this run has no histories of 'wheels'; there are gjoint, node"),
        (lambda r: r.energy.totl, "energy has no variable 'totl'; did you mean total?"),
        (lambda r: r.th.node.vrz, "th/node has no variable 'vrz'; did you mean VRZ"),
        (lambda r: r.th.node[2]["VRW"], "th/node has no variable 'VRW'; did you mean VR"),
        (lambda r: r.th.node[7], "th/node has no object 7; its ids: 2, 3"),
        (lambda r: r.th.node.named("weel"), "th/node has no object named 'weel'; did you mean wheel?"),
    ],
)
def test_unknown_names_are_told_with_what_may_have_been_meant(memory: gsolve.Result, ask, told: str) -> None:
    with pytest.raises(gsolve.UnknownNameError) as error:
        ask(memory)
    assert str(error.value).startswith(told)
    assert isinstance(error.value, AttributeError) and isinstance(error.value, KeyError)


def test_names_are_completed(memory: gsolve.Result) -> None:
    assert {"gjoint", "node"} <= set(dir(memory.th))
    assert {"VRZ", "ids", "names"} <= set(dir(memory.th.node))
    assert {"VRZ", "id", "name"} <= set(dir(memory.th.node[2]))
    assert "total" in dir(memory.energy)


def test_results_show_what_they_are(memory: gsolve.Result) -> None:
    lines = repr(memory).splitlines()
    assert lines[0] == "<gsolve.Result gear_pair: completed, 101 samples to t = 1 s>"
    assert lines[-1] == "  .th.body, .frames: 101 frames of 2 bodies"
    assert lines[-2] == "  .th.node: 2 objects, DX, DY, DZ, VRX, VRY, VRZ, VX, VY, VZ"
    assert repr(memory.th.node[2]) == "<node 2 (pinion): DX, DY, DZ, VRX, VRY, VRZ, VX, VY, VZ>"
    assert repr(memory.time[:2]) == "time [s]: time of the sample\narray([0.  , 0.01])"


def test_pandas_has_a_column_for_each_history(memory: gsolve.Result, file: gsolve.Result) -> None:
    for result in (memory, file):
        frame = result.to_pandas()
        assert frame.index.name == "time"
        np.testing.assert_array_equal(frame["gjoint/1/VEL1"], result.th.gjoint[1].VEL1)
        np.testing.assert_array_equal(frame["energy/total"], result.energy.total)
        np.testing.assert_array_equal(result.th.node.to_pandas()["VRZ"][3], result.th.node[3].VRZ)
        np.testing.assert_array_equal(result.th.node[3].to_pandas()["VRZ"], result.th.node[3].VRZ)
        np.testing.assert_array_equal(result.energy.to_pandas()["total"], result.energy.total)
    pandas.testing.assert_frame_equal(memory.to_pandas(), file.to_pandas())


def test_xarray_has_the_tree_of_the_file(file: gsolve.Result, tree: xarray.DataTree) -> None:
    ours = file.to_xarray()
    assert set(ours.groups) == set(tree.groups) - {"/checkpoint", "/model"}
    assert float(ours["th/node"]["VRZ"].sel(id=2)[-1]) == float(tree["th/node"]["VRZ"].sel(id=2)[-1])
    assert ours["/"]["messages"].item() == tree["/"]["messages"].item()


def test_a_missing_package_is_told_with_how_to_get_it(memory: gsolve.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, convert in (("pandas", memory.to_pandas), ("xarray", memory.to_xarray)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"this needs {name}, which is not installed: pip install {name}"):
            convert()


def test_a_file_that_was_replaced_is_not_mixed_with_the_new_one(tmp_path: Path) -> None:
    first = gsolve.run(GEAR_PAIR, output=tmp_path / "x")
    kept = first.energy.total.copy()
    gsolve.run(GEAR_PAIR, output=tmp_path / "x", force=True, t_end=0.5)
    np.testing.assert_array_equal(first.energy.total, kept)
    with pytest.raises(gsolve.OutputError, match="has been replaced since it was loaded: load it again"):
        _ = first.energy.error


@pytest.mark.parametrize("deck", ["gear_pair/gear_pair", "geneva_drive/geneva_drive", "four_bar/four_bar"])
def test_what_a_run_hands_over_is_what_is_in_its_file(deck: str, tmp_path: Path) -> None:
    """The run does not read its file again; `load` does."""
    model = gsolve.read(DECKS / f"{deck}.rad")
    run = gsolve.run(model, output=tmp_path / "x", t_end=0.1 * model.engine.t_end)
    again = gsolve.resume(tmp_path / "x.h5", t_end=0.2 * model.engine.t_end, output=tmp_path / "y")
    for ours in (run, again):
        loaded = gsolve.load(ours.path)
        assert list(ours.attributes.items()) == list(loaded.attributes.items())
        assert [type(value) for value in ours.attributes.values()] == [*map(type, loaded.attributes.values())]
        assert (ours.messages, ours.deck, ours.units) == (loaded.messages, loaded.deck, loaded.units)
        assert repr((ours.families, ours.source.frames)) == repr((loaded.families, loaded.source.frames))
        for one, other in ((ours.time, loaded.time), (ours.frames.time, loaded.frames.time)):
            assert one.tobytes() == other.tobytes() and not one.flags.writeable
        assert (ours.time.units, repr(ours)) == (loaded.time.units, repr(loaded))


@pytest.mark.parametrize("how", ["run", "load"])
def test_histories_of_a_file_that_is_gone_are_those_that_were_read(how: str, tmp_path: Path) -> None:
    result = gsolve.run(GEAR_PAIR, output=tmp_path / "x")
    result = result if how == "run" else gsolve.load(tmp_path / "x.h5")
    kept = result.energy.total.copy()
    (tmp_path / "x.h5").rename(tmp_path / "y.h5")
    assert result.status == "completed" and result.time[-1] == 1.0 and len(result.th.gjoint) == 1
    np.testing.assert_array_equal(result.energy.total, kept)
    with pytest.raises(gsolve.OutputError, match=r"x\.h5 does not exist"):
        _ = result.energy.error
    np.testing.assert_array_equal(gsolve.load(tmp_path / "y.h5").energy.total, kept)


def test_files_that_are_no_results_are_told(tmp_path: Path) -> None:
    text, other = tmp_path / "text.h5", tmp_path / "other.h5"
    text.write_text("no HDF5")
    with h5py.File(other, "w") as made:
        made["x"] = 1
    for path, told in (
        (tmp_path / "absent.h5", "does not exist"),
        (text, "as HDF5: it is damaged, or no result file"),
        (other, "is an HDF5 file, but not a result of gsolve"),
    ):
        with pytest.raises(gsolve.OutputError, match=told):
            gsolve.load(path)
