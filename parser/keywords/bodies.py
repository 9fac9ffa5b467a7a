"""/RBODY, /RBE2, /RLINK and /MPC: nodes that move as one, or by a condition on their velocities."""

from __future__ import annotations

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, digits, integer, real
from ..model import (
    DirectionalTie,
    Ints,
    MultiPointConstraint,
    RigidBody,
    RigidTie,
    VelocityLink,
)
from ..text.units import FORCE, INERTIA, LENGTH, MASS
from .common_checks import must_be_zero

_ALL = (True, True, True)


def build_rigid_body(block: Block, values: Values, context: Context) -> None:
    """/RBODY."""
    if values["surf_ID"]:
        message = "the surface of the rigid body is not used (it matters to contacts only)"
        context.report(block.diagnose("warning", message, field="surf_ID"))
    inertia = np.array([values[name] for name in ("Jxx", "Jyy", "Jzz", "Jxy", "Jyz", "Jxz")])
    secondary = _secondary_nodes(block, values, context)
    assert block.id is not None
    context.model.rigid_bodies.append(
        RigidBody(
            block.id,
            block.title,
            block,
            values["node_ID"],
            secondary,
            values["Skew_ID"],
            values["Ispher"],
            values["Mass"],
            values["ICoG"],
            inertia,
            values["Ikrem"] == 1,
        )
    )


def build_lagrange_body(block: Block, values: Values, context: Context) -> None:
    """/RBODY/LAGMUL: the same body, without added mass; more secondary nodes may follow as a list."""
    secondary = _secondary_nodes(block, values, context, context.rows_of(values["ids"]))
    assert block.id is not None
    context.model.rigid_bodies.append(
        RigidBody(block.id, block.title, block, values["node_ID"], secondary, 0, 3, 0.0, 1, np.zeros(6))
    )


def _check_listed(block: Block, values: Values, context: Context) -> bool:
    """Whether the secondary nodes of an /RBODY/LAGMUL exist."""
    listed = context.rows_of(values["ids"])
    if not (listed < 0).any():
        return True
    unknown = int(values["ids"][listed < 0][0])
    message = f"node {unknown} of the list does not exist"
    context.report(block.diagnose("error", message, found=str(unknown), hint=context.nearest("node", unknown)))
    return False


def _secondary_nodes(block: Block, values: Values, context: Context, listed: Ints | None = None) -> Ints:
    """Rows of the secondary nodes, without the main node."""
    group = values["grnd_ID"]
    rows = np.empty(0, dtype=np.int64) if group is None else group
    if listed is not None and len(listed):
        rows = np.unique(np.concatenate((rows, listed)))
    main = values["node_ID"]
    if main in rows:
        node = context.model.nodes.ids[main]
        message = f"the main node {node} is also in the group of secondary nodes; it is taken out of it"
        context.report(block.diagnose("warning", message, field="grnd_ID"))
        rows = rows[rows != main]
    return rows


def build_tie(block: Block, values: Values, context: Context) -> None:
    """/RBE2: rigid with all six directions linked (all marked, or none), else a tie of the marked directions."""
    translations, rotations = values["Tra"], values["Rot"]
    if not any(translations + rotations):
        translations = rotations = _ALL
    same_velocity = values.get("Iflag", 0) == 1
    dependent = values["grnod_ID"]
    main = values["node_ID"]
    if main in dependent:
        node = context.model.nodes.ids[main]
        message = f"the main node {node} is also in the group of dependent nodes; it is taken out of it"
        context.report(block.diagnose("warning", message, field="grnod_ID"))
        dependent = dependent[dependent != main]
    assert block.id is not None
    if all(translations + rotations) and not same_velocity:
        context.model.rigid_ties.append(RigidTie(block.id, block.title, block, main, dependent))
        return
    skew_id = values["skew_ID"]
    context.model.directional_ties.append(
        DirectionalTie(
            block.id, block.title, block, main, dependent, translations, rotations, skew_id, offset=not same_velocity
        )
    )


def build_velocity_link(block: Block, values: Values, context: Context) -> None:
    """/RLINK: equal velocities in the marked directions."""
    if not any(values["Tra"] + values["Rot"]):
        message = "no direction is marked, so the link does nothing"
        context.report(block.diagnose("doubt", message, field="Tra"))
        return
    assert block.id is not None
    context.model.velocity_links.append(
        VelocityLink(block.id, block.title, block, values["Tra"], values["Rot"], values["skew_ID"], values["grnod_ID"])
    )


def build_multi_point_constraint(block: Block, values: Values, context: Context) -> None:
    """/MPC: a weighted sum of velocities that is 0; a coefficient of a rotation is a length, in input units."""
    records = values["records"]
    columns = records.columns
    nodes, skews = columns["node_ID"], columns["skew_ID"]
    directions = columns["Idof"] - 1
    if not len(records):
        message = "the constraint holds no node"
        context.report(block.diagnose("error", message, allowed="lines with node_ID, Idof, skew_ID, alpha"))
        return
    node_field, _, skew_field, _ = MPC_CARD.fields
    seen: set[tuple[int, int, int]] = set()
    good = True
    for row, term in enumerate(zip(nodes.tolist(), directions.tolist(), skews.tolist(), strict=True)):
        message = hint = ""
        field = node_field
        if term[2] and term[2] not in context.defined["skew"]:
            field, message, hint = skew_field, f"skew {term[2]} does not exist", context.nearest("skew", term[2])
        elif term in seen:
            message = f"Idof {term[1] + 1} of node {context.model.nodes.ids[term[0]]} is given twice"
            hint = "write one line with the sum of the factors"
        if message:
            context.report_record(block, records, row, field, message, hint=hint)
            good = False
        seen.add(term)
    if not good:
        return
    coefficients = np.where(directions < 3, columns["alpha"], columns["alpha"] * context.unit_factor(block, LENGTH))
    assert block.id is not None
    context.model.multi_point_constraints.append(
        MultiPointConstraint(block.id, block.title, block, nodes, directions, skews, coefficients)
    )


