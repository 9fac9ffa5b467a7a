"""Rulers: the marks below a quoted card line that show where its fields stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

_WORD = re.compile(r"\S+")
_DIGIT_PAIR = re.compile(r"\s*(\d{3})\s+(\d{3})\s*")


class Columns(Protocol):
    """The place of a field in a line: `first` and `last` column (1-based, inclusive); `kind` is "text", "digits" ..."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int: ...


def is_comma_separated(line: str, fields: Sequence[Columns]) -> bool:
    """Whether commas part the values of a line; on a card that is one text from end to end, a comma is a comma."""
    return "," in line and not (len(fields) == 1 and fields[0].kind == "text") and bool(_separators(line))


def _separators(line: str) -> list[int]:
    """Places of the commas that part values: those outside of brackets, or all where brackets do not match."""
    depth, found = 0, []
    for place, sign in enumerate(line):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            found.append(place)
    return found if depth == 0 else [place for place, sign in enumerate(line) if sign == ","]


def marks_of(fields: Sequence[Columns]) -> str:
    """A line that marks each field from its first column to its last: `[--node--][-------X--------]`."""
    marks = ""
    for field in sorted(fields, key=lambda entry: entry.first):
        marks = marks.ljust(field.first - 1) + _mark(field)
    return marks


def _mark(field: Columns) -> str:
    width = field.last - field.first + 1
    if width < 3:
        return "^" * width
    return "[" + field.name[: width - 2].center(width - 2, "-") + "]"


def draw_ruler(
    line: str, fields: Sequence[Columns], field: Columns, span: tuple[int, int] | None = None
) -> tuple[int, str, str]:
    """Column of the caret (1-based), the ruler with the caret line, and what stands in the field.

    fields : of the whole card, in the order of its values

    On a comma-separated line only the caret is drawn.
    """
    if is_comma_separated(line, fields):
        begin, end = span or _comma_span(line, fields, field)
        cell = line[begin:end].strip()
        begin += len(line[begin:end]) - len(line[begin:end].lstrip())
        return begin + 1, " " * begin + "^" * max(len(cell), 1), cell
    begin, end = span or _cell_span(line, field)
    cell = line[begin:end].strip()
    return begin + 1, f"{marks_of(fields)}\n" + " " * begin + "^" * (end - begin), cell


def _cell_span(line: str, field: Columns) -> tuple[int, int]:
    """What to point at for a field: what stands in it, or all of it if it is blank."""
    cell = line[field.first - 1 : field.last]
    words = cell.strip()
    if not words:
        return field.first - 1, field.last
    begin = field.first - 1 + len(cell) - len(cell.lstrip())
    return begin, begin + len(words)


def comma_spans(line: str, fields: Sequence[Columns]) -> list[tuple[int, int]]:
    """The columns (0-based, end exclusive) of the values of a comma-separated line, in the order of the fields.

    Empty values at the end do not count. Two groups of three digits in one place, `111 111`, are two values where
    the card has two fields of digits side by side: so they stand in columns, too.
    """
    spans: list[tuple[int, int]] = []
    begin, line = 0, line.rstrip(", ")
    for end in [*_separators(line), len(line)]:
        item = line[begin:end]
        kinds = [field.kind for field in fields[len(spans) : len(spans) + 2]]
        pair = _DIGIT_PAIR.fullmatch(item) if kinds == ["digits", "digits"] else None
        if pair:
            spans.extend((begin + pair.start(group), begin + pair.end(group)) for group in (1, 2))
        else:
            spans.append((begin, begin + len(item)))
        begin += len(item) + 1
    return spans


def _comma_span(line: str, fields: Sequence[Columns], field: Columns) -> tuple[int, int]:
    """The columns of one value of a comma-separated line; just behind the line if it has none."""
    spans = comma_spans(line, fields)
    index = fields.index(field)
    return spans[index] if index < len(spans) else (len(line), len(line) + 1)


def words_of(line: str) -> list[tuple[int, int]]:
    """The columns (0-based, end exclusive) of the words of a line."""
    return [match.span() for match in _WORD.finditer(line)]
