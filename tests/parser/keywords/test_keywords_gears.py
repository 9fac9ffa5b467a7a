"""Gear joints: nodes, ratio, masses and axes."""

from pathlib import Path

import pytest
from parser_decks import deck, messages, read


def gear(kind: str, last: str = "", unit: str = "") -> str:
    return f"/GJOINT/{kind}/1{unit}\njoint\n1,0.05,1,2,2,3{last}\n3,4,0,3,4\n5,6\n7,8,0,0,-2\n"


@pytest.mark.parametrize("kind", ["GEAR", "DIFF", "RACK"])
def test_gear_joints(tmp_path: Path, kind: str) -> None:
    (joint,) = read(tmp_path, deck(gear(kind, ",4" if kind == "DIFF" else ""))).gear_joints
    assert joint.kind == kind
    assert joint.nodes.tolist() == [0, 1, 2, 3 if kind == "DIFF" else -1]
    assert joint.fscale_v == 0.05
    assert (joint.masses.tolist(), joint.inertias.tolist()) == ([1, 3, 5, 7], [2, 4, 6, 8])
    assert joint.axes.tolist() == [[0, 0.6, 0.8], [1, 0, 0], [0, 0, -1]]


def test_a_node_without_an_axis_is_warned_about(tmp_path: Path) -> None:
    """The default axis is used and named; the third card of a gear or rack, which has no third node, is left alone."""
    for kind, last in (("GEAR", ""), ("RACK", ""), ("DIFF", ",4")):
        block = f"/GJOINT/{kind}/1\njoint\n1,1,,,2,3{last}\n,,0,0,1\n1,2,0,0,0\n\n"
        model = read(tmp_path, deck(block))
        warned = [(w.message, w.field, w.line - model.gear_joints[0].where.line) for w in model.warnings]
        expected = [(f"the axis of node_ID{k} is not given: 1 0 0 is used", f"r{k}x", k + 2) for k in (2, 3)]
        assert warned == (expected if kind == "DIFF" else expected[:1])
        assert model.gear_joints[0].axes.tolist() == [[0, 0, 1], [1, 0, 0], [1, 0, 0]]
    assert messages(read(tmp_path, deck("/GJOINT/GEAR/1\njoint\n1,1,,,2,3\n,,1\n,,1,0,0\n"))) == ""


def test_unit_of_the_ratio(tmp_path: Path) -> None:
    """A rack's FscaleV is a length per radian, or a radian per length if meant inversely; a gear's has no unit."""
    rack, pair = deck(gear("RACK"), units="kg,mm,s", work="kg,m,s"), deck(gear("GEAR"), units="kg,mm,s", work="kg,m,s")
    assert read(tmp_path, rack).gear_joints[0].fscale_v == 0.05e-3
    assert read(tmp_path, rack, gjoint_alpha="inverse").gear_joints[0].fscale_v == pytest.approx(50.0, rel=1e-15)
    assert read(tmp_path, pair).gear_joints[0].fscale_v == 0.05


def test_a_default_ratio_of_a_rack_is_in_input_units(tmp_path: Path) -> None:
    text = deck(gear("RACK").replace("0.05", ""), units="kg,mm,s", work="kg,m,s")
    assert read(tmp_path, text).gear_joints[0].fscale_v == 1e-3


def test_units_of_a_single_joint(tmp_path: Path) -> None:
    unit = "/UNIT/5\nMg mm s\nMg,mm,s\n"
    (joint,) = read(tmp_path, deck(unit, gear("RACK", unit="/5"))).gear_joints
    assert joint.fscale_v == 0.05e-3
    assert joint.masses[1:].tolist() == [3000, 5000, 7000]
    assert joint.inertias[1:] == pytest.approx([4e-3, 6e-3, 8e-3], rel=1e-15)


def test_the_same_axis_may_be_given_in_either_direction(tmp_path: Path) -> None:
    second = "/GJOINT/GEAR/2\njoint\n1,1,0,0,2,4\n0,0,0,-3,-4\n1,1,1\n"
    first = gear("GEAR").replace("5,6", "5,6,1,0,0")
    assert messages(read(tmp_path, deck(first, second))) == ""
