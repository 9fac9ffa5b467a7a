"""What assembling a model gives: the arrays, and the way back from them to the model."""

from __future__ import annotations

from dataclasses import dataclass, field

from gsolve.parser.model import Model
from gsolve.parser.text.diagnostics import Diagnostic, Where

from ..constraints.drive_setup import DrivePlace
from ..constraints.gear_joints import GearJointPlace
from ..constraints.joint_setup import CouplerPlace, JointPlace
from ..contact.mesh_bodies import BodyMesh
from ..core.bodies import Ints
from ..integration.system import System
from .body_plan import BodyPlan, NodePlan


@dataclass(slots=True)
class Places:
    """Where the joints of the model that move went, in deck order."""

    gear_joints: list[GearJointPlace] = field(default_factory=list)
    joints: list[JointPlace] = field(default_factory=list)
    couplers: list[CouplerPlace] = field(default_factory=list)
    drives: list[DrivePlace] = field(default_factory=list)


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
