"""The memories of a chip: local ones, whose windows are addresses of rows, and main memory that only commands write.

| memory | holds | C |
|---|---|---|
| `SPAD` | rows of dim `i8` | address of the first row, `uint32_t` |
| `ACC` | rows of dim `i32` | address of the first row with bit 31 |
| `WEIGHTS` | the block of dim x dim `i8` in the array | nothing: there is one |
| `SPENT` | the same block, after a product that leaves it behind | nothing |
| `GEMMINI_OUT`, `GEMMINI_OUT2` | outputs in main memory | a pointer, but plain C may not touch elements |

The last dimension of a buffer in `SPAD` or `ACC` is a row of dim elements, those before it count rows.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from usl_core import Memory
from usl_core.errors import BackendError, Span
from usl_core.ir.memory import MemoryClass
from usl_gemmini.params import GemminiParams


class Local(Memory):
    """What the memories of a chip have in common."""

    addressable = False
    params: ClassVar[GemminiParams] = GemminiParams()
    peek = "gemmini_sim_peek({outside.ptr}, (uint32_t)({inside}), {count});"
    poke = "gemmini_sim_poke((uint32_t)({inside}), {outside.ptr}, {count});"
    peek_rank = 1

    @classmethod
    def header(cls) -> str:
        return chip_header(cls.params)


def chip_header(params: GemminiParams) -> str:
    """C that every file with commands for this chip begins with: it does not compile with the header of another."""
    return f'#include "{params.header_name}"\nGEMMINI_REQUIRE_PARAMS(0x{params.hash:016x}u);'


class Rows(Local):
    """A memory of rows of dim elements. A window begins with the first column of a row."""

    element: ClassVar[str]
    bits: ClassVar[str]
    counter: ClassVar[str]

    @classmethod
    def header(cls) -> str:
        return f"{chip_header(cls.params)}\nstatic _Thread_local uint32_t {cls.counter};"

    @classmethod
    def rows(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> int:
        """The rows that a buffer takes.

        Raises:
            BackendError: this memory has no such buffers.
        """
        dim = cls.params.dim
        if ctype != cls.element or not shape or shape[-1] != str(dim) or not all(extent.isdigit() for extent in shape):
            held = f"{cls.element} of constant extents, of which the last is {dim}"
            raise BackendError(
                f"{name} is {ctype} of {', '.join(shape) or 'no shape'}; memory {cls.name} holds {held}",
                span=span,
                notes=("resize_dim or divide_dim makes rows of it",),
            )
        count = 1
        for extent in shape[:-1]:
            count *= int(extent)
        return count

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        count = cls.rows(name, ctype, shape, span)
        return (
            f"const uint32_t {name} = {cls.bits}{cls.counter};\n{cls.counter} += {count};\ngemmini_host_claim({name}, {count});"
        )

    @classmethod
    def free(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        count = cls.rows(name, ctype, shape, span)
        return f"gemmini_host_release({name}, {count}); {cls.counter} -= {count};"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        if indices[-1] != "0":
            raise BackendError(
                f"a window of {base} must begin with the first column of a row of {cls.name}, not with column {indices[-1]}",
                span=span,
            )
        terms = [
            f"{_factor(index)} * {int(stride) // cls.params.dim}" if int(stride) != cls.params.dim else index
            for index, stride in zip(indices[:-1], strides[:-1], strict=True)
            if index != "0"
        ]
        return f"{base} + (uint32_t)({' + '.join(terms)})" if terms else base


def _factor(index: str) -> str:
    return index if index.isidentifier() or index.isdigit() else f"({index})"


class Array(Local):
    """The one block of weights in the array."""

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        _require_block(cls, name, ctype, shape, span)
        return f"const uint32_t {name} = GEMMINI_WEIGHTS;\ngemmini_host_claim({name}, {cls.params.dim});"

    @classmethod
    def free(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        return f"gemmini_host_release({name}, {cls.params.dim});"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        if indices[-1] != "0":
            raise BackendError(
                f"a window of {base} must begin with the first column of the array, not {indices[-1]}", span=span
            )
        return f"{base} - (uint32_t)({indices[0]})" if indices[0] != "0" else base


def _require_block(cls: type[Local], name: str, ctype: str, shape: Sequence[str], span: Span) -> None:
    dim = cls.params.dim
    if ctype != "int8_t" or len(shape) != 2 or not all(extent.isdigit() and int(extent) <= dim for extent in shape):
        held = f"one block of int8_t, at most {dim} x {dim}"
        raise BackendError(f"{name} is {ctype} of {', '.join(shape) or 'no shape'}; memory {cls.name} holds {held}", span=span)


class Spent(Array):
    """The block of weights after a product that leaves it behind: nothing reads it, so that buffers of it may be many."""

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        _require_block(cls, name, ctype, shape, span)
        return f"const uint32_t {name} = GEMMINI_WEIGHTS;"

    @classmethod
    def free(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        return ""


class _Output(Memory):
    """Main memory that commands write. C has pointers to it, but what they point to may not be there before a fence."""

    @classmethod
    def read(cls, access: str, ctype: str, span: Span) -> str:
        raise BackendError(f"memory {cls.name} cannot be read by plain C, which knows nothing of fences", span=span)

    @classmethod
    def write(cls, access: str, ctype: str, value: str, span: Span) -> str:
        raise BackendError(f"memory {cls.name} cannot be written by plain C; use an mvout", span=span)

    @classmethod
    def reduce(cls, access: str, ctype: str, value: str, span: Span) -> str:
        raise BackendError(f"memory {cls.name} does not support `+=` in plain C; use an mvout", span=span)


class GEMMINI_OUT(_Output):
    """Outputs whose transfers `FENCE.pending` counts."""

    name = "GEMMINI_OUT"


class GEMMINI_OUT2(_Output):
    """Outputs whose transfers `FENCE.pending2` counts: a layer may read the one and write the other."""

    name = "GEMMINI_OUT2"


@dataclass(frozen=True, slots=True)
class Memories:
    """The local memories of one chip."""

    spad: MemoryClass
    acc: MemoryClass
    weights: MemoryClass
    spent: MemoryClass


@functools.cache
def memories(params: GemminiParams) -> Memories:
    """The local memories of a chip; those of the default chip are `SPAD`, `ACC`, `WEIGHTS` and `SPENT`."""
    suffix = "" if params == GemminiParams() else f"_{params.hash:016x}"

    def made(base: type[Local], name: str, **members: str) -> MemoryClass:
        name += suffix
        own = {"name": name, "params": params, "__module__": __name__, "__doc__": base.__doc__}
        return type(name, (base,), own | members)

    return Memories(
        made(Rows, "SPAD", element="int8_t", bits="", counter="gemmini_sp_rows"),
        made(Rows, "ACC", element="int32_t", bits="GEMMINI_ACC | ", counter="gemmini_acc_rows"),
        made(Array, "WEIGHTS"),
        made(Spent, "SPENT"),
    )


_DEFAULT = memories(GemminiParams())
SPAD, ACC, WEIGHTS, SPENT = _DEFAULT.spad, _DEFAULT.acc, _DEFAULT.weights, _DEFAULT.spent
