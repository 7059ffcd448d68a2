"""Softmax, norms, activations and attention on NumPy arrays of float32.

Arrays have their elements in the order of their dimensions; softmax, norms and losses run over the last one. Results are new
arrays, or go into `out`. Before anything is computed all of this is tested:

    TypeError: an argument is no array of the wanted dtype; a number is no real number. ValueError: shapes that do not fit, an
    array that is empty (`argmax`, `cumsum` and `compress` take those that NumPy takes), or whose elements are not in order, an
    `out` that is read-only or shares memory with an input.
    JitError: the processor has no AVX-512, or there is no C compiler.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from usl_avx512.kernels.arguments import SINGLE, number, option
from usl_avx512.kernels.network_entries import ENTRIES
from usl_avx512.kernels.quick import Function, address_of, quick
from usl_avx512.kernels.whole_arrays import (
    bytes_of,
    call,
    compiled,
    new,
    no_memory,
    positive,
    require_array,
    require_output,
    require_shape,
    result,
    rows_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usl_c11.emit import Library
    from usl_core import Procedure


# ---- rows


def softmax(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """`exp(x) / sum of exp(x)` along the last dimension; no exponential overflows."""
    return _of_rows("softmax", x, out)


def log_softmax(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """The logarithm of `softmax`, without its loss of digits."""
    return _of_rows("log_softmax", x, out)


def cross_entropy(x: NDArray[np.float32], target: NDArray[np.int64]) -> NDArray[np.float32]:
    """`-log_softmax(x)[i, target[i]]` for each row i of a matrix x.

    Raises:
        ValueError: also where a target is no column of x.
    """
    rows, n = rows_of("x", x)
    if x.ndim != 2:
        raise ValueError(f"x must have two dimensions, not {x.ndim}")
    require_array("target", target, "int64")
    if target.shape != (rows,):
        raise ValueError(f"target must have the shape ({rows},), one column for each row of x, not {target.shape}")
    if target.min() < 0 or target.max() >= n:
        wrong = int(((target < 0) | (target >= n)).argmax())
        raise ValueError(f"target[{wrong}] is {target[wrong]}, but x has {n} columns")
    loss = new((rows,))
    _call("cross_entropy", rows, n, x, target, loss)
    return loss


def row_sums(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sums along the last dimension, taken in several parts."""
    return _of_each_row("row_sums", x)


