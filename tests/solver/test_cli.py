"""The program as a person meets it: real processes, with the fake simulation where a run is needed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from forked import FAKE_PROGRAM, Started, programs
from histories import write_history

ANEW = [sys.executable, str(FAKE_PROGRAM)]  # in a process that starts from nothing


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in an empty directory."""
    monkeypatch.chdir(tmp_path)


def call(*arguments: str, fake: bool = True) -> subprocess.CompletedProcess[str]:
    done = programs().run(*arguments, fake=fake)
    assert "Traceback" not in done.stderr + done.stdout
    return done


def call_anew(command: list[str]) -> subprocess.CompletedProcess[str]:
    """In a process that starts from nothing."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr + done.stdout
    return done


def deck(name: str = "machine.rad", **arguments: object) -> str:
    Path(name).write_text(json.dumps(arguments))
    return name


def status_of(path: str = "fake.h5") -> tuple[str, str]:
    with h5py.File(path) as file:
        return file.attrs["status"], file.attrs["message"]


@pytest.mark.parametrize("words", [(), ("run",)])
def test_deck_runs_with_and_without_the_word_run(words: tuple[str, ...]) -> None:
    done = call_anew([*ANEW, *words, deck(steps=1000)])
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert status_of() == ("completed", "")
    assert done.stdout.splitlines()[-1] == "results       fake.h5, fake.out"


def test_options_may_come_before_the_deck() -> None:
    done = call("-o", "there/", "-D", "speed=40", deck(steps=10))
    assert done.returncode == 0, done.stderr
    assert status_of("there/fake.h5") == ("completed", "")


def test_options_reach_the_deck_and_the_simulation() -> None:
    probe = (
        "import sys\nimport fake_simulation as fake, gsolve.parser\n"
        "def read_deck(path, inspect, **options): print(sorted(options.items())); return fake.read_fake_deck(path)\n"
        "def simulation(model, **options): print(sorted(options.items())); return fake.simulation_of(model)\n"
        "gsolve.parser.read_deck = read_deck\n"
        "module = fake.fake_module(); module.Simulation = simulation\n"
        "sys.modules['gsolve.solver.run.simulation'] = module\n"
        "from gsolve.solver.cli import main; main()\n"
    )
    options = ["-D", "a=1", "-D", "b = 2.5", "--t-end", "2", "--dt", "1e-4", "--gjoint-alpha", "inverse", "--untrusted"]
    done = programs().run(
        deck(steps=10),
        *options,
        "--threads",
        "2",
        "--assemble",
        "--allow-user-code",
        "--general",
        "--accuracy",
        "1e-5",
        "--order",
        "2",
        "--untrusted",
        code=probe,
    )
    assert done.stdout.splitlines()[:2] == [
        "[('defines', {'a': '1', 'b': '2.5'}), ('gjoint_alpha', 'inverse'), ('t_end', 2.0), ('untrusted', True)]",
        "[('accuracy', 1e-05), ('allow_user_code', True), ('close_gaps', True), ('dt', 0.0001), ('frames', None), "
        "('general', True), "
        "('gjoint_alpha', 'inverse'), ('order', 2), ('settled', None), "
        "('stop_when', None), ('t_end', 2.0), ('threads', 2)]",
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("absent.rad",), "File 'absent.rad' does not exist."),
        (("machine.rad", "-D", "speed"), "'speed' is not NAME=VALUE, e.g. -D speed=40"),
        (("machine.rad", "-D", "=4"), "'=4' is not NAME=VALUE, e.g. -D speed=40"),
        (("machine.rad", "--dt", "0"), "0 is not a positive number"),
        (("machine.rad", "--accuracy", "1e-12"), "1e-12 is not a tolerance from 1e-08 to 0.1"),
        (("machine.rad", "--accuracy", "nan"), "nan is not a tolerance from 1e-08 to 0.1"),
        (("machine.rad", "--order", "3"), "3 is none of 2, 4, 6"),
        (("machine.rad", "--t-end", "nan"), "nan is not a positive number"),
        (("machine.rad", "--gjoint-alpha", "other"), "'other' is not one of 'documented', 'inverse'."),
        (("machine.rad", "--threads", "0"), "0 is not in the range x>=1."),
        (("machine.rad", "--nonsense"), "No such option"),
        (("check",), "Missing argument 'DECK'."),
        (("info", "absent.h5"), "File 'absent.h5' does not exist."),
    ],
)
def test_wrong_usage_is_told_and_ends_with_2(arguments: tuple[str, ...], complaint: str) -> None:
    deck(steps=10)
    done = call(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert list(Path().glob("fake*")) == []


INTERRUPTED_IMPORT = """
import signal, sys


