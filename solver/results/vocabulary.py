"""All variables that results can have, by family: what `gsolve explain VEL1` says."""

from __future__ import annotations

import math

from gsolve.parser.model import Units

from ..core.channels import Channel
from .contact_output import contact_channels
from .families import diagnostic_channels, energy_channels
from .joint_output import (
    coupler_channels,
    drive_channels,
    gear_joint_channels,
    joint_channels,
    joint_force_channels,
)
from .node_output import node_channels, rigid_body_channels
from .sensor_output import sensor_channels
from .spring_output import spring_channels
from .wall_output import wall_channels

OF_ANY_DECK = Units("M", "L", "T", math.nan, math.nan, math.nan)  # as in the deck reference


def vocabulary(units: Units = OF_ANY_DECK) -> dict[str, list[Channel]]:
    """The variables of each group of a result file; their units in powers of M, L and T, if none are given."""
    forces_in_joints = [c for turns in (True, False) for c in joint_force_channels(units, rotational=turns)]
    return {
        "th/node": node_channels(units),
        "th/rbody": rigid_body_channels(units),
        "th/gjoint": gear_joint_channels(units),
        "th/joint": joint_channels(units) + forces_in_joints,
        "th/coupler": coupler_channels(units),
        "th/drive": drive_channels(units),
        "th/spring": spring_channels(units),
        "th/inter": list(contact_channels(units)),
        "th/rwall": wall_channels(units),
        "th/sensor": sensor_channels(units),
        "energy": energy_channels(units),
        "diag": diagnostic_channels(units),
    }


def variables_called(word: str) -> list[tuple[str, Channel]]:
    """The variables of that name, in capital letters or not, each with its group; a family may stand before it.

    word : VEL1, gjoint/VEL1, gjoint/1/VEL1, energy/total; gjoint/* is all of a family
    """
    family, _, name = word.strip("/").lower().rpartition("/")
    family = family.removeprefix("th/").partition("/")[0]
    return [
        (group, channel)
        for group, channels in vocabulary().items()
        for channel in channels
        if name in ("*", channel.name.lower()) and family in ("", group.removeprefix("th/"))
    ]
