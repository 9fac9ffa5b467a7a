"""How many steps machines took that have steps of their own, for screen, listing and result file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from gsolve.parser.text.numbers import counted

from ..assembly.accurate_plan import AccuratePlan, phrases
from ..integration.system import System
from .console import grouped


class ControlledSteps(NamedTuple):
    """Steps of all subsystems that take such.

    tolerance : that they keep to; order : of compositions, 0 where steps are controlled by their error
    machines : which ones take such, and why others do not, in lines
    rejected : of compositions, steps of the grid that were taken in parts
    shortest : that an error asked for, or part of a step; infinite where none did; longest : that was taken
    """

    tolerance: float
    order: int
    machines: str
    taken: int
    rejected: int
    shortest: float
    longest: float

    def text(self, unit: str) -> str:
        """One line; unit : of time."""
        if self.order:
            parts = f"; {counted(self.rejected, 'step')} taken in parts, the shortest {self.shortest:.3g} {unit}"
            return f"{grouped(self.taken)} steps of order {self.order}{parts if self.rejected else ''}"
        steps = f"{grouped(self.taken)} steps controlled by their error, {grouped(self.rejected)} more rejected"
        shortest = f"the shortest {self.shortest:.3g} {unit}, " if self.shortest < np.inf else ""
        return f"{steps}; {shortest}the longest {self.longest:.3g} {unit}"

    def figures(self) -> dict[str, float | str]:
        """For a machine to read; the shortest is 0 where samples and known times ended all of them."""
        if self.order:
            return {
                "order": float(self.order),
                "order_machines": self.machines,
                "order_steps": float(self.taken),
                "order_steps_divided": float(self.rejected),
            }
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
        plan.order,
        "\n".join(phrases(plan)),
        int(clocks["taken"].sum()),
        int(clocks["rejected"].sum()),
        float(clocks["shortest"].min(initial=np.inf)),
        float(clocks["longest"].max(initial=0.0)),
    )
