"""The operations of reductions: what `x[i] op= e` does to the location, and the laws that reorderings rely on.

`+ * & | ^` are `x += e` and so on, the last three on integers only; `min` and `max` are the built-in functions of these names,
written `x @= max(e)`. All are associative and commutative: on integers modulo 2^N, on R and floating types over the reals
(docs/semantics.md). So two reductions by one operation may change places; two by different ones may not.
"""

from __future__ import annotations

from fractions import Fraction

from usl_core.errors import NOWHERE, Span
from usl_core.ir.externs import CLAMP, MAX, MIN, RELU, SELECT, Extern
from usl_core.ir.nodes import BinaryOp, Expr, ExternCall, Literal, Read, Reduce
from usl_core.ir.operation import Operation
from usl_core.ir.traverse import same_expr, substitute
from usl_core.ir.types import B8, ScalarType, Type, all_bits

ON_BITS = ("&", "|", "^")
"""Operations on integers only."""
OPERATORS = ("+", "*", *ON_BITS)
"""Operations that are Python's augmented assignments. The operands of each may change places."""
FUNCTIONS: dict[str, Extern] = {fn.name: fn for fn in (MIN, MAX)}
"""Operations that are functions of two values."""
OPERATIONS = (*OPERATORS, *FUNCTIONS)
_IDEMPOTENT = frozenset({*FUNCTIONS, "&", "|"})


def may_reduce(op: str | Operation, typ: Type) -> bool:
    """Whether a location of that type is reduced by op."""
    return op.type == typ if isinstance(op, Operation) else op in operations(typ)


def operations(typ: Type) -> tuple[str, ...]:
    """The operations that every program knows, by which a location of that type is reduced."""
    if typ == B8:
        return ON_BITS
    return OPERATIONS if isinstance(typ, ScalarType) and typ.is_int else tuple(op for op in OPERATIONS if op not in ON_BITS)


def is_idempotent(op: str | Operation) -> bool:
    """Whether `a op a` is a, so that combining a value once more changes nothing."""
    return op.idempotent if isinstance(op, Operation) else op in _IDEMPOTENT


def identity(op: str | Operation, typ: ScalarType) -> Literal | None:
    """The value e with `x op e` = x for every x of typ; None if there is none."""
    match op:
        case Operation():
            return op.identity
        case "+" | "|" | "^":
            value = 0
        case "*":
            value = 1
        case "&":
            value = all_bits(typ)
        case "min" | "max" if typ.is_int:
            least, greatest = typ.int_range()
            value = least if op == "max" else greatest
        case _:
            return None
    return Literal(value if typ.is_int else Fraction(value), type=typ)


def combined(op: str | Operation, old: Expr, new: Expr, span: Span = NOWHERE) -> Expr:
    """The value of `old op new`."""
    if isinstance(op, Operation):
        return substitute(op.body, dict(zip(op.formals, (old, new), strict=True)))
    if op in FUNCTIONS:
        return ExternCall(FUNCTIONS[op], (old, new), type=old.type, span=span)
    return BinaryOp(op, old, new, type=old.type, span=span)


def operands(op: str | Operation, expr: Expr) -> tuple[Expr, Expr] | None:
    """a and b if expr is `a op b`."""
    if isinstance(expr, BinaryOp) and expr.op == op:
        return expr.lhs, expr.rhs
    if isinstance(op, str) and isinstance(expr, ExternCall) and expr.fn is FUNCTIONS.get(op):
        first, second = expr.args
        return first, second
    return None


def as_extremes(expr: ExternCall) -> ExternCall:
    """`relu`, `clamp` and what `select` makes of the two numbers that it compares, written with `min` and `max`."""
    fn, typ = expr.fn, expr.type

    def of(which: Extern, a: Expr, b: Expr) -> ExternCall:
        return ExternCall(which, (a, b), type=typ, span=expr.span)

    match expr.args:
        case (x,) if fn is RELU:
            assert isinstance(typ, ScalarType)
            return of(MAX, x, Literal(0 if typ.is_int else Fraction(0), type=typ))
        case (x, lo, hi) if fn is CLAMP:
            return of(MAX, lo, of(MIN, x, hi))
        case (a, b, x, y) if fn is SELECT and same_expr(a, x) and same_expr(b, y):
            return of(MIN, a, b)
        case (a, b, x, y) if fn is SELECT and same_expr(a, y) and same_expr(b, x):
            return of(MAX, a, b)
        case _:
            return expr


def operation_of(expr: Expr) -> str | None:
    """The operation at the top of expr, if a reduction may have it."""
    return next((op for op in OPERATIONS if operands(op, expr) is not None), None)


def written_out(stmt: Reduce) -> Expr:
    """What stmt leaves in its location, from what is there."""
    return combined(stmt.op, Read(stmt.name, stmt.idx, type=stmt.rhs.type, span=stmt.span), stmt.rhs, stmt.span)


def is_function(op: str | Operation) -> bool:
    """Whether a reduction by op is written `x @= op(e)`."""
    return isinstance(op, Operation) or op in FUNCTIONS


def spelt(op: str | Operation) -> str:
    """How messages call a reduction by op."""
    return f"`@= {op}`" if is_function(op) else f"`{op}=`"
