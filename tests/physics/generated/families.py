"""All families, and machine number n of a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import collisions, driven, gears, loops, meshes, plane_curves, trees, walls
from .common import NewDeck
from .machine_deck import AS_MADE, Form, MachineDeck

FAMILIES: dict[str, Callable[[NewDeck, np.random.Generator], MachineDeck]] = {
    "tree": trees.tree,
    "planar loop": loops.planar,
    "parallel cranks": loops.cranks,
    "spatial loop": loops.spatial,
    "housing": loops.hub,
    "gear train": gears.train,
    "planetary set": gears.planetary,
    "differential": gears.differential,
    "rack": gears.rack,
    "couplers": gears.coupled,
    "drives": driven.driven,
    "timed loads": driven.timed,
    "collision": collisions.collision,
    "collision too": collisions.collision,
    "knocking": collisions.knocking,
    "pile": collisions.pile,
    "walls": walls.walls,
    "meshes": meshes.meeting,
    "heap of meshes": meshes.heap,
    "plane curves": plane_curves.discs,
    "cam": plane_curves.cam,
}


@dataclass(frozen=True)
class Case:
    """Machine number `number` of a seed: families in turn, all else from both numbers.

    finer : parts of the step that the family asks for
    """

    seed: int
    number: int
    finer: int = 1

    @property
    def family(self) -> str:
        return list(FAMILIES)[self.number % len(FAMILIES)]

    def random(self) -> np.random.Generator:
        """Generator of the machine, always the same."""
        return np.random.default_rng([self.seed, self.number])

    def choices(self) -> np.random.Generator:
        """Generator of what is compared."""
        return np.random.default_rng([self.seed, self.number, 1])

    def deck(self, form: Form = AS_MADE) -> MachineDeck:
        """The machine, written down in one way or another."""
        return FAMILIES[self.family](
            lambda t_end, dt, every: MachineDeck(t_end, dt / self.finer, every, form), self.random()
        )
