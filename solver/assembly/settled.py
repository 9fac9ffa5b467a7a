"""The positions of a machine at rest, found before a run, which then starts from them."""

from __future__ import annotations

from typing import Any, NamedTuple

from gsolve.parser.text.diagnostics import Diagnostic
from numpy.typing import NDArray

from ..core.bodies import Records
from ..integration.system import System
from .assembly import Assembly
from .initial_kernels import set_joint_rates

# What the place of a machine is, by family: positions, whole turns, and what springs add up on the way.
PLACE = {
    "bodies": ("displacement", "low_displacement", "quaternion", "rotation", "step_rotation"),
    "joints": ("turns", "angle", "slide"),
    "springs": ("status", "share", "reference", "twist", "axes", "elongation", "growth", "elastic"),
}
TRIAL = ("displacement", "low_displacement", "quaternion", "rotation", "turns", "angle", "slide")


class Settled(NamedTuple):
    """A machine at rest.

    steps : that it took to come there
    residual : largest acceleration that is left of a body, by `scale`
    scale : largest acceleration by gravity, or without any of the machine as built
    by_gravity : whether it is gravity's
    place : fields of `PLACE` by family and name
    """

    steps: int
    residual: float
    scale: float
    by_gravity: bool
    place: dict[str, dict[str, NDArray[Any]]]


def place_of(system: System) -> dict[str, dict[str, NDArray[Any]]]:
    """Where a machine is."""
    return {family: {name: getattr(system, family)[name].copy() for name in names} for family, names in PLACE.items()}


def put(system: System, settled: Settled) -> None:
    """Move a machine to where it is at rest, and stop it."""
    for family, fields in settled.place.items():
        records: Records = getattr(system, family)
        for name, values in fields.items():
            records[name] = values
            if name in TRIAL:
                records[f"trial_{name}"] = values
    stop(system, slice(None))


def stop(system: System, which: slice) -> None:
    """Take the velocities of some bodies away."""
    for name in ("velocity", "momentum"):
        system.bodies[name][which] = 0.0
    set_joint_rates(system)


def velocity_warnings(assembly: Assembly) -> list[Diagnostic]:
    """One for each initial velocity that a settled machine does not have."""
    return [
        given.where.diagnose(
            "warning", "this initial velocity is left out: a machine that is settled starts at rest",
            hint="run without --settle, or take the velocity out of the deck",
        )
        for given in assembly.model.initial_velocities
    ]  # fmt: skip
