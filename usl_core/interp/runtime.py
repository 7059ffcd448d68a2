"""What compiled procedures call: the state of a run, and the operations that are too long to write out in place."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, NoReturn

from usl_core.interp.buffers import Buffer, dense_strides, out_of_bounds, overlap, view
from usl_core.interp.exponentials import bit_length
from usl_core.interp.values import POISON, Fault, PoisonFault, SizeFault
from usl_core.ir.config import Config
from usl_core.ir.sym import Sym
from usl_core.records import dataclass

ConfigKey = tuple[Config, str]
"""A configuration field: its record and its name."""


class ConfigState(dict[ConfigKey, Any]):
    """The values of configuration fields; one never written is poison."""

    def __missing__(self, key: ConfigKey) -> Any:
        return POISON


@dataclass(frozen=True, slots=True)
class Access:
    """One access, reported to `trace`: kind is "read", "write", "reduce" (`+=`) or "reduce op" of data, or "configure".

    name is the buffer or window as the accessing procedure calls it; storage and offset identify the element among all
    buffers of the run. "configure" is a write of a configuration field: name is its `FieldSym`, the rest is empty and zero.
    """

    kind: str
    name: Sym
    index: tuple[int, ...]
    storage: int
    offset: int


Trace = Callable[[Access], object]


@dataclass(slots=True)
class State:
    """One run: configuration, the order of `par` iterations (None: rising), who wants to see accesses, how long numbers get."""

    configs: ConfigState = field(default_factory=ConfigState)
    permute: random.Random | None = None
    trace: Trace | None = None
    max_bits: int | None = None

    def stored(self, value: Any) -> Any:
        """An exact real on its way into a buffer; a SizeFault if it takes more than max_bits."""
        if self.max_bits is not None and value is not POISON:
            bits = bit_length(value)
            if bits > self.max_bits:
                raise SizeFault(f"a number takes {bits} bits, more than the limit of {self.max_bits}")
        return value

    def par(self, lo: int, hi: int) -> Sequence[int]:
        """The iterations of a `par` loop, in the order in which this run takes them."""
        iterations = seq(lo, hi)
        return iterations if self.permute is None else self.permute.sample(iterations, len(iterations))

    def configure(self, key: ConfigKey, value: Any) -> None:
        """Writes a configuration field and reports it."""
        assert self.trace is not None
        config, field_name = key
        self.trace(Access("configure", config.sym(field_name), (), 0, 0))
        self.configs[key] = value

    def touch(self, kind: str, name: Sym, index: tuple[int, ...], data: list[Any], offset: int) -> int:
        """Reports an access and gives back its offset."""
        assert self.trace is not None
        self.trace(Access(kind, name, index, id(data), offset))
        return offset


def seq(lo: Any, hi: Any) -> range:
    """The iterations of a loop; its range must not be negative."""
    if lo is POISON or hi is POISON:
        raise PoisonFault("a loop bound depends on an unset configuration field")
    if lo > hi:
        raise Fault(f"loop from {lo} to {hi}: the lower bound is above the upper one")
    return range(lo, hi)


def extents(name: str, *sizes: int) -> tuple[int, ...]:
    """The shape of an allocation, each extent at least 1."""
    if any(size < 1 for size in sizes):
        raise Fault(f"allocation {name}[{', '.join(map(str, sizes))}]: every extent must be at least 1")
    return sizes


def blank(size: int) -> list[Any]:
    """Elements that nobody has written."""
    return [POISON] * size


def element(name: str, buffer: Buffer, *index: int) -> Buffer:
    """The view of one element, as an argument for a scalar formal."""
    if not all(0 <= i < n for i, n in zip(index, buffer.shape, strict=True)):
        oob(name, index, buffer.shape)
    offset = buffer.offset + sum(i * s for i, s in zip(index, buffer.strides, strict=True))
    return Buffer(buffer.scalar, (), buffer.data, offset)


def oob(name: str, index: Sequence[int], shape: Sequence[int]) -> NoReturn:
    """An access out of bounds. Raises: Fault."""
    raise Fault(out_of_bounds(name, index, shape))


def dense(name: str, buffer: Buffer) -> tuple[int, ...]:
    """The strides of a dense formal; the argument must have them wherever they matter."""
    strides = dense_strides(buffer.shape)
    for size, expected, found in zip(buffer.shape, strides, buffer.strides, strict=True):
        if size > 1 and expected != found:
            raise Fault(f"argument {name} must be dense, but has strides {buffer.strides} at shape {buffer.shape}")
    return strides


def wrong_size(name: str, value: int) -> NoReturn:
    """A size below 1. Raises: Fault."""
    raise Fault(f"size {name} must be at least 1, got {value}")


def wrong_shape(name: str, found: tuple[int, ...], expected: tuple[int, ...]) -> NoReturn:
    """A buffer of another shape than its formal. Raises: Fault."""
    raise Fault(f"argument {name} must have shape {expected}, got {found}")


def broken(what: str) -> NoReturn:
    """An assertion that does not hold. Raises: Fault."""
    raise Fault(what)


def disjoint(pairs: Sequence[tuple[str, Buffer, str, Buffer]]) -> None:
    """The first buffer of a pair is written: it must not overlap the second."""
    for written, a, other, b in pairs:
        if overlap(a, b):
            raise Fault(f"arguments {written} and {other} overlap, and {written} is written")


HELPERS: Mapping[str, Any] = {
    fn.__name__: fn for fn in (seq, extents, blank, element, oob, dense, wrong_size, wrong_shape, broken, disjoint, view)
} | {"Buffer": Buffer, "prod": math.prod}
