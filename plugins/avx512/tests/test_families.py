"""The instructions that are made from tables: what all of them have in common, and what a user does with some of them."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import numpy as np
import pytest
from avx512_build import HOW, WARNINGS, compiler, flags_of, kernel, require
from avx512_templates import source

import usl_avx512
from usl_avx512 import isa, kernels_int
from usl_avx512.externs import EXTERNS
from usl_avx512.isa.families import Table, plain
from usl_avx512.memories import AVX2, AVX512, AVX512_MASK, AVX512_XMM, AVX512_YMM
from usl_c11 import cpu
from usl_c11.build import compile_flags
from usl_c11.compiler import find_compiler
from usl_c11.emit import library
from usl_conformance import instructions as conformance
from usl_conformance.check import check_declarations, toolchain
from usl_conformance.findings import Outcome, Report
from usl_core import Procedure, UsageError, probe, proc_from_source
from usl_core.errors import JitError
from usl_core.interp.buffers import Buffer
from usl_core.interp.run import run
from usl_core.interp.values import POISON
from usl_core.ir.types import F32
from usl_core.plugins.manager import plugin_manager
from usl_core.scheduling import divide_loop, insert_noop_call, replace, set_memory, simplify, stage_mem
from usl_stdlib import replace_all

MEMORIES = {memory.name: memory for memory in (AVX512, AVX512_YMM, AVX512_XMM, AVX512_MASK, AVX2)}
SCOPE = MEMORIES | {extern.name: extern for extern in EXTERNS}


@functools.cache
def every() -> list[Procedure]:
    """All instructions, each of which is read and checked."""
    return [instruction for table in isa.TABLES for instruction in isa.instructions(table)]


def outcomes(instructions: list[Procedure], how: str) -> list[Outcome]:
    manager = plugin_manager()
    tools = toolchain(manager.get("avx512"), manager, "c11", how == "simde")
    procs = [instruction.ir for instruction in instructions]
    movers = [each.ir for each in isa.instructions("flags") if each.name().startswith(("loadu_mask", "storeu_mask"))]
    return list(conformance.check_instructions(procs, [*procs, *movers], tools))


# ---- each does what its body says


@pytest.mark.parametrize(("how", "chosen"), [("native", slice(0, None, 18)), ("simde", slice(1, None, 54))])
def test_a_part_of_the_instructions_conforms_in_a_part_of_the_cases(
    how: str, chosen: slice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them in all cases take minutes: `usl plugin check avx512`, and the same with `--emulate`."""
    require(how)
    monkeypatch.setattr(conformance, "MOST_WORK", -1)
    found = outcomes(every()[chosen], how)
    lacking = [outcome for outcome in found if "this processor lacks" in outcome.reason]
    assert {outcome.status for outcome in found if outcome not in lacking} == {"passed"}, Report("", tuple(found)).text()
    assert how == "native" or not lacking


