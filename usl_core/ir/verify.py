"""Structural invariants of a procedure: what every pass may rely on and the frontend and all rewrites must keep.

A violation is a bug of this package, so it is an AssertionError and not a UslError. Bounds and preconditions, which need the
solver, are not looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import assert_never

from usl_core.ir import nodes as ir
from usl_core.ir.combining import ON_BITS, may_reduce
from usl_core.ir.externs import IDX
from usl_core.ir.literal_text import decimal_parts
from usl_core.ir.printer import BITWISE, COMPARISONS, show
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import binders, same_expr
from usl_core.ir.types import B8, BOOL, COND, CONTROLS, INDEX, SIZE, ControlType, ScalarType, TensorType, Type


def verify(proc: ir.Proc) -> None:
    """Raises AssertionError listing every broken invariant of proc."""
    found = problems(proc)
    if found:
        raise AssertionError(f"{proc.name} is ill-formed:\n  " + "\n  ".join(found) + "\n" + show(proc))


def problems(proc: ir.Proc) -> list[str]:
    """The broken invariants, in source order; empty if proc is well-formed."""
    return _Verifier().proc(proc)


class _Verifier:
    def __init__(self) -> None:
        self.types: dict[Sym, Type] = {}
        self.found: list[str] = []

    def expect(self, holds: bool, message: str | Callable[[], str]) -> None:
        """holds, or message is found; a function where making the text takes longer than the test."""
        if not holds:
            self.found.append(message if isinstance(message, str) else message())

    # ---- procedures and statements

    def proc(self, proc: ir.Proc) -> list[str]:
        seen: set[Sym] = set()
        for sym in binders(proc):
            if sym in seen:
                self.found.append(f"{sym!r} is bound twice")
            if not sym.name.isidentifier():
                self.found.append(f"{sym.name!r} is not an identifier")
            seen.add(sym)
        spellings = [arg.name.name for arg in proc.args]
        self.expect(len(set(spellings)) == len(spellings), "two formals share a spelling")
        for arg in proc.args:
            self.formal(arg)
        for pred in proc.preds:
            self.of_type(pred, BOOL, "an assertion", stride=True)
        for alias in proc.aliasable:
            self.expect(alias in spellings, f"aliasable names {alias}, which is no formal")
        self.block(proc.body, "the body")
        return self.found

    def formal(self, arg: ir.Arg) -> None:
        control = isinstance(arg.type, ControlType)
        self.expect(not control or arg.type in CONTROLS.values(), f"{arg.name!r}: a formal of type {arg.type}")
        self.expect((arg.mem is None) == control, f"{arg.name!r}: data has a memory, control values have none")
        self.binder(arg.name, arg.type)

    def binder(self, name: Sym, typ: Type) -> None:
        if isinstance(typ, TensorType):
            self.expect(bool(typ.shape), f"{name!r}: a tensor without dimensions")
            for extent in typ.shape:
                self.of_type(extent, INDEX, f"an extent of {name!r}")
        self.types[name] = typ

    def block(self, block: ir.Block, what: str) -> None:
        """Statements of one block; names bound in it end with it."""
        self.expect(isinstance(block, tuple), f"{what} is not a tuple")
        self.expect(bool(block), f"{what} is empty")
        self.statements(block)

    def statements(self, block: ir.Block) -> None:
        outer = dict(self.types)
        for stmt in block:
            self.stmt(stmt)
        self.types = outer

    def stmt(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.Assign(name=name, idx=idx, rhs=rhs) | ir.Reduce(name=name, idx=idx, rhs=rhs):
                if isinstance(stmt, ir.Reduce):
                    self.expect(may_reduce(stmt.op, rhs.type), f"a reduction into {name!r} of unknown kind")
                self.access(name, idx, rhs.type)
                self.expr(rhs)
            case ir.AssignConfig(config=config, field=field, rhs=rhs):
                typ = _value_type(config.fields[field].type)
                self.of_type(rhs, typ, f"{config.name}.{field}", stride=True)
            case ir.Pass():
                pass
            case ir.Check(cond=cond):
                self.of_type(cond, BOOL, "a check", stride=True)
            case ir.If(cond=cond, body=body, orelse=orelse):
                self.expect(cond.type is BOOL or cond.type is COND, f"`if` on {cond.type}")
                self.expr(cond, stride=True)
                self.block(body, "a branch")
                self.statements(orelse)
            case ir.For(iter=name, lo=lo, hi=hi, body=body):
                self.of_type(lo, INDEX, "a loop bound")
                self.of_type(hi, INDEX, "a loop bound")
                self.types[name] = INDEX
                self.block(body, "a loop body")
                del self.types[name]
            case ir.Alloc(name=name, type=typ):
                self.expect(not (isinstance(typ, TensorType) and typ.window), f"{name!r}: an allocated window")
                self.binder(name, typ)
            case ir.WindowStmt(name=name, rhs=rhs):
                self.window(rhs)
                self.types[name] = rhs.type
            case ir.Call(proc=callee, args=args):
                self.call(callee, args)
            case _:
                assert_never(stmt)

    def call(self, callee: ir.Proc, args: Sequence[ir.Expr]) -> None:
        self.expect(len(args) == len(callee.args), f"{callee.name} got {len(args)} arguments, has {len(callee.args)}")
        for formal, arg in zip(callee.args, args, strict=False):
            what = f"argument {formal.name!r} of {callee.name}"
            match formal.type:
                case TensorType(scalar=scalar, shape=shape):
                    self.buffer_arg(arg, what)
                    if isinstance(arg.type, TensorType):
                        self.expect(arg.type.scalar == scalar, f"{what}: elements {arg.type.scalar}, not {scalar}")
                        self.expect(len(arg.type.shape) == len(shape), f"{what}: rank {len(arg.type.shape)}, not {len(shape)}")
                case ScalarType() as typ:
                    self.expect(isinstance(arg, ir.Read | ir.Literal | ir.ReadConfig), f"{what} is not a location")
                    self.of_type(arg, typ, what)
                case ControlType() as typ:
                    self.of_type(arg, _value_type(typ), what, stride=True)

    def buffer_arg(self, arg: ir.Expr, what: str) -> None:
        match arg:
            case ir.WindowExpr():
                self.window(arg)
            case ir.Read(name=name, idx=(), type=TensorType() as typ):
                bound = self.lookup(name)
                good = isinstance(bound, TensorType) and bound.scalar == typ.scalar and bound.window == typ.window
                self.expect(good and _same_shape(bound, typ), f"{what}: the type of {name!r} is out of date")
            case ir.ExprBase():
                self.expect(False, f"{what} is not a buffer")

    # ---- expressions

    def lookup(self, name: Sym) -> Type | None:
        bound = self.types.get(name)
        if bound is None:
            self.found.append(f"{name!r} is used outside its scope")
        return bound

    def of_type(self, expr: ir.Expr, typ: Type, what: str, *, stride: bool = False) -> None:
        self.expect(expr.type == typ, lambda: f"{what} has type {expr.type}, not {typ}: {show(expr)}")
        self.expr(expr, stride=stride)

    def access(self, name: Sym, idx: Sequence[ir.Expr], typ: Type) -> None:
        bound = self.lookup(name)
        if bound is None:
            return
        if isinstance(bound, ControlType):
            self.expect(False, f"{name!r} is a control value, accessed as data")
            return
        scalar, rank = (bound.scalar, len(bound.shape)) if isinstance(bound, TensorType) else (bound, 0)
        if scalar != typ:
            self.found.append(f"an access of {name!r} has type {typ}, not {scalar}")
        if len(idx) != rank:
            self.found.append(f"an access of {name!r} has {len(idx)} indices, not {rank}")
        for index in idx:
            if index.type is not INDEX:
                self.found.append(f"an index of {name!r} has type {index.type}")
            self.expr(index, idx=True)

    def window(self, window: ir.WindowExpr) -> None:
        bound = self.lookup(window.name)
        if not isinstance(bound, TensorType):
            self.expect(bound is None, f"a window of {window.name!r}, which is no tensor")
            return
        self.expect(len(window.idx) == len(bound.shape), f"a window of {window.name!r} of wrong rank")
        intervals = [entry for entry in window.idx if isinstance(entry, ir.Interval)]
        self.expect(bool(intervals), f"a window of {window.name!r} without intervals")
        typ = window.type
        good = isinstance(typ, TensorType) and typ.window and typ.scalar == bound.scalar and len(typ.shape) == len(intervals)
        self.expect(good, f"a window of {window.name!r} has a wrong type")
        for entry in window.idx:
            for part in (entry.lo, entry.hi) if isinstance(entry, ir.Interval) else (entry,):
                self.of_type(part, INDEX, f"an index of a window of {window.name!r}")

    def expr(self, expr: ir.Expr, *, idx: bool = False, stride: bool = False) -> None:
        """idx and stride: whether `idx(...)` and `stride(...)` may stand here."""
        match expr:
            case ir.Read():
                self.read(expr)
            case ir.Literal():
                self.literal(expr)
            case ir.UnaryMinus(arg=arg):
                self.expect(arg.type == expr.type, "`-` changes the type")
                self.expect((isinstance(arg.type, ScalarType) and arg.type != B8) or arg.type is INDEX, f"`-` on {arg.type}")
                self.expr(arg, idx=idx, stride=stride)
            case ir.BinaryOp(lhs=lhs, rhs=rhs):
                self.binary(expr)
                self.expr(lhs, idx=idx, stride=stride)
                self.expr(rhs, idx=idx, stride=stride)
            case ir.ExternCall(fn=fn, args=args):
                self.extern(expr)
                self.expect(fn is not IDX or idx, "`idx` outside the indices of an access")
                for arg in args:
                    inside = fn is not IDX and expr.type is INDEX
                    self.expr(arg, idx=inside and idx, stride=inside and stride)
            case ir.Cast(arg=arg, type=typ):
                self.expect(isinstance(typ, ScalarType) and typ != B8, f"a cast to {typ}")
                self.expect(isinstance(arg.type, ScalarType) or arg.type is INDEX, f"a cast of {arg.type}")
                self.expr(arg, idx=True)
            case ir.WindowExpr():
                self.expect(False, "a window inside an expression")
            case ir.StrideExpr(name=name, dim=dim):
                bound = self.lookup(name)
                rank = len(bound.shape) if isinstance(bound, TensorType) else 0
                self.expect(0 <= dim < rank and expr.type is INDEX, f"stride({name!r}, {dim}) of rank {rank}")
                self.expect(stride, "`stride` where it may not stand")
            case ir.ReadConfig(config=config, field=field):
                expected = _value_type(config.fields[field].type) if field in config.fields else None
                self.expect(expr.type == expected, f"{config.name}.{field} has type {expr.type}, not {expected}")
            case _:
                assert_never(expr)

    def read(self, read: ir.Read) -> None:
        bound = self.lookup(read.name)
        if isinstance(bound, ControlType):
            if read.idx or read.type != _value_type(bound):
                self.found.append(f"a read of {read.name!r} has type {read.type}")
        elif isinstance(read.type, TensorType):
            self.expect(False, f"{read.name!r} is used as a whole inside an expression")
        elif bound is not None:
            self.access(read.name, read.idx, read.type)

    def literal(self, literal: ir.Literal) -> None:
        value, typ = literal.value, literal.type
        match typ:
            case ScalarType() if typ.is_real:
                good = isinstance(value, Fraction) and decimal_parts(value) is not None
            case ScalarType():
                least, greatest = typ.int_range()
                good = type(value) is int and least <= value <= greatest
            case _ if typ is BOOL:
                good = type(value) is bool
            case ControlType() | TensorType():
                good = typ is INDEX and type(value) is int
        if not good:
            self.found.append(f"the literal {value!r} of type {typ}")

    def binary(self, expr: ir.BinaryOp) -> None:
        op, lhs, rhs = expr.op, expr.lhs, expr.rhs
        if op in ("and", "or"):
            truths = {lhs.type, rhs.type} <= {BOOL, COND}
            self.expect(
                truths and (expr.type is COND) == (COND in (lhs.type, rhs.type)), lambda: f"`{op}` is ill-typed: {show(expr)}"
            )
            return
        self.expect(lhs.type == rhs.type, lambda: f"`{op}` mixes {lhs.type} and {rhs.type}: {show(expr)}")
        data = isinstance(lhs.type, ScalarType)
        if op in COMPARISONS:
            ordered = data or lhs.type is INDEX or (lhs.type is BOOL and op in ("==", "!="))
            self.expect(ordered and expr.type is (COND if data else BOOL), lambda: f"`{op}` is ill-typed: {show(expr)}")
            return
        known = (op in ("+", "-", "*", "/", "%") and (data or lhs.type is INDEX)) or (op in BITWISE and data)
        known = known and (lhs.type != B8 or op in ON_BITS)
        self.expect(known and expr.type == lhs.type, lambda: f"`{op}` is ill-typed: {show(expr)}")
        if lhs.type is INDEX:
            self.index_arithmetic(expr)
        elif op == "%" or op in BITWISE:
            self.expect(isinstance(lhs.type, ScalarType) and lhs.type.is_int, f"`{op}` on {lhs.type}")

    def index_arithmetic(self, expr: ir.BinaryOp) -> None:
        match expr.op, expr.lhs, expr.rhs:
            case "*", lhs, rhs:
                self.expect(isinstance(lhs, ir.Literal) or isinstance(rhs, ir.Literal), lambda: f"not affine: {show(expr)}")
            case "/" | "%", _, rhs:
                positive = isinstance(rhs, ir.Literal) and type(rhs.value) is int and rhs.value > 0
                self.expect(positive, lambda: f"the divisor is not a positive literal: {show(expr)}")
            case _:
                pass

    def extern(self, call: ir.ExternCall) -> None:
        try:
            good = len(call.args) == call.fn.arity and call.fn.result([arg.type for arg in call.args]) == call.type
        except ValueError:
            good = False
        self.expect(good, lambda: f"ill-typed call {show(call)}")


def _value_type(typ: Type) -> Type:
    """The type of reading a control name: a size is an index."""
    return INDEX if typ is SIZE else typ


def _same_shape(bound: Type | None, typ: TensorType) -> bool:
    if not isinstance(bound, TensorType) or len(bound.shape) != len(typ.shape):
        return False
    return all(same_expr(a, b) for a, b in zip(bound.shape, typ.shape, strict=True))


__all__ = ["problems", "verify"]
