"""What a run comes upon and tells, once each: warnings and messages after every piece of steps."""

from __future__ import annotations

from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.assembly import Assembly
from ..assembly.drive_messages import jump_messages
from ..core.resumable import Resumable, State
from .contact_warnings import ContactWarnings
from .schedule import Schedule
from .time_step import friction_warning
from .user_code import UserCode


class Watch(Resumable):
    """Looks at a machine after steps that are not taken back any more."""

    KEPT = ("_steepness_told",)

    def __init__(self, assembly: Assembly, schedule: Schedule, user_code: UserCode) -> None:
        self._assembly, self._schedule, self._user_code = assembly, schedule, user_code
        self._contact_warnings = ContactWarnings(assembly.model)
        self._steepness_told = False

    def state(self) -> State:
        """What was told."""
        return super().state() | {"contacts": self._contact_warnings.state()}

    def restore(self, state: State) -> None:
        """The same."""
        super().restore(state)
        self._contact_warnings.restore(state["contacts"])

    def warnings(self) -> list[Diagnostic]:
        """Warnings that were not given before."""
        imposed_step = self._schedule.dt if self._schedule.imposed else None
        steepness = [] if imposed_step is None else self._warning_of_steepness(imposed_step)
        return steepness + self._contact_warnings.found(self._assembly.system, imposed_step)

    def warnings_at_end(self) -> list[Diagnostic]:
        """Those that need the whole run."""
        return self._contact_warnings.at_end(self._assembly.system)

    def _warning_of_steepness(self, dt: float) -> list[Diagnostic]:
        """Where friction in joints is too steep for an imposed step."""
        if self._steepness_told:
            return []
        warning = friction_warning(self._assembly.system, self._assembly.model, dt)
        self._steepness_told = bool(warning)
        return [Diagnostic("doubt", warning)] if warning else []

    def messages(self) -> list[str]:
        """What routines of the user said, and drives that jumped."""
        messages, assembly = self._user_code.messages(), self._assembly
        if len(assembly.system.drives):
            messages += jump_messages(assembly.places.drives, assembly.system.drives, assembly.model.units)
        return messages
