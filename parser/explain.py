"""What `gsolve explain` says: keywords as plain text, from the declarations that the parser reads by.

The sibling of `reference`, which writes the same as Markdown.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .cards.layout import Card, Keyword
from .keywords.engine import ENGINE_KEYWORDS, EngineKeyword
from .keywords.registry import FAMILIES, KEYWORDS, TABLE
from .reference import block_parts, examples, field_cells, header_text, remarks_text, sentence
from .text.known_keywords import (
    HINTS,
    LOST,
    SKIPPED_ENGINE,
    SKIPPED_STARTER,
    UNSUPPORTED_ENGINE,
    UNSUPPORTED_STARTER,
    longest_match,
)
from .text.rulers import marks_of

WIDTH = 100  # as wide as a card, whose rulers stand from the first column on
_HEADINGS = ("field", "columns", "type", "default", "unit", "allowed", "meaning")
_NARROW = 24  # what is allowed and what it means are wrapped, to no less than this
_MOST_NAMES = 12
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an explanation, and what it is: "heading", "ruler", "example" or, of plain text, ""."""

    text: str
    kind: str = ""


class UnknownWordError(Exception):
    """Nothing is called as asked; `meant` are names that may be meant."""

    def __init__(self, word: str, meant: list[str]) -> None:
        super().__init__(f"nothing in a deck is called {word}")
        self.meant = meant


def explain(word: str) -> list[Line]:
    """Lines about a keyword, a family of keywords, a pattern of them (`INTER/*`) or a field of cards.

    word : `/GJOINT/GEAR/1`, `gjoint gear`, `gjoint`, `FscaleV`; in capital letters or not
    Raises UnknownWordError.
    """
    parts = _parts_of(word)
    if not parts:
        return overview()
    name = "/".join(parts)
    if set(name) & set("*?["):
        found = [keyword for keyword in _all() if any(fnmatch.fnmatchcase(other, name) for other in _names(keyword))]
        return _listed(found) if found else _raise_unknown(word, parts)
    known = TABLE.find(parts)
    rest = parts[known[1] :] if known else parts
    if known and not (rest and TABLE.kinds_of(known[0].name)):
        return _of_keyword(known[0])
    engine = longest_match(parts, list(ENGINE_KEYWORDS))
    if engine and not longest_match(parts, UNSUPPORTED_ENGINE):
        return _of_engine_keyword(ENGINE_KEYWORDS["/".join(parts[:engine])])
    other_name = TABLE.also_called.get(parts[0], {}).get("/".join(parts[1:]))
    if other_name:
        return explain(f"{parts[0]}/{other_name}")
    family = [keyword for keyword in KEYWORDS if any(other.startswith(f"{name}/") for other in keyword.names)]
    if family:
        return _of_keyword(family[0]) if len(family) == 1 else _of_family(name, family)
    return _of_field(word) or _of_unread(parts) or _raise_unknown(word, parts)


def overview() -> list[Line]:
    """All keywords, by families."""
    lines: list[Line] = []
    for title, keywords in FAMILIES.items():
        lines += [Line(title, "heading"), *_listed(keywords), Line("")]
    lines += [Line("Engine", "heading"), *_listed(ENGINE_KEYWORDS.values())]
    return lines


def words() -> list[str]:
    """What can be explained: names of keywords and of their families."""
    names = [name for keyword in _all() for name in _names(keyword)[:1]]
    families = {name.rpartition("/")[0] for name in names if "/" in name}
    return sorted({*names, *families})


def _parts_of(word: str) -> list[str]:
    """The words of a header without its ids."""
    parts = [part for part in re.split(r"[/\s]+", word.upper()) if part]
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1].startswith("&")):
        if TABLE.find(parts) and TABLE.find(parts)[1] == len(parts):  # type: ignore[index]
            break  # /ADMAS/5: a number that is a type
        parts.pop()
    return parts


def _all() -> Iterator[Keyword | EngineKeyword]:
    yield from KEYWORDS
    yield from ENGINE_KEYWORDS.values()


def _names(keyword: Keyword | EngineKeyword) -> tuple[str, ...]:
    return keyword.names if isinstance(keyword, Keyword) else (keyword.name,)


def _listed(keywords: Iterable[Keyword | EngineKeyword]) -> list[Line]:
    """A line for each keyword: its name and its meaning."""
    rows = [("/" + keyword.name, keyword.meaning) for keyword in keywords]
    width = max(24, *(len(name) for name, _ in rows))
    lines: list[Line] = []
    for name, meaning in rows:
        first, *more = textwrap.wrap(meaning, WIDTH - width - 4)
        lines += [Line(f"  {name:{width}}  {first}"), *(Line(" " * (width + 4) + text) for text in more)]
    return lines


def _of_family(name: str, family: list[Keyword]) -> list[Line]:
    example = family[0].name
    return [
        Line(f"/{name}", "heading"),
        Line(""),
        *_listed(family),
        Line(""),
        Line(f"gsolve explain {example} shows the cards of one."),
    ]


