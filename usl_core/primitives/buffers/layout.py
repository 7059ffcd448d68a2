"""What operators ask that change how a local buffer is laid out: nothing may depend on the old layout unnoticed."""

from __future__ import annotations

from usl_core.cursors.path import Path, stmts
from usl_core.errors import Span
from usl_core.ir.nodes import Alloc
from usl_core.primitives.base import refuse
from usl_core.primitives.buffers.reindex import scope_of
from usl_core.primitives.buffers.uses import Use, passed_whole, reads_strides, with_windows
from usl_core.procedure import Procedure


def span_of(use: Use, alloc: Alloc) -> Span:
    """Where a use stands, or the allocation if no source text stands for it."""
    return use.node.span if use.node.span.line else alloc.span


def require_not_whole(use: Use, alloc: Alloc) -> None:
    """A use is not the whole buffer as an argument: its formal repeats the old shape."""
    if passed_whole(use):
        message = f"{alloc.name.name} is passed whole to a call, which expects its old shape"
        refuse(message, span_of(use, alloc), ["hint: pass a window of it, or inline the call"], code="E456")


def require_no_strides(proc: Procedure, path: Path, alloc: Alloc) -> None:
    """No condition depends on a stride of the buffer allocated at path. (Assertions of callees are proved again.)"""
    scope = stmts(proc.ir, scope_of(proc.ir, path))
    found = reads_strides(scope, with_windows(scope, alloc.name))
    if found is not None:
        message = f"the program depends on strides of {alloc.name.name}, which change"
        refuse(message, found.span if found.span.line else alloc.span, code="E457")
