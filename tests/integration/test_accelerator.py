"""End to end: a matrix product on the accelerator of tests/example_plugin, whose registers are set once.

The hardware is a model in C that keeps the state of its registers, so that a setting which is missing shows in the result.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.fuzz.refine import compare_at, random_inputs
from tests.plugins.sites import Site
from usl_c11.backend import C11
from usl_c11.build import compile_flags
from usl_c11.compiler import compile_library, find_compiler
from usl_c11.emit import library
from usl_core import Procedure, SchedulingError, UslError, delete_config, proc_from_source, replace, simplify, unroll_loop
from usl_core.interp import run
from usl_stdlib import count_config_writes, hoist_config, max_config_writes

EXAMPLE = Path(__file__).resolve().parents[1] / "example_plugin"

GEMM = """
def gemm(M: size, N: size, K: size, A: i8[M, K], B: i8[K, N], C: i32[M, N]):
    assert M % 16 == 0
    assert N % 16 == 0
    assert K % 16 == 0
    for i in seq(0, M):
        for j in seq(0, N):
            C[i, j] = 0
            for k in seq(0, K):
                C[i, j] += i32(A[i, k]) * i32(B[k, j])
"""
SIZES = {"M": 32, "N": 16, "K": 48}


@pytest.fixture(scope="module")
def package() -> Iterator[ModuleType]:
    """The package, importable as if it were installed."""
    sys.path.insert(0, str(EXAMPLE))
    before = set(sys.modules)
    yield importlib.import_module("usl_example.schedules")
    sys.path.remove(str(EXAMPLE))
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "usl_example":
            del sys.modules[name]


@pytest.fixture(scope="module")
def stages(package: ModuleType) -> dict[str, Procedure]:
    """The product after each step of the schedule."""
    p = proc_from_source(GEMM)
    found = {"gemm": p}
    for step in package.STEPS:
        p = step(p)
        found[step.__name__] = p
    found["hoist_config"] = hoist_config(p)[0]
    return found


@pytest.fixture(scope="module")
def accelerated(package: ModuleType) -> Procedure:
    p: Procedure = package.accelerate_gemm(proc_from_source(GEMM))
    return p


def matrices(m: int, n: int, k: int, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((m, k), (k, n)))
    return a, b, np.full((m, n), -1, np.int32)


def product(a: Any, b: Any) -> Any:
    return a.astype(np.int32) @ b.astype(np.int32)


# ---- the schedule


COUNTS = {
    "gemm": {},
    "tile": {},
    "stage": {},
    "map_products": {},
    "map_moves": {},
    "configure": {"LoadA": (1, 2 * 1 * 3), "LoadB": (1, 2 * 1 * 3), "Store": (1, 2 * 1)},
    "hoist_config": {"LoadA": (1, 1), "LoadB": (1, 1), "Store": (1, 1)},
}
"""After each step: how often each register is set in the text, and in a run with SIZES."""


def test_each_register_is_set_once_at_the_end(stages: dict[str, Procedure]) -> None:
    found = {}
    for name, p in stages.items():
        writes = count_config_writes(p, SIZES)
        found[name] = {key[0].name: (count, writes.per_run[key]) for key, count in writes.static.items()}
        print(f"{name:14}{found[name]}")
    assert found == COUNTS


def test_the_registers_are_set_in_front_of_all_loops(accelerated: Procedure) -> None:
    calls = [stmt.subproc().name() for stmt in accelerated.body()[:-1]]
    assert calls == ["config_a", "config_b", "config_c"]
    assert max_config_writes(accelerated, 1) is accelerated
    registers = "LoadA.src_stride, LoadB.src_stride, Store.dst_stride"
    assert accelerated.assurance() == f"every step proved, up to: the values at the end of {registers}"


def test_each_step_computes_the_product(stages: dict[str, Procedure]) -> None:
    rng = random.Random(0)
    for sizes in itertools.product((16, 32), repeat=3):
        inputs = random_inputs(stages["gemm"].ir, dict(zip("MNK", sizes, strict=True)), rng)
        for name, p in list(stages.items())[1:]:
            if sizes == (32, 16, 32) or name == "hoist_config":
                assert compare_at(stages["gemm"].ir, p.ir, inputs) is None, (name, sizes)


def test_settings_of_unrolled_tiles_become_one(package: ModuleType) -> None:
    p = proc_from_source(GEMM).partial_eval(K=64)
    for step in package.STEPS:
        p = step(p)
    p, report = hoist_config(unroll_loop(simplify(p), "ko"))
    assert list(report.before.static.values()) == [4, 4, 1] and set(report.after.static.values()) == {1}
    assert max_config_writes(p, 1) is p


def test_before_the_registers_are_hoisted_the_contract_names_the_loop(stages: dict[str, Procedure]) -> None:
    with pytest.raises(SchedulingError) as caught:
        max_config_writes(stages["configure"], 1)
    assert "LoadA.src_stride may be written more than once" in str(caught.value)
    assert "the loop `for ko in seq(0, K / 16)` keeps a write inside: config_a(stride(A, 0))" in str(caught.value)


def test_sizes_that_16_may_not_divide_are_refused(package: ModuleType) -> None:
    with pytest.raises(SchedulingError, match="16"):
        package.accelerate_gemm(proc_from_source(GEMM.replace("    assert K % 16 == 0\n", "")))


@pytest.mark.parametrize("setting", ["config_a", "config_b", "config_c"])
def test_no_setting_can_be_left_out(accelerated: Procedure, setting: str) -> None:
    with pytest.raises(SchedulingError, match="may be read before it is written again"):
        delete_config(accelerated, f"{setting}(_)")


def test_a_move_without_its_register_is_refused(stages: dict[str, Procedure]) -> None:
    from usl_example.kernels import move_a  # the fixture made it importable

    p = stages["stage"]
    with pytest.raises(UslError, match=r"LoadA\.src_stride == stride\(src, 0\)"):
        replace(p, p.find("a[_] = A[_]").parent().parent(), move_a)


USER = f"""
from usl_core import proc_from_source
from usl_stdlib import count_config_writes
from usl_core.schedules import accelerate_gemm

