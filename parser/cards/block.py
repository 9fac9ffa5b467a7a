"""One block of a deck: the way from an object of the model back to the text."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from ..text.diagnostics import Diagnostic, Severity
from ..text.numbers import is_number
from ..text.rulers import draw_ruler
from ..text.source import Source
from .layout import Card, Field, Keyword, Layout, Layouts

UNTITLED = "the first line of a block is its title; is it missing?"
_DIRECTIONS = ("X", "Y", "Z", "XX", "YY", "ZZ")


class _Place(ABC):
    """What messages can be about: a block, or one record of its list."""

    __slots__ = ()

    @abstractmethod
    def find(self, field: str) -> tuple[int, Card, Field] | None:
        """Where a field stands: offset from the first line of the body, card and field; None if it is not there."""

    @abstractmethod
    def _own_line(self) -> tuple[Block, int, str]:
        """Its block, and the line of the resolved text that stands for all of it: number and text."""

    def diagnose(
        self,
        severity: Severity,
        message: str,
        *,
        field: str = "",
        found: str = "",
        allowed: str = "",
        hint: str = "",
    ) -> Diagnostic:
        """As `Where.diagnose`."""
        block, line, text = self._own_line()
        place = self.find(field)
        if place is not None:
            return block.diagnose_field(severity, message, *place, found=found, allowed=allowed, hint=hint)
        return block.diagnose_line(severity, message, line, text, field=field, found=found, allowed=allowed, hint=hint)


class Block(_Place):
    """A block as read: its header taken apart, its card lines as text. Fulfils the protocol `Where`.

    source : where its lines come from
    layouts : look-up of the cards that its keyword has in this deck
    header_line, body_line : lines of the resolved text (1-based)
    placed : the cards that were read, and where each stands: offset from the first line of the body
    absent : the cards that the block does without
    """

    __slots__ = (
        "absent",
        "body",
        "body_line",
        "declaration",
        "header",
        "header_line",
        "id",
        "keyword",
        "layouts",
        "options",
        "placed",
        "source",
        "title",
        "title_line",
        "unit_id",
    )

    def __init__(
        self, source: Source, layouts: Layouts, declaration: Keyword, keyword: str, header: str, header_line: int
    ) -> None:
        self.source = source
        self.layouts = layouts
        self.declaration = declaration
        self.keyword = keyword
        self.header = header
        self.header_line = header_line
        self.id: int | None = None
        self.unit_id = 0
        self.title = ""
        self.title_line = 0
        self.body = ""
        self.body_line = header_line + 1
        self.options: list[str] = []
        self.placed: list[tuple[int, Card]] = []
        self.absent: list[Card] = []

    @property
    def file(self) -> str:
        return self.source.place(self.header_line)[0]

    @property
    def line(self) -> int:
        return self.source.place(self.header_line)[1]

    @property
    def place(self) -> str:
        """`FILE:LINE` of the header."""
        return f"{self.file}:{self.line}"

    @property
    def name(self) -> str:
        """The header without its unit: `/GJOINT/GEAR/3`."""
        return self.keyword if self.id is None else f"{self.keyword}/{self.id}"

    @property
    def looks_untitled(self) -> bool:
        """Whether the title looks like a card: numbers, and maybe a direction among them."""
        words = self.title.replace(",", " ").split()
        others = [word for word in words if not is_number(word)]
        return len(others) < len(words) and all(word.upper() in _DIRECTIONS for word in others)

    @property
    def layout(self) -> Layout:
        """The cards that the keyword has in this deck."""
        return self.layouts.of(self.declaration)

    def lines(self) -> list[str]:
        """All lines of the body, comments included."""
        lines = self.body.split("\n")
        lines.pop()
        return lines

    def data_lines(self) -> list[tuple[int, str]]:
        """The card lines: offset from the first line of the body, and text."""
        lines = self.lines()
        if "#" not in self.body and "$" not in self.body:
            return list(enumerate(lines))
        return [(k, line) for k, line in enumerate(lines) if not line.startswith(("#", "$"))]

    def cards_there(self) -> tuple[Card, ...]:
        """The cards of the layout, without those that other values rule out."""
        return tuple(card for card in self.layout.cards if not (card.only_if and card in self.absent))

    def find(self, field: str) -> tuple[int, Card, Field] | None:
        """Where a field of the cards stands: body line, card and field; None if the block ends before its card."""
        for offset, card in self.placed:
            declared = card.find(field)
            if declared is not None:
                return offset, card, declared
        return None

    def blank_card_before(self, offset: int) -> str:
        """A hint, where a blank line stands among the cards before a body line: it may be one too many."""
        for k, line in reversed(self.data_lines()):
            if k < offset and not line.strip():
                number = next((self.layout.cards.index(card) for at, card in self.placed if at == k), None)
                read = "" if number is None else f" and was read as card {number + self.declaration.first_card}"
                return f"line {self.source.place(self.body_line + k)[1]} is blank{read}: one line too many?"
        return ""

    def _own_line(self) -> tuple[Block, int, str]:
        return self, self.header_line, self.header

    def diagnose_field(
        self,
        severity: Severity,
        message: str,
        offset: int,
        card: Card,
        field: Field,
        *,
        found: str = "",
        allowed: str = "",
        hint: str = "",
        span: tuple[int, int] | None = None,
    ) -> Diagnostic:
        """A message about one field of the body line at `offset`; `span` narrows the caret (0-based columns)."""
        text = self.lines()[offset]
        column, ruler, cell = draw_ruler(text, card.fields, field, span)
        return self.diagnose_line(
            severity,
            message,
            self.body_line + offset,
            text,
            field=field.name,
            found=found or cell,
            allowed=allowed,
            hint=hint,
            column=column,
            ruler=ruler,
        )

    def diagnose_id(self, message: str, offset: int, id: int, *, hint: str = "") -> Diagnostic:
        """An error about an id that stands somewhere on the body line at `offset`."""
        line = self.lines()[offset]
        match = re.search(rf"(?<![0-9]){id}(?![0-9])", line)
        begin, end = match.span() if match else (0, 0)
        return self.diagnose_line(
            "error",
            message,
            self.body_line + offset,
            line,
            found=str(id),
            hint=hint,
            column=begin + 1 if match else 0,
            ruler=" " * begin + "^" * (end - begin),
        )

    def diagnose_line(
        self,
        severity: Severity,
        message: str,
        line: int,
        text: str = "",
        *,
        field: str = "",
        found: str = "",
        allowed: str = "",
        hint: str = "",
        column: int = 0,
        ruler: str = "",
    ) -> Diagnostic:
        """A message about one line of the resolved text."""
        if severity == "error" and self.looks_untitled:
            hint = f"{UNTITLED} If not: {hint}" if hint else UNTITLED
        file, file_line = self.source.place(line)
        return Diagnostic(
            severity,
            message,
            file,
            file_line,
            column,
            self.keyword,
            self.id,
            self.title,
            field,
            found,
            allowed,
            hint,
            text.rstrip(),
            ruler,
        )


class Row(_Place):
    """One record of a list of a block (a spring of /SPRING, a line of /TH). Fulfils the protocol `Where`."""

    __slots__ = ("block", "id", "offset")

    def __init__(self, block: Block, offset: int, id: int | None) -> None:
        self.block = block
        self.offset = offset
        self.id = id

    @property
    def file(self) -> str:
        return self.block.source.place(self.block.body_line + self.offset)[0]

    @property
    def line(self) -> int:
        return self.block.source.place(self.block.body_line + self.offset)[1]

    @property
    def keyword(self) -> str:
        return self.block.keyword

    @property
    def title(self) -> str:
        return self.block.title

    def find(self, field: str) -> tuple[int, Card, Field] | None:
        """Where a field of the record stands, as `Block.find`."""
        for index, card in enumerate(self.block.layout.records):
            declared = card.find(field)
            if declared is not None:
                return self.offset + index, card, declared
        return None

    def _own_line(self) -> tuple[Block, int, str]:
        return self.block, self.block.body_line + self.offset, self.block.lines()[self.offset]
