"""The operator `replace`: a block becomes a call of a procedure (usually an instruction) with the same meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from weakref import WeakKeyDictionary

from usl_core.analysis import affine
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import head_line
from usl_core.analysis.context import Context
from usl_core.analysis.holding import Held
from usl_core.analysis.lower import Lowering
from usl_core.analysis.memories import misplaced
from usl_core.analysis.obligations import dense_layout
from usl_core.analysis.raise_ import from_lin
from usl_core.cursors.cursor import make_cursor
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import BlockLoc, NodeLoc, Path, get_stmt, stmt_path, stmts
from usl_core.errors import SchedulingError, Span
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Arg, Block, Call, Expr, Interval, Node, Proc, Read, Stmt, WindowExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import binders, children, rename
from usl_core.ir.types import BOOL, ControlType, ScalarType, TensorType
from usl_core.primitives.base import edit_of, primitive
from usl_core.primitives.calls.agreement import same_meaning
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.calls.inlining import argument_that_changes, inlined, window_over
from usl_core.primitives.calls.rearranging import Rearranged, alike, solve_otherwise
from usl_core.primitives.calls.solving import solve
from usl_core.primitives.calls.unify import Mismatch, Solution, Unifier
from usl_core.primitives.exprs.commute_expr import commute_expr
from usl_core.primitives.locate import Where, block_at, context_at
from usl_core.primitives.operators import as_operator
from usl_core.primitives.stmts.fold_into_reduce import fold_into_reduce
from usl_core.procedure import Procedure

_RENAMED: WeakKeyDictionary[Proc, Proc] = WeakKeyDictionary()


@as_operator()
def replace(proc: Procedure, block: Where, f: Procedure) -> Procedure:
    """Replace a block by a call of f, with the arguments that make them equal.

        for i in seq(0, 16):            ~>      f(x[8:24])
            x[i + 8] = 0.0

    The arguments are found by unifying f's body with the block modulo linear equalities and what is known at the place: under
    `if n == 16`, a loop up to `n` matches one up to 16, and a field that holds `a` matches `a`. A literal stands for a scalar
    formal that f never writes. Sizes in the extents of dense formals are those of the buffers, a loop between two formals
    starts where the block's does, equations that f asserts determine formals, and formals that f does not use get something
    that fits.
    Where operands stand in another order, or f adds by `+=` what the block adds by `=`, `commute_expr` and `fold_into_reduce`
    come first, as steps of their own; where f adds by `=`, a version of f is called first and exchanged by `call_eqv`. Then the
    call is inlined again and must equal the block, and f's sizes, assertions, strides and the disjointness of its arguments are
    proved at the call.

    Raises:
        SchedulingError: the body does not match (the notes name the parts that differ), or a precondition of f may fail.
    Forwarding: a cursor to the block moves to the call; what was inside the block dies.
    """
    try:
        return _replace(proc, block, f)
    except Rearranged as needed:
        loc = block_at(proc, block)
        cursor = make_cursor(proc, loc)
        found = replace(_rearranged(proc, loc, needed), cursor, _reducing(f, needed.of_callee))
        return call_eqv(found, cursor, f) if needed.of_callee else found


@primitive(name="replace")
def _replace(proc: Procedure, block: Where, f: Procedure) -> Edit:
    loc = block_at(proc, block)
    old = stmts(proc.ir, loc)
    # Most tries of a schedule are made to fail: the reason is looked for, and the text made, when somebody reads it.
    if not alike(_renamed(f.ir).body, old):
        raise SchedulingError.deferred(lambda: _explained(_why_not(proc, loc, f), f, old), "E430")
    try:
        call = _matching_call(proc, loc, f)
    except Mismatch as mismatch:
        raise SchedulingError.deferred(partial(_explained, mismatch, f, old), "E430") from None
    return edit_of(proc).replace(loc, (call,))


def _rearranged(proc: Procedure, loc: BlockLoc, needed: Rearranged) -> Procedure:
    """proc with the parts of the block at loc that needed names in the form that is needed."""
    places = [stmt_path(loc, offset) for offset in range(loc.hi - loc.lo)]
    nodes = [found for path in places for found in _below(path, get_stmt(proc.ir, path))]
    after = proc
    for stmt in needed.folded:
        for path in (path for path, node in nodes if node is stmt):
            after = fold_into_reduce(after, make_cursor(proc, NodeLoc(path)))
    swapped = [make_cursor(proc, NodeLoc(path)) for path, node in nodes if any(node is expr for expr in needed.commuted)]
    return commute_expr(after, swapped) if swapped else after


def _reducing(f: Procedure, folded: Sequence[Stmt]) -> Procedure:
    """f with these statements, of its copy with other names, as reductions."""
    copies = [node for stmt in _renamed(f.ir).body for _, node in _below((), stmt)]
    paths = [path for k, stmt in enumerate(f.ir.body) for path, _ in _below((("body", k),), stmt)]
    result = f
    for path in [path for path, node in zip(paths, copies, strict=True) if any(node is stmt for stmt in folded)]:
        result = fold_into_reduce(result, make_cursor(f, NodeLoc(path)))
    return result


def _below(path: Path, node: Node) -> Iterator[tuple[Path, Node]]:
    """The node at path and all nodes below it, with their paths."""
    yield path, node
    for step, child in children(node):
        yield from _below((*path, step), child)


def _matching_call(proc: Procedure, loc: BlockLoc, f: Procedure) -> Call:
    """The call of f that equals the block. Raises Mismatch if there is none."""
    old = stmts(proc.ir, loc)
    # f may be a version of this very procedure and share its names.
    callee = _renamed(f.ir)

    def where() -> Context:
        return context_at(proc, stmt_path(loc, 0))

    match = Unifier(callee, where)
    try:
        solve(match, old)
    except Mismatch as mismatch:
        match = solve_otherwise(callee, where, old, mismatch)
    ctx, solution = match.ctx, match.solution
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


def _why_not(proc: Procedure, loc: BlockLoc, f: Procedure) -> Mismatch:
    """Where the block at loc, which is not alike, differs."""
    try:
        solve(Unifier(_renamed(f.ir), lambda: context_at(proc, stmt_path(loc, 0))), stmts(proc.ir, loc))
    except Mismatch as mismatch:
        return mismatch
    return Mismatch("the statements differ")


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
        return solution.bools[name] if formal.type is BOOL else _written(ctx, solution.controls[name])
    if name in solution.literals:
        return solution.literals[name]
    guess = solution.windows[name]
    typ = ctx.scope.buffers[guess.buffer].type
    if isinstance(typ, ScalarType):
        return window_over(guess.buffer, (), TensorType(typ, ()))
    shape = formal.type.shape if isinstance(formal.type, TensorType) else ()
    extents = tuple(affine.subst(Lowering().index(extent), solution.controls) for extent in shape)
    dense = isinstance(formal.type, TensorType) and not formal.type.window
    entries: list[Expr | Interval] = []
    for offset, dim in zip(guess.offsets, guess.dims, strict=True):
        low = _written(ctx, offset)
        entries.append(low if dim is None else Interval(low, _written(ctx, offset + extents[dim])))
    whole = extents == ctx.scope.shape(guess.buffer) and all(offset == affine.ZERO for offset in guess.offsets)
    found = Read(guess.buffer, (), type=typ) if dense and whole else window_over(guess.buffer, entries, typ)
    if dense and not _holds_dense(ctx, found):
        raise Mismatch(f"{name.name} is dense, and the part {show_expr(found)} that would be passed may not be")
    return found


def _holds_dense(ctx: Context, part: Expr) -> bool:
    assert isinstance(part, Read | WindowExpr)
    return ctx.holds(dense_layout(ctx, part))


def _written(ctx: Context, value: Lin) -> Expr:
    """A value as an expression in the block's place. Raises Mismatch if it needs what a field held and none holds now."""
    named = [name for name in affine.syms(value) if isinstance(name, Held) or name in ctx.fields.written]
    holders = {held: field for field, held in ctx.fields.values.items()} if named else {}
    for name in named:
        if affine.var(name) not in holders:
            raise Mismatch(f"an argument would need what {name.name} held before, and no field holds that now")
    return from_lin(affine.subst(value, {name: affine.var(holders[affine.var(name)]) for name in named}))
