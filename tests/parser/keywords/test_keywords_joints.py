"""Kinematic pairs: /JOINT and /CYL_JOINT."""

import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import DeckError
from gsolve.parser.model import Joint
from gsolve.parser.model.joint_types import JOINT_TYPES, JointType
from parser_decks import deck, errors, messages, read

SKEW = "/SKEW/FIX/7\naxes\n0,0,0\n0,0,1\n1,0,0\n"  # Z' = x, Y' = z, so X' = y


def joint(kind: str, *cards: str, unit: str = "") -> str:
    return "\n".join([f"/JOINT/{kind}/1{unit}", "joint", *cards, ""])


def read_joint(folder: Path, text: str, **options: str) -> Joint:
    (found,) = read(folder, deck(SKEW, text, **options)).joints
    return found


TYPES = JOINT_TYPES.values()


@pytest.mark.parametrize("kind", [t.kind for t in TYPES if not (t.has_second_axis or t.pitch or t.length)])
def test_a_joint_needs_its_nodes_only(tmp_path: Path, kind: str) -> None:
    found = read_joint(tmp_path, joint(kind, "1,3"))
    assert (found.kind, found.node_i, found.node_j) == (kind, 0, 2)
    assert found.axis_i.tolist() == found.axis_j.tolist() == [0, 0, 1]
    assert (found.pitch, found.length, found.rotation, found.translation) == (0.0, None, None, None)


@pytest.mark.parametrize("kind", ["UNIVERSAL", "PERPENDICULAR", "REV_CYL"])
def test_joints_of_two_axes(tmp_path: Path, kind: str) -> None:
    found = read_joint(tmp_path, joint(kind, "1,3", "0,0,-5", "3,4,0"))
    assert found.axis_i.tolist() == [0, 0, -1]
    assert found.axis_j == pytest.approx(np.array([0.6, 0.8, 0.0]), rel=1e-15)
    for card, message in (
        ("", "the axis of node_j is missing"),
        ("0,0,0", "the axis of node_j has length zero"),
        ("0,0,2", f"the axes of node_i and node_j of a {kind} must not be parallel"),
    ):
        assert errors(tmp_path, deck(joint(kind, "1,3", "0,0,-5", card))) == [message]


def test_columns_and_commas_are_the_same(tmp_path: Path) -> None:
    columns = f"{1:10d}{3:10d}{0:10d}\n{1.0:20}{2.0:20}{2.0:20}\n{'':60}{0.25:20}"
    for cards in (columns, "1,3\n1,2,2\n,,,0.25"):
        found = read_joint(tmp_path, joint("SCREW", cards))
        assert found.axis_i == pytest.approx(np.array([1, 2, 2]) / 3, rel=1e-15)
        assert found.pitch == 0.25


def test_axes_are_given_in_a_skew(tmp_path: Path) -> None:
    for card, axis in (("", [1, 0, 0]), ("2,,", [0, 1, 0]), ("0,3,0", [0, 0, 1])):
        assert read_joint(tmp_path, joint("REVOLUTE", "1,2,7", card)).axis_i == pytest.approx(np.array(axis))
    moving = "/SKEW/MOV/8\nmoving\n1,3,4\n"  # X' = y, Y' = z, Z' = x at t = 0
    found = read_joint(tmp_path, moving + joint("UNIVERSAL", "1,2,8", "1,0,0", "0,1,0"))
    assert found.axis_i == pytest.approx(np.array([0, 1, 0]))
    assert found.axis_j == pytest.approx(np.array([0, 0, 1]))


def test_ground_is_node_0(tmp_path: Path) -> None:
    found = read_joint(tmp_path, joint("REVOLUTE", "0,3"))
    assert (found.node_i, found.node_j) == (-1, 2)
    found = read_joint(tmp_path, joint("REVOLUTE", "3,"))
    assert (found.node_i, found.node_j) == (2, -1)
    (message,) = errors(tmp_path, deck(joint("REVOLUTE", "0,0")))
    assert message == "node_i and node_j are both 0, the ground: nothing can move between them"


