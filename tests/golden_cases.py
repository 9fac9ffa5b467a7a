"""The bad decks and the messages that they must give: many cases in one text file, one file a family of keywords.

The format is described in parser/bad_decks/README.md. What is read is written back the same, byte for byte, and the
reverse: nothing gets lost on the way.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parent

_CASE_HEADING = re.compile(r"^==== (.*)\n", re.MULTILINE)
_PART_HEADING = re.compile(r"^---- (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class GoldenCase:
    """A deck, the files it needs, and the messages that reading or starting it must give.

    home is the file of the family; texts holds files by name, the deck among them unless it is a real file; real_files
    are names of files beside home, which are copied.
    """

    home: Path
    name: str
    remark: str
    texts: dict[str, str]
    real_files: tuple[str, ...]
    messages: str

    @property
    def deck(self) -> str:
        """The name of its file, as the messages give it."""
        return self.name + ".rad"

    @property
    def label(self) -> str:
        """Its name in a list of tests."""
        return f"{self.home.stem}/{self.name}"


@dataclass(frozen=True)
class Family:
    """All cases of one file, and what is said about them at its top."""

    path: Path
    introduction: str
    cases: tuple[GoldenCase, ...]


def family_files(package: str) -> list[Path]:
    """The files with the bad decks of the parser or the solver."""
    return sorted((TESTS / package / "bad_decks").glob("*.txt"))


def golden_cases(package: str) -> list[GoldenCase]:
    """All bad decks of the parser or the solver."""
    return [case for path in family_files(package) for case in read_family(path).cases]


def read_family(path: Path) -> Family:
    """Read a file of cases."""
    return _parse_family(path, path.read_text(encoding="utf-8"))


def write_family(family: Family) -> None:
    """Write a file of cases; no line of a deck or a message may look like a heading."""
    text = _family_text(family)
    if _parse_family(family.path, text) != family:
        raise ValueError(f"{family.path}: a line of a deck or a message looks like a heading")
    family.path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def working_folder_of(case: GoldenCase) -> Iterator[None]:
    """Work in a folder that holds the files of one case and nothing else: messages name them as they name a user's."""
    with chdir(_empty_folder().name):
        try:
            for file, text in case.texts.items():
                Path(file).parent.mkdir(parents=True, exist_ok=True)
                Path(file).write_text(text, encoding="utf-8", newline="\n")
            for file in case.real_files:
                shutil.copyfile(case.home.parent / file, file)
            yield
        finally:
            for path in Path().iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()


@cache
def _empty_folder() -> TemporaryDirectory[str]:
    """The one folder that all cases use in turn: on some disks a folder takes milliseconds to remove, a file none."""
    return TemporaryDirectory()


def _parse_family(path: Path, text: str) -> Family:
    """The cases of a file; its text must be as `_family_text` gives it, so that nothing is passed over."""
    introduction, *blocks = _CASE_HEADING.split(text)
    cases = tuple(_parse_case(path, title, body) for title, body in zip(blocks[::2], blocks[1::2], strict=True))
    family = Family(path, introduction.rstrip("\n"), cases)
    lines = zip_longest(text.split("\n"), _family_text(family).split("\n"))
    for number, (line, expected) in enumerate(lines, 1):
        if line != expected:
            raise ValueError(f"{path}:{number}: found {line!r}, expected {expected!r}")
    return family


def _parse_case(home: Path, title: str, body: str) -> GoldenCase:
    """A case from its title and all that stands below it."""
    name, _, remark = title.partition(": ")
    deck, *parts = _PART_HEADING.split(body)
    texts, real_files, messages = {f"{name}.rad": deck}, [], ""
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        match heading.split(" "):
            case ["file", file]:
                texts[file] = text
            case ["real", "file", file]:
                real_files.append(file)
            case ["messages"]:
                messages = text.rstrip("\n")
            case _:
                raise ValueError(f"{home}: case {name} has a part '{heading}'; there are file, real file and messages")
    if f"{name}.rad" in real_files:
        del texts[f"{name}.rad"]
    return GoldenCase(home, name, remark, texts, tuple(real_files), messages)


def _family_text(family: Family) -> str:
    """What stands in the file of a family."""
    return "\n\n".join([family.introduction, *map(_case_text, family.cases)]) + "\n"


def _case_text(case: GoldenCase) -> str:
    """A case as it stands in its file, without its last line end."""
    title = f"==== {case.name}: {case.remark}\n" if case.remark else f"==== {case.name}\n"
    files = [f"---- file {name}\n{text}" for name, text in case.texts.items() if name != case.deck]
    real_files = [f"---- real file {name}\n" for name in case.real_files]
    messages = f"---- messages\n{case.messages}"
    return "".join([title, case.texts.get(case.deck, ""), *files, *real_files, messages]).rstrip("\n")
