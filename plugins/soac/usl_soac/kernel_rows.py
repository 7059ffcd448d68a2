"""Elaboration of calls of `@proc`s: what they write has the shape of the argument, which is that of the formal: tested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from usl_core.backend import written_formals
from usl_core.ir.nodes import BinaryOp, Cast, ExternCall, Literal, Proc, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.nodes import Expr as ProcExpr
from usl_core.ir.sym import Sym
from usl_core.ir.types import SIZE, ControlType, TensorType
from usl_soac import core, failures
from usl_soac.building import Dims, Scope
from usl_soac.checking import Context, check_equal
from usl_soac.core import Statement
from usl_soac.rows import keep
from usl_soac.scalars import I64
from usl_soac.sizes import KERNEL_SIZE_LIMIT, Compare, Term, literal


def kernel(statement: Statement, expr: core.Kernel, scope: Scope, context: Context) -> None:
    """A call of a procedure."""
    procedure: Any = expr.procedure
    proc: Proc = procedure.ir
    args = tuple(None if arg is None else scope.atom(arg) for arg in expr.args)
    certs: list[Sym] = []
    known: dict[Sym, Term] = {}
    for formal, arg in zip(proc.args, args, strict=True):
        if isinstance(formal.type, ControlType) and arg is not None and scope.scalar_of(arg) == I64:
            term = scope.term(arg)
            known[formal.name] = term
            least = 1 if formal.type is SIZE else -KERNEL_SIZE_LIMIT
            inside = scope.both(
                scope.compare(Compare("<=", literal(least), term)),
                scope.compare(Compare("<=", term, literal(KERNEL_SIZE_LIMIT))),
            )
            site = failures.kernel_size(procedure.name(), formal.name.name, statement.span)
            certs += scope.check(inside, site, (arg,))
    shapes: dict[Sym, Dims] = {}
    for formal, arg in zip(proc.args, args, strict=True):
        if isinstance(formal.type, TensorType):
            shape = scope.shape(arg) if arg is not None else ()
            for d, extent in enumerate(formal.type.shape):
                site = failures.argument(procedure.name(), formal.name.name, d, "its size", None, statement.span)
                certs += check_equal(shape[d], _term(extent, known), site, scope, context)
            shapes[formal.name] = shape
    changed = written_formals(proc)
    results = [shapes.get(formal.name, ()) for formal in proc.args if formal.name in changed]
    keep(statement, core.Kernel(expr.procedure, args, span=expr.span), results, certs, scope)


def _term(expr: ProcExpr, known: Mapping[Sym, Term]) -> Term:
    """An extent of a formal as a term over what is passed."""
    match expr:
        case Literal(value=value):
            return literal(int(value))
        case Read(name=name):
            return known[name]
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            left, right = _term(lhs, known), _term(rhs, known)
            match op:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case "/" if right.constant:
                    return left // right.constant
                case "%" if right.constant:
                    return left - (left // right.constant) * right.constant
                case _:
                    pass
        case UnaryMinus() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            pass
    raise AssertionError("an extent is a term of sizes")
