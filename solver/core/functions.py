"""Functions of the deck as flat arrays, with compiled evaluators: value, first two derivatives, integral.

TABLE (/FUNCT): piecewise linear through its points, the end segments extended beyond the ends; a single point is a
constant. At a point the slope is that of the segment to its right.

SMOOTH (/FUNCT_SMOOTH): between two points y = y_i + (y_{i+1} - y_i) s(u), s(u) = u^3 (10 - 15 u + 6 u^2),
u = (x - x_i)/(x_{i+1} - x_i), and constant beyond the ends, as OpenRadioss evaluates the keyword for loads: twice
continuously differentiable, with slope and curvature zero at every point.

EXPRESSION (/FUNCT_EXPR): the postfix program of `gsolve.parser.text.expressions`, run with numbers that carry their
first two derivatives (forward mode), so that derivatives are exact; abs, min and max have those of the branch taken.

Compiled divisions follow IEEE 754 (error_model="numpy"): where a function has no value the result is an infinity or
NaN, which the time loop reports as a failed run.

A function index of -1 stands for the constant 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from gsolve.parser.model import Model
from gsolve.parser.text import expressions as op
from gsolve.parser.text.expressions import ExpressionProgram

from .bodies import Floats, Ints, empty_arrays
from .jit.kernels import kernel

CONSTANT_ONE = -1
TABLE, SMOOTH, EXPRESSION = 0, 1, 2

_KINDS = {"TABLE": TABLE, "SMOOTH": SMOOTH, "EXPRESSION": EXPRESSION}

# Gauss-Legendre rules on [-1, 1]: three points integrate the quintics of SMOOTH exactly.
_NODES_3, _WEIGHTS_3 = np.polynomial.legendre.leggauss(3)
_NODES_5, _WEIGHTS_5 = np.polynomial.legendre.leggauss(5)
_MOST_PANELS = 256
_INTEGRAL_TOLERANCE = 1e-14


class FunctionTables(NamedTuple):
    """All functions, one a row. `stack` is working memory: threads that evaluate at the same time need one each."""

    kind: Ints  # (nf,)
    first_point: Ints  # (nf + 1,) into x, y, area
    x: Floats
    y: Floats
    area: Floats  # integral from the function's first point to each point
    first_opcode: Ints  # (nf + 1,)
    opcodes: Ints
    first_constant: Ints  # (nf + 1,)
    constants: Floats
    stack: Floats  # (deepest stack, 3) value, first and second derivative


def no_functions() -> FunctionTables:
    """The functions of a model without any."""
    starts = np.zeros(1, dtype=np.int64)
    return FunctionTables(*empty_arrays("i", ()), starts, *empty_arrays("fff", (), (), ()), starts.copy(),
                          *empty_arrays("i", ()), starts.copy(), *empty_arrays("ff", (), (3,)))  # fmt: skip


def build_function_tables(model: Model) -> tuple[FunctionTables, dict[int, int]]:
    """The model's functions as arrays, and the row of each function id (id 0, no function, is the constant 1)."""
    index_of = {0: CONSTANT_ONE}
    kinds: list[int] = []
    points: list[tuple[Floats, Floats, Floats]] = []
    programs: list[ExpressionProgram] = []
    empty = ExpressionProgram(np.empty(0, dtype=np.int64), np.empty(0), 0)
    for row, (function_id, function) in enumerate(model.functions.items()):
        index_of[function_id] = row
        kinds.append(_KINDS[function.kind])
        x, y = np.asarray(function.x, dtype=float), np.asarray(function.y, dtype=float)
        # s(u) has mean 1/2, so both kinds of points have the trapezoidal area.
        area = np.concatenate(([0.0], np.cumsum(0.5 * np.diff(x) * (y[:-1] + y[1:]))))[: len(x)]
        points.append((x, y, area))
        programs.append(function.program if isinstance(function.program, ExpressionProgram) else empty)
    tables = FunctionTables(
        kind=np.array(kinds, dtype=np.int64),
        first_point=_starts([len(x) for x, _, _ in points]),
        x=_joined([x for x, _, _ in points]),
        y=_joined([y for _, y, _ in points]),
        area=_joined([area for _, _, area in points]),
        first_opcode=_starts([len(program.opcodes) for program in programs]),
        opcodes=np.concatenate([empty.opcodes, *(program.opcodes for program in programs)]),
        first_constant=_starts([len(program.constants) for program in programs]),
        constants=_joined([program.constants for program in programs]),
        stack=np.zeros((max([1, *(program.max_stack for program in programs)]), 3)),
    )
    return tables, index_of


def _starts(lengths: list[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(np.array(lengths, dtype=np.int64)))).astype(np.int64)


def _joined(parts: list[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *parts])


@kernel(inline=True)
def value(tables: FunctionTables, index: int, t: float) -> float:
    """f(t)."""
    if index < 0:
        return 1.0
    if tables.kind[index] == TABLE:
        return table_value(tables.x, tables.y, tables.first_point[index], tables.first_point[index + 1] - 1, t)
    f, _, _ = value_and_derivatives(tables, index, t)
    return f


