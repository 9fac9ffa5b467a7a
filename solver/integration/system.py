"""The whole machine as flat arrays: what `assemble` makes and the time loop runs on."""

from __future__ import annotations

from collections.abc import Sized
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..constraints.kkt import Matrix
from ..constraints.nodal_constraints import Conditions
from ..contact.records import BODY_PAIR_WIDTH, INTERFACE_WIDTH, ContactKernels, Contacts
from ..contact.rigid_wall_records import WALL_WIDTH, WallKernels, Walls
from ..core.bodies import Floats, Ints, Motion, Points, Records
from ..core.functions import FunctionTables
from ..core.skews import Skews
from ..forces.joint_forces import RECORD as JOINT_FORCE_RECORD
from ..forces.springs import RECORD as SPRING_RECORD
from ..forces.springs import Springs
from ..geometry.contact_points import new_points
from ..geometry.gjk_epa import new_scratch

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
        ("cut_at_touch", "i8"),  # 1: steps end where shapes touch first
        ("damping_passes", "i8"),  # refinements of the velocity, 0 where no force depends on it
        ("first_unknown", "i8"),  # of the multiplier matrix
        ("first_inverse", "i8"),  # where its explicit inverse starts
        ("inverse_size", "i8"),  # unknowns of the explicit inverse, 0 where there is none
        ("left_out", "i8"),  # rows that are not solved for
        ("stale", "i8"),  # 1: factorise before the next use
        ("previous_dt", "f8"),  # length of the last step, 0 before the first
        ("stretch", "f8"),  # of the last step against the one before
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
    GRAVITY,
    SPRING,
    DAMPING,
    FRICTION,
    CONTACT_ELASTIC,
    CONTACT_DISSIPATED,
    EXTERNAL_WORK,
    DRIVE_WORK,
    IMPACT_LOSS,
    MOMENTUM,  # three columns
    _MOMENTUM_Y,
    _MOMENTUM_Z,
    ANGULAR_MOMENTUM,  # three columns
    _ANGULAR_MOMENTUM_Y,
    _ANGULAR_MOMENTUM_Z,
    SUMS_WIDTH,
) = range(18)


class System(NamedTuple):
    """All arrays of a machine.  Families that a deck does not use are None, so that their kernels are not compiled."""

    bodies: Records
    motion: Motion  # views of the bodies at t_n
    trial: Motion  # views of the bodies at the trial positions
    points: Points
    rows: Records
    entries: Records
    matrix: Matrix
    joints: Records
    relations: Records
    terms: Records
    drives: Records | None
    conditions: Conditions | None
    springs: Springs | None
    joint_forces: Records | None
    loads: Records | None
    contacts: Contacts | None
    contact_kernels: ContactKernels
    walls: Walls | None
    wall_kernels: WallKernels
    tables: FunctionTables
    skews: Skews
    axes: Floats  # (3, 3) working memory
    row_work: Floats  # (nr, ROW_WORK)
    body_work: Floats  # (nb, 6)
    parts: Records  # subsystems


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
    sums: Floats  # (chunks, k, SUMS_WIDTH)
    worst: Floats  # (chunks, k) largest |g| / scale
    passes: Ints  # (chunks, k) most corrections of a subsystem in the step


def new_samples(system: System, steps: Ints, n_chunks: int) -> Samples:
    """Room for samples at the given steps."""

    def room(family: Sized | None, *width: int) -> Floats:
        return np.zeros((len(steps), 0 if family is None else len(family), *width))

    springs = None if system.springs is None else system.springs.number
    body = room(system.bodies, SAMPLE_WIDTH)
    body[:, :, 3] = 1.0  # of the quaternion: the ground's is never written
    return Samples(
        step=steps,
        body=body,
        multiplier=room(system.rows),
        residual=room(system.rows),
        joint=room(system.joints, JOINT_WIDTH),
        drive=room(system.drives),
        spring=room(springs, len(SPRING_RECORD)),
        joint_force=room(system.joint_forces, len(JOINT_FORCE_RECORD)),
        interface=room(None if system.contacts is None else system.contacts.interfaces, INTERFACE_WIDTH),
        body_pair=room(None if system.contacts is None else system.contacts.body_pairs, BODY_PAIR_WIDTH),
        wall=room(None if system.walls is None else system.walls.walls, WALL_WIDTH),
        sums=np.zeros((n_chunks, len(steps), SUMS_WIDTH)),
        worst=np.zeros((n_chunks, len(steps))),
        passes=np.zeros((n_chunks, len(steps)), dtype=np.int64),
    )


