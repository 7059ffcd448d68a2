"""Procedures as Python callables: results, and one clear error for each wrong argument or missing tool."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import c11_kernels as kernels
import numpy as np
import pytest

from usl_c11 import cache, cpu
from usl_c11 import compiler as compilers
from usl_c11.backend import C11
from usl_c11.jit import JitProcedure, jit
from usl_core import probe, proc_from_source
from usl_core.errors import BackendError, JitError


@pytest.fixture(scope="module")
def sgemm() -> JitProcedure:
    return jit(kernels.SGEMM)


def matrices() -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.random((5, 7), np.float32), rng.random((7, 3), np.float32), np.zeros((5, 3), np.float32)]


def test_a_matrix_product_is_that_of_numpy(sgemm: JitProcedure) -> None:
    a, b, c = matrices()
    sgemm(5, 3, 7, a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-6)


def test_arguments_may_be_given_by_name(sgemm: JitProcedure) -> None:
    a, b, c = matrices()
    sgemm(5, 3, 7, C=c, A=a, B=b)
    np.testing.assert_allclose(c, a @ b, rtol=1e-6)


def test_instructions_windows_and_scalars_work_together() -> None:
    tiles = jit(kernels.TILES)
    a = np.arange(4 * 64, dtype=np.float32).reshape(4, 64)
    big = np.zeros((8, 80), np.float32)
    tiles(4, a, big[::-2, 8:72], 3.0)
    expected = a.copy()
    expected[:, 4:8] = np.roll(expected[:, 4:8], -1, 1)[:, [3, 0, 1, 2]] * 3
    expected[:, 4:8] = a[:, 4:8] * 3
    expected[:, 60:64] *= 2.5
    np.testing.assert_array_equal(big[::-2, 8:72], expected)


def test_parallel_reductions_wrap_like_the_sequential_program() -> None:
    x = np.full((64, 16), 2**30 + 12345, np.int32)
    y, total = np.zeros(64, np.int32), np.zeros((), np.int32)
    jit(kernels.PARALLEL)(64, 16, x, y, total)
    with np.errstate(over="ignore"):
        assert total == (x * x).sum(dtype=np.int32)


def test_a_dropped_parallel_procedure_leaves_its_threads_alive() -> None:
    code = f"""if True:
        import sys, gc, time
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import numpy as np
        import c11_kernels as kernels
        from usl_c11.jit import jit
        for _ in range(20):
            jit(kernels.PARALLEL)(64, 16, np.ones((64, 16), np.int32), np.zeros(64, np.int32), np.zeros((), np.int32))
            gc.collect()
            time.sleep(0.01)
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_blur_of_full_range_data_is_exact() -> None:
    src = np.random.default_rng(1).integers(0, 65536, (34, 47), np.uint16)
    dst = np.zeros((32, 45), np.uint16)
    jit(kernels.BLUR)(32, 45, src, dst)
    nine = sum(src[dy : dy + 32, dx : dx + 45].astype(np.uint32) for dy in range(3) for dx in range(3))
    np.testing.assert_array_equal(dst, nine // 9)


def replaced(position: int, value: Any) -> list[Any]:
    args = [5, 3, 7, *matrices()]
    args[position] = value
    return args


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (replaced(0, 0), r"argument M must be between 1 and 2147483647, not 0"),
        (replaced(0, 2.0), r"argument M must be an integer, not 2.0 \(float\)"),
        (replaced(0, True), r"argument M must be an integer, not True \(bool\)"),
        (replaced(3, [[1.0]]), r"argument A must be a NumPy array of float32, not \[\[1.0\]\] \(list\)"),
        (replaced(3, matrices()[0].astype(np.float64)), r"argument A must be an array of float32, not of float64"),
        (replaced(3, matrices()[0].astype(">f4")), r"argument A must be an array of float32, not of >f4"),
        (replaced(3, matrices()[0].T), r"argument A must be an array of shape \(5, 7\), not of shape \(7, 5\)"),
        (replaced(3, np.zeros((7, 5), np.float32).T), r"argument A must be C-contiguous"),
        (replaced(5, np.broadcast_to(np.float32(0), (5, 3)).copy()[:, ::-1]), r"argument C must be C-contiguous"),
        (replaced(2, 6), r"argument A must be an array of shape \(5, 6\)"),
        ([5, 3, 7], r"lacks its argument A, B, C"),
        ([*replaced(0, 5), 1], r"takes 6 arguments .* 7 were given"),
    ],
)
def test_wrong_arguments_are_named_with_what_was_expected(sgemm: JitProcedure, args: list[Any], message: str) -> None:
    with pytest.raises(JitError, match=message):
        sgemm(*args)


