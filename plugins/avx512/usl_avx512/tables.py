"""Tables in registers: functions of the low bits of an integer, which the functions in `usl_avx512.functions` look up.

`log_inverses(k)` is the entry of a table of 32 f32 at the last five bits of a u32, or of one of 16 f64 at the last four of a
u64 if its name ends in `_f64`: as many as an instruction looks up in two registers (VPERMI2PS, VPERMI2PD); or of a table half
as long, in one (VPERMPS, VPERMPD), at one bit fewer. Any procedure may call them.
Their numbers are in `table_values`, which `python tools/minimax.py tables` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from usl_avx512.table_values import F32_TABLES, F64_TABLES
from usl_core.ir.externs import Extern
from usl_core.ir.types import F32, F64, U32, U64, Type


def _looked_up(key: Type, value: Type, types: Sequence[Type]) -> Type:
    if types[0] is not key:
        raise ValueError(f"the argument must be {key}, got {types[0]}")
    return value


def _entry(values: Sequence[float], typ: str, _: Any, k: Any) -> Any:
    import numpy as np

    return {"f32": np.float32, "f64": np.float64}[typ](values[int(k) % len(values)])


def number(x: float, typ: str) -> str:
    """A number in C."""
    return f"{x!r}{'f' if typ == 'f32' else ''}"


def _c(values: Sequence[float], typ: str, _: Any, ctype: str, args: Sequence[str]) -> str:
    entries = ", ".join(number(x, typ) for x in values)
    return f"((const {ctype}[]){{{entries}}})[{args[0]} & {len(values) - 1}u]"


def _extern(name: str, values: Sequence[float], typ: str) -> Extern:
    key, value = (U32, F32) if typ == "f32" else (U64, F64)
    assert len(values) in ((16, 32) if typ == "f32" else (8, 16))
    return Extern(name, 1, partial(_looked_up, key, value), machine=partial(_entry, values, typ), c=partial(_c, values, typ))


EXTERNS = {
    **{name: _extern(name, values, "f32") for name, values in F32_TABLES.items()},
    **{name: _extern(name, values, "f64") for name, values in F64_TABLES.items()},
}
"""By name."""
globals().update(EXTERNS)


def __getattr__(name: str) -> Extern:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
