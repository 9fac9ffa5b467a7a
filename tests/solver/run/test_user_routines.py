"""Routines of users through the program: permission, files that cannot be used, what numba compiles, and failures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from forked import programs
from gsolve.parser import DeckError, format_diagnostic, read_deck
from gsolve.parser.keywords.user_routines import CONTACT_RESULTS, FRICTION_FORCE, NORMAL_FORCE
from gsolve.parser.model import UserRoutine
from gsolve.solver.run.contact_post import ContactResults
from gsolve.solver.run.motionsolve import COMPILED, py_impact, py_step
from gsolve.solver.run.routine_compiler import NotCompiledError, compiled_force, compiled_namespace
from gsolve.solver.run.routine_files import RoutineFiles
from gsolve.solver.run.simulation import Simulation

HEAD = "def CNFSUB(id, time, par, npar, loci, ni, locj, nj, gap, gapdot, gapdotdot, dflag, iflag):\n"
LINEAR = HEAD + "    return [par[0] * max(-gap, 0.0), 0.0, 0.0]\n"
DECK = """#RADIOSS STARTER
/BEGIN
ball
      2022         0
kg, m, s
kg, m, s
/NODE
1, 0, 0, 0.11
/GRNOD/NODE/1
ball
1
/ADMAS/0/1
mass
1.0, 1
/INIVEL/TRA/1
down
0.0, 0.0, -1.0, 1, 0
/SURF/SPHERE_SOLID/1
ball
1
,
0.1
/SURF/PLANE_SOLID/2
floor
0
,
/INTER/USERCNF/1
by a routine
1, 2
,
routines.py CNFSUB
1
1e4
/RUN/ball/1
0.03
/TFILE
1e-3
/DTIX
1e-4, 1e-4
/END
"""


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in an empty directory."""
    monkeypatch.chdir(tmp_path)


def write(routines: str, deck: str = DECK) -> None:
    Path("routines.py").write_text(routines)
    Path("ball.rad").write_text(deck)


def gsolve(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = programs().run(*arguments)
    assert "Traceback" not in done.stderr + done.stdout
    return done


# ---- permission ------------------------------------------------------------------------------------------------


def test_code_is_refused_without_the_option_and_not_run_by_a_check() -> None:
    write("open('was_run', 'w').close()\n" + LINEAR)
    done = gsolve("ball.rad")
    assert done.returncode == 3
    assert "ball.rad:31:1: error: the deck would run code: CNFSUB of routines.py" in done.stderr
    assert "allow it with --allow-user-code" in done.stderr
    assert gsolve("check", "ball.rad").returncode == 0
    assert sorted(path.name for path in Path().iterdir() if path.suffix) == ["ball.rad", "routines.py"]
    assert not Path("was_run").exists()
    done = gsolve("ball.rad", "--allow-user-code")
    assert done.returncode == 0, done.stderr
    assert Path("was_run").exists()


def test_a_simulation_without_permission_runs_nothing() -> None:
    write(LINEAR)
    simulation = Simulation(read_deck("ball.rad"))
    with pytest.raises(DeckError, match="1 error in the deck"):
        simulation.advance(1)


def test_a_routine_that_fails_leaves_the_results_before_it() -> None:
    write(HEAD + "    if gap < -5e-3:\n        raise ValueError('too deep')\n    return [-1e4 * gap, 0.0, 0.0]\n")
    done = gsolve("ball.rad", "--allow-user-code")
    assert done.returncode == 1
    why = "CNFSUB in routines.py, of /INTER/USERCNF/1 'by a routine', failed at t = 0.0153 s: "
    assert f"gsolve: {why}routines.py, line 3, in CNFSUB: ValueError: too deep" in done.stderr
    with h5py.File("ball.h5") as file:
        assert file.attrs["status"] == "failed"
        assert file["time"][-1] == pytest.approx(0.015)
        assert np.all(np.isfinite(file["th/node/VZ"][:]))


# ---- files -----------------------------------------------------------------------------------------------------


def test_what_a_routine_writes_into_a_file_is_there_after_the_end() -> None:
    """Where nobody closes the file but Python, at the end of the process."""
    write('told = open("told.txt", "w")\n' + HEAD + '    told.write("called\\n")\n    return [0.0, 0.0, 0.0]\n')
    program = [sys.executable, "-m", "gsolve", "ball.rad", "--allow-user-code", "--quiet"]
    subprocess.run(program, check=True, capture_output=True)
    assert Path("told.txt").read_text().startswith("called\n")


def test_what_routines_print_does_not_stand_beside_the_summary() -> None:
    says = "    print('of Python')\n    ctypes.CDLL(None).puts(b'of C')\n"
    write("import ctypes\n" + HEAD + says + "    return [0.0, 0.0, 0.0]\n")
    options = ["--allow-user-code", "--json", "--t-end", "0.002"]
    program = [sys.executable, "-m", "gsolve", "ball.rad", *options]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout)["status"] == "completed"
    assert {"of Python", "of C"} < set(done.stderr.splitlines())


def refusal(deck: str = DECK) -> str:
    """What is said of a deck whose code cannot be used."""
    Path("ball.rad").write_text(deck)
    with pytest.raises(DeckError) as refused:
        Simulation(read_deck("ball.rad"), allow_user_code=True).compile()
    return "\n".join(format_diagnostic(diagnostic) for diagnostic in refused.value.diagnostics)


