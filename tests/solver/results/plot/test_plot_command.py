"""`gsolve plot` as a person meets it: files, lines, exit codes, refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from click.testing import CliRunner, Result
from gsolve.solver.cli.program import gsolve
from made_results import make_result

TIMES = np.linspace(0.0, 1.0, 101)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in a directory with a result."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    histories = {"node/1/VX": np.sin(20.0 * TIMES), "node/1/DX": 2.0 * TIMES, "energy/total": 4.0}
    make_result(Path("a.h5"), TIMES, histories, units={"VX": "m/s", "DX": "m", "total": "kg m2/s2"})


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(gsolve, ["plot", *arguments])
    assert "Traceback" not in done.output and "internal error" not in done.output
    return done


@pytest.mark.parametrize(("name", "beginning"), [("x.png", b"\x89PNG"), ("x.svg", b"<?xml"), ("x.pdf", b"%PDF")])
def test_pictures_are_the_same_bytes_each_time(name: str, beginning: bytes) -> None:
    assert call("a.h5", "node/1/VX", "-o", name).exit_code == 0
    first = Path(name).read_bytes()
    assert first.startswith(beginning)
    assert call("a.h5", "node/1/VX", "-o", name, "--force").exit_code == 0
    assert Path(name).read_bytes() == first


def test_a_picture_stands_here_and_is_not_replaced_unasked() -> None:
    Path("deep").mkdir()
    Path("deep/b.h5").write_bytes(Path("a.h5").read_bytes())
    assert call("deep/b.h5").stdout == "picture       b.png\n"
    done = call("deep/b.h5")
    assert done.exit_code == 2 and "gsolve: b.png already there; --force overwrites" in done.stderr
    assert call("deep/b.h5", "--force").exit_code == 0
    assert call("a.h5", "-o", "deep").stdout == "picture       deep/a.png\n"
    assert call("a.h5", "-o", "speed").stdout == "picture       speed.png\n"
    assert {path.name for path in Path().iterdir()} == {"a.h5", "b.png", "deep", "speed.png"}  # no part is left


def test_a_picture_goes_into_a_new_folder_which_is_told() -> None:
    done = call("a.h5", "-o", "new/folder/x.png")
    assert done.exit_code == 0 and "new/folder/x.png" in done.stdout
    assert Path("new/folder/x.png").is_file()


def test_a_program_gets_what_was_drawn() -> None:
    done = call("a.h5", "node/1/DX", "--from", "0.5", "--json")
    found = json.loads(done.stdout)
    assert (found["status"], found["plot"], found["exit_code"], found["notes"]) == ("drawn", "a.png", 0, [])
    (drawn,) = found["drawn"]
    assert (drawn["name"], drawn["unit"], drawn["min"], drawn["max"]) == ("node/1/DX", "m", 1.0, 2.0)


def test_spectra_are_told_in_lines() -> None:
    done = call("a.h5", "node/1/VX", "--fft")
    assert done.stdout.splitlines()[0].startswith("node/1/VX [m/s]: 3.1")
    assert done.stdout.splitlines()[1].startswith("note          amplitudes with a Hann window, the mean taken off;")


def test_matplotlib_is_needed_and_the_command_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = call("a.h5")
    assert done.exit_code == 2
    assert done.stderr == ("gsolve: pictures need matplotlib, which is not installed: pip install 'gsolve[plot]'\n")


@pytest.mark.skipif(sys.platform != "linux", reason="displays are found in another way there")
def test_a_window_needs_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    done = call("a.h5", "--show")
    assert done.exit_code == 2
    assert done.stderr == ("gsolve: --show needs a display, and there is none here: -o FILE.png writes a picture\n")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("MPLBACKEND", "agg")
    done = call("a.h5", "--show", "-o", "x.png")
    assert done.exit_code == 2 and Path("x.png").exists()
    assert "--show: matplotlib finds no toolkit that opens windows: pip install PyQt6" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("none.h5",), "none.h5 does not exist"),
        (("a",), "there is no result file among a; did you mean a.h5?"),
        (("node/1/VX",), "there is no result file among node/1/VX, such as gear_pair.h5"),
        (("text.h5",), "cannot read text.h5 as HDF5: it is damaged, or no result file"),
        (("other.h5",), "other.h5 is an HDF5 file, but not a result of gsolve"),
        (("a.out",), "a.out is a listing; the histories are in a.h5"),
        (("a.h5", "node/1/VY"), "node/1/VY: th/node has no variable 'VY'; there are DX, VX"),
        (("a.h5", "-o", "x.gif"), "x.gif: a picture is written as .png, .svg or .pdf"),
        (("a.h5", "-o", "a.h5/new/x.png"), "cannot write a.h5/new/x.png: a.h5 is no directory"),
        (("a.h5", "node/1/VX", "--fft", "--over", "node/1/DX"), "one of over and fft can be drawn at a time"),
        (("a.h5", "node/1/VX", "--orders", "node/1/DX"), "node/1/VX over node/1/DX: orders need the rate or the angle"),
    ],
)
def test_what_cannot_be_drawn_is_wrong_usage(arguments: tuple[str, ...], told: str) -> None:
    Path("a.out").write_text("gsolve 0.1\n")
    Path("text.h5").write_text("no HDF5")
    h5py.File("other.h5", "w").close()
    done = call(*arguments)
    assert done.exit_code == 2 and f"gsolve: {told}" in done.stderr
    assert not list(Path().glob("*.png"))


def test_nothing_is_compiled_and_nothing_of_a_window_is_imported() -> None:
    code = (
        "import sys; sys.argv = ['gsolve', 'plot', 'a.h5']\n"
        "from gsolve.solver.cli import main\n"
        "try: main()\nexcept SystemExit as end:\n"
        "    print(sorted({'numba', 'scipy', 'matplotlib.pyplot'} & set(sys.modules)), file=sys.stderr)\n"
        "    sys.exit(end.code)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr == "[]\n"
