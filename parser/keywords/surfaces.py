"""/SURF of exact solids, and /SURF/SURF, unions of surfaces: what /INTER lets touch."""

from __future__ import annotations

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import BLANK, Card, Field, Keyword, Stage, Values, blank_or_real, card, integer, real, vector
from ..cards.unresolved import UnionOfSurfaces
from ..model import Floats, Ints, Shape, ShapeKind, Surface
from ..text.numbers import numbered_list
from ..text.units import DENSITY, LENGTH
from .axes import AxisNames, global_components, is_blank, read_axis

_NORMAL: AxisNames = ("nx", "ny", "nz")
_KINDS: dict[str, ShapeKind] = {
    "SPHERE_SOLID": "SPHERE",
    "BOX_SOLID": "BOX",
    "CYL_SOLID": "CYLINDER",
    "FRUSTUM_SOLID": "FRUSTUM",
    "ELLIPS_SOLID": "ELLIPSOID",
    "PLANE_SOLID": "PLANE",
}
_MESHES = "MESH, PART, MAT, PROP, SEG, GRSHEL, GRSH3N, GRBRIC"
READABLE = f"solids, /SURF/{', '.join(_KINDS)}, meshes, /SURF/{_MESHES}, and their unions, /SURF/SURF"


def build_shape(block: Block, values: Values, context: Context) -> None:
    """/SURF/..._SOLID: a shape on a node, in the axes of a skew."""
    kind = _KINDS[block.declaration.name.split("/")[1]]
    axes = global_components(context, values["skew_ID"], np.eye(3))
    if kind == "PLANE":
        skew_id = values["skew_ID"]
        default = f"the z axis of skew {skew_id}" if skew_id else "the global z axis"
        normal = read_axis(
            block, values, context, _NORMAL, "the plane", skew_id=skew_id, default=default, what="normal"
        )
        if normal is None:
            return
        if not is_blank(values, _NORMAL):
            axes = _axes_with_z(normal)
    offset = global_components(context, values["skew_ID"], np.array([values[name] for name in ("cx", "cy", "cz")]))
    names = [field.name for field in block.declaration.cards[2].fields if field.name != "density"]
    sizes = [values[name] for name in names] if kind != "PLANE" else []
    dimensions = np.array([*sizes, 0.0, 0.0, 0.0][:3])
    assert block.id is not None
    row = len(context.model.shapes)
    shape = Shape(block.id, block.title, block, kind, values["node"], axes, offset, dimensions)
    shape.density = values.get("density", 0.0)
    context.model.shapes.append(shape)
    shapes = np.array([row], dtype=np.int64)
    context.unresolved.surfaces[block.id] = Surface(block.id, block.title, block, shapes)


def _axes_with_z(normal: Floats) -> Floats:
    """Some right-handed axes (rows) whose z' is a unit vector."""
    across = np.zeros(3)
    across[int(np.argmin(np.abs(normal)))] = 1.0
    y = np.cross(normal, across)
    y /= np.linalg.norm(y)
    return np.stack((np.cross(y, normal), y, normal))


def check_frustum(block: Block, values: Values, context: Context) -> bool:
    """A frustum may come to a point at one end, but not at both."""
    if values["r_bottom"] != 0.0 or values["r_top"] != 0.0:
        return True
    message = "r_bottom and r_top are both 0: the frustum has no size"
    context.report(block.diagnose("error", message, field="r_bottom", allowed="one of them more than 0"))
    return False


def build_union(block: Block, values: Values, context: Context) -> None:
    """/SURF/SURF: what is in it is looked up when all surfaces are known."""
    assert block.id is not None
    context.unresolved.unions[block.id] = UnionOfSurfaces(block, values["ids"], values["id_offsets"])


def join_surfaces(context: Context) -> None:
    """Resolve /SURF/SURF, whatever the order of the blocks.

    A union that holds something other than shapes and meshes is left out: Radioss decks may have such, for other
    purposes. Who lets it touch something is told by `surface_of`.
    """
    open_unions: list[int] = []
    done: set[int] = set()

    def resolve(id: int) -> Surface | None:
        union = context.unresolved.unions.get(id)
        if union is None or id in done:
            return context.surface(id)
        if id in open_unions:
            context.report(union.block.diagnose("error", f"surface {id} contains itself"))
            return None
        open_unions.append(id)
        members: list[tuple[Surface, bool]] = []
        complete = True
        for member, offset in zip(union.ids.tolist(), union.offsets.tolist(), strict=True):
            if abs(member) not in context.defined["surface"]:
                message, hint = f"surface {abs(member)} does not exist", context.nearest("surface", abs(member))
                context.report(union.block.diagnose_id(message, offset, member, hint=hint))
                complete = False
                continue
            surface = resolve(abs(member))
            complete &= surface is not None
            if surface is not None:
                members.append((surface, member > 0))
        open_unions.pop()
        done.add(id)
        if not complete:
            return None
        block = union.block
        surface = Surface(
            id,
            block.title,
            block,
            _united([(member.shapes, added) for member, added in members]),
            _united([(member.meshes, added) for member, added in members]),
        )
        context.unresolved.surfaces[id] = surface
        return surface

    for id in context.unresolved.unions:
        resolve(id)


