"""Two sides beside each other: how far each history is apart, and since when."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.bodies import Floats
from ..files import OutputError
from ..frames import package
from ..result import Result
from .grid import Grid, Sampler, common_grid
from .poses import PLACE, bodies_apart, poses_apart
from .scales import distances, largest_of, scales_of, size_of_machine
from .sides import Side, load_result, side_of_result, side_of_table
from .units import factor

if TYPE_CHECKING:
    import pandas

Source = Result | str | PathLike[str]

RTOL = 1e-9  # of the scale; another processor or compiler changes the last digits of 16
NOT_JUDGED = ("diag/step", "diag/dt", "diag/iterations")  # how a result was found, not what it is


@dataclass(frozen=True, slots=True)
class Difference:
    """How far a history of B is from that of A. Numbers are in the unit of A.

    largest, at : largest absolute difference, and its time; a, b : the values there
    rms : root of the mean square over the samples
    scale : what is large for such a history; relative : largest/scale
    tolerance : what is allowed; first_beyond : time of the first sample that is farther apart, None if none is
    interpolation : by how much values between samples may be off, 0 where all are at samples
    """

    name: str
    unit: str
    largest: float
    at: float
    a: float
    b: float
    rms: float
    scale: float
    relative: float
    tolerance: float
    first_beyond: float | None
    interpolation: float

    @property
    def differs(self) -> bool:
        """Whether any sample is farther apart than allowed."""
        return self.first_beyond is not None


@dataclass(slots=True)
class Comparison:
    """What came of comparing B with A, the reference.

    a, b : their files
    rtol, atol : tolerance, as a part of the scale, and in the unit of the history
    span : first and last time that were compared; samples : how many; time_unit : of A
    differences : one a history that both have, those that are farthest apart first
    missing, new : histories, and bodies with frames, that only A, only B has
    refused : what makes the two different besides their numbers
    notes : what is worth knowing and no difference
    """

    a: str
    b: str
    rtol: float
    atol: float
    span: tuple[float, float] = (0.0, 0.0)
    samples: int = 0
    time_unit: str = ""
    differences: list[Difference] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether B has all that A has, to within the tolerance."""
        return not (self.refused or self.missing or any(row.differs for row in self.differences))

    @property
    def differing(self) -> list[Difference]:
        """The histories that are farther apart than allowed."""
        return [row for row in self.differences if row.differs]

    def to_pandas(self) -> pandas.DataFrame:
        """A row a history."""
        columns = [name for name in Difference.__dataclass_fields__ if name != "name"] + ["differs"]
        rows = [[getattr(row, name) for name in columns] for row in self.differences]
        names = package("pandas").Index([row.name for row in self.differences], name="name")
        found: pandas.DataFrame = package("pandas").DataFrame(rows, index=names, columns=columns)
        return found

    def __repr__(self) -> str:
        found = "equal" if self.equal else "different"
        count = len(self.differing)
        rows = f"{count} of {len(self.differences)} histories differ"
        return f"<gsolve.Comparison of {self.a} and {self.b}: {found}, {rows}>"


