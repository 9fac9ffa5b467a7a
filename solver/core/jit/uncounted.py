"""Arrays whose references are not counted.

Numba counts a reference whenever it takes an array out of a tuple or hands it on, with an instruction that locks the
memory: in a step of a microsecond that is a good part of the time.  A compiled function that is called with arrays
holds them as long as it runs, so that it need not count.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _uncounted(typing_context: Any, value: Any) -> Any:
    """The same array, or tuple of arrays and other things, without counting references; not to be returned to Python.

    value : an array, or a tuple or named tuple, of such tuples too
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, signature.args[0], arguments[0])

    return value(value), generate


uncounted: Any = intrinsic(_uncounted)


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    is_tuple = isinstance(kind, types.BaseTuple)
    if is_tuple:
        for k, member in enumerate(kind):
            inner = _without_owner(context, builder, member, builder.extract_value(value, k))
            value = builder.insert_value(value, inner, k)
    return value
