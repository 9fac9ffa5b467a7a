"""The words in which card layouts are declared: fields, cards, keywords.

A layout is data. Reading, checking, the rulers of error messages and the deck reference all come from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Literal

from ..text.units import NUMBER, Dimension

Kind = Literal["integer", "real", "text", "digits", "direction"]
Values = dict[str, Any]
# What keywords bring along is called with a `Block`, its values and the `Context`, which layouts know nothing of.
Builder = Callable[[Any, Values, Any], None]
Check = Callable[[Any, Values, Any], bool]

NEVER = 1_000_000
# Value of a blank field where a 0 typed there means something else.
BLANK = math.nan
LAST_COLUMN = 100


class Stage(IntEnum):
    """The order in which blocks are built: whatever is referred to comes before who refers to it."""

    CONTROL = 0
    NODES = 1
    DEFINITIONS = 2
    PARTS = 3
    ELEMENTS = 4
    GROUPS = 5
    OBJECTS = 6
    OUTPUT = 7


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a card.

    first, last : columns, 1-based and inclusive
    default : value of a blank field; None where the field has none
    dimension : exponents of mass, length, time; the default is in input units as well
    minimum, maximum : least and greatest allowed value
    above : what the value must be greater than
    choices : the only allowed values; any if empty
    reference : what the number is an id of ("node", "group", "function", "skew", ...)
    zero_is_blank : a 0 means the default, as everywhere in Radioss; of a required field, that it is missing
    """

    name: str
    first: int
    last: int
    kind: Kind
    meaning: str
    default: Any = None
    required: bool = False
    dimension: Dimension = NUMBER
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    choices: tuple[Any, ...] = ()
    reference: str = ""
    zero_is_blank: bool = True
    since: int = 0
    before: int = NEVER

    @property
    def columns(self) -> str:
        return f"columns {self.first}-{self.last}" if self.last > self.first else f"column {self.first}"


def integer(name: str, first: int, meaning: str, *, default: int = 0, **more: Any) -> Field:
    """An integer in ten columns from `first`."""
    return Field(name, first, first + 9, "integer", meaning, default, **more)


def real(
    name: str, first: int, meaning: str, dimension: Dimension = NUMBER, *, default: float = 0.0, **more: Any
) -> Field:
    """A real in twenty columns from `first`."""
    return Field(name, first, first + 19, "real", meaning, default, dimension=dimension, **more)


def blank_or_real(name: str, first: int, meaning: str, dimension: Dimension = NUMBER, **more: Any) -> Field:
    """A real in twenty columns from `first` that tells a 0 from a blank (`BLANK`, if no default is given)."""
    return real(name, first, meaning, dimension, default=more.pop("default", BLANK), zero_is_blank=False, **more)


def text(name: str, first: int, last: int, meaning: str, **more: Any) -> Field:
    """Free text between two columns."""
    return Field(name, first, last, "text", meaning, "", **more)


def digits(name: str, first: int, meaning: str) -> Field:
    """Three single columns, each 0 or 1, for X, Y and Z."""
    return Field(name, first, first + 2, "digits", meaning, (False, False, False))


def direction(name: str, first: int, meaning: str, choices: tuple[str, ...], **more: Any) -> Field:
    """One of a few direction names in ten columns from `first`."""
    return Field(name, first, first + 9, "direction", meaning, more.pop("default", None), choices=choices, **more)


def vector(
    names: tuple[str, str, str], first: int, meaning: str, dimension: Dimension = NUMBER, **more: Any
) -> tuple[Field, ...]:
    """Three reals side by side."""
    return tuple(
        real(name, first + 20 * k, f"{meaning}, {axis}", dimension, **more)
        for k, (name, axis) in enumerate(zip(names, "xyz", strict=True))
    )


@dataclass(frozen=True, slots=True)
class Card:
    """One line of fields; `optional` cards may be left out at the end of a block.

    only_if : the card is there only if this field of an earlier card is not 0
    only_for : values of that field for which the card is there, in place of all but 0
    count : field of an earlier card that says how many values follow, as many to a line as the card has fields, on as
        many lines as they need; they are read as one list, under the name of the first field
    since, before : versions (INVERS) of the layout the card belongs to
    """

    fields: tuple[Field, ...]
    optional: bool = False
    only_if: str = ""
    only_for: tuple[int, ...] = ()
    count: str = ""
    since: int = 0
    before: int = NEVER

    def find(self, name: str) -> Field | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def is_there(self, values: Values) -> bool:
        """Whether a block with these values of earlier cards has the card."""
        if not self.only_if:
            return True
        value = values.get(self.only_if)
        return value in self.only_for if self.only_for else bool(value)


def card(*fields: Field | tuple[Field, ...], **more: Any) -> Card:
    """A card of the fields given (groups of fields are flattened)."""
    flat: list[Field] = []
    for field in fields:
        flat.extend(field if isinstance(field, tuple) else (field,))
    return Card(tuple(flat), **more)


@dataclass(frozen=True, eq=False, slots=True)
class Keyword:
    """One keyword: what its block looks like, and who turns it into a part of the model.

    names : spellings, the first is the one documentation uses
    cards : the cards after the title, one a line
    records : the cards of one record of an open list (`listing` = "records")
    listing : what follows the cards: nothing, ids ten a line, records, free text or a /TH list
    reference : what the ids of a list are ids of
    titled : a title line follows the header
    header : what the header carries after the name: an id and maybe a unit id, a unit id only, or nothing
    identity : the ids of all keywords with the same `identity` are one set, without duplicates
    example : a block for the deck of examples, if it does not stand in keywords/examples.rad
    no_more : why a block has no more cards, if a person might well expect some
    shape : whether the lines stand where the cards are, as far as their values tell; if not, nothing else is checked
    checks : whether values go with each other, in input units; one that needs a field with an error is passed over
    """

    names: tuple[str, ...]
    meaning: str
    build: Builder | None
    stage: Stage
    cards: tuple[Card, ...] = ()
    records: tuple[Card, ...] = ()
    listing: Literal["", "ids", "records", "text", "history"] = ""
    reference: str = ""
    titled: bool = True
    header: Literal["id", "unit", "none"] = "id"
    identity: str = ""
    notes: str = ""
    example: str = ""
    no_more: str = ""
    shape: Check | None = None
    checks: tuple[Check, ...] = ()

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def first_card(self) -> int:
        """Number of the first of `cards`: the title counts as card 1."""
        return 2 if self.titled else 1


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """The cards of a keyword as one version of the deck language has them."""

    cards: tuple[Card, ...]
    records: tuple[Card, ...]


class Layouts:
    """The layouts of all keywords in one version (INVERS) of the deck language, made when first asked for."""

    def __init__(self) -> None:
        self.version = 0
        self._made: dict[tuple[Keyword, int], Layout] = {}

    def of(self, keyword: Keyword) -> Layout:
        layout = self._made.get((keyword, self.version))
        if layout is None:
            layout = self._made[keyword, self.version] = _layout_of(keyword, self.version)
        return layout


def _layout_of(keyword: Keyword, version: int) -> Layout:
    def of_version(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(
            replace(c, fields=tuple(f for f in c.fields if f.since <= version < f.before))
            for c in cards
            if c.since <= version < c.before
        )

    return Layout(of_version(keyword.cards), of_version(keyword.records))


def cards_text(keyword: Keyword, cards: tuple[Card, ...]) -> str:
    """The fields of the cards of a block, a line each, numbered as in the deck reference."""
    return "\n".join(
        f"card {k}: {' '.join(field.name for field in card.fields)}" for k, card in enumerate(cards, keyword.first_card)
    )
