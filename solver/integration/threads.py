"""The compiled loop over the subsystems of a machine, chunk by chunk in as many threads as wanted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..core.bodies import Ints
from ..core.jit.pointers import entry_point
from . import loop
from .system import Samples, System, chunks_of, new_samples, with_own_scratch


class TimeLoop:
    """`loop.advance` for a system, compiled once.

    chunks : ranges of subsystems that run independently of each other; what each does depends on itself alone
    advance : the loop itself, its entry point once there is one
    """

    def __init__(self, system: System, threads: int) -> None:
        self.chunks = chunks_of(system)
        self.threads = threads
        self.advance: Callable[..., None] = loop.advance
        self._ready_for: System | None = None

    def compile(self, system: System, dt: float) -> None:
        """Compile the loop by running no step."""
        samples = new_samples(system, np.zeros(0, dtype=np.int64), len(self.chunks))
        self._prepare(system, samples)
        self.advance(system, samples, 0, 0, 0, 0, 0, 0, 0.0, dt, np.zeros(3, dtype=np.int64))

    def _prepare(self, system: System, samples: Samples) -> None:
        """Find the entry point for the types of a system, where that is another one than before."""
        if self._ready_for is not system:
            outcome = np.zeros(3, dtype=np.int64)
            self.advance = entry_point(loop.advance, system, samples, 0, 0, 0, 0, 0, 0, 0.0, 0.0, outcome)
            self._ready_for = system

    def run(
        self, system: System, samples: Samples, step: int, n_steps: int, step_0: int, time_0: float, dt: float
    ) -> list[Ints]:
        """All chunks through n_steps from `step` on, or up to one that fails; arguments and outcomes of `advance`."""
        self._prepare(system, samples)

        def run_chunk(chunk: int) -> Ints:
            outcome = np.zeros(3, dtype=np.int64)
            first, last = self.chunks[chunk]
            self.advance(with_own_scratch(system), samples, chunk, first, last, step, n_steps, step_0, time_0, dt,
                         outcome)  # fmt: skip
            return outcome

        if self.threads == 1 or len(self.chunks) == 1:
            return [run_chunk(chunk) for chunk in range(len(self.chunks))]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(run_chunk, range(len(self.chunks))))