def test_length_is_as_built_or_as_given(tmp_path: Path) -> None:
    for kind in ("DISTANCE", "REV_SPH"):
        assert read_joint(tmp_path, joint(kind, "1,3")).length is None
        assert read_joint(tmp_path, joint(kind, "1,3", "", ",,,,2.5")).length == 2.5
        for length in ("0", "-1"):
            (message,) = errors(tmp_path, deck(joint(kind, "1,3", "", f",,,,{length}")))
            assert message == f"the length of a {kind} must be more than 0"


def test_a_rod_needs_two_points(tmp_path: Path) -> None:
    twin = "/NODE\n6,0,0,0\n"
    assert errors(tmp_path, deck(twin, joint("DISTANCE", "1,6"))) == [
        "nodes 1 and 6 stand at the same point: there is no length as built"
    ]
    assert errors(tmp_path, deck(joint("DISTANCE", "0,2"))) == [
        "a DISTANCE cannot end on the ground: its point there would be the other node itself"
    ]
    assert read_joint(tmp_path, twin + joint("DISTANCE", "1,6", "", ",,,,2.5")).length == 2.5


@pytest.mark.parametrize(
    ("header", "message", "hint"),
    [
        ("/JOINT/REVOLUT/1", "/JOINT has no type REVOLUT", "did you mean /JOINT/REVOLUTE?"),
        ("/JOINT/HINGE/1", "/JOINT has no type HINGE", "did you mean /JOINT/REVOLUTE?"),
        ("/JOINT/1", "/JOINT needs a type", ""),
    ],
)
def test_a_wrong_type_is_told_all_types_and_which_is_meant(
    tmp_path: Path, header: str, message: str, hint: str
) -> None:
    with pytest.raises(DeckError) as caught:
        read(tmp_path, deck(f"{header}\njoint\n1,3\n"))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.message, diagnostic.hint) == (message, hint)
    assert diagnostic.allowed == ", ".join(JOINT_TYPES)


@pytest.mark.parametrize("joint_type", [t for t in TYPES if not t.forces], ids=lambda t: t.kind)
def test_fields_without_meaning_are_warned_about(tmp_path: Path, joint_type: JointType) -> None:
    kind = joint_type.kind
    model = read(tmp_path, deck(joint(kind, "1,2", "", "1,2,0,3,4")))
    fields = {"bx": ("the second axis", joint_type.has_second_axis), "pitch": ("pitch", False)}
    fields["length"] = ("length", joint_type.length)
    assert [(w.message, w.field) for w in model.warnings] == [
        (f"{what} is not used by a {kind} and is ignored", field) for field, (what, used) in fields.items() if not used
    ]


def test_zeros_without_meaning_are_not_worth_a_warning(tmp_path: Path) -> None:
    assert messages(read(tmp_path, deck(joint("REVOLUTE", "1,2", "0,0,1", "0,0,0,0,0")))) == ""


@pytest.mark.parametrize("kind", ["REVOLUTE", "SCREW", "TRANSLATIONAL", "STRUT", "CYLINDRICAL"])
def test_a_blank_card_forgotten_before_the_springs_is_an_error_of_its_own(tmp_path: Path, kind: str) -> None:
    (message,) = errors(tmp_path, deck(joint(kind, "1,2", "0,0,1", "2,3,0,5", "-1,1.5,6,7", "8,0.1,9,10")))
    assert message.startswith(f"a {kind} has no use for what stands here")


FORCES = ("2,3,4,5", "-1,1.5,6,7", "8,0.1,9,10")


@pytest.mark.parametrize(("kind", "name"), [("REVOLUTE", "rotation"), ("TRANSLATIONAL", "translation")])
def test_what_acts_along_a_coordinate(tmp_path: Path, kind: str, name: str) -> None:
    radius = 9 if name == "rotation" else 0
    found = read_joint(tmp_path, joint(kind, "1,2", "", "", *FORCES[:2], f"8,0.1,{radius},10"))
    force = getattr(found, name)
    assert (force.stiffness, force.damping, force.free_value, force.preload) == (2, 3, 4, 5)
    assert (force.lower, force.upper, force.stop_stiffness, force.stop_damping) == (-1, 1.5, 6, 7)
    assert (force.friction_force, force.friction_coefficient, force.slip_velocity) == (8, 0.1, 10)
    assert force.radius == (9 if name == "rotation" else 1)


