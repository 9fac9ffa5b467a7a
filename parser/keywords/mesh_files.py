"""/SURF/MESH: a surface of triangles from a file; the file is looked for, and nothing of it is read."""

from __future__ import annotations

import math
import os

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, integer, real, text, vector
from ..model import Mesh, MeshFile, Surface
from ..text.files import candidates, first_file, similar_file, what_stands_at
from ..text.source import OUT_OF_REACH
from ..text.units import DENSITY, LENGTH
from .axes import global_components
from .surfaces import DENSITY_MEANING

FEATURE_ANGLE = 40.0  # degrees
_FORMATS = (".stl", ".obj", ".ply", ".off")
_ALLOWED = "STL, OBJ, PLY or OFF: a name that ends in .stl, .obj, .ply or .off"
_OF_CAD = (".stp", ".step", ".igs", ".iges", ".brep", ".x_t", ".sldprt", ".ipt", ".prt", ".catpart", ".sat", ".fcstd")
_PACKED = (".gz", ".zip", ".xz", ".bz2", ".7z")


def build_mesh(block: Block, values: Values, context: Context) -> None:
    """/SURF/MESH."""
    path = _find_file(block, values["file"], context)
    if path is None:
        return
    offset = np.array([values[name] for name in ("cx", "cy", "cz")])
    source = MeshFile(
        path,
        values["scale"],
        global_components(context, values["skew_ID"], np.eye(3)),
        global_components(context, values["skew_ID"], offset),
        values["flip"] == 1,
        values["density"],
    )
    assert block.id is not None
    surface = Mesh(
        block.id,
        block.title,
        block,
        values["node"],
        values["smooth"] == 1,
        math.radians(values["feature_angle"]),
        source,
    )
    meshes = np.array([len(context.model.meshes)], dtype=np.int64)
    context.model.meshes.append(surface)
    context.unresolved.surfaces[block.id] = Surface(block.id, block.title, block, meshes=meshes)


def _find_file(block: Block, name: str, context: Context) -> str | None:
    """The path of a mesh file, as of an #include relative to the file that names it or to the deck; None if none."""
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in _FORMATS:
        hint = ""
        if suffix in _OF_CAD:
            hint = "that is a file of a CAD program: have it write an STL file, with facets fine enough"
        elif suffix in _PACKED:
            hint = "unpack it first"
        message = f"{name} is no mesh file" if suffix else f"{name} does not say what kind of file it is"
        context.report(block.diagnose("error", message, field="file", allowed=_ALLOWED, hint=hint))
        return None
    paths = candidates(name, block.file, context.source.files[0])
    within_reach = [path for path in paths if context.source.may_name(path)]
    if not within_reach:
        message = f"the file {name} is out of reach"
        context.report(block.diagnose("error", message, field="file", hint=OUT_OF_REACH))
        return None
    path = first_file(within_reach)
    if path is None:
        close = next(filter(None, map(similar_file, within_reach)), "")
        hint = f"did you mean {close}?" if close else ""
        allowed = "a file at " + " or ".join(paths)
        stands = what_stands_at(within_reach)
        message = f"{name} is {stands}" if stands else f"the file {name} does not exist"
        context.report(block.diagnose("error", message, field="file", allowed=allowed, hint=hint))
    return path


KEYWORDS = [
    Keyword(
        ("SURF/MESH",),
        "triangle mesh of a file on a node, for contacts",
        build_mesh,
        Stage.GROUPS,
        cards=(
            card(
                integer("node", 1, "node the mesh is fixed to; 0 = ground", reference="node"),
                integer("skew_ID", 11, "axes of the file at t = 0", reference="skew"),
                integer("flip", 21, "1 = triangles the other way round: outside is where the file has inside",
                        choices=(0, 1)),
                integer("smooth", 31, "1 smooth surface recovered from the triangles, 0 the triangles as they are",
                        default=1, choices=(0, 1), zero_is_blank=False),
            ),
            card(
                real("scale", 1, "length of a 1 in the file", LENGTH, default=1.0, above=0.0),
                real("feature_angle", 21, "angle between two triangles above which there is an edge, in degrees",
                     default=FEATURE_ANGLE, minimum=0.0, maximum=180.0),
                real("density", 41, DENSITY_MEANING, DENSITY, minimum=0.0),
            ),
            card(vector(("cx", "cy", "cz"), 1, "origin of the file from the node (on the ground: from the origin)",
                        LENGTH)),
            card(text("file", 1, 100, "STL, OBJ, PLY or OFF, relative to the file that names it or to the deck",
                      required=True)),
        ),
        identity="surface",
        notes=(
            "The mesh must be closed, with its triangles facing outwards. Axes and origin are those at t = 0, the "
            "origin in the axes of the skew; from then on the mesh moves and turns with the body of the node. See "
            "[meshes](meshes.md)."
        ),
    ),
]  # fmt: skip