gemm = accelerate_gemm(proc_from_source({GEMM!r}))
print(count_config_writes(gemm, {SIZES}))
"""


def test_a_user_of_the_installed_package_needs_the_name_of_its_schedule_only(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.add_example()
    done = site.run("-c", USER)
    assert done.stdout.splitlines() == [
        f"{register}: 1 in the text, 1 in a run with M = 32, N = 16, K = 48"
        for register in ("LoadA.src_stride", "LoadB.src_stride", "Store.dst_stride")
    ], done.stderr


# ---- the C


@pytest.mark.parametrize("sizes", [(16, 16, 16), (32, 48, 16), (16, 80, 32), (64, 16, 48)])
def test_compiled_it_equals_numpy_and_the_interpreter_bit_for_bit(accelerated: Procedure, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    a, b, c = matrices(m, n, k)
    accelerated.jit()(m, n, k, a, b, c)
    assert np.array_equal(c, product(a, b))
    interpreted = np.zeros_like(c)
    run(accelerated.ir, {"M": m, "N": n, "K": k, "A": a, "B": b, "C": interpreted})
    assert np.array_equal(c, interpreted)


def test_the_extremes_of_i8_are_exact(accelerated: Procedure) -> None:
    a, b = np.full((16, 256), -128, np.int8), np.full((256, 16), -128, np.int8)
    c = np.zeros((16, 16), np.int32)
    accelerated.jit()(16, 16, 256, a, b, c)
    assert np.array_equal(c, product(a, b))


def test_generated_c_does_not_know_the_registers(accelerated: Procedure) -> None:
    files = C11().emit([accelerated], "gemm")
    assert "ctx" not in files["gemm.h"]
    code = re.sub(r"/\*.*?\*/", "", files["gemm.c"], flags=re.DOTALL)  # a comment says up to what the C is equivalent
    assert not any(name in code for name in ("LoadA", "LoadB", "Store", "src_stride", "dst_stride"))


class Device:
    """The product compiled together with a look at the model's registers; text may be edited first."""

    def __init__(self, p: Procedure, folder: Path, old: str = "", new: str = "") -> None:
        lib = library([p.ir], "gemm")
        source = lib.files["gemm.c"]
        assert source.count(old) >= 1
        folder.mkdir()
        (folder / "gemm.h").write_text(lib.files["gemm.h"])
        counter = "int64_t settings(void);\nint64_t settings(void) { return accel.written; }\n"
        (folder / "gemm.c").write_text((source.replace(old, new) if old else source) + counter)
        compiler = find_compiler()
        compile_library(compiler, folder / "gemm.c", folder / "gemm.so", compile_flags(lib, compiler))
        self.loaded = ctypes.CDLL(str(folder / "gemm.so"))
        self.loaded.settings.restype = ctypes.c_int64

    def __call__(self, m: int, n: int, k: int) -> tuple[Any, Any]:
        """What the device computes for some matrices, and their product."""
        a, b, c = matrices(m, n, k, seed=m + n + k)
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in (a, b, c)]
        assert self.loaded.gemm(*map(ctypes.c_int64, (m, n, k)), *pointers) == 0
        return c, product(a, b)

    def settings(self) -> int:
        """How often a register was set so far."""
        return int(self.loaded.settings())


