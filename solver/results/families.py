"""All channels of a run, and their values at the samples of a block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from gsolve.parser.model import Model, Units

from ..assembly.assembly import Assembly
from ..assembly.node_plan import REACTIONS as REACTION_VARIABLES
from ..core.bodies import Floats
from ..core.channels import Channel, Family, SampleBlock, Table, Tables
from ..core.resumable import Resumable, State
from ..core.unit_names import angular_momentum_unit, energy_unit, momentum_unit, unit
from ..integration import system as columns
from ..integration.system import Samples
from .contact_output import ContactHistory, body_pair_family, body_pair_values, contact_family
from .energies import ENERGIES, energies_of
from .joint_output import joint_histories, joint_tables
from .node_output import (
    mass_centres,
    node_family,
    node_request,
    node_values,
    rigid_body_family,
    rigid_body_values,
)
from .reactions import Reactions
from .sensor_output import sensor_family, sensor_values
from .spring_output import spring_family, spring_values
from .wall_output import wall_family, wall_values


class Histories(Resumable):
    """What a run keeps of its samples.

    families : the groups of channels that are not empty
    """

    KEPT = ("_reference_energy",)

    def __init__(self, assembly: Assembly) -> None:
        model = assembly.model
        self._assembly = assembly
        self._request = node_request(model)
        wants_reactions = REACTION_VARIABLES.intersection(self._request.wanted)
        self._reactions = Reactions(assembly, self._request.nodes) if wants_reactions else None
        self._rigid_bodies = mass_centres(assembly)
        self._joints = joint_histories(assembly)
        self._contacts = ContactHistory(assembly)
        self._reference_energy: float | None = None
        families = (
            energy_family(model),
            diagnostic_family(model),
            node_family(model, self._request),
            rigid_body_family(model),
            *(history.family for history in self._joints),
            spring_family(assembly),
            contact_family(assembly),
            body_pair_family(assembly),
            wall_family(model),
            sensor_family(model),
        )
        self.families = tuple(f for f in families if f.ids is None or (len(f.ids) > 0 and f.channels))
        self._groups = [family.group for family in self.families]

    def state(self) -> State:
        """With what contacts count from sample to sample."""
        return super().state() | {"contacts": self._contacts.state()}

    def restore(self, state: State) -> None:
        """The same."""
        super().restore(state)
        self._contacts.restore(state["contacts"])

    def block(self, samples: Samples, times: Floats, dt: float, impact_loss: float) -> SampleBlock:
        """The first len(times) samples as channels.

        times : (k,) of the samples; dt : the step between them; impact_loss : energy lost at t = 0
        """
        count = len(times)
        if count == 0:
            return SampleBlock(times)
        bodies = samples.body[:count]
        energies = self._energies(samples, count, impact_loss)
        makers: dict[str, Callable[[], Table]] = {
            "energy": lambda: energies,
            "diag": partial(diagnostic_values, samples, count, dt),
            "th/node": partial(self._of_nodes, bodies, samples.multiplier[:count]),
            "th/rbody": lambda: rigid_body_values(bodies, *self._rigid_bodies),
            **joint_tables(self._assembly, self._joints, samples, count),
            "th/spring": partial(spring_values, self._assembly, samples.spring[:count]),
            "th/inter_pairs": partial(body_pair_values, self._assembly, samples.body_pair[:count]),
            "th/rwall": partial(wall_values, self._assembly.model, self._assembly.system, samples.wall[:count]),
            "th/sensor": partial(sensor_values, self._assembly, times, samples.sensor[:count]),
        }
        if "th/inter" in self._groups:  # these count from sample to sample
            contacts = self._contacts.values(samples.interface[:count], samples.step[:count].astype(float))
            makers["th/inter"] = lambda: contacts
        return SampleBlock(times, Tables({group: makers[group] for group in self._groups}))

    def _of_nodes(self, bodies: Floats, multipliers: Floats) -> Table:
        """The table th/node of samples of bodies (k, nb, 22) and multipliers (k, nr)."""
        reactions = self._reactions.values(bodies, multipliers) if self._reactions else None
        return node_values(bodies, self._assembly.system.points, self._request, reactions)

    def _energies(self, samples: Samples, count: int, impact_loss: float) -> dict[str, Floats]:
        """Energies; the error counts from the first sample of the run."""
        values = energies_of(samples, count, impact_loss)
        if self._reference_energy is None:
            self._reference_energy = float(values["error"][0])
        values["error"] -= self._reference_energy
        return values


def energy_family(model: Model) -> Family:
    return Family("energy", tuple(energy_channels(model.units)))


def energy_channels(units: Units) -> list[Channel]:
    """Energies of the whole machine."""
    energy = energy_unit(units)
    return [Channel(name, energy, text) for name, text in ENERGIES]


def diagnostic_family(model: Model) -> Family:
    """Steps, residuals and momenta."""
    return Family("diag", tuple(diagnostic_channels(model.units)))


def diagnostic_channels(units: Units) -> list[Channel]:
    """Of the steps of the whole machine."""
    momentum = momentum_unit(units)
    angular = angular_momentum_unit(units)
    return [
        Channel("step", "1", "number of the step"),
        Channel("dt", unit(units, time=1), "time step"),
        Channel("constraint_violation", "1", "largest residual of a row, relative to its size"),
        Channel("iterations", "1", "corrections of the multipliers in the step, largest of all subsystems"),
        *(Channel(f"momentum_{axis}", momentum, f"linear momentum, {axis}") for axis in "xyz"),
        *(Channel(f"angular_momentum_{axis}", angular, f"angular momentum about the origin, {axis}") for axis in "xyz"),
    ]


def diagnostic_values(samples: Samples, count: int, dt: float) -> dict[str, Floats]:
    """Values of `diagnostic_family` at the first `count` samples."""
    sums = samples.sums[:, :count].sum(axis=0)
    values = {
        "step": samples.step[:count].astype(float),
        "dt": np.full(count, dt),
        "constraint_violation": samples.worst[:, :count].max(axis=0, initial=0.0),
        "iterations": samples.passes[:, :count].max(axis=0, initial=0).astype(float),
    }
    for c, axis in enumerate("xyz"):
        values[f"momentum_{axis}"] = sums[:, columns.MOMENTUM + c]
        values[f"angular_momentum_{axis}"] = sums[:, columns.ANGULAR_MOMENTUM + c]
    return values
