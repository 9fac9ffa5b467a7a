"""The whole machine as flat arrays: what `assemble` makes and the time loop runs on."""

from __future__ import annotations

from collections.abc import Sized
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import from_dtype, types

from ..constraints.drives import DRIVE
from ..constraints.flywheels import Gyrostats, no_gyrostats
from ..constraints.joints import JOINT
from ..constraints.kkt import Matrix, no_matrix
from ..constraints.lanes import LANE_BLOCK
from ..constraints.nodal_constraints import Conditions, no_conditions
from ..constraints.plane_links import LINK, PLANE, PLANE_BODY
from ..constraints.plane_matrix import BELOW, COLUMN, PAIR, UPDATE, Blocks, no_blocks
from ..constraints.relations import RELATION
from ..constraints.relations import TERM as RELATION_TERM
from ..constraints.rows import ENTRY, ROW, ROW_WORK
from ..constraints.spins import COEFFICIENT, HINGE, ROTOR, SPIN, TRAIN
from ..constraints.tree_dampers import DAMPER, MOVED
from ..constraints.tree_limbs import FREEDOM, LIMB, LOOP, TREE, WATCHED
from ..constraints.tree_matrix import CLOSING, FRONT
from ..constraints.tree_matrix import PAIR as TREE_PAIR
from ..contact.mesh_records import with_own_memory as with_own_mesh_memory
from ..contact.records import BODY_PAIR_WIDTH, INTERFACE_WIDTH, Contacts, no_contacts
from ..contact.rigid_wall_records import WALL_WIDTH, Walls, no_walls
from ..core.bodies import LINE, Floats, Ints, Record, Records, in_lines, new_bodies
from ..core.body_points import NODE_POINT
from ..core.functions import FunctionTables, no_functions
from ..core.jit.pointers import function_type
from ..core.jit.references import reference_type
from ..core.skews import SKEW
from ..forces.joint_forces import JOINT_FORCE
from ..forces.joint_forces import RECORD as JOINT_FORCE_RECORD
from ..forces.loads import LOAD
from ..forces.springs import RECORD as SPRING_RECORD
from ..forces.springs import SPRING as ONE_SPRING
from ..geometry.contact_points import new_points
from ..geometry.curve2d.curves import with_own_memory
from ..geometry.gjk_epa import new_scratch
from .accurate.records import Accurate, no_accurate
from .sensor_records import RECORD as SENSOR_RECORD
from .sensor_records import Sensors, no_sensors

# Bodies, rows ... [first, last) of a subsystem, which nothing couples to the others, and the work done in it so far.
SUBSYSTEM = np.dtype(
    [
        ("first_body", "i8"),
        ("last_body", "i8"),
        ("first_row", "i8"),
        ("last_row", "i8"),
        ("first_joint", "i8"),
        ("last_joint", "i8"),
        ("first_relation", "i8"),
        ("last_relation", "i8"),
        ("first_drive", "i8"),
        ("last_drive", "i8"),
        ("first_condition", "i8"),
        ("last_condition", "i8"),
        ("first_spring", "i8"),
        ("last_spring", "i8"),
        ("first_joint_force", "i8"),
        ("last_joint_force", "i8"),
        ("first_load", "i8"),
        ("last_load", "i8"),
        ("first_interface", "i8"),
        ("last_interface", "i8"),
        ("first_wall", "i8"),
        ("last_wall", "i8"),
        ("first_sensor", "i8"),
        ("last_sensor", "i8"),
        ("first_spin", "i8"),  # some where it is condensed to a train of rotors, none elsewhere
        ("last_spin", "i8"),
        ("first_link", "i8"),  # some where it moves in a plane, none elsewhere
        ("last_link", "i8"),
        ("first_limb", "i8"),  # some where it moves by joint coordinates, none elsewhere
        ("last_limb", "i8"),
        ("first_freedom", "i8"),
        ("last_freedom", "i8"),
        ("first_loop", "i8"),
        ("last_loop", "i8"),
        ("first_part", "i8"),  # see `parts`; none of most
        ("last_part", "i8"),
        ("families", "i8"),  # what it has, see `note_families`
        ("cut_at_touch", "i8"),  # 1: steps end where shapes touch first
        ("sampled", "i8"),  # 1: the state at t_n is a sample, or may be one
        ("damping_passes", "i8"),  # refinements of the velocity, 0 where no force depends on it
        ("left_out", "i8"),  # rows that are not solved for
        ("stale", "i8"),  # 1: factorise before the next use; of trees see `trees.AGED`
        ("newton", "i8"),  # steps to come whose corrections take the matrix of the trial positions
        ("previous_dt", "f8"),  # length of the last step, 0 before the first
        ("stretch", "f8"),  # of the last step against the one before
        ("energy_tolerance", "f8"),  # of `energy_scale`: what rows may gain or lose in a step, see `accuracy`
        ("largest_kinetic", "f8"),  # energy, where that was looked at
        ("rough", "i8"),  # 1: look at the energy of every step
        ("largest_turn", "f8"),  # squared, of a body in one step, since it was last set to zero
        ("damping_work", "f8"),  # dissipated by dampers
        ("friction_work", "f8"),  # dissipated by friction
        ("external_work", "f8"),
        ("drive_work", "f8"),
        ("impact_loss", "f8"),  # after t = 0
    ],
    align=True,
)

