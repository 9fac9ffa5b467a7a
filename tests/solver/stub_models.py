"""Models made by hand, without a deck, for tests of the solver's modules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import Engine, Model, Nodes, Units
from gsolve.parser.text.diagnostics import Diagnostic, Severity

SI = Units("kg", "m", "s", 1.0, 1.0, 1.0)


@dataclass
class StubWhere:
    """A place in a deck that does not exist."""

    keyword: str = ""
    id: int | None = None
    title: str = ""
    file: str = "stub.rad"
    line: int = 1

    def diagnose(
        self,
        severity: Severity,
        message: str,
        *,
        field: str = "",
        found: str = "",
        allowed: str = "",
        hint: str = "",
    ) -> Diagnostic:
        return Diagnostic(
            severity,
            message,
            file=self.file,
            line=self.line,
            keyword=self.keyword,
            id=self.id,
            title=self.title,
            field=field,
            found=found,
            allowed=allowed,
            hint=hint,
        )


def model_of_nodes(coordinates, ids=None, units: Units = SI) -> Model:
    """A model with nodes at `coordinates` (n, 3) and nothing else."""
    coordinates = np.array(coordinates, dtype=float)
    ids = np.arange(1, len(coordinates) + 1) if ids is None else np.array(ids, dtype=np.int64)
    return Model("stub", "stub", units, Nodes(ids, coordinates), Engine(), "", "", [])
