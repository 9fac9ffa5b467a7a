"""/CURVE/2D: what the model holds, and where a curve crosses itself."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser.keywords.curves import first_crossing
from gsolve.parser.model import PlaneCurve
from parser_decks import deck, read

SKEW = "/SKEW/FIX/1\nx along z\n0,0,0\n0,1,0\n-1,0,0\n"
CURVE = "/CURVE/2D/7\ncam\n2, 1, 1, 4, 1, 60, 5\n0, 0\n10, 0\n10, 10\n0, 10\n"


def curve_of(folder: Path, *blocks: str, **options: object) -> PlaneCurve:
    (curve,) = read(folder, deck(*blocks, **options)).shapes  # type: ignore[arg-type]
    assert isinstance(curve, PlaneCurve)
    return curve


def test_a_curve_with_all_fields(tmp_path: Path) -> None:
    curve = curve_of(tmp_path, SKEW, CURVE, units="kg,mm,s", work="kg,m,s")
    assert (curve.id, curve.title, curve.kind, curve.node) == (7, "cam", "CURVE", 1)
    np.testing.assert_allclose(curve.points, [[0, 0], [0.01, 0], [0.01, 0.01], [0, 0.01]], rtol=1e-15)
    np.testing.assert_allclose(curve.axes, [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-15)
    assert (curve.closed, curve.other_side, curve.width_is_given) == (True, True, True)
    assert curve.corner_angle == pytest.approx(math.radians(60))
    assert curve.width == pytest.approx(0.005)


def test_what_is_blank(tmp_path: Path) -> None:
    curve = curve_of(tmp_path, "/CURVE/2D/1\nline\n0, , , 2\n0, 0\n1, 1\n", units="kg,mm,s", work="kg,m,s")
    assert (curve.node, curve.closed, curve.other_side, curve.width_is_given) == (-1, False, False, False)
    assert curve.corner_angle == pytest.approx(math.radians(40))
    assert curve.width == pytest.approx(1e-3)  # 1 in the units of the deck
    assert curve.is_straight


@pytest.mark.parametrize(
    ("points", "closed", "straight"),
    [
        ("0, 0\n1, 1\n3, 3\n", 0, True),
        ("0, 0\n1, 1.001\n3, 3\n", 0, False),
        ("0, 0\n1, 0\n1, 1\n", 1, False),
    ],
)
def test_straight_lines_are_known(tmp_path: Path, points: str, closed: int, straight: bool) -> None:
    assert curve_of(tmp_path, f"/CURVE/2D/1\nline\n1, 0, {closed}, 3\n{points}").is_straight is straight


def test_an_interface_of_curves_in_unions(tmp_path: Path) -> None:
    square = "-0.1, -0.1\n0.1, -0.1\n0.1, 0.1\n-0.1, 0.1\n"
    curves = "".join(f"/CURVE/2D/{n}\ncurve\n{n}, 0, 1, 4\n{square}" for n in (1, 2, 3))
    union = "/SURF/SURF/9\nboth\n         2         3\n"
    masses = "/GRNOD/NODE/8\nall\n1,2,3\n/ADMAS/0/1\nmass\n1.0, 8\n"
    model = read(tmp_path, deck(curves, union, masses, "/INTER/IMPACT/1\ntouch\n1, 9\n, 0.3\n1e6, 1\n"))
    (contact,) = model.contacts
    assert contact.side_i.shapes.tolist() == [0]
    assert contact.side_j is not None
    assert contact.side_j.shapes.tolist() == [1, 2]
    assert contact.curve_stability == 0.3
    assert model.warnings == []


def test_a_crossing_of_many_points_is_found() -> None:
    """A curve of 2000 points that swings through itself, and one that does not."""
    angle = np.linspace(0.0, 2 * math.pi, 2000, endpoint=False)
    round_ = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert first_crossing(round_, True) is None
    eight = np.stack([np.cos(angle + 0.1), np.sin(2 * angle + 0.2) + 0.3 * np.cos(angle)], axis=1)
    found = first_crossing(eight, True)
    assert found is not None
    one, other, place = found
    np.testing.assert_allclose(eight[[one, other]], [place, place], atol=8e-3)  # the side is that long
    assert first_crossing(eight[:900], False) is None


def test_neighbours_do_not_cross() -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert first_crossing(points, True) is None
    assert first_crossing(np.vstack([points, points[:1]]), True) is None
