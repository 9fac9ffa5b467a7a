"""Bulk tables: many lines of one card, read through NumPy in one piece.

Lines that are not plain columns of numbers (comments, comma-separated lines, parameters, anything odd) are
picked out and read one by one, by the same rules and with the same messages as any other card.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..text.numbers import MAXIMUM_DIGITS
from ..text.rulers import words_of
from .block import Block
from .card_reader import CompiledCard
from .layout import Field, Values, cards_text
from .reading import Reading

Bytes = NDArray[np.uint8]

_PLAIN = b"0123456789+-.eE \n"
_BLANK = 32
_CHUNK = 1 << 16
_FEW_LINES = 24


@dataclass(slots=True)
class Records:
    """The records of a list: one array (a list for text) a field, and the body line each record starts at.

    good : no line had an error; after one, only lists that define ids go on being used, so that what refers to
        these ids is not complained about as well
    """

    columns: dict[str, Any]
    offsets: NDArray[np.int64]
    good: bool = True

    def __len__(self) -> int:
        return len(self.offsets)


def read_records(reading: Reading, block: Block, cards: tuple[CompiledCard, ...], first: int) -> Records:
    """The records of a block, from data line `first` on; errors are reported and make it not `good`."""
    numeric = len(cards) == 1 and all(f.kind in ("integer", "real") for f in cards[0].card.fields)
    if numeric and first == 0 and block.body.count("\n") > _FEW_LINES:
        return _read_table(reading, block, cards[0])
    return _read_lines(reading, block, cards, first)


def _read_lines(reading: Reading, block: Block, cards: tuple[CompiledCard, ...], first: int) -> Records:
    lines = block.data_lines()[first:]
    used = len(lines)
    while used and not lines[used - 1][1].strip():
        used -= 1
    # A blank line may be the last card of a record, with all its defaults.
    lines = lines[: -(-used // len(cards)) * len(cards)]
    rows: list[Values] = []
    offsets: list[int] = []
    good = True
    for start in range(0, len(lines), len(cards)):
        values: Values = {}
        for (offset, line), card in zip(lines[start : start + len(cards)], cards, strict=False):
            if not line.strip() and len(cards) == 1:
                _report_blank(reading, block, offset)
                good = False
            elif not card.read(reading, block, offset, line, values):
                good = False
                _save_id(card, line, values)
        if start + len(cards) > len(lines):
            report_missing_card(reading, block, cards[len(lines) - start], lines)
            good = False
        if good or cards[0].card.fields[0].name in values:
            rows.append(values)
            offsets.append(lines[start][0])
    fields = [field for card in cards for field in card.card.fields]
    columns = {field.name: _as_column(field, rows) for field in fields}
    return Records(columns, np.array(offsets, dtype=np.int64), good)


def _save_id(card: CompiledCard, line: str, values: Values) -> None:
    """The id on a line with an error, if it can be told: the first word, alone in its cell."""
    field = card.card.fields[0]
    words = words_of(line.replace(",", " "))
    alone = "," in line or len(words) < 2 or words[1][0] >= field.last
    word = line[slice(*words[0])]
    if field.name not in values and alone and word.isdigit() and len(word) <= MAXIMUM_DIGITS:
        values[field.name] = int(word)


def _as_column(field: Field, rows: list[Values]) -> Any:
    values = [row.get(field.name, field.default) for row in rows]
    if field.kind == "integer":
        return np.array(values, dtype=np.int64)
    return np.array(values, dtype=np.float64) if field.kind == "real" else values


def _report_blank(reading: Reading, block: Block, offset: int) -> None:
    reading.report(
        block.diagnose_line(
            "error",
            "a blank line stands inside a list",
            block.body_line + offset,
            hint="delete it; if a line of zeros is meant, write the zeros",
        )
    )


def report_missing_card(
    reading: Reading, block: Block, card: CompiledCard, data: list[tuple[int, str]], *, broken: bool = False
) -> None:
    """A block (or a record of it) ends before a card that it needs.

    data : the lines that there are
    broken : one of them had an error
    """
    offset, text = data[-1] if data else (-1, block.header)
    cards = block.cards_there()
    allowed, hint = f"next a card with {' '.join(field.name for field in card.card.fields)}", ""
    if len(data) > 1 and card.card in cards and not card.card.count:
        number = cards.index(card.card) + block.declaration.first_card
        allowed = cards_text(block.declaration, cards)
        hint = (
            "the line of the other error may be meant as the card after the one it was read as"
            if broken
            else f"if this line is meant as card {number}, card {number - 1} is missing"
        )
        hint += "; a blank line is a card of defaults"
    line = block.body_line + offset if data else block.header_line
    reading.report(
        block.diagnose_line(
            "error", "the block ends too early: a card is missing", line, text, allowed=allowed, hint=hint
        )
    )


def _read_table(reading: Reading, block: Block, card: CompiledCard) -> Records:
    data = block.body.encode("latin-1", "replace")
    buffer = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(buffer == ord("\n"))
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    width = card.end
    plain = np.ones(len(starts), dtype=bool)
    if data.translate(None, _PLAIN):
        plain &= _plain_lines(buffer, starts)
    matrix = _fixed_width(buffer, starts, lengths, width)
    plain &= ~_odd_layout(card, matrix, buffer, starts, lengths, width)
    if plain.all():
        columns = _convert(card, matrix)
        if columns is not None:
            return Records(columns, np.arange(len(starts), dtype=np.int64))
        return _read_lines(reading, block, (card,), 0)
    return _read_mixed(reading, block, card, matrix, plain, starts, ends)


def _plain_lines(buffer: Bytes, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which lines hold nothing but the characters of plain numbers."""
    allowed = np.zeros(256, dtype=bool)
    allowed[list(_PLAIN)] = True
    odd = np.flatnonzero(~allowed[buffer])
    plain = np.ones(len(starts), dtype=bool)
    plain[np.searchsorted(starts, odd, side="right") - 1] = False
    return plain


