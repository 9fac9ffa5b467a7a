"""Ctrl-C, polite kills and closed terminals: a run ends at the next block of steps, with its results.

Before anything has begun, while the program itself is being loaded, Ctrl-C ends it at once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any

EXIT_INTERRUPTED = 130
STOPPED_EARLY = "gsolve: stopped by Ctrl-C before the run began"
STDERR = 2  # its number for the system

SIGNALS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "a termination signal"}
if hasattr(signal, "SIGHUP"):  # Windows has none
    SIGNALS[signal.SIGHUP] = "the closing of its terminal"


class StopRequest:
    """While entered, SIGINT, SIGTERM and SIGHUP are noted in `reason` instead of ending the process.

    Signals that the shell had switched off (a background job, nohup) stay off.  A second signal raises
    KeyboardInterrupt, for the case that nobody looks at the first.
    """

    def __init__(self) -> None:
        self.reason = ""
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.reason:
            raise KeyboardInterrupt
        self.reason = SIGNALS[signal.Signals(number)]


@contextmanager
def ended_at_once() -> Iterator[None]:
    """While entered, Ctrl-C ends the process with a line: for imports, which would end in a traceback.

    Where it is switched off, or somebody else has taken care of it, it is left alone.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _end_process)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_process(number: int, frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(STDERR, f"{STOPPED_EARLY}\n".encode())
    os._exit(EXIT_INTERRUPTED)
