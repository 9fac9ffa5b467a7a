"""The energies of a run, from the sums that samples hold."""

from __future__ import annotations

import numpy as np

from ..core.bodies import Floats
from ..integration import system as columns
from ..integration.system import Samples

ENERGIES = (
    ("kinetic_translational", "kinetic energy of the mass centres"),
    ("kinetic_rotational", "kinetic energy of rotation"),
    (
        "kinetic_correction",
        "what the kinetic energy of half steps, 1/2 m v(n-1/2).v(n+1/2), has beyond the kinetic energy: part of error",
    ),
    ("gravity", "potential energy of constant gravity"),
    ("spring", "energy stored in springs"),
    ("contact_elastic", "energy stored in contacts"),
    ("damping_dissipated", "energy dissipated by dampers, and lost by springs that break or are switched off"),
    ("contact_dissipated", "energy dissipated by contact damping"),
    ("friction_dissipated", "energy dissipated by friction"),
    ("plastic", "energy of plastic work"),
    (
        "impact_loss",
        "energy lost by making initial velocities consistent, and by drives that take hold with a jump of the rate",
    ),
    ("external_work", "work done by loads"),
    ("drive_work", "work done by imposed motions and drives"),
    ("total", "kinetic + gravity + spring + contact_elastic"),
    (
        "contact_error",
        "energy that elastic forces of contacts made while solids touched that have parted, part of error",
    ),
    (
        "error",
        "total + kinetic_correction + all that is dissipated - external_work - drive_work, less the same at t = 0",
    ),
)

OF_COLUMNS = {
    "kinetic_translational": columns.KINETIC_TRANSLATIONAL,
    "kinetic_rotational": columns.KINETIC_ROTATIONAL,
    "gravity": columns.GRAVITY,
    "spring": columns.SPRING,
    "contact_elastic": columns.CONTACT_ELASTIC,
    "damping_dissipated": columns.DAMPING,
    "contact_dissipated": columns.CONTACT_DISSIPATED,
    "friction_dissipated": columns.FRICTION,
    "impact_loss": columns.IMPACT_LOSS,
    "external_work": columns.EXTERNAL_WORK,
    "drive_work": columns.DRIVE_WORK,
    "contact_error": columns.CONTACT_ERROR,
}  # of the sums of samples


def energies_of(samples: Samples, count: int, start_loss: float) -> dict[str, Floats]:
    """Energies of the first `count` samples by name; "error" is the balance, from which that at t = 0 is to be taken.

    start_loss : energy lost before the first step
    """
    sums = samples.sums[:, :count].sum(axis=0)
    values = {name: sums[:, column] for name, column in OF_COLUMNS.items()}
    values["plastic"], loss = np.zeros(count), values["impact_loss"]
    values["impact_loss"] = start_loss + loss
    kinetic = values["kinetic_translational"] + values["kinetic_rotational"]
    of_half_steps = sums[:, columns.TRANSLATIONAL_OF_HALF_STEPS], sums[:, columns.ROTATIONAL_OF_HALF_STEPS]
    stored = [values[name] for name in ("gravity", "spring", "contact_elastic")]
    values["total"] = sum(stored, start=kinetic)
    values["kinetic_correction"] = of_half_steps[0] + of_half_steps[1] - kinetic
    supplied = values["external_work"] + values["drive_work"]
    dissipated = ("damping_dissipated", "contact_dissipated", "friction_dissipated")
    lost = sum((values[name] for name in dissipated), start=loss)
    values["error"] = sum(stored, start=of_half_steps[0] + of_half_steps[1]) + lost - supplied
    return {name: values[name] for name, _ in ENERGIES}
