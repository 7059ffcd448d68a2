"""Products of short types with 32-bit sums on NumPy arrays, weights packed once, and layers on them.

Integers of 8 and 16 bits, and bf16, given as its bits in uint16 or as `ml_dtypes.bfloat16`.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, NoReturn

from usl_avx512.kernels.arguments import SINGLE as FLOAT
from usl_avx512.kernels.arguments import forward_matrix, number, vector
from usl_avx512.kernels.quick import Function, address_of, quick
from usl_avx512.kernels.short_library import ELEMENTS, gemm_entry, short_entry, short_library, short_path
from usl_avx512.short_products import SUMS, TYPES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LinearBF16",
    "Packed",
    "QuantizedLinear",
    "gemm_bf16",
    "gemm_s8s8s32",
    "gemm_s16s16s32",
    "gemm_u8s8s32",
    "short_library",
    "short_path",
]

PANEL = 64
"""Columns of a panel of packed weights."""
CACHE_LINE = 64
"""Bytes: panels start at a multiple."""
BFLOAT = "bfloat16"
"""What ml_dtypes calls it."""


class Packed:
    """A matrix B, K x N, of int8, int16 or bf16, as products want it: packed once, multiplied with many matrices.

    Raises:
        TypeError: B is no array of int8, int16, or uint16 or bfloat16 (bf16). ValueError: it has not two dimensions, or
        elements of a row that are no neighbours.
        JitError: the processor has no AVX-512, or there is no C compiler.
    """

    def __init__(self, B: NDArray[Any]) -> None:
        import numpy as np

        B = _bits(B)
        by_type = {ELEMENTS[b].name: kind for kind, (_, b, _) in TYPES.items() if kind != "s8s8"}  # packed as for u8s8
        if isinstance(B, np.ndarray) and B.dtype.name not in by_type:
            raise TypeError(f"B must be of dtype int8, int16, or uint16 or {BFLOAT} (bf16), not {B.dtype}")
        self.kind = by_type[B.dtype.name] if isinstance(B, np.ndarray) else "u8s8"
        """One of `TYPES`; of bytes u8s8."""
        _, b, group = TYPES[self.kind]
        self.rows, self.columns, address, distance = forward_matrix(ELEMENTS[b], "B", B)
        shape = (-(-self.columns // PANEL), -(-self.rows // group), PANEL * group)
        self.panels = _aligned(shape, np.dtype(ELEMENTS[b].name))
        if self.rows and self.columns:
            short_entry(f"usl_pack_{self.kind}")(self.rows, self.columns, address, distance, _address(self.panels))
        integers = SUMS[self.kind] == "i32"
        self.sums: NDArray[np.int32] = B.sum(axis=0, dtype=np.int32) if integers else np.zeros(0, np.int32)
        """Of each column of integers: what a product has too much of, 128 times, where A had to be shifted to be unsigned."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a copy, also one that was pickled: NumPy puts the panels anywhere."""
        self.__dict__.update(state)
        if self.panels.ctypes.data % CACHE_LINE:
            panels = _aligned(self.panels.shape, self.panels.dtype)
            panels[:] = self.panels
            self.panels = panels

    def __repr__(self) -> str:
        kind = BFLOAT if self.kind == "bf16" else self.panels.dtype
        return f"Packed({self.rows} x {self.columns}, {kind})"


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
    """`C += A B` like `gemm_u8s8s32` for A in int8.

    The processor multiplies unsigned by signed bytes: `A B = (A + 128) B - 128 (sums of B's columns)`.
    """
    _multiply("s8s8", A, B, C)


def gemm_s16s16s32(A: NDArray[np.int16], B: NDArray[np.int16] | Packed, C: NDArray[np.int32]) -> None:
    """`C += A B` like `gemm_u8s8s32` for A and B in int16; A is copied, some rows at a time, if K is odd."""
    _multiply("s16s16", A, B, C)


def gemm_bf16(A: NDArray[Any], B: NDArray[Any] | Packed, C: NDArray[np.float32]) -> None:
    """`C += A B` like `gemm_u8s8s32` for A and B in bf16, given as its bits in uint16 or as bfloat16, and C in float32.

    Where the processor has AVX512_BF16, products are exact, two are added to a sum one after the other with a rounding each,
    and subnormal numbers count as zeros. Elsewhere they are multiplied and added as float32 are, and kept.
    """
    _multiply("bf16", A, B, C)


