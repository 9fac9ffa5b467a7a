"""The typed model of contacts: shapes, what touches what, and by which law. See `parser.model` for units and rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..text.diagnostics import Where
from .common import Entity, Floats, Ints

ShapeKind = Literal["SPHERE", "BOX", "CYLINDER", "FRUSTUM", "ELLIPSOID", "PLANE"]
Master = Literal["AUTO", "I", "J", "I_AND_J"]


@dataclass(slots=True)
class Shape(Entity):
    """/SURF/SPHERE_SOLID, BOX_SOLID, CYL_SOLID, FRUSTUM_SOLID, ELLIPS_SOLID, PLANE_SOLID: an exact solid on a node.

    node : row of the node that it is fixed to; -1 = ground
    axes : (3, 3), rows x', y', z' at t = 0 (orthonormal, global components); they turn with the node
    offset : (3,) from the node to the centre at t = 0, global components; on the ground from the origin
    dimensions : (3,)
        SPHERE radius, 0, 0 · BOX lengths of the edges along x', y', z' · CYLINDER radius, length, 0 ·
        FRUSTUM radius at z' = -length/2, radius at z' = +length/2, length · ELLIPSOID semi-axes along x', y', z' ·
        PLANE zeros: the solid fills all behind the plane, z' is its outward normal
    density : of its mass, which the rigid body of the node gets; 0 = none
    Cylinder and frustum lie along z', with the centre halfway.
    """

    kind: ShapeKind
    node: int
    axes: Floats
    offset: Floats
    dimensions: Floats
    density: float = field(default=0.0, kw_only=True)


@dataclass(slots=True)
class MeshFile:
    """Triangles of a file, which nothing has looked into yet.

    path : of the file, from where the deck was read
    scale : length in working units of a 1 in the file
    axes : (3, 3), rows x', y', z' of the file's axes at t = 0 (orthonormal, global components)
    offset : (3,) from the node to the origin of the file's axes at t = 0, global components; on the ground from the
        origin
    flip : the triangles are taken the other way round than the file has them
    density : of the mass of the solid within, which the rigid body of the node gets; 0 = none
    """

    path: str
    scale: float
    axes: Floats
    offset: Floats
    flip: bool
    density: float


@dataclass(slots=True)
class ElementFaces:
    """Shells, segments and faces of solids between nodes of the deck.

    faces : (k, 4) node rows, counter-clockwise as seen from the side that the deck calls outside; the last one is -1
        where a face has three corners
    """

    faces: Ints


@dataclass(slots=True)
class Mesh(Entity):
    """/SURF/MESH, /SURF/PART, SEG and others: a closed surface of triangles that moves with a body.

    node : row of the node that it is fixed to, -1 = ground; of element faces one of their nodes
    smooth : what touches it meets the smooth surface recovered from the triangles, not the triangles as they are
    feature_angle : between the normals of two triangles, in radians, above which their edge is an edge of the surface
    """

    node: int
    smooth: bool
    feature_angle: float
    source: MeshFile | ElementFaces

    @property
    def density(self) -> float:
        """Of the solid within; 0 = none, and of elements, which bring their own mass."""
        return self.source.density if isinstance(self.source, MeshFile) else 0.0


def _no_rows() -> Ints:
    return np.empty(0, dtype=np.int64)


@dataclass(slots=True)
class Surface(Entity):
    """One side of an interface: a shape or a mesh, or the union of some (/SURF/SURF).

    shapes, meshes : rows of `Model.shapes` and of `Model.meshes`, each once
    """

    shapes: Ints = field(default_factory=_no_rows)
    meshes: Ints = field(default_factory=_no_rows)

    @property
    def is_empty(self) -> bool:
        return not len(self.shapes) and not len(self.meshes)


@dataclass(slots=True)
class UserRoutine:
    """A function named by the deck, to be called with the arguments of MotionSolve's subroutine of that purpose.

    file : path of the file; nothing of it was run
    function : name of the function
    parameters : (n,) as written, whatever the units
    where, field : the block and the field of its cards that name the routine
    """

    kind: Literal["PYTHON", "LIBRARY"]
    file: str
    function: str
    parameters: Floats
    where: Where
    field: str


class NormalLaw:
    """What the normal force at a contact point depends on; each law is a class of `keywords.contact_laws`."""

    __slots__ = ()


@dataclass(slots=True)
class CoulombFriction:
    """Friction mu(v) times the normal force, against the slip velocity v.

    kind : STATIC_AND_DYNAMIC mu rises to mu_static at static_velocity and falls to mu_dynamic at dynamic_velocity;
        DYNAMIC it rises to mu_dynamic at dynamic_velocity (mu_static and static_velocity are those of the dynamic
        side); STICTION a tangential spring holds until mu_static is passed
    static_velocity <= dynamic_velocity; both may be the same
    tangential_stiffness, tangential_damping : of STICTION; None = from the normal force
    patch_radius : of a contact, which resists spinning as a disc of that radius
    rolling_arm : of the moment of rolling friction, rolling_arm times the normal force
    """

    kind: Literal["STATIC_AND_DYNAMIC", "DYNAMIC", "STICTION"]
    mu_static: float
    mu_dynamic: float
    static_velocity: float
    dynamic_velocity: float
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    patch_radius: float = 0.0
    rolling_arm: float = 0.0


@dataclass(slots=True)
class ContactInterface(Entity):
    """/INTER of a law, with its /INTER/POST.

    side_j : None = every body of side_i against every other
    friction : None = OFF
    master : whose surface counts where meshes or curves touch; no influence on exact shapes
    at_nodes : meshes: forces at nodes in place of at the centres of triangles
    exact : False = the deck asks for tessellated shapes
    zero_crossing : the step is cut at first touch
    greatest_penetration : what is deeper is ignored; inf = nothing is
    curve_stability : of contacts between plane curves
    t_start, t_stop : acts for t_start <= t < t_stop; with a sensor only while that is on (t is not counted from it)
    """

    side_i: Surface
    side_j: Surface | None
    law: NormalLaw | UserRoutine
    friction: CoulombFriction | UserRoutine | None
    master: Master
    at_nodes: bool
    exact: bool
    sensor_id: int
    zero_crossing: bool
    greatest_penetration: float
    curve_stability: float
    t_start: float
    t_stop: float
    post: UserRoutine | None = None


@dataclass(slots=True)
class ForceCurveInterface(Entity):
    """/INTER/TYPE6: force by function of penetration between two rigid bodies.

    With penetration z counted from a distance of `gap`, velocity of approach v, functions f by id (0 = none):
    elastic  force_scale * f(z / penetration_scale), f = loading_function, for loading and, formulation 0, unloading
    damping  (viscosity * v + damping_scale * f(v / velocity_abscissa)) * f(elastic force / force_abscissa),
        f = damping_by_velocity (0: no such part) and damping_by_force (0: factor 1)
    friction at most friction_force + friction * f(elastic force / force_abscissa) * f(slip velocity /
        velocity_abscissa) * elastic force, f = friction_by_force, friction_by_velocity (0: factor 1)

    formulation : 1 unloads along unloading_stiffness down to unloading_scale * f(z / penetration_scale), f =
        unloading_function; 2 likewise down to no force; both load anew along unloading_stiffness up to the loading
        function
    reduce_gap : initial penetration is taken off the gap (Inacti 5)
    adjust_force : Icor 1, force adjusted for bodies that start in contact
    """

    side_i: Surface
    side_j: Surface
    loading_function: int
    penetration_scale: float
    force_scale: float
    formulation: Literal[0, 1, 2]
    adjust_force: bool
    unloading_function: int
    unloading_stiffness: float
    unloading_scale: float
    viscosity: float
    damping_by_velocity: int
    damping_by_force: int
    damping_scale: float
    friction_force: float
    friction: float
    friction_by_force: int
    friction_by_velocity: int
    force_abscissa: float
    velocity_abscissa: float
    gap: float
    reduce_gap: bool
    t_start: float
    t_stop: float


@dataclass(slots=True)
class RigidWall(Entity):
    """/RWALL/PLANE, SPHER, CYL, PARAL: nodes that cannot pass a wall.

    mode : how nodes move along the wall
    node : row of the node that carries the wall (it does not turn the wall); -1 = fixed
    nodes : secondary nodes, in order of ids: within the search distance at t = 0 or of the first group, without those
        of the second group, and without nodes of rigid bodies that do not keep theirs on walls (Ikrem)
    point : (3,) on the wall at t = 0: of the plane, of the axis of the cylinder, centre of the sphere, corner of the
        parallelogram
    normal : (3,) unit: towards the nodes for PLANE and PARAL, along the axis for CYL, zero for SPHER
    sides : (2, 3) of the parallelogram, from the corner; zero otherwise
    radius : of cylinder and sphere; 0 otherwise
    friction : coefficient; 0 unless the mode is FRICTION
    filter_factor, filter_kind : of the friction force
    penalty : Iform 1; False = kinematic
    The mass and the initial velocity of a moving wall are in `Model.added_masses` and `Model.initial_velocities`.
    """

    kind: Literal["PLANE", "SPHER", "CYL", "PARAL"]
    mode: Literal["SLIDING", "TIED", "FRICTION"]
    node: int
    nodes: Ints
    point: Floats
    normal: Floats
    sides: Floats
    radius: float
    friction: float
    filter_factor: float
    filter_kind: int
    penalty: bool


def sides_of(interface: ContactInterface | ForceCurveInterface) -> list[Surface]:
    """The one or two surfaces of an interface."""
    return [interface.side_i] if interface.side_j is None else [interface.side_i, interface.side_j]


def shapes_of(interface: ContactInterface | ForceCurveInterface) -> Ints:
    """Rows of all shapes that take part in an interface."""
    return np.concatenate([side.shapes for side in sides_of(interface)])


def meshes_of(interface: ContactInterface | ForceCurveInterface) -> Ints:
    """Rows of all meshes that take part in an interface."""
    return np.concatenate([side.meshes for side in sides_of(interface)])