CHUNKS = 16  # parts the subsystems are dealt out in, whatever the number of threads: sums keep their order
SAMPLE_WIDTH = 22  # of a body, see node_output
JOINT_WIDTH = 10

# Columns of Samples.sums
(
    KINETIC_TRANSLATIONAL,
    KINETIC_ROTATIONAL,
    TRANSLATIONAL_OF_HALF_STEPS,  # the same of the velocities half a step before and after, for which
    ROTATIONAL_OF_HALF_STEPS,  # the balance is exact
    GRAVITY,
    SPRING,
    DAMPING,
    FRICTION,
    CONTACT_ELASTIC,
    CONTACT_DISSIPATED,
    EXTERNAL_WORK,
    DRIVE_WORK,
    IMPACT_LOSS,
    CONTACT_ERROR,
    MOMENTUM,  # three columns
    _MOMENTUM_Y,
    _MOMENTUM_Z,
    ANGULAR_MOMENTUM,  # three columns
    _ANGULAR_MOMENTUM_Y,
    _ANGULAR_MOMENTUM_Z,
    SUMS_WIDTH,
) = range(21)


# The step at hand of a subsystem.
STEP = np.dtype(
    [
        ("t", "f8"),  # t_n
        ("dt", "f8"),
        ("previous_dt", "f8"),
        ("kick", "f8"),  # from the middle of the last step to that of this one
        ("weight", "f8"),  # of v_{n+1/2} in v_n
        ("damping_passes", "i8"),  # refinements of the velocity to come
        ("damped", "i8"),  # 1: some forces depend on the rate
        ("wall_passes", "i8"),
        ("last_change", "f8"),  # of damped forces by a refinement, see `has_settled`
        ("change", "f8"),  # how much the forces of walls still change, see `rigid_walls.hold_nodes`
        ("passes", "i8"),  # corrections of the multipliers
        ("passes_before", "i8"),  # before the damped forces were last refined
        ("worst", "f8"),  # largest residual over its tolerance
        ("last_worst", "f8"),  # before the last correction
        ("corrected", "i8"),  # 1: since the damped forces were last refined
        ("fresh", "i8"),  # 1: the matrix is of this step
        ("of_sample", "i8"),  # 1: reactions of the sample at t_n have been found with it
        ("slow", "i8"),  # 1: the corrections converge slowly
        ("rough", "i8"),  # 1: its energy is worth a look, see `accuracy`
        ("energy_error", "f8"),  # of the rows, in the step that led to t_n, where that was looked at
        ("energy_scale", "f8"),  # energy that it is compared with
        ("weakened", "i8"),  # 1: weak rows are deactivated
        ("contact_work", "f8"),  # of contacts over the step that led to t_n
        ("culprit", "i8"),  # body, row or interface that a failure comes from
        ("first_touch", "f8"),  # what is left of a step, or less where shapes touch before
    ],
    align=True,
)

