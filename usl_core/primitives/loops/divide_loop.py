"""divide_loop: one loop becomes a nest of two."""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.context import Context
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, after, body_of
from usl_core.errors import UsageError
from usl_core.ir import make
from usl_core.ir.nodes import BinaryOp, Expr, For, If, Stmt, index_literal, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import substitute_block, with_fresh_binders
from usl_core.primitives.base import edit_of, primitive, refuse, require, require_proved
from usl_core.primitives.locate import Where, context_at, limit, loop_at
from usl_core.primitives.loops.beyond import require_harmless
from usl_core.primitives.loops.tail_shift_inwards import require_shiftable
from usl_core.primitives.loops.tiles import nest, require_from_zero
from usl_core.primitives.moving import Names, new_names
from usl_core.procedure import Procedure

_TAILS = ("guard", "cut", "cut_and_guard", "bound", "shift_inwards", "round_up", "perfect")


@primitive()
def divide_loop(
    proc: Procedure,
    loop: Where,
    factor: int | str,
    names: Names,
    tail: str = "guard",
    perfect: bool = False,
) -> Edit:
    """Divide a loop into tiles of `factor` iterations.

        for i in seq(0, n):          for io in seq(0, n / q):
            s                ~>          for ii in seq(0, q):
                                             s[i -> q * io + ii]

    is what `perfect=True` or tail "perfect" gives, for which q must divide n. Otherwise tail says what becomes of the last,
    partial tile: "guard" runs `(n + q - 1) / q` tiles with `if q * io + ii < n` around the body; "bound" as many, with
    `seq(0, min(q, n - q * io))` as the inner loop; "cut" adds a loop over the remaining `n % q` iterations after the nest;
    "cut_and_guard" puts that loop under `if n % q > 0`. "shift_inwards" moves the last tile back until it is full,
    `s[i -> min(q * io, n - q) + ii]`: iterations run twice there. "round_up" runs it beyond the end.

    factor may be text, for a size that can only be one number where the loop stands: under `if q == 8`, after `specialize`, or
    by an assertion. With any other the new index, `q * io + ii`, would be a product of two control values, which no index is.

    The outer loop keeps the mode of the old one (as does a remainder loop), the inner is sequential.

    Raises:
        SchedulingError: factor is below 1, or not known; the loop does not start at 0; `perfect`: the factor is not proved to
        divide the extent. "shift_inwards": `n >= q` is not proved; an iteration of the overlap has an effect when it runs
        again. "round_up": iterations beyond the end write a formal, or what is read; they could stop the program (a condition
        or `idx` reads what is not certainly filled with numbers there); an access is then out of bounds. UsageError: an
        unknown tail.
    Forwarding: the loop goes to the outer loop, its body to the (first) tiles' body.
    Also known as: split (Halide, TVM, Reinking 2022), strip-mining, tiling of one loop.
    """
    path, old = loop_at(proc, loop)

    factor = _number(proc, path, factor, old)
    require(factor >= 1, f"the factor must be at least 1, got {factor}", old.span)
    outer, inner = new_names(names, 2)
    if tail not in _TAILS:
        raise UsageError(f"divide_loop: unknown tail {tail!r}: use one of {', '.join(map(repr, _TAILS))}")
    ctx = context_at(proc, path)
    require_from_zero(ctx, old)
    asked = "perfect=True" if perfect else "tail='perfect'"
    tail = "perfect" if perfect else tail
    if tail == "perfect":
        _require_divides(ctx, factor, old, asked)
    elif tail == "shift_inwards":
        require_shiftable(ctx, old, factor)
    elif tail == "round_up":
        require_harmless(proc.ir, ctx, path, old, make.mul(factor, make.ceil_quot(old.hi, factor)))

    full_only = tail in ("perfect", "cut", "cut_and_guard")
    count = make.quot(old.hi, factor) if full_only else make.ceil_quot(old.hi, factor)
    start = make.mul(factor, index_read(outer))
    extent: Expr = index_literal(factor)
    if tail == "bound":
        extent = make.minimum(extent, make.sub(old.hi, start))
    if tail == "shift_inwards":
        start = make.minimum(start, make.offset(old.hi, -factor))
    edit = nest(edit_of(proc), path, old, (outer, inner), count, start, extent)
    if tail == "guard":
        inside = make.compare("<", make.add(start, index_read(inner)), old.hi, span=old.span)
        # The body is inside the inner loop by now, so this wrap goes between the two.
        return edit.wrap(body_of(path, len(old.body)), lambda stmts: If(inside, stmts, span=old.span))
    if tail in ("cut", "cut_and_guard"):
        rest = _remainder(old, factor, inner.copy(), guarded=tail == "cut_and_guard")
        return edit.insert(after(path), (rest,), joins=True)
    return edit


def _number(proc: Procedure, path: Path, factor: int | str, loop: For) -> int:
    """The factor as the number that it is where the loop stands."""
    if isinstance(factor, int):
        return factor
    ctx = context_at(proc, path)
    value = ctx.value(ctx.index(limit(proc, path, factor)))
    if value is None:
        hint = f"hint: specialize on its values (`{factor} == 8`), or fix it with partial_eval"
        message = f"the factor {factor} may be more than one number here, and an index has no product of sizes"
        refuse(message, loop.span, [hint], code="E415")
    return value


def _require_divides(ctx: Context, factor: int, loop: For, asked: str) -> None:
    extent = ctx.index(loop.hi)
    shown = show_expr(loop.hi)
    assume = f"({shown}) % {factor} == 0" if isinstance(loop.hi, BinaryOp) else f"{shown} % {factor} == 0"
    message, hint = f"cannot prove that {factor} divides {shown}", f"use tail='cut' instead of {asked}"
    goal = fml.eq(affine.remainder(extent, factor))
    require_proved(ctx, goal, message, loop.span, values=(extent,), assume=assume, hint=hint)


def _remainder(old: For, factor: int, name: Sym, *, guarded: bool) -> Stmt:
    """The loop over the last iterations, which fill no tile."""
    count = make.mod(old.hi, factor)
    done = make.mul(make.quot(old.hi, factor), index_literal(factor))
    body = substitute_block(with_fresh_binders(old.body), {old.iter: make.add(index_read(name), done)})
    loop = For(name, index_literal(0), count, body, old.mode, span=old.span)
    return If(make.compare(">", count, index_literal(0), span=old.span), (loop,), span=old.span) if guarded else loop
