"""The scenes of `contacts.py` in MuJoCo (PyPI: mujoco).

Contacts are soft constraints there, found by a solver for all of them together; their stiffness and damping are set
directly (solref with negative values).  Without friction spheres hang on three slides, which is cheaper than a free
joint.  Of the solvers conjugate gradients with elliptic cones ran fastest in trials, by a factor of ten over Newton's.
"""

from __future__ import annotations

import mujoco
import numpy as np
from contact_scenes import GRAVITY, Heap, Roller, Scene, State

NAME = "MuJoCo"
SHARE = 0.05  # of the steps of the others: more would take too long
SOLVER = 'solver="CG" cone="elliptic" integrator="Euler"'


def version() -> str:
    return mujoco.mj_versionString()


def runs(scene: Scene) -> bool:
    """Whether the program can run a scene."""
    return True


class Run:
    """A scene, ready to be advanced by some steps."""

    def __init__(self, scene: Scene, state: State | None, steps: int) -> None:
        self._scene, self._steps = scene, steps
        if isinstance(scene, Heap):
            assert state is not None
            world = _heap(scene, state)
        else:
            world = _roller(scene)
        self._model = mujoco.MjModel.from_xml_string(_document(scene, world))
        self._data = mujoco.MjData(self._model)
        if isinstance(scene, Roller):
            self._data.qvel[4] = scene.spin
        elif scene.rough:
            self._data.qvel[:] = np.hstack([state.velocities, state.spins]).ravel()
        else:
            self._data.qvel[:] = state.velocities.ravel()
        mujoco.mj_forward(self._model, self._data)

    def advance(self) -> None:
        """All steps."""
        mujoco.mj_step(self._model, self._data, self._steps)

    def state(self) -> State:
        """Of the spheres at the end, as far as they are needed: their places."""
        places = self._data.xpos[1:].copy()
        return State(places, np.zeros_like(places), np.zeros_like(places))

    def close(self) -> None:
        """Nothing is left to be freed."""


def _document(scene: Scene, world: str) -> str:
    """The MJCF document of a scene."""
    cone = f'condim="3" friction="{scene.friction} 0 0"' if isinstance(scene, Roller) or scene.rough else 'condim="1"'
    return f"""
<mujoco>
  <size memory="4G"/>
  <option timestep="{scene.dt!r}" gravity="0 0 -{GRAVITY}" {SOLVER}><flag refsafe="disable"/></option>
  <default><geom {cone} solref="{-scene.stiffness / _mass(scene)!r} {-scene.damping / _mass(scene)!r}"/></default>
  <worldbody>{world}</worldbody>
</mujoco>"""


def _mass(scene: Scene) -> float:
    """What of the masses of two bodies moves in a contact."""
    return scene.mass / 2 if isinstance(scene, Heap) else scene.mass


def _heap(heap: Heap, state: State) -> str:
    joint = (
        "<freejoint/>"
        if heap.rough
        else "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    )
    inertial = f'<inertial pos="0 0 0" mass="{heap.mass}" diaginertia="{_numbers([heap.inertia] * 3)}"/>'
    sphere = f'{joint}{inertial}<geom type="sphere" size="{heap.radius}"/>'
    planes = "".join(
        f'<geom type="plane" size="0 0 1" pos="{_numbers(point)}" zaxis="{_numbers(normal)}"/>'
        for point, normal in heap.walls
    )
    return planes + "".join(f'<body pos="{_numbers(place)}">{sphere}</body>' for place in state.places)


def _roller(roller: Roller) -> str:
    x, y, z = roller.box
    return (
        f'<geom type="box" size="{x / 2} {y / 2} {z / 2}" pos="0 0 {-z / 2}"/>'
        f'<body pos="0 0 {roller.place}"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{roller.mass}" diaginertia="{_numbers(roller.inertia)}"/>'
        f'<geom type="cylinder" size="{roller.radius} {roller.length / 2}" euler="90 0 0"/></body>'
    )


def _numbers(values: np.ndarray | list[float] | tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in values)
