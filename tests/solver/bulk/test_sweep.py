"""`gsolve sweep` as a person runs it: the winch with other drums, against its closed form."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import gsolve
import numpy as np
import pytest
from bulk_calls import COPIES, call
from click.testing import CliRunner
from forked import programs
from gsolve.solver.bulk.study_table import kept_alone
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.results.responses import REDUCTIONS

WINCH = Path(__file__).parents[3] / "decks" / "winch"
TORQUE, INERTIA, SLED, MASSES = 150.0, 1.2, 60.0, 1 / 60 + 1 / 240


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in a copy of the example."""
    shutil.copytree(WINCH, tmp_path / "winch")
    monkeypatch.chdir(tmp_path)


def sweep(*arguments: str) -> subprocess.CompletedProcess[str]:
    return call("sweep", *arguments)


def sweep_anew(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In processes that start from nothing."""
    command = [sys.executable, "-m", "gsolve", "sweep", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_grid_is_run_once_and_tells_what_has_changed() -> None:
    done = sweep_anew("winch/radius.toml", "-j2")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 8 + 2 and lines[-1] == "table: winch/radius.h5, winch/radius.csv"
    study = gsolve.load_study("winch/radius.h5")
    radius = study.parameters["radius"]
    np.testing.assert_array_equal(radius, [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])
    acceleration = TORQUE * radius / (radius**2 + INERTIA * MASSES) / SLED
    np.testing.assert_allclose(study.responses["speed"], acceleration, rtol=1e-9)
    np.testing.assert_allclose(study.responses["way"], acceleration / 2, rtol=1e-9)
    np.testing.assert_allclose(study.responses["late"], 2 / acceleration, rtol=1e-9)

    done = sweep("winch/radius.toml")
    assert re.fullmatch(r"8 cases in .*: 8 completed, 8 of them before", done.stdout.splitlines()[-2])

    deck = Path("winch/winch.rad")
    deck.write_text(deck.read_text().replace("\n 1.0\n/VERS", "\n 0.1\n/VERS"))
    done = sweep("winch/radius.toml", "-q")
    assert done.stderr.splitlines() == [
        "gsolve: since the 8 cases in radius.h5: winch.rad has changed. All cases are run again; "
        "the table before is radius.1.h5",
        "gsolve: the response late has no value in 8 cases",
    ]
    speed = gsolve.load_study("winch/radius.h5").responses["speed"]
    np.testing.assert_allclose(speed, 0.1 * acceleration, rtol=1e-9)


def test_two_calls_at_once_are_kept_apart() -> None:
    with kept_alone(Path("winch/radius.h5")):
        done = sweep("winch/radius.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "gsolve: winch/radius.h5 is being written by another call: wait for its end, or copy the study under another "
        "name\n"
    )
    assert not [path for path in Path("winch").iterdir() if "lock" in path.name]


def test_the_result_of_a_run_is_not_taken_for_a_table() -> None:
    gsolve.run("winch/winch.rad", output="winch/radius", t_end=0.01)
    done = sweep("winch/radius.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "gsolve: winch/radius.h5 is the result of a run, and the table of this study would go there: rename the study\n"
    )


def test_the_best_radius_is_that_of_the_closed_form() -> None:
    done = sweep("winch/best_radius.toml", "-j1")
    assert done.returncode == 0, done.stderr
    best = math.sqrt(INERTIA * MASSES)
    found = re.search(r"^least -speed: at radius = (\S+)$", done.stdout, re.MULTILINE)
    assert found is not None and float(found[1]) == pytest.approx(best, rel=1e-4)


def test_an_optimum_at_a_bound_is_told() -> None:
    """Below the best radius of the closed form, 0.158, the speed falls."""
    Path("winch/bound.toml").write_text(
        'deck = "winch.rad"\n[parameters]\nradius = {low = 0.2, high = 0.4}\n[responses]\nspeed = "-final(node/3/VX)"\n'
        '[minimise]\nexpression = "-speed"\nmethod = "Powell"\n'
    )
    done = sweep("winch/bound.toml", "-j1")
    assert done.returncode == 0, done.stderr
    told = re.search(r"^gsolve: the optimum is at a bound: radius = (\S+) of 0.2 to 0.4; beyond", done.stderr, re.M)
    assert told is not None and float(told[1]) == pytest.approx(0.2, abs=0.002)


def test_infinite_responses_are_told() -> None:
    Path("winch/far.toml").write_text(
        'deck = "winch.rad"\n[parameters]\nradius = [0.1, 0.2]\n[responses]\na = "1/initial(node/3/VX)"\n'
    )
    done = sweep("winch/far.toml", "-j1")
    assert done.stderr.splitlines()[-1] == "gsolve: the response a is infinite in 2 cases"
    assert np.isinf(gsolve.load_study("winch/far.h5").responses["a"]).all()


def test_mistakes_are_told_before_anything_is_run() -> None:
    Path("winch/wrong.toml").write_text(
        'deck = "winch.rad"\n[parameters]\nradius = [0.1]\n[responses]\na = "max(node/3/VQ)"\nb = "node/3/VX"\n'
    )
    done = sweep("winch/wrong.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "responses.a: node/3/VQ: th/node has no variable 'VQ'" in done.stderr
    assert "responses.b: this is a history, where one number is needed, as in max(node/3/VX)" in done.stderr
    Path("winch/wrong.toml").write_text(
        'deck = "winch.rad"\nminimise = "2*b + speeed"\n[parameters]\nradius = {low = 0.1, high = 0.2}\n[responses]\n'
        'a = "final(node/3/VX)/0"\nspeed = "1/0"\n'
    )
    done = sweep("winch/wrong.toml", "-j1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "responses.speed: 1 / 0 has no finite value" in done.stderr
    assert "minimise.expression: unknown name 'b'" in done.stderr
    Path("winch/wrong.toml").write_text(
        'deck = "winch.rad"\n[parameters]\nradios = [0.1]\n[responses]\na = "max(node/3/VX)"\n'
    )
    done = sweep("winch/wrong.toml")
    assert done.returncode == 3
    assert (
        "error: parameters radios=0.1: no parameter is called radios" in done.stderr
        and "did you mean radius or ratio?" in done.stderr
    )
    assert not Path("winch/wrong.h5").exists()


@pytest.mark.parametrize("radii", [[0.1, 0], [0, 0.1], [0, "1e-320", 0.1]])
def test_a_case_with_deck_errors_says_which(radii: list[float]) -> None:
    """Wherever it stands: others are looked at in its place before anything is run."""
    Path("winch/two.toml").write_text(
        f'deck = "winch.rad"\n[parameters]\nradius = {radii}\n[responses]\na = "max(node/3/VX)"\n'.replace("'", "")
    )
    done = sweep("winch/two.toml", "-j1")
    assert done.returncode == 1, done.stderr
    study = gsolve.load_study("winch/two.h5")
    assert study.status == ["completed" if radius == 0.1 else "deck errors" for radius in radii]
    wrong = study.messages[radii.index(0)]
    assert "0" in wrong and "nothing was run" not in wrong
    assert f"---- radius = 0: deck errors\n  {wrong}\n" in done.stderr


def test_a_deck_that_no_case_makes_right_is_told_before_anything_is_run() -> None:
    Path("winch/none.toml").write_text(
        'deck = "winch.rad"\n[parameters]\nradius = [0, 1e-320]\n[responses]\na = "max(node/3/VX)"\n'
    )
    done = sweep("winch/none.toml", "-j1")
    assert done.returncode == 3 and "1 / 0 has no finite value" in done.stderr
    assert not Path("winch/none.h5").exists()


def test_cases_that_are_equal_are_one() -> None:
    Path("winch/same.toml").write_text(
        'deck = "winch.rad"\n[parameters]\nradius = [0.1, 0.2, 0.1, 0.20]\n[responses]\na = "max(node/3/VX)"\n'
    )
    done = sweep("winch/same.toml", "-j1")
    assert done.returncode == 0 and done.stdout.splitlines()[-2].startswith("2 cases in ")
    assert done.stderr == "gsolve: 2 of 4 cases are equal to others: each is run once\n"
    assert len(gsolve.load_study("winch/same.h5")) == 2
    assert sweep("winch/same.toml", "--list").stdout.splitlines()[-1] == "2 cases"


def test_a_study_is_not_called_as_its_deck() -> None:
    Path("winch/winch.toml").write_text(Path("winch/radius.toml").read_text())
    done = sweep("winch/winch.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "gsolve: winch/winch.toml: deck: its own results would go to winch.h5, where the table goes: rename the study\n"
    )


def test_the_page_shows_what_the_example_does() -> None:
    page = (WINCH.parents[1] / "docs" / "sweep.md").read_text()
    shown = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)]
    assert shown == [tomllib.loads((WINCH / name).read_text()) for name in ("radius.toml", "best_radius.toml")]
    assert set(re.findall(r"`(\w+)\(", page)) - {"with"} >= set(REDUCTIONS)


def test_what_workers_say_of_machine_code_is_told_once() -> None:
    """Also what those have found that only looked at the deck; the table knows nothing of it."""
    told = "from gsolve.solver.core.jit import machine_code\nmachine_code.messages.append('it cannot be kept')\nmain()"
    arguments = ["sweep", "winch/radius.toml", "-j2", "-q"]
    done = programs().run(*arguments, code=COPIES.replace("main()", told))
    assert (done.returncode, done.stderr) == (0, "gsolve: it cannot be kept\n")
    assert "kept" not in Path("winch/radius.csv").read_text()


def test_interruption_while_workers_start_has_its_exit_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(imports: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gsolve.solver.bulk.workers.start_server", interrupted)
    done = CliRunner().invoke(program, ["sweep", "winch/radius.toml"])
    assert (done.exit_code, done.stderr) == (130, "gsolve: stopped by Ctrl-C before the run began\n")


def test_cases_are_listed_without_a_run() -> None:
    done = sweep("winch/radius.toml", "--list")
    assert done.stdout.splitlines()[0] == "radius = 0.05" and done.stdout.splitlines()[-1] == "8 cases"
    assert not Path("winch/radius.h5").exists()


def test_a_dask_cluster_gives_the_same_table() -> None:
    """Its worker stands in another folder and gets the deck as text."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, host="127.0.0.1", protocol="tcp"
    ) as cluster:
        done = sweep("winch/radius.toml", "--scheduler", cluster.scheduler_address)
        assert done.returncode == 0, done.stderr
    study = gsolve.load_study("winch/radius.h5")
    radius = study.parameters["radius"]
    acceleration = TORQUE * radius / (radius**2 + INERTIA * MASSES) / SLED
    np.testing.assert_allclose(study.responses["speed"], acceleration, rtol=1e-9)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from gsolve.solver.bulk import cluster

    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(cluster.WorkersError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1: "):
        cluster.Cluster("tcp://127.0.0.1:1", print)