def test_a_cylindrical_joint_has_both_coordinates(tmp_path: Path) -> None:
    found = read_joint(tmp_path, joint("CYLINDRICAL", "1,2", "", "", "1", "", "", "2", ",5,3"))
    assert found.rotation is not None and found.translation is not None
    assert (found.rotation.stiffness, found.rotation.lower, found.rotation.upper) == (1, -math.inf, math.inf)
    assert (found.translation.stiffness, found.translation.lower, found.translation.upper) == (2, -math.inf, 5)
    assert found.translation.stop_stiffness == 3


def test_units_of_a_joint(tmp_path: Path) -> None:
    """In mm and Mg: moments are N mm, stiffness along the axis N/mm; angles stay as they are."""
    units = {"units": "Mg,mm,s", "work": "kg,m,s"}
    found = read_joint(tmp_path, joint("CYLINDRICAL", "1,2", "", "", *FORCES, *FORCES[:2], "8,.1,0,10"), **units)
    turn, slide = found.rotation, found.translation
    assert turn is not None and slide is not None
    assert [turn.stiffness, turn.damping, turn.free_value, turn.preload] == pytest.approx([2e-3, 3e-3, 4, 5e-3])
    assert [turn.lower, turn.upper, turn.stop_stiffness, turn.stop_damping] == pytest.approx([-1, 1.5, 6e-3, 7e-3])
    assert [turn.friction_force, turn.friction_coefficient, turn.radius] == pytest.approx([8e-3, 0.1, 9e-3])
    assert turn.slip_velocity == 10
    assert [slide.stiffness, slide.damping, slide.free_value, slide.preload] == pytest.approx([2e3, 3e3, 4e-3, 5])
    assert [slide.lower, slide.upper, slide.stop_stiffness] == pytest.approx([-1e-3, 1.5e-3, 6e3])
    assert [slide.stop_damping, slide.friction_force, slide.slip_velocity] == pytest.approx([7e3, 8, 1e-2])
    assert (slide.friction_coefficient, slide.radius) == (0.1, 1.0)
    assert read_joint(tmp_path, joint("SCREW", "1,2", "", ",,,4"), **units).pitch == pytest.approx(4e-3)
    assert read_joint(tmp_path, joint("DISTANCE", "1,2", "", ",,,,4"), **units).length == pytest.approx(4e-3)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (("", "2,1,5"), "upper must be more than lower"),
        (("", ",1"), "upper cannot stop anything without a stop_stiffness"),
        (("", "-1,1"), "lower and upper cannot stop anything without a stop_stiffness"),
        (("", "", "1"), "friction_force needs a slip_velocity, at which friction is fully developed"),
        (("", "", "0,.1,0,1"), "friction_coeff needs the radius at which the bearing force rubs"),
        (("-1",), "stiffness must not be negative"),
    ],
)
def test_incomplete_forces(tmp_path: Path, cards: tuple[str, ...], message: str) -> None:
    assert errors(tmp_path, deck(joint("REVOLUTE", "1,2", "", "", *cards))) == [message]


def test_stop_at_0_is_a_stop(tmp_path: Path) -> None:
    force = read_joint(tmp_path, joint("STRUT", "1,2", "", "", "", "0,,5")).translation
    assert force is not None
    assert (force.lower, force.upper) == (0.0, math.inf)


def test_values_without_effect_are_warned_about(tmp_path: Path) -> None:
    model = read(tmp_path, deck(joint("REVOLUTE", "1,2", "", "", ",,1", ",,2,3", ",,4,5")))
    assert [w.message for w in model.warnings] == [
        "free_value has no effect without a stiffness",
        "stop_stiffness has no effect without lower or upper",
        "stop_damping has no effect without lower or upper",
        "radius has no effect without a friction_coeff",
        "slip_velocity has no effect without friction",
    ]
    assert model.joints[0].rotation is None


