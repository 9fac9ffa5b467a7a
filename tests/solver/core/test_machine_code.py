"""Where machine code is kept: by content, shared, never stale, and never in the way."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forked import Programs
from gsolve.solver.core.jit import machine_code

Run = Callable[..., str]
PROGRAM = """
from gsolve.solver.core.jit import machine_code
from gsolve.solver.core.vectors import dot
from gsolve.solver.core.jit.kernels import Kernel

kernel = Kernel(dot.py_func, False)
vector = (1.0, 2.0, 3.0)
compiled = []
original = machine_code.MachineCode.save_overload
def save(self, signature, code):
    compiled.append(self._function.__name__ + " from Python" * (self._variant == "python"))
    original(self, signature, code)
machine_code.MachineCode.save_overload = save
print(kernel(vector, vector), compiled, machine_code.taken_messages())
"""

MADE = "14.0 ['dot', 'dot from Python'] []"  # what it prints where nothing is kept

# What a process has loaded that has compiled something: that takes longer than to compile `dot`.
LOADS = """
from gsolve.solver.core.jit import machine_code
from gsolve.solver.core.jit.kernels import Kernel
from gsolve.solver.core.vectors import dot
import os, tempfile
with tempfile.TemporaryDirectory() as os.environ["GSOLVE_CACHE_DIR"]:
    Kernel((lambda a: a[0] * a[0]), False)((1.0, 2.0, 3.0))
