"""What builders leave for later builders, until what it refers to is known; none of it reaches the model as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..model import Floats, Ints, RigidWall, SpringProperty, Surface
from .block import Block
from .table_reader import Records


class IdTable(NamedTuple):
    """The ids that the records of one block define."""

    block: Block
    records: Records
    ids: Ints


@dataclass(frozen=True, slots=True)
class Material:
    """What matters of a material."""

    density: float
    void: bool


@dataclass(frozen=True, slots=True)
class ElementProperty:
    """What matters of the property of shells, solids or void elements."""

    kind: Literal["SHELL", "SOLID", "VOID"]
    thickness: float
    ishell: int


@dataclass(frozen=True, slots=True)
class Part:
    """A part: its block and the ids of its property and material."""

    block: Block
    property_id: int
    material_id: int


@dataclass(frozen=True, slots=True)
class GroupOfGroups:
    """A /GRNOD/GRNOD before its groups are known: ids, and the body line of each."""

    block: Block
    ids: Ints
    offsets: Ints


@dataclass(frozen=True, slots=True)
class UnionOfSurfaces:
    """A /SURF/SURF before its surfaces are known: ids, and the body line of each."""

    block: Block
    ids: Ints
    offsets: Ints


@dataclass(frozen=True, slots=True)
class ElementGroup:
    """A /GRSHEL, /GRSH3N or /GRBRIC: ids of elements or of parts, and the body line of each."""

    block: Block
    of_parts: bool
    ids: Ints
    offsets: Ints


class WallNodes(NamedTuple):
    """A /RWALL before its secondary nodes are chosen.

    distance : how far from the wall nodes are looked for; 0 = not at all
    added, removed : node rows of the groups
    """

    block: Block
    wall: RigidWall
    distance: float
    added: Ints
    removed: Ints


class AxisNodes(NamedTuple):
    """The two nodes (rows) that give the axis of a /CYL_JOINT; they must move as one body."""

    block: Block
    first: int
    second: int


@dataclass(slots=True)
class Unresolved:
    """All of it.

    element_tables : by family of element ids (SHELL, SPRING ...)
    dropped_ids : ids in the lists of blocks that could not be read, by keyword: known, to those who refer to them
    nodes_of_part : rows of the nodes of all elements of a part, with repetitions, -1 where an element has none
    frames : origin and axes (rows X', Y', Z')
    skipped_surfaces : ids of surfaces that Radioss knows and that are not read
    surfaces_of_elements : what makes surfaces of elements when something touches them; None after an error
    element_groups : by family (GRSHEL ...) and id
    """

    node_tables: list[tuple[IdTable, Floats]] = field(default_factory=list)
    element_tables: dict[str, list[IdTable]] = field(default_factory=dict)
    dropped_ids: dict[str, set[int]] = field(default_factory=dict)
    materials: dict[int, Material] = field(default_factory=dict)
    properties: dict[int, ElementProperty | SpringProperty] = field(default_factory=dict)
    parts: dict[int, Part] = field(default_factory=dict)
    nodes_of_part: dict[int, list[Ints]] = field(default_factory=dict)
    frames: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)
    groups_of_groups: dict[int, GroupOfGroups] = field(default_factory=dict)
    axis_nodes: list[AxisNodes] = field(default_factory=list)
    surfaces: dict[int, Surface] = field(default_factory=dict)
    skipped_surfaces: set[int | None] = field(default_factory=set)
    surfaces_of_elements: dict[int, Callable[[], Surface | None]] = field(default_factory=dict)
    element_groups: dict[tuple[str, int], ElementGroup] = field(default_factory=dict)
    unions: dict[int, UnionOfSurfaces] = field(default_factory=dict)
    walls: list[WallNodes] = field(default_factory=list)
