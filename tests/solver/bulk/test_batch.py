"""Many decks as a person runs them: real processes, real runs, and all that can happen to one deck among others."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
from bulk_calls import COPIES, call
from click.testing import CliRunner
from forked import programs
from gsolve.solver.bulk.batch import BatchPlan, judged
from gsolve.solver.bulk.one_deck import DeckAnswer
from gsolve.solver.bulk.reports import write_report
from gsolve.solver.bulk.workers import Event
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.results.files import lock_path

DECKS = Path(__file__).parents[3] / "decks"
GEAR_PAIR = (DECKS / "gear_pair" / "gear_pair.rad").read_text()
WITH_ROUTINE = (DECKS / "hunt_crossley" / "hunt_crossley.rad").read_text()
WRONG = GEAR_PAIR.replace("/GJOINT/GEAR/1", "/GJOINT/GEER/1")
PROGRAM = [sys.executable, "-m", "gsolve"]
MOMENTARY = ("command_line", "created", "wall_time_s")  # attributes of a file that no two runs have in common
ROUTINE = """\
import os, signal, time
def CNFSUB(id, clock, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):
    if clock > 1e-4:
        {what}
    return [0.0, 0.0, 0.0]
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Everything happens in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call_anew(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In processes that start from nothing."""
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False)


def put(path: str, text: str = GEAR_PAIR) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    return path


def put_with_routine(name: str, what: str) -> str:
    """A deck whose contact force does something."""
    put(f"{name}.py", ROUTINE.format(what=what))
    return put(f"{name}.rad", WITH_ROUTINE.replace("hunt_crossley.py", f"{Path(name).name}.py"))


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def content_of(path: str | Path) -> dict[str, Any]:
    """All of a result file that does not depend on when and how it was made."""
    with h5py.File(path) as file:
        found = {f"@{name}": value for name, value in file.attrs.items() if name not in MOMENTARY}

        def keep(name: str, item: Any) -> None:
            found.update({f"{name}@{key}": value for key, value in item.attrs.items() if "LIST" not in key})
            if isinstance(item, h5py.Dataset):
                value = item[()]
                found[name] = value.tobytes() if item.dtype.kind in "fiu" else repr(np.asarray(value).tolist())

        file.visititems(keep)
    return found


def test_a_summary_on_standard_output_stands_there_alone(folder: Path) -> None:
    put("gear.rad")
    done = call("batch", "gear.rad", "-j1", "--t-end", "0.001", "--json", "-")
    assert done.returncode == 0, done.stderr
    (deck,) = json.loads(done.stdout)["decks"]
    assert (deck["deck"], deck["status"]) == ("gear.rad", "completed")
    assert done.stderr.startswith("1/1 ") and not Path("-").exists()


def test_a_mix_of_decks_each_ends_in_its_own_way(folder: Path) -> None:
    """Fine ones beside deck errors, a routine that fails, one that kills its process, and a huge file."""
    put("decks/a/gear.rad")
    put("decks/b/gear.rad")
    put("decks/b/wrong\x01.rad", WRONG)
    put_with_routine("decks/raises", "raise ValueError('no <force> & no moment')")
    put_with_routine("decks/dies", "os.kill(os.getpid(), signal.SIGKILL)")
    put("decks/huge.rad", GEAR_PAIR.replace("1.0e-4 1.0e-4", "1e-7 1e-7").replace("/TFILE\n 0.01", "/TFILE\n 1e-7"))
    files = ["--junit", "report.xml", "--json", "report.json"]
    options = ["-o", "results", "--t-end", "0.05", "--allow-user-code", "--max-size", "1M"]
    done = call_anew("batch", "decks", "-j", "2", *files, *options)
    assert done.returncode == 1, done.stderr
    expected = {
        "decks/a/gear.rad": "completed",
        "decks/b/gear.rad": "completed",
        "decks/b/wrong\x01.rad": "deck errors",
        "decks/raises.rad": "failed",
        "decks/dies.rad": "lost",
        "decks/huge.rad": "too large",
    }
    summary = json.loads(Path("report.json").read_text())
    assert {deck["deck"]: deck["status"] for deck in summary["decks"]} == expected
    assert summary["exit_code"] == 1 and summary["ended_by"] == ""
    messages = {deck["deck"]: deck["message"] for deck in summary["decks"]}
    assert messages["decks/dies.rad"] == "its process was killed (SIGKILL; the system does that where memory runs out)"
    assert "no <force> & no moment" in messages["decks/raises.rad"]
    assert "--max-size" in messages["decks/huge.rad"]

    lines = done.stdout.splitlines()
    assert len(lines) == len(expected) + 1  # one line a deck, and one for all
    assert [re.match(r"(\d)/6 ", line)[1] for line in lines[:-1]] == list("123456")  # type: ignore[index]
    assert re.fullmatch(r"6 decks in .* on 2 processes: .*", lines[-1]) and "2 completed" in lines[-1]
    assert "decks/b/wrong\x01.rad:" in done.stderr and "/GJOINT/GEER" in done.stderr  # the whole message

    cases = {case.get("file"): case for case in ElementTree.parse("report.xml").iter("testcase")}
    assert len(cases) == 6
    assert [list(cases[f"decks/{name}/gear.rad"]) for name in "ab"] == [[], []]
    wrong = cases["decks/b/wrong?.rad"]
    assert (wrong.get("classname"), wrong.get("name")) == ("decks/b", "wrong?.rad")
    assert wrong[0].tag == "failure" and "GEER" in wrong[0].text  # type: ignore[operator]
    assert cases["decks/dies.rad"][0].tag == "error"
    assert "no <force> & no moment" in cases["decks/raises.rad"][0].text  # type: ignore[operator]
    suite = next(ElementTree.parse("report.xml").iter("testsuite"))
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["6", "3", "1", "0"]

    # results stand as their decks do, and are those of a run of one deck
    assert call("decks/a/gear.rad", "-o", "alone", "--t-end", "0.05").returncode == 0
    alone = content_of("alone.h5")
    assert len(alone) > 50
    batched = content_of("results/decks/a/gear.h5")
    assert batched == alone
    assert content_of("results/decks/b/gear.h5")["@status"] == "completed"
    assert list(Path("decks").rglob("*.h5")) == []


def test_a_deck_that_hangs_is_ended_and_the_next_one_runs() -> None:
    put_with_routine("hangs", "time.sleep(100)")
    options = ["-j1", "--timeout", "3", "--allow-user-code", "--t-end", "0.01"]
    impatient = COPIES.replace("main()", "workers.GRACE = 0.5\nmain()")
    done = programs().run("batch", "hangs.rad", put("gear.rad"), *options, code=impatient)
    assert done.returncode == 1
    message = "it did not end within 3 s, nor when it was asked to, and was killed"
    assert re.search(rf"^1/2  timeout .* hangs.rad: {message}$", done.stdout, re.MULTILINE)
    assert re.search(r"^2/2  completed .* gear.rad$", done.stdout, re.MULTILINE)


def test_a_long_run_ends_in_time_and_keeps_its_results() -> None:
    done = call("batch", put("gear.rad"), "--timeout", "2", "--t-end", "500", "--dt", "1e-5")
    assert done.returncode == 1
    assert re.search(r"^1/1  timeout .* gear.rad: stopped by the time limit of 2 s at t = ", done.stdout, re.MULTILINE)
    assert content_of("gear.h5")["@status"] == "stopped"


def test_a_deck_whose_results_others_remove_is_not_completed() -> None:
    deck = put_with_routine("gone", "__import__('shutil').rmtree('results', ignore_errors=True)")
    Path("expected.toml").write_text('[[expected]]\nresponse = "last(t)"\nvalue = 1.0\nrtol = 1e-3\n')
    done = call("batch", deck, "-o", "results", "--allow-user-code", "--expect")
    assert done.returncode == 1
    told = "results/gone.h5 and results/gone.out were removed or replaced while the run wrote them"
    assert re.search(rf"^1/1  failed .* gone.rad: {told}", done.stdout, re.MULTILINE), done.stdout


def test_interruption_stops_what_runs_and_says_what_was_not_run() -> None:
    decks = [put(f"gear_{k}.rad") for k in range(4)]
    options = ["-j2", "--t-end", "500", "--dt", "1e-5", "--junit", "report.xml"]
    process = programs().start("batch", *decks, *options, code=COPIES)
    end = time.monotonic() + 60
    while len(list(Path().glob("*.h5"))) < 2 and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert len(re.findall(r"^\d/4  stopped .*: stopped by Ctrl-C at t = ", out, re.MULTILINE)) == 2
    assert "---- not run: gear_2.rad, gear_3.rad" in err
    assert "gsolve: ended by Ctrl-C before all decks were run" in err
    assert [content_of(f"gear_{k}.h5")["@status"] for k in (0, 1)] == ["stopped", "stopped"]
    assert not Path("gear_2.h5").exists()
    assert len(list(ElementTree.parse("report.xml").iter("skipped"))) == 4


def test_a_deck_whose_batch_is_killed_says_so_in_its_results() -> None:
    options = ["-q", "-j1", "--t-end", "500", "--dt", "1e-5"]
    with subprocess.Popen([*PROGRAM, "batch", put("gear.rad"), *options]) as batch:  # of copies each has all pipes
        wait_until(lambda: Path("gear.h5").exists())
        batch.kill()
    wait_until(lambda: not lock_path(Path("gear.h5")).exists())  # the file is closed
    found = content_of("gear.h5")
    assert found["@status"] == "stopped"
    assert found["@message"].startswith("stopped by the end of the batch or study that started this run at t = ")


def test_interruption_before_the_first_deck_has_its_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gsolve.solver.bulk.selection.choose_decks", interrupted)
    done = CliRunner().invoke(program, ["batch", put("gear.rad")])
    assert (done.exit_code, done.stderr) == (130, "gsolve: stopped by Ctrl-C before the run began\n")


def test_the_first_failure_may_end_all() -> None:
    decks = [put("wrong.rad", WRONG), *(put(f"gear_{k}.rad") for k in range(3))]
    done = call("batch", *decks, "-j1", "--fail-fast", "--t-end", "0.01")
    assert done.returncode == 1
    assert "---- not run: gear_0.rad, gear_1.rad, gear_2.rad" in done.stderr
    assert "gsolve: ended by --fail-fast before all decks were run" in done.stderr
    assert list(Path().glob("*.h5")) == []


def test_decks_are_judged_by_the_numbers_beside_them() -> None:
    """omega_1 = M t/(J_1 + J_2 i^2) = 2.5 rad/s after 0.1 s; one file says so, one does not, one deck has none."""
    expected = "[[expected]]\nvariable = 'gjoint/1/VEL1'\ntime = 'end'\nvalue = {}\nrtol = 1e-9\n"
    for name, value in (("right", 2.5), ("wrong", 2.6)):
        put(f"{name}/gear.rad"), put(f"{name}/expected.toml", expected.format(value))
    put("none/gear.rad")
    done = call("batch", ".", "-j1", "--expect", "--t-end", "0.1", "--json", "report.json")
    assert done.returncode == 1
    decks = {deck["deck"]: deck for deck in json.loads(Path("report.json").read_text())["decks"]}
    assert {name: deck["status"] for name, deck in decks.items()} == {
        "none/gear.rad": "completed",
        "right/gear.rad": "as expected",
        "wrong/gear.rad": "unexpected",
    }
    assert decks["wrong/gear.rad"]["message"] == "1 number not as expected"
    assert "gjoint/1/VEL1 at the end: 2.5 rad/s, expected 2.6: off by 0.1" in done.stderr


def test_what_is_expected_does_not_hide_what_else_is_wrong() -> None:
    """Numbers are met, but the file is too large, or there are doubts; a file with mistakes is told before the run."""
    summary = {"status": "completed", "message": ""}
    plan = BatchPlan(1, most_bytes=10, expects=True)

    def status_of(**answer: Any) -> str:
        return judged("gear.rad", Event("done", 0, DeckAnswer(text="", summary=summary, **answer)), plan).status

    assert status_of(exit_code=0, unmet=[]) == "as expected"
    assert status_of(exit_code=0, unmet=[], too_large=True) == "too large"
    assert status_of(exit_code=1, unmet=[]) == "failed"  # completed, and 1 by --strict
    assert status_of(exit_code=1, unmet=["VEL1"]) == "unexpected"
    deck = put("gear.rad")
    put("expected.toml", "[[expected]]\nvariable = 'gjoint/1/VEL1'\nvalue = 1\nreduction = ['max']\n")
    done = call("batch", deck, "--expect")
    assert "expected.toml, line 1, [[expected]] gjoint/1/VEL1: reduction = ['max']; allowed: initial" in done.stderr
    assert done.returncode == 1 and not Path("gear.h5").exists()


def test_decks_are_judged_by_how_they_end() -> None:
    """A deck that is to be rejected, one that should be and is not, one that should run; a run that is to fail."""
    for name, text, status in (
        ("wrong", WRONG, "deck errors"), ("right", GEAR_PAIR, "deck errors"), ("other", WRONG, "failed"),
        ("well", GEAR_PAIR, "completed"),
    ):  # fmt: skip
        put(f"{name}/gear.rad", text), put(f"{name}/expected.toml", f'status = "{status}"\n')
    put_with_routine("fails/deck", "raise ValueError('no force')"), put("fails/expected.toml", 'status = "failed"\n')
    options = ["--allow-user-code", "--t-end", "0.01", "--json", "report.json"]
    done = call("batch", ".", "-j1", "--expect", *options)
    decks = {deck["deck"]: deck for deck in json.loads(Path("report.json").read_text())["decks"]}
    assert {name: deck["status"] for name, deck in decks.items()} == {
        "fails/deck.rad": "as expected",
        "other/gear.rad": "deck errors",
        "right/gear.rad": "unexpected",
        "well/gear.rad": "as expected",
        "wrong/gear.rad": "as expected",
    }
    assert decks["right/gear.rad"]["message"] == "the run is completed, expected deck errors"
    assert "GEER" in str(decks["wrong/gear.rad"]["summary"])  # why it was rejected is kept
    assert done.returncode == 1 and "---- wrong" not in done.stderr
    assert call("batch", "wrong", "--expect").returncode == 0


def test_results_that_are_there_are_not_replaced_unasked() -> None:
    deck = put("gear.rad")
    Path("gear.h5").touch()
    done = call("batch", deck, "--t-end", "0.01")
    assert done.returncode == 1
    assert "1/1  refused " in done.stdout and "--force overwrites" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (["absent.rad", "none*.rad", "empty"],
         ["gsolve: 'absent.rad' does not exist", "gsolve: no file matches 'none*.rad'",
          "gsolve: there is no deck below 'empty': no file whose name ends with .rad"]),
        (["x.rad", "x_0000.rad"], ["gsolve: x.rad and x_0000.rad would both write x.h5"]),
        (["x.rad", "--json", "y.rad/report.json", "--junit", f"{'long' * 99}.xml"],
         [f"gsolve: {'long' * 99}.xml cannot be written: File name too long",
          "gsolve: y.rad/report.json cannot be written: y.rad is no folder"]),
        (["x.rad", "--json", "empty"], ["gsolve: empty is a folder, not a file to write"]),
    ],
)  # fmt: skip
def test_wrong_usage_ends_all_before_anything_runs(arguments: list[str], complaints: list[str]) -> None:
    Path("empty").mkdir()
    put("x.rad"), put("x_0000.rad"), put("y.rad")
    done = call("batch", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == complaints
    assert list(Path().glob("*.h5")) == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["x.rad", "--max-size", "big"], "'big' is not a size, such as 500M or 2G"),
        (["x.rad", "--timeout", "0"], "0 is not a positive number"),
        (["x.rad", "-j", "0"], "0 is not in the range x>=1."),
        ([], "Missing argument 'DECK...'"),
    ],
)
def test_wrong_options_are_told(arguments: list[str], complaint: str) -> None:
    done = call("batch", *arguments)
    assert done.returncode == 2 and complaint in done.stderr


def test_terminal_is_shown_a_table_that_goes_away() -> None:
    """On a pseudo terminal: lines of failures stay, the table renews itself."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    put("gear.rad"), put("wrong.rad", WRONG)
    command = [*PROGRAM, "batch", "gear.rad", "wrong.rad", "-j1", "--t-end", "5"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "COLUMNS": "120"})
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:
        pass  # the terminal was closed
    assert process.wait(60) == 1
    text = shown.decode()
    assert "2 decks" in text and "gear.rad" in text and "1 done" in text
    assert "deck errors" in text


