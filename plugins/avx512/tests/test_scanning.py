"""Running results in registers, and a filter in place whose blocks are read before they are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from avx512_build import HOW, kernel

from usl_avx512 import AVX512, isa
from usl_avx512.scanning import scan_schedule
from usl_core import Procedure, SchedulingError, proc_from_source
from usl_core.scheduling import bound_counter, divide_loop, expand_dim, fission, lift_alloc, replace, set_memory, simplify
from usl_stdlib import vectorize

SIZES = (1, 7, 8, 15, 16, 17, 100)


def scan(reduction: str, typ: str) -> Procedure:
    return proc_from_source(f"""\
def scan(n: size, x: {typ}[n], y: {typ}[n], s: {typ}):
    for i in seq(0, n):
        {reduction}
        y[i] = s
""")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    ("reduction", "typ", "steps", "numpy"),
    [
        ("s += x[i] * 2.0", "f32", "scan_add_ps", lambda x, s: s + (2 * x).cumsum()),
        ("s *= x[i]", "f64", "scan_mul_pd", lambda x, s: s * x.cumprod()),
        ("s @= max(x[i])", "f32", "scan_max_ps", lambda x, s: np.maximum(s, np.maximum.accumulate(x))),
        ("s @= min(x[i])", "f64", "scan_min_pd", lambda x, s: np.minimum(s, np.minimum.accumulate(x))),
    ],
)
def test_running_results_are_those_of_numpy(how: str, reduction: str, typ: str, steps: str, numpy, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    p = scan_schedule(scan(reduction, typ), "i")
    assert str(p).count(f"mm512_{steps}(") == (4 if typ == "f32" else 3)
    run = kernel(p, how, tmp_path)
    rng = np.random.default_rng(0)
    for n in SIZES:
        x = rng.choice([-2.0, -1.0, 1.0, 2.0], n).astype(typ.replace("f", "float"))  # whose sums and products are exact
        y, s = np.empty_like(x), np.full((), 0.5, x.dtype)
        expected = numpy(x, s.copy())
        run(n, x, y, s)
        assert np.array_equal(y, expected) and s == expected[-1]


def test_other_loops_are_refused() -> None:
    with pytest.raises(SchedulingError, match="does not begin with a reduction by"):
        scan_schedule(scan("s ^= x[i]", "i32"), "i")


@pytest.mark.parametrize("how", HOW)
def test_a_filter_in_place_is_vector_code_once_its_counter_is_bounded(how: str, tmp_path: Path) -> None:
    p = proc_from_source("""\
def positive(n: size, x: f32[n], kept: i64):
    assert n <= 2147483647
    kept = 0
    for i in seq(0, n):
        t: f32
        t = x[i]
        keep: i32
        keep = select(0.0, t, 1, 0)
        x[idx(kept, 0, n)] = t
        kept += select(0, keep, 1, 0)
""")
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="cut")
    for name in ("t", "keep"):
        p = set_memory(lift_alloc(expand_dim(p, name, 16, "ii"), name), name, AVX512)
    with pytest.raises(SchedulingError, match="does not commute"):
        fission(p, p.find("keep[_] = _").after())
    p = bound_counter(p, "idx(kept, _, _)")
    p = fission(p, p.find("keep[_] = _").after())
    p = bound_counter(p, "idx(kept, _, _)", 0, "16 * io + 16")
    p = replace(p, p.find("x[_] = _").parent(), isa.mm512_filter_ps)
    p = simplify(vectorize(p, "ii", 16, AVX512, isa.for_lanes(16))[0])
    assert "mm512_filter_ps(16 * io + 16, kept, x[0:16 * io + 16], t[0:16], keep[0:16])" in str(p)
    run = kernel(p, how, tmp_path)
    for n in SIZES:
        x, kept = np.random.default_rng(n).standard_normal(n).astype(np.float32), np.zeros((), np.int64)
        expected = x[x > 0]
        run(n, x, kept)
        assert np.array_equal(x[: int(kept)], expected)
