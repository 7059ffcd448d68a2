"""Whether two blocks are the same program once control expressions are compared by value and not by form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import Lowering
from usl_core.ir.nodes import (
    Alloc,
    Assign,
    AssignConfig,
    BinaryOp,
    Block,
    Call,
    Cast,
    Check,
    Expr,
    ExprBase,
    ExternCall,
    For,
    If,
    Interval,
    Literal,
    Node,
    Pass,
    Read,
    ReadConfig,
    Reduce,
    Stmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
    WindowStmt,
)
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import child_fields, depends_on_data, get_field
from usl_core.ir.types import BOOL, TensorType, is_control, scalar_of
from usl_core.profiling import profiled


@profiled("obligation", "same meaning")
def same_meaning(ctx: Context, new: Block, old: Block) -> bool:
    """Whether new, executed where ctx describes, does exactly what old does: statement by statement, the same accesses.

    Loops may start elsewhere as long as the iterations agree in order; bound names may differ.
    """
    return _Agreement().blocks(ctx, new, old)


class _Agreement:
    """Compares under old's context; names of new are mapped to old's as they are bound."""

    def __init__(self) -> None:
        self.values: dict[Sym, Lin] = {}
        self.names: dict[Sym, Sym] = {}

    def blocks(self, ctx: Context, new: Block, old: Block) -> bool:
        if len(new) != len(old):
            return False
        for a, b in zip(new, old, strict=True):
            if not self.stmt(ctx, a, b):
                return False
            ctx = ctx.after(b)
        return True

    def stmt(self, ctx: Context, a: Stmt, b: Any) -> bool:
        if not _same_kind(a, b):
            return False
        match a:
            case For():
                return self.loop(ctx, a, b)
            case If():
                return (
                    self.expr(ctx, a.cond, b.cond)
                    and self.blocks(ctx.enter(b, "body"), a.body, b.body)
                    and self.blocks(ctx.enter(b, "orelse"), a.orelse, b.orelse)
                )
            case Alloc():
                x, y = a.type, b.type
                if isinstance(x, TensorType) and isinstance(y, TensorType):
                    if x.scalar != y.scalar or not self.all(ctx, x.shape, y.shape):
                        return False
                elif x != y:
                    return False
                self.names[a.name] = b.name
                return a.mem is b.mem
            case WindowStmt():
                if not self.expr(ctx, a.rhs, b.rhs):
                    return False
                self.names[a.name] = b.name
                return True
            case Assign() | Reduce():
                return self.name(a.name) is b.name and self.all(ctx, a.idx, b.idx) and self.expr(ctx, a.rhs, b.rhs)
            case Call():
                return a.proc is b.proc and self.all(ctx, a.args, b.args)
            case AssignConfig():
                return a.config is b.config and a.field == b.field and self.expr(ctx, a.rhs, b.rhs)
            case Check():
                return self.expr(ctx, a.cond, b.cond)
            case Pass():
                return True

    def loop(self, ctx: Context, a: For, b: For) -> bool:
        low_a, low_b = self.lin(ctx, a.lo), ctx.index(b.lo)
        if a.mode is not b.mode or not self.equal(ctx, self.lin(ctx, a.hi) - low_a, ctx.index(b.hi) - low_b):
            return False
        self.values[a.iter] = affine.var(b.iter) - low_b + low_a
        return self.blocks(ctx.enter(b, "body"), a.body, b.body)

    def name(self, name: Sym) -> Sym:
        return self.names.get(name, name)

    def all(self, ctx: Context, new: Sequence[Expr | Interval], old: Sequence[Expr | Interval]) -> bool:
        return len(new) == len(old) and all(self.expr(ctx, a, b) for a, b in zip(new, old, strict=True))

    def expr(self, ctx: Context, a: Expr | Interval, b: Any) -> bool:
        if _is_control(a) and _is_control(b):
            return self.control(ctx, a, b)
        if not _same_kind(a, b):
            return False
        match a:
            case Read():
                return self.name(a.name) is b.name and scalar_of(a.type) == scalar_of(b.type) and self.all(ctx, a.idx, b.idx)
            case WindowExpr():
                return self.name(a.name) is b.name and self.all(ctx, a.idx, b.idx)
            case Literal():
                return bool(a.value == b.value and a.type == b.type)
            case Interval():
                return self.expr(ctx, a.lo, b.lo) and self.expr(ctx, a.hi, b.hi)
            case ExternCall():
                return a.fn is b.fn and self.all(ctx, a.args, b.args)
            case Cast():
                return a.type == b.type and self.expr(ctx, a.arg, b.arg)
            case UnaryMinus() | BinaryOp() | ReadConfig() | StrideExpr():
                return self.structure(ctx, a, b)

    def structure(self, ctx: Context, a: Node, b: Any) -> bool:
        """The remaining expressions: the same but for their operands, which are compared by value."""
        if getattr(a, "op", None) != getattr(b, "op", None) or getattr(a, "field", None) != getattr(b, "field", None):
            return False
        if getattr(a, "config", None) is not getattr(b, "config", None):
            return False
        for field, many in child_fields(a):
            x, y = get_field(a, field), get_field(b, field)
            if not (self.all(ctx, x, y) if many else self.expr(ctx, x, y)):
                return False
        return True

    def control(self, ctx: Context, a: Expr, b: Expr) -> bool:
        if a.type is BOOL:  # as b, which stands in the same place
            return self.equivalent(ctx, self.truth(ctx, a), ctx.truth(b))
        if depends_on_data(a) or depends_on_data(b):
            return self.data_dependent(ctx, a, b)
        return self.equal(ctx, self.lin(ctx, a), ctx.index(b))

    def data_dependent(self, ctx: Context, a: Expr, b: Expr) -> bool:
        """Indices with `idx` of data: the same expression, with equal data inside."""
        if not _same_kind(a, b):
            return False
        if isinstance(a, ExternCall) and isinstance(b, ExternCall):
            return a.fn is b.fn and self.all(ctx, a.args, b.args)
        return self.structure(ctx, a, b)

    def lin(self, ctx: Context, expr: Expr) -> Lin:
        return ctx.settle(affine.subst(Lowering(symbolic=True).index(expr), self.values))

    def truth(self, ctx: Context, expr: Expr) -> Formula:
        return ctx.settle_truth(fml.subst(Lowering(symbolic=True).truth(expr), self.values))

    def equal(self, ctx: Context, a: Lin, b: Lin) -> bool:
        return a == b or ctx.holds(fml.eq(a, b))

    def equivalent(self, ctx: Context, f: Formula, g: Formula) -> bool:
        return f == g or ctx.holds(fml.iff(f, g))


def _same_kind(a: Node, b: Node) -> bool:
    return type(a) is type(b)


def _is_control(node: Node) -> TypeGuard[Expr]:
    return isinstance(node, ExprBase) and is_control(node.type)
