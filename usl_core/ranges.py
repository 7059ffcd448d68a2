"""Intervals of control expressions: what keeps 64-bit index arithmetic from overflowing, and `/` from needing a floor.

A range is a pair of unbounded integers. Every subexpression is checked against int64_t where its range is taken, so that C
text is only made from expressions that cannot overflow. Leaves: sizes and indices of exported procedures are limited by
their entry checks; formals of internal procedures get the hull of the arguments at their calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from usl_core.errors import BackendError
from usl_core.ir import externs
from usl_core.ir.nodes import (
    BinaryOp,
    Block,
    Call,
    Cast,
    Expr,
    ExprBase,
    ExternCall,
    For,
    If,
    Literal,
    Proc,
    Read,
    ReadConfig,
    SimpleStmt,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.types import SIZE, is_integer_control
from usl_core.records import dataclass

SIZE_MAX = (1 << 31) - 1
"""The greatest size, and the greatest magnitude of an index argument, that an exported procedure accepts."""

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Range:
    """All integers from lo to hi, both included."""

    lo: int
    hi: int

    def hull(self, other: Range) -> Range:
        """The least range that contains both."""
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))

    def meet(self, other: Range) -> Range:
        """The common part; where there is none the code is unreachable and any range will do."""
        lo, hi = max(self.lo, other.lo), min(self.hi, other.hi)
        return Range(lo, hi) if lo <= hi else Range(lo, lo)


SIZES = Range(1, SIZE_MAX)
INDICES = Range(-SIZE_MAX, SIZE_MAX)
ALL = Range(INT64_MIN, INT64_MAX)

Ranges = Mapping[Sym, Range]


def range_of(expr: Expr, env: Ranges) -> Range:
    """The range of an integer control expression; BackendError if a subexpression might leave int64_t."""
    result = _range(expr, env)
    if not (result.lo >= INT64_MIN and result.hi <= INT64_MAX):
        raise BackendError(
            f"`{show_expr(expr)}` might not fit 64 bits: it ranges over {result.lo} .. {result.hi}",
            span=expr.span,
            notes=("sizes and index arguments have magnitudes up to 2^31 - 1; assert a smaller bound on them",),
        )
    return result


def _range(expr: Expr, env: Ranges) -> Range:
    match expr:
        case Literal(value=value):
            return Range(int(value), int(value))
        case Read(name=name):
            return env.get(name, ALL)
        case UnaryMinus(arg=arg):
            inner = range_of(arg, env)
            return Range(-inner.hi, -inner.lo)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return _binary(op, range_of(lhs, env), range_of(rhs, env))
        case ExternCall(fn=fn, args=args):
            return _extern(fn, args, env)
        case ReadConfig(config=config, field=field):
            return SIZES if config.fields[field].type is SIZE else INDICES
        case StrideExpr():
            return ALL
        case Cast() | WindowExpr():
            raise AssertionError(f"not an integer control expression: {expr}")


def _binary(op: str, a: Range, b: Range) -> Range:
    match op:
        case "+":
            return Range(a.lo + b.lo, a.hi + b.hi)
        case "-":
            return Range(a.lo - b.hi, a.hi - b.lo)
        case "*":
            corners = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
            return Range(min(corners), max(corners))
        case "/":
            assert b.lo == b.hi > 0
            return Range(a.lo // b.lo, a.hi // b.lo)
        case "%":
            assert b.lo == b.hi > 0
            if a.lo // b.lo == a.hi // b.lo:
                return Range(a.lo % b.lo, a.hi % b.lo)
            return Range(0, b.lo - 1)
        case _:
            raise AssertionError(f"not an operator of index arithmetic: {op}")


def _extern(fn: externs.Extern, args: Sequence[Expr], env: Ranges) -> Range:
    if fn is externs.IDX:
        lo, hi = range_of(args[1], env), range_of(args[2], env)
        return Range(lo.lo, max(lo.hi, hi.hi - 1))
    a, b = (range_of(arg, env) for arg in args)
    if fn is externs.MIN:
        return Range(min(a.lo, b.lo), min(a.hi, b.hi))
    assert fn is externs.MAX
    return Range(max(a.lo, b.lo), max(a.hi, b.hi))


def loop_range(loop: For, env: Ranges) -> Range:
    """The values of a loop's iterator, where the body runs at all."""
    lo, hi = range_of(loop.lo, env), range_of(loop.hi, env)
    return Range(lo.lo, max(lo.lo, hi.hi - 1))


