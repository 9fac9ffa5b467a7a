"""Drives and couplers."""

import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser.model import Coupler, Drive
from parser_decks import deck, errors, read

FUNCTION = "/FUNCT/3\nramp\n0,0\n1,1\n"
SENSOR = "/SENSOR/TIME/4\nlater\n0.5\n"


def drive(kind: str, *cards: str) -> str:
    return "\n".join([f"/DRIVE/{kind}/1", "drive", *cards, ""])


def read_drive(folder: Path, text: str, **options: str) -> Drive:
    (found,) = read(folder, deck(FUNCTION, SENSOR, text, **options)).drives
    return found


def read_coupler(folder: Path, text: str, **options: str) -> Coupler:
    (found,) = read(folder, deck(text, **options)).couplers
    return found


def test_drive_with_defaults(tmp_path: Path) -> None:
    found = read_drive(tmp_path, drive("DIST", "1,2,3"))
    assert (found.kind, found.node_i, found.node_j, found.function_id, found.sensor_id) == ("DIST", 0, 1, 3, 0)
    assert (found.level, found.absolute) == (0, False)
    assert (found.x_scale, found.y_scale, found.t_start, found.t_stop) == (1, 1, 0, math.inf)


@pytest.mark.parametrize("kind", ["TRA", "ROT"])
def test_drive_in_full(tmp_path: Path, kind: str) -> None:
    found = read_drive(tmp_path, drive(kind, "0,2,3,4,0,1", "2,3,4,5", "0,-3,0"))
    assert (found.node_i, found.node_j, found.function_id, found.sensor_id) == (-1, 1, 3, 4)
    assert (found.level, found.absolute) == (0, True)
    assert (found.x_scale, found.y_scale, found.t_start, found.t_stop) == (2, 3, 4, 5)
    assert found.axis.tolist() == [0, -1, 0]


def test_columns_and_commas_are_the_same(tmp_path: Path) -> None:
    columns = drive("ROT", f"{1:10d}{2:10d}{3:10d}{0:10d}{1:10d}", f"{'':20}{5.0:20}", f"{'':40}{2.0:20}")
    for text in (columns, drive("ROT", "1,2,3,,1", ",5", ",,2")):
        found = read_drive(tmp_path, text)
        assert (found.level, found.y_scale, found.axis.tolist()) == (1, 5.0, [0, 0, 1])


@pytest.mark.parametrize(
    ("kind", "level", "factor"),
    [("DIST", 0, 1e-3), ("DIST", 1, 1.0), ("TRA", 2, 1e3), ("ROT", 0, 1.0), ("ROT", 1, 1e3), ("ROT", 2, 1e6)],
)
def test_unit_of_the_ordinate(tmp_path: Path, kind: str, level: int, factor: float) -> None:
    """From mm and ms to m and s; the default of 1 is one of the deck's own units."""
    for scale in ("1", ""):
        text = drive(kind, f"1,2,3,0,{level}", f",{scale},,2", "1,0,0" if kind != "DIST" else "")
        found = read_drive(tmp_path, text, units="kg,mm,ms", work="kg,m,s")
        assert (found.y_scale, found.x_scale, found.t_stop) == (factor, 1e-3, 2e-3)


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("1,1,3", "node_i and node_j are both node 1: nothing can move between them"),
        ("0,0,3", "node_i and node_j are both 0, the ground: nothing can move between them"),
        ("1,9,3", "node 9 does not exist"),
        ("1,2", "fct_ID is missing"),
        ("1,2,8", "function 8 does not exist"),
        ("1,2,3,8", "sensor 8 does not exist"),
        ("1,2,3,0,3", "Ilevel cannot be 3"),
        ("1,2,3,0,0,2", "Iref cannot be 2"),
        ("1,2,3,0,1,1", "Iref has no meaning at level 1: a velocity or acceleration has no initial value"),
    ],
)
def test_faulty_drives(tmp_path: Path, card: str, message: str) -> None:
    assert errors(tmp_path, deck(FUNCTION, SENSOR, drive("ROT", card, "", "1,0,0"))) == [message]


