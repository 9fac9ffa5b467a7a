"""The scene of a machine as the page draws it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.bodies import Floats
from ..machine_tables import MachineTables
from ..scene.parts import KINDS, LINK_KINDS, Scene
from .packing import Pack

QUIET = ("wall", "plane", "joint")  # kinds that get no colour of their own


def pack_scene(scene: Scene, machine: MachineTables, pack: Pack) -> dict[str, Any]:
    """Shapes once each, parts and links as columns; up where there is gravity, as the page else chooses it."""
    kinds, link_kinds = list(KINDS), list(LINK_KINDS)
    parts, links = scene.parts, scene.links
    return {
        "size": scene.size,
        "bounds": scene.bounds.tolist(),
        "up": scene.up.tolist() if machine.gravity.acceleration.any() else None,
        "kinds": kinds,
        "quiet": [kinds.index(kind) for kind in QUIET],
        "shapes": [
            {
                "points": pack.add(shape.points, "f4"),
                "triangles": pack.add(shape.triangles, "i4"),
                "tone": pack.add(shape.tone, "u1"),
                "two_sided": shape.two_sided,
            }
            for shape in scene.shapes
        ],
        "parts": {
            "kind": pack.add(np.array([kinds.index(part.kind) for part in parts]), "i4"),
            "shape": pack.add(np.array([part.shape for part in parts]), "i4"),
            "body": pack.add(np.array([part.body for part in parts]), "i4"),
            "turns": pack.add(np.array([part.turns for part in parts]), "u1"),
            "position": pack.add(_rows([part.position for part in parts]), "f4"),
            "quaternion": pack.add(_rows([part.quaternion for part in parts]), "f4"),
            "scale": pack.add(_rows([part.scale for part in parts]), "f4"),
        },
        "links": {
            "kind": [link_kinds.index(link.kind) for link in links],
            "shape": pack.add(np.array([link.shape for link in links]), "i4"),
            "body": pack.add(_rows([link.bodies for link in links]), "i4"),
            "point": pack.add(_rows([link.points for link in links]), "f4"),
            "radius": pack.add(np.array([link.radius for link in links]), "f4"),
        },
    }


def pack_bodies(machine: MachineTables) -> list[dict[str, Any]]:
    """What the page says of each body."""
    table = machine.body
    return [
        {"id": int(id), "name": str(name), "fixed": bool(fixed), "mass": float(f"{mass:.6g}")}
        for id, name, fixed, mass in zip(table.id, table.name, table.fixed, table.mass, strict=True)
    ]


def _rows(items: list[Any]) -> Floats:
    return np.array(items, dtype=np.float64)
