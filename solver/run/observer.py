"""Who follows a run: the shell, with lines on a screen and signals, or a program, with functions that it gives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

from .console import Console, Progress, Waiting
from .interrupt import StopRequest


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is.

    time, t_end : in the deck's unit of time
    step : steps taken
    wall_time : seconds since the first step
    """

    time: float
    t_end: float
    step: int
    wall_time: float

    @property
    def fraction(self) -> float:
        """Part of the run that is done, 0 to 1."""
        return min(1.0, self.time / self.t_end) if self.t_end > 0 else 1.0


class Observer(Protocol):
    """What a run tells while it goes on, and asks.

    remarks : what was found on the way to the first step and belongs to no deck, as a folder that cannot be written
    arguments : defaults of those of the function that started the run, which its messages name in place of options of
        the shell (`python_words`); empty where the shell did
    """

    verbose: bool
    remarks: list[str]
    arguments: Mapping[str, Any]

    def __enter__(self) -> Observer: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    @property
    def takes_interrupts(self) -> bool:
        """Whether KeyboardInterrupt is an order to this run alone, and not to who called it."""
        ...

    def say(self, text: str) -> None:
        """A line of information."""
        ...

    def error(self, text: str) -> None:
        """A line that must be seen."""
        ...

    def before_compiling(self, text: str) -> Callable[[], None] | None:
        """What is to be called before something is compiled, which takes a while."""
        ...

    def settling(self, text: str) -> str:
        """How far a machine is that is settled before the run; returns why it is to stop, or nothing."""
        ...

    def begin(self, t_end: float, time_unit: str) -> None:
        """The first step is about to be taken."""
        ...

    def look(self, at: RunProgress) -> str:
        """A block of steps is done; returns why the run is to stop, or nothing."""
        ...

    def clear(self) -> None:
        """A line is about to be said, or the run is over."""
        ...

    def interruption(self) -> str:
        """Why the run was interrupted."""
        ...


class Shell:
    """A run as a person sees it; Ctrl-C, a polite kill and a closed terminal stop it."""

    takes_interrupts = True
    arguments: Mapping[str, Any] = {}

    def __init__(self, console: Console) -> None:
        self.verbose = console.verbose
        self.remarks: list[str] = []
        self._console = console
        self._stop = StopRequest()
        self._progress: Progress | Waiting | None = None

    def __enter__(self) -> Shell:
        self._stop.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.__exit__(kind, error, trace)

    def say(self, text: str) -> None:
        self._console.say(text)

    def error(self, text: str) -> None:
        self._console.error(text)

    def before_compiling(self, text: str) -> Callable[[], None] | None:
        return lambda: self._console.say(text)

    def settling(self, text: str) -> str:
        if self._progress is None:
            self._progress = Waiting(sys.stderr, enabled=not self._console.quiet)
        if isinstance(self._progress, Waiting):
            self._progress.update(text)
        return ""  # a signal ends the process before the run begins

    def begin(self, t_end: float, time_unit: str) -> None:
        self._progress = Progress(sys.stderr, t_end, time_unit, enabled=not self._console.quiet)

    def look(self, at: RunProgress) -> str:
        if isinstance(self._progress, Progress) and not self._stop.reason and at.time < at.t_end:
            self._progress.update(at.time, at.step)
        return self._stop.reason

    def clear(self) -> None:
        if self._progress is not None:
            self._progress.clear()

    def interruption(self) -> str:
        return self._stop.reason or "Ctrl-C"


class Caller:
    """A run as a program follows it: nothing is printed, no signal is taken.

    progress : called after each block of steps, the last included
    stop : the same, and while a machine is settled; where it returns something true the run stops, with that text if
        it is one
    error_of_callback : what one of them raised, which stops the run as well; None if nothing
    """

    verbose = False
    takes_interrupts = False

    def __init__(
        self,
        progress: Callable[[RunProgress], object] | None,
        stop: Callable[[RunProgress], bool | str] | None,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        self.arguments = arguments or {}
        self.remarks: list[str] = []
        self._progress, self._stop = progress, stop
        self.error_of_callback: BaseException | None = None

    def __enter__(self) -> Caller:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def say(self, text: str) -> None:
        pass

    def error(self, text: str) -> None:
        pass

    def before_compiling(self, text: str) -> Callable[[], None] | None:
        return None

    def settling(self, text: str) -> str:
        return self._reason(self._stop(RunProgress(0.0, 0.0, 0, 0.0)) if self._stop is not None else False)

    def begin(self, t_end: float, time_unit: str) -> None:
        pass

    def look(self, at: RunProgress) -> str:
        try:
            if self._progress is not None:
                self._progress(at)
            return self._reason(self._stop(at) if self._stop is not None else False)
        except BaseException as error:  # raised again once the files are closed
            self.error_of_callback = error
            return f"{type(error).__name__} in a function that was to be called"

    @staticmethod
    def _reason(answer: bool | str) -> str:
        if not answer:
            return ""
        return answer if isinstance(answer, str) else "the function that was given for this"

    def clear(self) -> None:
        pass

    def interruption(self) -> str:
        return "KeyboardInterrupt"
