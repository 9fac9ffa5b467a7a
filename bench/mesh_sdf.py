"""The gears of `mesh_compare.py` in MuJoCo by signed distances: geoms "sdf" of the meshes as they are.

MuJoCo samples the distance from a mesh on an octree when it makes the model, and in each step looks for points where
two such fields are least, by gradient descent from `sdf_initpoints` places.  Both are left as they come.
"""

from __future__ import annotations

import time

import mesh_scenes as scenes
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from mesh_mujoco import gear_model, run_gears, version

__all__ = ["gears", "version"]
SHARE = 20  # of the steps one is done: each takes a hundred times as long


def _shape(name: str, mesh: TriangleMesh) -> tuple[str, str]:
    """Its asset, and its geom."""
    vertices = " ".join(map(repr, mesh.vertices.ravel().tolist()))
    faces = " ".join(map(str, mesh.triangles.ravel().tolist()))
    return f'<mesh name="{name}" vertex="{vertices}" face="{faces}"/>', f'<geom type="sdf" mesh="{name}" condim="1"/>'


def gears(size: int, dt: float, steps: int) -> dict[str, float]:
    """What `mesh_mujoco.run_gears` finds, and seconds to make the fields and the model."""
    begin = time.process_time()
    pinion, wheel = scenes.gears(size)
    model = gear_model(dt, (_shape("pinion", pinion), _shape("wheel", wheel)))
    build = time.process_time() - begin
    return {**run_gears(model, steps // SHARE), "build": build}
