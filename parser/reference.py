"""The deck reference: one section a keyword, written from the declarations that the parser reads by.

And the table of the types of joints, for their page of the manual.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from .cards.compiled_layout import ID_CARD
from .cards.layout import NEVER, Card, Field, Keyword
from .keywords.engine import ENGINE_KEYWORDS, EngineKeyword
from .keywords.registry import KEYWORDS, TABLE
from .model.joint_types import JOINT_TYPES
from .text.known_keywords import longest_match
from .text.numbers import counted
from .text.rulers import marks_of
from .text.units import TIME, Dimension

EXAMPLES = Path(__file__).with_name("keywords") / "examples.rad"
_TYPES = {"integer": "integer", "real": "real", "text": "text", "digits": "3 digits", "direction": "word"}
_HEADINGS = (
    "| field | columns | type | default | unit | allowed | meaning |\n| --- | --- | --- | --- | --- | --- | --- |"
)


def deck_reference() -> str:
    """The whole reference as Markdown."""
    sections = ["# Deck reference", _INTRODUCTION, "## Starter keywords"]
    sections += [keyword_section(keyword) for keyword in KEYWORDS]
    sections.append("## Engine keywords")
    sections += [engine_section(keyword) for keyword in ENGINE_KEYWORDS.values()]
    return "\n\n".join(sections) + "\n"


_INTRODUCTION = """\
Written by `python -m gsolve.parser.reference` from the declarations by which decks are read and checked.

Integers stand in 10 columns, reals in 20; a blank field, or a 0 where a default is given, means the default (where it
is "none", a 0 is a 0). A comma in a data line makes that line comma-separated, its values in the order of the fields;
a value left empty between two commas, or left out at the end of the line, means the default as well. Three digits such
as 101 are one value; two such fields side by side may be written `111, 111` or `111 111`. A number may be calculated:
`24/72`, `2*pi/60`, `&teeth/3`, with the parameters of the deck and without blanks. Lines that begin with # are
comments, as in the examples. Units are given as powers of M (mass), L (length) and T (time); angles are in radians."""


def example_deck() -> str:
    """The deck of examples: its file, and the blocks of keywords that bring their own."""
    text = EXAMPLES.read_text(encoding="utf-8")
    return text.replace("\n/END\n", "\n" + "".join(keyword.example for keyword in KEYWORDS) + "/END\n", 1)


@cache
def examples() -> dict[str, str]:
    """The first block of each keyword in the deck of examples, by the keyword's name."""
    found: dict[str, str] = {}
    for block in re.split(r"^(?=/)", example_deck(), flags=re.MULTILINE)[1:]:
        parts = block.split("\n", 1)[0].strip("/").split("/")
        known = TABLE.find(parts)
        engine = "/".join(parts[: longest_match(parts, list(TABLE.engine))])
        found.setdefault(known[0].name if known else engine, block.rstrip("\n"))
    return found


def _example(name: str) -> str:
    return f"Example:\n\n```\n{examples()[name]}\n```"


def keyword_section(keyword: Keyword) -> str:
    """One keyword as Markdown."""
    parts = [f"### {header_text(keyword)}", sentence(keyword.meaning)]
    if len(keyword.names) > 1:
        parts.append("Also written " + ", ".join(f"`/{name}`" for name in keyword.names[1:]) + ".")
    if keyword.notes:
        parts.append(keyword.notes)
    parts += [part if isinstance(part, str) else _card_section(*part) for part in block_parts(keyword)]
    parts.append(_example(keyword.name))
    return "\n\n".join(parts)


def block_parts(keyword: Keyword) -> Iterator[str | tuple[str, Card]]:
    """What follows the header of a keyword, in order: sentences, and cards with their labels."""
    if keyword.titled:
        yield "Card 1 is the title."
    for number, card in enumerate(keyword.cards, keyword.first_card):
        if card.fields:
            yield f"Card {number}", card
    if keyword.listing == "ids":
        of = f" of {keyword.reference}s" if keyword.reference else ""
        yield f"Then ids{of}, ten a line, on as many lines as needed."
        yield "", ID_CARD
    elif keyword.listing == "records":
        yield f"Then one record of {counted(len(keyword.records), 'line')} after another:"
        yield from ((f"Line {k}", card) for k, card in enumerate(keyword.records, 1))
    elif keyword.listing == "history":
        yield "Then a line of variables (more lines if needed), then the objects:"
        yield from ((("Object", card) for card in keyword.records) if keyword.records else [("", ID_CARD)])


