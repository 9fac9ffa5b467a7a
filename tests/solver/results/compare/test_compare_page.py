"""What docs/compare.md shows works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import gsolve
import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.results.compare.expected import KEYS, REDUCTIONS, read_expected
from made_results import make_result

REPOSITORY = Path(__file__).parents[4]
PAGE = (REPOSITORY / "docs" / "compare.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "decks").symlink_to(REPOSITORY / "decks")


def test_the_comparison_that_it_shows() -> None:
    for line in blocks("sh")[0].splitlines():
        done = CliRunner().invoke(program, shlex.split(line)[1:])
    (shown,) = blocks("text")
    numbers = re.compile(r"(?<= )-?[\d.]+(e-?\d+)?\b")  # the last digits are those of a processor
    assert numbers.sub("#", done.stdout) == numbers.sub("#", shown)
    pairs = zip(numbers.finditer(done.stdout), numbers.finditer(shown), strict=True)
    assert all(float(one[0]) == pytest.approx(float(other[0]), rel=0.02) for one, other in pairs)


def test_the_table_that_it_shows() -> None:
    (table,) = [text for text in blocks("") if text.startswith("time")]
    Path("table.csv").write_text(table)
    times = np.array([0.0, 0.005, 0.01])
    values = {"node/2/VRZ": 25 * times, "joint/3/FX": 12.0 + 100.0 * times}
    run = make_result(
        Path("run.h5"), times, values, units={"VRZ": "rad/s", "FX": "kg m/s2"}, names={3: "crank bearing"}
    )
    assert gsolve.compare(run, "table.csv", rtol=1e-12).equal


def test_the_expected_numbers_that_it_shows() -> None:
    (text,) = blocks("toml")
    Path("expected.toml").write_text(text)
    status, entries = read_expected(Path("expected.toml"))
    assert status == "completed" and [entry.what for entry in entries] == [
        "node/2/VRZ at the end",
        "inter/1/FNZ mean from t = 0.2 to t = 0.4",
        "final(node/3/VRZ)/final(node/2/VRZ)",
    ]
    assert {key for key in KEYS if f"`{key}`" not in PAGE} == set()
    assert {name for name in REDUCTIONS if f"`{name}`" not in PAGE} == set()


def test_the_python_that_it_shows() -> None:
    deck = REPOSITORY / "decks" / "gear_pair"
    Path("gear_pair.rad").write_bytes((deck / "gear_pair.rad").read_bytes())
    Path("expected.toml").write_bytes((deck / "expected.toml").read_bytes())
    gsolve.run("gear_pair.rad", output="gear_pair")
    gsolve.run("gear_pair.rad", output="old")
    (snippet,) = blocks("python")
    names = {"gsolve": gsolve}
    exec(compile(snippet, "docs/compare.md", "exec"), names)
    assert names["found"].equal and names["missed"] == []
