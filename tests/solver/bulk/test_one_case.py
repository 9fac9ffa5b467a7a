"""A deck that travels with its files."""

from __future__ import annotations

from pathlib import Path

from gsolve.solver.bulk.one_case import bundle_of


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
