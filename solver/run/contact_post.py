"""The results of contacts handed over to routines of users (/INTER/POST), called as CONTACTPOST of MotionSolve."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from gsolve.parser.keywords.user_routines import CONTACT_RESULTS
from gsolve.parser.model import ContactInterface, UserRoutine

from ..contact.detect import points_now
from ..contact.records import Contacts
from ..core.bodies import Floats, Records
from ..core.resumable import Resumable, State
from .routine_files import RoutineError, RoutineFiles, place_of, text_of_error

KINDS = ("PD", "POS", "NORMAL_FORCE", "TANGENTIAL_FORCE", "TOTAL_FORCE", "HAS_TRIA_ID")


class ContactResults:
    """Points of contact at the time of the call at hand, and the functions by which routines ask for them."""

    def __init__(self) -> None:
        self.points: dict[int, Records] = {}  # by id of the interface
        self.origin: Floats = np.zeros(3)

    def functions(self) -> dict[str, Callable[..., Any]]:
        """By the names that MotionSolve has for them."""
        return {"py_get_ncontacts": self.number, "py_get_contact_post": self.value}

    def number(self, id: int, i_gra_id: int, j_gra_id: int) -> tuple[int, bool]:
        """How many points an interface has, and whether there is none with that id."""
        return len(self.points.get(id, ())), id not in self.points

    def value(
        self, id: int, i_gra_id: int, j_gra_id: int, type: str, rm: int, index: int
    ) -> tuple[float | list[float], bool]:  # fmt: skip
        """One result of a point, counted from 1; forces on side i, global components (rm 0)."""
        if type not in KINDS:
            raise ValueError(f"py_get_contact_post does not know {type!r}, only {', '.join(KINDS)}")
        if rm:
            raise ValueError(f"py_get_contact_post gives global components only: rm must be 0, not {rm}")
        if id not in self.points or not 1 <= index <= len(self.points[id]):
            return 0.0, True
        point = self.points[id][index - 1]
        if type == "PD":
            return float(point["penetration"]), False
        if type == "HAS_TRIA_ID":
            return 0.0, False
        if type == "POS":
            return (self.origin + point["point"]).tolist(), False
        force = np.zeros(3)
        if type != "TANGENTIAL_FORCE":
            force += point["total"] * point["normal"]
        if type != "NORMAL_FORCE":
            force += point["tangential"]
        return force.tolist(), False


class ContactPost(Resumable):
    """The routine of one interface for its results.

    It gets a sample when the next one is there, so that the last one is known when it comes.
    """

    def __init__(
        self, contact: ContactInterface, routine: UserRoutine, results: ContactResults, time_unit: str
    ) -> None:
        self.contact, self.routine, self._results, self._time_unit = contact, routine, results, time_unit
        self._parameters = np.ascontiguousarray(routine.parameters)
        self._function: Callable[..., Any] = lambda *arguments: None
        self._waiting: tuple[float, Records, Floats] | None = None

    def state(self) -> State:
        """The sample that waits to be handed over."""
        if self._waiting is None:
            return {"_waiting": None}
        time, points, origin = self._waiting
        return {"_waiting": {"time": time, "points": np.asarray(points), "origin": origin}}

    def restore(self, state: State) -> None:
        """The same."""
        waiting = state["_waiting"]
        self._waiting = (waiting["time"], waiting["points"], waiting["origin"]) if waiting is not None else None

    def connect(self, files: RoutineFiles) -> None:
        """Make the routine callable, and call it with iflag.

        Raises
        ------
        RoutineError
            it cannot be had, or fails
        """
        if self.routine.kind == "LIBRARY":
            function = files.library_function(self.routine, len(CONTACT_RESULTS.arguments))
            self._function = lambda *arguments: function(*map(self._pointer, arguments))
        else:
            self._function = files.python_function(self.routine)
        self._call(0.0, first=True)

    def _pointer(self, argument: Any) -> Any:
        if isinstance(argument, list):
            return ctypes.c_void_p(self._parameters.ctypes.data)
        kind = ctypes.c_double if isinstance(argument, float) else ctypes.c_int
        return ctypes.cast(ctypes.pointer(kind(argument)), ctypes.c_void_p)

    def _call(self, time: float, *, first: bool = False, last: bool = False) -> None:
        contact, parameters = self.contact, self._parameters.tolist()
        side_j = contact.side_j.id if contact.side_j is not None else 0
        try:
            self._function(contact.id, contact.side_i.id, side_j, time, parameters, len(parameters), first, last)
        except BaseException as error:
            raise RoutineError(text_of_error(error, self.routine.file)) from error

    def hand_over(self, time: float, points: Records, origin: Floats) -> None:
        """Keep a sample, and hand over the one before.

        Raises
        ------
        RoutineError
            the routine failed
        """
        self._pass_on(last=False)
        self._waiting = time, points, origin

    def finish(self) -> None:
        """Hand over the last sample, with endflg; raises as `hand_over`."""
        self._pass_on(last=True)

    def _pass_on(self, *, last: bool) -> None:
        if self._waiting is None:
            return
        (time, points, origin), self._waiting = self._waiting, None
        self._results.points, self._results.origin = {self.contact.id: points}, origin
        try:
            self._call(time, last=last)
        except RoutineError as error:
            where = f"{place_of(self.routine)}, of {self.contact.name},"
            raise RoutineError(f"{where} failed at t = {time:.6g} {self._time_unit}: {error}") from error


def points_of(contacts: Contacts, number: int) -> Records:
    """Copies of the points that an interface has; number : its row in the model."""
    for interface in contacts.interfaces[contacts.interfaces["number"] == number]:
        first, end = points_now(interface)
        return np.asarray(contacts.contacts[first:end].copy())
    return np.asarray(contacts.contacts[:0].copy())
