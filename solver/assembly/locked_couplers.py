"""Couplers and gears that lock what they join, or tie nothing: a doubt for each, at t = 0."""

from __future__ import annotations

import numpy as np
from gsolve.parser.model import Coupler
from gsolve.parser.text.diagnostics import Diagnostic, Where
from numpy.typing import NDArray

from ..constraints.joint_setup import COUPLER_NODES, CouplerPlace
from ..constraints.redundancy import subsystem_of_rows
from ..core.bodies import NO_ROTATION
from ..integration.system import System
from .assembly import Assembly
from .rotors import ends_of
from .start_messages import is_motion

PARALLEL = 1e-6  # sine of the angle between axes that are meant to be one
SAME_RATIO = 1e-6  # relative difference of ratios that is the rounding of a deck


def locked_couplers(assembly: Assembly) -> list[Diagnostic]:
    """A doubt for couplers of a rotation with itself, and one for each subsystem that gears and couplers hold still."""
    found, system, told = [], assembly.system, set()
    for place in assembly.places.couplers:
        doubt = _with_itself(assembly, place)
        if doubt is not None:
            found.append(doubt)
            told.add(int(subsystem_of_rows(system.subsystems, place.row)))
    last = _last_ratios(assembly)
    moved = is_motion(system) if last else np.empty(0, dtype=bool)
    for s, where in last.items():
        if s not in told and _stands_still(system, s, moved):
            message = "it locks what it joins: its machine has no degree of freedom left at t = 0"
            hint = "look for a ratio, joint or /BCS too many; gears that mesh in a ring of three lock, too"
            found.append(where.diagnose("doubt", message, hint=hint))
    return found


def _last_ratios(assembly: Assembly) -> dict[int, Where]:
    """Of each subsystem the last block that ties coordinates by a ratio: the likeliest one too many."""
    places = assembly.places
    blocks: list[tuple[Where, int]] = [(gears.gear_joint.where, gears.row) for gears in places.gear_joints]
    blocks += [(place.coupler.where, place.row) for place in places.couplers]
    if not blocks:
        return {}
    subsystems = subsystem_of_rows(assembly.system.subsystems, np.array([row for _, row in blocks]))
    return {s: where for s, (where, _) in zip(subsystems.tolist(), blocks, strict=True)}


def _stands_still(system: System, s: int, moved: NDArray[np.bool_]) -> bool:
    """Whether rows leave nothing of a subsystem free, and none of them is a motion of the deck."""
    subsystem, matrix = system.subsystems[s], system.matrix
    inside = slice(subsystem["first_row"], subsystem["last_row"])
    if moved[inside].any():
        return False
    bodies = system.bodies[subsystem["first_body"] : subsystem["last_body"]]
    free = 3 * (np.count_nonzero(bodies["inverse_mass"] > 0) + np.count_nonzero(bodies["turning"] != NO_ROTATION))
    place = matrix.place_of_row[inside]
    return bool(free <= np.count_nonzero((place >= 0) & (matrix.pivot_inverse[place] != 0.0)))


def _with_itself(assembly: Assembly, place: CouplerPlace) -> Diagnostic | None:
    """The doubt about an R2R both of whose sides are one rotation: of the same two bodies, about parallel axes."""
    coupler = place.coupler
    if coupler.kind != "R2R":
        return None
    sides = assembly.system.joints[list(place.joints)]
    first, second = (ends_of(side) for side in sides)
    cosine = float(coupler.axis_a @ coupler.axis_b)
    if first != second or np.linalg.norm(np.cross(coupler.axis_a, coupler.axis_b)) > PARALLEL:
        return None
    turned = sides["carrier"]["body"][0] != sides["carrier"]["body"][1]
    own_ratio = -np.sign(cosine) if turned else np.sign(cosine)
    if abs(coupler.ratio - own_ratio) <= SAME_RATIO:
        effect = f"with the ratio {coupler.ratio:g} that holds by itself, and the coupler does nothing"
    else:
        effect = f"the ratio {coupler.ratio:g} locks it"
    return coupler.where.diagnose(
        "doubt",
        f"both sides are the rotation of {_named(assembly, coupler)}: {effect}",
        field=COUPLER_NODES["R2R"][2],
        hint="a coupler ties two shafts, each on its support: give node_b and node_support_b those of the other one",
    )


def _named(assembly: Assembly, coupler: Coupler) -> str:
    names = [
        f"node {assembly.model.nodes.ids[node]}" if node >= 0 else "the ground"
        for node in (coupler.node_a, coupler.support_a)
    ]
    return f"{names[0]} against {names[1]}"
