"""Every kernel has a slow obvious twin: modules with kernels name the tests that compare them with `naive`."""

from __future__ import annotations

import ast
from fnmatch import fnmatch
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
FOLDERS = [REPOSITORY / "tests", REPOSITORY / "tests/solver"]  # where tests find their helpers
FEWEST_MODULES = 40

# Module of solver/ -> tests (in tests/solver/) in which its kernels are compared with their twins.
TWINS = {
    "constraints/drives": ["constraints/test_drives"],
    "constraints/joints": ["constraints/test_joints"],
    "constraints/kkt": ["constraints/test_kkt"],
    "constraints/motion_law": ["constraints/test_motion_law"],
    "constraints/nodal_constraints": ["constraints/test_condition_kernels", "constraints/test_ties"],
    "constraints/redundancy": ["constraints/test_redundancy"],
    "constraints/relations": ["constraints/test_relations"],
    "constraints/rows": ["constraints/test_rows"],
    "contact/compliance": ["contact/test_rigid_walls"],
    "contact/rigid_walls": ["contact/test_rigid_walls"],
    "core/body_points": ["core/test_body_points"],
    "core/functions": ["core/test_functions"],
    "core/rotation": ["core/test_rotation"],
    "core/skews": ["core/test_skews"],
    "core/vectors": ["core/test_vectors"],
    "forces/joint_forces": ["forces/test_joint_forces"],
    "forces/loads": ["forces/test_loads"],
    "forces/springs": ["forces/test_springs"],
    "integration/kick_drift": ["integration/test_kick_drift"],
    "integration/samples": ["integration/test_samples"],
}

# TO DO: modules whose tests do not compare with a twin in `naive` yet. A pattern goes when all it matches has one.
TO_DO = [
    "assembly/contact_start",
    "assembly/initial_kernels",
    "contact/*",
    "geometry/*",
    "integration/families",
    "integration/loop",
    "integration/rows",
    "integration/step",
    "run/motionsolve",
]


def is_kernel(function: ast.FunctionDef) -> bool:
    names = [getattr(decorator, "func", decorator) for decorator in function.decorator_list]
    return any(isinstance(name, ast.Name) and name.id == "kernel" for name in names)


def has_kernels(path: Path) -> bool:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return any(is_kernel(node) for node in nodes if isinstance(node, ast.FunctionDef))


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY / "solver").with_suffix("").as_posix()


MODULES = {name_of(path) for path in sorted((REPOSITORY / "solver").rglob("*.py")) if has_kernels(path)}


def imports_of(path: Path) -> set[str]:
    """Modules and names that a test imports, itself or by way of helpers beside the tests."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    helpers = [folder / f"{name}.py" for name in found for folder in FOLDERS if "." not in name]
    return found.union(*(imports_of(helper) for helper in helpers if helper.exists()))


def test_modules_with_kernels_are_found():
    """A rule that finds no modules would pass on nothing."""
    assert len(MODULES) >= FEWEST_MODULES


def test_every_module_with_kernels_has_a_test_against_a_twin():
    assert set(TWINS) <= MODULES
    left = {module for module in MODULES - set(TWINS) if not any(fnmatch(module, pattern) for pattern in TO_DO)}
    assert left == set()


@pytest.mark.parametrize("pattern", TO_DO)
def test_what_is_still_to_do_is_not_done(pattern):
    assert any(fnmatch(module, pattern) for module in MODULES - set(TWINS))


@pytest.mark.parametrize(("module", "tests"), TWINS.items(), ids=TWINS)
def test_the_tests_named_compare_the_module_with_a_twin(module, tests):
    for name in tests:
        imported = imports_of(REPOSITORY / "tests/solver" / f"{name}.py")
        assert "gsolve.solver." + module.replace("/", ".") in imported
        assert any(other.split(".")[0] == "naive" for other in imported)


def test_every_twin_is_compared_with_something():
    tests = {test for tests in TWINS.values() for test in tests}
    imported = set().union(*(imports_of(REPOSITORY / "tests/solver" / f"{test}.py") for test in tests))
    twins = {f"naive.{path.stem}" for path in (REPOSITORY / "tests/solver/naive").glob("[!_]*.py")}
    assert twins and twins <= imported
