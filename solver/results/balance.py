"""The balance of a run, from its samples: energies, and how well the constraints are met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.channels import Family, SampleBlock
from ..core.resumable import Resumable
from ..core.unit_names import force_unit, moment_unit

if TYPE_CHECKING:
    from gsolve.parser.model import Model

# A turnover below these is round-off, as in a machine that is locked.
THERMAL = 1e-20  # J; one degree of freedom of one molecule has 2e-21 J at room temperature
ROUND_OFF = 1e-12  # rad that the largest torque turns, or part of the machine's size that the largest force moves
KINETIC = ("kinetic_translational", "kinetic_rotational")
# What energy became, and who gave it: the work of loads and that of drives pass the same energy on, each is a measure.
USES = (
    *KINETIC,
    "spring",
    "contact_elastic",
    "damping_dissipated",
    "contact_dissipated",
    "friction_dissipated",
    "plastic",
    "impact_loss",
)
WORK = ("external_work", "drive_work")


@dataclass(slots=True)
class Balance(Resumable):
    """Worst and latest values so far.

    turnover : largest of a sample's sum of |kinetic|, |stored in springs and contacts| and |dissipated|, of its |work|
        of loads and of that of drives; what the energy error is measured against (the level of potential energy is
        arbitrary and does not count, and energy that a load turns into motion counts once)
    joule : size of the unit of energy in J
    lever_arms : channels that are forces or torques and the length (1 rad) that makes them energies
    largest_force : largest of these energies so far
    """

    KEPT: ClassVar[tuple[str, ...]] = (
        "largest_force", "samples", "time", "latest", "turnover", "worst_energy_error", "worst_contact_error",
        "worst_violation", "time_of_worst_violation",
    )  # fmt: skip

    joule: float = 1.0
    lever_arms: Mapping[tuple[str, str], float] = field(default_factory=dict)
    largest_force: float = 0.0
    samples: int = 0
    time: float = 0.0
    latest: dict[str, dict[str, float]] = field(default_factory=dict)
    turnover: float = 0.0
    worst_energy_error: float = 0.0
    worst_contact_error: float = 0.0
    worst_violation: float = 0.0
    time_of_worst_violation: float = 0.0

    def add(self, block: SampleBlock) -> None:
        """Take a block of samples into the balance."""
        if len(block) == 0:
            return
        energy, diag = block.values.get("energy", {}), block.values.get("diag", {})
        uses = np.sum([np.abs(energy[name]) for name in USES if name in energy], axis=0)
        works = [np.abs(energy[name]) for name in WORK if name in energy]
        self.turnover = max(self.turnover, *(float(np.max(measure)) for measure in (uses, *works)))
        self.worst_energy_error = max(self.worst_energy_error, _largest(energy.get("error")))
        self.worst_contact_error = max(self.worst_contact_error, _largest(energy.get("contact_error")))
        for (group, name), arm in self.lever_arms.items():
            self.largest_force = max(self.largest_force, arm * _largest(block.values.get(group, {}).get(name)))
        violation = diag.get("constraint_violation")
        if _largest(violation) > self.worst_violation:
            assert violation is not None
            self.worst_violation = _largest(violation)
            self.time_of_worst_violation = float(block.times[np.nanargmax(np.abs(violation))])
        self.samples += len(block)
        self.time = float(block.times[-1])
        self.latest = {
            group: {name: float(values[-1]) for name, values in block.values.get(group, {}).items()}
            for group in ("energy", "diag")
        }

    @property
    def kinetic(self) -> float:
        """Kinetic energy at the last sample."""
        return sum(self.latest.get("energy", {}).get(name, 0.0) for name in KINETIC)

    @property
    def energy_error(self) -> float:
        """Largest |energy error| so far, relative to the turnover; 0 where nothing moves but by round-off."""
        return self._over_turnover(self.worst_energy_error)

    @property
    def contact_error(self) -> float:
        """The same of what elastic forces of contacts did over touches that have ended."""
        return self._over_turnover(self.worst_contact_error)

    def _over_turnover(self, error: float) -> float:
        if max(self.worst_energy_error, self.turnover) <= max(THERMAL / self.joule, ROUND_OFF * self.largest_force):
            return 0.0
        return error / self.turnover if self.turnover > 0.0 else float("inf")


def lever_arms(model: Model, families: Iterable[Family]) -> dict[tuple[str, str], float]:
    """Force and torque channels of the objects, and what makes them energies: the size of the machine, or 1 rad."""
    units = model.units
    places = model.nodes.coordinates
    size = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
    arms = {force_unit(units): size, moment_unit(units): 1.0}
    return {
        (family.group, channel.name): arms[channel.unit]
        for family in families
        for channel in family.channels
        if family.ids is not None and channel.unit in arms
    }


def _largest(values: NDArray[np.float64] | None) -> float:
    """By size, of those that are numbers; 0 where none is."""
    return 0.0 if values is None else float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))
