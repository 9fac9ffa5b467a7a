"""Forces of contacts as arrows: where they act, at any times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.bodies import Floats, Ints
from ..result import ObjectTable, Result

AXES = "XYZ"


@dataclass(frozen=True, slots=True, eq=False)
class ContactForces:
    """Resultants of interfaces, or of each pair of bodies where the run has those.

    names, interfaces : (n,) of the interfaces or pairs, and ids of the interfaces
    point : (nt, n, 3) where they act, global axes; one that never touches is left out
    normal, friction : (nt, n, 3) on side i, or on the first body of a pair
    unit : of the forces
    """

    names: list[str]
    interfaces: Ints
    point: Floats
    normal: Floats
    friction: Floats
    unit: str


def contact_forces(result: Result, times: Floats) -> ContactForces | None:
    """Forces at times, between two samples in proportion; None of a run without contacts.

    While nothing touches, a force is zero, and its point where it was last, or will be first.
    """
    samples = np.asarray(result.time)
    tables = [result.th[name] for name in ("inter_pairs", "inter") if name in result.th]
    names: list[str] = []
    ids: list[int] = []
    arrays: list[tuple[Floats, Floats, Floats]] = []
    paired: set[int] = set()
    for table in tables:
        numbers = np.asarray(table.labels.get("interface", table.ids))
        point, normal, friction = (_vectors(table, prefix) for prefix in ("P", "FN", "FT"))
        for k, (name, number) in enumerate(zip(table.names, numbers.tolist(), strict=True)):
            touched: NDArray[np.bool_] = np.all(np.isfinite(point[:, k]), axis=1)
            if number in paired or not touched.any():
                continue
            where = _held(samples, point[:, k], touched, times)
            arrays.append((where, _between(samples, normal[:, k], times), _between(samples, friction[:, k], times)))
            names.append(name)
            ids.append(number)
        paired |= set(numbers.tolist())
    if not arrays:
        return None
    point, normal, friction = (np.stack([item[k] for item in arrays], axis=1) for k in range(3))
    return ContactForces(names, np.array(ids), point, normal, friction, tables[0].units("FNX"))


def _vectors(table: ObjectTable, prefix: str) -> Floats:
    return np.stack([np.asarray(table[prefix + axis]) for axis in AXES], axis=2)


def _between(samples: Floats, values: Floats, times: Floats) -> Floats:
    whole = np.nan_to_num(values)
    return np.stack([np.interp(times, samples, whole[:, k]) for k in range(3)], axis=1)


def _held(samples: Floats, points: Floats, touched: NDArray[np.bool_], times: Floats) -> Floats:
    """Points at times, from the samples that have any."""
    return np.stack([np.interp(times, samples[touched], points[touched, k]) for k in range(3)], axis=1)
