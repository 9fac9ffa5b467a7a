"""The channels of contact interfaces (/th/inter)."""

from __future__ import annotations

import numpy as np

from .assemble import Assembly
from .channels import Channel, Family
from .contact_records import RECORD
from .state import Floats
from .units import unit


def contact_family(assembly: Assembly) -> Family:
    """Channels of all contact interfaces, in deck order."""
    units = assembly.model.units
    force, length = unit(units, mass=1, length=1, time=-2), unit(units, length=1)
    energy, area = unit(units, mass=1, length=2, time=-2), unit(units, length=2)
    units_of = [*[force] * 6, *[length] * 4, area, "1", *[energy] * 3, "1"]
    texts = [f"{what} on side i, {axis}" for what in ("normal force", "friction") for axis in "xyz"]
    texts += [f"point of the resultant, {axis}" for axis in "xyz"]
    texts += [
        "deepest penetration", "contact area", "number of points where the shapes touch",
        "energy stored: the work done against elastic forces", "energy dissipated by contact damping",
        "energy dissipated by friction", "changes of the number of points in 1000 steps, since the last sample",
    ]  # fmt: skip
    contacts = assembly.model.interfaces
    channels = tuple(Channel(n, u, t) for n, u, t in zip(RECORD, units_of, texts, strict=True))
    return Family(
        "th/inter", channels, np.array([c.id for c in contacts], dtype=np.int64), tuple(c.title for c in contacts)
    )


class ContactHistory:
    """Values of the channels, sample by sample."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._changes: Floats = np.zeros(len(assembly.model.interfaces))  # up to the last sample
        self._step = 0.0

    def values(self, samples: Floats, steps: Floats) -> dict[str, Floats]:
        """Values of samples (k, ni, INTERFACE_WIDTH) at steps (k,), which follow those of the call before.

        Interfaces of which nothing moves have zeros.
        """
        contacts = self._assembly.system.contacts
        values = np.zeros((len(samples), len(self._changes), len(RECORD)))
        if contacts is not None:
            values[:, contacts.interfaces["number"]] = samples
        flicker = RECORD.index("FLICKER")
        changes = np.diff(values[:, :, flicker], axis=0, prepend=self._changes[None])
        taken = np.diff(steps, prepend=self._step)
        if len(samples):
            self._changes, self._step = values[-1, :, flicker].copy(), float(steps[-1])
        values[:, :, flicker] = 1000 * changes / np.maximum(taken, 1.0)[:, None]
        return {name: values[:, :, column] for column, name in enumerate(RECORD)}