class Interruption:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)


signal.signal(signal.SIGINT, signal.{handler})
sys.meta_path.insert(0, Interruption())
sys.argv = ["gsolve", "machine.rad"]
from gsolve.solver.cli import main
main()
"""


@pytest.mark.parametrize("module", ["gsolve.solver.cli.program", "click", "numpy", "numpy._core.multiarray"])
def test_interrupted_imports_end_in_words(module: str) -> None:
    Path("machine.rad").write_text("/BEGIN\n")
    program = INTERRUPTED_IMPORT.format(module=module, handler="default_int_handler")
    done = call_anew([sys.executable, "-c", program])
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "gsolve: stopped by Ctrl-C before the run began\n"


def test_ctrl_c_that_is_switched_off_stays_off_while_the_program_is_loaded() -> None:
    Path("machine.rad").write_text("/BEGIN\n")
    program = INTERRUPTED_IMPORT.format(module="gsolve.solver.cli.program", handler="SIG_IGN")
    done = call_anew([sys.executable, "-c", program])
    assert done.returncode == 3
    assert "stopped" not in done.stderr


def test_usage_of_a_run_is_that_of_the_program() -> None:
    deck(steps=10)
    for arguments in (("machine.rad", "--nonsense"), ("run", "machine.rad", "--dt", "0")):
        lines = call(*arguments, fake=False).stderr.splitlines()
        assert lines[0].endswith(" [OPTIONS] DECK")
        assert " run " not in lines[0] + lines[1]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ("chek", "machine.rad"),
            " There is no such command either; commands: "
            "batch, check, compare, contact-parameters, examples, explain, export, gear-mesh, info, new, plot, report, "
            "resume, run, sweep, warm-up.",
        ),
        (("machine",), " Did you mean machine.rad?"),
        (("machine.",), " Did you mean machine.rad?"),
        (("check", "machine"), " Did you mean machine.rad?"),
        (("GEARS",), " Did you mean GEARS_0000.rad?"),
        (("check", "other"), ""),
        (("absent.rad",), ""),
    ],
)
def test_mistyped_deck_or_command_gets_a_hint(arguments: tuple[str, ...], hint: str) -> None:
    deck(steps=10)
    deck("GEARS_0000.rad")
    name = next(argument for argument in arguments if argument != "check")
    done = call(*arguments)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"Error: Invalid value for 'DECK': File '{name}' does not exist.{hint}"


def test_results_and_summaries_name_the_parameters_of_the_deck() -> None:
    name = deck(steps=10, parameters={"speed": 40.0, "teeth": 17})
    assert json.loads(call("check", name, "--json").stdout)["parameters"] == {"speed": 40.0, "teeth": 17}
    assert json.loads(call(name, "--json", "-D", "note=a b").stdout)["parameters"] == {"speed": 40.0, "teeth": 17}
    facts = json.loads(call("info", "--json", "fake.h5").stdout)
    assert facts["parameters"] == {"speed": 40.0, "teeth": 17}
    assert facts["command_line"] == "gsolve machine.rad --json -D 'note=a b'"
    lines = call("info", "fake.h5").stdout.splitlines()
    assert "messages      none" in lines
    assert "parameters    speed = 40, teeth = 17" in lines
    assert "command       gsolve machine.rad --json -D 'note=a b'" in lines


def test_check_as_json_gives_values_by_name() -> None:
    summary = json.loads(call("check", deck(steps=10), "--json").stdout)
    assert summary["counts"]["nodes"] == 2
    assert summary["counts"]["gear_joints"] == 0
    assert summary["units"] == {"mass": "kg", "length": "m", "time": "s"}
    assert (summary["degrees_of_freedom"], summary["redundant_rows"]) == (1, 0)
    assert (summary["dt"], summary["dt_reason"], summary["gear_joints"]) == (1e-3, "a fake", [])


def test_errors_in_the_deck_end_with_3_and_write_nothing() -> None:
    done = call(deck(error="node 7 is unknown"))
    assert done.returncode == 3
    assert done.stderr == "fake.rad:3: error: node 7 is unknown\ngsolve: 1 error in the deck, nothing was run\n"
    assert list(Path().glob("fake*")) == []


def test_existing_results_end_with_2_unless_forced() -> None:
    assert call(deck(steps=10)).returncode == 0
    done = call("machine.rad")
    assert done.returncode == 2
    assert done.stderr == "gsolve: fake.h5 and fake.out already there; --force overwrites, -o NAME writes elsewhere\n"
    assert call("machine.rad", "--force").returncode == 0


def test_failed_run_ends_with_1_and_one_line() -> None:
    done = call(deck(steps=1000, fail_at=503))
    assert done.returncode == 1
    assert done.stderr == "gsolve: node 10 is not a number at step 503\n"
    assert status_of() == ("failed", "node 10 is not a number at step 503")


def test_fault_of_the_program_is_one_line_that_asks_for_a_report() -> None:
    done = call(deck(steps=1000, crash_at=100))
    assert done.returncode == 1
    assert done.stderr == (
        "gsolve: internal error, ZeroDivisionError: float division by zero"
        " (a fault of gsolve: please report it with the deck; --verbose shows where)\n"
    )


def test_fault_of_the_program_shows_its_traceback_with_verbose() -> None:
    deck(steps=1000, crash_at=100)
    done = programs().run("machine.rad", "-v", fake=True)
    assert "Traceback (most recent call last)" in done.stderr
    assert "advance" in done.stderr


def test_quiet_run_says_nothing() -> None:
    done = call(deck(steps=1000), "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_json_summary_is_alone_on_standard_output() -> None:
    done = call(deck(steps=1000), "--json")
    summary = json.loads(done.stdout)
    assert summary["status"] == "completed"
    assert (summary["n_steps"], summary["n_samples"], summary["t"]) == (1000, 101, 1.0)
    assert (summary["exit_code"], summary["history"]) == (0, "fake.h5")
    assert summary["energy"]["total"] == 1.0
    assert summary["mean_iterations"] == 2.5
    assert (summary["dt"], summary["dt_min"], summary["dt_max"], summary["dt_reason"]) == (1e-3, 1e-3, 1e-3, "a fake")
    assert summary["redundant_rows"] == 0
    assert "A fake machine" in done.stderr


def test_json_summary_of_a_bad_deck_holds_its_errors() -> None:
    done = call(deck(error="node 7 is unknown"), "--json")
    summary = json.loads(done.stdout)
    assert (summary["status"], summary["exit_code"], done.returncode) == ("deck errors", 3, 3)
    assert summary["diagnostics"] == [
        {"severity": "error", "message": "node 7 is unknown", "file": "fake.rad", "line": 3}
    ]


def test_compilation_is_announced() -> None:
    done = call(deck(steps=10, compilation=0.01))
    said = (
        "Compiling what this deck needs of the solver (once on this machine, up to 20 s, with meshes a minute or two)"
    )
    assert f"{said} ...\n" in done.stdout


def test_progress_in_a_pipe_is_quiet_lines() -> None:
    done = call(deck(steps=1000, seconds_per_step=1e-3))
    lines = done.stderr.splitlines()
    assert 2 <= len(lines) <= 10
    assert all("steps/s" in line and "%" in line for line in lines)


def test_check_tells_about_the_deck_and_writes_nothing() -> None:
    done = call("check", deck(steps=10))
    assert done.returncode == 0
    assert "units         kg, m, s\nread          2 nodes\nfreedom       1 degree of freedom\n" in done.stdout
    assert done.stdout.endswith("fake: no errors, no warnings\n")
    assert [path.name for path in Path().iterdir()] == ["machine.rad"]


def test_info_tells_what_is_in_a_file() -> None:
    call(deck(steps=1000), "-q")
    done = call("info", "fake.h5", fake=False)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "status        completed" in lines
    assert "samples       101, t = 0 to 1 of 1 s" in lines
    assert lines[lines.index("/th/node (2 objects)") + 1 :] == ["  [m]           DX", "  [m/s]         VX"]


def test_info_verbose_lists_objects_and_descriptions() -> None:
    call(deck(steps=10), "-q")
    done = call("info", "-v", "fake.h5", fake=False)
    assert "  DX                      [m]  displacement x\n" in done.stdout
    assert "  id 7          grün\n" in done.stdout


def test_info_lists_messages_by_their_kinds() -> None:
    call(deck(steps=100, doubt="a contact is ignored"), "-q")
    lines = call("info", "-v", "fake.h5", fake=False).stdout.splitlines()
    place = lines.index("messages      2 warnings, 1 of them about these results")
    assert lines[place + 1 : place + 6] == [
        "warnings about the deck and the run:",
        "fake.rad:2: warning: a warning",
        "warnings about the results:",
        "fake.rad:7: warning: a contact is ignored",
        "/energy",
    ]
    assert json.loads(call("info", "--json", "fake.h5", fake=False).stdout)["messages"] == [
        {"severity": "warning", "message": "a warning", "file": "fake.rad", "line": 2},
        {"severity": "doubt", "message": "a contact is ignored", "file": "fake.rad", "line": 7},
    ]


def test_info_of_files_of_older_versions_has_their_doubts_alone() -> None:
    call(deck(steps=100, doubt="a contact is ignored"), "-q")
    with h5py.File("fake.h5", "a") as file:
        del file["messages"]
    done = call("info", "fake.h5", fake=False)
    assert "doubts        1 about these results: see the listing\n" in done.stdout
    assert "messages" not in done.stdout
    assert json.loads(call("info", "--json", "fake.h5", fake=False).stdout)["messages"] is None


def test_info_as_json() -> None:
    call(deck(steps=1000), "-q")
    facts = json.loads(call("info", "--json", "fake.h5", fake=False).stdout)
    assert (facts["status"], facts["n_samples"], facts["t_last"]) == ("completed", 101, 1.0)
    assert facts["messages"] == []
    assert facts["families"][-1]["objects"] == [{"id": 10, "name": "node 0"}, {"id": 20, "name": "node 1"}]


def test_info_of_something_else_is_one_line() -> None:
    Path("text.h5").write_text("no")
    with h5py.File("other.h5", "w") as file:
        file["x"] = 1
    done = call("info", "text.h5", fake=False)
    assert done.stderr == "gsolve: cannot read text.h5 as HDF5: it is damaged, or no result file\n"
    assert done.returncode == 2
    done = call("info", "other.h5", fake=False)
    assert done.stderr == "gsolve: other.h5 is an HDF5 file, but not a result of gsolve\n"


def start(*arguments: str) -> Started:
    """A run in the background."""
    return programs().start(*arguments, fake=True)


def wait_for_samples(path: Path, at_least: int = 1) -> int:
    """Look into the growing file, as a user may, until it has samples."""
    for _ in range(200):
        time.sleep(0.05)
        if path.exists() and path.stat().st_size:
            try:
                with h5py.File(path, locking=False) as file:
                    if len(file["time"]) >= at_least:
                        return len(file["time"])
            except (OSError, KeyError):
                continue
    raise AssertionError("no samples came")


REASONS = {
    signal.SIGINT: "Ctrl-C",
    signal.SIGTERM: "a termination signal",
    signal.SIGHUP: "the closing of its terminal",
}


@pytest.mark.parametrize("number", REASONS)
def test_interrupted_run_ends_with_130_and_keeps_its_results(number: signal.Signals) -> None:
    with start(deck(steps=100_000, seconds_per_step=1e-3)) as process:
        next(line for line in process.stdout if line.startswith("freedom"))
        time.sleep(0.5)
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in errors
    status, message = status_of()
    assert status == "stopped"
    assert message.startswith(f"stopped by {REASONS[number]} at t = ")
    assert errors.splitlines()[-1] == f"gsolve: {message}"
    with h5py.File("fake.h5") as file:
        steps = file["diag/step"][:]
        assert len(steps) > 10
        assert steps[-1] > file.attrs["n_steps"] - 10
    assert "stopped: stopped by" in Path("fake.out").read_text()


def test_compilation_can_be_interrupted_and_leaves_nothing_behind() -> None:
    with start(deck(steps=10, compilation=30)) as process:
        next(line for line in process.stdout if line.startswith("Compiling"))
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "gsolve: stopped by Ctrl-C before the run began\n"
    assert list(Path().glob("fake*")) == []


def test_killed_run_leaves_a_file_that_opens_up_to_its_last_flush() -> None:
    with start(deck(steps=100_000, seconds_per_step=1e-3)) as process:
        flushed = wait_for_samples(Path("fake.h5"))
        process.kill()
    with h5py.File("fake.h5") as file:
        assert file.attrs["status"] == "running"
        steps = file["diag/step"][:]
    assert len(steps) >= flushed > 90
    np.testing.assert_array_equal(steps, 10 * np.arange(len(steps)))
    for group in ("/", "/energy", "/diag", "/th/node", "/th/gjoint"):
        with xarray.open_dataset("fake.h5", group=group, engine="h5netcdf") as dataset:
            assert dataset.sizes["time"] == len(steps)
    done = call("info", "fake.h5", fake=False)
    assert "status        running (or killed: the file holds the run up to its last flush)\n" in done.stdout
    assert "messages" not in done.stdout


def test_strict_makes_a_warning_about_the_results_an_exit_status() -> None:
    deck(steps=100, doubt="a contact is ignored")
    for strict in (False, True):
        done = call("machine.rad", "--json", "--force", *(["--strict"] if strict else []))
        summary = json.loads(done.stdout)
        assert done.returncode == summary["exit_code"] == int(strict)
        assert (summary["status"], status_of()) == ("completed", ("completed", ""))
        doubt = {"severity": "doubt", "message": "a contact is ignored", "file": "fake.rad", "line": 7}
        assert summary["doubts"] == [doubt]
        warning = {"severity": "warning", "message": "a warning", "file": "fake.rad", "line": 2}
        assert summary["warnings"] == [warning, doubt]
        assert "fake.rad:7: warning: a contact is ignored\n" in done.stderr
        assert "doubts        1 warning above about these results\n" in done.stderr
        ending = "gsolve: completed, but --strict: 1 warning about the results\n"
        assert done.stderr.endswith(ending) == strict
        with h5py.File("fake.h5") as file:
            assert file.attrs["doubts"] == 1
        told = call("info", "fake.h5").stdout
        assert "messages      2 warnings, 1 of them about these results (-v lists them)\n" in told


def test_strict_run_without_doubts_is_completed() -> None:
    done = call(deck(steps=100), "--strict")
    assert (done.returncode, done.stderr) == (0, "")
    assert "doubts" not in done.stdout


@pytest.mark.parametrize("name", ["fake.out", "fake.h5"])
def test_deck_with_the_name_of_a_result_is_not_destroyed(name: str) -> None:
    deck(name, steps=10)
    before = Path(name).read_bytes()
    done = call(name, "--force")
    assert done.returncode == 2
    assert done.stderr == (
        f"gsolve: {name} is a file that this run reads ({name}), and its results would go there: "
        f"-o NAME writes elsewhere\n"
    )
    assert Path(name).read_bytes() == before
    assert call(name, "--force", "-o", "other").returncode == 0


def test_two_runs_at_once_on_one_output_are_one_run_and_one_refusal() -> None:
    deck(steps=1000, seconds_per_step=1e-3)
    with start("machine.rad", "--force", "-q") as one, start("machine.rad", "--force", "-q") as other:
        endings = [process.communicate()[1] for process in (one, other)]
    assert sorted((one.returncode, other.returncode)) == [0, 2]
    assert sorted(endings) == ["", "gsolve: fake.h5 is being written by another run; -o NAME writes elsewhere\n"]
    assert status_of() == ("completed", "")
    assert sorted(map(str, Path().iterdir())) == ["fake.h5", "fake.out", "machine.rad"]


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="needs a directory that nobody can write to")
def test_directory_that_cannot_be_written_is_one_line() -> None:
    done = call(deck(steps=10), "-o", "/proc/name")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr == "gsolve: cannot create /proc/name.h5: No such file or directory; -o NAME writes elsewhere\n"


def test_run_goes_on_when_nobody_reads_its_output_any_more() -> None:
    with start(deck(steps=1000, seconds_per_step=1e-3)) as process:
        process.stdout.readline()
        process.stdout.close()
        process.stderr.close()
        assert process.wait() == 0
    assert status_of() == ("completed", "")
    assert "run           completed" in Path("fake.out").read_text()


# with a standard output on which there is no room
FULL = f"""
import os, runpy
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
runpy.run_path({str(FAKE_PROGRAM)!r}, run_name="__main__")
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["machine.rad"], 1),
        (["machine.rad", "--json", "-q"], 1),
        (["check", "machine.rad"], 1),
        (["check", "machine.rad", "--json", "-q"], 1),
        (["info", "made.h5"], 1),
        (["info", "made.h5", "--json"], 1),
        (["compare", "made.h5", "made.h5"], 1),
        (["explain"], 1),
        (["new"], 1),
        (["--help"], 1),
        (["--version"], 1),
        (["wrong.rad", "--json", "-q"], 3),
    ],
)
def test_standard_output_without_room_is_one_line_and_stops_nothing(arguments: list[str], code: int) -> None:
    deck(steps=1000)
    deck("wrong.rad", error="no such keyword")
    call("machine.rad", "-o", "made.h5")
    done = programs().run(*arguments, code=FULL)
    lines = done.stderr.splitlines()
    assert lines[-1] == "gsolve: standard output cannot be written: No space left on device"
    assert len(lines) == 1 or code == 3
    assert done.returncode == code
    if arguments[0] == "machine.rad":
        assert status_of() == ("completed", "")
        assert "results       fake.h5, fake.out" in Path("fake.out").read_text().splitlines()


