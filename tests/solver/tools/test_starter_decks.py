"""Templates are decks that check and run; examples are copied with all they need."""

import re
from pathlib import Path

import pytest
from gsolve.parser import read_deck
from gsolve.solver.tools.starter_decks import (
    EXAMPLES,
    NoSuchNameError,
    command_of,
    copy_example,
    examples,
    template_text,
    templates,
    write_template,
)

NAMES = [starter.name for starter in templates()]


@pytest.mark.parametrize("name", NAMES)
def test_templates_are_read_without_a_warning_and_are_called_as_they_say(name: str, tmp_path: Path) -> None:
    model = read_deck(write_template(name, tmp_path))
    assert model.warnings == []
    text = template_text(name)
    assert f"\n/RUN/{name}/1\n" in text
    assert set(re.findall(r"\b(\w+)\.rad", text)) == {name}
    assert max(map(len, text.splitlines())) <= 120


def test_templates_say_what_they_are() -> None:
    assert {"gear_pair", "planetary_set", "four_bar", "contact"} <= set(NAMES)
    assert all(starter.shows.endswith(".") and len(starter.shows) < 110 for starter in templates())


def test_a_template_replaces_nothing(tmp_path: Path) -> None:
    place = tmp_path / "mine.rad"
    place.write_text("my deck")
    with pytest.raises(FileExistsError):
        write_template("gear_pair", place)
    assert place.read_text() == "my deck"


@pytest.mark.parametrize("name", ["Gear-Pair", "gear pair", "GEAR_PAIR", "gear_pair.rad"])
def test_names_are_taken_as_they_are_typed(name: str) -> None:
    assert template_text(name) == template_text("gear_pair")


def test_unknown_names_get_what_may_be_meant(tmp_path: Path) -> None:
    with pytest.raises(NoSuchNameError) as caught:
        template_text("planetary")
    assert caught.value.meant == ["planetary_set"]
    with pytest.raises(NoSuchNameError) as caught:
        copy_example("stiction", tmp_path / "copy")
    assert "block_on_incline" in caught.value.meant
    assert not (tmp_path / "copy").exists()


def test_all_examples_are_listed_with_a_command() -> None:
    folders = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
    assert sorted(starter.name for starter in examples()) == folders
    for name in folders:
        command = command_of(name, Path("there"))
        assert (EXAMPLES / name / re.findall(r"there/(\S+)", command)[0]).is_file()


def test_an_example_is_copied_with_what_it_reads(tmp_path: Path) -> None:
    place = copy_example("gear_rattle", tmp_path / "copy")
    assert {path.name for path in place.iterdir()} >= {"README.md", "gear_rattle.rad", "pinion.inc"}
    read_deck(place / "gear_rattle.rad")
    with pytest.raises(FileExistsError):
        copy_example("gear_pair", place)
