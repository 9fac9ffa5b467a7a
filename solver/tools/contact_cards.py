"""Cards for a contact of two materials, with where each number comes from as comments: a piece of a deck."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from gsolve.parser.text.units import (
    DAMPING,
    DENSITY,
    FORCE,
    LENGTH,
    PRESSURE,
    SI,
    VELOCITY,
    Dimension,
    UnitSystem,
    conversion_factor,
    per_power_of_length,
)

from .contact_parameters import (
    HERTZ_EXPONENT,
    LINE_EXPONENT,
    Friction,
    Material,
    Range,
    best_friction,
    effective_modulus,
    effective_radius,
    find_frictions,
    find_restitution,
    frictions,
    hertz_stiffness,
    in_series,
    layer_stiffness,
    line_stiffness,
    materials,
    mixed_restitution,
    restitutions,
)

Law = Literal["poisson", "impact", "volume"]
# Velocities to begin with, m/s: those at which damping and friction are fully developed.
TRANSITION_VELOCITY = 0.01
STATIC_VELOCITY = 0.005
DYNAMIC_VELOCITY = 0.01


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, in SI units.

    radii : of balls, inf for a plane, negative for a hollow; length : of a line of contact, None for balls
    layers : depths for VOLUME
    """

    materials: tuple[Material, Material]
    radii: tuple[float, float]
    length: float | None
    layers: tuple[float, float]
    restitution: float | None
    oiled: bool
    law: Law
    units: UnitSystem


@dataclass(frozen=True, slots=True)
class Answer:
    """The parameters of a contact in SI units; None where nothing is known.

    stiffness : N/m^exponent, None without radii and length
    layer_stiffnesses, volume_stiffness : N/m3
    """

    exponent: float
    stiffness: float | None
    effective_modulus: float
    effective_radius: float | None
    moduli: tuple[float, float]
    layer_stiffnesses: tuple[float, float]
    volume_stiffness: float
    restitution: float | None
    restitution_source: str
    frictions: list[Friction]
    friction: Friction | None
    mu_static: float | None
    mu_dynamic: float | None


def answer(request: Request) -> Answer:
    """All parameters of a contact."""
    first, second = request.materials
    radius = None if all(map(math.isinf, request.radii)) else effective_radius(*request.radii)
    stiffness, exponent = None, HERTZ_EXPONENT
    if request.length is not None:
        stiffness, exponent = line_stiffness(first, second, request.length), LINE_EXPONENT
    elif radius is not None:
        stiffness = hertz_stiffness(first, second, radius)
    layers = layer_stiffness(first, request.layers[0]), layer_stiffness(second, request.layers[1])
    rows = find_frictions(first.name, second.name)
    best = best_friction(rows, oiled=request.oiled)
    static, dynamic = _coefficients(best, oiled=request.oiled)
    value, source = _restitution(request)
    return Answer(
        exponent=exponent,
        stiffness=stiffness,
        effective_modulus=effective_modulus(first, second),
        effective_radius=radius,
        moduli=(first.wave_modulus, second.wave_modulus),
        layer_stiffnesses=layers,
        volume_stiffness=in_series(*layers),
        restitution=value,
        restitution_source=source,
        frictions=rows,
        friction=best,
        mu_static=static,
        mu_dynamic=dynamic,
    )


def _coefficients(row: Friction | None, *, oiled: bool) -> tuple[float | None, float | None]:
    """Static and dynamic coefficient for the cards: one for both where only one is known or they contradict."""
    if row is None:
        return None, None
    static, dynamic = row.values(oiled=oiled)
    if static is None or dynamic is None:
        known = static or dynamic
        assert known is not None
        return known.middle, known.middle
    return static.middle, min(static.middle, dynamic.middle)


def _restitution(request: Request) -> tuple[float | None, str]:
    if request.restitution is not None:
        return request.restitution, "as given"
    first, second = request.materials
    one, other = find_restitution(first.name), find_restitution(second.name)
    if one is None or other is None:
        missing = dict.fromkeys(m.name for m, entry in ((first, one), (second, other)) if entry is None)
        return None, f"not known of {' and '.join(missing)}: give --restitution"
    notes = "".join(f"; {entry.note}" for entry in dict.fromkeys((one, other)) if entry.note)
    if one == other:
        return one.value, f"table, {one.material} on {one.material}{notes}"
    value = mixed_restitution(first, second, one.value, other.value)
    text = " and ".join(f"{entry.value:g} of {entry.material}" for entry in (one, other))
    return value, f"estimate from {text}, each on itself{notes}"


