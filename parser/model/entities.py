"""The typed model of a deck: what the parser hands to the solver.

Everything here is already converted to the deck's working units, every reference to a node is resolved to a
row of `Nodes` (0-based; -1 where a node is absent), and every reference to a function, skew or sensor is an
id that exists in the dictionaries of `Model` (0 = none).  Nothing here knows columns or text; `Where` leads
back to the text for messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..text.diagnostics import Diagnostic, Where

if TYPE_CHECKING:
    from .contact import ContactInterface, ForceCurveInterface, RigidWall, Shape

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Direction = Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Units:
    """Working units: names as the deck spells them, and their sizes in kg, m and s."""

    mass: str
    length: str
    time: str
    mass_si: float
    length_si: float
    time_si: float


@dataclass(slots=True)
class Nodes:
    """All nodes of the deck, in the order read.

    ids : (n,) int64, unique
    coordinates : (n, 3) float64, global, working length unit
    """

    ids: Ints
    coordinates: Floats

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(slots=True)
class Entity:
    """What every block has: its id, its title, and the place in the deck it came from."""

    id: int
    title: str
    where: Where

    @property
    def name(self) -> str:
        """What messages call it: keyword, id and title."""
        title = f" '{self.title}'" if self.title else ""
        return f"{self.where.keyword}/{self.id}{title}"


@dataclass(slots=True)
class AddedMass(Entity):
    """/ADMAS: mass added to nodes (types 0, 1 and 5). `masses[k]` goes to node row `nodes[k]`."""

    nodes: Ints
    masses: Floats


@dataclass(slots=True)
class Skew(Entity):
    """/SKEW/FIX or /SKEW/MOV: axes (no origin is used by the solver).

    axes : (3, 3), rows X', Y', Z' at t = 0 (orthonormal, global components)
    nodes : for MOV the rows of N1, N2, N3; empty for FIX
    direction : for MOV, which axis lies along N1-N2 (0 = X', 1 = Y', 2 = Z')
    """

    moving: bool
    axes: Floats
    nodes: Ints
    direction: Direction = 0


@dataclass(slots=True)
class Function(Entity):
    """/FUNCT, /FUNCT_SMOOTH (points) or /FUNCT_EXPR (program).

    kind TABLE : piecewise linear through (x, y), end segments extrapolated linearly; one point is a constant
    kind SMOOTH : smooth interpolation through (x, y)
    kind EXPRESSION : `program` as made by `parser.expressions.compile_expression`
    """

    kind: Literal["TABLE", "SMOOTH", "EXPRESSION"]
    x: Floats
    y: Floats
    program: object | None = None
    expression: str = ""


@dataclass(slots=True)
class Sensor(Entity):
    """/SENSOR/TIME: active for t >= delay and t < stop."""

    delay: float
    stop: float


@dataclass(slots=True)
class ElementBlock:
    """Elements of one /SHELL, /SH3N, /BRICK or /TETRA4 block; they bring mass only.

    nodes : (k, 4 | 3 | 8 | 4) node rows, -1 where a shell's fourth node is absent
    thickness : (k,), 0 for solids
    ishell : shell formulation of the property (11 and above changes the rotary inertia)
    void : /MAT/VOID or /PROP/VOID: never deforms, welcome anywhere
    """

    keyword: Literal["SHELL", "SH3N", "BRICK", "TETRA4"]
    part_id: int
    part_title: str
    where: Where
    ids: Ints
    nodes: Ints
    thickness: Floats
    density: float
    ishell: int
    void: bool


@dataclass(slots=True)
class SpringDof:
    """One degree of freedom of a spring property, in the names of the cards (radioss TYPE4, TYPE8).

    Force without fct_1: stiffness * d + damping * v. With it:
    f1(d / abscissa_scale) * (A + B ln|v / D| + E f2(v / F)) + C v + Hscale f4(v / F).
    """

    stiffness: float
    damping: float
    a: float
    b: float
    d: float
    fct_1: int
    fct_2: int
    fct_4: int
    e: float
    f: float
    abscissa_scale: float
    damping_scale: float
    min_elongation: float
    max_elongation: float


@dataclass(slots=True)
class SpringProperty(Entity):
    """/PROP/TYPE4 (one axial dof) or /PROP/TYPE8 (six independent dofs: X Y Z XX YY ZZ of the skew).

    moment_equilibrium : TYPE8 with Iequil = 1
    """

    kind: Literal["TYPE4", "TYPE8"]
    mass: float
    inertia: float
    skew_id: int
    sensor_id: int
    sensor_flag: int
    per_length: bool
    dofs: list[SpringDof]
    moment_equilibrium: bool = False


@dataclass(slots=True)
class Spring(Entity):
    """One /SPRING element (`id`), of a part."""

    part_id: int
    node_1: int
    node_2: int
    skew_id: int
    property: SpringProperty


@dataclass(slots=True)
class RigidBody(Entity):
    """/RBODY and /RBODY/LAGMUL (which is the same body).

    added_inertia : (6,) Jxx Jyy Jzz Jxy Jyz Jxz, tensor terms, in the axes of the skew (0 = global)
    stays_on_walls : Ikrem 1: a /RWALL holds its secondary nodes as well
    """

    main_node: int
    secondary_nodes: Ints
    skew_id: int
    spherical_flag: int
    added_mass: float
    centre_flag: int
    added_inertia: Floats
    stays_on_walls: bool = False


@dataclass(slots=True)
class RigidTie(Entity):
    """/RBE2 with all digits on and Iflag 0: the dependent nodes ride rigidly on the main node."""

    main_node: int
    dependent_nodes: Ints


@dataclass(slots=True)
class VelocityLink(Entity):
    """/RLINK: equal velocity of all nodes in the marked directions of the skew."""

    translations: tuple[bool, bool, bool]
    rotations: tuple[bool, bool, bool]
    skew_id: int
    nodes: Ints


@dataclass(slots=True)
class GearJoint(Entity):
    """/GJOINT/GEAR, DIFF, RACK.

    nodes : (4,) node rows 0 to 3; nodes[3] = -1 except for DIFF
    fscale_v : FscaleV as the card has it (blank and 0 already replaced by 1), working units
    masses, inertias : (4,) added to nodes 0 to 3 (spherical inertia)
    axes : (3, 3) unit vectors r_1, r_2, r_3 in the local frame of node 0
    """

    kind: Literal["GEAR", "DIFF", "RACK"]
    nodes: Ints
    fscale_v: float
    masses: Floats
    inertias: Floats
    axes: Floats


@dataclass(slots=True)
class JointForce:
    """Spring, damper, stops and Coulomb friction along one coordinate q of a joint (rotation or translation).

    On node j along (about) the axis, the opposite on node i:
    preload - stiffness (q - free_value) - damping q', a stop_stiffness and stop_damping spring beyond `lower` and
    `upper` that only pushes, and friction against q' of size friction_force + friction_coefficient * radius * (bearing
    force), reached at slip_velocity.  radius is 1 for a translation.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    free_value: float = 0.0
    preload: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    friction_force: float = 0.0
    friction_coefficient: float = 0.0
    radius: float = 1.0
    slip_velocity: float = 0.0