MPC_CARD = card(
    integer("node_ID", 1, "node", reference="node", required=True),
    integer("Idof", 11, "direction: 1 to 3 translations, 4 to 6 rotations", choices=(1, 2, 3, 4, 5, 6), required=True),
    integer("skew_ID", 21, "axes of the direction"),
    real("alpha", 31, "factor; of a rotation: a length", default=1.0),
)

KEYWORDS = [
    Keyword(
        ("RBODY",),
        "rigid body: a main node and the secondary nodes that are fixed to it",
        build_rigid_body,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_ID", 1, "main node", reference="node", required=True),
                integer("sens_ID", 11, "sensor that switches the body (not supported)"),
                integer("Skew_ID", 21, "axes of the added inertia; 0 = global", reference="skew"),
                integer(
                    "Ispher",
                    31,
                    "1 spherical inertia, 2 corrected if ill-conditioned, 3 as computed",
                    default=2,
                    choices=(1, 2, 3),
                ),
                real("Mass", 41, "added mass", MASS, minimum=0.0),
                integer("grnd_ID", 61, "group of secondary nodes", reference="group"),
                integer("Ikrem", 71, "1 = a /RWALL holds secondary nodes as well, 0 = it does not"),
                integer("ICoG", 81, "how the centre of mass is found, 1 to 4", default=1, choices=(1, 2, 3, 4)),
                integer("surf_ID", 91, "surface carried by the body (contacts only)"),
            ),
            card(
                real("Jxx", 1, "added inertia", INERTIA, minimum=0.0),
                real("Jyy", 21, "added inertia", INERTIA, minimum=0.0),
                real("Jzz", 41, "added inertia", INERTIA, minimum=0.0),
                optional=True,
            ),
            card(
                real("Jxy", 1, "added inertia, tensor term (-sum m x y)", INERTIA),
                real("Jyz", 21, "added inertia, tensor term", INERTIA),
                real("Jxz", 41, "added inertia, tensor term", INERTIA),
                optional=True,
            ),
            card(
                integer("Ioptoff", 1, "domain split (no effect here)"),
                integer("Iexpams", 11, "mass scaling (no effect here)", since=2017),
                integer("Ifail", 21, "failure (not supported)", since=2021),
                optional=True,
                since=110,
            ),
            card(
                real("FN", 1, "limit force", FORCE),
                real("FT", 21, "limit force", FORCE),
                real("expN", 41, "exponent"),
                real("expT", 61, "exponent"),
                optional=True,
                only_if="Ifail",
                since=2021,
            ),
        ),
        identity="RBODY",
        notes="Without secondary nodes it is a lone body: the way to give a shaft its mass and inertia.",
        checks=(
            must_be_zero("sens_ID", "switching a rigid body by a sensor is not supported"),
            must_be_zero("Ifail", "failure of a rigid body is not supported"),
        ),
    ),
    Keyword(
        ("RBODY/LAGMUL",),
        "rigid body without added mass (the same body as /RBODY)",
        build_lagrange_body,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_ID", 1, "main node", reference="node", required=True),
                integer("grnd_ID", 61, "group of secondary nodes", reference="group"),
            ),
            card(optional=True),
            card(optional=True),
        ),
        listing="ids",
        reference="node",
        identity="RBODY",
        checks=(_check_listed,),
    ),
    Keyword(
        ("RBE2",),
        "tie: the dependent nodes are fixed to the main node, or follow it in the marked directions",
        build_tie,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_ID", 1, "main node", reference="node", required=True),
                digits("Tra", 14, "linked translations"),
                digits("Rot", 18, "linked rotations"),
                integer("skew_ID", 21, "axes of the digits", reference="skew"),
                integer("grnod_ID", 31, "group of dependent nodes", reference="group", required=True),
                integer("Iflag", 41, "0 as if rigid, with the offset; 1 the same velocity", choices=(0, 1), since=110),
            ),
        ),
        identity="RBE2",
        notes="All digits blank or 0 means all on.",
    ),
    Keyword(
        ("RLINK",),
        "equal velocity of all nodes of a group in the marked directions",
        build_velocity_link,
        Stage.OBJECTS,
        cards=(
            card(
                digits("Tra", 4, "linked translations"),
                digits("Rot", 8, "linked rotations"),
                integer("skew_ID", 11, "axes", reference="skew"),
                integer("grnod_ID", 21, "node group", reference="group", required=True),
                integer("Ipol", 31, "1 = polar (not supported)"),
            ),
        ),
        identity="RLINK",
        checks=(must_be_zero("Ipol", "polar links are not supported"),),
    ),
    Keyword(
        ("MPC",),
        "a sum of velocities, each with a factor, that is 0",
        build_multi_point_constraint,
        Stage.OBJECTS,
        records=(MPC_CARD,),
        listing="records",
        identity="MPC",
        notes="The sum of alpha times the velocity in the direction Idof, over all lines, is 0.",
    ),
]
