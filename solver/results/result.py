"""The results of a run as Python has them: `result.th.gjoint[1].VEL1`, whether from memory or from a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, cast, overload

import numpy as np
from gsolve.parser.text.diagnostics import Diagnostic
from gsolve.parser.text.numbers import counted
from numpy.typing import NDArray

from ..core.channels import Channel, Family
from .arrays import History
from .frames import dataset, frame, tree
from .machine_reader import frames_of
from .machine_tables import Frames, MachineTables
from .summary import messages_text
from .variables import UnknownNameError, Variable, find_variable, find_variables, listed, unknown

if TYPE_CHECKING:
    import pandas
    import xarray

T = TypeVar("T")


class Source(Protocol):
    """Where histories come from: `HistoryReader` or `MemoryHistory`."""

    @property
    def path(self) -> Path | None: ...

    attributes: dict[str, Any]
    deck: str
    messages: tuple[Diagnostic, ...]
    families: tuple[Family, ...]
    frames: Family | None
    time_unit: str

    def times(self) -> NDArray[np.float64]: ...

    def frame_times(self) -> NDArray[np.float64]: ...

    def machine(self) -> MachineTables: ...

    def values(self, group: str, variable: str) -> NDArray[np.float64]: ...

    def column(self, group: str, variable: str, k: int) -> NDArray[np.float64]: ...

    def rows(self, group: str, variable: str, start: int, stop: int) -> NDArray[np.float64]: ...


class UnitNames(NamedTuple):
    """The deck's working units."""

    mass: str
    length: str
    time: str


class ByName(Generic[T]):
    """What has its items as attributes too: `energy.total` is `energy["total"]`."""

    def __getitem__(self, name: str) -> T:
        raise NotImplementedError

    def _names(self) -> Iterable[str]:
        raise NotImplementedError

    def __getattr__(self, name: str) -> T:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names()]


class Histories(ByName[History]):
    """Histories by the names of their variables.

    group : of the result file
    variables : their names
    """

    def __init__(self, source: Source, family: Family) -> None:
        self._source, self._family = source, family
        self._channels = {channel.name: channel for channel in family.channels}
        self.group = family.group
        self.variables = tuple(self._channels)

    @property
    def time(self) -> History:
        """Times of the samples."""
        return time_of(self._source)

    def units(self, variable: str) -> str:
        """Unit of a variable."""
        return self._channel(variable).unit

    def to_pandas(self) -> pandas.DataFrame:
        """A row a sample, a column a variable."""
        return frame(self.time, {name: self[name] for name in self.variables})

    def _names(self) -> Iterable[str]:
        return self.variables

    def _channel(self, variable: str) -> Channel:
        found = self._channels.get(variable) if isinstance(variable, str) else None
        if found is None:
            raise unknown(variable, self.variables, f"{self.group} has no variable {variable!r}")
        return found


class Table(Histories):
    """The histories of one group: `result.energy.total` or `result.energy["total"]`."""

    def __getitem__(self, variable: str) -> History:
        channel = self._channel(variable)
        return History(self._source.values(self.group, variable), channel)

    def to_xarray(self) -> xarray.Dataset:
        """What xarray reads from the group of the file."""
        return dataset(self.time, (self[name] for name in self.variables), {})

    def __repr__(self) -> str:
        return f"<{self.group.removeprefix('th/')}: {listed(self.variables)}>"