def assume(cond: Expr, env: Ranges, holds: bool = True) -> dict[Sym, Range]:
    """env narrowed by a condition that compares a variable with an expression, or a conjunction of such."""
    out = dict(env)
    match cond:
        case BinaryOp(op="and", lhs=lhs, rhs=rhs) if holds:
            return assume(rhs, assume(lhs, out))
        case BinaryOp(op="or", lhs=lhs, rhs=rhs) if not holds:
            return assume(rhs, assume(lhs, out, False), False)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs) if is_integer_control(lhs.type):
            effective = op if holds else _NEGATED.get(op)
            if effective in _MIRRORED:
                _narrow(out, lhs, effective, rhs)
                _narrow(out, rhs, _MIRRORED[effective], lhs)
        case ExprBase():
            pass
    return out


def _narrow(env: dict[Sym, Range], side: Expr, op: str, bound: Expr) -> None:
    if not (isinstance(side, Read) and side.name in env):
        return
    limit = range_of(bound, env)
    lo, hi = {
        "<": (INT64_MIN, limit.hi - 1),
        "<=": (INT64_MIN, limit.hi),
        ">": (limit.lo + 1, INT64_MAX),
        ">=": (limit.lo, INT64_MAX),
        "==": (limit.lo, limit.hi),
    }[op]
    env[side.name] = env[side.name].meet(Range(min(lo, hi), max(lo, hi)))


def entry_ranges(proc: Proc) -> dict[Sym, Range]:
    """The ranges of an exported procedure's control formals that its entry checks ensure, assertions not yet counted."""
    return {arg.name: SIZES if arg.type is SIZE else INDICES for arg in proc.args if is_integer_control(arg.type)}


def assume_preds(proc: Proc, env: Ranges) -> dict[Sym, Range]:
    """The ranges of names that the assertions of a procedure leave."""
    out = dict(env)
    for pred in proc.preds:
        out = assume(pred, out)
    return out


def formal_ranges(callers_first: Sequence[Proc], exported: Iterable[Proc]) -> dict[Proc, dict[Sym, Range]]:
    """For each procedure the ranges of its formals over all its calls, given callers before callees."""
    found = {proc: entry_ranges(proc) for proc in exported}
    for proc in callers_first:
        env = assume_preds(proc, found.setdefault(proc, {}))
        for call, at_call in _calls(proc.body, env):
            if call.proc.instr is None:
                _join(found.setdefault(call.proc, {}), call, at_call)
    return {proc: assume_preds(proc, env) for proc, env in found.items()}


def _join(known: dict[Sym, Range], call: Call, env: Ranges) -> None:
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if is_integer_control(formal.type):
            value = range_of(actual, env)
            known[formal.name] = known[formal.name].hull(value) if formal.name in known else value


def _calls(block: Block, env: Ranges) -> Iterator[tuple[Call, Ranges]]:
    """Every call in block with the ranges of the names visible there."""
    for stmt in block:
        match stmt:
            case Call():
                yield stmt, env
            case For():
                yield from _calls(stmt.body, {**env, stmt.iter: loop_range(stmt, env)})
            case If():
                yield from _calls(stmt.body, branch(stmt, env, True))
                yield from _calls(stmt.orelse, branch(stmt, env, False))
            case SimpleStmt():
                pass


def branch(stmt: If, env: Ranges, taken: bool) -> dict[Sym, Range]:
    """The ranges inside one branch of an if."""
    return assume(stmt.cond, env, taken)


def decided_by(op: str, a: Range, b: Range) -> bool | None:
    """The truth of `x op y` for all x in a and y in b, or None if it depends on them."""
    equal, apart = a.lo == a.hi == b.lo == b.hi, a.hi < b.lo or b.hi < a.lo
    surely, never = {
        "<": (a.hi < b.lo, a.lo >= b.hi),
        "<=": (a.hi <= b.lo, a.lo > b.hi),
        ">": (a.lo > b.hi, a.hi <= b.lo),
        ">=": (a.lo >= b.hi, a.hi < b.lo),
        "==": (equal, apart),
        "!=": (apart, equal),
    }[op]
    return True if surely else False if never else None