def test_the_device_sees_as_many_settings_as_the_interpreter_counts(stages: dict[str, Procedure], tmp_path: Path) -> None:
    for name in ("configure", "hoist_config"):
        device = Device(stages[name], tmp_path / name)
        found, expected = device(*SIZES.values())
        assert np.array_equal(found, expected)
        assert device.settings() == sum(per_run for _, per_run in COUNTS[name].values())


def test_each_call_sets_the_registers_for_its_own_matrices(accelerated: Procedure, tmp_path: Path) -> None:
    device = Device(accelerated, tmp_path / "device")
    for sizes in ((32, 32, 32), (16, 48, 64), (32, 16, 32)):
        found, expected = device(*sizes)
        assert np.array_equal(found, expected)
    assert device.settings() == 3 * 3


@pytest.mark.parametrize("setting", ["accel_config_a(K);", "accel_config_b(N);", "accel_config_c(N);"])
def test_a_setting_that_is_missing_or_wrong_shows_in_the_result(accelerated: Procedure, setting: str, tmp_path: Path) -> None:
    for place, text in (("missing", ";"), ("wrong", setting.replace(")", " + 1)")), ("twice", f"{setting} {setting}")):
        if place == "wrong" and setting == "accel_config_c(N);":
            text = setting.replace("N", "N - 1")  # stays inside C
        device = Device(accelerated, tmp_path / place, setting, text)
        found, expected = device(16, 32, 48) if place == "missing" else device(32, 32, 16)
        assert np.array_equal(found, expected) == (place == "twice")


def test_a_register_keeps_what_another_call_left_there(accelerated: Procedure, tmp_path: Path) -> None:
    """Without its setting a move works with what was set last: right for one matrix, wrong for the next."""
    device = Device(accelerated, tmp_path / "device", "accel_config_a(K);", "if (M == 16) accel_config_a(K);")
    for sizes, right in (((16, 16, 32), True), ((32, 16, 32), True), ((32, 16, 48), False)):
        found, expected = device(*sizes)
        assert np.array_equal(found, expected) is right


# ---- loads ahead


def test_operands_of_the_next_product_are_loaded_into_banks_of_their_own(package: ModuleType) -> None:
    p = package.accelerate_gemm_ahead(proc_from_source(GEMM))
    code = p.c_code()  # a bank has 256 rows
    assert max_config_writes(p, 1) is p
    for text in ("enum { a = 0 };", "enum { b = 512 };", "(a + ((ko + 1) % 2) * 256)", "(b + ((ko + 1) % 2) * 256)"):
        assert text in code
    for m, n, k in ((16, 16, 16), (32, 16, 48), (48, 64, 80)):
        a, b, c = matrices(m, n, k, seed=k)
        p.jit()(m, n, k, a, b, c)
        assert np.array_equal(c, product(a, b))
