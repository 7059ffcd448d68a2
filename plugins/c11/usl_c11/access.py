"""Places as C text: pointers to elements, and windows as structs of pointer and strides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from usl_c11.ctext import C, unary
from usl_c11.expr import control, element, view_indices
from usl_c11.memory import overrides
from usl_c11.scope import Buffer, Function, Place
from usl_c11.types import window_struct
from usl_core.errors import BackendError, Span
from usl_core.ir.nodes import (
    BinaryOp,
    Cast,
    Expr,
    ExternCall,
    Interval,
    Literal,
    Read,
    ReadConfig,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
)
from usl_core.ir.sym import Sym
from usl_core.ir.types import INDEX


@dataclass(frozen=True, slots=True)
class Region:
    """A window resolved to a buffer that C holds: where it starts, and which of the buffer's dimensions it keeps."""

    base: Buffer
    start: tuple[C, ...]
    dims: tuple[int, ...]

    @property
    def strides(self) -> tuple[C, ...]:
        """The stride of each dimension in C."""
        return tuple(self.base.strides[dim] for dim in self.dims)


def whole(rank: int, span: Span) -> tuple[Interval, ...]:
    """The window indices that keep every dimension from its start."""
    zero = Literal(0, type=INDEX, span=span)
    return tuple(Interval(zero, zero, span=span) for _ in range(rank))


def region(name: Sym, idx: Sequence[Expr | Interval], fn: Function, span: Span) -> Region:
    """The region that `name[idx]` looks at; views are looked through."""
    buffer = fn.buffer(name, span)
    start = [control(at.lo if isinstance(at, Interval) else at, fn) for at in idx]
    dims = [dim for dim, at in enumerate(idx) if isinstance(at, Interval)]
    while buffer.place is Place.VIEW:
        assert buffer.base is not None
        kept = [dim for dim, at in enumerate(buffer.view) if isinstance(at, Interval)]
        start = view_indices(buffer, start, fn)
        dims = [kept[dim] for dim in dims]
        buffer = buffer.base
    return Region(buffer, tuple(start), tuple(dims))


def region_of(actual: Expr, fn: Function) -> Region:
    """The region of an actual tensor argument: a window, or a whole buffer."""
    match actual:
        case WindowExpr(name=name, idx=idx):
            return region(name, idx, fn, actual.span)
        case Read(name=name):
            return region(name, whole(fn.buffer(name, actual.span).rank, actual.span), fn, actual.span)
        case Literal() | UnaryMinus() | BinaryOp() | ExternCall() | Cast() | StrideExpr() | ReadConfig():
            raise AssertionError(f"not a tensor argument: {actual}")


def lvalue(at: Region, fn: Function, span: Span) -> C:
    """The first element of a region."""
    return element(at.base, at.start, fn, span)


def address(at: Region, fn: Function, span: Span) -> C:
    """A pointer to the first element of a region; the buffer's own pointer where nothing is added to it."""
    plain = at.base.place is Place.DENSE and not overrides(at.base.mem, "window")
    if plain and all(i.text == "0" for i in at.start):
        return C(at.base.name)
    place = lvalue(at, fn, span)
    if place.text.endswith("[0]") and at.base.place is Place.WINDOW:
        return C(at.base.data)
    return unary("&", place)


def window_value(actual: Expr, const: bool, fn: Function) -> C:
    """The struct that passes a region; the formal's own struct is handed on as it is."""
    at = region_of(actual, fn)
    if not at.base.mem.addressable:
        raise BackendError(
            f"memory {at.base.mem.name} has no addresses: only instructions can take a window of {at.base.name}",
            span=actual.span,
        )
    if isinstance(actual, Read) and at.base.place is Place.WINDOW and at.base.const == const:
        return C(at.base.name)
    struct = fn.unit.window(at.base.scalar, len(at.dims), const, actual.span)
    strides = ", ".join(stride.text for stride in at.strides)
    return C(f"({struct}){{{address(at, fn, actual.span)}, {{{strides}}}}}")


def window_initializer(rhs: WindowExpr, fn: Function) -> str:
    """The initialiser of a named window."""
    at = region_of(rhs, fn)
    return f"{{{address(at, fn, rhs.span)}, {{{', '.join(stride.text for stride in at.strides)}}}}}"


def struct_name(buffer: Buffer) -> str:
    """The C struct that a window of the buffer's type is passed as."""
    return f"struct {window_struct(buffer.scalar, buffer.rank, buffer.const)}"


def scalar_pointer(actual: Read, fn: Function) -> C:
    """A pointer to a scalar, or to an element, that is passed by reference."""
    buffer = fn.buffer(actual.name, actual.span)
    if not buffer.mem.addressable:
        raise BackendError(f"memory {buffer.mem.name} has no addresses: {buffer.name} cannot be passed", span=actual.span)
    if buffer.place is Place.ACCUMULATOR:
        raise BackendError(f"{buffer.name} is reduced by a parallel loop and cannot be passed there", span=actual.span)
    if buffer.place is Place.POINTER:
        return C(buffer.name)
    return unary("&", element(buffer, [control(i, fn) for i in actual.idx], fn, actual.span))
