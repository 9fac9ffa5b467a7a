"""What a person sees of a run: lines on the screen, and how far it has come."""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from dataclasses import dataclass, field
from typing import ClassVar, TextIO

from ..core.resumable import Resumable

BAR_WIDTH = 24
QUIET_SECONDS = 0.5  # a run that is over by then needs no progress
WAITING_SECONDS = 10.0  # between two lines in a log


@dataclass(slots=True)
class Console:
    """Lines of facts on standard output, errors and progress on standard error.

    quiet : errors only
    verbose : everything, tracebacks too
    json : standard output is kept for the summary, facts go to standard error
    """

    quiet: bool = False
    verbose: bool = False
    json: bool = False

    def say(self, text: str = "") -> None:
        """A line of information."""
        if not self.quiet:
            show(text + "\n", sys.stderr if self.json else sys.stdout)

    def error(self, text: str) -> None:
        """A line that must be seen, or a block of them."""
        show(text + "\n", sys.stderr)


_UNWRITTEN: list[OSError] = []  # why streams of this process take nothing any more


def show(text: str, stream: TextIO) -> None:
    """Print text at once; where nobody reads any more (`gsolve deck.rad | head`) the run goes on unseen.

    Where a stream cannot be written the run goes on as well; that is said once, and `is_output_lost` from then on.
    """
    try:
        print(text, end="", file=stream, flush=True)
    except OSError as error:
        give_up(stream, error)


def give_up(stream: TextIO, error: OSError) -> None:
    """Let all that goes to a stream go nowhere from now on, after an error in writing to it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    if error.errno not in (errno.EPIPE, errno.EIO):  # a reader that left, a terminal that was closed
        _UNWRITTEN.append(error)
        if stream is not sys.stderr:
            show(f"gsolve: standard output cannot be written: {error.strerror}\n", sys.stderr)


def is_output_lost() -> bool:
    """Whether something that was to be read could not be written, on a full disk for example."""
    return bool(_UNWRITTEN)


def duration(seconds: float) -> str:
    """A length of time as a person says it: 0.42 s, 12 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 10:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def grouped(number: float) -> str:
    """A count with thin groups of three digits: 12 300."""
    return f"{round(number):,}".replace(",", " ")


@dataclass(slots=True)
class RenewedLine:
    """A line on a terminal that is written over again and again."""

    stream: TextIO
    _shown: int = 0

    def renew(self, text: str) -> None:
        """Put another text in its place."""
        show("\r" + text.ljust(self._shown) + ("\r" if not text else ""), self.stream)
        self._shown = len(text)

    def clear(self) -> None:
        """Take it off the screen, so that another line can be written."""
        if self._shown:
            self.renew("")


@dataclass(slots=True)
class Waiting:
    """What goes on while nobody knows for how long: a line that renews itself on a terminal, else one now and then."""

    stream: TextIO
    enabled: bool = True
    _said: float = field(default_factory=time.monotonic)
    _line: RenewedLine = field(init=False)

    def __post_init__(self) -> None:
        self._line = RenewedLine(self.stream)

    def update(self, text: str) -> None:
        """Show how far it is."""
        if not self.enabled:
            return
        if self.stream.isatty():
            self._line.renew(text)
        elif time.monotonic() - self._said >= WAITING_SECONDS:
            self._said = time.monotonic()
            show(text + "\n", self.stream)

    def clear(self) -> None:
        """It is over, or another line is to be written."""
        self._line.clear()


@dataclass(slots=True)
class Progress:
    """How far a run is: one line that renews itself on a terminal, else a line each 10 %."""

    stream: TextIO
    t_end: float
    time_unit: str
    enabled: bool = True
    started: float = field(default_factory=time.monotonic)
    _tenths: int = 0
    _last: tuple[float, int] = (0.0, 0)
    _rate: float = 0.0
    _line: RenewedLine = field(init=False)

    def __post_init__(self) -> None:
        self._line = RenewedLine(self.stream)

    def update(self, t: float, step: int) -> None:
        """Show that the run is at time t after `step` steps."""
        wall = time.monotonic() - self.started
        if not self.enabled or wall < QUIET_SECONDS:
            return
        fraction = min(1.0, t / self.t_end) if self.t_end > 0 else 1.0
        text = self._text(t, step, fraction, wall)
        if self.stream.isatty():
            filled = round(BAR_WIDTH * fraction)
            self._line.renew(f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {text}")
        elif int(10 * fraction) > self._tenths:
            self._tenths = int(10 * fraction)
            show(text + "\n", self.stream)

    def clear(self) -> None:
        """Take the renewed line off the screen, so that another line can be written."""
        self._line.clear()

    def _text(self, t: float, step: int, fraction: float, wall: float) -> str:
        wall_last, step_last = self._last
        if wall > wall_last:
            rate = (step - step_last) / (wall - wall_last)
            self._rate = rate if self._rate == 0.0 else 0.7 * self._rate + 0.3 * rate
        self._last = (wall, step)
        left = wall * (1 - fraction) / fraction if fraction > 0 else 0.0
        return (
            f"{100 * fraction:3.0f} %  t = {t:.5g} {self.time_unit}  {grouped(step)} steps"
            f"  {grouped(self._rate)} steps/s  {duration(left)} left"
        )


@dataclass(slots=True)
class RepeatedMessages(Resumable):
    """Lets each kind of message through once and counts the rest; messages that differ in numbers only are one kind."""

    KEPT: ClassVar[tuple[str, ...]] = ("_counts", "_last")

    _counts: dict[str, int] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def is_new(self, message: str) -> bool:
        """Count the message; True the first time its kind comes."""
        kind = re.sub(r"(?<![/\d])[-+]?\d+(\.\d*)?([eE][-+]?\d+)?", "#", message)
        self._last[kind] = message
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return self._counts[kind] == 1

    def repeated(self) -> list[str]:
        """Of the messages that came more than once the last, with their counts."""
        return [f"{self._last[kind]} (the last of {count} times)" for kind, count in self._counts.items() if count > 1]