def test_what_workers_say_of_machine_code_is_told_once() -> None:
    """Each process says that it cannot be kept; the copies of this one have it to say from the start."""
    told = "from gsolve.solver.core.jit import machine_code\nmachine_code.messages.append('it cannot be kept')\nmain()"
    decks = [put(f"gear_{k}.rad") for k in range(3)]
    done = programs().run("batch", *decks, "-j2", "--t-end", "0.001", code=COPIES.replace("main()", told))
    assert (done.returncode, done.stderr) == (0, "gsolve: it cannot be kept\n")


def test_reports_go_through_links_and_pipes(folder: Path) -> None:
    """Renaming a file to /dev/stdout, as root in a container, would put it in the place of the device."""
    Path("target.json").write_text("before")
    Path("link.json").symlink_to("target.json")
    write_report(Path("link.json"), "a report")
    assert Path("link.json").is_symlink() and Path("target.json").read_text() == "a report"
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(Path("pipe").read_text)
        write_report(Path("pipe"), "another one")
        assert read.result(timeout=30) == "another one"
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize(
    ("options", "complaints"),
    [
        (["--junit", "a.rad"], ["a.rad is a deck by its name: a report cannot go there"]),
        (["--junit", "new.RAD"], ["new.RAD is a deck by its name: a report cannot go there"]),
        (["--junit", "link.xml"], ["link.xml is a deck by its name: a report cannot go there"]),
        (["--junit", "b.rad", "--json", "./c.deck"],
         ["b.rad is read by this batch: a report cannot go there",
          "c.deck is read by this batch: a report cannot go there"]),
        (["--junit", "expected.toml"], ["expected.toml is read by this batch: a report cannot go there"]),
        (["--json", "part.inc"],
         ["part.inc is no report of gsolve batch, and only those are replaced: move it away, or name another file"]),
        (["--json", "other.json"],
         ["other.json is no report of gsolve batch, and only those are replaced: move it away, or name another file"]),
        (["--junit", "results/b.h5"], ["results/b.h5 is a result of this batch: a report cannot go there"]),
        (["--json", "results/c.out"], ["results/c.out is a result of this batch: a report cannot go there"]),
        (["--json", "results"],
         ["results is a folder of this batch, in which results/b.h5 is written: a report cannot go there"]),
        (["--junit", "new.xml", "--json", "./new.xml"], ["both reports would go to new.xml"]),
    ],
)  # fmt: skip
def test_reports_replace_nothing_but_reports(folder: Path, options: list[str], complaints: list[str]) -> None:
    put("a.rad"), put("b.rad", GEAR_PAIR + "#include part.inc\n"), put("c.deck"), put("part.inc", "# nothing\n")
    put("expected.toml", "status = 'completed'\n"), put("other.json", '{"gsolve_version": "1"}')
    Path("link.xml").symlink_to("a.rad")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = call("batch", "b.rad", "c.deck", "-o", "results", "--expect", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [f"gsolve: {complaint}" for complaint in complaints]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_reports_replace_reports_and_go_into_new_folders() -> None:
    """Of either kind, and empty files; in a folder that is not there before."""
    deck, files = put("wrong.rad", WRONG), ["--junit", "results/new/report.xml", "--json", "results/report.json"]
    swapped = ["--json", files[1], "--junit", files[3]]
    for options in (files, swapped, ["--junit", "/dev/null", "--json", put("empty.json", "")]):
        done = call("batch", deck, "-o", "results", *options)
        made = ["made the folder results/new for a report", "made the folder results for a report"]
        assert done.stdout.splitlines()[:-2] == (made if options is files else [])
        assert done.returncode == 1 and done.stderr.startswith("---- wrong.rad: deck errors\n"), done.stderr
        assert json.loads(Path(options[options.index("--json") + 1]).read_text())["counts"] == {"deck errors": 1}
    assert [case.get("name") for case in ElementTree.parse("results/report.json").iter("testcase")] == ["wrong.rad"]


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + "/report.xml", "gear.rad/report.xml"])
def test_no_folder_is_left_of_reports_that_are_refused(folder: Path, name: str) -> None:
    """Neither that of the other report nor one that was made for this one; what was there stays."""
    put("gear.rad"), Path("results").mkdir()
    for options in (
        ["--junit", "new/er/report.xml", "--json", name],
        ["--json", "results/new/report", "--junit", name],
    ):
        done = call("batch", "gear.rad", *options)
        assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith(f"gsolve: {name} cannot be written")
    done = call("batch", "gear.rad", "--junit", "new/" + "x" * 300)
    assert done.returncode == 2 and "cannot be written" in done.stderr
    assert sorted(path.name for path in folder.rglob("*")) == ["gear.rad", "results"]


