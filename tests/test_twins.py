"""Every kernel has a slow obvious twin: modules with kernels name the tests that compare them with `naive`."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from import_statements import import_statements

REPOSITORY = Path(__file__).parents[1]
FOLDERS = [REPOSITORY / "tests", REPOSITORY / "tests/solver"]  # where tests find their helpers
FEWEST_MODULES = 40

# Module of solver/ -> tests (in tests/solver/) in which its kernels are compared with their twins.
TWINS = {
    "assembly/contact_start": ["assembly/test_contact_start"],
    "constraints/block_elimination": ["constraints/test_kkt"],
    "constraints/curvatures": ["constraints/test_curvatures"],
    "constraints/drives": ["constraints/test_drives"],
    "constraints/flywheels": ["constraints/test_flywheels"],
    "constraints/gyrostat": ["constraints/test_spins"],
    "constraints/joints": ["constraints/test_joints"],
    "constraints/kkt": ["constraints/test_kkt"],
    "constraints/kkt_pattern": ["constraints/test_kkt"],
    "constraints/motion_law": ["constraints/test_motion_law"],
    "constraints/lanes": ["constraints/test_lanes"],
    "constraints/nodal_constraints": ["constraints/test_condition_kernels", "constraints/test_ties"],
    "constraints/tree_matrix": ["constraints/test_tree_matrix"],
    "constraints/tree_limbs": ["constraints/test_tree_limbs"],
    "constraints/tree_places": ["constraints/test_tree_limbs"],
    "constraints/plane_links": ["constraints/test_plane_links"],
    "constraints/plane_matrix": ["constraints/test_plane_links"],
    "constraints/redundancy": ["constraints/test_redundancy"],
    "constraints/relations": ["constraints/test_relations"],
    "constraints/rows": ["constraints/test_rows"],
    "constraints/spins": ["constraints/test_spins"],
    "contact/compliance": ["contact/test_rigid_walls"],
    "contact/first_touch": ["contact/test_first_touch"],
    "contact/friction": ["contact/test_friction"],
    "contact/normal_laws": ["contact/test_normal_laws"],
    "contact/patches": ["contact/test_patches"],
    "contact/rigid_walls": ["contact/test_rigid_walls"],
    "contact/touches": ["contact/test_touches"],
    "core/body_points": ["core/test_body_points"],
    "core/functions": ["core/test_functions"],
    "core/rotation": ["core/test_rotation"],
    "core/skews": ["core/test_skews"],
    "core/vectors": ["core/test_vectors"],
    "core/sums": ["core/test_sums"],
    "core/windows": ["core/test_windows"],
    "forces/joint_forces": ["forces/test_joint_forces"],
    "forces/loads": ["forces/test_loads"],
    "forces/springs": ["forces/test_springs"],
    "geometry/broad_phase": ["geometry/test_broad_phase"],
    "geometry/curve2d/arcs": ["geometry/test_curve_regions"],
    "geometry/curve2d/crossings": ["geometry/test_curve_crossings"],
    "geometry/curve2d/segment_crossings": ["geometry/test_curve_crossings"],
    "geometry/curve2d/deepest": ["geometry/test_curve_regions"],
    "geometry/curve2d/foot": ["geometry/test_curve_regions"],
    "geometry/curve2d/gap": ["geometry/test_curve_forces"],
    "geometry/curve2d/round_and_straight": ["geometry/test_curve_crossings"],
    "geometry/face_overlap": ["geometry/test_face_overlap"],
    "geometry/gjk_epa": ["geometry/test_search"],
    "geometry/mesh/bundles": ["geometry/mesh/test_bundles"],
    "geometry/mesh/crossings": ["geometry/test_mesh_crossings"],
    "geometry/mesh/quadratics": ["geometry/mesh/test_quadratics"],
    "geometry/mesh/box_tree": ["geometry/test_box_tree"],
    "geometry/mesh/sweep": ["geometry/mesh/test_bundles"],
    "geometry/mesh/thickness": ["geometry/test_box_tree"],
    "geometry/mesh/evaluate": ["geometry/test_mesh_surface"],
    "geometry/mesh/height_fit": ["geometry/test_mesh_surface"],
    "geometry/mesh/vertex_normals": ["geometry/test_mesh_surface"],
    "geometry/narrow_phase": ["geometry/test_gap"],
    "geometry/refine_normal": ["geometry/test_search"],
    "geometry/separating_directions": ["geometry/test_search"],
    "geometry/shapes": ["geometry/test_shapes"],
    "geometry/sphere": ["geometry/test_search"],
    "geometry/witness_points": ["geometry/test_search"],
    "integration/accuracy": ["integration/test_accuracy"],
    "integration/kick_drift": ["integration/test_kick_drift"],
    "integration/samples": ["integration/test_samples"],
    "integration/sensors": ["integration/test_sensors"],
    "run/motionsolve": ["run/test_motionsolve"],
}

# Modules whose kernels are compared as parts of a whole: the tests, where they are called from there, and why so.
WHOLES = {
    "assembly/initial_kernels": (["assembly/test_initial_kernels"], "called by address for each subsystem"),
    "contact/detect": (["contact/test_interfaces"], "which points an interface has shows in its forces"),
    "contact/dispatch": (["contact/test_force_curve_steps", "contact/test_user_forces"], "it hands arguments on"),
    "contact/evaluate": (["contact/test_interfaces", "contact/test_first_touch"], "all forces of all points of a step"),
    "contact/force_curves": (["contact/test_force_curve_steps"], "the force follows from those of the steps before"),
    "contact/frames": (["contact/test_interfaces"], "it copies between records"),
    "contact/mesh_contacts": (["contact/test_mesh_patches"], "patches are put where their bodies are"),
    "contact/mesh_first_touch": (["contact/test_mesh_patches"], "poses ahead are compared"),
    "contact/point_motion": (["contact/test_interfaces"], "a line each, of which forces and works are made"),
    "contact/sampling": (["contact/test_interfaces"], "records of every step are compared"),
    "contact/user_forces": (["contact/test_user_forces"], "routines are called at every estimate of v_n"),
    "contact/work": (["contact/test_interfaces"], "each half of a work belongs to another step"),
    "geometry/contact_points": (["geometry/test_points"], "it writes what other modules find"),
    "contact/plane_curves": (
        ["contact/test_plane_curves"],
        "it lays curves into a plane for kernels that are compared",
    ),
    "geometry/curve2d/boxes": (
        ["geometry/test_curve_crossings", "geometry/test_curve_forces"],
        "all that searches use them is compared",
    ),
    "contact/parts": (["contact/test_interfaces"], "parts of an interface together are compared as the whole one"),
    "geometry/curve2d/corners": (["geometry/test_curve_regions"], "which faces push shows in the points of a region"),
    "geometry/curve2d/fronts": (
        ["geometry/test_curve_crossings"],
        "what is found with them is compared with what is found without",
    ),
    "geometry/curve2d/lenses": (
        ["geometry/test_curve_crossings"],
        "what is found with them is compared with what is found without",
    ),
    "geometry/curve2d/lobes": (["geometry/test_curve_regions"], "what a lobe weighs depends on all others"),
    "geometry/curve2d/pair": (["geometry/test_curve_regions", "geometry/test_curve_crossings"], "regions of a pair"),
    "geometry/curve2d/planes": (["geometry/test_curve_regions"], "a line each, of which all others are made"),
    "geometry/curve2d/region": (["geometry/test_curve_regions"], "the points of a region"),
    "geometry/ellipsoid": (["geometry/test_points"], "called by address for its pairs"),
    "geometry/faces": (["geometry/test_points"], "what a face has depends on the shares of all directions"),
    "geometry/half_space": (["geometry/test_points"], "called by address for its pairs"),
    "geometry/mesh/cut_edges": (["geometry/test_mesh_surface"], "distances beyond all edges of a chart are compared"),
    "geometry/mesh/flat_faces": (["geometry/test_mesh_surface"], "which faces are flat shows in their heights"),
    "geometry/mesh/carriers": (
        ["geometry/mesh/test_signed_distance"],
        "depths are compared with distances by brute force",
    ),
    "geometry/mesh/course": (["geometry/mesh/test_pairs"], "lists carried on are compared with lists made anew"),
    "geometry/mesh/cubics": (["geometry/mesh/test_pairs"], "depths of patches are compared with closed forms"),
    "geometry/mesh/cuts": (["geometry/mesh/test_signed_distance"], "depths are compared with distances by brute force"),
    "geometry/mesh/lists": (["geometry/mesh/test_pairs"], "lists carried on are compared with lists made anew"),
    "geometry/mesh/merging": (["geometry/mesh/test_pairs"], "forces along a path are compared with each other"),
    "geometry/mesh/motion": (["geometry/mesh/test_pairs"], "lists carried on are compared with lists made anew"),
    "geometry/mesh/nodes": (["geometry/mesh/test_pairs"], "depths of patches are compared with closed forms"),
    "geometry/mesh/pairs": (["geometry/mesh/test_pairs"], "it brings the others together"),
    "geometry/mesh/patch": (["geometry/test_mesh_surface"], "the height over a triangle is compared"),
    "geometry/mesh/patches": (["geometry/mesh/test_pairs"], "forces are compared with differences of the energy"),
    "geometry/mesh/push": (["geometry/mesh/test_pairs"], "forces are compared with differences of the energy"),
    "geometry/mesh/sleep": (["geometry/mesh/test_pairs"], "lists carried on are compared with lists made anew"),
    "geometry/mesh/section_curves": (["geometry/test_mesh_surface"], "normals of flanks are compared"),
    "geometry/mesh/regions": (["geometry/mesh/test_pairs"], "integrals are compared with closed forms"),
    "geometry/mesh/supports": (["geometry/mesh/test_pairs"], "forces are compared with differences of the energy"),
    "geometry/solid_solid": (["geometry/test_points", "geometry/test_gap"], "called by address for its pairs"),
    "geometry/mesh/shell": (["geometry/test_mesh_surface"], "coordinates show in heights, which are compared"),
    "geometry/surface_point": (["geometry/test_mesh_surface"], "sums and products of tensors"),
    "integration/accurate/composition": (
        ["integration/test_composed_steps"],
        "steps are compared with those of the ordinary step, stage by stage",
    ),
    "integration/accurate/composition_loop": (
        ["integration/test_composed_steps"],
        "steps are compared with those of the ordinary step, stage by stage",
    ),
    "integration/accurate/drives": (["integration/test_accurate_steps"], "motions are compared with those of scipy"),
    "integration/accurate/loop": (["integration/test_accurate_steps"], "motions are compared with those of scipy"),
    "integration/accurate/motion": (["integration/test_accurate_steps"], "motions are compared with those of scipy"),
    "integration/accurate/trees": (["integration/test_accurate_tree_steps"], "by accelerations, and against all rows"),
    "integration/accurate/tree_motion": (["integration/test_accurate_tree_steps"], "likewise"),
    "integration/accurate/tree_ends": (["integration/test_accurate_tree_steps"], "likewise"),
    "integration/accurate/plane": (["integration/test_accurate_steps"], "motions are compared with those of scipy"),
    "integration/accurate/projection": (
        ["integration/test_accurate_steps"],
        "motions are compared with those of scipy",
    ),
    "integration/accurate/rates": (["integration/test_accurate_steps"], "motions are compared with those of scipy"),
    "integration/accurate/step": (["integration/test_accurate_steps"], "motions are compared with those of scipy"),
    "integration/crew": (["contact/test_interfaces"], "it shares out the parts of the steps compared"),
    "integration/families": (["integration/test_step", "contact/test_interfaces"], "it hands arguments on"),
    "integration/gyrostat_samples": (
        ["integration/test_gyrostat_steps"],
        "the general path is the twin of all of them",
    ),
    "integration/gyrostats": (["integration/test_gyrostat_steps"], "the general path is the twin of all of them"),
    "integration/internal_forces": (["integration/test_step"], "springs and joints act in the steps compared"),
    "integration/loop": (["integration/test_step", "contact/test_first_touch"], "the loop takes the steps compared"),
    "integration/parts": (["contact/test_interfaces"], "parts of bodies and contacts are compared as the whole"),
    "integration/pieces": (["integration/test_step"], "the loops take their samples by it, and end as it says"),
    "integration/plane_contacts": (["integration/test_plane_steps"], "the general path is the twin of all of them"),
    "integration/plane_drives": (["integration/test_plane_steps"], "the general path is the twin of all of them"),
    "integration/plane_samples": (["integration/test_plane_steps"], "the general path is the twin of all of them"),
    "integration/planes": (["integration/test_plane_steps"], "a step is compared with dense matrices"),
    "integration/reactions": (
        ["integration/test_trains", "integration/test_plane_steps"],
        "the general path is the twin of all of them",
    ),
    "integration/rotor_bodies": (["integration/test_trains"], "the general path is the twin of all of them"),
    "integration/rotor_families": (["integration/test_trains"], "the general path is the twin of all of them"),
    "integration/rotor_lanes": (["constraints/test_lanes"], "it hands trains on to the lanes"),
    "integration/rotor_samples": (["integration/test_trains"], "the general path is the twin of all of them"),
    "integration/rotors": (["integration/test_trains"], "the general path is the twin of all of them"),
    "integration/rows": (["integration/test_step"], "multipliers are those of a whole step"),
    "integration/step": (["integration/test_step"], "a step is what is compared"),
    "constraints/tree_dampers": (["integration/test_tree_dampers"], "differences of the forces themselves"),
    "integration/tree_dampers": (["integration/test_tree_dampers"], "likewise"),
    "integration/tree_loops": (["integration/test_tree_steps"], "the general path is the twin of all of them"),
    "integration/tree_samples": (["integration/test_tree_steps"], "the general path is the twin of all of them"),
    "integration/trees": (["integration/test_tree_steps"], "a step is compared with its definition"),
}


def is_kernel(function: ast.FunctionDef) -> bool:
    names = [getattr(decorator, "func", decorator) for decorator in function.decorator_list]
    return any(isinstance(name, ast.Name) and name.id == "kernel" for name in names)


def has_kernels(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    nodes = ast.walk(ast.parse(text)) if "@kernel" in text else ()
    return any(is_kernel(node) for node in nodes if isinstance(node, ast.FunctionDef))


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY / "solver").with_suffix("").as_posix()


@cache
def modules_with_kernels() -> set[str]:
    return {name_of(path) for path in (REPOSITORY / "solver").rglob("*.py") if has_kernels(path)}


@cache
def imports_of(path: Path) -> set[str]:
    """Modules and names that a test imports, itself or by way of helpers beside the tests."""
    found = set()
    for node in import_statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    helpers = [folder / f"{name}.py" for name in found for folder in FOLDERS if "." not in name]
    return found.union(*(imports_of(helper) for helper in helpers if helper.exists()))


def test_modules_with_kernels_are_found():
    """A rule that finds no modules would pass on nothing."""
    assert len(modules_with_kernels()) >= FEWEST_MODULES


@cache
def solver_imports(module: str) -> set[str]:
    """A module of solver/ and those that it brings in, itself and by way of others."""
    path, found = REPOSITORY / "solver" / f"{module}.py", {module}
    for node in import_statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = path.parents[node.level - 1] / (node.module or "").replace(".", "/")
            for name in (package, *(package / alias.name for alias in node.names)):
                if name.with_suffix(".py").exists():
                    found |= solver_imports(name_of(name.with_suffix(".py")))
    return found


def test_every_module_with_kernels_has_a_test_against_a_twin():
    assert set(TWINS) | set(WHOLES) == modules_with_kernels()
    assert not set(TWINS) & set(WHOLES)


@pytest.mark.parametrize(("module", "tests"), TWINS.items(), ids=TWINS)
def test_the_tests_named_compare_the_module_with_a_twin(module, tests):
    for name in tests:
        imported = imports_of(REPOSITORY / "tests/solver" / f"{name}.py")
        assert "gsolve.solver." + module.replace("/", ".") in imported
        assert any(other.split(".")[0] == "naive" for other in imported)


@pytest.mark.parametrize(("module", "tests"), [(module, tests) for module, (tests, _) in WHOLES.items()], ids=WHOLES)
def test_the_tests_named_compare_a_whole_that_needs_the_module(module, tests):
    for name in tests:
        imported = imports_of(REPOSITORY / "tests/solver" / f"{name}.py")
        modules = [other.removeprefix("gsolve.solver.").replace(".", "/") for other in imported]
        wholes = [name for name in modules if (REPOSITORY / "solver" / f"{name}.py").exists()]
        assert module in set().union(*(solver_imports(whole) for whole in wholes))
        assert any(other.split(".")[0] == "naive" for other in imported)


def test_every_twin_is_compared_with_something():
    tests = {test for tests in [*TWINS.values(), *(tests for tests, _ in WHOLES.values())] for test in tests}
    imported = set().union(*(imports_of(REPOSITORY / "tests/solver" / f"{test}.py") for test in tests))
    twins = {f"naive.{path.stem}" for path in (REPOSITORY / "tests/solver/naive").glob("[!_]*.py")}
    assert twins and twins <= imported
