"""How data gets into a memory and back: as C objects, element by element, or by instructions that copy.

Also the small procedures that find out which of these a memory admits (`routes` decides).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from usl_conformance.configs import Setup
from usl_conformance.controls import Controls, evaluate
from usl_core.errors import PluginError
from usl_core.interp import dense_strides
from usl_core.ir.memory import DRAM, MemoryClass
from usl_core.ir.nodes import (
    Alloc,
    Arg,
    Assign,
    BinaryOp,
    Block,
    Call,
    Expr,
    For,
    InstrTemplate,
    Interval,
    Literal,
    Proc,
    Read,
    Stmt,
    StrideExpr,
    WindowExpr,
    bool_literal,
    index_literal,
    index_read,
)
from usl_core.ir.sym import Sym
from usl_core.ir.types import BOOL, I64, INDEX, ControlType, ScalarType, TensorType


@dataclass(frozen=True, slots=True)
class Mover:
    """An instruction that copies, its control arguments, and the configuration that it needs."""

    instr: Proc
    controls: Controls = field(default_factory=dict)
    setup: Setup = field(default_factory=Setup)


@dataclass(frozen=True, slots=True)
class Access:
    """How a test reaches a memory whose windows are handles (addresses of a scratchpad, say), as the memory declares it.

    peek and poke are C statements over `{inside}`, a window of the last rank dimensions, `{outside.ptr}`, the address of its
    elements in a row, and `{count}`, how many they are. poke brings them in, peek out. They are for tests alone, so they may be
    as slow as they like, but they may not be the instructions that are tested.
    """

    peek: str
    poke: str
    rank: int


def declared_access(mem: MemoryClass) -> Access | None:
    """The class attributes `peek`, `poke` and `peek_rank` (default 1) of a memory; None if it does not declare them.

    Raises:
        PluginError: it declares only one, or something else than C text.
    """
    peek, poke, rank = getattr(mem, "peek", ""), getattr(mem, "poke", ""), getattr(mem, "peek_rank", 1)
    if peek == poke == "":
        return None
    for text in (peek, poke):
        if not isinstance(text, str) or "{inside}" not in text or "{outside.ptr}" not in text:
            raise PluginError(
                f"memory {mem.name} must declare both peek and poke, C text over {{inside}} and {{outside.ptr}}",
                notes=("see docs/plugins.md, Conformance",),
            )
    if type(rank) is not int or rank < 1:
        raise PluginError(f"peek_rank of memory {mem.name} must be an int of at least 1, not {rank!r}")
    return Access(peek, poke, rank)


@dataclass(frozen=True, slots=True)
class Route:
    """How a tensor gets into a memory and back.

    slots: how many such tensors are allocated side by side (1 or 3; the instruction gets the middle one). `tail` > 0: the
    last tail dimensions are one C object, copied with memcpy or as the memory declares. Otherwise load and store do it; without
    them plain C copies the elements.
    """

    slots: int
    tail: int = 0
    load: Mover | None = None
    store: Mover | None = None


def tensor(scalar: ScalarType, shape: Sequence[int], window: bool = False) -> TensorType:
    """A tensor type of constant extents."""
    return TensorType(scalar, tuple(index_literal(extent) for extent in shape), window)


def window_of(name: Sym, scalar: ScalarType, points: Sequence[Expr], shape: Sequence[int]) -> WindowExpr:
    """`name[points, 0:shape]`."""
    intervals = [Interval(index_literal(0), index_literal(extent)) for extent in shape]
    return WindowExpr(name, (*points, *intervals), type=tensor(scalar, shape, window=True))


def copy_in(
    route: Route, mem: MemoryClass, scalar: ScalarType, shape: tuple[int, ...], inside: Sym, outside: Sym
) -> Sequence[Stmt]:
    """The loops that bring all slots of outside into the buffer inside, which is in mem."""
    return _copy(route, mem, scalar, shape, inside, outside, True)


def copy_out(
    route: Route, mem: MemoryClass, scalar: ScalarType, shape: tuple[int, ...], inside: Sym, outside: Sym
) -> Sequence[Stmt]:
    """The loops that bring all slots of inside, which is in mem, out."""
    return _copy(route, mem, scalar, shape, inside, outside, False)


def _copy(
    route: Route, mem: MemoryClass, scalar: ScalarType, shape: tuple[int, ...], inside: Sym, outside: Sym, enter: bool
) -> Sequence[Stmt]:
    slots = (route.slots,) if route.slots > 1 else ()
    if route.load is not None and route.store is not None:
        mover = route.load if enter else route.store
        return nest(slots, lambda points: _move(mover, mem, scalar, points, shape, inside, outside))
    if route.tail == 0:
        return nest((*slots, *shape), lambda points: (_element(scalar, points, inside, outside, enter),))
    leading, tail = shape[: -route.tail], shape[-route.tail :]
    mover = Mover(image(mem, scalar, tail, enter))
    return nest((*slots, *leading), lambda points: _move(mover, mem, scalar, points, tail, inside, outside))


def nest(extents: Sequence[int], body: Callable[[Sequence[Expr]], Block]) -> Block:
    """A loop for each extent around what body gives for the iterators."""
    iterators = [Sym(f"i{position}") for position in range(len(extents))]
    block = body([index_read(iterator) for iterator in iterators])
    for iterator, extent in zip(reversed(iterators), reversed(list(extents)), strict=True):
        block = (For(iterator, index_literal(0), index_literal(extent), block),)
    return block


def _element(scalar: ScalarType, points: Sequence[Expr], inside: Sym, outside: Sym, enter: bool) -> Stmt:
    target, source = (inside, outside) if enter else (outside, inside)
    return Assign(target, tuple(points), Read(source, tuple(points), type=scalar))


def _move(
    mover: Mover, mem: MemoryClass, scalar: ScalarType, points: Sequence[Expr], shape: Sequence[int], inside: Sym, outside: Sym
) -> Block:
    """The configuration that the instruction needs, and its call. Both buffers are dense in these dimensions."""
    strides = {
        (arg.name, dim): stride
        for arg in mover.instr.args
        if isinstance(arg.type, TensorType)
        for dim, stride in enumerate(dense_strides(tuple(shape)))
    }
    setup = mover.setup.calls(lambda expr: literal_of(evaluate(expr, mover.controls, strides)), {})
    actuals: list[Expr] = []
    for arg in mover.instr.args:
        if isinstance(arg.type, ControlType):
            actuals.append(literal_of(mover.controls[arg.name]))
        else:
            actuals.append(window_of(inside if arg.mem is mem else outside, scalar, points, shape))
    return (*setup, Call(mover.instr, tuple(actuals)))


_images: dict[tuple[MemoryClass, ScalarType, tuple[int, ...], bool], Proc] = {}


def image(mem: MemoryClass, scalar: ScalarType, tail: tuple[int, ...], enter: bool) -> Proc:
    """An instruction of our own that copies a tail of dimensions: a C object that is its elements in order, or as mem says."""
    key = (mem, scalar, tail, enter)
    if key not in _images:
        inside, outside = Sym("inside"), Sym("outside")
        typ = tensor(scalar, tail, window=True)
        preds = tuple(_stride_is(outside, dim, stride) for dim, stride in enumerate(dense_strides(tail)))
        body = nest(tail, lambda points: (_element(scalar, points, inside, outside, enter),))
        own = declared_access(mem)
        if own is None:
            copy = "&{inside}, {outside.ptr}" if enter else "{outside.ptr}, &{inside}"
            template = InstrTemplate(f"memcpy({copy}, sizeof {{inside}});", includes=("string.h",))
        else:
            template = InstrTemplate((own.poke if enter else own.peek).replace("{count}", str(math.prod(tail))))
        args = (Arg(inside, typ, mem), Arg(outside, typ, DRAM))
        _images[key] = Proc(f"image_{'in' if enter else 'out'}", args, preds, body, template)
    return _images[key]


def _stride_is(name: Sym, dim: int, value: int) -> Expr:
    return BinaryOp("==", StrideExpr(name, dim, type=INDEX), index_literal(value), type=BOOL)


def size_probe(name: str, scalar: ScalarType, shape: tuple[int, ...], mem: MemoryClass, slots: int) -> Proc:
    """A procedure that tells the sizeof of a window of the last 1, 2, ... dimensions of a buffer in mem.

    Its one formal is `i64[rank]`.
    """
    out, inside = Sym("out"), Sym("inside")
    rank = len(shape)
    whole = (slots, *shape) if slots > 1 else shape
    stmts: list[Stmt] = [Alloc(inside, tensor(scalar, whole), mem)]
    for tail in range(1, rank + 1):
        points = [index_literal(0)] * (len(whole) - tail)
        window = window_of(inside, scalar, points, shape[rank - tail :])
        cell = WindowExpr(out, (Interval(index_literal(tail - 1), index_literal(tail)),), type=tensor(I64, (1,), window=True))
        stmts.append(Call(_sizeof(mem, scalar, shape[rank - tail :]), (window, cell)))
    return Proc(name, (Arg(out, tensor(I64, (rank,)), DRAM),), (), tuple(stmts))


def _sizeof(mem: MemoryClass, scalar: ScalarType, shape: tuple[int, ...]) -> Proc:
    inside, out = Sym("inside"), Sym("out")
    body = (Assign(out, (index_literal(0),), Literal(0, type=I64)),)
    template = InstrTemplate("*{out.ptr} = (int64_t)sizeof({inside});")
    args = (Arg(inside, tensor(scalar, shape, window=True), mem), Arg(out, tensor(I64, (1,), window=True), DRAM))
    return Proc("size_of", args, (), body, template)


def round_trip(name: str, scalar: ScalarType, shape: tuple[int, ...], mem: MemoryClass, first: Route, second: Route) -> Proc:
    """A procedure `(x, y)` that brings x into mem by the first route and y out of it by the second."""
    x, y, inside = Sym("x"), Sym("y"), Sym("inside")
    whole = (first.slots, *shape) if first.slots > 1 else shape
    typ = tensor(scalar, whole)
    body = (
        Alloc(inside, typ, mem),
        *copy_in(first, mem, scalar, shape, inside, x),
        *copy_out(second, mem, scalar, shape, inside, y),
    )
    return Proc(name, (Arg(x, typ, DRAM), Arg(y, typ, DRAM)), (), body)


def literal_of(value: int | bool) -> Literal:
    """A constant that stands for a control value."""
    return bool_literal(value) if isinstance(value, bool) else index_literal(value)
