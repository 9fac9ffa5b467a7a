"""/INTER/TYPE6: contact of two rigid bodies by a function of the penetration."""

from __future__ import annotations

import math

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, integer, real
from ..model import ForceCurveInterface
from ..text.units import DAMPING, FORCE, LENGTH, STIFFNESS, TIME, VELOCITY
from .common_checks import check_times
from .contact import read_sides

_WITH_UNLOADING = 1  # Iform


def _with_defaults(block: Block, values: Values) -> Values:
    """The values with the defaults of fields that cards of older versions do not have."""
    return {field.name: field.default for card in block.declaration.cards for field in card.fields} | values


def _check_unloading(block: Block, values: Values, context: Context) -> bool:
    """Whether the formulation has what it needs for unloading."""
    formulation = values.get("Iform", 0)
    if not formulation:
        if values.get("Icor"):
            message = "Icor 1 has no effect on the force of Iform 0"
            context.report(block.diagnose("doubt", message, field="Icor", allowed="0, or Iform 1 or 2"))
        return True
    faults = []
    if not values["Stiff"]:
        faults.append(("Stiff", f"Iform {formulation} needs the unloading stiffness", "more than 0"))
    if not values["fct_ul"] and formulation == _WITH_UNLOADING:
        faults.append(("fct_ul", f"Iform {formulation} needs an unloading function", "the id of a function"))
    for field, message, allowed in faults:
        context.report(block.diagnose("error", message, field=field, allowed=allowed))
    return not faults


def build_force_curve(block: Block, values: Values, context: Context) -> None:
    """/INTER/TYPE6."""
    sides = read_sides(block, values, context, "surf_ID1", "surf_ID2")
    if sides is None or sides[1] is None:
        return
    values = _with_defaults(block, values)
    assert block.id is not None
    context.model.force_curve_contacts.append(
        ForceCurveInterface(
            block.id,
            block.title,
            block,
            sides[0],
            sides[1],
            loading_function=values["fct_ld"],
            penetration_scale=values["Ascalex"],
            force_scale=values["Fscaleld"],
            formulation=values["Iform"],
            adjust_force=values["Icor"] == 1,
            unloading_function=values["fct_ul"],
            unloading_stiffness=values["Stiff"],
            unloading_scale=values["Fscaleul"],
            viscosity=values["Visc"],
            damping_by_velocity=values["fct_dv"],
            damping_by_force=values["fct_df"],
            damping_scale=values["Fscalev"],
            friction_force=values["Sfric"],
            friction=values["Fric"],
            friction_by_force=values["fct_ff"],
            friction_by_velocity=values["fct_fv"],
            force_abscissa=values["Ascalef"],
            velocity_abscissa=values["Ascalev"],
            gap=values["Gap"],
            reduce_gap=values["Inacti"] != 0,
            t_start=values["Tstart"],
            t_stop=values["Tstop"],
        )
    )


KEYWORDS = [
    Keyword(
        ("INTER/TYPE6",),
        "contact of two rigid bodies by a function of the penetration",
        build_force_curve,
        Stage.OBJECTS,
        cards=(
            card(
                integer("surf_ID1", 1, "surface of one body", reference="surface", required=True),
                integer("surf_ID2", 11, "surface of another body", reference="surface", required=True),
            ),
            card(
                real("Sfric", 1, "friction force that is always there", FORCE, minimum=0.0, since=100),
                real("Fric", 21, "friction coefficient", minimum=0.0),
                real("Gap", 41, "distance from which penetration counts", LENGTH, minimum=0.0),
                real("Tstart", 61, "start time", TIME),
                real("Tstop", 81, "stop time", TIME, default=math.inf),
            ),
            card(
                integer("IRS", 11, "reversal of normals (no effect on shapes)"),
                integer("IRM", 21, "reversal of normals (no effect on shapes)"),
                integer("Inacti", 31, "5 = the gap is less by the initial penetration", choices=(0, 5), since=100),
                integer("fct_ff", 41, "factor of Fric over the normal force", reference="function", since=140),
                integer("fct_fv", 51, "factor of Fric over the slip velocity", reference="function", since=140),
                real("Ascalef", 61, "scale of abscissas that are forces", FORCE, default=1.0, minimum=0.0, since=140),
                real(
                    "Ascalev",
                    81,
                    "scale of abscissas that are velocities",
                    VELOCITY,
                    default=1.0,
                    minimum=0.0,
                    since=140,
                ),
            ),
            card(
                integer("fct_ld", 1, "force over penetration", reference="function", required=True),
                integer("Iform", 11, "unloading: 0 as loading, 1 by fct_ul, 2 to none", choices=(0, 1, 2), since=100),
                real("Ascalex", 21, "scale of the abscissa", LENGTH, default=1.0, minimum=0.0),
                real("Fscaleld", 41, "scale of the ordinate", FORCE, default=1.0),
                integer("Icor", 61, "1 = force adjusted for bodies in contact at the start", choices=(0, 1), since=140),
            ),
            card(
                integer("fct_ul", 1, "force over penetration when unloading (Iform 1)", reference="function"),
                real("Stiff", 21, "unloading stiffness (Iform 1 and 2)", STIFFNESS, minimum=0.0),
                real("Fscaleul", 41, "scale of the ordinate", FORCE, default=1.0),
                optional=True,
                since=100,
            ),
            card(
                real("Visc", 1, "damping", DAMPING, minimum=0.0),
                integer("fct_dv", 21, "damping force over the velocity", reference="function"),
                integer("fct_df", 31, "factor of the damping over the normal force", reference="function"),
                real("Fscalev", 41, "scale of the damping force", FORCE, default=1.0),
                optional=True,
                since=140,
            ),
        ),
        identity="INTER",
        notes="All shapes of a surface must be fixed to one body. The surfaces are shapes or unions of shapes so far.",
        checks=(check_times, _check_unloading),
    ),
]