# with room for so many bytes a file
LIMITED = f"""
import resource, runpy
resource.setrlimit(resource.RLIMIT_FSIZE, ({{bytes}},) * 2)
runpy.run_path({str(FAKE_PROGRAM)!r}, run_name="__main__")
"""


def test_disk_without_room_for_the_results_leaves_nothing_behind() -> None:
    deck(steps=10)
    done = programs().run("machine.rad", "-q", code=LIMITED.format(bytes=50_000))
    assert (done.stderr, done.returncode) == ("gsolve: cannot create fake.h5: File too large\n", 2)
    assert list(Path().glob("fake*")) == []


def test_full_disk_is_one_line_and_keeps_what_found_room() -> None:
    deck(steps=100_000, steps_per_sample=1, nodes=50, seconds_per_step=2e-4)
    done = programs().run("machine.rad", "-q", code=LIMITED.format(bytes=8_000_000))
    assert done.stderr == "gsolve: cannot write fake.h5: File too large\n"
    assert done.returncode == 1
    assert status_of() == ("failed", "cannot write fake.h5: File too large")
    with h5py.File("fake.h5") as file:
        assert len(file["th/node/DX"]) == len(file["time"]) > 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        ("check", "--help"),
        ("machine.rad", "--dt", "-1"),
        ("new", "gear_pair"),
        ("examples",),
    ],
)
def test_quick_answers_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    deck()
    probe = (
        "import sys\nfrom gsolve.solver.cli import main\n"
        f"sys.argv = ['gsolve', *{list(arguments)!r}]\n"
        "try: main()\n"
        "except SystemExit: print(sorted({'numba', 'h5py', 'lark', 'numpy'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = call_anew([sys.executable, "-c", probe])
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "machine.rad: error: the file is empty"),
        (b"\x00\x01\x02\xff" * 50, "machine.rad: error: this is a binary file, not a deck"),
        (b"/BEGIN\nx\n/NONSENSE/1\n/END\n", "/NONSENSE"),
    ],
)
def test_errors_in_a_deck_answer_without_numba(content: bytes, message: str) -> None:
    Path("machine.rad").write_bytes(content)
    probe = (
        "import sys\nfrom gsolve.solver.cli import main\nsys.argv = ['gsolve', 'machine.rad']\n"
        "try: main()\nexcept SystemExit as exit: print(exit.code, 'numba' in sys.modules)\n"
    )
    done = call_anew([sys.executable, "-c", probe])
    assert done.stdout == "3 False\n"
    assert message in done.stderr


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert call("--version", fake=False).stdout == f"gsolve {version('gsolve')}\n"


