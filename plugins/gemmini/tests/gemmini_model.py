"""The fact sheet in NumPy: what each command does, one element at a time or nearly so, on arrays and not on addresses."""

from __future__ import annotations

import numpy as np


def rounded(values, scale):
    """float32(x) * scale to the nearest integer, ties to even, saturated to int8."""
    with np.errstate(over="ignore"):
        product = values.astype(np.float32) * np.float32(scale)
    return np.clip(np.rint(product), -128, 127).astype(np.int8)


def read_out(sums, scale, relu):
    """What an mvout of int32 sums writes as int8."""
    result = rounded(sums, scale)
    return np.maximum(result, 0) if relu else result


def pooled(sums, scale, relu, size, stride, up, left, rows, columns):
    """Max-pooling of sums [rows, columns, channels]; pixels outside count as 0."""
    small = read_out(sums, scale, relu)
    out = np.empty((rows, columns, sums.shape[2]), np.int8)
    for r in range(rows):
        for c in range(columns):
            window = []
            for y in range(r * stride - up, r * stride - up + size):
                for x in range(c * stride - left, c * stride - left + size):
                    inside = 0 <= y < small.shape[0] and 0 <= x < small.shape[1]
                    window.append(small[y, x] if inside else np.zeros(sums.shape[2], np.int8))
            out[r, c] = np.max(window, axis=0)
    return out


def wrapped(sums):
    """int32 of any integers, modulo 2**32."""
    return (np.asarray(sums, np.int64) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def shifted(sums, shift):
    """sums / 2**shift, ties to even, saturated to int8."""
    return np.clip(np.rint(sums.astype(np.float64) / 2.0**shift), -128, 127).astype(np.int8)


def block(values, rows, cols, dim):
    """The top left part of values, the rest of a dim x dim block zeros."""
    out = np.zeros((dim, dim), np.int64)
    out[:rows, :cols] = values[:rows, :cols]
    return out


def convolved(x, w, step, pad):
    """Sums of windows of images x [N, H, W, IC] with a border of zeros, for w [KH, KW, IC, OC], as int64."""
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0))).astype(np.float64)
    high, wide = (x.shape[1] - w.shape[0]) // step + 1, (x.shape[2] - w.shape[1]) // step + 1
    sums = np.zeros((x.shape[0], high, wide, w.shape[3]))
    for r in range(w.shape[0]):
        for c in range(w.shape[1]):
            pixels = x[:, r : r + step * (high - 1) + 1 : step, c : c + step * (wide - 1) + 1 : step]
            sums += pixels @ w[r, c].astype(np.float64)
    return sums.astype(np.int64)


def largest_of_four(small):
    """Of each 2 x 2 pixels of images [N, H, W, C] the largest."""
    N, H, W, C = small.shape
    return small.reshape(N, H // 2, 2, W // 2, 2, C).max(axis=(2, 4))
