"""The message for a pair of solids whose contact has more to it than the narrow phase keeps of one pair."""

from __future__ import annotations

from ..contact.mesh_bodies import kind_of, solid_of_member, solid_of_shape
from ..contact.mesh_records import MOST_ITEMS, shapes_beyond_capacity
from ..contact.setup import MOST_CAPACITY, has_full_mesh_buffer
from ..geometry.contact_points import MAX_POINTS
from ..geometry.curve2d.curves import MOST_CROSSINGS
from ..geometry.face_overlap import MOST_CORNERS, MOST_ROWS
from ..geometry.gjk_epa import MOST_DIRECTIONS
from .assembly import Assembly


def describe_contact_beyond_capacity(assembly: Assembly, k: int, where: str) -> str:
    """What went wrong in interface k of the system; its arrays may be too long already.

    where : step and time, as in "at step 3, t = 0.1 s"
    """
    contacts, model = assembly.system.contacts, assembly.model
    interface = contacts.interfaces[k]
    if has_full_mesh_buffer(contacts, k):
        rows = shapes_beyond_capacity(contacts.meshes, int(interface["list_pool"]))
        one, other = (solid_of_shape(model, contacts, row) for row in rows)
        return (
            f"the contact of solids {one.id} ({kind_of(one)}) and {other.id} ({kind_of(other)}) in "
            f"{model.interfaces[interface['number']].name} has more to it {where} than buffers of {MOST_ITEMS} nodes "
            "and triangles hold (has the run diverged, or do the meshes lie within each other?)"
        )
    if not interface["beyond_capacity"].any():
        return (
            f"{model.interfaces[interface['number']].name} has more than {MOST_CAPACITY} pairs or points of contact "
            f"{where}: so many are not kept (has the run diverged, or are all solids on top of each other?)"
        )
    one, other = (solid_of_member(model, contacts, member) for member in interface["beyond_capacity"])
    return (
        f"the contact of solids {one.id} ({kind_of(one)}) and {other.id} ({kind_of(other)}) in "
        f"{model.interfaces[interface['number']].name} has more to it {where} than is kept of a pair: {MAX_POINTS} "
        f"points, {MOST_CROSSINGS} crossings of plane curves, {MOST_DIRECTIONS} directions in which they may separate, "
        f"{MOST_ROWS} points and {MOST_CORNERS} "
        f"corners of two faces (solids that hardly overlap need a few of them; a stiffer law or a shorter time step "
        f"keeps these apart)"
    )
