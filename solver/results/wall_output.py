"""The channels of rigid walls (/th/rwall)."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Model, Units

from ..contact.rigid_wall_records import RECORD
from ..core.bodies import Floats
from ..core.channels import Channel, Family, family_of
from ..core.unit_names import energy_unit, force_unit
from ..integration.system import System


def wall_family(model: Model) -> Family:
    """Channels of all rigid walls, in deck order."""
    return family_of("th/rwall", wall_channels(model.units), model.rigid_walls)


def wall_channels(units: Units) -> list[Channel]:
    """Of all that is recorded of a rigid wall."""
    force, energy = force_unit(units), energy_unit(units)
    units_of = [*[force] * 6, "1", *[energy] * 3]
    texts = [f"{what} on the wall, {axis}" for what in ("normal force", "friction") for axis in "xyz"]
    texts += [
        "number of nodes that press on the wall", "energy stored (penalty)", "energy lost by stopping nodes",
        "energy dissipated by friction",
    ]  # fmt: skip
    return [Channel(n, u, t) for n, u, t in zip(RECORD, units_of, texts, strict=True)]


def wall_values(model: Model, system: System, samples: Floats) -> dict[str, Floats]:
    """Values of samples (k, nw, WALL_WIDTH), the parts of a wall in its subsystems put together."""
    values = np.zeros((len(samples), len(model.rigid_walls), len(RECORD)))
    for column, number in enumerate(system.walls.walls["number"]):
        values[:, number] += samples[:, column]
    return {name: values[:, :, column] for column, name in enumerate(RECORD)}
