"""The parameters of a chip, and what follows from them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields

from usl_gemmini.errors import GemminiError

DIMENSIONS = (4, 8, 16, 32)
METADATA_BITS = 25
"""A local address has its row in the bits below this one, and the bit above the row must be free (the garbage bit)."""


@dataclass(frozen=True, slots=True)
class GemminiParams:
    """A chip with int8 elements and int32 accumulators; the defaults are those of the default chip.

    dim is the side of the array. sp_kib and acc_kib are the scratchpad and the accumulator in KiB, each in banks of equal size.
    """

    dim: int = 16
    sp_kib: int = 256
    acc_kib: int = 64
    sp_banks: int = 4
    acc_banks: int = 2

    def __post_init__(self) -> None:
        self._require()
        KNOWN[self.header_name] = self

    def _require(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise GemminiError(f"GemminiParams: {each.name} must be an integer, got {value!r}")
            if value < 1 or value & (value - 1):
                raise GemminiError(f"GemminiParams: {each.name} must be a positive power of two, got {value}")
        if self.dim not in DIMENSIONS:
            raise GemminiError(f"GemminiParams: dim must be one of {', '.join(map(str, DIMENSIONS))}, got {self.dim}")
        for what, rows, banks in (("sp", self.sp_rows, self.sp_banks), ("acc", self.acc_rows, self.acc_banks)):
            if rows < banks * self.dim:
                raise GemminiError(
                    f"GemminiParams: {what}_kib={rows * self.row_bytes(what) // 1024} in {banks} banks gives banks of"
                    f" {rows // banks} rows; a bank must hold at least one block of {self.dim} rows"
                )
        if self.row_bits > METADATA_BITS - 1:
            raise GemminiError(
                f"GemminiParams: rows need {self.row_bits} bits, but a local address has {METADATA_BITS - 1} for them",
                notes=("take less memory, or a larger dim",),
            )

    def row_bytes(self, memory: str) -> int:
        """Bytes of one row of "sp" (int8) or of "acc" (int32)."""
        return self.dim * (4 if memory == "acc" else 1)

    @property
    def sp_rows(self) -> int:
        """Rows of the scratchpad, each of dim int8."""
        return self.sp_kib * 1024 // self.dim

    @property
    def acc_rows(self) -> int:
        """Rows of the accumulator, each of dim int32."""
        return self.acc_kib * 1024 // (4 * self.dim)

    @property
    def sp_bank_rows(self) -> int:
        """Rows of one bank of the scratchpad."""
        return self.sp_rows // self.sp_banks

    @property
    def acc_bank_rows(self) -> int:
        """Rows of one bank of the accumulator."""
        return self.acc_rows // self.acc_banks

    @property
    def row_bits(self) -> int:
        """Bits of a row number in a local address."""
        return max(self.sp_rows, self.acc_rows).bit_length() - 1

    @property
    def max_bytes(self) -> int:
        """Bytes of the longest row of one transfer: 64, or one row of the accumulator where that is longer."""
        return max(64, 4 * self.dim)

    @property
    def max_block_len(self) -> int:
        """Blocks of dim int8 columns in the longest row of one transfer."""
        return self.max_bytes // self.dim

    @property
    def sum_bits(self) -> int:
        """Bits of a sum that leaves the array: enough for dim products of int8, 20 in the default chip."""
        return 16 + self.dim.bit_length() - 1

    @property
    def hash(self) -> int:
        """64 bits that stand for the parameters, in the header and in what was compiled with it."""
        text = " ".join(f"{each.name}={getattr(self, each.name)}" for each in fields(self))
        return int.from_bytes(hashlib.sha256(f"gemmini-1 {text}".encode()).digest()[:8], "big")

    @property
    def header_name(self) -> str:
        """The file name of the header of this chip: `gemmini.h` for the default one."""
        is_default = all(getattr(self, each.name) == each.default for each in fields(self))
        return "gemmini.h" if is_default else f"gemmini_{self.hash:016x}.h"

    def __str__(self) -> str:
        return "GemminiParams(" + ", ".join(f"{each.name}={getattr(self, each.name)}" for each in fields(self)) + ")"


KNOWN: dict[str, GemminiParams] = {}
"""The chips that this process has made, by their headers: what C with one of these is linked with follows from it."""
