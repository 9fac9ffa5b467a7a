"""The whole model, and what is asked of a run: its control and its histories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..text.diagnostics import Diagnostic, Where
from .bodies import AddedMass, DirectionalTie, ElementBlock, MultiPointConstraint, RigidBody, RigidTie, VelocityLink
from .common import Entity, Function, Ints, Nodes, Skew, Units
from .conditions import BoundaryCondition, ConcentratedLoad, Gravity, ImposedMotion, InitialVelocity
from .contact import ContactInterface, ForceCurveInterface, Mesh, MeshFile, RigidWall, Shape
from .joints import Coupler, Drive, GearJoint, Joint, Spring
from .sensors import AnySensor


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
    stop_sensors: list[int] = field(default_factory=list)
    run_number: int = 1
    where_run: Where | None = None


@dataclass(slots=True)
class Model:
    """A whole deck, read and checked.

    gjoint_alpha : how FscaleV of its gear joints was taken when it was read
    """

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
    sensors: dict[int, AnySensor] = field(default_factory=dict)
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
    meshes: list[Mesh] = field(default_factory=list)
    contacts: list[ContactInterface] = field(default_factory=list)
    force_curve_contacts: list[ForceCurveInterface] = field(default_factory=list)
    rigid_walls: list[RigidWall] = field(default_factory=list)
    history_requests: list[HistoryRequest] = field(default_factory=list)
    parameters: dict[str, float | int] = field(default_factory=dict)
    gjoint_alpha: Literal["documented", "inverse"] = "documented"
    warnings: list[Diagnostic] = field(default_factory=list)

    @property
    def mesh_files(self) -> list[str]:
        """The files of meshes, each once."""
        return list(dict.fromkeys(mesh.source.path for mesh in self.meshes if isinstance(mesh.source, MeshFile)))

    @property
    def interfaces(self) -> list[ContactInterface | ForceCurveInterface]:
        """All contacts between solids: those of `contacts`, then those of `force_curve_contacts`."""
        return [*self.contacts, *self.force_curve_contacts]
