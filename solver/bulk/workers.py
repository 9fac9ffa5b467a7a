"""Worker processes that take one task after another, and whoever gives them tasks, to whom no task gets lost.

A worker starts once and pays once for its machine code.  A task is tied to no worker: where a process dies (killed, out
of memory, a crash in foreign code) its task is given back as lost, and another process takes over.

On Linux workers are copies (fork) of one server process, which has imported what all of them need and does nothing
else: it has no thread of Python's, no open file and no machine code yet, and OpenBLAS, which starts threads where NumPy
or SciPy is imported, ends them before a fork and starts them anew where they are wanted.  Elsewhere each worker imports
for itself.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType, TracebackType
from typing import Any, Literal, Protocol

from ..core.garbage import collect_rarely

GRACE = 3.0  # seconds that a task has to end by itself once it was asked to
TELL_SECONDS = 0.2  # between two words about how far a task is
MOST_DEATHS = 3  # of workers in a row that did not even begin
RUN_IMPORTS = "gsolve.solver.bulk.imports"  # of tasks that run decks
HAS_SERVER = sys.platform == "linux"  # of macOS's libraries not all work after a fork


NOBODY_LEFT = "the end of the batch or study that started this run"


class WorkersError(Exception):
    """Worker processes cannot be had; the text is one line for the user."""


class Link(Protocol):
    """What a task asks and tells while it is worked on, wherever that is."""

    def reason_to_stop(self) -> str:
        """Why the task is to end now, or nothing."""
        ...

    def tell(self, fraction: float) -> None:
        """How far the task is, 0 to 1."""
        ...


class WorkerLink:
    """The side of a worker: its connection to who gave the task."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._told, self._reason = connection, 0.0, ""

    def begin(self) -> None:
        """A task is about to be worked on."""
        self._told, self._reason = time.monotonic(), ""
        self._connection.send(("began", None))

    def reason_to_stop(self) -> str:
        """Why the task is to end now, or nothing."""
        try:
            while not self._reason and self._connection.poll():
                kind, reason = self._connection.recv()
                self._reason = reason if kind == "stop" else ""
        except (EOFError, OSError):
            self._reason = NOBODY_LEFT
        return self._reason

    def note(self, reason: str) -> None:
        """Let the task end, from a signal."""
        self._reason = self._reason or reason

    def tell(self, fraction: float) -> None:
        """How far the task is, 0 to 1; not each time."""
        now = time.monotonic()
        if now - self._told >= TELL_SECONDS:
            self._told = now
            try:
                self._connection.send(("reached", fraction))
            except OSError:
                self._reason = self._reason or NOBODY_LEFT


Work = Callable[[Any, Link], Any]


def serve(connection: Connection, imports: str, work: Work) -> None:
    """The life of a worker process: takes tasks until there are no more, or nobody is left to give them.

    imports : the module of all that tasks need, which a copy of the server has
    """
    collect_rarely()
    os.dup2(2, 1)  # what routines of users print must not spoil the summary of whoever runs them
    link, is_busy = WorkerLink(connection), False

    def end(number: int, frame: FrameType | None) -> None:
        if not is_busy:
            raise SystemExit(0)
        link.note("a termination signal")

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the whole group of the terminal gets it: who gave the task decides
    signal.signal(signal.SIGTERM, end)
    try:
        import_module(imports)
        while True:
            kind, payload = connection.recv()
            if kind != "task":
                continue  # to stop what is done already
            is_busy = True
            link.begin()
            try:
                answer = ("done", work(payload, link))
            except Exception:
                answer = ("raised", traceback.format_exc())
            is_busy = False
            connection.send(answer)
    except (EOFError, OSError):
        return  # nobody is left


