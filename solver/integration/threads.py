"""The compiled loop over the subsystems of a machine, chunk by chunk in as many threads as wanted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from ..core.bodies import Record
from ..core.jit.pointers import DIED
from ..core.jit.references import Reference
from .kernels import ADVANCE_POINTER, set_addresses
from .status import COMPLETED
from .system import OUTCOME, SAMPLES, SYSTEM, Samples, System, chunks_of, with_own_scratch


class TimeLoop:
    """`loop.advance` for a system.

    chunks : ranges of subsystems that run independently of each other; what each does depends on itself alone
    """

    def __init__(self, system: System, threads: int) -> None:
        self.chunks = chunks_of(system)
        self.threads = threads
        self._ready_for: System | None = None
        self._references: list[Reference] = []

    @cached_property
    def _advance(self) -> Callable[..., int]:
        return ADVANCE_POINTER.entry()

    def prepare(self, system: System) -> None:
        """Compile what a system needs, and make references to it; nothing where that is done."""
        if self._ready_for is system:
            return
        set_addresses(system)
        self._advance  # noqa: B018  compiled here, not within the first step
        self._references = [Reference(with_own_scratch(system)) for _ in self.chunks]
        for reference in self._references:
            if reference.kind != SYSTEM:
                raise TypeError(f"a machine of other types than declared: {differences(reference)}")
        self._ready_for = system

    def run(
        self, system: System, samples: Samples, step: int, n_steps: int, step_0: int, time_0: float, dt: float
    ) -> list[Record]:
        """All chunks through n_steps from `step` on, or up to one that fails; arguments and outcomes of `advance`."""
        self.prepare(system)
        target = Reference(samples)

        def run_chunk(chunk: int) -> Record:
            outcome = new_outcome()
            first, last = self.chunks[chunk]
            self.advance(target, outcome, chunk, first, last, step, n_steps, step_0, time_0, dt)
            return outcome

        if self.threads == 1 or len(self.chunks) == 1:
            return [run_chunk(chunk) for chunk in range(len(self.chunks))]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(run_chunk, range(len(self.chunks))))

    def advance(
        self, samples: Reference, outcome: Record, chunk: int, first: int, last: int, step: int, n_steps: int,
        step_0: int, time_0: float, dt: float,
    ) -> None:  # fmt: skip
        """`loop.advance` for subsystems of a chunk; where an exception was raised in it the outcome says so."""
        assert samples.kind == SAMPLES
        address = outcome.__array_interface__["data"][0]
        status = self._advance(
            self._references[chunk].address, samples.address, address, chunk, first, last, step, n_steps, step_0,
            time_0, dt,
        )  # fmt: skip
        if status == DIED:
            outcome["status"], outcome["step"] = DIED, step


def new_outcome() -> Record:
    """Of no steps: nothing has failed."""
    outcome = np.zeros(1, OUTCOME)[0]
    outcome["status"] = COMPLETED
    return outcome


def differences(reference: Reference) -> list[str]:
    """Members of a system that have not the type that is declared."""
    return [name for name, member in SYSTEM.members.items() if reference.kind.members[name].kind != member.kind]
