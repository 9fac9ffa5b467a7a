"""What a run tells about its machine before the first step."""

from __future__ import annotations

from gsolve.parser.text.numbers import counted

from ..assembly.accurate_plan import phrases as accuracy_phrases
from ..assembly.assembly import Assembly
from ..assembly.condense import general_phrases, phrases, plane_phrases, tree_phrases
from ..assembly.initial_facts import initial_facts
from .frame_plan import FramePlan
from .machine import Machine


def machine_facts(machine: Machine) -> list[tuple[str, str]]:
    """Size, freedom, and what was found at t = 0, for screen and listing: (label, text)."""
    system, initial = machine.system, machine.initial
    bodies_of = system.subsystems["last_body"] - system.subsystems["first_body"]
    n_rows, n_subsystems, moving = len(system.rows), int((bodies_of > 0).sum()), int(bodies_of.sum())
    size = (
        f"{counted(moving, 'moving body', 'moving bodies')} in {counted(n_subsystems, 'independent subsystem')}, "
        f"{counted(n_rows, 'constraint row')}"
    )
    found = initial_facts(machine.assembly, initial) if initial else []
    freedoms = [("freedom", freedom(machine)), *path_facts(machine), *accuracy_facts(machine), *part_facts(machine)]
    return [("machine", size), *mesh_facts(machine.assembly), *freedoms, *found]


def path_facts(machine: Machine) -> list[tuple[str, str]]:
    """Which subsystems move by spins of their rotors, in a plane or as a tree, and why others do not."""
    found = machine.condensation
    if found is None:
        return [("path", "general, as asked")] if machine.initial else []
    ways = {"rotors": phrases, "plane": plane_phrases, "tree": tree_phrases, "path": general_phrases}
    return [(label, phrase) for label, phrases_of in ways.items() for phrase in phrases_of(found)]


def accuracy_facts(machine: Machine) -> list[tuple[str, str]]:
    """Which subsystems have steps of their own, and why others have not."""
    if machine.accuracy is None or not machine.initial:
        return []
    label = "order" if machine.accuracy.order else "accuracy"
    return [(label, phrase) for phrase in accuracy_phrases(machine.accuracy)]


def part_facts(machine: Machine) -> list[tuple[str, str]]:
    """How many large subsystems have parts that threads share."""
    subsystems = machine.system.subsystems
    divided = subsystems[subsystems["last_part"] > subsystems["first_part"]]
    if not len(divided):
        return []
    bodies = int((divided["last_body"] - divided["first_body"]).sum())
    parts = int((divided["last_part"] - divided["first_part"]).sum())
    return [("threads", f"share {counted(len(divided), 'subsystem')} of {bodies} bodies in {parts} parts")]


def mesh_facts(assembly: Assembly) -> list[tuple[str, str]]:
    """How many triangles and pieces the meshes have, and which are hollows; `gsolve check` says more of each."""
    meshes = assembly.meshes
    if not meshes:
        return []
    triangles, pieces = sum(len(mesh.triangles.triangles) for mesh in meshes), sum(mesh.pieces for mesh in meshes)
    text = f"{counted(triangles, 'triangle')} in {counted(len(meshes), 'mesh', 'meshes')}"
    if pieces > len(meshes):
        text += f" of {pieces} pieces that share no edge"
    hollow = [str(mesh.mesh.id) for mesh in meshes if mesh.hollow]
    if hollow:
        text += f"; the solid is round about mesh {', '.join(hollow)}"
    return [("meshes", text)]


def freedom(machine: Machine) -> str:
    """Degrees of freedom, and how many coordinates are driven."""
    free, driven = (machine.initial.degrees_of_freedom, machine.initial.driven) if machine.initial else (0, 0)
    text = counted(free, "degree of freedom", "degrees of freedom")
    return f"{text}, {driven} more {'is' if driven == 1 else 'are'} driven" if driven else text


def schedule_facts(machine: Machine, n_steps: int) -> list[tuple[str, str]]:
    """The time step and why it is that long, the number of steps expected, and the samples."""
    schedule, time = machine.schedule, machine.assembly.model.units.time
    every = (
        "a sample every step"
        if schedule.samples_every_step
        else (f"a sample every {schedule.sampling_interval:g} {time}")
    )
    return [
        ("time step", f"{schedule.dt:.6g} {time}: {schedule.reason}"),
        ("run", f"to t = {schedule.t_end:g} {time} in {n_steps} steps, {every}"),
    ]


def frame_facts(plan: FramePlan | None) -> list[tuple[str, str]]:
    """How many frames there are, where that is not as usual."""
    return [("frames", f"{plan.frames} {plan.fewer}")] if plan is not None and plan.fewer else []
