"""Boundary conditions, imposed motions, initial velocities, gravity and loads."""

import math
from pathlib import Path

import numpy as np
import pytest
from parser_decks import GROUP, card, deck, errors, messages, read

FUNCTION = "/FUNCT/1\nf\n0,1\n1,1\n"
SKEW = "/SKEW/FIX/1\nturned a quarter about z\n0,0,0\n-1,0,0\n0,0,1\n"
UNITS = {"units": "Mg,mm,ms", "work": "kg,m,s"}


@pytest.mark.parametrize("keyword", ["BCS", "BCS/LAGMUL"])
def test_boundary_conditions(tmp_path: Path, keyword: str) -> None:
    model = read(tmp_path, deck(GROUP, f"/{keyword}/2\nheld\n   101 010         0         1\n"))
    (held,) = model.boundary_conditions
    assert (held.translations, held.rotations) == ((True, False, True), (False, True, False))
    assert held.nodes.tolist() == [0, 1, 2, 3, 4]


def test_digits_in_free_format(tmp_path: Path) -> None:
    (held,) = read(tmp_path, deck(GROUP, "/BCS/2\nheld\n101,010,0,1\n")).boundary_conditions
    assert (held.translations, held.rotations) == ((True, False, True), (False, True, False))


def test_conditions_that_fix_nothing_are_warned_about(tmp_path: Path) -> None:
    model = read(tmp_path, deck(GROUP, "/BCS/2\nheld\n   000 000         0         1\n"))
    assert not model.boundary_conditions
    assert "no direction is marked, so nothing is fixed" in messages(model)


@pytest.mark.parametrize(
    ("keyword", "word", "scale"),
    [
        ("IMPDISP", "X", 1e-3),
        ("IMPDISP", "XX", 1.0),
        ("IMPVEL", "Y", 1.0),
        ("IMPVEL", "YY", 1e3),
        ("IMPACC", "Z", 1e3),
        ("IMPACC", "ZZ", 1e6),
    ],
)
def test_imposed_motions(tmp_path: Path, keyword: str, word: str, scale: float) -> None:
    text = deck(GROUP, FUNCTION, f"/{keyword}/1\nm\n1,{word},,,1\n2,3,4,5\n", **UNITS)
    (motion,) = read(tmp_path, text).imposed_motions
    assert (motion.kind, motion.direction, motion.rotational) == (keyword[3:], "XYZ".index(word[0]), len(word) == 2)
    assert motion.y_scale == pytest.approx(3 * scale, rel=1e-15)
    assert (motion.x_scale, motion.t_start, motion.t_stop) == (2e-3, 4e-3, 5e-3)
    assert motion.function_id == 1


def test_defaults_of_imposed_motions(tmp_path: Path) -> None:
    (motion,) = read(tmp_path, deck(GROUP, FUNCTION, "/IMPVEL/1\nm\n1,X,,,1\n")).imposed_motions
    assert (motion.x_scale, motion.y_scale, motion.t_start, motion.t_stop) == (1.0, 1.0, 0.0, math.inf)


@pytest.mark.parametrize(("word", "scale"), [("X", 1e6), ("ZZ", 1e3)])
def test_loads(tmp_path: Path, word: str, scale: float) -> None:
    """Mg mm/ms2 are 1e6 N, Mg mm2/ms2 are 1e3 N m."""
    (load,) = read(tmp_path, deck(GROUP, FUNCTION, SKEW, f"/CLOAD/1\nl\n1,{word},1,,1,2,3\n", **UNITS)).loads
    assert (load.rotational, load.skew_id, load.function_id) == (len(word) == 2, 1, 1)
    assert load.y_scale == pytest.approx(3 * scale, rel=1e-15)
    assert load.x_scale == 2e-3


def test_gravity_of_all_nodes_without_a_function(tmp_path: Path) -> None:
    line = card((10, 0), (10, "Z"), (10, 0), (10, 0), (10, 0), (10, None), (20, None), (20, -9.81e-3))
    (gravity,) = read(tmp_path, deck(f"/GRAV/1\ng\n{line}\n", **UNITS)).gravities
    assert gravity.y_scale == pytest.approx(-9.81, rel=1e-15)
    assert (gravity.direction, gravity.function_id, len(gravity.nodes)) == (2, 0, 5)


def test_gravity_has_no_rotation(tmp_path: Path) -> None:
    assert errors(tmp_path, deck("/GRAV/1\ng\n0,ZZ\n")) == ["Dir cannot be ZZ"]


