"""Names of histories as users write them: `gjoint/1/VEL1`, `node/*/VZ`, `inter/wheel - road/FNX`, `energy/total`.

A name is FAMILY/OBJECT/VARIABLE, or FAMILY/VARIABLE for energy and diag, which belong to the whole machine.  OBJECT is
an id or a name; `th/` may stand before it all, as in the file; the case of letters does not matter.  In a pattern `*`
stands for any letters of a part.  A vector without its axis, `inter/2/FN`, is its magnitude, of FNX, FNY and FNZ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.channels import Channel, Family, SampleBlock

MOST_NAMES = 12  # that a message or a line lists
OBJECTS = "th/"  # before the families of objects in a file
_Quantity = tuple[Channel, tuple[str, ...]]  # and the components of which it is the magnitude


class Columns(Protocol):
    """What gives the histories of a run: of the whole machine or of a family, and of one object."""

    def values(self, group: str, variable: str) -> NDArray[np.float64]: ...

    def column(self, group: str, variable: str, k: int) -> NDArray[np.float64]: ...


class UnknownNameError(AttributeError, KeyError):
    """There is no such family, variable or object; says which there are."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Variable:
    """One history of a run: a number at each sample.

    name : in full, with the id of the object: gjoint/1/VEL1
    group, channel : where it stands, th/gjoint and VEL1
    place : of the object in its family, None for what belongs to the whole machine
    object_name : of the object, "" if it has none
    components : channels whose magnitude it is; none of what stands in the file itself
    """

    name: str
    group: str
    channel: Channel
    place: int | None = None
    object_name: str = ""
    components: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """As "rad/s"; "1" for a pure number."""
        return self.channel.unit

    @property
    def description(self) -> str:
        """What it is, in words."""
        return self.channel.description

    def values(self, block: SampleBlock) -> NDArray[Any]:
        """(k,) at the samples of a block."""

        def column(channel: str) -> NDArray[Any]:
            table = block.values[self.group][channel]
            return table if self.place is None else table[:, self.place]

        return self._gathered(column)

    def read(self, source: Columns) -> NDArray[np.float64]:
        """(nt,) at all samples of a run."""
        group, place = self.group, self.place
        if place is None:
            return self._gathered(lambda channel: source.values(group, channel))
        return self._gathered(lambda channel: source.column(group, channel, place))

    def _gathered(self, column: Callable[[str], NDArray[Any]]) -> NDArray[Any]:
        """(k,) from what gives the (k,) values of a channel of the object."""
        if not self.components:
            return column(self.channel.name)
        return np.asarray(np.sqrt(sum(column(name) ** 2 for name in self.components)))


def all_variables(families: Iterable[Family]) -> list[Variable]:
    """Every history, in the order of the file: the variables of an object stand together."""
    return [
        variable
        for family in families
        for variable in _of_family(family, range(_count(family)), [(channel, ()) for channel in family.channels])
    ]


def find_variable(families: Sequence[Family], name: str) -> Variable:
    """The one history of a name.

    Raises
    ------
    UnknownNameError
        there is none, or more than one; the message says which there are
    """
    found = find_variables(families, name)
    if len(found) > 1:
        names = listed(variable.name for variable in found)
        raise UnknownNameError(f"{name}: stands for {len(found)} histories, where one is needed: {names}")
    return found[0]


def find_variables(families: Sequence[Family], pattern: str) -> list[Variable]:
    """All histories that a name or a pattern stands for, at least one, in the order of the file.

    Raises
    ------
    UnknownNameError
        a part of it is unknown, or no history has all of its parts; the message says which there are
    """
    family_part, object_part, variable_part = _parts(pattern)
    known = {family.group.removeprefix(OBJECTS): family for family in families}
    chosen = [known[name] for name in _matching(known, family_part)]
    if not chosen:
        raise unknown(family_part, known, f"{pattern}: this run has no histories of {family_part!r}")
    fitting = [family for family in chosen if (family.ids is None) == (object_part is None)]
    if not fitting:
        raise UnknownNameError(f"{pattern}: {_shape(chosen[0])}")
    found, missing = [], []
    for family in fitting:
        group = family.group
        places = range(_count(family)) if object_part is None else _places(family, object_part, pattern)
        by_name = {channel.name: channel for channel in family.channels}
        channels: list[_Quantity] = [(by_name[name], ()) for name in _matching(by_name, variable_part)]
        channels = channels or _magnitude(by_name, variable_part)
        if not places:
            objects = [*map(str, family.ids if family.ids is not None else ()), *filter(None, family.names)]
            missing.append(unknown(object_part, objects, f"{pattern}: {group} has no object {object_part!r}"))
        elif not channels:
            missing.append(unknown(variable_part, by_name, f"{pattern}: {group} has no variable {variable_part!r}"))
        found += _of_family(family, places, channels)
    if not found:
        raise missing[0] if len(missing) == 1 else UnknownNameError(f"{pattern}: no history has such a name")
    return found


