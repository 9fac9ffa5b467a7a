"""The machines of the comparison in MuJoCo (PyPI: mujoco), in the forms that run fastest there.

Joint coordinates: rotors and bodies are hinged in trees, so that only gears and closed loops are constraints, `joint`
and `connect` equalities.  These are soft by design; they are made as hard as they can be: impedance 0.9999, the
largest, and the time constants with which trials gave the smallest errors, TIME_CONSTANTS (with shorter ones the
linkages lose accuracy or break down; MuJoCo's own lower limit is two steps).  Newton's solver, for which one iteration
is exact where all constraints are equalities; conjugate gradients for many free carriers, where they are faster by a
fifth (on the gear chain and the four-bars they are slower).  Jacobian dense up to 60 degrees of freedom and sparse
above, which is MuJoCo's own choice; contacts and sensors off, and islands too, which cost more than they save here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import mujoco
import numpy as np

from comparison.machines import Andrews, Bar, FourBars, FreeCarriers, GearChain, Machine, Planetary
from comparison.spatial import Body, Spatial

NAME = "MuJoCo"
# Of the constraints, in steps, by integrator.
TIME_CONSTANTS = {"Euler": 2.0, "implicitfast": 2.0, "RK4": 1.0, "discrete": 0.1}
TIME_CONSTANTS_OF_GEARS = {"Euler": 1.3, "implicitfast": 1.3, "RK4": 0.5, "discrete": 0.01}
IMPEDANCE = 0.9999
mujoco.set_mju_user_warning(lambda text: None)  # no log file: `Run.advance` looks at what was wrong


def version() -> str:
    return mujoco.mj_versionString()


def methods(machine: Machine) -> Sequence[str]:
    """Integrators to try; without dampers `implicitfast` is Euler's method, and costs more."""
    damped = isinstance(machine, Spatial) and bool(machine.springs)
    return [name for name in TIME_CONSTANTS if damped or name != "implicitfast"]


def settings(machine: Machine, method: str) -> Sequence[float]:
    """Steps to try, from long to short."""
    return machine.steps


class Run:
    """A machine, ready to be advanced to its end."""

    def __init__(self, machine: Machine, method: str, dt: float, t_end: float) -> None:
        self._machine = machine
        self.steps = round(t_end / dt)
        constants = TIME_CONSTANTS_OF_GEARS if isinstance(machine, GearChain | Planetary) else TIME_CONSTANTS
        self._model = _model(machine, method)
        self._model.opt.timestep = dt
        self._model.eq_solref[:, 0] = constants[method] * dt
        self._data = mujoco.MjData(self._model)
        _set_motion(machine, self._data)
        mujoco.mj_forward(self._model, self._data)

    def advance(self) -> None:
        mujoco.mj_step(self._model, self._data, self.steps)
        if any(warning.number for warning in self._data.warning):
            raise ArithmeticError("the run diverged")

    def observe(self) -> np.ndarray:
        """What the machine compares."""
        machine, data = self._machine, self._data
        if isinstance(machine, GearChain):
            return data.qpos.copy()
        if isinstance(machine, Planetary):
            return np.array([data.joint(f"shaft{k}").qpos[0] for k in range(machine.stages + 1)])
        if isinstance(machine, Spatial):
            mujoco.mj_kinematics(self._model, data)
            return np.array([data.site(f"point{k}").xpos for k in range(len(machine.points))])
        if isinstance(machine, FreeCarriers):
            return data.body(f"carrier{machine.carriers - 1}").xmat.reshape(3, 3).copy()
        if isinstance(machine, FourBars):
            angle = np.pi / 2 + data.joint("joint0").qpos[0]
            return np.array([np.cos(angle), np.sin(angle)])
        return data.joint("joint0").qpos[0].copy()

    def violation(self) -> float:
        """Largest residual of a constraint at the end, in m or rad; 0 where there is none."""
        mujoco.mj_forward(self._model, self._data)
        return float(np.abs(self._data.efc_pos[: self._data.nefc]).max(initial=0.0))

    def close(self) -> None:
        """Nothing is left to be freed."""


@lru_cache(maxsize=len(TIME_CONSTANTS))
def _model(machine: Machine, method: str) -> mujoco.MjModel:
    """Compiled once for all steps."""
    return mujoco.MjModel.from_xml_string(_document(machine, method))


def _document(machine: Machine, method: str) -> str:
    """The MJCF document of a machine, but for the step and the time constants."""
    solver = "CG" if isinstance(machine, FreeCarriers) and machine.carriers > 1 else "Newton"
    if isinstance(machine, GearChain):
        world, rest = _gear_chain(machine)
    elif isinstance(machine, Planetary):
        world, rest = _planetary(machine)
    elif isinstance(machine, Spatial):
        world, rest = _spatial(machine)
    elif isinstance(machine, FreeCarriers):
        world, rest = _free_carriers(machine)
    else:
        world, rest = _linkage(machine)
    gravity = "0 0 0"
    if isinstance(machine, FourBars | Andrews | Spatial):
        gravity = f"0 0 {-machine.gravity}" if isinstance(machine, Spatial) else f"0 {-machine.gravity} 0"
    return f"""
<mujoco>
  <compiler angle="radian"/>
  <option gravity="{gravity}" integrator="{method}" solver="{solver}">
    <flag contact="disable" sensor="disable" island="disable" refsafe="disable"/>
  </option>
  <default><equality solimp="{IMPEDANCE} {IMPEDANCE} 0.001 0.5 2"/></default>
  <worldbody>{world}</worldbody>
  {rest}
</mujoco>"""


