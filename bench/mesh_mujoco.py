"""The scenes of `mesh_compare.py` in MuJoCo (PyPI: mujoco).

It makes convex hulls of meshes: a gear is one piece a tooth, made by hand.  The pinion keeps its speed by an armature
of 1000 kg m2.  Contacts are soft constraints whose stiffness and damping are set directly.
"""

from __future__ import annotations

import time

import mesh_scenes as scenes
import mujoco
import numpy as np


def version() -> str:
    return mujoco.mj_versionString()


def _model(dt: float, gravity: float, assets: str, world: str, stiffness: float, damping: float) -> mujoco.MjModel:
    law = f'solref="{-stiffness!r} {-damping!r}"'
    return mujoco.MjModel.from_xml_string(f"""
<mujoco>
  <option timestep="{dt!r}" gravity="0 0 {-gravity}"><flag refsafe="disable"/></option>
  <default><geom {law} friction="{scenes.ROLLER_FRICTION} 0 0"/></default>
  <asset>{assets}</asset><worldbody>{world}</worldbody>
</mujoco>""")


def _asset(name: str, points: np.ndarray) -> str:
    return f'<mesh name="{name}" inertia="convex" vertex="{" ".join(map(repr, points.ravel().tolist()))}"/>'


def _timed(model: mujoco.MjModel, data: mujoco.MjData, steps: int) -> float:
    start = time.process_time()
    mujoco.mj_step(model, data, steps)
    return 1e6 * (time.process_time() - start) / steps


def gear_model(dt: float, shapes: tuple[tuple[str, str], tuple[str, str]]) -> mujoco.MjModel:
    """Pinion and wheel on their shafts; shapes : of each its assets, and its geoms."""
    bodies = ""
    for (_, geoms), place, inertia, armature in zip(
        shapes, ("0 0 0", f"{scenes.DISTANCE} 0 {scenes.OFFSET}"), scenes.INERTIA, (1000.0, 0.0), strict=True
    ):
        bodies += (
            f'<body pos="{place}"><joint type="hinge" axis="0 0 1" armature="{armature}"/>'
            f'<inertial pos="0 0 0" mass="1" diaginertia="{inertia} {inertia} {inertia}"/>{geoms}</body>'
        )
    mass = scenes.WHEEL_MASS
    law = scenes.STIFFNESS / mass, scenes.DAMPING / mass
    return _model(dt, 0.0, "".join(assets for assets, _ in shapes), bodies, *law)


def run_gears(model: mujoco.MjModel, steps: int) -> dict[str, float]:
    """Microseconds a step, ripple and mean of the wheel's speed."""

    def start() -> mujoco.MjData:
        data = mujoco.MjData(model)
        data.qvel[:] = scenes.SPEED, -scenes.SPEED / 2
        data.qfrc_applied[1] = scenes.TORQUE
        return data

    spent, data, speeds = _timed(model, start(), steps), start(), []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        speeds.append(float(data.qvel[1]))
    return {"us": spent, "ripple": scenes.ripple(speeds), "ratio": scenes.ratio(speeds)}


def gears(size: int, dt: float, steps: int) -> dict[str, float]:
    """What `run_gears` finds, and seconds to make hulls and the model."""
    begin = time.process_time()

    def teeth(name: str, pieces: list[np.ndarray]) -> tuple[str, str]:
        assets = "".join(_asset(f"{name}{k}", points) for k, points in enumerate(pieces))
        return assets, "".join(f'<geom type="mesh" mesh="{name}{k}" condim="1"/>' for k in range(len(pieces)))

    pieces = scenes.convex_teeth(size)
    model = gear_model(dt, (teeth("pinion", pieces.pinion), teeth("wheel", pieces.wheel)))
    build = time.process_time() - begin
    return {**run_gears(model, steps), "build": build}


def roller(facets: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a step, ripple of the normal force, seconds to make the hull and the model."""
    begin = time.process_time()
    inertia = " ".join(map(repr, scenes.ROLLER_INERTIA))
    world = (
        '<geom type="box" size="1 0.5 0.05" pos="0 0 -0.05"/>'
        f'<body pos="0 0 {scenes.ROLLER_START}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{scenes.ROLLER_MASS}" diaginertia="{inertia}"/>'
        '<geom type="mesh" mesh="roller"/></body>'
    )
    mass = scenes.ROLLER_MASS
    law = scenes.ROLLER_STIFFNESS / mass, scenes.ROLLER_DAMPING / mass
    model = _model(dt, scenes.GRAVITY, _asset("roller", scenes.roller(facets).vertices), world, *law)
    build = time.process_time() - begin

    def start() -> mujoco.MjData:
        data = mujoco.MjData(model)
        data.qvel[0], data.qvel[4] = scenes.ROLLER_SPEED * scenes.ROLLER_RADIUS, scenes.ROLLER_SPEED
        return data

    spent, data, forces, one = _timed(model, start(), steps), start(), [], np.zeros(6)
    for _ in range(steps):
        mujoco.mj_step(model, data)
        force = 0.0
        for k in range(data.ncon):
            mujoco.mj_contactForce(model, data, k, one)
            force += float(one[0])
        forces.append(force)
    return {"us": spent, "ripple": scenes.ripple(forces), "jump": scenes.jump(forces), "build": build}