def test_division_of_sixteen_bits_by_nine_is_exact_for_every_number() -> None:
    require("native")
    p = proc_from_source(
        "def ninths(x: u16[65536]):\n"
        "    for io in seq(0, 2048):\n"
        "        r: u16[32] @ AVX512\n"
        "        for i in seq(0, 32):\n            r[i] = x[32 * io + i]\n"
        "        for i in seq(0, 32):\n            r[i] = r[i] / 9\n"
        "        for i in seq(0, 32):\n            x[32 * io + i] = r[i]\n",
        MEMORIES,
    )
    p = replace_all(p, [usl_avx512.mm512_loadu_epu16, usl_avx512.mm512_div9_epu16, usl_avx512.mm512_storeu_epu16])
    assert "mm512_div9_epu16(r[0:32], r[0:32])" in str(p)
    x = np.arange(65536, dtype=np.uint16)
    p.jit()(x)
    np.testing.assert_array_equal(x, np.arange(65536, dtype=np.uint16) // 9)


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_templates_compile_without_warnings_with_just_the_features_they_name(name: str, tmp_path: Path) -> None:
    if probe.program(name) is None:
        pytest.skip(f"{name} is not installed")
    groups: dict[tuple[str, ...], list[Procedure]] = {}
    for instruction in every():
        assert instruction.ir.instr is not None
        groups.setdefault(instruction.ir.instr.features, []).append(instruction)
    for number, (features, instructions) in enumerate(groups.items()):
        file = tmp_path / f"group{number}.c"
        file.write_text(source(instructions), encoding="utf-8")
        flags = ["-std=c11", "-O1", "-fsyntax-only", *WARNINGS, *(f"-m{feature}" for feature in features)]
        done = subprocess.run([name, *flags, str(file)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_emulation_knows_every_intrinsic(tmp_path: Path) -> None:
    require("simde")
    file = tmp_path / "every.c"
    file.write_text(source([*every(), *kernels_int.INSTRUCTIONS]))
    features = sorted({feature for each in every() if each.ir.instr is not None for feature in each.ir.instr.features})
    declared = "-Werror=implicit-function-declaration"
    command = [*compiler(), "-std=c11", "-fsyntax-only", *flags_of("simde", features), declared, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_parts_of_matrices_are_turned_over_up_to_the_end_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """gcc stored a quarter of a register by a masked instruction that faults where no lane goes.

    An instruction that needs AVX512VL is beside them, for only with that are parts of registers stored so.
    """
    require("native")
    monkeypatch.setattr(conformance, "MOST_WORK", -1)
    found = outcomes([isa.mm512_mask_transposeu_ps, isa.mm512_mask_transposeu_pd, isa.mm256_fill_loadu_ps], "native")
    assert {outcome.status for outcome in found} == {"passed"}, Report("", tuple(found)).text()


@pytest.mark.parametrize("table", isa.TABLES)
def test_a_loop_nest_with_the_body_of_an_instruction_is_replaced_by_it(table: str) -> None:
    by_hand = ("mm_prefetch", "mm512_broadcast_lane", "mm512_permutexvar")  # their bodies do not determine an argument
    found = isa.instructions(table)
    scope = SCOPE | {each.name(): each for each in isa.instructions("functions") if table == "fours"}  # those that they call
    for instruction in found[:: max(1, len(found) // 80)]:
        if instruction.name().startswith(by_hand):
            continue
        text = "\n".join(line for line in str(instruction).splitlines() if not line.startswith("@"))
        caller = proc_from_source(text.replace(f"def {instruction.name()}(", "def caller("), scope)
        assert f"{instruction.name()}(" in str(replace(caller, caller.body(), instruction))


# ---- names


def test_every_instruction_is_a_name_of_the_package_and_there_is_only_one_of_that_name() -> None:
    names = [name for table in isa.TABLES for name in getattr(__import__(f"usl_avx512.isa.{table}").isa, table).TABLE.names]
    assert len(names) == len(set(names))
    assert usl_avx512.mm512_sqrt_pd is isa.mm512_sqrt_pd
    assert usl_avx512.mm512_sqrt_pd.name() == "mm512_sqrt_pd"
    with pytest.raises(AttributeError, match="has no attribute 'mm512_sqrt_epi8'"):
        _ = usl_avx512.mm512_sqrt_epi8


def test_a_text_that_is_wrong_is_an_error_when_its_instruction_is_asked_for() -> None:
    text = '@instr("{dst} = {scr};")\ndef wrong(dst: [f32][16] @ AVX512, src: [f32][16] @ AVX512):\n    dst[0] = src[0]'
    table = Table("mine", plain(text, "avx512f"))
    with pytest.raises(Exception, match="wrong") as caught:
        table.find("wrong")
    assert "<wrong>" in str(caught.value)


# ---- features


def uses(*names: str) -> Procedure:
    """A procedure that calls each of the instructions, which have two registers or a register and one in memory."""
    lines = ["def f(x: f32[16], y: f32[16], u: u8[64], s: i8[64], total: i32[16]):"]
    lines += ["    r: f32[16] @ AVX512", "    a: u8[64] @ AVX512", "    b: i8[64] @ AVX512", "    c: i32[16] @ AVX512"]
    lines += [f"    {name}" for name in names]
    scope = {name.partition("(")[0]: getattr(usl_avx512, name.partition("(")[0]) for name in names}
    return proc_from_source("\n".join(lines) + "\n", MEMORIES | scope)


DOT = uses(
    "mm512_loadu_epu8(a[0:64], u[0:64])",
    "mm512_loadu_epi8(b[0:64], s[0:64])",
    "mm512_loadu_epi32(c[0:16], total[0:16])",
    "mm512_dpbusd_epi32(c[0:16], a[0:64], b[0:64])",
    "mm512_storeu_epi32(total[0:16], c[0:16])",
)


def test_a_build_passes_the_flags_of_the_features_that_are_used_and_no_others() -> None:
    lib = library([DOT.ir], "f")
    machine = [flag for flag in compile_flags(lib, find_compiler(), ()) if flag.startswith("-m")]
    assert sorted(machine) == ["-mavx512bw", "-mavx512f", "-mavx512vnni"]


def test_a_feature_that_the_processor_lacks_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "listed_features", lambda: frozenset({"avx", "avx2", "avx512f", "avx512bw"}))
    with pytest.raises(JitError, match="this processor lacks avx512vnni, which the procedure's instructions or memories need"):
        DOT.jit()


def test_without_the_feature_and_without_an_emulation_an_instruction_is_skipped_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cpu, "listed_features", lambda: frozenset({"avx", "avx2", "avx512f", "avx512bw"}))
    monkeypatch.setattr("usl_avx512.emulation.simde", lambda: None)
    manager = plugin_manager()
    tools = toolchain(manager.get("avx512"), manager, "c11", False)
    tools = type(tools)(tools.backend, {}, False)
    chosen = [usl_avx512.mm512_dpbusd_epi32.ir, usl_avx512.mm512_dpbf16_ps.ir]
    found = list(conformance.check_instructions(chosen, chosen, tools))
    assert [outcome.status for outcome in found] == ["skipped", "skipped"]
    text = Report("avx512", tuple(found)).text()
    assert "this processor lacks avx512vnni, and no plugin emulates it here" in text
    assert "this processor lacks avx512bf16" in text
    assert "2 skipped" in text


def test_what_the_plugin_declares_is_well_formed() -> None:
    plugin = plugin_manager().get("avx512")
    (outcome,) = check_declarations(plugin)
    assert outcome.status == "passed", outcome.text()


# ---- undefined lanes


def test_the_upper_half_of_a_cast_register_is_poison() -> None:
    narrow = Buffer(F32, (8,), [float(k) for k in range(8)])
    wide = Buffer(F32, (16,), [0.0] * 16)
    run(usl_avx512.mm512_castps256_ps512.ir, [wide, narrow], mode="machine")
    assert wide.values() == [*(float(k) for k in range(8)), *[POISON] * 8]


# ---- used by schedules


ROTATION = """
def rot(n: size, c: f32, s: f32, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        t: f32
        u: f32
        t = c * x[i] + s * y[i]
        u = c * y[i] - s * x[i]
        x[i] = t
        y[i] = u
"""


def vectorised_rotation() -> Procedure:
    """Sixteen lanes at a time, those that are left over by masked forms."""
    lines = """
def rot_avx512(n: size, c: f32, s: f32, x: f32[n], y: f32[n]):
    for io in seq(0, (n + 15) / 16):
        xs: f32[16] @ AVX512
        ys: f32[16] @ AVX512
        t: f32[16] @ AVX512
        u: f32[16] @ AVX512
        for i in seq(0, 16):
            if i < n - 16 * io:
                xs[i] = x[16 * io + i]
        for i in seq(0, 16):
            if i < n - 16 * io:
                ys[i] = y[16 * io + i]
        for i in seq(0, 16):
            if i < n - 16 * io:
                t[i] = c * xs[i] + s * ys[i]
        for i in seq(0, 16):
            if i < n - 16 * io:
                u[i] = c * ys[i] - s * xs[i]
        for i in seq(0, 16):
            if i < n - 16 * io:
                x[16 * io + i] = t[i]
        for i in seq(0, 16):
            if i < n - 16 * io:
                y[16 * io + i] = u[i]
"""
    p = proc_from_source(lines.strip() + "\n", MEMORIES)
    names = ("mm512_mask_loadu_ps", "mm512_mask_axpby_ps", "mm512_mask_axmby_ps", "mm512_mask_storeu_ps")
    return simplify(replace_all(p, [getattr(usl_avx512, name) for name in names]))


@pytest.mark.parametrize("how", HOW)
def test_a_rotation_with_a_masked_tail_is_the_plain_one(how: str, tmp_path: Path) -> None:
    p = vectorised_rotation()
    assert "for i in" not in str(p)
    plain_form = proc_from_source(ROTATION.strip() + "\n")
    compiled = kernel(p, how, tmp_path)
    random = np.random.default_rng(1)
    for n in (1, 15, 16, 17, 40):
        x, y = random.uniform(-1, 1, (2, n)).astype(np.float32)
        c, s = np.full((), 0.6, np.float32), np.full((), 0.8, np.float32)
        want_x, want_y = x.copy(), y.copy()
        run(plain_form.ir, [n, c.copy(), s.copy(), want_x, want_y], mode="machine")
        compiled(n, c, s, x, y)
        np.testing.assert_allclose(x, want_x, rtol=0, atol=2.0**-22)
        np.testing.assert_allclose(y, want_y, rtol=0, atol=2.0**-22)


def test_a_sum_ends_in_one_reduction_of_a_register() -> None:
    p = proc_from_source("def total(x: f32[64], s: f32):\n    for i in seq(0, 64):\n        s += x[i]\n")
    p = divide_loop(p, "i", 16, ["io", "ii"], perfect=True)
    lanes = p.find_loop("ii")
    p = stage_mem(p, lanes, "x[16 * io:16 * io + 16]", "row")
    p = set_memory(p, "row", AVX512)
    p = replace_all(p, [usl_avx512.mm512_loadu_ps, usl_avx512.mm512_reduce_add_ps])
    assert "mm512_reduce_add_ps(s, row[0:16])" in str(p)


def test_packing_by_transposition_takes_any_distance_between_rows() -> None:
    require("native")
    p = proc_from_source(
        "def pack(A: [f32][16, 16], P: f32[16, 16]):\n"
        "    assert stride(A, 1) == 1\n"
        "    for i in seq(0, 16):\n        for k in seq(0, 16):\n            P[k, i] = A[i, k]\n"
    )
    p = replace(p, p.body(), usl_avx512.mm512_transposeu_ps)
    whole = np.arange(16 * 23, dtype=np.float32).reshape(16, 23)
    packed = np.zeros((16, 16), np.float32)
    p.jit()(whole[:, 3:19], packed)
    np.testing.assert_array_equal(packed, whole[:, 3:19].T)


def test_a_prefetch_may_lie_beyond_the_end_and_changes_nothing() -> None:
    require("native")
    p = proc_from_source("def twice(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] += x[i]\n")
    p = insert_noop_call(p, p.find("x[_] += _").before(), usl_avx512.mm_prefetch_t0_f32, ["1000000", "x[i:i + 1]"])
    x = np.ones(3, np.float32)
    p.jit()(3, x)
    np.testing.assert_array_equal(x, [2, 2, 2])


def test_an_unknown_table_is_answered_by_the_tables() -> None:
    with pytest.raises(UsageError, match=r"the tables are 'basics', .*'floats', .*, got 'float'"):
        isa.instructions("float")


def test_the_plugin_names_the_instructions_of_kernels_int_without_parsing_them():
    from usl_avx512 import kernels_int
    from usl_avx512.plugin import INTEGER_KERNELS, usl_instructions

    assert tuple(each.name() for each in kernels_int.INSTRUCTIONS) == INTEGER_KERNELS
    declared = usl_instructions()
    assert declared["mm512_add_epu32"] is kernels_int.mm512_add_epu32
    assert declared["mm512_add_ps"].name() == "mm512_add_ps"


def test_names_are_listed_for_completion() -> None:
    import usl_avx512

    assert {"AVX512", "mm512_fmadd_ps", "avx2_add_ps", "sgemm", "has_avx512"} <= set(dir(usl_avx512))
    assert set(isa.names()) <= set(dir(isa)) and not {"Any", "import_module"} & set(dir(usl_avx512))
    assert all(hasattr(usl_avx512, name) for name in dir(usl_avx512))
