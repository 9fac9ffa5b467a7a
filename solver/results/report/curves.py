"""The histories that a page carries, and the plots it opens with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import h5py
import numpy as np

from ...core.bodies import Floats
from ...core.channels import Family
from ..variables import Variable, all_variables
from .packing import Pack
from .reduction import Reduction

FINE, COARSE = 2000, 200  # most values of a curve that a page opens with, fewest of any other
BUDGET = 600_000  # values of all curves of a page
MOST_IN_PLOT = 8
MOST_OBJECTS = 60  # of a family
POSES = "th/body"  # they have their own times, and are no curves
LARGEST = float(np.finfo(np.float32).max)

# Plots that a page opens with: title, group, and variables of one unit.  `|FN|` is the size of FNX, FNY, FNZ.
OPENING: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Energies",
        "energy",
        (
            "kinetic_translational", "kinetic_rotational", "gravity", "spring", "contact_elastic", "external_work",
            "drive_work", "damping_dissipated", "contact_dissipated", "friction_dissipated", "plastic", "impact_loss",
        ),
    ),
    ("Error of the energy balance", "energy", ("error",)),
    ("Rates of gear joints", "th/gjoint", ("VEL1", "VEL2", "VEL3")),
    ("Torques of gear joints", "th/gjoint", ("T1", "T2", "T3")),
    ("Slides of racks", "th/gjoint", ("V2",)),
    ("Rates of joints", "th/joint", ("RATE", "RATE2")),
    ("Slides of joints", "th/joint", ("V",)),
    ("Rates of couplers", "th/coupler", ("RATE1", "RATE2")),
    ("Torques of drives", "th/drive", ("T",)),
    ("Forces of drives", "th/drive", ("F",)),
    ("Contact forces", "th/inter", ("|FN|",)),
    ("Rates of rigid bodies", "th/rbody", ("VRX", "VRY", "VRZ")),
    ("Velocities of rigid bodies", "th/rbody", ("VX", "VY", "VZ")),
    ("Largest violation of a row", "diag", ("constraint_violation",)),
)  # fmt: skip
ONLY_IF_FEW = ("Rates of rigid bodies", "Velocities of rigid bodies")  # else others say it, or there are too many
FEW_OBJECTS = 2
VECTORS = {"th/inter": ("FN", "normal force on side i, its size")}


@dataclass
class Curve:
    """A history on its way to the page.

    parts : variables whose root of the sum of squares it is; one: itself
    """

    name: str
    title: str
    unit: str
    description: str
    group: str
    parts: tuple[Variable, ...]


@dataclass
class Left:
    """What is in the file and not on the page: names, by families."""

    objects: dict[str, int] = field(default_factory=dict)  # family: how many of its objects
    curves: list[str] = field(default_factory=list)


def curves_of(families: Iterable[Family]) -> tuple[list[Curve], Left]:
    """All that a page may show, in the order of the file; of families of many objects the first ones."""
    left, found = Left(), []
    for family in families:
        if family.group == POSES:
            continue
        if family.ids is not None and len(family.ids) > MOST_OBJECTS:
            left.objects[family.group.removeprefix("th/")] = len(family.ids)
        variables = [v for v in all_variables([family]) if v.place is None or v.place < MOST_OBJECTS]
        found += [_curve(variable) for variable in variables]
        if family.group in VECTORS:
            found += _sizes(family, variables, *VECTORS[family.group])
    return found, left


def _curve(variable: Variable) -> Curve:
    return Curve(variable.name, variable.object_name, variable.unit, variable.description, variable.group, (variable,))


def _sizes(family: Family, variables: list[Variable], name: str, description: str) -> list[Curve]:
    """The size of a vector of each object."""
    by_place: dict[int, list[Variable]] = {}
    for variable in variables:
        if variable.channel.name in (f"{name}X", f"{name}Y", f"{name}Z") and variable.place is not None:
            by_place.setdefault(variable.place, []).append(variable)
    return [
        Curve(
            parts[0].name.removesuffix(f"{name}X") + f"|{name}|", parts[0].object_name, parts[0].unit, description,
            family.group, tuple(parts),
        )
        for parts in by_place.values()
        if len(parts) == 3
    ]  # fmt: skip


def pack_curves(file: h5py.File, times: Floats, families: Iterable[Family], pack: Pack) -> dict[str, Any]:
    """Curves, plots and what was left out, for the page."""
    families = tuple(families)
    curves, left = curves_of(families)
    values = _Values(file, len(times))
    plots = _opening_plots(curves, families, values)
    opening = {k for plot in plots for k in plot["curves"]}
    share = (BUDGET - len(opening) * FINE) // max(1, len(curves) - len(opening))
    levels = [Reduction(times, FINE), Reduction(times, int(np.clip(share, COARSE, FINE)))]
    room = BUDGET
    rows: list[dict[str, Any] | None] = [None] * len(curves)
    order = sorted(range(len(curves)), key=lambda k: k not in opening)  # those of the first plots first
    for k in order:
        level = 0 if k in opening else 1
        row = _packed(curves[k], values, levels[level], room, pack)
        if row is None:
            left.curves.append(curves[k].name)
        else:
            rows[k] = {**row, "level": level}
            room -= row.get("values", {}).get("n", 0)
    place = {k: i for i, k in enumerate(k for k, row in enumerate(rows) if row is not None)}
    for plot in plots:
        plot["curves"] = [place[k] for k in plot["curves"]]
    return {
        "levels": [
            {"times": pack.add(level.times, "f8"), "bundle": level.bundle} for level in levels
        ],
        "list": [row for row in rows if row is not None],
        "plots": plots,
        "left": {"objects": left.objects, "curves": len(left.curves), "most_objects": MOST_OBJECTS},
    }  # fmt: skip


class _Values:
    """Histories as they are asked for, one after the other: the variable read last is kept, all its objects at once."""

    def __init__(self, file: h5py.File, samples: int) -> None:
        self._file, self._samples = file, samples
        self._kept: dict[str, Floats] = {}
        self._group = ""

    def __call__(self, curve: Curve) -> Floats:
        if len(curve.parts) == 1:
            return self._one(curve.parts[0])
        return np.sqrt(np.sum([self._one(part) ** 2 for part in curve.parts], axis=0))  # type: ignore[no-any-return]

    def _one(self, variable: Variable) -> Floats:
        if variable.group != self._group:
            self._kept, self._group = {}, variable.group
        name = variable.channel.name
        if name not in self._kept:
            dataset = self._file[variable.group][name]
            self._kept[name] = dataset[: self._samples] if dataset.ndim == 1 else self._objects(dataset)
        table = self._kept[name]
        return table if variable.place is None else table[:, variable.place]

    def _objects(self, dataset: h5py.Dataset) -> Floats:
        table: Floats = dataset[: self._samples, :MOST_OBJECTS]
        return table


def _packed(curve: Curve, values: _Values, reduction: Reduction, room: int, pack: Pack) -> dict[str, Any] | None:
    """The curve for the page; None where there is no room for it."""
    said = {"name": curve.name, "title": curve.title, "unit": curve.unit, "about": curve.description}
    own = values(curve)
    finite = own[np.isfinite(own)]
    if not len(finite):
        return {**said, "constant": None}
    if len(finite) == len(own) and finite.min() == finite.max():
        return {**said, "constant": float(finite[0])}
    if len(reduction.times) > room:
        return None
    reduced = np.clip(reduction(own), -LARGEST, LARGEST)
    return {**said, "values": pack.add(reduced, "f4"), "least": float(finite.min()), "most": float(finite.max())}


def _opening_plots(curves: list[Curve], families: tuple[Family, ...], values: _Values) -> list[dict[str, Any]]:
    counts = {family.group: 1 if family.ids is None else len(family.ids) for family in families}
    by_group: dict[str, list[int]] = {}
    for k, curve in enumerate(curves):
        by_group.setdefault(curve.group, []).append(k)
    plots: list[dict[str, Any]] = []
    for title, group, wanted in OPENING:
        if title in ONLY_IF_FEW and counts.get(group, 0) > FEW_OBJECTS:
            continue
        chosen = [k for k in by_group.get(group, []) if curves[k].name.rpartition("/")[2] in wanted]
        moving = [k for k in chosen if _says_something(values(curves[k]))]
        if moving:
            shown = _spread(moving)
            plots.append({"title": title, "unit": curves[moving[0]].unit, "curves": shown, "of": len(moving)})
    return plots


def _says_something(values: Floats) -> bool:
    """Whether a history has values, and not 0 alone."""
    return bool(np.any(np.nan_to_num(values)))


def _spread(places: list[int]) -> list[int]:
    """The first, the last and some evenly between, where there are more than a plot can show."""
    if len(places) <= MOST_IN_PLOT:
        return places
    return [places[i] for i in np.linspace(0, len(places) - 1, MOST_IN_PLOT).round().astype(int)]
