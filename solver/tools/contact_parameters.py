"""Parameters of contacts from materials and radii: stiffness by Hertz, Palmgren and elastic layers, and the tables.

All in SI units. Sources: H. Hertz, J. reine angew. Math. 92 (1882) 156 (balls); A. Palmgren, Ball and Roller Bearing
Engineering, 3rd ed. (1959), and J. Brändlein et al., Ball and Roller Bearings (1999), section 4.2 (lines of contact).
"""

from __future__ import annotations

import csv
import difflib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
HERTZ_EXPONENT = 1.5
LINE_EXPONENT = 10.0 / 9.0
_SPELLINGS = {
    "aluminum": "aluminium",
    "mild steel": "steel (mild)",
    "pmma": "plexiglas",
    "polyamide": "nylon",
    "ptfe": "teflon",
}


class UnknownMaterial(ValueError):
    """A material that no table has; the text says what is nearest."""


@dataclass(frozen=True, slots=True)
class Material:
    """Elastic constants of an isotropic material.

    young : Young's modulus, Pa; poisson : Poisson's ratio; density : kg/m3, 0 if not known
    """

    name: str
    young: float
    poisson: float
    density: float = 0.0
    source: str = ""

    @property
    def plane_modulus(self) -> float:
        """E/(1 - nu^2), Pa."""
        return self.young / (1.0 - self.poisson**2)

    @property
    def bulk_modulus(self) -> float:
        """E/(3 (1 - 2 nu)), Pa."""
        return self.young / (3.0 * (1.0 - 2.0 * self.poisson))

    @property
    def shear_modulus(self) -> float:
        """E/(2 (1 + nu)), Pa."""
        return self.young / (2.0 * (1.0 + self.poisson))

    @property
    def wave_modulus(self) -> float:
        """P-wave modulus K + 4/3 G, Pa: stiffness of a layer that cannot widen."""
        return self.bulk_modulus + 4.0 * self.shear_modulus / 3.0


class Range(NamedTuple):
    """A tabulated value, or the range it is given as."""

    least: float
    greatest: float

    @property
    def middle(self) -> float:
        return 0.5 * (self.least + self.greatest)

    def __str__(self) -> str:
        return f"{self.least:g}" if self.least == self.greatest else f"{self.least:g}-{self.greatest:g}"


@dataclass(frozen=True, slots=True)
class Restitution:
    """Coefficient of restitution between two bodies of one material."""

    material: str
    value: float
    note: str


@dataclass(frozen=True, slots=True)
class Friction:
    """Friction coefficients of a pair of materials; None where the table has none."""

    materials: tuple[str, str]
    dry_static: Range | None
    dry_dynamic: Range | None
    oiled_static: Range | None
    oiled_dynamic: Range | None
    doubtful: bool
    note: str

    def values(self, *, oiled: bool) -> tuple[Range | None, Range | None]:
        """Static and dynamic coefficient."""
        return (self.oiled_static, self.oiled_dynamic) if oiled else (self.dry_static, self.dry_dynamic)


# Formulas


def effective_modulus(first: Material, second: Material) -> float:
    """E* of two bodies in contact, Pa: 1/E* = (1 - nu_i^2)/E_i + (1 - nu_j^2)/E_j."""
    return 1.0 / (1.0 / first.plane_modulus + 1.0 / second.plane_modulus)


def effective_radius(first: float, second: float) -> float:
    """R* of two balls, m: 1/R* = 1/R_i + 1/R_j; inf is a plane, a negative radius a hollow."""
    return 1.0 / (1.0 / first + 1.0 / second)


def hertz_stiffness(first: Material, second: Material, radius: float) -> float:
    """K of F = K z^1.5 for balls of effective radius R*: (4/3) E* sqrt(R*), N/m^1.5."""
    return 4.0 / 3.0 * effective_modulus(first, second) * math.sqrt(radius)


def line_stiffness(first: Material, second: Material, length: float) -> float:
    """K of F = K z^(10/9) for a cylinder that touches a plane along a line of that length, N/m^(10/9).

    Palmgren's z = 0.39 (4 (1 - nu_i^2)/E_i + 4 (1 - nu_j^2)/E_j)^0.9 F^0.9 / length^0.8, solved for F. It fits
    measured rollers; the radius hardly matters (the exact relation is logarithmic).
    """
    compliance = 0.39 * (4.0 / effective_modulus(first, second)) ** 0.9
    return (length**0.8 / compliance) ** LINE_EXPONENT


