"""What the families share while their rows are made: where nodes are, the builders, and what each row is called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from gsolve.parser.text.diagnostics import Where

from ..core.bodies import GROUND, NO_ROTATION, Floats, Ints, Records
from .joint_builder import JointBuilder
from .relations import RelationBuilder
from .rows import RowBuilder


@dataclass(slots=True)
class RowSet:
    """Rows, joints and relations under construction.

    points : NODE_POINT of each node
    coordinates : (n, 3) of the nodes at t = 0
    row_names, row_wheres : what each row is, and the block that asks for it, for messages
    """

    bodies: Records
    points: Records
    coordinates: Floats
    rows: RowBuilder = field(default_factory=RowBuilder)
    joints: JointBuilder = field(init=False)
    relations: RelationBuilder = field(init=False)
    row_names: list[str] = field(default_factory=list)
    row_wheres: list[Where] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.joints = JointBuilder(self.rows, self.bodies["centre"])
        self.relations = RelationBuilder(self.rows, self.joints.bodies_of)

    def body_of(self, node: int) -> int:
        """Body that carries a node row; -1 is the ground."""
        return int(self.points["body"][node]) if node >= 0 else GROUND

    def turns(self, node: int) -> bool:
        """Whether the body of a node has a rotation."""
        return bool(self.bodies["turning"][self.body_of(node)] != NO_ROTATION)

    def arm_of(self, node: int, other: int = -1) -> Floats:
        """From the reference point of its body to a node; the ground's point is where the `other` node stands."""
        if node < 0:
            return self.coordinates[other]
        return self.coordinates[node] if self.body_of(node) == GROUND else self.points["arm"][node]

    def name_rows(self, name: str, where: Where) -> None:
        """Call all rows added since the last call `name`; where : the block that they come from."""
        count = len(self.rows) - len(self.row_names)
        self.row_names.extend([name] * count)
        self.row_wheres.extend([where] * count)

    def size_of(self, nodes: Iterable[int]) -> float:
        """Size of a subsystem, by which the tolerance of its rows is measured; 1 where all points coincide."""
        rows: Ints = np.array([node for node in nodes if node >= 0], dtype=np.int64)
        if len(rows) == 0:
            return 1.0
        extent = float(np.max(np.ptp(self.coordinates[rows], axis=0)))
        extent = max(extent, float(np.abs(self.points["arm"][rows]).max()))
        return extent if extent > 0.0 else 1.0
