"""Machines built call by call, without a deck, and run with every sample kept in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gsolve.parser.model import (
    AddedMass,
    BoundaryCondition,
    ConcentratedLoad,
    ContactInterface,
    CoulombFriction,
    Coupler,
    DirectionalTie,
    Drive,
    Function,
    GearJoint,
    Gravity,
    ImposedMotion,
    InitialVelocity,
    Joint,
    LogicSensor,
    MultiPointConstraint,
    NormalLaw,
    RigidBody,
    RigidTie,
    Sensor,
    Shape,
    ShapeKind,
    Skew,
    Spring,
    SpringDof,
    SpringProperty,
    Surface,
    ValueSensor,
    VelocityLink,
)
from gsolve.parser.text.expressions import compile_expression
from gsolve.solver.assembly.assemble import assemble
from gsolve.solver.assembly.assembly import Assembly
from gsolve.solver.run.simulation import Simulation
from stub_models import StubWhere, model_of_nodes

Z = (0.0, 0.0, 1.0)


@dataclass
class Run:
    """All samples of a run: times (nt,), values[group][channel] (nt,) or (nt, n)."""

    simulation: Simulation
    times: np.ndarray
    values: dict[str, dict[str, np.ndarray]]
    node_ids: list[int]

    def node(self, channel: str, node: int) -> np.ndarray:
        """(nt,) channel of th/node, by node id."""
        return self.values["th/node"][channel][:, self.node_ids.index(node)]

    def vector(self, quantity: str, node: int) -> np.ndarray:
        """(nt, 3), as vector("V", 2); "" is the position."""
        return np.stack([self.node(quantity + axis, node) for axis in "XYZ"], axis=1)

    def joint(self, channel: str, place: int = 0) -> np.ndarray:
        """(nt,) channel of the gear joint at a place in the model."""
        return self.values["th/gjoint"][channel][:, place]

    def joint_vector(self, quantity: str, shaft: int, place: int = 0) -> np.ndarray:
        """(nt, 3), as joint_vector("F", 1)."""
        return np.stack([self.joint(f"{quantity}{axis}{shaft}", place) for axis in "XYZ"], axis=1)

    def drive(self, channel: str, place: int = 0) -> np.ndarray:
        """(nt,) channel of the drive at a place in the model."""
        return self.values["th/drive"][channel][:, place]

    def inter(self, channel: str, place: int = 0) -> np.ndarray:
        """(nt,) channel of the contact interface at a place in the model."""
        return self.values["th/inter"][channel][:, place]

    def pair(self, channel: str, place: int = 0) -> np.ndarray:
        """(nt,) channel of the /JOINT at a place in the model."""
        return self.values["th/joint"][channel][:, place]

    def pair_vector(self, quantity: str, axes: str = "XYZ", place: int = 0) -> np.ndarray:
        """(nt, 3), as pair_vector("F") or pair_vector("M", "RST")."""
        return np.stack([self.pair(quantity + axis, place) for axis in axes], axis=1)

    def coupler(self, channel: str, place: int = 0) -> np.ndarray:
        """(nt,) channel of the coupler at a place in the model."""
        return self.values["th/coupler"][channel][:, place]

    def energy(self, channel: str) -> np.ndarray:
        return self.values["energy"][channel]

    def diag(self, channel: str) -> np.ndarray:
        return self.values["diag"][channel]


class Machine:
    """A model of nodes 1, 2, ... at the rows 0, 1, ... of `coordinates`; all calls take node ids."""

    def __init__(self, coordinates: Any, t_end: float = 1.0, every: float | None = None) -> None:
        self.model = model_of_nodes(coordinates)
        self.model.engine.t_end, self.model.engine.sampling_interval = t_end, every
        self._ids = 0

    def _head(self, keyword: str) -> tuple[int, str, StubWhere]:
        self._ids += 1
        return self._ids, "", StubWhere(keyword, self._ids)

    def mass(self, node: int, mass: float) -> None:
        self.model.added_masses.append(AddedMass(*self._head("/ADMAS"), rows([node]), np.array([mass])))

    def body(
        self, main: int, secondary: Any, mass: float = 0.0, inertia: Any = (0, 0, 0, 0, 0, 0), icog: int = 1
    ) -> None:
        """/RBODY with Ispher 3; inertia Jxx Jyy Jzz Jxy Jyz Jxz."""
        inertia = np.array(inertia, dtype=float)
        head = self._head("/RBODY")
        self.model.rigid_bodies.append(RigidBody(*head, main - 1, rows(secondary), 0, 3, mass, icog, inertia))

    def solid(
        self, kind: ShapeKind, node: int, *dimensions: float, axes: Any = ((1, 0, 0), (0, 1, 0), Z), offset: Any = 0.0
    ) -> int:
        """A /SURF solid on a node (0 = ground); returns its place in the model."""
        size = np.zeros(3)
        size[: len(dimensions)] = dimensions
        axes, offset = np.array(axes, dtype=float), np.zeros(3) + np.array(offset)
        self.model.shapes.append(Shape(*self._head(f"/SURF/{kind}"), kind, node - 1, axes, offset, size))
        return len(self.model.shapes) - 1

    def contact(
        self,
        side_i: Any,
        side_j: Any,
        law: NormalLaw,
        friction: CoulombFriction | None = None,
        **others: Any,
    ) -> ContactInterface:
        """An /INTER between solids by their places; side_j None: all against all."""
        sides = [None if side is None else Surface(*self._head("/SURF"), np.array(side)) for side in (side_i, side_j)]
        values = {
            "master": "AUTO", "at_nodes": False, "exact": True, "sensor_id": 0, "zero_crossing": False,
            "greatest_penetration": np.inf, "curve_stability": 0.1, "t_start": 0.0, "t_stop": np.inf, **others,
        }  # fmt: skip
        interface = ContactInterface(*self._head("/INTER"), *sides, law, friction, **values)
        self.model.contacts.append(interface)
        return interface

    def tie(self, main: int, dependent: Any) -> None:
        self.model.rigid_ties.append(RigidTie(*self._head("/RBE2"), main - 1, rows(dependent)))

    def joint(
        self, kind: str, nodes: Any, axes: Any, alpha: float = 1.0, masses: Any = 0.0, inertias: Any = 0.0
    ) -> GearJoint:
        """nodes, masses and inertias of node 0 and the shafts; axes one a shaft."""
        k = len(nodes)
        all_nodes, all_axes = np.full(4, -1), np.tile((1.0, 0.0, 0.0), (3, 1))
        all_nodes[:k], all_axes[: len(axes)] = rows(nodes), [unit(axis) for axis in axes]
        all_masses, all_inertias = np.zeros(4), np.zeros(4)
        all_masses[:k], all_inertias[:k] = masses, inertias
        head = self._head(f"/GJOINT/{kind}")
        joint = GearJoint(*head, kind, all_nodes, alpha, all_masses, all_inertias, all_axes)
        self.model.gear_joints.append(joint)
        return joint

    def pair(
        self, kind: str, node_i: int, node_j: int, axis: Any = Z, axis_j: Any = None, pitch: float = 0.0,
        length: float | None = None,
    ) -> Joint:  # fmt: skip
        """/JOINT between two nodes, 0 = ground."""
        axes = unit(axis), unit(axis if axis_j is None else axis_j)
        joint = Joint(*self._head(f"/JOINT/{kind}"), kind, node_i - 1, node_j - 1, *axes, pitch, length)
        self.model.joints.append(joint)
        return joint

    def couple(self, kind: str, side_a: Any, side_b: Any, ratio: float, axis_a: Any = Z, axis_b: Any = Z) -> Coupler:
        """/COUPLER; each side is a node and its support, 0 = ground."""
        sides = *(node - 1 for node in side_a), *(node - 1 for node in side_b)
        coupler = Coupler(*self._head(f"/COUPLER/{kind}"), kind, *sides, ratio, unit(axis_a), unit(axis_b))
        self.model.couplers.append(coupler)
        return coupler

    def hold(self, nodes: Any, digits: str, skew: int = 0) -> None:
        marks = [digit == "1" for digit in digits.replace(" ", "")]
        head = self._head("/BCS")
        self.model.boundary_conditions.append(
            BoundaryCondition(*head, tuple(marks[:3]), tuple(marks[3:]), skew, rows(nodes))
        )

    def link(self, nodes: Any, digits: str, skew: int = 0) -> None:
        marks = [digit == "1" for digit in digits.replace(" ", "")]
        head = self._head("/RLINK")
        self.model.velocity_links.append(VelocityLink(*head, tuple(marks[:3]), tuple(marks[3:]), skew, rows(nodes)))

    def tie_some(self, main: int, dependent: Any, digits: str, skew: int = 0, offset: bool = True) -> None:
        """/RBE2 with some digits; offset is Iflag 0."""
        marks = [digit == "1" for digit in digits.replace(" ", "")]
        head = self._head("/RBE2")
        self.model.directional_ties.append(
            DirectionalTie(*head, main - 1, rows(dependent), tuple(marks[:3]), tuple(marks[3:]), skew, offset)
        )

    def sum_of_velocities(self, *terms: tuple[float, int, str], skew: int = 0) -> None:
        """/MPC of terms (coefficient, node, direction), direction X or XX ..."""
        coefficients, nodes, directions = zip(*terms, strict=True)
        numbers = np.array(["XYZ".index(d[0]) + 3 * (len(d) == 2) for d in directions])
        skews = np.full(len(terms), skew)
        self.model.multi_point_constraints.append(
            MultiPointConstraint(*self._head("/MPC"), rows(nodes), numbers, skews, np.array(coefficients, dtype=float))
        )

    def function(self, given: Any) -> int:
        """An expression in t, or points (x, y); returns its id."""
        head = self._head("/FUNCT")
        if isinstance(given, str):
            function = Function(*head, "EXPRESSION", np.zeros(0), np.zeros(0), compile_expression(given), given)
        else:
            x, y = np.array(given, dtype=float).T
            function = Function(*head, "TABLE", x, y)
        self.model.functions[head[0]] = function
        return head[0]

    def sensor(self, delay: float, stop: float = np.inf) -> int:
        head = self._head("/SENSOR/TIME")
        self.model.sensors[head[0]] = Sensor(*head, delay, stop)
        return head[0]

    def value_sensor(
        self, quantity: Any, limits: tuple[float, float], variable: str = "", nodes: Any = (), of: Any = 0,
        *, hold: float = 0.0, delay: float = 0.0, switches_off: bool = False,
    ) -> int:  # fmt: skip
        """/SENSOR/DIST and others; `of` is the joint, drive or interface."""
        head = self._head(f"/SENSOR/{quantity}")
        self.model.sensors[head[0]] = ValueSensor(
            *head, quantity, of.id if of else 0, tuple(rows(nodes).tolist()), variable, *limits, hold, delay,
            switches_off,
        )  # fmt: skip
        return head[0]

    def logic_sensor(self, kind: Any, *inputs: int, delay: float = 0.0) -> int:
        """/SENSOR/AND, OR, NOT, SENS."""
        head = self._head(f"/SENSOR/{kind}")
        self.model.sensors[head[0]] = LogicSensor(*head, kind, inputs, delay)
        return head[0]

    def skew(self, axes: Any = None, nodes: Any = (), direction: int = 0) -> int:
        """Fixed axes (rows), or axes on three nodes; returns its id."""
        head = self._head("/SKEW")
        if axes is None:
            n1, n2, n3 = self.model.nodes.coordinates[rows(nodes)]
            u = unit(n2 - n1)
            w = unit(np.cross(u, n3 - n1))
            axes = np.roll([u, np.cross(w, u), w], direction, axis=0)
        self.model.skews[head[0]] = Skew(*head, len(nodes) > 0, np.array(axes, float), rows(nodes), direction)
        return head[0]

    def drive(
        self, kind: str, node: int, direction: str, given: Any = 0, *, scale: float = 1.0, x_scale: float = 1.0,
        window: tuple[float, float] = (0.0, np.inf), skew: int = 0, sensor: int = 0,
    ) -> ImposedMotion:  # fmt: skip
        """kind DISP, VEL or ACC; direction X or XX ...; `given` as for `function`, 0 for a constant."""
        function = given if isinstance(given, int) else self.function(given)
        motion = ImposedMotion(
            *self._head(f"/IMP{kind}"), kind, function, "XYZ".index(direction[0]), len(direction) == 2, skew, sensor,
            rows([node]), x_scale, scale, *window,
        )  # fmt: skip
        self.model.imposed_motions.append(motion)
        return motion

    def coordinate_drive(
        self, kind: str, node_i: int, node_j: int, given: Any = 0, *, level: int = 0, absolute: bool = False,
        axis: Any = (0, 0, 1), scale: float = 1.0, x_scale: float = 1.0, window: tuple[float, float] = (0.0, np.inf),
        sensor: int = 0,
    ) -> Drive:  # fmt: skip
        """/DRIVE of kind DIST, TRA or ROT; node 0 is the ground; `given` as for `function`."""
        function = given if isinstance(given, int) and given else self.function(given or "1")
        drive = Drive(
            *self._head(f"/DRIVE/{kind}"), kind, node_i - 1, node_j - 1, function, sensor, level, absolute, x_scale,
            scale, *window, unit(axis),
        )  # fmt: skip
        self.model.drives.append(drive)
        return drive

    def load(self, node: int, direction: str, value: float, given: Any = 0, skew: int = 0, sensor: int = 0) -> None:
        function = given if isinstance(given, int) else self.function(given)
        self.model.loads.append(
            ConcentratedLoad(
                *self._head("/CLOAD"),
                function,
                "XYZ".index(direction[0]),
                len(direction) == 2,
                skew,
                sensor,
                rows([node]),
                1.0,
                value,
            )
        )

    def gravity(self, nodes: Any, direction: str, value: float, given: Any = 0, skew: int = 0, sensor: int = 0) -> None:
        function = given if isinstance(given, int) else self.function(given)
        head = self._head("/GRAV")
        self.model.gravities.append(
            Gravity(*head, function, "XYZ".index(direction), skew, sensor, rows(nodes), 1.0, value)
        )

    def velocity(self, nodes: Any, translational: Any = None, rotational: Any = None, kind: str = "NODE") -> None:
        """The same velocity for all nodes, or one row a node."""
        rows_ = rows(nodes)
        given = [
            None if v is None else np.broadcast_to(np.array(v, dtype=float), (len(rows_), 3)).copy()
            for v in (translational, rotational)
        ]
        self.model.initial_velocities.append(InitialVelocity(*self._head("/INIVEL"), kind, rows_, *given))

    def spring(
        self, node_1: int, node_2: int, stiffness: float, damping: float = 0.0, sensor: int = 0, flag: int = 0
    ) -> None:
        """A massless /PROP/TYPE4 spring along the line of its nodes; flag : Isflag of its sensor."""
        dof = SpringDof(
            stiffness=stiffness, damping=damping, a=1.0, b=0.0, d=1.0, fct_1=0, fct_2=0, fct_4=0, e=0.0, f=1.0,
            abscissa_scale=1.0, damping_scale=1.0, min_elongation=-np.inf, max_elongation=np.inf,
        )  # fmt: skip
        coil = SpringProperty(*self._head("/PROP/TYPE4"), "TYPE4", 0.0, 0.0, 0, sensor, flag, False, [dof])
        self.model.springs.append(Spring(*self._head("/SPRING"), 1, node_1 - 1, node_2 - 1, 0, coil))

    def assemble(self) -> Assembly:
        return assemble(self.model, "documented")

    def simulation(
        self, dt: float | None = None, threads: int = 1, accuracy: float | None = None, order: int = 2
    ) -> Simulation:
        return Simulation(self.model, dt=dt, threads=threads, accuracy=accuracy, order=order)

    def run(
        self,
        dt: float | None = None,
        threads: int = 1,
        block: int = 100_000,
        accuracy: float | None = None,
        order: int = 2,
    ) -> Run:
        return collect(self.simulation(dt, threads, accuracy, order), block)


def collect(simulation: Simulation, block: int = 100_000) -> Run:
    """Run to the end in blocks of `block` steps."""
    blocks = []
    while not simulation.finished:
        blocks.append(simulation.advance(block))
    values = {
        family.group: {
            channel.name: np.concatenate([b.values[family.group][channel.name] for b in blocks if len(b)])
            for channel in family.channels
        }
        for family in simulation.families
    }
    node_ids = next(([int(i) for i in f.ids] for f in simulation.families if f.group == "th/node"), [])
    return Run(simulation, np.concatenate([b.times for b in blocks]), values, node_ids)


def rows(nodes: Any) -> np.ndarray:
    """Node rows of node ids."""
    return np.array(list(nodes), dtype=np.int64) - 1


def unit(vector: Any) -> np.ndarray:
    vector = np.array(vector, dtype=float)
    return vector / np.linalg.norm(vector)
