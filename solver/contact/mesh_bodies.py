"""Meshes of the model on their bodies, and as shapes of contacts."""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from gsolve.parser.model import ContactInterface, ForceCurveInterface, Mesh, MeshFile, Model, Shape

from ..core.bodies import Floats, Ints, Record, Records
from ..geometry.mesh.triangle_mesh import TriangleMesh
from ..geometry.shapes import CURVE, MESH, PLANE, set_shape
from .records import Contacts


@dataclass(frozen=True, slots=True)
class BodyMesh:
    """A mesh of the model on its body.

    mesh : how it is meant, smooth or not, with its feature angle
    body : index of the body that carries it, as contacts count them: a body that is held has a number of its own if an
        interface names the mesh, and is the ground (0) if none does
    triangles : closed, oriented, in the axes of the body, from its reference point (on the ground: from the origin);
        outwards, unless flip put the solid round about it
    own, axes : the same in axes that turn with it, and (3, 3) rows of these in axes of the body
    pieces : that share no edge
    hollow : whether the solid is round about it
    """

    mesh: Mesh
    body: int
    triangles: TriangleMesh
    own: TriangleMesh
    axes: Floats
    pieces: int
    hollow: bool

    def centred(self) -> tuple[TriangleMesh, Floats]:
        """The mesh in its own axes, from the centre of the box that holds it; where that is, (3,) in axes of the body.

        To the last bit the same wherever and however the body stands, so that all that is decided about it is.
        """
        centre = self.own.bounds().mean(axis=0)
        place = self.triangles.vertices[0] + (centre - self.own.vertices[0]) @ self.axes
        return self.own.moved(np.eye(3), -centre), place

    def shape_key(self) -> Hashable:
        """Equal for meshes that are the same in their axes; None for one of its own."""
        source = self.mesh.source
        if not isinstance(source, MeshFile):
            return None
        return os.path.realpath(source.path), source.flip, source.scale, self.mesh.feature_angle, self.mesh.smooth


def solid_of_member(model: Model, contacts: Contacts, member: int) -> Shape | Mesh:
    """The shape or mesh of the model that a member of an interface is."""
    return solid_of_shape(model, contacts, int(contacts.members["shape"][member]))


def solid_of_shape(model: Model, contacts: Contacts, row: int) -> Shape | Mesh:
    """The shape or mesh of the model that a shape of contacts is."""
    source = int(contacts.shapes["source"][row])
    return model.shapes[source] if source < len(model.shapes) else model.meshes[source - len(model.shapes)]


def kind_of(solid: Shape | Mesh) -> str:
    """For messages."""
    return "MESH" if isinstance(solid, Mesh) else solid.kind


def fill_mesh_shape(record: Record, mesh: BodyMesh) -> None:
    """A mesh as a shape on its body; `build_mesh_contacts` knows more about those that touch."""
    centred, centre = mesh.centred()
    radius = float(np.linalg.norm(centred.vertices, axis=1).max())
    set_shape(record, MESH, mesh.body, centre, mesh.axes, (radius, radius, radius))


def kinds_of_members(contact: ContactInterface | ForceCurveInterface, shapes: Records, rows: Ints) -> Ints:
    """(n,) kinds as which shapes of an interface touch: exact ones that it asks to be tessellated are meshes."""
    kinds = shapes["kind"][rows].copy()
    if isinstance(contact, ContactInterface) and not contact.exact:
        kinds[~np.isin(kinds, (PLANE, CURVE))] = MESH
    return kinds
