"""Kernels: functions that numba compiles, by the rules of the house.

Arithmetic follows IEEE 754 (a division by zero gives inf or NaN and raises nothing), is done as written (no fastmath),
and machine code is kept on disk (`machine_code`).  A kernel is compiled into the kernels that call it.  Called from
Python it gets a wrapper, made then, around the same code: half of the compilation of nested kernels would be wrappers
that nobody calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, update_wrapper
from typing import Any, TypeVar, cast, overload

from .compilers import NestedCompiler, entry_from_python
from .machine_code import MachineCode

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nopython": True, "error_model": "numpy"}
# Of what only other functions call: without wrappers, which take as long as a short function itself.
CONTAINED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


@cache
def _dispatcher_class() -> Any:
    from numba import types
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import CPUDispatcher
    from numba.core.sigutils import normalize_signature

    class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
        """One compilation for all values of an argument.

        Numba compiles a function anew for each number that stands in a call of it.

        contained : what compiles the same kernel into others; None of what does that itself
        """

        contained: Any = None

        def get_call_template(self, args: Any, kws: Any) -> Any:
            plain = tuple(types.unliteral(kind) for kind in args)
            return super().get_call_template(plain, {name: types.unliteral(kind) for name, kind in kws.items()})

        def compile(self: Any, sig: Any) -> Any:
            """Compile for a signature, without the clocks that numba lets run at each call of LLVM."""
            with global_compiler_lock, self._compiling_counter:
                args, result = normalize_signature(sig)
                known = self.overloads.get(tuple(args))
                if known is not None:
                    return known.entry_point
                compiled = self._cache.load_overload(sig, self.targetctx)
                if compiled is None:
                    compiled = self._made(args, result)
                    self._cache.save_overload(sig, compiled)
                else:
                    self.targetctx.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
                self.add_overload(compiled)
                return compiled.entry_point

        def _made(self: Any, args: Any, result: Any) -> Any:
            if self.contained is None:
                return self._compiler.compile(args, result)
            self.contained.compile(args)
            return entry_from_python(self.targetctx, self.contained.overloads[tuple(args)])

    return KernelDispatcher


class Kernel:
    """A function for compiled code.

    py_func : the function as written
    """

    def __init__(self, function: Callable[..., Any], inline: bool) -> None:
        self.py_func = function
        self._inline = inline
        self._dispatchers: dict[str, Any] = {}
        update_wrapper(self, function)

    @property
    def _numba_type_(self) -> Any:
        """How numba sees a kernel that another one names."""
        return self._dispatcher("nested")._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        return self._dispatcher("python")(*arguments)

    def _dispatcher(self, variant: str) -> Any:
        """What compiles the function into others ("nested"), or lets Python call it ("python")."""
        if variant not in self._dispatchers:
            options = {**OPTIONS, **CONTAINED, "forceinline": self._inline}
            dispatcher: Any = _dispatcher_class()(self.py_func, targetoptions=options, pipeline_class=NestedCompiler)
            dispatcher._cache = MachineCode(self.py_func, variant)
            if variant == "python":
                dispatcher.contained = self._dispatcher("nested")
            self._dispatchers[variant] = dispatcher
        return self._dispatchers[variant]


@overload
def kernel(function: Function) -> Function: ...


@overload
def kernel(*, inline: bool) -> Callable[[Function], Function]: ...


def kernel(function: Function | None = None, *, inline: bool = False) -> Any:
    """Make a function a kernel.

    inline : take it into the code of its callers, whatever its size
    """
    if function is None:
        return lambda function: kernel_of(function, inline)
    return kernel_of(function, inline)


def kernel_of(function: Function, inline: bool) -> Function:
    return cast(Function, Kernel(function, inline))
