"""`bound` and `align_bounds` in compiled code: as many places as they say, and what breaks them is refused at once."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from usl_c11.compiler import find_compiler
from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang.library import c_files

x = hl.Var("x")


def two(distance: int = 2) -> tuple[Any, Any]:
    """g, at root, and f, which reads it at two places."""
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x * x
    f[x] = g[x] + g[x + distance]
    return g, f


def check(f: Any, window: tuple[int, int]) -> None:
    assert (np.asarray(f.realize([window])) == f.interpret([window])).all()


def refused(f: Any, window: tuple[int, int], places: str) -> None:
    with pytest.raises(UslError, match=f"the places {places} are needed of") as caught:
        f.realize([window])
    assert caught.value.code == "E775" and caught.value.span is not None and caught.value.span.file == __file__


def test_an_output_has_the_places_of_its_bound_and_no_others() -> None:
    _, f = two()
    f.bound(x, -2, 4).unroll(x)
    assert str(f.procedure()).count(" f[") == 4
    check(f, (-2, 4))
    for low, count in ((-2, 8), (-2, 2), (0, 4)):
        refused(f, (low, count), f"{low}:{low + count}")


def test_a_local_func_has_the_places_of_its_bound() -> None:
    g, f = two()
    g.bound(x, -2, 12)
    assert "seq(0, 12)" in str(f.procedure())
    check(f, (-2, 10))
    check(f, (1, 3))
    refused(f, (-2, 11), "-2:11")
    refused(f, (-3, 4), "-3:3")


def test_an_extent_alone_begins_where_it_is_needed() -> None:
    g, f = two(1)
    g.bound_extent(x, 8).vectorize(x, 4)
    for low in (-5, 3):
        check(f, (low, 7))
        refused(f, (low, 8), f"{low}:{low + 9}")


def test_places_are_aligned() -> None:
    g, f = two()
    g.align_bounds(x, 8, 1)
    f.align_bounds(x, 4, 3)
    for window in ((3, 8), (-1, 4), (7, 16)):
        check(f, window)
    refused(f, (0, 8), "0:8")
    refused(f, (3, 7), "3:10")


def test_a_bound_may_be_a_parameter() -> None:
    g, f = two()
    p = hl.Param(hl.Int(32), "p", 12)
    g.bound(x, 0, p)
    check(f, (0, 10))
    p.set(5)
    check(f, (0, 3))
    refused(f, (0, 4), "0:6")


def test_a_bound_that_no_window_keeps_is_refused_when_it_is_compiled() -> None:
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x
    f[x] = g[hl.clamp(x, 0, 20)] + g[30]
    g.compute_root().bound(x, 0, 20)
    with pytest.raises(UslError, match="needed beyond what is asserted") as caught:
        f.procedure()
    assert caught.value.code == "E775"


def test_no_such_dimension_and_no_such_number() -> None:
    for act, message in (
        (lambda f: f.bound("q", 0, 4), "f has no variable q; it has x"),
        (lambda f: f.bound(x, 0, x), "x is no number, nor one of"),
        (lambda f: f.align_bounds(x, 0), "the modulus must be a positive number"),
    ):
        _, f = two()
        act(f)
        with pytest.raises(UslError, match=message) as caught:
            f.procedure()
        assert caught.value.code == "E777"


def test_a_c_entry_says_which_places_a_bound_leaves_out(tmp_path: Path) -> None:
    g, f = two()
    g.bound(x, 0, 8)
    for name, text in c_files(hl.Pipeline(f), "entry").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [*find_compiler().command, "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "entry.c"]
    subprocess.run([*command, "entry_kernel.c", "-lm", "-o", "entry.so"], check=True, cwd=tmp_path)
    library = ctypes.CDLL(str(tmp_path / "entry.so"))
    library.entry_error.restype = ctypes.c_char_p
    values, needed = np.zeros(6, np.int32), (ctypes.c_int64 * 4)()

    def run(low: int, count: int) -> int:
        buffer = (ctypes.c_int64 * 25)(values.ctypes.data, low, count, 1)
        return int(library.entry(buffer, needed))

    assert run(0, 6) == 0 and values.tolist() == [4, 10, 20, 34, 52, 74]
    status = run(1, 6)
    assert library.entry_error(status) == b"a bound of the schedule does not hold" and list(needed)[2:] == [1, 8]
