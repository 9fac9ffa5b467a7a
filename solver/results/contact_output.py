"""The channels of contact interfaces (/th/inter)."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Units

from ..assembly.assembly import Assembly
from ..contact.records import BODY_PAIR_WIDTH, RECORD
from ..core.bodies import GROUND, Floats, Ints, Records
from ..core.channels import Channel, Family, Label, family_of
from ..core.resumable import Resumable
from ..core.unit_names import energy_unit, force_unit, moment_unit, unit

RECORD_OF_PAIR = RECORD[: BODY_PAIR_WIDTH - 1]


def contact_family(assembly: Assembly) -> Family:
    """Channels of all contact interfaces, in deck order."""
    return family_of("th/inter", contact_channels(assembly.model.units), assembly.model.interfaces)


def body_pair_family(assembly: Assembly) -> Family:
    """Channels of the pairs of bodies that are recorded by themselves, numbered from 1, interfaces in deck order."""
    pairs, contacts = pairs_in_order(assembly), assembly.model.interfaces
    interface = np.array([contacts[k].id for k in pairs["number"]], dtype=np.int64)
    names = body_names(assembly)
    sides = {side: tuple(names[body] for body in pairs[side]) for side in "ij"}
    labels = [Label("interface", interface, "id of the interface")]
    for side in "ij":
        labels.append(
            Label(f"body_{side}", assembly.main_node_ids[pairs[side]], f"main node of body {side}, 0: ground")
        )
    labels += [Label(f"name_{side}", sides[side], f"name of body {side}") for side in "ij"]
    return Family(
        "th/inter_pairs",
        tuple(channel for channel in contact_channels(assembly.model.units) if channel.name in RECORD_OF_PAIR),
        np.arange(1, len(pairs) + 1),
        tuple(f"{one} - {other}" for one, other in zip(*sides.values(), strict=True)),
        tuple(labels),
    )


def body_pair_values(assembly: Assembly, samples: Floats) -> dict[str, Floats]:
    """Values of samples (k, n, BODY_PAIR_WIDTH)."""
    values = samples[:, order_of_pairs(assembly)]
    return {name: values[:, :, column] for column, name in enumerate(RECORD_OF_PAIR)}


def order_of_pairs(assembly: Assembly) -> Ints:
    """Places of the pairs in the arrays, interfaces in deck order."""
    contacts = assembly.system.contacts
    return np.argsort(contacts.body_pairs["number"], kind="stable")


def pairs_in_order(assembly: Assembly) -> Records:
    """The pairs themselves."""
    contacts = assembly.system.contacts
    return contacts.body_pairs[order_of_pairs(assembly)]


def body_names(assembly: Assembly) -> list[str]:
    """By body: title of its /RBODY, else its main node."""
    titled = [rigid for rigid in assembly.model.rigid_bodies if rigid.title]
    # by main node too: one that is held is a body to contacts alone
    titles = {int(assembly.model.nodes.ids[rigid.main_node]): rigid.title for rigid in titled}
    names = [titles.get(node, f"node {node}") for node in assembly.main_node_ids.tolist()]
    for rigid in titled:
        names[assembly.system.points["body"][rigid.main_node]] = rigid.title
    names[GROUND] = "ground"
    return names


def contact_channels(units: Units) -> tuple[Channel, ...]:
    """Of all that is recorded of an interface."""
    force, length = force_unit(units), unit(units, length=1)
    energy, area = energy_unit(units), unit(units, length=2)
    units_of = [
        *[force] * 6,
        *[length] * 3,
        *[moment_unit(units)] * 4,
        length,
        area,
        "1",
        *[energy] * 3,
        "1",
        *[energy] * 2,
    ]
    texts = [f"{what} on side i, {axis}" for what in ("normal force", "friction") for axis in "xyz"]
    texts += [f"point of the resultant, {axis}" for axis in "xyz"]
    texts += [f"moment on side i about the point of the resultant, {axis}" for axis in "xyz"]
    texts += [
        "moment on side i about the resultant normal force", "deepest penetration", "contact area",
        "number of points where the shapes touch",
        "energy stored: the work done against elastic forces", "energy dissipated by contact damping",
        "energy dissipated by friction", "changes of the number of points in 1000 steps, since the last sample",
        "largest debt of a pair of solids so far, which a force along its motion returns",
        "work that elastic forces did in all while solids touched that have parted: an error",
    ]  # fmt: skip
    return tuple(Channel(n, u, t) for n, u, t in zip(RECORD, units_of, texts, strict=True))


class ContactHistory(Resumable):
    """Values of the channels, sample by sample."""

    KEPT = ("_changes", "_step")

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
        values[:, contacts.interfaces["number"]] = samples
        flicker = RECORD.index("FLICKER")
        changes = np.diff(values[:, :, flicker], axis=0, prepend=self._changes[None])
        taken = np.diff(steps, prepend=self._step)
        if len(samples):
            self._changes, self._step = values[-1, :, flicker].copy(), float(steps[-1])
        values[:, :, flicker] = 1000 * changes / np.maximum(taken, 1.0)[:, None]
        return {name: values[:, :, column] for column, name in enumerate(RECORD)}
