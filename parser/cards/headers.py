"""Headers: from `/KEYWORD/TYPE/id/unit_ID` to a block with its declaration, or to a message."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ..text.grammar import RawBlock
from ..text.known_keywords import (
    HINTS,
    SKIPPED_ENGINE,
    SKIPPED_STARTER,
    UNSUPPORTED_ENGINE,
    UNSUPPORTED_STARTER,
    longest_match,
)
from ..text.numbers import MAXIMUM_DIGITS, parse_integer
from .block import Block
from .context import Context
from .keyword_table import KeywordTable
from .layout import Keyword, Stage

# What the blocks of a keyword family define.
_DEFINES = {
    "GRNOD": "group",
    "FUNCT": "function",
    "FUNCT_SMOOTH": "function",
    "FUNCT_EXPR": "function",
    "FUNCT_PYTHON": "function",
    "SKEW": "skew",
    "FRAME": "frame",
    "SENSOR": "sensor",
    "PART": "part",
    "MAT": "material",
    "PROP": "property",
    "GJOINT": "GJOINT",
    "JOINT": "JOINT",
    "DRIVE": "DRIVE",
    "COUPLER": "COUPLER",
    "SURF": "surface",
    "CURVE": "surface",
    "INTER": "INTER",
    "RWALL": "RWALL",
}
_UNKNOWN = Keyword(("",), "", None, Stage.CONTROL)


@dataclass(slots=True)
class Blocks:
    """The blocks of a deck, sorted by who reads them."""

    starter: list[Block] = field(default_factory=list)
    engine: list[Block] = field(default_factory=list)
    skipped: list[Block] = field(default_factory=list)
    unread: list[Block] = field(default_factory=list)


def sort_blocks(
    context: Context,
    table: KeywordTable,
    raw_blocks: list[RawBlock],
    blocks: Blocks,
    *,
    engine: bool,
    first_line: int,
) -> None:
    """Give every block its declaration and put it where it belongs; unknown keywords are reported.

    engine : the blocks are those of an engine deck
    first_line : line of the resolved text that the blocks' line 1 stands for
    """
    ended = False
    for raw in raw_blocks:
        parts = [part.strip().upper() for part in raw.header.strip().strip("/").split("/")]
        block = _make_block(context, raw, parts, first_line)
        if parts[0] == "END":
            ended = parts[1:2] != ["ENGINE"]
            continue
        if ended and engine:
            blocks.unread.append(block)
            continue
        known = None if engine or longest_match(parts, UNSUPPORTED_ENGINE) > 1 else table.find(parts)
        if known is not None:
            block.declaration, count = known
            block.keyword = "/" + "/".join(parts[:count])
            block.options = [part.strip() for part in raw.header.strip().strip("/").split("/")][count:]
            (blocks.unread if ended else blocks.starter).append(block)
        elif (count := longest_match(parts, list(table.engine))) and not longest_match(parts, UNSUPPORTED_ENGINE):
            block.declaration = table.engine["/".join(parts[:count])]
            block.keyword = "/" + block.declaration.name
            block.options = parts[count:]
            blocks.engine.append(block)
        else:
            _sort_other(context, table, blocks, block, parts, engine=engine, ended=ended)


def _make_block(context: Context, raw: RawBlock, parts: list[str], first_line: int) -> Block:
    shift = first_line - 1
    header = raw.header.rstrip("\n")
    block = Block(context.source, context.layouts, _UNKNOWN, "/" + "/".join(parts), header, raw.header_line + shift)
    block.title, block.title_line = raw.title, raw.title_line + shift
    block.body, block.body_line = raw.body, raw.body_line + shift
    return block


def _sort_other(
    context: Context,
    table: KeywordTable,
    blocks: Blocks,
    block: Block,
    parts: list[str],
    *,
    engine: bool,
    ended: bool,
) -> None:
    """A keyword that is not read: skipped, not supported, or unknown.

    A starter deck may hold engine keywords as well; after its /END only those count.
    """
    words = list(itertools.takewhile(lambda part: not part.isdigit(), parts))
    block.keyword = "/" + "/".join(words)
    block.title = ""
    skipped = longest_match(parts, SKIPPED_ENGINE if engine else SKIPPED_STARTER + SKIPPED_ENGINE)
    unsupported = longest_match(parts, UNSUPPORTED_ENGINE)
    if not engine and unsupported == 1 and table.kinds_of(parts[0]) and table.find(parts[:1]) is None:
        unsupported = 0  # an engine keyword with the name of a family of starter keywords
    if not engine:
        starter = longest_match(parts, UNSUPPORTED_STARTER)
        if ended and starter > unsupported:
            blocks.unread.append(block)
            return
        unsupported = max(unsupported, starter)
    if skipped > unsupported:
        blocks.skipped.append(block)
        if _DEFINES.get(parts[0]) == "surface":
            _reserve_id(context, block, parts, parts[0])
            context.unresolved.skipped_surfaces.add(block.id)
    elif unsupported:
        message = "this keyword is not supported, and skipping it could change the motion"
        count = longest_match(parts, list(HINTS))
        context.report(block.diagnose("error", message, hint=HINTS.get("/".join(parts[:count]), "")))
        _reserve_id(context, block, parts, parts[0])
    else:
        _report_unknown(context, table, block, parts, words, engine=engine)


def _reserve_id(context: Context, block: Block, parts: list[str], family: str) -> None:
    """Take the id of a block with an error as known, so that what refers to it is not complained about as well."""
    kind = _DEFINES.get(family)
    id = next((number for part in parts if (number := parse_integer(part)) is not None), None)
    if kind and id is not None:
        block.id = id
        context.defined.setdefault(kind, {}).setdefault(id, block)


def _report_unknown(
    context: Context, table: KeywordTable, block: Block, parts: list[str], words: list[str], *, engine: bool
) -> None:
    kinds = [] if engine else table.kinds_of(parts[0])
    if kinds:
        kind = parts[1] if len(parts) > 1 else ""
        missing = not kind or parse_integer(kind) is not None
        message = f"/{parts[0]} needs a type" if missing else f"/{parts[0]} has no type {kind}"
        meant = "" if missing else table.kind_meant(parts[0], kind)
        hint = f"did you mean /{parts[0]}/{meant}?" if meant else ""
        context.report(block.diagnose("error", message, allowed=", ".join(kinds), hint=hint))
        _reserve_id(context, block, parts, parts[0])
        return
    keyword, *values = block.header.split(maxsplit=1)
    if values and keyword.strip("/").upper() in table.engine:
        message, hint = values_below(keyword, values[0].strip())
        context.report(block.diagnose("error", message, found=values[0].strip(), hint=hint))
        return
    close = table.suggestions(words or parts[:1], engine=engine)
    meant = f"did you mean {' or '.join('/' + name for name in close)}?"
    hint = meant if close else "gsolve explain lists all keywords"
    where = " in an engine deck" if engine else ""
    context.report(block.diagnose("error", f"unknown keyword{where}", hint=hint))
    for name in close:
        _reserve_id(context, block, parts, name.split("/")[0])


def values_below(keyword: str, values: str) -> tuple[str, str]:
    """Message and hint about values of an engine keyword that stand on its line."""
    return f"the values of {keyword} stand on the line after it", f"write {keyword}, and below it {values}"


def read_numbers(context: Context, table: KeywordTable, block: Block) -> bool:
    """Read id and unit id of a header; False after an error."""
    if block.declaration.header == "none":
        return True
    options = [option for option in block.options if option]
    numbers = [_read_number(context, table, block, option) for option in options[:2]]
    if None in numbers:
        return False
    if block.declaration.header == "unit":
        numbers.insert(0, None)
    else:
        block.id = (numbers[0] or 1) if numbers else 1
    block.unit_id = (numbers[1] or 0) if len(numbers) > 1 else 0
    if len(options) > 2:
        context.report(block.diagnose("doubt", "the end of the header is not read", found="/".join(options[2:])))
    if block.unit_id and block.unit_id not in context.unit_systems:
        known = ", ".join(str(id) for id in context.unit_systems)
        hint = f"unit systems of this deck: {known}" if known else "the deck has no /UNIT"
        context.report(block.diagnose("error", f"the unit system {block.unit_id} does not exist", hint=hint))
        return False
    return True


def _read_number(context: Context, table: KeywordTable, block: Block, option: str) -> int | None:
    """An id of a header, as a number or as `&name`; None after an error."""
    if option.startswith("&"):
        value = context.parameters.get(option[1:])
        if option[1:] not in context.parameters:
            message = f"no parameter is called {option[1:]}"
            context.report(block.diagnose("error", message, found=option, hint=context.suggest_parameter(option[1:])))
            return None
        if value is not None and value != int(value):
            context.report(block.diagnose("error", f"the id {option} is not a whole number", found=str(value)))
            return None
        return None if value is None else int(value)
    number = parse_integer(option)
    if number is None or number < 0:
        kinds = table.kinds_of(block.declaration.name)
        allowed = "a whole number" + (f", or the type {' or '.join(kinds)}" if kinds else "")
        context.report(block.diagnose("error", f"{option} is not an id", found=option, allowed=allowed))
        return None
    if len(option) > MAXIMUM_DIGITS:
        message = f"the id has more than {MAXIMUM_DIGITS} digits"
        context.report(block.diagnose("error", message, found=option, allowed=f"at most {MAXIMUM_DIGITS} digits"))
        return None
    return number