@kernel(inline=True)
def table_value(x: Floats, y: Floats, first: int, last: int, t: float) -> float:
    """Linear interpolation between the points first to last, extrapolated by the end segments."""
    if first == last:
        return y[first]
    k = _segment(x, first, last, t)
    return y[k] + (y[k + 1] - y[k]) / (x[k + 1] - x[k]) * (t - x[k])


@kernel
def value_and_derivatives(tables: FunctionTables, index: int, t: float) -> tuple[float, float, float]:
    """f, f' and f'' at t."""
    if index < 0:
        return 1.0, 0.0, 0.0
    kind = tables.kind[index]
    if kind == EXPRESSION:
        return _run_program(tables, index, t)
    first, last = tables.first_point[index], tables.first_point[index + 1] - 1
    if first == last:
        return tables.y[first], 0.0, 0.0
    if kind == SMOOTH and t <= tables.x[first]:
        return tables.y[first], 0.0, 0.0
    if kind == SMOOTH and t >= tables.x[last]:
        return tables.y[last], 0.0, 0.0
    k = _segment(tables.x, first, last, t)
    width = tables.x[k + 1] - tables.x[k]
    rise = tables.y[k + 1] - tables.y[k]
    if kind == TABLE:
        slope = rise / width
        return tables.y[k] + slope * (t - tables.x[k]), slope, 0.0
    u = (t - tables.x[k]) / width
    s = u * u * u * (10.0 - u * (15.0 - 6.0 * u))
    ds = 30.0 * u * u * (1.0 - u) * (1.0 - u)
    dds = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
    return tables.y[k] + rise * s, rise * ds / width, rise * dds / (width * width)


@kernel
def integral(tables: FunctionTables, index: int, t0: float, t1: float) -> float:
    """Integral of f from t0 to t1: exact for TABLE and SMOOTH, by converged Gauss-Legendre rules for EXPRESSION.

    An expression that has a kink (abs, min, max) inside the interval is integrated to about 1e-6 of its change of
    slope there times the interval's length squared.
    """
    if index < 0:
        return t1 - t0
    if t1 < t0:
        return -integral_forward(tables, index, t1, t0)
    return integral_forward(tables, index, t0, t1)


@kernel
def integral_forward(tables: FunctionTables, index: int, t0: float, t1: float) -> float:
    """`integral` for t0 <= t1 and a function that is not the constant 1."""
    if tables.kind[index] == EXPRESSION:
        return _integral_of_program(tables, index, t0, t1)
    first, last = tables.first_point[index], tables.first_point[index + 1] - 1
    if first == last:
        return tables.y[first] * (t1 - t0)
    if tables.kind[index] == SMOOTH:
        return (
            tables.y[first] * max(0.0, min(t1, tables.x[first]) - t0)
            + _integral_over_points(tables, index, max(t0, tables.x[first]), min(t1, tables.x[last]))
            + tables.y[last] * max(0.0, t1 - max(t0, tables.x[last]))
        )
    return _integral_over_points(tables, index, t0, t1)


@kernel
def _integral_over_points(tables: FunctionTables, index: int, t0: float, t1: float) -> float:
    """Integral by segments; the first and the last segment of a TABLE reach beyond its ends."""
    if t1 <= t0:
        return 0.0
    first, last = tables.first_point[index], tables.first_point[index + 1] - 1
    k0, k1 = _segment(tables.x, first, last, t0), _segment(tables.x, first, last, t1)
    if k0 == k1:
        return _gauss(tables, index, t0, t1, _NODES_3, _WEIGHTS_3)
    head = _gauss(tables, index, t0, tables.x[k0 + 1], _NODES_3, _WEIGHTS_3)
    tail = _gauss(tables, index, tables.x[k1], t1, _NODES_3, _WEIGHTS_3)
    return head + (tables.area[k1] - tables.area[k0 + 1]) + tail


@kernel(inline=True)
def _segment(x: Floats, first: int, last: int, t: float) -> int:
    """k in [first, last - 1] with x[k] <= t < x[k + 1]; the end segments take what lies beyond."""
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if t < x[middle]:
            high = middle
        else:
            low = middle
    return low


@kernel
def _gauss(tables: FunctionTables, index: int, t0: float, t1: float, nodes: Floats, weights: Floats) -> float:
    half, centre = 0.5 * (t1 - t0), 0.5 * (t0 + t1)
    total = 0.0
    for k in range(len(nodes)):
        total += weights[k] * value(tables, index, centre + half * nodes[k])
    return half * total


