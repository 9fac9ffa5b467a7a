"""`gsolve compare` as a person and a program meet it: lines, exit codes, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from gsolve.solver.cli.program import gsolve
from made_results import make_result

TIMES = np.linspace(0.0, 1.0, 11)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in a directory with two results that differ in one history."""
    monkeypatch.chdir(tmp_path)
    for name, drift in (("a", 0.0), ("same", 0.0), ("b", 0.02)):
        histories = {"node/1/VX": 2.0 + drift * TIMES, "node/1/DX": 2.0 * TIMES, "energy/total": 4.0}
        make_result(Path(f"{name}.h5"), TIMES, histories, units={"VX": "m/s", "DX": "m", "total": "kg m2/s2"})


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(gsolve, ["compare", *arguments])
    assert "Traceback" not in done.output and "internal error" not in done.output
    return done


def test_equal_results() -> None:
    done = call("a.h5", "same.h5")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "A             a.h5",
        "B             same.h5",
        "compared      11 times, t = 0 to 1 s",
        "tolerance     1e-09 of the scale of a history (--rtol)",
        "equal: 3 histories, every number the same",
    ]
    assert call("a.h5", "b.h5", "--rtol", "0.0101").stdout.splitlines()[-1] == (
        "equal within the tolerance: 3 histories, the largest difference is 0.01 of its scale"
    )


def test_different_results() -> None:
    done = call("a.h5", "b.h5", "--atol", "0.005")
    assert done.exit_code == 5
    assert done.stdout.splitlines()[3:] == [
        "tolerance     1e-09 of the scale of a history (--rtol) and 0.005 in its unit (--atol)",
        "",
        "history     largest  at t  relative    rms  beyond since  A there  B there",
        "node/1/VX  0.02 m/s     1      0.01  0.012           0.3        2     2.02",
        "",
        "different: 1 of 3 histories differ",
    ]
    verbose = call("a.h5", "b.h5", "-v").stdout.splitlines()
    assert [line.split()[0] for line in verbose[-5:-2]] == ["node/1/VX", "energy/total", "node/1/DX"]


