"""What the user set numba to."""

from __future__ import annotations


def compilation_is_off() -> bool:
    """Whether NUMBA_DISABLE_JIT, or a file of settings of numba, switches compilation off."""
    from numba.core import config

    return bool(getattr(config, "DISABLE_JIT", 0))
