"""Functions and sensors."""

import math
from pathlib import Path

import pytest
from parser_decks import deck, errors, read


def test_points(tmp_path: Path) -> None:
    function = read(tmp_path, deck("/FUNCT/3\nf\n0,1\n0.5,-2\n")).functions[3]
    assert (function.kind, function.x.tolist(), function.y.tolist()) == ("TABLE", [0, 0.5], [1, -2])


def test_points_are_not_converted_between_units(tmp_path: Path) -> None:
    function = read(tmp_path, deck("/FUNCT/3\nf\n0,1\n5,2\n", units="Mg,mm,ms", work="kg,m,s")).functions[3]
    assert (function.x.tolist(), function.y.tolist()) == ([0, 5], [1, 2])


def test_smooth_points_are_scaled_and_shifted(tmp_path: Path) -> None:
    function = read(tmp_path, deck("/FUNCT_SMOOTH/1\nf\n2,10,0.5,-1\n0,1\n1,3\n")).functions[1]
    assert (function.kind, function.x.tolist(), function.y.tolist()) == ("SMOOTH", [0.5, 2.5], [9, 29])


def test_blank_scales_are_one(tmp_path: Path) -> None:
    function = read(tmp_path, deck("/FUNCT_SMOOTH/1\nf\n\n0,1\n1,3\n")).functions[1]
    assert (function.x.tolist(), function.y.tolist()) == ([0, 1], [1, 3])


def test_expression_on_two_lines(tmp_path: Path) -> None:
    function = read(tmp_path, deck("/FUNCT_EXPR/1\nf\n  1 +\n  2*t\n")).functions[1]
    assert (function.kind, function.expression) == ("EXPRESSION", "1 + 2*t")
    assert function.program is not None


def test_an_expression_is_needed(tmp_path: Path) -> None:
    assert errors(tmp_path, deck("/FUNCT_EXPR/1\nf\n")) == ["the expression is missing"]


@pytest.mark.parametrize("kind", ["TIME", "TYPE0"])
def test_sensors(tmp_path: Path, kind: str) -> None:
    sensor = read(tmp_path, deck(f"/SENSOR/{kind}/2\ns\n5\n", units="kg,m,ms", work="kg,m,s")).sensors[2]
    assert (sensor.delay, sensor.stop) == (0.005, math.inf)


def test_sensors_stop_from_version_2023_on(tmp_path: Path) -> None:
    block = "/SENSOR/TIME/2\ns\n0.5\n1.5\n"
    assert read(tmp_path, deck(block, version=2023)).sensors[2].stop == 1.5
    assert errors(tmp_path, deck(block)) == ["the block has more cards than it should"]