def test_a_report_on_standard_output_is_added_to_a_log() -> None:
    Path("log").write_text("before\n")
    command = [*PROGRAM, "batch", put("wrong.rad", WRONG), "--junit", "/dev/stdout"]
    with open("log", "r+") as log:  # as a shell has it that goes on where the program ended
        log.seek(0, os.SEEK_END)
        done = subprocess.run(command, stdout=log, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        assert os.lseek(log.fileno(), 0, os.SEEK_CUR) == Path("log").stat().st_size
    assert done.returncode == 1 and done.stderr.startswith("---- wrong.rad: deck errors\n"), done.stderr
    lines = Path("log").read_text().splitlines()
    assert lines[0] == "before" and lines[1].startswith("1/1  deck errors ") and lines[-1] == "</testsuites>"


@pytest.mark.parametrize("junit", ["/dev/stdout", "log"])
def test_a_report_and_the_summary_do_not_share_standard_output(junit: str) -> None:
    """By a name of it, or that of the file that it is sent to."""
    command = [*PROGRAM, "batch", put("gear.rad"), "--json", "-", "--junit", junit]
    with open("log", "w") as log:
        done = subprocess.run(command, stdout=log, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (
        2, "gsolve: --json - and --junit would both go to standard output: one of them needs a file\n"
    )  # fmt: skip
    assert json.loads(Path("log").read_text()) == {"exit_code": 2}
    assert not Path("gear.h5").exists()


def test_a_report_that_cannot_be_written_at_the_end_fails_the_batch() -> None:
    """All decks were run: that is not the exit status of wrong usage; the other report is written."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    done = call("batch", put("gear.rad"), "--t-end", "0.001", "--junit", "/dev/full", "--json", "report.json")
    assert (done.returncode, done.stderr) == (
        1, "gsolve: the report /dev/full cannot be written: No space left on device\n"
    )  # fmt: skip
    assert json.loads(Path("report.json").read_text())["counts"] == {"completed": 1}
