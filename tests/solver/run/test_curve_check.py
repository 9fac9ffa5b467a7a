"""What `gsolve check` says of plane curves."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from gsolve.parser import read_deck
from gsolve.solver.results.summary import summary_text
from gsolve.solver.run.check import check_model
from gsolve.solver.run.console import Console
from gsolve.solver.run.observer import Shell
from gsolve.solver.run.options import RunOptions
from parser_decks import deck

MASS = "/ADMAS/1/1\nmass\n1.0,1\n"


def curve(number: int, points, closed: int = 1) -> str:
    lines = "".join(f"{x!r}, {y!r}\n" for x, y in np.asarray(points, dtype=float).tolist())
    return f"/CURVE/2D/{number}\ncurve {number}\n0, 0, {closed}, {len(points)}\n{lines}"


def test_check_describes_each_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    angle = 2 * math.pi * np.arange(60) / 60
    disc = 0.05 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    square = [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]
    bend = [[0, 0], [1, 0], [1, 0], [2, 0], [2, 1]]
    Path("curves.rad").write_text(deck(curve(1, disc), curve(2, square), curve(3, bend, 0)))
    found = check_model(read_deck("curves.rad"), RunOptions(), Shell(Console()))
    figures = json.loads(summary_text(found.figures))["curves"]
    assert [(f["points"], f["closed"], f["corners"]) for f in figures] == [(60, True, 0), (4, True, 4), (4, False, 1)]
    assert figures[0]["length"] == pytest.approx(0.1 * math.pi, rel=1e-5)
    assert figures[0]["area"] == pytest.approx(math.pi * 0.05**2, rel=1e-5)
    assert figures[0]["least_radius"] == pytest.approx(0.05, rel=1e-3)
    assert (figures[1]["area"], figures[1]["length"]) == (pytest.approx(4.0), pytest.approx(8.0))
    assert figures[1]["least_radius"] is None
    assert (figures[2]["area"], figures[2]["length"]) == (0.0, pytest.approx(3.0))
    told = [line for line in found.lines if line.startswith("curve ")]
    assert len(told) == 3
    assert told[1].split(None, 2)[2] == '4 points, closed, 4 corners, length 8 m, area 4 m2 "curve 2"'
