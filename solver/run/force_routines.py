"""The routine of one interface for the normal force or friction: made callable, and asked why it failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gsolve.parser.keywords.user_routines import NORMAL_FORCE, Purpose
from gsolve.parser.model import ContactInterface, UserRoutine

from ..contact.user_forces import FIELDS
from ..core.bodies import Records
from ..core.resumable import Resumable
from .routine_compiler import NotCompiledError
from .routine_files import (
    RoutineError,
    RoutineFiles,
    address_of,
    place_of,
    plain_function,
    pointer_function,
    short_text,
    text_of_error,
    three_numbers,
)

REALS = (
    "time", "loci", "ni", "locj", "nj", "gap", "gapdot", "gapdotdot", "x", "xdot", "nforce", "result",
)  # fmt: skip


class ForceRoutine(Resumable):
    """A routine and its record.

    calls, k : the records of its kind, and which of them belongs to the interface
    """

    KEPT = ("_pull_told",)

    def __init__(self, contact: ContactInterface, routine: UserRoutine, purpose: Purpose, calls: Records, k: int):
        self.contact, self.routine, self._purpose = contact, routine, purpose
        self.record = calls[k : k + 1]
        self._parameters = np.ascontiguousarray(routine.parameters)
        self.record["id"], self.record["npar"] = contact.id, len(self._parameters)
        self.record["par"] = self._parameters.ctypes.data
        constants = {
            "id": contact.id, "par": self._parameters.tolist(), "npar": len(self._parameters), "dflag": False,
            "iflag": False,
        }  # fmt: skip
        first, places = FIELDS[REALS[0]][1], {}
        for name in REALS:
            kind, offset = FIELDS[name][:2]
            place, size = (offset - first) // 8, kind.itemsize // 8
            places[name] = place if size == 1 else slice(place, place + size)
        last = FIELDS[REALS[-1]]
        reals = self.record.view(np.uint8)[first : last[1] + last[0].itemsize].view(np.float64)
        self._reals, self._result = reals, reals[places["result"]]
        self._slots = [(places.get(name), constants.get(name)) for name in purpose.arguments]
        self._python: Callable[..., Any] | None = None
        self._function: Any = None  # what the address is of
        self._error = ""
        self._pull_told = False
        self.keeps_nothing = False  # from call to call: compiled from Python

    def connect(self, files: RoutineFiles) -> str:
        """Make the routine callable, after a call with iflag; returns why it is not compiled, or "".

        Raises
        ------
        RoutineError
            it cannot be had, or failed with iflag
        """
        routine, n_pointers = self.routine, len(self._purpose.arguments) + 1
        if routine.kind == "LIBRARY":
            self._function = files.library_function(routine, n_pointers)
            self._announce_to_library()
            self.record["address"] = address_of(self._function)
            return ""
        self._python = plain_function(files.python_function(routine))
        try:
            self._python(*self._arguments()[:-1], True)
        except (Exception, SystemExit) as error:
            raise RoutineError(text_of_error(error, routine.file)) from error
        try:
            self._function = files.compiled_force(routine, self._purpose.arguments)
        except NotCompiledError as error:
            self._function = pointer_function(self._call_python, n_pointers)
            self.record["address"] = address_of(self._function)
            return str(error)
        self.record["address"], self.keeps_nothing = self._function.address, True
        return ""

    def _announce_to_library(self) -> None:
        self.record["iflag"] = 1
        start = self.record.ctypes.data
        names = (*self._purpose.arguments, "result")
        self._function(*(int(self.record["par"][0]) if n == "par" else start + FIELDS[n][1] for n in names))
        self.record["iflag"], self.record["result"] = 0, 0.0

    def _arguments(self) -> list[Any]:
        """What a Python function gets, iflag last."""
        reals = self._reals.tolist()
        return [constant if place is None else reals[place] for place, constant in self._slots]

    def _call_python(self, *pointers: int) -> None:
        """Called by kernels; an exception must not get into them."""
        assert self._python is not None
        try:
            self._result[:] = three_numbers(self._python(*self._arguments()))
        except RoutineError as error:
            self._error = f"it {error}"
            self._result[:] = np.nan
        except BaseException as error:
            self._error = text_of_error(error, self.routine.file)
            self._result[:] = np.nan

    @property
    def what(self) -> str:
        """Routine and interface, for messages."""
        return f"{place_of(self.routine)}, of {self.contact.name},"

    def why_failed(self) -> str:
        """What the call that failed gave or raised."""
        if self._error:
            return self._error
        given = tuple(self._result.tolist())
        if self._python is not None:  # compiled: what went wrong there is seen when it is called as Python
            try:
                given = three_numbers(self._python(*self._arguments()))
            except RoutineError as error:
                return f"it {error}"
            except (Exception, SystemExit) as error:
                return text_of_error(error, self.routine.file)
        others = "the two others" if self._purpose is NORMAL_FORCE else "the third"
        hint = f", and {others} must be 0" if np.all(np.isfinite(given)) else ""
        along = "along the normal" if self._purpose is NORMAL_FORCE else "along and across the slip"
        return f"it gave {short_text(given)}; the force is taken {along}{hint}"

    def pull_message(self, time_unit: str) -> str:
        """What to say, once, of a normal force that attracted, or ""."""
        pull = float(self.record["pull"][0])
        if self._pull_told or pull == 0.0:
            return ""
        self._pull_told = True
        when = float(self.record["pull_time"][0])
        return (
            f"{self.what} gave attracting forces, as {pull:.4g} at t = {when:.6g} {time_unit}: "
            "contacts do not pull, they count as 0"
        )
