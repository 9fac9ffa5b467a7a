"""What a difference is large or small against: the largest value of what the machine does, not of one component.

- Components of one vector or quaternion (VX VY VZ, FX1 FY1 FZ1, FR FS FT, momentum_x ..., Q0 to Q3) of an object have
  the largest of them all as their scale, so that one that is zero but for rounding is not measured by itself.
- All energies, those of springs, contacts and walls too, have the largest of them.
- The error of a drive (UERR, ANGERR) has the scale of its coordinate.
- Pure numbers have a scale of 1 at least.
- What is nothing but rounding, below ROUND_OFF of the largest of its kind, has that as its scale.  Of one kind are
  quantities that only a power of a length tells apart (forces, moments and energies; velocities and angular
  velocities); the size of the machine converts them.  For lengths, areas and angles the kind has the size, its square
  and 1 rad.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ...core.bodies import Floats
from .units import measure_of

# Positions are known to 1e-16 of the size of the machine; over a step of 1e-4 s, squared, that is an acceleration of
# 1e-8 of the size per s^2.
ROUND_OFF = 1e-8

_ENERGIES = {"EELAS", "EDISS", "EFRIC", "IE"}
_COMPONENT = re.compile(r"(?P<before>\w*)[XYZ](?P<shaft>\d?)|(?P<of_diag>\w+)_[xyz]|(?P<in_joint>[FM])[RST]|Q[0-3]")
_ERROR_OF_DRIVE = {"UERR": "U", "ANGERR": "ANG"}
_POSITIONS = {"X", "Y", "Z", "DX", "DY", "DZ", "U", "U2", "V"}
_Kind = tuple[float, float]  # exponents of mass and time


def scales_of(largest: Mapping[str, float], units: Mapping[str, str], size: float) -> dict[str, float]:
    """Scale of each history, in its unit; 0 where all of its kind is zero.

    largest : largest magnitude of each, by its name; units : of each, all of one system
    size : of the machine, in the unit of length; 0 if it has none, then only equal units are of one kind
    """
    measures = {name: measure_of(unit) for name, unit in units.items()}
    own: dict[str, float] = {}
    of_kind: dict[_Kind | tuple[_Kind, float], float] = {}
    for name, value in largest.items():
        own[_owner(name)] = max(own.get(_owner(name), 0.0), value)
        measure = measures[name]
        if measure is not None:
            mass, length, time = measure.dimension
            key: _Kind | tuple[_Kind, float] = (mass, time) if size else ((mass, time), length)
            of_kind[key] = max(of_kind.get(key, 0.0), value / (size**length if size else 1.0))
    scales = {}
    for name in largest:
        mine, measure, least = own[_owner(name)], measures[name], 0.0
        if measure is not None:
            mass, length, time = measure.dimension
            if (mass, time) == (0, 0):  # turns and counters are no measure of lengths
                least = size**length if length == 0 or size else 0.0
            elif size:
                least = of_kind[mass, time] * size**length
            else:
                least = of_kind[(mass, time), length]
        if units[name] == "1":
            scales[name] = max(mine, 1.0)
        else:
            scales[name] = mine if mine > ROUND_OFF * least else least
    return scales


def size_of_machine(largest: Mapping[str, float], units: Mapping[str, str]) -> float:
    """The largest position or displacement that there is; 0 where there is none."""
    unit_of_length = {name: (measure_of(unit) or (0.0, None))[1] == (0, 1, 0) for name, unit in units.items()}
    places = (value for name, value in largest.items() if unit_of_length[name] and _variable(name) in _POSITIONS)
    return max(places, default=0.0)


def largest_of(values: Floats) -> float:
    """Largest magnitude of what is finite."""
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def distances(a: Floats, b: Floats) -> Floats:
    """|a - b|; 0 where both are NaN or the same infinity, infinite where only one of them is."""
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(a - b))
    return np.where(np.isnan(apart), np.inf, apart)


def _variable(name: str) -> str:
    return name.rpartition("/")[2]


def _owner(name: str) -> str:
    """The vector, the sum or the coordinate that lends a history its scale; its own name if there is none."""
    item, _, variable = name.rpartition("/")
    if item == "energy" or variable in _ENERGIES:
        return "energies"
    if variable in _ERROR_OF_DRIVE:
        return f"{item}/{_ERROR_OF_DRIVE[variable]}"
    match = _COMPONENT.fullmatch(variable)
    if not match:
        return name
    kept = (match["before"], match["shaft"], match["of_diag"], match["in_joint"])
    return f"{item}/components of {'.'.join(part or '' for part in kept)}"
