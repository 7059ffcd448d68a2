"""Functions on floats that the processor has as instructions and that functions are computed with: powers of two taken apart.

`scaleb`, `logb` and `mantissa` may be called in any procedure; each is what the instruction of `isa.exponents` computes, with
special values, and has C for any other processor. Reference: IEEE 754-2019, §5.3.3; Intel 64 and IA-32 Architectures Software
Developer's Manual, vol. 2, VSCALEFPS, VGETEXPPS, VGETMANTPS.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from usl_core.ir.externs import Extern
from usl_core.ir.types import F32, F64, Type

if TYPE_CHECKING:
    import numpy as np

FURTHEST = 9999
"""No power of two beyond this one makes a difference."""


def _of_floats(types: Sequence[Type]) -> Type:
    if types[0] not in (F32, F64) or any(each != types[0] for each in types):
        raise ValueError(f"arguments must be f32 or all f64, got {', '.join(map(str, types))}")
    return types[0]


def _scaleb(_: Any, x: np.floating[Any], n: np.floating[Any]) -> Any:
    import numpy as np

    of = type(x)
    with np.errstate(all="ignore"):
        if np.isfinite(n):
            return np.ldexp(x, int(np.clip(np.floor(n), -FURTHEST, FURTHEST)))
        if np.isnan(n):
            return n
        return of(np.inf if n > 0 else 0) if np.isnan(x) else x * of(np.inf if n > 0 else 0)


def _logb(_: Any, x: np.floating[Any]) -> Any:
    import numpy as np

    of = type(x)
    if not np.isfinite(x) or x == 0:
        return of(-np.inf) if x == 0 else abs(x)
    return of(np.frexp(x)[1] - 1)


def _mantissa(_: Any, x: np.floating[Any]) -> Any:
    import numpy as np

    of = type(x)
    if np.isnan(x) or x < 0:
        return of(np.nan)
    if x == 0 or np.isinf(x):
        return np.copysign(of(1), x)
    fraction = np.frexp(x)[0]
    return of(fraction if fraction >= 0.75 else 2 * fraction)


def _c_of_scaleb(_: Any, ctype: str, args: Sequence[str]) -> str:
    x, n = args
    f = "f" if ctype == "float" else ""
    number = f"ldexp{f}({x}, (int)fmin{f}(fmax{f}(floor{f}({n}), -{FURTHEST}.0{f}), {FURTHEST}.0{f}))"
    special = f"{n} != {n} ? {n} : {x} != {x} ? ({n} > 0 ? INFINITY : 0) : {x} * exp2{f}({n})"
    return f"(({ctype})({n} - {n} == 0 ? {number} : {special}))"


def _c_of_logb(_: Any, ctype: str, args: Sequence[str]) -> str:
    return f"logb{'f' if ctype == 'float' else ''}({args[0]})"


def _c_of_mantissa(_: Any, ctype: str, args: Sequence[str]) -> str:
    (x,), f = args, "f" if ctype == "float" else ""
    fraction = f"ldexp{f}({x}, -ilogb{f}({x}))"
    number = f"{fraction} * ({fraction} < 1.5{f} ? 1.0{f} : 0.5{f})"
    special = f"{x} == 0 ? copysign{f}(1, {x}) : {x} > 0 ? 1 : NAN"
    return f"(({ctype})({x} > 0 && {x} - {x} == 0 ? {number} : {special}))"


scaleb = Extern("scaleb", 2, _of_floats, machine=_scaleb, c=_c_of_scaleb, includes=("math.h",))
"""`scaleb(x, n)` is x * 2^floor(n), rounded once. Where n is infinite, NaN counts as a positive number."""
logb = Extern("logb", 1, _of_floats, machine=_logb, c=_c_of_logb, includes=("math.h",))
"""`logb(x)` is the greatest whole number n with 2^n <= |x|; of 0 it is -inf, of infinities inf."""
mantissa = Extern("mantissa", 1, _of_floats, machine=_mantissa, c=_c_of_mantissa, includes=("math.h",))
"""`mantissa(x)` is the number in [0.75, 1.5) that x is a power of two times of; NaN of negative numbers, 1 of infinity,
of a zero 1 with its sign."""

EXTERNS = (scaleb, logb, mantissa)