def test_a_program_gets_all_of_it() -> None:
    done = call("a.h5", "b.h5", "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["exit_code"], found["status"], found["n_different"]) == (5, 5, "different", 1)
    (row,) = found["differences"]
    assert (row["name"], row["unit"], row["first_beyond"], row["differs"]) == ("node/1/VX", "m/s", 0.1, True)


def test_folders() -> None:
    for name, path in (("a.h5", "old/one.h5"), ("a.h5", "old/deep/two.h5"), ("a.h5", "old/gone.h5"),
                       ("same.h5", "new/one.h5"), ("b.h5", "new/deep/two.h5"), ("b.h5", "new/more.h5")):  # fmt: skip
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(Path(name).read_bytes())
    Path("old/bad.h5").write_text("no HDF5")
    Path("new/bad.h5").write_text("no HDF5")
    done = call("old", "new")
    lines = done.stdout.splitlines()
    assert done.exit_code == 2  # as of two damaged files
    assert lines[:4] == [
        "A             old",
        "B             new",
        "missing       in A alone: gone.h5",
        "new           in B alone, which is no difference: more.h5",
    ]
    assert "bad.h5: cannot be compared: cannot read old/bad.h5 as HDF5: it is damaged, or no result file" in lines
    assert "deep/two.h5: different: 1 of 3 histories differ" in lines
    assert "one.h5: equal: 3 histories, every number the same" in lines
    assert lines[-1] == "different: 1 of 3 files differ, 1 missing; 1 of 3 files cannot be compared"
    found = json.loads(call("old", "new", "--json").stdout)
    assert {name: what["status"] for name, what in found["files"].items()} == {
        "bad.h5": "refused", "deep/two.h5": "different", "one.h5": "equal",
    }  # fmt: skip
    assert (found["status"], found["exit_code"], found["message"]) == ("refused", 2, lines[-1])
    itself = call("old", "old")  # a file that cannot be read is not equal to itself
    assert (itself.exit_code, itself.stdout.splitlines()[-1]) == (2, "1 of 4 files cannot be compared")
    Path("old/bad.h5").unlink()
    assert call("old", "new").exit_code == 5
    assert call("old", "old").stdout.splitlines()[-1] == "equal: 3 files"
    assert call("old/deep", "old/deep").stdout.splitlines()[-1] == "equal: 1 file"


def test_expected_numbers() -> None:
    Path("expected.toml").write_text(
        '[[expected]]\nvariable = "node/1/VX"\ntime = "end"\nvalue = 2.0\nrtol = 1e-9\nsource = "thrown"\n'
        '[[expected]]\nvariable = "node/1/DX"\nreduction = "mean"\nvalue = 1.0\nrtol = 1e-9\n'
        '[[expected]]\nresponse = "change(node/1/DX)/2"\nvalue = 1.0\nrtol = 1e-9\n'
    )
    done = call("a.h5", "expected.toml")
    assert (done.exit_code, done.stdout) == (0, "as expected, of 3 numbers and the status of the run\n")
    done = call("expected.toml", "b.h5", "-v")
    assert done.exit_code == 5
    assert done.stdout.splitlines() == [
        "not met       node/1/VX at the end: 2.02 m/s, expected 2: off by 0.02, 0.01 of the value; allowed 2e-09",
        "              thrown",
        "met           node/1/DX mean: 1 m, expected 1, allowed 1e-09",
        "met           change(node/1/DX)/2: 1, expected 1, allowed 1e-09",
        "different: 1 not met, of 3 numbers and the status of the run",
    ]
    found = json.loads(call("b.h5", "expected.toml", "--json").stdout)
    assert [one["met"] for one in found["expected"]] == [True, False, True, True]
    Path("expected.toml").write_text('status = "completed"\n')
    assert call("a.h5", "expected.toml").stdout == "as expected, of the status of the run\n"


def test_a_picture() -> None:
    done = call("a.h5", "b.h5", "--plot", "x.png")
    assert done.exit_code == 5 and done.stdout.splitlines()[-1] == "1 history drawn in x.png"
    assert Path("x.png").read_bytes().startswith(b"\x89PNG")
    done = call("a.h5", "b.h5", "--plot", "x.png")
    assert done.exit_code == 2 and "x.png already there; --force overwrites" in done.stderr
    assert call("a.h5", "b.h5", "--plot", "x.png", "--force").exit_code == 5
    done = call("a.h5", "b.h5", "--plot", "new/folder/x.png")
    assert done.exit_code == 5 and done.stdout.endswith(" drawn in new/folder/x.png\n")
    assert Path("new/folder/x.png").is_file()


def test_a_picture_needs_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = call("a.h5", "b.h5", "--plot", "x.png")
    assert done.exit_code == 2
    assert "pictures need matplotlib, which is not installed: pip install 'gsolve[plot]'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("a.h5", "none.h5"), "Path 'none.h5' does not exist."),
        (("a.h5", "a.out"), "gsolve: a.out is a listing; the histories are in a.h5"),
        (("a.h5", "text.h5"), "gsolve: cannot read text.h5 as HDF5: it is damaged, or no result file"),
        (("a.h5", "other.h5"), "gsolve: other.h5 is an HDF5 file, but not a result of gsolve"),
        (("a.h5", "."), "gsolve: . is a folder and a.h5 a file: two files are compared, or two folders"),
        (("empty", "empty"), "gsolve: there is no result file (.h5) below empty"),
        (("empty", "empty", "--plot", "x.png"), "gsolve: --plot takes two results, and not two folders"),
        (("a.h5", "b.h5", "--rtol", "-1"), "gsolve: --rtol -1: a number from 0 on is needed"),
        (("a.h5", "b.h5", "--rtol", "inf"), "gsolve: --rtol inf: a number from 0 on is needed"),
        (("a.h5", "b.h5", "--atol", "nan"), "gsolve: --atol nan: a number from 0 on is needed"),
        (("a.h5", "e.toml", "--rtol", "1"), "gsolve: a file of expected numbers has its own tolerances and times: "),
        (("e.toml", "e.toml"), "gsolve: e.toml and e.toml are both expected numbers: one of the two has to be a "),
        (("a.h5", "b.h5", "--plot", "x.docx"), "gsolve: x.docx: a picture is written as .png, .svg or .pdf"),
        (("a.h5", "b.h5", "--plot", "a.h5/x.png"), "gsolve: cannot write a.h5/x.png: a.h5 is no directory"),
    ],
)
def test_what_cannot_be_compared_is_wrong_usage(arguments: tuple[str, ...], told: str) -> None:
    import h5py

    Path("a.out").write_text("gsolve 0.1\n")
    Path("text.h5").write_text("no HDF5")
    Path("e.toml").write_text("")
    Path("empty").mkdir()
    h5py.File("other.h5", "w").close()
    done = call(*arguments)
    assert done.exit_code == 2 and told in done.stderr


def test_results_are_compared_without_compiling() -> None:
    code = (
        "import sys; sys.argv = ['gsolve', 'compare', 'a.h5', 'b.h5']\n"
        "from gsolve.solver.cli import main\n"
        "try: main()\nexcept SystemExit as end: sys.exit(10 * ('numba' in sys.modules) + end.code)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 5
