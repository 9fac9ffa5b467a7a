"""What all runs need, imported before the first of them: on Linux by the process of which all workers are copies."""

from __future__ import annotations

import gc


def import_all() -> None:
    """Import it, and look for no garbage meanwhile: there is none, and to find that takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        # Machines with many rows or redundant ones need SciPy: a tenth of a second, and memory, of each worker else.
        import scipy.sparse.linalg  # noqa: F401

        from ..core.jit import machine_code, settings  # noqa: F401
        from ..results import memory, responses  # noqa: F401
        from ..run import build, driver, endings, observer, reading, settle, simulation  # noqa: F401
        from . import one_case, one_deck  # noqa: F401
    finally:
        gc.freeze()  # nor is it looked for there later on; so it stays memory that all copies share
        if was_enabled:
            gc.enable()


import_all()
