"""What editors need to colour decks, written from the declarations that the parser reads by.

`python -m gsolve.parser.editors editors` writes a TextMate grammar and snippets (VS Code, Sublime Text and others) and
a syntax file of vim. A header is coloured by what is done with it: read, skipped, refused, or unknown.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .keywords.engine import ENGINE_KEYWORDS
from .keywords.registry import KEYWORDS
from .reference import examples, sentence
from .text.known_keywords import SKIPPED_ENGINE, SKIPPED_STARTER, UNSUPPORTED_ENGINE, UNSUPPORTED_STARTER

_FUNCTIONS = "sin|cos|tan|exp|log|sqrt|abs|min|max|step"
_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+|[+-][0-9]+(?![0-9.*/^(]))?"
_ENDS = r"(?=[/\s]|$)"


class Headers(NamedTuple):
    """Keywords of one kind whose names have as many parts."""

    kind: str
    parts: int
    names: list[str]


def headers() -> list[Headers]:
    """All keywords, those with most parts first: the longest name that fits a header counts.

    kind : "titled" and "untitled" are read, "skipped" and "unsupported" are known
    """
    kinds: dict[str, Iterable[str]] = {
        "titled": [name for keyword in KEYWORDS if keyword.titled for name in keyword.names],
        "untitled": [name for keyword in KEYWORDS if not keyword.titled for name in keyword.names] + [*ENGINE_KEYWORDS],
        "skipped": SKIPPED_STARTER + SKIPPED_ENGINE,
        "unsupported": UNSUPPORTED_STARTER + UNSUPPORTED_ENGINE,
    }
    found: list[Headers] = []
    seen: set[str] = set()
    for parts in range(4, 0, -1):
        for kind, names in kinds.items():
            mine = sorted({name for name in names if name.count("/") == parts - 1} - seen)
            seen.update(mine)
            if mine:
                found.append(Headers(kind, parts, mine))
    return found


def directions() -> list[str]:
    """The words that stand for directions in cards."""
    cards = [card for keyword in KEYWORDS for card in (*keyword.cards, *keyword.records)]
    choices = {str(c) for card in cards for field in card.fields if field.kind == "direction" for c in field.choices}
    return sorted(choices, key=lambda word: (-len(word), word))


# ---- TextMate: regular expressions that Oniguruma and Python read alike

_SCOPES = {
    "titled": "keyword.control.block.gsolve",
    "untitled": "keyword.control.block.gsolve",
    "skipped": "comment.block.skipped.gsolve",
    "unsupported": "invalid.deprecated.unsupported.gsolve",
}


def textmate_grammar() -> dict[str, Any]:
    """The grammar as VS Code reads it."""
    return {
        "name": "gsolve deck",
        "scopeName": "source.gsolve",
        "fileTypes": ["rad"],
        "patterns": [
            {"include": "#comment"},
            *(_textmate_header(group) for group in headers()),
            {"match": r"^\s*/.*$", "name": "invalid.illegal.unknown.gsolve"},
            {"include": "#values"},
        ],
        "repository": {
            "comment": {
                "patterns": [
                    {
                        "match": r"^(#include)\s+(.*)$",
                        "captures": {
                            "1": {"name": "keyword.control.import.gsolve"},
                            "2": {"name": "string.unquoted.file.gsolve"},
                        },
                    },
                    {"match": "^[#$].*$", "name": "comment.line.number-sign.gsolve"},
                ]
            },
            "ids": {
                "patterns": [
                    {"match": r"(?<=/)\s*[0-9]+", "name": "constant.numeric.id.gsolve"},
                    {"match": r"(?<=/)&\w+", "name": "variable.parameter.gsolve"},
                ]
            },
            "values": {
                "patterns": [
                    {"match": r"&\w+", "name": "variable.parameter.gsolve"},
                    {"match": rf"(?i)\b(?:{_FUNCTIONS})(?=\s*\()", "name": "support.function.gsolve"},
                    {"match": r"(?i)\bpi\b", "name": "constant.language.gsolve"},
                    {"match": rf"(?i)\b(?:{'|'.join(directions())})\b", "name": "constant.language.direction.gsolve"},
                    {"match": rf"(?:(?<![\w.)])[+-])?(?<![\w.]){_NUMBER}", "name": "constant.numeric.gsolve"},
                    {"match": ",", "name": "punctuation.separator.gsolve"},
                    {"match": "[-+*/^]", "name": "keyword.operator.arithmetic.gsolve"},
                ]
            },
        },
    }


def _textmate_header(group: Headers) -> dict[str, Any]:
    """A rule for headers; of keywords with a title it goes on to the line of the title."""
    names = "|".join(re.escape(name) for name in group.names)
    if group.kind not in ("titled", "untitled"):
        return {"match": rf"(?i)^\s*/(?:{names}){_ENDS}.*$", "name": _SCOPES[group.kind]}
    header = rf"(?i)^(\s*/(?:{names})){_ENDS}(.*)$"
    captures = {"1": {"name": _SCOPES[group.kind]}, "2": {"patterns": [{"include": "#ids"}]}}
    if group.kind == "untitled":
        return {"match": header, "captures": captures}
    return {
        "begin": header,
        "beginCaptures": captures,
        "end": r"(?=^\s*/)|^(?![#$])(.*)$",
        "endCaptures": {"1": {"name": "string.unquoted.title.gsolve"}},
        "patterns": [{"include": "#comment"}],
    }


def snippets() -> dict[str, Any]:
    """A snippet for each keyword: its block in the deck of examples."""
    meanings = {keyword.name: keyword.meaning for keyword in KEYWORDS}
    meanings |= {keyword.name: keyword.meaning for keyword in ENGINE_KEYWORDS.values()}
    return {
        f"/{name}": {
            "prefix": f"/{name}",
            "body": [re.sub(r"([$}\\])", r"\\\1", line) for line in examples()[name].split("\n")] + [""],
            "description": sentence(meaning),
        }
        for name, meaning in meanings.items()
    }


# ---- vim: of matches that begin at the same place the one that was defined last counts

_VIM_GROUPS = {
    "titled": "gsolveKeyword",
    "untitled": "gsolveKeyword",
    "skipped": "gsolveSkipped",
    "unsupported": "gsolveUnsupported",
}


def vim_syntax() -> str:
    """The syntax file of vim."""
    return "\n".join(_vim_lines()) + "\n"


def _vim_lines() -> Iterator[str]:
    yield '" Syntax of gsolve decks, written by python -m gsolve.parser.editors from the declarations of the parser.'
    yield 'if exists("b:current_syntax")\n  finish\nendif\nsyntax case ignore'
    yield "syntax iskeyword @,48-57,_\nsyntax sync fromstart\n"
    yield r'syntax match gsolveNumber "\<\%(\d\+\.\?\d*\|\.\d\+\)\%([ed][+-]\?\d\+\|[+-]\d\+\)\?"'
    yield r'syntax match gsolveNumber "\.\d\+\%([ed][+-]\?\d\+\)\?"'
    yield r'syntax match gsolveParameter "&\w\+"'
    yield rf'syntax match gsolveFunction "\<{_vim_either(_FUNCTIONS.split("|"))}\ze\s*("'
    yield rf'syntax match gsolveDirection "\<{_vim_either(["pi", *directions()])}\>"'
    yield r'syntax match gsolveComment "^[#$].*$"'
    yield r'syntax match gsolveInclude "^#include\s.*$"'
    yield r'syntax match gsolveUnknown "^\s*/.*$"'
    yield 'syntax match gsolveId "/\\s*\\%(\\d\\+\\|&\\w\\+\\)" contained'
    yield r'syntax match gsolveTitle "^\%(\s*/\)\@!.*$" contained'
    yield r'syntax match gsolveTitleComment "^[#$].*$" contained nextgroup=gsolveTitle,gsolveTitleComment skipnl'
    for group in reversed(headers()):
        for names in _portions(group.names):
            header = rf"^\s*/{_vim_either(names)}"
            ends = r"\%([/[:blank:]]\|$\)\@=.*$"
            more = " contains=gsolveId" if group.kind in ("titled", "untitled") else ""
            if group.kind == "titled":
                more += " nextgroup=gsolveTitle,gsolveTitleComment skipnl"
            yield f'syntax match {_VIM_GROUPS[group.kind]} "{header}{ends}"{more}'
    yield ""
    for name, link in (
        ("Keyword", "Statement"),
        ("Id", "Identifier"),
        ("Title", "String"),
        ("Skipped", "Comment"),
        ("Unsupported", "Todo"),
        ("Unknown", "Error"),
        ("Comment", "Comment"),
        ("TitleComment", "Comment"),
        ("Include", "PreProc"),
        ("Number", "Number"),
        ("Parameter", "Identifier"),
        ("Function", "Function"),
        ("Direction", "Constant"),
    ):
        yield f"highlight default link gsolve{name} {link}"
    yield '\nlet b:current_syntax = "gsolve"'


def _vim_either(words: Iterable[str]) -> str:
    """One of some words of letters, digits, _ + and /, which mean themselves."""
    return r"\%(" + r"\|".join(words) + r"\)"


def _portions(names: list[str], most: int = 40) -> Iterator[list[str]]:
    yield from (names[first : first + most] for first in range(0, len(names), most))


def files() -> dict[str, str]:
    """What is written, by its place in the folder editors/."""
    return {
        "vscode/syntaxes/gsolve.tmLanguage.json": json.dumps(textmate_grammar(), indent=2) + "\n",
        "vscode/snippets/gsolve.json": json.dumps(snippets(), indent=2, ensure_ascii=False) + "\n",
        "vim/syntax/gsolve.vim": vim_syntax(),
    }


if __name__ == "__main__":
    for name, text in files().items():
        place = Path(sys.argv[1], name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
