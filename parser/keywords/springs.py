"""/SPRING with the properties TYPE4 (one axial degree of freedom) and TYPE8 (six independent ones)."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

from ..cards.block import Block, Row
from ..cards.context import Context
from ..cards.layout import Card, Check, Keyword, Stage, Values, card, integer, real
from ..model import Spring, SpringDof, SpringProperty
from ..text.units import (
    DAMPING,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    MOMENT,
    RATE,
    ROTATIONAL_DAMPING,
    STIFFNESS,
    VELOCITY,
    Dimension,
)
from .common_checks import must_be_zero
from .elements import add_element_ids, part_of

_ANGLE: Dimension = (0, 0, 0)
_DIRECTIONS = ("X", "Y", "Z", "XX", "YY", "ZZ")
# Powers of length that a per-unit-length spring (Ileng 1) has more than an ordinary one.
_PER_LENGTH = {"Mass": -1, "K": 1, "C": 1, "D": -1, "dmin": -1, "dmax": -1, "F": -1, "Ascale": -1}


def _dof_cards(suffix: str, *, rotational: bool) -> tuple[Card, ...]:
    """The three cards of one degree of freedom; names end in `suffix`."""
    force = MOMENT if rotational else FORCE
    stiffness: Dimension = MOMENT if rotational else STIFFNESS
    damping = ROTATIONAL_DAMPING if rotational else DAMPING
    path = _ANGLE if rotational else LENGTH
    speed = RATE if rotational else VELOCITY

    def curve(name: str, first: int, meaning: str, **more: Any) -> Any:
        return integer(name + suffix, first, meaning, reference="function", **more)

    return (
        card(
            real("K" + suffix, 1, "stiffness", stiffness, minimum=0.0),
            real("C" + suffix, 21, "damping", damping, minimum=0.0),
            real("A" + suffix, 41, "factor of f1", force, default=1.0),
            real("B" + suffix, 61, "factor of the logarithmic rate term", force),
            real("D" + suffix, 81, "reference rate of the logarithmic term", speed, default=1.0),
        ),
        card(
            curve("fct_ID1", 1, "f1: force over elongation"),
            integer("H" + suffix, 11, "unloading; only 0 (elastic) is supported with f1"),
            curve("fct_ID2", 21, "f2: factor over rate"),
            curve("fct_ID3", 31, "f3: unloading (not used by H 0)"),
            curve("fct_ID4", 41, "f4: additional force over rate", since=120),
            real("dmin" + suffix, 61, "elongation at which it breaks under pressure", path, default=-math.inf),
            real("dmax" + suffix, 81, "elongation at which it breaks under tension", path, default=math.inf),
        ),
        card(
            real("F" + suffix, 1, "scale of the rate in f2 and f4", speed, default=1.0, minimum=0.0),
            real("E" + suffix, 21, "factor of f2", force, default=1.0),
            real("Ascale" + suffix, 41, "scale of the elongation in f1", path, default=1.0, minimum=0.0, since=90),
            real("Hscale" + suffix, 61, "factor of f4", force, default=1.0, since=120),
        ),
    )


def _dof(values: Values, suffix: str) -> SpringDof:
    return SpringDof(
        stiffness=values["K" + suffix],
        damping=values["C" + suffix],
        a=values["A" + suffix],
        b=values["B" + suffix],
        d=values["D" + suffix],
        fct_1=values["fct_ID1" + suffix],
        fct_2=values["fct_ID2" + suffix],
        fct_4=values.get("fct_ID4" + suffix, 0),
        e=values["E" + suffix],
        f=values["F" + suffix],
        abscissa_scale=values.get("Ascale" + suffix, 1.0),
        damping_scale=values.get("Hscale" + suffix, 1.0),
        min_elongation=values["dmin" + suffix],
        max_elongation=values["dmax" + suffix],
    )


def build_spring_property(block: Block, values: Values, context: Context) -> None:
    """/PROP/TYPE4 and /PROP/TYPE8."""
    kind: Literal["TYPE4", "TYPE8"] = "TYPE4" if block.declaration.name == "PROP/TYPE4" else "TYPE8"
    suffixes = [""] if kind == "TYPE4" else [f"_{name}" for name in _DIRECTIONS]
    per_length = bool(values.get("Ileng", 0))
    if per_length:
        _restore_lengths(block, values, context)
    assert block.id is not None
    context.unresolved.properties[block.id] = SpringProperty(
        block.id,
        block.title,
        block,
        kind,
        values["Mass"],
        values.get("Inertia", 0.0),
        values.get("skew_ID", 0),
        values["sens_ID"],
        values["Isflag"],
        per_length,
        [_dof(values, suffix) for suffix in suffixes],
        moment_equilibrium=values.get("Iequil", 0) == 1,
    )


def _restore_lengths(block: Block, values: Values, context: Context) -> None:
    """With Ileng 1 numbers are per unit length: correct their conversion by the missing powers of length."""
    length = context.unit_factor(block, LENGTH)
    for name, power in _PER_LENGTH.items():
        values[name] *= length**power


def _check_curve(suffix: str, block: Block, values: Values, context: Context) -> bool:
    """Whether a degree of freedom asks for its elastic curve only."""
    if values["H" + suffix] != 0 and values["fct_ID1" + suffix]:
        message = "only the elastic curve is supported"
        allowed = "0 (elastic); without fct_ID1 it has no effect"
        context.report(block.diagnose("error", message, field="H" + suffix, allowed=allowed))
        return False
    if values["fct_ID3" + suffix]:
        message = "the unloading curve fct_ID3 is not used (H is 0)"
        context.report(block.diagnose("doubt", message, field="fct_ID3" + suffix))
    return True


def _check_breaks(suffix: str, block: Block, values: Values, context: Context) -> bool:
    """Whether a degree of freedom breaks on the sides of pressure and tension."""
    good = True
    for field, sign, allowed in (("dmin", -1.0, "a negative number"), ("dmax", 1.0, "a positive number")):
        if sign * values[field + suffix] < 0.0:
            message = f"{field} has the wrong sign: the spring would break at once"
            context.report(block.diagnose("error", message, field=field + suffix, allowed=allowed))
            good = False
    _warn_of_zero_limit(suffix, block, values, context)
    return good


def _warn_of_zero_limit(suffix: str, block: Block, values: Values, context: Context) -> None:
    """A 0 typed beside a limit may be meant as one; where both are 0, as programs write them, none is wanted."""
    for field, other, unlimited in (("dmin", "dmax", "pressure"), ("dmax", "dmin", "tension")):
        if math.isinf(values[field + suffix]) and math.isfinite(values[other + suffix]):
            message = f"a 0 for {field} is no limit, as in Radioss: under {unlimited} the spring does not break"
            hint = f"leave it blank if that is meant; a spring that bears no {unlimited} has an f1 of 0 there"
            warning = block.diagnose("warning", message, field=field + suffix, hint=hint)
            if warning.found:
                context.report(warning)


def _check_failure(suffixes: list[str], block: Block, values: Values, context: Context) -> bool:
    """Whether a property that breaks does so in a way that is supported."""
    if not any(math.isfinite(values[name + suffix]) for suffix in suffixes for name in ("dmin", "dmax")):
        return True
    good = True
    for field, why in (
        ("Ifail", "failure by several directions together is not supported"),
        ("Ifail2", "failure by force or energy is not supported"),
    ):
        if values.get(field):
            context.report(block.diagnose("error", why, field=field, allowed="0"))
            good = False
    return good


def _check_switch(block: Block, values: Values, context: Context) -> bool:
    """Isflag says what a sensor does."""
    if values["Isflag"] and not values["sens_ID"]:
        context.report(block.diagnose("doubt", "Isflag has no effect: there is no sens_ID", field="Isflag"))
    return True


def _property_checks(suffixes: list[str]) -> tuple[Check, ...]:
    """The checks of a property with the degrees of freedom that the suffixes name."""
    return (
        *(partial(check, suffix) for suffix in suffixes for check in (_check_curve, _check_breaks)),
        partial(_check_failure, suffixes),
        _check_switch,
        must_be_zero("Fsmooth", "filtered rates are not supported"),
    )


def build_springs(block: Block, values: Values, context: Context) -> None:
    """/SPRING: one spring a line."""
    records = values["records"]
    part = part_of(block, context)
    add_element_ids(block, records, context, "SPRING")
    if part is None:
        return
    assert block.id is not None
    columns = records.columns
    nodes = zip(columns["N1"].tolist(), columns["N2"].tolist(), strict=True)
    context.unresolved.nodes_of_part.setdefault(block.id, []).extend((columns["N1"], columns["N2"]))
    spring_property = context.unresolved.properties.get(part.property_id)
    if spring_property is None:
        return
    if not isinstance(spring_property, SpringProperty):
        context.report(
            part.block.diagnose(
                "error",
                f"the springs {block.name} need another kind of property",
                field="prop_ID",
                found=context.defined["property"][part.property_id].name,
                allowed="/PROP/TYPE4 (SPRING) or /PROP/TYPE8 (SPR_GENE)",
            )
        )
        return
    fields = block.declaration.records[0].fields
    for row, (first, second) in enumerate(nodes):
        id = int(columns["id"][row])
        if first == second:
            node = context.model.nodes.ids[first]
            context.report_record(block, records, row, fields[2], f"both ends of the spring are node {node}")
            continue
        skew_id = int(columns["Skew_ID"][row])
        if skew_id and skew_id not in context.defined["skew"]:
            hint = context.nearest("skew", skew_id)
            context.report_record(block, records, row, fields[-1], f"skew {skew_id} does not exist", hint=hint)
            continue
        if not skew_id or spring_property.kind != "TYPE8":
            skew_id = spring_property.skew_id
        where = Row(block, int(records.offsets[row]), id)
        context.model.springs.append(
            Spring(id, part.block.title, where, block.id, first, second, skew_id, spring_property)
        )


def _type8_cards() -> tuple[Card, ...]:
    cards: list[Card] = []
    for k, name in enumerate(_DIRECTIONS):
        cards.extend(_dof_cards(f"_{name}", rotational=k >= 3))
    return tuple(cards)


_SENSOR = (
    integer("sens_ID", 51, "sensor that switches the spring", reference="sensor"),
    integer("Isflag", 61, "0 switches on, 1 switches off, 2 follows the sensor", choices=(0, 1, 2)),
)

KEYWORDS = [
    Keyword(
        ("PROP/TYPE4", "PROP/SPRING"),
        "spring along the line between its nodes",
        build_spring_property,
        Stage.DEFINITIONS,
        cards=(
            card(
                real("Mass", 1, "mass of the spring", MASS, minimum=0.0),
                _SENSOR,
                integer("Ileng", 71, "1 = numbers are per unit length", choices=(0, 1)),
            ),
            *_dof_cards("", rotational=False),
        ),
        identity="property",
        checks=_property_checks([""]),
        notes=(
            "Without f1 the force is K d + C v; with it "
            "f1(d/Ascale) (A + B ln|v/D| + E f2(v/F)) + C v + Hscale f4(v/F)."
        ),
    ),
    Keyword(
        ("PROP/TYPE8", "PROP/SPR_GENE"),
        "spring with six independent degrees of freedom",
        build_spring_property,
        Stage.DEFINITIONS,
        cards=(
            card(
                real("Mass", 1, "mass of the spring", MASS, minimum=0.0),
                real("Inertia", 21, "inertia of the spring", INERTIA, minimum=0.0),
                integer("skew_ID", 41, "axes of the degrees of freedom", reference="skew"),
                _SENSOR,
                integer("Ifail", 71, "0 = each direction fails alone"),
                integer("Ifail2", 81, "0 = failure by elongation", since=2018),
                integer("Iequil", 91, "1 = moment equilibrium: both bodies hold one common point", choices=(0, 1)),
            ),
            *_type8_cards(),
            card(
                integer("Fsmooth", 1, "1 = filtered rates (not supported)"),
                real("Fcut", 11, "cut-off frequency", RATE),
                optional=True,
            ),
        ),
        identity="property",
        checks=_property_checks([f"_{name}" for name in _DIRECTIONS]),
        notes="Three cards as those of TYPE4 for each of X Y Z XX YY ZZ; rotations take angles and moments.",
    ),
    Keyword(
        ("SPRING",),
        "springs, one a line",
        build_springs,
        Stage.ELEMENTS,
        records=(
            card(
                integer("id", 1, "element id", required=True),
                integer("N1", 11, "first node", reference="node", required=True),
                integer("N2", 21, "second node", reference="node", required=True),
                *(integer(f"N{k}", 11 + 10 * (k - 1), "no effect here") for k in (3, 4, 5, 6)),
                integer("Skew_ID", 91, "axes, for TYPE8"),
            ),
        ),
        listing="records",
        titled=False,
        notes="The number in the header is the id of the part.",
    ),
]