@dataclass(slots=True)
class Joint(Entity):
    """/JOINT, and each pair of a /CYL_JOINT.

    kind : of `joint_types.JOINT_TYPES`
    node_i, node_j : node rows, -1 = ground (at most one of them)
    axis_i : (3,) unit vector on node i at t = 0, global components
    axis_j : (3,) unit vector on node j at t = 0; that of node i for the types that have no axis of their own there
    pitch : advance per turn of a SCREW
    length : of the types that keep one; None = as built
    rotation, translation : what acts along the coordinates, where the deck gives it
    """

    kind: str
    node_i: int
    node_j: int
    axis_i: Floats
    axis_j: Floats
    pitch: float = 0.0
    length: float | None = None
    rotation: JointForce | None = None
    translation: JointForce | None = None


@dataclass(slots=True)
class Drive(Entity):
    """/DRIVE/DIST, TRA, ROT: y_scale * f((t - t_0) / x_scale) is the coordinate, its rate or its acceleration.

    node_i, node_j : node rows, -1 = ground
    level : 0 position, 1 velocity, 2 acceleration
    absolute : the function is the coordinate itself; otherwise what is added to its initial value (level 0 only)
    axis : (3,) unit vector fixed to node i, at t = 0 in global components (TRA, ROT)
    t_0 is 0, or with a sensor the time when the sensor switches on
    """

    kind: Literal["DIST", "TRA", "ROT"]
    node_i: int
    node_j: int
    function_id: int
    sensor_id: int
    level: Literal[0, 1, 2]
    absolute: bool
    x_scale: float
    y_scale: float
    t_start: float
    t_stop: float
    axis: Floats


@dataclass(slots=True)
class Coupler(Entity):
    """/COUPLER/R2T: phi_a = ratio * s_b, and /COUPLER/R2R: phi_a = ratio * phi_b; all relative to the supports.

    node_a, node_b : node rows (R2T: spline and flange), -1 = ground
    support_a, support_b : node rows, -1 = ground
    axis_a, axis_b : (3,) unit vectors fixed in the supports, at t = 0 in global components
    """

    kind: Literal["R2T", "R2R"]
    node_a: int
    support_a: int
    node_b: int
    support_b: int
    ratio: float
    axis_a: Floats
    axis_b: Floats


@dataclass(slots=True)
class DirectionalTie(Entity):
    """/RBE2 with some digits: each dependent node follows the main node in the marked directions of the skew.

    offset : True (Iflag 0) the dependent node moves as if it rode on the main node; False (Iflag 1) same velocity
    """

    main_node: int
    dependent_nodes: Ints
    translations: tuple[bool, bool, bool]
    rotations: tuple[bool, bool, bool]
    skew_id: int
    offset: bool


