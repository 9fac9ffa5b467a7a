"""Rulers: the marks below a quoted card line that show where its fields stand."""

from __future__ import annotations

import re

from .layout import Card, Field

_WORD = re.compile(r"\S+")


def find_field(card: Card, name: str) -> Field | None:
    """The field of that name on a card."""
    return next((field for field in card.fields if field.name == name), None)


def mark(field: Field) -> str:
    """The mark of one field, as wide as the field: `[--Mass1--]`."""
    width = field.last - field.first + 1
    if width < 3:
        return "^" * width
    return "[" + field.name[: width - 2].center(width - 2, "-") + "]"


def draw_ruler(line: str, card: Card, field: Field, span: tuple[int, int] | None = None) -> tuple[int, str, str]:
    """Column of the caret (1-based), the ruler with the caret line, and what stands in the field.

    On a comma-separated line only the caret is drawn.
    """
    if "," in line:
        begin, end = span or comma_span(line, card.fields.index(field))
        cell = line[begin:end].strip()
        begin += len(line[begin:end]) - len(line[begin:end].lstrip())
        return begin + 1, " " * begin + "^" * max(len(cell), 1), cell
    marks = ""
    for entry in sorted(card.fields, key=lambda f: f.first):
        marks = marks.ljust(entry.first - 1) + mark(entry)
    begin, end = span or _cell_span(line, field)
    cell = line[begin:end].strip()
    return begin + 1, f"{marks}\n" + " " * begin + "^" * (end - begin), cell


def _cell_span(line: str, field: Field) -> tuple[int, int]:
    """What to point at for a field: what stands in it, or all of it if it is blank."""
    cell = line[field.first - 1 : field.last]
    words = cell.strip()
    if not words:
        return field.first - 1, field.last
    begin = field.first - 1 + len(cell) - len(cell.lstrip())
    return begin, begin + len(words)


def comma_span(line: str, index: int) -> tuple[int, int]:
    """The columns (0-based, end exclusive) of the item `index` of a comma-separated line."""
    begin = 0
    for _ in range(index):
        comma = line.find(",", begin)
        if comma < 0:
            return len(line), len(line) + 1
        begin = comma + 1
    end = line.find(",", begin)
    return begin, len(line) if end < 0 else end


def words_of(line: str) -> list[tuple[int, int]]:
    """The columns (0-based, end exclusive) of the words of a line."""
    return [match.span() for match in _WORD.finditer(line)]
