"""Contact interfaces of the model as the arrays of `solver/contact/records.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from gsolve.parser.model import (
    ContactInterface,
    CoulombFriction,
    ForceCurveInterface,
    Model,
    Shape,
    Surface,
)
from numpy.typing import NDArray

from ..core.bodies import NO_ROTATION, Floats, Ints, Record, Records, zeros_in_lines
from ..core.functions import FunctionTables
from ..core.windows import window_of_contact
from ..geometry.broad_phase import BOUNDS, CELLS_PER_SHAPE, FEWEST_CELLS, LARGE, MEMBER, SIDE_I, SIDE_J, SKIN
from ..geometry.contact_points import new_points
from ..geometry.gjk_epa import new_scratch
from ..geometry.pair_table import new_pair_kernels
from ..geometry.shapes import BOX, CURVE, CYLINDER, ELLIPSOID, FRUSTUM, MESH, PLANE, SPHERE, new_shapes, set_shape
from .body_pairs import build_body_pairs
from .dispatch import no_contact_kernels
from .force_curve_setup import build_curves, grown
from .mesh_bodies import BodyMesh, fill_mesh_shape, kinds_of_members
from .mesh_records import no_mesh_contacts, with_longer_buffer
from .normal_laws import (
    COULOMB,
    DYNAMIC_ONLY,
    NO_FRICTION,
    STICTION,
    USER,
    USER_FRICTION,
    VOLUME,
    fill_law,
)
from .part_setup import with_slots
from .patches import has_patches
from .plane_curve_setup import PlacedOutline, outlines_of, plane_curves_of
from .records import (
    CONTACT,
    DEBT,
    FRAME,
    INTERFACE,
    MOVE,
    PATCH,
    ROUTINE,
    SPRING,
    TOUCH,
    Contacts,
    Routines,
    no_contacts,
    no_parts,
)
from .touches import WITH_EDGES

KINDS = {
    "SPHERE": SPHERE, "ELLIPSOID": ELLIPSOID, "CYLINDER": CYLINDER, "FRUSTUM": FRUSTUM, "BOX": BOX, "PLANE": PLANE,
    "CURVE": CURVE,
}  # fmt: skip
FRICTIONS = {"STATIC_AND_DYNAMIC": COULOMB, "DYNAMIC": DYNAMIC_ONLY, "STICTION": STICTION}
MOST_CAPACITY = 2**24  # candidates or points of an interface: some gigabytes
# exponent from which on a force begins so gently that its first and last kick need no care; what dampers take is more
SMOOTH_START = 1.5
USUAL_STABILITY = 0.1  # of plane curves, where the deck cannot give it
PAIRS_PER_MEMBER, POINTS_PER_MEMBER, LEAST_CAPACITY = 8, 4, 64


def build_contacts(
    model: Model, order: Ints, points: Records, bodies: Records, tables: FunctionTables,
    function_index: dict[int, int], meshes: Sequence[BodyMesh] = (),
) -> Contacts:  # fmt: skip
    """The interfaces model.interfaces[order[0]], [order[1]] ... as arrays.

    meshes : of the model, on their bodies
    """
    if len(order) == 0:
        return no_contacts(tables)
    in_order = [model.interfaces[k] for k in order]
    solids: list[Shape | BodyMesh] = [*model.shapes, *meshes]
    sources, first_mesh = list(range(len(solids))), len(model.shapes)
    sides = [sides_of_members(contact, solids, sources, first_mesh) for contact in in_order]
    shapes, outlines = new_shapes(len(solids)), outlines_of(model.shapes)
    shapes["source"] = sources
    for row, (record, solid) in enumerate(zip(shapes, solids, strict=True)):
        if isinstance(solid, BodyMesh):
            fill_mesh_shape(record, solid)
        else:
            fill_shape(record, solid, points, model.nodes.coordinates, outlines.get(row))
    interfaces: Records = np.zeros(len(order), INTERFACE)
    interfaces["curve"], interfaces["recoverable"] = -1, math.nan
    interfaces["last_own"] = len(bodies)
    interfaces["curve_stability"], interfaces["tilt_time"] = USUAL_STABILITY, math.nan
    curves = build_curves(interfaces, in_order, function_index)
    for record, contact in zip(interfaces, in_order, strict=True):
        if isinstance(contact, ContactInterface):
            fill_interface(record, contact)
    kinds = [kinds_of_members(contact, shapes, rows) for contact, (rows, _) in zip(in_order, sides, strict=True)]
    mesh_contacts = no_mesh_contacts()
    if any(np.any(of_members == MESH) for of_members in kinds):
        from .mesh_setup import build_mesh_contacts

        mesh_contacts = build_mesh_contacts(interfaces, in_order, shapes, sides, meshes, first_mesh)
    first = 0
    for record, k, (member_shapes, _) in zip(interfaces, order, sides, strict=True):
        record["window"] = window_of_contact(model.interfaces[k], model)
        record["number"], record["first_member"], record["last_member"] = k, first, first + len(member_shapes)
        record["skin"] = SKIN * typical_radius(shapes, member_shapes)
        record["rolling_length"] = smallest_half_extent(shapes, member_shapes)
        record["smallest_half_extent"] = min(record["greatest_penetration"], record["rolling_length"])
        first += len(member_shapes)
    by_law = (interfaces["curve"] < 0) & (interfaces["law"] != USER)
    interfaces["returns_debt"] = by_law & [
        owes(law, of_members, side) for law, of_members, (_, side) in zip(interfaces["law"], kinds, sides, strict=True)
    ]
    interfaces["exact_ends"] = (interfaces["exponent"] < SMOOTH_START) & (
        (interfaces["depends_on_rate"] == 0) | (interfaces["zero_crossing"] == 1)
    )
    turning = bodies["turning"][shapes["body"]] != NO_ROTATION
    interfaces["turns"] = [np.any(turning[member_shapes]) for member_shapes, _ in sides]
    interfaces["has_patches"] = [
        has_patches(interface, of_members, side)
        for interface, of_members, (_, side) in zip(interfaces, kinds, sides, strict=True)
    ]
    interfaces["has_couples"] = interfaces["has_patches"] * (
        (interfaces["patch_radius"] > 0.0)
        | (interfaces["rolling_arm"] > 0.0)
        | (interfaces["last_mesh_pair"] > interfaces["first_mesh_pair"])
    )
    interfaces["uses_areas"] = np.isin(interfaces["law"], (VOLUME, USER)) | (interfaces["friction"] != NO_FRICTION)
    interfaces["areas"] = 1  # until it is known what samples there are
    interfaces["keeps_points"] = np.isin(interfaces["friction"], (STICTION, USER_FRICTION))
    interfaces["keeps_points"] |= interfaces["keeps_touch_speed"]
    shape_of_member = np.concatenate([member_shapes for member_shapes, _ in sides])
    origin = bodies["centre"][shapes["body"][shape_of_member]].mean(axis=0)
    offsets = bodies["centre"] - origin
    frames, moves = zeros_in_lines(len(bodies), FRAME), zeros_in_lines(len(bodies), MOVE)
    frames["place"], frames["inverse_mass"] = offsets, bodies["inverse_mass"]
    members = zeros_in_lines(first, MEMBER)
    of = shapes[shape_of_member]
    members["shape"], members["side"] = shape_of_member, np.concatenate([side for _, side in sides])
    members["kind"], members["body"] = np.concatenate(kinds), of["body"]
    members["large"] = np.concatenate([is_large(shapes, member_shapes) for member_shapes, _ in sides])
    members["centred"] = np.all(of["centre"] == 0.0, axis=1)
    members["radius"] = np.where(members["kind"] == SPHERE, of["bounding_radius"], np.nan)
    pair_points, scratch = new_points(), new_scratch()
    cuts_steps = any(contact.zero_crossing for contact in model.contacts)
    pair_kernels = new_pair_kernels(kinds_that_meet(kinds, sides), gaps=cuts_steps)
    none, pairs = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    found, springs, patches = np.zeros(0, CONTACT), np.zeros(0, SPRING), np.zeros(0, PATCH)
    asked = np.any((interfaces["law"] == USER) | (interfaces["friction"] == USER_FRICTION))
    routines = Routines(*(np.zeros(len(interfaces) if asked else 0, ROUTINE) for _ in Routines._fields))
    contacts = Contacts(
        interfaces, origin, shapes, members, np.zeros(first, BOUNDS), none, pairs, pairs, offsets, frames,
        no_parts(), moves, found, springs, patches, np.zeros(0, TOUCH), np.zeros(0, DEBT), pair_points, pair_kernels,
        scratch,
        plane_curves_of(outlines), mesh_contacts, curves, tables, build_body_pairs(model, interfaces, points), routines,
        no_contact_kernels(),
    )  # fmt: skip
    counts = interfaces["last_member"] - interfaces["first_member"]
    return with_capacity(
        contacts, PAIRS_PER_MEMBER * counts + LEAST_CAPACITY, POINTS_PER_MEMBER * counts + LEAST_CAPACITY
    )


def with_capacity(contacts: Contacts, pair_capacity: Ints, point_capacity: Ints) -> Contacts:
    """The contacts with capacity for so many candidates and points of each interface (n,); points at hand are kept."""
    interfaces, before = contacts.interfaces.copy(), contacts.interfaces
    cells = CELLS_PER_SHAPE * (interfaces["last_member"] - interfaces["first_member"]) + FEWEST_CELLS + 1
    blocks = 1 + interfaces["keeps_points"]  # of points, this step's and the last one's
    sizes_of = {"cell": cells, "pair": pair_capacity, "contact": blocks * point_capacity, "touch": 2 * point_capacity}
    for name, sizes in sizes_of.items():
        interfaces[f"first_{name}"] = np.cumsum(sizes) - sizes
    interfaces["pair_capacity"], interfaces["point_capacity"], interfaces["pairs"] = pair_capacity, point_capacity, -1
    points = np.zeros(int((blocks * point_capacity).sum()), CONTACT)
    springs = np.zeros(len(points) if interfaces["keeps_points"].any() else 0, SPRING)
    patches = np.zeros(len(points) if interfaces["has_patches"].any() else 0, PATCH)
    touches = np.zeros(2 * int(point_capacity.sum()), TOUCH)
    debts = np.zeros(len(touches) if interfaces["returns_debt"].any() else 0, DEBT)
    for was, now in zip(before, interfaces, strict=True):
        for turn in range(2):
            source, target = (of["first_touch"] + turn * of["point_capacity"] for of in (was, now))
            copy_block(contacts.touches, touches, source, target, was["point_capacity"])
            copy_block(contacts.debts, debts, source, target, was["point_capacity"])
        for turn in range(1 + was["keeps_points"]):
            source, target = (of["first_contact"] + turn * of["point_capacity"] for of in (was, now))
            copy_block(contacts.contacts, points, source, target, was["point_capacity"])
            copy_block(contacts.springs, springs, source, target, was["point_capacity"])
            copy_block(contacts.patches, patches, source, target, was["point_capacity"])
    return contacts._replace(
        interfaces=interfaces,
        parts=with_slots(contacts.parts, interfaces),
        cell_start=np.zeros(int(cells.sum()), dtype=np.int64),
        pair=np.zeros((int(pair_capacity.sum()), 2), dtype=np.int64),
        near=np.zeros((int(pair_capacity.sum()), 2), dtype=np.int64),
        contacts=points,
        springs=springs,
        patches=patches,
        touches=touches,
        debts=debts,
    )


def copy_block(before: Records, now: Records, source: int, target: int, length: int) -> None:
    """Copy `length` records; nothing of an array that is empty, as no interface needs it."""
    if len(before) > 0:
        now[target : target + length] = before[source : source + length]


def owes(law: int, kinds: Ints, side: Ints) -> bool:
    """Whether shapes of these kinds, on these sides, may touch in a way whose force is no gradient, see `may_owe`."""
    may = kinds != SPHERE if law == VOLUME else np.isin(kinds, WITH_EDGES)
    on_i, on_j = side & SIDE_I != 0, side & SIDE_J != 0
    always = bool(np.any(kinds >= CURVE))  # plane curves and meshes, with whatever they touch
    return always or bool(np.any(may & on_i) and np.any(may & on_j))


def has_full_mesh_buffer(contacts: Contacts, k: int) -> bool:
    """Whether pairs of meshes of interface k found a buffer too short."""
    pools, interface = contacts.meshes.pools, contacts.interfaces[k]
    has_pairs = interface["last_mesh_pair"] > interface["first_mesh_pair"]
    return bool(has_pairs and pools["full"][interface["list_pool"]])


def may_have_more_capacity(interface: Record) -> bool:
    """Whether the buffers of an interface may still be doubled."""
    return max(int(interface["pair_capacity"]), int(interface["point_capacity"])) < MOST_CAPACITY


def with_more_capacity(contacts: Contacts, k: int) -> Contacts:
    """Twice the capacity for candidates and points of interface k, or of what its meshes found too short."""
    if has_full_mesh_buffer(contacts, k):
        meshes = with_longer_buffer(contacts.meshes, int(contacts.interfaces["list_pool"][k]))
        return contacts._replace(meshes=meshes)
    factor = np.ones(len(contacts.interfaces), dtype=np.int64)
    factor[k] = 2
    return with_capacity(
        contacts, factor * contacts.interfaces["pair_capacity"], factor * contacts.interfaces["point_capacity"]
    )


# ---- shapes ----------------------------------------------------------------------------------------------------


def fill_shape(record: Record, shape: Shape, points: Records, drawn: Floats, outline: PlacedOutline | None) -> None:
    """A shape on its body; what is fixed to the ground stands where it stands.

    drawn : (n, 3) places of the nodes in the deck; what brings mass stays where it was counted from there, also if
        ICoG then moves its node
    outline : of a plane curve
    """
    body, arm = 0, shape.offset
    dimensions = dimensions_of(shape)
    if outline is not None:
        arm, dimensions = arm + outline.centre @ shape.axes[:2], outline.dimensions
        record["curve"] = outline.row
    if shape.node >= 0:
        body = int(points["body"][shape.node])
        arm = arm + (points["arm"][shape.node] if body else points["origin"][shape.node])
        if shape.density:
            arm = arm + (drawn[shape.node] - points["origin"][shape.node])
    set_shape(record, KINDS[shape.kind], body, arm, shape.axes, dimensions)


def dimensions_of(shape: Shape) -> Floats:
    """As `solver/geometry/shapes.py` wants them: half lengths, and both radii of a cylinder."""
    a, b, c = shape.dimensions
    if shape.kind == "BOX":
        return np.array([a, b, c]) / 2
    if shape.kind == "CYLINDER":
        return np.array([a, a, b / 2])
    if shape.kind == "FRUSTUM":
        return np.array([a, b, c / 2])
    return np.asarray(shape.dimensions, dtype=float)


def sides_of_members(
    contact: ContactInterface | ForceCurveInterface, solids: list[Shape | BodyMesh], sources: list[int], first_mesh: int
) -> tuple[Ints, Ints]:
    """Rows of the solids of an interface, sorted, and the sides they are on; adds to the solids those that a gap makes.

    sources : row in the model of each solid.  first_mesh : the first that is a mesh
    """

    def rows_of(side: Surface) -> list[int]:
        return [*side.shapes.tolist(), *(side.meshes + first_mesh).tolist()]

    side_i = rows_of(contact.side_i)
    if isinstance(contact, ForceCurveInterface) and contact.gap > 0.0:
        first = len(solids)
        for row in side_i:
            solid = solids[row]
            assert not isinstance(solid, BodyMesh)
            solids.append(grown(solid, contact.gap))
        sources += side_i
        side_i = list(range(first, len(solids)))
    side: dict[int, int] = dict.fromkeys(side_i, SIDE_I)
    for shape in rows_of(contact.side_j) if contact.side_j else side_i:
        side[shape] = side.get(shape, 0) | SIDE_J
    shapes = np.array(sorted(side), dtype=np.int64)
    return shapes, np.array([side[shape] for shape in shapes.tolist()], dtype=np.int64)


def kinds_that_meet(kinds_of_members: list[Ints], sides: list[tuple[Ints, Ints]]) -> set[tuple[int, int]]:
    """Kinds of shapes that may touch, for the members of each interface and the sides they are on.

    Without those of spheres with each other and with half spaces, which the loop itself knows.
    """
    found = set()
    for kinds, (_, side) in zip(kinds_of_members, sides, strict=True):
        kinds_i, kinds_j = (np.unique(kinds[(side & on_side) != 0]).tolist() for on_side in (SIDE_I, SIDE_J))
        found |= {(i, j) for i in kinds_i for j in kinds_j}
    return found - {(SPHERE, SPHERE), (SPHERE, PLANE), (PLANE, SPHERE)}


def typical_radius(shapes: Records, chosen: Ints) -> float:
    """Median bounding radius of what is bounded."""
    radii = shapes["bounding_radius"][chosen]
    radii = radii[np.isfinite(radii)]
    return float(np.median(radii)) if len(radii) else 1.0


def smallest_half_extent(shapes: Records, chosen: Ints) -> float:
    """Of what is bounded; of a frustum the wider end counts."""
    of = shapes[chosen][np.isfinite(shapes["bounding_radius"][chosen])]
    if len(of) == 0:
        return math.inf
    a, b, c = of["dimensions"].T
    width = np.where(np.isin(of["kind"], (CYLINDER, FRUSTUM)), np.maximum(a, b), np.minimum(a, b))
    return float(np.where(of["kind"] == SPHERE, a, np.minimum(width, c)).min())


def is_large(shapes: Records, chosen: Ints) -> Ints:
    """(n,) 1 for shapes that do not fit into the grid of the others."""
    return (shapes["bounding_radius"][chosen] > LARGE * typical_radius(shapes, chosen)).astype(np.int64)


# ---- laws ------------------------------------------------------------------------------------------------------


def fill_interface(record: Record, contact: ContactInterface) -> None:
    """Law and friction."""
    record["zero_crossing"], record["curve_stability"] = contact.zero_crossing, contact.curve_stability
    record["greatest_penetration"] = contact.greatest_penetration
    fill_law(record, contact.law)
    record["friction"] = NO_FRICTION
    if isinstance(contact.friction, CoulombFriction):
        fill_friction(record, contact.friction)
    elif contact.friction is not None:
        record["friction"] = USER_FRICTION


def fill_friction(record: Record, friction: CoulombFriction) -> None:
    record["friction"] = FRICTIONS[friction.kind]
    for name in ("mu_static", "mu_dynamic", "static_velocity", "dynamic_velocity", "patch_radius", "rolling_arm"):
        record[name] = getattr(friction, name)
    for name in ("tangential_stiffness", "tangential_damping"):
        value = getattr(friction, name)
        record[name] = math.nan if value is None else value


def is_damped_contact(interfaces: Records) -> NDArray[np.bool_]:
    """(n,) whether the forces of an interface depend on velocities."""
    rate = (interfaces["depends_on_rate"] == 1) | (interfaces["curve"] >= 0)
    return np.asarray(rate | (interfaces["friction"] != NO_FRICTION))
