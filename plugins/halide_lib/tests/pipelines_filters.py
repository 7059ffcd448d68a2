"""Pipelines on neighbourhoods: blurs, edges, order statistics, morphology."""

from __future__ import annotations

import numpy as np
import pytest
from pipelines_cases import at, case, image

ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
u8, u16, f32 = np.uint8, np.uint16, np.float32


@case(1, {"im": image(u8, planes=3)}, lambda w, h: (w, h, 3))
def brighten(hl, im):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    bright = hl.Func("bright")
    bright[x, y, c] = hl.u8(hl.min(hl.f32(im[x, y, c]) * 1.5, 255.0))
    return [bright], lambda: bright.vectorize(x, 32)


@brighten.numpy
def _brighten(im):
    return np.minimum(im.astype(f32) * f32(1.5), 255).astype(u8)


@case(2, {"im": image(u16, (2, 2), most=20000)})
def blur(hl, im):
    x, y, yi = hl.Var("x"), hl.Var("y"), hl.Var("yi")
    blur_x, blur_y = hl.Func("blur_x"), hl.Func("blur_y")
    blur_x[x, y] = (im[x, y] + im[x + 1, y] + im[x + 2, y]) / 3
    blur_y[x, y] = (blur_x[x, y] + blur_x[x, y + 1] + blur_x[x, y + 2]) / 3

    def schedule():
        blur_y.split(y, y, yi, 32).vectorize(x, 32)
        blur_x.store_at(blur_y, y).compute_at(blur_y, yi).vectorize(x, 32)

    return [blur_y], schedule


@blur.numpy
def _blur(im):
    h, w = im.shape
    rows = (at(im, 0, 0, h, w - 2) + at(im, 0, 1, h, w - 2) + at(im, 0, 2, h, w - 2)) // 3
    return (rows[:-2] + rows[1:-1] + rows[2:]) // 3


