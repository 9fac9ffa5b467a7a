"""References to named tuples of arrays: one pointer, from which a kernel reads only what it asks for.

A compiled function takes a tuple by value: what hands two dozen arrays on copies some two hundred words, at each call.
And numba counts the references to arrays that it hands on, with instructions that lock the memory.  A `Reference` is a
block of words that Python fills in once, with the place and shape of each array: kernels read members of it as
attributes, arrays that nobody counts, and inner tuples again as references.

The type of a reference depends on the kinds of its members alone, not on what they hold: the same kernels serve every
machine.  Empty arrays have the type of full ones.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

WORD = 8
NOTHING = np.zeros(4096, dtype=np.uint8)  # where empty arrays lie
PLACE_OF_NOTHING = int(NOTHING.ctypes.data)


class Member(NamedTuple):
    """A member of a tuple that is referred to: its name, the type that kernels see, and its first word."""

    name: str
    kind: types.Type
    place: int
    size: int  # words


class ReferenceType(types.Type):  # type: ignore[misc]
    """Type of a reference; its name is short, since numba builds the names of functions from it."""

    def __init__(self, cls: type[tuple[Any, ...]], members: tuple[Member, ...]) -> None:
        self.cls = cls
        self.members = {member.name: member for member in members}
        self.member_kinds = tuple(member.kind for member in members)
        self.size = sum(member.size for member in members)
        content = repr([(m.name, str(m.kind), m.place) for m in members])
        super().__init__(name=f"{cls.__name__}@{hashlib.sha256(content.encode()).hexdigest()[:12]}")


class Reference:
    """A tuple as kernels get it; it keeps the tuple, and with it the arrays, alive.

    value : a named tuple of C-contiguous arrays, records, integers, floats and such tuples
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self.words = np.array(words_of_tuple(value), dtype=np.int64)
        self.address: int = self.words.ctypes.data

    @cached_property
    def kind(self) -> ReferenceType:
        """Its type, found where somebody asks: compiled kernels take the address alone."""
        return reference_type(self.value)

    def is_of(self, kind: ReferenceType) -> bool:
        """Whether that is its type, without finding it."""
        return has_type(self.value, kind)


class _Kept(threading.local):
    """What this thread has made and may be asked for again, by identity; None where nothing is kept.

    references : by their tuples
    words : of arrays, records and tuples, which are kept with them so that no others can have their places
    """

    references: dict[int, Reference] | None = None
    words: dict[int, tuple[Any, list[int]]] | None = None


_kept = _Kept()


@contextmanager
def kept_references() -> Iterator[None]:
    """Within this, `reference_to` makes one reference to a tuple, and looks once where an array lies.

    It takes a millisecond otherwise, and tuples made one after the other have most of their members in common.
    """
    outer = _kept.references, _kept.words
    if _kept.references is None:
        _kept.references, _kept.words = {}, {}
    try:
        yield
    finally:
        _kept.references, _kept.words = outer


def reference_to(value: Any) -> Reference:
    """A reference to a tuple, perhaps one that was made before; it must outlive the call that it is handed to."""
    if _kept.references is None:
        return Reference(value)
    found = _kept.references.get(id(value))  # a reference keeps its tuple, so that no other one has its place
    if found is None:
        found = _kept.references[id(value)] = Reference(value)
    return found


def reference_type(value: Any) -> ReferenceType:
    """The type of references to a tuple."""
    kinds = tuple(kind_of(member) for member in value)
    return _reference_type(type(value), kinds)  # type: ignore[arg-type]


@cache
def _reference_type(cls: Any, kinds: tuple[types.Type, ...]) -> ReferenceType:
    members, place = [], 0
    for name, kind in zip(cls._fields, kinds, strict=True):
        size = words_of(kind)
        members.append(Member(name, kind, place, size))
        place += size
    return ReferenceType(cls, tuple(members))


def kind_of(member: Any) -> types.Type:
    """Type that kernels see of a member."""
    if isinstance(member, np.ndarray):
        return _array_type(member.dtype, member.ndim)
    if isinstance(member, np.void):
        return _record_type(member.dtype)
    if isinstance(member, tuple):
        return reference_type(member)
    if isinstance(member, float):
        return types.float64
    if isinstance(member, (int, np.integer)):
        return types.int64
    raise unreferable(member)


def has_type(value: Any, kind: ReferenceType) -> bool:
    """Whether references to a tuple are of a type."""
    if not isinstance(value, kind.cls):
        return False
    return all(_is_of(member, of) for member, of in zip(value, kind.member_kinds, strict=True))


def _is_of(member: Any, kind: types.Type) -> bool:
    return has_type(member, kind) if isinstance(kind, ReferenceType) else kind_of(member) is kind


