"""Typed constructors of operators, casts and calls of externs, and how literals get their type.

Numbers alone stay untyped (see `literals`) until `settle` or an operand gives them a type.
"""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span, TypeError_
from usl_core.frontend.literals import (
    DECIMAL_LITERAL,
    INTEGER_LITERAL,
    describe,
    is_untyped,
    literal,
    typed_literal,
)
from usl_core.frontend.placement import require_place
from usl_core.ir.choices import choice
from usl_core.ir.externs import AT_MOST, EQUAL, IDX, LESS, MAX, MIN, SELECT, Extern
from usl_core.ir.nodes import BinaryOp, Cast, Expr, ExternCall, Literal, Read, ReadConfig, StrideExpr, UnaryMinus, WindowExpr
from usl_core.ir.printer import BITWISE, literal_groups, show_expr
from usl_core.ir.traverse import update
from usl_core.ir.types import B8, BOOL, COND, INDEX, Kind, ScalarType, TensorType, Type, all_bits

_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_DUAL = {"and": "or", "or": "and"}


# ---- types meeting


def settle(expr: Expr, typ: Type) -> Expr:
    """An expression of literals only, given its type. Where data is wanted, truth values are that: see `flag`."""
    match expr:
        case _ if typ == B8:
            return flag(expr)
        case _ if not is_untyped(expr):
            return expr
        case Literal(value=value):
            return typed_literal(value, typ, span=expr.span)
        case UnaryMinus(arg=arg):
            return unary_minus(settle(arg, typ), span=expr.span)
        case BinaryOp(op=op) if op in BITWISE and typ is INDEX:
            return typed_literal(_literal_bits(expr), typ, span=expr.span)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return arithmetic(op, settle(lhs, typ), settle(rhs, typ), span=expr.span)
        case ExternCall(fn=fn, args=args):
            return extern_call(fn, [settle(arg, typ) for arg in args], span=expr.span)
        case Read() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            raise AssertionError(f"{type(expr).__name__} cannot be untyped")


_RELATIONS = {"<": LESS, "<=": AT_MOST, "==": EQUAL}


def flag(expr: Expr) -> Expr:
    """A literal truth value, or a condition on data, as data of type b8; anything else is given back."""
    if isinstance(expr, Literal) and (expr.type is BOOL or is_untyped(expr)):
        return typed_literal(expr.value, B8, span=expr.span)
    if not (isinstance(expr, BinaryOp) and expr.type is COND):
        return expr
    op, lhs, rhs = expr.op, expr.lhs, expr.rhs
    if op in ("and", "or"):
        sides = flag(lhs), flag(rhs)
        for side in sides:
            if side.type is BOOL:
                raise TypeError_(f"{show_expr(side)} depends on control values only; test it in `if`", span=side.span)
        return BinaryOp("&" if op == "and" else "|", *sides, type=B8, span=expr.span)
    if op in (">", ">="):
        op, lhs, rhs = op.replace(">", "<"), rhs, lhs
    if op == "!=":
        is_truth = lhs.type == B8 and isinstance(rhs, Literal) and not rhs.value
        return lhs if is_truth else inversion(flag(update(expr, op="==")), span=expr.span)
    return ExternCall(_RELATIONS[op], (lhs, rhs), type=B8, span=expr.span)


def truth(expr: Expr) -> Expr:
    """Data of type b8 as a condition; anything else is given back."""
    if expr.type != B8:
        return expr
    return BinaryOp("!=", expr, Literal(0, type=B8, span=expr.span), type=COND, span=expr.span)


def adopt(expr: Expr, typ: Type, what: str) -> Expr:
    """expr as a value of exactly type typ; what names the place in the message (`the right side of =`)."""
    settled = settle(expr, typ)
    if settled.type != typ:
        raise TypeError_(f"{what} must be {describe(typ)}, not {describe(settled.type)}{_remedy(settled, typ)}", span=expr.span)
    return settled


