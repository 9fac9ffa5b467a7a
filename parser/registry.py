"""All keywords: which declaration a header belongs to."""

from __future__ import annotations

import difflib
import re
from functools import cache

from . import (
    keywords_bodies,
    keywords_conditions,
    keywords_control,
    keywords_elements,
    keywords_functions,
    keywords_groups,
    keywords_history,
    keywords_nodes,
    keywords_springs,
    parameters,
)
from .engine import ENGINE_KEYWORDS
from .known_keywords import SKIPPED_ENGINE, SKIPPED_STARTER, UNSUPPORTED_ENGINE, UNSUPPORTED_STARTER
from .layout import Keyword

KEYWORDS: list[Keyword] = [
    *keywords_control.KEYWORDS,
    *parameters.KEYWORDS,
    *keywords_nodes.KEYWORDS,
    *keywords_groups.KEYWORDS,
    *keywords_functions.KEYWORDS,
    *keywords_elements.KEYWORDS,
    *keywords_springs.KEYWORDS,
    *keywords_bodies.KEYWORDS,
    *keywords_conditions.KEYWORDS,
    *keywords_history.KEYWORDS,
]
# /ATH, /ATFILE and so on: the nine further history files of Radioss, which need not be suggested.
_OTHER_HISTORY = re.compile("[A-I]TH/|[A-I]TFILE")
BY_NAME: dict[str, Keyword] = {name: keyword for keyword in KEYWORDS for name in keyword.names}


@cache
def untitled_names() -> tuple[str, ...]:
    """Keywords whose header is followed by data at once, for the grammar; engine keywords are among them."""
    starter = [name for keyword in KEYWORDS if not keyword.titled for name in keyword.names]
    engine = [name for name in (*ENGINE_KEYWORDS, *SKIPPED_ENGINE) if name != "TITLE" and "/" not in name]
    return tuple(dict.fromkeys(starter + engine))


def find_keyword(parts: list[str]) -> tuple[Keyword, int] | None:
    """The declaration of a header split at its slashes (upper case), and how many parts its name takes."""
    for count in range(min(len(parts), 3), 0, -1):
        keyword = BY_NAME.get("/".join(parts[:count]))
        if keyword is not None:
            return keyword, count
    return None


def kinds_of(name: str) -> list[str]:
    """The kinds of a family that can be read: GEAR, DIFF, RACK of GJOINT."""
    return [other.split("/", 1)[1] for other in BY_NAME if other.startswith(name + "/")]


@cache
def known_names(engine: bool) -> tuple[str, ...]:
    """Every keyword known in any way, for suggestions."""
    names = [*ENGINE_KEYWORDS, *SKIPPED_ENGINE, *UNSUPPORTED_ENGINE]
    if not engine:
        names += [*BY_NAME, *SKIPPED_STARTER, *UNSUPPORTED_STARTER]
    return tuple(dict.fromkeys(names))


def suggestions(parts: list[str], *, engine: bool) -> list[str]:
    """Known keywords that look like the one given; those that can be read come first.

    engine : the deck is an engine deck; any other may hold engine keywords as well
    """
    readable = set(ENGINE_KEYWORDS)
    if not engine:
        readable |= set(BY_NAME) | {name.split("/")[0] for name in BY_NAME}
    names = list(dict.fromkeys([*known_names(engine), *sorted(readable)]))
    names = [name for name in names if not _OTHER_HISTORY.match(name)]
    found = [
        match
        for count in range(len(parts), 0, -1)
        for match in difflib.get_close_matches("/".join(parts[:count]), names, 3, 0.7)
    ]
    found.sort(key=lambda name: name not in readable)
    return list(dict.fromkeys(found))[:2]
