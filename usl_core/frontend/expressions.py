"""Typed constructors of accesses, and expressions in the contexts that demand a type of them."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import NOWHERE, Span, TypeError_
from usl_core.frontend.literals import literal
from usl_core.frontend.operators import adopt, settle, truth
from usl_core.frontend.placement import require_fixed, require_place
from usl_core.frontend.scope import Binding
from usl_core.ir.config import Config
from usl_core.ir.nodes import Expr, ExprBase, Interval, Read, ReadConfig, StrideExpr, WindowExpr
from usl_core.ir.traverse import extent
from usl_core.ir.types import BOOL, COND, INDEX, SIZE, ControlType, ScalarType, TensorType

# ---- contexts


def control_int(expr: Expr, what: str, *, idx: bool = False, stride: bool = False) -> Expr:
    """expr as an index expression; idx and stride tell whether `idx(...)` and `stride(...)` may occur at this place."""
    settled = adopt(expr, INDEX, what)
    require_place(settled, what, idx, stride)
    return settled


def control_bool(expr: Expr, what: str) -> Expr:
    """expr as a truth value that depends on control values only."""
    if expr.type is COND:
        raise TypeError_(f"{what} must depend on control values only; data may be tested in `if`", span=expr.span)
    settled = adopt(expr, BOOL, what)
    require_place(settled, what, idx=False, stride=True)
    return settled


def condition(expr: Expr) -> Expr:
    """expr as the condition of `if`: a truth value on control values or on data."""
    expr = truth(expr)
    if expr.type is not COND:
        return control_bool(expr, "the condition of `if`")
    require_place(expr, "the condition of `if`", idx=False, stride=True)
    return expr


# ---- names


def read(binding: Binding, idx: Sequence[Expr] = (), *, span: Span = NOWHERE) -> Read:
    """`x` or `x[idx]`. A tensor without indices is the whole buffer, which only a call accepts."""
    if binding.is_control:
        if idx:
            raise TypeError_(f"{binding.sym.name} is a control value and cannot be indexed", span=span)
        return Read(binding.sym, (), type=INDEX if binding.type is SIZE else binding.type, span=span)
    if not idx and binding.rank:
        return Read(binding.sym, (), type=binding.type, span=span)
    return Read(binding.sym, element_indices(binding, idx, span), type=binding.scalar, span=span)


def element_indices(binding: Binding, idx: Sequence[Expr], span: Span) -> tuple[Expr, ...]:
    """The indices of one element, one per dimension."""
    _require_rank(binding, len(idx), span)
    return tuple(control_int(index, "an index", idx=True) for index in idx)


def _require_rank(binding: Binding, count: int, span: Span) -> None:
    if count == binding.rank:
        return
    name = binding.sym.name
    if binding.rank == 0:
        raise TypeError_(f"{name} is a scalar and cannot be indexed", span=span)
    dimensions = f"{binding.rank} dimension{'s' if binding.rank > 1 else ''}"
    given = f"{count} {'index' if count == 1 else 'indices'}"
    raise TypeError_(f"{name} has {dimensions}, got {given}; give one index per dimension", span=span)


def window(binding: Binding, idx: Sequence[Expr | Interval | slice], *, span: Span = NOWHERE) -> WindowExpr:
    """`x[lo:hi, pt]`; a `slice` has ends that may be None, filled in from the shape of x."""
    if not isinstance(binding.type, TensorType):
        raise TypeError_(f"{binding.sym.name} is not a buffer with dimensions, so it has no windows", span=span)
    _require_rank(binding, len(idx), span)
    entries = tuple(_entry(entry, binding, dim, span) for dim, entry in enumerate(idx))
    shape = tuple(extent(entry.lo, entry.hi) for entry in entries if isinstance(entry, Interval))
    if not shape:
        raise TypeError_("a window needs at least one interval `lo:hi`", span=span)
    return WindowExpr(binding.sym, entries, type=TensorType(binding.scalar, shape, window=True), span=span)


def _entry(entry: Expr | Interval | slice, binding: Binding, dim: int, span: Span) -> Expr | Interval:
    match entry:
        case slice(start=lo, stop=hi):
            low = settle(literal(0, span=span), INDEX) if lo is None else lo
            return interval(low, _whole_extent(binding, dim, span) if hi is None else hi, span=span)
        case Interval(lo=lo, hi=hi):
            return interval(lo, hi, span=entry.span)
        case ExprBase():
            return require_fixed(control_int(entry, "an index of a window"), "an index of a window")


def _whole_extent(binding: Binding, dim: int, span: Span) -> Expr:
    assert isinstance(binding.type, TensorType)
    return binding.type.shape[dim]


def interval(lo: Expr, hi: Expr, *, span: Span = NOWHERE) -> Interval:
    """`lo:hi` of a window."""
    ends = control_int(lo, "the start of an interval"), control_int(hi, "the end of an interval")
    return Interval(*(require_fixed(end, "an interval of a window") for end in ends), span=span)


def stride(binding: Binding, dim: int, *, span: Span = NOWHERE) -> StrideExpr:
    """`stride(x, dim)`, with dim a number."""
    if not 0 <= dim < binding.rank:
        raise TypeError_(f"{binding.sym.name} has no dimension {dim}; it has {binding.rank}, counted from 0", span=span)
    return StrideExpr(binding.sym, dim, type=INDEX, span=span)


def read_config(config: Config, field: str, *, span: Span = NOWHERE) -> ReadConfig:
    """`config.field`."""
    typ = config_field_type(config, field, span)
    return ReadConfig(config, field, type=typ, span=span)


def config_field_type(config: Config, field: str, span: Span) -> ScalarType | ControlType:
    """The type of a field as an expression sees it (a size is an index)."""
    if field not in config.fields:
        known = ", ".join(config.fields) or "none"
        raise TypeError_(f"{config.name} has no field {field!r}; its fields are {known}", span=span)
    typ = config.fields[field].type
    return INDEX if typ is SIZE else typ
