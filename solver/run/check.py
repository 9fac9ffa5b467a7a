"""`gsolve check`: everything but the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..results.describe import deck_counts, deck_facts, diagnostic_lines, fact, joint_lines, relation
from ..results.mesh_report import mesh_figures, mesh_lines
from .console import Console
from .driver import build_simulation
from .options import RunOptions

if TYPE_CHECKING:
    from gsolve.parser.model import Model


def check_model(model: Model, options: RunOptions, console: Console) -> dict[str, Any]:
    """Assemble a model and say all about it; returns the figures for a machine to read.

    Raises
    ------
    DeckError
        the model cannot be assembled
    """
    simulation = build_simulation(model, options, console, runs=False)
    warnings = [*model.warnings, *simulation.warnings]
    facts = [*deck_facts(model), *simulation.facts]
    for label, text in facts:
        console.say(fact(label, text))
    meshes = simulation.meshes
    for line in mesh_lines(meshes, model.units):
        console.say(line)
    joints = joint_lines(model, options.gjoint_alpha)
    for line in (*simulation.new_deck_lines, *joints, *diagnostic_lines(warnings)):
        console.say(line)
    count = len(warnings)
    console.say(f"{model.run_name}: no errors, {count or 'no'} warning{'s' if count != 1 else ''}")
    return {
        "status": "checked",
        "run_name": model.run_name,
        "title": model.title,
        "files": model.files,
        "mesh_files": model.mesh_files,
        "units": {"mass": model.units.mass, "length": model.units.length, "time": model.units.time},
        "parameters": model.parameters,
        "counts": deck_counts(model),
        "meshes": [mesh_figures(mesh) for mesh in meshes],
        "gear_joints": [
            {
                "id": joint.id,
                "title": joint.title,
                "kind": joint.kind,
                "relation": relation(joint, options.gjoint_alpha),
            }
            for joint in model.gear_joints
        ],
        **simulation.summary(),
        "facts": [list(pair) for pair in facts],
        "degrees_of_freedom": simulation.degrees_of_freedom,
        "redundant_rows": len(simulation.redundant_rows),
        "t_end": simulation.t_end,
        "dt": simulation.dt,
        "dt_reason": simulation.dt_reason,
        "n_steps_estimate": simulation.n_steps_estimate,
        "sampling_interval": simulation.sampling_interval,
        "warnings": warnings,
    }
