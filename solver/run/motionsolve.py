"""What MotionSolve's Python subroutines call and a contact can answer: py_step and py_impact.

Their names, arguments and results are MotionSolve's: the value, and whether an argument was wrong.  Derivatives, iord
other than 0, are not available.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..contact.normal_laws import smooth_step
from ..core.jit.kernels import kernel


@kernel
def py_step(x: float, x0: float, h0: float, x1: float, h1: float, iord: int) -> tuple[float, bool]:
    """STEP from h0 left of x0 to h1 right of x1."""
    if iord != 0:
        raise ValueError("py_step gives no derivatives: iord must be 0")
    return h0 + (h1 - h0) * smooth_step((x - x0) / (x1 - x0)), False


@kernel
def py_impact(
    x: float, xdot: float, x1: float, k: float, e: float, cmax: float, d: float, iord: int
) -> tuple[tuple[float], bool]:  # fmt: skip
    """Force of a spring k (x1 - x)^e left of x1, with a damper that sets in over the depth d; never negative."""
    if iord != 0:
        raise ValueError("py_impact gives no derivatives: iord must be 0")
    if x >= x1:
        return (0.0,), False
    damping = cmax * smooth_step((x1 - x) / d)
    return (max(0.0, k * (x1 - x) ** e - damping * xdot),), False


COMPILED: dict[str, Any] = {"py_step": py_step, "py_impact": py_impact}
PLAIN: dict[str, Callable[..., Any]] = {name: function.py_func for name, function in COMPILED.items()}
