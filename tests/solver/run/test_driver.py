"""A run from model to results, in this process, with a simulation that behaves as the test wants."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import fake_simulation
import h5py
import numpy as np
import pytest
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.core.channels import Channel, Family, SampleBlock
from gsolve.solver.results.balance import Balance, lever_arms
from gsolve.solver.results.describe import joint_lines, relation
from gsolve.solver.results.files import OutputError, ResultPlace, result_paths
from gsolve.solver.results.history_reader import HistoryReader
from gsolve.solver.results.listing import StepTable
from gsolve.solver.results.summary import summary_text
from gsolve.solver.run.console import Console, Progress, RepeatedMessages, duration
from gsolve.solver.run.driver import Outcome, next_block, run_to_files
from gsolve.solver.run.observer import Caller, Observer, RunProgress, Shell
from gsolve.solver.run.options import RunOptions
from stub_models import StubWhere


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Runs meet the fake simulation and write into an empty directory."""
    monkeypatch.setitem(sys.modules, "gsolve.solver.run.simulation", fake_simulation.fake_module())
    monkeypatch.chdir(tmp_path)


def run(*, force: bool = False, output: str | None = None, stop: float | None = None, **arguments: object) -> Outcome:
    model = fake_simulation.fake_model(json.dumps(arguments), stop_energy_error=stop)
    return run_to_files(model, RunOptions(output=output, force=force), Shell(Console(quiet=True)))


def attributes(path: Path = Path("fake.h5")) -> dict[str, object]:
    with h5py.File(path) as file:
        return dict(file.attrs)


def test_completed_run_leaves_history_and_listing() -> None:
    outcome = run(steps=1000)
    assert (outcome.status, outcome.exit_code) == ("completed", 0)
    found = attributes()
    assert found["status"] == "completed"
    assert (found["n_steps"], found["dt_min"], found["dt_max"], found["t_end"]) == (1000, 1e-3, 1e-3, 1.0)
    assert found["gjoint_alpha"] == "documented"
    with h5py.File("fake.h5") as file:
        np.testing.assert_array_equal(file["diag/step"][:], np.arange(0, 1001, 10))
    listing = Path("fake.out").read_text().splitlines()
    table = listing[next(k for k, line in enumerate(listing) if line.split()[:2] == ["step", "time"]) :]
    assert [line.split()[0] for line in table[1:5]] == ["0", "50", "100", "150"]
    assert listing[-1] == "results       fake.h5, fake.out"
    assert "constraints   largest violation 3e-14 at t = 0.01" in listing


def test_failed_run_keeps_the_samples_before_the_failure() -> None:
    outcome = run(steps=1000, fail_at=503)
    assert (outcome.status, outcome.exit_code) == ("failed", 1)
    assert outcome.message == "node 10 is not a number at step 503"
    assert (attributes()["message"], attributes()["n_steps"]) == (outcome.message, 503)
    with h5py.File("fake.h5") as file:
        np.testing.assert_array_equal(file["diag/step"][:], np.arange(0, 501, 10))


def test_fault_of_the_program_closes_the_files_and_is_passed_on() -> None:
    with pytest.raises(ZeroDivisionError):
        run(steps=1000, crash_at=100)
    assert attributes()["status"] == "failed"
    assert attributes()["message"] == "internal error: float division by zero"


