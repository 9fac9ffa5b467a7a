"""Ctrl-C, polite kills and closed terminals: a run ends at the next block of steps, with its results."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

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
