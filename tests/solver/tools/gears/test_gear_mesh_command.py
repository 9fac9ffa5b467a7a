"""`gsolve gear-mesh`: options, text, cards, files, and what a person is told."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.parser import read_deck
from gsolve.solver.cli.program import gsolve
from gsolve.solver.tools.gears.data import CylindricalGear
from gsolve.solver.tools.gears.make import make_gear
from gsolve.solver.tools.gears.solids import Body

MM = ("--units", "kg,mm,s")
SPUR = ("spur", "--module", "2", "--teeth", "20", "--width", "10", *MM)


def call(*arguments: str) -> str:
    done = CliRunner().invoke(gsolve, ["gear-mesh", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def complaint(*arguments: str) -> str:
    done = CliRunner().invoke(gsolve, ["gear-mesh", *arguments])
    assert done.exit_code == 2, done.output
    return " ".join(done.stderr.split("Error: ")[1].split())


def values(*arguments: str) -> dict[str, Any]:
    return json.loads(call(*arguments, "--json"))


def blocks(text: str) -> dict[str, list[str]]:
    """Cards by header, without comments."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("/"):
            header = line
            while header in found:
                header += "'"
            found[header] = []
        elif not line.startswith("#"):
            found[header].append(line)
    return found


def numbers(line: str) -> list[float]:
    return [float(word) for word in line.split(",") if word.strip()]


def test_one_gear_gets_node_body_and_surface():
    cards = blocks(call(*SPUR, "--bore", "8"))
    assert list(cards) == ["/NODE", "/RBODY/1", "/SURF/MESH/1"]
    part = make_gear(CylindricalGear(20, 2.0), Body(10.0, 8.0))
    mass = part.mass(7.85e-6)
    assert numbers(cards["/NODE"][0]) == [1, 0, 0, 0]
    title, first, moments, products = cards["/RBODY/1"]
    assert title == "spur gear, 20 teeth"
    assert numbers(first) == [1, 0, 0, 3, pytest.approx(mass.mass, rel=1e-9)]
    np.testing.assert_allclose(numbers(moments), np.diag(mass.inertia), rtol=1e-9)
    assert numbers(products) == [0, 0, 0]
    # node skew flip smooth; scale feature_angle density; origin of the file from the node; file
    assert cards["/SURF/MESH/1"] == ["spur gear, 20 teeth", "1, 0, 0, 1", "1, 40,", "0, 0, 0", "gear.stl"]


def test_body_cards_can_be_pasted(tmp_path: Path):
    """Of bevel gears: the nodes stand at the mass centres, the axes of the files at the apex."""
    bevel = ("bevel", "--module", "3", "--teeth", "16", "--mate-teeth", "24", *MM)
    cards = blocks(call(*bevel))
    known = [header for header in cards if header.startswith(("/NODE", "/RBODY"))]
    lines = [line for header in known for line in (header.rstrip("'"), *cards[header])]
    path = tmp_path / "pasted.rad"
    path.write_text("\n".join(["/BEGIN\npasted\n2022\nkg,mm,s\nkg,mm,s", *lines, "/END\n/RUN/pasted/1\n1.0\n"]))
    model = read_deck(path)
    centres = [gear["centre"] for gear in values(*bevel)["gears"]]
    assert model.nodes.ids.tolist() == [1, 2] and len(model.rigid_bodies) == 2
    np.testing.assert_allclose(model.nodes.coordinates, centres, atol=1e-7)
    assert min(np.linalg.norm(centres, axis=1)) > 10.0
    for number, centre in enumerate(centres, start=1):
        np.testing.assert_allclose(np.array(centre) + numbers(cards[f"/SURF/MESH/{number}"][3]), 0.0, atol=1e-7)


def test_a_pair_gets_a_contact_and_the_second_gear_its_place():
    text = call(*SPUR, "--mate-teeth", "41")
    cards = blocks(text)
    assert list(cards) == ["/NODE", "/RBODY/1", "/SURF/MESH/1", "/NODE'", "/RBODY/2", "/SURF/MESH/2", "/INTER/IMPACT/1"]
    assert numbers(cards["/NODE'"][0]) == [2, 61, 0, 0]
    assert cards["/SURF/MESH/2"][-1] == "gear_2.stl"
    title, surfaces, _, law = cards["/INTER/IMPACT/1"]
    assert title == "spur gear, 20 teeth on spur gear, 41 teeth"
    assert numbers(surfaces) == [1, 2, 0, 0, 0, 0]
    # 14 N/(mm um) times 10 mm, in kg/s2
    assert numbers(law) == [pytest.approx(1.4e8), 1.0, 0.0]
    assert "centre distance 61, working pressure angle 20" in text