def _remedy(expr: Expr, typ: Type) -> str:
    match expr.type, typ:
        case TensorType(), _:
            return _index_it(expr)
        case (left, _) if left is BOOL and typ == B8:
            return "; what depends on control values only is stored with `if`"
        case (ScalarType(), _) if typ == B8:
            return "; compare it, as `x != 0` does"
        case (left, ScalarType()) if left is INDEX or isinstance(left, ScalarType):
            return f"; convert it explicitly with {typ}({show_expr(expr)})"
        case (ScalarType(kind=Kind.INT) as data, _) if typ is INDEX and data != B8:
            return f"; inside an access, idx({show_expr(expr)}, lo, hi) makes a clamped index of it"
        case _:
            return ""


def _index_it(expr: Expr) -> str:
    rank = len(expr.type.shape) if isinstance(expr.type, TensorType) else 0
    return f"; index it with {rank} expression{'s' if rank != 1 else ''}"


def _unify(lhs: Expr, rhs: Expr, span: Span, op: str) -> tuple[Expr, Expr]:
    """Both sides at one type; both stay untyped if neither has one. Conditions on data are data where that is wanted."""
    if COND in (lhs.type, rhs.type):
        lhs, rhs = flag(lhs), flag(rhs)
    for side in (lhs, rhs):
        if isinstance(side.type, TensorType):
            raise TypeError_(f"`{op}` needs elements, not a whole buffer{_index_it(side)}", span=side.span)
    if is_untyped(lhs) and is_untyped(rhs):
        return lhs, rhs
    lhs, rhs = settle(lhs, rhs.type), settle(rhs, lhs.type)
    if lhs.type != rhs.type and not {lhs.type, rhs.type} <= {BOOL, COND}:
        message = f"`{op}` mixes {describe(lhs.type)} and {describe(rhs.type)}"
        target, other = (lhs.type, rhs) if isinstance(lhs.type, ScalarType) else (rhs.type, lhs)
        remedy = _remedy(other, target)
        raise TypeError_(message + remedy, span=span)
    return lhs, rhs


def _untyped(*exprs: Expr) -> Type:
    return DECIMAL_LITERAL if any(expr.type is DECIMAL_LITERAL for expr in exprs) else INTEGER_LITERAL


# ---- operators


def unary_minus(arg: Expr, *, span: Span = NOWHERE) -> UnaryMinus:
    """`-arg`. The negative literal is not made here: `literal(-3)`."""
    if not (is_untyped(arg) or arg.type is INDEX or isinstance(arg.type, ScalarType)) or arg.type == B8:
        raise TypeError_(f"`-` needs a number, not {describe(arg.type)}{_remedy(arg, INDEX)}", span=span)
    return UnaryMinus(arg, type=arg.type, span=span)


def negate(arg: Expr, *, span: Span = NOWHERE) -> Expr:
    """`-arg`, with a literal negated at once where its type can hold the result."""
    if isinstance(arg, Literal) and not isinstance(arg.value, bool) and arg.type != B8:
        value = -arg.value
        if is_untyped(arg) or not (isinstance(arg.type, ScalarType) and arg.type.is_int):
            return update(arg, value=value, span=span)
        least, greatest = arg.type.int_range()
        if least <= value <= greatest:
            return update(arg, value=value, span=span)
    return unary_minus(arg, span=span)


def arithmetic(op: str, lhs: Expr, rhs: Expr, *, span: Span = NOWHERE) -> Expr:
    """`lhs op rhs` for `+ - * / // %` and `& | ^ << >>`; on integers `//` is another spelling of `/`, which rounds down."""
    if isinstance(lhs, Literal) and lhs.type is BOOL:
        lhs = settle(lhs, B8 if isinstance(rhs, Literal) else rhs.type)
    lhs, rhs = _unify(lhs, rhs, span, op)
    typ = lhs.type
    if op in BITWISE and not is_untyped(lhs):
        return BinaryOp(op, lhs, rhs, type=_bitwise(op, typ, span), span=span)
    if is_untyped(lhs):
        return _literal_division(lhs, rhs, span) if op == "//" else BinaryOp(op, lhs, rhs, type=_untyped(lhs, rhs), span=span)
    if typ is INDEX:
        return _index_arithmetic("/" if op == "//" else op, lhs, rhs, span)
    if not isinstance(typ, ScalarType) or typ == B8:
        hint = "; convert it explicitly, as i32(b) does" if typ == B8 else ""
        raise TypeError_(f"`{op}` needs numbers, not {describe(typ)}{hint}", span=span)
    if op in ("//", "%") and typ.is_real:
        hint = "; write `/`" if op == "//" else ""
        raise TypeError_(f"`{op}` is defined on integers only, not on {typ}{hint}", span=span)
    return BinaryOp("/" if op == "//" else op, lhs, rhs, type=typ, span=span)