def row_maxima(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The greatest elements along the last dimension; where there is NaN, any."""
    return _of_each_row("row_maxima", x)


def argmax(x: NDArray[np.float32]) -> NDArray[np.int64]:
    """The position of the greatest element along the last dimension, the first of equal ones; where there is NaN, any.

    Raises:
        ValueError: also where the last dimension has no elements, or 2^31 or more.
    """
    import numpy as np

    rows, n = rows_of("x", x, empty=True)
    if n == 0:
        raise ValueError(f"the rows of x, which has the shape {x.shape}, have no elements, and so no greatest one")
    if n >= 2**31:
        raise ValueError(f"the last dimension of x has {n} elements, more than positions of 32 bits tell")
    position = np.empty(x.shape[:-1], np.int64)
    if rows:
        _call("argmax", rows, n, x, position)
    return position


def cumsum(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """The sums of elements along the last dimension, up to and with each one; of 16 at a time, so that less is lost."""
    return _of_rows("cumsum", x, out, empty=True)


def layer_norm(
    x: NDArray[np.float32],
    weight: NDArray[np.float32],
    bias: NDArray[np.float32],
    *,
    eps: float = 1e-5,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """`(x - mean) / sqrt(variance + eps) * weight + bias`, with mean and variance along the last dimension."""
    rows, n = rows_of("x", x)
    require_shape("weight", weight, n)
    require_shape("bias", bias, n)
    y = result(x, out, weight=weight, bias=bias)
    _call("layer_norm", rows, n, positive("eps", eps), x, weight, bias, y)
    return y


def rms_norm(
    x: NDArray[np.float32],
    weight: NDArray[np.float32],
    *,
    eps: float = 1e-6,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """`x / sqrt(mean of x^2 + eps) * weight`, with the mean along the last dimension."""
    rows, n = rows_of("x", x)
    require_shape("weight", weight, n)
    y = result(x, out, weight=weight)
    _call("rms_norm", rows, n, positive("eps", eps), x, weight, y)
    return y


# ---- elements


def silu(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """`x / (1 + exp(-x))` of each element."""
    return _of_elements("silu", x, out)


def sigmoid(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """`1 / (1 + exp(-x))` of each element."""
    return _of_elements("sigmoid", x, out)


def gelu(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """`x / 2 (1 + erf(x / sqrt(2)))` of each element; its error is at most 8e-8 times abs(x)."""
    return _of_elements("gelu", x, out)


def gelu_tanh(x: NDArray[np.float32], *, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
    """`x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))` of each element."""
    return _of_elements("gelu_tanh", x, out)


# ---- attention


def attention(
    q: NDArray[np.float32],
    k: NDArray[np.float32],
    v: NDArray[np.float32],
    *,
    causal: bool = False,
    scale: float | None = None,
    out: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """`softmax(scale q k^T) v` for queries (..., M, D), keys and values (..., N, D), with scale 1 / sqrt(D) unless given.

    causal: query i sees the keys up to number i. The leading dimensions are the same ones: batches, heads.

    Raises:
        ValueError: also where causal is True and there are more queries than keys.
    """
    causal = option("causal", causal)
    for name, array in (("q", q), ("k", k), ("v", v)):
        require_array(name, array, "float32")
    heads, m, n, d = _attended(q, k, v, causal)
    factor = 1 / math.sqrt(d) if scale is None else number(SINGLE, "scale", scale)
    y = result(q, out, k=k, v=v)
    if d == 64 and n % 64 == 0 and causal and m == n:
        _call("causal_attention", heads, n // 64, factor, q, k, v, y)
    elif d == 64 and n % 64 == 0 and not causal and m >= 6:
        _call("attention", heads, m, n, factor, q, k, v, y)
    elif d == 64 and not causal:
        _call("attention_of_few", heads, m, n, factor, q, k, v, y)
    else:
        _call("causal_attention_by_rows" if causal else "attention_by_rows", heads, m, n, d, factor, q, k, v, y)
    return y


def attention_bf16(
    q: NDArray[np.uint16],
    k: NDArray[np.uint16],
    v: NDArray[np.uint16],
    *,
    causal: bool = False,
    scale: float | None = None,
    out: NDArray[np.uint16] | None = None,
) -> NDArray[np.uint16]:
    """`attention` of bf16, given as its bits in uint16. The result is rounded to nearest even.

    Sums are f32. Where heads have 64 elements and the number of keys is a multiple of 64 (causal: as many queries), and the
    processor multiplies pairs of bf16, exponentials are rounded to bf16 and subnormal numbers taken for zeros; otherwise all is
    computed in f32.
    """
    arrays = (("q", q), ("k", k), ("v", v))
    for name, array in arrays:
        require_array(name, array, "uint16")
    causal = option("causal", causal)
    heads, m, n, d = _attended(q, k, v, causal)
    factor = 1 / math.sqrt(d) if scale is None else number(SINGLE, "scale", scale)
    found = new(q.shape, "uint16") if out is None else require_output(out, q.shape, "uint16", q=q, k=k, v=v)
    if d == 64 and n % 64 == 0 and _multiplies_pairs() and m >= 6 and (m == n or not causal):
        sizes = (heads, n // 64) if causal else (heads, m, n)
        _call("causal_attention_bf16" if causal else "attention_bf16", *sizes, factor, q, k, v, found)
    else:
        y = attention(*(_from_bf16(array) for _, array in arrays), causal=causal, scale=factor)
        _call("to_bf16", y.size, y, found)
    return found


def _attended(q: Any, k: Any, v: Any, causal: bool) -> tuple[int, int, int, int]:
    """How many heads there are, of how many queries and keys, and how many elements each has."""
    for name, array in (("q", q), ("k", k), ("v", v)):
        if array.ndim < 2:
            raise ValueError(f"{name} must have at least two dimensions, not {array.ndim}")
    (m, d), n = q.shape[-2:], k.shape[-2]
    if k.shape != (*q.shape[:-2], n, d):
        raise ValueError(f"k must have the shape of q, {q.shape}, but for the number of keys, not {k.shape}")
    if v.shape != k.shape:
        raise ValueError(f"v must have the shape of k, {k.shape}, not {v.shape}")
    if causal and m > n:
        raise ValueError(f"there are {m} queries and {n} keys: a causal query has a key of its own number")
    return q.size // (m * d), m, n, d


@functools.cache
def _multiplies_pairs() -> bool:
    from usl_c11.compiler import find_compiler
    from usl_c11.cpu import has_feature

    return has_feature("avx512bf16", find_compiler())


def _from_bf16(array: Any) -> NDArray[np.float32]:
    wide: NDArray[np.float32] = new(array.shape)
    _call("from_bf16", array.size, array, wide)
    return wide


# ---- choosing


def compress(keep: NDArray[np.bool_], x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The elements of a vector x where keep is True, one after another.

    Raises:
        ValueError: also where keep has not as many elements as x.
    """
    require_array("x", x, "float32", empty=True)
    require_array("keep", keep, "bool", empty=True)
    if x.ndim != 1:
        raise ValueError(f"x must have one dimension, not {x.ndim}")
    if keep.shape != x.shape:
        raise ValueError(f"keep must have the shape of x, {x.shape}, not {keep.shape}")
    if not x.size:
        return new((0,))
    y: NDArray[np.float32] = SINGLE.array(x.shape, SINGLE.dtype)  # room for all: to cut off takes less than to count first
    count = SINGLE.position()
    _function("compress")(x.size, SINGLE.address(x), bytes_of(keep), SINGLE.address(y), count)
    y.resize(count[0], refcheck=False)
    return y


# ---- calls


def _call(name: str, *args: Any) -> None:
    call(_function(name), *args)


@functools.cache
def _function(name: str) -> Callable[..., int]:
    found = compiled(name, ENTRIES[name], lambda: network_library(name))
    if name in ATTENTIONS:
        _QUICK[ATTENTIONS.index(name)] = address_of(found)
    return found


ATTENTIONS = ("attention", "causal_attention", "attention_of_few", "attention_by_rows", "causal_attention_by_rows")
"""In the order of their numbers in `quick_networks.c`."""
_QUICK: dict[int, int] = {}
"""Those that have been built."""


def _of_each_row(name: str, x: Any) -> NDArray[np.float32]:
    rows, n = rows_of("x", x)
    y = new(x.shape[:-1])
    _call(name, rows, n, x, y)
    return y


def _of_rows(name: str, x: Any, out: Any, *, empty: bool = False) -> NDArray[np.float32]:
    rows, n = rows_of("x", x, empty=empty)
    y = result(x, out)
    if rows and n:
        _call(name, rows, n, x, y)
    return y


def _of_elements(name: str, x: Any, out: Any) -> NDArray[np.float32]:
    require_array("x", x, "float32")
    y = result(x, out)
    _call(name, x.size, x, y)
    return y


def _in_c(function: Function, form: str, kernels: dict[int, int] | None = None) -> Function:
    def refused(status: int) -> NoReturn:
        raise no_memory()

    return quick(function, form, lambda: _function(function.__name__) if kernels is None else kernels, refused)


softmax, log_softmax, cumsum = (_in_c(each, "rows") for each in (softmax, log_softmax, cumsum))
row_sums, row_maxima = (_in_c(each, "each row") for each in (row_sums, row_maxima))
silu, sigmoid, gelu, gelu_tanh = (_in_c(each, "elements") for each in (silu, sigmoid, gelu, gelu_tanh))
argmax, cross_entropy, compress = _in_c(argmax, "argmax"), _in_c(cross_entropy, "cross_entropy"), _in_c(compress, "compress")
layer_norm, rms_norm = _in_c(layer_norm, "layer_norm"), _in_c(rms_norm, "rms_norm")
attention = _in_c(attention, "attention", _QUICK)


# ---- the libraries


def procedure(name: str) -> Procedure:
    """A scheduled procedure of ENTRIES."""
    from usl_avx512.networks import attention as heads
    from usl_avx512.networks import attention_bf16, rows

    match name:
        case "attention":
            return heads.attention()
        case "causal_attention":
            return heads.causal_attention()
        case "attention_bf16":
            return attention_bf16.attention()
        case "causal_attention_bf16":
            return attention_bf16.causal_attention()
        case "attention_of_few":
            return heads.attention_of_few()
        case "attention_by_rows" | "causal_attention_by_rows":
            return heads.attention_by_rows(causal=name != "attention_by_rows")
        case "cumsum":
            return rows.cumsum()
        case "compress":
            return rows.compress()
        case _:
            return rows.kernel(name)


def network_library(name: str) -> Library:
    """The C of an entry of ENTRIES."""
    from usl_c11.emit import library

    return library([procedure(name).ir], f"usl_{name}", entry_checks=False, outlined=True)
