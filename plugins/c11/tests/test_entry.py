"""What an exported function says about arguments that break its conditions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import c11_kernels as kernels
import cffi
import numpy as np
import pytest
from c11_compile import require, run_program, write

from usl_c11.build import build
from usl_c11.emit import library
from usl_core.ir.nodes import Proc
from usl_core.ir.types import ControlType, ScalarType, TensorType


def declarations(proc: Proc) -> str:
    """The entry's declaration for cffi, of a procedure of f32. `const` does not matter there."""
    structs: dict[str, str] = {}
    formals = []
    for arg in proc.args:
        match arg.type:
            case ControlType() as typ:
                formals.append("bool" if typ.name == "bool" else "int64_t")
            case TensorType(shape=shape, window=True):
                tag = f"window_{len(shape)}f32"
                structs[tag] = f"struct {tag} {{ float *data; ptrdiff_t strides[{len(shape)}]; }};"
                formals.append(f"struct {tag}")
            case TensorType() | ScalarType():
                formals.append("float *")
    entry = f"int {proc.name}({', '.join(formals)});"
    return "\n".join([*structs.values(), entry, f"const char *{proc.name}_error(int status);"])


class Loaded:
    """An exported function as C sees it: nothing is checked on the way."""

    def __init__(self, proc: Proc, folder: Path, flags: tuple[str, ...] = ()) -> None:
        self.ffi = cffi.FFI()
        self.ffi.cdef(declarations(proc))
        self.lib = self.ffi.dlopen(str(build([proc], "lib", folder, flags=flags)))
        self.name = proc.name

    def __call__(self, *args: Any) -> str:
        """The sentence of the status that the call returns."""
        status = getattr(self.lib, self.name)(*args)
        text = self.ffi.string(getattr(self.lib, f"{self.name}_error")(status))
        assert isinstance(text, bytes)
        return text.decode()

    def floats(self, array: Any, offset: int = 0) -> Any:
        return self.ffi.cast("float *", array.ctypes.data + 4 * offset)

    def window(self, array: Any, *strides: int, offset: int = 0) -> Any:
        struct = self.ffi.new(f"struct window_{len(strides)}f32 *", (self.floats(array, offset), list(strides)))
        return struct[0]


