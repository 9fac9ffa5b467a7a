"""The page that answers: was the run good, and what did the machine do?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from gsolve.parser.text.numbers import counted

from ..describe import span
from ..result import Result
from .curves import Curve, Run, WantedError, find_curves
from .panels import Panel, limited

MOST_CURVES = 6  # of a panel of the page
DOUBTFUL = 0.05  # `run.promise`: an energy error above this is a doubt about the results
_ENERGIES = {
    "kinetic": "energy/kinetic_translational + energy/kinetic_rotational",
    "gravity": "energy/gravity",
    "springs": "energy/spring",
    "contacts": "energy/contact_elastic",
    "dissipated": "energy/damping_dissipated + energy/contact_dissipated + energy/friction_dissipated + energy/plastic"
    " + energy/impact_loss",
    "work of loads": "energy/external_work",
    "work of drives": "energy/drive_work",
    "total": "energy/total",
}
# What a machine does, family by family: title and names. Nodes are drawn in place of the bodies they belong to.
_MOTIONS = (
    ("rates of gear joints", ("gjoint/*/VEL1", "gjoint/*/VEL2", "gjoint/*/VEL3")),
    ("rates of racks", ("gjoint/*/V2",)),
    ("torques of gear joints", ("gjoint/*/T1", "gjoint/*/T2", "gjoint/*/T3")),
    ("forces on racks", ("gjoint/*/F2",)),
    ("rates of joints", ("joint/*/RATE", "joint/*/RATE2")),
    ("rates of slides", ("joint/*/V",)),
    ("reactions in joints", ("joint/*/F",)),
    ("rates of couplers", ("coupler/*/RATE1", "coupler/*/RATE2")),
    ("rates of flanges", ("coupler/*/V2",)),
    ("torques of couplers", ("coupler/*/T1", "coupler/*/T2")),
    ("forces on flanges", ("coupler/*/F2",)),
    ("rates of drives", ("drive/*/RATE",)),
    ("speeds of drives", ("drive/*/V",)),
    ("torques of drives", ("drive/*/T",)),
    ("forces of drives", ("drive/*/F",)),
    ("power of drives", ("drive/*/POWER",)),
    ("forces of springs", ("spring/*/F",)),
    ("moments of springs", ("spring/*/M",)),
    ("normal forces of contacts", ("inter/*/FN",)),
    ("friction forces of contacts", ("inter/*/FT",)),
    ("penetration of contacts", ("inter/*/PEN",)),
    ("normal forces of walls", ("rwall/*/FN",)),
    ("sensors: 1 while they are on", ("sensor/*/STATUS",)),
    ("speeds of nodes", ("node/*/V",)),
    ("angular velocities of nodes", ("node/*/VR",)),
    ("speeds of bodies", ("rbody/*/V",)),
    ("angular velocities of bodies", ("rbody/*/VR",)),
)
_ONLY_WITHOUT_NODES = ("rbody/",)


def overview(runs: Sequence[Run]) -> tuple[list[Panel], list[str]]:
    """The panels of the page, and what has to be known of them: what was left out, and what is 0 throughout."""
    panels, notes, zero = _quality(runs), [], []
    has_nodes = any("node" in run.result.th for run in runs)
    for title, names in _MOTIONS:
        if has_nodes and names[0].startswith(_ONLY_WITHOUT_NODES):
            continue
        curves, said = _existing(names, runs)
        if not curves:
            continue
        notes += said
        moving = _not_zero(curves)
        if not moving:
            zero += [title] if any(len(curve.numbers) for curve in curves) else []
            continue
        panel = Panel(moving, title)
        left_out = limited(panel, MOST_CURVES)
        notes += [left_out] if left_out else []
        panels.append(panel)
    if zero:
        notes.append(f"0 throughout: {', '.join(zero)}")
    return panels, notes


def header(result: Result, drawn: str) -> str:
    """What a run was and how it ended, in two lines.

    drawn : what to call it
    """
    attributes = result.attributes
    why = f": {result.message}" if result.message else ""
    running = " (or killed)" if result.status == "running" else ""
    times = result.time
    parts = [
        f"{result.status}{running}{why}",
        f"{counted(len(times), 'sample')} to t = {times[-1]:.6g} {times.units}",
    ]
    if "dt_min" in attributes and "n_steps" in attributes:
        steps = span(attributes["dt_min"], attributes["dt_max"])
        parts.append(f"{attributes['n_steps']} steps of {steps} {times.units}")
    if "energy_error" in attributes:
        parts.append(f"energy error {attributes['energy_error']:.2g} of the energy turned over")
    if len(result.doubts):
        parts.append(f"{counted(len(result.doubts), 'doubt')} about the results")
    title = f": {result.title}" if result.title and result.title != result.run_name else ""
    return f"{drawn}{title}\n{'; '.join(parts)}"


def _quality(runs: Sequence[Run]) -> list[Panel]:
    """Energies, their error, how well rows are met, and the time step where it changes."""
    energies = []
    for word, text in _ENERGIES.items():
        curves, _ = _existing((text,), runs)
        energies += [replace(curve, name=word, text=word, quantity="energy") for curve in _not_zero(curves)]
    panels = [Panel(energies, "energies")] if energies else []
    errors, _ = _existing(("energy/error",), runs)
    errors = [_relative(curve, runs[curve.run].result) for curve in _not_zero(errors)]
    if errors:
        panels.append(
            Panel(errors, f"energy error (above {DOUBTFUL:g} of the energy turned over: a doubt)", logarithmic=True)
        )
    violations, _ = _existing(("diag/constraint_violation",), runs)
    if moving := [replace(curve, text="") for curve in _not_zero(violations)]:
        panels.append(Panel(moving, "constraint violation", logarithmic=True))
    steps, _ = _existing(("diag/dt",), runs)
    if any(curve.range > 1e-9 * np.max(np.abs(curve.numbers), initial=0.0) for curve in steps):
        panels.append(Panel([replace(curve, text="") for curve in steps], "time step"))
    return panels


def _relative(curve: Curve, result: Result) -> Curve:
    """The energy error as a part of the energy turned over, where that is known."""
    whole = float(result.attributes.get("energy_turned_over", 0.0))
    if not whole > 0.0:
        return replace(curve, text="", quantity="|error|")
    return replace(curve, text="", values=curve.values / whole, unit="1", quantity="|error| / turned over")


def _existing(names: Sequence[str], runs: Sequence[Run]) -> tuple[list[Curve], list[str]]:
    """The curves of those names that there are."""
    curves, notes = [], []
    for name in names:
        try:
            found, said = find_curves([name], runs)
        except WantedError:
            continue
        curves += found
        notes += [note for note in said if "too many" in note]
    return curves, notes


def _not_zero(curves: Sequence[Curve]) -> list[Curve]:
    """Those of a name that is not 0, or nothing, in all runs."""
    moving = {curve.name for curve in curves if np.any(curve.numbers != 0.0)}
    return [curve for curve in curves if curve.name in moving]
