"""What a run is asked for on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gsolve.parser.model import Model, UserRoutine

    from ..constraints.gear_joints import GjointAlpha


class UsageError(Exception):
    """What was asked for cannot be done in this environment; the text is one line for the user."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of `gsolve DECK`. None means: as the deck says.

    t_end, dt are in the deck's working time unit; command_line is kept with the results. What only reading a deck has
    to know (defines, untrusted) is here for the record.
    """

    output: str | None = None
    defines: dict[str, str] = field(default_factory=dict)
    t_end: float | None = None
    dt: float | None = None
    gjoint_alpha: GjointAlpha = "documented"
    threads: int = 1
    assemble: bool = False
    general: bool = False
    accuracy: float | None = None
    force: bool = False
    strict: bool = False
    allow_user_code: bool = False
    untrusted: bool = False
    command_line: str = ""


def require_compilation() -> None:
    """Refuse to begin where numba is told not to compile: parts of it that kernels call do not work then.

    Raises
    ------
    UsageError
        NUMBA_DISABLE_JIT, or a file of settings of numba, switches compilation off
    """
    from ..core.jit.settings import compilation_is_off

    if compilation_is_off():
        raise UsageError(
            "kernels have to be compiled, and numba's setting DISABLE_JIT (NUMBA_DISABLE_JIT in the environment) "
            "switches compilation off: unset it"
        )


def user_routines(model: Model) -> list[UserRoutine]:
    """The routines that contacts of a deck name."""
    from gsolve.parser.model import UserRoutine

    return [
        routine
        for contact in model.contacts
        for routine in (contact.law, contact.friction, contact.post)
        if isinstance(routine, UserRoutine)
    ]


def input_files(model: Model) -> list[str]:
    """Every file that a run of a model reads, as far as the deck names it."""
    return [*model.files, *model.mesh_files, *(routine.file for routine in user_routines(model))]


def refuse_user_code(model: Model, *, allowed: bool) -> None:
    """Refuse to run code that the deck names, unless that is allowed.

    Raises
    ------
    DeckError
        with each routine that would be run
    """
    from gsolve.parser.text.diagnostics import DeckError

    routines = user_routines(model)
    if routines and not allowed:
        hint = "look into the file, then allow it with --allow-user-code: it can do here whatever you can"
        raise DeckError([
            *model.warnings,
            *(
                routine.where.diagnose(
                    "error", f"the deck would run code: {routine.function} of {routine.file}",
                    field=routine.field, hint=hint,
                )
                for routine in routines
            ),
        ])  # fmt: skip
