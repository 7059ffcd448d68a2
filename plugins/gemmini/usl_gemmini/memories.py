"""The memories of a chip: local ones, whose windows are addresses of rows, and main memory that only commands write.

| memory | holds | in C |
|---|---|---|
| `SPAD` | rows of dim `i8` | the address of a row, a number |
| `ACC` | rows of dim `i32` | the same with bit 31 |
| `WEIGHTS` | the block of dim x dim `i8` in the array | nothing: there is one |
| `SPENT` | the same block, after a product that leaves nothing to be used again | nothing |
| `GEMMINI_OUT`, `GEMMINI_OUT2`, `GEMMINI_OUT3` | outputs in main memory | a pointer, but plain C may not touch elements |

The last dimension of a buffer in a local memory is a row of dim elements, those before it count rows. Where buffers lie is
decided for all of a program at once (docs/targets.md, A memory of rows): operands of one product, and what is loaded while the
array reads, in different banks.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from usl_core import Config, Memory
from usl_core.errors import BackendError, Span
from usl_core.ir.memory import MemoryClass
from usl_core.placement import PlacedMemory
from usl_gemmini.params import GemminiParams


def chip_header(params: GemminiParams) -> str:
    """C that every file with commands for this chip begins with: it does not compile with the header of another."""
    return f'#include "{params.header_name}"\nGEMMINI_REQUIRE_PARAMS(0x{params.hash:016x}u);'


class Local(PlacedMemory):
    """What the local memories of a chip have in common."""

    params: ClassVar[GemminiParams]
    element: ClassVar[str] = "int8_t"
    peek = "gemmini_sim_peek({outside.ptr}, {inside}, {count});"
    poke = "gemmini_sim_poke({inside}, {outside.ptr}, {count});"
    peek_rank = 1

    @classmethod
    def header(cls) -> str:
        """The chip's header, and that it is this chip's."""
        return chip_header(cls.params)

    @classmethod
    def declare(cls, name: str, ctype: str, row: int, span: Span) -> str:
        """The number of the first row; a BackendError for other elements."""
        if ctype != cls.element:
            raise BackendError(f"{name} is {ctype}, and memory {cls.name} holds {cls.element}", span=span)
        return super().declare(name, ctype, row, span)


class Scratchpad(Local):
    """Operands: rows of dim int8."""


class Accumulator(Local):
    """Sums: rows of dim int32."""

    element = "int32_t"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        """The address of a row, with the bit that says accumulator."""
        return f"(GEMMINI_ACC | {cls.row(base, indices, strides, span)})"


class Array(Local):
    """The one block of weights in the array."""

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        """How tests reach a row; commands need no address."""
        return f"(GEMMINI_WEIGHTS - {cls.row(base, indices, strides, span)})"


class _Output(Memory):
    """Main memory that commands write. C has pointers to it, but what they point to may not be there before a fence."""

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        """An array of the file, as long as the program: there is one accelerator. It begins a line of memory.

        Raises:
            BackendError: its extents are no numbers.
        """
        if not all(extent.isdigit() for extent in shape):
            raise BackendError(f"{name} in memory {cls.name} has extents {', '.join(shape)}, which must be numbers", span=span)
        return f"static _Alignas(64) {ctype} {name}[{' * '.join(shape)}];"

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
    """Outputs of whose transfers `FENCE` tells."""

    name = "GEMMINI_OUT"


class GEMMINI_OUT2(_Output):
    """Outputs of whose transfers `FENCE2` tells: a layer may read the one class while it writes the other."""

    name = "GEMMINI_OUT2"


class GEMMINI_OUT3(_Output):
    """Outputs of whose transfers `FENCE3` tells: a sum of two outputs needs a third class."""

    name = "GEMMINI_OUT3"


@dataclass(frozen=True, slots=True)
class Output:
    """A class of outputs, and the record that tells whether some of it is in flight."""

    memory: MemoryClass
    record: str
    """The name of that record."""

    @property
    def fence(self) -> Config:
        """That record: asked for where a program is made, as reading its declaration takes the front end."""
        from usl_gemmini.kernels_registers import BY_NAME

        return BY_NAME[self.record]


OUTPUTS = {
    "": Output(GEMMINI_OUT, "FENCE"),
    "2": Output(GEMMINI_OUT2, "FENCE2"),
    "3": Output(GEMMINI_OUT3, "FENCE3"),
}
"""The classes of outputs by the suffix of their instructions."""


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

    def made(base: type[Local], name: str, **members: int) -> type[Local]:
        own = {"name": name + suffix, "params": params, "lanes": params.dim, "__module__": __name__, "__doc__": base.__doc__}
        return type(name + suffix, (base,), own | members)

    block = made(Array, "ARRAY", rows=params.dim)
    return Memories(
        made(Scratchpad, "SPAD", rows=params.sp_rows, banks=params.sp_banks),
        made(Accumulator, "ACC", rows=params.acc_rows, banks=params.acc_banks),
        made(block, "WEIGHTS"),
        made(block, "SPENT", scratch=True),
    )


_DEFAULT = memories(GemminiParams())
SPAD, ACC, WEIGHTS, SPENT = _DEFAULT.spad, _DEFAULT.acc, _DEFAULT.weights, _DEFAULT.spent
