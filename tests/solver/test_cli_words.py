"""`gsolve explain`, `new` and `examples` as a person meets them, and what a shell completes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from gsolve.solver.cli.program import gsolve


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything happens in an empty directory."""
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(gsolve, arguments)


def completed(*arguments: str) -> list[str]:
    """What a shell offers for the last of the arguments."""
    *before, incomplete = arguments
    completion = ShellComplete(gsolve, {}, "gsolve", "_GSOLVE_COMPLETE")
    return [item.value for item in completion.get_completions(before, incomplete)]


def test_a_keyword_is_explained_by_words_or_slashes() -> None:
    done = call("explain", "gjoint", "gear")
    assert done.exit_code == 0
    assert done.output.startswith("/GJOINT/GEAR/id[/unit_ID]\nGear pair: two shafts on a carrier.\n")
    assert done.output == call("explain", "/GJOINT/GEAR/7").output
    assert "\x1b" not in done.output  # colours are for terminals


def test_a_wrong_word_gets_what_may_be_meant() -> None:
    done = call("explain", "gjoint/gaer")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == (
        "Error: nothing in a deck is called gjoint/gaer. Did you mean /GJOINT/GEAR? (gsolve explain lists all keywords)"
    )


def test_variables_of_results_are_explained() -> None:
    said = "th/gjoint/VEL1 [rad/T]  rate of ANG1, relative to node 0\n"
    assert call("explain", "vel1").output == call("explain", "gjoint/3/VEL1").output == said
    assert call("explain", "energy/total").output.startswith("energy/total [M L2/T2]  ")
    assert "\nth/gjoint/VEL1 [rad/T]" in call("explain", "TH/GJOINT").output
    groups = call("explain", "FX").output
    assert all(f"th/{family}/FX " in groups for family in ("rbody", "joint", "spring"))


def test_a_template_is_written_once() -> None:
    assert "  gear_pair " in call("new").output
    done = call("new", "gear_pair")
    assert done.exit_code == 0
    assert done.output.splitlines()[-2:] == ["  gsolve check gear_pair.rad", "  gsolve gear_pair.rad"]
    Path("gear_pair.rad").write_text("mine")
    done = call("new", "gear_pair")
    assert done.exit_code == 2
    assert "gear_pair.rad is there already; -o FILE writes another file" in done.output
    assert Path("gear_pair.rad").read_text() == "mine"
    assert call("new", "gear_pair", "-o", "other.rad").exit_code == 0
    assert call("new", "gear_pair", "-o", "-").output == Path("other.rad").read_text()


def test_a_place_that_is_not_there_is_one_line() -> None:
    Path("file").write_text("mine")
    done = call("new", "gear_pair", "-o", "file/deck.rad")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == "Error: cannot write file/deck.rad: Not a directory"


def test_a_folder_that_lacks_is_made_and_told() -> None:
    done = call("new", "gear_pair", "-o", "new/folder/deck.rad")
    assert done.exit_code == 0 and "wrote new/folder/deck.rad;" in done.output
    assert Path("new/folder/deck.rad").read_text() == call("new", "gear_pair", "-o", "-").output


def test_an_example_is_copied_once() -> None:
    done = call("examples", "hunt_crossley")
    assert done.exit_code == 0
    assert done.output.splitlines()[-1] == "  gsolve hunt_crossley/hunt_crossley.rad --allow-user-code"
    assert Path("hunt_crossley/hunt_crossley.py").is_file()
    done = call("examples", "hunt_crossley")
    assert done.exit_code == 2
    assert "hunt_crossley is there already; -o DIR makes another folder" in done.output


@pytest.mark.parametrize(
    ("command", "name", "meant"), [("new", "gear", "gear_pair"), ("examples", "fourbar", "four_bar")]
)
def test_unknown_names_get_what_may_be_meant(command: str, name: str, meant: str) -> None:
    done = call(command, name)
    assert done.exit_code == 2
    assert f"is called {name}. Did you mean {meant}" in done.output


def test_shells_complete_commands_keywords_names_and_options() -> None:
    assert completed("ex") == ["examples", "explain", "export"]
    Path("checked.rad").touch()
    assert completed("che") == ["check", "checked.rad"]
    assert completed("decks/") == ["decks/"]  # a file, which the shell looks for itself
    assert "GJOINT/GEAR" in completed("explain", "gjoint/") and "/GJOINT/GEAR" in completed("explain", "/gj")
    assert completed("new", "gear") == ["gear_pair"]
    assert completed("examples", "four") == ["four_bar"]
    assert "--t-end" in completed("machine.rad", "--t")
    assert "--untrusted" in completed("check", "--u")
