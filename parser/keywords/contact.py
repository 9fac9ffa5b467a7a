"""/INTER of the laws of `contact_laws`, and /INTER/POST: forces between solids that touch."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Field, Keyword, Stage, Values, blank_or_real, card, integer, real
from ..model import (
    ContactInterface,
    CoulombFriction,
    Master,
    Surface,
    UserRoutine,
)
from ..text.numbers import numbered_list
from ..text.units import DAMPING, LENGTH, NUMBER, STIFFNESS, TIME, VELOCITY, Dimension
from .common_checks import check_times
from .contact_laws import LAWS, LawCards
from .surfaces import surface_of
from .user_routines import CONTACT_RESULTS, FRICTION_FORCE, read_routine, routine_cards

_MASTERS: tuple[Master, ...] = ("AUTO", "I", "J", "I_AND_J")
_OFF, _STATIC_AND_DYNAMIC, _DYNAMIC, _USER, _STICTION = range(5)
_KINDS: dict[int, Literal["STATIC_AND_DYNAMIC", "DYNAMIC", "STICTION"]] = {
    _STATIC_AND_DYNAMIC: "STATIC_AND_DYNAMIC",
    _DYNAMIC: "DYNAMIC",
    _STICTION: "STICTION",
}
_TESSELLATED = 2
_COEFFICIENTS = ("mu_s", "mu_d", "v_s", "v_d")


# Checks of fields against each other, in the units of the block.


def _check_friction_given(block: Block, values: Values, context: Context) -> bool:
    """Whether all coefficients are there that the kind of friction needs."""
    friction = values["friction"]
    needed = {_STATIC_AND_DYNAMIC: _COEFFICIENTS, _STICTION: _COEFFICIENTS, _DYNAMIC: ("mu_d", "v_d")}
    missing = [name for name in needed.get(friction, ()) if math.isnan(values.get(name, 0.0))]
    for name in missing:
        message = f"{name} is missing: friction {friction} needs it"
        context.report(block.diagnose("error", message, field=name, allowed="more than 0"))
    return not missing


def _check_coefficients(block: Block, values: Values, context: Context) -> bool:
    """Whether the dynamic coefficient is not greater than the static one."""
    static, dynamic = values["mu_s"], values["mu_d"]
    if values["friction"] == _DYNAMIC or not static < dynamic:
        return True
    message = f"mu_s, {static:g}, is less than mu_d, {dynamic:g}: nothing would start to slip"
    context.report(block.diagnose("error", message, field="mu_s", allowed=f"{dynamic:g} or more"))
    return False


def _check_speeds(block: Block, values: Values, context: Context) -> bool:
    """Whether dynamic friction is reached at a higher velocity than static friction."""
    static, dynamic = values["v_s"], values["v_d"]
    if values["friction"] == _DYNAMIC or not dynamic < static:
        return True
    message = f"v_d, {dynamic:g}, is less than v_s, {static:g}"
    context.report(block.diagnose("error", message, field="v_d", allowed=f"{static:g} or more"))
    return False


# Builders


def build_interface(block: Block, values: Values, context: Context) -> None:
    """/INTER of a law."""
    sides = read_sides(block, values, context, "surf_i", "surf_j")
    law = LAWS[block.declaration.name.split("/")[1]].read(block, values, context)
    friction, good = _read_friction(block, values, context)
    _warn_idle(block, values, context)
    if sides is None or law is None or not good:
        return
    assert block.id is not None
    context.model.contacts.append(
        ContactInterface(
            block.id,
            block.title,
            block,
            *sides,
            law=law,
            friction=friction,
            master=_MASTERS[values["master"]],
            at_nodes=values["node_mode"] == 1,
            exact=values["analytical"] != _TESSELLATED,
            sensor_id=values["sens_ID"],
            zero_crossing=values["zero_crossing"] == 1,
            greatest_penetration=values["pen_max"],
            curve_stability=values["stab2d"],
            t_start=values["Tstart"],
            t_stop=values["Tstop"],
        )
    )


def read_sides(
    block: Block, values: Values, context: Context, first: str, second: str
) -> tuple[Surface, Surface | None] | None:
    """The surfaces of an interface, the second None where its field is 0; None after an error."""
    side_i = surface_of(block, values, context, first)
    side_j = surface_of(block, values, context, second) if values[second] else None
    if side_i is None or (values[second] and side_j is None):
        return None
    if side_j is None:
        return side_i, None
    hint = f"{second} 0 lets every body within {first} touch every other" if second == "surf_j" else ""
    if side_i.id == side_j.id:
        message = f"{first} and {second} are both surface {side_i.id}"
        context.report(block.diagnose("error", message, field=second, allowed="another surface", hint=hint))
        return None
    model = context.model
    shared = [model.shapes[row].id for row in np.intersect1d(side_i.shapes, side_j.shapes).tolist()]
    shared += [model.meshes[row].id for row in np.intersect1d(side_i.meshes, side_j.meshes).tolist()]
    if shared:
        ids = numbered_list(shared)
        which = f"surface {ids} is" if len(shared) == 1 else f"surfaces {ids} are"
        message = f"{which} part of both {first} and {second}"
        allowed = "sides that share nothing"
        context.report(block.diagnose("error", message, field=second, allowed=allowed, hint=hint))
        return None
    return side_i, side_j


def _read_friction(block: Block, values: Values, context: Context) -> tuple[CoulombFriction | UserRoutine | None, bool]:
    """What rubs, and whether it could be read."""
    friction = values["friction"]
    if friction == _OFF:
        return None, True
    if friction == _USER:
        routine = read_routine(block, values, context, FRICTION_FORCE)
        return routine, routine is not None
    static = ("mu_d", "v_d") if friction == _DYNAMIC else ("mu_s", "v_s")
    return CoulombFriction(
        _KINDS[friction],
        values[static[0]],
        values["mu_d"],
        values[static[1]],
        values["v_d"],
        tangential_stiffness=None if math.isnan(values["k_t"]) else values["k_t"],
        tangential_damping=None if math.isnan(values["c_t"]) else values["c_t"],
        patch_radius=values["r_patch"],
        rolling_arm=values["arm_roll"],
    ), True


def _warn_idle(block: Block, values: Values, context: Context) -> None:
    """Values that nothing makes use of."""
    if values["friction"] == _DYNAMIC:
        given = [name for name in ("mu_s", "v_s") if not math.isnan(values[name])]
        if given:
            verb = "has" if len(given) == 1 else "have"
            message = f"{' and '.join(given)} {verb} no effect: friction 2 knows only mu_d and v_d"
            context.report(block.diagnose("doubt", message, field=given[0]))
    for name in ("penalty", "stiffness"):
        if values.get(name) == 0.0 and not values.get("damping"):
            message = f"{name} is 0: the interface exerts no force"
            context.report(block.diagnose("doubt", message, field=name))


def build_post(block: Block, values: Values, context: Context) -> None:
    """/INTER/POST: the routine that gets the results of the interface with the same id."""
    if block.id not in context.defined.get("INTER", {}):
        known = list(context.defined.get("INTER", {}))
        hint = f"interfaces of this deck: {numbered_list(known)}" if known else "the deck has no /INTER"
        message = f"there is no interface {block.id} whose results could be handed over"
        context.report(block.diagnose("error", message, hint=hint))
    routine = read_routine(block, values, context, CONTACT_RESULTS)
    for contact in context.model.contacts:
        if contact.id == block.id:
            contact.post = routine
            return
    if any(contact.id == block.id for contact in context.model.force_curve_contacts):
        message = "results of a /INTER/TYPE6 cannot be handed over"
        allowed = "the id of an /INTER of another kind"
        context.report(block.diagnose("error", message, allowed=allowed))


# Declarations

_SIDES_CARD = card(
    integer("surf_i", 1, "first surface", reference="surface", required=True),
    integer("surf_j", 11, "second surface; 0 = every body of surf_i against every other", reference="surface"),
    integer("master", 21, "of meshes: 0 automatic, 1 surf_i, 2 surf_j, 3 both", choices=(0, 1, 2, 3)),
    integer("node_mode", 31, "of meshes: forces at 0 centres of triangles, 1 nodes", choices=(0, 1)),
    integer(
        "analytical", 41, "0 or 1 exact shapes; 2, tessellated ones elsewhere, means the same here", choices=(0, 1, 2)
    ),
    integer(
        "friction",
        51,
        "0 off, 1 static and dynamic, 2 dynamic only, 3 by a routine, 4 with true stiction",
        choices=(0, 1, 2, 3, 4),
    ),
    integer("sens_ID", 61, "sensor that switches the interface", reference="sensor"),
    integer("zero_crossing", 71, "1 = the step is cut at first touch", choices=(0, 1)),
)
_LIMITS_CARD = card(
    blank_or_real("pen_max", 1, "what is deeper is ignored; blank: nothing is", LENGTH, default=math.inf, above=0.0),
    blank_or_real("stab2d", 21, "stability of contacts between plane curves", default=0.1, minimum=0.0),
    real("Tstart", 41, "start time", TIME),
    real("Tstop", 61, "stop time", TIME, default=math.inf),
)


def _positive(name: str, first: int, meaning: str, dimension: Dimension = NUMBER) -> Field:
    """A field that may be left blank, and is more than 0 otherwise."""
    return blank_or_real(name, first, meaning, dimension, above=0.0)


_FRICTION_CARDS = (
    card(
        _positive("mu_s", 1, "static coefficient, at v_s"),
        _positive("mu_d", 21, "dynamic coefficient, from v_d on"),
        _positive("v_s", 41, "slip velocity at which mu_s is reached", VELOCITY),
        _positive("v_d", 61, "slip velocity at which mu_d is reached", VELOCITY),
        only_if="friction",
        only_for=(_STATIC_AND_DYNAMIC, _DYNAMIC, _STICTION),
    ),
    card(
        _positive("k_t", 1, "tangential stiffness; blank: from the normal stiffness", STIFFNESS),
        blank_or_real("c_t", 21, "tangential damping; blank: from the normal force and k_t", DAMPING, minimum=0.0),
        optional=True,
        only_if="friction",
        only_for=(_STICTION,),
    ),
    card(
        real("r_patch", 1, "radius of the patch that resists spinning; 0: a point does not", LENGTH, minimum=0.0),
        real("arm_roll", 21, "coefficient of rolling friction, moment over normal force", LENGTH, minimum=0.0),
        optional=True,
        only_if="friction",
        only_for=(_STATIC_AND_DYNAMIC, _DYNAMIC, _STICTION),
    ),
    *routine_cards(FRICTION_FORCE, only_if="friction", only_for=(_USER,)),
)
_NO_MORE = "the cards of friction are there only if friction (card 2) is not 0"


def _interface_keyword(law: LawCards, number: int) -> Keyword:
    """The keyword of a law; the number is that of its example."""
    return Keyword(
        (f"INTER/{law.name}",),
        law.meaning,
        build_interface,
        Stage.OBJECTS,
        cards=(_SIDES_CARD, _LIMITS_CARD, *law.cards, *_FRICTION_CARDS),
        identity="INTER",
        notes=law.notes,
        example=f"/INTER/{law.name}/{number}\n{law.example}",
        no_more=_NO_MORE,
        checks=(check_times, _check_friction_given, _check_coefficients, _check_speeds, *law.checks),
    )


KEYWORDS = [
    *(_interface_keyword(law, number) for number, law in enumerate(LAWS.values(), 1)),
    Keyword(
        ("INTER/POST",),
        "routine that gets the results of an interface; the id in the header is that of the interface",
        build_post,
        Stage.OUTPUT,
        cards=routine_cards(CONTACT_RESULTS),
        identity="INTER/POST",
        notes="The routine is called as CONTACTPOST of MotionSolve. A run needs the option --allow-user-code.",
    ),
]
