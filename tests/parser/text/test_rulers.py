"""Marks below a line, and where its values stand, by columns and by commas."""

from typing import NamedTuple

import pytest
from gsolve.parser.text.rulers import comma_spans, draw_ruler, is_comma_separated, marks_of, words_of


class Field(NamedTuple):
    """The columns of a field; a ruler needs to know no more of a card."""

    name: str
    kind: str
    first: int
    last: int


NODE = Field("node", "integer", 1, 10)
X = Field("X", "real", 11, 30)
TRANSLATIONS = Field("Tra", "digits", 4, 6)
ROTATIONS = Field("Rot", "digits", 8, 10)
NAME = Field("name", "text", 1, 100)


def test_marks_are_as_wide_as_their_fields_and_stand_at_their_columns() -> None:
    assert marks_of((X, NODE)) == "[--node--][--------X---------]"
    assert marks_of((TRANSLATIONS, ROTATIONS)) == "   [T] [R]"
    assert marks_of((Field("IX", "integer", 5, 6),)) == "    ^^"


def test_the_caret_points_at_what_stands_in_the_field() -> None:
    column, ruler, found = draw_ruler("         7       1.5", (NODE, X), X)
    assert (column, found) == (18, "1.5")
    assert ruler.split("\n") == [marks_of((NODE, X)), " " * 17 + "^^^"]


def test_the_caret_marks_all_of_a_blank_field() -> None:
    column, ruler, found = draw_ruler("         7", (NODE, X), X)
    assert (column, found) == (11, "")
    assert ruler.split("\n")[1] == " " * 10 + "^" * 20


def test_a_line_with_commas_has_a_caret_and_no_marks() -> None:
    assert draw_ruler("7,  1.5", (NODE, X), X) == (5, "    ^^^", "1.5")
    assert draw_ruler("7", (NODE, X), X)[2] == ""
    assert draw_ruler("7,", (NODE, X), X) == (3, "  ^", "")


def test_a_comma_in_a_text_is_a_comma() -> None:
    assert is_comma_separated("1,2", (NODE, X))
    assert not is_comma_separated("file.py, CNFSUB", (NAME,))
    assert not is_comma_separated("1 2", (NODE, X))


@pytest.mark.parametrize(
    ("line", "fields", "values"),
    [
        ("7,1.5", (NODE, X), ["7", "1.5"]),
        ("7,,", (NODE, X), ["7"]),
        ("111 010, 4", (TRANSLATIONS, ROTATIONS, NODE), ["111", "010", " 4"]),
        ("111, 010, 4", (TRANSLATIONS, ROTATIONS, NODE), ["111", " 010", " 4"]),
        ("111 010, 4", (NODE, X), ["111 010", " 4"]),
    ],
)
def test_values_between_commas(line: str, fields: tuple[Field, ...], values: list[str]) -> None:
    assert [line[begin:end] for begin, end in comma_spans(line, fields)] == values


def test_words_have_their_columns() -> None:
    assert words_of("  ab c ") == [(2, 4), (5, 6)]