def _numbers(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(repr(float(value)) for value in values)


def _rotor(name: str, place: Sequence[float], mass: float, inertia: float, axis: Sequence[float], spring: float) -> str:
    """A body that turns about an axis through its centre."""
    return (
        f'<body name="{name}" pos="{_numbers(place)}">'
        f'<joint name="{name}" type="hinge" axis="{_numbers(axis)}" stiffness="{spring!r}"/>'
        f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{_numbers([inertia] * 3)}"/></body>'
    )


def _gear(first: str, second: str, factor: float) -> str:
    """Angle `first` = factor * angle `second`."""
    return f'<joint joint1="{first}" joint2="{second}" polycoef="0 {factor!r} 0 0 0"/>'


def _gear_chain(machine: GearChain) -> tuple[str, str]:
    rotors = "".join(
        _rotor(f"rotor{k}", (k, 0, 0), machine.mass, machine.inertia, (0, 0, 1), machine.stiffness if k == 0 else 0.0)
        for k in range(machine.rotors)
    )
    gears = "".join(_gear(f"rotor{k}", f"rotor{k + 1}", -1.0) for k in range(machine.rotors - 1))
    return rotors, f"<equality>{gears}</equality>"


def _planetary(machine: Planetary) -> tuple[str, str]:
    """Planets turn on their carriers, so that their angles are those against the carrier."""
    world, gears = "", ""
    for k, (mass, inertia) in enumerate(machine.shafts):
        planets = ""
        if k > 0:
            gears += _gear(f"shaft{k - 1}", f"shaft{k}", 1.0 + machine.ring_ratio)
            for j, place in enumerate(machine.planet_places()):
                planets += _rotor(f"planet{k}{j}", place, *machine.planet, (0, 0, 1), 0.0)
                gears += _gear(f"planet{k}{j}", f"shaft{k}", -machine.ring_ratio)
        spring = machine.stiffness if k == machine.stages else 0.0
        shaft = _rotor(f"shaft{k}", (0, 0, 0.2 * k), mass, inertia, (0, 0, 1), spring)
        world += shaft.removesuffix("</body>") + planets + "</body>"
    return world, f"<equality>{gears}</equality>"


def _free_carriers(machine: FreeCarriers) -> tuple[str, str]:
    bodies, gears = "", ""
    for k in range(machine.carriers):
        rotors = "".join(
            _rotor(f"rotor{side}of{k}", machine.places[side], machine.rotor_mass, machine.rotor_inertia, axis, 0.0)
            for side, axis in enumerate(machine.axes)
        )
        bodies += (
            f'<body name="carrier{k}" pos="{k} 0 0"><freejoint name="carrier{k}"/><inertial pos="0 0 0" '
            f'mass="{machine.mass!r}" diaginertia="{_numbers(machine.inertia)}"/>{rotors}</body>'
        )
        gears += _gear(f"rotor1of{k}", f"rotor0of{k}", -machine.alpha)
    return bodies, f"<equality>{gears}</equality>"


def _linkage(machine: FourBars | Andrews) -> tuple[str, str]:
    """A plane linkage: a tree of hinged bodies, and a `connect` where a hinge closes a loop."""
    hinge_of = {hinge.second: hinge for hinge in machine.hinges if not hinge.closes}

    def body(number: int, origin: np.ndarray) -> str:
        """A body with all that hang on it; its frame is at the hinge that holds it, parallel to the global one."""
        bar: Bar = machine.bodies[number]
        place = hinge_of[number].place
        held = "".join(body(child, place) for child, hinge in hinge_of.items() if hinge.first == number)
        inertia = [bar.inertia / 2, bar.inertia / 2, bar.inertia]
        return (
            f'<body name="body{number}" pos="{_numbers([*(place - origin), 0.0])}">'
            f'<joint name="joint{number}" type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{_numbers([*(bar.centre - place), 0.0])}" mass="{bar.mass!r}" '
            f'diaginertia="{_numbers(inertia)}"/>{site(number, place)}{held}</body>'
        )

    def site(number: int, place: np.ndarray) -> str:
        """Where the spring of Andrews' mechanism takes hold."""
        if isinstance(machine, Andrews) and number == 2:
            return f'<site name="spring" pos="{_numbers([*(machine.points["D"] - place), 0.0])}"/>'
        return ""

    world = "".join(body(number, np.zeros(2)) for number, hinge in hinge_of.items() if hinge.first == -1)
    rest = "".join(
        f'<connect body1="body{hinge.first}" body2="body{hinge.second}" '
        f'anchor="{_numbers([*(hinge.place - hinge_of[hinge.first].place), 0.0])}"/>'
        for hinge in machine.hinges
        if hinge.closes
    )
    rest = f"<equality>{rest}</equality>"
    if isinstance(machine, Andrews):
        world += f'<site name="anchor" pos="{_numbers([*machine.spring_anchor, 0.0])}"/>'
        rest += (
            f'<tendon><spatial stiffness="{machine.stiffness!r}" springlength="{machine.free_length!r}">'
            '<site site="anchor"/><site site="spring"/></spatial></tendon>'
        )
    return world, rest


JOINTS = {"revolute": "hinge", "prismatic": "slide", "universal": "hinge"}


def _spatial(machine: Spatial) -> tuple[str, str]:
    """The tree as it is; the frames of all bodies are at their joints, parallel to the global ones at t = 0."""
    sites: dict[int, str] = {k: "" for k in range(-1, len(machine.bodies))}

    def site(name: str, number: int, place: Sequence[float]) -> None:
        origin = np.zeros(3) if number == -1 else np.asarray(machine.bodies[number].place)
        sites[number] += f'<site name="{name}" pos="{_numbers(place - origin)}"/>'

    for k, (number, place) in enumerate(machine.points):
        site(f"point{k}", number, place)
    tendons = ""
    for k, spring in enumerate(machine.springs):
        site(f"from{k}", spring.first, spring.ends[0])
        site(f"to{k}", spring.second, spring.ends[1])
        tendons += (
            f'<spatial stiffness="{spring.stiffness!r}" damping="{spring.damping!r}" '
            f'springlength="{spring.free_length!r}"><site site="from{k}"/><site site="to{k}"/></spatial>'
        )

    def joints(number: int, body: Body) -> str:
        if body.joint == "free":
            return f'<freejoint name="joint{number}"/>'
        if body.joint == "spherical":
            return f'<joint name="joint{number}" type="ball"/>'
        return "".join(
            f'<joint name="joint{number}{k or ""}" type="{JOINTS[body.joint]}" axis="{_numbers(axis)}"/>'
            for k, axis in enumerate(body.axes)
        )

    def tree(number: int, origin: np.ndarray) -> str:
        """A body with all that hang on it."""
        body = machine.bodies[number]
        place = np.asarray(body.place)
        held = "".join(tree(k, place) for k, child in enumerate(machine.bodies) if child.parent == number)
        j = body.turned @ np.diag(body.inertia) @ body.turned.T
        inertia = [j[0, 0], j[1, 1], j[2, 2], j[0, 1], j[0, 2], j[1, 2]]
        return (
            f'<body name="body{number}" pos="{_numbers(place - origin)}">{joints(number, body)}'
            f'<inertial pos="{_numbers(body.centre - place)}" mass="{body.mass!r}" fullinertia="{_numbers(inertia)}"/>'
            f"{sites[number]}{held}</body>"
        )

    world = "".join(tree(k, np.zeros(3)) for k, body in enumerate(machine.bodies) if body.parent == -1)
    balls = "".join(
        f'<connect body1="body{ball.first}" body2="body{ball.second}" '
        f'anchor="{_numbers(ball.place - np.asarray(machine.bodies[ball.first].place))}"/>'
        for ball in machine.balls
    )
    return world + sites[-1], f"<equality>{balls}</equality><tendon>{tendons}</tendon>"


def _set_motion(machine: Machine, data: mujoco.MjData) -> None:
    """Initial rates, and the torque of Andrews' mechanism."""
    if isinstance(machine, GearChain):
        data.qvel[:] = machine.rates
    elif isinstance(machine, Planetary):
        for k, rate in enumerate(machine.rates):
            data.joint(f"shaft{k}").qvel[0] = rate
            for j in range(machine.planets if k > 0 else 0):
                data.joint(f"planet{k}{j}").qvel[0] = -machine.ring_ratio * rate
    elif isinstance(machine, Spatial):
        for number, body in enumerate(machine.bodies):
            if body.joint == "universal":
                for suffix, rate in zip(("", "1"), body.rates, strict=True):
                    data.joint(f"joint{number}{suffix}").qvel[0] = rate
            else:
                data.joint(f"joint{number}").qvel[:] = [*(body.velocity if body.joint == "free" else ()), *body.rates]
    elif isinstance(machine, FreeCarriers):
        for k in range(machine.carriers):
            data.joint(f"carrier{k}").qvel[3:] = machine.tumble
            for side, spin in enumerate(machine.spins):
                data.joint(f"rotor{side}of{k}").qvel[0] = spin
    elif isinstance(machine, FourBars):
        for number, bar in enumerate(machine.bodies):
            # A coupler does not turn: against its crank it turns back.
            data.joint(f"joint{number}").qvel[0] = bar.rate if number <= machine.loops else 1.0
    else:
        data.qfrc_applied[0] = machine.torque