def test_unknown_and_repeated_names_are_refused(sgemm: JitProcedure) -> None:
    with pytest.raises(JitError, match="has no argument D"):
        sgemm(*replaced(0, 5)[:5], D=1)
    with pytest.raises(JitError, match="got M twice"):
        sgemm(*replaced(0, 5)[:5], M=1)


def test_written_arrays_must_be_writeable_and_apart_from_the_others(sgemm: JitProcedure) -> None:
    a, b, c = matrices()
    c.flags.writeable = False
    with pytest.raises(JitError, match="argument C must be writeable, not a read-only array"):
        sgemm(5, 3, 7, a, b, c)
    square = np.ones((3, 3), np.float32)
    with pytest.raises(JitError, match="arguments A and C must not overlap"):
        sgemm(3, 3, 3, square, b[:3].copy(), square)
    sgemm(3, 3, 3, square, square, np.zeros((3, 3), np.float32))


def test_unaligned_arrays_are_refused(sgemm: JitProcedure) -> None:
    _, b, c = matrices()
    raw = np.zeros(5 * 7 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(5, 7)
    with pytest.raises(JitError, match="argument A must be aligned"):
        sgemm(5, 3, 7, raw, b, c)


def test_assertions_and_checks_are_reported_in_the_words_of_the_program() -> None:
    with pytest.raises(JitError, match="tiles: the assertion `n % 4 == 0` must hold"):
        jit(kernels.TILES)(3, np.zeros((3, 64), np.float32), np.zeros((3, 64), np.float32), 1.0)
    with pytest.raises(JitError, match="checked: <string>:6: check failed: 0 <= k and k < n"):
        jit(kernels.CHECKED)(4, 4, np.zeros(4, np.float32))


def test_an_assertion_that_gives_a_size_one_value_is_tested() -> None:
    """It is no fact for its own test, in whatever form it fixes the value."""
    assertions = ("n == 4", "4 == n", "n <= 4 and n >= 4", "n == k", "2 * n == 8 and n == 4", "n - k == 0 and k == 4", "k == n")
    procs = [
        kernels.parse(f"def fixed{i}(n: size, k: index, x: i32[n]):\n    assert {text}\n    assert k == 4\n    x[0] = 1\n")
        for i, text in enumerate(assertions)
    ]
    for fixed in [jit(proc) for proc in procs]:
        fixed(4, 4, np.zeros(4, np.int32))
        for n, k in ((8, 4), (2, 4), (4, 8), (4, -1)):
            with pytest.raises(JitError, match="the assertion"):
                fixed(n, k, np.zeros(n, np.int32))


SCALARS = kernels.parse("""
def scalars(a: i8, b: f32, flag: bool, out: f32):
    if flag:
        out = f32(a) * b
""")


def test_scalars_that_are_only_read_may_be_numbers() -> None:
    out = np.zeros((), np.float32)
    scalars = jit(SCALARS)
    scalars(-3, 0.5, True, out)
    assert out == -1.5
    scalars(np.int8(4), np.float32(2), np.bool_(True), out)
    assert out == 8
    scalars(np.array([5], np.int8), 1, False, out)
    assert out == 8


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((200, 1.0, True), r"argument a must be an integer from -128 to 127, not 200"),
        ((1.5, 1.0, True), r"argument a must be an integer from -128 to 127, not 1.5"),
        ((1, "x", True), r"argument b must be a number of type float32, not 'x' \(str\)"),
        ((1, np.float16(1), True), r"argument b must be a number of type float32, not a float16"),
        ((1, 1.0, 1), r"argument flag must be a bool, not 1 \(int\)"),
    ],
)
def test_wrong_scalars_are_refused(args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(JitError, match=message):
        jit(SCALARS)(*args, np.zeros((), np.float32))


def test_a_scalar_that_is_written_must_be_an_array() -> None:
    with pytest.raises(JitError, match=r"argument out must be an array of one float32, not 1.0 \(float\)"):
        jit(SCALARS)(1, 1.0, True, 1.0)


def test_windows_refuse_strides_that_are_no_elements_and_broadcast_results() -> None:
    scale = jit(kernels.SCALE)
    mixed = np.zeros(6, [("pad", np.uint16), ("x", np.float32)])["x"]
    with pytest.raises(JitError, match=r"aligned|multiples of its item size"):
        scale(1, 0, np.lib.stride_tricks.as_strided(mixed, (1, 4), (6, 6)), 1.0, True)
    row = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (3, 4), (0, 4))
    with pytest.raises(JitError, match="elements are distinct"):
        scale(3, 0, row, 1.0, True)


