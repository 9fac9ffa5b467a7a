"""Joints that start beyond their stops: a warning, for the stops push from the first step on."""

from __future__ import annotations

from typing import Literal

from gsolve.parser.model.joint_types import JOINT_TYPES
from gsolve.parser.text.diagnostics import Diagnostic

from ..core.unit_names import force_unit, moment_unit, unit
from .assembly import Assembly
from .start_errors import MISFIT


def joints_beyond_stops(assembly: Assembly) -> list[Diagnostic]:
    """One warning for each coordinate that is beyond a stop at t = 0."""
    model, system = assembly.model, assembly.system
    warnings = []
    size = float(system.rows["scale"].max(initial=1.0))
    for force in system.joint_forces[system.joint_forces["stop_stiffness"] > 0.0]:
        joint, rotational = model.joints[force["number"]], bool(force["rotational"])
        q = float(system.joints["angle" if rotational else "slide"][force["joint"]])
        depth, name = max((force["lower"] - q, "lower"), (q - force["upper"], "upper"))
        if depth <= MISFIT * (1.0 if rotational else size):
            continue
        of_path = "rad" if rotational else unit(model.units, length=1)
        of_effort = (moment_unit if rotational else force_unit)(model.units)
        what: Literal["rotation", "translation"] = "rotation" if rotational else "translation"
        warnings.append(
            joint.where.diagnose(
                "warning",
                f"the joint starts {depth:.6g} {of_path} beyond its {name} stop: its {what} is {q:.6g} at t = 0, and "
                f"the stop pushes with {force['stop_stiffness'] * depth:.6g} {of_effort}",
                field=name + JOINT_TYPES[joint.kind].force_fields[what],
                hint="coordinates count from where the deck has the nodes",
            )
        )
    return warnings
