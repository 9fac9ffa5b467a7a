"""The promise behind the word "completed": at every sample all rows are met within the tolerance stated for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..assembly.assembly import Assembly
from ..assembly.contradictions import block_text
from ..constraints.rows import TIGHT
from ..core.bodies import Floats
from ..core.resumable import Resumable
from ..integration.system import Samples


class Violation(NamedTuple):
    """A sample at which a row was off by more than its tolerance, both by the row's size."""

    sample: int
    row: int
    residual: float
    tolerance: float


class Violations(Resumable):
    """Looks at the residuals of all samples of a run."""

    KEPT = ("_widest",)

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._widest = np.zeros(len(assembly.system.rows))  # (nr,) size of each row, its travel so far included

    def tolerances(self) -> Floats:
        """By how much each row (nr,) may be off so far, over its scale: more where its terms have grown with travel."""
        rows = self._assembly.system.rows
        self._widest = np.maximum(self._widest, 1.0 / (TIGHT * rows["inverse_tolerance"] * rows["scale"]))
        return rows["slack"] * self._widest

    def first(self, samples: Samples, count: int) -> Violation | None:
        """The first sample of the first `count` at which a row is not met, if there is one."""
        if count == 0 or samples.residual.shape[1] == 0:
            return None
        tolerances = self.tolerances()
        residuals = np.abs(samples.residual[:count]) / self._assembly.system.rows["scale"]
        unmet = ~(residuals <= tolerances)
        if not unmet.any():
            return None
        sample = int(np.argmax(unmet.any(axis=1)))
        row = int(np.argmax(np.where(unmet[sample], residuals[sample] / tolerances, 0.0)))
        return Violation(sample, row, float(residuals[sample, row]), float(tolerances[row]))

    def describe(self, violation: Violation, time: float) -> str:
        """What is wrong with a run that cannot be called completed."""
        units = self._assembly.model.units
        return (
            f"{block_text(self._assembly, violation.row)} was not met at t = {time:.6g} {units.time}: it is off by "
            f"{violation.residual:.3g} of its size, where {violation.tolerance:.2g} is allowed; what came after is "
            "not to be trusted"
        )
