"""Worker processes: no task gets lost, whatever happens to the process that has it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe, forkserver
from pathlib import Path
from typing import Any

import bulk_tasks
import pytest
from gsolve.solver.bulk import workers as module
from gsolve.solver.bulk.workers import Event, WorkerLink, Workers, WorkersError


def outcomes(tasks: list[Any], count: int = 2, **options: Any) -> tuple[list[Event], float]:
    """How tasks ended, in their order, and how long that took."""
    started = time.monotonic()
    with Workers(bulk_tasks.work, "bulk_tasks", count, **options) as workers:
        for task in tasks:
            workers.submit(task)
        ended = {event.task: event for event in workers.events(lambda: None) if event.kind in ("done", "lost")}
        seconds = time.monotonic() - started
    assert sorted(ended) == list(range(len(tasks)))
    return [ended[number] for number in range(len(tasks))], seconds


def test_each_task_has_its_answer():
    ended, _ = outcomes([("double", k) for k in range(20)])
    assert [event.value for event in ended] == [2 * k for k in range(20)]


def test_workers_are_kept_from_task_to_task():
    ended, _ = outcomes([("process", None)] * 10)
    assert len({event.value for event in ended}) <= 2 and os.getpid() not in {event.value for event in ended}


@pytest.mark.parametrize(
    "task, words",
    [
        (("die", signal.SIGKILL), "its process was killed (SIGKILL; the system does that where memory runs out)"),
        (("die", signal.SIGSEGV), "its process died of SIGSEGV"),
        (("exit", 3), "its process ended with exit status 3"),
    ],
)
def test_a_process_that_dies_loses_its_task_alone(task: Any, words: str):
    ended, _ = outcomes([("double", 1), task, ("double", 2), ("double", 3)], count=1)
    assert [(event.kind, event.value) for event in ended] == [("done", 2), ("lost", words), ("done", 4), ("done", 6)]


def test_what_a_task_raises_is_told_and_the_process_goes_on():
    ended, _ = outcomes([("process", None), ("raise", "of mine"), ("process", None)], count=1)
    assert ended[1].kind == "lost" and ended[1].value.startswith("a fault of gsolve, please report it: Traceback")
    assert ended[1].value.rstrip().endswith("ValueError: of mine")
    assert ended[0].value == ended[2].value


def test_a_task_is_asked_to_end_in_time(monkeypatch: pytest.MonkeyPatch):
    ended, _ = outcomes([("until stopped", None), ("double", 1)], count=1, limit=0.2)
    assert (ended[0].kind, ended[0].value, ended[0].overdue) == ("done", "the time limit of 0.2 s", True)
    assert (ended[1].value, ended[1].overdue) == (2, False)


def test_a_task_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "GRACE", 0.2)
    ended, seconds = outcomes([("hang", None), ("double", 1)], count=1, limit=0.2)
    assert (ended[0].kind, ended[0].overdue) == ("lost", True)
    assert (ended[1].kind, ended[1].value) == ("done", 2)
    assert seconds < 30


def test_all_tasks_can_be_stopped():
    with Workers(bulk_tasks.work, "bulk_tasks", 2) as workers:
        for _ in range(5):
            workers.submit(("until stopped", None))
        ended, running = [], 0
        for event in workers.events(lambda: None):
            running += event.kind == "began"
            if running == 2 and event.kind == "began":
                assert workers.drop_waiting() == [2, 3, 4]
                workers.stop("a whim")
            if event.kind == "done":
                ended.append(event.value)
    assert ended == ["a whim", "a whim"]


def test_a_termination_signal_ends_the_task_and_not_the_process():
    ended, _ = outcomes([("process", None), ("signal", None), ("process", None)], count=1)
    assert ended[1].value == "a termination signal"
    assert ended[0].value == ended[2].value


def test_a_task_that_nobody_waits_for_any_more_is_told_why_it_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "TELL_SECONDS", 0.0)
    ours, theirs = Pipe()
    link = WorkerLink(theirs)
    link.begin()
    link.tell(0.5)
    ours.close()
    link.tell(0.6)
    assert link.reason_to_stop() == "the end of the batch or study that started this run"


def test_no_process_is_left_behind(tmp_path):
    mark = tmp_path / "begun"
    with pytest.raises(ZeroDivisionError), Workers(bulk_tasks.work, "bulk_tasks", 1) as workers:
        workers.submit(("touch", str(mark)))
        for event in workers.events(lambda: None):
            if event.kind == "began":
                process = workers._workers[0].process
                raise ZeroDivisionError
    assert process.exitcode is not None


@pytest.mark.skipif(not module.HAS_SERVER, reason="workers are copies on Linux alone")
def test_no_server_is_left_behind():
    with Workers(bulk_tasks.work, "bulk_tasks", 1) as workers:
        workers.start()
        server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


@pytest.mark.skipif(not module.HAS_SERVER, reason="workers are copies on Linux alone")
def test_no_server_is_left_behind_where_it_never_comes_to_workers():
    with pytest.raises(ZeroDivisionError), module.server_ahead("bulk_tasks"):
        server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
        raise ZeroDivisionError
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


@pytest.mark.skipif(not module.HAS_SERVER, reason="workers are copies on Linux alone")
def test_interruption_of_the_whole_group_leaves_a_server_that_starts():
    """Anew, as multiprocessing starts a process of its own before the first server of a program."""
    code = """
