"""Facts about a deck and its simulation as lines of text, for the screen, the listing and `gsolve check`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from gsolve.parser.model.joint_types import JOINT_TYPES
from gsolve.parser.text.numbers import counted

if TYPE_CHECKING:
    from gsolve.parser.model import Coupler, Drive, Floats, GearJoint, Joint, Model
    from gsolve.parser.text.diagnostics import Diagnostic

    from ..constraints.gear_joints import GjointAlpha

LABEL_WIDTH = 14
FORCES_OF_JOINT = ("stiffness", "damping", "preload", "friction_force", "friction_coefficient")
SCREEN_JOINTS = 20  # joints listed on the screen; the listing has them all
SCREEN_FILES = 10

# Lists of Model, with the words for one and for many.
COUNTED = (
    ("rigid_bodies", "rigid body", "rigid bodies"),
    ("rigid_ties", "rigid tie", "rigid ties"),
    ("gear_joints", "gear joint", "gear joints"),
    ("joints", "joint", "joints"),
    ("drives", "drive", "drives"),
    ("couplers", "coupler", "couplers"),
    ("springs", "spring", "springs"),
    ("shapes", "contact solid", "contact solids"),
    ("meshes", "mesh", "meshes"),
    ("contacts", "contact interface", "contact interfaces"),
    ("force_curve_contacts", "contact by a force curve", "contacts by force curves"),
    ("rigid_walls", "rigid wall", "rigid walls"),
    ("velocity_links", "velocity link", "velocity links"),
    ("directional_ties", "tie of some directions", "ties of some directions"),
    ("multi_point_constraints", "sum of velocities", "sums of velocities"),
    ("boundary_conditions", "boundary condition", "boundary conditions"),
    ("imposed_motions", "imposed motion", "imposed motions"),
    ("initial_velocities", "initial velocity", "initial velocities"),
    ("gravities", "gravity field", "gravity fields"),
    ("loads", "concentrated load", "concentrated loads"),
    ("added_masses", "added mass", "added masses"),
    ("functions", "function", "functions"),
    ("sensors", "sensor", "sensors"),
    ("skews", "skew", "skews"),
)


def fact(label: str, text: str) -> str:
    """One line: a label and what there is to say about it; further lines of the text are indented."""
    indent = "\n" + " " * LABEL_WIDTH
    return f"{label:<{LABEL_WIDTH}}{indent.join(text.splitlines())}"


def deck_facts(model: Model) -> list[tuple[str, str]]:
    """What was read: title, files, units, and how many of everything."""
    units = model.units
    counts = [counted(len(model.nodes), "node")]
    counts += [counted(len(getattr(model, name)), one, many) for name, one, many in COUNTED if getattr(model, name)]
    elements = sum(len(block.ids) for block in model.elements)
    if elements:
        counts.append(counted(elements, "element (mass only)", "elements (mass only)"))
    facts = [("deck", " + ".join(model.files) or model.run_name)]
    if model.mesh_files:
        facts.append(("mesh files", ", ".join([*model.mesh_files[:SCREEN_FILES], *more_names(model.mesh_files)])))
    facts.append(("title", model.title or "(none)"))
    facts += [("units", f"{units.mass}, {units.length}, {units.time}"), ("read", ", ".join(counts))]
    if model.parameters:
        facts.append(("parameters", parameters_text(model.parameters)))
    return facts


def more_names(names: Sequence[str]) -> list[str]:
    """How many more there are than are shown, as a last name."""
    return [f"and {len(names) - SCREEN_FILES} more"] if len(names) > SCREEN_FILES else []


def parameters_text(parameters: Mapping[str, float | int]) -> str:
    """The values of /PARAMETER that a run uses."""
    return ", ".join(f"{name} = {value:.9g}" for name, value in parameters.items())


def span(least: float, most: float) -> str:
    """One number, or two where they differ."""
    return f"{least:.6g}" if least == most else f"{least:.6g} to {most:.6g}"


def deck_counts(model: Model) -> dict[str, int]:
    """How many of everything was read, those there are none of included."""
    counts = {"nodes": len(model.nodes), **{name: len(getattr(model, name)) for name, _, _ in COUNTED}}
    return {**counts, "elements": sum(len(block.ids) for block in model.elements)}


def joint_lines(model: Model, gjoint_alpha: GjointAlpha, most: int | None = None) -> list[str]:
    """One line a gear joint, joint, drive and coupler; `most` of each kind."""
    lines = gear_joint_lines(model, gjoint_alpha, most)
    lines += kind_lines("joints:", model.joints, [joint_text(joint, model) for joint in model.joints[:most]])
    lines += kind_lines("drives:", model.drives, [drive_text(drive, model) for drive in model.drives[:most]])
    return lines + kind_lines("couplers:", model.couplers, [coupler_text(c, model) for c in model.couplers[:most]])


def kind_lines(what: str, items: Sequence[Joint | Drive | Coupler], texts: list[str]) -> list[str]:
    """A heading, a line for each item that has a text, and how many more there are."""
    if not items:
        return []
    lines = [what]
    for item, text in zip(items, texts, strict=False):
        title = f' "{item.title}"' if item.title else ""
        lines.append(f"  {item.kind:<4} {item.id}{title}: {text}")
    return lines + more_lines(len(items), len(texts))


def more_lines(count: int, shown: int) -> list[str]:
    return [f"  ... and {count - shown} more"] if count > shown else []


def node_names(model: Model, *rows: int) -> str:
    """Ids of nodes; the ground is 0."""
    return " ".join(str(model.nodes.ids[row]) if row >= 0 else "0" for row in rows)


def axis_text(axis: Floats) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in axis + 0.0) + ")"


def joint_text(joint: Joint, model: Model) -> str:
    """Nodes, axes and what acts along the coordinates of a joint."""
    joint_type = JOINT_TYPES[joint.kind]
    parts = [f"nodes {node_names(model, joint.node_i, joint.node_j)}"]
    if joint_type.uses_axis:
        parts.append(f"axis {axis_text(joint.axis_i)}")
    if joint_type.has_second_axis:
        parts.append(f"second axis {axis_text(joint.axis_j)}")
    if joint_type.pitch:
        parts.append(f"{joint.pitch:.6g} a turn")
    if joint.length is not None:
        parts.append(f"length {joint.length:.6g}")
    for force, q in ((joint.rotation, "rotation"), (joint.translation, "translation")):
        if force is not None:
            acts = [name for name in FORCES_OF_JOINT if getattr(force, name)]
            acts += ["stops"] if force.stop_stiffness else []
            parts.append(f"in {q}: " + ", ".join(name.replace("_", " ") for name in acts))
    return ", ".join(parts)


def drive_text(drive: Drive, model: Model) -> str:
    """What a drive drives, and by what."""
    quantity = {"DIST": "distance", "TRA": "travel", "ROT": "rotation"}[drive.kind]
    level = ("", "rate of ", "acceleration of ")[drive.level]
    word = {"DIST": "", "TRA": " along ", "ROT": " about "}[drive.kind]
    axis = word + axis_text(drive.axis) if word else ""
    function = f"{drive.y_scale:.6g} f(t / {drive.x_scale:.6g}), f = function {drive.function_id}"
    added = "" if drive.level or drive.absolute else ", added to the initial value"
    sensor = f", by sensor {drive.sensor_id}" if drive.sensor_id else ""
    nodes = node_names(model, drive.node_i, drive.node_j)
    return f"nodes {nodes}, {level}{quantity}{axis} = {function}{added}{sensor}"


def coupler_text(coupler: Coupler, model: Model) -> str:
    """The relation of a coupler and its nodes with their supports."""
    other = "s" if coupler.kind == "R2T" else "phi"
    nodes = node_names(model, coupler.node_a, coupler.node_b)
    supports = node_names(model, coupler.support_a, coupler.support_b)
    return f"nodes {nodes} on {supports}, phi_1 = {coupler.ratio:.9g} {other}_2"


def gear_joint_lines(model: Model, gjoint_alpha: GjointAlpha, most: int | None = None) -> list[str]:
    """One line a gear joint with what its FscaleV means in this run and what it would mean the other way."""
    if not model.gear_joints:
        return []
    ids = model.nodes.ids
    lines = [f"gear joints (FscaleV is taken as {gjoint_alpha}):"]
    for joint in model.gear_joints[:most]:
        nodes = " ".join(str(ids[row]) for row in joint.nodes if row >= 0)
        other: GjointAlpha = "inverse" if gjoint_alpha == "documented" else "documented"
        here, there = relation(joint, gjoint_alpha), relation(joint, other)
        title = f' "{joint.title}"' if joint.title else ""
        lines.append(f"  {joint.kind:<4} {joint.id}{title}: nodes {nodes}; {here}  ({other}: {there})")
    return lines + more_lines(len(model.gear_joints), len(model.gear_joints[:most]))


def relation(joint: GearJoint, gjoint_alpha: GjointAlpha) -> str:
    """What a joint asks of its rates: w are rotations about r_k relative to node 0, v the slide of the rack.

    GEAR w2 = -alpha w1, DIFF w2 + w3 = -alpha w1, RACK v2 = -alpha w1 (gear-type joints, equations 1, 6 and 9),
    alpha = FscaleV as documented, 1/FscaleV as inverse.
    """
    alpha = joint.fscale_v if gjoint_alpha == "documented" else 1.0 / joint.fscale_v
    left = {"GEAR": "w2", "DIFF": "w2 + w3", "RACK": "v2"}[joint.kind]
    return f"{left} = {-alpha:.9g} w1"


def diagnostic_lines(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """The messages in the parser's wording, each different one once, with a count where it came more often."""
    from gsolve.parser import format_diagnostic

    counts = Counter(format_diagnostic(diagnostic) for diagnostic in diagnostics)
    return [text if count == 1 else f"{text}\n  ({count} times)" for text, count in counts.items()]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns wide enough for their longest entry; the first to the left, the others to the right."""
    everything = [list(header), *map(list, rows)]
    widths = [max(len(row[i]) for row in everything) for i in range(len(header))]
    formats = [f"{{:{'<' if i == 0 else '>'}{width}}}" for i, width in enumerate(widths)]
    return ["  ".join(formats).format(*row) for row in everything]
