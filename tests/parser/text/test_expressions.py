"""Expressions: values against Python's own arithmetic, and the exact message and place of every mistake."""

import math

import pytest
from gsolve.parser.text.expressions import ExpressionError, compile_expression, evaluate_constant


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 + 3 * 4", 14.0),
        ("(2 + 3) * 4", 20.0),
        ("7 - 2 - 1", 4.0),
        ("12 / 3 / 2", 2.0),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("--3", 3.0),
        ("+3 - -2", 5.0),
        (".5e1 + 1.D-1", 5.1),
        ("pi", math.pi),
        ("SIN(PI/6)", math.sin(math.pi / 6)),
        ("cos(1) + tan(1) + exp(1) + log(2) + sqrt(2) + abs(-3)", None),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("step(-1, 0, 5, 2, 9)", 5.0),
        ("step(3, 0, 5, 2, 9)", 9.0),
        ("step(0.5, 0, 5, 2, 9)", 5.0 + 4.0 * 0.25**2 * (3.0 - 0.5)),
    ],
)
def test_constants_follow_the_usual_rules_of_arithmetic(text, value):
    if value is None:
        value = math.cos(1) + math.tan(1) + math.exp(1) + math.log(2) + math.sqrt(2) + 3.0
    assert evaluate_constant(text, {}) == pytest.approx(value, rel=1e-15)


def test_names_are_looked_up_as_spelled_with_or_without_ampersand():
    assert evaluate_constant("&Ratio * teeth + ratio", {"Ratio": 2.0, "teeth": 20.0, "ratio": 1.0}) == 41.0


def test_a_parameter_may_carry_the_name_of_the_variable_or_of_a_function():
    assert evaluate_constant("t + sin * sin(0)", {"t": 3.0, "sin": 5.0}) == 3.0


def test_long_and_deep_expressions_are_no_trouble():
    assert evaluate_constant("+".join(["1"] * 5000), {}) == 5000.0
    assert evaluate_constant("(" * 2000 + "1" + ")" * 2000, {}) == 1.0


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("  ", "the expression is empty", 0),
        ("2 +", "the expression ends too early", 3),
        ("3*(2 + (1 - 4)", "'(' is not closed", 2),
        ("2)", "')' without a matching '('", 1),
        ("2**3", "'**' is not an operator; a power is written with '^'", 1),
        ("2 $ 3", "'$' means nothing in an expression", 2),
        ("* 3", "a number, a name or '(' is missing before '*'", 0),
        ("2 + * 3", "a number, a name or '(' is missing before '*'", 4),
        ("max(1,)", "a number, a name or '(' is missing before ')'", 6),
        ("2 width", "an operator is missing before 'width' after '2'", 2),
        ("(2)(3)", "an operator is missing before '(' after '(2)'", 3),
        ("1 + sine(3)", "unknown function 'sine'; did you mean 'sin'?", 4),
        ("1 + qqq(3)", "unknown function 'qqq'", 4),
        ("sin(1, 2)", "sin takes 1 argument, 2 given", 0),
        ("sqrt()", "sqrt takes 1 argument, 0 given", 0),
        ("min(2)", "min takes 2 or more arguments, 1 given", 0),
        ("step(1, 2)", "step takes 5 arguments (x, x0, h0, x1, h1), 2 given", 0),
        ("step(1, 2, 0, 2, 1)", "step needs x0 < x1, not 2 and 2", 0),
        ("2 * cos", "'cos' is a function and needs parentheses", 4),
        ("2 * widht", "unknown name 'widht'; did you mean 'width'?", 4),
        ("1 / 0", "1 / 0 has no finite value", 4),
        ("log(-1)", "log(-1) has no finite value", 0),
        ("(-8)^(1/3)", "-8 ^ 0.333333 has no finite value", 6),
        ("exp(1000)", "exp(1000) has no finite value", 0),
    ],
)
def test_a_mistake_is_named_with_its_place(text, message, position):
    with pytest.raises(ExpressionError) as caught:
        evaluate_constant(text, {"width": 1.0})
    assert (caught.value.message, caught.value.position) == (message, position)


def test_a_function_knows_t_and_the_parameters_given():
    program = compile_expression("amplitude * sin(2*pi*T) + min(t, 1, 2)", {"amplitude": 3.0})
    assert program.constants.tolist() == [3.0, 2.0, math.pi, 1.0, 2.0]
    assert program.max_stack == 3
    assert program.opcodes.dtype.name == "int64"


def test_a_function_refuses_names_it_does_not_know():
    with pytest.raises(ExpressionError, match="unknown name 'x'"):
        compile_expression("2 * x")


@pytest.mark.parametrize(("text", "place"), [("t + 1/0", 6), ("t*(1/(2 - 2))", 6)])
def test_a_function_refuses_constants_that_do_not_exist(text, place):
    with pytest.raises(ExpressionError, match="1 / 0 has no finite value") as caught:
        compile_expression(text)
    assert caught.value.position == place


def test_a_constant_has_no_t():
    with pytest.raises(ExpressionError, match="unknown name 't'"):
        evaluate_constant("2 * t", {})


@pytest.mark.parametrize(("text", "sign", "position"), [("t > 2", ">", 2), ("2*(t <= 1)", "<=", 5)])
def test_functions_of_a_deck_have_no_comparisons(text, sign, position):
    with pytest.raises(ExpressionError) as caught:
        compile_expression(text)
    assert caught.value.message == f"'{sign}' has no meaning in an expression of a deck"
    assert caught.value.position == position


def test_names_may_begin_with_words_that_join_comparisons():
    assert evaluate_constant("android + order + nothing", {"android": 1.0, "order": 2.0, "nothing": 3.0}) == 6.0