# Text


def card_lines(request: Request, found: Answer) -> list[str]:
    """The block of the law asked for, below comments with all that is known."""
    return [*_facts(request, found), *_block(request, found)]


def _converter(units: UnitSystem) -> Callable[[float, Dimension], str]:
    def convert(value: float, dimension: Dimension) -> str:
        return f"{value * conversion_factor(SI, units, dimension):.6g}"

    return convert


def _facts(request: Request, found: Answer) -> list[str]:
    convert = _converter(request.units)
    first, second = request.materials
    assert request.units.mass and request.units.length and request.units.time
    lines = [
        f"{first.name} on {second.name}, {_geometry(request)}",
        f"units {request.units.mass.name}, {request.units.length.name}, {request.units.time.name}",
    ]
    for material in dict.fromkeys(request.materials):
        source = f" ({material.source})" if material.source else ""
        density = f", density {convert(material.density, DENSITY)}" if material.density else ""
        lines.append(
            f"{material.name}: E = {convert(material.young, PRESSURE)}, nu = {material.poisson:g}, "
            f"M = K + 4/3 G = {convert(material.wave_modulus, PRESSURE)}{density}{source}"
        )
    lines.append(f"effective modulus E* = {convert(found.effective_modulus, PRESSURE)}")
    if found.stiffness is not None:
        law = "Palmgren, line of contact" if request.length is not None else "Hertz"
        value = convert(found.stiffness, per_power_of_length(FORCE, found.exponent))
        exponent = "(10/9)" if request.length is not None else "1.5"
        lines.append(f"stiffness K = {value}, force/length^{exponent} ({law}); a softer one makes larger steps")
    layers = [
        convert(value, per_power_of_length(FORCE, 3)) for value in (*found.layer_stiffnesses, found.volume_stiffness)
    ]
    depths = " and ".join(convert(depth, LENGTH) for depth in request.layers)
    lines.append(f"layers of depth {depths}: c_i = {layers[0]}, c_j = {layers[1]}, K = {layers[2]}, force/length^3")
    value = "?" if found.restitution is None else f"{found.restitution:.4g}"
    lines.append(f"restitution CR = {value} ({found.restitution_source})")
    return [f"# {line}" for line in lines + _friction_facts(request, found)]


def _geometry(request: Request) -> str:
    length = _converter(request.units)
    if request.length is not None:
        return f"cylinder on a plane, line of contact of length {length(request.length, LENGTH)}"
    shapes = [
        "plane"
        if math.isinf(radius)
        else f"{'hollow' if radius < 0 else 'ball'} of radius {length(abs(radius), LENGTH)}"
        for radius in request.radii
    ]
    return f"{shapes[0]} against {shapes[1]}"


def _friction_facts(request: Request, found: Answer) -> list[str]:
    state = "oiled" if request.oiled else "dry"
    lines = [f"friction: {friction_text(row)}" for row in found.frictions]
    if not found.frictions:
        return ["friction: the table does not have this pair"]
    if found.friction is None:
        return [*lines, f"friction: the table has no value for this pair, {state}"]
    static, dynamic = found.friction.values(oiled=request.oiled)
    if static is None or dynamic is None:
        known = "dynamic" if static is None else "static"
        lines.append(f"friction: only the {known} value is known, {state}, and is taken for both")
    elif static.middle < dynamic.middle:
        lines.append("friction: mu_d is taken as mu_s, as it must not be greater")
    return lines


def friction_text(row: Friction) -> str:
    """One row of the table in words."""

    def pair(static: Range | None, dynamic: Range | None) -> str:
        return f"{static or '?'} static, {dynamic or '?'} dynamic"

    text = f"{row.materials[0]} on {row.materials[1]}, dry {pair(row.dry_static, row.dry_dynamic)}"
    if row.oiled_static or row.oiled_dynamic:
        text += f"; oiled {pair(row.oiled_static, row.oiled_dynamic)}"
    mark = "DOUBTFUL: " if row.doubtful else ""
    return text + (f" ({mark}{row.note})" if row.note else "")


