"""What a page carries beside its text: values and arrays as one compressed block, in letters."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = ("u1", "i2", "i4", "f4", "f8")  # little-endian; those that the page knows
ALIGNMENT = 8  # bytes, of arrays in the block


class Pack:
    """Arrays of a page, one behind the other."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, array: NDArray[Any], kind: str) -> dict[str, Any]:
        """Take an array in; what is returned stands for it in the values of the page."""
        if kind not in TYPES:
            raise ValueError(f"{kind}: not one of {', '.join(TYPES)}")
        data = np.ascontiguousarray(array, dtype=f"<{kind}").tobytes()
        place = {"array": kind, "at": self._size, "n": int(np.size(array))}
        padding = -len(data) % ALIGNMENT
        self._parts += [data, bytes(padding)]
        self._size += len(data) + padding
        return place

    def text(self, values: Any) -> str:
        """Values (in JSON's types, with arrays as `add` returned them) and all arrays, compressed, in base64.

        The block is the length of the values in 8 bytes, the values as JSON, filled up with blanks, then the arrays.
        """
        said = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        said += b" " * (-len(said) % ALIGNMENT)
        block = b"".join([len(said).to_bytes(ALIGNMENT, "little"), said, *self._parts])
        return base64.b64encode(zlib.compress(block, 6)).decode("ascii")
