"""Pipelines on matrices, histograms and sequences: products, layers of networks, scans, sorts."""

from __future__ import annotations

import numpy as np
from pipelines_cases import case, image, shape

u8, i8, i32, f32 = np.uint8, np.int8, np.int32, np.float32


@case(10, {"im": image(u8)}, lambda w, h: (256,))
def histogram(hl, im):
    x = hl.Var("x")
    r = hl.RDom([(0, im.width()), (0, im.height())], "r")
    bins = hl.Func("bins")
    bins[x] = hl.i32(0)
    bins[hl.i32(im[r.x, r.y])] += 1
    return [bins], lambda: bins.vectorize(x, 16).update().unscheduled()


@histogram.numpy
def _histogram(im):
    return np.bincount(im.ravel(), minlength=256).astype(i32)


@case(11, {"im": image(u8)})
def equalize(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    r, s = hl.RDom([(0, im.width()), (0, im.height())], "r"), hl.RDom([(1, 255)], "s")
    bins, total, out = hl.Func("bins"), hl.Func("total"), hl.Func("equalized")
    bins[x] = hl.i32(0)
    bins[hl.i32(im[r.x, r.y])] += 1
    total[x] = bins[x]
    total[s.x] += total[s.x - 1]
    out[x, y] = hl.u8(total[hl.i32(im[x, y])] * 255 / (im.width() * im.height()))

    def schedule():
        bins.compute_root().update().unscheduled()
        total.compute_root().update().unscheduled()
        out.vectorize(x, 16)

    return [out], schedule


@equalize.numpy
def _equalize(im):
    total = np.cumsum(np.bincount(im.ravel(), minlength=256))
    return (total * 255 // im.size).astype(u8)[im]


@case(12, {"im": image(f32)}, rtol=1e-4)
def iir_blur(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    w, h = im.width(), im.height()
    rx, ry = hl.RDom([(1, w - 1)], "rx"), hl.RDom([(1, h - 1)], "ry")
    blurred = hl.Func("blurred")
    a, b = 0.4, 0.6
    blurred[x, y] = im[hl.clamp(x, 0, w - 1), hl.clamp(y, 0, h - 1)]
    blurred[rx, y] = hl.f32(a) * blurred[rx, y] + hl.f32(b) * blurred[rx - 1, y]
    blurred[w - 1 - rx, y] = hl.f32(a) * blurred[w - 1 - rx, y] + hl.f32(b) * blurred[w - rx, y]
    blurred[x, ry] = hl.f32(a) * blurred[x, ry] + hl.f32(b) * blurred[x, ry - 1]
    blurred[x, h - 1 - ry] = hl.f32(a) * blurred[x, h - 1 - ry] + hl.f32(b) * blurred[x, h - ry]

    def schedule():
        blurred.vectorize(x, 16)
        blurred.update(0).unscheduled()
        blurred.update(1).unscheduled()
        blurred.update(2).vectorize(x, 16)
        blurred.update(3).vectorize(x, 16)

    return [blurred], schedule


@iir_blur.numpy
def _iir_blur(im):
    out = im.astype(float)
    for view in (out.T, out.T[::-1], out, out[::-1]):
        for i in range(1, len(view)):
            view[i] = 0.4 * view[i] + 0.6 * view[i - 1]
    return out


@case(13, {"a": shape("h", 64), "b": shape(64, "w")}, rtol=1e-4)
def matmul(hl, a, b):
    x, y = hl.Var("x"), hl.Var("y")
    k = hl.RDom([(0, 64)], "k")
    product = hl.Func("product")
    product[x, y] = hl.f32(0.0)
    product[x, y] += a[k, y] * b[x, k]

    def schedule():
        product.vectorize(x, 16)
        product.update().reorder(x, k, y).vectorize(x, 16)

    return [product], schedule


@matmul.numpy
def _matmul(a, b):
    return a.astype(float) @ b.astype(float)


@case(14, {"a": shape("h", 64, dtype=i8, low=-128, high=127), "b": shape(64, "w", dtype=i8, low=-128, high=127)})
def gemm_i8(hl, a, b):
    x, y = hl.Var("x"), hl.Var("y")
    k = hl.RDom([(0, 64)], "k")
    product = hl.Func("product")
    product[x, y] = hl.i32(0)
    product[x, y] += hl.i32(a[k, y]) * hl.i32(b[x, k])

    def schedule():
        product.vectorize(x, 16)
        product.update().reorder(x, k, y).vectorize(x, 16)

    return [product], schedule


@gemm_i8.numpy
def _gemm_i8(a, b):
    return a.astype(i32) @ b.astype(i32)


@case(
    15,
    {
        "im": lambda w, h, rng: rng.random((8, h + 2, w + 2)).astype(f32),
        "weights": shape(4, 8, 3, 3, low=-1),
        "bias": shape(4, low=-8),
    },
    lambda w, h: (w, h, 4),
    rtol=1e-3,
    atol=1e-4,
)
def conv_relu(hl, im, weights, bias):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    r = hl.RDom([(0, 3), (0, 3), (0, 8)], "r")
    conv, relu = hl.Func("conv"), hl.Func("relu")
    conv[x, y, c] = bias[c]
    conv[x, y, c] += weights[r.x, r.y, r.z, c] * im[x + r.x, y + r.y, r.z]
    relu[x, y, c] = hl.max(0.0, conv[x, y, c])

    def schedule():
        relu.vectorize(x, 16)
        conv.compute_at(relu, y).vectorize(x, 16)
        conv.update().reorder(x, r.x, r.y, r.z, y, c).vectorize(x, 16)

    return [relu], schedule


@conv_relu.numpy
def _conv_relu(im, weights, bias):
    h, w = im.shape[1] - 2, im.shape[2] - 2
    total = np.zeros((4, h, w)) + bias[:, None, None]
    for dy in range(3):
        for dx in range(3):
            total += np.einsum("oc,chw->ohw", weights[:, :, dy, dx].astype(float), im[:, dy : dy + h, dx : dx + w])
    return np.maximum(total, 0)


@case(
    16,
    {
        "im": lambda w, h, rng: rng.random((4, h + 6, w + 38)).astype(f32),
        "depthwise": shape(3, 4, 3, 3),
        "pointwise": shape(3, 4, 4),
    },
    lambda w, h: (w, h, 4),
    rtol=1e-3,
    note="Halide rounds the rows of inner layers up to vectors, and asks for more columns of the input",
)
def separable_layers(hl, im, depthwise, pointwise):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    previous, funcs = im, []
    for layer in range(3):
        r, k = hl.RDom([(0, 3), (0, 3)], f"r{layer}"), hl.RDom([(0, 4)], f"k{layer}")
        deep, point = hl.Func(f"deep{layer}"), hl.Func(f"point{layer}")
        deep[x, y, c] = hl.f32(0.0)
        deep[x, y, c] += depthwise[r.x, r.y, c, layer] * previous[x + r.x, y + r.y, c]
        point[x, y, c] = hl.f32(0.0)
        point[x, y, c] += pointwise[k, c, layer] * deep[x, y, k]
        funcs += [deep, point]
        previous = point

    def schedule():
        for func in funcs[:-1]:
            func.compute_root()
        for func in funcs:
            func.vectorize(x, 16)
            func.update().vectorize(x, 16)

    return [previous], schedule


@separable_layers.numpy
def _separable_layers(im, depthwise, pointwise):
    im = im[:, :, :-32].astype(float)
    for layer in range(3):
        h, w = im.shape[1] - 2, im.shape[2] - 2
        deep = np.zeros((4, h, w))
        for dy in range(3):
            for dx in range(3):
                deep += depthwise[layer, :, dy, dx][:, None, None] * im[:, dy : dy + h, dx : dx + w]
        im = np.einsum("ck,khw->chw", pointwise[layer], deep)
    return im


@case(
    31, {}, lambda w, h: (64, 64), differing=0.001, note="Halide contracts a * b + c, so that a point may escape a step later"
)
def mandelbrot(hl):
    x, y, t = hl.Var("x"), hl.Var("y"), hl.Var("t")
    mandel, out = hl.Func("mandel"), hl.Func("escapes")
    r = hl.RDom([(1, 63)], "r")
    cr, ci = hl.f32(x) * 0.03125 - 1.5, hl.f32(y) * 0.03125 - 1.0
    mandel[x, y, t] = (hl.f32(0.0), hl.f32(0.0))
    zr, zi = mandel[x, y, r - 1][0], mandel[x, y, r - 1][1]
    alive = zr * zr + zi * zi < 4.0
    mandel[x, y, r] = (hl.select(alive, zr * zr - zi * zi + cr, zr), hl.select(alive, 2.0 * zr * zi + ci, zi))
    count = hl.RDom([(0, 64)], "count")
    mr, mi = mandel[x, y, count][0], mandel[x, y, count][1]
    out[x, y] = hl.sum(hl.select(mr * mr + mi * mi < 4.0, 1, 0))

    def schedule():
        mandel.compute_at(out, x).update().unscheduled()

    return [out], schedule


@mandelbrot.numpy
def _mandelbrot():
    cr = np.arange(64, dtype=f32)[None, :] * f32(0.03125) - f32(1.5) + np.zeros((64, 1), f32)
    ci = np.arange(64, dtype=f32)[:, None] * f32(0.03125) - f32(1.0) + np.zeros((1, 64), f32)
    zr, zi = np.zeros((64, 64), f32), np.zeros((64, 64), f32)
    count = (zr * zr + zi * zi < 4).astype(i32)
    for _ in range(63):
        alive = zr * zr + zi * zi < 4
        new = np.where(alive, zr * zr - zi * zi + cr, zr), np.where(alive, f32(2) * zr * zi + ci, zi)
        zr, zi = new
        count += zr * zr + zi * zi < 4
    return count


@case(32, {"left": image(u8, (40, 6)), "right": image(u8, (40, 6))})
def stereo(hl, left, right):
    x, y, d = hl.Var("x"), hl.Var("y"), hl.Var("d")
    r, k = hl.RDom([(0, 7), (0, 7)], "r"), hl.RDom([(0, 32)], "k")
    cost, total, out = hl.Func("cost"), hl.Func("total"), hl.Func("disparity")
    cost[x, y, d] = hl.i32(hl.absd(left[x + 32, y], right[x + 32 - d, y]))
    total[x, y, d] = hl.i32(0)
    total[x, y, d] += cost[x + r.x, y + r.y, d]
    out[x, y] = hl.u8(hl.argmin(total[x, y, k])[0])

    def schedule():
        total.compute_at(out, y).vectorize(x, 16).update().vectorize(x, 16)

    return [out], schedule


@stereo.numpy
def _stereo(left, right):
    h, w = left.shape[0] - 6, left.shape[1] - 40
    costs = []
    for d in range(32):
        cost = abs(left[:, 32:].astype(i32) - right[:, 32 - d : right.shape[1] - d])
        costs.append(sum(cost[dy : dy + h, dx : dx + w] for dy in range(7) for dx in range(7)))
    return np.argmin(costs, 0).astype(u8)


@case(34, {"im": image(u8)}, lambda w, h: (h, w))
def transpose_and_reverse(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    out, h = hl.Func("reversed"), im.height()
    r = hl.RDom([(0, h / 2)], "r")
    out[x, y] = im[y, hl.clamp(x, 0, h - 1)]
    out[x, y] = out[x, y]
    swapped = hl.Func("swapped")
    swapped[x, y] = (out[x, y], hl.u8(0))
    swapped[r, y] = (swapped[h - 1 - r, y][0], swapped[r, y][0])
    swapped[h - 1 - r, y] = (swapped[r, y][1], swapped[h - 1 - r, y][1])
    final = hl.Func("final")
    final[x, y] = swapped[x, y][0]

    def schedule():
        out.compute_root().update().unscheduled()
        swapped.compute_root().update(0).unscheduled()
        swapped.update(1).unscheduled()
        final.vectorize(x, 16)

    return [final], schedule


@transpose_and_reverse.numpy
def _transpose_and_reverse(im):
    return im.T[:, ::-1]


@case(35, {"im": shape("h", "w", low=-4, high=4)}, rtol=1e-4)
def softmax(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, im.width())], "r")
    most, powers, total, out = (hl.Func(n) for n in ("most", "powers", "total", "softmax"))
    most[y] = hl.maximum(im[r, y])
    powers[x, y] = hl.exp(im[x, y] - most[y])
    total[y] = hl.sum(powers[r, y])
    out[x, y] = powers[x, y] / total[y]

    def schedule():
        most.compute_root()
        powers.compute_root().vectorize(x, 16)
        total.compute_root()
        out.vectorize(x, 16)

    return [out], schedule


@softmax.numpy
def _softmax(im):
    powers = np.exp(im.astype(float) - im.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


@case(36, {"im": shape("h", "w"), "gain": shape("w"), "shift": shape("w")}, rtol=1e-3, atol=1e-4)
def layer_norm(hl, im, gain, shift):
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, im.width())], "r")
    mean, variance, out = hl.Func("mean"), hl.Func("variance"), hl.Func("normed")
    mean[y] = hl.sum(im[r, y]) / hl.f32(im.width())
    off = im[r, y] - mean[y]
    variance[y] = hl.sum(off * off) / hl.f32(im.width())
    out[x, y] = (im[x, y] - mean[y]) / hl.sqrt(variance[y] + hl.f32(1e-5)) * gain[x] + shift[x]

    def schedule():
        mean.compute_root()
        variance.compute_root()
        out.vectorize(x, 16)

    return [out], schedule


