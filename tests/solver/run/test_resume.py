"""Runs that go on from a checkpoint: bit for bit as in one go, and never with another deck or another gsolve."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import Any

import gsolve
import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.core.resumable import Resumable
from gsolve.solver.integration.array_state import arrays_of, bare, digest_of, digests_of
from gsolve.solver.results.checkpoint import HEAD, checkpoint_bytes, newest_state
from gsolve.solver.results.history_layout import CHECKPOINTS
from gsolve.solver.run import checkpoint
from gsolve.solver.run import resume as module
from gsolve.solver.run.checkpoint_times import CheckpointInterval, CheckpointTimes, checkpoint_interval
from gsolve.solver.run.simulation import Simulation
from interrupted import deck_of, histories_of, random_parts, run_killed, run_stopped
from random_trees import RandomTree

DECKS = Path(__file__).parents[3] / "decks"
GEAR_PAIR = DECKS / "gear_pair" / "gear_pair.rad"

# One for each way to move and each kind of state: planar machines and spatial ones, trains and gyrostats, drives,
# sensors, impacts, stiction, meshes, curves, rows left out.
EXAMPLES = (
    "four_bar", "gear_train_20", "vehicle_differential", "hexapod", "robot_arm", "billiard_break", "block_on_incline",
    "cylinder_on_box_meshed", "cam_and_followers", "gear_brake", "planetary_brake", "scissor_lift",
    "screw_press", "split_deck",
)  # fmt: skip


# Ends sooner than those of the decks, behind the first of all that happens there.
ENDS = {
    "billiard_break": 0.18, "cam_and_followers": 0.3, "cylinder_on_box_meshed": 0.3, "four_bar": 2.0, "gear_brake": 0.6,
    "hexapod": 0.5, "vehicle_differential": 0.7,
}  # fmt: skip
# A way to move each whose state is kept, read and kept again; the others are stopped once.
STOPPED_TWICE = ("billiard_break", "four_bar", "gear_train_20", "robot_arm", "vehicle_differential")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def edited(deck: Path, *pairs: tuple[str, str]) -> Path:
    """A deck with changes, in the folder of the test."""
    text = deck.read_text()
    for before, after in pairs:
        assert text.count(before) == 1
        text = text.replace(before, after)
    path = Path(deck.name)
    path.write_text(text)
    return path


def stopped_gear_pair(part: float = 0.3, **chosen: Any) -> Path:
    """The result file of a gear pair that was stopped, its deck beside it."""
    deck = edited(GEAR_PAIR)
    chosen = {"checkpoint_every": "0.1", **chosen}
    result = gsolve.run(deck, output="gear_pair", stop=lambda at: at.fraction > part, **chosen)
    assert result.status == "stopped"
    return Path("gear_pair.h5")


# ---- bit for bit ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_run_that_was_stopped_has_the_bytes_of_one_in_one_go(example: str) -> None:
    deck, t_end = deck_of(DECKS / example), ENDS.get(example)
    gsolve.run(deck, output="whole", allow_user_code=True, t_end=t_end)
    parts = random_parts(example, 2 if example in STOPPED_TWICE else 1)
    run_stopped(deck, Path("part.h5"), parts, threads=2, t_end=t_end)
    assert gsolve.load("part.h5").attributes["resumed"] != ""
    assert histories_of(Path("part.h5")) == histories_of(Path("whole.h5"))


@pytest.mark.parametrize(
    ("deck", "options"),
    [
        ("four_bar", {"general": True, "dt": 0.015, "t_end": 65.0}),  # passes places where it could branch off
        ("robot_arm", {"accuracy": 1e-5, "t_end": 10.0}),
        ("four_bar", {"order": 4, "dt": 0.01, "t_end": 60.0}),  # in parts near such places
        ("billiard_break", {}),
    ],
    ids=["divided", "controlled", "composed", "halved"],
)
def test_so_has_one_whose_steps_are_divided_controlled_or_halved(deck: str, options: dict[str, Any]) -> None:
    text = deck_of(DECKS / deck).read_text()
    if not options:  # an automatic step, which is halved as balls meet
        text = re.sub(r"/DTIX\n(#.*\n)*[^\n]*\n", "", text)
    if deck == "four_bar":  # steps are as long as its samples are apart
        text = text.replace("/TFILE\n 0.01\n", "/TFILE\n 0.25\n")
    path = Path("edited.rad")
    path.write_text(text)
    t_end = options.get("t_end", gsolve.read(path).engine.t_end)
    whole = gsolve.run(path, output="whole", **options)
    assert whole.attributes["dt_min"] < whole.attributes["dt_max"] or options
    gsolve.run(path, output="part", stop=lambda at: at.fraction > 0.3, checkpoint_every=repr(t_end / 20), **options)
    assert gsolve.load("part.h5").status == "stopped"
    gsolve.resume("part.h5", allow_user_code=True)
    assert histories_of(Path("part.h5")) == histories_of(Path("whole.h5"))
    part = gsolve.load("part.h5")
    same = ("n_steps", "dt_min", "dt_max", "energy_error", "energy_turned_over", "doubts", "t_end")
    assert {name: part.attributes[name] for name in same} == {name: whole.attributes[name] for name in same}


def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint() -> None:
    deck, t_end = deck_of(DECKS / "gear_brake"), ENDS["gear_brake"]
    gsolve.run(deck, output="whole", t_end=t_end)
    for part in (0.4, 1.0):  # the second one behind its last step, before the file was closed
        Path("part.h5").unlink(missing_ok=True)
        Path("part.out").unlink(missing_ok=True)
        run_killed(deck, Path("part.h5"), part, t_end)
        assert gsolve.load("part.h5").status == "running"
        assert gsolve.resume("part.h5").status == "completed"
        assert histories_of(Path("part.h5")) == histories_of(Path("whole.h5"))


def test_a_run_goes_on_to_a_later_end_as_one_that_had_it_from_the_start() -> None:
    deck = edited(GEAR_PAIR)
    gsolve.run(deck, output="longer", t_end=2.0)
    gsolve.run(deck, output="part")
    result = gsolve.resume("part.h5", t_end=2.0, output="gone_on")
    assert (result.status, result.attributes["t_end"], result.time[-1]) == ("completed", 2.0, 2.0)
    assert gsolve.load("part.h5").time[-1] == 1.0  # stays as it is
    gone_on, longer = histories_of(Path("gone_on.h5")), histories_of(Path("longer.h5"))
    frames = {name for name in longer if name.startswith("th/body/")}  # as far apart as those of the shorter run
    assert {name: gone_on[name] for name in gone_on.keys() - frames} == {
        name: longer[name] for name in longer.keys() - frames
    }
    assert len(result.frames.time) == 2 * len(gsolve.load("part.h5").frames.time) - 1


def test_the_condition_that_ends_a_run_goes_on_with_it() -> None:
    condition = "gjoint/1/VEL1 > 20"  # it is 25 t
    stopped = stopped_gear_pair(stop_when=condition)
    shutil.copy("gear_pair.h5", "other.h5")
    assert gsolve.resume(stopped).message == f"ended as asked at t = 0.81: {condition}"
    assert gsolve.resume("other.h5", stop_when="t >= 0.9", output="later").time[-1] == 0.9
    assert gsolve.resume("other.h5", stop_when="t < 0", output="never").time[-1] == 1.0


def test_a_run_that_a_condition_ended_goes_on_past_it() -> None:
    """From a place before, as one that had no condition."""
    deck = edited(GEAR_PAIR)
    gsolve.run(deck, output="whole", t_end=2.0)
    ended = gsolve.run(deck, output="ended", stop_when="gjoint/1/VEL1 > 20")
    assert ended.time[-1] == 0.81
    result = gsolve.resume("ended.h5", t_end=2.0, output="on", stop=lambda at: at.time > 1.5)
    assert result.status == "stopped" and float(result.attributes["resumed"]) < 0.81
    assert gsolve.resume("on.h5").message == ""
    assert histories_of(Path("on.h5")) == histories_of(Path("whole.h5"))
    assert gsolve.resume("ended.h5", stop_when="t >= 0.9").time[-1] == 0.9


def test_samples_that_wait_belong_to_where_a_run_remembers_to_have_stood(monkeypatch: pytest.MonkeyPatch) -> None:
    """It remembers that oftener than samples go to the file, so all of these are there when it goes on from there."""
    monkeypatch.setattr(checkpoint, "NOTES_SHARE", math.inf)
    whole = gsolve.run(edited(GEAR_PAIR))
    ended = gsolve.run(edited(GEAR_PAIR), output="ended", stop_when="gjoint/1/VEL1 > 15")
    assert 20 < len(ended.time) < len(whole.time)
    np.testing.assert_array_equal(gsolve.resume("ended.h5", output="resumed").time, whole.time)


def test_a_run_that_a_sensor_ended_goes_on_to_the_next_one() -> None:
    sensors = "".join(f"/SENSOR/TIME/{k}\nat {t}\n{t:>10}\n" for k, t in ((1, 0.3), (2, 0.6)))
    line = next(line for line in GEAR_PAIR.read_text().splitlines() if line.startswith("/RUN"))
    gsolve.run(GEAR_PAIR, output="whole")
    deck = edited(GEAR_PAIR, (line, f"{sensors}{line}"), ("/END", "/STOP/LSENSOR\n1 2\n/END"))
    assert gsolve.run(deck, output="part").time[-1] == pytest.approx(0.3)
    assert gsolve.resume("part.h5").time[-1] == pytest.approx(0.6)
    assert gsolve.resume("part.h5").time[-1] == 1.0
    same = {name: data for name, data in histories_of(Path("part.h5")).items() if name.startswith("th/")}
    whole = histories_of(Path("whole.h5"))
    assert all(data == whole[name] for name, data in same.items() if name in whole)


def test_a_later_end_holds_for_runs_that_go_on_from_there() -> None:
    stopped = stopped_gear_pair()
    assert gsolve.resume(stopped, t_end=3.0, stop=lambda at: True).status == "stopped"
    assert gsolve.resume(stopped).time[-1] == 3.0


def test_all_that_a_run_changes_is_in_its_state() -> None:
    """Whatever an object of a run holds in plain Python and has changed by the end is in what its `state` gives."""
    names = set[str]()
    for example in EXAMPLES:
        simulation = Simulation(gsolve.read(deck_of(DECKS / example)), allow_user_code=True)
        simulation.note_start()
        before = {name: snapshot(part) for name, part in parts_of(simulation)}
        while simulation.step < 5000 and not simulation.finished:
            simulation.advance(1000)
        for name, part in parts_of(simulation):
            changed = {field for field, value in snapshot(part).items() if before[name].get(field) != value}
            names |= {f"{name}.{field}" for field in changed - set(part.state())}
    assert names == set()


@pytest.mark.parametrize("example", (*EXAMPLES, "free tree"))
def test_a_restored_machine_has_the_arrays_of_the_one_that_was_kept(example: str) -> None:
    """A machine that steps would do over again from the begin of the piece before may lack some and end up the same."""
    if example == "free tree":
        deck = Path("tree.rad")
        tree = RandomTree(3, 4, free=True, kinds=("REVOLUTE", "UNIVERSAL"), t_end=1.0)
        tree.tree()
        tree.motion()
        deck.write_text(str(tree.text()))
    else:
        deck = deck_of(DECKS / example)
    model = gsolve.read(deck)
    one, other = (Simulation(model, allow_user_code=True) for _ in range(2))
    for simulation in (one, other):
        simulation.note_start()
    start = digests_of_all(other)
    while simulation_goes_on(one):
        one.advance(100)
    number, state = newest_state([checkpoint_bytes(1, one.state())]) or (0, {})
    assert (number, other.step) == (1, 0)
    other.restore(state)
    assert digests_of_all(other) == digests_of_all(one)
    assert start != digests_of_all(one)


def simulation_goes_on(simulation: Simulation) -> bool:
    """Up to where contacts have come about and drives have turned on, far from the end."""
    return simulation.step < 0.2 * simulation.n_steps_estimate and not simulation.finished


def digests_of_all(simulation: Simulation) -> list[dict[str, str]]:
    """Of the arrays of a machine, and of the system in which gyrostats move."""
    return [digests_of(arrays_of(system)) for system in simulation._machine._systems()]


@pytest.mark.parametrize("deck", ["bolt_in_hole", "cylinder_on_box_meshed", "toy_planetary"])
def test_no_run_writes_to_the_surfaces_that_runs_share(deck: str) -> None:
    """Their digests are found once a process."""
    simulation = Simulation(gsolve.read(deck_of(DECKS / deck)))
    simulation.note_start()
    while simulation_goes_on(simulation):
        simulation.advance(100)
    arrays = arrays_of(simulation._machine.system)
    shared = {name: array for name, array in arrays.items() if array.size and not array.flags.writeable}
    assert {"contacts/meshes/surface/vertices", "contacts/meshes/pairs/facets"} <= set(shared)
    assert digests_of(shared) == digests_of({name: array.copy() for name, array in shared.items()})


def parts_of(value: Resumable) -> list[tuple[str, Resumable]]:
    """An object and all within it that keep a state."""
    found = [(type(value).__name__, value)]
    for member in vars(value).values():
        if isinstance(member, Resumable) and not isinstance(member, Simulation):
            found += [part for part in parts_of(member) if part[0] not in dict(found)]
    return found


def snapshot(part: Resumable) -> dict[str, str]:
    """Attributes that are numbers, texts and collections of such; not the arrays of the machine."""
    plain = (bool, int, float, str, tuple, list, dict, set, type(None), np.ndarray)
    return {name: text_of(value) for name, value in vars(part).items() if isinstance(value, plain)}


def text_of(value: object) -> str:
    return str(value.tobytes()) if isinstance(value, np.ndarray) and not value.dtype.hasobject else repr(value)


# ---- what a checkpoint holds ---------------------------------------------------------------------------------


def test_a_state_is_what_it_was_after_a_turn_through_bytes() -> None:
    record = np.array([(1, (0.1, -0.0, np.nan))], np.dtype([("n", "i8"), ("x", "f8", 3)], align=True))
    state = {
        "number": 3, "tenth": 0.1, "tiny": 5e-324, "none": None, "list": [1, [2.5, "é"]], "empty": np.zeros((0, 3)),
        "inner": {"record": record, "ints": np.arange(5)},
    }  # fmt: skip
    number, found = newest_state([checkpoint_bytes(7, state) + b"what follows"]) or (0, {})
    assert number == 7
    assert {name: found[name] for name in ("number", "tenth", "tiny", "none", "list")} == {
        name: state[name] for name in ("number", "tenth", "tiny", "none", "list")
    }
    assert found["empty"].shape == (0, 3)
    assert found["inner"]["record"].dtype == record.dtype
    assert found["inner"]["record"].tobytes() == record.tobytes()
    np.testing.assert_array_equal(found["inner"]["ints"], np.arange(5))


def test_what_lies_between_fields_and_pointers_is_not_part_of_a_state() -> None:
    """Neither is the same in another process."""
    inner = np.dtype([("n", "i4"), ("x", "f8")], align=True)
    kind = np.dtype([("address", "i8"), ("inner", inner, 2), ("last", "i1")], align=True)
    one, other = np.zeros(3, kind), np.full(3 * kind.itemsize, 255, np.uint8).view(kind)
    for array in (one, other):
        array["inner"]["n"], array["inner"]["x"], array["last"] = 5, 0.25, 7
    assert one.tobytes() != other.tobytes()
    assert digest_of(one) == digest_of(other)
    assert bare(one).tobytes() == bare(other).tobytes()
    assert bare(one)["inner"]["x"].tolist() == [[0.25, 0.25]] * 3
    other["inner"]["x"][1, 1] = np.nextafter(0.25, 1.0)
    assert digest_of(one) != digest_of(other)


def test_of_two_checkpoints_the_newer_counts_unless_it_is_torn() -> None:
    older, newer = checkpoint_bytes(4, {"step": 1}), checkpoint_bytes(5, {"step": 2})
    torn = newer[: HEAD + 3] + bytes(len(newer) - HEAD - 3)
    assert newest_state([older, newer]) == newest_state([newer, older]) == (5, {"step": 2})
    assert newest_state([older, torn]) == (4, {"step": 1})
    assert newest_state([torn, b""]) is None


def test_a_file_that_another_run_has_gone_on_with_meanwhile_is_left_alone(monkeypatch) -> None:
    """Between the look at the checkpoint and the lock."""
    file = stopped_gear_pair()
    read_model = module.read_model

    def slowly(*arguments: Any, **chosen: Any) -> gsolve.Model:
        monkeypatch.setattr(module, "read_model", read_model)
        gsolve.resume(file)
        return read_model(*arguments, **chosen)

    monkeypatch.setattr(module, "read_model", slowly)
    assert said(str(file), "-q") == (
        2, "gsolve: gear_pair.h5 was written by another run meanwhile: gsolve resume goes on from what is there now\n"
    )  # fmt: skip
    assert gsolve.load(file).status == "completed"


def test_a_run_without_checkpoints_keeps_none() -> None:
    gsolve.run(GEAR_PAIR, output="none", checkpoint_every="never")
    with h5py.File("none.h5") as file:
        assert not [name for name in CHECKPOINTS if name in file]


def test_an_ordinary_run_keeps_one_at_its_end_that_is_small() -> None:
    gsolve.run(GEAR_PAIR, output="one")
    with h5py.File("one.h5") as file:
        odd, even = (len(file[name]) for name in CHECKPOINTS)
    assert even == 0
    assert 0 < odd < 10_000


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("10min", CheckpointInterval(wall=600.0)),
        ("1.5 h", CheckpointInterval(wall=5400.0)),
        ("90s", CheckpointInterval(wall=90.0)),
        ("0.05", CheckpointInterval(simulated=0.05)),
        ("1e-3", CheckpointInterval(simulated=1e-3)),
        ("never", None),
    ],
)
def test_times_between_checkpoints(text: str, interval: CheckpointInterval | None) -> None:
    assert checkpoint_interval(text) == interval


@pytest.mark.parametrize("text", ["", "0", "-1", "10 days", "nan", "inf", "1..2", "s"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"'{text}' is not a time: 10min, 90s or 2h of wall time, 0.05 of")):
        checkpoint_interval(text)
    with pytest.raises(gsolve.UsageError, match="checkpoint_every: "):
        gsolve.run(GEAR_PAIR, checkpoint_every=text)


def test_a_checkpoint_is_due_at_each_multiple_of_simulated_time() -> None:
    times, made = CheckpointTimes(CheckpointInterval(simulated=0.1), 0.0), []
    for step in range(100):
        if times.is_due(0.03 * step):
            times.made(0.03 * step)
            made.append(step)
    assert made == [next(step for step in range(100) if 0.03 * step >= 0.1 * k - 1e-9) for k in range(1, 30)]


# ---- what is refused -----------------------------------------------------------------------------------------


def said(*arguments: str) -> tuple[int, str]:
    """Exit status and what a command says."""
    result = CliRunner().invoke(program, ["resume", *arguments])
    return result.exit_code, result.output


def test_a_deck_that_has_changed_is_refused_with_the_line() -> None:
    file = stopped_gear_pair()
    deck = Path("gear_pair.rad")
    line = next(line for line in deck.read_text().splitlines() if line.startswith("/RUN"))
    deck.write_text(deck.read_text().replace(line, "/RUN/other/1"))
    code, text = said(str(file))
    assert code == 2
    assert re.search(
        rf"gsolve: the deck is not the one of gear_pair.h5 any more: line \d+, includes resolved, was '{line}' and is "
        "'/RUN/other/1'", text,
    )  # fmt: skip


def test_a_deck_that_has_moved_is_asked_for() -> None:
    file = stopped_gear_pair()
    Path("gear_pair.rad").rename("moved.rad")
    code, text = said(str(file))
    assert code == 2
    assert f"the deck of {file} is not at {Path.cwd() / 'gear_pair.rad'} any more" in text
    assert f"gsolve resume {file} --deck FILE" in text
    assert said(str(file), "--deck", "mooved.rad") == (2, "gsolve: --deck: there is no file mooved.rad\n")
    assert said(str(file), "--deck", "moved.rad", "-q")[0] == 0


def test_another_gsolve_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    file = stopped_gear_pair()
    with monkeypatch.context() as patched:
        patched.setattr("gsolve.solver.run.resume.version", lambda: "9.9")
        assert said(str(file)) == (
            2,
            "gsolve: gear_pair.h5 was written by gsolve 0.1.0, and this is 9.9: a run goes on with the version that "
            "began it, or begins anew\n",
        )
    with monkeypatch.context() as patched:
        patched.setattr("gsolve.solver.core.jit.machine_code.digest_of_sources", lambda module: b"other")
        code, text = said(str(file))
    assert code == 2
    assert "gear_pair.h5 was written by other sources of gsolve 0.1.0" in text


def test_a_mesh_that_has_changed_is_refused_by_name() -> None:
    folder = DECKS / "cylinder_on_box_meshed"
    for path in folder.iterdir():
        shutil.copy(path, path.name)
    deck = deck_of(Path())
    gsolve.run(deck, output="part", stop=lambda at: at.fraction > 0.2, checkpoint_every="0.01")
    mesh = Path(gsolve.read(deck).mesh_files[0])
    mesh.write_bytes(mesh.read_bytes() + b"\n")
    code, text = said("part.h5")
    assert (code, text) == (2, f"gsolve: {mesh.resolve()} is not what it was when part.h5 was written\n")


def test_a_run_at_its_end_is_refused_unless_it_gets_a_later_one() -> None:
    gsolve.run(GEAR_PAIR, output="whole")
    told = "gsolve: whole.h5 has come to t = 1, its end is t = {}: --t-end T goes on to a later time\n"
    assert said("whole.h5") == (2, told.format(1))
    assert said("whole.h5", "--t-end", "0.5") == (2, told.format(0.5))


def test_files_without_a_checkpoint_are_refused() -> None:
    gsolve.run(GEAR_PAIR, output="none", checkpoint_every="never")
    code, text = said("none.h5")
    assert code == 2
    assert (
        "none.h5 has no checkpoint: its run kept none (--checkpoint-every never), was killed before the first" in text
    )
    Path("text.h5").write_text("no HDF5")
    assert said("text.h5") == (2, "gsolve: cannot read text.h5 as HDF5: it is damaged, or no result file\n")
    with h5py.File("other.h5", "w") as file:
        file["x"] = 1.0
    assert said("other.h5") == (2, "gsolve: other.h5 is an HDF5 file, but not a result of gsolve\n")
    with h5py.File("none.h5", "r+") as file:
        del file["deck"]
    code, text = said("none.h5")
    assert code == 2 and text.startswith("gsolve: none.h5 is damaged, or was made by another version of gsolve: ")


def test_results_elsewhere_are_not_overwritten_unasked() -> None:
    file = stopped_gear_pair()
    Path("other.h5").write_text("mine")
    code, text = said(str(file), "-o", "other")
    assert code == 2
    assert "other.h5 already there; --force overwrites" in text
    assert gsolve.load(file).status == "stopped"


def test_rounding_of_another_processor_is_said() -> None:
    file = stopped_gear_pair()
    with h5py.File(file, "r+") as stored:
        name = max(CHECKPOINTS, key=lambda name: len(stored[name]))
        number, state = newest_state([stored[name][()].tobytes() for name in CHECKPOINTS]) or (0, {})
        state["run"]["simulation"]["machine"]["others"][0] = "0"
        data = checkpoint_bytes(number + 2, state)
        stored[name].resize(len(data), axis=0)
        stored[name][:] = np.frombuffer(data, np.uint8)
    result = gsolve.resume(file)
    assert result.status == "completed"
    assert "differs by rounding from the one that the checkpoint was made of" in result.messages[-1].message


# ---- as a person sees it -------------------------------------------------------------------------------------


def test_the_listing_goes_on_where_it_was() -> None:
    file = stopped_gear_pair()
    before = Path("gear_pair.out").read_text()
    code, text = said(str(file))
    after = Path("gear_pair.out").read_text()
    assert code == 0
    assert after.startswith(before)
    assert re.search(r"^resumed +at t = 0\.\d+ s, step \d+, to t = 1$", text, re.MULTILINE)
    assert "completed at t = 1 s, 10 000 steps" in text


def test_a_run_that_goes_on_past_its_condition_says_so() -> None:
    gsolve.run(edited(GEAR_PAIR), output="gear_pair", stop_when="gjoint/1/VEL1 > 5")
    code, text = said("gear_pair.h5")
    assert code == 0
    assert "to t = 1, past t = 0.2, where gjoint/1/VEL1 > 5 ended it" in text
