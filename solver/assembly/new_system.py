"""The system that the time loop runs on, from the families that were built."""

from __future__ import annotations

import numpy as np

from ..constraints.flywheels import no_gyrostats
from ..constraints.kkt import no_matrix
from ..constraints.kkt_pattern import build_matrix
from ..constraints.rows import ROW_WORK
from ..contact.setup import is_damped_contact
from ..contact.step_limits import CONTACT_PASSES
from ..core.bodies import Records
from ..forces.spring_setup import is_damped
from ..forces.stability import DAMPING_PASSES
from ..integration.accuracy import LARGEST_ERROR
from ..integration.accurate.records import no_accurate
from ..integration.system import (
    KERNELS,
    STEP,
    SUBSYSTEM,
    System,
    no_crew,
    no_planes,
    no_trains,
    no_trees,
    note_families,
    note_matrix,
)
from .division import divided
from .force_families import ForceFamilies
from .foundation import Foundation
from .row_families import RowFamilies
from .sensor_setup import build_sensors
from .subsystems import any_in_subsystem


def new_system(foundation: Foundation, rows: RowFamilies, forces: ForceFamilies) -> System:
    """All arrays of a machine, with the pattern of its multiplier matrix."""
    bodies = foundation.bodies
    sensors, first_sensor = build_sensors(foundation, rows, forces)
    subsystems = subsystem_records(foundation, rows, forces, first_sensor)
    row_start = np.array(rows.first["row"], dtype=np.int64)
    body_start = np.array(foundation.subsystems.first_bodies(), dtype=np.int64)
    matrix = build_matrix(rows.rows, rows.entries, row_start, body_start)
    note_matrix(subsystems, rows.rows, matrix)
    contacts, parts = divided(subsystems, forces.contacts)
    return System(
        bodies=bodies,
        points=foundation.points,
        rows=rows.rows,
        entries=rows.entries,
        matrix=matrix,
        reaction_matrix=no_matrix(),
        joints=rows.joints,
        relations=rows.relations,
        terms=rows.terms,
        drives=rows.drives,
        conditions=rows.conditions,
        springs=forces.springs,
        joint_forces=forces.joint_forces,
        loads=forces.loads,
        contacts=contacts,
        walls=forces.walls,
        sensors=sensors,
        trains=no_trains(),
        planes=no_planes(),
        trees=no_trees(),
        gyrostats=no_gyrostats(),
        accurate=no_accurate(),
        tables=foundation.tables,
        skews=foundation.skews,
        axes=np.zeros((3, 3)),
        row_work=np.zeros((len(rows.rows), ROW_WORK)),
        body_work=np.zeros((len(bodies), 6)),
        subsystems=subsystems,
        steps=np.zeros(len(subsystems), STEP),
        parts=parts,
        crew=no_crew(),
        kernels=np.zeros(1, KERNELS)[0],
    )


def subsystem_records(
    foundation: Foundation, rows: RowFamilies, forces: ForceFamilies, first_sensor: list[int]
) -> Records:
    """Where each subsystem finds its bodies, rows and forces, and what is special in its steps."""
    subsystems = np.zeros(foundation.subsystems.count, SUBSYSTEM)
    first = {"body": foundation.subsystems.first_bodies(), **rows.first, **forces.first, "sensor": first_sensor}
    for family, starts in first.items():
        subsystems[f"first_{family}"], subsystems[f"last_{family}"] = starts[:-1], starts[1:]
    if len(forces.contacts.interfaces):
        crossing = forces.contacts.interfaces["zero_crossing"] == 1
        subsystems["cut_at_touch"] = any_in_subsystem(crossing, first["interface"])
    subsystems["sampled"], subsystems["energy_tolerance"] = 1, LARGEST_ERROR
    note_families(subsystems)
    set_damping_passes(subsystems, forces)
    return subsystems


def set_damping_passes(subsystems: Records, forces: ForceFamilies) -> None:
    """Refinements of the velocity where forces depend on it: more for springs and joints than for contacts alone."""
    passes, first = subsystems["damping_passes"], forces.first
    if len(forces.springs):
        passes[any_in_subsystem(is_damped(forces.springs), first["spring"])] = DAMPING_PASSES
    passes[any_in_subsystem(forces.joint_forces["dissipates"] == 1, first["joint_force"])] = DAMPING_PASSES
    touched = subsystems["last_wall"] > subsystems["first_wall"]
    if len(forces.contacts.interfaces):
        touched |= any_in_subsystem(is_damped_contact(forces.contacts.interfaces), first["interface"])
    passes[touched & (passes == 0)] = CONTACT_PASSES
