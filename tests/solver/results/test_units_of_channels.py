"""Units of all variables, in words where there are any, are what mass, length and time make."""

from __future__ import annotations

import re

import pytest
from gsolve.parser.model import Units
from gsolve.solver.core.unit_names import units_named
from gsolve.solver.results.vocabulary import OF_ANY_DECK, vocabulary

PREFIXES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
# Size in SI units, and powers of mass, length, time and angle.
ATOMS = {
    "g": (1e-3, (1, 0, 0, 0)),
    "m": (1.0, (0, 1, 0, 0)),
    "s": (1.0, (0, 0, 1, 0)),
    "N": (1.0, (1, 1, -2, 0)),
    "J": (1.0, (1, 2, -2, 0)),
    "W": (1.0, (1, 2, -3, 0)),
}
SYSTEMS = ["kg m s", "Mg mm s", "g mm ms", "kg mm ms", "kg mm s", "Mg m ms", "kg cm s", "kg 0.0254 s", "g um us"]


def measure(text: str) -> tuple[float, tuple[int, ...]]:
    """Size and powers of a unit."""
    size, powers = 1.0, [0, 0, 0, 0]
    above, _, below = re.sub(r"\((\S+) m\)", r"inch\1=", text).partition("/")
    for part, sign in ((above, 1), (below.strip("()"), -1)):
        for word in part.split():
            inch = re.fullmatch(r"inch([\d.]+)=(\d*)", word)
            symbol, power = inch.groups() if inch else re.fullmatch(r"([a-zA-Z]+|1)(\d*)", word).groups()
            if inch:
                one, of = float(symbol), (0, 1, 0, 0)
            elif symbol in ("1", "rad"):
                one, of = 1.0, (0, 0, 0, symbol == "rad")
            else:
                one, of = ATOMS[symbol[-1]]
                one *= PREFIXES[symbol[:-1]]
            exponent = sign * int(power or 1)
            size *= one**exponent
            powers = [sum + exponent * more for sum, more in zip(powers, of, strict=True)]
    return size, tuple(powers)


def in_symbols(text: str, units: Units) -> tuple[float, tuple[int, ...]]:
    """Of a unit in powers of M, L and T."""
    symbols = {"M": (units.mass_si, 0), "L": (units.length_si, 1), "T": (units.time_si, 2), "rad": (1.0, 3)}
    size, powers = 1.0, [0, 0, 0, 0]
    above, _, below = text.partition("/")
    for part, sign in ((above, 1), (below, -1)):
        for symbol, power in re.findall(r"(M|L|T|rad)(\d*)", part):
            exponent = sign * int(power or 1)
            size *= symbols[symbol][0] ** exponent
            powers[symbols[symbol][1]] += exponent
    return size, tuple(powers)


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_variable_has_the_dimension_and_the_size_that_the_units_of_the_deck_make(system: str) -> None:
    units = units_named(*system.split())
    plain = vocabulary(OF_ANY_DECK)
    for group, channels in vocabulary(units).items():
        for channel, bare in zip(channels, plain[group], strict=True):
            size, powers = measure(channel.unit)
            expected, of = in_symbols(bare.unit, units)
            assert powers == of, (group, channel)
            assert size == pytest.approx(expected, rel=1e-12), (group, channel)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("kg m s", ("N", "N m", "J", "W", "N s", "N m s")),
        ("Mg mm s", ("N", "N mm", "mJ", "mW", "N s", "N mm s")),
        ("g mm ms", ("N", "N mm", "mJ", "W", "N ms", "N mm ms")),
        ("kg mm ms", ("kN", "kN mm", "J", "kW", "kN ms", "kN mm ms")),
        ("kg cm s", ("kg cm/s2", "kg cm2/s2", "kg cm2/s2", "kg cm2/s3", "kg cm/s", "kg cm2/s")),
    ],
)
def test_quantities_have_the_words_of_their_kind(system: str, words: tuple[str, ...]) -> None:
    found = {
        f"{group}/{channel.name}": channel.unit
        for group, channels in vocabulary(units_named(*system.split())).items()
        for channel in channels
    }
    names = (
        "th/joint/FX",
        "th/gjoint/T1",
        "energy/total",
        "th/drive/POWER",
        "diag/momentum_x",
        "diag/angular_momentum_z",
    )
    assert tuple(found[name] for name in names) == words
    moments = (
        "th/rbody/MX",
        "th/joint/MS",
        "th/inter/MX",
        "th/inter/MN",
        "th/coupler/SMX1",
        "th/spring/MX",
        "th/node/REACXX",
    )
    assert {found[name] for name in moments} == {words[1]}
    assert {found[name] for name in ("th/inter/EDISS", "th/spring/IE", "th/rwall/EFRIC")} == {words[2]}
