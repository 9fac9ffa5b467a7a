"""Cases on a Dask cluster that exists: what `Workers` is to the processes of this machine."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from types import TracebackType
from typing import Any

from ..results.frames import package
from .one_case import Bundle, CaseTask
from .workers import RUN_IMPORTS, Event, WorkersError

CONNECT_SECONDS = 10.0
# Between looks at what is done: answers that are fetched together cost a third of single ones; few are waited for.
LOOK_SECONDS, LAST_LOOKS, FEW = 0.1, 0.01, 8


class ClockLink:
    """What a task on a cluster asks: whether its time is over."""

    def __init__(self, limit: float | None) -> None:
        self._limit, self._begun = limit, time.monotonic()

    def reason_to_stop(self) -> str:
        """Why the task is to end now, or nothing."""
        is_over = self._limit is not None and time.monotonic() - self._begun > self._limit
        return f"the time limit of {self._limit:g} s" if is_over else ""

    def tell(self, fraction: float) -> None:
        """Nobody asks how far a task on a cluster is."""


def kept(deck: Bundle) -> Bundle:
    """On a machine of the cluster: the deck of all cases, which others get from there."""
    return deck


def run_on_cluster(
    task: CaseTask, *, work: Callable[..., Any], deck: Bundle, limit: float | None
) -> tuple[Any, float, bool]:
    """On a machine of the cluster: the answer, seconds, whether time was over."""
    begun, link = time.monotonic(), ClockLink(limit)
    answer = work(replace(task, deck=deck), link)
    return answer, time.monotonic() - begun, bool(link.reason_to_stop())


class Cluster:
    """A scheduler of Dask at an address; dask.distributed keeps tasks of workers that die.

    Raises
    ------
    WorkersError
        nobody answers at the address
    """

    def __init__(self, address: str, work: Callable[..., Any], *, limit: float | None = None) -> None:
        self._work, self._limit = work, limit
        self._distributed = package("distributed")
        self._numbers = itertools.count()
        self._unsent: list[tuple[int, CaseTask]] = []
        self._futures: dict[Any, int] = {}
        self._starting: list[Any] = []
        self._deck: Any = None  # of all tasks
        try:
            self._client = self._distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise WorkersError(f"no Dask scheduler answers at {address}: {error}") from error

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop_waiting()
        self._client.close()

    @property
    def count(self) -> int:
        """Tasks at a time, as far as workers are there."""
        return max(1, sum(self._client.nthreads().values()))

    def start(self) -> None:
        """Let its workers import what they need, before there are tasks."""
        self._starting = [
            self._client.submit(import_module, RUN_IMPORTS, workers=[worker], pure=False)
            for worker in self._client.nthreads()
        ]

    def submit(self, task: CaseTask) -> int:
        """Give a task, whose deck is that of all and goes to the cluster once; returns its number."""
        assert isinstance(task.deck, Bundle)
        number = next(self._numbers)
        if self._deck is None:
            self._deck = self._client.submit(kept, task.deck, pure=False)  # a task: it is done again where it is lost
        self._unsent.append((number, replace(task, deck="")))
        return number

    def _send(self) -> None:
        """All tasks that were given, at once: one by one they cost the scheduler as much as short cases do."""
        if not self._unsent:
            return
        numbers, tasks = zip(*self._unsent, strict=True)
        self._unsent.clear()
        of_all = {"work": self._work, "deck": self._deck, "limit": self._limit}
        self._futures.update(zip(self._client.map(run_on_cluster, tasks, pure=False, **of_all), numbers, strict=True))

    def drop_waiting(self) -> list[int]:
        """Forget all tasks that are not done: what runs on a cluster ends there, unheard."""
        unsent = [number for number, _ in self._unsent]
        self._unsent.clear()
        left = [future for future in self._futures if not future.done()]
        self._client.cancel(left)
        return unsent + [self._futures.pop(future) for future in left]

    def stop(self, reason: str) -> None:
        """Nothing is left to stop after `drop_waiting`."""

    def events(self, tick: Callable[[], object]) -> Iterator[Event]:
        """Everything that happens until all tasks are over; `tick` is called a few times a second."""
        while self._unsent or self._futures:
            self._send()
            tick()
            done = [future for future in self._futures if future.done()]
            if not done:
                time.sleep(LOOK_SECONDS if len(self._futures) > FEW else LAST_LOOKS)
            answers = self._fetched(done)
            for future in done:
                number = self._futures.pop(future)
                try:
                    answer, seconds, overdue = answers[future] if future in answers else future.result()
                except Exception as error:  # a worker that died too often, or cannot run gsolve
                    yield Event("lost", number, f"the cluster could not run it: {type(error).__name__}: {error}")
                else:
                    yield Event("done", number, answer, seconds, overdue)

    def _fetched(self, done: list[Any]) -> dict[Any, Any]:
        """Answers of tasks that went well, together; of none where one of them is lost meanwhile."""
        well = [future for future in done if future.status == "finished"]
        try:
            return dict(zip(well, self._client.gather(well), strict=True))
        except Exception:  # they are asked for one by one, which says what is wrong with which
            return {}
