"""Pipelines of cameras and colours: demosaicing, matrices, tables."""

from __future__ import annotations

import numpy as np
import pytest
from pipelines_cases import case, image

ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
u8, u16, i16, i32, f32 = np.uint8, np.uint16, np.int16, np.int32, np.float32


@case(27, {"im": image(u8, (2, 2))}, differing=0.002, note="rounding after exp and log: Halide's own functions are less exact")
def linear_blur(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    table, linear, rows, both, out = (hl.Func(n) for n in ("table", "linear", "rows", "both", "srgb"))
    v = hl.f32(x) / 255.0
    table[x] = hl.select(v <= 0.04045, v / 12.92, hl.exp(2.4 * hl.log((v + 0.055) / 1.055)))
    linear[x, y] = table[hl.i32(im[x, y])]
    rows[x, y] = (linear[x, y] + linear[x + 1, y] + linear[x + 2, y]) / 3.0
    both[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3.0
    b = both[x, y]
    curve = hl.select(b <= 0.0031308, b * 12.92, 1.055 * hl.exp(hl.log(b) / 2.4) - 0.055)
    out[x, y] = hl.u8(hl.clamp(curve * 255.0 + 0.5, 0.0, 255.0))

    def schedule():
        table.compute_root()
        linear.compute_root().vectorize(x, 8)
        rows.compute_root().vectorize(x, 8)
        out.vectorize(x, 8)

    return [out], schedule


@linear_blur.numpy
def _linear_blur(im):
    v = np.arange(256) / 255
    table = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    h, w = im.shape[0] - 2, im.shape[1] - 2
    b = sum(table[im][dy : dy + h, dx : dx + w] for dy in range(3) for dx in range(3)) / 9
    return np.clip(np.where(b <= 0.0031308, b * 12.92, 1.055 * b ** (1 / 2.4) - 0.055) * 255 + 0.5, 0, 255).astype(u8)


@case(33, {"im": image(u8)})
def gamma_table(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    table, out = hl.Func("table"), hl.Func("gamma")
    table[x] = hl.u8(hl.clamp(hl.sqrt(hl.f32(x) / 255.0) * 255.0 + 0.5, 0.0, 255.0))
    out[x, y] = table[hl.i32(im[x, y])]

    def schedule():
        table.compute_root()
        out.vectorize(x, 16)

    return [out], schedule


@gamma_table.numpy
def _gamma_table(im):
    v = np.arange(256, dtype=f32)
    return np.clip(np.sqrt(v / f32(255)) * f32(255) + f32(0.5), 0, 255).astype(u8)[im]


@case(37, {"im": image(u8, planes=3)}, lambda w, h: (w // 2, h // 2))
def yuv420(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    wide, luma, u, v, out = (hl.Func(n) for n in ("wide", "luma", "u", "v", "yuv"))
    c = hl.Var("c")
    wide[x, y, c] = hl.i32(im[x, y, c])
    luma[x, y] = hl.u8((66 * wide[x, y, 0] + 129 * wide[x, y, 1] + 25 * wide[x, y, 2] + 128) / 256 + 16)

    def mean(c):
        return (
            wide[2 * x, 2 * y, c] + wide[2 * x + 1, 2 * y, c] + wide[2 * x, 2 * y + 1, c] + wide[2 * x + 1, 2 * y + 1, c] + 2
        ) / 4

    u[x, y] = hl.u8((-38 * mean(0) - 74 * mean(1) + 112 * mean(2) + 128) / 256 + 128)
    v[x, y] = hl.u8((112 * mean(0) - 94 * mean(1) - 18 * mean(2) + 128) / 256 + 128)
    out[x, y] = (luma[2 * x, 2 * y], u[x, y], v[x, y])
    return [out], lambda: out.vectorize(x, 16)


@yuv420.numpy
def _yuv420(im):
    r, g, b = im.astype(i32)
    luma = ((66 * r + 129 * g + 25 * b + 128) // 256 + 16).astype(u8)
    r, g, b = ((p[::2, ::2] + p[::2, 1::2] + p[1::2, ::2] + p[1::2, 1::2] + 2) // 4 for p in (r, g, b))
    u = ((-38 * r - 74 * g + 112 * b + 128) // 256 + 128).astype(u8)
    v = ((112 * r - 94 * g - 18 * b + 128) // 256 + 128).astype(u8)
    return luma[::2, ::2], u, v


def mosaic(hl, raw, x, y, c):
    """A colour at each place of a mosaic G R / B G: means of the nearest samples of that colour."""
    here = raw[x, y]
    across, along = (raw[x - 1, y] + raw[x + 1, y]) / 2, (raw[x, y - 1] + raw[x, y + 1]) / 2
    around = (raw[x - 1, y] + raw[x + 1, y] + raw[x, y - 1] + raw[x, y + 1]) / 4
    corners = (raw[x - 1, y - 1] + raw[x + 1, y - 1] + raw[x - 1, y + 1] + raw[x + 1, y + 1]) / 4
    even_x, even_y = x % 2 == 0, y % 2 == 0
    red = hl.select(even_y, hl.select(even_x, across, here), hl.select(even_x, corners, along))
    green = hl.select(even_x == even_y, here, around)
    blue = hl.select(even_y, hl.select(even_x, along, corners), hl.select(even_x, here, across))
    return hl.select(c == 0, red, c == 1, green, blue)


def demosaiced(raw):
    """The same in NumPy, for all places but a border of one."""
    wide = raw.astype(i32)
    across = ndimage.convolve(wide, [[1, 0, 1]]) // 2
    along = ndimage.convolve(wide, [[1], [0], [1]]) // 2
    around = ndimage.convolve(wide, [[0, 1, 0], [1, 0, 1], [0, 1, 0]]) // 4
    corners = ndimage.convolve(wide, [[1, 0, 1], [0, 0, 0], [1, 0, 1]]) // 4
    ys, xs = np.indices(raw.shape)
    even_x, even_y = (xs - 1) % 2 == 0, (ys - 1) % 2 == 0
    red = np.where(even_y, np.where(even_x, across, wide), np.where(even_x, corners, along))
    green = np.where(even_x == even_y, wide, around)
    blue = np.where(even_y, np.where(even_x, along, corners), np.where(even_x, wide, across))
    return np.array([red, green, blue])[:, 1:-1, 1:-1]


@case(38, {"im": image(u16, (2, 2), most=1023)}, lambda w, h: (w, h, 3))
def demosaic(hl, im):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    raw, out = hl.Func("raw"), hl.Func("colours")
    raw[x, y] = hl.i32(im[x + 1, y + 1])
    out[x, y, c] = hl.u16(mosaic(hl, raw, x, y, c))
    return [out], lambda: out.vectorize(x, 16)


@demosaic.numpy
def _demosaic(im):
    return demosaiced(im).astype(u16)


MATRIX = ((1.6697, -0.2693, -0.4004, -42.4346), (-0.3576, 1.0615, 1.5949, -37.1158), (-0.2175, -1.8751, 6.9640, -26.6970))


@case(9, {"im": image(u16, (6, 6), most=1023)}, lambda w, h: (w, h, 3), differing=0.002, note="Halide contracts a * b + c")
def camera_pipe(hl, im):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    raw, calm, colours, corrected, curve, out = (
        hl.Func(n) for n in ("raw", "calm", "colours", "corrected", "curve", "processed")
    )
    raw[x, y] = hl.i32(im[x + 3, y + 3])
    near = (raw[x - 2, y], raw[x + 2, y], raw[x, y - 2], raw[x, y + 2])
    calm[x, y] = hl.clamp(
        raw[x, y],
        hl.min(hl.min(near[0], near[1]), hl.min(near[2], near[3])),
        hl.max(hl.max(near[0], near[1]), hl.max(near[2], near[3])),
    )
    colours[x, y, c] = mosaic(hl, calm, x, y, c)
    parts = [hl.f32(colours[x, y, i]) for i in range(3)]
    lines = [hl.f32(m[0]) * parts[0] + hl.f32(m[1]) * parts[1] + hl.f32(m[2]) * parts[2] + hl.f32(m[3]) for m in MATRIX]
    corrected[x, y, c] = hl.i32(hl.clamp(hl.select(c == 0, lines[0], c == 1, lines[1], lines[2]), 0.0, 1023.0))
    v = hl.f32(x) / 1023.0
    curve[x] = hl.u8(hl.clamp(hl.sqrt(v) * 255.0 + 0.5, 0.0, 255.0))
    out[x, y, c] = curve[hl.clamp(corrected[x, y, c], 0, 1023)]

    def schedule():
        curve.compute_root()
        calm.compute_root().vectorize(x, 16)
        colours.compute_root().vectorize(x, 16)
        out.vectorize(x, 16)

    return [out], schedule


@camera_pipe.numpy
def _camera_pipe(im):
    wide = im.astype(i32)
    h, w = wide.shape
    near = [wide[2:-2, : w - 4], wide[2:-2, 4:], wide[: h - 4, 2:-2], wide[4:, 2:-2]]
    calm = np.clip(wide[2:-2, 2:-2], np.min(near, 0), np.max(near, 0))
    colours = demosaiced(calm).astype(f32)
    matrix = np.array(MATRIX, f32)
    corrected = np.array([m[0] * colours[0] + m[1] * colours[1] + m[2] * colours[2] + m[3] for m in matrix])
    v = np.arange(1024, dtype=f32) / f32(1023)
    curve = np.clip(np.sqrt(v) * f32(255) + f32(0.5), 0, 255).astype(u8)
    return curve[np.clip(corrected, 0, 1023).astype(i32)]
