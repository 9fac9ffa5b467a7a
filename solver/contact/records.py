"""The arrays of contacts: interfaces, the points where shapes touch, and what they need of bodies."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import from_dtype, types

from ..core.bodies import BODY, Floats, Ints, Record, Records, in_lines
from ..core.functions import FunctionTables, no_functions
from ..core.jit.pointers import function_type
from ..core.jit.references import reference_type
from ..geometry.broad_phase import BOUNDS, MEMBER
from ..geometry.contact_points import new_points
from ..geometry.curve2d.curves import PlaneCurves, no_plane_curves
from ..geometry.gjk_epa import new_scratch
from ..geometry.narrow_phase import PAIR_KERNELS
from ..geometry.shapes import new_shapes
from .mesh_records import MeshContacts, no_mesh_contacts

INTERFACE = np.dtype(
    [
        ("number", "i8"),  # row in Model.contacts
        ("first_member", "i8"),
        ("last_member", "i8"),
        ("first_cell", "i8"),
        ("first_pair", "i8"),
        ("pair_capacity", "i8"),
        ("pairs", "i8"),  # candidates at hand, -1 where they must be found
        ("skin", "f8"),
        ("first_contact", "i8"),  # of point_capacity points, and as many again where points are kept
        ("point_capacity", "i8"),
        ("turns", "i8"),  # 1: some of its bodies turn
        ("keeps_points", "i8"),  # 1: those of the last step are at hand, see SPRING
        ("turn", "i8"),  # which of two blocks is this step's, the other one being the last one's
        ("contacts", "i8"),  # points at t_n
        ("last_contacts", "i8"),  # points at t_{n-1}
        ("first_touch", "i8"),  # of two blocks of point_capacity pairs of members that touch, see TOUCH
        ("touch_turn", "i8"),  # which of them is this step's
        ("touches", "i8"),  # pairs that touch at t_n
        ("last_touches", "i8"),  # at t_{n-1}
        ("returns_debt", "i8"),  # 1: pairs of it may have a debt, see DEBT
        ("window", "f8", 2),  # acts for window[0] <= t < window[1]
        ("share", "f8"),  # of the kick at t_n in which it acts, see `share_of_kick`: that of its forces on bodies
        ("law", "i8"),
        ("depends_on_rate", "i8"),  # 1: the force of its law does
        ("keeps_touch_speed", "i8"),  # 1: its law depends on the speed of first touch, see SPRING
        ("curve", "i8"),  # of a force curve in place of a law; -1: none
        ("stiffness", "f8"),
        ("exponent", "f8"),
        ("restitution_loss", "f8"),  # kappa
        ("transition_velocity", "f8"),
        ("damping", "f8"),
        ("full_damping_depth", "f8"),
        ("greatest_penetration", "f8"),
        ("friction", "i8"),
        ("mu_static", "f8"),
        ("mu_dynamic", "f8"),
        ("static_velocity", "f8"),
        ("dynamic_velocity", "f8"),
        ("tangential_stiffness", "f8"),  # NaN: from the normal stiffness
        ("tangential_damping", "f8"),  # NaN: likewise
        ("has_patches", "i8"),  # 1: friction of its points has moments, see PATCH
        ("has_couples", "i8"),  # 1: spinning and rolling have friction of their own
        ("uses_areas", "i8"),  # 1: it needs the areas of its points at every step, not at samples alone
        ("areas", "i8"),  # 1: they are needed at t_n
        ("patch_radius", "f8"),
        ("rolling_arm", "f8"),  # moment of rolling friction over the normal force
        ("rolling_length", "f8"),  # that turns rates of rolling into speeds
        ("curve_stability", "f8"),  # of contacts between plane curves
        ("first_mesh_pair", "i8"),  # see MESH_PAIR
        ("last_mesh_pair", "i8"),
        ("list_pool", "i8"),  # see LIST_POOL
        ("time", "f8"),  # t_n
        ("most_tilt", "f8"),  # so far, of the sines of the angles between their planes
        ("most_offset", "f8"),  # likewise of the distances of these planes, over the radius of the smaller curve
        ("teeth", "f8"),  # that such curves have passed of each other in a unit of time, most of all
        ("fastest_teeth", "f8"),  # likewise, as long as the step was short enough for them
        ("tilt_time", "f8"),  # when one of them was first too large, NaN: never
        ("zero_crossing", "i8"),
        ("exact_ends", "i8"),  # 1: the first and the last kick of a point have all of the work
        ("first_part", "i8"),  # see `parts`; none where it is not divided
        ("last_part", "i8"),
        ("first_own", "i8"),  # bodies on which it adds up forces at once; all, but for a part
        ("last_own", "i8"),
        ("first_slot", "i8"),  # of what it does to other bodies
        ("slots", "i8"),
        ("first_body_pair", "i8"),  # to record by themselves
        ("last_body_pair", "i8"),
        ("contact_changes", "i8"),  # of the number of points so far
        ("elastic_work", "f8"),  # done by the forces on the bodies, up to t_n
        ("parted_work", "f8"),  # what is left of it of pairs that have parted: nothing, but for errors
        ("largest_debt", "f8"),  # of a pair so far
        ("recoverable", "f8"),  # what is stored of it where some of it is lost, as after the end; NaN: all of it
        ("damping_work", "f8"),
        ("friction_work", "f8"),
        ("coming_work", "f8", 3),  # of the forces of t_n in the step that follows: elastic, damping, friction
        ("smallest_half_extent", "f8"),  # of its solids, or the greatest penetration if that is less
        ("largest_relative_speed", "f8"),  # of two bodies so far, or more
        ("ignored_depth", "f8"),  # of the first point deeper than the greatest penetration, 0 without any
        ("ignored_time", "f8"),
        ("opened", "i8"),  # 1: it has acted
        ("opening_time", "f8"),  # when it first did
        ("opening_depth", "f8"),  # of its points then
        ("beyond_capacity", "i8", 2),  # members of a pair whose points exceed it; 0, 0: none
        ("stiffest", "f8"),  # largest stiffness over mass of a point so far
        ("died", "i8"),  # 1: a kernel called by address did
        ("most_damped", "f8"),  # largest damping over mass
    ],
    align=True,
)

# Kept small, as are FRAME and MOVE: thousands of them do not fit into the cache.
CONTACT = np.dtype(
    [
        ("i", "i4"),  # bodies
        ("j", "i4"),
        ("member_a", "i4"),
        ("member_b", "i4"),
        ("normal", "f8", 3),  # direction of the force on body i
        ("point", "f8", 3),  # from the origin of all contacts
        ("penetration", "f8"),
        ("weight", "f8"),
        ("area", "f8"),
        ("elastic", "f8"),  # normal force at no rate
        ("step_correction", "f8"),  # of the elastic force, where the steps before and after t_n differ
        ("total", "f8"),  # normal force
        ("compliance", "f8"),  # what a unit of normal force takes off the rate at t_n
        ("tangential", "f8", 3),  # friction on body i
    ],
    align=True,
)

# What a point hands on to that of the next step. These stand as their points do, where any interface keeps them.
SPRING = np.dtype(
    [
        ("force", "f8", 3),  # of the tangential spring, after the step as far as it holds; of a routine the slip
        ("stiffness", "f8"),
        ("damping", "f8"),
        ("excess_damping", "f8"),  # of what slips fast, see `friction`
        ("ratio", "f8"),  # of a blank stiffness to that of the normal force
        ("touch_speed", "f8"),  # at which the point was first touched, or pressed together faster since
        ("energy", "f8"),  # of the spring
        ("slipped", "f8"),  # how far, faster and faster, since friction last held any point of the pair
        ("slip_speed", "f8"),  # mean of the last step
        ("slips", "i4"),  # 1: friction does not hold it
        ("slides", "i4"),  # 1: nor any other point of its pair
        ("slid_before", "i4"),  # 1: so it was a step ago
        ("taken", "i4"),  # 1: a point of the next step has taken the spring over
    ],
    align=True,
)

# How friction acts at a point where bodies turn against each other. These stand as the points do.
PATCH = np.dtype(
    [
        ("offset", "f8", 3),  # from the point to where it acts
        ("couple", "f8", 3),  # its moment about the point, with that of spinning and rolling, on body i
        ("arm", "f8"),  # that turns the rate of spinning about the normal into a speed
        ("turning", "f8", 3),  # moment of spinning and rolling alone
        ("twist", "f8"),  # force of the spring of spinning, moment over arm
        ("roll", "f8", 3),  # the same of rolling
        ("rolls", "i4"),  # 1: friction does not keep it from rolling
        ("acts", "i4"),  # 0: it makes no difference in this step
    ],
    align=True,
)

# A pair of members that touches, those of an interface in the order of their points; not of force curves.
TOUCH = np.dtype(
    [
        ("member_a", "i4"),
        ("member_b", "i4"),
        ("end", "i4"),  # of its points
        ("abrupt", "i4"),  # 1: it began with energy that is not known: the interface began to act, or it was ignored
        ("work", "f8"),  # done by its elastic forces since it began, those of t_n in the step that follows among them
    ],
    align=True,
)

# What a pair has beside that whose force is no gradient, see `touches`. These stand as TOUCH does, where any has them.
DEBT = np.dtype(
    [
        ("energy", "f8"),  # sum F z/(e + 1) of its points
        ("debt", "f8"),  # work done + energy, which is to be 0
        ("plain", "i4"),  # 1: its force has been a gradient since it began
        ("point", "f8", 3),  # mean of its points, from the origin of all contacts
        ("force", "f8", 3),  # on body i: what gives the debt back
    ],
    align=True,
)

# A routine of the user: where it is, the arguments of a call, what it gave back.
ROUTINE = np.dtype(
    [
        ("address", "i8"),
        ("par", "i8"),  # address of the parameters
        ("id", "i4"),
        ("npar", "i4"),
        ("dflag", "i4"),
        ("iflag", "i4"),
        ("time", "f8"),
        ("loci", "f8", 3),
        ("ni", "f8", 3),
        ("locj", "f8", 3),
        ("nj", "f8", 3),
        ("gap", "f8"),
        ("gapdot", "f8"),
        ("gapdotdot", "f8"),
        ("x", "f8", 3),
        ("xdot", "f8", 3),
        ("nforce", "f8"),
        ("result", "f8", 3),
        ("failed", "i8"),  # 1: it gave no force; it is not called again
        ("pull", "f8"),  # most attracting normal force so far, 0 without any
        ("pull_time", "f8"),
        ("slope", "f8"),  # of the elastic force
    ],
    align=True,
)


class Routines(NamedTuple):
    """Routines of the interfaces, in their order; empty where no interface has one."""

    normal: Records  # (ni,)
    friction: Records  # (ni,)


ELASTIC, WITH_UNLOADING = 0, 1  # formulations of a force curve; 2 has no function for unloading

# Functions are rows of the function tables.
CURVE = np.dtype(
    [
        ("formulation", "i8"),
        ("loading", "i8"),
        ("unloading", "i8"),
        ("penetration_scale", "f8"),
        ("force_scale", "f8"),
        ("unloading_scale", "f8"),
        ("unloading_stiffness", "f8"),
        ("viscosity", "f8"),
        ("damping_scale", "f8"),
        ("damping_by_velocity", "i8"),
        ("damping_by_force", "i8"),
        ("friction_force", "f8"),
        ("friction", "f8"),
        ("friction_by_force", "i8"),
        ("friction_by_velocity", "i8"),
        ("force_abscissa", "f8"),
        ("velocity_abscissa", "f8"),
        ("reduce_gap", "i8"),
        ("adjust_force", "i8"),
        ("begun", "i8"),  # 1: the interface has acted before
        ("allowance", "f8"),  # penetration at the beginning, which does not count
        ("depth", "f8"),  # z and F of the last step, 0 while nothing touches
        ("force", "f8"),
        ("steepest", "f8"),  # slope so far
        ("inverse_mass", "f8"),  # of the points together, each by its share
    ],
    align=True,
)

# What the forces of contacts need of a body: two lines of the cache.
FRAME = in_lines(
    np.dtype(
        [
            ("place", "f8", 3),  # reference point at t_n, from the origin of all contacts
            ("inverse_mass", "f8"),
            ("velocity", "f8", 3),  # at t_n
            ("spin", "f8", 3),
            ("wrench", "f8", 6),  # force and moment of all contacts
        ],
        align=True,
    )
)

# What their work needs, likewise.
MOVE = in_lines(
    np.dtype(
        [
            ("place", "f8", 3),  # as above
            ("step", "f8", 3),  # how it moved in the step that led to t_n
            ("turn", "f8", 3),
            ("next_step", "f8", 3),  # how it will in the next
            ("next_turn", "f8", 3),
        ],
        align=True,
    )
)

# A part of an interface, see `parts`: what it goes over, and what it finds on the way.
PART = in_lines(
    np.dtype(
        [
            ("interface", "i8"),
            ("first_member", "i8"),
            ("last_member", "i8"),
            ("first_body", "i8"),
            ("last_body", "i8"),
            ("slow", "f8", 3),  # least and greatest components of the velocities of its members
            ("fast", "f8", 3),
            ("within", "i8"),  # 1: all of them are where the candidates allow for
            ("first_near", "i8"),  # of its candidates those that are not apart
            ("end_near", "i8"),
        ],
        align=True,
    )
)

# A pair of bodies to record by itself; those of an interface side by side, sorted by the lower and the higher body.
BODY_PAIR = np.dtype(
    [
        ("low", "i8"),
        ("high", "i8"),
        ("i", "i8"),  # the same, that on side i first
        ("j", "i8"),
        ("number", "i8"),  # of its interface: row in Model.interfaces
    ],
    align=True,
)

# What is recorded of an interface; of a pair of bodies all but the energies and FLICKER
RECORD = (
    "FNX", "FNY", "FNZ", "FTX", "FTY", "FTZ", "PX", "PY", "PZ", "MX", "MY", "MZ", "MN", "PEN", "AREA", "NPATCH",
    "EELAS", "EDISS", "EFRIC", "FLICKER", "EOWED", "EKEPT",
)  # fmt: skip
INTERFACE_WIDTH = len(RECORD)
BODY_PAIR_WIDTH = RECORD.index("NPATCH") + 2  # and the sum of the normal forces
ELASTIC_ENERGY, DAMPING_ENERGY, FRICTION_ENERGY = (RECORD.index(name) for name in ("EELAS", "EDISS", "EFRIC"))
CHANGES, LARGEST_DEBT, PARTED_WORK = (RECORD.index(name) for name in ("FLICKER", "EOWED", "EKEPT"))


MOST_TILT = math.sin(math.radians(0.1))  # between the planes of two curves, beyond which a warning says so
MOST_OFFSET = 1e-3  # likewise of the distance of the planes, over the radius of the smaller curve
TRAVEL_OF_TEETH = 0.25  # of their pitch: how far plane curves may move against each other in a step
TRAVEL = 0.5  # of the smallest half extent: how far solids may move against each other in a step


# Addresses of kernels that only some decks need, see `dispatch`.
CONTACT_KERNELS = np.dtype(
    [
        (name, "i8")
        for name in (
            "spread_force", "damp_curve", "evaluate_routines", "damp_by_routines", "touch_curves", "find_curve_gap",
            "touch_meshes", "find_mesh_touch", "find_mesh_patches",
        )
    ]
)  # fmt: skip


Range = tuple[int, int]  # of records: the first one, and the end


class Step(NamedTuple):
    """The time t_n, and the steps that led there and that follow.

    middle : of the kick at t_n as far as an interface acts in it, counted from t_n
    """

    t: float
    previous_dt: float
    dt: float
    middle: float


class Parts(NamedTuple):
    """Parts of divided interfaces, side by side; empty without any."""

    records: Records  # PART
    interfaces: Records  # each part as an interface of its own
    slots: Records  # FRAME of bodies on which a part acts that does not add up the forces on them
    slot_bodies: Ints  # which bodies these are


def no_parts() -> Parts:
    """No interface is divided."""
    return Parts(np.zeros(0, PART), np.zeros(0, INTERFACE), np.zeros(0, FRAME), np.zeros(0, dtype=np.int64))


class Contacts(NamedTuple):
    """All interfaces, sorted by subsystem."""

    interfaces: Records
    origin: Floats  # (3,)
    shapes: Records
    members: Records  # shapes that take part: those of an interface side by side, sorted by shape
    bounds: Records  # of the members
    cell_start: Ints  # of each interface: where each cell of its grid starts, and one more
    pair: Ints  # (capacity, 2) pairs of members that may touch, the lower one first
    near: Ints  # (capacity, 2) those that are not spheres apart; buffer to sort candidates
    offsets: Floats  # (nb, 3) places of the bodies at t = 0
    frames: Records  # (nb,)
    parts: Parts
    moves: Records  # (nb,)
    contacts: Records  # points
    springs: Records  # of the points; none where no interface has them
    patches: Records  # likewise
    touches: Records
    debts: Records  # of the touches; none where no interface has them
    points: Records  # of one pair
    pair_kernels: Records  # (kinds, kinds) of `narrow_phase.PAIR_KERNELS`
    scratch: Record
    plane_curves: PlaneCurves
    meshes: MeshContacts
    curves: Records  # force curves
    tables: FunctionTables
    body_pairs: Records  # to record by themselves
    routines: Routines
    kernels: Record  # CONTACT_KERNELS


def no_contacts(tables: FunctionTables) -> Contacts:
    """The contacts of a machine without any."""
    none, pairs = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
    return Contacts(
        interfaces=np.zeros(0, INTERFACE), origin=np.zeros(3), shapes=new_shapes(0), members=np.zeros(0, MEMBER),
        bounds=np.zeros(0, BOUNDS), cell_start=none, pair=pairs, near=pairs, offsets=np.zeros((0, 3)),
        frames=np.zeros(0, FRAME), parts=no_parts(), moves=np.zeros(0, MOVE),
        contacts=np.zeros(0, CONTACT), springs=np.zeros(0, SPRING),
        patches=np.zeros(0, PATCH), touches=np.zeros(0, TOUCH), debts=np.zeros(0, DEBT), points=new_points()[:0],
        pair_kernels=np.zeros((0, 0), PAIR_KERNELS), scratch=new_scratch(), plane_curves=no_plane_curves(),
        meshes=no_mesh_contacts(),
        curves=np.zeros(0, CURVE), tables=tables,
        body_pairs=np.zeros(0, BODY_PAIR), routines=Routines(*(np.zeros(0, ROUTINE) for _ in Routines._fields)),
        kernels=np.zeros(1, CONTACT_KERNELS)[0],
    )  # fmt: skip


# Declared types of what is called by address, and what it gives back.
DONE = 1
CONTACTS = reference_type(no_contacts(no_functions()))
_BODIES = types.Array(from_dtype(BODY), 1, "C")
OF_INTERFACE = function_type(CONTACTS, types.int64, _BODIES, types.int64)
OF_SHAPES = function_type(CONTACTS, from_dtype(INTERFACE), types.int64, types.int64, _BODIES)
GAP_OF_SHAPES = function_type(CONTACTS, types.int64, types.int64, _BODIES)
TIME_OF_SHAPES = function_type(
    CONTACTS, from_dtype(INTERFACE), types.int64, types.int64, _BODIES, types.float64, types.float64
)
OF_PAIR_OF_MESHES = function_type(
    CONTACTS.members["meshes"].kind, types.int64, types.int64, types.float64, types.float64, types.float64
)
OF_POINT = function_type(CONTACTS, types.int64, types.int64, _BODIES, types.float64, types.int64, types.int64)
