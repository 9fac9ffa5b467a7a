"""How far two history files of one deck are apart, measured by what the machine does.

The relative difference of a dataset is its largest absolute difference, over all samples and objects, divided by the
scale of the dataset in the old file: what `gsolve compare` takes (`solver/results/compare/scales.py`), here of all
objects together and with the size of the machine from its deck.

NaN is equal to NaN only.  Texts, ids and other whole numbers must be the same, and so must attributes, but for those
of IGNORED and NOTED; numbers in attributes are compared as datasets are, each by itself.

Some things are said without being a difference: other values of `step` and `iterations`, integers that tell how the
result was found; other descriptions; and datasets and attributes that only the new file has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from gsolve.solver.results.compare.scales import distances, largest_of, scales_of
from numpy.typing import NDArray

Values = NDArray[np.float64]

# When, where and by which version a file was made; and what HDF5 keeps to attach the time and the ids.
IGNORED = {"command_line", "created", "gsolve_version", "wall_time_s"}
IGNORED |= {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"}
NOTED = {"description", "long_name", "n_steps"}
# Of the whole run; of a run that is compared in part they say nothing.
OF_THE_WHOLE_RUN = {"dt_min", "dt_max", "energy_error", "energy_turned_over", "n_steps"}
COUNTERS = ("diag/step", "diag/iterations")
CHECKPOINTS = "checkpoint"
POINTS_OF_CONTACT = ("NPATCH", "NNODE")

Pair = tuple[h5py.Dataset, h5py.Dataset]  # of the old and of the new file


@dataclass
class Comparison:
    """What `compare` found.

    datasets : number of datasets that were compared
    worst, relative : the dataset with the largest relative difference, and this
    differences : what makes the files differ, one line each
    notes : what is worth saying and no difference
    until : time up to which they were compared, None for all of it
    """

    datasets: int = 0
    worst: str = ""
    relative: float = 0.0
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    until: float | None = None


def compare(old: Path, new: Path, tolerance: float, *, size: float = 0.0, to_first_touch: bool = False) -> Comparison:
    """Compare two history files.

    tolerance : largest relative difference that is none
    size : of the machine, in the deck's unit of length; 0 if it has none, then only equal units are of one kind
    to_first_touch : judge only the samples up to the first one in which more points touch than at the start of the
        old file, and note how far the files are apart after it
    """
    found = Comparison()
    with h5py.File(old) as old_file, h5py.File(new) as new_file:
        sets = dict(datasets(old_file)), dict(datasets(new_file))
        found.differences += [f"missing: {name}" for name in sets[0] if name not in sets[1]]
        found.notes += [f"only in the new file: {name}" for name in sets[1] if name not in sets[0]]
        pairs = {name: (dataset, sets[1][name]) for name, dataset in sets[0].items() if name in sets[1]}
        found.datasets = len(pairs)
        touch = first_touch(sets[0]) if to_first_touch else None
        samples, samples_of_new = len(old_file["time"]), len(new_file["time"])
        if touch is not None:
            samples, found.until = touch + 1, float(old_file["time"][touch])
        if samples_of_new < samples or (touch is None and samples_of_new > samples):
            found.differences.append(f"number of samples: {samples}, {samples_of_new} in the new file")
        left_out = IGNORED if touch is None else IGNORED | OF_THE_WHOLE_RUN
        _compare_attributes("", old_file.attrs, new_file.attrs, left_out, tolerance, found)
        for name, (one, other) in pairs.items():
            _compare_attributes(name, one.attrs, other.attrs, IGNORED, tolerance, found)
        found.differences += [f"{name}: not the same" for name, pair in pairs.items() if not same_labels(*pair)]
        histories = {name: pair for name, pair in pairs.items() if all(map(is_history, pair))}
        _compare_histories(histories, slice(samples), size, tolerance, found)
        if touch is not None and samples < len(old_file["time"]):
            after = Comparison()
            _compare_histories(histories, slice(samples, None), size, np.inf, after)
            where = f" ({after.worst})" if after.worst else ""
            found.notes.append(f"after t = {found.until:g}: {after.relative:.1e}{where}, not judged")
    return found


def datasets(group: h5py.Group, path: str = "") -> Iterator[tuple[str, h5py.Dataset]]:
    """All datasets below a group by their paths, also those that stand in several places, as the time does.

    Checkpoints are for the version that wrote them.
    """
    for name, item in group.items():
        if path + name == CHECKPOINTS:
            continue
        if isinstance(item, h5py.Dataset):
            yield path + name, item
        else:
            yield from datasets(item, f"{path}{name}/")


def is_history(dataset: h5py.Dataset) -> bool:
    """Whether it holds samples."""
    return bool(dataset.dtype.kind == "f")


def first_touch(sets: Mapping[str, h5py.Dataset]) -> int | None:
    """Index of the first sample in which an interface or a wall touches at more points than in the first sample."""
    found = []
    for name, dataset in sets.items():
        if name.rpartition("/")[2] in POINTS_OF_CONTACT and len(dataset):
            points = dataset[:]
            found += list(np.flatnonzero((points > points[0]).any(axis=1))[:1])
    return int(min(found)) if found else None


# ---- comparisons ---------------------------------------------------------------------------------------------


def _compare_histories(
    pairs: Mapping[str, Pair],
    samples: slice,
    size: float,
    tolerance: float,
    found: Comparison,
) -> None:
    """Numbers; if one file has more samples, those that both have."""
    old = {name: one[samples] for name, (one, _) in pairs.items()}
    units = {name: str(one.attrs.get("units", "")) for name, (one, _) in pairs.items()}
    scales = scales_of({name: largest_of(values) for name, values in old.items()}, units, size)
    lines: list[tuple[float, str]] = []
    for name, (_, other) in pairs.items():
        new = other[samples]
        if old[name].shape[1:] != new.shape[1:]:
            found.differences.append(f"{name}: {old[name].shape[1:]} objects, {new.shape[1:]} in the new file")
            continue
        both = min(len(old[name]), len(new))
        apart = distances(old[name][:both], new[:both])
        apart = apart.max(axis=tuple(range(1, apart.ndim)), initial=0.0)  # of each sample
        if name in COUNTERS:
            if apart.any():
                found.notes.append(f"{name} is not the same in {np.count_nonzero(apart)} of {both} samples")
            continue
        difference, scale = float(apart.max(initial=0.0)), scales[name]
        if difference == 0.0:
            continue
        relative = difference / scale if scale > 0.0 else np.inf
        if relative > tolerance:
            first = float(old["time"][np.argmax(apart > tolerance * scale)])
            lines.append((relative, f"{name}: {relative:.1e}, first at t = {first:g}"))
        if relative > found.relative:
            found.worst, found.relative = name, relative
    found.differences += [line for _, line in sorted(lines, key=lambda item: -item[0])]


def same_labels(one: h5py.Dataset, other: h5py.Dataset) -> bool:
    """Whether two datasets of ids, names or other texts are the same; those of samples always are."""
    if is_history(one) and is_history(other):
        return True
    return one.dtype == other.dtype and same_values(np.asarray(one[()]), np.asarray(other[()]))


def same_values(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays of one type are the same, records field by field; NaN is NaN."""
    if one.dtype.names is not None:
        return all(same_values(one[name], other[name]) for name in one.dtype.names)
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


def _compare_attributes(
    name: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    left_out: set[str],
    tolerance: float,
    found: Comparison,
) -> None:
    """Of a dataset, or of the file (name "")."""
    for key in sorted((set(old) | set(new)) - left_out):
        what = f"attribute {key} of {name}" if name else f"attribute {key}"
        if key not in new:
            lines = found.notes if key in NOTED else found.differences
            lines.append(f"missing: {what}")
        elif key not in old:
            found.notes.append(f"only in the new file: {what}")
        elif not _same(old[key], new[key], tolerance, 1.0 if key == "energy_error" else 0.0):
            lines = found.notes if key in NOTED else found.differences
            lines.append(f"{what}: {old[key]!s}, {new[key]!s} in the new file")


def _same(old: object, new: object, tolerance: float, scale: float) -> bool:
    """Of one kind and equal, numbers to within the tolerance."""
    if isinstance(old, float) and isinstance(new, float):
        return bool(abs(old - new) <= tolerance * max(abs(old), scale)) or old == new
    return bool(np.all(old == new))
