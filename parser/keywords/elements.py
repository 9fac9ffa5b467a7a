"""/PART, /MAT, /PROP and the elements that bring mass: /SHELL, /SH3N, /BRICK, /TETRA4."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Field, Keyword, Stage, Values, card, integer, real
from ..cards.table_reader import Records
from ..cards.unresolved import ElementProperty, IdTable, Material, Part
from ..model import ElementBlock
from ..text.units import DENSITY, LENGTH, PRESSURE

_DEFAULT_SHELL = 1
# Radioss materials whose first card begins with the density, by number and by name.
_OTHER_LAWS = (
    "LAW2", "PLAS_JOHNS", "LAW19", "FABRI", "LAW22", "DAMA", "LAW25", "COMPSH", "LAW27", "PLAS_BRIT", "LAW28",
    "HONEYCOMB", "LAW32", "HILL", "LAW33", "FOAM_PLAS", "LAW34", "BOLTZMAN", "LAW35", "FOAM_VISC", "LAW36", "PLAS_TAB",
    "LAW38", "VISC_TAB", "LAW40", "KELVINMAX", "LAW42", "OGDEN", "LAW43", "HILL_TAB", "LAW44", "COWPER", "LAW48",
    "ZHAO", "LAW52", "GURSON", "LAW57", "BARLAT3", "LAW58", "FABR_A", "LAW60", "PLAS_T3", "LAW62", "VISC_HYP", "LAW65",
    "ELASTOMER", "LAW66", "LAW69", "LAW70", "FOAM_TAB", "LAW72", "HILL_MMC", "LAW76", "SAMP", "LAW78", "LAW82",
    "LAW87", "LAW88", "LAW93",
)  # fmt: skip


def build_material(block: Block, values: Values, context: Context) -> None:
    """/MAT: the density is what matters."""
    void = block.declaration.name == "MAT/VOID"
    density = values["RHO"] if void else values["RHO_I"]
    assert block.id is not None
    context.unresolved.materials[block.id] = Material(density, void)


def build_property(block: Block, values: Values, context: Context) -> None:
    """/PROP of shells, solids and void."""
    kind: Literal["SHELL", "SOLID", "VOID"] = block.declaration.name.split("/")[1]  # type: ignore[assignment]
    thickness = values.get("Thick", 0.0)
    ishell = values.get("Ishell", _DEFAULT_SHELL)
    assert block.id is not None
    context.unresolved.properties[block.id] = ElementProperty(kind, thickness, ishell)


def build_part(block: Block, values: Values, context: Context) -> None:
    """/PART."""
    if values.get("Irigid"):
        message = "a part made rigid by Irigid is not supported; use /RBODY"
        context.report(block.diagnose("error", message, field="Irigid", allowed="0"))
        return
    assert block.id is not None
    context.unresolved.parts[block.id] = Part(block, values["prop_ID"], values["mat_ID"])


def part_of(block: Block, context: Context) -> Part | None:
    """The part whose id an element header carries; None after an error."""
    assert block.id is not None
    part = context.unresolved.parts.get(block.id)
    if part is None and block.id not in context.defined["part"]:
        message = f"part {block.id} does not exist"
        hint = context.nearest("part", block.id)
        context.report(block.diagnose("error", message, found=f"part {block.id}", hint=hint))
    return part


def add_element_ids(block: Block, records: Records, context: Context, family: str) -> None:
    """Keep the element ids of a block, to be checked when all are known."""
    table = IdTable(block, records, records.columns["id"])
    context.unresolved.element_tables.setdefault(family, []).append(table)


def check_element_ids(context: Context) -> None:
    """Report element ids used twice in a family."""
    for family, tables in context.unresolved.element_tables.items():
        context.first_of_each(tables, f"{family} element")


def build_elements(block: Block, values: Values, context: Context) -> None:
    """/SHELL, /SH3N, /BRICK, /TETRA4."""
    keyword: Literal["SHELL", "SH3N", "BRICK", "TETRA4"] = block.declaration.name  # type: ignore[assignment]
    records = values["records"]
    part = part_of(block, context)
    add_element_ids(block, records, context, keyword)
    if part is None:
        return
    count = {"SHELL": 4, "SH3N": 3, "BRICK": 8, "TETRA4": 4}[keyword]
    nodes = np.stack([records.columns[f"N{k + 1}"] for k in range(count)], axis=1)
    if keyword == "SHELL":
        nodes[nodes[:, 3] == nodes[:, 2], 3] = -1
    assert block.id is not None
    context.unresolved.nodes_of_part.setdefault(block.id, []).append(nodes.ravel())
    kind = "SHELL" if keyword in ("SHELL", "SH3N") else "SOLID"
    found = _material_and_property(block, part, context, kind)
    if found is None:
        return
    material, element_property = found
    thickness = np.zeros(len(nodes))
    if kind == "SHELL":
        own = records.columns["Thick"]
        thickness = np.where(own > 0.0, own, element_property.thickness)
    context.model.elements.append(
        ElementBlock(
            keyword,
            block.id,
            part.block.title,
            block,
            records.columns["id"],
            nodes,
            thickness,
            material.density,
            element_property.ishell,
            material.void or element_property.kind == "VOID",
        )
    )


def _material_and_property(
    block: Block, part: Part, context: Context, kind: str
) -> tuple[Material, ElementProperty] | None:
    """Material and property of the part of an element block; None after an error."""
    if not part.material_id:
        context.report(
            part.block.diagnose("error", "mat_ID is missing", field="mat_ID", allowed="the id of a material")
        )
        return None
    material = context.unresolved.materials.get(part.material_id)
    element_property = context.unresolved.properties.get(part.property_id)
    if material is None or element_property is None:
        return None
    if not isinstance(element_property, ElementProperty) or element_property.kind not in (kind, "VOID"):
        wanted = "TYPE1 (SHELL)" if kind == "SHELL" else "TYPE14 (SOLID)"
        context.report(
            part.block.diagnose(
                "error",
                f"the elements {block.name} need another kind of property",
                field="prop_ID",
                found=context.defined["property"][part.property_id].name,
                allowed=f"/PROP/{wanted} or /PROP/VOID",
            )
        )
        return None
    return material, element_property


def _nodes(count: int, optional_last: bool = False) -> tuple[Field, ...]:
    return tuple(
        integer(f"N{k + 1}", 11 + 10 * k, "node", reference="node", required=not (optional_last and k == count - 1))
        for k in range(count)
    )


_ID = integer("id", 1, "element id", required=True)
_SHELL_END = (real("PHI", 61, "orthotropy angle (no effect here)"), real("Thick", 81, "thickness", LENGTH, minimum=0.0))


def _element_keyword(name: str, meaning: str, fields: tuple[Field, ...]) -> Keyword:
    return Keyword(
        (name,),
        meaning,
        build_elements,
        Stage.ELEMENTS,
        records=(card(_ID, fields),),
        listing="records",
        titled=False,
        notes="The number in the header is the id of the part.",
    )


_CARD_MAT = (
    card(
        real("RHO_I", 1, "density", DENSITY, minimum=0.0, required=True),
        real("RHO_0", 21, "reference density (no effect here)", DENSITY),
    ),
    card(real("E", 1, "Young's modulus", PRESSURE, minimum=0.0), real("nu", 21, "Poisson's ratio"), optional=True),
)

KEYWORDS = [
    Keyword(
        ("PART",),
        "part: joins elements, a property and a material",
        build_part,
        Stage.PARTS,
        cards=(
            card(
                integer("prop_ID", 1, "property", reference="property", required=True),
                integer("mat_ID", 11, "material", reference="material"),
                integer("subset_ID", 21, "subset (no effect here)"),
                real("Thick", 31, "thickness for contacts", LENGTH),
                integer("Irigid", 51, "1 = made rigid (not supported)", since=2026),
            ),
        ),
        identity="part",
    ),
    Keyword(
        ("MAT/LAW1", "MAT/ELAST"),
        "elastic material; its density gives elements their mass",
        build_material,
        Stage.DEFINITIONS,
        cards=_CARD_MAT,
        identity="material",
    ),
    Keyword(
        tuple(f"MAT/{name}" for name in _OTHER_LAWS),
        "other materials: only their density is read; it gives elements their mass",
        build_material,
        Stage.DEFINITIONS,
        cards=_CARD_MAT[:1],
        listing="text",
        identity="material",
        notes="Elements of such a material must be rigid like all others, so that its other cards do not matter.",
    ),
    Keyword(
        ("MAT/VOID", "MAT/LAW0"),
        "material without stiffness",
        build_material,
        Stage.DEFINITIONS,
        cards=(
            card(
                real("RHO", 1, "density", DENSITY, minimum=0.0),
                real("E", 21, "Young's modulus (for contacts)", PRESSURE),
                real("nu", 41, "Poisson's ratio"),
                optional=True,
            ),
        ),
        identity="material",
    ),
    Keyword(
        ("PROP/VOID", "PROP/TYPE0"),
        "property of elements that never deform",
        build_property,
        Stage.DEFINITIONS,
        cards=(card(real("Thick", 1, "thickness", LENGTH, minimum=0.0), optional=True),),
        identity="property",
    ),
    Keyword(
        ("PROP/SHELL", "PROP/TYPE1"),
        "shell property; its thickness gives elements their mass",
        build_property,
        Stage.DEFINITIONS,
        cards=(
            card(
                integer("Ishell", 1, "formulation; from 11 on the rotary inertia differs", default=_DEFAULT_SHELL),
                integer("Ismstr", 11, "no effect here"),
                integer("Ish3n", 21, "no effect here"),
                integer("Idrill", 31, "no effect here"),
                integer("Ipinch", 41, "no effect here"),
                real("P_thick_fail", 61, "no effect here"),
            ),
            card(*(real(name, 1 + 20 * k, "no effect here") for k, name in enumerate(("Hm", "Hf", "Hr", "Dm", "Dn")))),
            card(
                integer("N", 1, "integration points (no effect here)"),
                integer("Istrain", 11, "no effect here", before=2021),
                real("Thick", 21, "thickness", LENGTH, minimum=0.0),
                real("Ashear", 41, "no effect here"),
                integer("Ithick", 71, "no effect here"),
                integer("Iplas", 81, "no effect here"),
                integer("Ipos", 91, "no effect here"),
            ),
        ),
        identity="property",
    ),
    Keyword(
        ("PROP/SOLID", "PROP/TYPE14", "PROP/TYPE6", "PROP/SOL_ORTH"),
        "solid property",
        build_property,
        Stage.DEFINITIONS,
        listing="text",
        identity="property",
        notes="Nothing on its cards matters to rigid elements; they are not read.",
    ),
    _element_keyword("SHELL", "shells of four nodes (or three: N4 0 or equal to N3)", (*_nodes(4, True), *_SHELL_END)),
    _element_keyword("SH3N", "shells of three nodes", (*_nodes(3), *_SHELL_END)),
    _element_keyword("BRICK", "solids of eight nodes", _nodes(8)),
    _element_keyword("TETRA4", "solids of four nodes", _nodes(4)),
]
