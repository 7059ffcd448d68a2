"""From algorithms to procedures: what is compiled computes what the oracle says, under schedules too, and refuses bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from halide_pipelines import pipeline

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang.collect import collect
from usl_halide_lib.lang.emit import emit

x, y, xi, yi, xo, yo = hl.vars("x y xi yi xo yo")


def image(shape, dtype=np.uint8, seed=0, name="im"):
    return hl.Buffer(np.random.default_rng(seed).integers(0, 100, shape).astype(dtype), name)


def blur(source):
    rows, both = hl.Func("blur_x"), hl.Func("blur_y")
    rows[x, y] = (hl.u16(source[x, y]) + source[x + 1, y] + source[x + 2, y]) / 3
    both[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3
    return rows, both


def equal(func, window):
    """The compiled func and the oracle agree on a window."""
    compiled = func.realize(window)
    expected = func.interpret(window, exact=False)
    if not isinstance(compiled, tuple):
        compiled, expected = (compiled,), [expected]
    for got, want in zip(compiled, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(got), want)


def test_a_blur_at_the_root_is_this_procedure():
    rows, both = blur(image((20, 30)))
    rows.compute_root()
    assert both.lowered("p0") == (
        "def run_blur_y(x_min: index, x_len: size, y_min: index, y_len: size, im_0: size, im_1: size, im: [u8][im_1, im_0], "
        "blur_y: u16[y_len, x_len]):\n"
        "    assert stride(im, 1) == 1\n"
        "    assert x_min >= 0\n"
        "    assert x_len + x_min + 1 <= im_0 - 1\n"
        "    assert y_min >= 0\n"
        "    assert y_len + y_min + 1 <= im_1 - 1\n"
        "    blur_x: u16[y_len + 2, x_len]\n"
        "    for y in seq(0, y_len + 2):\n"
        "        for x in seq(0, x_len):\n"
        "            blur_x[y, x] = (((u16(im[y + y_min, x + x_min]) + u16(im[y + y_min, x + x_min + 1])) + "
        "u16(im[y + y_min, x + x_min + 2])) // 3)\n"
        "    for y in seq(0, y_len):\n"
        "        for x in seq(0, x_len):\n"
        "            blur_y[y, x] = (((blur_x[y, x] + blur_x[y + 1, x]) + blur_x[y + 2, x]) // 3)\n"
    )


def test_a_blur_without_a_schedule_is_inlined():
    _, both = blur(image((20, 30)))
    source = both.lowered("p0")
    assert "blur_x" not in source and source.count("for ") == 2
    equal(both, [(3, 10), (2, 7)])


def test_what_nothing_places_is_a_scalar_where_it_is_read():
    source, total, out = image((20, 30)), hl.Func("total"), hl.Func("out")
    r = hl.RDom([(-1, 3), (-1, 3)], "r")
    r.where(r.x + r.y != 0)
    total[x, y] = hl.i32(0)
    total[x, y] += hl.i32(hl.BoundaryConditions.mirror_interior(source)[x + r.x, y + r.y])
    best = hl.argmax(total[x, y] % 7 * r.x)
    out[x, y] = total[x, y] + total[x + 1, y] * best[0]
    equal(out, [(-5, 12), (-4, 9)])
    assert "total: i32\n" in out.lowered("p0")
    total.compute_root()
    equal(out, [(-5, 12), (-4, 9)])


def test_a_formula_that_would_be_too_large_stays_at_the_root():
    previous = hl.BoundaryConditions.repeat_edge(image((9, 9)))
    for number in range(12):
        func = hl.Func(f"g{number}")
        func[x, y] = previous[x, y] + previous[x + 1, y] * previous[x, y + 1]
        previous = func
    equal(previous, [6, 5])
    assert "computed at root, as its formula is too large" in previous.explain()


def test_several_outputs_and_tuples_come_together():
    source, f, g, h = image((20, 30)), hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = source[hl.clamp(x, 0, 29), hl.clamp(y, 0, 19)] + 1
    g[x, y] = (f[x - 1, y] * 2, hl.f32(f[x, y + 2]))
    h[x, y] = hl.select(x < 3, hl.Tuple(g[x, y]), hl.Tuple(g[x + 1, y]))
    both = hl.Pipeline([f, h])
    got, want = both.realize([(2, 9), (1, 5)]), both.interpret([(2, 9), (1, 5)], exact=False)
    assert len(got) == len(want) == 3
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(np.asarray(a), b)
    with pytest.raises(UslError, match="an output once only"):
        hl.Pipeline([f, f])


def test_buffers_can_be_given_to_write_to():
    source, f = image((20, 30)), hl.Func("f")
    f[x, y] = source[x, y] + 1
    out = hl.Buffer(np.zeros((5, 6), np.uint8))
    out.set_min([3, 2])
    f.realize(out)
    assert (out.array() == source.array()[2:7, 3:9] + 1).all() and out[3, 2] == source.array()[2, 3] + 1
    h = hl.Func("h")
    h[x] = 0
    h[source[hl.RDom([(0, 30)], "r"), 0]] += 1
    with pytest.raises(UslError, match=r"has the places 0:10 in dimension 0, and 0:256 are computed") as error:
        h.realize(np.zeros(10, np.int32))
    assert error.value.code == "E775"
    with pytest.raises(UslError, match="needs a buffer of 2 dimensions of uint8"):
        f.realize(np.zeros((5, 6), np.int16))


@pytest.mark.parametrize("name", ["repeat_edge", "repeat_image", "mirror_image", "mirror_interior"])
def test_boundary_conditions_pad_as_numpy_does(name):
    source, f = image((5, 7)), hl.Func("f")
    f[x, y] = getattr(hl.BoundaryConditions, name)(source)[x, y]
    modes = {"repeat_edge": "edge", "repeat_image": "wrap", "mirror_image": "symmetric", "mirror_interior": "reflect"}
    window = [(-9, 24), (-7, 17)]
    assert (f.interpret(window) == np.pad(source.array(), ((7, 5), (9, 8)), modes[name])).all()
    equal(f, window)


def test_a_constant_stands_outside_of_given_bounds():
    inner, f = hl.Func("inner"), hl.Func("f")
    inner[x, y] = hl.u8(x + 10 * y)
    outer = hl.BoundaryConditions.constant_exterior(inner, 7, [(2, 3), (None, None)])
    f[x, y] = outer[x, y]
    assert np.asarray(f.realize([7, 2])).tolist() == [[7, 7, 2, 3, 4, 7, 7], [7, 7, 12, 13, 14, 7, 7]]
    with pytest.raises(UslError, match="bounds have to be given"):
        hl.BoundaryConditions.repeat_edge(inner)


SCHEDULES = {
    "root": lambda rows, both: rows.compute_root(),
    "inline": lambda rows, both: rows.compute_inline(),
    "tiles": lambda rows, both: (both.tile(x, y, xi, yi, 8, 4).parallel(y), rows.compute_at(both, x)),
    "rolling rows": lambda rows, both: (rows.store_root().compute_at(both, y),),
    "strips": lambda rows, both: (both.split(y, yo, yi, 4).parallel(yo), rows.store_at(both, yo).compute_at(both, yi)),
    "inner loop": lambda rows, both: (rows.compute_at(both, x), both.reorder(y, x)),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_do_not_change_a_blur(name):
    rows, both = blur(image((20, 30)))
    SCHEDULES[name](rows, both)
    for window in ([28, 18], [1, 1], [(3, 10), (2, 7)]):
        equal(both, window)


def operations():
    """Pairs of what can be computed on two operands of one integer type, by name."""
    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "mod": lambda a, b: a % b,
        "div by 3": lambda a, b: a / 3,
        "mod by 3": lambda a, b: a % 3,
        "min": lambda a, b: hl.min(a, b),
        "absd": lambda a, b: hl.absd(a, b) if str(a.type()) != "int64" else hl.max(a, b),
        "abs": lambda a, b: hl.abs(a) if str(a.type()) != "int64" else -a,
        "shl": lambda a, b: a << 3,
        "shr": lambda a, b: a >> 2,
        "shl far": lambda a, b: a << 40,
        "shr far": lambda a, b: a >> 70,
        "shr by all but one": lambda a, b: a >> (a.type().bits - 1),
        "shl by all but one": lambda a, b: a << (a.type().bits - 1),
        "compare": lambda a, b: hl.select(a < b, 1, a == b, 2, a >= b + 3, 3, 4),
        "not": lambda a, b: hl.select(~((a <= b) & (b != 0)) | (a > 7), a, b),
        "saturating": lambda a, b: hl.u8_sat(a),
        "to float": lambda a, b: hl.f32(a),
        "condition": lambda a, b: a < b,
        "lerp": lambda a, b: hl.i16(a) if str(a.type()) != "float32" else a,
    }


EDGES = {  # the types that no test here takes are those of the fuzz target
    "int8": [-128, -127, -7, -2, -1, 0, 1, 2, 7, 127],
    "uint8": [0, 1, 2, 3, 7, 127, 128, 254, 255],
    "int16": [-(2**15), -300, -7, -1, 0, 1, 7, 255, 2**15 - 1],
    "uint16": [0, 1, 7, 255, 256, 2**15, 2**16 - 1],
    "int32": [-(2**31), -70000, -7, -1, 0, 1, 7, 65536, 2**31 - 1],
    "uint32": [0, 1, 7, 65536, 2**31, 2**32 - 1],
    "int64": [-(2**63), -(2**40), -7, -1, 0, 1, 7, 2**40, 2**63 - 1],
}


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_operations_on_all_edges_of_a_type(dtype):
    values = np.array(EDGES[dtype], dtype)
    a, b = hl.Buffer(values, "a"), hl.Buffer(values, "b")
    f = hl.Func("f")
    f[x, y] = tuple(each(a[x], b[y]) for each in operations().values())
    equal(f, [len(values), len(values)])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_bits_and_shifts_by_data(dtype):
    values = np.array(EDGES[dtype], dtype)
    distances = np.array([-(2**31), -65, -64, -9, -8, -7, -1, 0, 1, 7, 8, 9, 16, 31, 63, 64, 300, 2**31 - 1], np.int32)
    a, b, d = hl.Buffer(values, "a"), hl.Buffer(values, "b"), hl.Buffer(distances, "d")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (a[x] & b[y], a[x] | b[y], a[x] ^ b[y], ~a[x], (a[x] & 7) | 1)
    g[x, y] = (a[x] << d[y], a[x] >> d[y], a[x] << hl.u8(d[y]), a[x] >> hl.u16(d[y]))
    equal(f, [len(values), len(values)])
    equal(g, [len(values), len(distances)])


def test_functions_on_floats():
    values = np.array([-300.5, -2.5, -1.5, -0.5, 0.25, 0.5, 1.5, 2.5, 7.75], np.float32)
    a, b = hl.Buffer(values, "a"), hl.Buffer(values, "b")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (hl.floor(a[x]), hl.ceil(a[x]), hl.round(a[x]), hl.trunc(a[x]), a[x] % b[y], a[x] // b[y])
    equal(f, [9, 9])
    g[x, y] = (hl.pow(hl.abs(a[x]), b[y]), hl.tan(a[x]), hl.atan2(a[x], b[y]), hl.exp(a[x]), hl.tanh(b[y]))
    for got, want in zip(g.realize([9, 9]), g.interpret([9, 9], exact=False), strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5)


def test_operations_on_floats():
    values = np.array([-300.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 1e10, 3e38], np.float32)
    a, b = hl.Buffer(values, "a"), hl.Buffer(values, "b")
    f = hl.Func("f")
    f[x, y] = (
        a[x] + b[y],
        a[x] * 0.1 - b[y] / 3,
        hl.u8(a[x]),
        hl.i32(a[x]),
        hl.max(a[x], b[y]),
        abs(a[x]),
        hl.absd(a[x], b[y]),
        hl.select((a[x] < b[y]) | (a[x] == 0), a[x], b[y]),
        hl.sqrt(abs(a[x])),
        hl.f64(a[x]) * 2,
        hl.lerp(a[x], b[y], 0.25),
    )
    equal(f, [len(values), len(values)])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_no_number_is_neither_equal_nor_less_nor_greater(dtype):
    numbers = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -1.5, np.nextafter(dtype(1.5), dtype(2)), np.finfo(dtype).max]
    values = np.array(numbers, dtype)
    a, b = hl.Buffer(values, "a"), hl.Buffer(values, "b")
    f, p, q = hl.Func("f"), a[x], b[y]
    tests = [p <= q, p >= q, p == q, p != q, p <= 1.5, p >= 1.5, p == 1.5, p <= 0, p >= 0, ~(p <= q), (p <= q) | (p >= q)]
    tests += [hl.cast(q.type(), 1.5) <= q, q <= hl.cast(p.type(), x), p <= p.type().max()]
    f[x, y] = tuple(hl.select(each, 1, 0) for each in tests)
    equal(f, [len(values), len(values)])
    g = hl.Func("g")
    g[x, y] = 0
    r = hl.RDom([(0, 1)])
    r.where(p <= q)
    g[x, y] += 1 + r
    equal(g, [len(values), len(values)])


def test_small_and_large_numbers_keep_their_digits():
    f, ones = hl.Func("f"), hl.Buffer(np.ones(2, np.float32), "ones")
    f[x] = (ones[x] * 1e-25, hl.f64(ones[x]) * 1e-300, ones[x] * 1.17549435e-38, ones[x] * 3e38, hl.f64(ones[x]) * 1.7e308)
    equal(f, [2])
    assert [float(np.asarray(each)[0]) for each in f.realize([2])][1] == 1e-300


def test_a_histogram_comes_with_all_its_bins():
    source, h = image((9, 7)), hl.Func("h")
    r = hl.RDom(source, "r")
    h[x] = 0
    h[source[r.x, r.y]] += 1
    result = h.realize([(10, 5)])
    assert result.mins == (0,) and result.array.shape == (256,) and result.window == ((10, 5),)
    assert (result.array == np.bincount(source.array().ravel(), minlength=256)).all()
    assert (np.asarray(result) == result.array[10:15]).all() and result.shape == (5,)


def test_scans_predicates_tuples_gathers_and_parameters():
    source, p = image((40,), np.int32), hl.Param(hl.Int(32), "p", 5)
    q = hl.Param(hl.Float(32), "q", 0.5)
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    r = hl.RDom([(1, p)], "r")
    f[x] = source[hl.clamp(x, 0, 39)] + p
    r.where((f[r] > 20) | (r % 2 == 0))
    f[r] = f[r] + f[r - 1]
    g[x] = (f[x] * 2, hl.f32(f[x + 1]) * q)
    g[x] = (g[x][0] + 1, g[x][1] + hl.f32(g[x][0]))
    h[x] = g[hl.clamp(f[x], -3, 8)][0] + hl.i32(g[x][1])
    for window in ([9], [(-4, 12)]):
        equal(h, window)
        equal(g, window)
    p.set(0)
    equal(h, [9])


def test_boundary_conditions_by_clamps_and_extents():
    source = hl.ImageParam(hl.UInt(8), 2, "im")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = source[hl.clamp(x, 0, source.width() - 1), hl.clamp(y, 0, source.height() - 1)]
    g[x, y] = hl.i16(f[x - 1, y]) - f[x + 1, y + 2]
    for shape in ((5, 9), (1, 1)):
        source.set(np.random.default_rng(3).integers(0, 255, shape, np.uint8))
        equal(g, [(-2, 9), (-1, 8)])


@pytest.mark.parametrize("place", [np.s_[1:4, 2:6], np.s_[::2, ::2], np.s_[::-1, :], np.s_[:3, ::-1]])
def test_buffers_may_be_views_whose_surroundings_stay(place):
    f, whole = hl.Func("f"), np.full((6, 8), 7, np.int32)
    f[x, y] = x + 10 * y
    view = whole[place]
    f.realize(hl.Buffer(view))
    assert (view == np.add.outer(10 * np.arange(view.shape[0]), np.arange(view.shape[1]))).all()
    view[...] = 7
    assert (whole == 7).all()


def placed(array: Any, mins: list[int]) -> Any:
    buffer = hl.Buffer(array)
    buffer.set_min(mins)
    return buffer


def test_an_image_is_read_where_its_buffer_begins():
    values = np.arange(12, dtype=np.uint8).reshape(3, 4)
    source, f = hl.ImageParam(hl.UInt(8), 2, "source"), hl.Func("f")
    f[x, y] = source[x, y] + source[x + 1, y]
    expected = values[:, :-1] + values[:, 1:]
    for mins in ([0, 0], [3, -2], [0, 0], [-7, 5]):
        source.set(placed(values, mins))
        window = [(mins[0], 3), (mins[1], 3)]
        assert np.asarray(f.realize(window)).tolist() == f.interpret(window).tolist() == expected.tolist()
    wanted = "source has the places -7:-3, 5:8, and -7:-2, 5:8 is read"
    refused("E786", wanted, lambda: f.realize([(-7, 4), (5, 3)]))
    refused("E786", "source has the places -7:-3, 5:8, and source[", lambda: f.interpret([(-8, 1), (5, 1)]))
    source.set(values)
    assert np.asarray(f.realize([3, 3])).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", ["repeat_edge", "repeat_image", "mirror_image", "mirror_interior", "constant_exterior"])
def test_boundaries_are_where_an_image_ends(kind):
    values = np.arange(1, 6, dtype=np.int16)
    source, f, g = hl.ImageParam(hl.Int(16), 1, "source"), hl.Func("f"), hl.Func("g")
    edge = getattr(hl.BoundaryConditions, kind)
    f[x] = edge(source, *([-1] if kind == "constant_exterior" else []))[x]
    source.set(values)
    at_0 = np.asarray(f.realize([(-9, 25)])).tolist()
    assert f.interpret([(-9, 25)]).tolist() == at_0
    source.set(placed(values, [4]))
    assert np.asarray(f.realize([(-5, 25)])).tolist() == f.interpret([(-5, 25)]).tolist() == at_0
    g[x] = edge(placed(values, [4]), *([-1] if kind == "constant_exterior" else []))[x]
    assert np.asarray(g.realize([(-5, 25)])).tolist() == at_0


def test_a_domain_and_a_condition_are_about_where_an_image_begins():
    source, f = hl.ImageParam(hl.Int(32), 1, "source"), hl.Func("f")
    r = hl.RDom(source, "r")
    f[x] = 0
    f[x] += source[r] * (r + x)
    f.compute_root().specialize(source.dim(0).min() == 2)
    values = np.arange(1, 5, dtype=np.int32)
    for first in (0, 2, -3):
        source.set(placed(values, [first]))
        expected = [sum(int(v) * (first + i + k) for i, v in enumerate(values)) for k in range(3)]
        assert np.asarray(f.realize([3])).tolist() == f.interpret([3]).tolist() == expected


def test_what_begins_at_0_pays_nothing_for_what_might_not():
    source, f = hl.ImageParam(hl.UInt(8), 1, "source"), hl.Func("f")
    f[x] = hl.BoundaryConditions.repeat_edge(source)[x - 1]
    assert "first" not in str(f.procedure())
    source.set(placed(np.zeros(3, np.uint8), [1]))
    assert "source_first_0: index" in str(f.procedure())


def test_a_buffer_beyond_32_bits_is_refused():
    refused("E787", "b: 2147483647:2147483649 is no range", lambda: hl.Buffer(np.zeros(2, np.uint8), "b").set_min([2**31 - 1]))


def test_images_may_be_views():
    whole = np.random.default_rng(4).integers(0, 255, (24, 40), np.uint8)
    _, both = blur(hl.Buffer(whole[::2, ::-1][2:, 3:], "im"))
    equal(both, [20, 6])


def refused(code, fragment, act):
    with pytest.raises(UslError) as caught:
        act()
    assert caught.value.code == code and fragment in str(caught.value)
    assert caught.value.span is not None and caught.value.span.file == __file__


def test_what_cannot_run_is_refused_before_it_runs():
    _, both = blur(image((10, 10)))
    refused("E786", "im has the places 0:10, 0:10, and 0:11, 0:10 is read", lambda: both.realize([9, 8]))
    refused("E786", "-1:2", lambda: both.realize([(-1, 1), 1]))
    refused("E787", "the window has 1 dimensions", lambda: both.realize([9]))
    refused("E787", "32-bit", lambda: both.realize([(2**31 - 2, 2), 1]))
    assert both.realize([0, 3]).array.shape == (3, 0)
    f, r = hl.Func("f"), hl.RDom([(0, hl.Param(hl.Int(32), "p", -2))], "r")
    f[x] = 0
    f[x] += r
    refused("E787", "rdom r: extent p = -2 is negative", lambda: f.realize([3]))


def test_a_directive_that_does_not_apply_names_its_line():
    rows, both = blur(image((10, 10)))
    both.split(x, xo, xi, 4)
    rows.compute_at(both, "nowhere")
    refused("E773", "nowhere", lambda: both.realize([4, 4]))


@pytest.mark.parametrize("seed", [1])
def test_random_pipelines_compile_to_what_the_oracle_says(seed):
    made = pipeline(seed, floats=False)
    equal(made.output, made.window)


def test_a_long_chain_is_emitted():
    f = hl.Func("f")
    f[x] = x
    for k in range(30):
        g = hl.Func(f"c{k}")
        g[x] = f[x - 1] + f[x + 1]
        f = g
    assert "f: i32[x_len + 60]" in emit(collect([f]).algorithm).source


def test_numbers_without_a_sign_of_32_bits_wrap_and_so_do_the_places_that_they_name():
    values = np.array([5, 9, 200, 7, 0, 1, 3, 3, 90, 2], np.uint8)
    im, f, h, g = hl.Buffer(values, "im"), hl.Func("f"), hl.Func("h"), hl.Func("g")
    f[x] = hl.max(hl.u32(im[x]), hl.u32(im[x]) - hl.u32(im[x + 1]))
    h[x] = x * 10
    g[x] = h[hl.clamp(hl.i32(f[x]), -3, 4)]
    f.compute_root()
    h.compute_root()
    here, less = values[:-1].astype(int), np.diff(values.astype(int)) * -1
    assert np.array_equal(g.realize([9]), np.clip(np.where(less < 0, less, here), -3, 4) * 10)


def test_code_that_never_runs_reads_within_bounds_where_a_func_is_computed_at_places():
    image = hl.Buffer(np.arange(60, dtype=np.uint8), "im")
    f, g, r, s = hl.Func("f"), hl.Func("g"), hl.RDom([(0, 2), (0, 1)], "r"), hl.RDom([(0, 3)], "s")
    r.where(r.y >= 1)
    f[x] = image[hl.clamp(x - 1, 0, 5)]
    f[x] += image[hl.clamp(x + 4, 0, 59)] + hl.u8(s)
    g[x] = f[0]
    g[x] += f[r.x + 2] + hl.u8(r.y)
    assert g.realize([3]).array.tolist() == g.interpret([3]).tolist() == [15, 15, 15]


def test_an_extent_that_is_known_to_be_large_is_known_to_the_procedure():
    f, g, r = hl.Func("f"), hl.Func("g"), hl.RDom([(1, 1)], "r")
    f[x, y] = x
    f[r, y] += 1
    g[x, y] = f[hl.clamp(x, 0, 3), y]
    f.compute_root().align_bounds(x, 3, 2).bound(x, -40, 140)
    assert np.asarray(g.realize([3, 2])).tolist() == [[0, 2, 2]] * 2


def test_an_image_that_is_too_small_is_refused_with_the_accesses_that_reach_beyond():
    image, f, r = hl.Buffer(np.zeros(5, np.uint8), "image"), hl.Func("f"), hl.RDom([(0, 2)], "r")
    f[x] = image[x] + image[x + 1] + image[hl.clamp(x, 0, 4)]
    f[x] += image[2 * r + x]
    with pytest.raises(UslError) as caught:
        f.realize([5])
    first, second, _ = caught.value.notes
    assert first.endswith("f reads image[x + 1]") and second.endswith("f reads image[2 * r + x]")
    assert __file__ in first and __file__ in second
