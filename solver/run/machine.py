"""A machine in motion: its arrays, the step they stand at, and the compiled loop that takes them on.

The one module of a run that knows how the loop is compiled and called.
"""

from __future__ import annotations

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic

from ..assembly.assembly import Assembly
from ..assembly.contact_start import overlaps_at_start
from ..assembly.coupler_alignment import unaligned_couplers
from ..assembly.initial_state import InitialState, find_initial_state
from ..assembly.start_errors import refuse
from ..contact.setup import may_have_more_capacity, with_more_capacity
from ..core.bodies import Floats, Ints
from ..integration.kernels import pointers_of
from ..integration.status import COMPLETED
from ..integration.substeps import earliest, run_divided, subsystem_at_fault
from ..integration.system import Samples, System, bytes_of_sample, clear_samples, copies_of, new_samples, restore
from ..integration.threads import TimeLoop
from .failures import Failure
from .schedule import Schedule
from .user_code import UserCode


class Machine:
    """The arrays of a model on their way through a run.

    step : the next one
    initial : what was found at t = 0, None before `start`
    """

    def __init__(self, assembly: Assembly, schedule: Schedule, user_code: UserCode, threads: int) -> None:
        self.assembly, self.schedule = assembly, schedule
        self.step = 0
        self.initial: InitialState | None = None
        self._user_code = user_code
        self._loop = TimeLoop(assembly.system, max(1, threads))

    @property
    def system(self) -> System:
        return self.assembly.system

    @property
    def time(self) -> float:
        """Time of the next step."""
        return self.schedule.time_of(self.step)

    @property
    def needs_compilation(self) -> bool:
        """True while the kernels for a deck of this kind have not been compiled on this machine."""
        return not all(pointer.is_kept for pointer in pointers_of(self.system))

    @property
    def number_of_chunks(self) -> int:
        """Groups of subsystems that can run at the same time."""
        return len(self._loop.chunks)

    def start(self, close_gaps: bool) -> list[Diagnostic]:
        """Find the state to start from; returns warnings.

        Raises
        ------
        DeckError
            there is no such state, solids overlap, or a routine of the user cannot be had
        """
        self.initial = find_initial_state(self.assembly, self.schedule.t_end, close_gaps)
        warnings = self.initial.warnings + unaligned_couplers(self.assembly)
        overlaps = overlaps_at_start(self.assembly)
        refuse(self.assembly, [overlap for overlap in overlaps if overlap.severity == "error"])
        warnings += overlaps + self._user_code.load(self.system)
        if self._user_code.needs_one_thread:
            self._loop.threads = 1
        return warnings

    def compile(self) -> None:
        """Compile what the loop needs, or read it from disk."""
        self._loop.prepare(self.system)

    # ---- samples ---------------------------------------------------------------------------------------------

    def new_samples(self, steps: Ints) -> Samples:
        """Empty samples at the given steps."""
        return new_samples(self.system, steps, self.number_of_chunks)

    def samples_in(self, memory: float) -> int:
        """How many samples fit into that many bytes, one at least."""
        return max(1, int(memory / bytes_of_sample(self.system, self.number_of_chunks)))

    # ---- motion ----------------------------------------------------------------------------------------------

    def run(self, samples: Samples, n_steps: int) -> Failure | None:
        """Take the arrays through n_steps, or up to one that fails; `step` stays, as they may have to go back."""
        self.system.parts["largest_turn"] = 0.0
        for step, count in self._user_code.pieces(self.step, n_steps, samples.step):
            for segment in self.schedule.segments(step, count):
                failures = [o for o in self._loop.run(self.system, samples, segment) if o["status"] != COMPLETED]
                if failures:
                    return Failure(*earliest(failures))
            self._user_code.keep_points(self.system, step + count - 1)
        return None

    def copies(self) -> list[Floats]:
        """Copies of all that steps change, for `go_back`."""
        return copies_of(self.system)

    def go_back(self, copies: list[Floats], samples: Samples) -> None:
        """Return to the state of `copies`, made at the same step; the samples from there on are empty again."""
        restore(self.system, copies)
        clear_samples(samples, int(np.searchsorted(samples.step, self.step)))

    def has_subsystem_at_fault(self, failure: Failure) -> bool:
        """Whether the corrections of one subsystem failed, and not the forces on it, a drive or a buffer."""
        return subsystem_at_fault(self.system, failure.status, failure.culprit) >= 0

    def run_in_parts(self, samples: Samples) -> int | None:
        """Take the next step in as many parts as it needs, in the subsystems that need it.

        Returns the most parts of a subsystem, 0 where none needed them after all; None where the step fails all the
        same, and the arrays are as they were.
        """
        divided = run_divided(self._loop, self.system, samples, list(self.schedule.segments(self.step, 1)))
        if divided is None:
            return None
        self._user_code.keep_points(self.system, self.step)
        return max(divided.values(), default=0)

    def fits_into_larger_buffers(self, failure: Failure) -> bool:
        """Whether an interface found more candidates or points than its buffers hold, and not too many of one pair."""
        if not failure.is_full_buffer:
            return False
        interface = self.system.contacts.interfaces[failure.culprit]
        return may_have_more_capacity(interface) and not interface["beyond_capacity"].any()

    def enlarge_buffers(self, interface: int) -> None:
        """Twice the buffers for candidates and points of a contact interface."""
        contacts = with_more_capacity(self.system.contacts, interface)
        self.assembly.system = self.system._replace(contacts=contacts)
