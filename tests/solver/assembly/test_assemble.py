"""From model to arrays: order by subsystem, names of rows, who gets a row, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from gsolve.parser.model.joint_types import JOINT_TYPES
from gsolve.parser.text.diagnostics import DeckError
from gsolve.solver.assembly.assemble import assemble
from gsolve.solver.constraints.joint_builder import CODE
from gsolve.solver.constraints.joints import joint_residuals
from gsolve.solver.core.bodies import GENERAL, GROUND, NO_ROTATION, SPHERICAL
from gsolve.solver.results.joint_output import columns_of
from hand_models import Machine, Z
from joint_definitions import DEFINITIONS

X = (1.0, 0.0, 0.0)


def line(count, **more):
    return Machine([(0.1 * k, 0.0, 0.0) for k in range(count)], **more)


def gear(machine, nodes, **more):
    return machine.joint("GEAR", nodes, [Z, Z], masses=1.0, inertias=0.01, **more)


def nodes_of(body, subsystem):
    """Ids of the nodes on the bodies of a subsystem."""
    return {int(n) + 1 for n in np.flatnonzero((body >= subsystem["first_body"]) & (body < subsystem["last_body"]))}


def row_kinds(system, joint):
    """Kinds of the rows of a joint."""
    return tuple(system.rows["kind"][joint["row"] : joint["row"] + joint["n_rows"]].tolist())


def errors_of(machine):
    with pytest.raises(DeckError) as caught:
        machine.assemble()
    return [d for d in caught.value.diagnostics if d.severity == "error"]


# ---- bodies and subsystems -------------------------------------------------------------------------------------


def test_bodies_points_and_momenta_start_as_the_model_says():
    machine = Machine([(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 0, 0)])
    machine.mass(2, 1.0)
    machine.body(1, [2, 3], mass=3.0, inertia=(0.1, 0.2, 0.3, 0, 0, 0))
    machine.velocity([1], (1.0, 0.0, 0.0), (0.0, 2.0, 0.0))
    machine.mass(4, 2.0)
    machine.gravity([4], "Z", -9.81)
    bodies, points = machine.assemble().system.bodies, machine.assemble().system.points
    assert points["body"].tolist() == [1, 1, 1, 2]
    np.testing.assert_allclose(bodies["centre"][1], [0.25, 0.0, 0.0], atol=1e-16)
    np.testing.assert_allclose(points["arm"][1], [0.75, 0.0, 0.0], atol=1e-16)
    np.testing.assert_allclose(points["arm"][0], 0.0, atol=1e-16)
    inertia = np.diag([0.1, 0.2 + 0.75, 0.3 + 0.75])  # reduced mass 3/4 at distance 1
    np.testing.assert_allclose(bodies["inertia"][1], inertia, atol=1e-15)
    np.testing.assert_allclose(bodies["momentum"][1], inertia @ [0.0, 2.0, 0.0], atol=1e-15)
    assert bodies["turning"].tolist() == [NO_ROTATION, GENERAL, NO_ROTATION]
    np.testing.assert_array_equal(bodies["gravity"], [(0, 0, 0), (0, 0, 0), (0, 0, -9.81)])
    assert bodies["inverse_mass"].tolist() == [0.0, 0.25, 0.5]


def test_machines_that_nothing_couples_are_subsystems_of_their_own():
    """Joints on held housings, springs and links couple; the ground does not."""
    machine = line(12)
    for node in range(1, 13):
        machine.mass(node, 1.0)
    gear(machine, [1, 2, 11])
    gear(machine, [1, 5, 6])
    machine.hold([1], "111 111")
    machine.spring(3, 8, 1.0)
    machine.link([4, 9], "100 000")
    machine.load(7, "X", 1.0)
    system = machine.assemble().system
    body = system.points["body"]
    groups = [nodes_of(body, p) for p in system.subsystems]
    assert sorted(map(sorted, groups)) == [[2, 11], [3, 8], [4, 9], [5, 6], [7]]
    rows_of = {min(g): int(p["last_row"] - p["first_row"]) for g, p in zip(groups, system.subsystems, strict=True)}
    assert rows_of == {2: 11, 3: 0, 4: 1, 5: 11, 7: 0}
    for subsystem in system.subsystems:
        own = system.rows[subsystem["first_row"] : subsystem["last_row"]]
        for row in own:
            of_row = system.entries["body"][row["start"] : row["end"]]
            assert np.all((of_row >= subsystem["first_body"]) & (of_row < subsystem["last_body"]))


def test_a_moving_skew_couples_its_nodes_to_what_it_turns():
    machine = line(6)
    for node in range(1, 5):
        machine.mass(node, 1.0)
        machine.velocity([node], (0.0, 0.0, 1.0))
    machine.model.nodes.coordinates[2, 1] = 1.0
    machine.load(4, "X", 1.0, skew=machine.skew(nodes=(1, 2, 3)))
    assert len(machine.assemble().system.subsystems) == 1


def test_springs_and_loads_are_sorted_by_subsystem_and_found_again():
    machine = line(6)
    for node in range(1, 7):
        machine.mass(node, 1.0)
    machine.spring(5, 6, 1.0)
    machine.spring(1, 2, 2.0)
    machine.spring(3, 4, 3.0)
    machine.load(3, "X", 1.0)
    machine.load(1, "X", 1.0)
    assembly = machine.assemble()
    subsystems = assembly.system.subsystems
    assert [(int(p["first_spring"]), int(p["last_spring"])) for p in subsystems] == [(0, 1), (1, 2), (2, 3)]
    assert [(int(p["first_load"]), int(p["last_load"])) for p in subsystems] == [(0, 1), (1, 2), (2, 2)]
    assert assembly.spring_place.tolist() == [2, 0, 1]


# ---- rows ------------------------------------------------------------------------------------------------------


def test_rows_are_named_after_what_they_come_from():
    machine = line(5)
    gear(machine, [1, 2, 3])
    machine.mass(4, 1.0)
    machine.mass(5, 1.0)
    machine.hold([1], "000 100")
    machine.drive("VEL", 2, "ZZ", "t")
    machine.link([4, 5], "110 000")
    names = machine.assemble().row_names
    assert names == [
        *["/GJOINT/GEAR/1, node_ID1"] * 5,
        *["/GJOINT/GEAR/1, node_ID2"] * 5,
        "/GJOINT/GEAR/1, ratio",
        "/BCS/4 on node 1",
        "/IMPVEL/6 on node 2",
        *["/RLINK/7 between nodes 4 and 5"] * 2,
    ]


def test_a_shaft_of_several_joints_on_one_carrier_has_its_rows_once():
    machine = line(5)
    gear(machine, [1, 2, 3])
    gear(machine, [1, 3, 4])
    machine.joint("DIFF", [1, 2, 4, 5], [Z, Z, Z], masses=1.0, inertias=0.01)
    assembly = machine.assemble()
    assert len(assembly.system.joints) == 4
    assert len(assembly.system.rows) == 4 * 5 + 3
    first, second, third = (place.joints for place in assembly.places.gear_joints)
    assert (first[1], third[0], third[1]) == (second[0], first[0], second[1])
    assert [place.coefficients for place in assembly.places.gear_joints] == [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize("inertia, kind", [(0.0, "STRUT"), (0.5, "TRANSLATIONAL")])
def test_a_rack_node_keeps_its_attitude_only_if_it_has_one(inertia, kind):
    machine = line(3)
    machine.joint("RACK", [1, 2, 3], [Z, X], masses=1.0, inertias=[1.0, 1.0, inertia])
    system = machine.assemble().system
    kinds = [row_kinds(system, joint) for joint in system.joints]
    assert kinds == [tuple(CODE[row] for row in JOINT_TYPES[name].rows) for name in ("REVOLUTE", kind)]


def test_inverse_convention_takes_one_over_alpha():
    machine = line(3)
    gear(machine, [1, 2, 3], alpha=-0.25)
    assert assemble(machine.model, "documented").places.gear_joints[0].coefficients == [-0.25, 1.0]
    assert assemble(machine.model, "inverse").places.gear_joints[0].coefficients == [-4.0, 1.0]


def test_held_directions_need_no_row_and_partial_ones_get_one_each():
    machine = line(4)
    for node in (1, 2, 3):
        machine.mass(node, 1.0)
        machine.load(node, "X", 1.0)
    machine.hold([1], "111 000")
    machine.hold([2], "110 111")
    machine.hold([2], "010 000")
    machine.hold([3], "000 001")
    assembly = machine.assemble()
    # node 1 is held; nodes 2 and 3 are points, which have no rotation to hold
    assert assembly.row_names == ["/BCS/8 on node 2"] * 2
    assert assembly.system.points["body"].tolist() == [GROUND, 1, 2, GROUND]


def test_conditions_on_secondary_nodes_are_ignored_and_imposed_motions_are_not():
    machine = line(3)
    machine.body(1, [2, 3], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    machine.hold([2], "100 000")
    machine.drive("VEL", 3, "Y", "t")
    assert machine.assemble().row_names == ["/IMPVEL/4 on node 3"]


def test_joints_that_cannot_move_are_left_out_and_the_others_keep_their_column():
    machine = line(7)
    gear(machine, [1, 2, 3])
    moving = gear(machine, [4, 5, 6])
    machine.hold([1, 2, 3], "111 111")
    assembly = machine.assemble()
    assert [place.gear_joint for place in assembly.places.gear_joints] == [moving]
    assert columns_of(machine.model.gear_joints, [moving]).tolist() == [1]


def test_tolerances_follow_the_size_of_each_subsystem():
    machine = line(6)
    machine.model.nodes.coordinates[:3] *= 100.0  # 20 m long; the other is 0.2 m
    gear(machine, [1, 2, 3])
    gear(machine, [4, 5, 6], alpha=3.0)
    scale = machine.assemble().system.rows["scale"]
    np.testing.assert_allclose(scale[:11], [20, 20, 20, 1, 1] * 2 + [2])
    np.testing.assert_allclose(scale[11:], [0.2, 0.2, 0.2, 1, 1] * 2 + [4])


def test_spherical_inertia_is_recognised():
    machine = line(4)
    gear(machine, [1, 2, 3])
    machine.body(1, [4], inertia=(0.01, 0.01, 0.02, 0, 0, 0))
    system = machine.assemble().system
    assert system.bodies["turning"][system.points["body"][:3]].tolist() == [GENERAL, SPHERICAL, SPHERICAL]


# ---- joints, couplers and drives -------------------------------------------------------------------------------


def plates(count, **more):
    """Bodies of their own at nodes 1, 2, ... on a line."""
    machine = line(count, **more)
    for node in range(1, count + 1):
        machine.body(node, [], mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    return machine


def test_rows_of_joints_couplers_and_drives_are_named_after_them_in_their_order():
    machine = plates(4)
    machine.coordinate_drive("ROT", 0, 1, "t")
    machine.couple("R2T", (1, 0), (2, 3), 2.0)
    machine.pair("SCREW", 1, 2, pitch=0.1, axis=X)
    machine.pair("DISTANCE", 3, 4)
    gear(machine, [1, 3, 4])
    assembly = machine.assemble()
    assert assembly.row_names == [
        *["/GJOINT/GEAR/10, node_ID1"] * 5,
        *["/GJOINT/GEAR/10, node_ID2"] * 5,
        "/GJOINT/GEAR/10, ratio",
        *["/JOINT/SCREW/8"] * 4,
        "/JOINT/SCREW/8, pitch",
        "/JOINT/DISTANCE/9",
        "/COUPLER/R2T/7",
        "/DRIVE/ROT/6",
    ]
    places = assembly.places
    assert [(place.index, place.relation_row) for place in places.joints] == [(2, 15), (3, -1)]
    assert [(place.joints, place.row) for place in places.couplers] == [((4, 5), 17)]
    assert [(place.joint, place.row) for place in places.drives] == [(6, 18)]
    assert assembly.system.relations["row"].tolist() == [10, 15, 17, 18]


def test_joints_couplers_and_drives_couple_what_moves_and_stand_with_their_subsystem():
    machine = plates(12)
    machine.pair("REVOLUTE", 0, 12)
    machine.pair("SPHERICAL", 7, 1)
    machine.couple("R2R", (2, 0), (6, 5), 1.0)
    machine.coordinate_drive("DIST", 4, 3, "t")
    machine.couple("R2T", (8, 0), (9, 10), 1.0)
    machine.pair("PARALLEL", 11, 0)
    assembly = machine.assemble()
    system = assembly.system
    groups = [sorted(nodes_of(system.points["body"], subsystem)) for subsystem in system.subsystems]
    assert groups == [[1, 7], [2, 5, 6], [3, 4], [8, 9, 10], [11], [12]]
    families = [
        tuple(int(p[f"last_{name}"] - p[f"first_{name}"]) for name in ("row", "joint", "relation"))
        for p in system.subsystems
    ]
    assert families == [(3, 1, 0), (1, 2, 1), (1, 1, 1), (1, 2, 1), (2, 1, 0), (5, 1, 0)]
    # in deck order again, wherever their rows are
    assert [place.joint.kind for place in assembly.places.joints] == ["REVOLUTE", "SPHERICAL", "PARALLEL"]
    assert [place.coupler.kind for place in assembly.places.couplers] == ["R2R", "R2T"]
    for subsystem in system.subsystems:
        for joint in system.joints[subsystem["first_joint"] : subsystem["last_joint"]]:
            assert subsystem["first_row"] <= joint["row"] <= subsystem["last_row"]
        for row in system.relations["row"][subsystem["first_relation"] : subsystem["last_relation"]]:
            assert subsystem["first_row"] <= row < subsystem["last_row"]


@pytest.mark.parametrize("kind", JOINT_TYPES)
@pytest.mark.parametrize("nodes", [(1, 2), (0, 2), (1, 0)], ids=["both", "ground_is_i", "ground_is_j"])
def test_every_kind_of_joint_is_met_as_built_and_its_slide_counts_from_there(kind, nodes):
    axis, cross_axis = (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
    machine = plates(3)
    definition, length = DEFINITIONS[kind], 0.0
    apart = definition.stand(0.25 * np.array(axis), 0.3 * np.array(cross_axis))
    machine.model.nodes.coordinates[1] = machine.model.nodes.coordinates[0] + apart
    if definition.is_rod:
        if 0 in nodes:
            machine.hold([3], "111 111")  # these cannot end on node 0: a held node takes its place
            nodes = tuple(3 if node == 0 else node for node in nodes)
        a, b = machine.model.nodes.coordinates[np.array(nodes) - 1]
        length = np.linalg.norm(b - a)
    machine.pair(kind, *nodes, axis, cross_axis if definition.second != "none" else None, 0.1)
    system = machine.assemble().system
    joint_residuals(system.joints, 0, 1, system.rows, system.bodies)
    np.testing.assert_allclose(system.rows["residual"], 0.0, atol=1e-16)
    assert system.joints["slide"][0] == pytest.approx(length, abs=1e-16)
    assert system.joints["trial_slide"][0] == pytest.approx(length, abs=1e-16)


def test_tolerances_of_couplers_and_drives_follow_their_units():
    machine = plates(4)
    machine.model.nodes.coordinates *= 10.0  # 3 m long
    machine.couple("R2T", (1, 0), (2, 0), -5.0)
    machine.couple("R2R", (2, 0), (3, 0), 0.5)
    machine.coordinate_drive("TRA", 3, 4, "t")
    machine.coordinate_drive("ROT", 3, 4, "t")
    machine.pair("SCREW", 1, 4, X, pitch=-40 * np.pi)
    scale = machine.assemble().system.rows["scale"]
    np.testing.assert_allclose(scale, [3, 3, 1, 1, 20, 1 + 5 * 3, 1.5, 3, 1], rtol=1e-15)


# ---- refusals --------------------------------------------------------------------------------------------------


def test_every_node_of_a_joint_without_mass_or_inertia_is_an_error_of_its_own():
    machine = line(3)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], masses=[1.0, 0.0, 1.0], inertias=[0.0, 0.0, 0.01])
    found = errors_of(machine)
    assert [(d.keyword, d.id, d.field, d.message, d.allowed) for d in found] == [
        ("/GJOINT/GEAR", 1, "Inertia", "node 1 (node_ID0) has no rotary inertia", "a positive inertia"),
        ("/GJOINT/GEAR", 1, "Mass1", "node 2 (node_ID1) has no mass", "a positive mass"),
        ("/GJOINT/GEAR", 1, "Inertia1", "node 2 (node_ID1) has no rotary inertia", "a positive inertia"),
    ]
    assert found[1].hint == "give it mass here, with /ADMAS or as part of an /RBODY, or fix node 2 with /BCS"
    assert found[2].hint == "give it inertia here or make it part of an /RBODY, or fix node 2 with /BCS"
    assert all(d.found == "0" for d in found)


def test_a_rack_node_may_lack_inertia_but_not_mass():
    machine = line(3)
    machine.joint("RACK", [1, 2, 3], [Z, X], masses=[1.0, 1.0, 0.0], inertias=[1.0, 1.0, 0.0])
    (found,) = errors_of(machine)
    assert (found.field, found.message) == ("Mass2", "node 3 (node_ID2) has no mass")


def test_held_and_carried_nodes_of_a_joint_may_lack_mass():
    machine = line(4)
    machine.joint("GEAR", [1, 2, 3], [Z, Z], masses=[0.0, 0.0, 1.0], inertias=[0.0, 0.0, 0.01])
    machine.hold([1], "111 111")
    machine.body(2, [4], mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    assert machine.assemble().diagnostics == []


@pytest.mark.parametrize(
    "act, keyword, message",
    [
        (lambda m: m.load(1, "X", 1.0), "/CLOAD", "node 1 has no mass, so the force cannot move it"),
        (lambda m: m.load(2, "ZZ", 1.0), "/CLOAD", "node 2 has no rotary inertia, so the moment cannot turn it"),
        (lambda m: m.drive("VEL", 1, "X", "t"), "/IMPVEL", "node 1 has no mass, so the imposed motion cannot move it"),
        (lambda m: m.drive("DISP", 2, "YY", "t"), "/IMPDISP",
         "node 2 has no rotary inertia, so the imposed rotation cannot turn it"),
        (lambda m: m.spring(1, 2, 1.0), "/SPRING", "node 1 has no mass, so the spring cannot move it"),
    ],
)  # fmt: skip
def test_what_moves_a_node_without_mass_or_inertia_is_an_error(act, keyword, message):
    machine = line(3)
    machine.mass(2, 1.0)
    act(machine)
    (found,) = errors_of(machine)
    assert (found.keyword, found.message) == (keyword, message)
    assert found.hint.endswith("make it part of an /RBODY, or fix it with /BCS")


def test_a_node_led_in_all_directions_needs_no_mass():
    machine = line(2)
    for direction in ("X", "Y", "Z"):
        machine.drive("VEL", 1, direction, "t")
    run = machine.run(1e-2)
    np.testing.assert_allclose(run.node("DY", 1), run.times**2 / 2, atol=1e-13)
