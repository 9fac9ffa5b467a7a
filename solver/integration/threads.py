"""The compiled loop over the subsystems of a machine, chunk by chunk in as many threads as wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.bodies import Record
from ..core.jit.pointers import DIED
from ..core.jit.references import Reference, address_of, kept_references
from .copies import changing_arrays
from .kernels import ADVANCE_GYROSTATS_POINTER, HELP_POINTER, loops_of, set_addresses
from .segments import Segment
from .status import COMPLETED
from .system import (
    CLOSED,
    HELPERS,
    OUTCOME,
    SAMPLES,
    SYSTEM,
    WORDS,
    Crew,
    Samples,
    System,
    chunks_of,
    with_own_scratch,
)


class TimeLoop:
    """`loop.advance` and `rotors.advance_rotors` for a system.

    chunks : ranges of subsystems that run independently of each other; what each does depends on itself alone
    moving : the system in which gyrostats move, None without any
    changing : arrays that steps change, of the system that was prepared and of the one in which gyrostats move
    """

    def __init__(self, system: System, threads: int) -> None:
        self.chunks = chunks_of(system)
        self.threads = threads
        self._crews = np.zeros((len(self.chunks), WORDS), dtype=np.int64)
        self.moving: System | None = None
        self.changing: list[Any] = []
        self._ready_for: System | None = None
        self._references: list[Reference] = []
        self._moving_references: list[Reference] = []
        self._loops: list[Callable[..., int]] = []
        self._loop_of_gyrostats: Callable[..., int] | None = None

    def prepare(self, system: System) -> None:
        """Compile what a system needs, and make references to it; nothing where that is done."""
        if self._ready_for is system:
            return
        set_addresses(system)
        self._loops = [pointer.entry() for pointer in loops_of(system)]
        self._loop_of_gyrostats = ADVANCE_GYROSTATS_POINTER.entry() if self.moving is not None else None
        self._crews[:, HELPERS] = self.threads - 1
        crews = [Crew(own, self._crews) for own in self._crews]
        self._helpers = list[Reference]()
        with kept_references():  # chunks have most arrays in common
            self._references = [Reference(with_own_scratch(system)._replace(crew=crew)) for crew in crews]
            if len(system.parts):
                self._helpers = [
                    Reference(with_own_scratch(system)._replace(crew=crews[0])) for _ in range(1, self.threads)
                ]
                self._help = HELP_POINTER.entry()
            if self.moving is not None:
                self._moving_references = [Reference(with_own_scratch(self.moving)) for _ in self.chunks]
        for reference in [*self._references, *self._helpers]:
            if not reference.is_of(SYSTEM):
                raise TypeError(f"a machine of other types than declared: {differences(reference)}")
        systems = [system, *([self.moving] if self.moving is not None else [])]
        self.changing = [array for each in systems for array in changing_arrays(each)]
        self._ready_for = system

    def run(self, system: System, samples: Samples, segment: Segment) -> list[Record]:
        """All chunks through the steps of a segment, or up to one that fails; returns how each ended (OUTCOME)."""
        self.prepare(system)
        target = samples_of(segment, samples)

        def run_chunk(chunk: int) -> Record:
            outcome = new_outcome()
            self.advance(target, outcome, chunk, self.chunks[chunk], segment)
            return outcome

        if self.threads == 1 or (len(self.chunks) == 1 and not self._helpers):
            return [run_chunk(chunk) for chunk in range(len(self.chunks))]
        with ThreadPoolExecutor(self.threads) as pool:
            running = pool.map(run_chunk, range(len(self.chunks)))
            with self._helped(pool):
                return list(running)

    @contextmanager
    def _helped(self, pool: ThreadPoolExecutor) -> Iterator[None]:
        """Threads that have no chunk to run take on parts of steps of the others, as long as these run."""
        self._crews[:, CLOSED] = 0
        try:  # what fails from here on, a thread that does not start included, must not leave others helping for ever
            for helper in self._helpers:
                pool.submit(self._help, helper.address)
            yield
        finally:
            self._crews[:, CLOSED] = 1

    def advance(
        self, samples: Reference, outcome: Record, chunk: int, subsystems: tuple[int, int], segment: Segment
    ) -> None:
        """The loops over subsystems [first, last) of a chunk; the outcome says so if one died of an exception."""
        assert samples.is_of(SAMPLES)
        system, result = self._references[chunk].address, address_of(outcome)
        steps = segment.step, segment.n_steps, segment.origin_step, segment.origin_time, segment.dt
        calls: list[tuple[Callable[..., int], tuple[int, ...]]] = [(loop, (system,)) for loop in self._loops]
        if self._loop_of_gyrostats is not None:
            calls.append((self._loop_of_gyrostats, (system, self._moving_references[chunk].address)))
        for loop, systems in calls:
            status = loop(*systems, samples.address, result, chunk, *subsystems, *steps)
            if status == DIED:
                outcome["status"], outcome["step"] = DIED, segment.step


def samples_of(segment: Segment, samples: Samples) -> Reference:
    """Where a segment leaves its samples: those of a step belong to its first part."""
    return Reference(samples if segment.is_first_substep else no_samples_of(samples))


def no_samples_of(samples: Samples) -> Samples:
    """As `samples`, but at no steps."""
    return samples._replace(step=samples.step[:0])


def new_outcome() -> Record:
    """Of no steps: nothing has failed."""
    outcome = np.zeros(1, OUTCOME)[0]
    outcome["status"] = COMPLETED
    return outcome


def differences(reference: Reference) -> list[str]:
    """Members of a system that have not the type that is declared."""
    return [name for name, member in SYSTEM.members.items() if reference.kind.members[name].kind != member.kind]
