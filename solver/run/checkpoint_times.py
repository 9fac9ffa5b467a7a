"""When a run keeps where it stands: `--checkpoint-every`."""

from __future__ import annotations

import math
import re
import time
from typing import NamedTuple

SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}  # of the units of wall time
NEVER = "never"


class CheckpointInterval(NamedTuple):
    """The time between two checkpoints; at the end of a run, however it ends, there is one as well.

    wall : in seconds; simulated : in the deck's unit of time; infinite: only at the end
    """

    wall: float = math.inf
    simulated: float = math.inf


def checkpoint_interval(text: str) -> CheckpointInterval | None:
    """What a text means: `10min`, `90s`, `2h` of wall time, `0.05` of simulated time; None for `never`.

    Raises
    ------
    ValueError
        it is nothing of these, or no text
    """
    if not isinstance(text, str):
        raise ValueError(
            f"{text!r} is not a text: '10min', '90s' or '2h' of wall time, '0.05' of simulated time in the deck's "
            f"unit, or '{NEVER}'"
        )
    if text == NEVER:
        return None
    found = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(s|min|h)?\s*", text)
    try:
        value = float(found[1]) if found else math.nan
    except ValueError:
        value = math.nan
    if not (found and 0.0 < value < math.inf):
        raise ValueError(
            f"'{text}' is not a time: 10min, 90s or 2h of wall time, 0.05 of simulated time in the deck's unit, "
            f"or {NEVER}"
        )
    return CheckpointInterval(wall=value * SECONDS[found[2]]) if found[2] else CheckpointInterval(simulated=value)


class CheckpointTimes:
    """Says when the next checkpoint is due.

    time : at which the run begins, or goes on
    """

    def __init__(self, interval: CheckpointInterval, time: float) -> None:
        self._interval = interval
        self._wall = math.inf
        self._next = math.inf
        self.made(time)

    def made(self, time: float) -> None:
        """A checkpoint was made, of a simulated time."""
        every = self._interval
        self._wall = _clock() + every.wall
        if every.simulated < math.inf:
            self._next = (math.floor(time / every.simulated * (1.0 + 1e-12)) + 1) * every.simulated

    def is_due(self, time: float) -> bool:
        """Whether one is to be made at a simulated time."""
        return time >= self._next * (1.0 - 1e-12) or _clock() >= self._wall

    def simulated_time_left(self, time: float) -> float:
        """Until the next that is due by simulated time."""
        return self._next - time


def _clock() -> float:
    return time.monotonic()
