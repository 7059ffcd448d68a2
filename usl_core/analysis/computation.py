"""When two instances of code compute the same: a key of code that is equal for instances that do the same work.

The key has a shape (statements, operators, literals, buffers) and the control values that decide which data are read: indices,
limits, conditions. Two instances of equal shape whose control values are equal read the same locations and combine them in
the same way, so they leave the same values, as long as nobody modifies what they read. Names bound inside are identified.
Reference: docs/semantics.md, "Repeated work" (pure producers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import assert_never

from usl_core.analysis import affine
from usl_core.analysis.affine import Lin
from usl_core.analysis.context import Context
from usl_core.analysis.effects import WindowMap
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import Formula
from usl_core.ir import nodes as ir
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import depends_on_data, walk
from usl_core.ir.types import BOOL, ControlType, TensorType, is_control
from usl_core.records import dataclass

Value = Lin | Formula


@dataclass(frozen=True, slots=True)
class Computation:
    """The key of a piece of code; `iters` are the iterators that it binds, in order."""

    shape: tuple[object, ...]
    values: tuple[Value, ...]
    iters: tuple[Sym, ...]


def computation(ctx: Context, block: ir.Block) -> Computation | None:
    """The key of block, which stands where ctx holds; None if it depends on configuration state."""
    reader = _Reader()
    reader.block(ctx, block)
    return reader.key()


def value_computation(ctx: Context, expr: ir.Expr) -> Computation | None:
    """The key of evaluating an expression of data."""
    reader = _Reader()
    reader.expr(ctx, expr)
    return reader.key()


@dataclass
class _Reader:
    shape: list[object] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    iters: list[Sym] = field(default_factory=list)
    local: dict[Sym, int] = field(default_factory=dict)
    """The allocations inside, numbered."""
    comparable: bool = True

    def key(self) -> Computation | None:
        return Computation(tuple(self.shape), tuple(self.values), tuple(self.iters)) if self.comparable else None

    # ---- statements

    def block(self, ctx: Context, block: ir.Block) -> None:
        for stmt in block:
            self.stmt(ctx, stmt)
            ctx = ctx.after(stmt)
        self.shape.append("end")

    def stmt(self, ctx: Context, stmt: ir.Stmt) -> None:
        self.shape.append(type(stmt))
        match stmt:
            case ir.Assign(name=name, idx=idx, rhs=rhs) | ir.Reduce(name=name, idx=idx, rhs=rhs):
                self.shape += [stmt.op] if isinstance(stmt, ir.Reduce) else []
                self.access(ctx, name, idx)
                self.expr(ctx, rhs)
            case ir.For(iter=name, lo=lo, hi=hi, body=body):
                self.control(ctx, lo)
                self.control(ctx, hi)
                self.iters.append(name)
                self.block(ctx.enter(stmt, "body"), body)
            case ir.If(cond=cond, body=body, orelse=orelse):
                self.expr(ctx, cond)
                self.block(ctx.enter(stmt, "body"), body)
                self.block(ctx.enter(stmt, "orelse"), orelse)
            case ir.Alloc(name=name, type=typ):
                self.local[name] = len(self.local)
                self.shape.append(typ.scalar if isinstance(typ, TensorType) else typ)
                self.values += list(ctx.after(stmt).scope.shape(name))
                self.shape.append(len(ctx.after(stmt).scope.shape(name)))
            case ir.Check(cond=cond):
                self.expr(ctx, cond)
            case ir.Call(proc=proc, args=args):
                self.comparable = self.comparable and not field_use(proc).all
                self.shape.append(proc)
                for arg in args:
                    self.argument(ctx, arg)
            case ir.WindowStmt() | ir.Pass():
                pass  # a window is resolved where it is used
            case ir.AssignConfig():
                self.comparable = False
            case _:
                assert_never(stmt)

    def argument(self, ctx: Context, arg: ir.Expr) -> None:
        if isinstance(arg, ir.Literal | ir.ReadConfig) or isinstance(arg.type, ControlType):
            self.expr(ctx, arg)
            return
        if not _plain(arg):
            self.comparable = False
            return
        place = ctx.scope.argument_map(arg)
        self.place(place)
        if isinstance(arg.type, TensorType):
            extents = [ctx.index(extent) for extent in arg.type.shape]
            self.shape.append(len(extents))
            self.values += extents

    # ---- expressions

    def access(self, ctx: Context, name: Sym, idx: Sequence[ir.Expr]) -> None:
        """A location: its buffer, and its index there."""
        if all(map(_plain, idx)):
            point = tuple(ctx.index(index) for index in idx)
            root = name
            while root in ctx.scope.windows:
                point, root = ctx.scope.windows[root].apply(point), ctx.scope.windows[root].buffer
            self.name(root, len(point))
            self.values += [ctx.scope.resolve_strides(p) for p in point]
            return
        self.place(_whole(ctx, name, len(idx)))
        for index in idx:
            self.control(ctx, index)

    def place(self, place: WindowMap) -> None:
        self.name(place.buffer, len(place.dims))
        self.shape.append(tuple(ranged for _, ranged in place.dims))
        self.values += [offset for offset, _ in place.dims]

    def name(self, root: Sym, rank: int) -> None:
        self.shape += [self.local.get(root, root), rank]

    def control(self, ctx: Context, expr: ir.Expr) -> None:
        """A control value: as a number if it depends on control values alone, else by its parts."""
        if _plain(expr):
            self.shape.append("truth" if expr.type is BOOL else "index")
            self.values.append(ctx.truth(expr) if expr.type is BOOL else ctx.index(expr))
        else:
            self.parts(ctx, expr)

    def expr(self, ctx: Context, expr: ir.Expr) -> None:
        if is_control(expr.type):
            self.control(ctx, expr)
        elif isinstance(expr, ir.Read):
            self.access(ctx, expr.name, expr.idx)
        else:
            self.parts(ctx, expr)

    def parts(self, ctx: Context, expr: ir.Expr) -> None:
        self.shape += [type(expr), expr.type]
        match expr:
            case ir.Literal(value=value):
                self.shape.append(value)
            case ir.UnaryMinus(arg=arg) | ir.Cast(arg=arg):
                self.expr(ctx, arg)
            case ir.BinaryOp(op=op, lhs=lhs, rhs=rhs):
                self.shape.append(op)
                self.expr(ctx, lhs)
                self.expr(ctx, rhs)
            case ir.ExternCall(fn=fn, args=args):
                self.shape += [fn, len(args)]
                for arg in args:
                    self.expr(ctx, arg)
            case ir.Read() | ir.WindowExpr() | ir.StrideExpr() | ir.ReadConfig():
                self.comparable = False  # configuration; a window outside of a call does not exist


def _plain(expr: ir.Expr) -> bool:
    """Whether the control expressions in expr are functions of control values alone."""
    return not depends_on_data(expr) and not any(isinstance(node, ir.ReadConfig) for node in walk(expr))


def _whole(ctx: Context, name: Sym, rank: int) -> WindowMap:
    """All of a buffer or window, as a map to its allocation or formal."""
    place = WindowMap(name, tuple((affine.ZERO, True) for _ in range(rank)))
    while place.buffer in ctx.scope.windows:
        place = place.after(ctx.scope.windows[place.buffer])
    return place
