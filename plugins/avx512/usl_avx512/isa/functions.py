"""exp, log and their like in lanes of f32 and f64: each within 1 ulp, which is what `roundings=2` says, pow within 2.

The C is that of `usl_avx512.functions`: written in the object language, scheduled, and kept in functions.h by
`python tools/functions.py`. Special values are IEEE's. Worst errors are in docs/functions.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from usl_avx512.isa.families import Source, Table, lanewise
from usl_avx512.isa.function_texts import function_texts
from usl_avx512.isa.lanes import PD, PS

ONE_ULP, TWO_ULPS = "roundings=2", "roundings=4"
WRITTEN = {"sigmoid": "1.0 / (1.0 + exp(-src[i]))", "pow": "pow(src[i], power[i])"}
"""What is no function of the object language, as programs have it, and what has two operands."""


def _all() -> Iterator[Source]:
    for row in (PS, PD):
        for name in function_texts():
            function, _, suffix = name.removeprefix("usl_avx512_").rpartition("_")
            if suffix == row.s:
                value = WRITTEN.get(function, f"{function}(src[i])")
                operands = "{src}, {power}" if function == "pow" else "{src}"
                yield from lanewise(
                    function,
                    f"dst[i] = {value}",
                    f"{name}({operands})",
                    row,
                    options=TWO_ULPS if function == "pow" else ONE_ULP,
                )


TABLE = Table(__name__, _all())


def __getattr__(name: str) -> Any:
    return TABLE.find(name)
