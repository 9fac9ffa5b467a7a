"""The listing NAME.out: what the screen shows, and more."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from ..core.channels import SampleBlock
from ..core.resumable import Resumable
from .balance import KINETIC
from .files import OutputError, is_open_at, part_of

STEP_LINES = 20  # lines of a run whose deck has no /PRINT
COLUMNS = ("step", "time", "dt", "kinetic", "total", "error", "violation")


class Listing:
    """Writer of NAME.out.

    Parameters
    ----------
    path : the file, made new; one that is there already is replaced
    first_line : says that gsolve made it
    say : takes the lines that go to the screen as well
    earlier : what the run has listed before it was continued

    Raises
    ------
    OutputError
        the file cannot be made
    """

    def __init__(self, path: Path, first_line: str, say: Callable[[str], None], earlier: str = "") -> None:
        self.path, part = path, part_of(path)
        self._place = path.absolute()  # a routine may go to another folder
        self._say = say
        self._waiting: list[str] = []
        try:
            self._file = open(part, "x", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - stays open for the whole run
            self.only(earlier.splitlines())
            self.both([first_line])
            self.flush()
            os.replace(part, path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise OutputError(f"cannot create {path}: {error.strerror}") from error

    @property
    def is_in_place(self) -> bool:
        """Whether `path` still names the file that is written; as long as it is not closed."""
        return is_open_at(self._file.fileno(), self._place)

    def both(self, lines: Iterable[str]) -> None:
        """Write lines to the listing and to the screen."""
        for line in lines:
            self.only([line])
            self._say(line)

    def only(self, lines: Iterable[str]) -> None:
        """Write lines to the listing alone."""
        self._waiting.extend(lines)

    def flush(self) -> None:
        """Hand all lines to the system.

        Raises
        ------
        OutputError
            the disk is full or the file cannot be written
        """
        text = "".join(line + "\n" for line in self._waiting)
        self._waiting.clear()
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror}") from error

    def close(self) -> None:
        """Close the file; lines that find no room are dropped, the history file comes first."""
        with suppress(OutputError, OSError):
            self.flush()
        with suppress(OSError):
            self._file.close()


class StepTable(Resumable):
    """Picks the samples that become lines of the listing and formats them.

    Parameters
    ----------
    print_every : steps between lines (/PRINT); None for about `STEP_LINES` lines a run
    steps_expected : steps of the run, roughly
    """

    KEPT = ("_next",)

    def __init__(self, print_every: int | None, steps_expected: int) -> None:
        self._every = abs(print_every or 0) or max(1, steps_expected // STEP_LINES)
        self._next = 0

    def header(self) -> str:
        """Names of the columns."""
        return "".join(f"{name:>14}" for name in COLUMNS)

    def lines(self, block: SampleBlock) -> list[str]:
        """Lines of the samples that are the first at or after a multiple of the print interval."""
        diag, energy = block.values.get("diag", {}), block.values.get("energy", {})
        lines = []
        missing = np.full(len(block), np.nan)
        for k, step in enumerate(diag.get("step", missing)):
            if not step >= self._next:
                continue
            self._next = (int(step) // self._every + 1) * self._every
            kinetic = sum(energy.get(name, missing)[k] for name in KINETIC)
            numbers = (
                block.times[k],
                diag.get("dt", missing)[k],
                kinetic,
                energy.get("total", missing)[k],
                energy.get("error", missing)[k],
                diag.get("constraint_violation", missing)[k],
            )
            lines.append(f"{int(step):>14}" + "".join(f"{number:>14.6g}" for number in numbers))
        return lines
