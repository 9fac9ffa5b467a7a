"""Kernels called through their addresses, so that their callers do not contain them.

A compiled function that calls another one takes its code in and optimises it again, with all that this one calls, and
so on at each level.  What is called through an address is compiled once on a machine, whatever calls it, and only where
a deck needs it; a call costs some nanoseconds more.

A kernel behind an address is a C function, from which no exception gets out: it gives back a status, of which 0 is
never one that a kernel returns, so that one that died is noticed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from .compilers import KernelCompiler
from .kernels import OPTIONS, Kernel
from .machine_code import MachineCode

DIED = 0  # what comes back from a kernel that raised an exception


class Pointer:
    """The address of a kernel of a declared type; compiled, or read from disk, when first needed."""

    def __init__(self, kernel: Any, function: types.FunctionType) -> None:
        assert isinstance(kernel, Kernel)
        self._function = kernel.py_func
        self._signature = function.signature

    @property
    def is_kept(self) -> bool:
        """Whether the machine code is on disk, so that nothing need be compiled."""
        codegen = cpu_target.target_context.codegen()
        return MachineCode(self._function, "c").path(self._signature, codegen).exists()

    @cached_property
    def address(self) -> int:
        """Where the machine code begins."""
        return int(self._compiled.address)

    @cached_property
    def _compiled(self) -> Any:
        options = {**OPTIONS, "no_cpython_wrapper": True}
        kinds = self._signature.args, self._signature.return_type
        compiled: Any = CFunc(self._function, kinds, {}, options, KernelCompiler)
        compiled._cache = MachineCode(self._function, "c")
        compiled.compile()
        return compiled

    def entry(self) -> Callable[..., Any]:
        """For calls from Python, which let other threads run meanwhile: integers, floats, and addresses of the rest."""
        kinds = [_c_type(kind) for kind in (self._signature.return_type, *self._signature.args)]
        return ctypes.CFUNCTYPE(*kinds)(self.address)


def _c_type(kind: types.Type) -> Any:
    if kind == types.float64:
        return ctypes.c_double
    return ctypes.c_int64 if kind == types.int64 else ctypes.c_void_p


def function_type(*arguments: types.Type) -> types.FunctionType:
    """The declared type of kernels that are called by address: they return a status."""
    return types.FunctionType(types.int64(*arguments))


def _call(typing_context: Any, address: Any, function: Any, *arguments: Any) -> Any:
    """Call the kernel at an address with arguments of its declared type; returns its status.

    address : int64, of one that was never compiled 0: then the status is DIED; function : a `function_type`
    """
    declared = function.instance_type.signature
    if len(arguments) != len(declared.args):
        raise TypingError(f"a kernel of {len(declared.args)} arguments is called with {len(arguments)}")
    for k, (given, wanted) in enumerate(zip(arguments, declared.args, strict=True)):
        if types.unliteral(given) != wanted:
            raise TypingError(f"argument {k} of a kernel is {given}, declared as {wanted}")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in declared.args]
        kind = ir.FunctionType(context.get_value_type(declared.return_type), kinds)
        given = [builder.extract_value(values[2], k) for k in range(len(kinds))]
        status = cgutils.alloca_once_value(builder, ir.Constant(kind.return_type, DIED))
        with builder.if_then(builder.icmp_signed("!=", values[0], values[0].type(0)), likely=True):
            builder.store(builder.call(builder.inttoptr(values[0], kind.as_pointer()), given), status)
        return builder.load(status)

    return declared.return_type(types.int64, function, types.StarArgTuple(declared.args)), generate


call: Any = intrinsic(_call)