def test_interrupt_of_a_run_in_a_program_closes_the_files_and_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program decides what Ctrl-C means to it; what was computed is kept."""
    advance = fake_simulation.FakeSimulation.advance

    def interrupted(simulation: fake_simulation.FakeSimulation, max_steps: int) -> SampleBlock:
        if simulation.step:
            raise KeyboardInterrupt
        return advance(simulation, 50)

    monkeypatch.setattr(fake_simulation.FakeSimulation, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_to_files(fake_simulation.fake_model(), RunOptions(), Caller(None, None))
    assert (attributes()["status"], attributes()["message"]) == ("stopped", "stopped by KeyboardInterrupt at t = 0.05")
    with h5py.File("fake.h5") as file:
        assert len(file["time"]) == 6


def test_messages_are_kept_as_data() -> None:
    """Those of the deck and of the run, and each kind of note once."""
    run(steps=1000, doubt="a doubt", message_every=100)
    with h5py.File("fake.h5") as file:
        kept = json.loads(file["messages"].asstr()[()])
    assert kept == [
        {"severity": "warning", "message": "a warning", "file": "fake.rad", "line": 2},
        {"severity": "doubt", "message": "a doubt", "file": "fake.rad", "line": 7},
        {"severity": "note", "message": "step 100: halved"},
    ]


def test_energy_error_above_the_limit_of_the_deck_fails_the_run() -> None:
    outcome = run(steps=100_000, error_rate=1e-3, stop=1.0)
    assert (outcome.status, outcome.exit_code) == ("failed", 1)
    assert outcome.message.startswith("energy error ")
    assert outcome.message.endswith("is above the 1 % that /STOP allows")


def test_run_that_loses_most_of_its_energy_without_a_cause_is_not_completed() -> None:
    outcome = run(steps=1000, error_rate=0.6)
    assert (outcome.status, outcome.exit_code) == ("failed", 1)
    assert outcome.message == (
        "the energy balance is off by 0.6 of the energy turned over: these results are not to be trusted"
    )
    assert (attributes()["status"], attributes()["message"]) == ("failed", outcome.message)
    with h5py.File("fake.h5") as file:
        assert len(file["time"]) == 101
    listing = Path("fake.out").read_text()
    assert f"error: {outcome.message}\n" in listing and f"failed: {outcome.message}\n" in listing


def test_large_energy_error_is_a_doubt_about_a_completed_run() -> None:
    outcome = run(steps=1000, error_rate=0.1)
    assert (outcome.status, outcome.exit_code, attributes()["doubts"]) == ("completed", 0, 1)
    (doubt,) = outcome.doubts
    assert doubt.message == (
        "the energy balance is off by 0.1 of the energy turned over: these results are not to be trusted"
    )
    assert doubt in outcome.warnings


@pytest.mark.parametrize(
    ("observer", "hint"),
    [
        (Shell(Console(quiet=True)), "(--dt)"),
        (Caller(None, None, {"dt": None}), "(dt)"),
        (Caller(None, None), "(--dt)"),
    ],
)
def test_messages_are_kept_in_the_words_of_who_started_the_run(observer: Observer, hint: str) -> None:
    """In its result file; a study, whose runs follow no screen either, is started by the shell."""
    model = fake_simulation.fake_model(json.dumps({"steps": 1000, "error_rate": 0.1}))
    run_to_files(model, RunOptions(), observer)
    (doubt,) = HistoryReader("fake.h5").messages[-1:]
    assert doubt.hint == f"the time step is too long for this machine: impose a shorter one {hint}, and compare"


def test_energy_error_below_the_limit_lets_the_run_complete() -> None:
    assert run(steps=1000, error_rate=1e-3, stop=1.0).status == "completed"


def test_deck_that_cannot_be_assembled_leaves_older_results_alone() -> None:
    run()
    before = Path("fake.h5").read_bytes()
    with pytest.raises(DeckError):
        run(error="zero mass", force=True)
    assert Path("fake.h5").read_bytes() == before


def test_results_are_not_overwritten_unless_forced() -> None:
    run(steps=10)
    with pytest.raises(
        OutputError, match=r"^fake.h5 and fake.out already there; --force overwrites, -o NAME writes elsewhere$"
    ):
        run(steps=20)
    assert attributes()["n_steps"] == 10
    run(steps=20, force=True)
    assert attributes()["n_steps"] == 20


@pytest.mark.parametrize(
    ("output", "history"),
    [
        (None, "fake.h5"),
        ("other", "other.h5"),
        ("other.h5", "other.h5"),
        ("v1.2", "v1.2.h5"),
        ("new/", "new/fake.h5"),
        ("new/deep/name", "new/deep/name.h5"),
        ("there", "there/fake.h5"),
    ],
)
def test_output_is_a_name_or_a_directory(output: str | None, history: str) -> None:
    Path("there").mkdir()
    paths = result_paths("fake", output)
    assert str(paths.history) == history
    assert str(paths.listing) == history.replace(".h5", ".out")
    with ResultPlace(paths, [], force=False):
        assert paths.history.parent.is_dir()


def test_directory_that_cannot_be_made_is_one_clear_line() -> None:
    Path("file").write_text("")
    with pytest.raises(OutputError, match=r"^cannot write to file/deep: "):
        run(output="file/deep/name")


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize(
    ("lost", "message"),
    [
        (["fake.h5"], "fake.h5 was removed or replaced while the run wrote it: its results are not there"),
        (["fake.out"], "fake.out was removed or replaced while the run wrote it: its results are not there"),
        (
            ["fake.h5", "fake.out"],
            "fake.h5 and fake.out were removed or replaced while the run wrote them: its results are not there",
        ),
    ],
)
def test_run_whose_files_others_take_away_is_not_completed(
    lost: list[str],
    message: str,
    is_replaced: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interfere(observer: Shell, at: RunProgress) -> str:
        for name in lost:
            Path(name).unlink(missing_ok=True)
            if is_replaced:
                Path(name).write_text("of another program")
        return ""

    monkeypatch.setattr(Shell, "look", interfere)
    outcome = run_to_files(fake_simulation.fake_model('{"steps": 1000}'), RunOptions(), Shell(Console()))
    told = capsys.readouterr()
    assert (outcome.status, outcome.message, outcome.exit_code) == ("failed", message, 1)
    assert told.err == f"gsolve: {message}\n"
    kept = [name for name in ("fake.h5", "fake.out") if name not in lost]
    named = [line for line in told.out.splitlines() if line.startswith("results")]
    assert named == [f"results       {name}" for name in kept]
    if "fake.h5" in kept:
        assert (attributes()["status"], attributes()["message"]) == ("failed", message)
        with h5py.File("fake.h5") as file:
            assert len(file["time"]) == 101
    if is_replaced:
        with pytest.raises(OutputError, match="was not made by gsolve"):
            run(force=True)


def test_run_in_another_folder_than_it_began_in_finds_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shell, "look", lambda observer, at: os.chdir("/") or "")
    here = Path.cwd()
    assert run(steps=1000).status == "completed"
    assert attributes(here / "fake.h5")["status"] == "completed"


def test_messages_of_one_kind_are_listed_once_with_their_count() -> None:
    run(steps=1000, message_every=100)
    listing = Path("fake.out").read_text()
    assert listing.count("halved") == 2
    assert "step 100: halved\n" in listing
    assert "step 1000: halved (the last of 10 times)\n" in listing


def test_final_rates_of_gear_joints_are_shown_without_empty_columns() -> None:
    run(steps=1000)
    listing = Path("fake.out").read_text().splitlines()
    start = listing.index("at t = 1:")
    assert [line.split() for line in listing[start + 1 : start + 3]] == [
        ["gear", "joint", "VEL1", "[rad/s]", "VEL2", "[rad/s]"],
        ["7", "1", "-2"],
    ]


def test_block_length_follows_the_speed_of_the_machine() -> None:
    assert next_block(100, 0.1) == 300
    assert next_block(100, 10.0) == 3
    assert next_block(100, 1000.0) == 1
    assert next_block(100, 0.0) == 1000


def test_energy_error_is_measured_against_the_energy_turned_over() -> None:
    balance = Balance()
    balance.add(
        SampleBlock(
            np.array([0.0, 1.0]),
            {
                "energy": {
                    "kinetic_rotational": np.array([0.0, 3.0]),
                    "external_work": np.array([0.0, -5.0]),
                    "gravity": np.array([1000.0, 1000.0]),
                    "error": np.array([0.0, -2.0]),
                },
                "diag": {"constraint_violation": np.array([np.nan, 1e-12])},
            },
        )
    )
    assert balance.energy_error == 2.0 / 5.0
    assert (balance.worst_violation, balance.time_of_worst_violation) == (1e-12, 1.0)


@pytest.mark.parametrize(("kinetic", "joule", "error"), [(-1e-27, 1.0, 0.0), (-1e-27, 1e9, 1.0), (0.0, 1.0, 0.0)])
def test_machine_that_moves_by_round_off_alone_has_no_energy_error(kinetic: float, joule: float, error: float) -> None:
    balance = Balance(joule)
    energy = {"kinetic_translational": np.array([0.0, kinetic]), "error": np.array([0.0, kinetic])}
    balance.add(SampleBlock(np.array([0.0, 1.0]), {"energy": energy}))
    assert balance.energy_error == error


def test_work_of_a_torque_on_a_locked_shaft_is_no_energy_turned_over() -> None:
    families = (Family("th/gjoint", (Channel("T1", "N m", "torque"),), np.array([1])),)
    arms = lever_arms(fake_simulation.fake_model(), families)
    assert arms == {("th/gjoint", "T1"): 1.0}
    for work, error in ((5e-16, 0.0), (5e-11, 1.0)):
        balance = Balance(1.0, arms)
        energy = {"external_work": np.array([0.0, work]), "error": np.array([0.0, -work])}
        balance.add(SampleBlock(np.array([0.0, 1.0]), {"energy": energy, "th/gjoint": {"T1": np.full((2, 1), 2.5)}}))
        assert balance.energy_error == error


def test_results_record_what_the_run_was_asked_for() -> None:
    model = fake_simulation.fake_model(json.dumps({"parameters": {"speed": 40.0, "teeth": 17}, "error_rate": 1e-3}))
    outcome = run_to_files(model, RunOptions(command_line="gsolve a.rad -D speed=40"), Shell(Console(quiet=True)))
    found = attributes()
    assert json.loads(found["parameters"]) == outcome.figures["parameters"] == {"speed": 40.0, "teeth": 17}
    assert (found["command_line"], found["dt_reason"]) == ("gsolve a.rad -D speed=40", "a fake")
    assert found["energy_turned_over"] == 1.0
    assert found["energy_error"] == outcome.figures["energy_error"] == pytest.approx(1e-4)


def test_results_that_another_run_is_writing_are_left_alone_even_by_force() -> None:
    run(steps=10)
    before = Path("fake.h5").read_bytes()
    with ResultPlace(result_paths("fake", None), [], force=True):
        for force in (False, True):
            with pytest.raises(OutputError) as refusal:
                run(steps=20, force=force)
            assert str(refusal.value) == "fake.h5 is being written by another run; -o NAME writes elsewhere"
    assert Path("fake.h5").read_bytes() == before
    assert run(steps=20, force=True).status == "completed"


def test_what_is_to_be_said_of_machine_code_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gsolve.solver.core.jit.machine_code.messages", ["machine code cannot be kept in x"])
    run_to_files(fake_simulation.fake_model(), RunOptions(), Shell(Console()))
    assert capsys.readouterr().out.count("gsolve: machine code cannot be kept in x\n") == 1
    with h5py.File("fake.h5") as file:
        assert json.loads(file["messages"].asstr()[()]) == [
            {"severity": "note", "message": "machine code cannot be kept in x"}
        ]


def test_listing_takes_the_first_sample_at_or_after_each_print_step() -> None:
    table = StepTable(print_every=-25, steps_expected=1000)
    simulation = fake_simulation.FakeSimulation(steps=100)
    lines = [line for _ in range(4) for line in table.lines(simulation.advance(25))]
    assert [int(line.split()[0]) for line in lines] == [0, 30, 50, 80, 100]


def test_gear_joint_states_both_readings_of_its_ratio() -> None:
    from gsolve.parser.model import GearJoint

    joint = GearJoint(
        5, "main", StubWhere(), "GEAR", np.array([0, 1, 1, -1]), -2.5, np.zeros(4), np.zeros(4), np.eye(3)
    )
    model = fake_simulation.fake_model()
    model.gear_joints = [joint]
    assert joint_lines(model, "documented") == [
        "gear joints (FscaleV is taken as documented):",
        '  GEAR 5 "main": nodes 10 20 20; w2 = 2.5 w1  (inverse: w2 = 0.4 w1)',
    ]
    joint.kind = "RACK"
    assert relation(joint, "documented") == "v2 = 2.5 w1"
    joint.kind = "DIFF"
    assert relation(joint, "inverse") == "w2 + w3 = 0.4 w1"


class Terminal:
    """Keeps what is printed on it."""

    def __init__(self, tty: bool) -> None:
        self.tty, self.text = tty, ""

    def isatty(self) -> bool:
        return self.tty

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def progress_on(terminal: Terminal) -> Progress:
    progress = Progress(terminal, 1.0, "s", started=time.monotonic() - 10.0)  # type: ignore[arg-type]
    for percent in range(0, 101, 5):
        progress.update(percent / 100, percent)
    return progress


def test_progress_off_a_terminal_is_a_line_each_ten_percent() -> None:
    terminal = Terminal(tty=False)
    progress_on(terminal)
    lines = terminal.text.splitlines()
    assert [line.split()[0] for line in lines] == [str(k) for k in range(10, 101, 10)]
    assert "steps/s" in lines[0] and "left" in lines[0]


def test_progress_on_a_terminal_is_one_line_that_renews_itself() -> None:
    terminal = Terminal(tty=True)
    progress_on(terminal).clear()
    assert "\n" not in terminal.text
    assert terminal.text.count("\r") > 20
    assert terminal.text.endswith(" \r")


def test_durations_are_said_as_a_person_would() -> None:
    assert [duration(s) for s in (0.42, 12.3, 185, 7800)] == ["0.42 s", "12 s", "3 min 05 s", "2 h 10 min"]


def test_messages_that_differ_in_numbers_only_are_one_kind() -> None:
    repeated = RepeatedMessages()
    assert [repeated.is_new(m) for m in ("t = 1.5: halved", "t = 2e-5: halved", "other")] == [True, False, True]
    assert repeated.repeated() == ["t = 2e-5: halved (the last of 2 times)"]
    assert [repeated.is_new(m) for m in ("/DRIVE/ROT/1 at 1", "/DRIVE/ROT/12 at 1", "/DRIVE/ROT/1 at 2")] == [1, 1, 0]


def test_summary_is_valid_json_even_where_numbers_are_not() -> None:
    summary = {"nan": float("nan"), "array": np.array([1.0, np.inf]), "count": np.int64(3), "path": Path("a")}
    assert json.loads(summary_text(summary)) == {"nan": None, "array": [1.0, None], "count": 3, "path": "a"}
