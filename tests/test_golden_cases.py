"""The files of bad decks keep all that is written into them, and lay it out as a user would have it."""

from dataclasses import replace
from pathlib import Path

import pytest
from accept_messages import accept
from golden_cases import TESTS, GoldenCase, family_files, golden_cases, read_family, working_folder_of, write_family

FAMILY = """\
Two decks.

==== with_files: it needs four files
/BEGIN

 last line\x20
---- file tables/part.inc
a part
---- real file routines.py
---- messages
with_files.rad:1: error: first

with_files.rad: error: second

==== binary
---- real file binary.rad
---- messages
binary.rad: error: this is no deck
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A file with two cases, and the real files beside it."""
    (tmp_path / "routines.py").write_text("'a routine'\n")
    (tmp_path / "binary.rad").write_bytes(b"\x89\r\n\0")
    path = tmp_path / "family.txt"
    path.write_text(FAMILY)
    return path


def test_a_case_is_read(home):
    with_files, binary = read_family(home).cases
    assert (with_files.name, with_files.label) == ("with_files", "family/with_files")
    assert with_files.remark == "it needs four files"
    assert with_files.texts == {"with_files.rad": "/BEGIN\n\n last line \n", "tables/part.inc": "a part\n"}
    assert with_files.real_files == ("routines.py",)
    assert with_files.messages == "with_files.rad:1: error: first\n\nwith_files.rad: error: second"
    assert (binary.remark, binary.texts, binary.real_files) == ("", {}, ("binary.rad",))


def test_a_case_is_laid_out_in_a_folder_of_its_own(home):
    with_files, binary = read_family(home).cases
    before = Path.cwd()
    with working_folder_of(with_files):
        assert {str(path) for path in Path().rglob("*.*")} == {"with_files.rad", "tables/part.inc", "routines.py"}
        assert Path(with_files.deck).read_bytes() == b"/BEGIN\n\n last line \n"
    with working_folder_of(binary):
        assert Path(binary.deck).read_bytes() == b"\x89\r\n\0"
    assert Path.cwd() == before


def test_only_the_messages_are_rewritten(home):
    def messages(case: GoldenCase) -> str:
        return f"{case.deck}: error: new"

    accept(home, messages)
    changed = FAMILY.replace("binary.rad: error: this is no deck", "binary.rad: error: new").replace(
        "with_files.rad:1: error: first\n\nwith_files.rad: error: second", "with_files.rad: error: new"
    )
    assert home.read_text() == changed


def test_a_new_case_needs_no_messages_to_be_accepted(home):
    home.write_text(FAMILY.replace("==== binary", "==== new: blank\n\n---- messages\n\n==== binary"))
    assert [case.messages for case in read_family(home).cases][1] == ""
    accept(home, lambda case: case.messages or "new.rad: error: the file is empty")
    added = "==== new: blank\n\n---- messages\nnew.rad: error: the file is empty\n\n==== binary"
    assert home.read_text() == FAMILY.replace("==== binary", added)


@pytest.mark.parametrize(
    ("written", "spoilt", "complaint"),
    [
        ("---- messages\nbinary", "---- mesages\nbinary", "case binary has a part 'mesages'"),
        ("---- messages\nbinary", "--- messages\nbinary", ":17: found '--- messages', expected '---- messages'"),
        ("file binary.rad\n", "file binary.rad\ntext\n", ":17: found 'text', expected '---- messages'"),
        ("\n==== binary", "==== binary", ":14: found '==== binary', expected ''"),
        ("==== binary\n", "==== binary: \n", ":15: found '==== binary: ', expected '==== binary'"),
    ],
)
def test_what_would_get_lost_is_complained_about(home, written, spoilt, complaint):
    assert FAMILY.count(written) == 1
    home.write_text(FAMILY.replace(written, spoilt))
    with pytest.raises(ValueError) as caught:
        read_family(home)
    assert complaint in str(caught.value)


def test_text_that_looks_like_a_heading_is_not_written(home):
    family = read_family(home)
    case = replace(family.cases[0], messages="a message\n\n==== not_a_case\n---- messages\nanother")
    with pytest.raises(ValueError, match="looks like a heading"):
        write_family(replace(family, cases=(case,)))
    assert home.read_text() == FAMILY


@pytest.mark.parametrize("package", ["parser", "solver"])
def test_accepting_what_is_said_already_changes_nothing(package, tmp_path):
    for path in family_files(package):
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        accept(copy, lambda case: case.messages)
        assert copy.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("package", ["parser", "solver"])
def test_names_are_given_once_and_all_files_are_used(package):
    cases = golden_cases(package)
    assert len({case.name for case in cases}) == len(cases)
    others = {path.name for path in (TESTS / package / "bad_decks").iterdir() if path.suffix not in (".txt", ".md")}
    assert others - {"__pycache__"} == {file for case in cases for file in case.real_files}
