"""Functions of the deck: values, derivatives and integrals against closed forms, NumPy and SciPy."""

import math
from functools import partial
from itertools import pairwise

import naive.core as twin
import numpy as np
import pytest
from gsolve.parser.text.expressions import ExpressionError, compile_expression
from gsolve.solver.core import functions
from gsolve.solver.core.functions import CONSTANT_ONE
from made_functions import functions_of
from scipy.integrate import quad

RANDOM = np.random.default_rng(7)
X = np.cumsum(RANDOM.uniform(0.2, 1.5, 12)) - 4.0
Y = RANDOM.normal(size=12)


TWINS = {"TABLE": twin.table, "SMOOTH": twin.smooth}


def test_ids_lead_to_rows_and_no_function_is_the_constant_one():
    tables, index_of = functions_of("t", ("TABLE", [0.0, 1.0], [2.0, 4.0]))
    assert index_of == {0: CONSTANT_ONE, 10: 0, 11: 1}
    assert functions.value_and_derivatives(tables, index_of[0], 3.7) == (1.0, 0.0, 0.0)
    assert functions.integral(tables, index_of[0], 1.0, 3.5) == 2.5
    assert functions.value(tables, index_of[11], 0.25) == 2.5


def test_a_deck_without_functions_still_has_the_constant_one():
    tables, index_of = functions_of()
    assert functions.value(tables, index_of[0], 1.0) == 1.0


