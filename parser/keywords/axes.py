"""Directions on cards: components in a skew, and axes of unit length."""

from __future__ import annotations

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Values
from ..model import Floats

AxisNames = tuple[str, str, str]
_PARALLEL = 1e-9


def global_components(context: Context, skew_id: int, vector: Floats) -> Floats:
    """Components in a skew, at t = 0 if it moves, as global components (row vectors)."""
    return vector @ context.model.skews[skew_id].axes if skew_id in context.model.skews else vector


def is_blank(values: Values, names: AxisNames) -> bool:
    """Whether no component of an axis is given."""
    return all(np.isnan(values[name]) for name in names)


def read_axis(
    block: Block,
    values: Values,
    context: Context,
    names: AxisNames,
    owner: str,
    *,
    skew_id: int = 0,
    default: str = "",
    what: str = "axis",
) -> Floats | None:
    """The unit vector that three fields give, in global components; None after an error.

    owner, what : whose axis it is and what it is called, for messages
    default : what all blank means, for messages: the z axis of the skew; empty where an axis must be given
    """
    allowed = f"a direction, of any length but zero{f', or all blank for {default}' if default else ''}"
    vector = np.array([values[name] for name in names])
    if is_blank(values, names):
        if not default:
            context.report(
                block.diagnose("error", f"the {what} of {owner} is missing", field=names[0], allowed=allowed)
            )
            return None
        vector[2] = 1.0
    vector = np.nan_to_num(vector)
    largest = np.abs(vector).max()
    if largest == 0.0:
        message = f"the {what} of {owner} has length zero"
        context.report(block.diagnose("error", message, field=names[0], allowed=allowed))
        return None
    vector = vector / largest
    return global_components(context, skew_id, vector / np.linalg.norm(vector))


def are_parallel(first: Floats, second: Floats) -> bool:
    """Whether two unit vectors lie on one line."""
    return bool(np.linalg.norm(np.cross(first, second)) <= _PARALLEL)
