"""How numba compiles kernels: with less of what only other functions need, and nested ones not to machine code.

numba optimises each function with all that it calls, makes machine code of it, and takes it into its callers, where
all of it is optimised once more.  Of a nested kernel, one that only other kernels contain, nobody runs the machine
code: it is simplified by itself and kept as LLVM's bitcode, and what contains it, behind an address or for calls from
Python, is optimised as a whole, once.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import numba.core.runtime._nrt_python as c_runtime
from numba import types
from numba.core import base
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags, compile_result
from numba.core.runtime import rtsys

from ..garbage import rare_collections
from .passes import kernel_passes


@cache
def remember_types() -> None:
    """Let numba ask once what an operator or a function makes of some types.

    It goes through all that it knows of the operator each time, arrays with broadcasting too: when it finds the types,
    and again when it writes the code.
    """
    resolve, known = types.Function.get_call_type, dict[Any, Any]()

    def resolve_once(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
        if keywords:
            return resolve(function, context, arguments, keywords)
        key = context, function, tuple(arguments)  # what other targets make of them may differ
        if key not in known:
            known[key] = resolve(function, context, arguments, keywords)
        return known[key]

    types.Function.get_call_type = resolve_once  # type: ignore[method-assign,assignment]


@cache
def remember_sizes() -> None:
    """Let numba ask LLVM once how large a type is, and Python once what a function takes.

    LLVM is given a module to read for each question.
    """
    size_of, known = base.BaseContext.get_abi_sizeof, dict[str, int]()

    def size_once(context: Any, kind: Any) -> int:
        text = str(kind)
        if "%" in text:  # a name, which may stand for something else in another module
            return int(size_of(context, kind))
        if text not in known:
            known[text] = size_of(context, kind)
        return known[text]

    base.BaseContext.get_abi_sizeof = size_once  # type: ignore[method-assign, assignment]
    base._has_loc = cache(base._has_loc)  # type: ignore[assignment]


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
        remember_types()
        remember_sizes()

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        if self.state.library is None:
            self.state.library = ContainingLibrary(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        with rare_collections():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """The passes."""
        return [kernel_passes(self.state)]


class NestedCompiler(KernelCompiler):
    """The same, into a `NestedLibrary`."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = NestedLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class ContainingLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel behind an address and of all that it calls, which nothing else can call.

    So a nested kernel is handed what it uses: an array has seven members, a surface of a mesh is ten arrays.
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr and not function.is_declaration:
                # without a name: others would be linked to this one by it, though it takes other arguments
                function.linkage = "private"
        super()._optimize_final_module()


class NestedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a nested kernel and of all that it calls."""

    def add_linking_library(self, library: Any) -> None:
        """Link what the kernel calls; numba's own runtime is linked to what contains the kernel."""
        if library is not rtsys.library:
            super().add_linking_library(library)

    def finalize(self) -> None:
        """Take in what the kernel calls; what contains the kernel is checked and optimised as a whole."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_final_module()

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """The code itself: numba would copy it, as it runs what it links."""
        self._ensure_finalized()
        if self._shared_module is None:
            self._shared_module = self._final_module
            for function in self._shared_module.functions:
                if function.linkage == llvm.Linkage.external and not function.is_declaration:
                    function.linkage = "linkonce_odr"
        return self._shared_module

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
    return _callable(target_context, library, descriptor, environment, signature)


def reduced_callback(compiled: Any) -> tuple[Any, ...]:
    """What is to be kept of a kernel behind an address: machine code, and where in it a call begins.

    numba keeps what LLVM made it from too, ten times as much, and reads it at each start.
    """
    library, name = compiled.library, compiled.fndesc.llvm_cfunc_wrapper_name
    library._ensure_finalized()
    return library.name, library._get_compiled_object(), name


def rebuilt_callback(target_context: Any, name: str, machine_code: bytes, entry: str) -> Any:
    """Such a kernel from what was kept; its library and its name are asked for."""
    library = library_of(target_context, name, machine_code, entry)
    return SimpleNamespace(library=library, fndesc=SimpleNamespace(llvm_cfunc_wrapper_name=entry))


def library_of(target_context: Any, name: str, machine_code: bytes, entry: str) -> Any:
    """Machine code in which a function of the name `entry` is called."""
    beginning = llvm.parse_assembly(f'define void @"{entry}"() {{ ret void }}')  # numba looks for the name in it
    return target_context.codegen().unserialize_library((name, "object", (machine_code, beginning.as_bitcode())))


def entry_from_python(target_context: Any, nested: Any) -> Any:
    """A nested kernel in a wrapper for calls from Python.

    What the kernel compiles to is not made a second time, and the wrapper holds what Python hands to it.
    """
    target_context.typing_context.refresh()  # where the kernel was read from disk, numba knows of no operations yet
    target_context.refresh()
    context, descriptor = target_context.subtarget(enable_nrt=True), nested.fndesc
    library = context.codegen().create_library(descriptor.qualname)
    library.enable_object_caching()
    with rare_collections(), context.push_code_library(library):
        context.create_cpython_wrapper(library, descriptor, nested.environment, call_helper=None)
        library.add_linking_library(nested.library)
        library.add_linking_library(rtsys.library)
        return _callable(context, library, descriptor, nested.environment, nested.signature)


def _callable(context: Any, library: Any, descriptor: Any, environment: Any, signature: Any) -> Any:
    return compile_result(
        typing_context=context.typing_context,
        target_context=context,
        entry_point=context.get_executable(library, descriptor, environment),
        signature=signature,
        objectmode=False,
        library=library,
        fndesc=descriptor,
        environment=environment,
        reload_init=[],
    )


def reduced_entry(compiled: Any) -> tuple[Any, ...]:
    """What is to be kept of an entry from Python."""
    descriptor, library, environment = compiled.fndesc, compiled.library, compiled.environment
    descriptor.typemap = descriptor.calltypes = None  # not needed, and large
    constants = list(environment.consts)
    return library.name, library._get_compiled_object(), descriptor, environment, constants, compiled.signature


def rebuilt_entry(
    target_context: Any,
    name: str,
    machine_code: bytes,
    descriptor: Any,
    environment: Any,
    constants: list[Any],
    signature: Any,
) -> Any:
    """An entry from Python from what was kept.

    constants : what the entry takes from its environment, the types of arrays that it returns.  Where the nested
        kernel was read before, the environment is that one's, which holds none.
    """
    environment.consts[:] = constants
    library = library_of(target_context, name, machine_code, descriptor.llvm_cpython_wrapper_name)
    return _callable(target_context, library, descriptor, environment, signature)


@cache
def declare_runtime() -> None:
    """Let machine code that is read from disk find numba's runtime; numba itself does so before it compiles."""
    for name, address in c_runtime.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
