"""What `gsolve contact-parameters` is asked for, checked: from options to a `Request`."""

from __future__ import annotations

import math
from dataclasses import replace

import click
from gsolve.parser.text.units import SI, Unit, UnitError, UnitSystem, parse_unit

from .contact_cards import Law, Request
from .contact_parameters import Material, UnknownMaterial, find_material, find_name

LAYER_DEPTH = 0.1  # m, that of the example in the documentation of Force_Contact


def make_request(
    names: tuple[str, str | None],
    *,
    radii: tuple[float | None, float | None],
    length: float | None,
    layers: tuple[float | None, float | None],
    young: tuple[float | None, float | None],
    poisson: tuple[float | None, float | None],
    restitution: float | None,
    oiled: bool,
    law: Law | None,
    units: str,
) -> Request:
    """The request that some options make; lengths are in the units asked for, Young's moduli in GPa.

    Raises
    ------
    click.UsageError
        with what is wrong with them
    """
    system = read_units(units)
    assert system.length is not None
    size = system.length.size
    first = _read_material(names[0], young[0], poisson[0], "i")
    alike = names[1] is None and young[1] is None and poisson[1] is None
    second = first if alike else _read_material(names[1] or names[0], young[1], poisson[1], "j")
    for name, value in (("--length", length), ("--layer-i", layers[0]), ("--layer-j", layers[1])):
        if value is not None and not (value > 0.0 and math.isfinite(value)):
            raise click.UsageError(f"{name} {value:g} is not a positive number")
    if restitution is not None and not 0.0 <= restitution <= 1.0:
        raise click.UsageError(f"--restitution {restitution:g} is not between 0 and 1")
    meters = [math.inf if radius is None else radius * size for radius in radii]
    _check_radii(meters[0], meters[1], length)
    chosen: Law = law or ("impact" if length is not None else "poisson")
    if chosen == "poisson" and length is not None:
        raise click.UsageError(
            "a line of contact has the exponent 10/9, a POISSON 1.5: --length goes with --law impact"
        )
    if chosen != "volume" and length is None and all(map(math.isinf, meters)):
        raise click.UsageError(
            "two planes have no stiffness by Hertz: give --radius-i or --radius-j for balls, --length for a cylinder, "
            "or --law volume"
        )
    depths = [LAYER_DEPTH if depth is None else depth * size for depth in layers]
    return Request(
        (first, second),
        (meters[0], meters[1]),
        None if length is None else length * size,
        (depths[0], depths[1]),
        restitution,
        oiled,
        chosen,
        system,
    )


def read_units(text: str) -> UnitSystem:
    """Units of mass, length and time, separated by commas."""
    words = [word.strip() for word in text.split(",")]
    if len(words) != 3:
        raise click.UsageError(f"--units {text!r} is not mass,length,time, for example kg,mm,s")
    found: list[Unit] = []
    for word, quantity in zip(words, ("mass", "length", "time"), strict=True):
        try:
            unit = parse_unit(word, quantity)
        except UnitError as error:
            raise click.UsageError(f"--units: {error}; {error.hint or f'allowed: {error.allowed}'}") from error
        if unit is None:
            raise click.UsageError(f"--units: the unit of {quantity} must not be 0")
        found.append(unit)
    return replace(SI, mass=found[0], length=found[1], time=found[2])


def _read_material(text: str, young: float | None, poisson: float | None, side: str) -> Material:
    """A material of the tables, or one whose elastic constants are given."""
    for name, value, fine in (
        (f"--young-{side}", young, young is None or (young > 0.0 and math.isfinite(young))),
        (f"--poisson-{side}", poisson, poisson is None or 0.0 <= poisson < 0.5),
    ):
        if not fine:
            allowed = "a positive number of GPa" if "young" in name else "from 0 to less than 0.5"
            raise click.UsageError(f"{name} {value:g} is not {allowed}")
    given = young is not None and poisson is not None
    try:
        name = find_name(text)
    except UnknownMaterial as error:
        if not given:
            raise click.UsageError(f"{error} (or give --young-{side} and --poisson-{side})") from error
        name = text
    known = find_material(name)
    if known is None and not given:
        raise click.UsageError(
            f"the elastic constants of {name} are not in the tables: give --young-{side} and --poisson-{side}"
        )
    if known is None or young is not None or poisson is not None:
        base = known or Material(name, 0.0, 0.0)
        modulus = base.young if young is None else young * 1e9
        ratio = base.poisson if poisson is None else poisson
        return Material(name, modulus, ratio, base.density, "as given")
    return replace(known, name=name)


def _check_radii(first: float, second: float, length: float | None) -> None:
    if any(radius == 0.0 or math.isnan(radius) for radius in (first, second)):
        raise click.UsageError("a radius must not be 0; leave it out for a plane")
    if length is not None and not (math.isinf(first) and math.isinf(second)):
        raise click.UsageError("--length is for a cylinder on a plane, whose radius does not matter: leave it out")
    if 1.0 / first + 1.0 / second < 0.0 or (first < 0.0 and second < 0.0) or first == -second:
        raise click.UsageError("the ball does not fit into the hollow: its radius must be less than the hollow's")