"""


@pytest.fixture(scope="module")
def compilers() -> Iterator[Programs]:
    """Processes that are forked where `LOADS` was done."""
    programs = Programs(LOADS)
    yield programs
    programs.close()


@pytest.fixture
def run(compilers: Programs, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs a program, that above, with machine code kept in a folder; before : what it does first."""

    def run(folder: Path, before: str = "", program: str = PROGRAM) -> str:
        monkeypatch.setenv("GSOLVE_CACHE_DIR", str(folder))
        done = compilers.run(code=before + program)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def run_anew(folder: Path, before: str = "", program: str = PROGRAM) -> str:
    """What a program says in a process that starts from nothing."""
    done = subprocess.run(
        [sys.executable, "-c", before + program], capture_output=True, text=True, check=False,
        env={**os.environ, "GSOLVE_CACHE_DIR": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_was_compiled_is_read_by_the_next_process_without_imports_for_compilation(tmp_path):
    told = PROGRAM + "import sys\nprint({'numba.np.arraymath', 'numba.cpython.mathimpl'} & set(sys.modules) != set())\n"
    assert run_anew(tmp_path / "code", program=told) == f"{MADE}\nTrue"
    assert run_anew(tmp_path / "code", program=told) == "14.0 [] []\nFalse"


def test_a_nested_kernel_is_kept_for_whatever_calls_it(run, tmp_path):
    for power, told in (
        (2, "196.0 ['dot', 'power_2', 'power_2 from Python'] []"),
        (3, "2744.0 ['power_3', 'power_3 from Python'] []"),
    ):
        (tmp_path / f"power_{power}.py").write_text(
            f"from gsolve.solver.core.vectors import dot\ndef power_{power}(a, b):\n    return dot(a, b) ** {power}\n"
        )
        before = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom power_{power} import power_{power}\n"
        program = PROGRAM.replace("Kernel(dot.py_func", f"Kernel(power_{power}")
        assert run(tmp_path / "code", before, program) == told


def test_a_nested_kernel_that_is_read_can_be_called_from_python(run, tmp_path):
    """In a process that has compiled nothing yet."""
    program = PROGRAM.replace("(1.0, 2.0, 3.0)", "__import__('numpy').array([1.0, 2.0, 3.0])")
    assert run(tmp_path, program=program) == MADE
    _, entry = sorted(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    entry.unlink()
    assert run_anew(tmp_path, program=program) == "14.0 ['dot from Python'] []"


def test_a_field_is_returned_where_the_nested_kernel_was_read_before(run, tmp_path):
    """Both are of one environment, and only the entry from Python puts the type of the array into it."""
    (tmp_path / "fields.py").write_text(
        "from gsolve.solver.core.jit.kernels import kernel\n@kernel\ndef field(body):\n    return body.force\n"
    )
    before = f"""import sys\nsys.path.insert(0, {str(tmp_path)!r})\nimport numpy as np\nfrom fields import field
body = np.zeros(1, np.dtype([("force", "f8", 3)]))[0]\nbody["force"] = 2.0\n"""
    for power in 2, 3:  # the second compiles a kernel for which it reads the nested one
        (tmp_path / f"use_{power}.py").write_text(
            f"from fields import field, kernel\n@kernel\ndef use(a):\n    return field(a)[0] ** {power}\n"
        )
        program = f"from use_{power} import use\nprint(use(body), field(body))\n"
        assert run(tmp_path / "code", before, program) == f"{2.0**power} [2. 2. 2.]"


def test_of_processes_that_need_the_same_at_once_one_compiles_it(compilers, monkeypatch, tmp_path):
    """All but one wait; which one it is does not matter."""
    monkeypatch.setenv("GSOLVE_CACHE_DIR", str(tmp_path / "code"))
    slow = "import time\n" + PROGRAM.replace("    original(self", "    time.sleep(0.3)\n    original(self")
    started = [compilers.start(code=slow) for _ in range(3)]
    told = sorted(process.communicate()[0].strip() for process in started)
    assert told == [MADE, "14.0 [] []", "14.0 [] []"]
    assert len(list((tmp_path / "code").iterdir())) == 2  # no lock is left


def test_a_process_that_never_ends_its_turn_is_not_waited_for_forever(run, tmp_path):
    held = (
        "import fcntl, os\nfrom gsolve.solver.core.jit import machine_code\nmachine_code.LONGEST_TURN = 0.3\n"
        "path = machine_code.MachineCode.path\n"
        "def locked(self, *of):\n"
        "    found = path(self, *of)\n"
        "    found.parent.mkdir(exist_ok=True)\n"
        "    handle = os.open(machine_code._lock_of(found), os.O_RDWR | os.O_CREAT)\n"
        "    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "    machine_code.MachineCode.path = path\n"
        "    return found\n"
        "machine_code.MachineCode.path = locked\n"
    )
    assert run(tmp_path / "code", before=held) == MADE


def test_a_damaged_file_is_made_anew_with_one_line(run, tmp_path):
    run(tmp_path)
    paths = list(tmp_path.iterdir())
    for path in paths:
        path.write_bytes(path.read_bytes()[:-10])
    told = run(tmp_path)
    assert told.startswith(MADE.removesuffix("]")) and told.count("is damaged: it is made anew") == len(paths) == 2
    assert run(tmp_path) == "14.0 [] []"


def test_a_folder_that_cannot_be_written_is_used_as_it_is(run, tmp_path):
    """As of a container image, or another user's: root may write anywhere, so that writing is made to fail."""
    fails = (
        "import os, tempfile\n"
        "def refuse(*of, **more): raise PermissionError(13, 'Permission denied')\n"
        "tempfile.mkstemp = os.utime = refuse\n"
    )
    assert run(tmp_path, before=fails).startswith(MADE.removesuffix("]"))
    assert list(tmp_path.iterdir()) == []
    run(tmp_path)
    assert run(tmp_path, before=fails) == "14.0 [] []"


def test_where_nothing_can_be_kept_the_run_goes_on_and_says_so_once(run, tmp_path):
    (tmp_path / "file").write_text("no folder")
    told = run(tmp_path / "file" / "code")
    assert told.startswith(MADE.removesuffix("]")) and told.count("machine code cannot be kept in") == 1
    assert "GSOLVE_CACHE_DIR names another folder" in told


def test_importing_gsolve_changes_no_environment_variable():
    program = (
        "import os\nbefore = dict(os.environ)\nimport gsolve.solver.run.simulation\nprint(dict(os.environ) == before)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def forget_sources() -> None:
    machine_code.digest_of_sources.cache_clear()
    machine_code._source_and_imports.cache_clear()


def test_the_digest_is_that_of_a_module_and_of_all_it_imports(monkeypatch):
    seen = []
    original = machine_code._imports
    monkeypatch.setattr(machine_code, "_imports", lambda *of: seen.append(of[0]) or original(*of))
    forget_sources()
    machine_code.digest_of_sources("gsolve.solver.constraints.relations")
    assert "gsolve.solver.core.rotation" in seen  # through others
    assert "gsolve.solver.contact.evaluate" not in seen


def test_imports_are_found_whatever_is_noted_beside_them():
    source = "from . import (\n    skews,  # with a )\n    vectors as inner,\n    sums,\n)\nfrom .vectors import dot\n"
    assert machine_code._imports("gsolve.solver.core.rotation", "rotation.py", source) == [
        "gsolve.solver.core",
        *(f"gsolve.solver.core.{x}" for x in ("skews", "vectors", "sums")),
        "gsolve.solver.core.vectors",  # in which there are no modules
    ]


def test_kernels_outside_gsolve_depend_on_their_own_file_too():
    forget_sources()
    assert machine_code.digest_of_sources(__name__) != machine_code.digest_of_sources("gsolve.solver.core.vectors")
    assert machine_code._path_of(__name__) == __file__


def test_a_change_of_any_source_below_gives_another_name(monkeypatch, tmp_path):
    def digest() -> bytes:
        forget_sources()
        return machine_code.digest_of_sources("gsolve.solver.constraints.relations")

    before, original = digest(), Path.read_bytes
    for changed, matters in (("rotation.py", True), ("evaluate.py", False)):
        monkeypatch.setattr(
            Path, "read_bytes", lambda path, name=changed: original(path) + (b"#" if path.name == name else b"")
        )
        assert (digest() != before) == matters
    monkeypatch.undo()
    forget_sources()


def test_what_numba_is_set_to_gives_another_name(run, tmp_path):
    program = PROGRAM + "from numba.core import config\nprint(config.OPT == 0)\n"
    assert run(tmp_path, program=program) == f"{MADE}\nFalse"
    by_hand = "import os\nos.environ['NUMBA_OPT'] = '0'\n"
    assert run_anew(tmp_path, by_hand, program) == f"{MADE}\nTrue"
    assert run(tmp_path, program=program) == "14.0 [] []\nFalse"


def test_only_machine_code_that_nobody_reads_is_removed(tmp_path):
    """The folder may be one that holds other files, as where GSOLVE_CACHE_DIR is `.`."""
    key = "0123456789abcdef" * 2
    old = [
        f"solver.core.vectors.dot-{key}",
        f".lock-solver.core.vectors.dot-{key}",
        ".new-k3_x9a",
        "deck.rad",
        "notes-2024",
        f"{key}",
        "results.h5",
    ]
    for name in [*old, f"solver.core.vectors.cross-{key}"]:
        (tmp_path / name).write_text("")
    for name in old:
        os.utime(tmp_path / name, (0, 0))
    machine_code._remove_unused(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"deck.rad", "notes-2024", key, "results.h5", f"solver.core.vectors.cross-{key}"}
