"""`gsolve check`: everything but the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gsolve.parser.text.numbers import counted

from ..results.curve_report import curve_figures, curve_lines, curve_reports
from ..results.describe import deck_counts, deck_facts, diagnostic_lines, fact, joint_lines, relation
from ..results.mesh_report import mesh_figures, mesh_lines
from .build import build_simulation
from .observer import Observer
from .options import RunOptions

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Check:
    """What `gsolve check` finds.

    figures : everything, by the names of `gsolve check --json`
    lines : what the shell says
    warnings : about the deck and its machine
    """

    figures: dict[str, Any]
    lines: list[str]
    warnings: list[Diagnostic]

    def __getitem__(self, name: str) -> Any:
        """A figure: check["degrees_of_freedom"]."""
        return self.figures[name]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def check_model(model: Model, options: RunOptions, observer: Observer) -> Check:
    """Assemble a model and find all about it.

    Raises
    ------
    DeckError
        the model cannot be assembled
    """
    simulation = build_simulation(model, options, observer, runs=False)
    warnings = [*model.warnings, *simulation.warnings]
    facts = [*deck_facts(model), *simulation.facts]
    lines = [fact(label, text) for label, text in facts]
    meshes = simulation.meshes
    curves = curve_reports(model)
    lines += [*mesh_lines(meshes, model.units), *curve_lines(curves, model.units)]
    joints = joint_lines(model, options.gjoint_alpha)
    lines += [*simulation.new_deck_lines, *joints, *diagnostic_lines(warnings)]
    count = len(warnings)
    lines.append(f"{model.run_name}: no errors, {counted(count, 'warning') if count else 'no warnings'}")
    figures = {
        "status": "checked",
        "run_name": model.run_name,
        "title": model.title,
        "files": model.files,
        "mesh_files": model.mesh_files,
        "units": {"mass": model.units.mass, "length": model.units.length, "time": model.units.time},
        "parameters": model.parameters,
        "counts": deck_counts(model),
        "meshes": [mesh_figures(mesh) for mesh in meshes],
        "curves": [curve_figures(curve) for curve in curves],
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
    return Check(figures, lines, warnings)