def test_the_cached_library_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = jit(kernels.SGEMM)
    monkeypatch.setattr("usl_c11.cache.compile_library", lambda *_: pytest.fail("compiled again"))
    assert jit(kernels.SGEMM).library == first.library


def test_other_flags_make_another_library() -> None:
    assert jit(kernels.SGEMM, flags=["-O1"]).library != jit(kernels.SGEMM).library


@pytest.mark.parametrize(
    ("cc", "message"),
    [
        ("no-such-compiler -O2", r"the C compiler of CC='no-such-compiler -O2' was not found"),
        ("'unbalanced", r"CC=\"'unbalanced\" is not a command"),
        ("false", r"--version` failed with status 1"),
    ],
)
def test_a_wrong_cc_is_reported_with_what_to_install(cc: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", cc)
    with pytest.raises(JitError, match=message) as caught:
        jit(kernels.SGEMM)
    assert any("install gcc or clang" in note for note in caught.value.notes)


def test_a_machine_without_compilers_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JitError, match="no C compiler found: CC is not set"):
        jit(kernels.SGEMM, flags=["-DNEVER_COMPILED_BEFORE"])


def test_a_cached_library_needs_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = jit(kernels.SGEMM)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    again = jit(kernels.SGEMM)
    assert again.library == first.library
    a, b, c = matrices()
    again(5, 3, 7, a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-6)


def test_cc_may_hold_arguments_and_no_shell_sees_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", f"gcc -DTEXT='\"; touch {tmp_path}/made'")
    assert jit(kernels.SCALE).library
    assert not (tmp_path / "made").exists()


def test_what_the_compiler_says_is_passed_on() -> None:
    broken = kernels.instruction("def broken(x: f32):\n    x = 0.0\n", "no_such_function({x.ptr}) oops")
    proc = kernels.parse("def f(x: f32):\n    broken(x)\n", broken=broken)
    with pytest.raises(JitError, match="failed on the C of f") as caught:
        jit(proc)
    assert any("oops" in note for note in caught.value.notes)


def test_an_unwritable_cache_is_one_warning_and_compiling_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path / "file"))
    cache._folder_of_process.cache_clear()
    with pytest.warns(RuntimeWarning, match="cannot write the build cache .* set USL_CACHE_DIR") as caught:
        first, second = jit(kernels.SGEMM), jit(kernels.SGEMM)
    assert len(caught) == 1
    assert first.library == second.library and Path(first.library).exists()


