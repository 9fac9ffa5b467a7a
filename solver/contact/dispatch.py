"""Pointers to the kernels of contacts, of which only those are compiled that the shapes of a deck need."""

from __future__ import annotations

from typing import Any

from gsolve.parser.model import Model
from numba import from_dtype, typeof, types

from ..core.bodies import Floats, Record, Records, Vector
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from ..core.jit.pointers import KernelPointer
from ..core.jit.references import TupleReference
from ..geometry.shapes import NOWHERE, SPHERE, Solid
from .evaluate import find_contacts, refine_contacts
from .first_touch import no_gap, step_to_first_touch
from .records import ContactKernels, Contacts, Families, Range, Routines
from .work import accumulate_work


@kernel
def no_points(
    one: Record, position_i: Vector, rotation_i: Floats, other: Record, position_j: Vector, rotation_j: Floats,
    families: Families, scratch: Record, points: Records,
) -> int:  # fmt: skip
    """In place of `find_points`, where no shapes need it."""
    return 0


def contact_kernels(contacts: Contacts | None, bodies: Records, parts: Records) -> ContactKernels:
    """Pointers to the kernels, for arrays of these types."""
    if contacts is None:
        return ContactKernels(None, None, None, None)
    data, part, records, number = (
        TupleReference(typeof(contacts)),
        from_dtype(parts.dtype),
        typeof(bodies),
        types.float64,
    )
    return ContactKernels(
        find=KernelPointer(find_contacts, types.int64, data, part, records, number, number, number, types.boolean),
        damp=KernelPointer(refine_contacts, types.none, data, part, records),
        book=KernelPointer(accumulate_work, number, data, part),
        first_touch=KernelPointer(step_to_first_touch, number, data, part, records, number, number),
    )


@kernel
def no_family(i: Solid, j: Solid, scratch: Record, points: Records) -> int:
    """In place of a kernel of `narrow_phase` that is not needed."""
    return 0


def families_for(pairs: set[tuple[int, int]], points: Records, scratch: Record) -> Families:
    """Pointers to the kernels for pairs of these kinds; to `no_family` for all others."""
    solid = typeof(Solid(SPHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE))
    arguments = solid, solid, from_dtype(scratch.dtype), typeof(points)
    kernels = Families(*(no_family for _ in Families._fields))
    if pairs:
        from ..geometry.narrow_phase import KERNELS, family_of

        kernels = kernels._replace(**{name: getattr(KERNELS, name) for name in {family_of(*pair) for pair in pairs}})
    return Families(*(KernelPointer(kernel, types.int64, *arguments) for kernel in kernels))


def geometry(
    model: Model, shapes: Records, pairs: set[tuple[int, int]], points: Records, scratch: Record
) -> tuple[Families, KernelPointer, KernelPointer]:
    """Pointers to the kernels for pairs of kinds, and to the points and the gap of two shapes.

    None does anything where no shapes need it.
    """
    find: Any = no_points
    gap: Any = no_gap
    if pairs:
        from ..geometry.narrow_phase import find_points, gap_of

        find = find_points
        if any(contact.zero_crossing for contact in model.contacts):
            gap = gap_of
    families = families_for(pairs, points, scratch)
    shape, vector = from_dtype(shapes.dtype), types.UniTuple(types.float64, 3)
    rotation = types.NestedArray(types.float64, (3, 3))  # a field of a body's record
    pair, buffer = (shape, vector, rotation, shape, vector, rotation), from_dtype(scratch.dtype)
    found = types.Tuple((types.float64, vector, vector, vector))
    return (
        families,
        KernelPointer(find, types.int64, *pair, typeof(families), buffer, typeof(points)),
        KernelPointer(gap, found, *pair, buffer),
    )


@kernel
def no_spread(
    interface: Record, contacts: Records, springs: Records, frames: Records, moves: Records, bodies: Records,
    curves: Records, tables: FunctionTables,
) -> None:  # fmt: skip
    """In place of `spread_force`, where there are no force curves."""


@kernel
def no_damp_curve(
    interface: Record, contacts: Records, springs: Records, frames: Records, curves: Records, tables: FunctionTables
) -> None:
    """In place of `damp_curve`, likewise."""


def curve_kernels(
    interfaces: Records, contacts: Records, springs: Records, frames: Records, moves: Records, bodies: Records,
    curves: Records, tables: FunctionTables,
) -> tuple[KernelPointer, KernelPointer]:  # fmt: skip
    """Pointers to what force curves do in place of a law: once a step, and with every estimate of v_n."""
    spread: Any = no_spread
    damp: Any = no_damp_curve
    if len(curves):
        from .force_curves import damp_curve, spread_force

        spread, damp = spread_force, damp_curve
    interface, points = from_dtype(interfaces.dtype), (typeof(contacts), typeof(springs), typeof(frames))
    functions = typeof(curves), typeof(tables)
    return (
        KernelPointer(spread, types.none, interface, *points, typeof(moves), typeof(bodies), *functions),
        KernelPointer(damp, types.none, interface, *points, *functions),
    )


@kernel
def no_evaluation(
    routines: Routines, k: int, interface: Record, m: int, t: float, shapes: Records, members: Records,
    bodies: Records, moves: Records, contacts: Records, springs: Records, before: Range,
) -> float:  # fmt: skip
    """In place of `evaluate_routines`, where there are no routines of the user."""
    return 0.0


@kernel
def no_damping(
    routines: Routines, k: int, interface: Record, contacts: Records, springs: Records, frames: Records,
    shapes: Records, members: Records, bodies: Records, refine: bool,
) -> None:  # fmt: skip
    """In place of `damp_by_routines`, likewise."""


def routine_kernels(
    routines: Routines, interfaces: Records, contacts: Records, springs: Records, frames: Records, moves: Records,
    shapes: Records, members: Records, bodies: Records,
) -> tuple[KernelPointer, KernelPointer]:  # fmt: skip
    """Pointers to what routines of the user do: for each point once a step, and with every estimate of v_n."""
    evaluate: Any = no_evaluation
    damp: Any = no_damping
    if len(routines.normal):
        from .user_forces import damp_by_routines, evaluate_routines

        evaluate, damp = evaluate_routines, damp_by_routines
    of, number = typeof(routines), types.int64
    interface = from_dtype(interfaces.dtype)
    solids, points = (typeof(shapes), typeof(members), typeof(bodies)), (typeof(contacts), typeof(springs))
    return (
        KernelPointer(evaluate, types.float64, of, number, interface, number, types.float64, *solids, typeof(moves),
                      *points, types.UniTuple(number, 2)),
        KernelPointer(damp, types.none, of, number, interface, *points, typeof(frames), *solids, types.boolean),
    )  # fmt: skip
