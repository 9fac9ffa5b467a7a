"""Pointers to the kernels of contacts, of which only those are compiled that the shapes of a deck need."""

from __future__ import annotations

from typing import Any

from numba import from_dtype, typeof, types

from ..core.bodies import Record, Records
from ..core.functions import FunctionTables
from ..core.jit.kernels import kernel
from ..core.jit.pointers import KernelPointer
from ..core.jit.references import TupleReference
from .contacts import book_contacts, find_contacts, refine_contacts
from .first_touch import step_to_first_touch
from .records import ContactKernels, Contacts, Routines


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
        book=KernelPointer(book_contacts, number, data, part),
        first_touch=KernelPointer(step_to_first_touch, number, data, part, records, number, number),
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
def no_question(
    routines: Routines, k: int, interface: Record, contact: Record, m: int, t: float, shapes: Records,
    members: Records, bodies: Records, move_i: Record, move_j: Record, contacts: Records, springs: Records, old: int,
    old_end: int,
) -> float:  # fmt: skip
    """In place of `ask_routines`, where there are no routines of the user."""
    return 0.0


@kernel
def no_answer(
    routines: Routines, k: int, interface: Record, contacts: Records, springs: Records, frames: Records,
    shapes: Records, members: Records, bodies: Records, refine: bool,
) -> None:  # fmt: skip
    """In place of `damp_by_routines`, likewise."""


def routine_kernels(
    routines: Routines, interfaces: Records, contacts: Records, springs: Records, frames: Records, moves: Records,
    shapes: Records, members: Records, bodies: Records,
) -> tuple[KernelPointer, KernelPointer]:  # fmt: skip
    """Pointers to what routines of the user do: for each point once a step, and with every estimate of v_n."""
    ask: Any = no_question
    damp: Any = no_answer
    if len(routines.normal):
        from .user_forces import ask_routines, damp_by_routines

        ask, damp = ask_routines, damp_by_routines
    of, number = typeof(routines), types.int64
    interface, point, move = (from_dtype(records.dtype) for records in (interfaces, contacts, moves))
    solids, points = (typeof(shapes), typeof(members), typeof(bodies)), (typeof(contacts), typeof(springs))
    return (
        KernelPointer(ask, types.float64, of, number, interface, point, number, types.float64, *solids, move, move,
                      *points, number, number),
        KernelPointer(damp, types.none, of, number, interface, *points, typeof(frames), *solids, types.boolean),
    )  # fmt: skip