def test_drives_need_an_axis(tmp_path: Path) -> None:
    for axis, fault in (("", "is missing"), ("0,0,0", "has length zero")):
        text = deck(FUNCTION, drive("TRA", "1,2,3", "", axis))
        assert errors(tmp_path, text) == [f"the axis of the drive {fault}"]


def test_drive_must_end_after_its_start(tmp_path: Path) -> None:
    (message,) = errors(tmp_path, deck(FUNCTION, drive("TRA", "1,2,3", ",,2,1", "1,0,0")))
    assert message == "Tstop must be later than Tstart"


def test_driven_distance_needs_two_points(tmp_path: Path) -> None:
    twin = "/NODE\n6,0,0,0\n"
    (message,) = errors(tmp_path, deck(twin, FUNCTION, drive("DIST", "1,6,3")))
    assert message == "nodes 1 and 6 stand at the same point: their distance has no direction"
    (message,) = errors(tmp_path, deck(FUNCTION, drive("DIST", "1,0,3")))
    assert message == "a distance cannot be driven from the ground: its point there would be the other node itself"
    assert read_drive(tmp_path, twin + drive("DIST", "1,6,3", ",,0.5")).t_start == 0.5
    assert read_drive(tmp_path, twin + drive("DIST", "1,0,3,4")).sensor_id == 4


def test_axis_of_a_distance_is_warned_about(tmp_path: Path) -> None:
    model = read(tmp_path, deck(FUNCTION, drive("DIST", "1,2,3", "", "1,0,0")))
    assert [w.message for w in model.warnings] == ["the axis is not used by a DIST and is ignored"]


def coupler(kind: str, *cards: str) -> str:
    return "\n".join([f"/COUPLER/{kind}/1", "coupler", *cards, ""])


@pytest.mark.parametrize("kind", ["R2T", "R2R"])
def test_coupler(tmp_path: Path, kind: str) -> None:
    found = read_coupler(tmp_path, coupler(kind, "1,0,2,3", "-2.5", "0,0,2", "3,0,4"))
    assert (found.kind, found.node_a, found.support_a, found.node_b, found.support_b) == (kind, 0, -1, 1, 2)
    assert found.ratio == -2.5
    assert found.axis_a.tolist() == [0, 0, 1]
    assert found.axis_b == pytest.approx(np.array([0.6, 0, 0.8]))


def test_unit_of_the_ratio(tmp_path: Path) -> None:
    """2.5 rad per mm are 2500 rad per m; between two rotations there is no unit."""
    for kind, ratio in (("R2T", 2500.0), ("R2R", 2.5)):
        text = coupler(kind, "1,0,2,3", "2.5", "0,0,1", "1,0,0")
        assert read_coupler(tmp_path, text, units="kg,mm,s", work="kg,m,s").ratio == ratio


def test_screw_on_one_node(tmp_path: Path) -> None:
    assert read_coupler(tmp_path, coupler("R2T", "1,0,1,0", "2", "0,0,1", "0,0,1")).node_b == 0


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (("1,1,2,3", "2", "0,0,1", "0,0,1"), "node_spline and node_support_r are both node 1"),
        (("1,2,0,0", "2", "0,0,1", "0,0,1"), "node_flange and node_support_t are both 0, the ground"),
        (("1,2,2,3", "", "0,0,1", "0,0,1"), "ratio is missing"),
        (("1,2,2,3", "0.0", "0,0,1", "0,0,1"), "ratio must not be 0"),
        (("1,2,2,3", "2", "", "0,0,1"), "the axis of node_spline is missing"),
        (("1,2,2,3", "2", "0,0,1", "0,0,0"), "the axis of node_flange has length zero"),
        (("1,2,2,3", "2", "0,0,1"), "the block ends too early: a card is missing"),
        (("1,2,2,9", "2", "0,0,1", "0,0,1"), "node 9 does not exist"),
    ],
)
def test_faulty_couplers(tmp_path: Path, cards: tuple[str, ...], message: str) -> None:
    (found,) = errors(tmp_path, deck(coupler("R2T", *cards)))
    assert found.startswith(message)
