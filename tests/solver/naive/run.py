"""Twins of run/: what MotionSolve's subroutines call, as its manual defines it."""

from __future__ import annotations

from naive.contact import step


def impact(x, xdot, x1, k, e, cmax, d):
    """A spring left of x1 and a damper that has all of its strength at the depth d; it never pulls."""
    if x >= x1:
        return 0.0
    return max(0.0, k * (x1 - x) ** e - xdot * step(x, x1 - d, cmax, x1, 0.0))
