"""Parts, materials, properties, elements and springs."""

import math
from pathlib import Path

import pytest
from parser_decks import deck, errors, messages, read

NODES = "/NODE\n" + "".join(f"{k},{k % 2},{k // 2 % 2},{k // 4}\n" for k in range(1, 9))
STEEL = "/MAT/LAW1/1\nsteel\n7.8E-9,0\n210000,0.3\n"
VOID = "/MAT/VOID/2\nvoid\n1E-9\n"
SHELL = "/PROP/SHELL/1\nplate\n24,0,0\n\n,2.0\n"
SOLID = "/PROP/SOLID/2\nblock\nanything at all\n1,2,3,4\n"
PARTS = "/PART/1\nplates\n1,1\n/PART/2\nblocks\n2,1\n/PART/3\nskin\n1,2\n"
BASE = STEEL + VOID + SHELL + SOLID + PARTS


def test_elements_of_all_kinds(tmp_path: Path) -> None:
    blocks = (
        "/SHELL/1\n1,1,2,4,3\n2,5,6,8,7,,5.0\n3,1,2,3,3\n4,1,2,3\n",
        "/SH3N/3\n1,1,2,3\n",
        "/BRICK/2\n1,1,2,4,3,5,6,8,7\n",
        "/TETRA4/2\n1,1,2,3,5\n",
    )
    model = read(tmp_path, deck(BASE, *blocks, nodes=NODES, units="Mg,mm,s", work="kg,m,s"))
    shells, triangles, bricks, tetrahedra = model.elements
    assert shells.nodes.tolist() == [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 2, -1], [0, 1, 2, -1]]
    assert shells.thickness.tolist() == [0.002, 0.005, 0.002, 0.002]
    assert math.isclose(shells.density, 7800.0, rel_tol=1e-15)
    assert (shells.ishell, shells.void, shells.part_id, shells.part_title) == (24, False, 1, "plates")
    assert (triangles.keyword, triangles.void, triangles.nodes.shape) == ("SH3N", True, (1, 3))
    assert (bricks.nodes.tolist(), bricks.thickness.tolist()) == ([[0, 1, 3, 2, 4, 5, 7, 6]], [0.0])
    assert tetrahedra.nodes.tolist() == [[0, 1, 2, 4]]


def test_other_materials_give_their_density(tmp_path: Path) -> None:
    blocks = ("/MAT/PLAS_JOHNS/1\nsteel\n7800\n210e9,0.3\n2e8,1,1\n", SHELL, "/PART/1\np\n1,1\n/SHELL/1\n1,1,2,4,3\n")
    assert read(tmp_path, deck(*blocks, nodes=NODES)).elements[0].density == 7800


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ("/BRICK/1\n1,1,2,4,3,5,6,8,7\n", "the elements /BRICK/1 need another kind of property"),
        ("/SHELL/2\n1,1,2,4,3\n", "the elements /SHELL/2 need another kind of property"),
        ("/SHELL/9\n1,1,2,4,3\n", "part 9 does not exist"),
        ("/SHELL/1\n1,1,2,4,3\n/SHELL/3\n1,5,6,8,7\n", "SHELL element 1 is defined twice"),
        ("/SHELL/1\n1,1,,4,3\n", "N2 is missing"),
        ("/PART/4\nno material\n1\n/SHELL/4\n1,1,2,4,3\n", "mat_ID is missing"),
    ],
)
def test_wrong_elements(tmp_path: Path, blocks: str, message: str) -> None:
    assert errors(tmp_path, deck(BASE, blocks, nodes=NODES)) == [message]


def test_element_ids_are_separate_for_each_kind(tmp_path: Path) -> None:
    assert not errors(tmp_path, deck(BASE, "/SHELL/1\n1,1,2,4,3\n/BRICK/2\n1,1,2,4,3,5,6,8,7\n", nodes=NODES))


SPRING4 = "/PROP/TYPE4/1\naxial\n{first}\n{linear}\n{curves}\n{scales}\n/PART/1\nspring\n1\n/SPRING/1\n7,1,2\n"
CURVES = "/FUNCT/1\nf\n0,0\n1,1\n/FUNCT/2\ng\n0,0\n1,1\n"


def spring4(first: str = "1.0", linear: str = "1e3,5", curves: str = "", scales: str = "") -> str:
    return SPRING4.format(first=first, linear=linear, curves=curves, scales=scales) + CURVES


