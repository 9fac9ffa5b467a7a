"""What is said about meshes: what is wrong, where, and what to do."""

from __future__ import annotations

import os

from gsolve.parser.model import Mesh, MeshFile, Model
from gsolve.parser.text.diagnostics import Diagnostic, Severity
from gsolve.parser.text.numbers import counted

from ..core.bodies import Floats
from ..core.unit_names import unit
from ..geometry.mesh.defects import Defects, Holes, Spot, Turned
from ..geometry.mesh.file_census import MeshFileError

CLOSED = "a closed surface: each edge with one triangle on each side"
ONE_SENSE = "triangles that all face outwards"


class MeshMessages:
    """The messages about one mesh.

    found : so far
    """

    def __init__(self, mesh: Mesh, model: Model) -> None:
        self._mesh, self._model = mesh, model
        self._of_file = isinstance(mesh.source, MeshFile)
        self._what = os.path.basename(mesh.source.path) if isinstance(mesh.source, MeshFile) else "the surface"
        self.found: list[Diagnostic] = []

    # The file

    def cannot_read(self, error: MeshFileError) -> None:
        self._say("error", f"{self._what} {error.message}", hint=error.hint)

    def too_large(self, size: int, most: int) -> Diagnostic:
        message = "the mesh files of the deck are too large together, this one included"
        return self._diagnostic(
            "error",
            message,
            found=f"{size / 1e6:.0f} MB",
            allowed=f"{most / 1e6:.0f} MB",
            hint="export coarser meshes, or as binary STL, which is the shortest",
        )

    def too_many(self, count: int, most: int) -> Diagnostic:
        message = "the meshes of the deck have too many triangles together, this one included"
        return self._diagnostic(
            "error",
            message,
            found=f"{count}",
            allowed=f"{most}",
            hint="export coarser meshes: what is smooth needs few",
        )

    def not_finite(self, count: int, triangle: int) -> None:
        numbers = counted(count, "coordinate is no finite number", "coordinates are no finite numbers")
        message = f"{self._what}: {numbers} (NaN or infinite), first in triangle {triangle + 1}"
        self._say("error", message, hint="export it again")

    def too_few(self, count: int) -> None:
        if not count:
            hint = "it may hold points or lines alone: export it as a triangle mesh"
            self._say("error", f"{self._what} has no triangles", allowed=CLOSED, hint=hint)
            return
        held = "one triangle" if count == 1 else f"{count} triangles"
        self._say("error", f"{self._what} has {held}, which bounds no solid", allowed=CLOSED)

    def out_of_range(self, largest: float, least: float, most: float) -> None:
        message = f"{self._what}: the largest of its coordinates is {largest:.6g}"
        hint = "its numbers are no lengths of a part: export it again"
        self._say("error", message, allowed=f"between {least:g} and {most:g}", hint=hint)

    def of_scale(self, size: float, least: float, most: float) -> list[Diagnostic]:
        """An error where the scale of a file makes its mesh too large or too small for numbers."""
        message = f"the mesh is {size:.6g} {unit(self._model.units, length=1)} large by this scale"
        allowed = f"between {least:g} and {most:g}"
        return [self._mesh.where.diagnose("error", message, field="scale", allowed=allowed)]

    def no_extent(self, count: int, size: float, tolerance: float) -> None:
        """size, tolerance : of all triangles, and within which vertices are one"""
        message, hint = f"{self._what}: all of {count} triangles lie in a point or on a line", ""
        if size > 0.0:
            message += f", as vertices no further apart than {self._length(tolerance)} are one"
            hint = "that is 1e-6 of the largest coordinate: move the origin to the part"
        self._say("error", message, allowed=CLOSED, hint=hint)

    # The triangles

    def collapsed(self, spot: Spot) -> None:
        message = (
            f"{self._what}: {counted(spot.number, 'triangle')} left out, as two of the corners are one "
            f"point{self._first(spot)}"
        )
        self._say("warning", message)

    def defects(self, defects: Defects) -> None:
        """All defects of a mesh, those that it can be used with as warnings."""
        if defects.repeated is not None:
            spot = defects.repeated
            message = f"{self._what}: {counted(spot.number, 'triangle has', 'triangles have')} the corners of another"
            self._say("error", message + self._first(spot), hint="remove double faces; faces inside a solid as well")
        if defects.crowded is not None:
            spot = defects.crowded
            message = f"{self._what}: more than two triangles share {counted(spot.number, 'edge')}"
            hint = "remove faces inside the solid; parts that only touch along an edge go into files of their own"
            self._say("error", message + self._first(spot), allowed=CLOSED, hint=hint)
        if defects.turned is not None:
            self._turned(defects.turned)
        if defects.holes is not None:
            self._holes(defects.holes)
        if defects.flat is not None:
            spot = defects.flat
            have = counted(spot.number, "triangle has", "triangles have")
            message = f"{self._what}: {have} no area, as the corners lie on one line{self._first(spot)}"
            self._say("warning", message, hint="their normals are chance: export or mesh the part again if it matters")

    def _turned(self, turned: Turned) -> None:
        spot = Spot(turned.number, turned.place)
        if turned.one_sided:
            message = f"{self._what} has one side only, as a Moebius strip has, and no inside{self._first(spot)}"
            self._say("error", message, allowed=ONE_SENSE)
            return
        who = counted(spot.number, "triangle faces", "triangles face")
        message = f"{self._what}: {who} the other way than the neighbours{self._first(spot)}"
        hint = "make the normals consistent: programs for meshes have a command for it"
        self._say("error", message, allowed=ONE_SENSE, hint=hint)

    def _holes(self, holes: Holes) -> None:
        spot = Spot(holes.edges, holes.place)
        free = counted(spot.number, "edge has", "edges have")
        if holes.on_edges is not None:
            crack = holes.on_edges
            lies = counted(crack.number, "vertex lies", "vertices lie")
            message = f"{self._what} has cracks or T-junctions: {lies} on edges of triangles without being their corner"
            message += f"{self._first(crack)}; {free} a triangle on one side only"
            hint = "both sides of an edge need the same corners: merge vertices, or mesh the part as one solid"
            self._say("error", message, allowed=CLOSED, hint=hint)
            return
        loops = "one hole" if holes.loops == 1 else f"{holes.loops} holes"
        length = self._length(holes.loop_length)
        rim = f"its rim is {holes.loop_edges} edges long, {length}"
        message = f"{self._what} is open: {loops}, {free} a triangle on one side only{self._first(spot)}, where {rim}"
        hint = "close it: export a solid, not a sheet, or fill the holes with a program for meshes"
        self._say("error", message, allowed=CLOSED, hint=hint)

    def inside_out(self, count: int, pieces: int, place: Floats) -> None:
        if count == pieces:
            message = f"{self._what} is inside out: its triangles face inwards, and were turned"
            hint = "flip 1 says that this is known" if self._of_file else "number the nodes of its faces the other way"
        else:
            are = counted(count, "is", "are")
            message = f"{self._what}: of {pieces} pieces {are} inside out, and turned{self._first(Spot(count, place))}"
            hint = ""
        self._say("warning", message, hint=hint)

    def nested(self, count: int, place: Floats) -> None:
        pieces = "a piece" if count == 1 else f"{count} pieces"
        lie = "lies within another and faces outwards" if count == 1 else "lie within others and face outwards"
        message = f"{self._what}: {pieces} {lie}, so that matter is there twice{self._first(Spot(count, place))}"
        self._say("doubt", message, hint="the wall of a cavity faces into the cavity")

    def crossings(self, spot: Spot) -> None:
        pairs = "a pair of triangles crosses" if spot.number == 1 else f"{spot.number} pairs of triangles cross"
        message = f"{self._what} goes through itself: {pairs}{self._first(spot)}"
        hint = "unite the parts in the CAD program; where they overlap, forces and mass count twice"
        self._say("doubt", message, hint=hint)

    def of_hollow(self) -> Diagnostic:
        """The error where a density belongs to a mesh with its outside within."""
        message = "the density has no volume: flip 1 puts the solid round about the mesh"
        return self._mesh.where.diagnose("error", message, field="density", allowed="no density with that flip")

    # Parts of messages

    def _say(self, severity: Severity, message: str, *, allowed: str = "", hint: str = "") -> None:
        self.found.append(self._diagnostic(severity, message, allowed=allowed, hint=hint))

    def _diagnostic(
        self, severity: Severity, message: str, *, found: str = "", allowed: str = "", hint: str = ""
    ) -> Diagnostic:
        field = "file" if self._of_file else ""
        return self._mesh.where.diagnose(severity, message, field=field, found=found, allowed=allowed, hint=hint)

    def _first(self, spot: Spot) -> str:
        """Where something is, or where the first of several are."""
        place = "(" + ", ".join(f"{x:.5g}" for x in spot.place + 0.0) + ")"
        return f", {'the first ' if spot.number > 1 else ''}at {place}{' of the file' if self._of_file else ''}"

    def _length(self, length: float) -> str:
        if self._of_file:
            return f"{length:.4g} in the file"
        return f"{length:.4g} {unit(self._model.units, length=1)}"