class ObjectTable(Table):
    """The histories of the objects of a family: `result.th.gjoint[1].VEL1` of one, `result.th.gjoint.VEL1` of all.

    ids : (n,) of the objects, as in the deck
    names : one an object
    labels : what else is known of them, by name
    """

    def __init__(self, source: Source, family: Family) -> None:
        super().__init__(source, family)
        assert family.ids is not None
        self.ids = family.ids
        self.names = family.names
        self.labels = {label.name: label.values for label in family.labels}
        self._places = {int(id): k for k, id in enumerate(family.ids)}

    @overload
    def __getitem__(self, key: str) -> History: ...

    @overload
    def __getitem__(self, key: int | np.integer[Any]) -> ObjectHistories: ...

    def __getitem__(self, key: Any) -> History | ObjectHistories:
        """The object of an id, or all values (nt, n) of a variable."""
        if isinstance(key, str):
            return super().__getitem__(key)
        place = self._places.get(int(key)) if isinstance(key, int | np.integer) else None
        if place is None:
            raise UnknownNameError(f"{self.group} has no object {key!r}; its ids: {listed(map(str, self._places))}")
        return ObjectHistories(self, place)

    def named(self, name: str) -> ObjectHistories:
        """The first object of a name."""
        if name not in self.names:
            raise unknown(name, self.names, f"{self.group} has no object named {name!r}")
        return ObjectHistories(self, self.names.index(name))

    def to_pandas(self) -> pandas.DataFrame:
        """A row a sample, a column a variable and id."""
        columns = {(name, int(id)): self[name][:, k] for name in self.variables for k, id in enumerate(self.ids)}
        return frame(self.time, columns, ("variable", "id"))

    def to_xarray(self) -> xarray.Dataset:
        """What xarray reads from the group of the file."""
        labels: dict[str, NDArray[np.int64] | tuple[str, ...]] = {"id": self.ids, "name": self.names, **self.labels}
        return dataset(self.time, (self[name] for name in self.variables), labels)

    def __iter__(self) -> Iterator[ObjectHistories]:
        return (ObjectHistories(self, place) for place in range(len(self.ids)))

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        objects = listed(f"{id} ({name})" for id, name in zip(self.ids, self.names, strict=True))
        return f"<{self.group.removeprefix('th/')}: objects {objects}; variables {listed(self.variables)}>"


class ObjectHistories(Histories):
    """The histories of one object.

    id, name : of the object
    """

    def __init__(self, table: ObjectTable, place: int) -> None:
        super().__init__(table._source, table._family)
        self._place = place
        self.id, self.name = int(table.ids[place]), table.names[place]

    def __getitem__(self, variable: str) -> History:
        channel = self._channel(variable)
        return History(self._source.column(self.group, variable, self._place), channel)

    def __repr__(self) -> str:
        return f"<{self.group.removeprefix('th/')} {self.id} ({self.name}): {listed(self.variables)}>"


class _AtFrames:
    """A source whose times are those of the frames."""

    def __init__(self, source: Source) -> None:
        self.path, self.time_unit = source.path, source.time_unit
        self.times, self.values, self.column = source.frame_times, source.values, source.column


class BodyTable(ObjectTable):
    """Poses of the bodies, `result.th.body`: as histories, with `time` that of the frames."""

    def __init__(self, source: Source, family: Family) -> None:
        super().__init__(cast("Source", _AtFrames(source)), family)

    def to_xarray(self) -> xarray.Dataset:
        """What xarray reads from the group of the file."""
        found = (self[name] for name in self.variables)
        return dataset(self.time, found, {"id": self.ids, "name": self.names}, axis="frame")


