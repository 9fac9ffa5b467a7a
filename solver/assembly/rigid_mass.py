"""Mass, centre and inertia of nodes that move as one rigid body.

With S(d) = (d.d) E - d d^T a set of nodes has about its centre G the inertia  sum I_i + sum m_i S(x_i - x_G)
(parallel-axis theorem), so that I_xy takes -m dx dy.  The Radioss theory manual (chapter on rigid bodies, equations
8 to 10) prints the products of inertia with sums in place of products and with mixed signs; the theorem is meant.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gsolve.parser.model import Model, RigidBody, Units
from gsolve.parser.text.diagnostics import Diagnostic, Where
from numpy.typing import NDArray

from ..core.bodies import Floats, Ints
from ..core.unit_names import unit
from .nodal_mass import NodalMasses

# ICoG of /RBODY: where the centre is.
CENTRE_OF_SECONDARY_NODES = 2
CENTRE_AT_MAIN_NODE = 3
MAIN_NODE_ONLY = 4
# Ispher of /RBODY.
MADE_SPHERICAL = 1
CORRECTED_IF_ILL_CONDITIONED = 2

LARGEST_INERTIA_RATIO = 1000.0
CORRECTION = 0.1
# I_1 <= I_2 + I_3 holds for every body; the slack lets inertias through that were rounded to four digits.
TRIANGLE_SLACK = 1e-4
# A principal inertia below this fraction of the largest is round-off, that is zero.
INERTIA_ROUND_OFF = 1e-13


class BodyMass(NamedTuple):
    """Mass properties of a body at t = 0, global axes."""

    mass: float
    centre: Floats  # (3,)
    inertia: Floats  # (3, 3) about the centre
    main_node_position: Floats  # (3,)


def inertia_about(centre: Floats, positions: Floats, masses: Floats, inertias: Floats) -> Floats:
    """Inertia (3, 3) about `centre` (3,) of parts with masses (k,), centres (k, 3) and inertias (k, 3, 3)."""
    arms = positions - centre
    second_moments = np.einsum("k,ki,kj->ij", masses, arms, arms)
    xx, yy, zz = np.diagonal(second_moments)
    offset_part = -second_moments
    # Summed pair by pair: trace minus one term would lose the small inertia of a long thin body.
    np.fill_diagonal(offset_part, (yy + zz, zz + xx, xx + yy))
    return inertias.sum(axis=0) + offset_part


def mass_centre(positions: Floats, masses: Floats) -> Floats:
    """Centre (3,) of point masses (k,) at positions (k, 3); the first position if there is no mass."""
    total = masses.sum()
    if total == 0.0:
        return positions[0].copy()
    # Relative to the first point, so that a body far from the origin loses no digits.
    return positions[0] + np.einsum("k,ki->i", masses, positions - positions[0]) / total


def tied_mass(nodes: Ints, model: Model, nodal: NodalMasses) -> BodyMass:
    """Mass properties of nodes that are tied rigidly; the first of `nodes` (k,) is the main node, which stays."""
    positions, masses, inertias = nodal.parts_of(nodes, model.nodes.coordinates)
    centre = mass_centre(positions, masses)
    inertia = inertia_about(centre, positions, masses, inertias)
    return BodyMass(float(masses.sum()), centre, inertia, positions[0].copy())


def rigid_body_mass(body: RigidBody, model: Model, nodal: NodalMasses) -> tuple[BodyMass, list[Diagnostic]]:
    """Mass properties of an /RBODY, with what there is to say about them.

    Masses and inertias of the nodes join the body first.  Then, by ICoG:

    1 : centre of all nodes, with the added mass at the main node and J about it; the main node moves there
    2 : centre of the secondary nodes; main node, added mass and J are moved there
    3 : the main node is the centre; secondary masses count, their inertia taken about the main node
    4 : the main node is the centre; secondary masses are ignored

    Solids with a density count as secondary masses at their own mass centres, also those on the main node; for 4 only
    those on the main node count.

    For 3 and 4 the main node *is* the mass centre by decree: it moves on the straight line of a free body, gravity
    acts there, and the first moment of masses off it is dropped (only their inertia stays, for 3).  This is what
    these values mean in Radioss; it is a different body from the one that the masses describe.

    Zero mass or inertia is no error here (a body that is held needs none): see `check_positive`.
    """
    nodes = np.concatenate(([body.main_node], body.secondary_nodes))
    if body.centre_flag == MAIN_NODE_ONLY:
        nodes = nodes[:1]
    positions, masses, inertias = nodal.parts_of(nodes, model.nodes.coordinates)
    masses[0] += body.added_mass
    inertias[0] += _added_inertia(body, model)
    diagnostics = []
    if body.centre_flag == CENTRE_OF_SECONDARY_NODES:
        if masses[1:].sum() <= 0.0:
            diagnostics.append(_no_secondary_mass(body))
        else:
            positions[0] = mass_centre(positions[1:], masses[1:])
        centre = positions[0]
    elif body.centre_flag in (CENTRE_AT_MAIN_NODE, MAIN_NODE_ONLY):
        centre = positions[0]
    else:
        centre = mass_centre(positions, masses)
    inertia = inertia_about(centre, positions, masses, inertias)
    inertia, remarks = _conditioned_inertia(inertia, body, model.units)
    centre = centre.copy()
    return BodyMass(float(masses.sum()), centre, inertia, centre.copy()), diagnostics + remarks


def _added_inertia(body: RigidBody, model: Model) -> Floats:
    """J (3, 3) of the cards in global axes; its products are tensor terms, J_xy = -sum m x y."""
    xx, yy, zz, xy, yz, xz = body.added_inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if body.skew_id == 0:
        return tensor
    axes = model.skews[body.skew_id].axes
    return axes.T @ tensor @ axes


def _conditioned_inertia(inertia: Floats, body: RigidBody, units: Units) -> tuple[Floats, list[Diagnostic]]:
    """The inertia after Ispher, and warnings about a correction and about an impossible inertia."""
    if body.spherical_flag == MADE_SPHERICAL:
        return np.eye(3) * (np.trace(inertia) / 3.0), []
    diagnostics = []
    principal, axes = np.linalg.eigh(inertia)
    small = principal < principal[2] / LARGEST_INERTIA_RATIO
    if body.spherical_flag == CORRECTED_IF_ILL_CONDITIONED and small.any():
        diagnostics.append(
            body.where.diagnose(
                "warning",
                f"principal inertias {_listed(principal, units)} differ by a factor of more than "
                f"{LARGEST_INERTIA_RATIO:g}: {CORRECTION:.0%} of the largest is added to the small ones",
                field="Ispher",
                found="2",
                hint="Ispher 3 keeps the inertia as computed",
            )
        )
        principal = principal + small * CORRECTION * principal[2]
        inertia = (axes * principal) @ axes.T
        principal = np.sort(principal)
    if principal[2] > (1.0 + TRIANGLE_SLACK) * (principal[0] + principal[1]):
        diagnostics.append(
            body.where.diagnose(
                "warning",
                f"principal inertias {_listed(principal, units)} belong to no real body: "
                "the largest exceeds the sum of the other two",
                hint="check the added inertia of the rigid body",
            )
        )
    return inertia, diagnostics


def _no_secondary_mass(body: RigidBody) -> Diagnostic:
    return body.where.diagnose(
        "error",
        "the secondary nodes have no mass, so their centre cannot be found",
        field="ICoG",
        found="2",
        allowed="1, 3 or 4, or mass on the secondary nodes",
        hint="add mass with /ADMAS, or use ICoG 1",
    )


def check_positive(mass: BodyMass, where: Where, units: Units) -> list[Diagnostic]:
    """Errors if the mass or a principal inertia of a body that moves freely is not positive."""
    errors = []
    if mass.mass <= 0.0:
        errors.append(
            where.diagnose(
                "error",
                f"the mass of the body is {mass.mass:.6g} {unit(units, mass=1)}",
                found=f"{mass.mass:.6g}",
                allowed="a positive mass",
                hint="add mass on the card or with /ADMAS, or hold the body in all directions",
            )
        )
    principal = np.linalg.eigvalsh(mass.inertia)
    if principal[0] <= INERTIA_ROUND_OFF * principal[2]:
        errors.append(
            where.diagnose(
                "error",
                f"the principal inertias of the body are {_listed(principal, units)}",
                found=f"{principal[0]:.6g}",
                allowed="three positive principal inertias",
                hint="its masses lie on one line or in one point: add inertia, or hold the body in all rotations",
            )
        )
    return errors


def _listed(principal: NDArray[np.floating[Any]], units: Units) -> str:
    return ", ".join(f"{value:.6g}" for value in principal) + f" {unit(units, mass=1, length=2)}"
