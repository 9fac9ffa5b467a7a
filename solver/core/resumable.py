"""What of an object changes in a run, by name, so that a run can be continued where it stood."""

from __future__ import annotations

from typing import Any, ClassVar

State = dict[str, Any]  # of numbers, texts, None, arrays, and lists and dictionaries of these


class Resumable:
    """An object whose attributes of `KEPT` are all that a run changes in it.

    Each of them is a `State`'s value; what is of another type is kept by a `state` and a `restore` of its own.
    """

    __slots__ = ()
    KEPT: ClassVar[tuple[str, ...]] = ()

    def state(self) -> State:
        """What a run has changed so far."""
        return {name: getattr(self, name) for name in self.KEPT}

    def restore(self, state: State) -> None:
        """Stand where the object stood whose `state` this is."""
        for name in self.KEPT:
            setattr(self, name, state[name])
