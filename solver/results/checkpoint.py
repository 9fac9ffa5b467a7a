"""A state of a run as bytes, and back: what `/checkpoint` of a result file holds.

    mark      20 bytes, the first line
    number    8 bytes, of the checkpoint, counted from 1; all integers are little-endian
    length    8 bytes, of all that follows the digest
    digest    32 bytes, SHA-256 of all that follows
    by zlib:
    index     8 bytes for its length, and JSON: the state, in which arrays stand as {"array": type, "shape", "place"}
    numbers   of all arrays, one behind the other

A run that is killed while it writes one leaves bytes whose digest is wrong; the one before stands elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.lib.format import descr_to_dtype, dtype_to_descr

from ..core.resumable import State

MARK = b"gsolve checkpoint 1\n"
WORD = 8
HEAD = len(MARK) + 2 * WORD + hashlib.sha256().digest_size
LEVEL = 1  # of zlib: arrays of a machine are half zeros, more effort finds little
ARRAY = "array"


def checkpoint_bytes(number: int, state: State) -> bytes:
    """A state as bytes."""
    numbers = bytearray()
    index = json.dumps(_with_places(state, numbers), check_circular=False).encode()
    body = zlib.compress(len(index).to_bytes(WORD, "little") + index + numbers, LEVEL)
    head = number.to_bytes(WORD, "little") + len(body).to_bytes(WORD, "little")
    return MARK + head + hashlib.sha256(body).digest() + body


def newest_state(candidates: Iterable[bytes]) -> tuple[int, State] | None:
    """Number and state of the newest checkpoint that is whole, None if there is none; more bytes may follow each."""
    whole = [found for found in map(_number_and_body, candidates) if found is not None]
    if not whole:
        return None
    number, body = max(whole)
    return number, _state_of(body)


def _number_and_body(data: bytes) -> tuple[int, bytes] | None:
    number, length = (int.from_bytes(data[start : start + WORD], "little") for start in (len(MARK), len(MARK) + WORD))
    digest, body = data[len(MARK) + 2 * WORD : HEAD], data[HEAD : HEAD + length]
    is_whole = data.startswith(MARK) and hashlib.sha256(body).digest() == digest
    return (number, body) if is_whole else None


def _state_of(body: bytes) -> State:
    content = memoryview(zlib.decompress(body))
    end = WORD + int.from_bytes(content[:WORD], "little")
    state: State = _with_arrays(json.loads(bytes(content[WORD:end])), content[end:])
    return state


def _with_places(value: Any, numbers: bytearray) -> Any:
    """The value with the places of arrays in their stead, whose numbers are added to `numbers`."""
    if isinstance(value, np.ndarray):
        place = len(numbers)
        numbers += value.tobytes()
        return {ARRAY: described(value.dtype), "shape": value.shape, "place": place}
    if isinstance(value, dict):
        return {name: _with_places(member, numbers) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_places(member, numbers) for member in value]
    return value


@cache
def described(dtype: np.dtype[Any]) -> Any:
    """A type in plain data; found once, since numpy takes long for it."""
    return dtype_to_descr(dtype)


def _with_arrays(value: Any, numbers: memoryview) -> Any:
    """The value with arrays again."""
    if isinstance(value, list):
        return [_with_arrays(member, numbers) for member in value]
    if not isinstance(value, dict):
        return value
    if ARRAY not in value:
        return {name: _with_arrays(member, numbers) for name, member in value.items()}
    dtype, shape, place = descr_to_dtype(_descr(value[ARRAY])), tuple(value["shape"]), value["place"]
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    array = np.zeros(shape, dtype)
    if size:
        array.reshape(-1).view(np.uint8)[...] = np.frombuffer(numbers, np.uint8, size, place)
    return array


def _descr(description: Any) -> Any:
    """What describes a type for numpy, from the lists that JSON makes of tuples."""
    if isinstance(description, str):
        return description
    return [
        (field[0] if isinstance(field[0], str) else tuple(field[0]), _descr(field[1]), *map(tuple, field[2:]))
        for field in description
    ]
