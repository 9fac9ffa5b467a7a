"""What `gsolve check` and a run say of meshes, and that mesh files are inputs that nothing overwrites."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gsolve.parser import read_deck
from gsolve.parser.model import Model
from gsolve.solver.cli.program import gsolve
from gsolve.solver.geometry.mesh.triangle_mesh import TriangleMesh
from gsolve.solver.results.describe import deck_facts
from gsolve.solver.results.files import OutputError, ResultPlace, result_paths
from gsolve.solver.results.summary import summary_text
from gsolve.solver.run.check import check_model
from gsolve.solver.run.console import Console
from gsolve.solver.run.observer import Shell
from gsolve.solver.run.options import RunOptions, input_files
from hand_models import collect
from mesh_samples import box, off_text, shifted, together
from parser_decks import deck

MESH = "/SURF/MESH/{}\n{}\n1,0,{}\n,,{}\n0.5,1,1.5\n{}.off\n"
BODY = "/RBODY/1\nbody\n1,0,0,3,{}\n{}\n{}\n"
FLIGHT = (
    "/INIVEL/TRA/1\nthrown\n1,2,3,1\n/INIVEL/ROT/2\nturning\n0.3,-2,1,1\n/GRNOD/NODE/1\nmain\n1,\n"
    "/GRNOD/NODE/2\nother\n2,\n/GRAV/1\nweight\n0,Z,0,0,0,1,-9.81\n/TH/NODE/1\nnodes\nDEF X Y Z\n         2\n"
)
ENGINE = "/RUN/test/1\n0.5\n/DTIX\n1e-3 1e-3\n/TFILE\n0.05\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("block.off").write_text(off_text(box(1, 2, 3)))
    Path("two.off").write_text(off_text(together(box(1, 2, 3), shifted(box(0.5, 1, 1), 3, 0, 0))))
    return tmp_path


def model_of(*blocks: str, name: str = "machine") -> Model:
    Path(f"{name}.rad").write_text(deck(*blocks, engine=ENGINE))
    return read_deck(f"{name}.rad")


def checked(model: Model) -> tuple[dict[str, object], str]:
    found = check_model(model, RunOptions(), Shell(Console()))
    return json.loads(summary_text(found.figures)), str(found)


def test_check_describes_each_mesh():
    blocks = (
        BODY.format(1.0, "1,1,1", "0,0,0"),
        MESH.format(1, "pair", 0, 2, "two"),
        MESH.format(2, "hole", 1, "", "block"),
    )
    figures, text = checked(model_of(*blocks, FLIGHT))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "read 5 nodes, 1 rigid body, 2 meshes, 2 initial velocities, 1 gravity field" in lines
    assert "mesh files two.off, block.off" in lines
    assert "meshes 36 triangles in 2 meshes of 3 pieces that share no edge; the solid is round about mesh 2" in lines
    first = lines.index('mesh 1 "pair" two.off: 24 triangles in 2 pieces, 12 charts at 40 degrees, smooth')
    assert lines[first + 1] == "area 26 m2, volume 6.5 m3, box 3.75 x 2 x 3 m"
    assert lines[first + 2].startswith("edges 0.5 to 3.606 m, thinnest 0.5 m at (")
    assert lines[first + 3] == "mass 13 kg"
    assert lines[first + 4] == 'mesh 2 "hole" block.off: 12 triangles, 6 charts at 40 degrees, smooth'
    assert lines[first + 7] == "hollow: flip 1 puts the solid round about it"
    pair, hole = figures["meshes"]
    assert (pair["file"], pair["pieces"], pair["volume"], pair["hollow"]) == ("two.off", 2, pytest.approx(6.5), False)
    assert (hole["volume"], hole["hollow"], hole["thinnest"], hole["mass"]) == (pytest.approx(6.0), True, None, None)
    assert figures["mesh_files"] == ["two.off", "block.off"] and figures["files"] == ["machine.rad"]


def test_all_errors_of_cards_and_mesh_files_are_told_at_once():
    """In the order of the lines; warnings about files wait until there are no errors."""
    whole = box(1, 2, 3)
    Path("open.off").write_text(off_text(TriangleMesh(whole.vertices, whole.triangles[1:])))
    Path("turned.off").write_text(off_text(whole.turned()))
    meshes = [MESH.format(k + 1, name, 0, "", name) for k, name in enumerate(("turned", "open", "missing"))]
    Path("machine.rad").write_text(deck(*meshes, BODY.format("heavy", "1,1,1", "0,0,0"), engine=ENGINE))
    found = CliRunner().invoke(gsolve, ["check", "machine.rad"])
    told = [line for line in found.stderr.splitlines() if "error: " in line]
    words = "open.off is open", "the file missing.off does not exist", "Mass is not a number"
    assert len(told) == 3 and all(word in line for word, line in zip(words, told, strict=True))
    assert found.exit_code == 3 and "gsolve: 3 errors in the deck, nothing was run" in found.stderr
    assert "inside out" not in found.stderr


def test_many_files_are_not_all_named():
    for k in range(14):
        Path(f"m{k}.off").write_text(off_text(box(1, 1, 1)))
    model = model_of(*(MESH.format(k + 1, "m", 0, "", f"m{k}").replace("\n1,0,0\n", "\n0,0,0\n") for k in range(14)))
    assert dict(deck_facts(model))["mesh files"].endswith("m9.off, and 4 more")


def test_results_never_go_over_a_mesh_file():
    model = model_of(BODY.format(1.0, "1,1,1", "0,0,0"), MESH.format(1, "block", 0, "", "block"))
    assert input_files(model) == ["machine.rad", "block.off"]
    os.link("block.off", "machine.h5")
    with (
        pytest.raises(OutputError, match=r"machine\.h5 is a file that this run reads \(block\.off\)"),
        ResultPlace(result_paths("machine", None), input_files(model), force=True),
    ):
        pass
    assert Path("block.off").read_text() == off_text(box(1, 2, 3))


def test_a_body_flies_alike_with_its_mass_from_a_mesh_a_shape_or_the_card():
    """A box of 12 kg, its centre off the node: the main node goes to the mass centre (ICoG 1)."""
    from gsolve.solver.run.simulation import Simulation

    node = "/NODE\n9,0.5,1,1.5\n/ADMAS/0/1\nmass\n12,3\n/GRNOD/NODE/3\ncentre\n9,\n"
    on_card = BODY.format("0,4", "13,10,5", "0,0,0") + node + "/GRNOD/NODE/4\nnodes\n2,9\n"
    with_nodes = BODY.format("0,2", "0,0,0", "0,0,0")
    ways = {
        "card": on_card,
        "mesh": with_nodes + MESH.format(1, "block", 0, 2, "block"),
        "shape": with_nodes + "/SURF/BOX_SOLID/1\nblock\n1,0\n0.5,1,1.5\n1,2,3,2\n",
    }
    runs = {name: collect(Simulation(model_of(blocks, FLIGHT, name=name))) for name, blocks in ways.items()}
    paths = {name: run.vector("", 2) for name, run in runs.items()}
    energies = {name: run.energy("total") for name, run in runs.items()}
    assert np.ptp(paths["card"], axis=0).min() > 0.3
    for name in ("mesh", "shape"):
        np.testing.assert_allclose(paths[name], paths["card"], atol=1e-12)
        np.testing.assert_allclose(energies[name], energies["card"], rtol=1e-12)
