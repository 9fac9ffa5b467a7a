"""Break lines of prose in the pages at 120 characters: `python docs/site/reflow.py` for all, or with names of pages.

Only paragraphs and items of lists that have a longer line are set anew; tables, blocks and headings stay as they are.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
WIDTH = 120
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)")
NO_PROSE = re.compile(r"\s*(\||#|<|!\[|\[[^\]]+\]:)| {4}\S")
CODE = re.compile(r"(`+)[^`]+\1")
STARTS_A_BLOCK = re.compile(r" (?=(?:[-+*#>|=~]|\d+[.)])(?: |$|[-#=~]))")
GLUE = "\0"


def pages() -> list[Path]:
    """Those whose lines are held to the width; the changelog has an entry a line."""
    found = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"]
    for folder in ("docs", "decks", "bench"):
        found += sorted((REPOSITORY / folder).rglob("*.md"))
    return [page for page in found if page.name != "deck_reference.md"]


def reflowed(text: str) -> str:
    """The same page with its prose broken at the width."""
    lines: list[str] = []
    for paragraph in _paragraphs(text.splitlines()):
        long = any(len(line) > WIDTH for line in paragraph)
        lines += _broken(paragraph) if long and _is_prose(paragraph) else paragraph
    return "\n".join(lines) + "\n"


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Lines that belong together: a block with its fences, an item of a list, a paragraph."""
    held: list[str] = []
    fenced = in_list = False
    for line in lines:
        if FENCE.match(line):
            if not fenced and held:
                yield held
                held = []
            fenced = not fenced
            held.append(line)
            if not fenced:
                yield held
                held = []
            continue
        in_list = bool(ITEM.match(line)) or (in_list and (not line or line.startswith(" ")))
        alone = not line.strip() or bool(ITEM.match(line)) or (bool(NO_PROSE.match(line)) and not in_list)
        if not fenced and alone and held:
            yield held
            held = []
        held.append(line)
        if not fenced and (not line.strip() or (NO_PROSE.match(line) and not in_list)):
            yield held
            held = []
    if held:
        yield held


def _is_prose(paragraph: list[str]) -> bool:
    return not FENCE.match(paragraph[0]) and not NO_PROSE.match(paragraph[0])


def _broken(paragraph: list[str]) -> list[str]:
    item = ITEM.match(paragraph[0])
    first = item[1] if item else re.match(r"\s*", paragraph[0])[0]  # type: ignore[index]
    words = " ".join(line.strip() for line in [paragraph[0][len(first) :], *paragraph[1:]])
    words = CODE.sub(lambda code: code[0].replace(" ", GLUE), words)
    words = STARTS_A_BLOCK.sub(GLUE, words)
    wrapped = textwrap.wrap(
        words,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(GLUE, " ") for line in wrapped]


if __name__ == "__main__":
    for page in [Path(name) for name in sys.argv[1:]] or pages():
        text = page.read_text(encoding="utf-8")
        if "\n>>>>>>> " in text:
            sys.exit(f"{page}: resolve its conflict first")
        page.write_text(reflowed(text), encoding="utf-8")
