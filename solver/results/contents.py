"""What is known of a result besides the values of its histories, as its file has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.channels import Family
from .history_layout import object_names

if TYPE_CHECKING:
    from gsolve.parser.text.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Contents:
    """A result file without its histories: read from it, or known to the run that wrote it.

    attributes : of the root, in types of Python
    deck : its text; messages : all that was told
    families : of the histories; frames : of the poses of bodies, None where there are none
    time_unit : the deck's
    times : (nt,) of the samples; frame_times : (nf,)
    identity : device and number of the file
    """

    attributes: dict[str, Any]
    deck: str
    messages: tuple[Diagnostic, ...]
    families: tuple[Family, ...]
    frames: Family | None
    time_unit: str
    times: NDArray[np.float64]
    frame_times: NDArray[np.float64]
    identity: tuple[int, int]


def as_in_a_file(families: tuple[Family, ...]) -> tuple[Family, ...]:
    """Those with objects, all of which have a name, in the order in which HDF5 lists them."""
    found = []
    for family in sorted(families, key=lambda family: (family.ids is not None, family.group != "energy", family.group)):
        channels = tuple(sorted(family.channels, key=lambda channel: channel.name))
        if family.ids is None:
            found.append(replace(family, channels=channels))
        elif len(family.ids):
            labels = tuple(sorted(family.labels, key=lambda label: label.name))
            found.append(replace(family, channels=channels, labels=labels, names=tuple(object_names(family))))
    return tuple(found)


def poses_as_in_a_file(poses: Family | None) -> Family | None:
    """The same of the poses of bodies."""
    return as_in_a_file((poses,))[0] if poses is not None else None


def in_python_types(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes without types of numpy, by name."""
    return {
        name: value.item() if isinstance(value, np.generic) else value for name, value in sorted(attributes.items())
    }


def fixed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values, which nobody can change any more."""
    values.flags.writeable = False
    return values
