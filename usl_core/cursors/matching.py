"""Whether a node of the IR is an instance of a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from usl_core.cursors import pattern_syntax as syntax
from usl_core.cursors.display import names_printed_as, spelling
from usl_core.ir import nodes as ir
from usl_core.ir.externs import RELATIONS
from usl_core.ir.memory import MemoryClass
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, ControlType, ScalarType, TensorType


class Matcher:
    """Matches patterns in one procedure, whose printed names count as well as the spellings of the names themselves."""

    def __init__(self, proc: ir.Proc) -> None:
        self.proc = proc

    def name(self, pattern: str, sym: Sym) -> bool:
        """Whether a name in a pattern stands for sym."""
        if pattern == syntax.ANY or pattern == sym.name:
            return True
        # A clash is renamed by a suffix, so other texts need no look at the printed names.
        return sym.name in names_printed_as(pattern) and spelling(self.proc, sym) == pattern

    def nest(self, names: Sequence[str], stmt: ir.Stmt) -> bool:
        """Whether stmt is a loop of the first name that directly holds a loop of the second, and so on."""
        if not (isinstance(stmt, ir.For) and self.name(names[0], stmt.iter)):
            return False
        return len(names) == 1 or any(self.nest(names[1:], inner) for inner in stmt.body)

    # ---- statements

    def body(self, patterns: Sequence[syntax.StmtPattern], block: ir.Block) -> bool:
        """Whether a whole body matches; a sole `_` is any body."""
        if len(patterns) == 1 and isinstance(patterns[0], syntax.AnyPattern):
            return True
        return len(patterns) == len(block) and self.run(patterns, block)

    def run(self, patterns: Sequence[syntax.StmtPattern], block: Sequence[ir.Stmt]) -> bool:
        """Whether the patterns match the first statements of block, one by one."""
        return all(self.stmt(pattern, stmt) for pattern, stmt in zip(patterns, block, strict=True))

    def stmt(self, pattern: syntax.StmtPattern, stmt: ir.Stmt) -> bool:
        """Whether a statement matches."""
        match pattern:
            case syntax.AnyPattern():
                return True
            case syntax.ForPattern():
                return isinstance(stmt, ir.For) and self._for(pattern, stmt)
            case syntax.IfPattern(cond, body, orelse):
                return (
                    isinstance(stmt, ir.If)
                    and self.expr(cond, stmt.cond)
                    and self.body(body, stmt.body)
                    and (orelse is None or (bool(stmt.orelse) and self.body(orelse, stmt.orelse)))
                )
            case syntax.AllocPattern():
                return isinstance(stmt, ir.Alloc) and self._buffer(pattern, stmt.name, stmt.type, stmt.mem)
            case syntax.WritePattern():
                return self._write(pattern, stmt)
            case syntax.ConfigWritePattern(target, rhs):
                return (
                    isinstance(stmt, ir.AssignConfig)
                    and _field(target, stmt.config.name, stmt.field)
                    and self.expr(rhs, stmt.rhs)
                )
            case syntax.CallPattern(name, args):
                return self._call_stmt(name, args, stmt)
            case syntax.PassPattern():
                return isinstance(stmt, ir.Pass)
            case _:
                assert_never(pattern)

    def _for(self, pattern: syntax.ForPattern, stmt: ir.For) -> bool:
        if not self.name(pattern.name, stmt.iter) or pattern.mode not in (syntax.ANY, stmt.mode.value):
            return False
        if pattern.bounds is not None:
            lo, hi = pattern.bounds
            if not (self.expr(lo, stmt.lo) and self.expr(hi, stmt.hi)):
                return False
        return self.body(pattern.body, stmt.body)

    def formal(self, pattern: syntax.AllocPattern, arg: ir.Arg) -> bool:
        """Whether the pattern of an allocation fits a formal."""
        if isinstance(arg.type, ControlType):
            return self.name(pattern.name, arg.name) and (pattern.scalar, pattern.mem) == (syntax.ANY, syntax.ANY)
        return self._buffer(pattern, arg.name, arg.type, arg.mem)

    def _buffer(self, pattern: syntax.AllocPattern, name: Sym, typ: ScalarType | TensorType, mem: MemoryClass | None) -> bool:
        scalar, shape = (typ.scalar, typ.shape) if isinstance(typ, TensorType) else (typ, ())
        return (
            self.name(pattern.name, name)
            and pattern.scalar in (syntax.ANY, scalar.name)
            and (pattern.mem == syntax.ANY or (mem is not None and pattern.mem in (mem.name, mem.__name__)))
            and (pattern.shape is None or self._exprs(pattern.shape, shape))
        )

    def _write(self, pattern: syntax.WritePattern, stmt: ir.Stmt) -> bool:
        match stmt:
            case ir.Assign(name=name, idx=idx, rhs=rhs):
                fits = not pattern.op
            case ir.Reduce(name=name, idx=idx, rhs=rhs, op=op):
                fits = pattern.op in (str(op), syntax.ANY)
            case ir.WindowStmt(name=name, rhs=rhs):
                # `_ = _` means assignments; a window is made only where its name or a window is asked for.
                idx = ()
                windows = isinstance(pattern.rhs, syntax.AccessPattern)
                fits = not pattern.op and pattern.target.idx is None and (pattern.target.name != syntax.ANY or windows)
            case ir.AssignConfig() | ir.Pass() | ir.Check() | ir.If() | ir.For() | ir.Alloc() | ir.Call():
                return False
        return (
            fits
            and self.name(pattern.target.name, name)
            and (pattern.target.idx is None or self._entries(pattern.target.idx, idx))
            and self.expr(pattern.rhs, rhs)
        )

    def _call_stmt(self, name: str, args: tuple[syntax.ExprPattern, ...] | None, stmt: ir.Stmt) -> bool:
        match stmt:
            case ir.Call(proc=callee, args=actuals):
                return name in (syntax.ANY, callee.name) and (args is None or self._exprs(args, actuals))
            case ir.Check(cond=cond):
                return name == "check" and (args is None or self._exprs(args, (cond,)))
            case ir.Assign() | ir.Reduce() | ir.AssignConfig() | ir.Pass() | ir.If() | ir.For() | ir.Alloc() | ir.WindowStmt():
                return False

    # ---- expressions

    def expr(self, pattern: syntax.ExprPattern, expr: ir.Node) -> bool:
        """Whether an expression matches."""
        match pattern:
            case syntax.AnyPattern():
                return True
            case syntax.AccessPattern(name, idx):
                return (
                    isinstance(expr, ir.Read | ir.WindowExpr)
                    and self.name(name, expr.name)
                    and (idx is None or self._entries(idx, expr.idx))
                )
            case syntax.LiteralPattern(value):
                return isinstance(expr, ir.Literal) and _same_value(value, bool(expr.value) if expr.type == B8 else expr.value)
            case syntax.MinusPattern(arg):
                return isinstance(expr, ir.UnaryMinus) and self.expr(arg, expr.arg)
            case syntax.BinaryPattern(op, lhs, rhs):
                return (sides := _operands(op, expr)) is not None and self.expr(lhs, sides[0]) and self.expr(rhs, sides[1])
            case syntax.CallPattern(name, args):
                return isinstance(expr, ir.ExprBase) and self._call_expr(name, args, expr)
            case syntax.FieldPattern():
                return isinstance(expr, ir.ReadConfig) and _field(pattern, expr.config.name, expr.field)
            case _:
                assert_never(pattern)

    def _call_expr(self, name: str, args: tuple[syntax.ExprPattern, ...] | None, expr: ir.Expr) -> bool:
        match expr:
            case ir.ExternCall(fn=fn, args=actuals) if fn not in RELATIONS:
                return name in (syntax.ANY, fn.name) and (args is None or self._exprs(args, actuals))
            case ir.Cast(type=typ, arg=arg):
                return name == str(typ) and (args is None or self._exprs(args, (arg,)))
            case ir.StrideExpr(name=buffer, dim=dim):
                return name == "stride" and (args is None or self._stride(args, buffer, dim))
            case (
                ir.Read() | ir.Literal() | ir.UnaryMinus() | ir.BinaryOp() | ir.ExternCall() | ir.WindowExpr() | ir.ReadConfig()
            ):
                return False

    def _stride(self, args: tuple[syntax.ExprPattern, ...], buffer: Sym, dim: int) -> bool:
        match args:
            case (
                syntax.AnyPattern() | syntax.AccessPattern() as wanted,
                syntax.AnyPattern() | syntax.LiteralPattern() as position,
            ):
                named = isinstance(wanted, syntax.AnyPattern) or self.name(wanted.name, buffer)
                return named and (isinstance(position, syntax.AnyPattern) or _same_value(position.value, dim))
            case _:
                return False

    def _exprs(self, patterns: Sequence[syntax.ExprPattern], exprs: Sequence[ir.Expr]) -> bool:
        if len(patterns) == 1 and isinstance(patterns[0], syntax.AnyPattern):
            return bool(exprs)
        return len(patterns) == len(exprs) and all(self.expr(p, e) for p, e in zip(patterns, exprs, strict=True))

    def _entries(self, patterns: Sequence[syntax.EntryPattern], entries: Sequence[ir.Expr | ir.Interval]) -> bool:
        if len(patterns) == 1 and isinstance(patterns[0], syntax.AnyPattern):
            return bool(entries)
        return len(patterns) == len(entries) and all(self._entry(p, e) for p, e in zip(patterns, entries, strict=True))

    def _entry(self, pattern: syntax.EntryPattern, entry: ir.Expr | ir.Interval) -> bool:
        match pattern, entry:
            case syntax.SlicePattern(lo, hi), ir.Interval():
                return self.expr(lo, entry.lo) and self.expr(hi, entry.hi)
            case syntax.AnyPattern(), _:
                return True
            case syntax.SlicePattern(), _:
                return False
            case _, ir.Interval():
                return False
            case _:
                return self.expr(pattern, entry)


def _operands(op: str, expr: ir.Node) -> tuple[ir.Expr, ir.Expr] | None:
    """The sides of `lhs op rhs`, a comparison as a value too."""
    if isinstance(expr, ir.BinaryOp) and expr.op == op:
        return expr.lhs, expr.rhs
    if isinstance(expr, ir.ExternCall) and expr.fn in RELATIONS and op in (expr.fn.name, expr.fn.name.replace("<", ">")):
        lhs, rhs = expr.args
        return (lhs, rhs) if op == expr.fn.name else (rhs, lhs)
    return None


def _field(pattern: syntax.FieldPattern, config: str, field: str) -> bool:
    return pattern.config in (syntax.ANY, config) and pattern.field in (syntax.ANY, field)


def _same_value(wanted: bool | Fraction, value: int | bool | Fraction) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    return wanted == value
