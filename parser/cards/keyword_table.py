"""The table of all keywords that can be read: which declaration a header belongs to, and what a wrong one may mean."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from ..text.known_keywords import SKIPPED_ENGINE, SKIPPED_STARTER, UNSUPPORTED_ENGINE, UNSUPPORTED_STARTER
from .layout import Keyword

# /ATH, /ATFILE and so on: the nine further history files of Radioss, which need not be suggested.
_OTHER_HISTORY = re.compile("[A-I]TH(/|$)|[A-I]TFILE")


class KeywordTable:
    """All keywords that can be read.

    starter : declarations of the starter deck, by each of their names
    engine : declarations of the engine deck
    also_called : other names of the kinds of a family, {"JOINT": {"HINGE": "REVOLUTE"}}
    """

    def __init__(
        self, starter: Iterable[Keyword], engine: Iterable[Keyword], also_called: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.starter = {name: keyword for keyword in starter for name in keyword.names}
        self.engine = {keyword.name: keyword for keyword in engine}
        self.also_called = also_called

    @cached_property
    def untitled_names(self) -> tuple[str, ...]:
        """Keywords whose header is followed by data at once, for the grammar; engine keywords are among them."""
        starter = [name for name, keyword in self.starter.items() if not keyword.titled]
        engine = [name for name in (*self.engine, *SKIPPED_ENGINE) if name != "TITLE" and "/" not in name]
        return tuple(dict.fromkeys(starter + engine))

    def find(self, parts: list[str]) -> tuple[Keyword, int] | None:
        """The declaration of a header split at its slashes (upper case), and how many parts its name takes."""
        for count in range(min(len(parts), 3), 0, -1):
            keyword = self.starter.get("/".join(parts[:count]))
            if keyword is not None:
                return keyword, count
        return None

    def kinds_of(self, name: str) -> list[str]:
        """The kinds of a family that can be read: GEAR, DIFF, RACK of GJOINT; without what may follow a kind."""
        kinds = [other.split("/", 1)[1] for other in self.starter if other.startswith(name + "/")]
        return [kind for kind in kinds if kind.rpartition("/")[0] not in kinds]

    def kind_meant(self, family: str, kind: str) -> str:
        """The kind of a family that someone means who writes `kind`; empty if there is no telling."""
        also = self.also_called.get(family, {}).get(kind)
        close = [also] if also else difflib.get_close_matches(kind, self.kinds_of(family), 1)
        return close[0] if close else ""

    def suggestions(self, parts: list[str], *, engine: bool) -> list[str]:
        """At most two keywords that look like the one given (its words, upper case) and can be read.

        If there is none, the most similar one of all others, unless it is not supported: that would not help.

        engine : the deck is an engine deck; any other may hold engine keywords as well
        """
        readable, others = self._engine_names if engine else self._all_names
        written = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
        found = next(filter(None, (difflib.get_close_matches(text, readable, 3, 0.7) for text in written)), [])
        found += [name for name in readable if name.endswith("/" + parts[0]) and not name.startswith("TH/")]
        if found:
            best: list[str] = []
            for name in found:
                # A family and one of its kinds are one suggestion: the more similar of the two.
                if not any(f"{name}/".startswith(f"{other}/") or f"{other}/".startswith(f"{name}/") for other in best):
                    best.append(name)
            return best[:2]
        close = next(filter(None, (difflib.get_close_matches(text, others, 1, 0.7) for text in written)), [])
        return [name for name in close if name not in UNSUPPORTED_STARTER and name not in UNSUPPORTED_ENGINE]

    @cached_property
    def _engine_names(self) -> tuple[list[str], list[str]]:
        """Keywords of engine decks that can be read, and all others known in any way."""
        return _names_to_suggest(self.engine, (*SKIPPED_ENGINE, *UNSUPPORTED_ENGINE))

    @cached_property
    def _all_names(self) -> tuple[list[str], list[str]]:
        """Keywords that can be read, with the names of their families, and all others known in any way."""
        readable = (*self.engine, *self.starter, *sorted({name.split("/")[0] for name in self.starter}))
        return _names_to_suggest(
            readable, (*SKIPPED_ENGINE, *UNSUPPORTED_ENGINE, *SKIPPED_STARTER, *UNSUPPORTED_STARTER)
        )


def _names_to_suggest(readable: Iterable[str], others: Iterable[str]) -> tuple[list[str], list[str]]:
    """Each name once, those that can be read apart from the others."""
    first = [name for name in dict.fromkeys(readable) if not _OTHER_HISTORY.match(name)]
    return first, [name for name in dict.fromkeys(others) if not _OTHER_HISTORY.match(name) and name not in first]
