"""The pictures of the manual: those of its decks and commands, as gsolve draws them now, and each in its place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pictures
import pytest
from forked import programs
from PIL import Image
from test_documentation import PAGES, name_of

FOLDER = pictures.FOLDER
SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


class Studio(pictures.Studio):
    """Its programs are forked."""

    def call(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            return programs().run(*words)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    return Studio(tmp_path_factory.mktemp("studio"))


def test_manual_pictures_were_made_from_the_decks_and_commands_as_they_are():
    others = pictures.outdated()
    assert others == [], f"make anew: python docs/site/pictures.py {' '.join(others)}"


@pytest.mark.skipif(
    pictures.drawn_by() != pictures.drawing_here(),
    reason=f"pictures were drawn by matplotlib {pictures.drawn_by()}; others lay out by some dots differently",
)
@pytest.mark.parametrize("name", ["gear_pair.gif", "tutorial_speeds.png", "verification.png"])
def test_manual_pictures_look_as_gsolve_draws_them(studio, name):
    """One of the machine, one of histories, one of tables; `python docs/site/pictures.py --check` compares all."""
    new = studio.folder / f"new_{name}"
    studio.make(pictures.pictures()[name], new)
    change = pictures.difference(FOLDER / name, new)
    assert change < pictures.SEEN, f"{name} looks different: python docs/site/pictures.py --check shows which ones do"


def test_a_change_that_a_reader_sees_is_a_difference(tmp_path):
    picture = Image.open(FOLDER / "tutorial_speeds.png").convert("RGB")
    picture.paste("black", (300, 200, 312, 203))
    picture.save(tmp_path / "marked.png")
    assert pictures.difference(FOLDER / "tutorial_speeds.png", tmp_path / "marked.png") > pictures.SEEN


def test_a_deck_that_changes_makes_its_picture_another(monkeypatch, tmp_path):
    (tmp_path / "decks" / "pair").mkdir(parents=True)
    deck = tmp_path / "decks" / "pair" / "pair.rad"
    deck.write_text("/BEGIN\n")
    monkeypatch.setattr(pictures, "REPOSITORY", tmp_path)
    picture = pictures.Picture("pair.png", "plot pair.h5", runs=("decks/pair/pair.rad --force",))
    first = picture.digest()
    (deck.parent / "README.md").write_text("says something else\n")
    assert picture.digest() == first
    deck.write_text("/BEGIN\npair\n")
    second = picture.digest()
    (deck.parent / "teeth.inc").write_text("1, 2\n")
    assert len({first, second, picture.digest()}) == 3
    assert pictures.Picture("pair.png", "plot pair.h5 energy/total", runs=picture.runs).digest() != picture.digest()


def test_every_picture_is_described_and_shown():
    shown = set()
    for page in PAGES:
        for alternative, target in SHOWN.findall(page.read_text(encoding="utf-8")):
            assert len(alternative.split()) >= 3, f"{name_of(page)}: {target} has no text in its place"
            shown.add((page.parent / target).resolve())
    there = {path for path in FOLDER.iterdir() if path.suffix != ".toml"}
    assert {path.name for path in there} == set(pictures.pictures())
    assert {path.name for path in there - shown} == set(), "shown on no page"


def test_manual_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert [name for name, size in sizes.items() if name.endswith(".gif") and size > 300_000] == []
    assert sum(sizes.values()) < 4_000_000
    assert all(Image.open(Path(FOLDER / name)).width <= 1200 for name in sizes if not name.endswith(".toml"))
