"""Normals of surfaces: smooth over facets of one curved face, broken at its edges."""

from __future__ import annotations

import numpy as np

from ...core.bodies import Floats, Ints
from .parts import Shape

CREASE = np.cos(np.radians(40.0))  # facets at a larger angle meet in an edge


def corner_normals(shape: Shape) -> Floats:
    """(m, 3, 3) unit normals at the corners of the triangles: means over the facets around that go on smoothly."""
    corners = shape.points[shape.triangles]
    weighted = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facets = _unit(weighted)
    vertex = shape.triangles.ravel()
    order = np.argsort(vertex, kind="stable")
    valence = np.bincount(vertex, minlength=len(shape.points))
    start = np.concatenate([[0], np.cumsum(valence)[:-1]])
    normals = np.zeros((len(vertex), 3))
    for count in np.unique(valence[valence > 0]):
        places = order[start[valence == count][:, None] + np.arange(count)]
        around = places // 3
        smooth = np.einsum("vik,vjk->vij", facets[around], facets[around]) > CREASE
        normals[places] = np.einsum("vij,vjk->vik", smooth, weighted[around])
    found = _unit(normals).reshape(-1, 3, 3)
    return np.where(found.any(axis=2, keepdims=True), found, facets[:, None])


def with_normals(shape: Shape) -> tuple[Floats, Floats, Ints]:
    """Points (n, 3) each with one normal (n, 3), and triangles (m, 3) of these in the order of the shape."""
    normals = corner_normals(shape).reshape(-1, 3)
    vertex = shape.triangles.ravel()
    _, first, place = np.unique(
        np.c_[vertex, np.round(normals * 1e4).astype(np.int64)], axis=0, return_index=True, return_inverse=True
    )
    return shape.points[vertex[first]], normals[first], place.reshape(-1, 3).astype(np.int64)


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Floats = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0.0)
    return found
