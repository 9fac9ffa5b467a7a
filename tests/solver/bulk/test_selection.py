"""Which decks are meant, and where their results go."""

from __future__ import annotations

from pathlib import Path

import pytest
from gsolve.solver.bulk.selection import choose_decks, find_decks, places_of


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Files whose names say what they are; a deck includes a file that ends as a deck does."""
    monkeypatch.chdir(tmp_path)
    for name in ("a/one.rad", "a/b/TWO.RAD", "a/pair_0000.rad", "a/pair_0001.rad", "a/.hidden/no.rad", "a/notes.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("#RADIOSS STARTER\n")
    Path("a/one.rad").write_text("#RADIOSS STARTER\n#include parts/gear.rad\n")
    Path("a/parts").mkdir()
    Path("a/parts/gear.rad").write_text("#include wheel.rad\n")
    Path("a/parts/wheel.rad").write_text("/NODE\n")
    return tmp_path


@pytest.mark.parametrize("word", ["a", "a/", "./a", "a/**/*.*[dD]"])
def test_folders_and_patterns_mean_the_decks_below(word: str) -> None:
    """Not engine decks, not what is included, nothing that is hidden."""
    decks, complaints = find_decks([word])
    assert (sorted(decks), complaints) == (["a/b/TWO.RAD", "a/one.rad", "a/pair_0000.rad"], [])


def test_a_file_that_is_named_is_a_deck_whatever_it_is_called() -> None:
    assert find_decks(["a/notes.txt", "a/parts/wheel.rad"]) == (["a/notes.txt", "a/parts/wheel.rad"], [])


def test_an_engine_deck_is_one_only_without_its_starter() -> None:
    assert find_decks(["a/pair_0000.rad", "a/pair_0001.rad"])[0] == ["a/pair_0000.rad"]
    assert find_decks(["a/pair_0001.rad"])[0] == ["a/pair_0001.rad"]


def test_each_deck_is_run_once(folder: Path) -> None:
    assert find_decks(["a/one.rad", str(folder / "a" / "one.rad"), "a"])[0][0] == "a/one.rad"
    assert len(find_decks(["a/one.rad", "a", "a/*.rad"])[0]) == 3


def test_results_stand_beside_their_decks_or_as_they_do(folder: Path) -> None:
    assert places_of(["one.rad", "a/b/two.rad"], None) == ["./", "a/b/"]
    assert places_of(["one.rad", "a/b/two.rad"], "out") == ["out/", "out/a/b/"]
    elsewhere = [str(folder / "a" / "one.rad"), str(folder.parent / "other.rad")]
    assert places_of(elsewhere, "out") == [f"out/{folder.name}/a/", "out/"]


def test_decks_of_equal_names_do_not_meet() -> None:
    chosen = choose_decks(["a/one.rad", "a/pair_0000.rad"], "out")
    assert [str(deck.history) for deck in chosen] == ["out/a/one.h5", "out/a/pair.h5"]