def clear_samples(samples: Samples, first: int) -> None:
    """Make the samples from `first` on empty again, whose sums would go on from what they hold."""
    for array in (samples.joint, samples.passes.T, samples.sums.swapaxes(0, 1), samples.worst.T):
        array[first:] = 0


def bytes_of_sample(system: System, n_chunks: int) -> int:
    """Memory of one sample."""
    return sum(array.nbytes for array in new_samples(system, np.zeros(1, dtype=np.int64), n_chunks))


def note_matrix(parts: Records, rows: Records, matrix: Matrix) -> None:
    """Let rows and subsystems know where they stand in the matrix, not yet factorised."""
    rows["left_out"] = matrix.place_of_row < 0
    total = np.concatenate([[0], np.cumsum(rows["left_out"])])
    parts["left_out"] = total[parts["last_row"]] - total[parts["first_row"]]
    sizes = np.diff(matrix.unknowns)
    parts["first_unknown"], parts["first_inverse"] = matrix.unknowns[:-1], matrix.inverse_start[:-1]
    parts["inverse_size"] = np.where(np.diff(matrix.inverse_start) > 0, sizes, 0)
    parts["stale"] = 1


def copies_of(system: System) -> list[Floats]:
    """Copies of all that a step changes."""
    return [array.copy() for array in changing_arrays(system)]


def changing_arrays(system: System) -> list[Any]:
    """The arrays that a step changes; what it makes anew from them is left out."""
    arrays: list[Any] = [system.bodies, system.rows, system.joints, system.parts]
    if system.drives is not None:
        arrays.append(system.drives)
    if system.conditions is not None:
        arrays.append(system.conditions.records)
    if system.joint_forces is not None:
        arrays.append(system.joint_forces)
    if system.contacts is not None:
        contacts = system.contacts
        arrays += [contacts.interfaces, contacts.contacts, contacts.springs, contacts.curves]
        arrays += list(system.contacts.routines)
    if system.walls is not None:
        arrays += [system.walls.walls, system.walls.nodes, system.walls.fastest]
    if system.springs is not None:
        arrays += [array for array in system.springs if isinstance(array, np.ndarray)]
    return arrays


def restore(system: System, copies: list[Floats]) -> None:
    """Put copies back; the matrices and the candidates of contacts are made anew."""
    for array, copy in zip(changing_arrays(system), copies, strict=True):
        array[...] = copy
    system.parts["stale"] = 1
    if system.contacts is not None:
        system.contacts.interfaces["pairs"] = -1


def with_own_scratch(system: System) -> System:
    """The system with working memory of its own where kernels share some."""
    tables = system.tables._replace(stack=np.zeros_like(system.tables.stack))
    contacts = system.contacts
    if contacts is not None:
        contacts = contacts._replace(points=new_points(), scratch=new_scratch(), tables=tables)
    return system._replace(tables=tables, axes=np.zeros((3, 3)), contacts=contacts)


def chunks_of(system: System) -> list[tuple[int, int]]:
    """Ranges of subsystems of about equal work, at most CHUNKS."""
    parts = system.parts
    weight = sum(parts[f"last_{family}"] - parts[f"first_{family}"] for family in ("body", "row", "spring"))
    total = np.concatenate([[0], np.cumsum(weight)])
    targets = total[-1] * np.arange(1, CHUNKS) / CHUNKS
    bounds = np.unique(np.concatenate([[0], np.searchsorted(total, targets), [len(parts)]]))
    return [(int(first), int(last)) for first, last in pairwise(bounds)]
