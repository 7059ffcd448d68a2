"""Pipelines on several scales: pyramids, wavelets, grids, resampling."""

from __future__ import annotations

import numpy as np
from pipelines_cases import case, image

f32 = np.float32


def down(hl, source, name):
    """Half the size: 1 3 3 1 in both directions."""
    x, y = hl.Var("x"), hl.Var("y")
    rows, both = hl.Func(f"{name}_x"), hl.Func(name)
    rows[x, y] = (source[2 * x - 1, y] + 3.0 * (source[2 * x, y] + source[2 * x + 1, y]) + source[2 * x + 2, y]) / 8.0
    both[x, y] = (rows[x, 2 * y - 1] + 3.0 * (rows[x, 2 * y] + rows[x, 2 * y + 1]) + rows[x, 2 * y + 2]) / 8.0
    return both


def up(hl, source, name):
    """Twice the size, linear between."""
    x, y = hl.Var("x"), hl.Var("y")
    rows, both = hl.Func(f"{name}_x"), hl.Func(name)
    rows[x, y] = 0.25 * source[(x / 2) - 1 + 2 * (x % 2), y] + 0.75 * source[x / 2, y]
    both[x, y] = 0.25 * rows[x, (y / 2) - 1 + 2 * (y % 2)] + 0.75 * rows[x, y / 2]
    return both


class Plane:
    """A function of places in NumPy, evaluated where it is asked for."""

    def __init__(self, function):
        self.function = function

    def __call__(self, xs, ys):
        return self.function(np.asarray(xs), np.asarray(ys))

    def box(self, x0, x1, y0, y1):
        """All values in a box, kept for later reads."""
        values = self(np.arange(x0, x1)[None, :], np.arange(y0, y1)[:, None])
        return Plane(lambda xs, ys: values[ys - y0, xs - x0])


def edged(array):
    """An image whose edges go on."""
    h, w = array.shape
    return Plane(lambda xs, ys: array[np.clip(ys, 0, h - 1), np.clip(xs, 0, w - 1)].astype(float))


def halved(plane):
    rows = Plane(
        lambda xs, ys: (plane(2 * xs - 1, ys) + 3 * (plane(2 * xs, ys) + plane(2 * xs + 1, ys)) + plane(2 * xs + 2, ys)) / 8
    )
    return Plane(
        lambda xs, ys: (rows(xs, 2 * ys - 1) + 3 * (rows(xs, 2 * ys) + rows(xs, 2 * ys + 1)) + rows(xs, 2 * ys + 2)) / 8
    )


