"""Reading one card line into values, by its declaration.

`CompiledCard.read` is the quick way for lines without anything odd; whatever it does not like goes to
`_CarefulReader`, which reads the same line by the same rules and says what is wrong.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from ..text.expressions import ExpressionError, is_calculation
from ..text.numbers import MAXIMUM_DIGITS, counted, is_number, is_zero, parse_integer, parse_real
from ..text.rulers import comma_spans, draw_ruler, is_comma_separated, words_of
from .block import Block
from .layout import LAST_COLUMN, Card, Field, Values
from .reading import Reading

_INTEGER, _REAL, _TEXT, _DIGITS, _DIRECTION = range(5)
_CODES = {"integer": _INTEGER, "real": _REAL, "text": _TEXT, "digits": _DIGITS, "direction": _DIRECTION}
_DIGIT_VALUES = {"": False, " ": False, "0": False, "1": True}
_TOO_LARGE = 10**MAXIMUM_DIGITS
_PARAMETER = re.compile(r"-?&\w*")
_THREE_DIGITS = "three digits, each 0 or 1, for X, Y and Z, for example 101"


class CompiledCard:
    """A card made ready for quick reading."""

    __slots__ = ("borders", "card", "end", "fields", "gaps")

    def __init__(self, card: Card) -> None:
        self.card = card
        fields = sorted(card.fields, key=lambda field: field.first)
        self.fields = [(f.name, f.first - 1, f.last, _CODES[f.kind], f.default) for f in card.fields]
        self.borders = [left.last for left, right in pairwise(fields) if _can_clash(left, right)]
        self.gaps: list[tuple[int, int]] = []
        column = 0
        for field in fields:
            if field.first - 1 > column:
                self.gaps.append((column, field.first - 1))
            column = field.last
        self.end = column

    def read(self, reading: Reading, block: Block, offset: int, line: str, values: Values) -> bool:
        """Put the fields of `line` (body line `offset`) into `values`; False after an error."""
        if "\t" in line or "," in line or "&" in line or "_" in line or not line.isascii():
            return self._read_carefully(reading, block, offset, line, values)
        length = len(line)
        for column in self.borders:
            if column < length and line[column] != " " and line[column - 1] != " ":
                return self._read_carefully(reading, block, offset, line, values)
        for first, last in self.gaps:
            if first < length and line[first:last].strip():
                return self._read_carefully(reading, block, offset, line, values)
        if length > self.end and line[self.end :].strip():
            return self._read_carefully(reading, block, offset, line, values)
        for name, first, last, code, default in self.fields:
            cell = line[first:last].strip()
            if not cell:
                values[name] = default
            elif code == _INTEGER:
                if not cell.isdigit():
                    return self._read_carefully(reading, block, offset, line, values)
                values[name] = int(cell)
            elif code == _REAL:
                try:
                    value = float(cell)
                except ValueError:
                    return self._read_carefully(reading, block, offset, line, values)
                if value - value != 0.0:
                    return self._read_carefully(reading, block, offset, line, values)
                values[name] = value
            elif code == _TEXT:
                values[name] = cell
            else:
                return self._read_carefully(reading, block, offset, line, values)
        return True

    def _read_carefully(self, reading: Reading, block: Block, offset: int, line: str, values: Values) -> bool:
        """As `read`, for any line; every fault of the line goes to the diagnostics."""
        return _CarefulReader(self, reading, block, offset, line).read(values)


def _can_clash(left: Field, right: Field) -> bool:
    """Whether text at the border of two fields could belong to one number: the fields touch and are not text."""
    return left.last + 1 == right.first and left.kind != "text" and right.kind != "text"


class _CarefulReader:
    """Reads one line, explaining whatever is wrong with it."""

    def __init__(self, compiled: CompiledCard, reading: Reading, block: Block, offset: int, line: str) -> None:
        self.reading = reading
        self.card = compiled.card
        self.end = compiled.end
        self.gaps = compiled.gaps
        self.block = block
        self.offset = offset
        self.line = line

    def read(self, values: Values) -> bool:
        tab = self.line.find("\t")
        if tab >= 0:
            self._complain_line("a tab stands in a data line", tab, hint="replace it by blanks")
            return False
        if is_comma_separated(self.line, self.card.fields):
            return self._read_commas(values)
        if not self._check_borders():
            return False
        good = True
        for field in self.card.fields:
            cell = self.line[field.first - 1 : field.last]
            good &= self._convert(field, cell if field.kind == "digits" else cell.strip(), values)
        return good

    def _read_commas(self, values: Values) -> bool:
        fields = self.card.fields
        spans = comma_spans(self.line, self.card.fields)
        if len(spans) > len(fields):
            cards = self.block.layout.cards
            number = cards.index(self.card) + self.block.declaration.first_card if self.card in cards else 0
            read_as = f"it was read as card {number} of the block" if number else ""
            self._complain_line(
                f"the line holds {len(spans)} values, the card has {counted(len(fields), 'field')}",
                spans[len(fields)][0],
                allowed=", ".join(field.name for field in fields),
                hint="; ".join(filter(None, (read_as, self._with_points(), self.block.blank_card_before(self.offset)))),
            )
            return False
        cells = [self.line[begin:end].strip() for begin, end in spans] + [""] * (len(fields) - len(spans))
        for field, cell in zip(fields, cells, strict=True):
            # Two values in one place: all that follow may stand in the wrong place, and nothing is said about them.
            if len(cell.split()) > 1 and field.kind not in ("text", "direction"):
                self._complain_crowd(field, cell)
                return False
        good = True
        for field, cell in zip(fields, cells, strict=True):
            good &= self._convert(field, cell, values)
        return good

    def _with_points(self) -> str:
        """Of a line with too many values: the line with points for commas within numbers, if it fits the card so."""
        with_points = re.sub(r"(?<=\d),(?=\d)", ".", self.line)
        fits = len(comma_spans(with_points, self.card.fields)) <= len(self.card.fields)
        if not fits or not re.search(r",\s", self.line):  # without blanks any comma may separate
            return ""
        return f"decimals take a point: {with_points.strip()}"

    def _complain_crowd(self, field: Field, cell: str) -> None:
        """More than one value between two commas."""
        if field.kind != "digits":
            self._complain_cell(field, cell)
            return
        after = self.card.fields[self.card.fields.index(field) + 1 :]
        paired = bool(after) and after[0].kind == "digits"
        hint = f"write {field.name} and {after[0].name} as two values: 111, 111" if paired else ""
        self._complain(field, f"{field.name} holds more than one value", allowed=_THREE_DIGITS, hint=hint)

    def _check_borders(self) -> bool:
        """Look for what stands across a border, between the fields, or after the last of them."""
        fields = sorted(self.card.fields, key=lambda field: field.first)
        inside = {column for field in fields for column in range(field.first - 1, field.last)}
        for begin, end in words_of(self.line):
            touched = [f for f in fields if f.first - 1 < end and f.last > begin]
            if any(field.kind == "text" for field in touched):
                continue
            word = self.line[begin:end]
            outside = any(column not in inside for column in range(begin, end))
            if len(touched) > 1 or (touched and outside):
                if not self._may_touch(begin, end, touched, outside):
                    self._complain_spill(begin, end, touched)
                    return False
            elif outside and not is_zero(word):
                if begin >= self.end:
                    self._warn_beyond(begin)
                    return True
                self._complain_gap(begin, end)
                return False
        return True

    def _may_touch(self, begin: int, end: int, touched: list[Field], outside: bool) -> bool:
        """Whether a run of characters over several fields can only be meant as one value a field.

        It can if every field is full up to the next, as programs write them, and the run is not itself one number.
        Full integer fields may touch: ten digits are the most an id can have.
        """
        if outside:
            return False
        cells = [self.line[field.first - 1 : field.last] for field in touched]
        kinds = {field.kind for field in touched}
        full = [
            " " not in cell and len(cell) == field.last - field.first + 1
            for cell, field in zip(cells, touched, strict=True)
        ]
        if kinds == {"integer"}:
            return all(full[1:])
        if is_number(self.line[begin:end]):
            return False
        return all(full[k] or full[k + 1] or cells[k + 1][0] in "+-" for k in range(len(cells) - 1)) and all(
            self._is_value(field, cell.split()) for field, cell in zip(touched, cells, strict=True)
        )

    def _is_value(self, field: Field, words: list[str]) -> bool:
        if len(words) != 1:
            return False
        return parse_integer(words[0]) is not None if field.kind == "integer" else is_number(words[0])

    def _convert(self, field: Field, cell: str, values: Values) -> bool:
        if field.kind == "digits":
            return self._convert_digits(field, cell, values)
        if field.kind == "text":
            values[field.name] = cell
            return True
        if not cell:
            values[field.name] = field.default
            return True
        if field.kind == "direction":
            values[field.name] = cell.upper()
            return True
        if _PARAMETER.fullmatch(cell):
            return self._convert_parameter(field, cell, values)
        if is_calculation(cell) and not is_number(cell) and len(cell.split()) == 1:
            return self._convert_expression(field, cell, values)
        value: Any
        if field.kind == "integer":
            value = parse_integer(cell)
            if value is not None and abs(value) >= _TOO_LARGE:
                self._complain_digits(field)
                return False
        else:
            value = parse_real(cell)
            if value is not None and value - value != 0.0:
                self._complain(field, f"{field.name} is too large", allowed="a number below 1e308")
                return False
        if value is None:
            self._complain_cell(field, cell)
            return False
        values[field.name] = value
        return True

    def _convert_digits(self, field: Field, cell: str, values: Values) -> bool:
        commas = is_comma_separated(self.line, self.card.fields)
        flags = [_DIGIT_VALUES.get(cell[k : k + 1]) for k in range(3)]
        # Without columns, 11 could be 110 as well as 011.
        too_few = commas and len(cell) < 3 and cell not in ("", "0")
        if None in flags or len(cell) > 3 or too_few:
            self._complain(
                field,
                f"{field.name} takes one digit each for X, Y and Z",
                allowed=_THREE_DIGITS if commas else f"0 or 1 in each of {field.columns}, for example 101",
            )
            return False
        values[field.name] = tuple(flags)
        return True

    def _convert_parameter(self, field: Field, cell: str, values: Values) -> bool:
        negative = cell.startswith("-")
        name = cell.lstrip("-")[1:]
        parameters = self.reading.parameters
        if name not in parameters:
            self._complain(
                field,
                f"no parameter is called {name}" if name else "a parameter name must follow &",
                hint=self.reading.suggest_parameter(name),
            )
            return False
        value = parameters[name]
        if value is None:
            return False
        return self._keep(field, -value if negative else value, f"the parameter {name}", values)

    def _convert_expression(self, field: Field, cell: str, values: Values) -> bool:
        """24/72, 2*pi/60, &a/3: as in /PARAMETER, without blanks."""
        try:
            value = self.reading.calculate(cell)
        except ExpressionError as error:
            begin = draw_ruler(self.line, self.card.fields, field)[0] - 1 + min(error.position, len(cell) - 1)
            self._add(
                field,
                f"{field.name}: {error.message}",
                (begin, begin + 1),
                found=cell,
                allowed="a number, or an expression such as 24/72 or 2*pi*&speed",
            )
            return False
        return value is not None and self._keep(field, value, cell, values)

    def _keep(self, field: Field, value: float, origin: str, values: Values) -> bool:
        """Take a value that was worked out; origin says from what."""
        if field.kind == "integer" and value != int(value):
            self._complain(field, f"{field.name} is a whole number, and {origin} is {value!r}")
            return False
        if field.kind == "integer" and abs(value) >= _TOO_LARGE:
            self._complain_digits(field)
            return False
        values[field.name] = int(value) if field.kind == "integer" else float(value)
        return True

    def _complain_digits(self, field: Field) -> None:
        message, allowed = f"{field.name} has more than {MAXIMUM_DIGITS} digits", f"at most {MAXIMUM_DIGITS} digits"
        self._complain(field, message, allowed=allowed)

    def _complain_cell(self, field: Field, cell: str) -> None:
        what = "a whole number" if field.kind == "integer" else "a number"
        if len(cell.split()) > 1:
            commas = is_comma_separated(self.line, self.card.fields)
            hint = f"a number may have slipped out of its columns: move it there, {self._with_commas()}"
            if commas:
                hint = "a comma separates values; a decimal point is a point"
            joined = "".join(cell.split())
            if set(joined) & set("*/^("):
                hint = f"an expression is written without blanks: {joined}"
            self._complain(
                field,
                f"{field.name} holds more than one value",
                allowed=f"one number {'between two commas' if commas else f'in {field.columns}'}",
                hint=hint,
            )
            return
        example = "" if field.kind == "integer" else ", such as 1.5, 2e-3 or 1.5D-3"
        hint = f"the value of the parameter is written &{cell}" if cell in self.reading.parameters else ""
        self._complain(field, f"{field.name} is not {what}", allowed=f"{what}{example}", hint=hint)

    def _complain_spill(self, begin: int, end: int, touched: list[Field]) -> None:
        if len(touched) == 1:
            message = f"what stands here is partly outside the columns of {touched[0].name}"
        else:
            message = f"what stands here runs over the border between {touched[0].name} and {touched[1].name}"
        field = touched[0]
        if self.line[begin:end].lstrip("+-").isdigit() and field.kind == "integer" and end - begin > MAXIMUM_DIGITS:
            hint = f"ids have at most {MAXIMUM_DIGITS} digits"
        else:
            hint = f"move it into its columns, {self._with_commas()}"
        allowed = " and ".join(f"{field.name} in {field.columns}" for field in touched[:2])
        self._add(field, message, (begin, end), allowed=allowed, hint=hint)

    def _with_commas(self) -> str:
        """How the line looks in free format, for a hint: the line itself if it has one word for each field."""
        words = self.line.split()
        values = words if len(words) == len(self.card.fields) else [field.name for field in self.card.fields]
        return f"or write it with commas, where columns do not matter: {', '.join(values)}"

    def _complain_gap(self, begin: int, end: int) -> None:
        after = [field for field in self.card.fields if field.first - 1 >= end]
        before = [field for field in self.card.fields if field.last <= begin]
        field = min(after, key=lambda f: f.first) if after else max(before, key=lambda f: f.last)
        self._add(
            field,
            "what stands here belongs to no field",
            (begin, end),
            allowed=f"{field.name} in {field.columns}",
            hint=f"move it into its columns, {self._with_commas()}",
        )

    def _warn_beyond(self, begin: int) -> None:
        column = LAST_COLUMN if begin >= LAST_COLUMN else self.end
        ruler = " " * begin + "^" * len(self.line[begin:].rstrip())
        self.reading.report(
            self.block.diagnose_line(
                "doubt",
                f"text after column {column} is not read",
                self.block.body_line + self.offset,
                self.line,
                found=self.line[begin:].strip(),
                column=begin + 1,
                ruler=ruler,
            )
        )

    def _complain(self, field: Field, message: str, *, allowed: str = "", hint: str = "") -> None:
        self._add(field, message, None, allowed=allowed, hint=hint)

    def _add(self, field: Field, message: str, span: tuple[int, int] | None, **more: str) -> None:
        self.reading.report(
            self.block.diagnose_field("error", message, self.offset, self.card, field, span=span, **more)
        )

    def _complain_line(self, message: str, column: int, *, allowed: str = "", hint: str = "") -> None:
        self.reading.report(
            self.block.diagnose_line(
                "error",
                message,
                self.block.body_line + self.offset,
                self.line.replace("\t", " "),
                allowed=allowed,
                hint=hint,
                column=column + 1,
                ruler=" " * column + "^",
            )
        )
