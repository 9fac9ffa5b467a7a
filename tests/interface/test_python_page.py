"""The deck and the Python in docs/python.md work as they stand there, in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
DECKS = re.findall(r"^```rad\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MOTOR, LOAD, MOTOR_INERTIA, DRUM_INERTIA = 1.0, 5.0, 0.02, 2.0  # of the deck, in N m and kg m2


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[list[str]]]:
    """The names that the page has at its end, and the lines that each of its pieces prints."""
    folder = tmp_path_factory.mktemp("page")
    (deck,) = DECKS
    (folder / "hoist.rad").write_text(deck)
    names: dict[str, Any] = {}
    printed: list[list[str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for snippet in SNIPPETS:
            lines: list[str] = []
            names["print"] = lambda *parts, lines=lines: lines.extend(" ".join(map(str, parts)).splitlines())
            exec(compile(snippet, "docs/python.md", "exec"), names)
            printed.append(lines)
    return names, printed


def acceleration(ratio: Any, friction: Any) -> Any:
    """(M i - T - F)/(J_2 + i^2 J_1) of the drum."""
    return (MOTOR * ratio - LOAD - friction) / (DRUM_INERTIA + ratio**2 * MOTOR_INERTIA)


def test_hoist_reaches_the_speed_of_the_closed_form(page: tuple[dict[str, Any], list[list[str]]]) -> None:
    """But for the first millisecond, in which the friction of the bearing grows with the speed."""
    status, speed, unit = page[1][0][0].split()
    assert (status, unit) == ("completed", "rad/s")
    assert float(speed) == pytest.approx(-acceleration(10.0, 0.5), rel=1e-3)


def test_page_shows_figures_histories_and_errors(page: tuple[dict[str, Any], list[list[str]]]) -> None:
    assert page[1][1] == ["1 0.001 0"]
    assert page[0]["result"].status == "completed" and page[0]["result"].time[-1] == pytest.approx(2.0)
    assert page[1][3][0] == "rad/s torque of the gear relation on node 1 about r_1 ndarray"
    assert page[1][4] == ["error 34 friction_force friction_force must not be negative"]


def test_best_ratio_is_that_of_the_closed_form(page: tuple[dict[str, Any], list[list[str]]]) -> None:
    about = (LOAD + 0.5) / MOTOR
    exact = about + np.sqrt(about**2 + DRUM_INERTIA / MOTOR_INERTIA)
    assert page[0]["best"].x == pytest.approx(exact, rel=1e-3)
    assert f"= {exact:.2f}." in PAGE


def test_scatter_of_the_speed_is_that_of_the_friction(page: tuple[dict[str, Any], list[list[str]]]) -> None:
    names = page[0]
    slope = 1 / (DRUM_INERTIA + 16.9**2 * MOTOR_INERTIA)
    assert f"= {slope:.4f} rad/s" in PAGE
    np.testing.assert_allclose(names["speeds"], acceleration(16.9, names["frictions"]), rtol=1e-3)
    assert names["speeds"].std() == pytest.approx(slope * names["frictions"].std(), rel=1e-2)
