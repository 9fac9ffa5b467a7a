"""The scenes of `mesh_compare.py` in Bullet (PyPI: pybullet).

Meshes that move are convex hulls there as well: one piece a tooth, made by hand.  Lengths are in centimetres, as its
tolerances are absolute.  Contacts are rigid; torques have to be set before every step, which is part of the time.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import mesh_scenes as scenes
import numpy as np
import pybullet
from scipy.spatial import ConvexHull

UNIT = 100.0  # of a metre


def version() -> str:
    return str(pybullet.getAPIVersion())


def _write(path: Path, pieces: list[np.ndarray]) -> None:
    """An OBJ file of convex pieces."""
    lines, first = [], 1
    for k, points in enumerate(pieces):
        lines += [f"o piece{k}", *("v " + " ".join(map(repr, (UNIT * p).tolist())) for p in points)]
        lines += ["f " + " ".join(str(first + int(v)) for v in face) for face in ConvexHull(points).simplices]
        first += len(points)
    path.write_text("\n".join([*lines, ""]))


def _hinged(shape: int, place: tuple[float, float, float], inertia: float) -> int:
    """A body on a hinge along z."""
    body: int = pybullet.createMultiBody(
        baseMass=0.0, basePosition=[UNIT * x for x in place], linkMasses=[1.0], linkCollisionShapeIndices=[shape],
        linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]], linkParentIndices=[0],
        linkJointTypes=[pybullet.JOINT_REVOLUTE], linkJointAxis=[[0, 0, 1]],
    )  # fmt: skip
    pybullet.changeDynamics(body, 0, localInertiaDiagonal=[UNIT**2 * inertia] * 3, lateralFriction=0.0, restitution=0.0,
                            linearDamping=0.0, angularDamping=0.0, jointDamping=0.0, collisionMargin=0.0)  # fmt: skip
    pybullet.setJointMotorControl2(body, 0, pybullet.VELOCITY_CONTROL, force=0.0)
    return body


def _world(dt: float, gravity: float) -> None:
    pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(0.0, 0.0, -UNIT * gravity)
    pybullet.setPhysicsEngineParameter(fixedTimeStep=dt, numSubSteps=0)


def gears(size: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a step, ripple of the wheel's speed, seconds to make hulls and shapes."""
    begin = time.process_time()
    _world(dt, 0.0)
    bodies, pieces = [], scenes.convex_teeth(size)
    with tempfile.TemporaryDirectory() as name:
        for k, (of_gear, place) in enumerate(
            zip(pieces, ((0, 0, 0), (scenes.DISTANCE, 0, scenes.OFFSET)), strict=True)
        ):
            path = Path(name) / f"gear{k}.obj"
            _write(path, of_gear)
            bodies.append(_hinged(pybullet.createCollisionShape(pybullet.GEOM_MESH, fileName=str(path)), place,
                                  scenes.INERTIA[k]))  # fmt: skip
    build = time.process_time() - begin
    pinion, wheel = bodies
    pybullet.resetJointState(pinion, 0, 0.0, scenes.SPEED)
    pybullet.resetJointState(wheel, 0, 0.0, -scenes.SPEED / 2)
    pybullet.setJointMotorControl2(
        pinion, 0, pybullet.VELOCITY_CONTROL, targetVelocity=scenes.SPEED, force=1e3 * UNIT**2 * scenes.TORQUE
    )
    speeds, spent = [], 0.0
    for _ in range(steps):
        start = time.process_time()
        pybullet.setJointMotorControl2(wheel, 0, pybullet.TORQUE_CONTROL, force=UNIT**2 * scenes.TORQUE)
        pybullet.stepSimulation()
        spent += time.process_time() - start
        speeds.append(pybullet.getJointState(wheel, 0)[1])
    pybullet.disconnect()
    return {"us": 1e6 * spent / steps, "ripple": scenes.ripple(speeds), "build": build,
            "ratio": scenes.ratio(speeds)}  # fmt: skip


def roller(facets: int, dt: float, steps: int) -> dict[str, float]:
    """Microseconds a step, ripple of the normal force, seconds to make the hull and the shapes."""
    begin = time.process_time()
    _world(dt, scenes.GRAVITY)
    vertices = (UNIT * scenes.roller(facets).vertices).tolist()
    shape = pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=vertices)
    box = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=[UNIT, 0.5 * UNIT, 0.05 * UNIT])
    ground = pybullet.createMultiBody(0.0, box, basePosition=[0, 0, -0.05 * UNIT])
    body = pybullet.createMultiBody(scenes.ROLLER_MASS, shape, basePosition=[0, 0, UNIT * scenes.ROLLER_RADIUS])
    inertia = [UNIT**2 * x for x in scenes.ROLLER_INERTIA]
    pybullet.changeDynamics(body, -1, localInertiaDiagonal=inertia, lateralFriction=scenes.ROLLER_FRICTION,
                            linearDamping=0.0, angularDamping=0.0, collisionMargin=0.0)  # fmt: skip
    pybullet.changeDynamics(ground, -1, lateralFriction=1.0)
    build = time.process_time() - begin
    speed = UNIT * scenes.ROLLER_SPEED * scenes.ROLLER_RADIUS
    pybullet.resetBaseVelocity(body, [speed, 0, 0], [0, scenes.ROLLER_SPEED, 0])
    forces, spent = [], 0.0
    for _ in range(steps):
        start = time.process_time()
        pybullet.stepSimulation()
        spent += time.process_time() - start
        forces.append(sum(point[9] for point in pybullet.getContactPoints(body, ground)) / UNIT)
    pybullet.disconnect()
    return {"us": 1e6 * spent / steps, "ripple": scenes.ripple(forces), "jump": scenes.jump(forces), "build": build}