@pytest.fixture(scope="module")
def sgemm(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(kernels.SGEMM, tmp_path_factory.mktemp("sgemm"))


@pytest.fixture(scope="module")
def tiles(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(kernels.TILES, tmp_path_factory.mktemp("tiles"))


def zeros(count: int) -> Any:
    return np.zeros(count, np.float32)


def test_a_legal_call_succeeds(sgemm: Loaded) -> None:
    a, b, c = zeros(6) + 1, zeros(12) + 2, zeros(8)
    assert sgemm(2, 4, 3, sgemm.floats(a), sgemm.floats(b), sgemm.floats(c)) == "success"
    assert c.tolist() == [6.0] * 8


@pytest.mark.parametrize("size", [0, -1, 2**31, 2**63 - 1])
def test_sizes_out_of_range_are_named(sgemm: Loaded, size: int) -> None:
    x = sgemm.floats(zeros(64))
    assert sgemm(1, size, 1, x, x, x) == "N must be between 1 and 2147483647"


def test_null_pointers_are_named(sgemm: Loaded) -> None:
    x, y = zeros(64), zeros(64)
    assert sgemm(1, 1, 1, sgemm.floats(x), sgemm.ffi.NULL, sgemm.floats(y)) == "B must not be NULL"


def test_buffers_beyond_ptrdiff_max_are_refused_before_any_arithmetic_overflows(sgemm: Loaded) -> None:
    x = sgemm.floats(zeros(64))
    assert "size in bytes must fit PTRDIFF_MAX" in sgemm(2**31 - 1, 1, 2**31 - 1, x, x, x)


def test_a_written_buffer_may_overlap_no_other(sgemm: Loaded) -> None:
    x = zeros(64)
    assert sgemm(2, 2, 2, sgemm.floats(x), sgemm.floats(x, 16), sgemm.floats(x, 3)) == "A and C must not overlap"
    assert sgemm(2, 2, 2, sgemm.floats(x), sgemm.floats(x, 16), sgemm.floats(x, 19)) == "B and C must not overlap"


def test_buffers_that_are_only_read_may_overlap(sgemm: Loaded) -> None:
    x, y = zeros(64), zeros(64)
    assert sgemm(2, 2, 2, sgemm.floats(x), sgemm.floats(x, 1), sgemm.floats(y)) == "success"


def test_assertions_are_tested_strides_included(tiles: Loaded) -> None:
    a, out, s = zeros(64 * 4), zeros(64 * 16), zeros(1)
    args = tiles.floats(a), tiles.window(out, 64, 1), tiles.floats(s)
    assert tiles(3, *args) == "the assertion `n % 4 == 0` must hold"
    assert tiles(4, args[0], tiles.window(out, 64, 2), args[2]) == "the assertion `stride(out, 1) == 1` must hold"
    assert tiles(4, *args) == "success"


COPY = kernels.parse("""
def copy(n: size, m: size, src: [f32][n, m], dst: [f32][n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            dst[i, j] = src[i, j]
""")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return Loaded(COPY, tmp_path_factory.mktemp("copy"))


def test_windows_into_different_columns_of_one_array_are_disjoint(copy: Loaded) -> None:
    x = np.arange(80, dtype=np.float32)
    left, right = copy.window(x, 8, 1), copy.window(x, 8, 1, offset=4)
    assert copy(10, 4, left, right) == "success"
    assert x.reshape(10, 8)[:, 4:].tolist() == x.reshape(10, 8)[:, :4].tolist()
    assert copy(10, 5, left, copy.window(x, 8, 1, offset=4)) == "src and dst must not overlap"
    assert copy(9, 4, copy.window(x, 8, 1, offset=6), copy.window(x, 8, 1, offset=2)) == "success"


def test_windows_with_negative_strides_are_placed_correctly(copy: Loaded) -> None:
    x = np.arange(16, dtype=np.float32)
    assert copy(1, 8, copy.window(x, 1, -1, offset=15), copy.window(x, 1, 1)) == "success"
    assert x.tolist() == [*range(15, 7, -1), *range(8, 16)]
    assert copy(1, 8, copy.window(x, 1, -1, offset=14), copy.window(x, 1, 1)) == "src and dst must not overlap"


def test_windows_whose_strides_exceed_the_address_space_are_refused(copy: Loaded) -> None:
    x = zeros(16)
    answer = copy(3, 3, copy.window(x, 2**61, 1), copy.window(x, 1, 1))
    assert answer.startswith("the extents of src must be at least 1")


def test_aliasable_arguments_may_overlap(tmp_path: Path) -> None:
    from usl_core.ir.traverse import update

    inplace = Loaded(update(COPY, aliasable=("src", "dst")), tmp_path)
    x = zeros(16)
    assert inplace(2, 4, inplace.window(x, 4, 1), inplace.window(x, 4, 1)) == "success"


def test_compiled_out_checks_are_really_gone(tmp_path: Path) -> None:
    unchecked = Loaded(kernels.CHECKED, tmp_path, ("-DUSL_NO_ENTRY_CHECKS",))
    x = zeros(4)
    assert unchecked(4, 2**40, unchecked.floats(x)) == "<string>:6: check failed: 0 <= k and k < n"


def test_a_failed_check_in_a_callee_is_reported_by_the_caller(tmp_path: Path) -> None:
    f = Loaded(kernels.CALLS_CHECKED, tmp_path)
    x = zeros(4) + 1
    assert f(2, f.floats(x)) == "<string>:6: check failed: 0 <= k and k < n"
    assert x.tolist() == [1, 1, 1, 1]
    assert f(4, f.floats(x)) == "success"
    assert x.tolist() == [3, 2, 2, 2]


ALLOCATIONS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib.h"
int live = 0, countdown = 0;
void *test_alloc(size_t alignment, size_t size);
void test_free(void *p);
void *test_alloc(size_t alignment, size_t size)
{
    (void)alignment;
    if (countdown-- == 0)
        return NULL;
    live++;
    return malloc(size);
}
void test_free(void *p)
{
    live -= p != NULL;
    (free)(p);
}
int main(void)
{
    float x[8] = {0};
    for (int failing = 0; failing < 3; failing++) {
        countdown = failing;
        printf("%s, %d left\\n", calls_checked_error(calls_checked(8, x)), live);
    }
    countdown = -1;
    printf("%s, %d left\\n", calls_checked_error(calls_checked(2, x)), live);
    return 0;
}
"""


def test_every_way_out_of_a_function_releases_what_it_holds(tmp_path: Path) -> None:
    write(library([kernels.CALLS_CHECKED], "lib").files, tmp_path)
    text = (tmp_path / "lib.c").read_text()
    text = text.replace(
        '#include "lib.h"\n',
        '#include "lib.h"\n#include <stdlib.h>\nvoid *test_alloc(size_t, size_t);\nvoid test_free(void *);\n',
    )
    text = text.replace("aligned_alloc(", "test_alloc(").replace(" free(", " test_free(")
    (tmp_path / "lib.c").write_text(text)
    main = tmp_path / "main.c"
    main.write_text(ALLOCATIONS)
    assert run_program(require("gcc"), [main, tmp_path / "lib.c"], []).stdout.splitlines() == [
        "calls_checked: out of memory for u, 0 left",
        "checked: out of memory for t, 0 left",
        "success, 0 left",
        "<string>:6: check failed: 0 <= k and k < n, 0 left",
    ]


PARALLEL_MAIN = """
#include <stdio.h>
#include "lib.h"
int main(void)
{
    static int32_t x[100 * 7], y[100];
    int32_t total = 5;
    for (int i = 0; i < 700; i++)
        x[i] = i * 1234567 % 1000003;
    int status = row_sums(100, 7, x, y, &total);
    uint32_t expected = 0;
    for (int i = 0; i < 700; i++)
        expected += (uint32_t)x[i] * (uint32_t)x[i];
    printf("%d %d\\n", status, total == (int32_t)expected);
    return 0;
}
"""


@pytest.mark.parametrize("flags", [[], ["-fopenmp"], ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]])
def test_parallel_loops_give_the_sequential_result_with_and_without_openmp(flags: list[str], tmp_path: Path) -> None:
    write(library([kernels.PARALLEL], "lib").files, tmp_path)
    (tmp_path / "main.c").write_text(PARALLEL_MAIN)
    answer = run_program(require("gcc"), [tmp_path / "main.c", tmp_path / "lib.c"], flags)
    assert answer.stdout == "0 1\n", answer.stderr
