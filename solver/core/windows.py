"""Windows of time in which something acts."""

from __future__ import annotations

from .jit.kernels import kernel


@kernel(inline=True)
def share_of_kick(start: float, stop: float, t: float, dt: float, previous_dt: float) -> float:
    """How much of the kick at t, from the middle of the last step to that of the step at hand, lies in [start, stop).

    A force that starts at t acts in the second half of the kick only; with all of it, it would have started half a step
    too early, and the scheme would be of first order.  Steps end at starts and stops, so it is 0 or 1 elsewhere.
    """
    begin, end = t - 0.5 * previous_dt, t + 0.5 * dt
    return max(0.0, min(end, stop) - max(begin, start)) / (end - begin)
