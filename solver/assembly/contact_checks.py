"""Contacts and walls that may not be what was meant, before the first step."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import (
    ContactInterface,
    ForceCurveInterface,
    Mesh,
    MeshFile,
    Model,
    Shape,
    meshes_of,
    shapes_of,
)
from gsolve.parser.text.diagnostics import Diagnostic
from gsolve.parser.text.numbers import numbered_list

from ..contact.rigid_wall_setup import distance_to, in_front
from ..core.bodies import Ints
from ..core.unit_names import unit
from .body_plan import NodePlan
from .mesh_checks import CheckedMeshes

MOVED = 1e-6  # of the size of a solid, or of a unit of length, from which on it is worth a word


def warn_of_moved_solids(model: Model, plan: NodePlan, checked: CheckedMeshes) -> list[Diagnostic]:
    """Warnings for solids counted from main nodes that ICoG moves: they move along, unless their mass is counted."""
    length, found = unit(model.units, length=1), []
    solids: list[tuple[Shape | Mesh, float]] = [
        (model.shapes[row], max(model.shapes[row].dimensions) or 1.0)
        for row in sorted({row for contact in model.interfaces for row in shapes_of(contact).tolist()})
    ]
    for mesh, triangles in zip(model.meshes, checked.meshes, strict=True):
        if isinstance(mesh.source, MeshFile) and triangles is not None:
            solids.append((mesh, triangles.size()))
    for solid, size in solids:
        if solid.node < 0 or solid.density:
            continue
        distance = float(np.linalg.norm(plan.coordinates[solid.node] - model.nodes.coordinates[solid.node]))
        if distance > MOVED * size:
            message = (
                f"this solid stands {distance:.6g} {length} from where it was drawn: it is counted from main node "
                f"{model.nodes.ids[solid.node]}, which ICoG moved to the mass centre of its body"
            )
            hint = "count it from a secondary node, choose ICoG 3 or 4, or give it its density"
            found.append(solid.where.diagnose("warning", message, hint=hint))
    return found


def refuse_of_meshes(model: Model) -> list[Diagnostic]:
    """Errors for what interfaces with meshes, or with tessellated solids, cannot do."""
    errors = []
    for contact in model.interfaces:
        tessellates = isinstance(contact, ContactInterface) and not contact.exact
        meshes = meshes_of(contact).tolist()
        if not meshes and not tessellates:
            continue
        if isinstance(contact, ForceCurveInterface) and contact.gap and len(contact.side_i.meshes):
            message = f"{model.meshes[contact.side_i.meshes[0]].name} is a mesh, and Gap makes no meshes larger"
            errors.append(contact.where.diagnose("error", message, field="Gap", allowed="0"))
        curves = [row for row in shapes_of(contact).tolist() if model.shapes[row].kind == "CURVE"]
        if curves and tessellates:
            message = f"analytical 2 makes meshes of solids, and {model.shapes[curves[0]].name}, a plane curve, "
            message += "touches no meshes"
            errors.append(
                contact.where.diagnose("error", message, field="analytical", found="2", allowed="0 or 1 with curves")
            )
    return errors


def warn_of_walls(model: Model, plan: NodePlan) -> list[Diagnostic]:
    """What walls do not do as it may be expected: nodes without mass, nodes behind them, filters of friction."""
    warnings = []
    for wall in model.rigid_walls:
        mass = np.array([plan.bodies[b].mass if b >= 0 else 0.0 for b in plan.body_of_node[wall.nodes]])
        light = wall.nodes[(mass <= 0.0) & ~plan.held[wall.nodes]]
        if len(light):
            message = f"{counted_nodes(model, light, 'has', 'have')} no mass and cannot be held by the wall"
            warnings.append(wall.where.diagnose("doubt", message, hint="give mass with /ADMAS, or leave them out"))
        behind = wall.nodes[(mass > 0.0) & ~in_front(wall, model)[wall.nodes]]
        if len(behind) and wall.kind != "PARAL":
            deepest = -distance_to(wall, model)[behind].min()
            message = (
                f"{counted_nodes(model, behind, 'stands', 'stand')} behind the wall at t = 0, by up to "
                f"{deepest:.6g} {unit(model.units, length=1)}"
            )
            hint = "a penalty wall pushes them out" if wall.penalty else "the wall lets them out, but no deeper in"
            warnings.append(wall.where.diagnose("warning", message, hint=hint))
        if wall.filter_kind:
            message = "the filter of friction is not used: a force that stops a node within a step needs none"
            warnings.append(wall.where.diagnose("warning", message, field="ifq", found=str(wall.filter_kind)))
    return warnings


def counted_nodes(model: Model, rows: Ints, one: str, many: str) -> str:
    """Nodes by their ids, with the verb."""
    ids = sorted(model.nodes.ids[rows].tolist())
    return f"node {ids[0]} {one}" if len(ids) == 1 else f"nodes {numbered_list(ids)} {many}"