def doubled(plane):
    rows = Plane(lambda xs, ys: 0.25 * plane(xs // 2 - 1 + 2 * (xs % 2), ys) + 0.75 * plane(xs // 2, ys))
    return Plane(lambda xs, ys: 0.25 * rows(xs, ys // 2 - 1 + 2 * (ys % 2)) + 0.75 * rows(xs, ys // 2))


def kept(plane, w, h, level):
    """The values of a level, with a border."""
    border = (10 << (4 - level)) - 4
    return plane.box(-border, (w >> level) + border, -border, (h >> level) + border)


@case(22, {"im": image(f32)}, lambda w, h: (w // 16, h // 16), rtol=1e-4)
def gaussian_pyramid(hl, im):
    x = hl.Var("x")
    levels = [hl.BoundaryConditions.repeat_edge(im)]
    for level in range(1, 5):
        levels.append(down(hl, levels[-1], f"level{level}"))

    def schedule():
        for each in levels[1:-1]:
            each.compute_root().vectorize(x, 4)

    return [levels[-1]], schedule


@gaussian_pyramid.numpy
def _gaussian_pyramid(im):
    h, w = im.shape
    plane = edged(im)
    for level in range(1, 5):
        plane = kept(halved(plane), w, h, level)
    return plane.box(0, w // 16, 0, h // 16)(np.arange(w // 16)[None, :], np.arange(h // 16)[:, None])


@case(23, {"im": image(f32)}, rtol=1e-3, atol=1e-5)
def laplacian_pyramid(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    gauss = [hl.BoundaryConditions.repeat_edge(im)]
    for level in range(1, 4):
        gauss.append(down(hl, gauss[-1], f"gauss{level}"))
    laplace = []
    for level in range(3):
        func = hl.Func(f"laplace{level}")
        func[x, y] = gauss[level][x, y] - up(hl, gauss[level + 1], f"expanded{level}")[x, y]
        laplace.append(func)
    rebuilt = gauss[3]
    sums = []
    for level in reversed(range(3)):
        func = hl.Func(f"rebuilt{level}")
        func[x, y] = 1.5 * laplace[level][x, y] + up(hl, rebuilt, f"raised{level}")[x, y]
        rebuilt = func
        sums.append(func)

    def schedule():
        for each in [*gauss[1:], *sums[:-1]]:
            each.compute_root().vectorize(x, 8)
        sums[-1].vectorize(x, 8)

    return [rebuilt], schedule


@laplacian_pyramid.numpy
def _laplacian_pyramid(im):
    h, w = im.shape
    gauss = [edged(im)]
    for level in range(1, 4):
        gauss.append(kept(halved(gauss[-1]), w, h, level))
    rebuilt = gauss[3]
    for level in reversed(range(3)):
        fine, coarse, last = gauss[level], doubled(gauss[level + 1]), doubled(rebuilt)
        one = Plane(lambda xs, ys, a=fine, b=coarse, c=last: 1.5 * (a(xs, ys) - b(xs, ys)) + c(xs, ys))
        rebuilt = one.box(-4 if level else 0, (w >> level) + 4, -4 if level else 0, (h >> level) + 4)
    return rebuilt(np.arange(w)[None, :], np.arange(h)[:, None])


@case(8, {"im": image(f32)}, rtol=2e-3, atol=1e-4, note="four of the eight levels, on small images")
def local_laplacian(hl, im):
    x, y, k = hl.Var("x"), hl.Var("y"), hl.Var("k")
    depth, count = 4, 8

    def lifted(source, name, halve):
        rows, both = hl.Func(f"{name}_x"), hl.Func(name)
        if halve:
            rows[x, y, k] = (
                source[2 * x - 1, y, k] + 3.0 * (source[2 * x, y, k] + source[2 * x + 1, y, k]) + source[2 * x + 2, y, k]
            ) / 8.0
            both[x, y, k] = (
                rows[x, 2 * y - 1, k] + 3.0 * (rows[x, 2 * y, k] + rows[x, 2 * y + 1, k]) + rows[x, 2 * y + 2, k]
            ) / 8.0
        else:
            rows[x, y, k] = 0.25 * source[(x / 2) - 1 + 2 * (x % 2), y, k] + 0.75 * source[x / 2, y, k]
            both[x, y, k] = 0.25 * rows[x, (y / 2) - 1 + 2 * (y % 2), k] + 0.75 * rows[x, y / 2, k]
        return both

    edge = hl.BoundaryConditions.repeat_edge(im)
    remap, first = hl.Func("remap"), hl.Func("processed0")
    fx = hl.f32(x) / 256.0
    remap[x] = 0.25 * fx * hl.exp(-fx * fx / 2.0)
    level = hl.f32(k) * (1.0 / (count - 1))
    index = hl.clamp(hl.i32(edge[x, y] * hl.f32((count - 1) * 256)), 0, (count - 1) * 256)
    first[x, y, k] = 1.0 * (edge[x, y] - level) + level + remap[index - 256 * k]
    processed = [first]
    gray = [edge]
    for j in range(1, depth):
        processed.append(lifted(processed[-1], f"processed{j}", True))
        gray.append(down(hl, gray[-1], f"gray{j}"))
    laplace = [None] * depth
    laplace[depth - 1] = processed[depth - 1]
    for j in reversed(range(depth - 1)):
        func = hl.Func(f"laplace{j}")
        func[x, y, k] = processed[j][x, y, k] - lifted(processed[j + 1], f"wide{j}", False)[x, y, k]
        laplace[j] = func
    outs = []
    previous = None
    for j in reversed(range(depth)):
        mixed, out = hl.Func(f"mixed{j}"), hl.Func(f"out{j}")
        value = gray[j][x, y] * hl.f32(count - 1)
        low = hl.clamp(hl.i32(value), 0, count - 2)
        part = value - hl.f32(low)
        mixed[x, y] = (1.0 - part) * laplace[j][x, y, low] + part * laplace[j][x, y, low + 1]
        out[x, y] = mixed[x, y] if previous is None else mixed[x, y] + up(hl, previous, f"raised{j}")[x, y]
        outs.append(out)
        previous = out

    def schedule():
        remap.compute_root()
        for j in range(depth):
            if j:
                gray[j].compute_root().vectorize(x, 8)
            processed[j].compute_root().vectorize(x, 8)
        for each in outs[:-1]:
            each.compute_root().vectorize(x, 8)
        outs[-1].vectorize(x, 8)

    return [previous], schedule


@local_laplacian.numpy
def _local_laplacian(im):
    h, w = im.shape
    depth, count = 4, 8
    gray = [edged(im)]
    for j in range(1, depth):
        gray.append(kept(halved(gray[-1]), w, h, j))
    pyramids = []
    for k in range(count):
        level = k / (count - 1)

        def first(xs, ys, k=k, level=level):
            value = gray[0](xs, ys)
            index = np.clip((value.astype(f32) * f32((count - 1) * 256)).astype(int), 0, (count - 1) * 256)
            fx = (index - 256 * k) / 256
            return (value - level) + level + 0.25 * fx * np.exp(-fx * fx / 2)

        pyramid = [Plane(first).box(-200, w + 200, -200, h + 200)]
        for j in range(1, depth):
            pyramid.append(kept(halved(pyramid[-1]), w, h, j))
        pyramids.append(pyramid)

    def laplace(k, j):
        fine = pyramids[k][j]
        if j == depth - 1:
            return fine
        coarse = doubled(pyramids[k][j + 1])
        return Plane(lambda xs, ys: fine(xs, ys) - coarse(xs, ys))

    previous = None
    for j in reversed(range(depth)):
        xs, ys = np.arange(-4, (w >> j) + 4)[None, :], np.arange(-4, (h >> j) + 4)[:, None]
        value = gray[j](xs, ys) * (count - 1)
        low = np.clip(value.astype(int), 0, count - 2)
        layers = np.array([laplace(k, j)(xs, ys) for k in range(count)])
        part = value - low
        mixed = (1 - part) * np.take_along_axis(layers, low[None], 0)[0] + part * np.take_along_axis(layers, low[None] + 1, 0)[
            0
        ]
        if previous is not None:
            mixed = mixed + doubled(previous)(xs, ys)
        previous = Plane(lambda xs, ys, values=mixed: values[ys + 4, xs + 4])
    return previous(np.arange(w)[None, :], np.arange(h)[:, None])


@case(
    20,
    {"im": image(f32, planes=4)},
    lambda w, h: (w, h, 3),
    rtol=2e-3,
    atol=1e-4,
    note="four of the ten levels, on small images",
)
def interpolate(hl, im):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    depth = 4
    edge = hl.BoundaryConditions.repeat_edge(im)
    start = hl.Func("start")
    start[x, y, c] = hl.select(c < 3, edge[x, y, c] * edge[x, y, 3], edge[x, y, 3])
    downs = [start]
    for level in range(1, depth):
        rows, both, source = hl.Func(f"down_x{level}"), hl.Func(f"down{level}"), downs[-1]
        rows[x, y, c] = (source[2 * x - 1, y, c] + 2.0 * source[2 * x, y, c] + source[2 * x + 1, y, c]) * 0.25
        both[x, y, c] = (rows[x, 2 * y - 1, c] + 2.0 * rows[x, 2 * y, c] + rows[x, 2 * y + 1, c]) * 0.25
        downs.append(both)
    mixed = downs[-1]
    sums = []
    for level in reversed(range(depth - 1)):
        rows, both, out = hl.Func(f"up_x{level}"), hl.Func(f"up{level}"), hl.Func(f"mixed{level}")
        rows[x, y, c] = (mixed[x / 2, y, c] + mixed[(x + 1) / 2, y, c]) / 2.0
        both[x, y, c] = (rows[x, y / 2, c] + rows[x, (y + 1) / 2, c]) / 2.0
        out[x, y, c] = downs[level][x, y, c] + (1.0 - downs[level][x, y, 3]) * both[x, y, c]
        mixed = out
        sums.append(out)
    final = hl.Func("interpolated")
    final[x, y, c] = mixed[x, y, c] / mixed[x, y, 3]

    def schedule():
        for each in [*downs[1:], *sums]:
            each.compute_root().vectorize(x, 8)
        final.vectorize(x, 8)

    return [final], schedule


@interpolate.numpy
def _interpolate(im):
    h, w = im.shape[1:]
    depth = 4
    alpha = edged(im[3])
    levels = []
    for c in range(4):
        color = edged(im[c])
        downs = [Plane(lambda xs, ys, color=color, c=c: color(xs, ys) * alpha(xs, ys) if c < 3 else alpha(xs, ys))]
        for level in range(1, depth):
            source = downs[-1]
            rows = Plane(lambda xs, ys, s=source: (s(2 * xs - 1, ys) + 2 * s(2 * xs, ys) + s(2 * xs + 1, ys)) / 4)
            both = Plane(lambda xs, ys, r=rows: (r(xs, 2 * ys - 1) + 2 * r(xs, 2 * ys) + r(xs, 2 * ys + 1)) / 4)
            downs.append(kept(both, w, h, level))
        levels.append(downs)
    results = []
    for c in range(4):
        mixed = levels[c][-1]
        for level in reversed(range(depth - 1)):
            rows = Plane(lambda xs, ys, m=mixed: (m(xs // 2, ys) + m((xs + 1) // 2, ys)) / 2)
            both = Plane(lambda xs, ys, r=rows: (r(xs, ys // 2) + r(xs, (ys + 1) // 2)) / 2)
            own, opaque = levels[c][level], levels[3][level]
            out = Plane(lambda xs, ys, a=own, o=opaque, b=both: a(xs, ys) + (1 - o(xs, ys)) * b(xs, ys))
            mixed = out.box(0, (w >> level) + 4, 0, (h >> level) + 4)
        results.append(mixed(np.arange(w)[None, :], np.arange(h)[:, None]))
    return np.array([each / results[3] for each in results[:3]])


@case(25, {"im": image(f32)}, rtol=1e-4, atol=1e-5)
def haar(hl, im):
    x, y = hl.Var("x"), hl.Var("y")
    half = im.width() / 2
    wave, back = hl.Func("wave"), hl.Func("back")
    a, b = im[hl.clamp(2 * x, 0, im.width() - 1), y], im[hl.clamp(2 * x + 1, 0, im.width() - 1), y]
    wave[x, y] = ((a + b) * 0.5, (a - b) * 0.5)
    place = hl.clamp(x / 2, 0, half)
    back[x, y] = hl.select(x % 2 == 0, wave[place, y][0] + wave[place, y][1], wave[place, y][0] - wave[place, y][1])

    def schedule():
        wave.compute_at(back, y).vectorize(x, 8)
        back.vectorize(x, 8)

    return [back], schedule


@haar.numpy
def _haar(im):
    return im


D4 = (0.4829629131445341, 0.8365163037378079, 0.2241438680420134, -0.1294095225512604)


@case(26, {"im": image(f32, (2, 0))}, lambda w, h: (w // 2, h, 2), rtol=1e-3, atol=1e-5)
def daubechies(hl, im):
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    d = [hl.f32(each) for each in D4]
    low, high, out = hl.Func("low"), hl.Func("high"), hl.Func("waves")
    low[x, y] = sum((d[i] * im[2 * x + i, y] for i in range(1, 4)), d[0] * im[2 * x, y])
    high[x, y] = d[3] * im[2 * x, y] - d[2] * im[2 * x + 1, y] + d[1] * im[2 * x + 2, y] - d[0] * im[2 * x + 3, y]
    out[x, y, c] = hl.select(c == 0, low[x, y], high[x, y])
    return [out], lambda: out.vectorize(x, 8)


@daubechies.numpy
def _daubechies(im):
    parts = [im[:, i : im.shape[1] - 2 + i : 2].astype(float) for i in range(4)]
    low = sum(d * part for d, part in zip(D4, parts, strict=True))
    high = D4[3] * parts[0] - D4[2] * parts[1] + D4[1] * parts[2] - D4[0] * parts[3]
    return np.array([low, high])


@case(17, {"im": image(f32)}, lambda w, h: (3 * w // 4, 3 * h // 4), rtol=1e-3, atol=1e-4)
def resize(hl, im):
    x, y, k = hl.Var("x"), hl.Var("y"), hl.Var("k")
    edge = hl.BoundaryConditions.repeat_edge(im)
    scale = 4.0 / 3.0
    taps = hl.RDom([(0, 4)], "taps")

    def cubic(t):
        d = hl.abs(t)
        inner = 1.5 * d * d * d - 2.5 * d * d + 1.0
        outer = -0.5 * d * d * d + 2.5 * d * d - 4.0 * d + 2.0
        return hl.select(d < 1.0, inner, d < 2.0, outer, 0.0)

    weights, rows, both = hl.Func("weights"), hl.Func("rows"), hl.Func("resized")
    source = (hl.f32(x) + 0.5) * hl.f32(scale) - 0.5
    weights[x, k] = cubic(hl.f32(x * 4 / 3 - 1 + k) - source)
    rows[x, y] = hl.sum(weights[x, taps] * edge[x * 4 / 3 - 1 + taps, y])
    both[x, y] = hl.sum(weights[y, taps] * rows[x, y * 4 / 3 - 1 + taps])

    def schedule():
        weights.compute_root()
        rows.compute_root().vectorize(x, 16)
        both.vectorize(x, 16)

    return [both], schedule


@resize.numpy
def _resize(im):
    def along(array, count):
        places = np.arange(count)
        source = (places + 0.5) * 4 / 3 - 0.5
        first = places * 4 // 3 - 1
        total = 0
        for k in range(4):
            d = abs(first + k - source)
            inner, outer = 1.5 * d**3 - 2.5 * d**2 + 1, -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2
            weight = np.where(d < 1, inner, np.where(d < 2, outer, 0))
            total = total + weight * array[:, np.clip(first + k, 0, array.shape[1] - 1)]
        return total

    h, w = im.shape
    return along(along(im.astype(float), 3 * w // 4).T, 3 * h // 4).T


@case(7, {"im": image(f32)}, rtol=2e-3, atol=1e-4)
def bilateral_grid(hl, im):
    x, y, z, c = hl.Var("x"), hl.Var("y"), hl.Var("z"), hl.Var("c")
    s = 8
    r = hl.RDom([(0, s), (0, s)], "r")
    edge = hl.BoundaryConditions.repeat_edge(im)
    grid, bz, bx, by, out = (hl.Func(n) for n in ("grid", "blur_z", "blur_x", "blur_y", "bilateral"))
    value = hl.clamp(edge[x * s + r.x - s // 2, y * s + r.y - s // 2], 0.0, 1.0)
    bin_ = hl.i32(value * 10.0 + 0.5)
    grid[x, y, z, c] = hl.f32(0.0)
    grid[x, y, bin_, c] += hl.select(c == 0, value, hl.f32(1.0))
    bz[x, y, z, c] = (
        grid[x, y, z - 2, c]
        + 4.0 * grid[x, y, z - 1, c]
        + 6.0 * grid[x, y, z, c]
        + 4.0 * grid[x, y, z + 1, c]
        + grid[x, y, z + 2, c]
    )
    bx[x, y, z, c] = (
        bz[x - 2, y, z, c] + 4.0 * bz[x - 1, y, z, c] + 6.0 * bz[x, y, z, c] + 4.0 * bz[x + 1, y, z, c] + bz[x + 2, y, z, c]
    )
    by[x, y, z, c] = (
        bx[x, y - 2, z, c] + 4.0 * bx[x, y - 1, z, c] + 6.0 * bx[x, y, z, c] + 4.0 * bx[x, y + 1, z, c] + bx[x, y + 2, z, c]
    )
    zv = hl.clamp(im[x, y], 0.0, 1.0) * 10.0
    zi = hl.clamp(hl.i32(zv), 0, 10)
    zf, xf, yf = zv - hl.f32(zi), hl.f32(x % s) / s, hl.f32(y % s) / s
    xi, yi = x / s, y / s

    def mix(a, b, t):
        return a * (1.0 - t) + b * t

    def at(cc):
        def plane(zz):
            return mix(
                mix(by[xi, yi, zz, cc], by[xi + 1, yi, zz, cc], xf),
                mix(by[xi, yi + 1, zz, cc], by[xi + 1, yi + 1, zz, cc], xf),
                yf,
            )

        return mix(plane(zi), plane(zi + 1), zf)

    out[x, y] = at(0) / at(1)

    def schedule():
        grid.compute_root().update().unscheduled()
        for func in (bz, bx, by):
            func.compute_root().vectorize(x, 4)
        out.vectorize(x, 8)

    return [out], schedule


@bilateral_grid.numpy
def _bilateral_grid(im):
    h, w = im.shape
    s, pad = 8, 3
    gw, gh = w // s + 2 + 2 * pad, h // s + 2 + 2 * pad
    grid = np.zeros((2, 10 + 9, gh, gw))
    plane = edged(im)
    for gy in range(gh):
        for gx in range(gw):
            x0, y0 = (gx - pad) * s - s // 2, (gy - pad) * s - s // 2
            values = plane(np.arange(x0, x0 + s)[None, :], np.arange(y0, y0 + s)[:, None]).ravel()
            bins = (values.astype(f32) * f32(10) + f32(0.5)).astype(int)
            np.add.at(grid[0, :, gy, gx], bins + 4, values)
            np.add.at(grid[1, :, gy, gx], bins + 4, 1)
    kernel = np.array([1, 4, 6, 4, 1])
    for axis in (1, 3, 2):
        grid = np.apply_along_axis(lambda line: np.convolve(line, kernel, "same"), axis, grid)
    xs, ys = np.meshgrid(np.arange(w), np.arange(h))
    zv = im.astype(f32) * f32(10)
    zi = np.clip(zv.astype(int), 0, 10)
    zf, xf, yf = zv - zi, (xs % s) / s, (ys % s) / s
    gx, gy = xs // s + pad, ys // s + pad

    def at(c):
        total = 0
        for dz, wz in ((0, 1 - zf), (1, zf)):
            for dy, wy in ((0, 1 - yf), (1, yf)):
                for dx, wx in ((0, 1 - xf), (1, xf)):
                    total = total + wz * wy * wx * grid[c, zi + dz + 4, gy + dy, gx + dx]
        return total

    return at(0) / at(1)
