"""A box of a buffer, one interval or point per dimension, that a smaller buffer stands for: what `stage_mem` stages."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.effects import Access, Kind
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering, index_lin
from usl_core.analysis.raise_ import from_lin
from usl_core.ir import make
from usl_core.ir.nodes import BinaryOp, Expr, Interval, Node, Read, WindowExpr, index_literal, index_read
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, retype_window
from usl_core.ir.types import BOOL, ScalarType, TensorType, scalar_of
from usl_core.records import dataclass


@dataclass(frozen=True, slots=True)
class Inclusion:
    """That an index of an access lies in one dimension of a box."""

    dim: int
    goal: Formula
    extra: tuple[Formula, ...]
    values: tuple[Lin, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """`buffer[lo:hi, pt, ...]`; buffer may be a window. A scalar buffer has no dimensions."""

    buffer: Sym
    scalar: ScalarType
    dims: tuple[Expr | Interval, ...]
    shape: tuple[Expr, ...]
    """The extents of the buffer, one per dimension."""

    @property
    def intervals(self) -> list[Interval]:
        """The dimensions of which a range is taken."""
        return [dim for dim in self.dims if isinstance(dim, Interval)]

    def extents(self) -> tuple[Expr, ...]:
        """The extents of the box, one per interval."""
        return tuple(from_lin(index_lin(i.hi) - index_lin(i.lo), i.span) for i in self.intervals)

    def type(self) -> ScalarType | TensorType:
        """The type of a dense buffer that holds the box."""
        extents = self.extents()
        return TensorType(self.scalar, extents) if extents else self.scalar

    def whole(self) -> tuple[Interval, ...]:
        """All of the buffer, as intervals."""
        return tuple(Interval(index_literal(0), extent) for extent in self.shape)

    def is_all(self, ctx: Context) -> bool:
        """Whether the box is provably all of the buffer."""
        return all(
            isinstance(dim, Interval) and ctx.holds(fml.and_([fml.eq(ctx.index(dim.lo)), fml.eq(ctx.index(dim.hi), extent)]))
            for dim, extent in zip(self.dims, [ctx.index(e) for e in self.shape], strict=True)
        )

    def element(self, iterators: tuple[Sym, ...]) -> tuple[Expr, ...]:
        """The indices in the buffer of the element of the box at iterators, one per interval."""
        remaining = iter(iterators)
        return tuple(make.add(dim.lo, index_read(next(remaining))) if isinstance(dim, Interval) else dim for dim in self.dims)

    def inside(self, ctx: Context, indices: tuple[Expr, ...]) -> Expr | None:
        """The condition that indices are in bounds of the buffer, as far as it is not proved; None if all of it is."""
        terms: list[Expr] = []
        for index, extent in zip(indices, self.shape, strict=True):
            value, limit = ctx.index(index), ctx.index(extent)
            if not ctx.holds(fml.ge(value)):
                terms.append(make.compare("<=", index_literal(0), index))
            if not ctx.holds(fml.lt(value, limit)):
                terms.append(make.compare("<", index, extent))
        return reduce(lambda a, b: BinaryOp("and", a, b, type=BOOL), terms) if terms else None

    def locations(self, ctx: Context, node: Node) -> Access:
        """The in-bounds locations of the box, as a read of the allocation or formal behind the buffer."""
        iters: list[Sym] = []
        guard: list[Formula] = []
        point: list[Lin] = []
        for dim, extent in zip(self.dims, self.shape, strict=True):
            if isinstance(dim, Interval):
                name = Sym("d")
                value = affine.var(name)
                iters.append(name)
                guard += [fml.le(ctx.index(dim.lo), value), fml.lt(value, ctx.index(dim.hi))]
            else:
                value = ctx.index(dim)
            guard += [fml.ge(value), fml.lt(value, ctx.index(extent))]
            point.append(value)
        return ctx.scope.resolve(Access(self.buffer, Kind.READ, tuple(point), tuple(iters), tuple(guard), True, node))

    def places(self, ctx: Context, copy: Sym, node: Node) -> Access:
        """The `locations` of the box as places of the buffer that holds a copy of it."""
        there = replace(self, buffer=copy).locations(ctx, node)
        starts = [ctx.index(dim.lo) if isinstance(dim, Interval) else None for dim in self.dims]
        return replace(there, point=tuple(p - lo for p, lo in zip(there.point, starts, strict=True) if lo is not None))

    def inclusion(self, ctx: Context, indices: tuple[Expr | Interval, ...]) -> list[Inclusion]:
        """What must hold in ctx for an access at indices, or a window with intervals where the box has them, to lie inside."""
        found: list[Inclusion] = []
        for dim, (index, bound) in enumerate(zip(indices, self.dims, strict=True)):
            lowering = Lowering()
            if isinstance(index, Interval):
                low, last = lowering.index(index.lo), lowering.index(index.hi) - 1
            else:
                low = last = lowering.index(index)
            low, last = ctx.scope.resolve_strides(low), ctx.scope.resolve_strides(last)
            if isinstance(bound, Interval):
                goal = fml.and_([fml.le(ctx.index(bound.lo), low), fml.lt(last, ctx.index(bound.hi))])
            else:
                assert low == last, "a window over a dimension of which the box holds one point"
                goal = fml.eq(low, ctx.index(bound))
            values = (low,) if low == last else (low, last)
            found.append(Inclusion(dim, goal, tuple(lowering.ranges), values))
        return found

    def relative(self, indices: tuple[Expr | Interval, ...]) -> tuple[Expr | Interval, ...]:
        """Indices of the buffer as indices of the box: points of the box are dropped, intervals start at 0."""
        result: list[Expr | Interval] = []
        for index, bound in zip(indices, self.dims, strict=True):
            if not isinstance(bound, Interval):
                continue
            if isinstance(index, Interval):
                lo, hi = _minus(index.lo, bound.lo), _minus(index.hi, bound.lo)
                result.append(Interval(lo, hi, span=index.span))
            else:
                result.append(_minus(index, bound.lo))
        return tuple(result)


def region_of(expr: WindowExpr | Read, shape: tuple[Expr, ...]) -> Region:
    """The box that `x[lo:hi, pt]`, `x[i]` or `x` shows; shape is that of x."""
    match expr:
        case WindowExpr(name=name, idx=entries):
            dims = entries
        case Read(name=name, type=TensorType()):
            dims = tuple(Interval(index_literal(0), extent, span=expr.span) for extent in shape)
        case Read(name=name, idx=indices):
            dims = indices
    return Region(name, scalar_of(expr.type), dims, shape)


def _minus(index: Expr, start: Expr) -> Expr:
    if make.is_literal(start, 0):
        return index
    if depends_on_data(index):
        return make.sub(index, start)
    return from_lin(index_lin(index) - index_lin(start), index.span)


def window_of(name: Sym, old: Expr, entries: tuple[Expr | Interval, ...]) -> WindowExpr:
    """`name[entries]` in place of a buffer argument or window."""
    return retype_window(WindowExpr(name, entries, type=TensorType(scalar_of(old.type), (), True), span=old.span))
