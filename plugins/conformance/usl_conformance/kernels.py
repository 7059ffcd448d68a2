# ruff: noqa: E712
"""Programs of the language, one for each construct that a backend may take or refuse.

Each changes its arguments in a way that shows a mistake. Names say what a program is about; `usl plugin check` uses them.
"""

from __future__ import annotations

from usl_core import DRAM, config, instr, proc

# ---- control


@proc
def copied_array(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[i]


@proc
def nested_and_triangular_loops(n: size, m: size, x: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] = x[i, j] + 1.0
    for i in seq(0, n):
        for j in seq(0, min(i + 1, m)):
            x[i, j] += 2.0


@proc
def loops_that_may_not_run(n: size, x: i32[n]):
    for i in seq(1, n):
        x[i] += i32(1)
    for i in seq(max(n - 2, 0), n):
        x[i] += i32(10)
    for i in seq(0, min(3, n)):
        x[i] += i32(100)


@proc
def names_that_come_again(n: size, x: f32[n]):
    for i in seq(0, n):
        t: f32
        t = x[i] + 1.0
        x[i] = t
    for i in seq(0, n):
        t: f64
        t = f64(x[i]) * 2.0
        x[i] = f32(t)


@proc
def names_of_other_languages(int: size, float: f32[int], entry: f32):
    for exit in seq(0, int):
        double: f32
        double = float[exit]
        float[exit] = double + entry


@proc
def index_division(k: index, q: i32[4, 12]):
    for i in seq(0, 12):
        q[0, i] = i32((i - k) / 3)
        q[1, i] = i32((i - 7) % 5)
        q[2, i] = i32((k - 2 * i) % 4)
        q[3, i] = i32((k - i - 9) / 8)


@proc
def index_division_in_places(x: f32[8], y: f32[8]):
    for i in seq(0, 8):
        y[(3 * i - 5) % 8] = x[(7 - i) / 2 + (i - 8) / 4 + 2]


@proc
def index_arithmetic_of_64_bits(k: index, x: i64[3]):
    x[0] = i64(k * 1000000000)
    x[1] = i64(k * 1000000000 / 7)
    x[2] = i64(3000000000 - k)


@proc
def smallest_and_greatest_indices(n: size, k: index, x: i32[n]):
    for i in seq(0, n):
        x[min(i + 1, n - 1)] += i32(max(i, k)) - i32(min(k, -1))


@proc
def conditions_on_control(n: size, k: index, on: bool, x: i32[n]):
    for i in seq(0, n):
        if on:
            x[i] = i32(1)
        if i % 2 == 0 and k < 3:
            x[i] += i32(2)
        else:
            x[i] += i32(4)
        if k >= 0 or i != 1:
            x[i] += i32(8)
        if k > i:
            x[i] += i32(16)
        if k <= i and on != True:
            x[i] += i32(32)


@proc
def conditions_one_after_another(n: size, x: i32[n]):
    for i in seq(0, n):
        if i < 1:
            x[i] = i32(1)
        else:
            if i < 3:
                x[i] = i32(2)
            else:
                pass


@proc
def conditions_on_floats(n: size, x: f32[n], y: f32[n], z: i32[n]):
    for i in seq(0, n):
        z[i] = i32(0)
        if x[i] < y[i]:
            z[i] += i32(1)
        if x[i] <= y[i]:
            z[i] += i32(2)
        if x[i] == y[i]:
            z[i] += i32(4)
        if x[i] != y[i]:
            z[i] += i32(8)
        if x[i] > y[i] or x[i] >= 1.0:
            z[i] += i32(16)
        else:
            z[i] += i32(32)


@proc
def conditions_on_integers(n: size, x: i8[n], y: i8[n], z: i32[n]):
    for i in seq(0, n):
        z[i] = i32(0)
        if x[i] < y[i]:
            z[i] += i32(1)
        if x[i] >= y[i]:
            z[i] += i32(2)
        if x[i] != y[i]:
            z[i] += i32(4)


@proc
def conditions_on_unsigned_integers(n: size, x: u8[n], y: u8[n], z: i32[n]):
    for i in seq(0, n):
        z[i] = i32(0)
        if x[i] < y[i]:
            z[i] += i32(1)
        if x[i] >= y[i]:
            z[i] += i32(2)


@proc
def checks_that_hold(n: size, x: f32[n]):
    check(n < 100000)
    for i in seq(0, n):
        check(i >= 0)
        x[i] += 1.0


@proc
def strides_as_values(n: size, x: [f32][n, 4], y: i64[2]):
    y[0] = i64(0)
    if stride(x, 1) == 1:
        y[0] = i64(1)
    if stride(x, 0) == 4:
        y[0] += i64(2)


# ---- data


@proc
def float_arithmetic(n: size, x: f32[n], y: f32[n], z: f32[n]):
    for i in seq(0, n):
        z[i] = x[i] * y[i] + z[i] - x[i] / y[i]


@proc
def double_arithmetic(n: size, x: f64[n], y: f64[n], z: f64[n]):
    for i in seq(0, n):
        z[i] = x[i] * y[i] + z[i] - x[i] / y[i]


@proc
def half_arithmetic(n: size, x: f16[n], y: f16[n]):
    for i in seq(0, n):
        y[i] = x[i] * y[i] + x[i]


@proc
def float_reductions(n: size, m: size, x: f32[n, m], y: f32[n], s: f32, d: f64):
    for i in seq(0, n):
        y[i] = 0.0
        for j in seq(0, m):
            y[i] += x[i, j] * x[i, j]
        s += y[i]
        d += f64(y[i])


@proc
def float_constants(x: f32[6], y: f64[4]):
    x[0] = 0.1
    x[1] = -2.5
    x[2] = 16777217.0
    x[3] = 0.000000000000000000000000000000000000001
    x[4] = x[5] * 3.3333333
    x[5] = 340282346638528859811704183484516925440.0
    y[0] = 0.1
    y[1] = 12345678901234567890.0
    y[2] = y[3] * 0.3
    y[3] = 1.0


@proc
def negated_values(n: size, x: f32[n], y: f64[n], z: i8[n]):
    for i in seq(0, n):
        x[i] = -x[i]
        y[i] = -(y[i] - y[i])
        z[i] = -z[i]


@proc
def narrow_integers_wrap(n: size, a: i8[n], b: i8[n], c: i16[n], d: i16[n]):
    for i in seq(0, n):
        a[i] = a[i] * b[i] - b[i] + i8(100)
        c[i] = c[i] * d[i] - d[i] + i16(30000)


@proc
def integers_wrap(n: size, a: i32[n], b: i32[n], c: i64[n], d: i64[n]):
    for i in seq(0, n):
        a[i] = a[i] * b[i] - b[i] + i32(2147483647)
        c[i] = c[i] * d[i] - d[i] + i64(9223372036854775807)


@proc
def unsigned_integers_wrap(n: size, a: u8[n], b: u16[n], c: u32[n]):
    for i in seq(0, n):
        a[i] = a[i] * a[i] - u8(3)
        b[i] = b[i] * b[i] - u16(3)
        c[i] = c[i] * c[i] - u32(3)


@proc
def integer_reductions(n: size, m: size, x: i8[n, m], s: i8, t: i32, u: i16[n]):
    for i in seq(0, n):
        u[i] = i16(0)
        for j in seq(0, m):
            s += x[i, j]
            t += i32(x[i, j]) * i32(x[i, j])
            u[i] += i16(x[i, j])


@proc
def division_of_integers(n: size, a: i32[n], b: i32[n], c: i32[n], d: i8[n], e: i8[n], f: i8[n]):
    for i in seq(0, n):
        c[i] = a[i] / b[i]
        a[i] = a[i] % b[i]
        f[i] = d[i] / e[i]
        d[i] = d[i] % e[i]


@proc
def division_of_unsigned_integers(n: size, a: u8[n], b: u8[n], c: u32[n], d: u32[n]):
    for i in seq(0, n):
        a[i] = a[i] / b[i] + a[i] % b[i]
        c[i] = c[i] / d[i] + c[i] % d[i]


@proc
def casts_between_integers(n: size, a: i8[n], b: i16[n], c: i32[n], d: i64[n], e: u8[n], f: u32[n]):
    for i in seq(0, n):
        d[i] = i64(a[i]) + i64(e[i]) + i64(f[i])
        b[i] = i16(c[i]) + i16(e[i])
        c[i] = i32(f[i]) - i32(a[i])
        e[i] = u8(c[i])
        f[i] = u32(a[i])
        a[i] = i8(d[i])


@proc
def casts_from_integers_to_floats(n: size, a: i8[n], c: i32[n], d: i64[n], e: u32[n], x: f32[4, n], y: f64[4, n]):
    for i in seq(0, n):
        x[0, i] = f32(a[i])
        x[1, i] = f32(c[i])
        x[2, i] = f32(d[i])
        x[3, i] = f32(e[i])
        y[0, i] = f64(a[i])
        y[1, i] = f64(c[i])
        y[2, i] = f64(d[i])
        y[3, i] = f64(e[i])


@proc
def casts_from_floats_to_integers(n: size, x: f32[n], y: f64[n], a: i8[n], c: i32[n], d: i64[n], e: u8[n], f: u32[n]):
    for i in seq(0, n):
        a[i] = i8(x[i] * 100.0)
        c[i] = i32(x[i] * 1000000000.0)
        d[i] = i64(y[i])
        e[i] = u8(y[i] * 100.0)
        f[i] = u32(x[i])


@proc
def casts_between_floats(n: size, x: f32[n], y: f64[n]):
    for i in seq(0, n):
        x[i] = f32(y[i] * 1.1)
        y[i] = f64(x[i]) + y[i]


@proc
def casts_of_control(n: size, k: index, x: f32[n], y: i8[n], z: f64[n]):
    for i in seq(0, n):
        x[i] = f32(i - k)
        y[i] = i8(i * 100 + k)
        z[i] = f64(k / 2)


@proc
def functions_that_choose(n: size, x: f32[n], y: f32[n], a: i16[n], b: i16[n]):
    for i in seq(0, n):
        x[i] = min(x[i], y[i]) + max(x[i], y[i])
        y[i] = select(x[i], y[i], relu(x[i]), abs(y[i])) + clamp(x[i], -1.0, 2.0)
        a[i] = min(a[i], b[i]) - relu(b[i])
        b[i] = max(abs(a[i]), b[i])


@proc
def square_roots(n: size, x: f32[n], y: f64[n]):
    for i in seq(0, n):
        x[i] = sqrt(abs(x[i]))
        y[i] = sqrt(abs(y[i]))


@proc
def places_that_data_decide(n: size, x: i32[n], h: i32[8], y: f32[n]):
    for i in seq(0, n):
        h[idx(x[i], 0, 8)] += i32(1)
        y[i] = y[idx(x[i], 0, n)] + 1.0


# ---- storage


@proc
def buffers_of_constant_size(n: size, x: f32[n, 3], y: f32[n]):
    for i in seq(0, n):
        t: f32[3]
        for j in seq(0, 3):
            t[j] = x[i, 2 - j]
        y[i] = t[0] * t[1] + t[2]


@proc
def buffers_of_any_size(n: size, m: size, x: f32[n, m]):
    t: f32[m, n]
    for i in seq(0, n):
        for j in seq(0, m):
            t[j, i] = x[i, j]
    for i in seq(0, n):
        u: f64[m]
        for j in seq(0, m):
            u[j] = f64(t[j, n - 1 - i]) + 1.0
        for j in seq(0, m):
            x[i, j] = f32(u[m - 1 - j])


@proc
def buffers_in_branches(n: size, x: i32[n]):
    for i in seq(0, n):
        if i % 2 == 0:
            t: i32[n]
            t[i] = x[i] * i32(3)
            x[i] = t[i]
        else:
            s: i32
            s = x[i] - i32(1)
            x[i] = s


@proc
def three_dimensions(n: size, m: size, x: f32[n, m, 5], y: f32[5, n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            for k in seq(0, 5):
                y[4 - k, i, j] = x[n - 1 - i, j, k]


@proc
def windows_as_arguments(n: size, m: size, x: [f32][n, m], y: [f32][m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] = x[i, j] * 2.0 + y[j]


@proc
def windows_of_which_rows_are_dense(n: size, x: [i8][n, 8], y: [i8][n, 8]):
    assert stride(x, 1) == 1
    for i in seq(0, n):
        for j in seq(0, 8):
            y[i, j] = x[i, 7 - j]


@proc
def windows_with_names(n: size, x: f32[n, 6, 4]):
    for i in seq(0, n):
        plane = x[i, 1:5, 0:4]
        row = plane[2, 1:3]
        column = plane[0:4, 3]
        row[0] = 1.0
        row[1] += plane[3, 0]
        for j in seq(0, 4):
            column[j] += row[1]


@proc
def _scaled(n: size, s: f32, x: [f32][n]):
    for i in seq(0, n):
        x[i] = s * x[i]


@proc
def _moved_on(n: size, k: index, up: bool, x: f32[n], total: f32):
    assert k >= 0
    assert k < n
    total += x[k]
    if up:
        x[k] = 0.0
    _scaled(n, 3.0, x[0:n])


@proc
def calls_with_windows(n: size, x: f32[n, 8], s: f32):
    for i in seq(0, n):
        _scaled(4, s, x[i, 2:6])
    _scaled(n, x[0, 0], x[0:n, 7])
    column = x[0:n, 3]
    _scaled(n, s, column)


@proc
def calls_with_all_kinds_of_arguments(n: size, x: f32[n], y: f32[5], sums: f32[n]):
    for i in seq(0, n):
        _moved_on(n, n - 1 - i, i % 2 == 0, x, sums[i])
        t: f32
        t = 0.5
        _moved_on(5, 4 / 2, False, y, t)
        sums[i] += t
        _scaled(1, 0.25, y[i % 5 : i % 5 + 1])


@proc
def deep_nests(x: i32[2, 2, 2, 2, 2, 2, 2, 2]):
    for a in seq(0, 2):
        for b in seq(0, 2):
            for c in seq(0, 2):
                for d in seq(0, 2):
                    for e in seq(0, 2):
                        for f in seq(0, 2):
                            for g in seq(0, 2):
                                for h in seq(0, 2):
                                    x[a, b, c, d, e, f, g, h] += i32(a + 2 * b + 4 * c + 8 * d + 16 * e + 32 * f + 64 * g + h)


# ---- what fewer backends take


@proc
def parallel_loops(n: size, x: f32[n, 3]):
    for i in par(0, n):
        for j in seq(1, 3):
            x[i, j] += x[i, j - 1]


@proc
def parallel_sums(n: size, x: i32[n], s: i32):
    for i in par(0, n):
        s += x[i]


@config
class _Settings:
    factor: f32
    offset: index


@proc
def configuration(n: size, x: f32[n]):
    _Settings.factor = 2.0
    _Settings.offset = n - 1
    for i in seq(0, n):
        x[i] = _Settings.factor * x[i]
    if _Settings.offset > 2:
        x[0] = 0.0


@instr("{x.ptr}[0] = {x.ptr}[0] + 1.0f;")
def _increment(x: [f32][1] @ DRAM):
    x[0] += 1.0


@proc
def instructions_of_c(n: size, x: f32[n]):
    for i in seq(0, n):
        _increment(x[i : i + 1])


CONSTRUCTS = (
    copied_array,
    nested_and_triangular_loops,
    loops_that_may_not_run,
    names_that_come_again,
    names_of_other_languages,
    index_division,
    index_division_in_places,
    index_arithmetic_of_64_bits,
    smallest_and_greatest_indices,
    conditions_on_control,
    conditions_one_after_another,
    conditions_on_floats,
    conditions_on_integers,
    conditions_on_unsigned_integers,
    checks_that_hold,
    strides_as_values,
    float_arithmetic,
    double_arithmetic,
    half_arithmetic,
    float_reductions,
    float_constants,
    negated_values,
    narrow_integers_wrap,
    integers_wrap,
    unsigned_integers_wrap,
    integer_reductions,
    division_of_integers,
    division_of_unsigned_integers,
    casts_between_integers,
    casts_from_integers_to_floats,
    casts_from_floats_to_integers,
    casts_between_floats,
    casts_of_control,
    functions_that_choose,
    square_roots,
    places_that_data_decide,
    buffers_of_constant_size,
    buffers_of_any_size,
    buffers_in_branches,
    three_dimensions,
    windows_as_arguments,
    windows_of_which_rows_are_dense,
    windows_with_names,
    calls_with_windows,
    calls_with_all_kinds_of_arguments,
    deep_nests,
    parallel_loops,
    parallel_sums,
    configuration,
    instructions_of_c,
)


# ---- calls that must be refused


@proc
def assertions(n: size, x: [f32][n]):
    assert n % 4 == 0
    assert stride(x, 0) == 1
    for i in seq(0, n):
        x[i] = 1.0


@proc
def checks_that_fail(n: size, x: f32[n]):
    x[0] = 1.0
    check(n == 3)
    x[0] = 2.0


CALLS_TO_REFUSE = (
    (assertions, 6, 6, 1),
    (assertions, 4, 4, 2),
    (assertions, 8, 4, 1),
    (assertions, 0, 0, 1),
    (checks_that_fail, 2, 2, 1),
)
"""A procedure, its size, and the extent and the stride of its array."""