def compare(a: Source, b: Source, *, rtol: float = RTOL, atol: float = 0.0, at_end: bool = False) -> Comparison:
    """Compare the histories of two runs, or those of a run with a table.

    Parameters
    ----------
    a, b
        Results, result files, or for one of them a CSV file; A is the reference: what it has B must have.
    rtol
        Largest difference that is none, as a part of the scale of a history.
    atol
        What is allowed beyond that, in the unit of each history in A.
    at_end
        Compare the last samples alone, each at the end of its own run.

    Raises
    ------
    OutputError
        A file is not there, damaged or of another program; units are of different quantities; no time is common.
    ValueError
        A tolerance is negative, infinite or not a number.
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not is_tolerance(value):
            raise ValueError(f"{name}: {value!r} is not a number from 0 on")
    return compare_sides(*sides_of(a, b), rtol=rtol, atol=atol, at_end=at_end)


def is_tolerance(value: float) -> bool:
    """Whether a number can be one."""
    return math.isfinite(value) and value >= 0.0


def sides_of(a: Source, b: Source) -> tuple[Side, Side]:
    """What two files or results hold; at most one of them may be a table."""
    found = [source if isinstance(source, Result) else Path(source) for source in (a, b)]
    tables = [source for source in found if isinstance(source, Path) and source.suffix.lower() == ".csv"]
    if len(tables) > 1:
        raise OutputError(f"{tables[0]} and {tables[1]} are two tables; one of the two has to be a result of gsolve")
    for source in found:
        if isinstance(source, Path) and source.suffix.lower() == ".toml":
            raise OutputError(f"{source}: expected numbers are compared with a run by gsolve.judge")
    results = {k: source if isinstance(source, Result) else load_result(source) for k, source in enumerate(found)
               if source not in tables}  # fmt: skip
    one, other = (
        side_of_result(results[k]) if k in results else side_of_table(Path(str(found[k])), results[1 - k])
        for k in range(2)
    )
    return one, other


def compare_sides(a: Side, b: Side, *, rtol: float, atol: float, at_end: bool) -> Comparison:
    """As `compare`, of what was read."""
    found = Comparison(a.label, b.label, rtol, atol, time_unit=a.time_unit)
    _say_what_they_are(a, b, found)
    grid = _grid(a, b, found, at_end)
    shared = [name for name in a.units if name in b.units]
    if a.whole and b.whole:
        found.missing = [name for name in a.units if name not in b.units]
        found.new = [name for name in b.units if name not in a.units]
        found.notes += _renamed(a, b)
    factors = _factors(a, b, shared)
    converted = sorted({f"{b.units[name]} to {a.units[name]}" for name in shared if factors[name] != 1.0})
    if converted:
        found.notes.append(f"units of B converted: {', '.join(converted)}")
    largest = {name: largest_of(a.values(name)) for name in shared}
    units = {name: a.units[name] for name in shared}
    scales = scales_of(largest, units, size_of_machine(largest, units))
    for name in shared:
        resolution = max(a.resolution, b.resolution * factors[name])
        tolerance = resolution + atol + rtol * scales[name]
        row = _difference(name, a, b, grid, factors[name], scales[name], tolerance)
        if name not in NOT_JUDGED:
            found.differences.append(row)
        elif row.largest > 0.0:
            found.notes.append(f"{name} is not the same, which is not judged")
    if not at_end:
        found.differences += _frames_apart(a, b, found, rtol, atol)
    found.differences.sort(key=lambda row: (not row.differs, -row.relative))
    return found


def _factors(a: Side, b: Side, shared: list[str]) -> dict[str, float]:
    """What numbers of B are multiplied by to be in the units of A."""
    found, refused = {}, []
    for name in shared:
        try:
            found[name] = factor(b.units[name], a.units[name], name)
        except OutputError as error:
            refused.append(str(error))
    if refused:
        raise OutputError(f"{b.label} and {a.label} cannot be compared: {'; '.join(refused)}")
    return found


def _say_what_they_are(a: Side, b: Side, found: Comparison) -> None:
    for letter, side in (("A", a), ("B", b)):
        found.notes += [f"{letter}: {note}" for note in side.notes]
        if side.unmapped:
            shown = ", ".join(repr(name) for name in side.unmapped[:6])
            more = f" and {len(side.unmapped) - 6} more" if len(side.unmapped) > 6 else ""
            columns = "1 column stands" if len(side.unmapped) == 1 else f"{len(side.unmapped)} columns stand"
            found.notes.append(f"{letter}: {columns} for no history: {shown}{more}")
    for what in (name for name in a.origin if name in b.origin and a.origin[name] != b.origin[name]):
        if what == "deck":
            found.notes.append("the decks are not the same")
        else:
            found.notes.append(f"{what}: {a.origin[what]} of A, {b.origin[what]} of B")
    if a.status and b.status and a.status != b.status:
        found.refused.append(f"the run of A is {a.status}, that of B is {b.status}")


def _grid(a: Side, b: Side, found: Comparison, at_end: bool) -> Grid:
    b_times = b.times * factor(b.time_unit, a.time_unit, "time")
    for side in (a, b):
        if not len(side.times):
            raise OutputError(f"{side.label} holds no samples")
    grid = _last_samples(a.times, b_times) if at_end else common_grid(a.times, b_times)
    if grid is None:
        raise OutputError(
            f"{a.label} (t = {a.times[0]:g} to {a.times[-1]:g}) and {b.label} (t = {b_times[0]:g} to {b_times[-1]:g}) "
            f"have no time in common"
        )
    found.span, found.samples = (float(grid.times[0]), float(grid.times[-1])), len(grid.times)
    slack = 1e-9 * abs(float(a.times[-1]))
    ends = f"A ends at t = {a.times[-1]:.9g} {a.time_unit}, B at {b_times[-1]:.9g} {a.time_unit}"
    if abs(a.times[-1] - b_times[-1]) > slack:
        found.notes.append(f"{ends}: " + ("each at its end" if at_end else "compared over the time that both have"))
    for letter, sampler in (("A", grid.of_a), ("B", grid.of_b)):
        if sampler.interpolated:
            found.notes.append(
                f"{sampler.interpolated} of {found.samples} times lie between samples of {letter}, which is taken on "
                "straight lines there; what that may cost stands in the table"
            )
    return grid


def _last_samples(a: Floats, b: Floats) -> Grid:
    last = [Sampler(np.array([len(times) - 1]), np.array([len(times) - 1]), np.zeros(1)) for times in (a, b)]
    return Grid(a[-1:], *last)


def _difference(
    name: str, a: Side, b: Side, grid: Grid, factor_of_b: float, scale: float, tolerance: float
) -> Difference:
    whole_a, whole_b = a.values(name), b.values(name)
    if factor_of_b != 1.0:
        whole_b = whole_b * factor_of_b
    values_a, values_b = grid.of_a.take(whole_a), grid.of_b.take(whole_b)
    apart = distances(values_a, values_b)
    worst = int(np.argmax(apart))
    beyond = np.flatnonzero(apart > tolerance)
    finite = apart[np.isfinite(apart)]
    largest = float(apart[worst])
    return Difference(
        name=name,
        unit=a.units[name],
        largest=largest,
        at=float(grid.times[worst]),
        a=float(values_a[worst]),
        b=float(values_b[worst]),
        rms=float(np.sqrt(np.mean(finite**2))) if len(finite) == len(apart) else float("inf"),
        scale=scale,
        relative=largest / scale if scale > 0.0 else (float("inf") if largest > 0.0 else 0.0),
        tolerance=tolerance,
        first_beyond=float(grid.times[beyond[0]]) if len(beyond) else None,
        interpolation=max(grid.of_a.cost(whole_a), grid.of_b.cost(whole_b)),
    )


def _frames_apart(a: Side, b: Side, found: Comparison, rtol: float, atol: float) -> list[Difference]:
    """Places and attitudes of bodies at the frames that both runs have; what differs is 0 in A."""
    if a.run is None or b.run is None:
        return []
    missing, new = bodies_apart(a.run, b.run)
    found.missing = missing + found.missing
    found.new = new + found.new
    unit = a.run.units.length
    length, time = factor(b.run.units.length, unit, "frames"), factor(b.time_unit, a.time_unit, "time")
    times, apart = poses_apart(a.run, b.run, length, time)
    if not apart:
        without = [side for side, of in (("A", a.run), ("B", b.run)) if of.source.frames is None]
        if len(without) == 1:
            found.notes.append(f"{without[0]} has no frames: those of the other one are not compared")
        elif not without and len(a.run.model.body) > len(missing):
            found.notes.append("frames of A and B are at other times, and are not compared")
        return []
    size = float(np.abs(a.run.frames.position).max(initial=0.0))
    rows = []
    for name, values in apart.items():
        is_place = name.endswith(PLACE)
        scale, worst = (size if is_place else 1.0), int(np.argmax(values))
        beyond, largest = np.flatnonzero(~(values <= atol + rtol * scale)), float(values[worst])
        rows.append(Difference(
            name, unit if is_place else "rad", largest, float(times[worst]), 0.0, largest,
            float(np.sqrt(np.mean(values**2))), scale, largest / scale if scale > 0.0 else largest,
            atol + rtol * scale, float(times[beyond[0]]) if len(beyond) else None, 0.0,
        ))  # fmt: skip
    return rows


def _renamed(a: Side, b: Side) -> Iterable[str]:
    """Objects that have another name in B, or another id."""
    for item, name in a.objects.items():
        if name and item in b.objects and b.objects[item] != name:
            yield f"{item} is named '{name}' in A and '{b.objects[item]}' in B"
        elif name and item not in b.objects:
            family = item.split("/")[0]
            alike = [other for other, theirs in b.objects.items()
                     if theirs == name and other.split("/")[0] == family and other not in a.objects]  # fmt: skip
            if len(alike) == 1:
                yield f"{item} is not in B, which has {alike[0]} of the same name, '{name}'"


def details(row: Difference) -> dict[str, Any]:
    """A row for a program."""
    return {name: getattr(row, name) for name in Difference.__dataclass_fields__} | {"differs": row.differs}