@dataclass(frozen=True, slots=True)
class Event:
    """What became of a task.

    kind : "began"; "reached" a fraction; "done" with an answer; "lost" with a reason in words
    seconds : since it began
    overdue : whether it was asked to end, or made to, as its time was over
    """

    kind: Literal["began", "reached", "done", "lost"]
    task: int
    value: Any = None
    seconds: float = 0.0
    overdue: bool = False


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, and the task that it was given, if any.

    began : when the task began, 0 where it was only handed out
    """

    process: BaseProcess
    connection: Connection
    task: int | None = None
    payload: Any = None
    began: float = 0.0
    overdue: bool = False
    kill_at: float = float("inf")
    has_begun: bool = False  # any task, ever


class Workers:
    """Up to `count` processes for tasks; used in `with`, at whose end no process is left.

    Parameters
    ----------
    work : called in a worker with what a task is, and a `Link`; a function of a module, as are its arguments plain data
    imports : name of a module that imports what all tasks need
    count : most processes at a time
    limit : seconds that a task may take; it is asked to end then, and its process killed if it does not
    """

    def __init__(self, work: Work, imports: str, count: int, *, limit: float | None = None) -> None:
        self._work, self._imports, self.count, self._limit = work, imports, count, limit
        self._context: Any = multiprocessing.get_context("forkserver" if HAS_SERVER else "spawn")
        self._waiting: deque[tuple[int, Any]] = deque()
        self._workers: list[_Worker] = []
        self._events: deque[Event] = deque()
        self._numbers = itertools.count()
        self._deaths = 0

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.connection.close()
            worker.process.kill()  # one without a task has nothing to lose, and would take a tenth of a second to end
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()
        if HAS_SERVER:
            _end_server()

    # ---- tasks -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """`start_server`, before there are tasks."""
        start_server(self._imports)

    def submit(self, payload: Any) -> int:
        """Give a task; returns its number."""
        number = next(self._numbers)
        self._waiting.append((number, payload))
        return number

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits, runs or is to be told."""
        return not (self._waiting or self._events or any(worker.task is not None for worker in self._workers))

    def drop_waiting(self) -> list[int]:
        """Forget the tasks that no worker has; returns them."""
        dropped = [number for number, _ in self._waiting]
        self._waiting.clear()
        return dropped

    def stop(self, reason: str) -> None:
        """Ask all tasks that run to end; those that do not are killed after a while."""
        for worker in self._workers:
            if worker.task is not None:
                self._ask_to_end(worker, reason)

    def events(self, tick: Callable[[], object], seconds: float = TELL_SECONDS) -> Iterator[Event]:
        """Everything that happens until all tasks are over; `tick` is called a few times a second.

        Raises
        ------
        WorkersError
            worker processes do not start
        """
        while not self.is_idle:
            tick()
            self._hand_out()
            self._look(seconds)
            while self._events:
                yield self._events.popleft()
                self._hand_out()  # a worker that is done waits for no more than what comes of its own task

    # ---- processes -------------------------------------------------------------------------------------------

    def _hand_out(self) -> None:
        """Give waiting tasks to free workers, new ones as far as there may be more."""
        free = [worker for worker in self._workers if worker.task is None]
        while self._waiting and (free or len(self._workers) < self.count):
            worker = free.pop() if free else self._start()
            number, payload = self._waiting.popleft()
            worker.task, worker.payload = number, payload
            worker.began, worker.overdue, worker.kill_at = 0.0, False, float("inf")
            with suppress(OSError):  # it died meanwhile, which `_look` finds
                worker.connection.send(("task", payload))

    def _start(self) -> _Worker:
        start_server(self._imports)
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=serve, args=(theirs, self._imports, self._work), daemon=True)
        with _started_by_us():
            process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _look(self, seconds: float) -> None:
        """Wait for something to happen, and note it."""
        ends = [self._next_deadline(worker) for worker in self._workers]
        left = max(0.0, min([seconds, *(end - time.monotonic() for end in ends)]))
        of = {worker.connection: worker for worker in self._workers}
        for connection in wait(list(of), left):
            self._receive(of[connection])  # type: ignore[index]
        now = time.monotonic()
        for worker in list(self._workers):
            if worker.task is None:
                continue
            if now >= worker.kill_at:
                worker.process.kill()
            elif self._limit is not None and worker.began and not worker.overdue and now - worker.began > self._limit:
                worker.overdue = True
                self._ask_to_end(worker, f"the time limit of {self._limit:g} s")

    def _next_deadline(self, worker: _Worker) -> float:
        if worker.task is None:
            return float("inf")
        due = worker.began + self._limit if self._limit is not None and worker.began and not worker.overdue else None
        return min(worker.kill_at, due if due is not None else float("inf"))

    def _ask_to_end(self, worker: _Worker, reason: str) -> None:
        worker.kill_at = min(worker.kill_at, time.monotonic() + GRACE)
        with suppress(OSError):  # it died meanwhile
            worker.connection.send(("stop", reason))

    def _receive(self, worker: _Worker) -> None:
        try:
            kind, value = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        assert worker.task is not None
        if kind == "began":
            worker.began, worker.has_begun, self._deaths = time.monotonic(), True, 0
        if kind == "raised":
            self._note("lost", worker, f"a fault of gsolve, please report it: {value}")
        else:
            self._note(kind, worker, value)
        if kind in ("done", "raised"):
            worker.task, worker.kill_at = None, float("inf")

    def _bury(self, worker: _Worker) -> None:
        """A worker is dead: its task is lost, or waits again if it had not begun."""
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)
        why = words_of_death(worker.process.exitcode)
        if worker.began and worker.task is not None:
            if worker.overdue:
                why = f"it did not end within {self._limit:g} s, nor when it was asked to, and was killed"
            self._note("lost", worker, why)
            return
        if worker.task is not None:
            self._waiting.appendleft((worker.task, worker.payload))
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            raise WorkersError(f"worker processes do not start: {why}")

    def _note(self, kind: Literal["began", "reached", "done", "lost"], worker: _Worker, value: Any) -> None:
        assert worker.task is not None
        seconds = time.monotonic() - worker.began if worker.began else 0.0
        self._events.append(Event(kind, worker.task, value, seconds, worker.overdue))


