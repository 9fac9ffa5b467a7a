"""Pieces of the grid of steps that the compiled loop takes in one call."""

from __future__ import annotations

from typing import NamedTuple


class Segment(NamedTuple):
    """Steps of one length, or a part of one step.

    step, n_steps : the first step, and how many; dt : the length of each, or of the part
    origin_step, origin_time : times are counted from here, so that those of many steps add up no rounding
    is_first_substep : whether what begins here is a step; a later part of one has no sample of its own
    """

    step: int
    n_steps: int
    origin_step: int
    origin_time: float
    dt: float
    is_first_substep: bool = True

    @property
    def time(self) -> float:
        """Where it begins."""
        return self.origin_time + (self.step - self.origin_step) * self.dt
