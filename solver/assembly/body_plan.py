"""What each node became, as data: the planned bodies, and which of them carries a node."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from gsolve.parser.model import RigidBody, RigidTie
from gsolve.parser.text.diagnostics import Diagnostic
from numpy.typing import NDArray

from ..core.bodies import Floats, Ints
from .nodal_mass import NodalMasses


@dataclass(slots=True)
class BodyPlan:
    """One body before it has a place in the arrays.

    reference : (3,) the point whose motion is integrated: the mass centre, or the pivot of a body held at one
    mass_arm : (3,) from the reference point to the mass centre
    inertia : (3, 3) about the reference point, global axes at t = 0
    prescribed : all translations and rotations are held or imposed, so that no mass is needed
    measured : what holds it is to be written, so it is held by rows, whose multipliers are the reactions
    """

    nodes: Ints
    main_node: int
    mass: float
    reference: Floats
    mass_arm: Floats
    inertia: Floats
    holds_translation: bool = False
    holds_rotation: bool = False
    prescribed: bool = False
    measured: bool = False
    source: RigidBody | RigidTie | None = None
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def turns(self) -> bool:
        """Whether its rotation is found by the steps."""
        return (self.measured or not self.holds_rotation) and bool(np.any(self.inertia != 0.0))


@dataclass(slots=True)
class NodePlan:
    """What became of the nodes.

    body_of_node : (n,) index into `bodies`, -1 = does not move (held, or nothing acts on it)
    group_of_node : (n,) rigid group that the node belongs to, -1 = none
    groups : each rigid group as a body, whether it moves or not
    centres_of_groups : mass centre (3,) of each rigid group at t = 0
    coordinates : (n, 3) at t = 0, main nodes moved as ICoG says
    held : (n,) held in all directions
    """

    bodies: list[BodyPlan]
    body_of_node: Ints
    group_of_node: Ints
    coordinates: Floats
    held: NDArray[np.bool_]
    masses: NodalMasses
    diagnostics: list[Diagnostic]
    groups: list[BodyPlan] = field(default_factory=list)
    centres_of_groups: list[Floats] = field(default_factory=list)
