"""The typed model of a deck: what the parser hands to the solver.

Everything here is already converted to the deck's working units, every reference to a node is resolved to a
row of `Nodes` (0-based; -1 where a node is absent), and every reference to a function, skew or sensor is an
id that exists in the dictionaries of `Model` (0 = none).  Nothing here knows columns or text; `Where` leads
back to the text for messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .diagnostics import Diagnostic, Where

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
    """

    main_node: int
    secondary_nodes: Ints
    skew_id: int
    spherical_flag: int
    added_mass: float
    centre_flag: int
    added_inertia: Floats


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
    """

    family: str
    variables: list[str]
    items: Ints
    names: list[str]
    skew_ids: list[int]


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
    boundary_conditions: list[BoundaryCondition] = field(default_factory=list)
    imposed_motions: list[ImposedMotion] = field(default_factory=list)
    initial_velocities: list[InitialVelocity] = field(default_factory=list)
    gravities: list[Gravity] = field(default_factory=list)
    loads: list[ConcentratedLoad] = field(default_factory=list)
    history_requests: list[HistoryRequest] = field(default_factory=list)
    parameters: dict[str, float | int] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)