import os, signal
from multiprocessing import forkserver
import bulk_tasks
from gsolve.solver.bulk.workers import Workers
with Workers(bulk_tasks.work, "bulk_tasks", 1) as workers:
    workers.start()
    server = forkserver._forkserver._forkserver_pid
    os.kill(server, signal.SIGINT)
    workers.submit(("double", 1))
    print([event.value for event in workers.events(lambda: None) if event.kind == "done"])
    print(forkserver._forkserver._forkserver_pid == server)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(bulk_tasks.__file__).parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.stderr) == ("[2]\nTrue\n", "")


def test_workers_import_nothing_from_where_the_user_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("selectors", "bulk_tasks", "numpy"):
        (tmp_path / f"{name}.py").write_text("import os; os._exit(9)")
    monkeypatch.chdir(tmp_path)
    ended, _ = outcomes([("double", 1)])
    assert ended[0].value == 2
    assert "PYTHONSAFEPATH" not in os.environ


def test_what_is_dropped_when_a_task_ends_never_begins(tmp_path: Path):
    log = tmp_path / "log"
    with Workers(bulk_tasks.work, "bulk_tasks", 1) as workers:
        for _ in range(3):
            workers.submit(("log", str(log)))
        for event in workers.events(lambda: None):
            if event.kind == "done":
                workers.drop_waiting()
    assert len(log.read_text().split()) == 1


def test_copies_have_what_runs_need():
    """A worker that imported for itself would cost what the server is there to save."""
    code = """
import sys
from gsolve.solver.bulk import imports
before = set(sys.modules)
from gsolve.solver.bulk.one_case import CaseTask, run_case
from gsolve.solver.run.options import RunOptions
class Alone:
    def reason_to_stop(self): return ""
    def tell(self, fraction): pass
task = CaseTask(sys.argv[1], {}, RunOptions(frames=0), {"speed": "final(gjoint/1/VEL2)"})
print(run_case(task, Alone()).status, [name for name in set(sys.modules) - before if name.startswith("gsolve.")])
"""
    deck = Path(__file__).parents[3] / "decks" / "gear_pair" / "gear_pair.rad"
    done = subprocess.run([sys.executable, "-c", code, str(deck)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "completed []"


def test_processes_that_cannot_start_are_an_error():
    with Workers(bulk_tasks.work, "bulk_death", 1) as workers:
        workers.submit(("double", 1))
        with pytest.raises(WorkersError, match="worker processes do not start: "):
            list(workers.events(lambda: None))
