"""Surfaces of several meshes in one set of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.bodies import zeros_in_lines
from .records import MeshSurface, no_surface

# members of records and arrays that are indices, and into what
INDICES = {
    "charts": {
        "first": "chart_triangles",
        "last": "chart_triangles",
        "first_side": "sides",
        "last_side": "sides",
    },
    "vertices": {"chart": "charts"},
    "triangles": {
        "corners": "vertices",
        "neighbours": "triangles",
        "chart": "charts",
        "first_edge": "nearest_edges",
        "last_edge": "nearest_edges",
    },
    "edges": {"triangle": "triangles", "across": "triangles", "across_chart": "charts", "outline": "edges"},
    "boxes": {"first": "box_triangles", "last": "box_triangles", "child": "boxes", "parent": "boxes"},
    "meshes": {
        "first_triangle": "triangles",
        "last_triangle": "triangles",
        "first_chart": "charts",
        "last_chart": "charts",
        "first_edge": "edges",
        "last_edge": "edges",
        "first_box": "boxes",
    },
}
WHOLE_INDICES = {
    "across": "triangles",
    "nearest_edges": "edges",
    "sides": "edges",
    "chart_triangles": "triangles",
    "box_triangles": "triangles",
}
IN_LINES = ("vertices", "triangles", "edges", "boxes")


def pooled(parts: Sequence[MeshSurface]) -> MeshSurface:
    """The arrays of all meshes one after the other, indices moved; NONE stays."""
    if not parts:
        return no_surface()
    members: dict[str, Any] = {}
    start = {name: np.cumsum([0] + [len(getattr(part, name)) for part in parts]) for name in MeshSurface._fields}
    for name in MeshSurface._fields:
        arrays = [getattr(part, name) for part in parts]
        length = int(start[name][-1])
        if name in IN_LINES:
            whole: Any = zeros_in_lines(length, arrays[0].dtype)
        else:
            whole = np.zeros((length, *arrays[0].shape[1:]), arrays[0].dtype)
        for p, array in enumerate(arrays):
            here = whole[start[name][p] : start[name][p + 1]]
            here[:] = array
            for field, target in INDICES.get(name, {}).items():
                _move(here[field], start[target][p])
            if name in WHOLE_INDICES:
                _move(here, start[WHOLE_INDICES[name]][p])
        members[name] = whole
    return MeshSurface(**members)


def _move(indices: Any, by: int) -> None:
    indices[indices >= 0] += by