def sentence(meaning: str) -> str:
    """A meaning with a capital letter and a full stop."""
    return meaning[:1].upper() + meaning[1:] + "."


def joint_table() -> str:
    """The types of /JOINT as a Markdown table: what each holds, how it must stand at t = 0, what it leaves."""
    lines = [
        "| type | rows | what it holds at all times | at t = 0 | free: relative motion of j |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {joint.kind} | {joint.row_count} | {joint.holds} | {joint.at_start} | {joint.free} |"
        for joint in JOINT_TYPES.values()
    ]
    return "\n".join(lines) + "\n"


def engine_section(keyword: EngineKeyword) -> str:
    """One engine keyword as Markdown."""
    parts = [f"### /{keyword.name}", sentence(keyword.meaning)]
    if keyword.values:
        parts.append("Values, separated by blanks:")
        parts.append("\n".join(f"- `{value.name}`: {value.meaning}" for value in keyword.values))
    parts.append(_example(keyword.name))
    return "\n\n".join(parts)


def header_text(keyword: Keyword) -> str:
    return f"/{keyword.name}" + {"id": "/id[/unit_ID]", "unit": "[/unit_ID]", "none": ""}[keyword.header]


def _ruler(card: Card) -> str:
    return f"```\n{marks_of(card.fields)}\n```"


def _card_section(label: str, card: Card) -> str:
    if not label:
        return _ruler(card)
    rows = "\n".join(_row(field) for field in card.fields)
    return f"{label}{remarks_text(card)}:\n\n{_ruler(card)}\n\n{_HEADINGS}\n{rows}"


def remarks_text(card: Card) -> str:
    """When a card is there and how often, in parentheses after a blank; empty if there is nothing to say."""
    remarks = ["may be left out"] if card.optional else []
    if card.only_if:
        values = " or ".join(str(value) for value in card.only_for) or "not 0"
        remarks.append(f"only if {card.only_if} is {values}")
    if card.count:
        remarks.append(f"{card.count} values, on as many lines as they need")
    remarks += _versions(card.since, card.before)
    return f" ({', '.join(remarks)})" if remarks else ""


def _versions(since: int, before: int) -> list[str]:
    remarks = [f"from version {since} on"] if since else []
    return remarks + ([f"before version {before}"] if before < NEVER else [])


def _row(field: Field) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in field_cells(field)) + " |"


def field_cells(field: Field) -> tuple[str, ...]:
    """What is said of a field: name, columns, type, default, unit, what is allowed, meaning."""
    columns = f"{field.first}-{field.last}"
    versions = _versions(field.since, field.before)
    meaning = field.meaning + (f" ({', '.join(versions)})" if versions else "")
    unit = unit_text(field.dimension) if field.kind == "real" else ""
    return field.name, columns, _TYPES[field.kind], _default(field), unit, _allowed(field), meaning


def _default(field: Field) -> str:
    value: Any = field.default
    if field.required or value is None:
        return "required"
    if isinstance(value, tuple) or value == "":
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return "never" if field.dimension == TIME else "none"
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def _allowed(field: Field) -> str:
    if field.choices:
        return ", ".join(str(choice) for choice in field.choices)
    if field.reference:
        return f"{field.reference} id"
    if field.maximum is not None:
        return f"{field.minimum:g} to {field.maximum:g}"
    if field.above is not None:
        return f"> {field.above:g}"
    return "" if field.minimum is None else f"≥ {field.minimum:g}"


def unit_text(dimension: Dimension) -> str:
    """`M L/T2` for a force."""
    above = [_power(name, power) for name, power in zip("MLT", dimension, strict=True) if power > 0]
    below = [_power(name, -power) for name, power in zip("MLT", dimension, strict=True) if power < 0]
    if not above and not below:
        return "-"
    return (" ".join(above) or "1") + ("/" + " ".join(below) if below else "")


def _power(name: str, power: float) -> str:
    return name if power == 1 else f"{name}{power:g}"


if __name__ == "__main__":
    print(joint_table() if sys.argv[1:] == ["joints"] else deck_reference(), end="")
