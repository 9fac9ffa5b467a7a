"""/FUNCT, /FUNCT_SMOOTH and /FUNCT_EXPR."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..cards.block import Block
from ..cards.context import Context
from ..cards.layout import Keyword, Stage, Values, card, real
from ..cards.table_reader import Records
from ..model import Floats, Function

_POINT = card(real("X", 1, "abscissa; must increase from line to line"), real("Y", 21, "ordinate"))


def build_table(block: Block, values: Values, context: Context) -> None:
    """/FUNCT: points joined by straight lines."""
    records = values["records"]
    _add(block, context, "TABLE", records, records.columns["X"], records.columns["Y"])


def build_smooth(block: Block, values: Values, context: Context) -> None:
    """/FUNCT_SMOOTH: points joined smoothly, after scale and shift."""
    records = values["records"]
    x = records.columns["X"] * values["Ascalex"] + values["Ashiftx"]
    y = records.columns["Y"] * values["Fscaley"] + values["Fshifty"]
    if values["Ascalex"] < 0.0:
        context.report(block.diagnose("error", "Ascalex must not be negative", field="Ascalex", allowed="more than 0"))
        return
    _add(block, context, "SMOOTH", records, x, y)


def _add(
    block: Block, context: Context, kind: Literal["TABLE", "SMOOTH"], records: Records, x: Floats, y: Floats
) -> None:
    if not len(x):
        context.report(block.diagnose("error", "the function has no points", allowed="one line a point: X Y"))
        return
    wrong = np.flatnonzero(np.diff(x) <= 0.0)
    if len(wrong):
        row = int(wrong[0]) + 1
        context.report_record(
            block,
            records,
            row,
            _POINT.fields[0],
            "X must be greater than on the line before",
            allowed=f"more than {records.columns['X'][row - 1]:.17g}",
        )
        return
    assert block.id is not None
    context.model.functions[block.id] = Function(block.id, block.title, block, kind, x, y)


def build_expression(block: Block, values: Values, context: Context) -> None:
    """/FUNCT_EXPR: an expression of t, on as many lines as it needs."""
    from ..text.expressions import ExpressionError, compile_expression

    lines = [(offset, line) for offset, line in block.data_lines() if line.strip()]
    expression = " ".join(line.strip() for _, line in lines)
    if not expression:
        hint = "for example sin(2*pi*t)"
        context.report(block.diagnose("error", "the expression is missing", allowed="an expression of t", hint=hint))
        return
    try:
        program = compile_expression(expression, context.known_parameters())
    except ExpressionError as error:
        _report_expression(block, context, lines, error.message, error.position)
        return
    assert block.id is not None
    empty = np.empty(0)
    context.model.functions[block.id] = Function(
        block.id, block.title, block, "EXPRESSION", empty, empty, program, expression
    )


def _report_expression(
    block: Block, context: Context, lines: list[tuple[int, str]], message: str, position: int
) -> None:
    """Point at a position of the joined expression in the line it came from."""
    for offset, line in lines:
        width = len(line.strip())
        if position <= width or (offset, line) == lines[-1]:
            column = len(line) - len(line.lstrip()) + min(position, width)
            context.report(
                block.diagnose_line(
                    "error",
                    message,
                    block.body_line + offset,
                    line,
                    column=column + 1,
                    ruler=" " * column + "^",
                )
            )
            return
        position -= width + 1


KEYWORDS = [
    Keyword(
        ("FUNCT",),
        "function given by points, linear between them and beyond the ends",
        build_table,
        Stage.DEFINITIONS,
        records=(_POINT,),
        listing="records",
        identity="function",
        notes="Units are those of whoever uses the function. One point is a constant.",
    ),
    Keyword(
        ("FUNCT_SMOOTH",),
        "function given by points, smooth between them",
        build_smooth,
        Stage.DEFINITIONS,
        cards=(
            card(
                real("Ascalex", 1, "scale of the abscissas", default=1.0),
                real("Fscaley", 21, "scale of the ordinates", default=1.0),
                real("Ashiftx", 41, "added to the scaled abscissas"),
                real("Fshifty", 61, "added to the scaled ordinates"),
            ),
        ),
        records=(_POINT,),
        listing="records",
        identity="function",
    ),
    Keyword(
        ("FUNCT_EXPR",),
        "function given by an expression of t",
        build_expression,
        Stage.DEFINITIONS,
        listing="text",
        identity="function",
        notes=(
            "Numbers, + - * / ^, parentheses, pi, sin cos tan exp log sqrt abs min max and "
            "step(x, x0, h0, x1, h1); t is the scaled abscissa of whoever uses the function."
        ),
    ),
]
