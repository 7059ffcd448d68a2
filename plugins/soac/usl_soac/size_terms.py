"""Which i64s of a program are sizes that are known as terms: what `2 * n` was called before is the same size."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from usl_core.ir.sym import Sym
from usl_core.ir.types import I64
from usl_soac import core
from usl_soac.core import Atom, Const, Expr
from usl_soac.sizes import Term, literal, maximum, minimum, name


def term_of(atom: Atom, known: Mapping[Sym, Term]) -> Term:
    """The term of an i64."""
    if isinstance(atom, Const):
        return literal(int(atom.value))
    return known.get(atom, name(atom))


def defined(expr: Expr, known: Mapping[Sym, Term]) -> Term | None:
    """The term that an expression of type i64 is, if that says more than its name."""
    match expr:
        case core.Copy(atom=atom):
            return term_of(atom, known)
        case core.Op(op=op, args=args, operand=operand) if operand == I64 and op in _OPERATIONS:
            return _OPERATIONS[op](*(term_of(arg, known) for arg in args))
        case core.Op(op="//", args=(dividend, Const(value=int() as divisor)), operand=operand) if operand == I64 and divisor:
            return term_of(dividend, known) // divisor
        case _:
            return None


_OPERATIONS: Mapping[str, Callable[..., Term]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "min": minimum,
    "max": maximum,
}
