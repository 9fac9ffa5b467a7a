"""Rows for single directions of nodes: partial /BCS, imposed motions, /RLINK, /RBE2 with some digits, /MPC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from gsolve.parser.model import (
    BoundaryCondition,
    DirectionalTie,
    ImposedMotion,
    Model,
    MultiPointConstraint,
    VelocityLink,
)

from ..core.bodies import Records
from ..core.windows import window_of_motion
from .motion_law import ACCELERATION, DISPLACEMENT, VELOCITY, MotionLaw
from .nodal_constraints import ROTATION, TRANSLATION, ConditionBuilder, Conditions, Term
from .rows import RowBuilder

KIND_OF_MOTION = {"DISP": DISPLACEMENT, "VEL": VELOCITY, "ACC": ACCELERATION}

Source: TypeAlias = BoundaryCondition | ImposedMotion | VelocityLink | DirectionalTie | MultiPointConstraint


@dataclass(frozen=True, slots=True)
class WantedTerm:
    """One direction of one node; `main` is the node on whose body a RIDING one is carried, -1 for the others."""

    node: int
    skew_id: int
    component: int
    kind: int = TRANSLATION
    coefficient: float = 1.0
    main: int = -1


@dataclass(slots=True)
class WantedCondition:
    """A row to be: what it is a sum of, and the block it comes from."""

    name: str
    source: Source
    terms: list[WantedTerm]

    @property
    def places(self) -> list[int]:
        """Nodes of its terms."""
        return [node for term in self.terms for node in (term.node, term.main) if node >= 0]

    def nodes(self, model: Model) -> list[int]:
        """Nodes that it couples: also those of its skews."""
        skews = [model.skews[term.skew_id] for term in self.terms if term.skew_id]
        return self.places + [int(node) for skew in skews for node in skew.nodes]


# ---- checks --------------------------------------------------------------------------------------------------


# ---- rows ----------------------------------------------------------------------------------------------------


class ConditionRows:
    """Adds the rows of conditions to the rows of a machine."""

    def __init__(
        self, model: Model, rows: RowBuilder, points: Records, skews: Records, skew_index: dict[int, int],
        function_index: dict[int, int],
    ) -> None:  # fmt: skip
        self._model, self._rows, self._points = model, rows, points
        self._skews, self._skew_index, self._function_index = skews, skew_index, function_index
        self._conditions = ConditionBuilder(points)

    def __len__(self) -> int:
        return len(self._conditions)

    def add(self, condition: WantedCondition, scale: float) -> None:
        """One row; scale is the size of the subsystem."""
        terms = [self.term(term) for term in condition.terms]
        size = max(abs(term.coefficient) * (1.0 if term.kind == ROTATION else scale) for term in terms)
        row, entry = self._rows.add([body for term in terms for body in term.bodies(self._points)], size)
        source = condition.source
        law = self.law(source) if isinstance(source, ImposedMotion) else MotionLaw()
        self._conditions.add(row, entry, terms, law)

    def term(self, term: WantedTerm) -> Term:
        skew = self._skew_index[term.skew_id]
        moving = skew >= 0 and self._skews["moving"][skew] == 1
        return Term(
            point=term.node,
            axis=self._skews["axes"][skew, term.component] if skew >= 0 else np.eye(3)[term.component],
            kind=term.kind,
            coefficient=term.coefficient,
            main=term.main,
            skew=skew if moving else -1,
            component=term.component,
        )

    def law(self, motion: ImposedMotion) -> MotionLaw:
        return MotionLaw(
            kind=KIND_OF_MOTION[motion.kind],
            function=self._function_index[motion.function_id],
            scales=(motion.x_scale, motion.y_scale),
            window=window_of_motion(motion, self._model),
            absolute=True,
        )

    def build(self) -> Conditions:
        return self._conditions.build()
