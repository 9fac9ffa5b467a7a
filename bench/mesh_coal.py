"""The scenes of `mesh_compare.py` in coal (PyPI: coal): the query of the meshes as they are, and no more of a step.

It finds pairs of triangles that cut each other, with a point and a depth each.
"""

from __future__ import annotations

import math
import time

import coal
import mesh_scenes as scenes
import numpy as np
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh

DEEP = 4e-6  # m that the roller and the teeth are in each other
MOST = 1000  # pairs of triangles


def version() -> str:
    return str(coal.__version__)


def _model(mesh: TriangleMesh) -> coal.BVHModelOBBRSS:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    model.addVertices(mesh.vertices)
    for triangle in mesh.triangles.tolist():
        model.addTriangle(*(mesh.vertices[k] for k in triangle))
    model.endModel()
    return model


def _turned(axis: int, angle: float) -> np.ndarray:
    i, j, rotation = (axis + 1) % 3, (axis + 2) % 3, np.eye(3)
    rotation[i, i] = rotation[j, j] = math.cos(angle)
    rotation[i, j], rotation[j, i] = -math.sin(angle), math.sin(angle)
    return rotation


def _timed(one: object, other: object, poses: list[tuple[coal.Transform3s, coal.Transform3s]]) -> tuple[float, float]:
    """Microseconds a query, pairs of triangles found."""
    request, found = coal.CollisionRequest(coal.CollisionRequestFlag.CONTACT, MOST), 0
    start = time.process_time()
    for first, second in poses:
        result = coal.CollisionResult()
        coal.collide(one, first, other, second, request, result)
        found += result.numContacts()
    return 1e6 * (time.process_time() - start) / len(poses), found / len(poses)


def gears(size: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a query, pairs found, seconds to build."""
    begin = time.process_time()
    models = [_model(mesh) for mesh in scenes.gears(size)]
    build = time.process_time() - begin
    play = 50e-6 / 0.08 + DEEP / scenes.BASES[1]  # by which the wheel is turned until flanks touch, and deeper
    away = np.array([scenes.DISTANCE, 0.0, scenes.OFFSET])
    angles = scenes.SPEED * dt * np.arange(min(steps, 20))
    poses = [(coal.Transform3s(_turned(2, a), np.zeros(3)), coal.Transform3s(_turned(2, play - a / 2), away))
             for a in angles]  # fmt: skip
    spent, pairs = _timed(*models, poses)
    return {"us": spent, "pairs": pairs, "build": build}


def roller(facets: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a query, pairs found, seconds to build."""
    begin = time.process_time()
    model, box = _model(scenes.roller(facets)), coal.Box(2.0, 1.0, 0.1)
    build = time.process_time() - begin
    angles = scenes.ROLLER_SPEED * dt * np.arange(min(steps, 1000))
    below = coal.Transform3s(np.eye(3), np.array([0.0, 0.0, -0.05]))
    poses = [(coal.Transform3s(_turned(1, a), np.array([scenes.ROLLER_RADIUS * a, 0.0, scenes.ROLLER_START])), below)
             for a in angles]  # fmt: skip
    spent, pairs = _timed(model, box, poses)
    return {"us": spent, "pairs": pairs, "build": build}
