"""Procedures that call one instruction, so that a backend turns its template into something callable.

What lies in main memory is an argument of the driver, with the instruction's own assertions about it. What lies in another
memory is allocated there by the driver, brought in from an argument before the call and out again after it, between two
neighbours that must stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from usl_core.interp.buffers import dense_strides
from usl_core.ir.memory import DRAM, Memory, MemoryClass
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
from usl_core.ir.traverse import rename, substitute, walk
from usl_core.ir.types import BOOL, I64, INDEX, ControlType, ScalarType, TensorType, Type
from usl_core.plugins.conformance.controls import Controls, evaluate


@dataclass(frozen=True, slots=True)
class Route:
    """How a tensor gets into a memory and back.

    slots: how many such tensors are allocated side by side (1 or 3; the instruction gets the middle one). `tail` > 0: the
    last tail dimensions are one C object, copied with memcpy. Otherwise load and store are instructions, with control
    arguments; without them plain C copies the elements.
    """

    slots: int
    tail: int = 0
    load: Proc | None = None
    store: Proc | None = None
    load_controls: tuple[int | bool, ...] = ()
    store_controls: tuple[int | bool, ...] = ()


def passes_through(arg: Arg) -> bool:
    """Whether C can hand the argument over by its address: scalars, and memories that look like main memory."""
    if not isinstance(arg.type, TensorType):
        return True
    mem = arg.mem or DRAM
    return mem.addressable and mem.window.__func__ is Memory.window.__func__  # type: ignore[attr-defined]


def depends_on_controls(arg: Arg) -> bool:
    return isinstance(arg.type, TensorType) and any(
        isinstance(node, Read) for extent in arg.type.shape for node in walk(extent)
    )


@dataclass(frozen=True, slots=True)
class Driver:
    """A procedure with one formal for each of the instruction's, in order, of the same spelling.

    Without control formals if `fixed` gives their values. slots[name] is 0 for formals that are passed through.
    """

    proc: Proc
    fixed: Controls | None
    slots: Mapping[Sym, int]


def make_driver(
    name: str, instr: Proc, controls: Controls | None, routes: Mapping[Sym, Route], shared: Mapping[Sym, Sym]
) -> Driver:
    """The driver of instr. controls fixes its control arguments; shared makes a routed formal the same as another one."""
    fixed = {} if controls is None else {sym: _literal(value) for sym, value in controls.items()}
    fresh = {arg.name: arg.name.copy() for arg in instr.args}
    formals: list[Arg] = []
    before: list[Stmt] = []
    after: list[Stmt] = []
    actuals: list[Expr] = []
    registers: dict[Sym, Expr] = {}
    for arg in instr.args:
        if isinstance(arg.type, ControlType):
            if arg.name in fixed:
                actuals.append(fixed[arg.name])
                continue
            actuals.append(Read(fresh[arg.name], (), type=arg.type))
        elif arg.name not in routes:
            actuals.append(Read(fresh[arg.name], (), type=_renamed_type(arg, fixed, fresh)))
        elif arg.name in shared:
            actuals.append(registers[shared[arg.name]])
            continue
        else:
            formal, register = _routed(arg, fresh[arg.name], fixed, routes[arg.name])
            formals.append(formal)
            before += register.enter
            after += register.leave
            registers[arg.name] = register.window
            actuals.append(register.window)
            continue
        formals.append(Arg(fresh[arg.name], _renamed_type(arg, fixed, fresh), arg.mem))
    preds = tuple(rename(substitute(p, fixed), fresh) for p in instr.preds if not _mentions(p, routes))
    kept = tuple(arg.name.name for arg in instr.args if arg.name.name in instr.aliasable and arg.name not in routes)
    proc = Proc(name, tuple(formals), preds, (*before, Call(instr, tuple(actuals)), *after), None, kept)
    slots = {arg.name: routes[arg.name].slots if arg.name in routes else 0 for arg in instr.args}
    return Driver(proc, controls, slots)


def _literal(value: int | bool) -> Literal:
    return bool_literal(value) if isinstance(value, bool) else index_literal(value)


def _renamed_type(arg: Arg, fixed: Mapping[Sym, Expr], fresh: Mapping[Sym, Sym]) -> Type:
    if not isinstance(arg.type, TensorType):
        return arg.type
    shape = tuple(rename(substitute(extent, fixed), fresh) for extent in arg.type.shape)
    return TensorType(arg.type.scalar, shape, arg.type.window)


def _mentions(pred: Expr, routes: Mapping[Sym, Route]) -> bool:
    """Whether an assertion is about a stride that the driver decides; the backend proves it then."""
    return any(isinstance(node, StrideExpr) and node.name in routes for node in walk(pred))


# ---- buffers in other memories


@dataclass(frozen=True, slots=True)
class _Register:
    window: Expr
    enter: Sequence[Stmt]
    leave: Sequence[Stmt]


def _routed(arg: Arg, outside: Sym, fixed: Mapping[Sym, Expr], route: Route) -> tuple[Arg, _Register]:
    assert isinstance(arg.type, TensorType) and arg.mem is not None
    shape = tuple(int(evaluate(substitute(extent, fixed), {})) for extent in arg.type.shape)
    return _stored(arg.type.scalar, shape, arg.mem, outside, Sym(f"{arg.name.name}_in"), route)


def _stored(
    scalar: ScalarType, shape: tuple[int, ...], mem: MemoryClass, outside: Sym, inside: Sym, route: Route
) -> tuple[Arg, _Register]:
    """A formal in main memory and a buffer in mem, with the statements that copy one to the other and back."""
    whole = (route.slots, *shape) if route.slots > 1 else shape
    typ = tensor(scalar, whole)
    formal = Arg(outside, typ, DRAM)
    alloc = Alloc(inside, typ, mem)
    middle = (index_literal(1),) if route.slots > 1 else ()
    window = window_of(inside, scalar, middle, shape)
    actual = window if route.slots > 1 else Read(inside, (), type=typ)
    enter = [alloc, *copy_in(route, mem, scalar, shape, inside, outside)]
    return formal, _Register(actual, enter, copy_out(route, mem, scalar, shape, inside, outside))


def tensor(scalar: ScalarType, shape: Sequence[int], window: bool = False) -> TensorType:
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
        instr, chosen = (route.load, route.load_controls) if enter else (route.store, route.store_controls)
        return nest(slots, lambda points: _move(instr, chosen, mem, scalar, points, shape, inside, outside))
    if route.tail == 0:
        return nest((*slots, *shape), lambda points: _element(scalar, points, inside, outside, enter))
    leading, tail = shape[: -route.tail], shape[-route.tail :]
    instr = image(mem, scalar, tail, enter)
    return nest((*slots, *leading), lambda points: _move(instr, (), mem, scalar, points, tail, inside, outside))


def nest(extents: Sequence[int], body: Callable[[Sequence[Expr]], Stmt]) -> tuple[Stmt, ...]:
    """A loop for each extent around what body gives for the iterators."""
    iterators = [Sym(f"i{position}") for position in range(len(extents))]
    block: Block = (body([index_read(iterator) for iterator in iterators]),)
    for iterator, extent in zip(reversed(iterators), reversed(list(extents)), strict=True):
        block = (For(iterator, index_literal(0), index_literal(extent), block),)
    return block


def _element(scalar: ScalarType, points: Sequence[Expr], inside: Sym, outside: Sym, enter: bool) -> Stmt:
    target, source = (inside, outside) if enter else (outside, inside)
    return Assign(target, tuple(points), Read(source, tuple(points), type=scalar))


def _move(
    instr: Proc,
    controls: Sequence[int | bool],
    mem: MemoryClass,
    scalar: ScalarType,
    points: Sequence[Expr],
    shape: Sequence[int],
    inside: Sym,
    outside: Sym,
) -> Stmt:
    values = iter(controls)
    actuals: list[Expr] = []
    for arg in instr.args:
        if isinstance(arg.type, ControlType):
            actuals.append(_literal(next(values)))
        else:
            actuals.append(window_of(inside if arg.mem is mem else outside, scalar, points, shape))
    return Call(instr, tuple(actuals))


_images: dict[tuple[MemoryClass, ScalarType, tuple[int, ...], bool], Proc] = {}


def image(mem: MemoryClass, scalar: ScalarType, tail: tuple[int, ...], enter: bool) -> Proc:
    """An instruction of our own that copies the C object of a tail of dimensions, which is its elements in order."""
    key = (mem, scalar, tail, enter)
    if key not in _images:
        inside, outside = Sym("inside"), Sym("outside")
        typ = tensor(scalar, tail, window=True)
        preds = tuple(_stride_is(outside, dim, stride) for dim, stride in enumerate(dense_strides(tail)))
        body = nest(tail, lambda points: _element(scalar, points, inside, outside, enter))
        copy = "&{inside}, {outside.ptr}" if enter else "{outside.ptr}, &{inside}"
        template = InstrTemplate(f"memcpy({copy}, sizeof {{inside}});", includes=("string.h",))
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
