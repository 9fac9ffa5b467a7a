"""Bits of integers."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _lowest_bit(typing_context: Any, bits: Any) -> Any:
    """The place of the lowest bit that is set; bits is not zero."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


lowest_bit: Any = intrinsic(_lowest_bit)
