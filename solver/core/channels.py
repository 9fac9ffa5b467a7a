"""What a run hands out: families of channels, and blocks of samples of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from gsolve.parser.model import Entity
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Channel:
    """One variable of a family, e.g. DX, in unit `unit` ("m", "N mm", "1" if it has none)."""

    name: str
    unit: str
    description: str


@dataclass(frozen=True, slots=True)
class Label:
    """Something that is known of every object of a family besides its id and name: numbers, or texts."""

    name: str
    values: NDArray[np.int64] | tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class Family:
    """A group of the history file.

    group : path without leading slash, e.g. "th/node", "energy", "diag"
    ids : (n,) int64 of the objects, None for a family of scalars (each channel then has shape (nt,))
    names : one a object, "" where there is none
    labels : what else is known of them
    """

    group: str
    channels: tuple[Channel, ...]
    ids: NDArray[np.int64] | None = None
    names: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()


def family_of(group: str, channels: Sequence[Channel], items: Sequence[Entity]) -> Family:
    """Channels of all items, in deck order."""
    ids = np.array([item.id for item in items], dtype=np.int64)
    return Family(group, tuple(channels), ids, tuple(item.title for item in items))


Table = dict[str, NDArray[np.float64]]  # values (k,) or (k, n) of the channels of a group, by name


class Tables(Mapping[str, Table]):
    """Tables by group, each made when somebody asks for it, once: runs that only look for a state ask for none.

    makers : by group
    """

    def __init__(self, makers: Mapping[str, Callable[[], Table]]) -> None:
        self._makers, self._made = dict(makers), dict[str, Table]()

    def __getitem__(self, group: str) -> Table:
        if group not in self._made:
            self._made[group] = self._makers[group]()
        return self._made[group]

    def __contains__(self, group: object) -> bool:
        return group in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@dataclass(slots=True)
class SampleBlock:
    """Consecutive samples: times (k,), values[group][channel name] of shape (k,) or (k, n).

    values : those of a run are `Tables`, which keep the samples that they are made from until the block is `complete`
    frames : those of the same steps, a block of one group with times of its own; None where there are none
    """

    times: NDArray[np.float64]
    values: Mapping[str, Table] = field(default_factory=dict)
    frames: SampleBlock | None = None

    def __len__(self) -> int:
        return len(self.times)

    def first(self, count: int) -> SampleBlock:
        """The first samples of the block, with the frames up to the last of them."""
        tables = Tables({group: partial(self._first_of, group, count) for group in self.values})
        frames = self.frames
        if frames is not None:
            end = self.times[:count][-1] if count else -np.inf
            frames = frames.first(int(np.searchsorted(frames.times, end, side="right")))
        return SampleBlock(self.times[:count], tables, frames)

    def _first_of(self, group: str, count: int) -> Table:
        return {name: values[:count] for name, values in self.values[group].items()}

    def complete(self) -> None:
        """Make all tables, and let go of what they are made from."""
        self.values = dict(self.values)
