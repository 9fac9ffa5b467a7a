"""Patches of meshes as points of contact, with matrices."""

from __future__ import annotations

import numpy as np


def pair_of(table: np.ndarray, first: int, last: int, a: int, b: int) -> int:
    """Place of two shapes in [first, last) of a table, by looking at all."""
    found = [k for k in range(first, last) if {int(table["low"][k]), int(table["high"][k])} == {a, b}]
    return found[0] if found else -1


def mean_distance(points: np.ndarray) -> float:
    """Of points from their middle."""
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).mean())


def placed(point: np.ndarray, normal: np.ndarray, depth: float, rotation: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Midway between the surfaces, from a point of the slave in its axes that lies below the master."""
    return np.asarray(centre + rotation @ (point + 0.5 * depth * normal))
