"""What assembling a model gives: the arrays, and the way back from them to the model."""

from __future__ import annotations

from dataclasses import dataclass, field

from gsolve.parser.model import Mesh, Model
from gsolve.parser.text.diagnostics import Diagnostic, Where

from ..constraints.drive_setup import DrivePlace
from ..constraints.gear_joints import GearJointPlace
from ..constraints.joint_setup import CouplerPlace, JointPlace
from ..core.bodies import Ints
from ..geometry.mesh.triangle_mesh import TriangleMesh
from ..integration.system import System
from .body_plan import BodyPlan, NodePlan


@dataclass(slots=True)
class Places:
    """Where the joints of the model that move went, in deck order."""

    gear_joints: list[GearJointPlace] = field(default_factory=list)
    joints: list[JointPlace] = field(default_factory=list)
    couplers: list[CouplerPlace] = field(default_factory=list)
    drives: list[DrivePlace] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BodyMesh:
    """A mesh of the model on its body.

    mesh : how it is meant, smooth or not, with its feature angle
    body : index of the body that carries it, as contacts count them: a body that is held has a number of its own if an
        interface names the mesh, and is the ground (0) if none does
    triangles : closed, oriented, in the axes of the body, from its reference point (on the ground: from the origin);
        outwards, unless flip put the solid round about it
    pieces : that share no edge
    """

    mesh: Mesh
    body: int
    triangles: TriangleMesh
    pieces: int


@dataclass(slots=True)
class Assembly:
    """The arrays and the way back from them to the model.

    meshes : in the order of `Model.meshes`
    agreeing : subsystems whose redundant rows agree wherever they move, see `meant_geometry`
    """

    model: Model
    system: System
    plan: NodePlan
    bodies: list[BodyPlan | None]  # by body index; None = ground
    places: Places
    spring_place: Ints  # (n,) place of each spring of the model in the arrays
    row_names: list[str]  # what each row is, for messages
    row_wheres: list[Where]  # the block that each comes from
    main_node_ids: Ints  # (nb,) id of the main node, 0 for the ground
    meshes: list[BodyMesh] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    agreeing: frozenset[int] = frozenset()