@case(3, {"im": image(f32)}, rtol=1e-5)
def gauss5(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    edge = hl.BoundaryConditions.repeat_edge(im)
    rows, both = hl.Func("rows"), hl.Func("both")
    rows[x, y] = (edge[x - 2, y] + 4.0 * edge[x - 1, y] + 6.0 * edge[x, y] + 4.0 * edge[x + 1, y] + edge[x + 2, y]) / 16.0
    both[x, y] = (rows[x, y - 2] + 4.0 * rows[x, y - 1] + 6.0 * rows[x, y] + 4.0 * rows[x, y + 1] + rows[x, y + 2]) / 16.0

    def schedule():
        both.vectorize(x, 16)
        rows.compute_root().vectorize(x, 16)

    return [both], schedule


@gauss5.numpy
def _gauss5(im):
    kernel = np.array([1, 4, 6, 4, 1]) / 16
    return ndimage.convolve1d(ndimage.convolve1d(im.astype(float), kernel, 1, mode="nearest"), kernel, 0, mode="nearest")


@case(4, {"im": image(f32, (2, 2), 3)}, lambda w, h: (w, h, 3), rtol=1e-3, atol=1e-6)
def unsharp(hl, im):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    gray, blur_y, blur_x, sharpen, ratio, out = (hl.Func(n) for n in "gray blur_y blur_x sharpen ratio unsharp".split())
    gray[x, y] = 0.299 * im[x, y, 0] + 0.587 * im[x, y, 1] + 0.114 * im[x, y, 2]
    blur_y[x, y] = 0.25 * gray[x, y] + 0.5 * gray[x, y + 1] + 0.25 * gray[x, y + 2]
    blur_x[x, y] = 0.25 * blur_y[x, y] + 0.5 * blur_y[x + 1, y] + 0.25 * blur_y[x + 2, y]
    sharpen[x, y] = 2.0 * gray[x + 1, y + 1] - blur_x[x, y]
    ratio[x, y] = sharpen[x, y] / (gray[x + 1, y + 1] + 0.01)
    out[x, y, c] = ratio[x, y] * im[x + 1, y + 1, c]

    def schedule():
        out.vectorize(x, 16)
        gray.compute_root().vectorize(x, 16)
        ratio.compute_root().vectorize(x, 16)
        blur_y.compute_root().vectorize(x, 16)

    return [out], schedule


@unsharp.numpy
def _unsharp(im):
    gray = 0.299 * im[0] + 0.587 * im[1] + 0.114 * im[2]
    soft = 0.25 * gray[:-2] + 0.5 * gray[1:-1] + 0.25 * gray[2:]
    soft = 0.25 * soft[:, :-2] + 0.5 * soft[:, 1:-1] + 0.25 * soft[:, 2:]
    inner = gray[1:-1, 1:-1]
    return (2 * inner - soft) / (inner + 0.01) * im[:, 1:-1, 1:-1]


@case(5, {"im": image(u8, (2, 2))})
def sobel(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    wide, gx, gy, out = hl.Func("wide"), hl.Func("gx"), hl.Func("gy"), hl.Func("sobel")
    wide[x, y] = hl.i16(im[x, y])
    gx[x, y] = wide[x + 2, y] - wide[x, y] + 2 * (wide[x + 2, y + 1] - wide[x, y + 1]) + wide[x + 2, y + 2] - wide[x, y + 2]
    gy[x, y] = wide[x, y + 2] - wide[x, y] + 2 * (wide[x + 1, y + 2] - wide[x + 1, y]) + wide[x + 2, y + 2] - wide[x + 2, y]
    out[x, y] = hl.abs(gx[x, y]) + hl.abs(gy[x, y])
    return [out], lambda: out.vectorize(x, 32)


@sobel.numpy
def _sobel(im):
    wide = im.astype(np.int32)
    gx = ndimage.sobel(wide, 1)[1:-1, 1:-1]
    gy = ndimage.sobel(wide, 0)[1:-1, 1:-1]
    return (abs(gx) + abs(gy)).astype(u16)


@case(6, {"im": image(f32, (4, 4))}, rtol=1e-3, atol=1e-5)
def harris(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    ix, iy, out = hl.Func("ix"), hl.Func("iy"), hl.Func("harris")
    ix[x, y] = (im[x + 2, y] - im[x, y] + 2.0 * (im[x + 2, y + 1] - im[x, y + 1]) + im[x + 2, y + 2] - im[x, y + 2]) / 12.0
    iy[x, y] = (im[x, y + 2] - im[x, y] + 2.0 * (im[x + 1, y + 2] - im[x + 1, y]) + im[x + 2, y + 2] - im[x + 2, y]) / 12.0
    sums = []
    for name, a, b in (("xx", ix, ix), ("xy", ix, iy), ("yy", iy, iy)):
        product, total = hl.Func("i" + name), hl.Func("s" + name)
        product[x, y] = a[x, y] * b[x, y]
        total[x, y] = sum((product[x + dx, y + dy] for dy in range(3) for dx in range(3) if dx + dy), product[x, y])
        sums.append(total)
    sxx, sxy, syy = (each[x, y] for each in sums)
    trace = sxx + syy
    out[x, y] = sxx * syy - sxy * sxy - 0.04 * trace * trace

    def schedule():
        out.vectorize(x, 16)
        ix.compute_root().vectorize(x, 16)
        iy.compute_root().vectorize(x, 16)

    return [out], schedule


@harris.numpy
def _harris(im):
    im = im.astype(float)
    ix, iy = (ndimage.sobel(im, axis)[1:-1, 1:-1] / 12 for axis in (1, 0))
    ones = np.ones((3, 3))
    sxx, sxy, syy = (ndimage.correlate(p, ones)[1:-1, 1:-1] for p in (ix * ix, ix * iy, iy * iy))
    return sxx * syy - sxy * sxy - 0.04 * (sxx + syy) ** 2


@case(18, {"im": image(u8, (10, 10))})
def max_filter(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    funcs = []
    previous = im
    for axis in "xy":
        for number, step in enumerate((1, 2, 4)):
            func = hl.Func(f"max_{axis}{number}")
            shifted = previous[x + step, y] if axis == "x" else previous[x, y + step]
            func[x, y] = hl.max(previous[x, y], shifted)
            funcs.append(func)
            previous = func
        last = hl.Func(f"max_{axis}")
        shifted = previous[x + 3, y] if axis == "x" else previous[x, y + 3]
        last[x, y] = hl.max(previous[x, y], shifted)
        funcs.append(last)
        previous = last

    def schedule():
        for func in funcs[:-1]:
            func.compute_root().vectorize(x, 32)
        funcs[-1].vectorize(x, 32)

    return [previous], schedule


@max_filter.numpy
def _max_filter(im):
    return ndimage.maximum_filter(im, 11)[5:-5, 5:-5]


@case(19, {"im": image(u8, (2, 2))})
def median(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    out = hl.Func("median")
    p = [[im[x + dx, y + dy] for dx in range(3)] for dy in range(3)]

    def mid(a, b, c):
        return hl.max(hl.min(hl.max(a, b), c), hl.min(a, b))

    columns = [[p[dy][dx] for dy in range(3)] for dx in range(3)]
    low, middle, high = (hl.Func(n) for n in ("low", "middle", "high"))
    a, b, c = im[x, y], im[x, y + 1], im[x, y + 2]
    low[x, y] = hl.min(a, hl.min(b, c))
    middle[x, y] = mid(a, b, c)
    high[x, y] = hl.max(a, hl.max(b, c))
    assert len(columns) == 3
    least = hl.max(low[x, y], hl.max(low[x + 1, y], low[x + 2, y]))
    most = hl.min(high[x, y], hl.min(high[x + 1, y], high[x + 2, y]))
    out[x, y] = mid(least, mid(middle[x, y], middle[x + 1, y], middle[x + 2, y]), most)

    def schedule():
        out.vectorize(x, 32)
        for func in (low, middle, high):
            func.compute_at(out, y).vectorize(x, 32)

    return [out], schedule


@median.numpy
def _median(im):
    return ndimage.median_filter(im, 3)[1:-1, 1:-1]


@case(21, {"im": image(u16, (128, 128), most=1000)})
def stencil_chain(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    funcs = []
    previous = im
    for number in range(32):
        func = hl.Func(f"stage{number}")
        total = None
        for dy in range(5):
            for dx in range(5):
                term = previous[x + dx, y + dy] * (1 + (dx + dy + number) % 3)
                total = term if total is None else total + term
        func[x, y] = total / 32
        funcs.append(func)
        previous = func

    def schedule():
        for func in funcs[:-1]:
            func.compute_root().vectorize(x, 32)
        funcs[-1].vectorize(x, 32)

    return [previous], schedule


@stencil_chain.numpy
def _stencil_chain(im):
    for number in range(32):
        h, w = im.shape[0] - 4, im.shape[1] - 4
        total = np.zeros((h, w), u16)
        for dy in range(5):
            for dx in range(5):
                total += at(im, dy, dx, h, w) * u16(1 + (dx + dy + number) % 3)
        im = total // u16(32)
    return im


@case(28, {"im": image(u8, (9, 9))}, lambda w, h: (w - 9, h - 9))
def box_by_sums(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    table, out = hl.Func("table"), hl.Func("box")
    width, height = im.width(), im.height()
    rx, ry = hl.RDom([(1, width - 1)], "rx"), hl.RDom([(1, height - 1)], "ry")
    table[x, y] = hl.i32(im[hl.clamp(x, 0, width - 1), hl.clamp(y, 0, height - 1)])
    table[rx, y] += table[rx - 1, y]
    table[x, ry] += table[x, ry - 1]
    total = table[x + 9, y + 9] - table[x, y + 9] - table[x + 9, y] + table[x, y]
    out[x, y] = hl.u8(total / 81)

    def schedule():
        table.compute_root()
        table.update(0).unscheduled()
        table.update(1).vectorize(x, 16)
        out.vectorize(x, 16)

    return [out], schedule


@box_by_sums.numpy
def _box_by_sums(im):
    h, w = im.shape[0] - 18, im.shape[1] - 18
    total = np.zeros((h, w), np.int64)
    for dy in range(9):
        for dx in range(9):
            total += at(im, dy + 1, dx + 1, h, w)
    return (total // 81).astype(u8)


@case(29, {"im": image(u8, (8, 8))})
def opening(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 5), (0, 5)], "r")
    eroded, opened = hl.Func("eroded"), hl.Func("opened")
    eroded[x, y] = hl.minimum(im[x + r.x, y + r.y])
    opened[x, y] = hl.maximum(eroded[x + r.x, y + r.y])

    def schedule():
        eroded.compute_root().vectorize(x, 32)
        opened.vectorize(x, 32)

    return [opened], schedule


@opening.numpy
def _opening(im):
    return ndimage.grey_opening(im, (5, 5))[4:-4, 4:-4]


@case(24, {"im": image(f32, (12, 12))}, rtol=1e-3)
def non_local_means(hl, im):
    x, y, dx, dy = hl.Var("x"), hl.Var("y"), hl.Var("dx"), hl.Var("dy")
    patch, search = hl.RDom([(0, 7), (0, 7)], "patch"), hl.RDom([(0, 7), (0, 7)], "search")
    d, blur_d, w, sums, out = (hl.Func(n) for n in ("d", "blur_d", "w", "sums", "nlm"))
    d[x, y, dx, dy] = (im[x + 3, y + 3] - im[x + dx, y + dy]) * (im[x + 3, y + 3] - im[x + dx, y + dy])
    blur_d[x, y, dx, dy] = hl.sum(d[x + patch.x, y + patch.y, dx, dy])
    w[x, y, dx, dy] = hl.exp(-2.0 * blur_d[x, y, dx, dy])
    sums[x, y] = (hl.f32(0.0), hl.f32(0.0))
    weight = w[x, y, search.x, search.y]
    sums[x, y] = (
        sums[x, y][0] + weight * im[x + 3 + search.x, y + 3 + search.y],
        sums[x, y][1] + weight,
    )
    out[x, y] = sums[x, y][0] / sums[x, y][1]

    def schedule():
        out.vectorize(x, 16)
        sums.compute_root().vectorize(x, 16)
        sums.update().reorder(x, y, search.x, search.y).vectorize(x, 16)
        blur_d.compute_root().vectorize(x, 16)

    return [out], schedule


@non_local_means.numpy
def _non_local_means(im):
    im = im.astype(float)
    h, w = im.shape[0] - 12, im.shape[1] - 12
    total, weights = np.zeros((h, w)), np.zeros((h, w))
    for dy in range(7):
        for dx in range(7):
            d = (at(im, 3, 3, h + 6, w + 6) - at(im, dy, dx, h + 6, w + 6)) ** 2
            box = sum(at(d, py, px, h, w) for py in range(7) for px in range(7))
            weight = np.exp(-2 * box)
            total += weight * at(im, dy + 3, dx + 3, h, w)
            weights += weight
    return total / weights


@case(30, {"im": image(u8, most=1)})
def life(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    funcs = []
    previous = hl.BoundaryConditions.constant_exterior(im, 0)
    for number in range(8):
        func = hl.Func(f"life{number}")
        near = None
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dx or dy:
                    near = previous[x + dx, y + dy] if near is None else near + previous[x + dx, y + dy]
        inside = (x >= 0) & (x < im.width()) & (y >= 0) & (y < im.height())
        alive = hl.select((near == 3) | ((near == 2) & (previous[x, y] == 1)), hl.u8(1), hl.u8(0))
        func[x, y] = hl.select(inside, alive, hl.u8(0))
        funcs.append(func)
        previous = func

    def schedule():
        for func in funcs[:-1]:
            func.compute_root().vectorize(x, 32)
        funcs[-1].vectorize(x, 32)

    return [previous], schedule


@life.numpy
def _life(im):
    kernel = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    for _ in range(8):
        near = ndimage.convolve(im, kernel, mode="constant")
        im = ((near == 3) | ((near == 2) & (im == 1))).astype(u8)
    return im


@case(40, {"im": image(f32)}, rtol=1e-4, atol=1e-6)
def heat(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    cx, cy = im.width() / 2, im.height() / 2
    edge = hl.BoundaryConditions.repeat_edge(im)
    funcs = []
    previous = edge
    for number in range(16):
        func = hl.Func(f"heat{number}")
        func[x, y] = previous[x, y]
        r = hl.RDom([(1, im.width() - 2), (1, im.height() - 2)], f"r{number}")
        r.where((r.x - cx) * (r.x - cx) + (r.y - cy) * (r.y - cy) < cx * cx / 2)
        near = previous[r.x - 1, r.y] + previous[r.x + 1, r.y] + previous[r.x, r.y - 1] + previous[r.x, r.y + 1]
        func[r.x, r.y] = previous[r.x, r.y] + 0.1 * (near - 4.0 * previous[r.x, r.y])
        funcs.append(func)
        previous = func

    def schedule():
        for func in funcs[:-1]:
            func.compute_root().vectorize(x, 16)
            func.update().unscheduled()
        funcs[-1].vectorize(x, 16).update().unscheduled()

    return [previous], schedule


@heat.numpy
def _heat(im):
    h, w = im.shape
    yy, xx = np.mgrid[0:h, 0:w]
    disc = (xx - w // 2) ** 2 + (yy - h // 2) ** 2 < (w // 2) ** 2 // 2
    disc[0], disc[-1], disc[:, 0], disc[:, -1] = False, False, False, False
    now = im.astype(float)
    for _ in range(16):
        near = sum(np.roll(now, shift, axis) for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)))
        now = np.where(disc, now + 0.1 * (near - 4 * now), now)
    return now
