"""The schedules: the C they lead to, that it is right for all sizes, and that their instructions are found by matching."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from avx512_build import HOW, kernel, silent

from usl_avx512 import blur_schedule, box_blur, isa, kernels_int, memories, sgemm, sgemm_schedule
from usl_avx512.gemm.tiles import SINGLE, edge_tiles, full_tiles, windowed
from usl_avx512.kernels_algorithms import gemm
from usl_c11.backend import C11
from usl_core import Procedure
from usl_core.interp.run import run
from usl_core.ir.types import ControlType
from usl_core.procedure import proc_from_source
from usl_core.scheduling import divide_loop, inline, replace, set_memory, simplify, stage_mem
from usl_stdlib import replace_all

GOLDEN = Path(__file__).parent / "golden"
INSTRUCTIONS = (*isa.instructions("basics"), *kernels_int.INSTRUCTIONS)
SCHEDULES: dict[str, Callable[[], Procedure]] = {
    "sgemm": lambda: sgemm_schedule(sgemm),
    "blur": lambda: blur_schedule(box_blur),
    "gemm_6x64": lambda: full_tiles(windowed(gemm, SINGLE), 4, SINGLE).of(6).fast,
    "gemm_2xN16": lambda: edge_tiles(windowed(gemm, SINGLE), 1, SINGLE).of(2).fast,
    "gemm_3xN32": lambda: edge_tiles(windowed(gemm, SINGLE), 2, SINGLE).of(3).fast,
}


@pytest.fixture(scope="module")
def scheduled() -> dict[str, Procedure]:
    return {name: make() for name, make in SCHEDULES.items()}


def golden(file: str, text: str) -> None:
    """With USL_UPDATE_GOLDEN=1 the file is written instead; the commit then says why the new text is right."""
    if os.environ.get("USL_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        (GOLDEN / file).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / file).read_text(encoding="utf-8"), f"differs from tests/golden/{file}"


def body_text(code: str, name: str) -> str:
    """The one function of a generated file that does the work."""
    start = code.index(f"{name}_body(")
    start = code.rindex("\n", 0, start) + 1
    return code[start : code.index("\n}\n", start) + 3]


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_scheduled_procedure_is_letter_for_letter_the_golden_one(name: str, scheduled: dict[str, Procedure]) -> None:
    golden(f"{name}.txt", f"{scheduled[name]}\n")


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_kernel_in_c_is_letter_for_letter_the_golden_one(name: str, scheduled: dict[str, Procedure]) -> None:
    procedure = scheduled[name]
    golden(f"{name}.c", body_text(procedure.c_code(), procedure.name()))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", SCHEDULES)
def test_compilers_have_nothing_to_say_about_the_kernels(
    name: str, compiler: str, scheduled: dict[str, Procedure], tmp_path: Path
) -> None:
    procedure = scheduled[name]
    for file, text in C11().emit([procedure.ir], procedure.name()).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    assert silent(compiler, tmp_path / f"{procedure.name()}.c") == ""


def test_every_step_is_proved_without_a_solver(scheduled: dict[str, Procedure]) -> None:
    """z3 takes 70 ms to load and milliseconds per question; schedules are to apply in a fraction of a second."""
    asked = {name: sum(step.proofs.get("z3", 0) for step in p.history()) for name, p in scheduled.items()}
    assert asked == dict.fromkeys(SCHEDULES, 0)


# ---- results


def sgemm_cases() -> Iterator[tuple[int, int, int]]:
    for m in (1, 5, 6, 7, 13):
        for n in (1, 15, 16, 17, 63, 64, 65, 80, 129):
            for k in (1, 3, 17):
                yield m, n, k


def small_integers(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Matrices whose products and sums are exact in single precision."""
    return random.integers(-8, 9, shape).astype(np.float32)


@pytest.mark.parametrize("how", HOW)
def test_products_of_all_shapes_are_exact(how: str, scheduled: dict[str, Procedure], tmp_path: Path) -> None:
    multiply = kernel(scheduled["sgemm"], how, tmp_path)
    random = np.random.default_rng(6)
    for m, n, k in sgemm_cases():
        a, b, c = small_integers(random, m, k), small_integers(random, k, n), small_integers(random, m, n)
        want = c + a @ b
        multiply(m, n, k, a, b, c)
        assert np.array_equal(c, want), (m, n, k)