def unreferable(member: object) -> TypeError:
    """Why a reference cannot have a member."""
    return TypeError(f"kernels cannot refer to {type(member).__name__}")


@cache
def _record_type(dtype: np.dtype[Any]) -> types.Type:
    return from_dtype(dtype)


@cache
def _array_type(dtype: np.dtype[Any], ndim: int) -> types.Type:
    return types.Array(_record_type(dtype), ndim, "C")


def words_of(kind: types.Type) -> int:
    """Words that a member takes: of an array its place, lengths and strides; of a tuple all of its members."""
    if isinstance(kind, types.Array):
        return 1 + 2 * int(kind.ndim)
    return kind.size if isinstance(kind, ReferenceType) else 1


def address_of(record: np.void) -> int:
    """Where a record lies; its __array_interface__ would describe all of its fields, too."""
    return int(np.frombuffer(record, dtype=np.uint8).ctypes.data)  # type: ignore[call-overload]


def words_of_tuple(value: Any) -> list[int]:
    """The words of the members of a tuple, one after the other."""
    known, words = _kept.words, list[int]()
    for member in value:
        found = known.get(id(member)) if known is not None else None
        if found is None:
            found = member, words_of_member(member)
            if known is not None and isinstance(member, np.ndarray | np.void | tuple):
                known[id(member)] = found
        words += found[1]
    return words


def words_of_member(member: Any) -> list[int]:
    if isinstance(member, np.ndarray):
        if not member.flags.c_contiguous:
            raise TypeError("kernels cannot refer to an array that is not C-contiguous")
        # asking takes a microsecond, and most of a machine is empty
        place = member.ctypes.data if member.size else PLACE_OF_NOTHING
        return [place, *member.shape, *member.strides]
    if isinstance(member, np.void):
        return [address_of(member)]
    if isinstance(member, tuple):
        return words_of_tuple(member)
    if isinstance(member, float):
        return [int(np.float64(member).view(np.int64))]
    if isinstance(member, (int, np.integer)):
        return [int(member)]
    raise unreferable(member)


# ---- what numba needs to know --------------------------------------------------------------------------------


@typeof_impl.register(Reference)  # type: ignore[untyped-decorator]
def _typeof_reference(reference: Reference, context: Any) -> ReferenceType:
    return reference.kind


@register_model(ReferenceType)
class _PointerModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@unbox(ReferenceType)  # type: ignore[untyped-decorator]
def _unbox_reference(kind: Any, reference: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(reference, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer)


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc]
    key = ReferenceType

    def generic_resolve(self, reference: Any, name: Any) -> Any:  # type: ignore[override]
        member = reference.members.get(name)
        return member.kind if member is not None else None


@lower_getattr_generic(ReferenceType)  # type: ignore[untyped-decorator]
def _read_member(context: Any, builder: Any, reference: Any, pointer: Any, name: str) -> Any:
    member = reference.members[name]
    word = ir.IntType(64)

    def load(k: int) -> Any:
        at = builder.gep(pointer, [word(WORD * (member.place + k))])
        value = builder.load(builder.bitcast(at, word.as_pointer()))
        # Nothing that a kernel writes can change where arrays lie: what is read once need not be read again.
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    kind = member.kind
    if isinstance(kind, ReferenceType):
        return builder.gep(pointer, [word(WORD * member.place)])
    if isinstance(kind, types.Record):
        return builder.inttoptr(load(0), context.get_value_type(kind))
    if isinstance(kind, types.Array):
        return impl_ret_borrowed(context, builder, kind, _array(context, builder, kind, load))
    value = load(0)
    return builder.bitcast(value, ir.DoubleType()) if kind == types.float64 else value


def _array(context: Any, builder: Any, kind: Any, load: Any) -> Any:
    """An array without an owner, from its words."""
    word = ir.IntType(64)
    array = context.make_array(kind)(context, builder)
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    shape = [load(1 + k) for k in range(kind.ndim)]
    count = word(1)
    for length in shape:
        count = builder.mul(count, length)
    strides = [load(1 + kind.ndim + k) for k in range(kind.ndim)]
    array.data = builder.inttoptr(load(0), array.data.type)
    array.nitems, array.itemsize = count, word(item)
    array.shape = _pack(builder, shape)
    array.strides = _pack(builder, strides)
    array.meminfo, array.parent = array.meminfo.type(None), array.parent.type(None)
    return array._getvalue()


@lower_builtin("__array__", types.Array)  # type: ignore[untyped-decorator]
def _array_itself(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """An array seen as an array, which numba looks for in vain each time it touches one."""
    return values[0]


def _pack(builder: Any, values: list[Any]) -> Any:
    packed = ir.Constant(ir.ArrayType(values[0].type, len(values)), ir.Undefined)
    for k, value in enumerate(values):
        packed = builder.insert_value(packed, value, k)
    return packed
