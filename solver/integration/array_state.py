"""The arrays of a system by name: which of them a run has changed, and how they are put back."""

from __future__ import annotations

import hashlib
import math
import operator
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.bodies import LINE
from .system import System

Array = NDArray[Any]
Place = tuple[int, tuple[int, ...]]  # in memory, and the shape of what lies there
POINTERS = ("address", "par")  # fields of records that hold places in the memory of this process
OF_PROCESS = ("crew", "pair_kernels")  # members that hold what threads share, and addresses of kernels
SEPARATOR = "/"


def arrays_of(system: System) -> dict[str, Array]:
    """All arrays of a system by name, as `contacts/meshes/pairs/nodes`; one that has two names by the first of them.

    Single records are addresses of kernels, or memory that is used within one call: they are left out.
    """
    found: dict[str, Array] = {}
    places = set[Place]()
    for name, array in _members(system, ""):
        if array.size:
            place = place_of(array)
            if place in places:
                continue
            places.add(place)
        found[name] = array
    return found


class NamedArrays:
    """`arrays_of` systems of a machine, found again only where another system has taken the place of one."""

    def __init__(self) -> None:
        self._found: list[tuple[System, dict[str, Array]]] = []

    def of(self, systems: Sequence[System]) -> list[dict[str, Array]]:
        """Of each of them."""
        known = [system for system, _ in self._found]
        if len(known) != len(systems) or any(map(operator.is_not, known, systems)):
            self._found = [(system, arrays_of(system)) for system in systems]
        return [arrays for _, arrays in self._found]


def place_of(array: Array) -> Place:
    """The same of two arrays that are one."""
    return array.ctypes.data, array.shape


def _members(value: Any, prefix: str) -> Iterator[tuple[str, Array]]:
    for name, member in zip(value._fields, value, strict=True):
        if name in OF_PROCESS:
            continue
        if isinstance(member, tuple):
            yield from _members(member, f"{prefix}{name}{SEPARATOR}")
        elif isinstance(member, np.ndarray):
            yield prefix + name, member


def bare(array: Array) -> Array:
    """A copy without what differs from process to process: pointers, and what lies between the fields of records."""
    return np.ndarray(array.shape, array.dtype, _content(array)) if array.size else array


def _content(array: Array) -> bytearray:
    """Bytes of that copy: numpy would copy records field by field, empty ones too."""
    content = bytearray(array.tobytes())
    if not is_bare(array.dtype):
        records = np.frombuffer(content, np.uint8).reshape(-1, array.dtype.itemsize)
        records &= _kept_bits(array.dtype)
    return content


@cache
def is_bare(dtype: np.dtype[Any]) -> bool:
    """Whether there is nothing else in it."""
    return bool(_kept_bits(dtype).all())


@cache
def _kept_bits(dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    """(itemsize,) all bits of the bytes that belong to fields other than pointers, none of the others."""
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        return np.tile(_kept_bits(inner), math.prod(shape))
    kept = np.full(dtype.itemsize, 0 if dtype.names else 255, np.uint8)
    for name in dtype.names or ():
        field, offset = dtype.fields[name][:2]  # type: ignore[index]
        if name not in POINTERS:
            kept[offset : offset + field.itemsize] = _kept_bits(field)
    return kept


def digest_of(array: Array) -> str:
    """The same for the same numbers of the same type and shape, in every process.

    Found once of an array that is marked as one that nobody writes to: surfaces of meshes, which many runs share.
    """
    if not array.size:
        return _digest_of_nothing(array.dtype, array.shape)
    if array.flags.writeable:
        return _found_digest(array)
    key = id(array)
    known = _digests.get(key)
    if known is None or known[0]() is not array:  # another one had its place before
        known = _digests[key] = weakref.ref(array, partial(_forget, key)), _found_digest(array)
    return known[1]


_digests: dict[int, tuple[weakref.ref[Array], str]] = {}  # of arrays that are never written to, by identity


def _forget(key: int, gone: weakref.ref[Array]) -> None:
    known = _digests.get(key)
    if known is not None and known[0] is gone:
        del _digests[key]


def _found_digest(array: Array) -> str:
    digest = _digest_of_shape(array.dtype, array.shape).copy()
    digest.update(_content(array))
    return digest.hexdigest()


@lru_cache(maxsize=1024)
def _digest_of_shape(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """Of an array without numbers; found once, since numpy takes long for the text of a type."""
    return hashlib.blake2b(f"{dtype}{shape}".encode(), digest_size=16)


@lru_cache(maxsize=1024)
def _digest_of_nothing(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    digest: str = _digest_of_shape(dtype, shape).hexdigest()
    return digest


def digests_of(arrays: Mapping[str, Array]) -> dict[str, str]:
    """Of some arrays, by name."""
    return {name: digest_of(array) for name, array in arrays.items()}


def digest_of_others(digests: Mapping[str, str], arrays: Mapping[str, Array]) -> str:
    """One digest of all digests but those of some arrays."""
    others = sorted((name, digest) for name, digest in digests.items() if name not in arrays)
    return hashlib.blake2b(repr(others).encode(), digest_size=16).hexdigest()


def changed_arrays(arrays: Mapping[str, Array], digests: Mapping[str, str]) -> dict[str, Array]:
    """Copies of the arrays that are not those of `digests` any more."""
    return {name: bare(array) for name, array in arrays.items() if digests.get(name) != digest_of(array)}


def with_arrays(system: System, arrays: Mapping[str, Array]) -> System:
    """The system with other numbers in some arrays: in place, or in new arrays where they have other lengths.

    Raises
    ------
    KeyError
        the system has no array of such a name, or one of another type
    """
    own = arrays_of(system)
    replaced: dict[Place, Array] = {}
    for name, array in arrays.items():
        if name not in own or own[name].dtype != array.dtype:
            raise KeyError(name)
        if own[name].shape == array.shape:
            _put(own[name], array)
        else:
            replaced[place_of(own[name])] = aligned_copy(array)
    return _with(system, replaced) if replaced else system


def _put(own: Array, array: Array) -> None:
    pointers = {name: own[name].copy() for name in POINTERS if name in (own.dtype.names or ())}
    if own.size:
        own.reshape(-1).view(np.uint8)[...] = array.reshape(-1).view(np.uint8)
    for name, values in pointers.items():
        own[name] = values


def aligned_copy(array: Array) -> Array:
    """A copy whose first item stands at the start of a line of the cache."""
    buffer = np.zeros(array.nbytes + LINE, dtype=np.uint8)
    start = -buffer.ctypes.data % LINE
    copy: Array = buffer[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _with(value: Any, replaced: Mapping[Place, Array]) -> Any:
    """A tuple of tuples with other arrays."""

    def new(member: Any) -> Any:
        if isinstance(member, tuple):
            return _with(member, replaced)
        return replaced.get(place_of(member), member) if isinstance(member, np.ndarray) else member

    return type(value)(*map(new, value))
