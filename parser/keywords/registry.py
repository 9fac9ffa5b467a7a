"""All keywords: which declaration a header belongs to."""

from __future__ import annotations

import difflib
import re
from functools import cache

from ..cards.layout import Keyword
from ..text.known_keywords import SKIPPED_ENGINE, SKIPPED_STARTER, UNSUPPORTED_ENGINE, UNSUPPORTED_STARTER
from . import bodies as keywords_bodies
from . import conditions as keywords_conditions
from . import contact as keywords_contact
from . import control as keywords_control
from . import drives as keywords_drives
from . import elements as keywords_elements
from . import force_curves as keywords_force_curves
from . import functions as keywords_functions
from . import gears as keywords_gears
from . import groups as keywords_groups
from . import history as keywords_history
from . import joints as keywords_joints
from . import nodes as keywords_nodes
from . import parameters as keywords_parameters
from . import springs as keywords_springs
from . import surfaces as keywords_surfaces
from . import walls as keywords_walls
from .engine import ENGINE_KEYWORDS

KEYWORDS: list[Keyword] = [
    *keywords_control.KEYWORDS,
    *keywords_parameters.KEYWORDS,
    *keywords_nodes.KEYWORDS,
    *keywords_groups.KEYWORDS,
    *keywords_functions.KEYWORDS,
    *keywords_elements.KEYWORDS,
    *keywords_springs.KEYWORDS,
    *keywords_bodies.KEYWORDS,
    *keywords_gears.KEYWORDS,
    *keywords_joints.KEYWORDS,
    *keywords_drives.KEYWORDS,
    *keywords_conditions.KEYWORDS,
    *keywords_surfaces.KEYWORDS,
    *keywords_contact.KEYWORDS,
    *keywords_force_curves.KEYWORDS,
    *keywords_walls.KEYWORDS,
    *keywords_history.KEYWORDS,
]
# /ATH, /ATFILE and so on: the nine further history files of Radioss, which need not be suggested.
_OTHER_HISTORY = re.compile("[A-I]TH(/|$)|[A-I]TFILE")
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
def _names_to_suggest(engine: bool) -> tuple[list[str], list[str]]:
    """Keywords that can be read, with the names of their families, and all others known in any way."""
    readable = list(ENGINE_KEYWORDS)
    others = [*SKIPPED_ENGINE, *UNSUPPORTED_ENGINE]
    if not engine:
        readable += [*BY_NAME, *sorted({name.split("/")[0] for name in BY_NAME})]
        others += [*SKIPPED_STARTER, *UNSUPPORTED_STARTER]
    readable = [name for name in dict.fromkeys(readable) if not _OTHER_HISTORY.match(name)]
    return readable, [name for name in dict.fromkeys(others) if not _OTHER_HISTORY.match(name) and name not in readable]


def suggestions(parts: list[str], *, engine: bool) -> list[str]:
    """At most two keywords that look like the one given (its words, upper case) and can be read.

    If there is none, the most similar one of all others, unless it is not supported: that would not help.

    engine : the deck is an engine deck; any other may hold engine keywords as well
    """
    readable, others = _names_to_suggest(engine)
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
