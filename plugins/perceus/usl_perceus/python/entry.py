"""Calls at the cost of a few C functions: what the CPython extension `entry.c` is told of a function, and the C it calls.

The extension converts numbers, strings, handles, constructors without fields, arrays of numbers, and tuples and records of
them; `Converter` does the rest, and all where there are no headers of Python.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from usl_c11.calls.extension import extension
from usl_perceus.ir import (
    ArrayType,
    DataType,
    FloatType,
    FunType,
    IntType,
    Layout,
    RefType,
    StrType,
    ThreadType,
    Type,
    UnitType,
)
from usl_perceus.layout import leaves
from usl_perceus.python.arrays import SMALL
from usl_perceus.python.convert import Converter
from usl_perceus.python.handle import Handle
from usl_perceus.python.heap import Heap
from usl_perceus.python.layout import Blocks
from usl_perceus.python.worker import Waiting, started_worker

WORDS = "usl_python_words"
MAX_WORDS = 64
"""As in entry.c."""
LOOK_NANOSECONDS = 20_000
"""For how long a thread looks for the other one's word before it sleeps; waking one takes about that long."""

_UNION = """
union usl_word { int64_t i; uint64_t u; double d; usl_value p; };
"""

Kind = tuple[Any, ...]
"""What the extension is told of a type: see set_kind in entry.c."""

_types: dict[Type, Type] = {}
"""One object for each type, so that the extension need not compare them."""


def words_function(guard: str, params: Sequence[Type], result: Type, blocks: Blocks) -> str:
    """The C function that calls guard with one word for each part of the arguments, and stores the result in words."""
    types, given = blocks.types, iter(range(10**9))
    arguments = [_from_words(type, blocks, given) for type in params if not types.is_void(type)]
    call = f"{guard}({', '.join([*arguments, 'usl_ctx'])})"
    stores = [
        f"    usl_to[{i}].{_member(leaf.type, blocks)} = usl_result{types.member(result, leaf.path)};"
        for i, leaf in enumerate(leaves(result, blocks.datas))
    ]
    head = f"void {WORDS}(const union usl_word *usl_from, union usl_word *usl_to, usl_context *usl_ctx)"
    first = f"    {call};" if types.is_void(result) else f"    const {types.spelling(result)} usl_result = {call};"
    return "\n".join(
        [
            _UNION,
            f'__attribute__((visibility("default"))) {head};',
            head,
            "{",
            "    (void)usl_from, (void)usl_to;",
            first,
            *stores,
            "}",
            "",
        ]
    )


def _member(type: Type, blocks: Blocks) -> str:
    match type:
        case IntType(signed=signed):
            return "i" if signed else "u"
        case FloatType():
            return "d"
        case DataType(name=name) if blocks.datas[name].layout is Layout.ENUM:
            return "u"
    return "p"


def _from_words(type: Type, blocks: Blocks, given: Any) -> str:
    if isinstance(type, DataType) and blocks.types.is_value(type):
        (con,) = blocks.datas[type.name].cons
        parts = ["" if blocks.types.is_void(part) else _from_words(part, blocks, given) for _, part in con.fields]
        return blocks.types.value(type, parts)
    word = f"usl_from[{next(given)}].{_member(type, blocks)}"
    return word if isinstance(type, IntType) and type.bits == 64 else f"({blocks.types.spelling(type)}){word}"


# ---- what the extension is told


class _Unsuitable(Exception):
    """A type that only `Converter` converts."""


@functools.cache
def _module() -> Any:
    source = resources.files("usl_perceus").joinpath("python", "entry.c").read_text(encoding="utf-8")
    return extension("usl_perceus_entry", source)


def make_entry(
    address: Any,
    params: Sequence[Type],
    result: Type,
    converter: Converter,
    classes: Mapping[str, Any],
    *,
    long: bool,
    name: str,
    slowly: Callable[..., Any],
) -> Callable[..., Any] | None:
    """A callable that converts arguments in C and calls the function made by `words_function`; None where there cannot be one.
    What it does not take it passes on to slowly."""
    if (module := _module()) is None:
        return None
    kinds = _Kinds(converter, classes)
    try:
        given = kinds.tuple_of([kinds.kind(type) for type in params], None)
        returned = kinds.kind(result, is_result=True)
    except _Unsuitable:
        return None
    words = max(sum(len(leaves(type, converter.blocks.datas)) for type in each) for each in (params, [result]))
    if words > MAX_WORDS:
        return None
    heap = converter.heap
    worker = _worker(heap)
    made: Callable[..., Any] = module.Entry(
        heap.address(address),
        worker,
        long,
        converter.lends,
        slowly,
        (
            converter,
            Handle,
            converter.fits,
            functools.partial(converter.calls.raise_thrown, name),
            converter.calls.raise_unwritten,
            converter.from_address,
            Waiting(),
        ),
        given,
        returned,
    )
    return made


