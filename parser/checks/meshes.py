"""Checks of surfaces that need all bodies: what the nodes of elements move with, and who gets the mass of solids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..cards.context import Context
from ..model import ElementFaces, Mesh, Shape

BodyOf = Callable[[int], int]  # row of the node whose body carries a node


def check_meshes(context: Context, body_of: BodyOf, main_nodes: set[int]) -> None:
    """Surfaces of elements are rigid, and densities give mass to rigid bodies; findings go to the context.

    main_nodes : rows of the main nodes of all rigid bodies
    """
    for mesh in context.model.meshes:
        if isinstance(mesh.source, ElementFaces):
            _check_one_body(context, mesh, mesh.source, body_of, main_nodes)
        elif mesh.density:
            _check_carrier(context, mesh, body_of, main_nodes)
    for shape in context.model.shapes:
        if shape.density:
            _check_carrier(context, shape, body_of, main_nodes)


def check_idle_bodies(context: Context) -> None:
    """Rigid bodies that have nothing to move, neither nodes nor mass."""
    model = context.model
    solids: list[Shape | Mesh] = [*model.shapes, *model.meshes]
    carriers = {solid.node for solid in solids if solid.density}
    for body in model.rigid_bodies:
        added = body.added_mass or body.added_inertia[:3].any()
        if not len(body.secondary_nodes) and not added and body.main_node not in carriers:
            message = "the rigid body has neither secondary nodes nor mass or inertia: it does nothing"
            context.report(body.where.diagnose("doubt", message, field="grnd_ID"))


def _check_one_body(context: Context, mesh: Mesh, source: ElementFaces, body_of: BodyOf, main_nodes: set[int]) -> None:
    """All nodes of a surface of elements belong to one rigid body."""
    ids = context.model.nodes.ids
    nodes = np.unique(source.faces)
    bodies = {node: body_of(node) for node in nodes[nodes >= 0].tolist()}
    first = next((node for node, body in bodies.items() if body in main_nodes), -1)
    if first < 0:
        message = f"node {ids[mesh.node]} of the surface belongs to no rigid body, nor do the others"
        hint = "put its nodes into the group of an /RBODY; hold that by /BCS if the surface is to stay where it is"
        context.report(mesh.where.diagnose("error", message, allowed="nodes of one rigid body", hint=hint))
        return
    others = [node for node, body in bodies.items() if body != bodies[first]]
    if not others:
        return
    body = bodies[others[0]]
    own = f"to the body of node {ids[body]}" if body in main_nodes else "to no rigid body"
    more = {1: "", 2: " (nor does one more)"}.get(len(others), f" (nor do {len(others) - 1} more)")
    message = (
        f"node {ids[others[0]]} of the surface does not belong to the body of node {ids[bodies[first]]}, "
        f"as node {ids[first]} does, but {own}{more}"
    )
    hint = "put the node into the group of that body, or leave its elements out of the surface"
    context.report(mesh.where.diagnose("error", message, allowed="nodes of one rigid body", hint=hint))


def _check_carrier(context: Context, solid: Shape | Mesh, body_of: BodyOf, main_nodes: set[int]) -> None:
    """There is a rigid body that the mass of a solid can go to."""
    if solid.node < 0:
        message = "the density has no effect: the solid is fixed to the ground"
        context.report(solid.where.diagnose("warning", message, field="density"))
    elif body_of(solid.node) not in main_nodes:
        message = f"node {context.model.nodes.ids[solid.node]} belongs to no rigid body that could get the mass"
        hint = "make it the main node of an /RBODY, or put it into the group of one"
        context.report(solid.where.diagnose("error", message, field="density", hint=hint))