def test_joint_without_coordinate_takes_no_forces(tmp_path: Path) -> None:
    assert errors(tmp_path, deck(joint("SPHERICAL", "1,2", "", "", "2"))) == ["the block has more cards than it should"]


def test_cylindrical_joint_of_a_group(tmp_path: Path) -> None:
    body = "/GRNOD/NODE/2\nriders\n4\n/RBODY/1\nbody\n1,0,0,3,1.0,2\n1,1,1\n"
    held = "/GRNOD/NODE/3\nheld\n1,2,3,4\n/CYL_JOINT/5\npiston\n1,4,3\n"
    model = read(tmp_path, deck(body, held))
    assert [(j.id, j.kind, j.node_i, j.node_j) for j in model.joints] == [
        (5, "CYLINDRICAL", 0, 1),
        (5, "CYLINDRICAL", 0, 2),
    ]
    assert all(j.axis_i.tolist() == j.axis_j.tolist() == [0, 0, 1] for j in model.joints)


BODY = "/GRNOD/NODE/2\nriders\n2,3\n/RBODY/1\nbody\n1,0,0,3,1.0,2\n1,1,1\n"
ONE_BODY = "are of one rigid body: nothing can move between them"


@pytest.mark.parametrize(
    "block",
    [
        "/JOINT/REVOLUTE/1\nj\n2,3\n",
        "/JOINT/FIXED/1\nj\n1,3\n",
        "/DRIVE/DIST/1\nd\n2,3,3\n",
        "/COUPLER/R2R/1\nc\n2,3,4,5\n1\n1,0,0\n1,0,0\n",
        "/COUPLER/R2T/1\nc\n4,5,1,2\n1\n1,0,0\n1,0,0\n",
        "/GRNOD/NODE/3\nheld\n1,2,3,4\n/CYL_JOINT/5\npiston\n1,2,3\n",
    ],
)
def test_nothing_moves_within_a_rigid_body(tmp_path: Path, block: str) -> None:
    (message,) = errors(tmp_path, deck("/FUNCT/3\nf\n0,0\n1,1\n", BODY, block))
    assert message.endswith(ONE_BODY)


def test_nothing_moves_within_a_body_of_ties(tmp_path: Path) -> None:
    """Node 4 is tied to node 3, which is fixed to node 1."""
    tie = "/GRNOD/NODE/3\ntied\n4\n/RBE2/1\ntie\n3,111,111,0,3\n"
    (message,) = errors(tmp_path, deck(BODY, tie, "/JOINT/REVOLUTE/1\nj\n2,4\n"))
    assert message == f"nodes 2 and 4 {ONE_BODY}"
    assert not errors(tmp_path, deck(BODY, tie, "/JOINT/REVOLUTE/1\nj\n5,4\n"))


def test_axis_of_a_cylindrical_joint_is_of_one_body(tmp_path: Path) -> None:
    held = "/GRNOD/NODE/3\nheld\n4\n/CYL_JOINT/5\npiston\n1,2,3\n"
    (message,) = errors(tmp_path, deck(held))
    assert message == "nodes 1 and 2, which give the axis, are not of one rigid body"
    assert not errors(tmp_path, deck(held, BODY))
    clamp = "/GRNOD/NODE/4\naxis\n1,2\n/BCS/1\nclamped\n111,111,0,4\n"
    assert not errors(tmp_path, deck(held, clamp))


def test_faulty_cylindrical_joints(tmp_path: Path) -> None:
    group = "/NODE\n6,0,0,0\n/GRNOD/NODE/3\nheld\n1,6,4\n/CYL_JOINT/5\npiston\n"
    assert errors(tmp_path, deck(group + "1,1,3\n")) == ["node 1 is both node_ID1 and node_ID2, which gives no axis"]
    assert errors(tmp_path, deck(group + "1,6,3\n")) == ["nodes 1 and 6 stand at the same point and give no axis"]


def test_joints_share_their_ids(tmp_path: Path) -> None:
    second = "/JOINT/FIXED/1\nj\n3,4\n"
    assert errors(tmp_path, deck("/JOINT/REVOLUTE/1\nj\n1,2\n", second)) == ["the id 1 is used twice"]
