"""Run a deck in this process and keep every sample in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from deck_text import DeckText
from gsolve.parser import read_deck
from gsolve.parser.model import Model
from gsolve.solver.constraints.gear_joints import GjointAlpha
from gsolve.solver.run.simulation import Simulation
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REPOSITORY = Path(__file__).resolve().parents[2]
DECKS = REPOSITORY / "decks"
OPENRADIOSS = REPOSITORY / "tests" / "data" / "openradioss"


@dataclass
class Results:
    """All samples of a run: times (nt,), values[group][channel] (nt,) or (nt, n), ids[group] (n,)."""

    model: Model
    simulation: Simulation
    times: Floats
    values: dict[str, dict[str, Floats]]
    ids: dict[str, list[int]]

    def scalar(self, group: str, channel: str) -> Floats:
        """(nt,) channel of a group without ids, as diag/constraint_violation."""
        return self.values[group][channel]

    def of(self, group: str, channel: str, item: int) -> Floats:
        """(nt,) channel of one object, as of("th/node", "VRZ", 2)."""
        return self.values[group][channel][:, self.ids[group].index(item)]

    def node(self, channel: str, node: int) -> Floats:
        """(nt,) of th/node."""
        return self.of("th/node", channel, node)

    def joint(self, channel: str, joint: int = 1) -> Floats:
        """(nt,) of th/gjoint."""
        return self.of("th/gjoint", channel, joint)

    def node_vector(self, quantity: str, node: int) -> Floats:
        """(nt, 3) of th/node, as node_vector("VR", 2); "" is the position."""
        return np.stack([self.node(quantity + axis, node) for axis in "XYZ"], axis=1)

    def joint_vector(self, quantity: str, shaft: int, joint: int = 1) -> Floats:
        """(nt, 3) of th/gjoint, as joint_vector("F", 1)."""
        return np.stack([self.joint(f"{quantity}{axis}{shaft}", joint) for axis in "XYZ"], axis=1)

    def rotation(self, node: int) -> Floats:
        """(nt, 3, 3) body axes to global axes, from the quaternion."""
        w, x, y, z = (self.node(f"Q{k}", node) for k in range(4))
        rows = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
        return np.moveaxis(np.array(rows), 2, 0)

    def momentum(self) -> Floats:
        """(nt, 3) linear momentum of everything."""
        return np.stack([self.scalar("diag", f"momentum_{axis}") for axis in "xyz"], axis=1)

    def imbalance(self) -> Floats:
        """(nt,) error of the balance without what elastic contacts made or lost over touches that ended."""
        return self.scalar("energy", "error") - self.scalar("energy", "contact_error")

    def angular_momentum(self) -> Floats:
        """(nt, 3) angular momentum of everything about the origin."""
        return np.stack([self.scalar("diag", f"angular_momentum_{axis}") for axis in "xyz"], axis=1)


def read(deck: Path | DeckText) -> Model:
    """Model of a deck file or of a deck built in a test."""
    if isinstance(deck, Path):
        return read_deck(deck)
    path = deck.folder / "machine.rad"
    path.write_text(str(deck))
    return read_deck(path)


def run(
    deck: Path | DeckText | Model,
    *,
    t_end: float | None = None,
    dt: float | None = None,
    every: float | None = None,
    gjoint_alpha: GjointAlpha = "documented",
    threads: int = 1,
    edit: Callable[[Model], None] | None = None,
    general: bool = False,
    accuracy: float | None = None,
    order: int = 2,
) -> Results:
    """Run a deck and keep all node variables, whatever its /TH blocks ask for.

    t_end, dt and every (the sampling interval) replace what the deck says; `edit` may change the model first.
    general : nothing is condensed; accuracy : tolerance of steps that are controlled by their error; order : of steps
    """
    model = deck if isinstance(deck, Model) else read(deck)
    model.history_requests = []
    if every is not None:
        model.engine.sampling_interval = every
    if edit is not None:
        edit(model)
    simulation = Simulation(model, t_end=t_end, dt=dt, gjoint_alpha=gjoint_alpha, threads=threads, allow_user_code=True,
                            general=general, accuracy=accuracy, order=order)  # fmt: skip
    blocks = []
    while not simulation.finished:
        block = simulation.advance(100_000)
        if len(block):
            blocks.append(block)
    simulation.conclude()
    simulation.finish()
    times = np.concatenate([block.times for block in blocks])
    values = {
        family.group: {
            channel.name: np.concatenate([block.values[family.group][channel.name] for block in blocks])
            for channel in family.channels
        }
        for family in simulation.families
    }
    ids = {family.group: [] if family.ids is None else [int(k) for k in family.ids] for family in simulation.families}
    return Results(model, simulation, times, values, ids)


def check_kept(results: Results, linear_scale: float) -> None:
    """What flies freely keeps its momentum to 1e-11, its energy in a band of 1e-6, and every row to 1e-10."""
    angular = results.angular_momentum()
    assert np.max(np.abs(angular - angular[0])) <= 1e-11 * np.linalg.norm(angular[0])
    linear = results.momentum()
    assert np.max(np.abs(linear - linear[0])) <= 1e-11 * linear_scale
    energy = results.scalar("energy", "total")
    assert np.ptp(energy) <= 1e-6 * energy[0]
    assert np.max(results.scalar("diag", "constraint_violation")) <= 1e-10


def observed_order(errors: list[float], steps: list[float]) -> float:
    """Slope of log error over log step."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
