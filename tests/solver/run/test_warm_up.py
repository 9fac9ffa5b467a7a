"""`gsolve warm-up` compiles all that runs ask for: what they call by address, and what Python calls by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from gsolve.solver.cli.program import gsolve as program
from gsolve.solver.run import warm_up

DECKS = Path(__file__).resolve().parents[3] / "decks"
CALLED = """
import gc
from gsolve.solver.core.jit.kernels import Kernel
for kernel in gc.get_objects():
    if isinstance(kernel, Kernel) and "python" in kernel._dispatchers:
        print(kernel.__module__, kernel.__name__)
"""
BY_ADDRESS = """
from gsolve.solver.core.jit.pointers import Pointer
for pointer in gc.get_objects():
    if isinstance(pointer, Pointer) and {condition}:
        print(pointer._function.__module__, pointer._function.__name__)
"""
WARMED = (
    "from gsolve.solver.run import warm_up\nwarm_up.assemble_a_deck()\nwarm_up.look_at_a_mesh()\n"
    "pointers = list(warm_up.pointers())\nlisted = set(map(id, pointers))\n"  # ids are theirs while they live
    + CALLED
    + BY_ADDRESS.format(condition="(id(pointer) in listed or '_compiled' in vars(pointer))")
)
# Joints in a train, in a plane with redundant rows, in a tree; solids on two threads, meshes of all kinds, curves.
EXAMPLES = ("gear_pair", "four_bar", "robot_arm", "hopper", "cylinder_on_box_meshed", "geneva_drive")
RUNS = (
    f"import gsolve\nfor name in {EXAMPLES}:\n"
    f"    gsolve.run(f'{DECKS.as_posix()}/{{name}}/{{name}}.rad', t_end=1e-7, threads=2, on_failure='return')\n"
    + CALLED + BY_ADDRESS.format(condition="'_compiled' in vars(pointer)")
)  # fmt: skip


def printed(program: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def test_nothing_that_runs_ask_for_is_left_to_compile() -> None:
    asked = printed(RUNS)
    assert {line.rpartition(".")[2] for line in asked} >= {"section_curves directions_of", "crew help_others"}
    assert asked - printed(WARMED) == set()


class Fake:
    """A part of the solver; where it is not kept, its compilation keeps it only if the disk has room."""

    def __init__(self, *, is_kept: bool, has_room: bool = True) -> None:
        self.is_kept, self._has_room = is_kept, has_room

    @property
    def address(self) -> int:
        self.is_kept = self.is_kept or self._has_room
        return 1


@pytest.mark.parametrize(
    ("parts", "place", "code", "told"),
    [
        ([Fake(is_kept=True)], "file/code", 0, "compiled 0 parts of the solver in 0 s; "),  # written by another user
        ([Fake(is_kept=True), Fake(is_kept=False)], "file/code", 2,
         "gsolve: machine code cannot be kept in file/code (Not a directory), nothing was compiled: GSOLVE_CACHE_DIR"),
        ([Fake(is_kept=False)], "new/code", 0, "compiled 1 parts of the solver in 0 s; "),
        ([Fake(is_kept=False, has_room=False)], "new/code", 1, "compiled 1 parts of the solver in 0 s; "),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_not_compiled_in_vain(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parts: list[Fake], place: str, code: int, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GSOLVE_CACHE_DIR", place)
    Path("file").write_text("no folder")
    monkeypatch.setattr(warm_up, "pointers", lambda: iter(parts))
    monkeypatch.setattr(warm_up, "assemble_a_deck", lambda: None)
    monkeypatch.setattr(warm_up, "look_at_a_mesh", lambda: None)
    done = CliRunner().invoke(program, ["warm-up"])
    assert done.exit_code == code and told in done.output
