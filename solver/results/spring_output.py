"""The channels of springs (/th/spring)."""

from __future__ import annotations

from gsolve.parser.model import Units

from ..assembly.assembly import Assembly
from ..core.bodies import Floats
from ..core.channels import Channel, Family, Table, family_of
from ..core.unit_names import energy_unit, force_unit, moment_unit, unit
from ..forces.springs import RECORD


def spring_family(assembly: Assembly) -> Family:
    """Channels of all springs, in deck order."""
    return family_of("th/spring", spring_channels(assembly.model.units), assembly.model.springs)


def spring_channels(units: Units) -> list[Channel]:
    """Of all that is recorded of a spring."""
    force, moment = force_unit(units), moment_unit(units)
    length, energy = unit(units, length=1), energy_unit(units)
    units_of = ["1", *[force] * 3, *[moment] * 3, *[length] * 3, *["rad"] * 3, energy, length]
    texts = ["1 while the spring acts"]
    texts += [f"{what} of the spring, {axis} of its axes (a TYPE4 spring has x only)"
              for what in ("force", "moment", "elongation", "rotation") for axis in "xyz"]  # fmt: skip
    texts += ["stored energy", "distance of its nodes"]
    return [Channel(n, u, t) for n, u, t in zip(RECORD, units_of, texts, strict=True)]


def spring_values(assembly: Assembly, samples: Floats) -> Table:
    """Values (k, n) of each channel of samples (k, ns, len(RECORD)), in deck order."""
    return {name: samples[:, assembly.spring_place, c] for c, name in enumerate(RECORD)}
