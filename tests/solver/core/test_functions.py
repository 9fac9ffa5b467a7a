"""Functions of the deck: values, derivatives and integrals against closed forms, NumPy and SciPy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from gsolve.solver.core import functions
from gsolve.solver.core.functions import CONSTANT_ONE
from made_functions import tables_of
from scipy.integrate import quad

RANDOM = np.random.default_rng(7)
X = np.cumsum(RANDOM.uniform(0.2, 1.5, 12)) - 4.0
Y = RANDOM.normal(size=12)


def naive_table(t):
    k = min(max(int(np.searchsorted(X, t, side="right")) - 1, 0), len(X) - 2)
    return Y[k] + (Y[k + 1] - Y[k]) * (t - X[k]) / (X[k + 1] - X[k])


def naive_smooth(t):
    if t <= X[0]:
        return Y[0]
    if t >= X[-1]:
        return Y[-1]
    k = int(np.searchsorted(X, t, side="right")) - 1
    u = (t - X[k]) / (X[k + 1] - X[k])
    return Y[k] + (Y[k + 1] - Y[k]) * (10 * u**3 - 15 * u**4 + 6 * u**5)


NAIVE = {"TABLE": naive_table, "SMOOTH": naive_smooth}


def test_ids_lead_to_rows_and_no_function_is_the_constant_one():
    tables, index_of = tables_of("t", ("TABLE", [0.0, 1.0], [2.0, 4.0]))
    assert index_of == {0: CONSTANT_ONE, 10: 0, 11: 1}
    assert functions.value_and_derivatives(tables, index_of[0], 3.7) == (1.0, 0.0, 0.0)
    assert functions.integral(tables, index_of[0], 1.0, 3.5) == 2.5
    assert functions.value(tables, index_of[11], 0.25) == 2.5


def test_a_deck_without_functions_still_has_the_constant_one():
    tables, index_of = tables_of()
    assert functions.value(tables, index_of[0], 1.0) == 1.0


@pytest.mark.parametrize("kind", ["TABLE", "SMOOTH"])
def test_points_are_interpolated_as_the_twin_does(kind):
    tables, _ = tables_of("t", (kind, X, Y), (kind, X, Y[::-1]))
    for t in np.concatenate((RANDOM.uniform(X[0] - 2.0, X[-1] + 2.0, 200), X)):
        assert functions.value(tables, 1, t) == pytest.approx(NAIVE[kind](t), rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("kind", ["TABLE", "SMOOTH"])
def test_integrals_over_points_agree_with_quadrature_between_the_points(kind):
    tables, _ = tables_of("t", (kind, X, Y))
    for _ in range(40):
        t0, t1 = RANDOM.uniform(X[0] - 2.0, X[-1] + 2.0, 2)
        breaks = [min(t0, t1), *(x for x in X if min(t0, t1) < x < max(t0, t1)), max(t0, t1)]
        total = sum(quad(NAIVE[kind], a, b, epsabs=1e-13)[0] for a, b in pairwise(breaks))
        assert functions.integral(tables, 1, t0, t1) == pytest.approx(np.sign(t1 - t0) * total, abs=2e-13)


def test_integrals_of_solver_steps_add_up_without_loss():
    tables, _ = tables_of(("SMOOTH", [0.0, 1.0], [0.0, 2.0]))
    steps = np.linspace(0.0, 1.0, 1001)
    parts = [functions.integral(tables, 0, a, b) for a, b in pairwise(steps)]
    assert math.fsum(parts) == pytest.approx(1.0, rel=1e-15)
    # A single step deep inside is good to round-off of the step itself, not of the whole area.
    exact = 2e-9 * (10 * 0.5**3 - 15 * 0.5**4 + 6 * 0.5**5)
    assert functions.integral(tables, 0, 0.5 - 5e-10, 0.5 + 5e-10) == pytest.approx(exact, rel=1e-15)


def test_a_table_of_one_point_is_a_constant():
    tables, _ = tables_of(("TABLE", [2.0], [5.0]), ("SMOOTH", [2.0], [5.0]))
    for index in (0, 1):
        assert functions.value_and_derivatives(tables, index, -3.0) == (5.0, 0.0, 0.0)
        assert functions.integral(tables, index, 0.0, 2.0) == 10.0


def test_a_table_has_the_slope_of_the_segment_to_the_right_of_a_point():
    tables, _ = tables_of(("TABLE", [0.0, 1.0, 3.0], [0.0, 2.0, 3.0]))
    slopes = [functions.value_and_derivatives(tables, 0, t)[1] for t in (-1.0, 0.0, 1.0, 3.0, 9.0)]
    assert slopes == [2, 2, 0.5, 0.5, 0.5]


def test_smooth_is_twice_differentiable_with_flat_points():
    tables, _ = tables_of(("SMOOTH", X, Y))
    for x, y in zip(X, Y, strict=True):
        assert functions.value_and_derivatives(tables, 0, x) == pytest.approx((y, 0.0, 0.0), abs=1e-12)


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
    tables, _ = tables_of("5", text)
    for t in (0.3, 0.77, 1.0, 1.9):
        exact = [f(t) for f in EXPRESSIONS[text]]
        assert functions.value_and_derivatives(tables, 1, t) == pytest.approx(exact, rel=2e-14, abs=1e-14)


def test_powers_of_zero_have_finite_derivatives_where_they_exist():
    tables, _ = tables_of("t^2", "t^1", "t^0", "t^3")
    got = [functions.value_and_derivatives(tables, k, 0.0) for k in range(4)]
    assert got == [(0.0, 0.0, 2.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]


def test_step_is_constant_outside_its_ramp():
    tables, _ = tables_of("step(t, 1, -2, 3, 4)")
    assert functions.value_and_derivatives(tables, 0, 0.5) == (-2.0, 0.0, 0.0)
    assert functions.value_and_derivatives(tables, 0, 3.5) == (4.0, 0.0, 0.0)


@pytest.mark.parametrize("text", ["1/t", "log(t)", "sqrt(t - 1)", "t^-2", "tan(t)/sin(t)"])
def test_a_function_without_a_value_gives_a_number_that_is_not_finite_and_no_exception(text):
    tables, _ = tables_of(text)
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
    tables, _ = tables_of(text)
    assert functions.integral(tables, 0, 0.0, 2.0) == pytest.approx(
        antiderivative(2.0) - antiderivative(0.0), abs=2e-14
    )
    step = functions.integral(tables, 0, 1.0, 1.001)
    assert step == pytest.approx(antiderivative(1.001) - antiderivative(1.0), abs=4e-16)
    assert functions.integral(tables, 0, 1.001, 1.0) == -step


def test_integral_of_an_expression_with_a_kink_converges():
    tables, _ = tables_of("max(t - 1/3, 0)")
    assert functions.integral(tables, 0, 0.0, 1.0) == pytest.approx(2 / 9, abs=1e-6)