# Kernels called by address; 0 where a machine does not need one.  `families` has them.
BY_ADDRESS = (
    "start_springs", "refine_springs", "start_joint_forces", "refine_joint_forces", "add_loads", "find_contacts",
    "refine_contacts", "accumulate_contacts", "find_first_touch", "start_walls", "hold_walls", "accumulate_walls",
    "prepare_drives", "prepare_conditions", "set_condition_jacobians", "measure_conditions", "subtract_start_rates",
    "add_start_work", "deactivate_weak_rows", "correct_rates", "record_springs",
    "record_joint_forces", "record_contacts", "record_walls", "reduce_reactions", "set_jacobians", "measure_rows",
    "refresh_matrix", "refresh_trial_matrix", "take_sample", "load_spins", "force_spins", "refine_spins", "drive_spins",
    "accumulate_spins", "commit_spin_drives", "drift_carrier", "commit_carrier", "start_on_bodies",
    "refine_on_bodies", "move_lanes", "place_rotors", "sample_rotors", "start_on_plane", "refine_on_plane",
    "accumulate_on_plane", "place_plane", "sample_plane", "start_plane_drives", "measure_plane_drives",
    "accumulate_plane_drives", "commit_plane_drives", "place_part", "list_near", "load_part", "refine_part",
    "accumulate_part", "kick_part", "kick_part_by_change", "drift_part", "commit_part", "start_on_gyrostats",
    "refine_on_gyrostats", "drift_gyrostats", "commit_gyrostats", "sample_gyrostats", "place_gyrostats",
    "watch_sensors", "sample_tree", "place_joints", "place_on_tree", "find_tree_rates", "meet_tree", "error_of_tree",
    "commit_tree", "start_tree", "hold_tree", "damp_tree_by_springs", "damp_tree_by_joints",
)  # fmt: skip
KERNELS = np.dtype([(name, "i8") for name in BY_ADDRESS])


# Bodies [first, last) of a large subsystem, which a thread may take on apart from the others.
BODY_PART = in_lines(np.dtype([("first_body", "i8"), ("last_body", "i8"), ("largest_turn", "f8")]))

