"""The records of bodies, and what kinds of arrays kernels share.

Families of things are arrays of records (one record a body, a link, a row ...): a kernel gets one array a family, and
what belongs to one thing lies together in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Records(Protocol):
    """An array of records, by what is done with it.

    As `NDArray[np.void]` its fields would be arrays of anything, for which mypy tries each operator with every kind of
    number: that takes five times as long as all else.
    """

    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __array__(self) -> NDArray[np.void]: ...
    def copy(self) -> Any: ...


Record = Any  # one of them, as a kernel sees it: fields are attributes
Vector = tuple[float, float, float]

GROUND = 0  # body 0 never moves
LINE = 64  # bytes of a line of the cache
NO_ROTATION, SPHERICAL, GENERAL = 0, 1, 2  # kinds of inertia
FARTHEST = 1e25  # beyond this a body is lost, before its energy overflows
MAX_STEP_ANGLE_SQUARED = 4.0  # of a body in one step


def in_lines(record: np.dtype[np.void]) -> np.dtype[np.void]:
    """A record type filled up to whole lines of the cache."""
    assert record.names is not None and record.fields is not None
    return np.dtype(
        {
            "names": list(record.names),
            "formats": [record[name] for name in record.names],
            "offsets": [record.fields[name][1] for name in record.names],
            "itemsize": -(-record.itemsize // LINE) * LINE,
        },
        align=True,
    )


def zeros_in_lines(n: int, record: np.dtype[np.void]) -> Records:
    """n records of zeros, the first at the start of a line, so that those of a type `in_lines` share none."""
    buffer = np.zeros(n * record.itemsize + LINE, dtype=np.uint8)
    start = -buffer.ctypes.data % LINE
    return buffer[start : start + n * record.itemsize].view(record)


# Body axes are the global axes at t = 0.  The reference point is the mass centre, or the pivot of a body held at one.
# Positions are those of t_n, velocities and spatial angular momenta those of t_{n-1/2}; `trial_` is the step at hand.
# What a step passes over most often stands first and together: thousands of bodies do not fit into the cache.
BODY = in_lines(
    np.dtype(
        [
            ("turning", "i8"),  # NO_ROTATION, SPHERICAL or GENERAL
            ("inverse_mass", "f8"),
            ("velocity", "f8", 3),
            ("trial_velocity", "f8", 3),
            ("mean_velocity", "f8", 3),  # v_n
            ("gravity", "f8", 3),  # constant acceleration; what varies with time is a load
            ("displacement", "f8", 3),  # of the reference point from t = 0
            ("low_displacement", "f8", 3),  # what its sum lost to rounding
            ("trial_displacement", "f8", 3),
            ("trial_low_displacement", "f8", 3),
            # forces and moments about the reference point at t_n
            ("elastic", "f8", 6),
            ("external", "f8", 6),
            ("dissipative", "f8", 6),  # what depends on the rate, and all of contacts
            ("last_dissipative", "f8", 6),  # of the damping pass before
            # what turns
            ("momentum", "f8", 3),  # angular momentum about the reference point, global
            ("trial_momentum", "f8", 3),
            ("mean_angular_velocity", "f8", 3),
            ("inverse_inertia", "f8", (3, 3)),  # about the reference point, body axes
            ("mass_arm", "f8", 3),  # from the reference point to the mass centre, body axes
            ("theta", "f8", 3),  # rotation vector of the step, body axes
            ("step_rotation", "f8", 3),  # rotation vector of the last step, global
            ("turned", "f8", 3),  # time integral of the angular velocity
            ("quaternion", "f8", 4),
            ("trial_quaternion", "f8", 4),
            ("rotation", "f8", (3, 3)),
            ("trial_rotation", "f8", (3, 3)),
            # at t_{n-1}, for the work they do
            ("previous_dissipative", "f8", 6),
            ("previous_external", "f8", 6),
            ("mass", "f8"),
            ("inertia", "f8", (3, 3)),
            ("mobility", "f8", (3, 3)),  # angular velocity by an impulse moment, global; working memory
            ("kicked", "f8", 6),  # velocity and angular velocity by the last change of the forces; working memory
            ("centre", "f8", 3),  # reference point at t = 0
        ],
        align=True,
    )
)


def new_bodies(n: int) -> Records:
    """n bodies of no mass, at rest where they were built."""
    bodies = zeros_in_lines(n, BODY)
    for prefix in ("", "trial_"):
        bodies[prefix + "quaternion"][:, 0] = 1.0
        bodies[prefix + "rotation"][:] = np.eye(3)
    return bodies


def empty_arrays(kinds: str, *widths: tuple[int, ...]) -> list[Any]:
    """Arrays of nothing: `kinds` has a letter for each, i or f; widths are the lengths of all axes but the first."""
    types = {"i": np.int64, "f": np.float64}
    return [np.zeros((0, *width), dtype=types[kind]) for kind, width in zip(kinds, widths, strict=True)]