@kernel
def _integral_of_program(tables: FunctionTables, index: int, t0: float, t1: float) -> float:
    coarse = _gauss(tables, index, t0, t1, _NODES_5, _WEIGHTS_5)
    panels = 2
    while True:
        width = (t1 - t0) / panels
        fine, size = 0.0, 0.0
        for k in range(panels):
            part = _gauss(tables, index, t0 + k * width, t0 + (k + 1) * width, _NODES_5, _WEIGHTS_5)
            fine += part
            size += abs(part)
        # Written so that a NaN ends the loop too.
        if not abs(fine - coarse) > _INTEGRAL_TOLERANCE * size or panels >= _MOST_PANELS:
            return fine
        coarse = fine
        panels *= 2


@kernel
def _run_program(tables: FunctionTables, index: int, t: float) -> tuple[float, float, float]:
    stack = tables.stack
    constant = tables.first_constant[index]
    top = -1
    for k in range(tables.first_opcode[index], tables.first_opcode[index + 1]):
        code = tables.opcodes[k]
        if code == op.CONSTANT:
            top += 1
            stack[top, 0], stack[top, 1], stack[top, 2] = tables.constants[constant], 0.0, 0.0
            constant += 1
        elif code == op.VARIABLE:
            top += 1
            stack[top, 0], stack[top, 1], stack[top, 2] = t, 1.0, 0.0
        elif code <= op.POWER or code == op.MIN or code == op.MAX:
            top -= 1
            _binary(code, stack[top], stack[top + 1])
        else:
            _unary(code, stack[top])
    return stack[0, 0], stack[0, 1], stack[0, 2]


@kernel
def _binary(code: int, a: Floats, b: Floats) -> None:
    """a <- a code b, both with derivatives."""
    if code == op.ADD or code == op.SUBTRACT:
        sign = 1.0 if code == op.ADD else -1.0
        for k in range(3):
            a[k] += sign * b[k]
    elif code == op.MULTIPLY:
        a[2] = a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2]
        a[1] = a[1] * b[0] + a[0] * b[1]
        a[0] *= b[0]
    elif code == op.DIVIDE:
        a[0] = a[0] / b[0]
        a[1] = (a[1] - a[0] * b[1]) / b[0]
        a[2] = (a[2] - 2.0 * a[1] * b[1] - a[0] * b[2]) / b[0]
    elif code == op.POWER:
        _power(a, b)
    elif (code == op.MIN and b[0] < a[0]) or (code == op.MAX and b[0] > a[0]):
        for k in range(3):
            a[k] = b[k]


@kernel
def _power(a: Floats, b: Floats) -> None:
    if b[1] == 0.0 and b[2] == 0.0:
        n = b[0]
        # A factor of zero (n = 0 or 1) must not meet an infinite power of a base of zero.
        first = 0.0 if n == 0.0 else n * a[0] ** (n - 1.0)
        second = 0.0 if n == 0.0 or n == 1.0 else n * (n - 1.0) * a[0] ** (n - 2.0)
        _chain(a, a[0] ** n, first, second)
        return
    # a^b = exp(b log a)
    exponent, log_rate, log_curvature = b[0], a[1] / a[0], a[2] / a[0]
    logarithm = np.log(a[0])
    log_curvature -= log_rate * log_rate
    rate = b[1] * logarithm + exponent * log_rate
    curvature = b[2] * logarithm + 2.0 * b[1] * log_rate + exponent * log_curvature
    a[0] = a[0] ** exponent
    a[1] = a[0] * rate
    a[2] = a[0] * (rate * rate + curvature)


@kernel
def _chain(a: Floats, f: float, df: float, ddf: float) -> None:
    """a <- f(a), given f, f' and f'' at the value of a."""
    a[2] = ddf * a[1] * a[1] + df * a[2]
    a[1] = df * a[1]
    a[0] = f


@kernel
def _unary(code: int, a: Floats) -> None:
    """a <- function(a) with derivatives."""
    x = a[0]
    if code == op.NEGATE:
        _chain(a, -x, -1.0, 0.0)
    elif code == op.SIN:
        _chain(a, math.sin(x), math.cos(x), -math.sin(x))
    elif code == op.COS:
        _chain(a, math.cos(x), -math.sin(x), -math.cos(x))
    elif code == op.TAN:
        tangent = math.tan(x)
        slope = 1.0 + tangent * tangent
        _chain(a, tangent, slope, 2.0 * tangent * slope)
    elif code == op.EXP:
        _chain(a, np.exp(x), np.exp(x), np.exp(x))
    elif code == op.LOG:
        _chain(a, np.log(x), 1.0 / x, -1.0 / (x * x))
    elif code == op.SQRT:
        root = np.sqrt(x)
        _chain(a, root, 0.5 / root, -0.25 / (root * x))
    elif code == op.ABS:
        _chain(a, abs(x), np.sign(x), 0.0)
    elif code == op.SMOOTH_UNIT_STEP:
        u = min(max(x, 0.0), 1.0)
        curvature = 6.0 - 12.0 * u if 0.0 < x < 1.0 else 0.0
        _chain(a, u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u), curvature)
