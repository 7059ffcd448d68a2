"""divide_with_recompute: one loop becomes a nest of two whose tiles overlap."""

from __future__ import annotations

from dataclasses import replace

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.conditions import Conflict, instance
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.analysis.producer import Producer, producer
from usl_core.analysis.repeating import footprint, why_not_running_again
from usl_core.analysis.solver import Proved
from usl_core.cursors.edit import Edit
from usl_core.errors import Span
from usl_core.frontend.scope import Binding
from usl_core.ir import make
from usl_core.ir.nodes import Expr, For, index_read
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.types import INDEX
from usl_core.primitives.base import edit_of, primitive, require, require_no, require_proved
from usl_core.primitives.locate import Expression, Where, context_at, limit, loop_at
from usl_core.primitives.loops.modes import parallel_if_free_of_races
from usl_core.primitives.loops.tiles import nest, require_from_zero
from usl_core.primitives.moving import Names, new_names
from usl_core.procedure import Procedure
from usl_core.records import dataclass


@primitive()
def divide_with_recompute(
    proc: Procedure,
    loop: Where,
    outer_hi: Expression,
    outer_stride: int,
    names: Names,
    base: Expression | None = None,
    extent: Expression | None = None,
) -> Edit:
    """Divide a loop into tiles that may overlap: what lies in two of them is computed twice.

        for i in seq(0, n):          for io in seq(0, outer_hi):
            s                ~>          for ii in seq(0, extent):
                                             s[i -> base + ii]

    base and extent may mention io. By default base is `outer_stride * io` and extent `n - outer_stride * (outer_hi - 1)`, so
    that the tiles of a consumer with outer_stride iterations find all that they need, with a halo. For a consumer divided
    with tail="shift_inwards", base is `min(q * io, m - q)` and extent q plus the halo.

    Legal if each tile lies within `0 .. n`, has at least one iteration, and together they are all of it; and if s is a pure
    producer (it fills one buffer with values that depend on the place alone), or the tiles follow each other without gaps
    and an iteration may run again after the others. A parallel loop stays so if its tiles do not interfere.

    Raises:
        SchedulingError: the loop does not start at 0; outer_stride is below 1; a tile may be empty or leave the range; the
        tiles may not cover it; the repetition of an iteration may have an effect.
    Forwarding: the loop goes to the outer loop, its body to the tiles' body.
    Also known as: overlapped tiling, compute_at with a halo (Halide).
    """
    path, old = loop_at(proc, loop)
    outer, inner = new_names(names, 2)
    require(outer_stride >= 1, f"outer_stride must be at least 1, got {outer_stride}", old.span)
    count = limit(proc, path, outer_hi)
    visible = {outer.name: Binding(outer, INDEX)}
    default = make.mul(outer_stride, index_read(outer))
    start = default if base is None else limit(proc, path, base, visible)
    default = make.sub(old.hi, make.mul(outer_stride, make.offset(count, -1)))
    length = default if extent is None else limit(proc, path, extent, visible)

    ctx = context_at(proc, path)
    require_from_zero(ctx, old)
    tiles = _Tiles(ctx, old, outer, ctx.index(count), ctx.index(start), ctx.index(length))
    _require_tiles(tiles, count, start, length, outer_stride)
    _require_repeatable(tiles)

    edit = nest(edit_of(proc), path, old, (outer, inner), count, start, length)
    return parallel_if_free_of_races(edit, path)


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Tiles `start .. start + length` of loop, for `0 <= outer < count`; ctx is the context before the loop."""

    ctx: Context
    loop: For
    outer: Sym
    count: Lin
    start: Lin
    length: Lin

    def at(self, tile: Lin) -> tuple[Lin, Lin]:
        """The first iteration of a tile, and the one after its last."""
        env = {self.outer: tile}
        start = affine.subst(self.start, env)
        return start, start + affine.subst(self.length, env)

    def numbered(self, tile: Lin) -> list[Formula]:
        return [fml.ge(tile), fml.lt(tile, self.count)]

    @property
    def extent(self) -> Lin:
        return self.ctx.index(self.loop.hi)


# ---- check


def _require_tiles(tiles: _Tiles, count: Expr, start: Expr, length: Expr, stride: int) -> None:
    """Each tile is a part of the range, and together they are all of it."""
    span, name = tiles.loop.span, tiles.loop.iter.name
    tile = affine.var(tiles.outer)
    first, end = tiles.at(tile)
    shown = f"{show_expr(start)} .. {show_expr(make.add(start, length))}"
    values = (tile, first, end, tiles.extent)
    known = tiles.numbered(tile)
    whole = show_expr(tiles.loop.hi)
    message = f"cannot prove that the number of tiles {show_expr(count)} is not negative"
    require_proved(tiles.ctx, fml.ge(tiles.count), message, span, values=(tiles.count,))
    message = f"cannot prove that the extent {show_expr(length)} of a tile is at least 1"
    require_proved(tiles.ctx, fml.lt(first, end), message, span, values=values, extra=known)
    message = f"cannot prove that the tile {shown} lies within 0 .. {whole}"
    inside = fml.and_([fml.ge(first), fml.le(end, tiles.extent)])
    require_proved(tiles.ctx, inside, message, span, values=values, extra=known)
    _require_cover(tiles, f"the tiles {shown} may leave out iterations of {name}", stride, span)


def _require_cover(tiles: _Tiles, message: str, stride: int, span: Span) -> None:
    index = affine.var(tiles.loop.iter)
    known = [fml.ge(index), fml.lt(index, tiles.extent)]
    likely = affine.minimum([affine.quotient(index, stride), tiles.count - 1])
    if isinstance(tiles.ctx.prove(_within(tiles, index, likely), known), Proved):
        return
    goal = fml.exists((tiles.outer,), _within(tiles, index, affine.var(tiles.outer)))
    require_proved(tiles.ctx, goal, message, span, values=(index, tiles.count), extra=known)


def _within(tiles: _Tiles, index: Lin, tile: Lin) -> Formula:
    first, end = tiles.at(tile)
    return fml.and_([*tiles.numbered(tile), fml.le(first, index), fml.lt(index, end)])


def _require_repeatable(tiles: _Tiles) -> None:
    """Iterations may run again, and in the order of the tiles."""
    inside = tiles.ctx.enter(tiles.loop, "body")
    made = producer(inside, tiles.loop.body, fixed=len(tiles.ctx.scope.loops))
    if isinstance(made, Producer):
        return
    conflict = _order_conflict(tiles) or _repetition_conflict(tiles, inside)
    if conflict is not None:
        conflict = replace(conflict, reason=f"{conflict.reason} (nor is the body a pure producer: {made.reason})")
    message = f"an iteration of {tiles.loop.iter.name} that lies in two tiles may have an effect when it runs again"
    require_no(conflict, message, tiles.loop.span)


def _order_conflict(tiles: _Tiles) -> Conflict | None:
    """None if the tiles follow each other: then first runs stay in order, and only repetitions are added."""
    this = affine.var(tiles.outer)
    first, end = tiles.at(this)
    following, following_end = tiles.at(this + 1)
    rising = fml.and_([fml.le(first, following), fml.le(following, end), fml.le(end, following_end)])
    if isinstance(tiles.ctx.prove(rising, [fml.ge(this), fml.lt(this + 1, tiles.count)]), Proved):
        return None
    return Conflict("the tiles are not proved to follow each other without gaps")


def _repetition_conflict(tiles: _Tiles, inside: Context) -> Conflict | None:
    """Why an iteration of a tile may not run again after all iterations of earlier tiles, or None."""
    loop, later = tiles.loop, tiles.loop.iter.copy()
    index, other, number = affine.var(loop.iter), affine.var(later), affine.var(tiles.outer)
    first, _ = tiles.at(number)
    _, previous_end = tiles.at(number - 1)
    again = [*tiles.numbered(number), fml.ge(number, 1), fml.le(first, index), fml.lt(index, previous_end)]
    between = [fml.lt(index, other), fml.lt(other, previous_end)]
    own = footprint(inside, loop.body)
    return why_not_running_again(inside, loop.body, again, between, instance(own.modifies, {loop.iter: other}))