@dataclass(slots=True)
class MultiPointConstraint(Entity):
    """/MPC: sum over the terms of coefficient * (velocity of the node in that direction of its skew) = 0.

    nodes, skew_ids : (k,) node rows, skew ids (0 = global)
    directions : (k,) 0 to 2 translations, 3 to 5 rotations
    coefficients : (k,)
    """

    nodes: Ints
    directions: Ints
    skew_ids: Ints
    coefficients: Floats


@dataclass(slots=True)
class BoundaryCondition(Entity):
    """/BCS and /BCS/LAGMUL: directions of the skew that are fixed."""

    translations: tuple[bool, bool, bool]
    rotations: tuple[bool, bool, bool]
    skew_id: int
    nodes: Ints


@dataclass(slots=True)
class ImposedMotion(Entity):
    """/IMPDISP, /IMPVEL, /IMPACC: value = y_scale * f(t / x_scale) for t_start <= t <= t_stop.

    With a sensor t counts from its activation.
    """

    kind: Literal["DISP", "VEL", "ACC"]
    function_id: int
    direction: Direction
    rotational: bool
    skew_id: int
    sensor_id: int
    nodes: Ints
    x_scale: float
    y_scale: float
    t_start: float
    t_stop: float


@dataclass(slots=True)
class InitialVelocity(Entity):
    """/INIVEL of any kind, spread to nodes, in deck order (the last one read stays).

    translational, rotational : (k, 3) global components; None where the block does not set that part
    """

    kind: Literal["TRA", "ROT", "T+G", "AXIS", "NODE"]
    nodes: Ints
    translational: Floats | None
    rotational: Floats | None


@dataclass(slots=True)
class Gravity(Entity):
    """/GRAV: acceleration y_scale * f(t / x_scale) along one direction; function_id 0 = constant 1."""

    function_id: int
    direction: Direction
    skew_id: int
    sensor_id: int
    nodes: Ints
    x_scale: float
    y_scale: float


@dataclass(slots=True)
class ConcentratedLoad(Entity):
    """/CLOAD: force or moment y_scale * f(t / x_scale) on each node, along one direction of the skew."""

    function_id: int
    direction: Direction
    rotational: bool
    skew_id: int
    sensor_id: int
    nodes: Ints
    x_scale: float
    y_scale: float


@dataclass(slots=True)
class HistoryRequest(Entity):
    """/TH/family: variables (upper case, groups already expanded) of objects, with their names.

    family : NODE SPRING RBODY GJOINT ...
    items : node rows for NODE, ids otherwise; empty = all
    names : one a row of `items` ("" where none was given)
    skew_ids : one a row of `items` (0 = global); NODE only
    by_pairs : each pair of bodies by itself as well; INTER only
    """

    family: str
    variables: list[str]
    items: Ints
    names: list[str]
    skew_ids: list[int]
    by_pairs: bool = False


@dataclass(slots=True)
class Engine:
    """Run control: the engine keywords. None where the deck says nothing."""

    t_end: float | None = None
    sampling_interval: float | None = None
    dt_scale: float | None = None
    dt_min: float | None = None
    dt_initial: float | None = None
    dt_max: float | None = None
    print_every: int | None = None
    stop_energy_error: float | None = None
    run_number: int = 1
    where_run: Where | None = None


@dataclass(slots=True)
class Model:
    """A whole deck, read and checked."""

    run_name: str
    title: str
    units: Units
    nodes: Nodes
    engine: Engine
    deck_text: str
    deck_sha256: str
    files: list[str]
    added_masses: list[AddedMass] = field(default_factory=list)
    skews: dict[int, Skew] = field(default_factory=dict)
    functions: dict[int, Function] = field(default_factory=dict)
    sensors: dict[int, Sensor] = field(default_factory=dict)
    elements: list[ElementBlock] = field(default_factory=list)
    springs: list[Spring] = field(default_factory=list)
    rigid_bodies: list[RigidBody] = field(default_factory=list)
    rigid_ties: list[RigidTie] = field(default_factory=list)
    velocity_links: list[VelocityLink] = field(default_factory=list)
    gear_joints: list[GearJoint] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    drives: list[Drive] = field(default_factory=list)
    couplers: list[Coupler] = field(default_factory=list)
    directional_ties: list[DirectionalTie] = field(default_factory=list)
    multi_point_constraints: list[MultiPointConstraint] = field(default_factory=list)
    boundary_conditions: list[BoundaryCondition] = field(default_factory=list)
    imposed_motions: list[ImposedMotion] = field(default_factory=list)
    initial_velocities: list[InitialVelocity] = field(default_factory=list)
    gravities: list[Gravity] = field(default_factory=list)
    loads: list[ConcentratedLoad] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    contacts: list[ContactInterface] = field(default_factory=list)
    force_curve_contacts: list[ForceCurveInterface] = field(default_factory=list)
    rigid_walls: list[RigidWall] = field(default_factory=list)
    history_requests: list[HistoryRequest] = field(default_factory=list)
    parameters: dict[str, float | int] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)

    @property
    def interfaces(self) -> list[ContactInterface | ForceCurveInterface]:
        """All contacts between solids: those of `contacts`, then those of `force_curve_contacts`."""
        return [*self.contacts, *self.force_curve_contacts]
