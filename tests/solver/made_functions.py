"""Functions made for tests."""

from types import SimpleNamespace

import numpy as np
from gsolve.parser.text.expressions import compile_expression
from gsolve.solver.core.functions import build_function_tables
from gsolve.solver.core.jit.references import Reference


def tables_of(*given):
    """Tables of expressions (strings) and of (kind, x, y)."""
    model = SimpleNamespace(functions={})
    for number, item in enumerate(given):
        if isinstance(item, str):
            item = SimpleNamespace(kind="EXPRESSION", x=[], y=[], program=compile_expression(item))
        else:
            item = SimpleNamespace(kind=item[0], x=np.array(item[1]), y=np.array(item[2]), program=None)
        model.functions[10 + number] = item
    return build_function_tables(model)


def functions_of(*given):
    """The same tables as kernels get them in runs, by a reference."""
    tables, index_of = tables_of(*given)
    return Reference(tables), index_of
