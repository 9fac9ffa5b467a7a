"""What the user set numba to."""

from __future__ import annotations


def in_the_way() -> str:
    """The setting, of the environment or a file, with which kernels cannot be had, and why; or nothing."""
    from numba.core import config

    if getattr(config, "DISABLE_JIT", 0):
        return "DISABLE_JIT (NUMBA_DISABLE_JIT in the environment) switches compilation off"
    if getattr(config, "OPT", 3) == 0:  # what numba writes and LLVM then finds useless stays: addresses of this process
        return "OPT (NUMBA_OPT in the environment) is 0, with which they are not made so that they can be kept"
    return ""
