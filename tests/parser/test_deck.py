"""Whole decks: files, order of keywords, run control."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from gsolve.parser import DeckError, read_deck
from parser_decks import ENGINE, GROUP, deck, errors, messages, read

REFERENCE = Path(__file__).parents[1] / "data" / "openradioss"
JOINTS = {"VAL_CHAIN10": 10, "TOP_DT0.0001": 0}


@pytest.mark.parametrize("name", sorted(path.name for path in REFERENCE.iterdir() if path.is_dir()))
def test_openradioss_decks_are_read_as_they_are(name: str) -> None:
    path = REFERENCE / name / f"{name}_0000.rad"
    model = read_deck(path)
    assert model.run_name == name
    assert len(model.gear_joints) == JOINTS.get(name, 1)
    assert len(model.nodes) == path.read_text().split("/NODE")[1].split("/MAT")[0].strip().count("\n") + 1
    assert model.engine.t_end is not None
    assert model.files == [str(path), str(path).replace("_0000", "_0001")]
    assert [warning.message for warning in model.warnings] == [
        "type 3 of /TFILE, a format of Radioss, is not used: histories go to an HDF5 file",
        "skipped, as without influence on the motion: /RFILE",
    ]


def test_engine_options_may_stand_before_the_starter_keywords(tmp_path: Path) -> None:
    text = "# RADIOSS\n/RUN/a/1\n2.0\n/TFILE/4\n0.1\n/END/ENGINE\n" + deck(engine="")
    model = read(tmp_path, text)
    assert (model.engine.t_end, model.engine.sampling_interval) == (2.0, 0.1)


def test_engine_options_may_stand_before_end(tmp_path: Path) -> None:
    assert read(tmp_path, deck("/RUN/a/1\n3.0\n", engine="")).engine.t_end == 3.0


def test_engine_values(tmp_path: Path) -> None:
    engine = "/RUN/a/1\n 2.0 \n/TFILE\n0.5\n/DT\n0.8 1e-6\n/DTIX\n1e-5,2e-5\n/PRINT/-50\n/STOP\n5.0 0 0\n/VERS/2022\n"
    run = read(tmp_path, deck(engine=engine)).engine
    assert (run.t_end, run.sampling_interval, run.dt_scale, run.dt_min) == (2.0, 0.5, 0.8, 1e-6)
    assert (run.dt_initial, run.dt_max, run.print_every, run.stop_energy_error) == (1e-5, 2e-5, 50, 5.0)


def test_an_interval_beyond_the_end_is_told_of_what_the_deck_says(tmp_path: Path) -> None:
    told = "the run ends before its first sample after the begin: /TFILE asks for one every 2"
    assert told in messages(read(tmp_path, deck(engine="/RUN/a/1\n1.0\n/TFILE\n2.0\n")))
    assert told not in messages(read(tmp_path, deck(engine="/RUN/a/1\n2.0\n/TFILE\n2.0\n"), t_end=1.0))


@pytest.mark.parametrize(("units", "missing"), [("kg,mm", ["time"]), ("kg", ["length", "time"]), (",", [])])
def test_a_unit_that_one_line_lacks_is_that_of_the_other_and_told(
    tmp_path: Path, units: str, missing: list[str]
) -> None:
    model = read(tmp_path, deck(units=units, work="kg,m,s"))
    taken = {"length": "m", "time": "s"}
    assert [warning.message for warning in model.warnings] == [
        f"the unit of {quantity} is missing here: that of the other line is taken, {taken[quantity]}"
        for quantity in missing
    ]


def test_t_end_replaces_run(tmp_path: Path) -> None:
    assert read(tmp_path, deck(engine=""), t_end=7.0).engine.t_end == 7.0
    assert read(tmp_path, deck(), t_end=7.0).engine.t_end == 7.0


def test_an_engine_deck_beside_the_starter_deck_is_read(tmp_path: Path) -> None:
    (tmp_path / "gear_0001.rad").write_text("/RUN/gear/1\n4.0\n/ANIM/DT\n0 0.1\n/END\n/DT\nnot read\n")
    model = read(tmp_path, deck(engine=""), "gear_0000.rad")
    assert model.engine.t_end == 4.0
    assert model.run_name == "gear"
    assert "skipped, as without influence on the motion: /ANIM/DT" in messages(model)


def test_errors_of_the_engine_deck_name_its_lines(tmp_path: Path) -> None:
    (tmp_path / "gear_0001.rad").write_text("# engine\n/RUN/gear/1\nsoon\n")
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(engine=""), "gear_0000.rad")
    (found,) = caught.value.diagnostics
    assert found.file.endswith("gear_0001.rad")
    assert (found.line, found.column, found.message) == (3, 1, "Tstop is not a number")


def test_time_step_kinds_that_add_mass_are_not_used(tmp_path: Path) -> None:
    text = messages(read(tmp_path, deck(engine=ENGINE + "/DT/NODA/CST\n0.9 1e-6\n")))
    assert "/DT/NODA/CST is not used: this solver chooses its own step and never adds mass" in text


def test_text_and_fingerprint_are_those_of_the_resolved_deck(tmp_path: Path) -> None:
    (tmp_path / "group.inc").write_text(GROUP)
    text = deck("#include group.inc\n")
    model = read(tmp_path, text)
    resolved = text.replace("#include group.inc\n", GROUP)
    assert model.deck_text == resolved
    assert model.deck_sha256 == hashlib.sha256(resolved.encode()).hexdigest()


def test_an_include_inside_a_table(tmp_path: Path) -> None:
    (tmp_path / "more.inc").write_text("6,6,0,0\n7,7,0,0\n/END\n8,8,0,0\n")
    model = read(tmp_path, deck(nodes="/NODE\n1,0,0,0\n#include more.inc\n9,9,0,0\n"))
    assert model.nodes.ids.tolist() == [1, 6, 7, 9]


def test_the_title_is_that_of_title_or_begin(tmp_path: Path) -> None:
    assert read(tmp_path, deck()).title == "test"
    assert read(tmp_path, deck("/TITLE\ntwo gears\n")).title == "two gears"


def test_latin_1_decks_with_cr_lf(tmp_path: Path) -> None:
    path = tmp_path / "old.rad"
    path.write_bytes(deck("/TITLE\nGetriebe für zwei\n").replace("\n", "\r\n").encode("latin-1"))
    assert read_deck(path).title == "Getriebe für zwei"


def test_errors_come_sorted_and_once(tmp_path: Path) -> None:
    loads = "".join(f"/CLOAD/{k}\nl\n9,X,,,8\n" for k in (1, 2))
    assert errors(tmp_path, deck("/BCS/1\nb\n111,111,0,7\n", loads, "/ZZZ/1\n")) == [
        "group 7 does not exist",
        *["function 9 does not exist", "group 8 does not exist"] * 2,
        "unknown keyword",
    ]


def test_reading_imports_no_compiler() -> None:
    code = "import sys, gsolve.parser; print('numba' in sys.modules, 'scipy' in sys.modules, 'h5py' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False", "False"]


def test_many_nodes_groups_and_joints_are_read_right(tmp_path: Path) -> None:
    """Enough of each for the ways that large decks take (bench/reading.py has the time that they take)."""
    count = 3000
    nodes = "/NODE\n" + "".join(f"{count - i:10d}{i:20.4f}{0.5 * i:20.4f}{-i:20.4f}\n" for i in range(count))
    listed = [2 * i + 1 for i in range(count // 2)]
    lines = ["".join(f"{id:10d}" for id in listed[k : k + 10]) for k in range(0, len(listed), 10)]
    group = "/GRNOD/NODE/1\nodd\n" + "\n".join(lines) + "\n/ADMAS/0/1\nmasses\n0.5,1\n"
    member = f"{1.0:20.2f}{0.1:20.2f}{0.0:20.2f}{0.0:20.2f}{1.0:20.2f}\n"
    joints = "".join(
        f"/GJOINT/GEAR/{i}\ngear\n{3 * i:10d}{2.0:20.2f}{1.0:20.2f}{i:20.2f}{3 * i + 1:10d}{3 * i + 2:10d}\n"
        f"{member}{member}"
        for i in range(1, 501)
    )
    model = read(tmp_path, deck(group, joints, nodes=nodes))
    assert model.nodes.ids.tolist() == list(range(count, 0, -1))
    assert model.nodes.coordinates.tolist() == [[float(i), 0.5 * i, -float(i)] for i in range(count)]
    assert model.nodes.ids[model.added_masses[0].nodes].tolist() == listed
    assert [model.nodes.ids[joint.nodes[:3]].tolist() for joint in model.gear_joints] == [
        [3 * i, 3 * i + 1, 3 * i + 2] for i in range(1, 501)
    ]
    assert [joint.inertias[0] for joint in model.gear_joints] == list(range(1, 501))


TITLE_HINT = "the first line of a block is its title; is it missing?"


@pytest.mark.parametrize(
    "block",
    [
        "/BCS/1\n111 111, 0, 1\n",
        "/BCS/1\n   111 111         0         1\n",
        "/CLOAD/1\n1, ZZ, 0, 0, 1\n",
        "/GJOINT/GEAR/1\n1, 2.0, , , 2, 3\n1,1,1\n1,1,1\n",
        "/TH/NODE/1\nDEF\n1\n",
    ],
)
def test_errors_of_a_block_whose_title_is_a_card_ask_for_the_title(tmp_path: Path, block: str) -> None:
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(GROUP, block))
    assert all(diagnostic.hint.startswith(TITLE_HINT) for diagnostic in caught.value.diagnostics)


@pytest.mark.parametrize("title", ["stage 1", "2 held", "x, y", "", "1e", "-"])
def test_titles_with_words_are_not_doubted(tmp_path: Path, title: str) -> None:
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(GROUP, f"/BCS/1\n{title}\n111, 111, 0, 9\n"))
    assert [diagnostic.hint for diagnostic in caught.value.diagnostics] == ["nearest group ids: 1"]


def test_a_list_whose_first_line_became_the_title_is_warned_about(tmp_path: Path) -> None:
    model = read(tmp_path, deck("/GRNOD/NODE/1\n1,2\n3,4\n", "/FUNCT/1\n0,0\n1,1\n2,2\n", "/FUNCT/2\n2\n0,0\n1,1\n"))
    message = "the first line of a block is its title, and this one looks like data"
    assert [(w.message, w.id, w.excerpt) for w in model.warnings] == [(message, 1, "1,2"), (message, 1, "0,0")]


@pytest.mark.parametrize(
    ("good", "wrong"),
    [(f"{2022:10d}", f"{'²':>10}"), ("/GRNOD/NODE/1", "/GRNOD/NODE/²"), ("1,2,3", "1,2," + 5000 * "3")],
)
def test_what_python_takes_for_no_number_is_an_error_of_the_deck(tmp_path: Path, good: str, wrong: str) -> None:
    with pytest.raises(DeckError):
        read(tmp_path, deck(GROUP).replace(good, wrong))
