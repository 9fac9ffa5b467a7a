"""Masses and rotary inertias of the nodes, and the elements that gsolve cannot take.

Everything that brings mass to nodes (/ADMAS, elements, springs, gear joints) is turned into lumps, one a node and
source, and the lumps are summed.  All rotary inertias of nodes are spherical.  Solids with a density bring mass to a
place of its own, and count with the node that carries them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from gsolve.parser.model import ElementBlock, GearJoint, Model, Spring
from gsolve.parser.text.diagnostics import Diagnostic
from numpy.typing import NDArray

from ..core.bodies import Floats, Ints
from .solid_mass import NO_SOLIDS, SolidMasses

# Rotary inertia of a shell as OpenRadioss lends it to a node: share of the mass * (A / divisor + t^2/12)
# (starter/source/elements/shell/coque/cinmas.F and sh3n/coque3n/c3inmas.F).
QUADRILATERAL_DIVISOR = 9.0
QUADRILATERAL_DIVISOR_QBAT_QEPH = 12.0  # Ishell >= 11
TRIANGLE_DIVISOR = 4.5
FIRST_ISHELL_WITH_TWELVE = 11

IDS_IN_MESSAGE = 5


class NodalMasses(NamedTuple):
    """Masses and rotary inertias of all nodes of a model, before any rigid body is formed; solids by themselves."""

    mass: Floats  # (n,)
    inertia: Floats  # (n, 3, 3) about the node, global axes
    solids: SolidMasses = NO_SOLIDS

    def parts_of(self, nodes: Ints, coordinates: Floats) -> tuple[Floats, Floats, Floats]:
        """Positions (k, 3), masses (k,) and inertias (k, 3, 3) of some nodes, then of the solids that they carry.

        coordinates : (n, 3) of all nodes
        """
        if not len(self.solids.nodes):
            return coordinates[nodes], self.mass[nodes], self.inertia[nodes]
        solids = self.solids.on(nodes)
        return (
            np.concatenate((coordinates[nodes], solids.centre)),
            np.concatenate((self.mass[nodes], solids.mass)),
            np.concatenate((self.inertia[nodes], solids.inertia)),
        )


class _Lumps(NamedTuple):
    """Masses and spherical inertias at node rows; a node may appear many times."""

    nodes: Ints
    mass: Floats
    inertia: Floats


def nodal_masses(model: Model, solids: SolidMasses = NO_SOLIDS) -> NodalMasses:
    """Sum of all masses and rotary inertias that the deck gives to nodes, in working units, and solids."""
    count = len(model.nodes)
    mass = np.zeros(count)
    spherical = np.zeros(count)
    for lumps in _all_lumps(model):
        mass += np.bincount(lumps.nodes, lumps.mass, minlength=count)
        spherical += np.bincount(lumps.nodes, lumps.inertia, minlength=count)
    inertia = np.zeros((count, 3, 3))
    inertia[:, range(3), range(3)] = spherical[:, None]
    return NodalMasses(mass, inertia, solids)


def _all_lumps(model: Model) -> Iterator[_Lumps]:
    coordinates = model.nodes.coordinates
    if model.added_masses:
        nodes = np.concatenate([added.nodes for added in model.added_masses])
        masses = np.concatenate([added.masses for added in model.added_masses])
        yield _Lumps(nodes, masses, np.zeros(len(nodes)))
    for block in model.elements:
        yield (
            _shell_lumps(block, coordinates) if block.keyword in ("SHELL", "SH3N") else _solid_lumps(block, coordinates)
        )
    if model.springs:
        yield _spring_lumps(model.springs, coordinates)
    if model.gear_joints:
        yield _gear_joint_lumps(model.gear_joints)


def _shell_lumps(block: ElementBlock, coordinates: Floats) -> _Lumps:
    """Equal shares of rho A t at the corners, with the rotary inertia of OpenRadioss.

    A is half the length of the cross product of the diagonals, which is exact for flat elements and for
    triangles (fourth node absent or equal to the third).
    """
    corners = block.nodes[:, [0, 1, 2, min(3, block.nodes.shape[1] - 1)]]
    corners[:, 3] = np.where(corners[:, 3] < 0, corners[:, 2], corners[:, 3])
    triangle = corners[:, 3] == corners[:, 2]
    first_diagonal = coordinates[corners[:, 2]] - coordinates[corners[:, 0]]
    second_diagonal = coordinates[corners[:, 3]] - coordinates[corners[:, 1]]
    area = 0.5 * np.linalg.norm(np.cross(first_diagonal, second_diagonal), axis=1)

    quadrilateral = block.ishell >= FIRST_ISHELL_WITH_TWELVE
    divisor = np.where(
        triangle, TRIANGLE_DIVISOR, QUADRILATERAL_DIVISOR_QBAT_QEPH if quadrilateral else QUADRILATERAL_DIVISOR
    )
    share = block.density * area * block.thickness / np.where(triangle, 3.0, 4.0)
    mass = np.repeat(share[:, None], 4, axis=1)
    mass[triangle, 3] = 0.0
    inertia = mass * (area / divisor + block.thickness**2 / 12.0)[:, None]
    return _Lumps(corners.ravel(), mass.ravel(), inertia.ravel())


def _solid_lumps(block: ElementBlock, coordinates: Floats) -> _Lumps:
    """Equal shares of rho |V| at the distinct corners; solids lend no rotary inertia."""
    volume = tetrahedron_volumes if block.keyword == "TETRA4" else brick_volumes
    mass = block.density * np.abs(volume(coordinates, block.nodes))
    distinct = np.ones(block.nodes.shape, dtype=bool)
    for corner in range(1, block.nodes.shape[1]):
        distinct[:, corner] = ~(block.nodes[:, :corner] == block.nodes[:, corner, None]).any(axis=1)
    share = distinct * (mass / distinct.sum(axis=1))[:, None]
    return _Lumps(block.nodes.ravel(), share.ravel(), np.zeros(share.size))


def tetrahedron_volumes(coordinates: Floats, nodes: Ints) -> Floats:
    """Signed volumes (k,) of tetrahedra with corner rows `nodes` (k, 4)."""
    apex = coordinates[nodes[:, 0]]
    a, b, c = (coordinates[nodes[:, corner]] - apex for corner in (1, 2, 3))
    return _triple(a, b, c) / 6.0


def brick_volumes(coordinates: Floats, nodes: Ints) -> Floats:
    """Signed volumes (k,) of trilinear hexahedra with corner rows `nodes` (k, 8), faces 1-2-3-4 and 5-6-7-8.

    Exact also for warped faces and merged corners: sum of three triple products about the long diagonal 1-7
    (J. Grandy, Efficient computation of volume of hexahedral cells, UCRL-ID-128886, 1997, eq. 12).
    """
    origin = coordinates[nodes[:, 0]]
    x1, x2, x3, x4, x5, x6, x7 = (coordinates[nodes[:, corner]] - origin for corner in range(1, 8))
    volume = _triple(x6 - x1 + x7, x6 - x3, x2)
    volume += _triple(x7, x6 - x3 + x5, x6 - x4)
    volume += _triple(x6 - x1, x5, x6 - x4 + x2)
    return volume / 12.0


def _triple(a: Floats, b: Floats, c: Floats) -> Floats:
    return np.einsum("ki,ki->k", a, np.cross(b, c))


def _spring_lumps(springs: list[Spring], coordinates: Floats) -> _Lumps:
    """Half of the mass and of the inertia of each spring at each of its ends."""
    ends = np.array([(spring.node_1, spring.node_2) for spring in springs], dtype=np.int64)
    mass = np.array([spring.property.mass for spring in springs])
    inertia = np.array([spring.property.inertia for spring in springs])
    per_length = np.array([spring.property.per_length for spring in springs])
    length = np.linalg.norm(coordinates[ends[:, 1]] - coordinates[ends[:, 0]], axis=1)
    mass = np.where(per_length, mass * length, mass)
    return _Lumps(ends.ravel(), np.repeat(0.5 * mass, 2), np.repeat(0.5 * inertia, 2))


def _gear_joint_lumps(joints: list[GearJoint]) -> _Lumps:
    nodes = np.array([joint.nodes for joint in joints])
    present = nodes >= 0
    masses = np.array([joint.masses for joint in joints])
    inertias = np.array([joint.inertias for joint in joints])
    return _Lumps(nodes[present], masses[present], inertias[present])


def check_elements(model: Model, body_of_node: Ints) -> list[Diagnostic]:
    """One error for each block of elements of which some would have to deform.

    body_of_node : (n,) index of the body that carries each node (the ground counts as a body), negative where
    a node belongs to none.  An element is rigid if one body carries all its nodes; void elements never deform.
    """
    errors = []
    for block in model.elements:
        deforming = block.ids[~_is_rigid(block, body_of_node)]
        if block.void or not len(deforming):
            continue
        shown = ", ".join(str(element) for element in deforming[:IDS_IN_MESSAGE])
        if len(deforming) > IDS_IN_MESSAGE:
            shown += ", ..."
        part = f'part {block.part_id} "{block.part_title}"' if block.part_title else f"part {block.part_id}"
        elements = "element" if len(deforming) == 1 else "elements"
        errors.append(
            block.where.diagnose(
                "error",
                f"{len(deforming)} {elements} of {part} would have to deform, and gsolve does not deform elements",
                found=f"{elements} {shown}",
                allowed="elements whose nodes all belong to one rigid body, or void elements",
                hint="add the nodes to the group of one /RBODY, or use /MAT/VOID if the part brings mass only",
            )
        )
    return errors


def _is_rigid(block: ElementBlock, body_of_node: Ints) -> NDArray[np.bool_]:
    first = block.nodes[:, :1]
    bodies = body_of_node[np.where(block.nodes < 0, first, block.nodes)]
    return (bodies == bodies[:, :1]).all(axis=1) & (bodies[:, 0] >= 0)