@contextmanager
def _started_by_us() -> Iterator[None]:
    """Around the start of a process: it gets no SIGINT as long as it lives, and imports nothing from where the user is.

    Raises
    ------
    WorkersError
        it does not start
    """
    is_safe = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"  # a numpy.py beside the decks is not NumPy
    try:
        with _interrupts_held_back():
            yield
    except (OSError, EOFError) as error:
        raise WorkersError(f"worker processes do not start: {getattr(error, 'strerror', None) or error}") from error
    finally:
        if is_safe is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = is_safe


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """SIGINT comes afterwards; what is started meanwhile never gets it, not even before it can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_server(imports: str) -> None:
    """Start the process of which workers are copies, unless it is there; it is ready after half a second.

    imports : name of a module that imports what tasks need

    Raises
    ------
    WorkersError
        it does not start
    """
    if HAS_SERVER:
        resource_tracker.ensure_running()  # where it is started it lets SIGINT through again: not in between
        forkserver.set_forkserver_preload([imports])
        with _started_by_us():
            forkserver.ensure_running()  # comes back at once


@contextmanager
def server_ahead(imports: str) -> Iterator[None]:
    """`start_server` before there are `Workers`, and none is left behind where it never comes to them.

    Raises
    ------
    WorkersError
        it does not start
    """
    try:
        start_server(imports)
        yield
    finally:
        if HAS_SERVER:
            _end_server()


def _end_server() -> None:
    """No server is left behind, and what its copies took of the processors counts as taken by this process."""
    server: Any = forkserver._forkserver  # type: ignore[attr-defined]
    if server._forkserver_pid is not None:
        os.kill(server._forkserver_pid, signal.SIGKILL)  # it has nothing to lose, and would take a while to end
        server._stop()


def words_of_death(exit_code: int | None) -> str:
    """Why a process is no more."""
    if exit_code is None or exit_code >= 0:
        return f"its process ended with exit status {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    if name == "SIGKILL":
        return "its process was killed (SIGKILL; the system does that where memory runs out)"
    return f"its process died of {name}"


def usable_processors() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
