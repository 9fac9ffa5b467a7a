"""/PARAMETER: order, expressions, overrides."""

import math
from pathlib import Path

import pytest
from gsolve.parser import DeckError, format_diagnostic
from parser_decks import card, deck, errors, read

GEAR = "/GJOINT/GEAR/1\ngear\n1,&ratio,,,2,3\n1,0.1,1\n1,0.1,1\n"


def parameter(number: int, kind: str, name: str, value: str, scope: str = "GLOBAL") -> str:
    if kind.endswith("EXPR"):
        line = f"{name:10}{value}"
    else:
        line = f"{name:10}{value:>10}" if kind == "INTEGER" else f"{name:10}{value:>20}"
    return f"/PARAMETER/{scope}/{kind}/{number}\n{name}\n{line}\n"


def test_values_of_all_kinds_in_any_order(tmp_path: Path) -> None:
    blocks = (
        GEAR,
        parameter(1, "REAL_EXPR", "ratio", "teeth / z1 * 1.5"),
        parameter(2, "INT_EXPR", "teeth", "2*z1 + 2", "LOCAL"),
        parameter(3, "INTEGER", "z1", "19"),
        parameter(4, "REAL", "half", "0.5D0"),
    )
    model = read(tmp_path, deck(*blocks))
    assert model.parameters == {"ratio": 40 / 19 * 1.5, "teeth": 40, "z1": 19, "half": 0.5}
    assert model.gear_joints[0].fscale_v == 40 / 19 * 1.5


def test_expressions_go_on_over_several_lines(tmp_path: Path) -> None:
    blocks = (GEAR, parameter(1, "REAL_EXPR", "ratio", "2 *\n          sin(pi/6)\n + 1"))
    assert math.isclose(read(tmp_path, deck(*blocks)).gear_joints[0].fscale_v, 2.0, rel_tol=1e-15)


def test_parameters_stand_in_headers_tables_and_engine_values(tmp_path: Path) -> None:
    blocks = (
        parameter(1, "INTEGER", "id", "17"),
        parameter(2, "REAL", "length", "2.5"),
        parameter(3, "REAL", "t", "0.25"),
        "/GRNOD/NODE/&id\none\n1,&id\n",
        "/BCS/1\nheld\n" + "   111 111" + card((10, 0), (10, "&id")),
    )
    nodes = "/NODE\n1,0,0,0\n17,&length,-&length,0\n"
    model = read(tmp_path, deck(*blocks, nodes=nodes, engine="/RUN/a/1\n&t\n"))
    assert model.nodes.coordinates[1].tolist() == [2.5, -2.5, 0.0]
    assert model.boundary_conditions[0].nodes.tolist() == [0, 1]
    assert model.engine.t_end == 0.25


def test_overrides_replace_values_and_what_depends_on_them(tmp_path: Path) -> None:
    blocks = (
        GEAR,
        parameter(1, "REAL_EXPR", "ratio", "2 * base"),
        parameter(2, "REAL", "base", "1.0"),
    )
    model = read(tmp_path, deck(*blocks), defines={"base": "1.5D0"})
    assert model.gear_joints[0].fscale_v == 3.0
    assert read(tmp_path, deck(*blocks), defines={"ratio": "7"}).gear_joints[0].fscale_v == 7.0


@pytest.mark.parametrize(
    ("defines", "text"),
    [
        (
            {"raito": "2"},
            "error: -D raito=2: no parameter is called raito\n  hint:    did you mean ratio?",
        ),
        (
            {"ratio": "two"},
            "error: -D ratio=two: the value of ratio is a number\n  hint:    ratio is defined at test.rad:13",
        ),
        (
            {"z": "1.5"},
            "error: -D z=1.5: the value of z is a whole number\n  hint:    z is defined at test.rad:16",
        ),
    ],
)
def test_wrong_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defines: dict[str, str], text: str) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = deck(parameter(1, "REAL", "ratio", "2.0"), parameter(2, "INTEGER", "z", "2"), GEAR)
    Path("test.rad").write_text(blocks)
    from gsolve.parser import read_deck

    with pytest.raises(DeckError) as caught:
        read_deck("test.rad", defines=defines)
    assert [format_diagnostic(diagnostic) for diagnostic in caught.value.diagnostics] == [text]


def test_a_faulty_parameter_is_complained_about_once(tmp_path: Path) -> None:
    blocks = (GEAR, parameter(1, "REAL_EXPR", "ratio", "1/0"), parameter(2, "REAL_EXPR", "more", "ratio + 1"))
    assert errors(tmp_path, deck(*blocks)) == ["1 / 0 has no finite value"]


@pytest.mark.parametrize("line", ["p         max(1, 2*(1 + 0.5))", "p, max(1, min(3, 5))"])
def test_commas_within_brackets_part_no_values(tmp_path: Path, line: str) -> None:
    block = f"/PARAMETER/GLOBAL/REAL_EXPR/1\nt\n{line}\n"
    node = "/NODE\n77, max(2,&p), min(0,1), -1\n" + f"{78:10}{'max(1,&p)':>20}{'0.0':>20}{'0.0':>20}\n"
    model = read(tmp_path, deck(block, node))
    assert model.parameters == {"p": 3.0}
    places = dict(zip(model.nodes.ids.tolist(), model.nodes.coordinates.tolist(), strict=True))
    assert (places[77], places[78]) == ([3.0, 0.0, -1.0], [3.0, 0.0, 0.0])


def test_a_whole_expression_must_be_whole(tmp_path: Path) -> None:
    blocks = (parameter(1, "INT_EXPR", "n", "3/2"),)
    assert errors(tmp_path, deck(*blocks)) == ["the value 1.5 of n is not a whole number"]


@pytest.mark.parametrize("name", ["2nd", "a-b", "toolongname"])
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    (message,) = errors(tmp_path, deck(f"/PARAMETER/GLOBAL/REAL/1\nt\n{name},1.0\n"))
    assert message.startswith("a parameter name")


def test_parameters_stand_in_function_expressions(tmp_path: Path) -> None:
    blocks = (parameter(1, "REAL", "amp", "2.5"), "/FUNCT_EXPR/1\nf\namp * sin(t)\n")
    function = read(tmp_path, deck(*blocks)).functions[1]
    assert function.kind == "EXPRESSION"
    assert function.expression == "amp * sin(t)"


def test_values_are_calculated_in_tables_in_engine_values_and_by_overrides(tmp_path: Path) -> None:
    nodes = "/NODE\n" + "".join(card((10, k), (20, f"{k}/4"), (20, "&ratio"), (20, 0)) + "\n" for k in range(1, 40))
    text = deck(parameter(1, "REAL", "ratio", "1/3"), nodes=nodes, engine="/RUN/a/1\n3/2\n")
    model = read(tmp_path, text)
    assert model.nodes.coordinates[:, 0].tolist() == [k / 4 for k in range(1, 40)]
    assert model.parameters == {"ratio": 1 / 3}
    assert model.engine.t_end == 1.5
    assert read(tmp_path, text, defines={"ratio": "2*pi"}).parameters == {"ratio": 2 * math.pi}


def test_the_unit_of_a_field_is_that_of_what_is_calculated(tmp_path: Path) -> None:
    model = read(tmp_path, deck(units="kg, mm, s", work="kg, m, s", nodes="/NODE\n1, 24/3, 0, 0\n"))
    assert model.nodes.coordinates[0, 0] == pytest.approx(8e-3, rel=1e-15)
