"""A deck as a run, a check and a caller in Python read it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic

    from ..constraints.gear_joints import GjointAlpha


def read_model(
    path: str | os.PathLike[str],
    *,
    defines: Mapping[str, str],
    gjoint_alpha: GjointAlpha,
    t_end: float | None,
    untrusted: bool,
) -> Model:
    """The model of a deck.

    Raises
    ------
    DeckError
        with every error of the deck; where it has some, those of the files of its meshes as well
    """
    from gsolve.parser import read_deck

    return read_deck(
        path,
        defines=defines,
        gjoint_alpha=gjoint_alpha,
        t_end=t_end,
        untrusted=untrusted,
        inspect=_errors_of_mesh_files,
    )


def _errors_of_mesh_files(model: Model) -> list[Diagnostic]:
    """Those of a deck that has other errors; what reads meshes is imported where there are any."""
    if not model.mesh_files:
        return []
    from ..assembly.mesh_checks import errors_of_files

    return errors_of_files(model)
