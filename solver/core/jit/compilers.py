"""How numba compiles kernels: with less of what only other functions need, and nested ones not to machine code.

An index of a kernel counts from the start of an array and is never negative.  Compiled code need not look for its sign
then, which would take a sixth to a quarter of all instructions of a step.

Kernels of a step allocate nothing, and whoever calls them from Python holds the arrays: what only kernels call, and
makes no array, counts no references.

numba optimises each function with all that it calls, makes machine code of it, and takes it into its callers, where
all of it is optimised once more.  Of a nested kernel, one that only other kernels contain, nobody runs the machine
code: it is simplified by itself and kept as LLVM's bitcode, and what contains it, behind an address or for calls from
Python, is optimised as a whole, once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numba.core.runtime._nrt_python as c_runtime
from numba import types
from numba.core import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder, Flags, compile_result
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.runtime import rtsys
from numba.core.typed_passes import NopythonTypeInference

# Of numba's passes, those that find nothing in a kernel: it has no closures, nothing that numba takes in as source,
# and no expressions of whole arrays.
NEEDLESS_PASSES = {"InlineClosureLikes", "InlineOverloads", "NopythonRewrites"}
NUMBERS = types.Number, types.Boolean


@register_pass(mutates_CFG=False, analysis_only=False)
class UnsignedIndices(FunctionPass):  # type: ignore[misc]
    """Take the integers by which a function indexes arrays for unsigned ones, whatever they are."""

    _name = "gsolve_unsigned_indices"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Declare the indices anew; values are converted to what is declared."""
        state.calltypes = {
            call: with_unsigned_index(signature) if is_indexing(call) else signature
            for call, signature in state.calltypes.items()
        }
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class UncountedReferences(FunctionPass):  # type: ignore[misc]
    """Write no code that counts references to arrays where none is made."""

    _name = "gsolve_uncounted_references"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Of this compilation alone, whose target that is."""
        if any(makes_array(call, signature) for call, signature in state.calltypes.items()):
            return False
        if holds_counted_array(state.return_type):
            raise AssertionError(f"{state.func_id.func_qualname} returns an array, whose references a caller may count")
        state.targetctx.enable_nrt = False
        return True


def makes_array(call: Any, signature: Any) -> bool:
    """Whether an expression may be a new array, or a statement that copies one may need another in between."""
    if isinstance(call, ir.SetItem | ir.StaticSetItem):
        return isinstance(signature.args[-1], types.Array)
    if not isinstance(call, ir.Expr) or is_indexing(call) or call.op == "static_getitem":
        return False
    return holds_counted_array(signature.return_type)


def holds_counted_array(kind: Any) -> bool:
    """Whether what a kernel returns may hold an array of its own, as no field of a record is."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return any(holds_counted_array(part) for part in parts)
    return isinstance(kind, types.Array) and not isinstance(kind, types.NestedArray)


def is_indexing(call: Any) -> bool:
    """Whether an expression or a statement takes or sets what an index, not known while compiling, stands for."""
    return isinstance(call, ir.SetItem) or (isinstance(call, ir.Expr) and call.op == "getitem")


def with_unsigned_index(signature: Any) -> Any:
    """The signature (container, index, ...) with an unsigned index, of an array; any other as it is."""
    if signature is None or not isinstance(signature.args[0], types.Array):
        return signature
    array, index, *value = signature.args
    return signature.replace(args=(array, unsigned(index), *value))


def unsigned(index: Any) -> Any:
    """The type of an index, its integers without a sign."""
    if isinstance(index, types.Integer):
        return types.uintp
    if isinstance(index, types.BaseTuple):
        parts: Any = index
        return types.Tuple([unsigned(part) for part in parts])
    return index


@cache
def remember_types(typing_context: Any) -> None:
    """Let numba ask once what an operator or a function makes of numbers of some types.

    It goes through all that it knows of the operator each time, arrays with broadcasting too.
    """
    resolve, known = typing_context.resolve_function_type, dict[Any, Any]()

    def resolve_once(function: Any, arguments: Any, keywords: Any) -> Any:
        is_plain = arguments and not keywords and all(isinstance(kind, NUMBERS) for kind in arguments)
        if not is_plain or (isinstance(function, types.Type) and type(function) is not types.Function):
            return resolve(function, arguments, keywords)
        key = function, tuple(arguments)
        if key not in known:
            found = resolve(function, arguments, keywords)
            if found is None:
                return None
            known[key] = found
        return known[key]

    typing_context.resolve_function_type = resolve_once


class KernelFlags(Flags):  # type: ignore[misc]
    """Options of a compilation, which numba compares very often, quickly compared."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelFlags) and bool(self._values == other._values)

    def __hash__(self) -> int:
        return hash(KernelFlags)


class KernelCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler without the passes that a kernel does not need."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags = KernelFlags(self.state.flags)
        remember_types(self.state.typingctx)

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [each for each in pipeline.passes if each[0].__name__ not in NEEDLESS_PASSES]
        pipeline.add_pass_after(UnsignedIndices, NopythonTypeInference)
        if self.state.flags.no_cpython_wrapper:
            pipeline.add_pass_after(UncountedReferences, UnsignedIndices)
        pipeline.finalize()
        return [pipeline]


class NestedCompiler(KernelCompiler):
    """The same, into a `NestedLibrary`."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = NestedLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class NestedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a nested kernel and of all that it calls."""

    def add_linking_library(self, library: Any) -> None:
        """Link what the kernel calls; numba's own runtime is linked to what contains the kernel."""
        if library is not rtsys.library:
            super().add_linking_library(library)

    def _optimize_final_module(self) -> None:
        """What contains the kernel is optimised as a whole."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None can be called."""
        return 0

    @property
    def codegen(self) -> Any:
        """What is asked to set environments, see there."""
        return _NoEnvironments


class _NoEnvironments:
    """Where numba puts the Python objects that a function refers to: a kernel refers to none."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Nothing."""


def reduced(compiled: Any) -> tuple[Any, ...]:
    """What is to be kept of a nested kernel."""
    descriptor, library = compiled.fndesc, compiled.library
    descriptor.typemap = descriptor.calltypes = None  # not needed, and large
    bitcode = library._get_module_for_linking().as_bitcode()
    return library.name, bitcode, descriptor, compiled.environment, compiled.signature


def rebuilt(target_context: Any, name: str, bitcode: bytes, descriptor: Any, environment: Any, signature: Any) -> Any:
    """A nested kernel from what was kept."""
    library = NestedLibrary(target_context.codegen(), name)
    library._final_module = library._shared_module = llvm.parse_bitcode(bitcode)
    library._finalize_final_module()
    return compile_result(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=target_context.get_executable(library, descriptor, environment),
        signature=signature,
        objectmode=False,
        library=library,
        fndesc=descriptor,
        environment=environment,
        reload_init=[],
    )


@cache
def declare_runtime() -> None:
    """Let machine code that is read from disk find numba's runtime; numba itself does so before it compiles."""
    for name, address in c_runtime.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