@pytest.mark.parametrize("kind", ["TRA", "ROT", "T+G"])
def test_initial_velocities_are_turned_to_global_axes(tmp_path: Path, kind: str) -> None:
    (block,) = read(tmp_path, deck(GROUP, SKEW, f"/INIVEL/{kind}/1\nv\n1,2,3,1,1\n")).initial_velocities
    given, other = block.translational, block.rotational
    if kind == "ROT":
        given, other = other, given
    assert other is None
    assert given is not None
    # X' = global y, Y' = -global x, Z' = global z
    assert given.tolist() == [[-2.0, 1.0, 3.0]] * 5


def test_units_of_initial_velocities(tmp_path: Path) -> None:
    blocks = "/INIVEL/TRA/1\nv\n1,0,0,1\n/INIVEL/ROT/1\nw\n1,0,0,1\n"
    first, second = read(tmp_path, deck(GROUP, blocks, units="kg,mm,ms", work="kg,m,s")).initial_velocities
    assert first.translational is not None
    assert first.translational[0, 0] == 1.0
    assert second.rotational is not None
    assert second.rotational[0, 0] == 1000.0


def test_initial_rotation_about_an_axis(tmp_path: Path) -> None:
    """v = V + Vr e x (x - O), with O = (1, 1, 0) and e the frame's Y' = global z."""
    frame = "/FRAME/FIX/3\nf\n1,1,0\n0,0,1\n1,0,0\n"
    model = read(tmp_path, deck(GROUP, frame, "/INIVEL/AXIS/1\na\nY,3,1\n4,5,6,2\n"))
    (block,) = model.initial_velocities
    expected = np.array([5.0, 0.0, 0.0])  # Z' = x, X' = Y' x Z' = y, so V = (6, 4, 5)
    expected = np.array([6.0, 4.0, 5.0]) + np.cross([0, 0, 2.0], model.nodes.coordinates - [1, 1, 0])
    assert block.translational is not None
    assert np.allclose(block.translational, expected, rtol=1e-15, atol=1e-15)
    assert block.rotational is not None
    assert block.rotational.tolist() == [[0, 0, 2]] * 5


def test_initial_velocities_node_by_node(tmp_path: Path) -> None:
    lines = "\n".join(
        (
            card((10, 2), (10, 1), (20, 1.0), (20, 2.0), (20, 3.0)),
            card((20, None), (20, 4.0), (20, 5.0), (20, 6.0)),
            card((10, 3), (10, 0), (20, 7.0)),
            "",
        )
    )
    (block,) = read(tmp_path, deck(SKEW, f"/INIVEL/NODE/1\nn\n{lines}\n")).initial_velocities
    assert block.nodes.tolist() == [1, 2]
    assert block.translational is not None
    assert block.rotational is not None
    assert block.translational.tolist() == [[-2, 1, 3], [7, 0, 0]]
    assert block.rotational.tolist() == [[-5, 4, 6], [0, 0, 0]]


def test_later_initial_velocities_are_not_supported(tmp_path: Path) -> None:
    blocks = "/INIVEL/TRA/1\nv\n1,0,0,1\n0.5\n"
    assert errors(tmp_path, deck(GROUP, blocks, version=2025)) == [
        "initial velocities that set in later are not supported"
    ]


RIDERS = "/GRNOD/NODE/2\nr\n2,3\n/GRNOD/NODE/3\nmain\n1\n/RBODY/1\nb\n" + card(
    (10, 1), (10, 0), (10, 0), (10, 3), (20, 1.0), (10, 2)
)


@pytest.mark.parametrize(
    ("blocks", "warned"),
    [
        ("/INIVEL/TRA/1\nv\n1,0,0,1\n", False),  # the whole body moves alike
        ("/INIVEL/AXIS/1\nv\nZ,0,1\n0,0,0,2\n", False),  # a rigid rotation
        ("/INIVEL/TRA/1\nv\n1,0,0,3\n/INIVEL/TRA/2\nv\n2,0,0,2\n", True),
        ("/INIVEL/ROT/1\nv\n1,0,0,3\n/INIVEL/TRA/2\nv\n2,0,0,2\n", True),
        ("/INIVEL/TRA/1\nv\n1,0,0,2\n", False),  # only secondary nodes: the solver judges
    ],
)
def test_velocities_of_secondary_nodes_count_only_if_they_agree(tmp_path: Path, blocks: str, warned: bool) -> None:
    text = messages(read(tmp_path, deck(GROUP, RIDERS, blocks)))
    assert ("initial velocity is ignored" in text) == warned


def test_gravity_without_the_main_node_is_warned_about(tmp_path: Path) -> None:
    line = card((10, 0), (10, "Z"), (10, 0), (10, 0), (10, 2), (10, None), (20, None), (20, -9.81))
    text = messages(read(tmp_path, deck(GROUP, RIDERS, f"/GRAV/1\ng\n{line}\n")))
    assert "whose main node 1 is not in the group: no gravity on that body" in text
