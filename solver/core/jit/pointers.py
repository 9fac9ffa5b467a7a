"""Compiled functions called through pointers, so that callers do not contain them.

A compiled function that calls another one takes its code in and optimises it again, with all that this one calls, and
so on at each level.  Called through its address, large code is compiled once on a machine, whatever calls it: a call
takes some tens of nanoseconds more, which is nothing for what is called once a step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba.experimental.function_type  # noqa: F401  by which `numba.typeof` knows pointers
from numba import typeof, types


class KernelPointer(types.WrapperAddressProtocol):  # type: ignore[misc]
    """The address of a kernel for arguments of given types; compiled, or read from the cache, when first needed."""

    def __init__(self, kernel: Any, result: types.Type, *arguments: types.Type) -> None:
        self._kernel, self._signature = kernel, result(*arguments)

    def __wrapper_address__(self) -> int:
        return self._address

    @cached_property
    def _address(self) -> int:
        self._kernel.compile(self._signature.args)
        compiled = self._kernel.get_compile_result(self._signature)
        return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name))

    def signature(self) -> Any:
        """Types of the result and the arguments, as numba asks for them."""
        return self._signature


def entry_point(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """What a call of a kernel with arguments of these types ends in; it must be called with no others.

    Numba finds out the type of every argument of every call: where there are pointers among them that takes
    milliseconds, as long as thousands of steps of a small machine.
    """
    kinds = tuple(typeof(argument) for argument in arguments)
    kernel.compile(kinds)
    return kernel.overloads[kinds].entry_point  # type: ignore[no-any-return]
