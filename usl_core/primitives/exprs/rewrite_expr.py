"""rewrite_expr: another expression with the same value."""

from __future__ import annotations

from dataclasses import replace

from usl_core.analysis import formula as fml
from usl_core.analysis.values import Values, is_partial
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc, Path, get
from usl_core.ir.nodes import Call, Expr, Literal, Read, StrideExpr
from usl_core.ir.printer import show_expr
from usl_core.ir.traverse import depends_on_data, walk
from usl_core.ir.types import BOOL, COND, INDEX, ScalarType
from usl_core.primitives.base import edit_of, primitive, refuse, require_proved
from usl_core.primitives.declared import with_declared_types
from usl_core.primitives.exprs.bodies import require_affine, require_in_body
from usl_core.primitives.locate import Number, Where, context_at, expr_at, expression
from usl_core.procedure import Procedure


@primitive()
def rewrite_expr(proc: Procedure, expr: Where, new: Number) -> Edit:
    """Replace an expression by one that is equal at its place.

        y[i] = x[i] * a + x[i] * b    ~>    y[i] = x[i] * (a + b)

    is `rewrite_expr(p, "x[_] * _ + x[_] * _", "x[i] * (a + b)")`. new is text, a number or an expression cursor. Control
    expressions are equal by proof from what is known there. Data is equal if both have one normal form as polynomials,
    over the rationals for R and floating types, modulo 2^N for integers; calls of functions, casts, divisions and remainders of
    integers are equal only if their operands are. Beside that, `a / b` of R and floats is `a * (1.0 / b)`; `exp(a + b)` is
    `exp(a) * exp(b)`, `exp(0.0)` is 1 and `1.0 / exp(a)` is `exp(-a)`, over the reals: in floating arithmetic one side may
    overflow where the other does not; `min`, `max`, `&`, `|` and `^` have their operands in any order, each as often as it
    counts, and `max(a + c, 2.0 * b + c)` of R and floats is `max(a, 2.0 * b) + c`; `relu(x)`, `clamp(x, lo, hi)` and
    `select(a, b, b, a)` are what `min` and `max` make of them; `fma(a, b, c)` is `a * b + c`; `x << 2` and `x >> 2` of integers
    are `x * 4` and `x / 4`, `q / 2 / 2` is `q / 4`; `i32(i16(x))` of an i8 is `i32(x)`.

    The new expression may read less than the old one, never more: `x - x` may become 0, which gives a value where x is
    uninitialised (the step is then a refinement), but not conversely. So it is with divisors, which may be 0, and with
    the arguments of functions such as `sqrt`.

    Raises:
        SchedulingError: the two are not proved equal; a control expression would not be affine any more; new reads what the old
        expression does not read; the expression is a buffer, or a condition on data as a whole.
    Forwarding: the expression stays itself, parts of it that are in the new one at the same place too; the rest dies.
    Also known as: algebraic rewriting, strength reduction.
    """
    path, old = expr_at(proc, expr)
    changed = _new_expression(proc, path, old, new)

    values = Values(context_at(proc, path))
    _require_same_reads(values, old, changed)
    _require_strides_as_before(old, changed)
    _require_clamps_as_before(old, changed)
    _require_argument(proc, path, changed)
    require_affine(proc.ir, path, changed)
    if isinstance(old.type, ScalarType):
        _require_same_data(values, old, changed)
    else:
        _require_same_control(values, old, changed)

    edit = edit_of(proc).replace_expr(NodeLoc(path), changed)
    edit = replace(edit, refines=not _reads_the_same(values, old, changed))
    return edit if isinstance(old.type, ScalarType) else with_declared_types(edit)


# ---- locate


def _new_expression(proc: Procedure, path: Path, old: Expr, new: Number) -> Expr:
    """new at the type of old, in the scope at its place."""
    require_in_body(path)
    if not (isinstance(old.type, ScalarType) or old.type is INDEX or old.type is BOOL):
        what = "a condition on data" if old.type is COND else "a buffer"
        hint = "hint: rewrite the data on its sides, or the indices inside, one at a time"
        refuse(f"{show_expr(old)} is {what}, which is not rewritten as a whole", old.span, [hint], code="E404")
    text = repr(float(new)) if isinstance(new, float) else str(new) if isinstance(new, int) else new
    return expression(proc, path, text, old.type)


# ---- check


def _reads_the_same(values: Values, old: Expr, new: Expr) -> bool:
    """Whether the two expressions are uninitialised together, so that the step is an equality."""
    return values.leaves(new) == values.leaves(old)


def _require_same_reads(values: Values, old: Expr, new: Expr) -> None:
    more = values.leaves(new) - values.leaves(old)
    if more:
        message = f"{show_expr(new)} reads data that {show_expr(old)} does not read, and that may be uninitialised"
        if all(map(is_partial, more)):
            message = f"{show_expr(new)} may have no value where {show_expr(old)} has one: a divisor is 0, or a root is of less"
        refuse(message, old.span, code="E453")


def _require_strides_as_before(old: Expr, new: Expr) -> None:
    def has_stride(expr: Expr) -> bool:
        return any(isinstance(node, StrideExpr) for node in walk(expr))

    if has_stride(new) and not has_stride(old):
        refuse(f"{show_expr(new)} would bring `stride` to a place where it may not stand", old.span, code="E404")


def _require_clamps_as_before(old: Expr, new: Expr) -> None:
    """A control value that depends on data stands in indices only: where there was one before."""
    if old.type in (INDEX, BOOL) and depends_on_data(new) and not depends_on_data(old):
        refuse(f"{show_expr(new)} would bring `idx` to a place where it may not stand", old.span, code="E404")


def _require_argument(proc: Procedure, path: Path, new: Expr) -> None:
    """Data passed to a callee is a location or a number."""
    around = get(proc.ir, path[:-1])
    if isinstance(around, Call) and isinstance(new.type, ScalarType) and not isinstance(new, Read | Literal):
        message = f"the argument of a call must be a location or a number, not {show_expr(new)}"
        refuse(message, new.span.or_else(around.span), ["hint: bind it first with bind_expr"], code="E404")


def _require_same_data(values: Values, old: Expr, new: Expr) -> None:
    if values.data(old) != values.data(new):
        message = f"{show_expr(old)} and {show_expr(new)} are not proved equal: their normal forms as polynomials differ"
        notes = ["functions, casts, divisions and integer remainders are equal only if their operands are"]
        refuse(message, old.span, notes, code="E412")


def _require_same_control(values: Values, old: Expr, new: Expr) -> None:
    message = f"{show_expr(old)} and {show_expr(new)} are not proved equal"
    ctx = values.ctx
    if old.type is BOOL:
        require_proved(ctx, fml.iff(ctx.truth(old), ctx.truth(new)), message, old.span)
        return
    left, right = values.index(old), values.index(new)
    require_proved(ctx, fml.eq(left, right), message, old.span, values=(left, right), extra=values.ranges)
