"""The Python in docs/results.md works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from fake_simulation import fake_model
from gsolve.solver.core.channels import Channel, Family, SampleBlock
from gsolve.solver.results.history import HistoryFile

PAGE = Path(__file__).parents[3] / "docs" / "results.md"
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def write_gear_pair(path: Path) -> None:
    """A file with what the page reads."""
    families = (
        Family("energy", (Channel("error", "kg m2/s2", "energy error"),)),
        Family("th/node", (Channel("VRZ", "rad/s", "angular velocity z"),), np.array([2, 3]), ("pinion", "wheel")),
        Family("th/gjoint", (Channel("T1", "kg m2/s2", "torque on shaft 1"),), np.array([1]), ("gear",)),
    )
    history = HistoryFile(
        path, fake_model(), families, samples_expected=3, attributes={"n_steps": 20, "parameters": '{"speed": 40.0}'}
    )
    time = np.array([0.0, 0.5, 1.0])
    values = {
        "energy": {"error": np.array([0.0, -3e-15, 1e-15])},
        "th/node": {"VRZ": np.outer(time, [25.0, -12.5])},
        "th/gjoint": {"T1": np.full((3, 1), -0.5)},
    }
    history.append(SampleBlock(time, values))
    history.close("completed", "", {})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_gear_pair(tmp_path / "gear_pair.h5")
    return tmp_path


def run_snippet(which: str) -> None:
    (snippet,) = [text for text in SNIPPETS if text.startswith(which)]
    exec(compile(snippet, str(PAGE), "exec"), {})


def test_page_has_the_snippets_that_are_tested_here() -> None:
    assert len(SNIPPETS) == 3


def test_xarray_snippet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_snippet("import xarray\n")
    assert capsys.readouterr().out.splitlines()[-2:] == ["at t = 1.0 s: 25.0 rad/s", "3e-15"]


def test_h5py_snippet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_snippet("import json\n")
    assert capsys.readouterr().out.splitlines() == ["{'speed': 40.0}", "completed 20 steps", "gear -0.5 kg m2/s2"]


def test_pandas_snippet(folder: Path) -> None:
    run_snippet("import h5py\nimport pandas\n")
    lines = (folder / "rates.csv").read_text().splitlines()
    assert lines == ["time,2,3", "0.0,0.0,-0.0", "0.5,12.5,-6.25", "1.0,25.0,-12.5"]