def _united(members: list[tuple[Ints, bool]]) -> Ints:
    """Rows of the members that are added, each once, without those of the members that are taken out."""
    removed = {row for rows, added in members if not added for row in rows.tolist()}
    rows = dict.fromkeys(row for rows, added in members if added for row in rows.tolist())
    return np.array([row for row in rows if row not in removed], dtype=np.int64)


def surface_of(block: Block, values: Values, context: Context, field: str) -> Surface | None:
    """The surface that a field names; None after an error, also one in the block of the surface itself."""
    id = values[field]
    surface = context.surface(id)
    if surface is not None:
        if not surface.is_empty:
            return surface
        definition = context.defined["surface"][id]
        message = f"surface {id} is empty"
        hint = f"{definition.name} at {definition.place} takes out all that it holds"
        context.report(block.diagnose("error", message, field=field, hint=hint))
        return None
    others = _unreadable(context, id, set())
    if others:
        first = context.defined["surface"][others[0]]
        what = f"{first.name} at {first.place}"
        within = "" if first.id == id else f", which surface {id} contains,"
        message = f"{what}{within} cannot touch anything yet"
        if len(others) > 1:
            message += f" (nor can surface{'s' if len(others) > 2 else ''} {numbered_list(others[1:])})"
        context.report(block.diagnose("error", message, field=field, allowed=READABLE))
    return None


def _unreadable(context: Context, id: int, seen: set[int]) -> list[int]:
    """Ids of the surfaces within a surface that are known to Radioss, but are neither shapes nor meshes."""
    if id in seen:
        return []
    seen.add(id)
    union = context.unresolved.unions.get(id)
    if union is not None:
        return [other for member in union.ids.tolist() for other in _unreadable(context, abs(member), seen)]
    return [id] if id in context.unresolved.skipped_surfaces else []


_NODE_CARD = card(
    integer("node", 1, "node the shape is fixed to; 0 = ground", reference="node"),
    integer("skew_ID", 11, "axes of the shape at t = 0", reference="skew"),
)
_CENTRE_CARD = card(vector(("cx", "cy", "cz"), 1, "centre from the node (on the ground: from the origin)", LENGTH))
_NOTES = (
    "Axes and centre are those at t = 0, the centre in the axes of the skew; from then on the shape moves and turns "
    "with the body of the node."
)
DENSITY_MEANING = "density of its mass, for the rigid body of the node; 0: it has none"


def _size(name: str, first: int, meaning: str, *, may_be_zero: bool = False) -> Field:
    limit = {"minimum": 0.0} if may_be_zero else {"above": 0.0}
    return blank_or_real(name, first, meaning, LENGTH, required=True, **limit)


def _density(first: int) -> Field:
    return real("density", first, DENSITY_MEANING, DENSITY, minimum=0.0)


def _shape_keyword(name: str, meaning: str, sizes: Card, notes: str = "") -> Keyword:
    return Keyword(
        (f"SURF/{name}",),
        meaning,
        build_shape,
        Stage.GROUPS,
        cards=(_NODE_CARD, _CENTRE_CARD, sizes),
        identity="surface",
        notes=f"{notes} {_NOTES}".strip(),
        checks=(check_frustum,) if name == "FRUSTUM_SOLID" else (),
    )


KEYWORDS = [
    _shape_keyword("SPHERE_SOLID", "ball on a node, for contacts", card(_size("radius", 1, "radius"), _density(21))),
    _shape_keyword(
        "BOX_SOLID",
        "box on a node, for contacts",
        card(
            _size("lx", 1, "length along x of the skew"),
            _size("ly", 21, "length along y of the skew"),
            _size("lz", 41, "length along z of the skew"),
            _density(61),
        ),
        "The edges lie along the axes of the skew, the centre is that of the box.",
    ),
    _shape_keyword(
        "CYL_SOLID",
        "cylinder on a node, for contacts",
        card(_size("radius", 1, "radius"), _size("length", 21, "length along z of the skew"), _density(41)),
        "It lies along the z axis of the skew, with the centre halfway.",
    ),
    _shape_keyword(
        "FRUSTUM_SOLID",
        "truncated cone, or cone, on a node, for contacts",
        card(
            _size("r_bottom", 1, "radius of the end at -length/2; 0 = a point", may_be_zero=True),
            _size("r_top", 21, "radius of the end at +length/2; 0 = a point", may_be_zero=True),
            _size("length", 41, "length along z of the skew"),
            _density(61),
        ),
        "It lies along the z axis of the skew, with the centre halfway between the ends.",
    ),
    _shape_keyword(
        "ELLIPS_SOLID",
        "solid ellipsoid on a node, for contacts",
        card(
            _size("a", 1, "semi-axis along x of the skew"),
            _size("b", 21, "semi-axis along y of the skew"),
            _size("c", 41, "semi-axis along z of the skew"),
            _density(61),
        ),
    ),
    _shape_keyword(
        "PLANE_SOLID",
        "half-space on a node, for contacts: all behind a plane is solid",
        card(
            vector(_NORMAL, 1, "outward normal (all blank means z)", default=BLANK, zero_is_blank=False),
            optional=True,
        ),
        "The centre is a point of the plane; the normal is given in the skew, of any length.",
    ),
    Keyword(
        ("SURF/SURF",),
        "union of surfaces; a negative id takes the shapes and meshes of a surface out",
        build_union,
        Stage.GROUPS,
        listing="ids",
        reference="surface",
        identity="surface",
    ),
]
