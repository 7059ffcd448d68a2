"""Matrix products: every shape is right to the bound of theory, nothing outside is read or written, bad input is named."""

from __future__ import annotations

import ctypes
import itertools
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from avx512_build import require
from avx512_drivers import SANITIZED, execute, gemm

from usl_avx512 import kernels_algorithms
from usl_avx512.gemm import DOUBLE, SINGLE, Blocking, gemm_schedule
from usl_avx512.gemm.bands import ROWS, ROWS_FAR
from usl_avx512.gemm.blocks import InC, from_memory, in_bands, of_short_sums, plain_loops
from usl_avx512.gemm.columns import into_columns
from usl_avx512.gemm.outer import outer, outer_together
from usl_avx512.gemm.tiles import AHEAD
from usl_avx512.kernels import dgemm, sgemm, sources
from usl_avx512.kernels.__main__ import main
from usl_avx512.kernels.level3_library import ROUTINES, arguments, entry_name, gemm_path
from usl_core import Procedure
from usl_core.interp.run import run

NAMES = ("usl_sgemm", "usl_dgemm")
ARGUMENTS = arguments("gemm")
DTYPES = {"usl_sgemm": np.float32, "usl_dgemm": np.float64}
MULTIPLY = {"usl_sgemm": sgemm, "usl_dgemm": dgemm}
EDGES = "0,1,5,7,8,9,16,23,33,48,64,67"
"""Sizes on both sides of registers, tiles and panels, in either precision; `python -m bench.drivers gemm` runs all up to 70."""


@pytest.fixture(autouse=True)
def _needs_the_processor() -> None:
    require("native")


# ---- from C


@pytest.mark.parametrize("name", NAMES)
def test_products_of_all_shapes_are_within_the_error_bound(name: str, tmp_path: Path) -> None:
    program = gemm(name, tmp_path)
    execute(program, "list", EDGES)
    execute(program, "random", "6", "400")
    execute(program, "list", "130,700")


@pytest.mark.parametrize("name", NAMES)
def test_sanitizers_find_no_access_outside_and_no_undefined_behaviour(name: str, tmp_path: Path) -> None:
    program = gemm(name, tmp_path, SANITIZED)
    execute(program, "list", "1,7,17,33,70")
    execute(program, "list", "257,530")