class _Kinds:
    def __init__(self, converter: Converter, classes: Mapping[str, Any]) -> None:
        self._converter, self._classes = converter, classes
        self._datas = converter.blocks.datas

    def tuple_of(self, parts: Sequence[Kind], cls: Any) -> Kind:
        return ("t", 0, 0, None, None, None, cls, "-", 0, tuple(parts))

    def kind(self, type: Type, *, is_result: bool = False) -> Kind:
        """Raises: _Unsuitable: the extension does not convert such values."""
        type = _types.setdefault(type, type)
        match type:
            case IntType(bits=64, signed=False):
                return _plain("u", greatest=-1)
            case IntType(bits=bits, signed=signed):
                low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
                return _plain("i" if signed or not is_result else "u", low, high)
            case FloatType():
                return _plain("f")
            case StrType():
                return _plain("s")
            case UnitType():
                return _plain("n")
            case FunType() | RefType() | ThreadType():
                return _plain("r", type=type)
            case ArrayType(elem=elem):
                return self._given_array(type, elem) if is_result else self._array(type, elem)
            case DataType(name="bool"):
                return _plain("b")
            case DataType():
                return self._data(type, is_result)
        raise _Unsuitable

    def _array(self, type: Type, elem: Type) -> Kind:
        match elem:
            case IntType(bits=bits, signed=signed):
                return _plain("a", SMALL, type=type, format="i" if signed else "u", size=bits // 8)
            case FloatType(bits=bits):
                return _plain("a", SMALL, type=type, format="f", size=bits // 8)
            case DataType(name="bool"):
                return _plain("a", SMALL, type=type, format="?", size=1)
        raise _Unsuitable

    def _given_array(self, type: Type, elem: Type) -> Kind:
        """A result: NumPy's where it has such elements."""
        name = self._converter.dtype(elem)
        if name is None:
            return _plain("x", type=type)
        try:
            import numpy as np
        except ImportError:  # which the call will say
            return _plain("x", type=type)
        dtype = np.dtype(name)
        return ("y", SMALL, 0, type, None, dtype, None, "-", dtype.itemsize, ())

    def _data(self, type: DataType, is_result: bool) -> Kind:
        decl, cls = self._datas[type.name], self._classes.get(type.name)
        if self._converter.blocks.types.is_void(type):
            raise _Unsuitable
        if decl.layout is Layout.VALUE:
            (con,) = decl.cons
            if cls is None:
                raise _Unsuitable
            parts = [self.kind(part, is_result=is_result) for _, part in con.fields]
            return self.tuple_of(parts, None if cls is tuple else getattr(cls, con.name))
        is_enumeration = decl.layout is Layout.ENUM
        empty = [con for con in decl.cons if not con.fields]
        words = {
            getattr(cls, con.name): con.tag if is_enumeration else 2 * con.tag + 1
            for con in empty
            if cls is not None and cls is not tuple
        }
        shown: list[Any] = [None] * len(decl.cons)
        for con in empty:
            shown[con.tag] = self._converter.constant(con)
        return ("e" if is_enumeration else "h", 0, 0, type, words, tuple(shown), None, "-", 0, ())


def _plain(what: str, least: int = 0, greatest: int = 0, *, type: Type | None = None, format: str = "-", size: int = 0) -> Kind:
    return (what, least, greatest, type, None, None, None, format, size, ())


def _worker(heap: Heap) -> Any:
    """The thread of long calls in this heap."""
    if heap.worker is None:
        made: Any = _module().Worker(
            lambda: started_worker(heap.lib.usl_watch_stack, made.work),
            _looking(),
            *heap.lock.bare(),
            heap.dropped,
            heap.collect,
            heap.entry_points(),
        )
        os.register_at_fork(after_in_child=made.forked)
        heap.worker, heap.drop = made, made.drop
    return heap.worker


def _looking() -> int:
    """On a single processor the other thread cannot run meanwhile."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return LOOK_NANOSECONDS if count > 1 else 0
