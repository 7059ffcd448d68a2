"""Whether buffers live where the procedures that get them expect them."""

from __future__ import annotations

from usl_core.analysis.context import Context
from usl_core.errors import BackendError
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import Arg, Call, Expr, Literal, Proc, Read, ReadConfig, WindowExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.types import ControlType


def misplaced(ctx: Context, formal: Arg, actual: Expr) -> MemoryClass | None:
    """The memory of a buffer argument if it is neither the formal's nor a subclass of it, otherwise None."""
    if isinstance(formal.type, ControlType) or isinstance(actual, Literal | ReadConfig):
        return None
    assert isinstance(actual, Read | WindowExpr)
    mem = ctx.scope.buffers[actual.name].mem
    return None if issubclass(mem, formal.mem or DRAM) else mem


def check_memories(proc: Proc) -> None:
    """Every buffer argument of every call of proc is in the memory that the callee's formal names.

    Raises:
        BackendError: one is not.
    """
    for ctx, stmt in Context.of_proc(proc).walk(proc.body):
        if isinstance(stmt, Call):
            _check_call(ctx, stmt)


def _check_call(ctx: Context, call: Call) -> None:
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        found = misplaced(ctx, formal, actual)
        if found is not None:
            expected = (formal.mem or DRAM).name
            place = f"in {expected}, but {show_expr(actual)} is in {found.name}"
            raise BackendError(
                f"{call.proc.name} wants its argument {formal.name.name} {place}",
                span=call.span,
                notes=[f"hint: set_memory, or stage it into a buffer in {expected} (stage_mem)"],
                code="E620",
            )