@pytest.mark.parametrize("how", HOW)
def test_blurred_pictures_of_all_shapes_are_equal_to_the_pixel(
    how: str, scheduled: dict[str, Procedure], tmp_path: Path
) -> None:
    blur = kernel(scheduled["blur"], how, tmp_path)
    random = np.random.default_rng(9)
    for h in (1, 3, 4, 5, 9):
        for w in (1, 2, 15, 16, 17, 33):
            source = random.integers(0, 65535, (h + 2, w + 2), np.uint16, endpoint=True)
            got = np.zeros((h, w), np.uint16)
            blur(h, w, source, got)
            sums = sum(source[y : y + h, x : x + w].astype(np.uint32) for y in range(3) for x in range(3))
            assert np.array_equal(got, sums // 9), (h, w)


@pytest.mark.parametrize(("rows", "columns"), [(6, 64), (4, 32), (1, 48), (3, 16)])
def test_other_tiles_mean_the_same_to_the_interpreter(rows: int, columns: int) -> None:
    fast = sgemm_schedule(sgemm, rows, columns)
    random = np.random.default_rng(rows)
    for m, n, k in ((1, 1, 1), (7, 65, 2), (rows, columns, 3)):
        a, b, c = small_integers(random, m, k), small_integers(random, k, n), small_integers(random, m, n)
        want = c + a @ b
        run(fast.ir, [m, n, k, a, b, c], mode="machine")
        assert np.array_equal(c, want), (m, n, k)


# ---- matching


def caller(instruction: Procedure) -> Procedure:
    """A procedure with the formals and assertions of an instruction that only calls it."""
    head, _, rest = str(instruction).split("def ", 1)[1].partition("(")[2].partition("):\n")
    assertions = "".join(f"{line}\n" for line in rest.splitlines() if line.startswith("    assert "))
    names = ", ".join(arg.name.name for arg in instruction.ir.args)
    text = f"def caller({head}):\n{assertions}    {instruction.name()}({names})\n"
    scope: dict[str, Any] = {m.name: m for m in (memories.AVX512, memories.AVX512_YMM)}
    return proc_from_source(text, {**scope, instruction.name(): instruction})


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.name())
def test_the_body_of_an_instruction_is_found_to_be_the_instruction(instruction: Procedure) -> None:
    before = caller(instruction)
    call = before.find(f"{instruction.name()}(_)")
    inlined = inline(before, call)
    assert instruction.name() not in str(inlined)
    after = replace(inlined, inlined.body()[0], instruction)
    assert re.sub(r"\[0:\w+\]", "", str(after)) == str(before)  # a window of all is the buffer


def test_a_guarded_tail_becomes_masked_instructions_with_the_lanes_left() -> None:
    p = proc_from_source(
        "def axpy(n: size, a: f32, x: f32[n], y: f32[n]):\n    for i in seq(0, n):\n        y[i] += a * x[i]\n"
    )
    p = divide_loop(p, "i", 16, ["io", "ii"], tail="guard")
    p = stage_mem(p, p.find_loop("io").body(), "y[16 * io:16 * io + 16]", "sum", accum=True)
    p = set_memory(p, "sum", memories.AVX512)
    chosen = [
        isa.mm512_setzero_ps,
        isa.mm512_mask_fmadd_set1_loadu_ps,
        isa.mm512_mask_accumulateu_ps,
    ]
    p = simplify(replace_all(p, chosen))
    lines = [line.strip() for line in str(p).splitlines()]
    assert lines[-3:] == [
        "mm512_setzero_ps(sum[0:16])",
        "mm512_mask_fmadd_set1_loadu_ps(n - 16 * io, sum[0:16], a, x[16 * io:n])",
        "mm512_mask_accumulateu_ps(n - 16 * io, y[16 * io:n], sum[0:16])",
    ]


def test_loads_and_stores_which_have_one_body_are_told_apart_by_memory() -> None:
    p = proc_from_source(
        "def copy(x: f32[16], y: f32[16]):\n"
        "    t: f32[16] @ AVX512\n"
        "    for i in seq(0, 16):\n        t[i] = x[i]\n"
        "    for i in seq(0, 16):\n        y[i] = t[i]\n",
        {"AVX512": memories.AVX512},
    )
    for order in (INSTRUCTIONS, INSTRUCTIONS[::-1]):
        lines = [line.strip() for line in str(replace_all(p, order)).splitlines()]
        assert lines[-2:] == ["mm512_loadu_ps(t[0:16], x[0:16])", "mm512_storeu_ps(y[0:16], t[0:16])"]


def test_masked_instructions_have_a_lane_count_and_others_have_none() -> None:
    for instruction in INSTRUCTIONS:
        controls = [arg for arg in instruction.ir.args if isinstance(arg.type, ControlType)]
        assert len(controls) == ("_mask" in instruction.name()), instruction.name()
