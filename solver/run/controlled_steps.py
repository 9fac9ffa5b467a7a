"""How many steps were controlled by their error, for screen, listing and result file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assembly.accurate_plan import AccuratePlan, phrases
from ..integration.system import System
from .console import grouped


class ControlledSteps(NamedTuple):
    """Steps of all subsystems that take such.

    tolerance : that they keep to; machines : which ones do, and why others do not, in lines
    shortest : that an error asked for, infinite where none did; longest : that was taken
    """

    tolerance: float
    machines: str
    taken: int
    rejected: int
    shortest: float
    longest: float

    def text(self, unit: str) -> str:
        """One line; unit : of time."""
        steps = f"{grouped(self.taken)} steps controlled by their error, {grouped(self.rejected)} more rejected"
        shortest = f"the shortest {self.shortest:.3g} {unit}, " if self.shortest < np.inf else ""
        return f"{steps}; {shortest}the longest {self.longest:.3g} {unit}"

    def figures(self) -> dict[str, float | str]:
        """For a machine to read; the shortest is 0 where samples and known times ended all of them."""
        return {
            "accuracy": self.tolerance,
            "accurate_machines": self.machines,
            "accurate_steps": float(self.taken),
            "accurate_steps_rejected": float(self.rejected),
            "accurate_step_shortest": self.shortest if self.shortest < np.inf else 0.0,
            "accurate_step_longest": self.longest,
        }


def controlled_steps(system: System, plan: AccuratePlan) -> ControlledSteps:
    """What the clocks of a system have counted so far."""
    clocks = system.accurate.clocks
    return ControlledSteps(
        plan.tolerance,
        "\n".join(phrases(plan)),
        int(clocks["taken"].sum()),
        int(clocks["rejected"].sum()),
        float(clocks["shortest"].min(initial=np.inf)),
        float(clocks["longest"].max(initial=0.0)),
    )
