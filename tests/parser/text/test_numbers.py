"""Numbers of a deck, against what Fortran's formats mean by them."""

import pytest
from gsolve.parser.text.numbers import counted, is_zero, nearest, numbered_list, parse_integer, parse_real


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("-1.5E-3", -0.0015),
        ("1.5D-3", 0.0015),
        ("1.5d+3", 1500.0),
        ("1.5-3", 0.0015),
        ("1.5+3", 1500.0),
        ("-2-2", -0.02),
        ("15", 15.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+7", 7.0),
        ("5.E2", 500.0),
    ],
)
def test_reals(text: str, value: float) -> None:
    assert parse_real(text) == value


@pytest.mark.parametrize("text", ["", "abc", "1.2.3", "1e", "--1", "nan", "inf", "1_000", "0x10", "1,5", "1 2", "１"])
def test_what_is_no_real(text: str) -> None:
    assert parse_real(text) is None


def test_integers_have_no_point_and_any_length() -> None:
    assert parse_integer("-12") == -12
    assert parse_integer("123456789012") == 123456789012
    assert parse_integer("1.0") is None
    assert parse_integer("²") is None
    assert parse_integer("-" + "9" * 5000) < -(10**900)
    assert parse_integer("1_0") is None


def test_zeros_in_any_spelling() -> None:
    assert all(is_zero(text) for text in ("0", "0.0", "-0.", "0.0E+00", "0.D0"))
    assert not is_zero("0.1")
    assert not is_zero("x")


def test_nearest_ids_are_sorted() -> None:
    assert nearest(10, [1, 9, 12, 40, 11]) == [9, 11, 12]


def test_long_lists_are_cut() -> None:
    assert numbered_list([1, 2, 3]) == "1, 2, 3"
    assert numbered_list(list(range(9)), 3) == "0, 1, 2 and 6 more"


def test_a_number_and_its_noun():
    assert counted(1, "step", "steps") == "1 step"
    assert counted(0, "row") == "0 rows"
    assert counted(2, "body", "bodies") == "2 bodies"