@pytest.mark.parametrize("kind", ["TABLE", "SMOOTH"])
def test_points_are_interpolated_as_the_twin_does(kind):
    tables, _ = functions_of("t", (kind, X, Y), (kind, X, Y[::-1]))
    for t in np.concatenate((RANDOM.uniform(X[0] - 2.0, X[-1] + 2.0, 200), X)):
        assert functions.value(tables, 1, t) == pytest.approx(TWINS[kind](X, Y, t), rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("kind", ["TABLE", "SMOOTH"])
def test_integrals_over_points_agree_with_quadrature_between_the_points(kind):
    tables, _ = functions_of("t", (kind, X, Y))
    for _ in range(40):
        t0, t1 = RANDOM.uniform(X[0] - 2.0, X[-1] + 2.0, 2)
        breaks = [min(t0, t1), *(x for x in X if min(t0, t1) < x < max(t0, t1)), max(t0, t1)]
        total = sum(quad(partial(TWINS[kind], X, Y), a, b, epsabs=1e-13)[0] for a, b in pairwise(breaks))
        assert functions.integral(tables, 1, t0, t1) == pytest.approx(np.sign(t1 - t0) * total, abs=2e-13)


def test_integrals_of_solver_steps_add_up_without_loss():
    tables, _ = functions_of(("SMOOTH", [0.0, 1.0], [0.0, 2.0]))
    steps = np.linspace(0.0, 1.0, 1001)
    parts = [functions.integral(tables, 0, a, b) for a, b in pairwise(steps)]
    assert math.fsum(parts) == pytest.approx(1.0, rel=1e-15)
    # A single step deep inside is good to round-off of the step itself, not of the whole area.
    exact = 2e-9 * (10 * 0.5**3 - 15 * 0.5**4 + 6 * 0.5**5)
    assert functions.integral(tables, 0, 0.5 - 5e-10, 0.5 + 5e-10) == pytest.approx(exact, rel=1e-15)


def test_a_table_of_one_point_is_a_constant():
    tables, _ = functions_of(("TABLE", [2.0], [5.0]), ("SMOOTH", [2.0], [5.0]))
    for index in (0, 1):
        assert functions.value_and_derivatives(tables, index, -3.0) == (5.0, 0.0, 0.0)
        assert functions.integral(tables, index, 0.0, 2.0) == 10.0


def test_a_table_has_the_slope_of_the_segment_to_the_right_of_a_point():
    tables, _ = functions_of(("TABLE", [0.0, 1.0, 3.0], [0.0, 2.0, 3.0]))
    slopes = [functions.value_and_derivatives(tables, 0, t)[1] for t in (-1.0, 0.0, 1.0, 3.0, 9.0)]
    assert slopes == [2, 2, 0.5, 0.5, 0.5]


def test_smooth_is_twice_differentiable_with_flat_points():
    tables, _ = functions_of(("SMOOTH", X, Y))
    for x, y in zip(X, Y, strict=True):
        assert functions.value_and_derivatives(tables, 0, x) == pytest.approx((y, 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("kind", ["TABLE", "SMOOTH"])
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_slopes_and_curvatures_between_the_points_are_those_of_the_twin(kind, size):
    tables, _ = functions_of("t", (kind, X, size * Y))
    for t in RANDOM.uniform(X[0] - 2.0, X[-1] + 2.0, 100):
        if np.abs(t - X).min() > 1e-4:
            expected = np.array(twin.derivatives(partial(TWINS[kind], X, Y), t))
            found = np.array(functions.value_and_derivatives(tables, 1, t)) / size
            np.testing.assert_allclose(found[:2], expected[:2], rtol=1e-12, atol=1e-12)
            assert found[2] == pytest.approx(expected[2], abs=1e-6 * np.abs(Y).max() / np.diff(X).min() ** 2)


EXPRESSIONS = {
    "3*t^2 - 2*t + 1": (lambda t: 3 * t**2 - 2 * t + 1, lambda t: 6 * t - 2, lambda t: 6.0),
    "sin(2*t) * cos(t)": (
        lambda t: np.sin(2 * t) * np.cos(t),
        lambda t: 2 * np.cos(2 * t) * np.cos(t) - np.sin(2 * t) * np.sin(t),
        lambda t: -5 * np.sin(2 * t) * np.cos(t) - 4 * np.cos(2 * t) * np.sin(t),
    ),
    "exp(-t/2) / (1 + t^2)": (
        lambda t: np.exp(-t / 2) / (1 + t**2),
        lambda t: np.exp(-t / 2) * (-0.5 / (1 + t**2) - 2 * t / (1 + t**2) ** 2),
        lambda t: (
            np.exp(-t / 2)
            * (0.25 / (1 + t**2) + 2 * t / (1 + t**2) ** 2 - 2 / (1 + t**2) ** 2 + 8 * t**2 / (1 + t**2) ** 3)
        ),
    ),
    "log(t) + sqrt(t)": (
        lambda t: np.log(t) + np.sqrt(t),
        lambda t: 1 / t + 0.5 / np.sqrt(t),
        lambda t: -1 / t**2 - 0.25 * t**-1.5,
    ),
    "tan(t/3)": (
        lambda t: np.tan(t / 3),
        lambda t: 1 / (3 * np.cos(t / 3) ** 2),
        lambda t: 2 * np.tan(t / 3) / (9 * np.cos(t / 3) ** 2),
    ),
    "t^t": (
        lambda t: t**t,
        lambda t: t**t * (np.log(t) + 1),
        lambda t: t**t * ((np.log(t) + 1) ** 2 + 1 / t),
    ),
    "t^-1.5": (lambda t: t**-1.5, lambda t: -1.5 * t**-2.5, lambda t: 3.75 * t**-3.5),
    "abs(-t) + max(t, 0, 2*t) - min(3*t, t)": (lambda t: 2 * t, lambda t: 2.0, lambda t: 0.0),
    "step(t, 0, 1, 2, 5)": (
        lambda t: 1 + 4 * (t / 2) ** 2 * (3 - t),
        lambda t: 4 * 6 * (t / 2) * (1 - t / 2) / 2,
        lambda t: 4 * (6 - 6 * t) / 4,
    ),
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_carry_exact_first_and_second_derivatives(text):
    tables, _ = functions_of("5", text)
    for t in (0.3, 0.77, 1.0, 1.9):
        exact = [f(t) for f in EXPRESSIONS[text]]
        assert functions.value_and_derivatives(tables, 1, t) == pytest.approx(exact, rel=2e-14, abs=1e-14)


def random_expression(random, depth):
    """A formula of t of any shape, as text."""
    if depth == 0 or random.random() < 0.1:
        return random.choice(
            ["t", "t", f"{random.uniform(0.1, 3.0):.4f}", str(random.integers(0, 4)), "(-1.5)", "1e-3"]
        )
    one, other, third = (random_expression(random, depth - 1) for _ in range(3))
    return random.choice([
        f"({one} + {other})", f"({one} - {other})", f"{one} * {other}", f"({one}) / ({other})", f"-({one})",
        f"({one})^{random.integers(0, 5)}", f"({one})^-2", f"(abs({one}) + 0.5)^({other})",
        f"-{random.integers(2, 4)}^t",
        f"sin({one})", f"cos({one})", f"tan({one})", f"exp({one})", f"log({one})", f"sqrt({one})",
        f"abs({one})",
        f"min({one}, {other}, {third})", f"max({one}, {other})", f"step({one}, -1, {other}, 2, {third})",
    ])  # fmt: skip


def is_refused(text: str) -> bool:
    """Whether a constant in a formula has no value, so that Python finds none of the whole at any time."""
    try:
        compile_expression(text)
    except ExpressionError as error:
        assert error.message.endswith("has no finite value")
        for t in (-1.3, 0.41, 2.17):
            with pytest.raises((ValueError, ZeroDivisionError, OverflowError, AssertionError)):
                assert is_real_and_finite(twin.expression(text)(t))
        return True
    return False


def is_real_and_finite(number: complex) -> bool:
    return complex(number).imag == 0.0 and math.isfinite(complex(number).real)


def test_random_expressions_are_what_python_makes_of_the_same_formula():
    """Value and slope to round-off of the formula's own terms, the curvature as good as its differences are."""
    random = np.random.default_rng(2)
    texts = [text for text in (random_expression(random, 3) for _ in range(300)) if not is_refused(text)]
    tables, _ = functions_of(*texts)
    compared = 0
    for index, text in enumerate(texts):
        function = twin.expression(text)
        for t in (-1.3, 0.41, 2.17):
            try:
                expected = np.array(twin.derivatives(function, t))
                nearby = np.array([twin.derivatives(function, t + h) for h in (-1e-4, 1e-4)])
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            size = np.abs([expected, *nearby]).max(axis=0)
            if not np.all(np.isfinite(nearby)) or size.max() > 1e4:
                continue
            found = functions.value_and_derivatives(tables, index, t)
            assert functions.value(tables, index, t) == found[0]
            np.testing.assert_allclose(found[:2], expected[:2], atol=1e-11 * (1.0 + size.max()), err_msg=text)
            assert found[2] == pytest.approx(expected[2], abs=1e-5 * (1.0 + size.max())), text
            compared += 1
    assert compared > 500


@pytest.mark.parametrize("text", ["log(-t)", "sqrt(-t)", "1/(t - t)", "(0 - t)^0.5", "exp(1000 * t)", "t^2000"])
@pytest.mark.parametrize("t", [2.0, 3.0])
def test_where_python_finds_no_number_the_kernel_finds_none_that_is_finite(text, t):
    with pytest.raises((ValueError, ZeroDivisionError, OverflowError)):
        if twin.expression(text)(t).imag != 0.0:
            raise ValueError("not real")
    tables, _ = functions_of(text)
    assert not math.isfinite(functions.value(tables, 0, t))


def test_powers_of_zero_have_finite_derivatives_where_they_exist():
    tables, _ = functions_of("t^2", "t^1", "t^0", "t^3")
    got = [functions.value_and_derivatives(tables, k, 0.0) for k in range(4)]
    assert got == [(0.0, 0.0, 2.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]


def test_step_is_constant_outside_its_ramp():
    tables, _ = functions_of("step(t, 1, -2, 3, 4)")
    assert functions.value_and_derivatives(tables, 0, 0.5) == (-2.0, 0.0, 0.0)
    assert functions.value_and_derivatives(tables, 0, 3.5) == (4.0, 0.0, 0.0)


@pytest.mark.parametrize("text", ["1/t", "log(t)", "sqrt(t - 1)", "t^-2", "tan(t)/sin(t)"])
def test_a_function_without_a_value_gives_a_number_that_is_not_finite_and_no_exception(text):
    tables, _ = functions_of(text)
    assert not all(math.isfinite(x) for x in functions.value_and_derivatives(tables, 0, 0.0))


@pytest.mark.parametrize(
    ("text", "antiderivative"),
    [
        ("sin(30*t)", lambda t: -math.cos(30 * t) / 30),
        ("exp(t)*t", lambda t: math.exp(t) * (t - 1)),
        ("4*t^3 - 2*t", lambda t: t**4 - t**2),
    ],
)
def test_integrals_of_expressions_are_good_to_round_off_over_short_and_long_intervals(text, antiderivative):
    tables, _ = functions_of(text)
    assert functions.integral(tables, 0, 0.0, 2.0) == pytest.approx(
        antiderivative(2.0) - antiderivative(0.0), abs=2e-14
    )
    step = functions.integral(tables, 0, 1.0, 1.001)
    assert step == pytest.approx(antiderivative(1.001) - antiderivative(1.0), abs=4e-16)
    assert functions.integral(tables, 0, 1.001, 1.0) == -step


SMOOTH_EXPRESSIONS = ["t", "-2.5", "sin(7*t)*exp(-t)", "1/(2 + cos(t))", "sqrt(t^2 + 0.1)", "(t - 1)^5", "log(3 + t)^2"]


@pytest.mark.parametrize("text", SMOOTH_EXPRESSIONS)
def test_integrals_of_expressions_agree_with_quadrature_forwards_and_backwards(text):
    tables, _ = functions_of("1", text)
    function = twin.expression(text)
    for t0, t1 in ((0.0, 0.0), (0.0, 1e-9), (-2.0, 3.0), (1.5, 1.2), (0.3, 0.300001)):
        expected = quad(lambda t: complex(function(t)).real, t0, t1, epsabs=1e-13, epsrel=1e-12)[0]
        assert functions.integral(tables, 1, t0, t1) == pytest.approx(expected, rel=1e-11, abs=1e-13)


def test_integral_of_an_expression_with_a_kink_converges():
    tables, _ = functions_of("max(t - 1/3, 0)")
    assert functions.integral(tables, 0, 0.0, 1.0) == pytest.approx(2 / 9, abs=1e-6)
