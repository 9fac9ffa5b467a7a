"""What brings mass and what moves as one: added masses, elements, rigid bodies, ties and sums of velocities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..text.diagnostics import Where
from .common import Entity, Floats, Ints


@dataclass(slots=True)
class AddedMass(Entity):
    """/ADMAS: mass added to nodes (types 0, 1 and 5). `masses[k]` goes to node row `nodes[k]`."""

    nodes: Ints
    masses: Floats


@dataclass(slots=True)
class ElementBlock:
    """Elements of one /SHELL, /SH3N, /BRICK or /TETRA4 block; they bring mass only.

    nodes : (k, 4 | 3 | 8 | 4) node rows, -1 where a shell's fourth node is absent
    thickness : (k,), 0 for solids
    ishell : shell formulation of the property (11 and above changes the rotary inertia)
    void : /MAT/VOID or /PROP/VOID: never deforms, welcome anywhere
    """

    keyword: Literal["SHELL", "SH3N", "BRICK", "TETRA4"]
    part_id: int
    part_title: str
    where: Where
    ids: Ints
    nodes: Ints
    thickness: Floats
    density: float
    ishell: int
    void: bool


@dataclass(slots=True)
class RigidBody(Entity):
    """/RBODY and /RBODY/LAGMUL (which is the same body).

    added_inertia : (6,) Jxx Jyy Jzz Jxy Jyz Jxz, tensor terms, in the axes of the skew (0 = global)
    stays_on_walls : Ikrem 1: a /RWALL holds its secondary nodes as well
    """

    main_node: int
    secondary_nodes: Ints
    skew_id: int
    spherical_flag: int
    added_mass: float
    centre_flag: int
    added_inertia: Floats
    stays_on_walls: bool = False


@dataclass(slots=True)
class RigidTie(Entity):
    """/RBE2 with all digits on and Iflag 0: the dependent nodes are fixed to the main node."""

    main_node: int
    dependent_nodes: Ints


@dataclass(slots=True)
class DirectionalTie(Entity):
    """/RBE2 with some digits: each dependent node follows the main node in the marked directions of the skew.

    offset : True (Iflag 0) the dependent node moves as if it rode on the main node; False (Iflag 1) same velocity
    """

    main_node: int
    dependent_nodes: Ints
    translations: tuple[bool, bool, bool]
    rotations: tuple[bool, bool, bool]
    skew_id: int
    offset: bool


@dataclass(slots=True)
class VelocityLink(Entity):
    """/RLINK: equal velocity of all nodes in the marked directions of the skew."""

    translations: tuple[bool, bool, bool]
    rotations: tuple[bool, bool, bool]
    skew_id: int
    nodes: Ints


@dataclass(slots=True)
class MultiPointConstraint(Entity):
    """/MPC: sum over the terms of coefficient * (velocity of the node in that direction of its skew) = 0.

    nodes, skew_ids : (k,) node rows, skew ids (0 = global)
    directions : (k,) 0 to 2 translations, 3 to 5 rotations
    coefficients : (k,)
    """

    nodes: Ints
    directions: Ints
    skew_ids: Ints
    coefficients: Floats
