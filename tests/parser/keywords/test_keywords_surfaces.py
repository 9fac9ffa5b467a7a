"""/SURF of exact solids and their unions."""

from pathlib import Path

import numpy as np
import pytest
from gsolve.parser.model import Model, Shape
from parser_decks import deck, errors, read

SKEW = "/SKEW/FIX/7\nx' = y, y' = z, z' = x\n0,0,0\n0,0,1\n1,0,0\n"
FLOOR = "/SURF/PLANE_SOLID/90\nfloor\n0\n,\n"
CONTACT = "/INTER/POISSON/1\ncontact\n{},90\n,\n1e6,0.5\n"


def shape(kind: str, *cards: str, id: int = 1) -> str:
    return "\n".join((f"/SURF/{kind}/{id}", f"shape {id}", *cards)) + "\n"


def read_shape(folder: Path, *blocks: str, **options: str) -> Shape:
    model = read(folder, deck(*blocks, **options))  # type: ignore[arg-type]
    assert len(model.shapes) == 1
    return model.shapes[0]


@pytest.mark.parametrize(
    ("keyword", "kind", "card", "dimensions"),
    [
        ("SPHERE_SOLID", "SPHERE", "2", [2, 0, 0]),
        ("BOX_SOLID", "BOX", "2,3,4", [2, 3, 4]),
        ("CYL_SOLID", "CYLINDER", "2,3", [2, 3, 0]),
        ("FRUSTUM_SOLID", "FRUSTUM", "2,0,4", [2, 0, 4]),
        ("ELLIPS_SOLID", "ELLIPSOID", "2,3,4", [2, 3, 4]),
        ("PLANE_SOLID", "PLANE", "0,0,1", [0, 0, 0]),
    ],
)
def test_shapes_and_their_dimensions(tmp_path: Path, keyword: str, kind: str, card: str, dimensions: list[int]) -> None:
    found = read_shape(tmp_path, shape(keyword, "2", "0.1,0.2,0.3", card))
    assert (found.kind, found.node, found.dimensions.tolist()) == (kind, 1, dimensions)
    assert found.offset.tolist() == [0.1, 0.2, 0.3]
    assert found.axes.tolist() == np.eye(3).tolist()


def test_columns_and_commas_are_the_same(tmp_path: Path) -> None:
    columns = f"{2:10d}{7:10d}\n{0.5:20}\n{1.0:20}{2.0:20}{3.0:20}"
    for cards in (columns, "2,7\n0.5\n1,2,3"):
        found = read_shape(tmp_path, SKEW, shape("BOX_SOLID", cards))
        assert found.dimensions.tolist() == [1, 2, 3]
        assert found.offset.tolist() == [0, 0.5, 0]


def test_axes_and_centre_are_those_of_the_skew(tmp_path: Path) -> None:
    found = read_shape(tmp_path, SKEW, shape("CYL_SOLID", "2,7", "1,2,3", "0.1,0.5"))
    assert found.axes.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert found.offset.tolist() == [3, 1, 2]
    moving = "/SKEW/MOV/7\nx' along nodes 1, 3\n1,3,4\n"
    found = read_shape(tmp_path, moving, shape("CYL_SOLID", "2,7", "1,2,3", "0.1,0.5"))
    assert found.axes == pytest.approx(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))


def test_normal_of_a_plane_is_its_third_axis(tmp_path: Path) -> None:
    for cards, normal in (
        (("0", ",", ""), [0, 0, 1]),
        (("0", ","), [0, 0, 1]),
        (("0", ",", "0,0,-3"), [0, 0, -1]),
        (("0", ",", "3,0,4"), [0.6, 0, 0.8]),
        (("0,7", ",", ""), [1, 0, 0]),
        (("0,7", ",", "2,,"), [0, 1, 0]),
    ):
        found = read_shape(tmp_path, SKEW, shape("PLANE_SOLID", *cards))
        assert found.node == -1
        assert found.axes[2] == pytest.approx(np.array(normal), abs=1e-15)
        assert found.axes @ found.axes.T == pytest.approx(np.eye(3), abs=1e-15)
        assert np.linalg.det(found.axes) == pytest.approx(1.0)


def test_lengths_are_converted(tmp_path: Path) -> None:
    found = read_shape(tmp_path, shape("FRUSTUM_SOLID", "2", "1,2,3", "4,5,6"), units="kg,mm,s", work="kg,m,s")
    assert found.offset == pytest.approx([0.001, 0.002, 0.003])
    assert found.dimensions == pytest.approx([0.004, 0.005, 0.006])


def sides(model: Model) -> list[int]:
    return [model.shapes[row].id for row in model.contacts[0].side_i.shapes]


def test_unions_add_and_take_out_in_any_order_of_blocks(tmp_path: Path) -> None:
    balls = [shape("SPHERE_SOLID", str(node), ",", "0.1", id=node) for node in (1, 2, 3)]
    model = read(
        tmp_path,
        deck(
            "/SURF/SURF/10\nall but 2\n11,-2\n",
            "/SURF/SURF/11\nall, some twice\n1,2,3,1\n",
            FLOOR,
            *balls,
            CONTACT.format(10),
        ),
    )
    assert sides(model) == [1, 3]
    assert model.contacts[0].side_i.id == 10
    assert model.warnings == []


def test_surfaces_of_elements_may_be_there_for_other_purposes(tmp_path: Path) -> None:
    text = deck("/SURF/SUBSET/5\nskin\n1\n", "/SURF/PART/ALL/7\nall\n1\n", "/SURF/SURF/6\nunion\n5\n", FLOOR)
    (warning,) = read(tmp_path, text).warnings
    assert warning.message == "skipped, as without influence on the motion: /SURF/SUBSET"


def test_an_error_in_a_shape_is_told_once(tmp_path: Path) -> None:
    union = "/SURF/SURF/6\nunion\n1\n"
    ball = shape("SPHERE_SOLID", "2", ",", "-1")
    assert errors(tmp_path, deck(ball, union, FLOOR, CONTACT.format(6))) == ["radius must be more than 0"]
    assert errors(tmp_path, deck(ball, FLOOR, CONTACT.format(1))) == ["radius must be more than 0"]


def test_ids_of_surfaces_are_one_set(tmp_path: Path) -> None:
    ball = shape("SPHERE_SOLID", "2", ",", "1", id=90)
    assert errors(tmp_path, deck(FLOOR, ball)) == ["the id 90 is used twice"]