def listed(names: Any) -> str:
    """Names, the first of many."""
    found = list(names)
    more = f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else ""
    return ", ".join(found[:MOST_NAMES]) + more


def unknown(name: object, known: Iterable[Any], text: str) -> UnknownNameError:
    """The error for a name that is not known: what may have been meant, and what there is."""
    by_upper = {str(other).upper(): str(other) for other in known}
    meant = get_close_matches(str(name).upper(), by_upper, n=3, cutoff=0.6)
    there = f"there are {listed(by_upper.values())}" if by_upper else "there are none"
    if not meant:
        return UnknownNameError(f"{text}; {there}")
    asked = " or ".join(by_upper[upper] for upper in meant)
    return UnknownNameError(f"{text}; did you mean {asked}? T{there[1:]}")


def _parts(pattern: str) -> tuple[str, str | None, str]:
    """Family, object (None if there is none) and variable; the name of an object may have slashes."""
    text = pattern.strip().removeprefix("/")
    text = text[len(OBJECTS) :] if text.lower().startswith(OBJECTS) else text
    family, _, rest = text.partition("/")
    item, _, variable = rest.rpartition("/")
    if not family or not variable or (not item and "/" in rest):
        raise UnknownNameError(
            f"{pattern!r} is no name of a history: it takes FAMILY/OBJECT/VARIABLE, as gjoint/1/VEL1, "
            "or energy/VARIABLE, diag/VARIABLE"
        )
    return family, item or None, variable


def _shape(family: Family) -> str:
    """What names of a family look like."""
    name = family.group.removeprefix(OBJECTS)
    some = family.channels[0].name
    if family.ids is None:
        return f"{name} belongs to the whole machine and has no objects: {name}/VARIABLE, as {name}/{some}"
    return f"the object is missing: {name}/ID/VARIABLE, as {name}/{family.ids[0]}/{some}, or {name}/*/{some} for all"


def _count(family: Family) -> int:
    return 1 if family.ids is None else len(family.ids)


def _of_family(family: Family, places: Iterable[int], quantities: Sequence[_Quantity]) -> list[Variable]:
    name = family.group.removeprefix(OBJECTS)
    if family.ids is None:
        return [
            Variable(f"{name}/{channel.name}", family.group, channel, components=components)
            for channel, components in quantities
        ]
    return [
        Variable(f"{name}/{family.ids[k]}/{channel.name}", family.group, channel, k, family.names[k], components)
        for k in places
        for channel, components in quantities
    ]


def _magnitude(by_name: Mapping[str, Channel], part: str) -> list[_Quantity]:
    """Of the vector whose components are named as a part with the letters of the axes in it: F1 of FX1, momentum."""
    by_upper = {name.upper(): channel for name, channel in by_name.items()}
    stem = part.rstrip("0123456789")
    for before, after in ((stem, part[len(stem) :]), (f"{part}_", "")):
        axes = [by_upper.get(f"{before}{axis}{after}".upper()) for axis in "XYZ"]
        components = tuple(channel.name for channel in axes if channel is not None)
        if len(components) == len(axes) and axes[0] is not None:
            name = components[0][: len(stem)] + after
            return [(Channel(name, axes[0].unit, f"magnitude of {', '.join(components)}"), components)]
    return []


def _places(family: Family, part: str, pattern: str) -> list[int]:
    """Of the objects with this id, else of this name, else of ids or names like it."""
    ids = [str(id) for id in family.ids] if family.ids is not None else []
    if part in ids:
        return [ids.index(part)]
    named = [k for k, name in enumerate(family.names) if name == part]
    named = named or [k for k, name in enumerate(family.names) if name.lower() == part.lower()]
    if len(named) > 1:
        same = listed(ids[k] for k in named)
        raise UnknownNameError(
            f"{pattern}: {len(named)} objects of {family.group} are named {part!r}; their ids: {same}"
        )
    if named or "*" not in part:
        return named
    like = _like(part)
    return [k for k, (id, name) in enumerate(zip(ids, family.names, strict=True)) if like(id) or like(name)]


def _matching(known: Iterable[str], part: str) -> list[str]:
    """The names that a part stands for: itself, else in other case or by its `*`."""
    names = list(known)
    return [part] if part in names else list(filter(_like(part), names))


def _like(part: str) -> Callable[[str], object]:
    return re.compile(".*".join(map(re.escape, part.split("*"))), re.IGNORECASE).fullmatch
