"""References to tuples of arrays.

A compiled function takes a tuple by value: what calls a kernel with two dozen arrays copies some two hundred words, and
so does each function below it that takes the tuple on.  A reference is one pointer, and only what is asked for is read.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model


class TupleReference(types.Type):  # type: ignore[misc]
    """Type of a reference to a named tuple, the members of which it has as attributes."""

    def __init__(self, target: Any) -> None:
        self.target = target
        super().__init__(name=f"TupleReference({target})")

    def index(self, member: str) -> int:
        return int(self.target.fields.index(member))


@register_model(TupleReference)
class _PointerModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc]
    key = TupleReference

    def generic_resolve(self, reference: Any, member: Any) -> Any:  # type: ignore[override]
        return reference.target[reference.index(member)] if member in reference.target.fields else None


@lower_getattr_generic(TupleReference)  # type: ignore[untyped-decorator]
def _read_member(context: Any, builder: Any, kind: Any, value: Any, member: str) -> Any:
    target = builder.bitcast(value, context.get_value_type(kind.target).as_pointer())
    k = kind.index(member)
    loaded = builder.load(cgutils.gep_inbounds(builder, target, 0, k))
    return impl_ret_borrowed(context, builder, kind.target[k], loaded)


def _reference_to(typing_context: Any, value: Any) -> Any:
    """A reference to a named tuple, valid while the function that makes it runs; None stays None.

    value : a named tuple of arrays without counted references, see `uncounted`
    """
    if isinstance(value, types.NoneType):
        return value(value), lambda context, builder, signature, arguments: arguments[0]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = cgutils.alloca_once_value(builder, arguments[0])
        return builder.bitcast(place, ir.IntType(8).as_pointer())

    return TupleReference(value)(value), generate


reference_to: Any = intrinsic(_reference_to)