@layer_norm.numpy
def _layer_norm(im, gain, shift):
    im = im.astype(float)
    off = im - im.mean(1, keepdims=True)
    return off / np.sqrt((off**2).mean(1, keepdims=True) + 1e-5) * gain + shift


@case(39, {"keys": shape("w", dtype=u8, high=255)}, lambda w, h: (w,))
def counting_sort(hl, keys):
    x = hl.Var("x")
    n = keys.width()
    r, s = hl.RDom([(0, n)], "r"), hl.RDom([(1, 255)], "s")
    start, rank, out = hl.Func("start"), hl.Func("rank"), hl.Func("ordered")
    bins = hl.Func("bins")
    bins[x] = hl.i32(0)
    bins[hl.i32(keys[r]) + 1] += 1
    start[x] = bins[x]
    start[s.x] += start[s.x - 1]
    before = hl.RDom([(0, n)], "before")
    rank[x] = hl.i32(0)
    rank[x] += hl.select((keys[before] == keys[hl.clamp(x, 0, n - 1)]) & (before < x), 1, 0)
    out[x] = hl.u8(0)
    out[hl.clamp(start[hl.i32(keys[r])] + rank[r], 0, n - 1)] = keys[r]

    def schedule():
        bins.compute_root().update().unscheduled()
        start.compute_root().update().unscheduled()
        rank.compute_root().vectorize(x, 16).update().unscheduled()
        out.vectorize(x, 16).update().unscheduled()

    return [out], schedule


@counting_sort.numpy
def _counting_sort(keys):
    return np.sort(keys)
