"""The register memory."""

from __future__ import annotations

from collections.abc import Sequence

from usl_core.errors import BackendError, Span
from usl_core.ir.memory import Memory


class LANES4(Memory):
    """Registers of four f32 lanes; only instructions reach them. The innermost dimension of a buffer is the lanes."""

    name = "LANES4"
    addressable = False

    @classmethod
    def header(cls) -> str:
        return "typedef struct { float lane[4]; } lanes4;"

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        if ctype != "float" or not shape or shape[-1] != "4":
            raise BackendError(f"memory LANES4 holds f32 with an innermost dimension of 4, not {ctype} of {shape}", span=span)
        return f"lanes4 {name}{''.join(f'[{extent}]' for extent in shape[:-1])};"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        return base + "".join(f"[{index}]" for index in indices[:-1])
