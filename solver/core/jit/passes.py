"""The passes by which numba compiles a kernel, without those that find nothing in one.

An index of a kernel counts from the start of an array and is never negative.  Compiled code need not look for its sign
then, which would take a sixth to a quarter of all instructions of a step.

Kernels of a step allocate nothing, and whoever calls them from Python holds the arrays: what only kernels call, and
makes no array, counts no references.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import ir
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.ir_utils import build_definitions
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NopythonTypeInference, PreLowerStripPhis

# A kernel has no closures, no contexts, raises nothing, calls nothing that numba takes in as source or unrolls, and has
# no expressions of whole arrays; nobody reads its types beside its source.
NEEDLESS_PASSES = {
    "WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "InlineInlinables",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "InlineOverloads", "NopythonRewrites",
    "NoPythonSupportedFeatureValidation", "AnnotateTypes", "DumpParforDiagnostics",
}  # fmt: skip
# What finds the branches that an argument decides by being None.
OF_NONE = {"RewriteSemanticConstants", "DeadBranchPrune"}


class KernelPasses(PassManager):  # type: ignore[misc]
    """Runs passes and does no more: numba tells each of them, with all types in words, to whoever may listen."""

    def _runPass(self, index: int, each: Any, state: Any) -> None:
        each.analysis = self._analysis
        each.run_initialization(state)
        each.run_pass(state)
        each.run_finalizer(state)


def kernel_passes(state: Any) -> KernelPasses:
    """The passes for one function."""
    needless = NEEDLESS_PASSES if types.none in state.args else NEEDLESS_PASSES | OF_NONE
    passes = KernelPasses("kernel")
    for each, description in DefaultPassBuilder.define_nopython_pipeline(state).passes:
        if each.__name__ not in needless:
            passes.add_pass(INSTEAD.get(each.__name__, each), description)
    passes.add_pass_after(UnsignedIndices, NopythonTypeInference)
    passes.add_pass_after(UncountedReferences, UnsignedIndices)
    passes.finalize()
    return passes


class KernelPass(FunctionPass):  # type: ignore[misc]
    """One of the passes below."""

    def __init__(self) -> None:  # abstract in numba
        super().__init__()


def go_on_with(function: Any, state: Any) -> bool:
    """Let the passes that follow have this version of the function, with the places where its variables are set."""
    function._definitions = build_definitions(function.blocks)
    state.func_ir = function
    return True


@register_pass(mutates_CFG=True, analysis_only=False)
class OrderedBlocks(KernelPass):
    """Blocks as the passes that follow expect them; how long variables live is found before the last of them only."""

    _name = "gsolve_ordered_blocks"

    def run_pass(self, state: Any) -> bool:
        """In place of numba's `IRProcessing`."""
        state.func_ir.blocks = canonicalize_cfg(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class SingleAssignments(KernelPass):
    """Variables that are assigned once each."""

    _name = "gsolve_single_assignments"

    def run_pass(self, state: Any) -> bool:
        """In place of numba's `ReconstructSSA`."""
        return go_on_with(reconstruct_ssa(state.func_ir), state)


@register_pass(mutates_CFG=False, analysis_only=False)
class NoPhis(PreLowerStripPhis):  # type: ignore[misc]
    """Assignments in place of the choices where blocks meet."""

    _name = "gsolve_no_phis"

    def run_pass(self, state: Any) -> bool:
        """In place of numba's own, as above."""
        return go_on_with(self._strip_phi_nodes(state.func_ir), state)


INSTEAD = {"IRProcessing": OrderedBlocks, "ReconstructSSA": SingleAssignments, "PreLowerStripPhis": NoPhis}


@register_pass(mutates_CFG=False, analysis_only=False)
class UnsignedIndices(KernelPass):
    """Take the integers by which a function indexes arrays for unsigned ones, whatever they are."""

    _name = "gsolve_unsigned_indices"

    def run_pass(self, state: Any) -> bool:
        """Declare the indices anew; values are converted to what is declared."""
        for block in state.func_ir.blocks.values():
            index_by_variable(block, state.typemap, state.calltypes)
        state.calltypes = {
            call: with_unsigned_index(signature) if is_indexing(call) else signature
            for call, signature in state.calltypes.items()
        }
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class UncountedReferences(KernelPass):
    """Write no code that counts references to arrays where none is made."""

    _name = "gsolve_uncounted_references"

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


def index_by_variable(block: Any, kinds: Any, calltypes: Any) -> None:
    """Let numbers index arrays as variables do: numba has no other way, and would look for one each time."""
    for k, statement in enumerate(block.body):
        if isinstance(statement, ir.StaticSetItem):
            if is_array_at_number(statement.target, statement, kinds):
                block.body[k] = ir.SetItem(statement.target, statement.index_var, statement.value, statement.loc)
                calltypes[block.body[k]] = calltypes.pop(statement)
        elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
            read = statement.value
            if read.op == "static_getitem" and is_array_at_number(read.value, read, kinds):
                statement.value = ir.Expr.getitem(read.value, read.index_var, read.loc)
                calltypes[statement.value] = calltypes.pop(read)


def is_array_at_number(container: Any, indexing: Any, kinds: Any) -> bool:
    """Whether a constant index is that of one element or row of an array."""
    return isinstance(kinds[container.name], types.Array) and isinstance(indexing.index, int) and indexing.index_var


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
