"""The page as a file: complete in itself, safe with any text, refused where it must not go."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import gsolve
import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.results.files import OutputError
from gsolve.solver.results.report import page as page_module
from gsolve.solver.results.report.write import report_path, write_report
from machine_files import wheel_and_ball
from made_results import make_result
from test_report_data import unpacked

REPOSITORY = Path(__file__).parents[3]
PACKAGE = Path(page_module.__file__).parent
TIMES = np.linspace(0.0, 1.0, 11)
HISTORIES = {"energy/error": 1e-9 * TIMES, "energy/total": 1.0 + TIMES, "joint/5/RATE": 3.0 * TIMES}


def made(folder: Path, *, machine: bool = True, **options: object) -> Path:
    path = folder / "run.h5"
    make_result(path, TIMES, HISTORIES, units={"RATE": "rad/s"}, names={5: "axle"}, **options)  # type: ignore[arg-type]
    finish(path)
    if machine:
        wheel_and_ball(path)
    return path


def finish(path: Path) -> None:
    """Attributes that every run writes."""
    attributes = {"gjoint_alpha": "documented", "t_end": 1.0, "dt_min": 1e-3, "dt_max": 1e-3, "wall_time_s": 0.1}
    with h5py.File(path, "a") as file:
        file.attrs.update(attributes)


def text_of(source: Path, folder: Path) -> str:
    return write_report(source, folder / "page.html", force=True).path.read_text(encoding="utf-8")


def block_of(text: str):
    return unpacked(re.search(r'id="block">([^<]*)</script>', text)[1])


def test_the_page_has_the_run_its_machine_and_its_curves(tmp_path):
    written = write_report(made(tmp_path), tmp_path / "page")
    assert (written.path, written.frames, written.bodies, written.curves) == (tmp_path / "page.html", 21, 2, 3)
    assert written.size == written.path.stat().st_size
    text = written.path.read_text(encoding="utf-8")
    data = block_of(text)
    assert [body["name"] for body in data["machine"]["bodies"]] == ["wheel", "ball <b>"]
    assert [curve["name"] for curve in data["curves"]["list"]] == ["energy/error", "energy/total", "joint/5/RATE"]
    kinds = [data["machine"]["scene"]["kinds"][kind] for kind in data["machine"]["scene"]["parts"]["kind"]]
    assert kinds.count("solid") == 2 and "joint" in kinds
    assert data["machine"]["scene"]["links"]["body"].tolist() == [0, 1]
    assert data["machine"]["scene"]["up"] is None  # without gravity the page chooses
    assert '<span class="status completed">completed</span>' in text


def test_up_is_against_gravity(tmp_path):
    deck = REPOSITORY / "decks" / "four_bar" / "four_bar.rad"
    gsolve.run(deck, output=f"{tmp_path}/", t_end=0.02)
    data = block_of(text_of(tmp_path / "four_bar.h5", tmp_path))
    assert data["machine"]["scene"]["up"] == [0.0, 1.0, 0.0]


def test_the_page_needs_nothing_else(tmp_path):
    """Nothing is loaded: no address stands where a browser would fetch it, and the policy of the page forbids it."""
    text = text_of(made(tmp_path), tmp_path)
    assert "default-src 'none'" in text
    assert re.findall(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=", text) == []
    assert re.findall(r"@import|url\((?!data:)", text) == []
    outside_of_scripts = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)=\"(?!#)[^\"]*", outside_of_scripts) == []
    assert re.findall(r"\beval\(|new Function\(|\bimport\(", text) == []


def test_the_same_file_gives_the_same_bytes(tmp_path):
    source = made(tmp_path)
    assert text_of(source, tmp_path) == text_of(source, tmp_path)


def test_text_of_a_deck_cannot_break_the_page(tmp_path):
    source = made(tmp_path, message="</pre></script><script>alert(1)</script>", status="failed")
    with h5py.File(source, "a") as file:
        file.attrs["title"] = '{{block}} <img src=x onerror=alert(1)> & "it\'s"'
    text = text_of(source, tmp_path)
    assert "<script>alert" not in text and "<img src" not in text
    assert html.escape('{{block}} <img src=x onerror=alert(1)> & "it\'s"') in text
    assert text.count('id="block"') == 1


def test_licences_are_on_the_page_and_in_the_repository(tmp_path):
    text = text_of(made(tmp_path), tmp_path)
    third_party = (REPOSITORY / "THIRD_PARTY.md").read_text(encoding="utf-8")
    maker = (PACKAGE / "vendored" / "make").read_text(encoding="utf-8")
    for name, file in page_module.LICENCES.items():
        library, version = name.split()
        licence = (PACKAGE / "vendored" / file).read_text(encoding="utf-8")
        assert "Permission is hereby granted" in licence and html.escape(licence) in text
        assert name in text and f"{library} | {version}" in third_party
        assert f"{library.lower().removesuffix('.js')}={version}" in maker


def test_scripts_ask_for_what_the_page_has():
    page = (PACKAGE / "assets" / "page.html").read_text(encoding="utf-8")
    scripts = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "assets").glob("*.js"))
    asked = set(re.findall(r'(?:byId|getElementById)\("([\w-]+)"\)', scripts))
    assert len(asked) > 30
    assert asked - set(re.findall(r'id="([\w-]+)"', page)) == set()
    assert sorted(path.name for path in (PACKAGE / "assets").glob("*.js")) == sorted(page_module.SCRIPTS)


# ---- what cannot be shown is said ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "words"),
    [("model", "does not know its machine"), ("th/body", "it was run with --frames off")],
)
def test_without_machine_or_frames_the_page_has_the_rest_and_says_so(tmp_path, group, words):
    source = made(tmp_path)
    with h5py.File(source, "a") as file:
        del file[group]
    written = write_report(source, tmp_path / "page.html")
    assert (written.frames, written.bodies, written.curves) == (0, 0, 3)
    (note,) = written.notes
    assert note.startswith("There is no picture of the machine: ") and words in note
    text = written.path.read_text(encoding="utf-8")
    assert html.escape(note) in text and "three.js" not in text
    assert block_of(text)["machine"] is None


def test_a_run_that_goes_on_and_one_that_failed_are_shown_as_such(tmp_path):
    written = write_report(made(tmp_path, status="running"), tmp_path / "page.html")
    assert written.notes[0].startswith("The run is not over, or was killed")
    (tmp_path / "failed").mkdir()
    written = write_report(made(tmp_path / "failed", status="failed", message="it diverged"), tmp_path / "failed")
    assert written.notes == ["The run is not completed but failed: it diverged"]
    assert 'class="status failed"' in written.path.read_text(encoding="utf-8")


def test_fast_wheels_and_reduced_curves_are_told(tmp_path):
    path = tmp_path / "fast.h5"
    times = np.linspace(0.0, 1.0, 5001)
    make_result(path, times, {"joint/5/RATE": 100.0 + 0.0 * times, "energy/error": times}, units={"RATE": "rad/s"})
    finish(path)
    wheel_and_ball(path)
    notes = write_report(path, tmp_path).notes
    assert "turns by up to 286 degrees from one frame to the next" in notes[0]  # 100 rad/s for 0.05 s
    assert notes[1].startswith("Curves show the smallest and the largest value of every 6 samples")


# ---- where it goes -------------------------------------------------------------------------------------------------


def test_names_of_pages(tmp_path):
    source = Path("/somewhere/run.h5")
    assert report_path(source, None) == Path("run.html")
    assert report_path(source, tmp_path) == tmp_path / "run.html"
    assert report_path(source, "new/") == Path("new/run.html")
    assert report_path(source, "page.HTML") == Path("page.HTML")
    assert report_path(source, "v1.2") == Path("v1.2.html")


def test_only_pages_of_gsolve_are_replaced(tmp_path):
    source = made(tmp_path)
    page = write_report(source, tmp_path).path
    with pytest.raises(OutputError, match="already there; --force overwrites, -o NAME writes elsewhere"):
        write_report(source, tmp_path)
    write_report(source, tmp_path, force=True)
    page.write_text("<!doctype html>\n<title>mine</title>")
    with pytest.raises(OutputError, match="was not made by gsolve, and --force replaces what gsolve made only"):
        write_report(source, tmp_path, force=True)
    assert "mine" in page.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.h5", "run.html"]


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"cannot write .*page\.html: (Not a directory|File exists)"):
        write_report(made(tmp_path), tmp_path / "file" / "page.html")


def test_files_that_are_no_results(tmp_path):
    other = tmp_path / "other.h5"
    h5py.File(other, "w").close()
    with pytest.raises(OutputError, match="is an HDF5 file, but not a result of gsolve"):
        write_report(other, tmp_path)
    other.write_bytes(b"no HDF5 at all")
    with pytest.raises(OutputError, match=r"cannot read .* as HDF5: it is damaged, or no result file"):
        write_report(other, tmp_path)
    assert not (tmp_path / "other.html").exists()


def test_the_command(tmp_path, monkeypatch):
    source = made(tmp_path)
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(program, ["report", str(source)])
    assert (said.exit_code, said.output.splitlines()) == (
        0, ["run.html: 2 bodies in 21 frames, 3 curves, 0.7 MB"]
    )  # fmt: skip
    again = CliRunner().invoke(program, ["report", str(source)])
    assert again.exit_code == 2 and "run.html already there; --force overwrites" in again.output
    summary = json.loads(CliRunner().invoke(program, ["report", str(source), "--force", "--json"]).stdout)
    assert {key: summary[key] for key in ("status", "path", "frames", "bodies", "curves", "notes", "exit_code")} == {
        "status": "written", "path": "run.html", "frames": 21, "bodies": 2, "curves": 3, "notes": [], "exit_code": 0,
    }  # fmt: skip


def test_in_python_a_result_or_a_path(tmp_path):
    source = made(tmp_path)
    one = gsolve.report(gsolve.load(source), tmp_path / "one.html")
    other = gsolve.report(str(source), tmp_path / "other.html")
    assert one.path.read_bytes() == other.path.read_bytes()
