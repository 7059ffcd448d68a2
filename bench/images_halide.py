"""The kernels of `usl_halide_lib` as Halide pipelines, with the schedules that its applications or the thesis give.

A definition takes the `halide` module and the inputs as buffers, and gives the output and the funcs by name. Vectors are of
this machine. References for schedules: Halide's applications blur, unsharp, harris, bilateral_grid, camera_pipe,
local_laplacian, resize and depthwise_separable_conv; Qian 2024, §4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Defined = tuple[Any, dict[str, Any]]


def blur(hl: Any, given: Any) -> Defined:
    x, y = hl.Var("x"), hl.Var("y")
    rows, both, three = hl.Func("blur_x"), hl.Func("blur_y"), hl.u16(3)
    rows[x, y] = (given[x, y] + given[x + 1, y] + given[x + 2, y]) / three
    both[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / three
    return both, {"blur_x": rows}


def unsharp(hl: Any, given: Any) -> Defined:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    k = [hl.f32(math.exp(-(i**2) / 4.5) / (math.sqrt(2 * math.pi) * 1.5)) for i in range(4)]
    gray, down, both = hl.Func("gray"), hl.Func("blur_y"), hl.Func("blur_x")
    sharpen, ratio, output = hl.Func("sharpen"), hl.Func("ratio"), hl.Func("output")
    gray[x, y] = hl.f32(0.299) * given[x, y, 0] + hl.f32(0.587) * given[x, y, 1] + hl.f32(0.114) * given[x, y, 2]
    down_sum = k[0] * gray[x, y + 3]
    for i in (1, 2, 3):
        down_sum = down_sum + k[i] * (gray[x, y + 3 - i] + gray[x, y + 3 + i])
    down[x, y] = down_sum
    both_sum = k[0] * down[x + 3, y]
    for i in (1, 2, 3):
        both_sum = both_sum + k[i] * (down[x + 3 - i, y] + down[x + 3 + i, y])
    both[x, y] = both_sum
    sharpen[x, y] = hl.f32(2.0) * gray[x + 3, y + 3] - both[x, y]
    ratio[x, y] = sharpen[x, y] / gray[x + 3, y + 3]
    output[x, y, c] = ratio[x, y] * given[x + 3, y + 3, c]
    return output, {"gray": gray, "blur_y": down, "ratio": ratio}


def harris(hl: Any, given: Any) -> Defined:
    x, y = hl.Var("x"), hl.Var("y")
    gx, gy = hl.Func("gx"), hl.Func("gy")
    two = hl.f32(2.0)

    def at(dx: int, dy: int) -> Any:
        return given[x + dx, y + dy]

    gx[x, y] = at(2, 0) - at(0, 0) + two * (at(2, 1) - at(0, 1)) + at(2, 2) - at(0, 2)
    gy[x, y] = at(0, 2) - at(0, 0) + two * (at(1, 2) - at(1, 0)) + at(2, 2) - at(2, 0)

    def box(name: str, a: Any, b: Any) -> Any:
        func, total = hl.Func(name), None
        for dy in range(3):
            for dx in range(3):
                term = a[x + dx, y + dy] * b[x + dx, y + dy]
                total = term if total is None else total + term
        func[x, y] = total
        return func

    xx, xy, yy = box("xx", gx, gx), box("xy", gx, gy), box("yy", gy, gy)
    output, trace = hl.Func("response"), xx[x, y] + yy[x, y]
    output[x, y] = xx[x, y] * yy[x, y] - xy[x, y] * xy[x, y] - hl.f32(0.04) * trace * trace
    return output, {"gx": gx, "gy": gy}


def bilateral_grid(hl: Any, given: Any) -> Defined:
    x, y, z, c = (hl.Var(name) for name in "xyzc")
    grid, output = hl.Func("grid"), hl.Func("output")
    width, height = given.width(), given.height()
    padded = hl.Func("padded")
    padded[x, y] = hl.clamp(given[hl.clamp(x, 0, width - 1), hl.clamp(y, 0, height - 1)], hl.f32(0), hl.f32(1))
    r = hl.RDom([(0, 8), (0, 8)])
    value = padded[8 * x + r.x - 4, 8 * y + r.y - 4]
    grid[x, y, z, c] = hl.f32(0)
    grid[x, y, hl.i32(value * hl.f32(10) + hl.f32(0.5)), c] += hl.select(c == 0, value, hl.f32(1))
    blurs = [hl.Func(name) for name in ("blur_z", "blur_x", "blur_y")]
    source = grid
    for axis, blurred in zip((2, 0, 1), blurs, strict=True):
        total = None
        for shift, weight in zip(range(-2, 3), (1, 4, 6, 4, 1), strict=True):
            place = [x, y, z, c]
            place[axis] = place[axis] + shift
            term = hl.f32(weight) * source[tuple(place)]
            total = term if total is None else total + term
        blurred[x, y, z, c] = total
        source = blurred
    level = hl.clamp(given[x, y], hl.f32(0), hl.f32(1)) * hl.f32(10)
    zi = hl.i32(level)
    parts = hl.f32(x % 8) / 8, hl.f32(y % 8) / 8, level - zi
    both = hl.Func("both")

    def lerp(a: Any, b: Any, t: Any) -> Any:
        return a + t * (b - a)

    def at(i: int, j: int, k: int) -> Any:
        return blurs[2][x / 8 + i, y / 8 + j, zi + k, c]

    def plane(k: int) -> Any:
        return lerp(lerp(at(0, 0, k), at(1, 0, k), parts[0]), lerp(at(0, 1, k), at(1, 1, k), parts[0]), parts[1])

    both[x, y, c] = lerp(plane(0), plane(1), parts[2])
    output[x, y] = both[x, y, 0] / both[x, y, 1]
    return output, {"grid": grid, **{func.name().split("$")[0]: func for func in blurs}}


def demosaic(hl: Any, given: Any) -> Defined:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    names = ("gr", "r", "b", "gb")
    kinds = {name: hl.Func(name) for name in names}
    for number, name in enumerate(names):
        kinds[name][x, y] = given[2 * x + number % 2, 2 * y + number // 2]
    gr, r, b, gb = kinds.values()

    def average(p: Any, q: Any) -> Any:
        return hl.u16((hl.u32(p) + hl.u32(q) + 1) / 2)

    def closer(p: Any, q: Any, s: Any, t: Any) -> Any:
        return hl.select(hl.absd(s, t) < hl.absd(p, q), average(s, t), average(p, q))

    def moved(green: Any, colour: Any, reference: Any) -> Any:
        high = hl.saturating_add(green, hl.saturating_sub(colour, reference))
        return hl.saturating_sub(high, hl.saturating_sub(reference, colour))

    g_r, g_b = hl.Func("g_r"), hl.Func("g_b")  # at the quads of r and of b
    g_r[x, y] = closer(gr[x, y], gr[x + 1, y], gb[x, y - 1], gb[x, y])
    g_b[x, y] = closer(gb[x - 1, y], gb[x, y], gr[x, y], gr[x, y + 1])
    i, j = x + 1, y + 1
    r_gr = moved(gr[i, j], average(r[i - 1, j], r[i, j]), average(g_r[i - 1, j], g_r[i, j]))
    b_gr = moved(gr[i, j], average(b[i, j - 1], b[i, j]), average(g_b[i, j - 1], g_b[i, j]))
    r_gb = moved(gb[i, j], average(r[i, j], r[i, j + 1]), average(g_r[i, j], g_r[i, j + 1]))
    b_gb = moved(gb[i, j], average(b[i, j], b[i + 1, j]), average(g_b[i, j], g_b[i + 1, j]))

    def diagonal(green: Any, colour: Any, reference: Any, p: Any, q: Any, s: Any, t: Any) -> Any:
        one = moved(green, average(colour[p], colour[q]), average(reference[p], reference[q]))
        other = moved(green, average(colour[s], colour[t]), average(reference[s], reference[t]))
        return hl.select(hl.absd(colour[p], colour[q]) < hl.absd(colour[s], colour[t]), one, other)

    r_b = diagonal(g_b[i, j], r, g_r, (i - 1, j), (i, j + 1), (i, j), (i - 1, j + 1))
    b_r = diagonal(g_r[i, j], b, g_b, (i, j - 1), (i + 1, j), (i + 1, j - 1), (i, j))
    quads = {0: (r_gr, r[i, j], r_b, r_gb), 1: (gr[i, j], g_r[i, j], g_b[i, j], gb[i, j]), 2: (b_gr, b_r, b[i, j], b_gb)}
    planes = {}
    for number, four in quads.items():
        for place, value in enumerate(four):
            planes[number, place] = hl.Func(f"plane{number}{place}")
            planes[number, place][x, y] = value
    output = hl.Func("colours")

    def row(number: int, low: int) -> Any:
        return hl.select(x % 2 == 0, planes[number, low][x / 2, y / 2], planes[number, low + 1][x / 2, y / 2])

    colour = [hl.select(y % 2 == 0, row(number, 0), row(number, 2)) for number in range(3)]
    output[x, y, c] = hl.mux(c, colour)
    return output, {**kinds, "g_r": g_r, "g_b": g_b}


def resize(hl: Any, given: Any, rows: Any, down: Any, columns: Any, across: Any) -> Defined:
    x, y = hl.Var("x"), hl.Var("y")
    tall, output = hl.Func("tall"), hl.Func("output")
    v, u = hl.RDom([(0, rows.dim(0).extent())]), hl.RDom([(0, columns.dim(1).extent())])
    tall[x, y] = hl.sum(v, down[v.x, y] * given[x, hl.clamp(rows[v.x, y], 0, given.height() - 1)])
    output[x, y] = hl.sum(u, across[x, u.x] * tall[hl.clamp(columns[x, u.x], 0, given.width() - 1), y])
    return output, {"tall": tall}


def separable_convolution(hl: Any, given: Any, depth: Any, point: Any, bias: Any) -> Defined:
    k, x, y, c = (hl.Var(name) for name in "kxyc")
    deep, mixed, output = hl.Func("deep"), hl.Func("mixed"), hl.Func("output")
    total = None
    for i in range(3):
        for j in range(3):
            term = depth[c, j, i] * given[c, x + j, y + i]
            total = term if total is None else total + term
    deep[c, x, y] = total
    r = hl.RDom([(0, point.dim(1).extent())])
    mixed[k, x, y] = bias[k]
    mixed[k, x, y] += deep[r.x, x, y] * point[k, r.x]
    output[k, x, y] = hl.max(mixed[k, x, y], hl.f32(0))
    return output, {"deep": deep, "mixed": mixed}


def local_laplacian(hl: Any, given: Any, alpha: float = 1.0 / 7, beta: float = 1.0) -> Defined:
    x, y, c, k = (hl.Var(name) for name in "xyck")
    levels = 5
    curve = hl.Func("curve")
    fx = hl.f32(x) / hl.f32(256)
    curve[x] = hl.f32(alpha) * fx * hl.exp(-fx * fx / hl.f32(2))
    clamped, gray = hl.Func("clamped"), hl.Func("gray")
    place = hl.clamp(x, 0, given.width() - 1), hl.clamp(y, 0, given.height() - 1)
    clamped[x, y, c] = hl.f32(given[(*place, c)]) / hl.f32(65535)
    gray[x, y] = hl.f32(0.299) * clamped[x, y, 0] + hl.f32(0.587) * clamped[x, y, 1] + hl.f32(0.114) * clamped[x, y, 2]
    remapped = [hl.Func(f"g{j}") for j in range(levels)]
    level = k * hl.f32(1 / 7)
    index = hl.clamp(hl.i32(gray[x, y] * hl.f32(1792)), 0, 1792)
    remapped[0][x, y, k] = hl.f32(beta) * (gray[x, y] - level) + level + curve[index - 256 * k]
    own = [gray, *(hl.Func(f"in{j}") for j in range(1, levels))]
    result = [hl.Func(f"o{j}") for j in range(levels)]
    halves = []

    def down(made: Any, f: Any, more: tuple[Any, ...]) -> None:
        across = hl.Func(f"{made.name()}_x")
        halves.append(across)
        across[(x, y, *more)] = (
            f[(2 * x - 1, y, *more)] + 3 * (f[(2 * x, y, *more)] + f[(2 * x + 1, y, *more)]) + f[(2 * x + 2, y, *more)]
        ) / 8
        made[(x, y, *more)] = (
            across[(x, 2 * y - 1, *more)]
            + 3 * (across[(x, 2 * y, *more)] + across[(x, 2 * y + 1, *more)])
            + across[(x, 2 * y + 2, *more)]
        ) / 8

    def up(f: Any, more: tuple[Any, ...]) -> Any:
        wide, tall = hl.Func(f"{f.name()}_ux"), hl.Func(f"{f.name()}_uy")
        wide[(x, y, *more)] = hl.f32(0.25) * f[(x / 2 - 1 + 2 * (x % 2), y, *more)] + hl.f32(0.75) * f[(x / 2, y, *more)]
        tall[(x, y, *more)] = hl.f32(0.25) * wide[(x, y / 2 - 1 + 2 * (y % 2), *more)] + hl.f32(0.75) * wide[(x, y / 2, *more)]
        return tall

    for j in range(1, levels):
        down(remapped[j], remapped[j - 1], (k,))
        down(own[j], own[j - 1], ())
    for j in range(levels - 1, -1, -1):
        details = hl.Func(f"details{j}")
        details[x, y, k] = remapped[j][x, y, k] - (up(remapped[j + 1], (k,))[x, y, k] if j < levels - 1 else hl.f32(0))
        scaled = own[j][x, y] * hl.f32(7)
        low = hl.clamp(hl.i32(scaled), 0, 6)
        blend = (hl.f32(1) - (scaled - low)) * details[x, y, low] + (scaled - low) * details[x, y, low + 1]
        result[j][x, y] = blend + up(result[j + 1], ())[x, y] if j < levels - 1 else blend
    output = hl.Func("output")
    factor = (result[0][x, y] + hl.f32(0.01)) / (gray[x, y] + hl.f32(0.01))
    value = factor * (hl.f32(given[x, y, c]) + hl.f32(655.35)) - hl.f32(655.35)
    output[x, y, c] = hl.u16(hl.clamp(value, hl.f32(0), hl.f32(65535)) + hl.f32(0.5))
    funcs = {"curve": curve, "gray": gray}
    funcs |= {f"in{j}": own[j] for j in range(1, levels)} | {f"g{j}": remapped[j] for j in range(1, levels)}
    return output, funcs | {f"o{j}": result[j] for j in range(levels)}


def by_hand(hl: Any, kernel: str, how: str, output: Any, funcs: dict[str, Any]) -> None:
    """Apply the schedule of that name to a kernel."""
    BY_HAND[kernel][how](hl, output, funcs)


def _variables(hl: Any) -> dict[str, Any]:
    return {name: hl.Var(name) for name in ("x", "y", "c", "k", "z", "xi", "yi", "yo", "xo", "ko", "ki")}


def _blur_tiles(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    output.tile(v["x"], v["y"], v["xi"], v["yi"], 256, 32).vectorize(v["xi"], 32).parallel(v["y"])
    funcs["blur_x"].compute_at(output, v["x"]).vectorize(v["x"], 32)


def _blur_rows(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    output.split(v["y"], v["y"], v["yi"], 64).parallel(v["y"]).vectorize(v["x"], 32)
    funcs["blur_x"].store_at(output, v["y"]).compute_at(output, v["yi"]).vectorize(v["x"], 32)


def _blur_rolling(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    """Columns of one vector, down which sums stay in registers."""
    v = _variables(hl)
    output.split(v["y"], v["y"], v["yi"], 64).split(v["x"], v["x"], v["xi"], 32)
    output.reorder(v["xi"], v["yi"], v["x"], v["y"]).vectorize(v["xi"]).unroll(v["yi"], 4).parallel(v["y"])
    funcs["blur_x"].store_at(output, v["x"]).compute_at(output, v["yi"]).vectorize(v["x"], 32)


def _blur_registers(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    """Tiles of one vector, as ours."""
    v = _variables(hl)
    output.tile(v["x"], v["y"], v["xi"], v["yi"], 32, 12).vectorize(v["xi"]).unroll(v["yi"]).parallel(v["y"])
    funcs["blur_x"].compute_at(output, v["x"]).vectorize(v["x"], 32).unroll(v["y"])


def _rows_of_unsharp(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    output.split(v["y"], v["yo"], v["yi"], 32).parallel(v["yo"]).vectorize(v["x"], 16)
    output.bound(v["c"], 0, 3).reorder(v["x"], v["c"], v["yi"], v["yo"]).unroll(v["c"])
    for func in funcs.values():
        func.compute_at(output, v["yi"]).store_at(output, v["yo"]).vectorize(v["x"], 16)


def _rows_of_harris(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    output.split(v["y"], v["yo"], v["yi"], 32).parallel(v["yo"]).vectorize(v["x"], 16)
    for func in funcs.values():
        func.compute_at(output, v["yi"]).store_at(output, v["yo"]).vectorize(v["x"], 16)


def _application_of_bilateral_grid(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    x, y, z, c = v["x"], v["y"], v["z"], v["c"]
    grid = funcs["grid"]
    funcs["blur_z"].compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, 16).bound(c, 0, 2).unroll(c)
    grid.compute_at(funcs["blur_z"], y)
    grid.update().reorder(c, grid.rvars()[0], grid.rvars()[1], x, y).unroll(c)
    for name in ("blur_x", "blur_y"):
        funcs[name].compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, 16).bound(c, 0, 2).unroll(c)
    output.parallel(y, 8).vectorize(x, 16)


def _rows_of_demosaic(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    output.bound(v["c"], 0, 3).split(v["y"], v["yo"], v["yi"], 64).reorder(v["x"], v["c"], v["yi"], v["yo"])
    output.parallel(v["yo"]).vectorize(v["x"], 64).unroll(v["c"]).unroll(v["yi"], 2)
    output.align_bounds(v["x"], 2).align_bounds(v["y"], 2)
    for func in funcs.values():
        func.compute_at(output, v["yi"]).store_at(output, v["yo"]).vectorize(v["x"], 32)


def _rows_of_resize(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    output.split(v["y"], v["yo"], v["yi"], 16).parallel(v["yo"]).vectorize(v["x"], 16)
    funcs["tall"].compute_at(output, v["yi"]).vectorize(v["x"], 64)


def _tiles_of_convolution(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    k, x, y, c = v["k"], v["x"], v["y"], v["c"]
    deep, mixed = funcs["deep"], funcs["mixed"]
    output.split(k, v["ko"], v["ki"], 32).split(x, v["xo"], v["xi"], 6)
    output.reorder(v["ki"], v["xi"], v["ko"], v["xo"], y).vectorize(v["ki"], 16).unroll(v["xi"]).parallel(y)
    mixed.compute_at(output, v["ko"]).vectorize(k, 16).unroll(k).unroll(x)
    mixed.update().reorder(k, x, y, mixed.rvars()[0]).vectorize(k, 16).unroll(k).unroll(x)
    deep.compute_at(output, y).vectorize(c, 16)


def _application_of_local_laplacian(hl: Any, output: Any, funcs: dict[str, Any]) -> None:
    v = _variables(hl)
    x, y, c, k, yo = v["x"], v["y"], v["c"], v["k"], v["yo"]
    funcs["curve"].compute_root()
    output.bound(c, 0, 3).reorder(x, c, y).split(y, yo, y, 64).parallel(yo).vectorize(x, 16)
    funcs["gray"].compute_root().parallel(y, 32).vectorize(x, 16)
    for j in range(1, 5):
        funcs[f"in{j}"].compute_root().parallel(y, 32).vectorize(x, 16)
        funcs[f"g{j}"].compute_root().reorder_storage(x, k, y).reorder(k, y).parallel(y, 8).vectorize(x, 16)
        funcs[f"o{j}"].store_at(output, yo).compute_at(output, y).fold_storage(y, 4).vectorize(x, 16)
    funcs["o0"].compute_at(output, y).vectorize(x, 16)


BY_HAND: dict[str, dict[str, Callable[..., None]]] = {
    "box_blur": {"tiles": _blur_tiles, "rows": _blur_rows, "rolling": _blur_rolling, "registers": _blur_registers},
    "unsharp": {"rows": _rows_of_unsharp},
    "harris": {"rows": _rows_of_harris},
    "bilateral_grid": {"application": _application_of_bilateral_grid},
    "demosaic": {"rows": _rows_of_demosaic},
    "resize": {"rows": _rows_of_resize},
    "separable_convolution": {"tiles": _tiles_of_convolution},
    "local_laplacian": {"application": _application_of_local_laplacian},
}
"""By kernel the schedules that people wrote, by name."""

DEFINED: dict[str, Callable[..., Defined]] = {
    "box_blur": blur,
    "unsharp": unsharp,
    "harris": harris,
    "bilateral_grid": bilateral_grid,
    "demosaic": demosaic,
    "resize": resize,
    "separable_convolution": separable_convolution,
    "local_laplacian": local_laplacian,
}
