"""Layouts made ready for reading, and what is to be done after the cells are numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..text.units import Dimension
from .card_reader import CompiledCard
from .layout import Card, Field, Layout, integer

ID_CARD = Card(tuple(integer(f"id{k + 1}", 1 + 10 * k, "an id") for k in range(10)))
ID_CARDS = (CompiledCard(ID_CARD),)


@dataclass(slots=True)
class CompiledLayout:
    """A layout with its cards compiled.

    defaults : fields of cards in which a 0 means the default, and that default
    checked, references : fields of cards whose values are limited, or refer to something
    dimensions : of the fields of cards that have one
    """

    layout: Layout
    cards: list[CompiledCard]
    records: tuple[CompiledCard, ...]
    defaults: list[tuple[str, Any]]
    checked: list[Field]
    references: list[Field]
    dimensions: list[tuple[str, Dimension]]


def compile_layout(layout: Layout) -> CompiledLayout:
    """Prepare a layout; done once a keyword."""
    fields = [field for card in layout.cards for field in card.fields]
    return CompiledLayout(
        layout=layout,
        cards=[CompiledCard(card) for card in layout.cards],
        records=tuple(CompiledCard(card) for card in layout.records),
        defaults=[
            (f.name, f.default) for f in fields if f.default and f.zero_is_blank and f.kind in ("integer", "real")
        ],
        checked=[f for f in fields if f.required or f.choices or _is_limited(f)],
        references=[f for f in fields if f.reference],
        dimensions=[(f.name, f.dimension) for f in fields if any(f.dimension)],
    )


def _is_limited(field: Field) -> bool:
    return any(limit is not None for limit in (field.minimum, field.maximum, field.above))