def layer_stiffness(material: Material, depth: float) -> float:
    """c = M/d of one side of a VOLUME contact, N/m3."""
    return material.wave_modulus / depth


def in_series(first: float, second: float) -> float:
    """Stiffness of two springs in series."""
    return first * second / (first + second)


def mixed_restitution(first: Material, second: Material, first_value: float, second_value: float) -> float:
    """Estimate for two materials, from those of each on itself.

    Of the energy of two springs in series each holds a share in proportion to its compliance, and gives back the
    square of its own coefficient of it (Coaplen, Stronge and Ravani, Int. J. Impact Eng. 30 (2004) 581).
    """
    shares = 1.0 / first.plane_modulus, 1.0 / second.plane_modulus
    returned = shares[0] * first_value**2 + shares[1] * second_value**2
    return math.sqrt(returned / sum(shares))


# Tables


def _rows(name: str) -> Iterator[dict[str, str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return csv.DictReader(line for line in lines if not line.startswith("#"))


@cache
def materials() -> dict[str, Material]:
    """Materials whose elastic constants are known, by name."""
    return {
        row["material"]: Material(
            row["material"], float(row["young_gpa"]) * 1e9, float(row["poisson"]), float(row["density"]), row["source"]
        )
        for row in _rows("materials.csv")
    }


@cache
def restitutions() -> dict[str, Restitution]:
    """Coefficients of restitution, by material."""
    return {
        row["material"]: Restitution(row["material"], float(row["restitution"]), row["note"])
        for row in _rows("restitution.csv")
    }


@cache
def frictions() -> list[Friction]:
    """All pairs of the table of friction coefficients."""
    return [
        Friction(
            (row["material_1"], row["material_2"]),
            _range(row["dry_static"]),
            _range(row["dry_dynamic"]),
            _range(row["oiled_static"]),
            _range(row["oiled_dynamic"]),
            row["doubtful"] == "yes",
            row["note"],
        )
        for row in _rows("friction.csv")
    ]


def _range(text: str) -> Range | None:
    if not text:
        return None
    least, _, greatest = text.partition("-")
    return Range(float(least), float(greatest or least))


def base_name(name: str) -> str:
    """A material without what is said about its state: `steel` of `steel (hard)`."""
    return name.split(" (")[0]


@cache
def names() -> tuple[str, ...]:
    """The names of all materials of all tables, in order."""
    pairs = {name for friction in frictions() for name in friction.materials}
    found = {*materials(), *restitutions(), *pairs}
    return tuple(sorted(found | {base_name(name) for name in found}))


def find_name(text: str) -> str:
    """The name of a material as the tables spell it.

    Raises
    ------
    UnknownMaterial
        no table has it
    """
    wanted = " ".join(text.replace("_", " ").lower().split())
    wanted = _SPELLINGS.get(wanted, wanted.replace("aluminum", "aluminium"))
    by_lower = {name.lower(): name for name in names()}
    if wanted in by_lower:
        return by_lower[wanted]
    close = difflib.get_close_matches(wanted, list(by_lower), 3, 0.6)
    close += [name for name in by_lower if wanted in name and name not in close]
    hint = f"did you mean {' or '.join(by_lower[name] for name in close[:3])}?" if close else "--list shows all"
    raise UnknownMaterial(f"no material is called {text!r}; {hint}")


def find_material(name: str) -> Material | None:
    """Elastic constants of a material, or of the material it is a state of; None if they are not known."""
    return materials().get(name) or materials().get(base_name(name))


def find_restitution(name: str) -> Restitution | None:
    """Coefficient of restitution of a material on itself, or of the material it is a state of."""
    return restitutions().get(name) or restitutions().get(base_name(name))


def find_frictions(first: str, second: str) -> list[Friction]:
    """Rows for a pair of materials; if there is none, those for other states of the same materials."""
    exact = [row for row in frictions() if _is_pair(row.materials, (first, second))]
    if exact:
        return exact
    wanted = base_name(first), base_name(second)
    return [row for row in frictions() if _is_pair((base_name(row.materials[0]), base_name(row.materials[1])), wanted)]


def _is_pair(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return one in (other, other[::-1])


def best_friction(rows: list[Friction], *, oiled: bool) -> Friction | None:
    """The row to begin with: one with values, not doubtful, with both values, in this order of weight."""
    known = [row for row in rows if any(row.values(oiled=oiled))]
    return min(known, key=lambda row: (row.doubtful, None in row.values(oiled=oiled)), default=None)