def _block(request: Request, found: Answer) -> list[str]:
    convert = _converter(request.units)
    names = [material.name for material in request.materials]
    rubs = found.mu_static is not None and found.mu_dynamic is not None
    lines = [
        f"/INTER/{request.law.upper()}/1",
        f"{names[0]} on {names[1]}",
        "# surf_i, surf_j, master, node_mode, analytical, friction",
        f"1, 2, 0, 0, 0, {1 if rubs else 0}",
        "# pen_max, stab2d, Tstart, Tstop",
        ",",
        *_law_cards(request, found),
    ]
    if found.mu_static is not None and found.mu_dynamic is not None:
        speeds = ", ".join(convert(speed, VELOCITY) for speed in (STATIC_VELOCITY, DYNAMIC_VELOCITY))
        doubt = " (DOUBTFUL)" if found.friction is not None and found.friction.doubtful else ""
        lines += [f"# mu_s, mu_d{doubt}, v_s, v_d", f"{found.mu_static:.4g}, {found.mu_dynamic:.4g}, {speeds}"]
    return lines


def _law_cards(request: Request, found: Answer) -> list[str]:
    convert = _converter(request.units)
    if request.law == "volume":
        layers = [convert(depth, LENGTH) for depth in request.layers]
        moduli = [convert(modulus, PRESSURE) for modulus in found.moduli]
        no_damping = convert(0.0, DAMPING)
        return [
            "# M_i, M_j, d_i, d_j, exponent",
            f"{moduli[0]}, {moduli[1]}, {layers[0]}, {layers[1]}, 1.0",
            "# damping: no table gives it",
            f"{no_damping},",
        ]
    assert found.stiffness is not None
    stiffness = convert(found.stiffness, per_power_of_length(FORCE, found.exponent))
    if request.law == "impact":
        return [
            "# stiffness, exponent, damping (no table gives it), dmax",
            f"{stiffness}, {found.exponent:.10g}, 0.0",
        ]
    restitution = "" if found.restitution is None else f"{found.restitution:.4g}"
    return [
        "# penalty, CR, v_t (at most 1/300 of the speed of impact, for a rebound of CR)",
        f"{stiffness}, {restitution}, {convert(TRANSITION_VELOCITY, VELOCITY)}",
    ]


def plain_answer(request: Request, found: Answer) -> dict[str, Any]:
    """The parameters by name, for a machine to read, in the units asked for."""

    def value(number: float | None, dimension: Dimension) -> float | None:
        return None if number is None else number * conversion_factor(SI, request.units, dimension)

    units = [unit.name for unit in (request.units.mass, request.units.length, request.units.time) if unit]
    per_volume = per_power_of_length(FORCE, 3)
    return {
        "units": dict(zip(("mass", "length", "time"), units, strict=True)),
        "materials": [material.name for material in request.materials],
        "exponent": found.exponent,
        "stiffness": value(found.stiffness, per_power_of_length(FORCE, found.exponent)),
        "effective_modulus": value(found.effective_modulus, PRESSURE),
        "effective_radius": value(found.effective_radius, LENGTH),
        "p_wave_moduli": [value(modulus, PRESSURE) for modulus in found.moduli],
        "layer_stiffnesses": [value(stiffness, per_volume) for stiffness in found.layer_stiffnesses],
        "volume_stiffness": value(found.volume_stiffness, per_volume),
        "restitution": found.restitution,
        "restitution_source": found.restitution_source,
        "mu_static": found.mu_static,
        "mu_dynamic": found.mu_dynamic,
        "friction_rows": [friction_text(row) for row in found.frictions],
        "cards": card_lines(request, found),
    }


def list_lines() -> list[str]:
    """The three tables."""
    lines = ["Materials: Young's modulus (GPa), Poisson's ratio, density (kg/m3), source"]
    lines += [
        f"  {m.name:<26}{m.young / 1e9:>8g}  {m.poisson:<6g}{m.density:>7g}  {m.source}" for m in materials().values()
    ]
    lines += ["", "Restitution, of a material on itself"]
    for row in restitutions().values():
        lines.append(f"  {row.material:<26}{row.value:<6g}{f'({row.note})' if row.note else ''}".rstrip())
    lines += ["", "Friction, static and dynamic"]
    return lines + [f"  {friction_text(pair)}" for pair in frictions()]