# Words of a thread that shares out parts, see `crew`: those that change most often lie in a line of their own.
WORDS = 4 * LINE // 8
TICKET = 0  # how often it has shared out some, and how many of them nobody has taken
UNFINISHED, STATUS = LINE // 8, LINE // 8 + 1  # how many are not done; what one of them gave back that failed
ADDRESS, SUBSYSTEM_OF_PART, FIRST, CLOSED = range(2 * LINE // 8, 2 * LINE // 8 + 4)
# Its own: how many others may help; how often it goes on alone, now and the next time that it has to wait.
HELPERS, ALONE, PAUSE = range(3 * LINE // 8, 3 * LINE // 8 + 3)


class Crew(NamedTuple):
    """Threads that share out parts of steps."""

    own: Ints  # (WORDS,) of the thread at hand
    all: Ints  # (threads, WORDS)


def no_crew() -> Crew:
    """A thread alone."""
    words = np.zeros((1, WORDS), dtype=np.int64)
    return Crew(words[0], words)


class Trains(NamedTuple):
    """Trains of rotors that are condensed to their independent spins, see `constraints.spins`; empty without any."""

    trains: Records  # (ns,) TRAIN
    spins: Records
    rotors: Records  # (nb,) ROTOR
    hinges: Records  # (nj,) HINGE
    coefficients: Records
    fastest: Ints  # bodies one of which turns fastest, of each train
    touched: Ints  # bodies on which forces act, of each train
    numbers: Floats  # D^-1 and K of each train, and working memory
    lanes: Records  # (1,) LANE_BLOCK, working memory


def no_trains() -> Trains:
    """No subsystem is condensed."""
    return Trains(
        np.zeros(0, TRAIN), np.zeros(0, SPIN), np.zeros(0, ROTOR), np.zeros(0, HINGE), np.zeros(0, COEFFICIENT),
        np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0),
        np.zeros(0, LANE_BLOCK),
    )  # fmt: skip


class Planes(NamedTuple):
    """Planar subsystems, see `constraints.plane_links`; empty without any."""

    planes: Records  # (ns,) PLANE
    active: Ints  # (ns,) 1: takes its steps in the plane, and not on the general path; stays as steps are taken back
    bodies: Records  # (nb,) PLANE_BODY
    links: Records
    columns: Records  # of each link
    below: Records
    updates: Records
    pairs: Records
    touched: Ints  # bodies on which forces act
    blocks: Blocks


def no_planes() -> Planes:
    """No subsystem moves in a plane."""
    none = np.zeros(0, dtype=np.int64)
    return Planes(
        np.zeros(0, PLANE), none, np.zeros(0, PLANE_BODY), np.zeros(0, LINK), np.zeros(0, COLUMN), np.zeros(0, BELOW),
        np.zeros(0, UPDATE), np.zeros(0, PAIR), none, no_blocks(),
    )  # fmt: skip


class Trees(NamedTuple):
    """Subsystems that move by joint coordinates, see `constraints.tree_limbs`; empty without any."""

    trees: Records  # (ns,) TREE
    active: Ints  # (ns,) 1: takes its steps by joint coordinates; stays as steps are taken back
    limb_of: Ints  # (nb,) limb of each body
    limbs: Records  # the first is the ground
    freedoms: Records
    loops: Records
    watched: Records
    pairs: Records
    closings: Records
    dampers: Records
    moved: Records
    places: Ints  # in `values`, of what each damper adds
    fronts: Records
    unknowns: Ints  # of each front
    targets: Ints  # where the rest of each front is added
    values: Floats  # of the matrices
    magnitudes: Floats  # of pivots, working memory
    solution: Floats


def no_trees() -> Trees:
    """No subsystem moves by joint coordinates."""
    none, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Trees(
        np.zeros(0, TREE), none, none, np.zeros(0, LIMB), np.zeros(0, FREEDOM), np.zeros(0, LOOP),
        np.zeros(0, WATCHED), np.zeros(0, TREE_PAIR), np.zeros(0, CLOSING), np.zeros(0, DAMPER),
        np.zeros(0, MOVED), none, np.zeros(0, FRONT), none, none, numbers, numbers, numbers,
    )  # fmt: skip


class System(NamedTuple):
    """All arrays of a machine; those of a family that a deck does not use are empty."""

    bodies: Records
    points: Records  # NODE_POINT of each node of the deck
    rows: Records
    entries: Records
    matrix: Matrix
    reaction_matrix: Matrix  # at samples, of the same pattern; of nothing where no rows are left out
    joints: Records
    relations: Records
    terms: Records
    drives: Records
    conditions: Conditions
    springs: Records
    joint_forces: Records
    loads: Records
    contacts: Contacts
    walls: Walls
    sensors: Sensors
    trains: Trains
    planes: Planes
    trees: Trees
    gyrostats: Gyrostats
    accurate: Accurate
    tables: FunctionTables
    skews: Records
    axes: Floats  # (3, 3) working memory
    row_work: Floats  # (nr, ROW_WORK)
    body_work: Floats  # (nb, 6)
    subsystems: Records
    steps: Records  # (ns,) STEP
    parts: Records  # BODY_PART
    crew: Crew
    kernels: Record  # KERNELS: addresses


class Samples(NamedTuple):
    """Where a block of steps leaves its samples; `step` says at which steps."""

    step: Ints  # (k,)
    body: Floats  # (k, nb, 22)
    multiplier: Floats  # (k, nr)
    residual: Floats  # (k, nr)
    joint: Floats  # (k, nj, JOINT_WIDTH) angle, its rate, slide, its rate; force and moment on node j, global
    drive: Floats  # (k, nd) value that the function of a drive asks for
    spring: Floats  # (k, nsp, 15) see springs.RECORD
    joint_force: Floats  # (k, njf, 3) see joint_forces.RECORD
    interface: Floats  # (k, ni, INTERFACE_WIDTH) see contact_records.RECORD
    body_pair: Floats  # (k, n, BODY_PAIR_WIDTH) likewise
    wall: Floats  # (k, nw, WALL_WIDTH) see walls.RECORD
    sensor: Floats  # (k, n, 3) see sensor_records.RECORD
    sums: Floats  # (chunks, k, SUMS_WIDTH)
    worst: Floats  # (chunks, k) largest |g| / scale
    passes: Ints  # (chunks, k) most corrections of a subsystem in the step


def no_machine() -> System:
    """A machine of nothing: the types of its members are those of every machine."""
    tables = no_functions()
    return System(
        bodies=new_bodies(0), points=np.zeros(0, NODE_POINT),
        rows=np.zeros(0, ROW), entries=np.zeros(0, ENTRY), matrix=no_matrix(),
        reaction_matrix=no_matrix(), joints=np.zeros(0, JOINT),
        relations=np.zeros(0, RELATION), terms=np.zeros(0, RELATION_TERM), drives=np.zeros(0, DRIVE),
        conditions=no_conditions(), springs=np.zeros(0, ONE_SPRING), joint_forces=np.zeros(0, JOINT_FORCE),
        loads=np.zeros(0, LOAD), contacts=no_contacts(tables), walls=no_walls(), sensors=no_sensors(),
        trains=no_trains(), planes=no_planes(), trees=no_trees(), gyrostats=no_gyrostats(), accurate=no_accurate(),
        tables=tables, skews=np.zeros(0, SKEW), axes=np.zeros((3, 3)), row_work=np.zeros((0, ROW_WORK)),
        body_work=np.zeros((0, 6)), subsystems=np.zeros(0, SUBSYSTEM), steps=np.zeros(0, STEP),
        parts=np.zeros(0, BODY_PART), crew=no_crew(), kernels=np.zeros((), KERNELS)[()],
    )  # fmt: skip


def new_samples(system: System, steps: Ints, n_chunks: int) -> Samples:
    """Room for samples at the given steps."""

    def buffer(family: Sized, *width: int) -> Floats:
        return np.zeros((len(steps), len(family), *width))

    body = buffer(system.bodies, SAMPLE_WIDTH)
    body[:, :, 3] = 1.0  # of the quaternion: the ground's is never written
    return Samples(
        step=steps,
        body=body,
        multiplier=buffer(system.rows),
        residual=buffer(system.rows),
        joint=buffer(system.joints, JOINT_WIDTH),
        drive=buffer(system.drives),
        spring=buffer(system.springs, len(SPRING_RECORD)),
        joint_force=buffer(system.joint_forces, len(JOINT_FORCE_RECORD)),
        interface=buffer(system.contacts.interfaces, INTERFACE_WIDTH),
        body_pair=buffer(system.contacts.body_pairs, BODY_PAIR_WIDTH),
        wall=buffer(system.walls.walls, WALL_WIDTH),
        sensor=buffer(system.sensors.sensors, len(SENSOR_RECORD)),
        sums=np.zeros((n_chunks, len(steps), SUMS_WIDTH)),
        worst=np.zeros((n_chunks, len(steps))),
        passes=np.zeros((n_chunks, len(steps)), dtype=np.int64),
    )


# Bits of SUBSYSTEM.families: a step asks for many of them, most of the time in vain.
ROWS, SPRINGS, JOINT_FORCES, INTERFACES, WALLS, LOADS, DRIVES, CONDITIONS, SPINS, LINKS = (1 << k for k in range(10))
GYROSTATS = 1 << 10  # in the system in which those move alone
SENSORS, FREEDOMS, LOOPS = 1 << 11, 1 << 12, 1 << 13
FAMILIES = {
    "row": ROWS, "spring": SPRINGS, "joint_force": JOINT_FORCES, "interface": INTERFACES, "wall": WALLS, "load": LOADS,
    "drive": DRIVES, "condition": CONDITIONS, "spin": SPINS, "link": LINKS, "sensor": SENSORS,
    "freedom": FREEDOMS, "loop": LOOPS,
}  # fmt: skip
FORCES = SPRINGS | JOINT_FORCES | INTERFACES | WALLS | LOADS
ON_BODIES = SPRINGS | JOINT_FORCES | WALLS | LOADS  # forces whose work is summed body by body
OF_MOTION = SPRINGS | JOINT_FORCES | INTERFACES | WALLS | CONDITIONS  # what asks for mean velocities, or changes forces


def note_families(subsystems: Records) -> None:
    """Let subsystems know which families they have any of."""
    subsystems["families"] = 0
    for name, bit in FAMILIES.items():
        subsystems["families"] |= np.where(subsystems[f"last_{name}"] > subsystems[f"first_{name}"], bit, 0)


def clear_samples(samples: Samples, first: int) -> None:
    """Make the samples from `first` on empty again, whose sums would go on from what they hold."""
    for array in (samples.joint, samples.passes.T, samples.sums.swapaxes(0, 1), samples.worst.T):
        array[first:] = 0


def bytes_of_sample(system: System, n_chunks: int) -> int:
    """Memory of one sample."""
    return sum(array.nbytes for array in new_samples(system, np.zeros(1, dtype=np.int64), n_chunks))


def note_matrix(subsystems: Records, rows: Records, matrix: Matrix) -> None:
    """Let rows and subsystems know where they stand in the matrix, not yet factorised."""
    rows["left_out"] = matrix.place_of_row < 0
    total = np.concatenate([[0], np.cumsum(rows["left_out"])])
    subsystems["left_out"] = total[subsystems["last_row"]] - total[subsystems["first_row"]]
    subsystems["stale"] = 1


def with_own_scratch(system: System) -> System:
    """The system with working memory of its own where kernels share some."""
    tables = system.tables._replace(stack=np.zeros_like(system.tables.stack))
    contacts = system.contacts
    if len(contacts.interfaces):
        curves = with_own_memory(contacts.plane_curves)
        meshes = with_own_mesh_memory(contacts.meshes)
        contacts = contacts._replace(
            points=new_points(), scratch=new_scratch(), tables=tables, plane_curves=curves, meshes=meshes
        )
    trains = system.trains._replace(lanes=np.zeros_like(system.trains.lanes))
    trees = system.trees._replace(magnitudes=np.zeros_like(system.trees.magnitudes))
    return system._replace(tables=tables, axes=np.zeros((3, 3)), contacts=contacts, trains=trains, trees=trees)


def chunks_of(system: System) -> list[tuple[int, int]]:
    """Ranges of subsystems of about equal work, at most CHUNKS."""
    subsystems = system.subsystems
    weight = sum(subsystems[f"last_{family}"] - subsystems[f"first_{family}"] for family in ("body", "row", "spring"))
    total = np.concatenate([[0], np.cumsum(weight)])
    targets = total[-1] * np.arange(1, CHUNKS) / CHUNKS
    bounds = np.unique(np.concatenate([[0], np.searchsorted(total, targets), [len(subsystems)]]))
    return [(int(first), int(last)) for first, last in pairwise(bounds)]


# How a run of steps ended: status, and the step and the body, row or interface of the earliest failure.
OUTCOME = np.dtype([("status", "i8"), ("step", "i8"), ("culprit", "i8")])

# Declared types of what is called by address; those of the members of a system are the same for all machines.
_NO_MACHINE = no_machine()
SYSTEM = reference_type(_NO_MACHINE)
SAMPLES = reference_type(new_samples(_NO_MACHINE, np.zeros(0, dtype=np.int64), 1))
ON_SUBSYSTEM = function_type(SYSTEM, types.int64)
ON_PART = function_type(SYSTEM, types.int64, types.int64)
HELP = function_type(SYSTEM)
ON_SAMPLE = function_type(SYSTEM, SAMPLES, *[types.int64] * 3)
ON_TWIN = function_type(SYSTEM, SYSTEM, types.int64)
ON_TWIN_SAMPLE = function_type(SYSTEM, SYSTEM, SAMPLES, *[types.int64] * 3)
ADVANCE = function_type(SYSTEM, SAMPLES, from_dtype(OUTCOME), *[types.int64] * 6, *[types.float64] * 2)
ADVANCE_TWINS = function_type(SYSTEM, *ADVANCE.signature.args)
