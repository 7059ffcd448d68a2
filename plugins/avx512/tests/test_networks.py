"""What networks are made of: the derived forms compute what the plain loops compute, in exact and in floating arithmetic."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from usl_avx512 import kernels
from usl_avx512.cpu import has_avx512
from usl_avx512.kernels.network_entries import ENTRIES
from usl_avx512.kernels.networks import network_library
from usl_avx512.networks.kernels_networks import attention, softmax
from usl_avx512.networks.online import blocked_attention, one_pass_attention, online_softmax
from usl_avx512.networks.pooling import Pool
from usl_core import Procedure, proc_from_source
from usl_core.interp import Buffer, run
from usl_core.ir.types import F32


def rows(rng: random.Random, *shape: int) -> Buffer:
    if len(shape) == 1:
        return Buffer.of(F32, [Fraction(rng.randint(-20, 20), 8) for _ in range(shape[0])])
    return Buffer.of(F32, [[Fraction(rng.randint(-20, 20), 8) for _ in range(shape[1])] for _ in range(shape[0])])


def test_online_softmax_gives_the_same_numbers() -> None:
    rng = random.Random(1)
    for n in (1, 2, 5, 9):
        x = rows(rng, n)
        plain, online = Buffer(F32, (n,)), Buffer(F32, (n,))
        run(softmax.ir, [n, x, plain], mode="exact")
        run(online_softmax().ir, [n, x, online], mode="exact")
        assert plain.values() == online.values()


@pytest.mark.parametrize("derived", [one_pass_attention(), blocked_attention(2)], ids=["one pass", "blocked"])
def test_attention_in_one_pass_gives_the_same_numbers(derived: Procedure) -> None:
    rng = random.Random(2)
    for m, n, d in ((1, 2, 1), (2, 4, 3), (1, 6, 2)):
        inputs = [rows(rng, m, d), rows(rng, n, d), rows(rng, n, d)]
        plain, one_pass = Buffer(F32, (m, d)), Buffer(F32, (m, d))
        run(attention.ir, [m, n, d, *inputs, plain], mode="exact")
        run(derived.ir, [m, n, d, *inputs, one_pass], mode="exact")
        assert plain.values() == one_pass.values()


@pytest.mark.parametrize("derived", [one_pass_attention(), blocked_attention(4)], ids=["one pass", "blocked"])
def test_large_scores_do_not_overflow_in_one_pass(derived: Procedure) -> None:
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((n, 4)).astype(np.float32) for n in (3, 8, 8))
    q *= 300
    out = np.zeros((3, 4), np.float32)
    run(derived.ir, [3, 8, 4, q, k, v, out])
    s = q.astype(float) @ k.T.astype(float)
    p = np.exp(s - s.max(1, keepdims=True))
    assert np.allclose(out, p / p.sum(1, keepdims=True) @ v, rtol=1e-4, atol=1e-4)


# ---- kernels

needs_avx512 = pytest.mark.skipif(not has_avx512(), reason="this processor has no AVX-512 (F, BW and VL)")
NORMAL = np.random.default_rng(4)


def exact_softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def exact_attention(q: Any, k: Any, v: Any, scale: float, causal: bool) -> Any:
    s = scale * (q @ np.swapaxes(k, -1, -2))
    if causal:
        s = np.where(np.arange(s.shape[-1]) > np.arange(s.shape[-2])[:, None], -np.inf, s)
    return exact_softmax(s) @ v


def normalised(x: Any, weight: Any, bias: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * weight + bias


OF_ROWS: dict[str, Callable[..., Any]] = {
    "softmax": exact_softmax,
    "log_softmax": lambda x: np.log(exact_softmax(x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "gelu": lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
}


def floats(*shape: int, size: float = 1.0) -> Any:
    return (NORMAL.standard_normal(shape) * size).astype(np.float32)


@needs_avx512
@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("shape", [(1,), (3, 7), (2, 2, 16), (5, 65), (1, 1000)])
def test_functions_of_rows_and_elements(name: str, shape: tuple[int, ...]) -> None:
    for size in (1.0, 30.0):
        x = floats(*shape, size=size)
        with np.errstate(divide="ignore"):
            wanted = OF_ROWS[name](x.astype(np.float64))
        if name == "log_softmax":
            wanted = np.maximum(wanted, -1e30)
        found = getattr(kernels, name)(x)
        assert found.shape == shape
        assert np.allclose(found, wanted, rtol=3e-6, atol=1e-6 * size)
        out = np.empty_like(x)
        assert getattr(kernels, name)(x, out=out) is out
        assert np.array_equal(out, found)


@needs_avx512
def test_large_and_infinite_inputs() -> None:
    x = np.array([[1e38, 0, -1e38, 88, -np.inf]], np.float32)
    assert kernels.softmax(x).tolist() == [[1, 0, 0, 0, 0]]
    assert kernels.silu(x)[0, 1:].tolist()[:2] == [0, -0.0]
    assert kernels.sigmoid(x)[0, :3].tolist() == [1, 0.5, 0]


@needs_avx512
@pytest.mark.parametrize("shape", [(1, 1), (4, 12), (3, 768), (2, 3, 100)])
def test_norms(shape: tuple[int, ...]) -> None:
    x, weight, bias = floats(*shape), floats(shape[-1]), floats(shape[-1])
    exact = x.astype(np.float64)
    assert np.allclose(kernels.layer_norm(x, weight, bias), normalised(exact, weight, bias), rtol=1e-5, atol=1e-5)
    wanted = exact / np.sqrt((exact**2).mean(-1, keepdims=True) + 1e-6) * weight
    assert np.allclose(kernels.rms_norm(x, weight), wanted, rtol=1e-5, atol=1e-6)


@needs_avx512
def test_cross_entropy_of_each_row() -> None:
    x = floats(9, 50, size=5)
    target = NORMAL.integers(0, 50, 9)
    wanted = -np.log(exact_softmax(x.astype(np.float64)))[np.arange(9), target]
    assert np.allclose(kernels.cross_entropy(x, target), wanted, rtol=1e-5, atol=1e-5)


@needs_avx512
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("heads", "m", "n", "d"),
    [((2,), 64, 64, 64), ((1, 2), 7, 128, 64), ((1,), 128, 128, 64), ((3,), 1, 70, 64), ((2,), 5, 9, 20), ((), 3, 3, 8)],
)
def test_attention_of_all_shapes(heads: tuple[int, ...], m: int, n: int, d: int, causal: bool) -> None:
    q, k, v = floats(*heads, m, d, size=2), floats(*heads, n, d, size=2), floats(*heads, n, d)
    for scale in (None, 0.5):
        wanted = exact_attention(*(a.astype(np.float64) for a in (q, k, v)), scale or 1 / np.sqrt(d), causal)
        found = kernels.attention(q, k, v, causal=causal, scale=scale)
        assert found.shape == q.shape
        assert np.allclose(found, wanted, rtol=1e-4, atol=1e-5)


def rounded_to_bf16(x: Any) -> Any:
    """To nearest even, as f32 and as bits."""
    bits = x.astype(np.float32).view(np.uint32)
    upper = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint32)
    return (upper << 16).view(np.float32), upper.astype(np.uint16)


@needs_avx512
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("heads", "m", "n", "d"), [((2,), 7, 9, 20), ((2,), 7, 128, 64), ((1, 2), 128, 128, 64), ((), 1, 64, 64)]
)
def test_attention_of_bf16(heads: tuple[int, ...], m: int, n: int, d: int, causal: bool) -> None:
    shapes = ((*heads, m, d), (*heads, n, d), (*heads, n, d))
    wide, bits = zip(*(rounded_to_bf16(floats(*shape, size=2)) for shape in shapes), strict=True)
    for scale in (None, -0.25):
        wanted = exact_attention(*(a.astype(np.float64) for a in wide), scale or 1 / np.sqrt(d), causal)
        out = np.empty_like(bits[0])
        assert kernels.attention_bf16(*bits, causal=causal, scale=scale, out=out) is out
        found = (out.astype(np.uint32) << 16).view(np.float32)
        assert np.allclose(found, wanted, rtol=2**-7, atol=2e-2)


@needs_avx512
@pytest.mark.parametrize("shape", [(1,), (3, 7), (2, 2, 64), (5, 1000)])
def test_positions_and_sums_along_rows(shape: tuple[int, ...]) -> None:
    x = floats(*shape)
    assert np.array_equal(kernels.argmax(x), x.argmax(-1))
    assert np.array_equal(kernels.argmax(np.round(x)), np.round(x).argmax(-1))
    assert np.allclose(kernels.cumsum(x), x.astype(float).cumsum(-1), rtol=1e-5, atol=1e-5)
    assert kernels.argmax(np.full((2, 40), -np.inf, np.float32)).tolist() == [0, 0]


@needs_avx512
@pytest.mark.parametrize("n", [2047, 2048, 2049, 6150])
def test_positions_in_rows_of_several_blocks(n: int) -> None:
    x = np.round(floats(5, n))  # with many equal ones
    x[1], x[2] = np.arange(n), -np.arange(n)  # greater ones in every block, and in none
    x[3, [n // 2, n - 1]] = 100
    assert np.array_equal(kernels.argmax(x), x.argmax(-1))


@needs_avx512
@pytest.mark.parametrize("shape", [(1,), (3, 7), (2, 2, 64), (5, 1000)])
def test_sums_and_maxima_of_rows(shape: tuple[int, ...]) -> None:
    x = floats(*shape)
    assert np.allclose(kernels.row_sums(x), x.astype(float).sum(-1), rtol=1e-5, atol=1e-5)
    assert np.array_equal(kernels.row_maxima(x), x.max(-1))
    assert kernels.row_maxima(np.full((2, 40), -np.inf, np.float32)).tolist() == [-np.inf, -np.inf]


@needs_avx512
@pytest.mark.parametrize("n", [1, 15, 16, 33, 1000])
def test_compress_keeps_what_is_to_be_kept(n: int) -> None:
    x = floats(n)
    for keep in (x > 0, x < 9, x > 9, np.arange(n) % 16 == 15):
        found = kernels.compress(keep, x)
        assert np.array_equal(found, x[keep])
        assert found.base is None  # not a part of an array with room for all


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 3)])
def test_empty_arrays_are_those_of_numpy(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    assert kernels.cumsum(x).shape == shape
    assert kernels.cumsum(x, out=(out := np.empty(shape, np.float32))) is out
    if shape[-1]:
        found = kernels.argmax(x)
        assert (found.shape, found.dtype) == (x.argmax(-1).shape, np.int64)
    else:
        with pytest.raises(ValueError, match=rf"the rows of x, which has the shape {re.escape(str(shape))}, have no elements"):
            kernels.argmax(x)
    if len(shape) == 1:
        found = kernels.compress(x > 0, x)
        assert (found.shape, found.dtype) == ((0,), np.float32)


def pooled(x: Any, size: int, step: int, border: int, mean: bool) -> Any:
    around = [(0, 0), (0, 0), (border, border), (border, border)]
    x = np.pad(x.astype(float), around, constant_values=0 if mean else -np.inf)
    squares = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::step, ::step]
    return squares.mean((-1, -2)) if mean else squares.max((-1, -2))


@needs_avx512
@pytest.mark.parametrize(("size", "step", "border"), [(3, 2, 1), (2, 1, 0)])
def test_pooling_in_both_orders(size: int, step: int, border: int) -> None:
    for rows, columns in ((size, size), (7, 40), (9, 150)):
        x = floats(2, 19, rows, columns) - 1
        x[:, :, -1, -1] = -np.inf
        for kernel, mean in ((kernels.max_pool2d, False), (kernels.avg_pool2d, True)):
            wanted = pooled(x, size, step, border, mean)
            found = kernel(x, size, step, padding=border)
            assert found.shape == wanted.shape
            assert np.allclose(found, wanted, rtol=1e-5, atol=1e-5)
            last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
            out = np.empty_like(wanted.transpose(0, 2, 3, 1), np.float32, order="C")
            assert kernel(last, size, step, padding=border, channels_last=True, out=out) is out
            assert np.allclose(out.transpose(0, 3, 1, 2), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("size", "step", "border"), [(3, 2, 1), (1, 1, 0), (4, 3, 2), (2, 4, 1)])
def test_pooling_in_plain_loops_is_pooling(size: int, step: int, border: int) -> None:
    """What is scheduled: without AVX-512 too."""
    x = floats(1, 2, 5, 6)
    for mean in (False, True):
        for last in (False, True):
            pool = Pool(mean, size, step, border, last)
            wanted = pooled(x, size, step, border, mean)
            image = np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if last else x[0]
            y = np.empty_like(wanted.transpose(0, 2, 3, 1) if last else wanted[0], np.float32, order="C")
            run(proc_from_source(pool.text()).ir, [*((1, 5, 6, 2) if last else (2, 5, 6)), image, y])
            close = np.allclose(y, wanted.transpose(0, 2, 3, 1) if last else wanted[0], rtol=1e-6, atol=1e-6)  # sums may cancel
            assert close


X, W = np.zeros((2, 4), np.float32), np.zeros(4, np.float32)
IMAGE = X[None, None]
BITS = np.zeros((2, 4), np.uint16)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: kernels.softmax([1.0]), TypeError, "x must be a NumPy array, not list"),
        (lambda: kernels.softmax(X.astype(float)), TypeError, "x must be of dtype float32, not float64"),
        (lambda: kernels.softmax(X.T), ValueError, "elements of x must be in the order of its dimensions"),
        (lambda: kernels.softmax(X[:, :0]), ValueError, r"x must not be empty, but has the shape \(2, 0\)"),
        (lambda: kernels.softmax(np.ones((), np.float32)), ValueError, "x must have at least one dimension"),
        (lambda: kernels.softmax(np.ma.masked_array(X)), TypeError, "must not be a masked array"),
        (lambda: kernels.softmax(X, out=X), ValueError, "out shares memory with the input"),
        (lambda: kernels.softmax(X, out=X[:1]), ValueError, r"out must have the shape \(2, 4\), not \(1, 4\)"),
        (lambda: kernels.softmax(X, out=np.broadcast_to(np.float32(0), (2, 4))), ValueError, "elements of out must be in"),
        (lambda: kernels.softmax(X, out=frozen(X)), ValueError, "read-only"),
        (lambda: kernels.layer_norm(X, W[:3].copy(), W), ValueError, r"weight must have the shape \(4,\)"),
        (lambda: kernels.layer_norm(X, W, W, eps=-1.0), ValueError, "eps must be at least 0"),
        (lambda: kernels.layer_norm(X, W, W, eps="1"), TypeError, "eps must be a real number"),
        (lambda: kernels.rms_norm(X, X), ValueError, "weight must have the shape"),
        (lambda: kernels.cross_entropy(X, np.array([0, 4])), ValueError, r"target\[1\] is 4, but x has 4 columns"),
        (lambda: kernels.cross_entropy(X, np.array([-1, 4])), ValueError, r"target\[0\] is -1"),
        (lambda: kernels.cross_entropy(X, np.zeros(3, np.int64)), ValueError, r"target must have the shape \(2,\)"),
        (lambda: kernels.cross_entropy(X, W), TypeError, "target must be of dtype int64"),
        (lambda: kernels.cross_entropy(W, np.zeros(1, np.int64)), ValueError, "x must have two dimensions"),
        (lambda: kernels.compress(X > 0, X), ValueError, "x must have one dimension, not 2"),
        (lambda: kernels.compress(X > 0, W), ValueError, r"keep must have the shape of x, \(4,\), not \(2, 4\)"),
        (lambda: kernels.cumsum(X[:0], out=X), ValueError, r"out must have the shape \(0, 4\), not \(2, 4\)"),
        (lambda: kernels.compress(X[0, :0] > 0, W), ValueError, r"keep must have the shape of x, \(4,\), not \(0,\)"),
        (lambda: kernels.compress(W, W), TypeError, "keep must be of dtype bool, not float32"),
        (lambda: kernels.row_sums(X[0, 0]), TypeError, "x must be a NumPy array"),
        (lambda: kernels.max_pool2d(X, 2), ValueError, "x must have four dimensions, not 2"),
        (lambda: kernels.max_pool2d(IMAGE, 3), ValueError, "images of 2 x 4 elements have no square of 3 x 3"),
        (lambda: kernels.avg_pool2d(IMAGE, 5, 1, padding=1), ValueError, "with 1 beyond each edge, have no square"),
        (lambda: kernels.avg_pool2d(IMAGE, 2, 5), ValueError, "stride must be at most 4, not 5"),
        (lambda: kernels.avg_pool2d(IMAGE, 2, padding=2), ValueError, "padding must be at most half of size, 1, not 2"),
        (lambda: kernels.avg_pool2d(IMAGE, 2, padding=-1), ValueError, "padding must be at least 1"),
        (lambda: kernels.avg_pool2d(IMAGE, 2.0), TypeError, "size must be an integer"),
        (lambda: kernels.avg_pool2d(IMAGE, 1, channels_last=1), TypeError, "channels_last must be True or False"),
        (lambda: kernels.avg_pool2d(IMAGE, 1, out=IMAGE), ValueError, "out shares memory with x"),
        (lambda: kernels.avg_pool2d(IMAGE, 2, out=IMAGE), ValueError, r"out must have the shape \(1, 1, 1, 2\)"),
        (lambda: kernels.attention(W, X, X), ValueError, "q must have at least two dimensions"),
        (lambda: kernels.attention(X, X[:, :3].copy(), X), ValueError, "k must have the shape of q"),
        (lambda: kernels.attention(X, X, X[:1]), ValueError, "v must have the shape of k"),
        (lambda: kernels.attention(X, X[:1], X[:1], causal=True), ValueError, "2 queries and 1 keys"),
        (lambda: kernels.attention(X, X, X, causal=1), TypeError, "causal must be True or False"),
        (lambda: kernels.attention(X, X, X, scale=1e39), ValueError, "scale is 1e.39, out of the range"),
        (lambda: kernels.attention(X, X, X, out=X), ValueError, "out shares memory"),
        (lambda: kernels.attention_bf16(X, X, X), TypeError, "q must be of dtype uint16, not float32"),
        (lambda: kernels.attention_bf16(BITS, BITS, BITS[:1]), ValueError, "v must have the shape of k"),
        (lambda: kernels.attention_bf16(BITS, BITS[:1], BITS[:1], causal=True), ValueError, "2 queries and 1 keys"),
        (lambda: kernels.attention_bf16(BITS, BITS, BITS, out=BITS), ValueError, "out shares memory with q"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def frozen(x: Any) -> Any:
    found = np.empty_like(x)
    found.flags.writeable = False
    return found


@pytest.mark.parametrize("name", ["softmax", "cross_entropy", "attention"])
def test_the_entries_are_declared_as_they_are(name: str) -> None:
    header = network_library(name).files[f"usl_{name}.h"]
    found = re.search(rf"^int {name}\((.*?)\);", header, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    assert " ".join(found[1].split()) == ENTRIES[name]
