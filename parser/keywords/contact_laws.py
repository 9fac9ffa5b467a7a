"""The laws of the normal force as decks give them: for each one what it knows, its cards, and how they are read.

What a law does is in `solver/contact/normal_laws.py`, one record a law as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Card, Check, Values, blank_or_real, card, integer, real
from ..model import NormalLaw, UserRoutine
from ..text.units import DAMPING, FORCE, LENGTH, VELOCITY, Dimension, per_power_of_length
from .user_routines import NORMAL_FORCE, read_routine, routine_cards

_PER_VELOCITY: Dimension = (0, -1, 1)
Reader = Callable[[Block, Values, Context], NormalLaw | UserRoutine | None]


@dataclass(frozen=True, slots=True)
class LawCards:
    """A law as /INTER/name has it.

    meaning : of the keyword
    cards : those of the law, between the cards that all interfaces have
    read : the law of a block; None after an error
    notes : the formula, for the deck reference
    example : title and cards of a block, for the deck of examples
    checks : whether values of its cards go with each other
    """

    name: str
    meaning: str
    cards: tuple[Card, ...]
    read: Reader
    notes: str
    example: str
    checks: tuple[Check, ...] = ()


@dataclass(slots=True)
class PoissonLaw(NormalLaw):
    """F = K z^1.5 (1 + kappa STEP(z'; -v_t, -1; v_t, 1)), kappa = (1 - CR^2)/(1 + CR^2), never negative.

    stiffness : K, force/length^1.5
    restitution : CR
    transition_velocity : v_t
    """

    stiffness: float
    restitution: float
    transition_velocity: float


def _read_poisson(block: Block, values: Values, context: Context) -> PoissonLaw:
    return PoissonLaw(values["penalty"], values["CR"], values["v_t"])


_POISSON = LawCards(
    "POISSON",
    "contact with a coefficient of restitution",
    (
        card(
            blank_or_real(
                "penalty",
                1,
                "stiffness K, force/length^1.5",
                per_power_of_length(FORCE, 1.5),
                required=True,
                minimum=0.0,
            ),
            blank_or_real("CR", 21, "coefficient of restitution", required=True, minimum=0.0, maximum=1.0),
            blank_or_real("v_t", 41, "speed at which damping is full", VELOCITY, default=1.0, above=0.0),
        ),
    ),
    _read_poisson,
    "F = K z^1.5 (1 + (1 - CR^2)/(1 + CR^2) STEP(z'; -v_t, -1; v_t, 1)), z the penetration.",
    """\
all that moves against the floor
# surf_i, surf_j, master, node_mode, analytical, friction, sens_ID, zero_crossing
7, 6, 0, 0, 0, 1
# pen_max, stab2d, Tstart, Tstop
,
# penalty, CR, v_t
1e8, 0.8, 0.01
# mu_s, mu_d, v_s, v_d
0.3, 0.25, 0.001, 0.01
# r_patch, arm_roll: friction of spinning and of rolling
0.002, 1e-4
""",
)


@dataclass(slots=True)
class ImpactLaw(NormalLaw):
    """F = K z^e + STEP(z; 0, 0; full_damping_depth, damping) z', never negative.

    stiffness : K, force/length^e
    """

    stiffness: float
    exponent: float
    damping: float
    full_damping_depth: float


def _check_damping(block: Block, values: Values, context: Context) -> bool:
    """Whether the damping of an IMPACT has a depth over which it sets in."""
    if not values["damping"] or not math.isnan(values["dmax"]):
        return True
    message = "dmax is missing: the depth at which damping is fully developed"
    context.report(block.diagnose("error", message, field="dmax", allowed="more than 0"))
    return False


def _read_impact(block: Block, values: Values, context: Context) -> ImpactLaw:
    exponent = values["exponent"]
    factor = context.unit_factor(block, per_power_of_length(FORCE, exponent))
    depth = values["dmax"] if values["damping"] else 1.0
    return ImpactLaw(values["stiffness"] * factor, exponent, values["damping"], depth)


_IMPACT = LawCards(
    "IMPACT",
    "contact of a power law with damping",
    (
        card(
            blank_or_real("stiffness", 1, "K, force/length^exponent", required=True, minimum=0.0),
            blank_or_real("exponent", 21, "exponent e of the penetration", required=True, above=0.0),
            real("damping", 41, "greatest damping", DAMPING, minimum=0.0),
            blank_or_real(
                "dmax", 61, "penetration at which damping is full; needed if damping is not 0", LENGTH, above=0.0
            ),
        ),
    ),
    _read_impact,
    "F = K z^e + STEP(z; 0, 0; dmax, damping) z', z the penetration, never negative.",
    """\
all that moves against each other, with true stiction
7, 0, 0, 0, 0, 4
# nothing deeper than 10 mm
0.01
# stiffness, exponent, damping, dmax
1e8, 1.5, 1000.0, 1e-4
0.3, 0.25, 0.001, 0.01
# k_t, c_t
1e7
""",
    (_check_damping,),
)


@dataclass(slots=True)
class VolumeLaw(NormalLaw):
    """F = A K z^e + damping z', never negative, K = c_i c_j/(c_i + c_j), A the area of contact.

    stiffness_i, stiffness_j : c_i, c_j, elastic modulus over depth of the layer, force/length^(2 + e)
    """

    stiffness_i: float
    stiffness_j: float
    exponent: float
    damping: float

    @property
    def stiffness(self) -> float:
        """K, the two layers in series."""
        return self.stiffness_i * self.stiffness_j / (self.stiffness_i + self.stiffness_j)


def _read_volume(block: Block, values: Values, context: Context) -> VolumeLaw:
    exponent = values["exponent"]
    factor = context.unit_factor(block, per_power_of_length(FORCE, 1.0 + exponent))
    stiffness_i, stiffness_j = (values[f"M_{side}"] * factor / values[f"d_{side}"] for side in "ij")
    return VolumeLaw(stiffness_i, stiffness_j, exponent, values["damping"])


_VOLUME = LawCards(
    "VOLUME",
    "contact of elastic layers, by the area of contact",
    (
        card(
            blank_or_real("M_i", 1, "elastic modulus of surf_i, force/length^(1 + e)", required=True, above=0.0),
            blank_or_real("M_j", 21, "elastic modulus of surf_j", required=True, above=0.0),
            blank_or_real("d_i", 41, "depth of the layer of surf_i", LENGTH, required=True, above=0.0),
            blank_or_real("d_j", 61, "depth of the layer of surf_j", LENGTH, required=True, above=0.0),
            blank_or_real("exponent", 81, "exponent e of the penetration", required=True, above=0.0),
        ),
        card(real("damping", 1, "damping", DAMPING, minimum=0.0), optional=True),
    ),
    _read_volume,
    "F = A K z^e + damping z', never negative, A the area of contact, K = c_i c_j/(c_i + c_j), c = M/d; "
    "M is the P-wave modulus of the material.",
    """\
ball on brick, once sensor 1 is on
         1         2         0         0         0         0         1         0
,
# M_i, M_j, d_i, d_j, exponent
2.8e11, 2.8e11, 0.1, 0.1, 1.0
# damping
100.0
""",
)


@dataclass(slots=True)
class HuntCrossleyLaw(NormalLaw):
    """F = K z^e (1 + a z'), a = 3/2 c or a = loss/v with the speed v of first touch, never negative.

    stiffness : K, force/length^e
    damping : a, time/length; None = from the speed of first touch
    loss : a v; 3/2 (1 - CR) of Hunt and Crossley, 8/5 (1 - CR)/CR of Flores
    """

    stiffness: float
    exponent: float
    damping: float | None
    loss: float


def _check_one_damping(block: Block, values: Values, context: Context) -> bool:
    """Whether just one of c and CR is there, and CR is one that the variant knows."""
    no_c, no_restitution = math.isnan(values["c"]), math.isnan(values["CR"])
    if no_c and no_restitution:
        message = "c and CR are both blank: one of them says how much an impact loses"
        context.report(block.diagnose("error", message, field="c", allowed="one of them", hint="c 0 loses nothing"))
        return False
    if not no_c and not no_restitution:
        message = "c and CR are both given: each says how much an impact loses"
        context.report(block.diagnose("error", message, field="CR", allowed="one of them", hint="leave one blank"))
        return False
    if values["variant"] == 1 and values["CR"] == 0.0:
        message = "CR is 0: with variant 1, (3/2) c = 8 (1 - CR)/(5 CR v), the damping would be infinite"
        hint = "variant 0 takes a CR of 0"
        context.report(block.diagnose("error", message, field="CR", allowed="more than 0, at most 1", hint=hint))
        return False
    if values["variant"] == 1 and no_restitution:
        message = "variant has no effect: c is given"
        context.report(block.diagnose("doubt", message, field="variant"))
    return True


def _read_hunt_crossley(block: Block, values: Values, context: Context) -> HuntCrossleyLaw:
    exponent, restitution = values["exponent"], values["CR"]
    stiffness = values["stiffness"] * context.unit_factor(block, per_power_of_length(FORCE, exponent))
    if math.isnan(restitution):
        return HuntCrossleyLaw(stiffness, exponent, 1.5 * values["c"], 0.0)
    loss = 1.6 * (1.0 - restitution) / restitution if values["variant"] == 1 else 1.5 * (1.0 - restitution)
    return HuntCrossleyLaw(stiffness, exponent, None, loss)


_HUNT_CROSSLEY = LawCards(
    "HUNT_CROSSLEY",
    "contact of a power law with damping that grows with the force",
    (
        card(
            blank_or_real("stiffness", 1, "K, force/length^exponent", required=True, minimum=0.0),
            blank_or_real("exponent", 21, "exponent e of the penetration", required=True, above=0.0),
            blank_or_real("c", 41, "dissipation; blank: from CR", _PER_VELOCITY, minimum=0.0),
            blank_or_real("CR", 61, "coefficient of restitution, in place of c", minimum=0.0, maximum=1.0),
            integer("variant", 81, "c from CR by 0 Hunt and Crossley, 1 Flores", choices=(0, 1)),
        ),
    ),
    _read_hunt_crossley,
    "F = K z^e (1 + (3/2) c z'), never negative, z the penetration. From CR and the speed v at which a point is first "
    "touched, (3/2) c is 3 (1 - CR)/(2 v), or 8 (1 - CR)/(5 CR v) with variant 1.",
    """\
ball against cone, by a coefficient of restitution
1, 4
,
# stiffness, exponent, c (blank: from CR), CR, variant
1e8, 1.5, , 0.8, 1
""",
    (_check_one_damping,),
)


def _read_routine(block: Block, values: Values, context: Context) -> UserRoutine | None:
    return read_routine(block, values, context, NORMAL_FORCE)


_ROUTINE = LawCards(
    "USERCNF",
    "contact whose normal force is given by a routine",
    routine_cards(NORMAL_FORCE),
    _read_routine,
    "The routine is called as CNFSUB of MotionSolve. A run needs the option --allow-user-code.",
    """\
roller against cone, both forces by routines
3, 4, 0, 0, 0, 3
,
# file and function
example_routines.py CNFSUB
# number of parameters, then the parameters
2
1e8, 1.5
# the same for friction
example_routines.py CFFSUB
1
0.3
""",
)

LAWS = {law.name: law for law in (_POISSON, _IMPACT, _VOLUME, _HUNT_CROSSLEY, _ROUTINE)}