def test_axial_spring_with_its_defaults(tmp_path: Path) -> None:
    model = read(tmp_path, deck(spring4(), units="Mg,mm,s", work="kg,m,s"))
    (spring,) = model.springs
    (dof,) = spring.property.dofs
    assert (spring.id, spring.node_1, spring.node_2, spring.property.mass) == (7, 0, 1, 1000.0)
    assert (dof.stiffness, dof.damping) == (1e6, 5e3)  # N/mm and N s/mm
    assert (dof.a, dof.e, dof.damping_scale) == (1.0, 1.0, 1.0)  # 1 Mg mm/s2 = 1 N
    assert (dof.d, dof.f, dof.abscissa_scale) == (1e-3, 1e-3, 1e-3)  # 1 mm/s, 1 mm
    assert (dof.min_elongation, dof.max_elongation) == (-math.inf, math.inf)


def test_axial_spring_with_curves(tmp_path: Path) -> None:
    text = deck(spring4("1.0,0,1", "1,2,3,4,5", "1,0,2,,2,-0.1,0.2", "6,7,8,9"), "/SENSOR/TIME/1\ns\n1\n")
    with_sensor = text.replace("1.0,0,1\n", "1.0" + " " * 56 + "1         1\n").replace(
        "1.0" + " " * 56, f"{'1.0':>20}" + " " * 39
    )
    (spring,) = read(tmp_path, with_sensor).springs
    (dof,) = spring.property.dofs
    assert (spring.property.sensor_id, spring.property.sensor_flag) == (1, 1)
    assert (dof.a, dof.b, dof.d, dof.fct_1, dof.fct_2, dof.fct_4) == (3, 4, 5, 1, 2, 2)
    assert (dof.min_elongation, dof.max_elongation) == (-0.1, 0.2)
    assert (dof.f, dof.e, dof.abscissa_scale, dof.damping_scale) == (6, 7, 8, 9)


def test_a_spring_without_a_sensor_has_no_use_for_its_flag(tmp_path: Path) -> None:
    model = read(tmp_path, deck(spring4(first=f"{'1.0':>20}" + " " * 40 + f"{2:10d}")))
    (warning,) = model.warnings
    assert (warning.severity, warning.field) == ("doubt", "Isflag")
    assert warning.message == "Isflag has no effect: there is no sens_ID"


def test_numbers_per_unit_length_have_their_own_units(tmp_path: Path) -> None:
    block = spring4(first=f"{'1.0':>20}" + " " * 50 + f"{1:10d}")
    (spring,) = read(tmp_path, deck(block, units="kg,mm,s", work="kg,m,s")).springs
    (dof,) = spring.property.dofs
    assert spring.property.per_length
    assert spring.property.mass == pytest.approx(1000.0)  # kg/mm
    assert dof.stiffness == pytest.approx(1.0)  # 1000 kg mm/s2 are 1 N
    assert dof.abscissa_scale == pytest.approx(1.0)  # a strain


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (spring4(curves="1,4"), "only the elastic curve is supported"),
        (spring4(curves="1,0,0,0,0,0.1"), "dmin has the wrong sign: the spring would break at once"),
        (spring4(linear="-1e3"), "K must not be negative"),
        (spring4(curves="9"), "function 9 does not exist"),
    ],
)
def test_what_axial_springs_cannot_do(tmp_path: Path, block: str, message: str) -> None:
    assert errors(tmp_path, deck(block)) == [message]


def test_unloading_kinds_without_a_curve_have_no_effect(tmp_path: Path) -> None:
    assert messages(read(tmp_path, deck(spring4(curves="0,8")))) == ""


def general_spring(first: str = "1.0,0.5,1", last: str = "0") -> str:
    dofs = "".join(f"{k}000,{k}\n0\n1.0\n" for k in range(1, 7))
    skews = "/SKEW/FIX/1\ns\n0,0,0\n0,1,0\n0,0,1\n/SKEW/FIX/2\ns\n0,0,0\n0,1,0\n0,0,1\n"
    springs = "/PART/1\ns\n1\n/SPRING/1\n1,1,2\n2,2,3,,,,,2\n"
    return f"/PROP/SPR_GENE/1\ngeneral\n{first}\n{dofs}{last}\n" + skews + springs


def test_general_spring(tmp_path: Path) -> None:
    first, second = read(tmp_path, deck(general_spring(), units="kg,mm,s", work="kg,m,s")).springs
    assert (first.property.kind, first.property.mass) == ("TYPE8", 1.0)
    assert first.property.inertia == 0.5e-6
    assert (first.skew_id, second.skew_id) == (1, 2)
    stiffness = [dof.stiffness for dof in first.property.dofs]
    assert stiffness == pytest.approx([1000, 2000, 3000, 4e-3, 5e-3, 6e-3])  # kg/s2, then kg mm2/s2


def test_filtered_rates_are_not_supported(tmp_path: Path) -> None:
    assert errors(tmp_path, deck(general_spring(last="1,100."))) == ["filtered rates are not supported"]