def test_help_is_a_page_to_work_from() -> None:
    done = call("--help", fake=False)
    for text in ("gsolve check DECK", "gsolve info FILE.h5", "--gjoint-alpha", "Examples:", "Exit codes:", "docs/"):
        assert text in done.stdout
    assert [line for line in done.stdout.splitlines() if line != line.rstrip(" \b")] == []


def test_two_runs_give_equal_datasets() -> None:
    from histories import datasets

    call(deck(steps=3000, seconds_per_step=1e-4), "-q", "-o", "a", "--checkpoint-every", "never")
    write_history(Path("b.h5"), steps=3000)
    assert {**datasets(Path("a.h5")), "deck": b""} == {**datasets(Path("b.h5")), "deck": b""}


def test_settings_of_packages_are_made_before_these_are_imported() -> None:
    """Unless the user has made them: BLAS with one thread, errors of numba without colours."""
    program = (
        "import os, sys\nfrom gsolve.solver.cli import program\nprint({'numpy', 'numba'} & set(sys.modules))\n"
        "os.environ.pop('OPENBLAS_NUM_THREADS', None)\nos.environ['NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING'] = '0'\n"
        "program.gsolve = lambda: print([os.environ[name] for name in sorted(program.SETTINGS)])\nprogram.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n['0', '1']\n"