class Families(ByName[ObjectTable]):
    """The families of objects that a run has histories of: `result.th.gjoint` or `result.th["gjoint"]`.

    `result.th.body`, whose times are others, is not among those that it goes through.
    """

    def __init__(self, source: Source) -> None:
        objects = (family for family in source.families if family.ids is not None)
        self._tables = {family.group.removeprefix("th/"): ObjectTable(source, family) for family in objects}
        self._bodies = BodyTable(source, source.frames) if source.frames is not None else None

    def __getitem__(self, name: str) -> ObjectTable:
        found = self._bodies if name == "body" and self._bodies is not None else self._tables.get(name)
        if found is None:
            raise unknown(name, self._tables, f"this run has no histories of {name!r}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __contains__(self, name: object) -> bool:
        return name in self._tables

    def _names(self) -> Iterable[str]:
        return self._tables

    def __repr__(self) -> str:
        return "\n".join(["<families of histories>", *(f"  {table!r}" for table in self._tables.values())])


class Result:
    """What came of a run.

    path : the file it was loaded from or written to, None in memory
    attributes : those of the result file, by name (docs/results.md)
    status, message : "completed", "stopped", "failed" or (of a file) "running"; why
    run_name, title, deck, parameters : of the deck; its text, and the values of its parameters
    units : names of its working units
    messages : everything that was told; `warnings` and among them `doubts` (about the results) are parts of it
    energy, diag : histories of the whole machine
    th : histories of objects, by family
    families : what histories there are
    model : the machine; frames : poses of its bodies

    `result["gjoint/1/VEL1"]` is the history of a name, `result.select("node/*/VZ")` all those of a pattern.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.families = source.families
        self.path, self.deck = source.path, source.deck
        self.attributes = dict(source.attributes)
        self.messages = source.messages
        self.status = str(self.attributes["status"])
        self.message = str(self.attributes["message"])
        self.run_name, self.title = str(self.attributes["run_name"]), str(self.attributes["title"])
        self.parameters: dict[str, float | int] = json.loads(self.attributes.get("parameters", "{}"))
        self.units = UnitNames(*(str(self.attributes[f"units_{what}"]) for what in UnitNames._fields))
        tables = {family.group: family for family in source.families}
        self.energy, self.diag = (Table(source, tables.get(name, Family(name, ()))) for name in ("energy", "diag"))
        self.th = Families(source)

    @property
    def source(self) -> Source:
        """Where its histories come from, to be read block by block."""
        return self._source

    @property
    def time(self) -> History:
        """Times of the samples."""
        return time_of(self._source)

    @property
    def model(self) -> MachineTables:
        """The machine: bodies, nodes, solids, meshes, joints and what acts, as tables.

        Raises
        ------
        OutputError
            it is a file of an older gsolve, which has none
        """
        return self._source.machine()

    @property
    def frames(self) -> Frames:
        """Poses of the bodies of `model`, at steps that are evenly spaced.

        Raises
        ------
        OutputError
            there are none: the run was asked for none, or an older gsolve made the file
        """
        return frames_of(self._source)

    @property
    def warnings(self) -> list[Diagnostic]:
        """What speaks against the deck or the results."""
        return [message for message in self.messages if message.severity in ("warning", "doubt")]

    @property
    def doubts(self) -> list[Diagnostic]:
        """Warnings about the results: what "completed" does not promise."""
        return [message for message in self.messages if message.severity == "doubt"]

    def __getitem__(self, name: str) -> History:
        """The history of a name, as gjoint/1/VEL1, gjoint/NAME/VEL1 or energy/total."""
        return self.history(find_variable(self.families, name))

    def select(self, pattern: str) -> dict[str, History]:
        """The histories of a pattern, in which `*` stands for any letters, by their full names."""
        return {variable.name: self.history(variable) for variable in find_variables(self.families, pattern)}

    def history(self, variable: Variable) -> History:
        """Values of a variable of this run."""
        return History(variable.read(self._source), variable.channel)

    def to_pandas(self) -> pandas.DataFrame:
        """All histories side by side: a row a sample, columns as energy/total and gjoint/1/VEL1."""
        columns = {
            f"{table.group}/{name}": table[name] for table in (self.energy, self.diag) for name in table.variables
        }
        for family in self.th:
            table = self.th[family]
            whole = {name: table[name] for name in table.variables}
            for k, id in enumerate(table.ids):
                columns |= {f"{family}/{id}/{name}": values[:, k] for name, values in whole.items()}
        return frame(self.time, columns)

    def to_xarray(self) -> xarray.DataTree:
        """What xarray's `open_datatree` reads from the file, but for the tables of `model`."""
        groups = {
            table.group: table.to_xarray() for table in (self.energy, self.diag, *map(self.th.__getitem__, self.th))
        }
        if self._source.frames is not None:
            groups["th/body"] = self.th.body.to_xarray()
        return tree(groups, {"deck": self.deck, "messages": messages_text(self.messages)}, self.attributes)

    def __repr__(self) -> str:
        time = self.time
        reached = f"{len(time)} samples to t = {time[-1]:.6g} {time.units}" if len(time) else "no samples"
        lines = [f"<gsolve.Result {self.run_name}: {self.status}, {reached}>"]
        lines += [f"  message: {self.message}"] if self.message else []
        lines += (
            [f"  {counted(len(self.warnings), 'warning')}, {len(self.doubts)} about the results"]
            if self.warnings
            else []
        )
        lines += [f"  .energy: {listed(self.energy.variables)}", f"  .diag: {listed(self.diag.variables)}"]
        lines += [
            f"  .th.{name}: {counted(len(self.th[name]), 'object')}, {listed(self.th[name].variables)}"
            for name in self.th
        ]
        if self._source.frames is not None:
            frames, bodies = counted(len(self._source.frame_times()), "frame"), len(self.th.body)
            lines.append(f"  .th.body, .frames: {frames} of {counted(bodies, 'body', 'bodies')}")
        return "\n".join(lines)


def time_of(source: Source) -> History:
    """Times of the samples."""
    return History(source.times(), Channel("time", source.time_unit, "time of the sample"))