_INSTEAD = {"<<": "multiply by a power of two", ">>": "divide by a power of two"}
_INSTEAD |= {"&": "write `and` on truth values", "|": "write `or` on truth values", "^": "write `!=` on truth values"}


def _bitwise(op: str, typ: Type, span: Span) -> Type:
    """The type of an operation on bits, which is that of its operands, integer data."""
    if not (isinstance(typ, ScalarType) and typ.is_int) or (typ == B8 and op in ("<<", ">>")):
        hint = f"; {_INSTEAD[op]}" if op in _INSTEAD and not isinstance(typ, ScalarType) else ""
        raise TypeError_(f"`{op}` is defined on integer data only, not on {describe(typ)}{hint}", span=span)
    return typ


_MOST_SHIFTED = 64


def _literal_bits(expr: Expr) -> int:
    """The number of operations on the bits of plain numbers, as an index: `1 << 12` is 4096."""
    value = constant(expr)
    if value is None:
        raise TypeError_(f"{show_expr(expr)} is no number; numbers are shifted by 0 to {_MOST_SHIFTED}", span=expr.span)
    return value


def inversion(arg: Expr, *, span: Span = NOWHERE) -> BinaryOp:
    """`~arg`: arg with all bits inverted, which is `arg ^ -1`, or of an unsigned type `arg ^` its greatest number."""
    arg = flag(arg) if arg.type is COND else arg
    if is_untyped(arg):
        raise TypeError_("the type of this literal is not known; write ~i32(...)", span=span)
    typ = _bitwise("~", arg.type, span)
    assert isinstance(typ, ScalarType)
    return BinaryOp("^", arg, Literal(all_bits(typ), type=typ, span=span), type=typ, span=span)


