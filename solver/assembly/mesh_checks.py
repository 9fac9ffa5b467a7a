"""The meshes of a model, read and checked: files once, however many surfaces are made of them."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from gsolve.parser.model import ElementFaces, Mesh, MeshFile, Model
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.bodies import Floats, Ints
from ..core.known import Known, bytes_of, digest_of
from ..geometry.mesh.crossings import find_crossings
from ..geometry.mesh.defects import find_defects, without_collapsed
from ..geometry.mesh.file_census import MeshFileError
from ..geometry.mesh.file_reader import read_mesh_file
from ..geometry.mesh.known_surfaces import MOST_BYTES as MOST_BYTES_KNOWN
from ..geometry.mesh.pieces import pieces_of, separate_fans
from ..geometry.mesh.properties import signed_volume
from ..geometry.mesh.triangle_mesh import TriangleMesh
from ..geometry.mesh.weld import WELD_TOLERANCE, weld
from .mesh_messages import MeshMessages

FEWEST_TRIANGLES = 4  # of a closed surface
MOST_TRIANGLES = 5_000_000  # of all meshes of a deck: some gigabytes by the time they can touch
# Sizes of meshes, in the file and in the deck: products of six of them still are numbers.
SMALLEST, LARGEST = 1e-30, 1e30
MOST_BYTES = 1_000_000_000  # of all mesh files of a deck


class Checked(NamedTuple):
    """What came of a mesh.

    pieces : that share no edge
    hollow : whether no solid is within it
    silent : whether nothing was said about it: of others all is to be said again
    """

    mesh: TriangleMesh | None
    pieces: int
    hollow: bool
    silent: bool


UNUSABLE = Checked(None, 0, hollow=False, silent=False)


@dataclass(slots=True)
class CheckedMeshes:
    """The meshes of a model.

    meshes : of each in the order of the model, in global axes at t = 0, from the global origin; None after an error
    own : the same where the file has them, times the scale of the deck; those of faces of the deck where these are
    found : what came of each, whatever its scale and place
    diagnostics : all that there is to say about them
    """

    meshes: list[TriangleMesh | None]
    own: list[TriangleMesh | None]
    found: list[Checked]
    diagnostics: list[Diagnostic]


def check_meshes(model: Model) -> CheckedMeshes:
    """Read and check all meshes of a model."""
    checked = CheckedMeshes([], [], [], _size_errors(model))
    if checked.diagnostics:
        nothing = [None] * len(model.meshes)
        return CheckedMeshes([*nothing], [*nothing], [UNUSABLE] * len(model.meshes), checked.diagnostics)
    known: dict[tuple[str, bool], Checked] = {}
    triangles = 0
    for mesh in model.meshes:
        source = mesh.source
        messages = MeshMessages(mesh, model)
        if isinstance(source, ElementFaces):
            found = _checked(_triangles_of_faces(source.faces, model.nodes.coordinates), messages, flip=False)
        else:
            key = os.path.realpath(source.path), source.flip
            if key not in known:
                known[key] = _read(source, messages)
            found = known[key]
        checked.diagnostics += messages.found
        sound = found.mesh
        if sound is not None:
            triangles += len(sound.triangles)
            if triangles > MOST_TRIANGLES:
                checked.diagnostics.append(messages.too_many(triangles, MOST_TRIANGLES))
                sound = None
        own = sound if sound is None or isinstance(source, ElementFaces) else sound.scaled(source.scale)
        placed = None if own is None else _placed(mesh, own, model)
        extent = 1.0 if placed is None else float(np.ptp(placed.bounds(), axis=0).max())
        if not SMALLEST < extent < LARGEST:
            checked.diagnostics += messages.of_scale(extent, SMALLEST, LARGEST)
            placed = None
        if placed is not None and mesh.density and found.hollow:
            checked.diagnostics.append(messages.of_hollow())
        checked.meshes.append(placed)
        checked.own.append(own)
        checked.found.append(found)
        if triangles > MOST_TRIANGLES:
            break
    left = len(model.meshes) - len(checked.meshes)
    checked.meshes += [None] * left
    checked.own += [None] * left
    checked.found += [UNUSABLE] * left
    return checked


def errors_of_files(model: Model) -> list[Diagnostic]:
    """What is wrong with the mesh files of a deck that has other errors; warnings wait until it has none."""
    files = [mesh for mesh in model.meshes if isinstance(mesh.source, MeshFile)]
    return [found for found in check_meshes(replace(model, meshes=files)).diagnostics if found.severity == "error"]


def _size_errors(model: Model) -> list[Diagnostic]:
    """Errors about files that are too large to be read, before any is."""
    total, seen, errors = 0, set[str](), list[Diagnostic]()
    for mesh in model.meshes:
        if not isinstance(mesh.source, MeshFile):
            continue
        path = os.path.realpath(mesh.source.path)
        if path in seen:
            continue
        seen.add(path)
        try:
            total += os.path.getsize(path)
        except OSError:
            continue  # reading it says why
        if total > MOST_BYTES:
            errors.append(MeshMessages(mesh, model).too_large(total, MOST_BYTES))
            break
    return errors


def _read(source: MeshFile, messages: MeshMessages) -> Checked:
    """The mesh of a file in the units and axes of the file."""
    try:
        mesh = read_mesh_file(source.path)
    except MeshFileError as error:
        messages.cannot_read(error)
        return UNUSABLE
    return _checked(mesh, messages, flip=source.flip)


def _triangles_of_faces(faces: Ints, coordinates: Floats) -> TriangleMesh:
    """Faces (k, 4) of nodes as triangles; those with four corners are cut along the shorter diagonal."""
    three = faces[:, 3] < 0
    four = faces[~three]
    diagonals = [np.linalg.norm(coordinates[four[:, k + 2]] - coordinates[four[:, k]], axis=1) for k in (0, 1)]
    other = diagonals[1] < (1.0 - 1e-9) * diagonals[0]
    start = np.where(other[:, None], four[:, [1, 2, 3, 0]], four)
    triangles = np.concatenate((faces[three, :3], start[:, [0, 1, 2]], start[:, [0, 2, 3]]))
    return TriangleMesh(coordinates, triangles)


def _bytes_of(checked: Checked) -> float:
    return bytes_of(checked.mesh) if checked.silent and checked.mesh is not None else math.inf


_known = Known[Checked](MOST_BYTES_KNOWN, _bytes_of)


def _checked(raw: TriangleMesh, messages: MeshMessages, *, flip: bool) -> Checked:
    """A mesh that bounds a solid, facing outwards unless it was flipped on purpose, or None."""

    def find() -> Checked:
        mesh, pieces = _check(raw, messages, flip=flip)
        hollow = mesh is not None and not signed_volume(mesh) > 0.0
        return Checked(mesh, pieces, hollow, silent=not messages.found)

    return _known.get((digest_of(raw), flip), find)


def _check(raw: TriangleMesh, messages: MeshMessages, *, flip: bool) -> tuple[TriangleMesh | None, int]:
    """The same of a mesh that is not known, and its pieces."""
    corners = raw.corners()
    finite = np.isfinite(corners).all(axis=(1, 2))
    if not finite.all():
        messages.not_finite(int(np.count_nonzero(~np.isfinite(corners))), int(np.argmin(finite)))
        return None, 0
    if len(raw.triangles) < FEWEST_TRIANGLES:
        messages.too_few(len(raw.triangles))
        return None, 0
    largest = float(np.abs(corners).max())
    if largest > 0.0 and not SMALLEST < largest < LARGEST:
        messages.out_of_range(largest, SMALLEST, LARGEST)
        return None, 0
    tolerance = WELD_TOLERANCE * largest
    mesh, collapsed = without_collapsed(weld(raw, tolerance))
    if len(mesh.triangles) < FEWEST_TRIANGLES:
        messages.no_extent(len(raw.triangles), raw.size(), tolerance)
        return None, 0
    if collapsed is not None:
        messages.collapsed(collapsed)
    defects = find_defects(mesh)
    messages.defects(defects)
    if defects.unsound:
        return None, 0
    mesh = separate_fans(mesh)
    mesh, pieces = (mesh.turned(), len(pieces_of(mesh).volumes)) if flip else _facing_outwards(mesh, messages)
    crossings = find_crossings(mesh, tolerance)
    if crossings is not None:
        messages.crossings(crossings)
    return mesh, pieces


def _facing_outwards(mesh: TriangleMesh, messages: MeshMessages) -> tuple[TriangleMesh, int]:
    """The mesh with pieces turned that face inwards and lie in no other, and how many pieces it has."""
    pieces = pieces_of(mesh)
    inside_out = (pieces.volumes < 0.0) & (pieces.depths % 2 == 0)
    nested = (pieces.volumes > 0.0) & (pieces.depths % 2 == 1)
    wrong = inside_out[pieces.of_triangle]
    if wrong.any():
        first = mesh.corners()[wrong][0].mean(axis=0)
        messages.inside_out(int(inside_out.sum()), len(inside_out), first)
        mesh = TriangleMesh(mesh.vertices, np.where(wrong[:, None], mesh.turned().triangles, mesh.triangles))
    if nested.any():
        messages.nested(int(nested.sum()), mesh.corners()[nested[pieces.of_triangle]][0].mean(axis=0))
    return mesh, len(pieces.volumes)


def _placed(mesh: Mesh, own: TriangleMesh, model: Model) -> TriangleMesh:
    """A mesh where the deck draws it, in global axes."""
    source = mesh.source
    if isinstance(source, ElementFaces):
        return own
    node = model.nodes.coordinates[mesh.node] if mesh.node >= 0 else np.zeros(3)
    return own.moved(source.axes.T, node + source.offset)
