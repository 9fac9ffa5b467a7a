"""What threads share a step by: words of memory that several read and write at the same time, a clock and a rest.

Words keep the order of other reads and writes: what a thread wrote before it changed one is seen by the thread that has
seen the change.  And records copied whole.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

ORDER = "seq_cst"
WORD_SIZE = 8


def _word(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """Where words[k] lies."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, values[0])
    return cgutils.get_item_pointer(context, builder, kind, array, [values[1]], wraparound=False)


def _require_words(words: Any) -> None:
    if not (isinstance(words, types.Array) and words.dtype == types.int64 and words.ndim == 1):
        raise TypingError("words are an array of 64-bit integers")


def _read(typing_context: Any, words: Any, k: Any) -> Any:
    """words[k], as it is now."""
    _require_words(words)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load_atomic(_word(context, builder, signature, values), ORDER, WORD_SIZE)

    return types.int64(words, types.int64), generate


def _write(typing_context: Any, words: Any, k: Any, value: Any) -> Any:
    """Let words[k] be a value."""
    _require_words(words)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store_atomic(values[2], _word(context, builder, signature, values), ORDER, WORD_SIZE)
        return context.get_dummy_value()

    return types.none(words, types.int64, types.int64), generate


def _add(typing_context: Any, words: Any, k: Any, value: Any) -> Any:
    """Add a value to words[k]; returns what it was."""
    _require_words(words)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.atomic_rmw("add", _word(context, builder, signature, values), values[2], ORDER)

    return types.int64(words, types.int64, types.int64), generate


def _replace(typing_context: Any, words: Any, k: Any, before: Any, value: Any) -> Any:
    """Let words[k] be a value if it still is what it was before; whether that was so."""
    _require_words(words)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _word(context, builder, signature, values)
        return builder.extract_value(builder.cmpxchg(at, values[2], values[3], ORDER, ORDER), 1)

    return types.boolean(words, types.int64, types.int64, types.int64), generate


def _rest(typing_context: Any) -> Any:
    """Leave the processor to others for a while: some 100 us, as the system needs as much again to come back."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        microseconds = ir.IntType(32)
        function = ir.FunctionType(ir.IntType(32), [microseconds])
        builder.call(cgutils.get_or_insert_function(builder.module, function, "usleep"), [microseconds(50)])
        return context.get_dummy_value()

    return types.none(), generate


def _now(typing_context: Any) -> Any:
    """Nanoseconds of a clock that nobody sets."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word, number = ir.IntType(64), ir.IntType(32)
        time = cgutils.alloca_once(builder, ir.ArrayType(word, 2))
        function = ir.FunctionType(number, [number, time.type])
        builder.call(cgutils.get_or_insert_function(builder.module, function, "clock_gettime"), [number(1), time])
        seconds, nanoseconds = (builder.extract_value(builder.load(time), k) for k in range(2))
        return builder.add(builder.mul(seconds, word(10**9)), nanoseconds)

    return types.int64(), generate


def _copy_record(typing_context: Any, target: Any, source: Any) -> Any:
    """Let a record hold what another one of its type holds."""
    if not isinstance(target, types.Record) or target != source:
        raise TypingError("records of one type are copied")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        size = ir.Constant(ir.IntType(64), 1)
        cgutils.raw_memcpy(builder, values[0], values[1], size, ir.Constant(ir.IntType(64), target.size))
        return context.get_dummy_value()

    return types.none(target, source), generate


read: Any = intrinsic(_read)
write: Any = intrinsic(_write)
add: Any = intrinsic(_add)
replace: Any = intrinsic(_replace)
rest: Any = intrinsic(_rest)
now: Any = intrinsic(_now)
copy_record: Any = intrinsic(_copy_record)
