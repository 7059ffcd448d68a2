"""Allocation: small constant sizes are local arrays, everything else in main memory is on the heap and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from usl_c11.ctext import C
from usl_c11.expr import constant, control, product
from usl_c11.intervals import is_table_of_places, is_written_once
from usl_c11.memory import ask, is_managed
from usl_c11.scope import Buffer, Function, Place
from usl_c11.status import fail
from usl_c11.usage import first_use_assigns, is_read_first
from usl_core.ir.nodes import Alloc, Expr, Stmt, index_literal
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType, TensorType
from usl_core.placement import PlacedMemory

ARRAY_LIMIT = 32 * 1024
"""Bytes up to which one buffer in main memory is a local array."""

FRAME_LIMIT = 256 * 1024
"""Bytes up to which the local arrays alive at one point of a function may add up."""


def allocate(stmt: Alloc, rest: Sequence[Stmt], fn: Function) -> list[str]:
    """The declaration of a buffer; its release, if it needs one, is registered with the open scope."""
    name = fn.names.fresh(stmt.name.name)
    match stmt.type:
        case ScalarType():
            return _scalar(stmt, name, rest, fn)
        case TensorType():
            return _tensor(stmt, name, rest, fn)


def _scalar(stmt: Alloc, name: str, rest: Sequence[Stmt], fn: Function) -> list[str]:
    """A local variable, initialised where a read of it might come first: poison is legal here, but not in C."""
    assert isinstance(stmt.type, ScalarType)
    ctype = fn.unit.ctype(stmt.type, stmt.span)
    fn.unit.memory(stmt.mem, stmt.span)
    fn.buffers[stmt.name] = Buffer(name, stmt.type, stmt.mem, Place.VALUE)
    if is_written_once(stmt.name, rest):
        fn.values[stmt.name] = None
    return [f"{ctype} {name};" if first_use_assigns(stmt.name, rest) else f"{ctype} {name} = 0;"]


def _tensor(stmt: Alloc, name: str, rest: Sequence[Stmt], fn: Function) -> list[str]:
    assert isinstance(stmt.type, TensorType)
    scalar = stmt.type.scalar
    ctype = fn.unit.ctype(scalar, stmt.span)
    shape = [control(_at_least_1(extent, fn), fn) for extent in stmt.type.shape]
    fn.buffers[stmt.name] = Buffer(name, scalar, stmt.mem, Place.DENSE, dense_strides(shape))
    fn.unit.memory(stmt.mem, stmt.span)
    if issubclass(stmt.mem, PlacedMemory):
        return _placed(stmt, name, ctype, fn)
    texts = [extent.text for extent in shape]
    if is_managed(stmt.mem):
        return _managed(stmt, name, ctype, texts, rest, fn)
    release = ask(stmt.mem, "free", name, ctype, texts, stmt.span).strip()
    if release:
        fn.frees[-1].append(release)
    return ask(stmt.mem, "alloc", name, ctype, texts, stmt.span).splitlines()


def _placed(stmt: Alloc, name: str, ctype: str, fn: Function) -> list[str]:
    """The number of its first row."""
    found = fn.placed[stmt.name]
    strides = tuple(C(str(stride)) for stride in found.strides)
    fn.buffers[stmt.name] = replace(fn.buffers[stmt.name], strides=strides)
    return ask(stmt.mem, "declare", name, ctype, found.row, stmt.span).splitlines()


def _at_least_1(extent: Expr, fn: Function) -> Expr:
    """The extent, or 1 for a smaller constant: that stands in code which cannot run, and C has no such arrays."""
    value = constant(extent, fn)
    return extent if value is None or value >= 1 else index_literal(1)


def dense_strides(shape: Sequence[C]) -> tuple[C, ...]:
    """Row-major strides in elements."""
    return tuple(product(shape[dim + 1 :]) for dim in range(len(shape)))


def _managed(stmt: Alloc, name: str, ctype: str, shape: Sequence[str], rest: Sequence[Stmt], fn: Function) -> list[str]:
    """An array; one that is read first is 0, as reading poison is legal here but not in C."""
    assert isinstance(stmt.type, TensorType)
    size = _constant_bytes(stmt.type, fn)
    if size is not None and size <= ARRAY_LIMIT and fn.stack_bytes + size <= FRAME_LIMIT:
        fn.stack_bytes += size
        if is_table_of_places(stmt.name, stmt.type, rest):
            fn.elements[stmt.name] = None
        initial = " = {0}" if stmt.name in fn.elements or is_read_first(stmt.name, rest) else ""
        return [f"_Alignas(64) {ctype} {name}[{' * '.join(shape)}]{initial};"]
    code = fn.unit.failure(f"{fn.label}: out of memory for {stmt.name.name}")
    extents = f"(const int64_t[]){{{', '.join(shape)}}}"
    declaration = f"{ctype} *{name} = {fn.unit.helpers.allocate()}(sizeof({ctype}), {len(shape)}, {extents});"
    failure = [f"    {line}" for line in fail(str(code), fn)]
    fn.frees[-1].append(f"free({name});")
    return [declaration, f"if ({name} == NULL) {{", *failure, "}"]


def released(name: Sym, fn: Function) -> list[str]:
    """What frees a buffer of the open scope now, none if it is not on the heap; the scope's end no longer does."""
    line = f"free({fn.buffers[name].name});"
    if line not in fn.frees[-1]:
        return []
    fn.frees[-1].remove(line)
    return [line]


def _constant_bytes(typ: TensorType, fn: Function) -> int | None:
    total = max(typ.scalar.bits // 8, 1)
    for extent in typ.shape:
        value = constant(extent, fn)
        if value is None:
            return None
        total *= max(value, 1)
    return total
