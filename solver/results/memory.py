"""The history of a run in memory: what `HistoryFile` writes to a file, kept as it comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.channels import Family, SampleBlock, Table
from ..core.unit_names import unit
from .contents import as_in_a_file, poses_as_in_a_file
from .history import Status
from .history_layout import NO_PICTURE, Attributes, Picture, root_attributes
from .machine_reader import FRAMES
from .machine_tables import TABLES, MachineTables, table_of

if TYPE_CHECKING:
    from gsolve.parser.model import Model
    from gsolve.parser.text.diagnostics import Diagnostic


class MemoryHistory:
    """Takes what a run hands out, and gives it back as whole histories.

    Parameters
    ----------
    model, families, attributes, picture : as for `HistoryFile`
    """

    path = None
    contents = None

    def __init__(
        self, model: Model, families: tuple[Family, ...], *, attributes: Attributes, picture: Picture = NO_PICTURE
    ) -> None:
        self.attributes = root_attributes(model, attributes)
        self.deck = model.deck_text
        self.time_unit = unit(model.units, time=1)
        self.families = as_in_a_file(families)
        self.frames = poses_as_in_a_file(picture.poses)
        self._tables = picture.tables
        self._machine: MachineTables | None = None
        self.messages: tuple[Diagnostic, ...] = ()
        self._blocks: list[SampleBlock] = []
        self._frames = SampleBlock(np.zeros(0))

    def append(self, block: SampleBlock) -> None:
        """Take a block of samples."""
        if len(block) or block.frames is not None:
            self._blocks.append(block)

    def flush(self, attributes: Attributes) -> None:
        """Take new values of attributes."""
        self.attributes.update(attributes)

    def close(self, status: Status, message: str, attributes: Attributes, messages: Iterable[Diagnostic] = ()) -> None:
        """Take the final status, attributes and messages, and make one block of all samples."""
        self.attributes.update({**attributes, "status": status, "message": message})
        self.messages = tuple(messages)
        frames = [block.frames for block in self._blocks if block.frames is not None]
        sampled = [block for block in self._blocks if len(block)]  # others have frames alone
        self._blocks = [_joined(sampled, self.families)]
        self._frames = _joined(frames, (self.frames,) if self.frames is not None else ())

    def close_without_waiting(self, message: str) -> None:
        """As of a file that cannot be written; memory can."""
        self.close("failed", message, {})

    def times(self) -> NDArray[np.float64]:
        """Of the samples."""
        return self._blocks[0].times

    def values(self, group: str, variable: str) -> NDArray[np.float64]:
        """(nt,) of a scalar, (nt, n) of objects."""
        return self._block_of(group).values[group][variable]

    def column(self, group: str, variable: str, k: int) -> NDArray[np.float64]:
        """(nt,) of the object at place k."""
        return self._block_of(group).values[group][variable][:, k]

    def rows(self, group: str, variable: str, start: int, stop: int) -> NDArray[np.float64]:
        """As `values` at samples start to stop - 1."""
        return self.values(group, variable)[start:stop]

    def frame_times(self) -> NDArray[np.float64]:
        """Of the frames; none where there are none."""
        return self._frames.times

    def machine(self) -> MachineTables:
        """The machine."""
        if self._machine is None:
            self._machine = MachineTables(**{name: table_of(name, self._tables[name]) for name in TABLES})
        return self._machine

    def _block_of(self, group: str) -> SampleBlock:
        return self._frames if group == FRAMES else self._blocks[0]


def _joined(blocks: list[SampleBlock], families: tuple[Family, ...]) -> SampleBlock:
    """One block; it owns its values, which nobody changes any more."""
    times, tables = np.concatenate([np.zeros(0), *(block.times for block in blocks)]), dict[str, Table]()
    times.flags.writeable = False
    for family in families:
        row = () if family.ids is None else (len(family.ids),)
        values = tables[family.group] = {}
        for name in (channel.name for channel in family.channels):
            parts = [np.zeros((0, *row)), *(block.values[family.group][name] for block in blocks)]
            values[name] = np.concatenate(parts)
            values[name].flags.writeable = False
    return SampleBlock(times, tables)
