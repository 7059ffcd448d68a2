"""Whether two blocks are the same program once control expressions are compared by value and not by form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeGuard

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.dataflow import value_of
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering
from usl_core.ir import nodes as ir
from usl_core.ir.externs import IDX
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_nodes, depends_on_data, same_head
from usl_core.ir.types import BOOL, TensorType, is_control, scalar_of
from usl_core.profiling import profiled

NOTHING: Mapping[int, Sym] = MappingProxyType({})


@profiled("obligation", "same meaning")
def same_meaning(ctx: Context, new: ir.Block, old: ir.Block) -> bool:
    """Whether new, executed where ctx describes, does exactly what old does: statement by statement, the same accesses.

    Loops may start elsewhere as long as the iterations agree in order; bound names may differ.
    """
    return _Agreement().blocks(ctx, new, old)


class _Agreement:
    """Compares under old's context; names of new are mapped to old's as they are bound."""

    def __init__(self) -> None:
        self.values: dict[Sym, Lin] = {}
        self.names: dict[Sym, Sym] = {}

    def blocks(self, ctx: Context, new: ir.Block, old: ir.Block) -> bool:
        if len(new) != len(old):
            return False
        for a, b in zip(new, old, strict=True):
            if not self.stmt(ctx, a, b):
                return False
            ctx = ctx.after(b)
        return True

    def stmt(self, ctx: Context, a: ir.Stmt, b: Any) -> bool:
        match a:
            case ir.For():
                return isinstance(b, ir.For) and self.loop(ctx, a, b)
            case ir.If():
                return (
                    isinstance(b, ir.If)
                    and self.expr(ctx, a.cond, b.cond)
                    and self.blocks(ctx.enter(b, "body"), a.body, b.body)
                    and self.blocks(ctx.enter(b, "orelse"), a.orelse, b.orelse)
                )
            case ir.SimpleStmt():
                if not self.alike(ctx, a, b):
                    return False
                if isinstance(a, ir.Alloc | ir.WindowStmt):
                    self.names[a.name] = b.name
                return True

    def loop(self, ctx: Context, a: ir.For, b: ir.For) -> bool:
        low_a, low_b = self.lin(ctx, a.lo), ctx.index(b.lo)
        if a.mode is not b.mode or not self.equal(ctx, self.lin(ctx, a.hi) - low_a, ctx.index(b.hi) - low_b):
            return False
        self.values[a.iter] = affine.var(b.iter) - low_b + low_a
        return self.blocks(ctx.enter(b, "body"), a.body, b.body)

    def alike(self, ctx: Context, a: ir.Node, b: ir.Node) -> bool:
        """Whether two nodes are the same but for their operands, and these agree."""
        if type(a) is not type(b) or not self.head(a, b):
            return False
        new, old = child_nodes(a), child_nodes(b)
        return len(new) == len(old) and all(self.expr(ctx, x, y) for x, y in zip(new, old, strict=True))

    def head(self, a: ir.Node, b: Any) -> bool:
        """Whether two nodes of one kind are the same but for their operands and the names that they bind."""
        assert not isinstance(a, ir.For | ir.If | ir.StrideExpr), "blocks are compared by stmt, control values by what they are"
        return same_head(a, b, self.names) and (not isinstance(a, ir.Read) or scalar_of(a.type) == scalar_of(b.type))

    def is_called(self, name: Sym, other: Sym) -> bool:
        return self.names.get(name, name) is other

    def expr(self, ctx: Context, a: ir.Node, b: ir.Node) -> bool:
        if _is_buffer(a) and _is_buffer(b):
            new, old = window_entries(a), window_entries(b)
            same = self.is_called(a.name, b.name) and len(new) == len(old)
            return same and all(self.expr(ctx, x, y) for x, y in zip(new, old, strict=True))
        if not _is_control(a) or not _is_control(b):
            return self.alike(ctx, a, b) or held(ctx, a, b)
        if a.type is BOOL:  # as b, which stands in the same place
            return self.equivalent(ctx, self.truth(ctx, a), ctx.truth(b))
        if depends_on_data(a) or depends_on_data(b):
            return self.of_data(ctx, a, b)
        return self.equal(ctx, self.lin(ctx, a), ctx.index(b))

    def of_data(self, ctx: Context, a: ir.Expr, b: ir.Expr) -> bool:
        """Indices made of clamped data: the same data in the same order, and forms over it that are equal."""
        calls, others = list(clamped_data(a)), list(clamped_data(b))
        if len(calls) != len(others) or not all(self.alike(ctx, x, y) for x, y in zip(calls, others, strict=True)):
            return False
        names = {id(call.args): Sym("idx") for call in calls}
        same = {id(y.args): names[id(x.args)] for x, y in zip(calls, others, strict=True)}
        return self.equal(ctx, self.lin(ctx, a, names), ctx.settle(Lowering(symbolic=True, clamped=same).index(b)))

    def lin(self, ctx: Context, expr: ir.Expr, clamped: Mapping[int, Sym] = NOTHING) -> Lin:
        return ctx.settle(affine.subst(Lowering(symbolic=True, clamped=clamped).index(expr), self.values))

    def truth(self, ctx: Context, expr: ir.Expr) -> Formula:
        return ctx.settle_truth(fml.subst(Lowering(symbolic=True).truth(expr), self.values))

    def equal(self, ctx: Context, a: Lin, b: Lin) -> bool:
        return a == b or ctx.holds(fml.eq(a, b))

    def equivalent(self, ctx: Context, f: Formula, g: Formula) -> bool:
        return f == g or ctx.holds(fml.iff(f, g))


def held(ctx: Context, a: ir.Node, b: ir.Node) -> bool:
    """Whether a is a field that holds here what b is, a scalar or a constant."""
    return (
        isinstance(a, ir.ReadConfig)
        and isinstance(b, ir.Read | ir.Literal)  # what another field holds has the name of what it held at the start
        and ctx.fields.value(a.config.sym(a.field)) == value_of(b)
    )


def window_entries(expr: ir.Read | ir.WindowExpr) -> tuple[ir.Expr | ir.Interval, ...]:
    """The entries of a window; those of a buffer that is passed whole are all of its dimensions."""
    if isinstance(expr, ir.WindowExpr):
        return expr.idx
    assert isinstance(expr.type, TensorType)
    return tuple(ir.Interval(ir.index_literal(0), extent) for extent in expr.type.shape)


def clamped_data(expr: ir.Node) -> Iterator[ir.ExternCall]:
    """The occurrences of clamped data in an index expression, not those inside of such data."""
    if isinstance(expr, ir.ExternCall) and expr.fn is IDX:
        yield expr
        return
    for child in child_nodes(expr):
        yield from clamped_data(child)


def _is_buffer(node: ir.Node) -> TypeGuard[ir.Read | ir.WindowExpr]:
    return isinstance(node, ir.WindowExpr) or (isinstance(node, ir.Read) and isinstance(node.type, TensorType))


def _is_control(node: ir.Node) -> TypeGuard[ir.Expr]:
    return isinstance(node, ir.ExprBase) and is_control(node.type)
