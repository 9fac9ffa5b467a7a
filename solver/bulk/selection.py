"""Which decks are meant, and where the results of each go."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gsolve.parser import included_files, is_engine_deck, run_name_of

from ..results.files import result_paths
from ..run.options import UsageError

MOST_NAMED = 10  # of the pairs that a message lists


@dataclass(frozen=True, slots=True)
class ChosenDeck:
    """A deck to run.

    path : as it is told
    output : of its results, as `-o` of a run has it: a folder, with a slash behind
    """

    path: str
    output: str

    @property
    def history(self) -> Path:
        """The result file."""
        return self.results[0]

    @property
    def results(self) -> tuple[Path, Path]:
        """The result file and the listing."""
        paths = result_paths(run_name_of(self.path), self.output)
        return paths.history, paths.listing


def choose_decks(words: Sequence[str], output: str | None) -> list[ChosenDeck]:
    """The decks that names, patterns and folders mean, each once, and the places of their results.

    output : a folder, below which results go as the decks stand; None: beside the decks

    Raises
    ------
    UsageError
        with all that cannot be: words that mean no deck, results of two decks in one file
    """
    paths, complaints = find_decks(words)
    if not complaints:
        chosen = [ChosenDeck(path, place) for path, place in zip(paths, places_of(paths, output), strict=True)]
        complaints = clashes(chosen)
    if complaints:
        raise UsageError("\n".join(complaints))
    return chosen


def find_decks(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """Paths of the decks that some words mean, in their order and each once; and complaints.

    What a deck includes is a deck of its own only where it is named as it is; an engine deck beside its starter never.
    """
    named, searched, complaints = list[str](), list[str](), list[str]()
    for word in words:
        if os.path.isfile(word):
            named.append(word)
            continue
        matches = [word] if os.path.exists(word) else sorted(glob.glob(word, recursive=True))
        files = [file for match in matches for file in (files_below(match) if os.path.isdir(match) else [match])]
        if not matches:
            complaints.append(f"no file matches '{word}'" if glob.has_magic(word) else f"'{word}' does not exist")
        elif not files:
            complaints.append(f"there is no deck below '{word}': no file whose name ends with .rad")
        searched += files
    included = {os.path.realpath(name) for file in searched for name in included_files(file)}
    found = [*named, *(file for file in searched if os.path.realpath(file) not in included)]
    unique = {os.path.realpath(file): os.path.normpath(file) for file in reversed(found)}
    starters = {run_name_of(file) for file in unique if not is_engine_deck(file)}
    return [
        unique[file]
        for file in dict.fromkeys(map(os.path.realpath, found))
        if not (is_engine_deck(file) and run_name_of(file) in starters)
    ], complaints


def files_below(folder: str) -> list[str]:
    """All files in a folder and those below it that may be decks by their names; hidden folders are left out."""
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [os.path.join(place, name) for name in sorted(names) if name.lower().endswith(".rad")]
    return files


def places_of(paths: Sequence[str], output: str | None) -> list[str]:
    """The folder of the results of each deck.

    Below `output` it is called as the folder of the deck from where the user stands; where some deck stands elsewhere,
    from the folder that all of them have in common.
    """
    folders = [os.path.dirname(path) for path in paths]
    if output is None:
        return [os.path.join(folder or ".", "") for folder in folders]
    absolute, root = [os.path.abspath(folder) for folder in folders], os.getcwd()
    if any(not Path(folder).is_relative_to(root) for folder in absolute):
        root = os.path.commonpath(absolute)
    return [os.path.join(os.path.normpath(os.path.join(output, os.path.relpath(f, root))), "") for f in absolute]


def clashes(chosen: Iterable[ChosenDeck]) -> list[str]:
    """Words for each pair of decks that would write the same file."""
    first, found = dict[str, str](), list[str]()
    for deck in chosen:
        key = os.path.realpath(deck.history)
        if key in first:
            found.append(f"{first[key]} and {deck.path} would both write {deck.history}")
        first.setdefault(key, deck.path)
    more = [f"and {len(found) - MOST_NAMED} more such pairs"] if len(found) > MOST_NAMED else []
    return found[:MOST_NAMED] + more
