"""Products of short integers with 32-bit sums on NumPy arrays, weights packed once, and the C library behind them."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from usl_avx512.kernels.arguments import SINGLE as FLOAT
from usl_avx512.kernels.arguments import Precision, foreign, forward_matrix, number, vector
from usl_avx512.short_products import TYPES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from usl_c11.emit import Library

HERE = Path(__file__).parent
PANEL = 64
"""Columns of a panel of packed weights."""

INTEGERS = {
    "u8": Precision("", "uint8_t", "uint8", math.inf),
    "i8": Precision("", "int8_t", "int8", math.inf),
    "i16": Precision("", "int16_t", "int16", math.inf),
    "i32": Precision("", "int32_t", "int32", math.inf),
}
RESULTS = {"f32": FLOAT, "u8": INTEGERS["u8"], "i8": INTEGERS["i8"]}
"""What a layer's results may be."""

LINEAR_WINDOWS = """\
const struct usl_win_1i32c added = {bias, {1}};
    const struct usl_win_1f32c factors = {scale, {1}};
    """
LINEAR_ARGUMENTS = "const int32_t *bias, const float *scale, float low, float high, "


class Packed:
    """A matrix B, K x N, of int8 or int16, as products want it: packed once, multiplied with many matrices.

    Raises:
        TypeError: B is no array of int8 or int16. ValueError: it has not two dimensions, or elements of a row that are no
        neighbours.
        JitError: the processor has no AVX-512, or there is no C compiler.
    """

    def __init__(self, B: NDArray[Any]) -> None:
        import numpy as np

        wide = isinstance(B, np.ndarray) and B.dtype == np.int16
        self.kind = "s16s16" if wide else "u8s8"
        """One of `TYPES`."""
        _, b, group = TYPES[self.kind]
        self.rows, self.columns, address, distance = forward_matrix(INTEGERS[b], "B", B)
        shape = (-(-self.columns // PANEL), -(-self.rows // group), PANEL * group)
        self.panels = _aligned(shape, np.dtype(INTEGERS[b].name))
        self.sums: NDArray[np.int32] = B.sum(axis=0, dtype=np.int32)
        """Of each column: what a product has too much of where A had to be shifted to be unsigned."""
        if self.rows and self.columns:
            _entry(f"usl_pack_{self.kind}")(self.rows, self.columns, address, distance, _address(self.panels))

    def __repr__(self) -> str:
        return f"Packed({self.rows} x {self.columns}, {self.panels.dtype})"


def gemm_u8s8s32(A: NDArray[np.uint8], B: NDArray[np.int8] | Packed, C: NDArray[np.int32]) -> None:
    """`C += A B`: A is (M, K) in uint8, B (K, N) in int8 or packed, C (M, N) in int32. Sums wrap modulo 2^32.

    Each may be a view of a larger array, as long as the elements of a row are next to each other.

    Raises:
        TypeError: an argument is no array, or of another type. ValueError: shapes that do not fit, elements of a row that are
        no neighbours, C that cannot be written or shares memory with A or B. Then nothing has been written.
        JitError: the processor has no AVX512_VNNI, or there is no C compiler. MemoryError: there is none for a copy of A, which
        is made if K is no multiple of 4.
    """
    _multiply("u8s8", A, B, C)


def gemm_s8s8s32(A: NDArray[np.int8], B: NDArray[np.int8] | Packed, C: NDArray[np.int32]) -> None:
    """`C += A B` like `gemm_u8s8s32` for A in int8, of which an unsigned copy is made.

    The processor multiplies unsigned by signed bytes: `A B = (A + 128) B - 128 (sums of B's columns)`.
    """
    forward_matrix(INTEGERS["i8"], "A", A)
    _require_apart(A, B, C)
    packed = _packed("u8s8", B)
    _multiply("u8s8", _unsigned(A), packed, C, packed.sums)


def gemm_s16s16s32(A: NDArray[np.int16], B: NDArray[np.int16] | Packed, C: NDArray[np.int32]) -> None:
    """`C += A B` like `gemm_u8s8s32` for A and B in int16; a copy of A is made if K is odd."""
    _multiply("s16s16", A, B, C)


class QuantizedLinear:
    """A layer on bytes: `y = clamp((x W + bias) * scale)`, rounded to the nearest integer (of two the even one) if y is one.

    weights is (K, N) in int8, or packed. bias is one i32 for each column, or none; scale one number, or one for each
    column. y is between low and high, by default all that its type holds: uint8, int8 or float32. So a ReLU is `low=0`.

    Raises:
        TypeError: weights, bias or scale are of another type, or result. ValueError: they have other shapes, scale is not
        finite, or low is above high.
        JitError: the processor has no AVX512_VNNI, or there is no C compiler.
    """

    def __init__(
        self,
        weights: NDArray[np.int8] | Packed,
        bias: NDArray[np.int32] | None = None,
        scale: ArrayLike = 1.0,
        *,
        low: float = -math.inf,
        high: float = math.inf,
        result: Any = "uint8",
    ) -> None:
        import numpy as np

        self.weights = _packed("u8s8", weights)
        columns = self.weights.columns
        self.result = np.dtype(result)
        if self.result.name not in {each.name for each in RESULTS.values()}:
            raise TypeError(f"result must be uint8, int8 or float32, not {self.result}")
        self.low, self.high = number(FLOAT, "low", low), number(FLOAT, "high", high)
        if not self.low <= self.high:
            raise ValueError(f"low must be at most high, but they are {low} and {high}")
        factors = np.asarray(scale, np.float32)
        if factors.shape not in ((), (columns,)):
            raise ValueError(f"scale must be one number or {columns}, one for each column; its shape is {factors.shape}")
        if not np.isfinite(factors).all():
            raise ValueError("scale must be finite")
        self.scale = np.ascontiguousarray(np.broadcast_to(factors, (columns,)))
        if bias is not None:
            count, _, _ = vector(INTEGERS["i32"], "bias", bias)
            if count != columns:
                raise ValueError(f"bias must have {columns} elements, one for each column, not {count}")
        self.bias = np.zeros(columns, np.int32) if bias is None else np.ascontiguousarray(bias)
        name = next(name for name, each in RESULTS.items() if each.name == self.result.name)
        self._function = _entry(f"usl_linear_u8s8{name}")
        # wraps as the sums do, so that what is taken off here is what was added to them
        self.bias_of_shifted = self.bias - np.int32(128) * self.weights.sums

    def __call__(self, x: NDArray[np.uint8] | NDArray[np.int8]) -> NDArray[Any]:
        """The results, (M, N), for rows x, (M, K), in uint8 or int8; of int8 an unsigned copy is made.

        Raises:
            TypeError: x is of another type. ValueError: it has not two dimensions, other columns than weights has rows, or
            elements of a row that are no neighbours. MemoryError: there is none for sums.
        """
        import numpy as np

        signed = isinstance(x, np.ndarray) and x.dtype == np.int8
        rows, k, address, distance = forward_matrix(INTEGERS["i8" if signed else "u8"], "x", x)
        if k != self.weights.rows:
            raise ValueError(f"x has {k} columns, but the weights have {self.weights.rows} rows")
        y = np.empty((rows, self.weights.columns), self.result)
        if y.size == 0:
            return y
        if k == 0:
            return self._of_nothing(y)
        if signed:
            x = _unsigned(x)
            address, distance = _address(x), k
        status = self._function(
            *(rows, self.weights.columns, k, address, distance, _address(self.weights.panels)),
            *(_address(self.bias_of_shifted if signed else self.bias), _address(self.scale), self.low, self.high),
            *(_address(y), self.weights.columns),
        )
        if status != 0:
            raise MemoryError("QuantizedLinear: no memory for sums")
        return y

    def _of_nothing(self, y: NDArray[Any]) -> NDArray[Any]:
        """The results where the sums are empty."""
        import numpy as np

        value = np.clip(self.bias.astype(np.float32) * self.scale, self.low, self.high)
        if y.dtype != np.float32:
            limits = np.iinfo(y.dtype)
            value = np.clip(np.rint(value), limits.min, limits.max)
        y[:] = value.astype(y.dtype)
        return y


def _multiply(kind: str, A: Any, B: Any, C: Any, shifted: Any = None) -> None:
    """Check the arguments and call the product; shifted are the sums of B's columns where 128 was added to all of A."""
    a, _, group = TYPES[kind]
    m, k, address, distance = forward_matrix(INTEGERS[a], "A", A)
    height, width, c, ldc = forward_matrix(INTEGERS["i32"], "C", C, written=True)
    _require_apart(A, B, C)
    packed = _packed(kind, B)
    n = packed.columns
    if packed.rows != k:
        raise ValueError(f"the shapes do not fit: A is {m} x {k}, so that B must have {k} rows, not {packed.rows}")
    if (height, width) != (m, n):
        raise ValueError(f"C must be {m} x {n}, as A is {m} x {k} and B {k} x {n}; it is {height} x {width}")
    if 0 in (m, n, k):
        return
    status = _entry(f"usl_gemm_{kind}s32")(m, n, k, address, distance, _address(packed.panels), c, ldc)
    if status == -1:
        raise MemoryError(f"gemm_{kind}s32: no memory for a copy of A, whose rows are no multiple of {group} elements")
    if status:
        raise ValueError(f"gemm_{kind}s32 refuses its argument {status}")
    if shifted is not None:
        C -= 128 * shifted


def _require_apart(A: Any, B: Any, C: Any) -> None:
    """Refuse a C between whose first and last byte A or B begins or ends, also where these are copied before C is written."""
    import numpy as np

    inputs = (A, B.panels if isinstance(B, Packed) else B)
    if any(np.may_share_memory(C, each) for each in inputs if isinstance(each, np.ndarray) and isinstance(C, np.ndarray)):
        raise ValueError("C shares memory with A or B; give it memory of its own")


def _packed(kind: str, B: Any) -> Packed:
    """B, packed for this kind of product."""
    if not isinstance(B, Packed):
        forward_matrix(INTEGERS[TYPES[kind][1]], "B", B)
        return Packed(B)
    if B.kind != kind:
        raise TypeError(f"B is packed from {B.panels.dtype}, but this product wants {INTEGERS[TYPES[kind][1]].name}")
    return B


def _unsigned(A: NDArray[Any]) -> NDArray[np.uint8]:
    """A + 128."""
    import numpy as np

    shifted: NDArray[np.uint8] = np.bitwise_xor(A.view(np.uint8), np.uint8(128))
    return shifted


def _aligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Memory that starts at a cache line, so that no load of a register touches two."""
    import numpy as np

    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    aligned: NDArray[Any] = memory[start : start + size].view(dtype).reshape(shape)
    return aligned


# ---- the library


@dataclass(frozen=True, slots=True)
class Entry:
    """A C function: what it does (`pack`, `gemm`, `linear`), for which of TYPES, and what a layer's results are."""

    does: str
    kind: str
    result: str = "i32"


ENTRIES = {
    **{f"usl_pack_{kind}": Entry("pack", kind) for kind in TYPES},
    **{f"usl_gemm_{kind}s32": Entry("gemm", kind) for kind in TYPES},
    **{f"usl_linear_u8s8{result}": Entry("linear", "u8s8", result) for result in RESULTS},
}


@functools.cache
def short_library(name: str) -> Library:
    """The C of one of ENTRIES: NAME.c and NAME.h, and what a build needs to know. Only the entry has external linkage.

    Raises:
        ValueError: there is no such entry.
    """
    from usl_c11.emit import library

    entry = _known(name)
    plain = library([_scheduled(entry).ir], name, exported=False)
    words = _words(name, entry)
    source = Template((HERE / ("short_pack.c" if entry.does == "pack" else "short.c")).read_text(encoding="utf-8"))
    head, end, tail = plain.files[f"{name}.h"].rpartition("#ifdef __cplusplus\n}")
    declared = f"/* {_about(entry)} */\n{_prototype(name, entry)};\n"
    files = {
        f"{name}.c": f"#include <stdlib.h>\n#include <string.h>\n{plain.files[f'{name}.c']}{source.substitute(words)}",
        f"{name}.h": f"{head}{declared}\n{end}{tail}",
    }
    return replace(plain, files=plain.files | files)


def _scheduled(entry: Entry) -> Any:
    from usl_avx512 import isa, short_products
    from usl_avx512.gemm import short

    group = short.BYTES if entry.kind == "u8s8" else short.SHORTS
    if entry.does == "pack":
        return short.packing_schedule(short_products.packing(entry.kind), group)
    product = short.short_gemm(short_products.product(entry.kind), group)
    if entry.does == "gemm":
        return product.fast
    lanes = isa.for_lanes(16, types=("i32", "f32", entry.result))
    return short.with_sums_used(short_products.linear(entry.kind, entry.result), product, lanes)


def _words(name: str, entry: Entry) -> dict[str, str | int]:
    """The blanks of the templates."""
    a, b, group = TYPES[entry.kind]
    result = (INTEGERS | RESULTS)[entry.result].ctype
    kernel = {"pack": f"pack_{entry.kind}", "gemm": f"gemm_{entry.kind}s32", "linear": f"linear_{entry.kind}{entry.result}"}
    layer = entry.does == "linear"
    return {
        "entry": name,
        "entry_fits": f"{name}_fits",
        "entry_apart": f"{name}_apart",
        "kernel": kernel[entry.does],
        "a": a,
        "b": b,
        "c": entry.result,
        "a_type": INTEGERS[a].ctype,
        "b_type": INTEGERS[b].ctype,
        "c_type": result,
        "group": group,
        "c_number": 11 if layer else 7,
        "extra_parameters": LINEAR_ARGUMENTS if layer else "",
        "extra_windows": LINEAR_WINDOWS if layer else "",
        "call": f"const int status = {kernel[entry.does]}_body(M, N, G, a, w, added, factors, &low, &high, c);"
        if layer
        else f"{kernel[entry.does]}_body(M, N, G, a, w, c);",
        "status": "status == 0 ? 0 : -1" if layer else "0",
    }


def _prototype(name: str, entry: Entry) -> str:
    words = _words(name, entry)
    if entry.does == "pack":
        return Template("int $entry(int64_t K, int64_t N, const $b_type *B, int64_t ldb, $b_type *W)").substitute(words)
    return Template(
        "int $entry(int64_t M, int64_t N, int64_t K, const $a_type *A, int64_t lda, const $b_type *W, "
        "$extra_parameters$c_type *C, int64_t ldc)"
    ).substitute(words)


def _about(entry: Entry) -> str:
    """What the header says of an entry."""
    group = TYPES[entry.kind][2]
    bad = "The result is 0, or the number (from 1) of the first argument that is bad; then nothing has been written."
    if entry.does == "pack":
        room = f"(N + 63) / 64 * 64 * {group} * ((K + {group - 1}) / {group}) elements"
        return f"B, K x N with rows ldb elements apart, packed for usl_gemm_{entry.kind}s32: W has room for {room}. {bad}"
    does = "C += A B" if entry.does == "gemm" else "C = (A B + bias) * scale, between low and high, to the nearest"
    return (
        f"{does}, for row-major A (M x K) and C (M x N), whose rows are lda and ldc elements apart, and B packed by "
        f"usl_pack_{entry.kind}. {bad} -1: no memory; C is then unspecified. May be called by several threads at a time."
    )


def _known(name: str) -> Entry:
    if name not in ENTRIES:
        raise ValueError(f"no product of short types is called {name!r}; there are {', '.join(ENTRIES)}")
    return ENTRIES[name]


@functools.cache
def short_path(name: str) -> Path:
    """The compiled library of one of ENTRIES; scheduled and compiled only if the build cache has none of the same sources.

    Raises:
        ValueError: there is no such entry. JitError: the processor has no AVX512_VNNI, or there is no C compiler.
    """
    from usl_avx512.kernels.sources import built_once

    _known(name)
    return built_once(name, lambda: short_library(name))


@functools.cache
def _entry(name: str) -> Any:
    """The C function."""
    ffi = foreign()
    ffi.cdef(_prototype(name, _known(name)) + ";")
    library = ffi.dlopen(str(short_path(name)))
    _KEPT.append((ffi, library))
    return getattr(library, name)


_KEPT: list[Any] = []
"""Libraries stay loaded as long as their instances of cffi live."""


BY_DTYPE = {each.name: each for each in (*INTEGERS.values(), FLOAT)}


def _address(array: NDArray[Any]) -> Any:
    found: Any = BY_DTYPE[array.dtype.name].address(array.reshape(-1))
    return found
