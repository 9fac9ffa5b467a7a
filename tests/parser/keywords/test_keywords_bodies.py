"""Rigid bodies, ties, links and sums of velocities."""

from pathlib import Path

import numpy as np
import pytest
from parser_decks import GROUP, card, deck, errors, messages, read

BODY = "/RBODY/1\nbody\n{}\n{}\n{}\n"
SECONDARY = "/GRNOD/NODE/2\nriders\n3,4,5\n"


def body_card(
    *, node: int = 1, sensor: int = 0, skew: int = 0, ispher: int = 0, mass: float = 2.0, icog: int = 0
) -> str:
    return card((10, node), (10, sensor), (10, skew), (10, ispher), (20, mass), (10, 2), (10, 0), (10, icog), (10, 0))


def test_rigid_body(tmp_path: Path) -> None:
    text = deck(SECONDARY, BODY.format(body_card(), "1,2,3", "0.1,0.2,0.3"), units="kg,mm,s", work="kg,m,s")
    (body,) = read(tmp_path, text).rigid_bodies
    assert (body.main_node, body.secondary_nodes.tolist(), body.added_mass) == (0, [2, 3, 4], 2.0)
    assert (body.spherical_flag, body.centre_flag, body.skew_id) == (2, 1, 0)
    assert body.added_inertia == pytest.approx(np.array([1, 2, 3, 0.1, 0.2, 0.3]) * 1e-6, rel=1e-15)


def test_inertia_cards_may_be_left_out(tmp_path: Path) -> None:
    (body,) = read(tmp_path, deck(SECONDARY, f"/RBODY/1\nbody\n{body_card(ispher=3, icog=4)}\n")).rigid_bodies
    assert not body.added_inertia.any()
    assert (body.spherical_flag, body.centre_flag) == (3, 4)


def test_options_card_of_newer_decks(tmp_path: Path) -> None:
    blocks = SECONDARY + BODY.format(body_card(), "1,1,1", "") + "1,2,0\n"
    assert read(tmp_path, deck(blocks)).rigid_bodies
    failing = SECONDARY + BODY.format(body_card(), "1,1,1", "") + "1,2,1\n1e5,1e5\n"
    assert errors(tmp_path, deck(failing)) == ["failure of a rigid body is not supported"]
    assert errors(tmp_path, deck(blocks, version=100)) == ["the block has more cards than it should"]


def test_main_node_in_its_group_is_taken_out(tmp_path: Path) -> None:
    blocks = "/GRNOD/NODE/2\nriders\n1,3\n" + f"/RBODY/1\nbody\n{body_card()}\n"
    model = read(tmp_path, deck(blocks))
    assert model.rigid_bodies[0].secondary_nodes.tolist() == [2]
    assert "the main node 1 is also in the group of secondary nodes; it is taken out of it" in messages(model)


def test_body_by_lagrange_multipliers(tmp_path: Path) -> None:
    line = card((10, 1), (50, None), (10, 2))
    for rest in ("", "\n\n", "\n\n2\n"):
        (body,) = read(tmp_path, deck(SECONDARY, f"/RBODY/LAGMUL/4\nbody\n{line}\n{rest}")).rigid_bodies
        assert (body.added_mass, body.spherical_flag, body.centre_flag) == (0.0, 3, 1)
        assert body.secondary_nodes.tolist() == ([1, 2, 3, 4] if "2" in rest else [2, 3, 4])


@pytest.mark.parametrize("digits", ["       ", "000 000", "111 111"])
def test_rigid_tie(tmp_path: Path, digits: str) -> None:
    (tie,) = read(tmp_path, deck(SECONDARY, f"/RBE2/1\ntie\n         1   {digits}         0         2\n")).rigid_ties
    assert (tie.main_node, tie.dependent_nodes.tolist()) == (0, [2, 3, 4])


def test_velocity_link(tmp_path: Path) -> None:
    (link,) = read(tmp_path, deck(SECONDARY, "/RLINK/1\nlink\n   101 010         0         2\n")).velocity_links
    assert (link.translations, link.rotations) == ((True, False, True), (False, True, False))
    assert link.nodes.tolist() == [2, 3, 4]
    polar = "/RLINK/1\nlink\n   101 010         0         2         1\n"
    assert errors(tmp_path, deck(SECONDARY, polar)) == ["polar links are not supported"]


