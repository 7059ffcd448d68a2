"""set_memory: where a buffer lives."""

from __future__ import annotations

from usl_core.analysis.lower import index_lin
from usl_core.arguments import checked
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import ArgLoc, Loc, NodeLoc
from usl_core.equivalence import Relation
from usl_core.ir.memory import MemoryClass
from usl_core.ir.nodes import Alloc, Arg, Expr, Literal, index_literal
from usl_core.ir.traverse import update
from usl_core.ir.types import TensorType
from usl_core.primitives.base import edit_of, primitive, require
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.locate import Where, buffer_at, context_at
from usl_core.primitives.operators import as_operator
from usl_core.procedure import Procedure


@checked
@as_operator()
def set_memory(proc: Procedure, buf: Where, mem: MemoryClass) -> Procedure:
    """Say in which memory a buffer lives.

        x: f32[16] @ DRAM    ~>    x: f32[16] @ AVX512

    What the program means does not depend on memories. Extents of an allocation that what is known at the place makes a number
    are written as that number, which is what many memories need. Whether the memory can hold such a buffer, and whether plain
    code may touch it, is checked when code is generated. For a formal, callers see another interface.

    Raises:
        SchedulingError: mem is no Memory class; buf names no allocation or data formal.
    Forwarding: everything stays.
    Also known as: set_scope (TVM), store_in (Halide).
    """
    if isinstance(buffer_at(proc, buf)[0], ArgLoc):
        return _of_formal(proc, buf, mem)
    return _of_allocation(proc, buf, mem)


@primitive(name="set_memory")
def _of_allocation(proc: Procedure, buf: Where, mem: MemoryClass) -> Edit:
    loc, alloc = buffer_at(proc, buf)

    return with_declared_types(edit_of(proc).replace_exprs(_known_extents(proc, loc, alloc)).update(loc, mem=mem))


def _known_extents(proc: Procedure, loc: NodeLoc | ArgLoc, alloc: Alloc | Arg) -> dict[Loc, Expr]:
    """Numbers for the extents of an allocation that can be nothing else there."""
    assert isinstance(loc, NodeLoc)
    if not isinstance(alloc.type, TensorType):
        return {}
    ctx = context_at(proc, loc.path)
    symbolic = ((dim, extent) for dim, extent in enumerate(alloc.type.shape) if not isinstance(extent, Literal))
    found = ((dim, ctx.value(index_lin(extent))) for dim, extent in symbolic)
    return {NodeLoc((*loc.path, ("shape", dim))): index_literal(k) for dim, k in found if k is not None}


@primitive(Relation.INTERFACE, name="set_memory")
def _of_formal(proc: Procedure, buf: Where, mem: MemoryClass) -> Edit:
    loc, formal = buffer_at(proc, buf)

    assert isinstance(formal, Arg)
    require(formal.mem is not None, f"{formal.name.name} is a control value and lives in no memory", formal.span)

    return edit_of(proc).replace_arg(loc, update(formal, mem=mem))
