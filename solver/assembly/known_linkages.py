"""Linkages that this process has mended before: what it runs many times is looked at once.

Mending (`meant_geometry`) depends on where the bodies of a linkage are, on its joints, and on which way it moves; many
runs of one machine differ in forces, masses and times alone.  What may differ is named here: anything else that is not
the same makes another linkage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container
from typing import Any

import numpy as np

from ..core.bodies import Floats
from ..core.known import Known
from ..integration.system import System
from .linkage import Linkage, Place

MOST_KNOWN = 64  # linkages
# What has no part in where rows are met: masses, and what changes with the motion.
OF_BODIES = frozenset({
    "inverse_mass", "velocity", "trial_velocity", "mean_velocity", "gravity", "elastic", "external", "dissipative",
    "last_dissipative", "momentum", "trial_momentum", "mean_angular_velocity", "inverse_inertia", "theta",
    "step_rotation", "turned", "previous_dissipative", "previous_external", "mass", "inertia", "mobility", "kicked",
})  # fmt: skip
OF_ROWS = frozenset({"multiplier", "previous_multiplier", "predicted", "correction"})
OF_ENTRIES = frozenset({"weighted"})
OF_JOINTS = frozenset({"angle_rate", "slide_rate"})

Mended = tuple[list[Place] | None, Floats]  # places with branches, and parameters
_known = Known[Mended](MOST_KNOWN)  # by machine, subsystem and way


def mended_once(
    linkage: Linkage, machine: bytes, way: Floats, mend: Callable[[Linkage, Floats], list[Place] | None]
) -> list[Place] | None:
    """`mend`, or what it did to a linkage that was the same, to the bit.

    machine : its `machine_digest`, before any linkage of it was mended
    way : (6 n,) in which the bodies of the linkage move
    """

    def find() -> Mended:
        return mend(linkage, way), linkage.parameters.copy()

    places, parameters = _known.get((machine, linkage.subsystem, way.tobytes()), find)
    if np.any(parameters):
        linkage.set_parameters(parameters.copy())
    return places


def machine_digest(system: System) -> bytes:
    """A digest of all that mending the linkages of a machine depends on, but for the ways in which they move."""
    digest = hashlib.blake2b(digest_size=32)
    for name in system.subsystems.dtype.names:
        if name.startswith(("first_", "last_")):
            _add(digest, system.subsystems[name], ())
    digest.update((system.bodies["inverse_mass"] > 0.0).tobytes())
    for records, left_out in (
        (system.bodies, OF_BODIES), (system.rows, OF_ROWS), (system.entries, OF_ENTRIES), (system.joints, OF_JOINTS),
    ):  # fmt: skip
        _add(digest, records, left_out)
    for records in (system.relations, system.terms, system.skews, system.drives):
        _add(digest, records, ())
    for array in system.conditions:
        _add(digest, array, ())
    return digest.digest()


def _add(digest: Any, array: Any, left_out: Container[str]) -> None:
    """The values of an array; of records all fields but some, without what lies between them."""
    digest.update(repr(array.shape).encode())
    if array.dtype.names is None:
        digest.update(array.tobytes())
        return
    for name in array.dtype.names:
        if name not in left_out:
            _add(digest, array[name], ())