def test_a_file_that_cannot_be_run_is_an_error_in_the_deck() -> None:
    write("import math\nimport no_such_module\n" + LINEAR)
    text = refusal()
    assert text.startswith(
        "ball.rad:31:1: error: routines.py, line 2: ModuleNotFoundError: No module named 'no_such_module'\n"
        '  in /INTER/USERCNF/1 "by a routine", field routine\n'
    )


def test_a_routine_that_fails_with_iflag_is_an_error_in_the_deck() -> None:
    write(HEAD + "    if iflag:\n        return table[0]\n    return [0.0, 0.0, 0.0]\n")
    assert "routines.py, line 3, in CNFSUB: NameError: name 'table' is not defined" in refusal()


def test_a_library_that_is_none_is_an_error_in_the_deck() -> None:
    Path("routines.so").write_text("no library")
    text = refusal(DECK.replace("routines.py", "routines.so"))
    assert text.startswith("ball.rad:31:1: error: routines.so cannot be opened: ")


def test_a_file_may_import_what_stands_beside_it_and_msolve() -> None:
    Path("beside_it.py").write_text("STIFFNESS = 1e4\n")
    write(
        "from msolve import *\n" + HEAD + "    from beside_it import STIFFNESS\n    return [-STIFFNESS * gap, 0, 0]\n"
    )
    simulation = Simulation(read_deck("ball.rad"), allow_user_code=True)
    simulation.compile()
    assert simulation.warnings == []


def test_a_function_is_compiled_once_for_all_interfaces_that_name_it() -> None:
    write(LINEAR)
    routine = read_deck("ball.rad").contacts[0].law
    assert isinstance(routine, UserRoutine)
    files = RoutineFiles({})
    assert files.compiled_force(routine, ARGUMENTS) is files.compiled_force(routine, ARGUMENTS)
    assert RoutineFiles({}).compiled_force(routine, ARGUMENTS) is not files.compiled_force(routine, ARGUMENTS)


# ---- what numba compiles ---------------------------------------------------------------------------------------


def compiled(text: str, function: str = "CNFSUB") -> object:
    Path("routines.py").write_text(text)
    names = compiled_namespace("routines.py", RoutineFiles({}).namespace("routines.py"))
    return compiled_force("routines.py", names[function], ARGUMENTS)


ARGUMENTS = NORMAL_FORCE.arguments


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "    result = [0, 0, 0]\n    result[0] = -0.5 * gap\n    return result\n",
        "import numpy as np\n\n" + HEAD.replace("CNFSUB", "law") + "    value, errflg = py_step(gap, -1, 1, 0, 0, 0)\n"
        "    return np.array([value, 0.0, 0.0])\n\nCNFSUB = law\nnothing = None\n",
        "from numba import njit\n\n@njit\n" + HEAD + "    return [-gap, 0.0, 0.0]\n",
        HEAD + "    import math\n    return helper(math.sqrt(2.0)), 0, 0\n\ndef helper(x: int) -> str:\n"
        "    from math import exp\n    return exp(x)\n",
    ],
)  # fmt: skip
def test_usual_routines_are_compiled(text: str) -> None:
    compiled(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD + "    words = {}\n    words['gap'] = [gap]\n    return [0.0, 0.0, str(gap)]\n", "line "),
        (HEAD + "    global last\n    last = gap\n    return [0.0, 0.0, 0.0]\n", "line 3: "),
        (
            "from numba import njit\n\n@njit\n"
            + HEAD
            + "    force = [0, 0, 0]\n    force[0] = gap\n    return force\n",
            "it returns whole numbers: write [0.0, 0.0, 0.0] for [0, 0, 0]",
        ),
        (
            HEAD + "    if gap > 1.0:\n        import no_such_module\n    return [0.0, 0.0, 0.0]\n",
            "ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("class Law:\n    def __call__(self, *a):\n        return a\n\nCNFSUB = Law()\n", "it is not a plain function"),
    ],
)
def test_why_a_routine_is_not_compiled_is_said_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(NotCompiledError) as refused:
        compiled(text)
    assert str(refused.value).startswith(reason) and "\n" not in str(refused.value)


def test_functions_of_motionsolve_are_those_that_the_parser_knows() -> None:
    assert set(NORMAL_FORCE.functions) == set(FRICTION_FORCE.functions) == set(COMPILED)
    assert set(CONTACT_RESULTS.functions) == {*COMPILED, *ContactResults().functions()}


def test_step_and_impact_have_their_values() -> None:
    assert [py_step(x, -1.0, 3.0, 1.0, 7.0, 0)[0] for x in (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0)] == [
        3.0, 3.0, 5.0, 6.375, 7.0, 7.0,
    ]  # fmt: skip
    (force,), wrong = py_impact(-2e-3, -0.5, 0.0, 1e6, 1.5, 40.0, 1e-3, 0)
    assert force == pytest.approx(1e6 * 2e-3**1.5 + 20.0) and not wrong
    assert py_impact(-0.5e-3, 3.0, 0.0, 1.0, 1.0, 40.0, 1e-3, 0) == ((0.0,), False)
    assert py_impact(0.0, -3.0, 0.0, 1.0, 1.0, 40.0, 1e-3, 0) == ((0.0,), False)
    with pytest.raises(ValueError, match="iord must be 0"):
        py_step(0.0, -1.0, 3.0, 1.0, 7.0, 1)
