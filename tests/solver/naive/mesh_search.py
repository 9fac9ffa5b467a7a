"""What comes near on the course of a slave, by points of both meshes; axes of the master unless said."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

PARTS = np.linspace(0.0, 1.0, 5)  # of a course


def are_near(low: np.ndarray, high: np.ndarray, at: np.ndarray, half: np.ndarray) -> np.ndarray:
    """(n,), whether boxes have no gap to that about a place."""
    return ~((low > at + half).any(axis=1) | (high < at - half).any(axis=1))


def reach_planes(corners: np.ndarray, way: np.ndarray, base: np.ndarray, up: np.ndarray, off: np.ndarray) -> np.ndarray:
    """(n,), whether a triangle, corners (3, 3), comes within `off` of planes on its way."""
    heights = np.einsum("cnk,nk->cn", corners[:, None] - base, up)
    rise = up @ way
    below, above = heights.min(axis=0) + np.minimum(rise, 0.0), heights.max(axis=0) + np.maximum(rise, 0.0)
    return np.asarray((below <= off) & (above >= -off))


def on_course(pair: np.void, points: np.ndarray, rotation: np.ndarray, offset: np.ndarray, part: float) -> np.ndarray:
    """Points of the slave at a part of its course, axes of the master."""
    arms, axis, turn = points - pair["centre"], pair["axis"], part * pair["course_turn"]
    along = np.cross(axis, arms)
    arms = arms + np.sin(turn) * along + (1.0 - np.cos(turn)) * np.cross(axis, along)
    return (pair["centre"] + arms) @ rotation.T + offset + part * pair["course"]


def samples(corners: np.ndarray, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Points on triangles, no further apart than that, and whose they are.  corners : (m, 3, 3)"""
    points, owners = [], []
    for k, own in enumerate(corners):
        parts = max(1, int(np.ceil(np.linalg.norm(np.roll(own, 1, axis=0) - own, axis=1).max() / apart)))
        weights = np.array([(i, j, parts - i - j) for i in range(parts + 1) for j in range(parts + 1 - i)]) / parts
        points.append(weights @ own)
        owners.append(np.full(len(weights), k))
    return np.concatenate(points), np.concatenate(owners)


def facing_pairs(
    pair: np.void, facets: np.ndarray, first: int, rotation: np.ndarray, offset: np.ndarray, opposed: float
) -> set[tuple[int, int]]:
    """Triangles of the slave, those before the first of the master, and charts that they come near and face.

    pair : a record PAIR.  facets : records FACET of both meshes
    """
    corners, normals, chart = (facets[name] for name in ("corners", "normal", "chart"))
    (slave, mine), (master, theirs) = (samples(own, pair["margin"]) for own in (corners[:first], corners[first:]))
    found = set()
    for part in PARTS:
        tree = cKDTree(on_course(pair, slave, rotation, offset, part))
        close = cKDTree(master).sparse_distance_matrix(tree, 0.95 * pair["slack"], output_type="coo_matrix")
        one, other = mine[close.col], first + theirs[close.row]
        turned = on_course(pair, normals[one] + pair["centre"], rotation, offset, part)
        turned -= on_course(pair, pair["centre"][None], rotation, offset, part)
        faces = (turned * normals[other]).sum(axis=1) < opposed
        found |= set(zip(one[faces].tolist(), chart[other[faces]].tolist(), strict=True))
    return found