class _Layer:
    """What the layers share: packed weights, a bias, limits, the type of results, and the call."""

    kinds: tuple[str, ...]
    """Of products, by the type of x."""
    results: tuple[str, ...]

    def __init__(self, weights: Any, bias: Any, low: float, high: float, result: Any) -> None:
        import numpy as np

        self.weights = _packed(self.kinds[0], weights)
        self.result = _named(result)
        known = [_name(each) for each in self.results]
        if self.result not in known:
            raise TypeError(f"result must be {', '.join(known[:-1])} or {known[-1]}, not {self.result}")
        self.low, self.high = number(FLOAT, "low", low), number(FLOAT, "high", high)
        if not self.low <= self.high:
            raise ValueError(f"low must be at most high, but they are {low} and {high}")
        columns, sums = self.weights.columns, ELEMENTS[SUMS[self.kinds[0]]]
        if bias is not None:
            count, _, _ = vector(sums, "bias", bias)
            if count != columns:
                raise ValueError(f"bias must have {columns} elements, one for each column, not {count}")
        self.bias = np.zeros(columns, sums.name) if bias is None else np.array(bias, order="C")

    def _made_of(self, x: Any, kind: str, *factors: Any) -> NDArray[Any]:
        """The results for rows x; factors are the vectors between W and the limits."""
        import numpy as np

        rows, k, address, distance = forward_matrix(ELEMENTS[TYPES[kind][0]], "x", x)
        if k != self.weights.rows:
            raise ValueError(f"x has {k} columns, but the weights have {self.weights.rows} rows")
        to = next(each for each in self.results if _name(each) == self.result)
        y = np.empty((rows, self.weights.columns), ELEMENTS[to].name)
        if y.size == 0:
            return y
        if k == 0:  # one product with zero gives sums of nothing
            return self._made_of_zeros(y, kind, to, factors)
        self._call(kind, to, (rows, y.shape[1], k, address, distance, _address(self.weights.panels)), factors, y)
        return y

    def _made_of_zeros(self, y: NDArray[Any], kind: str, to: str, factors: Any) -> NDArray[Any]:
        import numpy as np

        a, b, group = TYPES[self.kinds[0]]
        row = np.full(group, 128 if kind == "s8s8" else 0, ELEMENTS[a].name)
        weights = _aligned((-(-y.shape[1] // PANEL), 1, PANEL * group), np.dtype(ELEMENTS[b].name))
        weights[:] = 0
        self._call(self.kinds[0], to, (1, y.shape[1], group, _address(row), group, _address(weights)), factors, y)
        y[1:] = y[0]
        return y

    def _call(self, kind: str, to: str, first: Any, factors: Any, y: NDArray[Any]) -> None:
        vectors = map(_address, factors)
        status = short_entry(_fitting(f"usl_linear_{kind}{to}"))(*first, *vectors, self.low, self.high, _address(y), y.shape[1])
        if status == -1:
            raise MemoryError(f"{type(self).__name__}: no memory for a copy of rows of x")
        if status:
            raise ValueError(f"{type(self).__name__}: the library refuses its argument {status}")


class QuantizedLinear(_Layer):
    """A layer on bytes: `y = clamp((x W + bias) * scale)`, rounded to the nearest integer (of two the even one) if y is one.

    weights is (K, N) in int8, or packed. bias is one i32 for each column, or none; scale one number, or one for each
    column. y is between low and high, by default all that its type holds: uint8, int8 or float32. So a ReLU is `low=0`.

    Raises:
        TypeError: weights, bias or scale are of another type, or result. ValueError: they have other shapes, scale is not
        finite, or low is above high.
        JitError: the processor has no AVX512_VNNI, or there is no C compiler.
    """

    kinds = ("u8s8", "s8s8")
    results = ("u8", "i8", "f32")

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

        super().__init__(weights, bias, low, high, result)
        columns = self.weights.columns
        try:
            with np.errstate(over="ignore"):
                factors = np.array(scale, np.float32)
        except (TypeError, ValueError):
            raise TypeError(f"scale must be one real number, or one for each column, not {scale!r}") from None
        if factors.shape not in ((), (columns,)):
            raise ValueError(f"scale must be one number or {columns}, one for each column; its shape is {factors.shape}")
        if not np.isfinite(factors).all():
            raise ValueError("scale must be finite")
        self.scale = np.ascontiguousarray(np.broadcast_to(factors, (columns,)))
        # wraps as the sums do, so that what is taken off here is what was added to them
        self.bias_of_shifted = self.bias - np.int32(128) * self.weights.sums

    def __call__(self, x: NDArray[np.uint8] | NDArray[np.int8]) -> NDArray[Any]:
        """The results, (M, N), for rows x, (M, K), in uint8 or int8.

        Raises:
            TypeError: x is of another type. ValueError: it has not two dimensions, other columns than weights has rows, or
            elements of a row that are no neighbours. MemoryError: there is none for copies.
        """
        import numpy as np

        signed = isinstance(x, np.ndarray) and x.dtype == np.int8
        return self._made_of(x, self.kinds[signed], self.bias_of_shifted if signed else self.bias, self.scale)


class LinearBF16(_Layer):
    """A layer on bf16: `y = clamp(x W + bias)`, summed up in float32 and rounded once, to the nearest (of two the even one).

    weights is (K, N) in bf16, as its bits in uint16 or as bfloat16, or packed. bias is one float32 for each column, or none.
    y is between low and high; so a ReLU is `low=0`. result is "bfloat16" or "float32"; bf16 comes as bits if x is bits.

    Raises:
        TypeError: weights or bias are of another type, or result. ValueError: they have other shapes, or low is above high.
        JitError: the processor has no AVX-512, or there is no C compiler.
    """

    kinds = ("bf16",)
    results = ("bf16", "f32")

    def __init__(
        self,
        weights: NDArray[Any] | Packed,
        bias: NDArray[np.float32] | None = None,
        *,
        low: float = -math.inf,
        high: float = math.inf,
        result: Any = BFLOAT,
    ) -> None:
        super().__init__(weights, bias, low, high, result)

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        """The results, (M, N), for rows x, (M, K), in bf16.

        Raises:
            TypeError: x is of another type. ValueError: it has not two dimensions, other columns than weights has rows, or
            elements of a row that are no neighbours. MemoryError: there is none for copies.
        """
        y = self._made_of(_bits(x), "bf16", self.bias)
        return y.view(x.dtype) if self.result == BFLOAT else y


def _multiply(kind: str, A: Any, B: Any, C: Any) -> None:
    """Check the arguments and call the product; kind is one of TYPES."""
    base = "u8s8" if kind == "s8s8" else kind
    A, B = _bits(A), _bits(B)
    m, k, address, distance = forward_matrix(ELEMENTS[TYPES[kind][0]], "A", A)
    height, width, c, ldc = forward_matrix(ELEMENTS[SUMS[base]], "C", C, written=True)
    _require_apart(A, B, C)
    packed = _packed(base, B)
    n = packed.columns
    if packed.rows != k:
        raise ValueError(f"the shapes do not fit: A is {m} x {k}, so that B must have {k} rows, not {packed.rows}")
    if (height, width) != (m, n):
        raise ValueError(f"C must be {m} x {n}, as A is {m} x {k} and B {k} x {n}; it is {height} x {width}")
    if 0 in (m, n, k):
        return
    sums = (_address(packed.sums),) if kind == "s8s8" else ()
    name = gemm_entry(kind)
    status = short_entry(_fitting(name))(m, n, k, address, distance, _address(packed.panels), *sums, c, ldc)
    if status:
        _refuse(name, status)


def _refuse(name: str, status: int) -> NoReturn:
    """Raise what the status of a product means."""
    if status == -1:
        raise MemoryError(f"{name.removeprefix('usl_')}: no memory for a copy of rows of A")
    raise ValueError(f"{name.removeprefix('usl_')} refuses its argument {status}")


@functools.cache
def _fitting(name: str) -> str:
    """The entry, or what this processor can do instead."""
    if "bf16" not in name:
        return name
    from usl_c11.compiler import find_compiler
    from usl_c11.cpu import has_feature

    return name if has_feature("avx512bf16", find_compiler()) else f"{name}_widened"


def _bits(array: Any) -> Any:
    """bfloat16 as its bits; everything else as it is."""
    import numpy as np

    return array.view(np.uint16) if isinstance(array, np.ndarray) and array.dtype.name == BFLOAT else array


def _named(dtype: Any) -> str:
    """What NumPy, or ml_dtypes, calls a type."""
    import numpy as np

    if dtype == BFLOAT or getattr(dtype, "__name__", "") == BFLOAT:
        return BFLOAT
    try:
        return str(np.dtype(dtype).name)
    except (TypeError, ValueError):
        return repr(dtype)


def _name(element: str) -> str:
    """What NumPy, or ml_dtypes, calls the type of results."""
    return BFLOAT if element == "bf16" else ELEMENTS[element].name


def _require_apart(A: Any, B: Any, C: Any) -> None:
    """Refuse a C between whose first and last byte A or B begins or ends, also where these are copied before C is written."""
    import numpy as np

    inputs = (A, B.panels if isinstance(B, Packed) else B)
    if any(np.may_share_memory(C, each) for each in inputs if isinstance(each, np.ndarray) and isinstance(C, np.ndarray)):
        raise ValueError("C shares memory with A or B; give it memory of its own")


def _packed(kind: str, B: Any) -> Packed:
    """B, packed for this kind of product."""
    B = _bits(B)
    wanted = TYPES[kind][1]
    if not isinstance(B, Packed):
        forward_matrix(ELEMENTS[wanted], "B", B)
        return Packed(B)
    if B.kind != kind:
        raise TypeError(f"B is packed from {_name(TYPES[B.kind][1])}, but this product wants {_name(wanted)}")
    return B


def _aligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Memory that starts at a cache line, so that no load of a register touches two."""
    import numpy as np

    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.empty(size + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    aligned: NDArray[Any] = memory[start : start + size].view(dtype).reshape(shape)
    return aligned


BY_DTYPE = {each.name: each for each in ELEMENTS.values()}


def _address(array: NDArray[Any]) -> Any:
    found: Any = BY_DTYPE[array.dtype.name].address(array.reshape(-1))
    return found


def _in_c(function: Function, kind: str) -> Function:
    """The same, called without Python where B is packed and arguments are plainly right."""
    name = gemm_entry(kind)
    return quick(
        function, f"gemm_{kind}", lambda: {Packed: address_of(short_entry(_fitting(name)))}, functools.partial(_refuse, name)
    )


gemm_u8s8s32, gemm_s8s8s32 = _in_c(gemm_u8s8s32, "u8s8"), _in_c(gemm_s8s8s32, "s8s8")
gemm_s16s16s32, gemm_bf16 = _in_c(gemm_s16s16s32, "s16s16"), _in_c(gemm_bf16, "bf16")
