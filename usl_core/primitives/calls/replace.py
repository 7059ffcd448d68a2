"""The operator `replace`: a block becomes a call of a procedure (usually an instruction) with the same meaning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from weakref import WeakKeyDictionary

from usl_core.analysis import affine
from usl_core.analysis.conditions import head_line
from usl_core.analysis.context import Context
from usl_core.analysis.lower import Lowering
from usl_core.analysis.memories import misplaced
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, stmt_path, stmts
from usl_core.errors import NOWHERE, SchedulingError, Span
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Arg, Block, Call, Expr, Interval, Proc, Read
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import binders, rename
from usl_core.ir.types import BOOL, ControlType, ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.calls.agreement import same_meaning
from usl_core.primitives.calls.inlining import argument_that_changes, inlined, window_over
from usl_core.primitives.calls.unify import Mismatch, Solution, Unifier
from usl_core.primitives.locate import Where, block_at, context_at
from usl_core.procedure import Procedure

_RENAMED: WeakKeyDictionary[Proc, Proc] = WeakKeyDictionary()


@primitive()
def replace(proc: Procedure, block: Where, f: Procedure) -> Edit:
    """Replace a block by a call of f, with the arguments that make them equal.

        for i in seq(0, 16):            ~>      f(x[8:24])
            x[i + 8] = 0.0

    The arguments are found by unifying f's body with the block modulo linear equalities; a literal stands for a scalar formal
    that f never writes. Then the call is inlined again and must equal the block, and f's sizes, assertions,
    strides and the disjointness of its arguments are proved at the call.

    Raises:
        SchedulingError: the body does not match (the notes name the parts that differ), or a precondition of f may fail.
    Forwarding: a cursor to the block moves to the call; what was inside the block dies.
    """
    loc = block_at(proc, block)
    try:
        call = _matching_call(proc, loc, f)
    except Mismatch as mismatch:
        # Most tries of a schedule are made to fail: the text is made when somebody reads it.
        raise SchedulingError.deferred(partial(_explained, mismatch, f, stmts(proc.ir, loc)), "E430") from None
    return edit_of(proc).replace(loc, (call,))


def _matching_call(proc: Procedure, loc: BlockLoc, f: Procedure) -> Call:
    """The call of f that equals the block. Raises Mismatch if there is none."""
    old = stmts(proc.ir, loc)
    # f may be a version of this very procedure and share its names.
    callee = _renamed(f.ir)
    solution = Unifier(callee).solve(old)
    ctx = context_at(proc, stmt_path(loc, 0))
    args = tuple(_argument(formal, solution, ctx) for formal in callee.args)
    call = Call(f.ir, args, span=old[0].span)
    _require_memories(ctx, call)
    field = argument_that_changes(call)
    if field is not None:
        raise Mismatch(f"an argument would read {field.name}, which {f.name()} writes")
    if not same_meaning(ctx, inlined(call), old):
        raise Mismatch(f"the arguments found by unification, {head_line(call)}, do not give the block back")
    return call


def _renamed(callee: Proc) -> Proc:
    """callee with names of its own, which no block to be unified with it has."""
    found = _RENAMED.get(callee)
    if found is None:
        found = _RENAMED[callee] = rename(callee, {name: name.copy() for name in binders(callee)})
    return found


def _explained(mismatch: Mismatch, f: Procedure, old: Block) -> tuple[str, Span | None, Sequence[str]]:
    """The message, span and notes of the error."""
    span = mismatch.block.span if mismatch.block is not None and mismatch.block.span.line else old[0].span
    notes = mismatch.notes(_renamed(f.ir).body, old)
    return f"replace: {f.name()} does not match the block: {mismatch.reason}", span, notes


def _require_memories(ctx: Context, call: Call) -> None:
    """Raises Mismatch if a buffer lies elsewhere than f expects it: a load is not a store, although both copy."""
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        found = misplaced(ctx, formal, actual)
        if found is not None:
            raise Mismatch(f"{formal.name.name} is in {(formal.mem or DRAM).name}, but {show_expr(actual)} is in {found.name}")


def _argument(formal: Arg, solution: Solution, ctx: Context) -> Expr:
    """The argument for a formal. Raises Mismatch: the formal is dense, and would get a part of a buffer."""
    name = formal.name
    if isinstance(formal.type, ControlType):
        return solution.bools[name] if formal.type is BOOL else from_lin(solution.controls[name], NOWHERE)
    if name in solution.literals:
        return solution.literals[name]
    guess = solution.windows[name]
    typ = ctx.buffers[guess.buffer].type
    if isinstance(typ, ScalarType):
        return window_over(guess.buffer, (), TensorType(typ, ()))
    shape = formal.type.shape if isinstance(formal.type, TensorType) else ()
    extents = tuple(affine.subst(Lowering().index(extent), solution.controls) for extent in shape)
    if isinstance(formal.type, TensorType) and not formal.type.window:
        if extents != ctx.shape(guess.buffer) or any(offset != affine.ZERO for offset in guess.offsets):
            raise Mismatch(f"{name.name} is dense, but only a part of {guess.buffer.name} would be passed")
        return Read(guess.buffer, (), type=typ)
    entries: list[Expr | Interval] = []
    for offset, dim in zip(guess.offsets, guess.dims, strict=True):
        low = from_lin(offset)
        entries.append(low if dim is None else Interval(low, from_lin(offset + extents[dim])))
    return window_over(guess.buffer, entries, typ)