def _of_keyword(keyword: Keyword) -> list[Line]:
    lines = [Line(header_text(keyword), "heading"), *_wrapped(sentence(keyword.meaning))]
    if len(keyword.names) > 1:
        others = [f"/{name}" for name in keyword.names[1:]]
        more = f" and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
        lines += _wrapped(f"Also written {', '.join(others[:_MOST_NAMES])}{more}.")
    if keyword.notes:
        lines += [Line(""), *_wrapped(keyword.notes)]
    for part in block_parts(keyword):
        lines.append(Line(""))
        lines += _wrapped(part) if isinstance(part, str) else _card_lines(*part)
    if any(any(field.dimension) for card in (*keyword.cards, *keyword.records) for field in card.fields):
        lines += [
            Line(""),
            Line("Units are powers of mass M, length L, time T, those of /BEGIN; angles are in radians."),
        ]
    return lines + _example_lines(keyword.name)


def _of_engine_keyword(keyword: EngineKeyword) -> list[Line]:
    lines = [Line(f"/{keyword.name}", "heading"), *_wrapped(sentence(keyword.meaning))]
    if keyword.values:
        lines += [Line(""), Line("Values, separated by blanks:")]
        lines += [
            Line(f"  {value.name:12}{value.meaning}{' (required)' if value.required else ''}")
            for value in keyword.values
        ]
    return lines + _example_lines(keyword.name)


def _card_lines(label: str, card: Card) -> list[Line]:
    ruler = Line(marks_of(card.fields), "ruler")
    if not label:
        return [ruler]
    return [Line(f"{label}{remarks_text(card)}:"), ruler, *_table(card)]


def _table(card: Card) -> list[Line]:
    """The fields of a card; columns without an entry are left out, long entries wrapped."""
    rows = [field_cells(field) for field in card.fields]
    shown = [k for k in range(len(_HEADINGS)) if any(row[k] for row in rows)]
    widths = {k: max(len(_HEADINGS[k]), *(len(row[k]) for row in rows)) for k in shown}
    if 5 in widths:
        widths[5] = min(widths[5], _NARROW)
    widths[6] = max(_NARROW, WIDTH - 2 - sum(widths[k] + 2 for k in shown[:-1]))
    lines = [Line("  " + "  ".join(f"{_HEADINGS[k]:{widths[k]}}" for k in shown).rstrip(), "heading")]
    for row in rows:
        cells = [textwrap.wrap(row[k], widths[k], break_long_words=False) or [""] for k in shown]
        for k in range(max(map(len, cells))):
            parts = [cell[k] if k < len(cell) else "" for cell in cells]
            text = "  ".join(f"{part:{widths[column]}}" for part, column in zip(parts, shown, strict=True))
            lines.append(Line("  " + text.rstrip()))
    return lines


def _example_lines(name: str) -> list[Line]:
    return [Line(""), Line("Example:"), *(Line(line, "example") for line in examples()[name].split("\n"))]


def _of_field(word: str) -> list[Line]:
    """The keywords whose cards have a field of that name, and what it means there."""
    found: dict[str, tuple[str, list[Keyword]]] = {}
    for keyword in KEYWORDS:
        for card in (*keyword.cards, *keyword.records):
            for field in card.fields:
                if field.name.lower() == word.lower():
                    users = found.setdefault(field.meaning, (field.name, []))[1]
                    if keyword not in users:
                        users.append(keyword)
    lines: list[Line] = []
    for meaning, (name, users) in found.items():
        lines += [Line(f"field {name}: {meaning}", "heading")]
        lines += _wrapped("of " + ", ".join(f"/{user.name}" for user in users), "  ")
    return lines


def _of_unread(parts: list[str]) -> list[Line]:
    """What gsolve does with a keyword of Radioss that it does not read."""
    skipped, unsupported = SKIPPED_STARTER + SKIPPED_ENGINE, UNSUPPORTED_STARTER + UNSUPPORTED_ENGINE
    count = max(longest_match(parts, skipped), longest_match(parts, unsupported))
    if not count:
        return []
    name = "/".join(parts[:count])
    if name in skipped:
        what, more = "gsolve skips it, as without influence on the motion.", LOST.get(parts[0], "")
    else:
        what = "gsolve does not support it: a deck with it is not run, as skipping it could change the motion."
        more = HINTS.get("/".join(parts[: longest_match(parts, list(HINTS))]), "")
    lines = [Line("/" + "/".join(parts), "heading"), *_wrapped(f"A keyword of Radioss. {what}")]
    return lines + (_wrapped(f"Instead: {more}." if name not in skipped else f"{more}.") if more else [])


def _raise_unknown(word: str, parts: list[str]) -> list[Line]:
    kind = TABLE.kind_meant(parts[0], "/".join(parts[1:]))
    meant = [f"/{parts[0]}/{kind}"] if kind else [f"/{name}" for name in TABLE.suggestions(parts, engine=False)]
    fields = {
        field.name for keyword in KEYWORDS for card in (*keyword.cards, *keyword.records) for field in card.fields
    }
    by_lower = {name.lower(): name for name in sorted(fields)}
    meant += [by_lower[name] for name in difflib.get_close_matches(word.lower(), by_lower, 2, 0.75)]
    raise UnknownWordError(word, list(dict.fromkeys(meant))[:4])


def _wrapped(text: str, indent: str = "") -> list[Line]:
    """Markdown of the declarations as plain lines."""
    plain = _LINK.sub(r"\1", text).replace("`", "")
    return [Line(line) for line in textwrap.wrap(plain, WIDTH, initial_indent=indent, subsequent_indent=indent)]
