"""Colours of parts: one for each body, grey for what does not move."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats
from ..machine_tables import GROUND, MachineTables
from .parts import Link, Scene

# Told apart also by those who do not see red and green apart (after P. Tol), in an order in which neighbours differ.
PALETTE = ("#4477aa", "#ee8866", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#44bb99", "#997700", "#99ddff", "#ee99aa")
FIXED, WALL, JOINT, LINK = "#9a9a9a", "#b8bcc2", "#3c3c3c", "#5a5f66"
WALL_OPACITY = 0.25
MARK = 0.72  # of a colour, for marks


def colours_of(scene: Scene, machine: MachineTables) -> list[str]:
    """Of all parts, then of all links, as #rrggbb."""
    found = []
    for item in scene.items:
        if isinstance(item, Link):
            found.append(LINK)
        elif item.kind in ("plane", "wall"):
            found.append(WALL)
        elif item.kind == "joint":
            found.append(JOINT)
        elif item.body == GROUND or machine.body.fixed[item.body]:
            found.append(FIXED)
        else:
            found.append(PALETTE[item.body % len(PALETTE)])
    return found


def opacity_of(kind: str) -> float:
    """Walls are seen through."""
    return WALL_OPACITY if kind in ("plane", "wall") else 1.0


def rgb(colour: str) -> Floats:
    """(3,) shares from 0 to 1 of #rrggbb."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0