@pytest.mark.parametrize("name", NAMES)
def test_the_entry_names_the_first_bad_argument_and_writes_nothing(name: str) -> None:
    function = ctypes.CDLL(str(gemm_path(name)))[name]
    a, b, c = (np.ones((8, 8), DTYPES[name]) for _ in range(3))

    def status(**changed: Any) -> int:
        data = (1.0, a.ctypes.data, 8, b.ctypes.data, 8, 1.0, c.ctypes.data, 8)
        values: dict[str, Any] = dict(zip(ARGUMENTS, (111, 112, 8, 8, 8, *data), strict=True))
        values |= changed
        types = {
            "A": ctypes.c_void_p,
            "B": ctypes.c_void_p,
            "C": ctypes.c_void_p,
            "transA": ctypes.c_int,
            "transB": ctypes.c_int,
        }
        real = ctypes.c_float if name == "usl_sgemm" else ctypes.c_double
        types |= {"alpha": real, "beta": real}
        return int(function(*(types.get(key, ctypes.c_int64)(value) for key, value in values.items())))

    for option in ("transA", "transB"):
        assert [status(**{option: value}) for value in (0, 110, 114)] == [ARGUMENTS.index(option) + 1] * 3

    for size in "MNK":
        assert [status(**{size: value}) for value in (-1, 2**31, -(2**63))] == [ARGUMENTS.index(size) + 1] * 3
    for matrix in "ABC":
        assert status(**{matrix: None}) == ARGUMENTS.index(matrix) + 1
        distance = f"ld{matrix.lower()}"
        assert [status(**{distance: value}) for value in (7, 0, -8, 2**62)] == [ARGUMENTS.index(distance) + 1] * 4
    for other in (a, b):
        assert status(C=other.ctypes.data) == status(C=other.ctypes.data + 63 * other.itemsize) == 12
    assert status(M=-1, K=-1, A=None) == 3
    assert (c == 1).all() and (a == 1).all() and (b == 1).all()
    assert [status(**{size: 0, "A": None, "B": None, "C": None}) for size in "MNK"] == [0, 0, 12]
    assert status(K=0, A=None, B=None) == 0
    assert (c == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_library_exports_its_entries_alone(name: str) -> None:
    listed = subprocess.run(["nm", "-D", "--defined-only", gemm_path(name)], capture_output=True, text=True, check=True)
    assert {line.split()[-1] for line in listed.stdout.splitlines()} == {entry_name(routine, name) for routine in ROUTINES}


def test_unknown_products_are_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no matrix product is called 'sgemm'; there are usl_sgemm"):
        gemm_path("sgemm")


# ---- from Python


def small_integers(random: np.random.Generator, dtype: Any, *shape: int) -> np.ndarray:
    """Matrices whose products and sums are exact."""
    return random.integers(-8, 9, shape).astype(dtype)


@pytest.mark.parametrize(("name", "threads"), [("usl_sgemm", 1), ("usl_dgemm", 1), ("usl_sgemm", 2)])
def test_windows_of_larger_arrays_are_multiplied_in_place(name: str, threads: int) -> None:
    random = np.random.default_rng(3)
    for m, n, k in ((1, 1, 1), (40, 30, 20), (15, 200, 600), (131, 67, 1100), (300, 1100, 60), (260, 3200, 9)):
        whole = small_integers(random, DTYPES[name], m + 2, n + 5)
        a, b = small_integers(random, DTYPES[name], 2 * m, k)[::2], small_integers(random, DTYPES[name], k, n + 3)[:, 1 : n + 1]
        want = whole.copy()
        want[1 : m + 1, 2 : n + 2] += a @ b
        MULTIPLY[name](a, b, whole[1 : m + 1, 2 : n + 2], threads=threads)
        assert np.array_equal(whole, want), (m, n, k)


@pytest.mark.parametrize("name", NAMES)
def test_transposed_matrices_are_multiplied_where_they_are(name: str) -> None:
    """All ways that sizes go: vectors, rows with rows, columns, small copies, panels, blocks of rows and of the sum, a
    matrix of more than 6 MB for few rows."""
    random = np.random.default_rng(5)
    shapes = (
        (1, 40, 33),
        (40, 1, 30),
        (20, 30, 1),
        (7, 200, 100),
        (200, 7, 100),
        (70, 65, 33),
        (190, 700, 600),
        (17, 1200, 40),
        (13, 1130, 1500),
    )
    for (m, n, k), ta, tb, tc in itertools.product(shapes, (False, True), (False, True), (False, True)):
        a, b, c = (
            small_integers(random, DTYPES[name], *(shape[::-1] if turned else shape))
            for shape, turned in (((m, k), ta), ((k, n), tb), ((m, n), tc))
        )
        out = c.T if tc else c
        want = 2 * ((a.T if ta else a) @ (b.T if tb else b)) - 3 * out
        MULTIPLY[name](a.T if ta else a, b, out, alpha=2.0, beta=-3.0, transB=tb)
        assert np.array_equal(out, want), (m, n, k, ta, tb, tc)


WAYS = (
    (1, 33, 16), (1, 47, 17), (1, 64, 9), (1, 100, 40), (1, 128, 15),  # rows with narrow matrices, whose sums are in registers
    (1, 129, 1), (1, 257, 11), (1, 1024, 2), (1, 1024, 14), (1, 2048, 9),  # and with wide ones: eight rows at a time, or six
    (1, 2, 70), (1, 3, 50), (1, 4, 33),  # and columns in parts, where there are no gaps
    (1, 40, 70), (14, 1, 64), (13, 1, 128), (9, 1, 1024), (7, 1, 130),  # sums of six rows, or of eight
    (17, 1, 8), (40, 1, 7), (40, 1, 9), (20, 1, 1),  # columns of short sums
    (3, 1030, 1), (2, 1024, 1), (18, 512, 1), (35, 300, 1), (40, 100, 1), (9, 24, 1),  # one term
    (2, 300, 4), (3, 256, 7), (4, 191, 20), (5, 192, 20), (6, 200, 21), (7, 96, 5), (9, 1024, 8), (1, 640, 2),  # bands of rows
    (8, 17, 65), (9, 33, 70), (20, 49, 66), (9, 9, 65), (8, 25, 80),  # a column more than fills registers
    (5, 192, 128), (5, 193, 129), (2, 97, 127), (7, 200, 300),  # blocks of a transposed B
    (13, 2049, 12), (3, 2048, 3), (5, 1025, 11), (3, 512, 13),  # with short sums
    (4, 6, 64), (4, 8, 33), (3, 8, 64), (8, 100, 128), (2, 9, 48), (1, 9, 31),  # sums of whole rows, in eights and beside them
    (2, 64, 20), (3, 100, 20), (2, 130, 9), (3, 47, 30),  # few rows
)  # fmt: skip
"""Sizes on both sides of what decides between ways."""


@pytest.mark.parametrize("name", NAMES)
def test_sizes_on_both_sides_of_every_edge_give_exact_products_in_every_layout(name: str) -> None:
    random, dtype = np.random.default_rng(23), DTYPES[name]
    sizes = [tuple(map(int, random.integers(1, 41, 3))) for _ in range(300)]
    for (m, n, k), ta, tb in itertools.product((*WAYS, *sizes), (False, True), (False, True)):
        apart = int(random.integers(0, 3))
        a, b = (
            small_integers(random, dtype, rows, columns + apart)[:, apart:]
            for rows, columns in ((k, m) if ta else (m, k), (n, k) if tb else (k, n))
        )
        whole = small_integers(random, dtype, m + 2, n + apart + 1)
        want, out = whole.copy(), whole[1 : m + 1, apart : n + apart]
        product = (a.T if ta else a) @ (b.T if tb else b)
        alpha, beta = ((1.0, 1.0), (2.0, -3.0), (-1.0, 0.0))[int(random.integers(0, 3))]
        want[1 : m + 1, apart : n + apart] = alpha * product + (beta * out if beta else 0)
        if not beta:
            out[...] = np.nan
        MULTIPLY[name](a, b, out, alpha=alpha, beta=beta, transA=ta, transB=tb)
        assert np.array_equal(whole, want), (m, n, k, ta, tb, alpha, beta)


@pytest.mark.parametrize("name", NAMES)
def test_short_sums_for_a_result_that_no_cache_holds_are_exact(name: str) -> None:
    random, dtype = np.random.default_rng(29), DTYPES[name]
    m, n = (21 << 20) // (2050 * dtype().itemsize) + 1, 2050
    for k, beta, turned in ((1, 0.0, False), (3, 0.0, False), (3, 1.0, True)):
        a, b = small_integers(random, dtype, m, k), small_integers(random, dtype, *((n, k) if turned else (k, n)))
        c = np.full((m, n), 3, dtype)
        MULTIPLY[name](a, b, c, alpha=2.0, beta=beta, transB=turned)
        assert np.array_equal(c, 2 * (a @ (b.T if turned else b)) + 3 * beta), (k, beta)


def test_what_a_factor_of_zero_stands_before_is_not_read() -> None:
    a, b, c = (np.full((9, 9), np.nan, np.float32) for _ in range(3))
    sgemm(a, b, c, alpha=0.0, beta=0.0)
    assert (c == 0).all()
    a[:], b[:], c[:] = 1, 1, np.nan
    sgemm(a, b, c, beta=0.0)
    assert (c == 9).all()
    c[:] = 2
    sgemm(a[:, :0], b[:0], c, beta=3.0)
    assert (c == 6).all()


def test_columns_of_one_array_beside_each_other_do_not_overlap() -> None:
    array = np.ones((10, 30), np.float32)
    sgemm(array[:, :10], array[:, 10:20], array[:, 20:])
    assert (array[:, 20:] == 11).all() and (array[:, :20] == 1).all()
    with pytest.raises(ValueError, match="shares memory"):
        sgemm(array[:, :10], array[:, 10:20], array[:, 15:25])


def test_bad_arrays_are_refused_with_what_to_do() -> None:
    a, b, c = (np.ones((4, 4), np.float32) for _ in range(3))
    frozen = np.ones((4, 4), np.float32)
    frozen.flags.writeable = False
    odd = np.zeros(200, np.uint8)[1:65].view(np.float32).reshape(4, 4)
    for arrays, error, message in (
        ((a.astype(np.float64), b, c), TypeError, "A must be of dtype float32, not float64"),
        ((a, [[1.0]], c), TypeError, "B must be a NumPy array, not list"),
        ((a, b[0], c), ValueError, "B must have two dimensions, not 1"),
        ((a, b[:3], c), ValueError, "B must have 4 rows, not 3"),
        ((a, b, c[:3]), ValueError, "C must be 4 x 4"),
        ((a, np.ones((4, 8), np.float32)[:, ::2], c), ValueError, "a row of B, or of a column, must be next to each other"),
        ((a, b[::-1], c), ValueError, "rows of B go backwards; copy it"),
        ((a, np.broadcast_to(b[0], (4, 4)), c), ValueError, r"rows of B overlap \(stride 0 bytes\)"),
        ((a, np.asfortranarray(b)[:, ::-1], c), ValueError, r"columns of B go backwards"),
        ((a, b, frozen), ValueError, "read-only"),
        ((odd, b, c), ValueError, "elements of A do not lie at multiples of 4 bytes"),
        ((c, b, c), ValueError, "C shares memory with A or B"),
    ):
        with pytest.raises(error, match=message):
            sgemm(*arrays)  # type: ignore[arg-type]
    for options, error, message in (
        ({"alpha": "1"}, TypeError, "alpha must be a real number"),
        ({"beta": 1e39}, ValueError, "beta is 1e\\+39, out of the range of float32"),
        ({"transA": 112}, TypeError, "transA must be True or False, not 112"),
        ({"transB": "T"}, TypeError, "transB must be True or False, not 'T'"),
    ):
        with pytest.raises(error, match=message):
            sgemm(a, b, c, **options)  # type: ignore[arg-type]
    for threads, error, message in (
        (0, ValueError, "threads must be at least 1, not 0"),
        *((wrong, TypeError, "integer or None") for wrong in (1.5, "2", True)),
    ):
        with pytest.raises(error, match=message):
            sgemm(a, b, c, threads=threads)  # type: ignore[arg-type]
    assert (c == 1).all()
    sgemm(np.ones((4, 0), np.float32), np.ones((0, 4), np.float32), c)
    assert (c == 1).all()


# ---- the schedule


@pytest.mark.parametrize(
    ("name", "lanes"), [("gemm", SINGLE), ("gemm", DOUBLE), ("gemm_tn", SINGLE), ("gemm_nt", DOUBLE), ("gemm_tt", SINGLE)]
)
def test_the_schedule_means_the_same_to_the_interpreter_whichever_way_sizes_go(name: str, lanes: Any) -> None:
    blocking = Blocking(
        m=12, n=2 * lanes.panel, k=5, few_rows=2, many_rows=12, short_sum=2, wide=3 * lanes.panel * 16 // lanes.count, small=0
    )
    fast: Procedure = gemm_schedule(getattr(kernels_algorithms, name), lanes, blocking)
    dtype, random = np.float32 if lanes is SINGLE else np.float64, np.random.default_rng(7)
    for m, n, k in (
        (1, 3, 2),
        (14, lanes.panel + 3, 6),
        (2, 2 * lanes.panel + 1, 5),
        (9, lanes.panel - 1, 4),
        (5, 3 * lanes.panel + 2, 2),
    ):
        a, b, c = (small_integers(random, dtype, *shape) for shape in ((m, k), (k, n), (m, n)))
        want = c + 2 * (a @ b)
        turned = (array.T.copy() if name[5:][i : i + 1] == "t" else array for i, array in enumerate((a, b)))
        run(fast.ir, [m, n, k, 2.0, *turned, c], mode="machine")
        assert np.array_equal(c, want), (m, n, k)


@pytest.mark.parametrize(("lanes", "turned", "rows"), [(SINGLE, True, ROWS), (DOUBLE, False, ROWS_FAR)])
def test_bands_of_rows_mean_the_same_to_the_interpreter(lanes: Any, turned: bool, rows: int) -> None:
    fast = of_short_sums(plain_loops(lanes, turned, InC.EITHER), lanes, False, in_bands(lanes, turned, InC.EITHER, rows)).fast
    dtype, random = np.float32 if lanes is SINGLE else np.float64, np.random.default_rng(17)
    far_apart = 1024 * lanes.count // 16  # of which a copy is made
    panel, shapes = lanes.panel, [(m, lanes.panel, 1, 0) for m in (1, 2, 3, rows + 1, rows + 2)]
    for m, n, k, ld in (*shapes, (9, panel + 3, 5, far_apart), (5, 2 * panel, 2, 0), (2, 5, 3, 0)):
        a, b, c = (small_integers(random, dtype, *shape) for shape in ((m, k), (k, max(n, ld)), (m, n)))
        for before, old in ((1, c), (0, np.full_like(c, np.nan))):
            want, out = 2 * (a @ b[:, :n]) + (c if before else 0), old.copy()
            run(fast.ir, [m, n, k, before, 2.0, a.T.copy() if turned else a, b[:, :n], out], mode="machine")
            assert np.array_equal(out, want), (m, n, k, before)


@pytest.mark.parametrize(("lanes", "fast"), [(SINGLE, outer), (DOUBLE, outer_together)])
def test_outer_products_mean_the_same_to_the_interpreter(lanes: Any, fast: Any) -> None:
    dtype, random = np.float32 if lanes is SINGLE else np.float64, np.random.default_rng(19)
    for m, n in ((1, 1), (3, 2 * lanes.count), (17, lanes.count + 3), (8, lanes.count - 1)):
        x, y, c = (small_integers(random, dtype, *shape) for shape in ((2 * m,), (n,), (m, n)))
        for before, old in ((1, c), (0, np.full_like(c, np.nan))):
            out = old.copy()
            run(fast(lanes).ir, [m, n, before, 2.0, x[::2], y, out], mode="machine")
            assert np.array_equal(out, 2 * np.outer(x[::2], y) + (c if before else 0)), (m, n, before)


@pytest.mark.parametrize(("lanes", "turned"), [(SINGLE, True), (DOUBLE, False)])
def test_columns_of_the_result_mean_the_same_to_the_interpreter_in_blocks_and_beside_them(lanes: Any, turned: bool) -> None:
    fast = into_columns(lanes, turned)
    dtype, random = np.float32 if lanes is SINGLE else np.float64, np.random.default_rng(11)
    for m, n, k in ((1, 1, 1), (33, 3, 2), (2, 8 * lanes.count + 1, 3)):
        a, b, c = (small_integers(random, dtype, *shape) for shape in ((m, k), (k, n), (n, m)))
        want = c + 2 * (a @ b).T
        run(fast.ir, [m, n, k, 1, 2.0, a.T.copy() if turned else a, b, c], mode="machine")
        assert np.array_equal(c, want), (m, n, k)
        c[...] = np.nan
        run(fast.ir, [m, n, k, 0, 2.0, a.T.copy() if turned else a, b, c], mode="machine")
        assert np.array_equal(c, 2 * (a @ b).T), (m, n, k)


@pytest.mark.parametrize(("lanes", "turned"), [(SINGLE, False), (DOUBLE, True)])
def test_a_matrix_that_comes_from_memory_means_the_same_to_the_interpreter(lanes: Any, turned: bool) -> None:
    fast = from_memory(lanes, turned)
    dtype, random = np.float32 if lanes is SINGLE else np.float64, np.random.default_rng(13)
    for m, n, k in ((2, lanes.panel + 3, AHEAD + 2), (7, lanes.panel, 3)):
        a, b, c = (small_integers(random, dtype, *shape) for shape in ((m, k), (k, n), (m, n)))
        want = c + 2 * (a @ b)
        run(fast.ir, [m, n, k, 2.0, a.T.copy() if turned else a, b, c], mode="machine")
        assert np.array_equal(c, want), (m, n, k)


def test_importing_the_kernels_builds_nothing() -> None:
    code = "import sys, usl_avx512.kernels; sys.exit('usl_avx512.gemm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_another_process_finds_the_built_library_without_scheduling() -> None:
    path = gemm_path("usl_sgemm")
    code = (
        "import sys; from usl_avx512.kernels.level3_library import gemm_path; print(gemm_path('usl_sgemm')); "
        "sys.exit('usl_avx512.gemm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(path)


def test_kernels_are_built_ahead_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    gemm_path("usl_sgemm")
    assert main(["sgemm"]) == 0
    assert re.fullmatch(r"sgemm \.\.\. \d+\.\d s\n", capsys.readouterr().out)
    with pytest.raises(SystemExit):
        main(["sgemm", "usl_sgemm"])
    assert "no routine is called usl_sgemm; there are sgemm, dgemm" in capsys.readouterr().err


def test_the_digest_of_the_sources_follows_their_names_and_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sources, "PACKAGES", ("usl_sources_under_test",))
    package = tmp_path / "usl_sources_under_test"
    package.mkdir()
    seen = set()
    for file, text in (("__init__.py", ""), ("a.py", "x = 1"), ("a.py", "x = 2"), ("b.c", "x = 2"), ("notes.txt", "")):
        (package / file).write_text(text, encoding="utf-8")
        seen.add(sources.sources_digest.__wrapped__())
    assert len(seen) == 4