def _fixed_width(buffer: Bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> Bytes:
    """The lines as a matrix of `width` columns, padded with blanks."""
    count = len(starts)
    if lengths[0] >= width and (lengths == lengths[0]).all():
        return buffer.reshape(count, lengths[0] + 1)[:, :width]
    matrix = np.full((count, width), _BLANK, dtype=np.uint8)
    columns = np.arange(width)
    for begin in range(0, count, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        index = np.minimum(starts[part, None] + columns, len(buffer) - 1)
        matrix[part] = np.where(columns < lengths[part, None], buffer[index], _BLANK)
    return matrix


def _odd_layout(
    card: CompiledCard, matrix: Bytes, buffer: Bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int
) -> NDArray[np.bool_]:
    """Lines with text across a border, between fields or after the last field, and blank lines."""
    odd = lengths > width
    if odd.any():
        odd &= _has_text_beyond(buffer, starts, lengths, width)
    first_cell = card.card.fields[0]
    candidates = np.flatnonzero((matrix[:, first_cell.first - 1 : first_cell.last] == _BLANK).all(axis=1))
    odd[candidates[(matrix[candidates] == _BLANK).all(axis=1)]] = True
    for first, last in card.gaps:
        odd |= (matrix[:, first:last] != _BLANK).any(axis=1)
    fields = sorted(card.card.fields, key=lambda field: field.first)
    for left, right in pairwise(fields):
        if left.last in card.borders:
            touching = (matrix[:, left.last - 1] != _BLANK) & (matrix[:, left.last] != _BLANK)
            if touching.any():
                odd |= touching & ~_clearly_two(matrix, right)
    return odd


def _clearly_two(matrix: Bytes, right: Field) -> NDArray[np.bool_]:
    """Touching fields that can only be two numbers: the right one is full, signed and has a decimal point."""
    cells = matrix[:, right.first - 1 : right.last]
    signed = (cells[:, 0] == ord("-")) | (cells[:, 0] == ord("+"))
    return signed & (cells != _BLANK).all(axis=1) & (cells == ord(".")).any(axis=1)


def _has_text_beyond(
    buffer: Bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int
) -> NDArray[np.bool_]:
    filled = np.concatenate(([0], np.cumsum((buffer != _BLANK) & (buffer != ord("\n")))))
    first = np.minimum(starts + width, starts + lengths)
    return filled[starts + lengths] > filled[first]


def _convert(card: CompiledCard, matrix: Bytes) -> dict[str, Any] | None:
    """The columns of a matrix of plain lines; None if a cell is no number."""
    columns: dict[str, Any] = {}
    for field in card.card.fields:
        cells = np.ascontiguousarray(matrix[:, field.first - 1 : field.last])
        if len(cells) and (blank := (cells == _BLANK).all(axis=1)).any():
            cells[blank, -1] = ord("0")
        width = field.last - field.first + 1
        kind = np.int64 if field.kind == "integer" else np.float64
        try:
            columns[field.name] = cells.view(f"S{width}").ravel().astype(kind)
        except (ValueError, OverflowError):
            return None
        if kind is np.float64 and not np.isfinite(columns[field.name]).all():
            return None
    return columns


def _read_mixed(
    reading: Reading,
    block: Block,
    card: CompiledCard,
    matrix: Bytes,
    plain: NDArray[np.bool_],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Records:
    """A table with some lines that are not plain: those are read one by one."""
    columns = _convert(card, matrix[plain])
    if columns is None:
        return _read_lines(reading, block, (card,), 0)
    body = block.body
    last = len(plain)
    while last and not body[starts[last - 1] : ends[last - 1]].strip():
        last -= 1
    offsets: list[int] = []
    rows: list[Values] = []
    good = True
    for offset in np.flatnonzero(~plain[:last]).tolist():
        line = body[starts[offset] : ends[offset]]
        if line.startswith(("#", "$")):
            continue
        if not line.strip():
            _report_blank(reading, block, offset)
            good = False
            continue
        values: Values = {}
        if not card.read(reading, block, offset, line, values):
            good = False
            _save_id(card, line, values)
        if good or card.card.fields[0].name in values:
            rows.append(values)
            offsets.append(offset)
    where = np.concatenate((np.flatnonzero(plain), np.array(offsets, dtype=np.int64)))
    order = np.argsort(where, kind="stable")
    for field in card.card.fields:
        slow = _as_column(field, rows)
        columns[field.name] = np.concatenate((columns[field.name], slow))[order]
    return Records(columns, where[order], good)
