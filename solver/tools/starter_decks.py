"""Decks to start from: templates that explain themselves, and the example decks, with all that they need."""

from __future__ import annotations

import difflib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

TEMPLATES = Path(__file__).with_name("templates")
EXAMPLES = Path(__file__).parents[2] / "decks"  # beside the packages, in a checkout as in an installation
_ROW = re.compile(r"^\| \[(\w+)\]\(\w+\) \| (.*) \|$", re.MULTILINE)
_COMMAND = re.compile(r"^    (gsolve decks/.*)$", re.MULTILINE)
_RESULTS = ("*.h5", "*.out", "__pycache__")


@dataclass(frozen=True, slots=True)
class Starter:
    """A template or an example: its name, and what it shows in a line."""

    name: str
    shows: str


class NoSuchNameError(Exception):
    """Nothing is called so; `meant` are names that may be meant."""

    def __init__(self, name: str, meant: list[str]) -> None:
        super().__init__(name)
        self.meant = meant


def templates() -> list[Starter]:
    """All templates; what one shows is its first comment."""
    return [
        Starter(path.stem, path.read_text(encoding="utf-8").split("\n", 2)[1].removeprefix("# "))
        for path in sorted(TEMPLATES.glob("*.rad"))
    ]


def write_template(name: str, target: Path | None) -> Path:
    """Write a template as NAME.rad, or to another place, and give back where it is.

    target : a file, whose folder is made if there is none, or a folder that exists
    Raises NoSuchNameError, FileExistsError, OSError.
    """
    name = _known(name, templates())
    place = target or Path(f"{name}.rad")
    if place.is_dir():
        place /= f"{name}.rad"
    if not place.parent.exists():
        place.parent.mkdir(parents=True)
    with place.open("x", encoding="utf-8") as file:
        file.write(template_text(name))
    return place


def template_text(name: str) -> str:
    """The text of a template. Raises NoSuchNameError."""
    return (TEMPLATES / f"{_known(name, templates())}.rad").read_text(encoding="utf-8")


def examples() -> list[Starter]:
    """All example decks, in the order of their index."""
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    return [Starter(name, shows.replace("`", "")) for name, shows in _ROW.findall(index)]


def copy_example(name: str, target: Path | None) -> Path:
    """Copy the folder of an example to ./NAME, or to another place, and give back where it is.

    target : a folder, which must not be there
    Raises NoSuchNameError, FileExistsError, OSError.
    """
    name = _known(name, examples())
    place = target or Path(name)
    shutil.copytree(EXAMPLES / name, place, ignore=shutil.ignore_patterns(*_RESULTS))
    return place


def command_of(name: str, place: Path) -> str:
    """How an example that was copied is run, as its README says."""
    found = _COMMAND.search((EXAMPLES / name / "README.md").read_text(encoding="utf-8"))
    return found[1].replace(f"decks/{name}/", f"{place.as_posix()}/") if found else ""


def _known(name: str, starters: list[Starter]) -> str:
    """The name itself, which may be written with blanks, hyphens, capital letters or an ending."""
    plain = re.sub(r"[\s-]+", "_", name.strip().lower().rstrip("/")).removesuffix(".rad")
    names = [starter.name for starter in starters]
    if plain in names:
        return plain
    meant = [other for other in names if plain and plain in other]
    meant += difflib.get_close_matches(plain, names, 3, 0.5)
    meant += [starter.name for starter in starters if plain.replace("_", " ") in starter.shows.lower()]
    raise NoSuchNameError(name, list(dict.fromkeys(meant))[:5])