def _literal_division(lhs: Expr, rhs: Expr, span: Span) -> Expr:
    left, right = constant(lhs), constant(rhs)
    if left is None or right is None:
        raise TypeError_("`//` is defined on integers only", span=span)
    if right == 0:
        raise TypeError_("division by zero", span=span)
    return literal(left // right, span=span)


def _index_arithmetic(op: str, lhs: Expr, rhs: Expr, span: Span) -> Expr:
    if op in ("/", "%"):
        return _index_division(op, lhs, rhs, span)
    if op == "*" and not (isinstance(lhs, Literal) or isinstance(rhs, Literal)):
        if (value := constant(rhs)) is not None:
            rhs = typed_literal(value, INDEX, span=rhs.span)
        elif (value := constant(lhs)) is not None:
            lhs = typed_literal(value, INDEX, span=lhs.span)
        else:
            shown = show_expr(BinaryOp(op, lhs, rhs, type=INDEX))
            raise TypeError_(f"the index {shown} is not affine: one factor must be a constant", span=span)
    return BinaryOp(op, lhs, rhs, type=INDEX, span=span)


def _index_division(op: str, lhs: Expr, rhs: Expr, span: Span) -> Expr:
    """Division rounds to minus infinity; `e / -c` is `-e / c`, and `e % -c` is `-(-e % c)`, whose sign is the divisor's."""
    value = constant(rhs)
    if value is None:
        raise TypeError_(f"an index may be divided by a constant only, not by {show_expr(rhs)}", span=span)
    if value == 0:
        raise TypeError_("division by zero", span=span)
    divisor = typed_literal(abs(value), INDEX, span=rhs.span)
    if value > 0:
        return BinaryOp(op, lhs, divisor, type=INDEX, span=span)
    mirrored = BinaryOp(op, negate(lhs, span=lhs.span), divisor, type=INDEX, span=span)
    return mirrored if op == "/" else UnaryMinus(mirrored, type=INDEX, span=span)


def constant(expr: Expr) -> int | None:
    """The value of an integer expression that consists of literals only."""
    match expr:
        case Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case UnaryMinus(arg=arg):
            value_ = constant(arg)
            return None if value_ is None else -value_
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            left, right = constant(lhs), constant(rhs)
            return None if left is None or right is None else _fold(op, left, right)
        case ExternCall(fn=fn, args=(a, b)) if fn is MIN or fn is MAX:
            left, right = constant(a), constant(b)
            return None if left is None or right is None else (min if fn is MIN else max)(left, right)
        case Read() | Literal() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            return None


def _fold(op: str, left: int, right: int) -> int | None:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right:
            return left // right
        case "%" if right:
            return left % right
        case "&" | "|" | "^":
            return {"&": left & right, "|": left | right, "^": left ^ right}[op]
        case "<<" | ">>" if 0 <= right <= _MOST_SHIFTED:
            return left << right if op == "<<" else left >> right
        case _:
            return None


def compare(op: str, lhs: Expr, rhs: Expr, *, span: Span = NOWHERE) -> BinaryOp:
    """`lhs op rhs` for `< <= > >= == !=`: bool on control values, cond on data. Truth values know `==` and `!=` only."""
    lhs, rhs = _unify(lhs, rhs, span, op)
    if is_untyped(lhs):
        if _untyped(lhs, rhs) is DECIMAL_LITERAL:
            raise TypeError_("the type of these literals is not known; write one as f32(...)", span=span)
        lhs, rhs = settle(lhs, INDEX), settle(rhs, INDEX)
    if (lhs.type is BOOL or lhs.type == B8) and op not in ("==", "!="):
        raise TypeError_(f"`{op}` cannot compare truth values", span=span)
    return BinaryOp(op, lhs, rhs, type=COND if isinstance(lhs.type, ScalarType) else BOOL, span=span)


def logical(op: str, lhs: Expr, rhs: Expr, *, span: Span = NOWHERE) -> BinaryOp:
    """`lhs and rhs`, `lhs or rhs`: of data of type b8 such data, else cond if one side is, or is data."""
    for side in (lhs, rhs):
        _require_truth(side, op)
    if lhs.type == B8 and rhs.type == B8:
        return BinaryOp("&" if op == "and" else "|", lhs, rhs, type=B8, span=span)
    lhs, rhs = truth(lhs), truth(rhs)
    typ = COND if COND in (lhs.type, rhs.type) else BOOL
    return BinaryOp(op, lhs, rhs, type=typ, span=span)


def _require_truth(expr: Expr, op: str) -> None:
    if expr.type is not BOOL and expr.type is not COND and expr.type != B8:
        raise TypeError_(f"`{op}` needs truth values, not {describe(expr.type)}; write a comparison", span=expr.span)


def negation(arg: Expr, *, span: Span = NOWHERE) -> Expr:
    """`not arg`, pushed inwards: comparisons are flipped, `and` and `or` exchanged, a variable b becomes `b == False`."""
    _require_truth(arg, "not")
    if arg.type == B8:
        return inversion(arg, span=span)
    match arg:
        case Literal(value=value):
            return literal(not value, span=span)
        case BinaryOp(op="and" | "or" as op, lhs=lhs, rhs=rhs):
            return logical(_DUAL[op], negation(lhs, span=span), negation(rhs, span=span), span=span)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            if isinstance(lhs.type, ScalarType) and lhs.type.kind is Kind.FLOAT and op not in ("==", "!="):
                raise TypeError_(
                    f"`not` of `{show_expr(arg)}` is not `{_FLIPPED[op]}` where a side is NaN; write the comparison"
                    " that is meant, or use `else`",
                    span=span,
                )
            return BinaryOp(_FLIPPED[op], lhs, rhs, type=arg.type, span=span)
        case Read() | UnaryMinus() | ExternCall() | Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            return BinaryOp("==", arg, literal(False, span=span), type=BOOL, span=span)


# ---- calls and conversions


def cast(typ: ScalarType, arg: Expr, *, span: Span = NOWHERE) -> Expr:
    """`typ(arg)`. Of literals alone it only states their type."""
    if is_untyped(arg):
        return update(settle(arg, typ), span=span)
    arg = flag(arg) if typ == B8 or arg.type is COND else arg
    if typ == B8:
        return adopt(arg, typ, "the argument of b8(...)")
    if not (arg.type is INDEX or isinstance(arg.type, ScalarType)):
        raise TypeError_(f"{typ}(...) converts numbers, not {describe(arg.type)}{_remedy(arg, INDEX)}", span=span)
    if arg.type is INDEX:
        require_place(arg, "a cast", idx=True, stride=False)
    return Cast(arg, type=typ, span=span)


def extern_call(fn: Extern, args: Sequence[Expr], *, span: Span = NOWHERE) -> ExternCall:
    """`fn(args)`, typed by the function's own rule; literals take the type of the arguments they belong with."""
    if len(args) != fn.arity:
        raise TypeError_(f"{fn.name} takes {fn.arity} argument{'s' if fn.arity != 1 else ''}, got {len(args)}", span=span)
    args = [flag(arg) if arg.type is COND or arg.type is BOOL else arg for arg in args]
    settled, untyped = list(args), False
    for group in literal_groups(fn, fn.arity):
        pool = [args[position] for position in group.positions] if group.uniform else args
        typ = next((arg.type for arg in pool if isinstance(arg.type, ScalarType) or arg.type is INDEX), None)
        if typ is None and fn is IDX and group.gives_result:
            typ = INDEX
        for position in group.positions:
            if typ is not None:
                settled[position] = settle(args[position], typ)
            elif is_untyped(args[position]) and not group.gives_result:
                raise TypeError_(f"the type of this literal is not known; write {fn.name}(f32(...), ...)", span=span)
            untyped |= is_untyped(settled[position])
    if untyped:
        return ExternCall(fn, tuple(settled), type=_untyped(*settled), span=span)
    if fn is IDX:
        settled[1:] = [_idx_limit(limit) for limit in settled[1:]]
    return ExternCall(fn, tuple(settled), type=_extern_result(fn, settled, span), span=span)


def choose(cond: Expr, then: Expr, other: Expr, *, span: Span = NOWHERE) -> Expr:
    """`select(cond, then, other)` for a condition on data, written with `select(a, b, x, y)`."""
    cond = truth(cond)
    for part in _comparisons(cond):
        if not (isinstance(part, BinaryOp) and isinstance(part.lhs.type, ScalarType)):
            message = f"select chooses by a comparison of data; {show_expr(part)} is none, which an `if` may test"
            raise TypeError_(message, span=part.span.or_else(span))
        if part.lhs.type.is_real and part.op not in ("<", ">"):
            message = f"select compares {part.lhs.type} data by `<` and `>` only, as neither holds where a side is NaN"
            hint = "hint: select(b, a, y, x) is x where not b < a, so also where a side is NaN"
            raise TypeError_(message, span=part.span.or_else(span), notes=(hint,))
    assert isinstance(cond, BinaryOp)
    return choice(cond, then, other, lambda a, b, x, y: extern_call(SELECT, [a, b, x, y], span=span))


def _comparisons(cond: Expr) -> list[Expr]:
    """What `and` and `or` in a condition combine."""
    if isinstance(cond, BinaryOp) and cond.op in ("and", "or"):
        return [*_comparisons(cond.lhs), *_comparisons(cond.rhs)]
    return [cond]


def _extern_result(fn: Extern, args: Sequence[Expr], span: Span) -> Type:
    for arg in args:
        if isinstance(arg.type, TensorType):
            raise TypeError_(f"{fn.name}: the arguments must be elements, not a whole buffer{_index_it(arg)}", span=arg.span)
    try:
        return fn.result([arg.type for arg in args])
    except ValueError as error:
        raise TypeError_(f"{fn.name}: {error}", span=span) from None


def _idx_limit(limit: Expr) -> Expr:
    settled = adopt(limit, INDEX, "a limit of `idx`")
    require_place(settled, "a limit of `idx`", idx=False, stride=False)
    return settled
