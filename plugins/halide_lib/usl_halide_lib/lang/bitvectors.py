"""Equality of expressions, by z3: integers are bit vectors of their types, floats the reals. Unknown is no proof."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from usl_core.shared_z3 import alone_in_z3, z3_module
from usl_halide_lib.lang.nodes import Const, Name, Node, Op
from usl_halide_lib.lang.types import BOOL, Type

RLIMIT = 30_000_000
"""z3's resource limit of one question: the same answer on every machine."""


class _NoTerm(Exception):
    """An operation that is not translated."""


@alone_in_z3
def prove_equal(left: Sequence[Node], right: Sequence[Node]) -> dict[str, Any] | str | None:
    """None if two tuples of expressions are equal for all values of their variables; else such values, or why it is open."""
    z3 = z3_module()
    try:
        terms = _Terms(z3)
        different = z3.Or(*(terms.term(a) != terms.term(b) for a, b in zip(left, right, strict=True)))
    except _NoTerm as error:
        return f"no proof is tried, as {error} occurs"
    solver = z3.Solver()
    solver.set("rlimit", RLIMIT)
    solver.set("ctrl_c", False)
    solver.add(different)
    verdict = solver.check()
    if verdict == z3.unsat:
        return None
    if verdict != z3.sat:
        return "no proof and no counterexample was found"
    model = solver.model()
    return {name: _value(model.eval(term, model_completion=True), typ) for name, (term, typ) in terms.names.items()}


def _value(term: Any, typ: Type) -> Any:
    if typ == BOOL:
        return int(str(term) == "True")
    if typ.is_float:
        return Fraction(str(term)) if "?" not in str(term) else Fraction(0)
    return int(term.as_signed_long() if typ.is_signed else term.as_long())


class _Terms:
    def __init__(self, z3: Any) -> None:
        self.z3 = z3
        self.names: dict[str, tuple[Any, Type]] = {}

    def term(self, node: Node) -> Any:
        """The term of an expression."""
        z3 = self.z3
        match node:
            case Const(value=value, type=typ):
                if typ == BOOL:
                    return z3.BoolVal(bool(value))
                return z3.RealVal(str(value)) if typ.is_float else z3.BitVecVal(int(value), typ.bits)
            case Name(name=name, type=typ):
                if name not in self.names:
                    made = z3.Bool(name) if typ == BOOL else z3.Real(name) if typ.is_float else z3.BitVec(name, typ.bits)
                    self.names[name] = made, typ
                return self.names[name][0]
            case Op(op=op, args=args, type=typ):
                return self._operation(op, args, typ)
            case _:
                raise _NoTerm(str(node))

    def _operation(self, op: str, args: tuple[Node, ...], typ: Type) -> Any:
        z3, own = self.z3, args[0].type
        if op in ("cast", "saturating_cast"):
            return self._cast(self.term(args[0]), own, typ, op == "saturating_cast")
        terms = [self.term(each) for each in args]
        match op, terms:
            case "select", (c, a, b):
                return z3.If(c, a, b)
            case "and", (a, b):
                return z3.And(a, b)
            case "or", (a, b):
                return z3.Or(a, b)
            case "not", (a,):
                return z3.Not(a)
            case "eq", (a, b):
                return a == b
            case "ne", (a, b):
                return a != b
            case (("lt" | "le" | "gt" | "ge"), (a, b)):
                return self._less(op, a, b, own)
            case (("min" | "max"), (a, b)):
                return z3.If(self._less("lt" if op == "min" else "gt", b, a, own), b, a)
            case (("add" | "sub" | "mul"), (a, b)):
                return a + b if op == "add" else a - b if op == "sub" else a * b
            case "neg", (a,):
                return -a
            case (("bitand" | "bitor" | "bitxor"), (a, b)):
                return a & b if op == "bitand" else a | b if op == "bitor" else a ^ b
            case "bitnot", (a,):
                return ~a
            case _:
                raise _NoTerm(op)

    def _less(self, op: str, a: Any, b: Any, typ: Type) -> Any:
        z3 = self.z3
        if typ == BOOL:
            raise _NoTerm("an order of truth values")
        if op in ("gt", "ge"):
            a, b = b, a
        strict = op in ("lt", "gt")
        if typ.is_float or typ.is_signed:
            return a < b if strict else a <= b
        return z3.ULT(a, b) if strict else z3.ULE(a, b)

    def _cast(self, term: Any, source: Type, target: Type, saturating: bool) -> Any:
        z3 = self.z3
        if source == target:
            return term
        if source == BOOL and target.is_int:
            return z3.If(term, z3.BitVecVal(1, target.bits), z3.BitVecVal(0, target.bits))
        if target == BOOL and source.is_int:
            return term != 0
        if source.is_float and target.is_float:
            return term
        if not (source.is_int and target.is_int):
            raise _NoTerm(f"a cast from {source} to {target}")
        width = max(source.bits, target.bits) + 1
        extend = z3.SignExt if source.is_signed else z3.ZeroExt
        wide = extend(width - source.bits, term)
        if saturating:
            least, greatest = (z3.BitVecVal(each, width) for each in (target.least, target.greatest))
            wide = z3.If(wide < least, least, z3.If(wide > greatest, greatest, wide))
        return z3.Extract(target.bits - 1, 0, wide)
