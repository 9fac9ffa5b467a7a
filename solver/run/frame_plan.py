"""Which steps of a run are frames: poses of all bodies, for pictures.

Frames are of use evenly spaced, and cost least where samples are.  So a frame is every m-th sample, where there are
about as many samples as frames are wanted; and steps of their own, as samples have them, where there are fewer.
"""

from __future__ import annotations

from typing import NamedTuple

USUAL = 200  # frames of a run that is asked for none in particular
MOST_BYTES = 16e6  # of those
FEWEST = 2
OFF = "off"


class FramePlan(NamedTuple):
    """Frames are the first steps at or after the multiples of `every` times `interval`, and the last step.

    frames : how many there will be, roughly
    fewer : why there are fewer than usual, "" if there are not
    """

    interval: float
    every: int
    frames: int
    fewer: str = ""


def plan_frames(
    asked: int | None, t_end: float, sampling_interval: float, bodies: int, *, only_samples: bool
) -> FramePlan | None:
    """The frames of a run, None for none.

    asked : how many, 0 for none, None for as many as usual
    only_samples : whether nothing but a sample may be a frame
    """
    if asked == 0 or bodies == 0:
        return None
    samples = round(t_end / sampling_interval) if sampling_interval > 0.0 else 1
    wanted, fewer = asked or USUAL, ""
    if asked is None:
        most = max(FEWEST, int(MOST_BYTES / (8 * (2 + 7 * bodies))))
        if most < wanted:
            wanted = most
            fewer = f"of {bodies} bodies, fewer than usual: --frames N takes more"
        elif wanted / 2 <= samples < wanted:
            wanted = samples
    if only_samples or samples >= wanted:
        every = max(1, round(samples / wanted))
        return FramePlan(sampling_interval, every, -(-samples // every) + 1, fewer)
    return FramePlan(t_end / wanted, 1, wanted + 1, fewer)


def frames_asked(value: object) -> int | None:
    """A number of frames as it is typed: N, or "off"; None for as many as usual.

    Raises
    ------
    ValueError
        it is neither
    """
    if value is None or value == OFF:
        return None if value is None else 0
    text = str(value).strip()
    if isinstance(value, bool) or not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ValueError(f"{value!r} is neither a number of frames from 1 on nor '{OFF}'")
    return int(text)
