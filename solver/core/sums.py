"""Sums that keep what they lose to rounding.

What moves a body by its step is often smaller than a unit in the last place of where it is.  A number is kept as the
sum of two, the second of which is what the first cannot hold (T. J. Dekker, Numer. Math. 18, 1971, 224-242).
"""

from __future__ import annotations

from .jit.kernels import kernel


@kernel(inline=True)
def two_sum(a: float, b: float) -> tuple[float, float]:
    """a + b as rounded, and what rounding took, whatever their sizes."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel(inline=True)
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """The same where a is not smaller than b."""
    total = a + b
    return total, b - (total - a)


@kernel(inline=True)
def grown(value: float, low: float, growth: float) -> tuple[float, float]:
    """value + low + growth, likewise in two parts."""
    total, error = two_sum(value, growth)
    return fast_two_sum(total, low + error)
