"""/SURF/PART, SEG and their kin: surfaces of the deck's own elements, and /GRSHEL, GRSH3N, GRBRIC, groups of elements.

Such surfaces are made when an interface first asks for them: decks may hold many, for other purposes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, integer
from ..cards.unresolved import ElementGroup
from ..model import ElementBlock, ElementFaces, Floats, Ints, Mesh, Surface
from ..text.numbers import numbered_list
from .mesh_files import FEATURE_ANGLE

_FAMILIES = {"GRSHEL": ("SHELL",), "GRSH3N": ("SH3N",), "GRBRIC": ("BRICK", "TETRA4")}
# Corners of the faces of a solid of positive volume, counter-clockwise as seen from outside.
_FACES_OF_SOLIDS = {
    "BRICK": ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    "TETRA4": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
}
_HINT_OF_EXT = "EXT takes the outer faces of solids, and shells"
Chosen = list[tuple[ElementBlock, Ints]]  # blocks of elements, and rows of those of their elements that are meant


def build_segments(block: Block, values: Values, context: Context) -> None:
    """/SURF/SEG."""
    records = values["records"]
    corners = np.stack([records.columns[f"N{k}"] for k in (1, 2, 3, 4)], axis=1)
    corners[corners[:, 3] == corners[:, 2], 3] = -1

    def make() -> Surface | None:
        lines = np.flatnonzero(corners[:, 2] < 0)
        if len(lines):
            message = "a segment of two nodes is a line, and bounds no solid"
            field = block.layout.records[0].fields[3]
            context.report_record(block, records, int(lines[0]), field, message, allowed="three or four nodes")
            return None
        return _surface(block, context, corners)

    assert block.id is not None
    context.unresolved.surfaces_of_elements[block.id] = make


def build_surface(block: Block, values: Values, context: Context) -> None:
    """/SURF/PART, MAT, PROP, GRSHEL, GRSH3N, GRBRIC."""
    words = block.keyword.strip("/").split("/")
    kind, which = words[1], words[2] if len(words) > 2 else ""

    def make() -> Surface | None:
        if which in ("ALL", "FREE"):
            what = "faces between solids" if which == "ALL" else "lines along free edges"
            message, hint = f"{which} means {what}, which bound nothing", _HINT_OF_EXT
            allowed = f"/SURF/{kind}/{block.id} or /SURF/{kind}/EXT/{block.id}"
            context.report(block.diagnose("error", message, allowed=allowed, hint=hint))
            return None
        chosen = _elements(kind, block, values, context)
        if chosen is None:
            return None
        solids = [(found, rows) for found, rows in chosen if found.keyword in _FACES_OF_SOLIDS and len(rows)]
        if solids and which != "EXT" and kind != "GRBRIC":
            message = f"/SURF/{kind} takes shells alone, and part {solids[0][0].part_id} is of solids"
            allowed = f"/SURF/{kind}/EXT/{block.id}"
            context.report(block.diagnose("error", message, allowed=allowed, hint=_HINT_OF_EXT))
            return None
        faces = [_of_shells(found.nodes[rows]) for found, rows in chosen if found.keyword not in _FACES_OF_SOLIDS]
        return _surface(block, context, np.concatenate([*faces, outer_faces(solids, context.model.nodes.coordinates)]))

    assert block.id is not None
    context.unresolved.surfaces_of_elements[block.id] = make


def build_group(block: Block, values: Values, context: Context) -> None:
    """/GRSHEL, /GRSH3N, /GRBRIC."""
    family, kind = block.declaration.name.split("/")
    assert block.id is not None
    group = ElementGroup(block, kind == "PART", values["ids"], values["id_offsets"])
    context.unresolved.element_groups[family, block.id] = group


# Which elements


def _elements(kind: str, block: Block, values: Values, context: Context) -> Chosen | None:
    """The elements that a surface names; None after an error."""
    if kind not in _FAMILIES:
        return _elements_of_parts(kind, block, values["ids"], values["id_offsets"], context)
    groups = context.unresolved.element_groups
    known = [id for family, id in groups if family == kind]
    signs: list[tuple[Chosen, bool]] = []
    for id, offset in zip(values["ids"].tolist(), values["id_offsets"].tolist(), strict=True):
        if abs(id) not in known:
            hint = (
                f"groups /{_group_names(kind)} of this deck: {numbered_list(known) or 'none'}; other kinds are not read"
            )
            context.report(block.diagnose_id(f"/{kind} {abs(id)} does not exist", offset, id, hint=hint))
            return None
        found = _elements_of_group(kind, groups[kind, abs(id)], context)
        if found is None:
            return None
        signs.append((found, id > 0))
    return _united(signs)


def _group_names(family: str) -> str:
    return f"{family}/{family[2:]} and /{family}/PART"


def _elements_of_group(family: str, group: ElementGroup, context: Context) -> Chosen | None:
    """The elements of a group; None after an error."""
    blocks = [found for found in context.model.elements if found.keyword in _FAMILIES[family]]
    if group.of_parts:
        chosen = _elements_of_parts("PART", group.block, group.ids, group.offsets, context)
        return None if chosen is None else [entry for entry in chosen if entry[0].keyword in _FAMILIES[family]]
    everything = np.concatenate([np.empty(0, dtype=np.int64), *(found.ids for found in blocks)])
    unknown = ~np.isin(np.abs(group.ids), everything)
    if unknown.any():
        _report_unknown(group.block, "element", group.ids[unknown], group.offsets[unknown], context)
        return None
    meant = group.ids[(group.ids > 0) & ~np.isin(group.ids, -group.ids[group.ids < 0])]
    return [(found, np.flatnonzero(np.isin(found.ids, meant))) for found in blocks]


def _elements_of_parts(kind: str, block: Block, ids: Ints, offsets: Ints, context: Context) -> Chosen | None:
    """All elements of parts, given by their ids or those of their materials or properties; None after an error."""
    what = {"PART": "part", "MAT": "material", "PROP": "property"}[kind]
    unknown = np.array([abs(id) not in context.defined[what] for id in ids.tolist()], dtype=bool)
    if unknown.any():
        _report_unknown(block, what, ids[unknown], offsets[unknown], context)
        return None
    added, removed = set(ids[ids > 0].tolist()), set((-ids[ids < 0]).tolist())
    id_of_part = {
        id: {"PART": id, "MAT": part.material_id, "PROP": part.property_id}[kind]
        for id, part in context.unresolved.parts.items()
    }
    meant = {part for part, id in id_of_part.items() if id in added - removed}
    return [(found, np.arange(len(found.ids))) for found in context.model.elements if found.part_id in meant]


def _united(members: list[tuple[Chosen, bool]]) -> Chosen:
    """The elements that are added and not taken out, each once."""
    blocks: dict[int, ElementBlock] = {}
    marks: dict[int, np.ndarray] = {}  # (2, n) added, removed
    for chosen, added in members:
        for block, rows in chosen:
            blocks[id(block)] = block
            mark = marks.setdefault(id(block), np.zeros((2, len(block.ids)), dtype=bool))
            mark[0 if added else 1, rows] = True
    return [(block, np.flatnonzero(marks[key][0] & ~marks[key][1])) for key, block in blocks.items()]


def _report_unknown(block: Block, kind: str, ids: Ints, offsets: Ints, context: Context) -> None:
    """Ids of a list that nothing has."""
    first = abs(int(ids[0]))
    message = f"{kind} {first} does not exist"
    if len(ids) > 1:
        plural = {"property": "properties"}.get(kind, f"{kind}s")
        message = f"{plural} {numbered_list(np.abs(ids).tolist())} do not exist"
    hint = context.nearest(kind, first) if kind in context.defined else ""
    context.report(block.diagnose_id(message, int(offsets[0]), int(ids[0]), hint=hint))


# Their faces


def _of_shells(nodes: Ints) -> Ints:
    """Nodes (k, 3 or 4) of shells as faces (k, 4)."""
    return nodes if nodes.shape[1] == 4 else np.column_stack((nodes, np.full(len(nodes), -1)))


def outer_faces(solids: Chosen, coordinates: Floats) -> Ints:
    """Faces (k, 4) of solids that no other of them shares, outwards, also of solids with a negative volume."""
    faces = [np.empty((0, 4), dtype=np.int64)]
    for block, rows in solids:
        corners = block.nodes[rows]
        of_element = np.stack([_padded(corners[:, face]) for face in _FACES_OF_SOLIDS[block.keyword]], axis=1)
        inverted = _volumes(of_element, coordinates) < 0.0
        of_element[inverted] = _turned(of_element[inverted])
        faces.append(of_element.reshape(-1, 4))
    everything = _without_repeated_corners(np.concatenate(faces))
    _, first, count = np.unique(np.sort(everything, axis=1), axis=0, return_index=True, return_counts=True)
    return everything[np.sort(first[count == 1])]


def _padded(corners: Ints) -> Ints:
    return corners if corners.shape[1] == 4 else np.column_stack((corners, np.full(len(corners), -1)))


def _turned(faces: Ints) -> Ints:
    """Faces (..., 4) the other way round; the -1 of those with three corners stays at the end."""
    three = faces[..., [2, 1, 0, 3]]
    return np.where(faces[..., 3:] < 0, three, faces[..., ::-1])


def _volumes(faces: Ints, coordinates: Floats) -> Floats:
    """Volumes (k,) within the faces (k, m, 4) of elements, near enough to tell their sign."""
    points = coordinates[np.where(faces < 0, faces[..., :1], faces)] - coordinates[faces[:, :1, :1]]
    normals = np.cross(points[:, :, 2] - points[:, :, 0], points[:, :, 3] - points[:, :, 1])
    volumes: Floats = np.einsum("kmi,kmi->k", points.mean(axis=2), normals)
    return volumes


def _without_repeated_corners(faces: Ints) -> Ints:
    """Faces (k, 4) of solids with merged corners: with three corners where two are one, none where it has no area."""
    repeated = faces == np.roll(faces, 1, axis=1)
    repeated |= (faces[:, 3:] < 0) & (np.arange(4) == 0) & (faces[:, :1] == faces[:, 2:3])
    count = (~repeated & (faces >= 0)).sum(axis=1)
    order = np.argsort(repeated | (faces < 0), axis=1, kind="stable")
    packed = np.take_along_axis(faces, order, axis=1)
    packed[np.arange(4) >= count[:, None]] = -1
    return packed[count >= 3]


def _surface(block: Block, context: Context, faces: Ints) -> Surface | None:
    """The surface of some faces; None after an error."""
    if not len(faces):
        if not any(diagnostic.severity == "error" for diagnostic in context.diagnostics):
            context.report(block.diagnose("error", "the surface has no faces: nothing of what it names has any"))
        return None
    assert block.id is not None
    mesh = Mesh(block.id, block.title, block, int(faces[0, 0]), True, math.radians(FEATURE_ANGLE), ElementFaces(faces))
    meshes = np.array([len(context.model.meshes)], dtype=np.int64)
    context.model.meshes.append(mesh)
    return Surface(block.id, block.title, block, meshes=meshes)


# Declarations

Builder = Callable[[Block, Values, Context], None]
_OF_ELEMENTS = "All its nodes must belong to one rigid body, and its faces must make a closed surface. "


def _list_keyword(names: tuple[str, ...], meaning: str, build: Builder, identity: str, reference: str = "") -> Keyword:
    notes = _OF_ELEMENTS if identity == "surface" else ""
    if len(names) > 1:
        notes += "EXT takes the outer faces of solids too; ALL and FREE may be in a deck, but cannot touch anything."
    return Keyword(
        names, meaning, build, Stage.GROUPS, listing="ids", reference=reference, identity=identity, notes=notes.strip()
    )


def _surface_keyword(kind: str, meaning: str, reference: str = "", *, ext: bool = True) -> Keyword:
    names = tuple(f"SURF/{kind}{which}" for which in (("", "/EXT", "/ALL", "/FREE") if ext else ("",)))
    return _list_keyword(names, meaning, build_surface, "surface", reference)


def _group_keyword(family: str, kind: str, meaning: str, reference: str = "") -> Keyword:
    return _list_keyword((f"{family}/{kind}",), meaning, build_group, family, reference)


KEYWORDS = [
    _surface_keyword("PART", "faces of the elements of parts; a negative id takes a part out", "part"),
    _surface_keyword("MAT", "faces of the elements of materials; a negative id takes a material out", "material"),
    _surface_keyword("PROP", "faces of the elements of properties; a negative id takes a property out"),
    Keyword(
        ("SURF/SEG",),
        "faces of three or four nodes",
        build_segments,
        Stage.GROUPS,
        records=(
            card(
                integer("seg_ID", 1, "number of the segment (no effect here)"),
                integer("N1", 11, "node", reference="node", required=True),
                integer("N2", 21, "node", reference="node", required=True),
                integer("N3", 31, "node", reference="node"),
                integer("N4", 41, "node; 0 or equal to N3 = a triangle", reference="node"),
            ),
        ),
        listing="records",
        identity="surface",
        notes=_OF_ELEMENTS + "The nodes go counter-clockwise round a face as seen from outside.",
    ),
    _surface_keyword("GRSHEL", "shells of groups /GRSHEL; a negative id takes a group out", ext=False),
    _surface_keyword("GRSH3N", "shells of groups /GRSH3N; a negative id takes a group out", ext=False),
    _surface_keyword("GRBRIC", "outer faces of the solids of groups /GRBRIC; a negative id takes a group out"),
    _group_keyword("GRSHEL", "SHEL", "group of shells of four nodes; a negative id removes a shell"),
    _group_keyword("GRSHEL", "PART", "group of the shells of parts; a negative id removes those of a part", "part"),
    _group_keyword("GRSH3N", "SH3N", "group of shells of three nodes; a negative id removes a shell"),
    _group_keyword("GRSH3N", "PART", "group of the shells of parts; a negative id removes those of a part", "part"),
    _group_keyword("GRBRIC", "BRIC", "group of solids; a negative id removes a solid"),
    _group_keyword("GRBRIC", "PART", "group of the solids of parts; a negative id removes those of a part", "part"),
]
