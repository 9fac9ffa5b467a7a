"""The comparison of two versions (bench/compare_versions.py) finds what differs, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from compare_versions import CHAOTIC, Example, Version, examples, main, report
from history_difference import Comparison, compare

posix = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand for gsolve")
TIME = np.linspace(0.0, 1.0, 5)
SIZE = 2.0  # m, of the machine
SI = {"mass": "kg", "length": "m", "time": "s"}
ROUND_OFF = 1e-15
# Two nodes that move in the plane z = 0, their joint, an interface that touches from the third sample on.
HISTORIES: dict[str, tuple[str, object]] = {
    "diag/step": ("1", 10.0 * np.arange(5)),
    "diag/constraint_violation": ("1", np.full(5, ROUND_OFF)),
    "diag/momentum_x": ("kg m/s", 3.0 * TIME),
    "energy/kinetic_translational": ("kg m2/s2", 50.0 * TIME),
    "energy/error": ("kg m2/s2", np.full(5, 1e-13)),
    "th/node/X": ("m", np.stack([TIME, 2.0 * TIME], axis=1)),
    "th/node/Y": ("m", np.full((5, 2), ROUND_OFF)),
    "th/node/VX": ("m/s", np.full((5, 2), 2.0)),
    "th/node/VRX": ("rad/s", np.full((5, 2), ROUND_OFF)),
    "th/joint/FX": ("kg m/s2", np.full((5, 1), 100.0)),
    "th/joint/MX": ("kg m2/s2", np.full((5, 1), 1e-14)),
    "th/joint/U": ("m", np.full((5, 1), np.nan)),
    "th/drive/ANG": ("rad", np.full((5, 1), 40.0)),
    "th/drive/ANGERR": ("rad", np.full((5, 1), ROUND_OFF)),
    "th/inter/NPATCH": ("1", np.array([[1.0], [1.0], [2.0], [3.0], [1.0]])),
    "th/inter/EDISS": ("kg m2/s2", np.full((5, 1), 1e-9)),
}
Change = Callable[[h5py.File], None]


def file_of_histories(path: Path) -> Path:
    """A result file with the layout of those of gsolve."""
    with h5py.File(path, "w") as file:
        file.attrs.update({"title": "machine", "created": path.name, "n_steps": 40, "dt_max": 0.1})
        file.attrs.update({f"units_{of}": symbol for of, symbol in SI.items()})
        file["time"] = TIME
        file["time"].attrs["units"] = "s"
        for name, (unit, values) in HISTORIES.items():
            file[name] = values
            file[name].attrs["units"] = unit
            file[name].attrs["description"] = "what it is"
        file["th/node/id"] = np.array([7, 8])
        file["th/node"].create_dataset("name", data=["pinion", "wheel"], dtype=h5py.string_dtype())
        file["model/joint"] = np.array([(3, np.nan)], dtype=[("id", "i8"), ("ratio", "f8")])
        file["deck/text"] = "/BEGIN"
        file["checkpoint/odd"] = np.frombuffer(path.name.encode(), np.uint8)  # of one version alone
    return path


@pytest.fixture
def compared(tmp_path) -> Callable[..., Comparison]:
    """Compares a file with the same one after a change."""

    def compared(change: Change = lambda file: None, tolerance: float = 1e-12, **options: bool) -> Comparison:
        old, new = (file_of_histories(tmp_path / name) for name in ("old.h5", "new.h5"))
        with h5py.File(new, "r+") as file:
            change(file)
        return compare(old, new, tolerance, size=SIZE, **options)

    return compared


def added(name: str, amount: float, at: tuple[int, ...] = (3,)) -> Change:
    """A change: so much more in one sample."""

    def change(file: h5py.File) -> None:
        file[name][at] += amount

    return change


def replaced(name: str, values: object) -> Change:
    """A change: other values."""

    def change(file: h5py.File) -> None:
        attributes = dict(file[name].attrs)
        del file[name]
        file[name] = values
        file[name].attrs.update(attributes)

    return change


def test_files_that_only_say_otherwise_when_they_were_made_are_equal(compared):
    found = compared()
    assert (found.differences, found.notes, found.relative, found.worst) == ([], [], 0.0, "")
    assert found.datasets == len(HISTORIES) + 5  # time, ids and names, the table of the joint, the deck


@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("th/node/X", 2.0),  # its own largest value
        ("th/node/Y", 2.0),  # that of the vector
        ("th/node/VRX", 2.0 / SIZE),  # round-off: the largest velocity over the size
        ("th/joint/MX", 100.0 * SIZE),  # round-off: the largest force times the size
        ("th/joint/FX", 100.0),
        ("diag/momentum_x", 3.0),
        ("energy/error", 50.0),  # the largest energy
        ("th/inter/EDISS", 50.0),
        ("th/drive/ANGERR", 40.0),  # the coordinate
        ("diag/constraint_violation", 1.0),
    ],
)
def test_a_difference_is_relative_to_what_the_machine_does(compared, name, scale):
    found = compared(added(name, 1e-3))
    assert found.worst == name
    assert found.relative == pytest.approx(1e-3 / scale, rel=1e-9)
    assert len(found.differences) == 1
    assert found.differences[0].startswith(f"{name}: ")
    assert found.differences[0].endswith("first at t = 0.75")
    equal = compared(added(name, 1e-3), tolerance=1.01e-3 / scale)
    assert equal.differences == []
    assert equal.relative == found.relative


def test_the_largest_difference_comes_first(compared):
    def change(file: h5py.File) -> None:
        for name, amount in (("th/node/X", 1e-6), ("th/node/VX", 1e-3), ("diag/momentum_x", 1e-9)):
            added(name, amount)(file)

    found = compared(change)
    assert [line.partition(":")[0] for line in found.differences] == ["th/node/VX", "th/node/X", "diag/momentum_x"]


@pytest.mark.parametrize("name", ["th/joint/U", "th/joint/FX"])
def test_a_number_in_place_of_nan_is_a_difference_and_so_is_the_reverse(compared, name):
    found = compared(replaced(name, np.where(np.isnan(HISTORIES[name][1]), 0.0, np.nan)))
    assert (found.worst, found.relative) == (name, np.inf)
    assert len(found.differences) == 1


def test_missing_datasets_are_a_difference_and_new_ones_a_note(compared):
    def change(file: h5py.File) -> None:
        del file["th/node/VX"]
        file["th/node/AX"] = np.zeros((5, 2))

    found = compared(change)
    assert found.differences == ["missing: th/node/VX"]
    assert found.notes == ["only in the new file: th/node/AX"]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (replaced("th/node/id", np.array([7, 9])), "th/node/id: not the same"),
        (replaced("th/node/name", [b"pinion", b"rack"]), "th/node/name: not the same"),
        (replaced("deck/text", "/END"), "deck/text: not the same"),
        (lambda f: f["th/node/X"].attrs.update(units="mm"), "attribute units of th/node/X: m, mm in the new file"),
        (lambda f: f.attrs.update(title="gears"), "attribute title: machine, gears in the new file"),
        (lambda f: f.attrs.update(dt_max=0.2), "attribute dt_max: 0.1, 0.2 in the new file"),
        (lambda f: f.attrs.pop("title"), "missing: attribute title"),
        (replaced("th/joint/FX", np.full((5, 2), 100.0)), "th/joint/FX: (1,) objects, (2,) in the new file"),
    ],
)
def test_labels_units_attributes_and_numbers_of_objects_must_be_the_same(compared, change, line):
    assert compared(change).differences == [line]


def test_tables_of_the_machine_must_be_the_same(compared):
    found = compared(replaced("model/joint", np.array([(3, 0.5)], dtype=[("id", "i8"), ("ratio", "f8")])))
    assert found.differences == ["model/joint: not the same"]


def test_counters_and_descriptions_are_noted(compared):
    def change(file: h5py.File) -> None:
        file["diag/step"][2:] += 1
        file["th/node/X"].attrs["description"] = "position"
        file.attrs["n_steps"] = 41

    found = compared(change)
    assert found.differences == []
    assert sorted(found.notes) == [
        "attribute description of th/node/X: what it is, position in the new file",
        "attribute n_steps: 40, 41 in the new file",
        "diag/step is not the same in 3 of 5 samples",
    ]


def test_another_number_of_samples_is_a_difference_even_where_those_of_both_are_equal(compared):
    def shortened(file: h5py.File) -> None:
        for name in ("time", *HISTORIES):
            replaced(name, file[name][:2])(file)

    message = "number of samples: {}, 2 in the new file"
    assert compared(shortened).differences == [message.format(5)]
    assert compared(shortened, to_first_touch=True).differences == [message.format(3)]


def test_chaotic_decks_are_judged_up_to_the_first_sample_in_which_more_touches(compared):
    def change(file: h5py.File) -> None:
        added("th/node/X", 0.5)(file)
        file.attrs["n_steps"], file.attrs["dt_max"] = 41, 0.2

    found = compared(change, to_first_touch=True)
    assert found.until == TIME[2]
    assert found.differences == []
    assert found.notes == ["after t = 0.5: 2.5e-01 (th/node/X), not judged"]
    assert compared(added("th/node/X", 0.5, at=(2,)), to_first_touch=True).differences == [
        "th/node/X: 5.0e-01, first at t = 0.5"  # of 1 m, the largest up to there
    ]


def test_every_example_has_a_command_for_a_deck_that_is_there():
    found = {example.name: example for example in examples([])}
    assert all(example.deck.is_file() and example.deck.parent.name == name for name, example in found.items())
    assert found["hunt_crossley"].options == ("--allow-user-code",)
    assert set(found) >= set(CHAOTIC)


@pytest.fixture
def installation(tmp_path) -> Callable[..., Path]:
    """Makes what stands for an installed gsolve: each run copies a result and adds a byte to the file `count`."""

    def install(name: str, result: Path, exit_status: int = 0) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        texts = {
            "python": f"#!/bin/sh\necho 0.1.0 {name}\n",
            "gsolve": f"#!/bin/sh\nfor folder; do :; done\ncp {result} $folder/machine.h5\nprintf x >> $folder/count\n"
            f"echo said\nexit {exit_status}\n",
        }
        for program, text in texts.items():
            (folder / program).write_text(text)
            (folder / program).chmod(0o755)
        return folder / "gsolve"

    return install


@posix
def test_a_deck_that_was_run_is_not_run_again_until_it_or_the_version_changes(tmp_path, installation):
    (tmp_path / "deck").mkdir()
    example = Example("deck", tmp_path / "deck" / "machine.rad", ())
    example.deck.write_text("")
    result = file_of_histories(tmp_path / "result.h5")

    def runs(name: str, exit_status: int = 0) -> int:
        version = Version.of(installation(name, result, exit_status), tmp_path / "results")
        return len((version.run(example).parent / "count").read_text())

    assert (runs("one"), runs("one")) == (1, 1)
    assert runs("other") == 2
    example.deck.write_text("changed")
    assert (runs("other"), runs("other")) == (3, 3)
    with pytest.raises(RuntimeError, match="exit status 3: said"):
        runs("failing", 3)
    with pytest.raises(RuntimeError, match="exit status 3: said"):  # again, since there is no result to find
        runs("failing", 3)


@posix
def test_exit_status_tells_whether_all_is_equal(tmp_path, installation, monkeypatch, capsys):
    old = installation("old", file_of_histories(tmp_path / "old.h5"))
    same = installation("same", tmp_path / "old.h5")
    with h5py.File(file_of_histories(tmp_path / "new.h5"), "r+") as file:
        added("th/node/X", 1e-6)(file)
    other = installation("other", tmp_path / "new.h5")
    failing = installation("failing", tmp_path / "new.h5", 1)

    def status(*arguments: object) -> int:
        monkeypatch.setattr(sys, "argv", ["compare_versions.py", *map(str, arguments)])
        return main()

    chosen = ("--decks", "gear_pair", "winch")
    assert status(old, same, *chosen) == 0
    assert "2 of 2 decks are equal" in capsys.readouterr().out
    assert status(old, other, *chosen) == 5
    assert status(old, other, *chosen, "--tolerance", "1e-5") == 0
    assert status(old, failing, *chosen) == 5
    assert "not run by the new version, exit status 1: said" in capsys.readouterr().out
    for wrong in ((tmp_path / "none", old), (old, same, "--decks", "none"), (old, same, "--tolerance", "nan")):
        with pytest.raises(SystemExit) as stopped:
            status(*wrong)
        assert stopped.value.code == 2


def test_of_many_differences_the_first_are_shown_and_the_rest_counted(capsys):
    report("gears", Comparison(20, "th/node/X", 0.5, [f"line {k}" for k in range(10)], ["noted"], 0.25))
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["gears", "20", "th/node/X", "5.0e-01", "DIFFERENT", "to", "t", "=", "0.25"]
    assert shown[-3:] == ["    line 5", "    and 4 more", "    note: noted"]
