"""Solver for geared machines: decks in Radioss's block format in, time histories out.

    import gsolve

    model = gsolve.read("gear_pair.rad")
    result = gsolve.run(model)
    result.th.gjoint[1].VEL1

Nothing is imported before it is used. The manual of this interface is docs/python.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import DeckError, Diagnostic
    from gsolve.solver.bulk.plots import plot
    from gsolve.solver.bulk.study_table import StudyTable, load_study
    from gsolve.solver.results.arrays import History
    from gsolve.solver.results.compare.expected import Judgement, judge
    from gsolve.solver.results.compare.pair import Comparison, compare
    from gsolve.solver.results.files import OutputError
    from gsolve.solver.results.report.write import Report, report
    from gsolve.solver.results.result import Result
    from gsolve.solver.results.variables import UnknownNameError
    from gsolve.solver.run.calls import RunError, check, export, load, read, resume, run
    from gsolve.solver.run.check import Check
    from gsolve.solver.run.endings import StoppedError
    from gsolve.solver.run.observer import RunProgress
    from gsolve.solver.run.options import UsageError

    __version__: str

__all__ = [
    "Check",
    "Comparison",
    "DeckError",
    "Diagnostic",
    "History",
    "Judgement",
    "Model",
    "OutputError",
    "Report",
    "Result",
    "RunError",
    "RunProgress",
    "StoppedError",
    "StudyTable",
    "UnknownNameError",
    "UsageError",
    "check",
    "compare",
    "export",
    "judge",
    "load",
    "load_study",
    "plot",
    "read",
    "report",
    "resume",
    "run",
]

_PLACES = {
    "gsolve.parser.model": ("Model",),
    "gsolve.parser.text.diagnostics": ("DeckError", "Diagnostic"),
    "gsolve.solver.bulk.plots": ("plot",),
    "gsolve.solver.bulk.study_table": ("StudyTable", "load_study"),
    "gsolve.solver.results.files": ("OutputError",),
    "gsolve.solver.results.arrays": ("History",),
    "gsolve.solver.results.compare.expected": ("Judgement", "judge"),
    "gsolve.solver.results.compare.pair": ("Comparison", "compare"),
    "gsolve.solver.results.report.write": ("Report", "report"),
    "gsolve.solver.results.result": ("Result",),
    "gsolve.solver.results.variables": ("UnknownNameError",),
    "gsolve.solver.run.calls": ("RunError", "check", "export", "load", "read", "resume", "run"),
    "gsolve.solver.run.check": ("Check",),
    "gsolve.solver.run.endings": ("StoppedError",),
    "gsolve.solver.run.observer": ("RunProgress",),
    "gsolve.solver.run.options": ("UsageError",),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("gsolve")
    for module, names in _PLACES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(module), name)
            return found
    raise AttributeError(f"module 'gsolve' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
