"""Kernels touch bodies by way of body points: only what moves whole bodies reads or writes the fields of BODY."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gsolve.solver.core.bodies import BODY

SOLVER = Path(__file__).parents[1] / "solver"
FIELDS = set(BODY.names or ()) - {"centre"}  # a place, which other things have too

# Module of solver/ -> why its kernels know how a body keeps its motion, its inertia and its forces.
KNOW_BODIES = {
    "core/body_points": "the interface itself",
    "core/rotation": "angular velocity from the momentum, and the rotation of a step",
    "integration/kick_drift": "kick, mean velocities, drift and commit: how bodies move",
    "integration/accuracy": "kinetic energy of whole bodies",
    "integration/step": "work of the forces that bodies add up",
    "constraints/flywheels": "bodies with what rotors on them store, and flywheels: how these move",
    "integration/gyrostats": "where bodies with rotors are, and forces handed on to them and to flywheels",
    "integration/gyrostat_samples": "accelerations and energies of the same, bodies of the deck put in place",
    "constraints/tree_limbs": "limbs of trees, which put bodies where their joints say",
    "constraints/tree_places": "likewise, from joint coordinates",
    "integration/trees": "momenta of limbs handed to bodies, and what forces push them by",
    "integration/tree_samples": "accelerations of bodies whose motion is known, for the reactions",
    "constraints/plane_links": "bodies in a plane have records of their own, which it moves",
    "constraints/plane_matrix": "likewise",
    "integration/planes": "likewise",
    "integration/reactions": "what the forces of t_n do to bodies whose motion is known",
    "integration/accurate/motion": "bodies at the stages of a step, and their errors",
    "integration/accurate/trees": "the same of limbs of trees, and what forces push them by",
    "integration/accurate/tree_motion": "the same of limbs of trees",
    "integration/accurate/tree_ends": "the same of limbs of trees, and their momenta",
    "integration/accurate/composition": "works of forces that bodies add up, and bodies put back where a step began",
    "integration/accurate/plane": "bodies in a plane have records of their own, which it moves",
    "integration/plane_contacts": "bodies put where their plane says tell contacts how they move",
    "integration/plane_samples": "bodies put where their plane says, and the forces on them taken into it",
    "integration/rotor_families": "all that acts on a shaft, which its only bearing holds",
    "integration/rotor_samples": "bodies of trains put where their spins say",
    "integration/samples": "values, energies and momenta of whole bodies",
    "contact/frames": "the copies of motion that contacts keep, and their forces handed over",
    "assembly/initial_kernels": "bodies stopped, put back and placed at t = 0",
}
# Names that kernels give to bodies where they get them as arguments.
OF_BODIES = {"body", "carrier", "main", "a", "b", "one", "other"}


def is_kernel(function: ast.FunctionDef) -> bool:
    names = [getattr(decorator, "func", decorator) for decorator in function.decorator_list]
    return any(isinstance(name, ast.Name) and name.id == "kernel" for name in names)


def last_name(node: ast.AST) -> str:
    """`bodies` of system.bodies and of bodies; nothing of what has no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_element_of_bodies(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and last_name(node.value) == "bodies"


def assignments(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Targets and values, those of tuples one by one."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(target.elts, node.value.elts, strict=True)
                else:
                    yield target, node.value


def bodies_in(function: ast.FunctionDef) -> set[str]:
    """Names of bodies in a kernel: its arguments that are called so, and what is an element of bodies."""
    arguments = {argument.arg for argument in function.args.args}
    found = {name for name in arguments if name.removesuffix("_1").removesuffix("_2") in OF_BODIES}
    found |= {name for name in arguments if name.startswith("body_")}
    return found | {
        target.id
        for target, value in assignments(function)
        if isinstance(target, ast.Name) and is_element_of_bodies(value)
    }


def fields_touched(function: ast.FunctionDef) -> set[str]:
    """Fields of BODY that a kernel reads or writes."""
    bodies, found = bodies_in(function), set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in FIELDS:
            of_body = isinstance(node.value, ast.Name) and node.value.id in bodies
            if of_body or is_element_of_bodies(node.value):
                found.add(node.attr)
        elif is_element_of_bodies(node) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            found.add(node.slice.value)
    return found


@cache
def kernels_that_touch_fields() -> dict[str, dict[str, set[str]]]:
    """By module and kernel."""
    found: dict[str, dict[str, set[str]]] = {}
    for path in sorted(SOLVER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "@kernel" in text else ():
            if isinstance(node, ast.FunctionDef) and is_kernel(node) and (fields := fields_touched(node)):
                found.setdefault(path.relative_to(SOLVER).with_suffix("").as_posix(), {})[node.name] = fields
    return found


def test_fields_of_bodies_are_found_however_a_kernel_names_them():
    source = """
def by_argument(body, body_j, x):
    return body.rotation[0, 0] + body_j.elastic[0] + x.elastic[0]
def by_element(system, bodies, frame):
    one, frame = bodies[0], frame
    system.bodies[1].momentum[0] = one.velocity[0] + frame.spin[0]
def by_name(bodies):
    return bodies["external"]
"""
    found = [fields_touched(node) for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    assert found == [{"rotation", "elastic"}, {"momentum", "velocity"}, {"external"}]


def test_only_what_moves_whole_bodies_knows_their_fields():
    found = kernels_that_touch_fields()
    assert {module: kernels for module, kernels in found.items() if module not in KNOW_BODIES} == {}


def test_no_module_is_excused_in_vain():
    assert set(KNOW_BODIES) <= set(kernels_that_touch_fields())
