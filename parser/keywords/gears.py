"""/GJOINT: gear pairs, differentials, racks and pinions."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Card, Keyword, Stage, Values, card, integer, real, vector
from ..model import Floats, GearJoint
from ..text.units import INERTIA, LENGTH, MASS, NUMBER, Dimension


def build_gear_joint(block: Block, values: Values, context: Context) -> None:
    """/GJOINT: nodes, ratio, added masses and unit axes of a gear-type joint."""
    kind: Literal["GEAR", "DIFF", "RACK"] = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    nodes = _gear_nodes(block, values)
    if kind != "DIFF" and values["node_ID3"] >= 0:
        message = f"node_ID3 is not used by a {kind} and is ignored"
        context.report(block.diagnose("warning", message, field="node_ID3"))
    fscale_v = values["FscaleV"]
    if kind == "RACK" and context.gjoint_alpha == "inverse":
        length = context.unit_factor(block, LENGTH)
        fscale_v = fscale_v / (length * length)
    axes = np.array([[values[f"r{k}{axis}"] for axis in "xyz"] for k in (1, 2, 3)])
    lengths = np.sqrt((axes * axes).sum(axis=1))
    _warn_missing_axes(block, nodes, lengths, context)
    axes[lengths == 0.0] = (1.0, 0.0, 0.0)
    lengths[lengths == 0.0] = 1.0
    assert block.id is not None
    context.model.gear_joints.append(
        GearJoint(
            block.id,
            block.title,
            block,
            kind,
            np.array(nodes, dtype=np.int64),
            fscale_v,
            np.array([values["Mass"], values["Mass1"], values["Mass2"], values["Mass3"]]),
            np.array([values["Inertia"], values["Inertia1"], values["Inertia2"], values["Inertia3"]]),
            axes / lengths[:, None],
        )
    )


def _warn_missing_axes(block: Block, nodes: list[int], lengths: Floats, context: Context) -> None:
    """A node of the joint without an axis: it gets 1 0 0, which is seldom what is meant."""
    for k in (1, 2, 3):
        if nodes[k] >= 0 and lengths[k - 1] == 0.0:
            node = context.model.nodes.ids[nodes[k]]
            message = f"the axis of node_ID{k} is not given: 1 0 0 is used"
            hint = f"write the axis of node {node} into r{k}x, r{k}y, r{k}z (1 0 0 if that is meant)"
            context.report(block.diagnose("warning", message, field=f"r{k}x", hint=hint))


def _gear_nodes(block: Block, values: Values) -> list[int]:
    """Rows of nodes 0 to 3 of a gear-type joint, -1 for a third that it does not have."""
    third = values["node_ID3"] if block.declaration.name == "GJOINT/DIFF" else -1
    return [values["node_ID0"], values["node_ID1"], values["node_ID2"], third]


def _check_distinct(block: Block, values: Values, context: Context) -> bool:
    """Whether the nodes of a joint are all different."""
    nodes = _gear_nodes(block, values)
    for k in range(1, 4):
        if nodes[k] >= 0 and nodes[k] in nodes[:k]:
            other = nodes.index(nodes[k])
            node = context.model.nodes.ids[nodes[k]]
            message = f"node {node} is joined to itself: it is both node_ID{other} and node_ID{k}"
            context.report(block.diagnose("error", message, field=f"node_ID{k}", allowed="different nodes"))
            return False
    return True


def _node_card(k: int, meaning: str, *, optional: bool = False) -> Card:
    return card(
        real(f"Mass{k}", 1, f"mass added at {meaning}", MASS, minimum=0.0),
        real(f"Inertia{k}", 21, f"inertia added at {meaning}", INERTIA, minimum=0.0),
        vector((f"r{k}x", f"r{k}y", f"r{k}z"), 41, f"axis of {meaning} in the frame of node 0 (0 0 0 means 1 0 0)"),
        optional=optional,
    )


def _gear_keyword(kind: str, meaning: str, unit: Dimension, ratio: str) -> Keyword:
    third = "node 3" if kind == "DIFF" else "node 3 (not used)"
    return Keyword(
        (f"GJOINT/{kind}",),
        meaning,
        build_gear_joint,
        Stage.OBJECTS,
        cards=(
            card(
                integer("node_ID0", 1, "carrier (housing)", reference="node", required=True),
                real("FscaleV", 11, ratio, unit, default=1.0),
                real("Mass", 31, "mass added at node 0", MASS, minimum=0.0),
                real("Inertia", 51, "inertia added at node 0", INERTIA, minimum=0.0),
                integer("node_ID1", 71, "first node", reference="node", required=True),
                integer("node_ID2", 81, "second node", reference="node", required=True),
                integer("node_ID3", 91, third, reference="node", required=kind == "DIFF"),
            ),
            _node_card(1, "node 1"),
            _node_card(2, "node 2"),
            _node_card(3, third, optional=kind != "DIFF"),
        ),
        identity="GJOINT",
        checks=(_check_distinct,),
    )


KEYWORDS = [
    _gear_keyword("GEAR", "gear pair: two shafts on a carrier", NUMBER, "ratio: FscaleV w1 + w2 = 0"),
    _gear_keyword("DIFF", "differential: three shafts on a carrier", NUMBER, "ratio: FscaleV w1 + w2 + w3 = 0"),
    _gear_keyword("RACK", "rack and pinion on a carrier", LENGTH, "length per radian: FscaleV w1 + v2 = 0"),
]