def test_published_pair_in_numbers_for_a_machine():
    found = values(*SPUR, "--mate-teeth", "40")
    assert found["pair"]["transverse_contact_ratio"] == pytest.approx(1.6351859635714583, rel=1e-12)
    assert found["gears"][0]["measures"]["base_diameter"] == pytest.approx(2 * 18.79385241571817, rel=1e-14)
    assert found["units"] == {"mass": "kg", "length": "mm", "time": "s"}
    assert found["warnings"] == [] and found["written"] == [] and found["exit_code"] == 0
    assert "\n".join(found["cards"]) == call(*SPUR, "--mate-teeth", "40").rstrip("\n")


def test_the_second_gear_may_be_wider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The ends of the narrower one of a bevel pair are within both ends of the other."""
    monkeypatch.chdir(tmp_path)
    sizes = ("--module", "3", "--teeth", "16", "--mate-teeth", "24", "--width", "12", "--mate-width", "14")
    rows = ("--rows", "2", "--flank-segments", "4", "--units", "kg,mm,s", "--format", "obj", "-o", "pair")
    call("bevel", *sizes, *rows)
    distance = 1.5 * math.hypot(16, 24)
    for k, inset in ((1, 1.0), (2, 0.0)):
        text = Path(f"pair_{k}.obj").read_text()
        points = np.array([line.split()[1:] for line in text.splitlines() if line.startswith("v ")], float)
        assert np.linalg.norm(points, axis=1).max() == pytest.approx(distance - inset, rel=1e-12)


@pytest.mark.parametrize(("units", "length", "mass"), [("kg,m,s", 1e-3, 1.0), ("Mg,mm,s", 1.0, 1e-3)])
def test_units_change_numbers_and_not_gears(units: str, length: float, mass: float):
    size = ("--module", f"{2 * length:g}", "--width", f"{10 * length:g}", "--teeth", "20", "--units", units)
    found, plain = values("spur", *size)["gears"][0], values(*SPUR)["gears"][0]
    assert found["mass"] == pytest.approx(plain["mass"] * mass, rel=1e-12)
    assert found["volume"] == pytest.approx(plain["volume"] * length**3, rel=1e-12)
    inertia = np.array(plain["inertia"]) * mass * length**2
    np.testing.assert_allclose(found["inertia"], inertia, rtol=1e-9, atol=1e-9 * inertia.max())


def test_diametral_pitch_is_teeth_per_inch():
    found = values("spur", "--dp", "8", "--teeth", "24", *MM)["gears"][0]["measures"]
    assert found["reference_diameter"] == pytest.approx(3 * 25.4, rel=1e-14)


def test_density_makes_the_mass():
    plain, light = values(*SPUR)["gears"][0], values(*SPUR, "--density", "2.7e-6")["gears"][0]
    assert plain["mass"] == pytest.approx(7.85e-6 * plain["volume"], rel=1e-12)
    assert light["mass"] == pytest.approx(2.7e-6 * plain["volume"], rel=1e-12)


def test_a_module_of_metres_is_doubted():
    text = call("spur", "--module", "2", "--teeth", "20")
    assert "# WARNING: the module is 2 m; --units kg,mm,s takes millimetres" in text


def test_double_helix_keeps_the_edge_at_its_apex():
    cards = blocks(call("double-helical", "--helix", "25", "--module", "2", "--teeth", "20", *MM))
    assert cards["/SURF/MESH/1"][2] == "1, 25,"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("spur", "--teeth", "20", "--mate-teeth", "61", "--mate", "ring", "--mate-addendum", "0.8"), ("spur", "ring")),
        (("helical", "--helix", "-15", "--teeth", "20", "--mate-teeth", "9", "--mate", "rack"), ("helical", "rack")),
        (("double-helical", "--helix", "30", "--teeth", "20", "--mate-teeth", "30"), ("double-helical",) * 2),
        (("bevel", "--teeth", "16", "--mate-teeth", "24", "--shaft-angle", "80"), ("bevel", "bevel")),
        (("worm", "--starts", "2", "--left", "--mate-teeth", "30"), ("worm ZA", "worm wheel")),
        (("ring", "--teeth", "60", "--helix", "10", "--double"), ("ring",)),
        (("rack", "--teeth", "9", "--body", "3"), ("rack",)),
        (("bevel", "--teeth", "20", "--cone", "45"), ("bevel",)),
        (("wheel", "--teeth", "30", "--starts", "3"), ("worm wheel",)),
    ],
)
def test_every_kind_can_be_made_and_written(tmp_path: Path, arguments: tuple[str, ...], names: tuple[str, ...]):
    found = values(*arguments, "--module", "2", *MM, "-o", str(tmp_path / "made"))
    assert tuple(gear["name"].split(",")[0].replace(" gear", "") for gear in found["gears"]) == names
    stems = [f"made_{number}" for number in (1, 2)] if len(names) == 2 else ["made"]
    expected = [f"{stem}.stl" for stem in stems]
    expected += [f"{stem}_curve.rad" for stem, name in zip(stems, names, strict=True) if name != "bevel"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(expected)
    for gear in found["gears"]:
        assert (tmp_path / gear["file"]).stat().st_size == 84 + 50 * gear["triangles"]


def test_curve_is_the_section_of_the_gear(tmp_path: Path):
    call(*SPUR, "-o", str(tmp_path / "pinion"))
    header, title, fields, *points = [
        line for line in (tmp_path / "pinion_curve.rad").read_text().splitlines() if not line.startswith("#")
    ]
    assert (header, title) == ("/CURVE/2D/1", "spur gear, 20 teeth")
    count = len(points)
    assert numbers(fields) == [1, 0, 1, count, 0]
    xy = np.array([numbers(line) for line in points])
    radius = np.hypot(*xy.T)
    assert radius.min() == pytest.approx(17.5) and radius.max() == pytest.approx(22.0)
    x, y = xy.T
    area = 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)
    assert area * 10.0 == pytest.approx(values(*SPUR)["gears"][0]["volume"], rel=1e-9)


def test_files_are_not_replaced_without_force(tmp_path: Path):
    name = str(tmp_path / "gear")
    call(*SPUR, "-o", name)
    (tmp_path / "gear_curve.rad").unlink()
    before = (tmp_path / "gear.stl").read_bytes()
    said = complaint("spur", "--module", "2", "--teeth", "30", *MM, "-o", name)
    assert said == f"{name}.stl exists already; --force replaces it"
    assert (tmp_path / "gear.stl").read_bytes() == before and not (tmp_path / "gear_curve.rad").exists()
    call("spur", "--module", "2", "--teeth", "30", *MM, "-o", name, "--force")
    assert (tmp_path / "gear.stl").read_bytes() != before
    (tmp_path / "folder.obj").mkdir()
    said = complaint(*SPUR, "-o", str(tmp_path / "folder"), "--format", "obj", "--force")
    assert said.endswith("folder.obj exists already; it is no file")


def test_a_folder_or_a_name_with_its_suffix_will_do(tmp_path: Path):
    assert values(*SPUR, "-o", str(tmp_path))["written"][0] == str(tmp_path / "gear.stl")
    assert values(*SPUR, "-o", str(tmp_path / "pinion.stl"))["written"][0] == str(tmp_path / "pinion.stl")


def test_files_go_into_a_new_folder_which_is_told(tmp_path: Path):
    said = call(*SPUR, "-o", str(tmp_path / "new" / "folder" / "gear"))
    assert (tmp_path / "new" / "folder" / "gear.stl").is_file() and "new/folder/gear.stl" in said


def test_notes_of_each_gear_of_a_pair_are_told_once():
    shifted = (*SPUR[:3], "--teeth", "9", "--shift", "0.45", "--mate-teeth", "10", "--mate-shift", "-0.2", *MM)
    told = values(*shifted)["warnings"]
    assert any(text.startswith("spur gear, 9 teeth: the tips are thin") for text in told)
    assert len([text for text in told if "undercut" in text]) == 2


def test_a_ring_may_have_less_addendum_than_its_pinion():
    found = values(*SPUR, "--mate-teeth", "61", "--mate", "ring", "--mate-addendum", "0.8")
    diameters = [gear["measures"]["tip_diameter"] for gear in found["gears"]]
    assert diameters == [pytest.approx(44.0), pytest.approx(122.0 - 3.2)]
    assert found["warnings"] == []


def test_segments_are_those_asked_for():
    few = values(*SPUR, "--flank-segments", "3", "--fillet-segments", "2", "--rows", "1")["gears"][0]["triangles"]
    # Per tooth 2 (3 + 2) + 2 + 2 points; around once two triangles each, and both ends.
    outline, ring = 20 * 14, 60
    assert few == 2 * outline + 2 * (outline + ring) + 2 * ring


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("spur", "--teeth", "20"), "give the size of the teeth: either --module or --dp"),
        (
            ("spur", "--teeth", "20", "--module", "2", "--dp", "8"),
            "give the size of the teeth: either --module or --dp",
        ),
        (("spur", "--module", "2"), "give the number of teeth: --teeth"),
        (("helical", "--module", "2", "--teeth", "20"), "a helical gear has a helix angle: give --helix"),
        ((*SPUR, "--helix", "5"), "--helix does not go with spur; it goes with helical, double-helical, ring, rack"),
        ((*SPUR, "--cone", "45"), "--cone does not go with spur; it goes with bevel"),
        ((*SPUR, "--width", "-3"), "--width -3 is not a positive number"),
        ((*SPUR, "--backlash", "-1"), "--backlash -1 is not 0 or a positive number"),
        ((*SPUR, "--shift", "nan"), "--shift nan is not a number"),
        ((*SPUR, "--mate-width", "9"), "--mate-width is for a pair: give --mate-teeth as well"),
        ((*SPUR, "--mate-shift", "0.2"), "--mate-shift is for a pair: give --mate-teeth as well"),
        ((*SPUR, "--rim", "4"), "--rim is for a ring: make a ring, or give --mate ring"),
        (
            (*SPUR, "--mate-teeth", "9", "--mate", "rack", "--centre-distance", "25"),
            "--centre-distance does not go with --mate rack",
        ),
        (
            (*SPUR, "--mate-teeth", "9", "--mate", "rack", "--mate-shift", "1"),
            "--mate-shift does not go with --mate rack",
        ),
        (
            ("bevel", "--module", "2", "--teeth", "20"),
            "the cone of a bevel gear follows from the pair: give --mate-teeth",
        ),
        (("bevel", "--module", "2", "--teeth", "20", "--mate-teeth", "30", "--cone", "9"), "--cone does not go with"),
        (("bevel", "--module", "2", "--teeth", "20", "--cone", "89"), "--cone 89 is not from 1 to 85 degrees"),
        (
            ("bevel", "--module", "2", "--teeth", "20", "--mate-teeth", "30", "--shaft-angle", "170"),
            "--shaft-angle 170 is not from 10 to 150 degrees",
        ),
        ((*SPUR, "--units", "kg,inch,s"), "--units: inch is not a unit of length"),
        ((*SPUR, "--bore", "50"), "bore 50 is not from 0 to"),
    ],
)
def test_mistakes_are_explained(arguments: tuple[str, ...], said: str):
    assert complaint(*arguments).startswith(said)


def test_unknown_kinds_are_refused_with_those_there_are():
    said = complaint("hypoid", "--module", "2", "--teeth", "20")
    assert (
        "'hypoid' is not one of 'spur', 'helical', 'double-helical', 'ring', 'rack', 'bevel', 'worm', 'wheel'" in said
    )


def test_it_answers_without_the_solver():
    code = (
        "import sys; from gsolve.solver.cli.program import gsolve; "
        "gsolve(['gear-mesh', 'spur', '--module', '2', '--teeth', '20'], standalone_mode=False); "
        "sys.exit(bool({'numba', 'h5py', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_example_of_the_manual_says_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Commands of docs/gear_mesh.md run; what the page shows of their output is in it."""
    page = (Path(__file__).parents[4] / "docs" / "gear_mesh.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shown = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    commands = [line.split("gsolve gear-mesh ")[1] for block in shown for line in block.splitlines() if line]
    assert len(commands) >= 5
    output = "".join(call(*command.split()) for command in commands)
    quoted = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert quoted
    for line in "".join(quoted).splitlines():
        assert line in output, line


def test_manual_example_in_python_runs():
    page = (Path(__file__).parents[4] / "docs" / "gear_mesh.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["pair"].distance == pytest.approx(60.0)
    assert math.isclose(names["pinion"].mass(7.85e-6).mass, 0.0932, rel_tol=2e-3)
