"""Checks that several keywords share, see `layout.Keyword`."""

from __future__ import annotations

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Check, Values


def check_times(block: Block, values: Values, context: Context) -> bool:
    """Whether Tstop comes after Tstart."""
    if values["Tstop"] > values["Tstart"]:
        return True
    allowed = f"more than {values['Tstart']:g}"
    context.report(block.diagnose("error", "Tstop must be later than Tstart", field="Tstop", allowed=allowed))
    return False


def must_be_zero(field: str, message: str) -> Check:
    """A check that a field, of any version of the layout, does not ask for something that is not supported."""

    def check(block: Block, values: Values, context: Context) -> bool:
        if values.get(field):
            context.report(block.diagnose("error", message, field=field, allowed="0"))
        return not values.get(field)

    return check
