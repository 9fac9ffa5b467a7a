"""What all runs need, imported before the first of them by a process of which all workers are copies."""

from ..core.jit import machine_code, settings
from ..results import memory, responses
from ..run import build, driver, endings, observer, reading, settle, simulation
from . import one_case, one_deck

__all__ = [
    "build",
    "driver",
    "endings",
    "machine_code",
    "memory",
    "observer",
    "one_case",
    "one_deck",
    "reading",
    "responses",
    "settings",
    "settle",
    "simulation",
]
