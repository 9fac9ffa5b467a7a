"""What a run is asked for, on the command line or in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gsolve.parser.model import Model, UserRoutine

    from ..constraints.gear_joints import GjointAlpha
from .checkpoint_times import checkpoint_interval
from .frame_plan import frames_asked

# Those of the solver's assembly, which is not imported for this.
LEAST_TOLERANCE, LARGEST_TOLERANCE = 1e-8, 1e-1
ORDERS = 2, 4, 6


DEFAULT_INTERVAL = "10min"  # of wall time, between checkpoints
SWITCHES = "assemble", "settle", "general", "force", "strict", "allow_user_code", "untrusted"


class UsageError(Exception):
    """What was asked for cannot be done in this environment; the text is one line for the user."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of `gsolve DECK` and of `gsolve.run`. None means: as the deck says.

    t_end, dt are in the deck's working time unit; frames is 0 for none; command_line is kept with the results. What
    only reading a deck has to know (defines, untrusted) is here for the record.
    """

    output: str | None = None
    defines: dict[str, str] = field(default_factory=dict)
    t_end: float | None = None
    dt: float | None = None
    gjoint_alpha: GjointAlpha = "documented"
    threads: int = 1
    assemble: bool = False
    settle: bool = False
    general: bool = False
    accuracy: float | None = None
    order: int = ORDERS[0]
    stop_when: str | None = None
    force: bool = False
    strict: bool = False
    allow_user_code: bool = False
    untrusted: bool = False
    command_line: str = ""
    checkpoint_every: str = DEFAULT_INTERVAL
    frames: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that cannot be meant, whoever gave them.

        Raises
        ------
        UsageError
            which one, and what is allowed
        """
        try:
            for name in ("t_end", "dt"):
                positive(getattr(self, name))
            name = "accuracy"
            tolerance(self.accuracy)
            name = "order"
            order_of_steps(self.order, self.accuracy)
            name = "checkpoint_every"
            checkpoint_interval(self.checkpoint_every)
            name = "frames"
            if self.frames != 0:
                frames_asked(self.frames)
            for name in SWITCHES:
                switch(getattr(self, name))
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name}: {error}") from error
        if not (isinstance(self.threads, int) and self.threads >= 1):
            raise UsageError(f"threads: {self.threads!r} is not a whole number from 1 on")
        if self.gjoint_alpha not in ("documented", "inverse"):
            raise UsageError(f"gjoint_alpha: {self.gjoint_alpha!r} is neither 'documented' nor 'inverse'")


def number(value: float) -> float:
    """The value; raises ValueError for what is no number, as a text."""
    if not isinstance(value, Real):
        raise ValueError(f"{value!r} is not a number")
    return value


def switch(value: bool) -> bool:
    """The value; raises ValueError for what is neither True nor False, as a text, which would be taken for True."""
    if value not in (True, False):
        raise ValueError(f"{value!r} is neither True nor False")
    return value


def positive(value: float | None) -> float | None:
    """The value; raises ValueError for what is neither None nor a positive number."""
    if value is not None and not (number(value) > 0 and math.isfinite(value)):
        raise ValueError(f"{value:g} is not a positive number")
    return value


def tolerance(value: float | None) -> float | None:
    """The value; raises ValueError for what is neither None nor a tolerance of controlled steps."""
    if value is not None and not LEAST_TOLERANCE <= number(value) <= LARGEST_TOLERANCE:
        why = "; with less, rounding would choose the branch where a machine could take several"
        why = why if value < LEAST_TOLERANCE else ""
        raise ValueError(f"{value:g} is not a tolerance from {LEAST_TOLERANCE:g} to {LARGEST_TOLERANCE:g}{why}")
    return value


def order_of_steps(value: int, accuracy: float | None = None) -> int:
    """The value; raises ValueError for what is no order of steps, or one beside a tolerance of controlled steps."""
    if value not in ORDERS or isinstance(value, bool):
        raise ValueError(f"{value!r} is none of {', '.join(map(str, ORDERS))}")
    if value != ORDERS[0] and accuracy is not None:
        raise ValueError(f"{value} does not go with an accuracy: steps that are controlled by their error have order 5")
    return value


def require_compilation() -> None:
    """Refuse to begin where numba is told not to compile, or not as kernels need it.

    Raises
    ------
    UsageError
        NUMBA_DISABLE_JIT, or NUMBA_OPT, or a file of settings of numba, says so
    """
    from ..core.jit.settings import in_the_way

    setting = in_the_way()
    if setting:
        raise UsageError(f"kernels have to be compiled, and numba's setting {setting}: unset it")


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
