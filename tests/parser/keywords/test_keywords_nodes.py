"""Nodes, groups, added masses, skews and frames."""

from pathlib import Path

import numpy as np
import pytest
from parser_decks import GROUP, NODES, card, deck, errors, messages, read

SHELLS = "/MAT/VOID/1\nm\n/PROP/VOID/1\np\n/PART/1\na\n1,1\n/PART/2\nb\n1,1\n/SHELL/1\n1,1,2,3\n/SHELL/2\n2,3,4,5\n"


def group_of(folder: Path, *blocks: str, nodes: str = NODES) -> list[int]:
    """Node ids of group 9, in order."""
    held = "/BCS/1\nheld\n" + "   111 000" + card((10, 0), (10, 9))
    model = read(folder, deck(*blocks, held, nodes=nodes))
    return model.nodes.ids[model.boundary_conditions[0].nodes].tolist()


@pytest.mark.parametrize(
    ("block", "ids"),
    [
        ("/GRNOD/NODE/9\ng\n5,3,1,3\n", [1, 3, 5]),
        ("/GRNOD/NODE/9\ng\n5,3,1,-3\n", [1, 5]),
        ("/GRNOD/NODENS/9\ng\n5,3,1,3\n", [5, 3, 1]),
        ("/GRNOD/GENE/9\ng\n4,99,1,2\n", [1, 2, 4, 5]),
        ("/GRNOD/GEN_INCR/9\ng\n1,5,2\n4,4\n", [1, 3, 4, 5]),
        ("/GRNOD/PART/9\ng\n1\n" + SHELLS, [1, 2, 3]),
        ("/GRNOD/PART/9\ng\n1,2,-1\n" + SHELLS, [4, 5]),
        (
            "/GRNOD/GRNOD/9\ng\n1,2\n/GRNOD/NODE/1\na\n1\n/GRNOD/GRNOD/2\nb\n3,-4\n/GRNOD/NODE/3\nc\n4,5\n/GRNOD/NODE/4\nd\n4\n",
            [1, 5],
        ),
    ],
    ids=lambda value: value.split("\n")[0] if isinstance(value, str) else "",
)
def test_groups(tmp_path: Path, block: str, ids: list[int]) -> None:
    assert group_of(tmp_path, block) == ids


def test_groups_are_sorted_by_id_whatever_the_order_of_the_nodes(tmp_path: Path) -> None:
    assert group_of(tmp_path, "/GRNOD/NODE/9\ng\n3,20,1\n", nodes="/NODE\n20,0,0,0\n3,0,0,0\n1,0,0,0\n") == [1, 3, 20]


def test_node_blocks_add_up_each_in_its_units(tmp_path: Path) -> None:
    nodes = "/NODE\n7,1,2,3\n/UNIT/3\nmm\nkg,mm,s\n/NODE/3\n5,1000,2000,-500\n"
    model = read(tmp_path, deck(nodes=nodes))
    assert model.nodes.ids.tolist() == [7, 5]
    assert model.nodes.coordinates.tolist() == [[1, 2, 3], [1, 2, -0.5]]


@pytest.mark.parametrize(
    ("line", "fault"), [("0,1,1,1", "must not be 0"), (",1,1,1", "is missing"), ("-4,1,1,1", "must not be less than 1")]
)
def test_nodes_need_positive_ids(tmp_path: Path, line: str, fault: str) -> None:
    assert errors(tmp_path, deck(nodes=NODES + line + "\n")) == [f"node_ID {fault}"]


def test_added_masses(tmp_path: Path) -> None:
    blocks = (
        "/GRNOD/NODE/1\ng\n2,4\n",
        "/ADMAS/0/1\na\n3.0,1\n",
        "/ADMAS/1/2\nb\n3.0,1\n",
        "/ADMAS/5/3\nc\n1.0,5\n2.0,1\n",
    )
    each, shared, single = read(tmp_path, deck(*blocks)).added_masses
    assert (each.nodes.tolist(), each.masses.tolist()) == ([1, 3], [3.0, 3.0])
    assert shared.masses.tolist() == [1.5, 1.5]
    assert (single.nodes.tolist(), single.masses.tolist()) == ([4, 0], [1.0, 2.0])


def test_added_mass_cannot_be_negative(tmp_path: Path) -> None:
    assert errors(tmp_path, deck(GROUP, "/ADMAS/0/1\na\n-3.0,1\n")) == ["MASS must not be negative"]


def test_fixed_skew_keeps_z_and_corrects_y(tmp_path: Path) -> None:
    model = read(tmp_path, deck("/SKEW/FIX/1\ns\n0,0,0\n0,1,1\n0,0,2\n"))
    assert np.allclose(model.skews[1].axes, np.eye(3), atol=1e-16)
    assert not model.skews[1].moving


def test_blank_skew_axes_are_global(tmp_path: Path) -> None:
    assert np.array_equal(read(tmp_path, deck("/SKEW/FIX/1\ns\n\n\n\n")).skews[1].axes, np.eye(3))


def test_fixed_skew_of_old_decks_has_no_origin(tmp_path: Path) -> None:
    blocks = "/SKEW/FIX/1\ns\n0,0,1\n1,0,0\n"
    axes = read(tmp_path, deck(blocks, version=110)).skews[1].axes
    assert np.array_equal(axes, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert errors(tmp_path, deck(blocks)) == ["the block ends too early: a card is missing"]


@pytest.mark.parametrize(
    ("word", "axes"),
    [
        ("", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ("X", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        ("Y", [[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        ("Z", [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    ],
)
def test_moving_skew(tmp_path: Path, word: str, axes: list[list[float]]) -> None:
    """N1-N2 is global x, N3 lies towards global y; the axis after DIR (cyclic) points to the side of N3."""
    skew = read(tmp_path, deck(f"/SKEW/MOV/1\ns\n1,2,3,{word}\n")).skews[1]
    assert np.array_equal(skew.axes, axes)
    assert skew.moving
    assert skew.nodes.tolist() == [0, 1, 2]
    assert np.linalg.det(skew.axes) == pytest.approx(1.0, abs=1e-15)


def test_unused_empty_groups_do_no_harm(tmp_path: Path) -> None:
    assert messages(read(tmp_path, deck("/GRNOD/GENE/1\nnone\n100,200\n"))) == ""
