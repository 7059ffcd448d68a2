"""Laws of operations, proved by z3 from what they compute: integers as bit vectors of their width, R and floats as reals.

Every operation that is translated is total and has the meaning of docs/semantics.md: shifts shift everything out from the
width on, division of integers rounds to minus infinity and is 0 by 0. What is not translated (functions of floats,
conversions between integers, truth values apart, and floats) proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from usl_core.analysis.solver import RLIMIT
from usl_core.ir import nodes as ir
from usl_core.ir.combining import as_extremes
from usl_core.ir.externs import ABS, AT_MOST, EQUAL, LESS, MAX, MIN, RELATIONS, SELECT
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, ScalarType
from usl_core.shared_z3 import alone_in_z3, z3_module


class NotTranslated(Exception):
    """An expression has an operation that these proofs do not know."""


@alone_in_z3
def counterexample(op: Operation, law: str) -> Mapping[str, str] | None:
    """None if a law is proved: "associative", "commutative", "idempotent" or "identity"; else values that break it.

    Raises:
        NotTranslated: op computes with what is not known here, or the solver could not tell.
    """
    z3 = z3_module()
    a, b, c = (_constant(z3, op.type, name) for name in "abc")

    def apply(x: Any, y: Any) -> Any:
        return _Translation(z3, dict(zip(op.formals, (x, y), strict=True))).data(op.body)

    names: tuple[Any, ...]
    match law:
        case "associative":
            left, right, names = apply(apply(a, b), c), apply(a, apply(b, c)), (a, b, c)
        case "commutative":
            left, right, names = apply(a, b), apply(b, a), (a, b)
        case "idempotent":
            left, right, names = apply(a, a), a, (a,)
        case _:
            assert op.identity is not None
            left, right, names = apply(a, _Translation(z3, {}).data(op.identity)), a, (a,)
    solver = z3.Solver()
    solver.set("rlimit", RLIMIT)
    solver.set("ctrl_c", False)
    solver.add(left != right)
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer != z3.sat:
        raise NotTranslated(f"z3 could not decide it: {solver.reason_unknown()}")
    model = solver.model()
    return {str(name): _shown(model.eval(name, model_completion=True), op.type) for name in names}


def _constant(z3: Any, typ: ScalarType, name: str) -> Any:
    return z3.BitVec(name, typ.bits) if typ.is_int else z3.Real(name)


def _shown(value: Any, typ: ScalarType) -> str:
    if not typ.is_int:
        return str(value)
    return str(value.as_signed_long() if typ.signed else value.as_long())


class _Translation:
    """Data expressions as terms of z3, over the terms of names."""

    def __init__(self, z3: Any, names: Mapping[Sym, Any]) -> None:
        self.z3 = z3
        self.names = names

    def data(self, expr: ir.Expr) -> Any:
        """The term of a data expression."""
        typ = expr.type
        assert isinstance(typ, ScalarType)
        match expr:
            case ir.Read(name=name):
                return self.names[name]
            case ir.Literal(value=value):
                return self.z3.BitVecVal(int(value), typ.bits) if typ.is_int else self.z3.RealVal(str(value))
            case ir.UnaryMinus(arg=arg):
                return -self.data(arg)
            case ir.BinaryOp(op=op, lhs=lhs, rhs=rhs):
                return self._binary(op, typ, self.data(lhs), self.data(rhs), rhs)
            case ir.ExternCall():
                return self._call(expr, typ)
            case ir.Cast(arg=arg):
                return self._cast(arg, typ)
            case ir.WindowExpr() | ir.StrideExpr() | ir.ReadConfig():
                raise NotTranslated(f"{type(expr).__name__} in an operation")

    def _binary(self, op: str, typ: ScalarType, a: Any, b: Any, divisor: ir.Expr) -> Any:
        z3 = self.z3
        plain: dict[str, Callable[[], Any]] = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}
        if not typ.is_int:
            if op == "/" and not (isinstance(divisor, ir.Literal) and divisor.value):
                raise NotTranslated("a division by what may be 0")
            return plain[op]() if op in plain else a / b
        plain |= {"&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b, "<<": lambda: a << b}
        plain[">>"] = (lambda: a >> b) if typ.signed else lambda: z3.LShR(a, b)
        if op in plain:
            return plain[op]()
        if not typ.signed:
            return z3.If(b == 0, z3.BitVecVal(0, typ.bits), z3.UDiv(a, b) if op == "/" else z3.URem(a, b))
        rest = z3.SRem(a, b)
        inexact = z3.And(rest != 0, (rest < 0) != (b < 0))
        floor = z3.If(inexact, a / b - 1, a / b) if op == "/" else z3.If(inexact, rest + b, rest)
        return z3.If(b == 0, z3.BitVecVal(0, typ.bits), floor)

    def _less(self, typ: ScalarType, a: Any, b: Any) -> Any:
        return self.z3.ULT(a, b) if typ.is_int and not typ.signed else a < b

    def _call(self, expr: ir.ExternCall, typ: ScalarType) -> Any:
        z3, fn = self.z3, expr.fn
        plain = as_extremes(expr)
        if plain is not expr:
            return self._call(plain, typ)
        if fn not in (MIN, MAX, SELECT, ABS, *RELATIONS):
            raise NotTranslated(f"the function {fn.name}")
        compared, args = expr.args[0].type, [self.data(arg) for arg in expr.args]
        assert isinstance(compared, ScalarType)
        match args:
            case [a, b] if fn in RELATIONS:
                at_most = z3.Not(self._less(compared, b, a))
                holds = {LESS: self._less(compared, a, b), AT_MOST: at_most, EQUAL: a == b}[fn]
                return z3.If(holds, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
            case [x]:
                return z3.If(x < 0, -x, x) if typ.signed else x
            case [a, b, x, y]:
                return z3.If(self._less(compared, a, b), x, y)
            case [a, b]:
                less = self._less(typ, a, b) if fn is MIN else self._less(typ, b, a)
                return z3.If(less, a, b)
            case _:
                raise AssertionError(expr)

    def _cast(self, arg: ir.Expr, typ: ScalarType) -> Any:
        source = arg.type
        if source == B8 and not typ.is_int:
            return self.z3.If(self.data(arg) == 1, self.z3.RealVal(1), self.z3.RealVal(0))
        if not isinstance(source, ScalarType) or source.is_int != typ.is_int:
            raise NotTranslated(f"a conversion from {source} to {typ}")
        value = self.data(arg)
        if not typ.is_int or source.bits == typ.bits:
            return value
        if source.bits > typ.bits:
            return self.z3.Extract(typ.bits - 1, 0, value)
        extend = self.z3.SignExt if source.signed else self.z3.ZeroExt
        return extend(typ.bits - source.bits, value)