def test_a_full_disk_is_an_unwritable_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    cache._folder_of_process.cache_clear()
    build = cache._build

    def full(root: Path, *rest: Any) -> None:
        if root.is_relative_to(tmp_path):
            raise OSError(errno.ENOSPC, "No space left on device")
        build(root, *rest)

    monkeypatch.setattr(cache, "_build", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        jit(kernels.SGEMM)


def test_where_nothing_can_be_written_there_is_one_error_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setenv("USL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "_build", full)
    with pytest.raises(JitError, match="cannot write the build cache") as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jit(kernels.SGEMM)
    assert caught.value.notes[-1] == "set USL_CACHE_DIR to a folder that you may write"


def test_a_number_of_numpy_is_a_number() -> None:
    scale = kernels.parse("def scale(n: size, a: f32, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = a * x[i]\n")
    x = np.ones(3, np.float32)
    jit(scale)(np.int64(3), np.float64(0.1), x)
    assert (x == np.float32(0.1)).all()


def test_a_compiled_procedure_travels_to_another_process() -> None:
    text = "def twice(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 2.0 * x[i]\n"
    compiled = proc_from_source(text).jit(flags=["-O1"])
    code = "import sys, pickle, numpy as np; x = np.ones(3, np.float32); pickle.load(sys.stdin.buffer)(3, x); print(x.sum())"
    sent = pickle.dumps(compiled)
    result = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
    assert result.stdout.split() == [b"6.0"]


def test_an_unwritable_build_folder_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BackendError, match="cannot write to"):
        C11().build([kernels.SGEMM], "lib", tmp_path / "file")


def test_a_failed_build_leaves_no_files(tmp_path: Path) -> None:
    broken = kernels.instruction("def broken(x: f32):\n    x = 0.0\n", "oops oops")
    with pytest.raises(JitError):
        C11().build([kernels.parse("def f(x: f32):\n    broken(x)\n", broken=broken)], "lib", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_build_writes_the_sources_and_the_library(tmp_path: Path) -> None:
    shared = C11().build([kernels.SGEMM, kernels.BLUR], "lib", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lib.c", "lib.d", "lib.h", shared.name]


def needs(feature: str) -> Any:
    body = "def wide(x: f32):\n    x = 0.0\n"
    wide = kernels.instruction(body, "*{x.ptr} = 0.0f;", features=(feature,))
    return kernels.parse("def f(x: f32):\n    wide(x)\n", wide=wide)


def test_a_missing_cpu_feature_is_an_error_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "listed_features", lambda: frozenset({"sse2"}))
    with pytest.raises(JitError, match="this processor lacks avx512f, which the procedure's instructions or memories need"):
        jit(needs("avx512f"))


def test_cpu_features_are_found_whatever_their_spelling(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nflags\t\t: fpu sse4_2 avx512_vnni pni\n\nprocessor : 1\n")
    monkeypatch.setattr(probe, "CPUINFO", info)
    monkeypatch.delenv(probe.VARIABLE, raising=False)
    found = cpu.listed_features()
    assert found is not None and {"avx512vnni", "sse42", "sse3"} <= found
    assert cpu.has_feature("sse4.2", compilers.find_compiler())
    monkeypatch.setenv(probe.VARIABLE, "clang, avx512")
    assert cpu.listed_features() == found - {"avx512vnni"}


def test_the_feature_probe_agrees_with_the_list() -> None:
    if cpu.listed_features() is None:
        pytest.skip("this system lists no features")
    compiler = compilers.find_compiler()
    for feature in ("sse2", "avx2", "avx512f"):
        assert (cpu._probe(feature, compiler) and not probe.hidden(feature)) == cpu.has_feature(feature, compiler)


def test_features_reach_the_compiler_and_are_tested_in_the_file() -> None:
    from usl_c11.build import compile_flags
    from usl_c11.emit import library

    lib = library([needs("avx2")], "lib")
    assert "-mavx2" in compile_flags(lib, compilers.find_compiler())
    assert '#ifndef __AVX2__\n#error "compile this file with -mavx2"' in lib.files["lib.c"]


@pytest.mark.parametrize(("platform", "knows"), [("linux", True), ("freebsd14", True), ("darwin", False)])
def test_the_linker_gets_no_flag_that_it_does_not_know(platform: str, knows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries of macOS call their own functions by themselves."""
    from usl_c11.build import compile_flags
    from usl_c11.emit import library

    lib = library([kernels.SCALE], "lib")
    monkeypatch.setattr("sys.platform", platform)
    flags = compile_flags(lib, compilers.find_compiler())
    assert [flag for flag in flags if flag.startswith("-Wl,")] == ["-Wl,-Bsymbolic"] * knows


def test_the_features_of_a_memory_reach_the_compiler_and_are_tested_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    from usl_c11.build import compile_flags
    from usl_c11.emit import library

    class Wide(kernels.Stack):
        name = "Wide"
        features = ("avx2",)

    user = kernels.parse("def f(x: f32[8]):\n    t: f32[8] @ Wide\n    t[0] = 1.0\n    x[0] = t[0]\n", Wide=Wide)
    lib = library([user], "lib")
    assert "-mavx2" in compile_flags(lib, compilers.find_compiler())
    assert '#ifndef __AVX2__\n#error "compile this file with -mavx2"' in lib.files["lib.c"]
    monkeypatch.setattr(cpu, "listed_features", lambda: frozenset({"sse2"}))
    with pytest.raises(JitError, match="this processor lacks avx2"):
        jit(user)


def test_jit_refuses_unknown_options() -> None:
    with pytest.raises(JitError, match="jit has no option fast"):
        C11().jit(kernels.SGEMM, fast=True)


def test_importing_the_plugin_loads_neither_numpy_nor_cffi() -> None:
    code = "import sys, usl_c11.plugin; sys.exit(bool({'numpy', 'cffi', '_cffi_backend'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0


@pytest.mark.parametrize(("bits", "signed"), [(8, False), (64, False), (64, True)])
def test_integers_of_a_plugin_are_arrays_of_their_width_in_c_and_in_the_interpreter(bits: int, signed: bool) -> None:
    from usl_core.interp import run
    from usl_core.ir.types import Kind, ScalarType

    own = ScalarType("counter", Kind.INT, bits, signed)
    proc = kernels.parse(
        "def add(x: counter[3], y: counter[3]):\n    for i in seq(0, 3):\n        y[i] += x[i] * x[i]\n", counter=own
    )
    dtype = np.dtype(f"{'' if signed else 'u'}int{bits}")
    x, by_c, by_body = np.array([1, 7, np.iinfo(dtype).max], dtype), np.full(3, 5, dtype), np.full(3, 5, dtype)
    jit(proc)(x, by_c)
    run(proc, {"x": x, "y": by_body}, mode="machine")
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(by_c, 5 + x * x)
    np.testing.assert_array_equal(by_c, by_body)


def test_rows_and_windows_of_unit_stride_are_passed_for_dense_arguments() -> None:
    scope = {"fill": kernels.parse("def fill(n: size, v: f32, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = v\n")}
    text = """
def f(m: size, n: size, x: f32[2, m + 1, n], y: [f32][n]):
    assert stride(y, 0) == 1
    fill(n, 1.0, x[1, m, 0:n])
    w = x[0, 1:m + 1, 0:n]
    fill(n, 2.0, w[0, 0:n])
    fill(n, 3.0, y)
"""
    x, y = np.zeros((2, 3, 4), np.float32), np.zeros((3, 4), np.float32)
    jit(kernels.parse(text, **scope))(2, 4, x, y[1])
    expected = np.zeros((2, 3, 4), np.float32)
    expected[1, 2], expected[0, 1] = 1, 2
    assert np.array_equal(x, expected) and y.tolist() == [[0] * 4, [3] * 4, [0] * 4]


@pytest.mark.parametrize("name", ["drem", "cpow", "exp10", "send"])
def test_a_procedure_may_have_the_name_of_a_function_in_the_process(name: str) -> None:
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    text = f"def {name}(n: size, x: f32[n], y: f32[n]):\n    for i in seq(0, n):\n        y[i] = 2.0 * x[i]\n"
    jit(kernels.parse(text))(5, x, y)
    assert y.tolist() == [0, 2, 4, 6, 8]