def test_tie_and_body_cannot_share_a_node(tmp_path: Path) -> None:
    tie = "/RBE2/1\ntie\n         2   111 111         0         2\n"
    (message,) = errors(tmp_path, deck(SECONDARY, f"/RBODY/1\nbody\n{body_card()}\n", tie))
    assert message == "nodes 3, 4, 5 are secondary nodes of two rigid bodies"


def test_a_tie_may_stand_on_a_node_of_a_body(tmp_path: Path) -> None:
    tie = "/GRNOD/NODE/3\none\n2\n/RBE2/1\ntie\n         3   111 111         0         3\n"
    assert not errors(tmp_path, deck(SECONDARY, f"/RBODY/1\nbody\n{body_card()}\n", tie))


def test_a_body_may_be_a_main_node_with_its_mass_and_inertia(tmp_path: Path) -> None:
    line = card((10, 1), (10, 0), (10, 0), (10, 3), (20, 1.0))
    assert messages(read(tmp_path, deck(GROUP, f"/RBODY/1\nbody\n{line}\n1,1,1\n"))) == ""
    idle = card((10, 1), (10, 0), (10, 0), (10, 3))
    assert "it does nothing" in messages(read(tmp_path, deck(GROUP, f"/RBODY/1\nbody\n{idle}\n")))


def tie_card(digits: str, skew: int = 0, flag: int = 0) -> str:
    return f"/RBE2/1\ntie\n         1   {digits}{skew:10d}         2{flag:10d}\n"


@pytest.mark.parametrize(
    ("digits", "translations", "rotations"),
    [("111 000", (True, True, True), (False, False, False)), ("001 100", (False, False, True), (True, False, False))],
)
def test_tie_of_some_directions(
    tmp_path: Path, digits: str, translations: tuple[bool, ...], rotations: tuple[bool, ...]
) -> None:
    skew = "/SKEW/FIX/6\naxes\n0,0,0\n0,1,0\n0,0,1\n"
    for flag in (0, 1):
        model = read(tmp_path, deck(SECONDARY, skew, tie_card(digits, 6, flag)))
        (tie,) = model.directional_ties
        assert not model.rigid_ties
        assert (tie.main_node, tie.dependent_nodes.tolist(), tie.skew_id) == (0, [2, 3, 4], 6)
        assert (tie.translations, tie.rotations, tie.offset) == (translations, rotations, flag == 0)


@pytest.mark.parametrize("digits", ["       ", "111 111"])
def test_tie_of_equal_velocity(tmp_path: Path, digits: str) -> None:
    (tie,) = read(tmp_path, deck(SECONDARY, tie_card(digits, flag=1))).directional_ties
    assert all(tie.translations + tie.rotations)
    assert not tie.offset
    assert errors(tmp_path, deck(SECONDARY, tie_card(digits, flag=2))) == ["Iflag cannot be 2"]


def test_multi_point_constraint(tmp_path: Path) -> None:
    skew = "/SKEW/FIX/6\naxes\n0,0,0\n0,1,0\n0,0,1\n"
    block = f"/MPC/4\nsum\n{card((10, 1), (10, 1), (10, 6), (20, 2.5))}\n{card((10, 3), (10, 6))}\n2,3,,-1\n"
    (constraint,) = read(tmp_path, deck(skew, block)).multi_point_constraints
    assert constraint.nodes.tolist() == [0, 2, 1]
    assert constraint.directions.tolist() == [0, 5, 2]
    assert constraint.skew_ids.tolist() == [6, 0, 0]
    assert constraint.coefficients.tolist() == [2.5, 1, -1]


def test_rotations_of_a_multi_point_constraint_carry_a_length(tmp_path: Path) -> None:
    """v in mm/s + 50 w = 0 is v in m/s + 0.05 w = 0."""
    text = deck("/MPC/4\nsum\n1,1\n2,6,,50\n", units="kg,mm,s", work="kg,m,s")
    (constraint,) = read(tmp_path, text).multi_point_constraints
    assert constraint.coefficients.tolist() == [1, 0.05]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "the constraint holds no node"),
        ("1,7\n2,1\n", "Idof cannot be 7"),
        ("1\n2,1\n", "Idof is missing"),
        ("9,1\n2,1\n", "node 9 does not exist"),
        ("1,1,5\n2,1\n", "skew 5 does not exist"),
        ("1,1\n2,1\n1,1,,2\n", "Idof 1 of node 1 is given twice"),
    ],
)
def test_faulty_multi_point_constraints(tmp_path: Path, lines: str, message: str) -> None:
    assert errors(tmp_path, deck(f"/MPC/4\nsum\n{lines}")) == [message]
