"""From text to blocks, by the grammar in `deck.lark`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lark import Lark, Token, Transformer


class RawBlock(NamedTuple):
    """The text of one block; lines are 1-based lines of the text that was parsed.

    body : the card lines with the comments between them, each ending in a newline
    """

    header: str
    header_line: int
    title: str
    title_line: int
    body: str
    body_line: int


class RawDeck(NamedTuple):
    """The blocks of a text, and what stands before the first of them."""

    stray: str
    stray_line: int
    blocks: list[RawBlock]


class _Collect(Transformer):
    """Turns the rules of the grammar into blocks while the parser runs."""

    def starter(self, children: list[RawBlock | Token]) -> RawDeck:
        if children and isinstance(children[0], Token):
            return RawDeck(children[0].value, children[0].line or 1, children[1:])  # type: ignore[arg-type]
        return RawDeck("", 0, children)  # type: ignore[arg-type]

    engine = starter

    def stray(self, children: list[Token]) -> Token:
        return children[0]

    def titled_block(self, children: list[Token]) -> RawBlock:
        header = children[0]
        line: int = header.line  # type: ignore[assignment]
        title = children[1] if len(children) > 1 else None
        body = children[2] if len(children) > 2 else None
        return RawBlock(
            header.value,
            line,
            title.value.strip() if title is not None else "",
            title.line or 0 if title is not None else 0,
            body.value if body is not None else "",
            body.line or 0 if body is not None else (title or header).end_line or line,
        )

    def untitled_block(self, children: list[Token]) -> RawBlock:
        header = children[0]
        line: int = header.line  # type: ignore[assignment]
        body = children[1] if len(children) > 1 else None
        if body is None:
            return RawBlock(header.value, line, "", 0, "", line + 1)
        return RawBlock(header.value, line, "", 0, body.value, body.line or 0)

    engine_block = untitled_block


@cache
def _parser(untitled: tuple[str, ...]) -> Lark:
    grammar = Path(__file__).with_name("deck.lark").read_text(encoding="utf-8")
    return Lark(
        grammar.replace("UNTITLED_KEYWORDS", "|".join(untitled)),
        start=["starter", "engine"],
        parser="lalr",
        lexer="contextual",
        transformer=_Collect(),
    )


def split_blocks(text: str, *, untitled: Iterable[str], engine: bool = False) -> RawDeck:
    """Blocks of a deck text (every line ended by a newline).

    untitled : keywords whose header is followed by data at once; in an engine deck all are
    """
    parser = _parser(tuple(sorted(untitled, key=lambda keyword: (-len(keyword), keyword))))
    return parser.parse(text, start="engine" if engine else "starter")  # type: ignore[return-value]
