"""A deck that travels with its files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from gsolve.solver.bulk.one_case import CaseTask, bundle_of, run_case
from gsolve.solver.bulk.study_table import FINISHED
from gsolve.solver.run import reading
from gsolve.solver.run.options import RunOptions


def test_a_deck_is_unpacked_with_its_files_once(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "gears.inc").write_text("gears")
    (tmp_path / "machine.rad").write_text("machine")
    bundle = bundle_of(tmp_path / "machine.rad", [str(tmp_path / "parts" / "gears.inc")])
    deck = bundle.unpacked()
    assert deck.name == "machine.rad" and tmp_path not in deck.parents
    assert deck.read_text() == "machine" and (deck.parent / "parts" / "gears.inc").read_text() == "gears"
    assert bundle.unpacked() == deck


def test_what_was_removed_meanwhile_is_unpacked_again(tmp_path: Path) -> None:
    (tmp_path / "machine.rad").write_text("machine of another test")
    bundle = bundle_of(tmp_path / "machine.rad", [])
    bundle.unpacked().unlink()  # as those do who clean folders of temporary files
    assert bundle.unpacked().read_text() == "machine of another test"


def test_a_case_for_which_memory_did_not_suffice_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_model(*of: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr(reading, "read_model", read_model)
    answer = run_case(CaseTask("huge.rad", {}, RunOptions(), {}), None)  # type: ignore[arg-type]
    assert answer.status not in FINISHED and answer.message.startswith("there was not enough memory for it")


def test_what_a_train_needs_of_scipy_was_imported_before_workers_are_copied() -> None:
    """Each of them would take a tenth of a second for it."""
    train = Path(__file__).resolve().parents[3] / "decks" / "gear_train_20" / "gear_train_20.rad"
    code = f"""
import sys
import gsolve.solver.bulk.imports
from gsolve.solver.bulk.one_case import CaseTask, run_case
from gsolve.solver.run.options import RunOptions

before = set(sys.modules)
answer = run_case(CaseTask({str(train)!r}, {{}}, RunOptions(frames=0), {{}}, check_only=True), None)
print(answer.status, *sorted(name for name in set(sys.modules) - before if name.startswith("scipy")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split() == ["completed"]
