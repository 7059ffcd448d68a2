"""Seeded errors: in templates and bodies `usl plugin check` finds them, in encodings and places the simulator or the result."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from gemmini_model import read_out

from usl_conformance.check import toolchain
from usl_conformance.instructions import check_instructions
from usl_core import proc_from_source
from usl_core.plugins.manager import plugin_manager
from usl_gemmini import GemminiParams, SimulatorError, kernels_registers, memories
from usl_gemmini.chip import chip
from usl_gemmini.header import header
from usl_gemmini.layers import Layer
from usl_gemmini.library import compile_c
from usl_gemmini.matmul import matmul
from usl_gemmini.pool import max_pool
from usl_gemmini.rounding import rne
from usl_gemmini.sim import Simulator

SCOPE = {name: getattr(memories, name) for name in ("SPAD", "ACC", "WEIGHTS", "SPENT", "GEMMINI_OUT", "GEMMINI_OUT2")}
SCOPE |= {record.name: record for record in kernels_registers.REGISTERS} | {"rne": rne}

IN_INSTRUCTIONS = [
    ("mvin", "{cols}, {rows}", "{rows}, {cols}"),
    ("mvin2", "mvin2(", "mvin("),
    ("mvin", "c / 16, r, c % 16] = src[r, c]", "c / 16, r, c % 16] = src[r, 0]"),
    ("mvin", "c / 16, r, c % 16] =", "c / 16, r, c % 16] +="),
    ("mvin_scaled", "rne(f32(src[r, c]) * LD0.scale)", "f32(src[r, c]) * LD0.scale"),
    ("mvin_acc_add", " | GEMMINI_ACC_ADD", ""),
    ("mvin_acc", "dst[c / 16, r, c % 16] =", "dst[c / 16, r, c % 16] +="),
    ("mvin_acc_row", "= src[c]", "= src[0]"),
    ("mvin_acc_i8", "i32(src[r, c])", "i32(src[r, c]) + 1"),
    ("zero_acc", "] = 0", "] = 1"),
    ("mvout", "{dst.ptr}, {src}", "{dst.ptr}, ({src}) + 1"),
    ("mvout", "i8(rne(f32(src[c / 16, r, c % 16]) * ST.scale))", "i8(f32(src[c / 16, r, c % 16]) * ST.scale)"),
    ("mvout_relu", "relu(src[c / 16, r, c % 16])", "src[c / 16, r, c % 16]"),
    ("mvout_full", " | GEMMINI_ACC_FULL", ""),
    ("mm", " | GEMMINI_ACC_ADD", ""),
    ("mm_first", "c[i, j] = 0\n", "pass\n"),
    ("mm", "{k}, {m}, DIM, DIM)", "{m}, {k}, DIM, DIM)"),
    ("mm_load", "preloaded", "accumulated"),
    ("mm_again", "accumulated", "preloaded"),
    ("mm_again", "i32(a[1 * i, k]) * i32(w[k, n])", "i32(a[1 * i, k]) * i32(w[n, k])"),
    ("mm_load_step2", "a[2 * i, k]", "a[i, k]"),
    ("mvin_every2", "src[2 * r, c]", "src[r, c]"),
    ("mvin_apart6", "src[6 * r + c]", "src[5 * r + c]"),
    ("mvout_pool2", "for wr in seq(0, 2)", "for wr in seq(0, 1)"),
    ("mvout_pool2", "2 * p + wc", "p + wc"),
    ("mvout_pool3", "most = -128", "most = 0"),
    ("mvout_pool2_step1", "{cols}, 0)", "{pixels}, 0)"),
    ("mvout_relu_pool2", "relu(", "abs("),
    ("mvout_pool2", "max(most", "min(most"),
]
"""An instruction, what its text has, and what instead."""

IN_SETTERS = [
    ("config_ld0", "mvin", "{block_stride} / DIM", "DIM"),
    ("config_ld0_wide", "mvin_acc", "4 * {stride}", "{stride}"),
    ("config_ld0_scaled", "mvin_scaled", "{stride}, {scale}", "{stride}, 2 * {scale}"),
    ("config_ld1", "mvin2", ", 1);", ", 0);"),
    ("config_ld2", "mvin3", "{stride}, MVIN", "{stride} + 1, MVIN"),
    ("config_st", "mvout_relu", "{activation}, {scale}", "NO_ACTIVATION, {scale}"),
    ("config_st_wide", "mvout_full", "4 * ", ""),
    ("config_ex_ws", "mm_again_step2", "{A_stride}", "1"),
    ("config_st_pool", "mvout_pool2", "{porows}, {pocols}", "{pocols}, {porows}"),
    ("config_st_pool", "mvout_pool2", "{orows}, {ocols}", "{ocols}, {orows}"),
    ("config_st_pool", "mvout_pool2_step1", "{pool_stride}, {pool_size}", "{pool_size}, {pool_stride}"),
    ("config_st_pool", "mvout_relu_pool2", "{activation}, {scale}", "0, {scale}"),
]
"""A configuration instruction, one that relies on it, what the text of the first has, and what instead."""

IN_ENCODINGS = [
    ("GEMMINI_MVIN2 = 1", "GEMMINI_MVIN2 = 2"),
    ("GEMMINI_PRELOAD = 6", "GEMMINI_PRELOAD = 4"),
    ("GEMMINI_COMPUTE_PRELOADED = 4", "GEMMINI_COMPUTE_PRELOADED = 5"),
    ("field(cols, 32, 16) | gemmini_field(rows, 48, 16)", "field(rows, 32, 16) | gemmini_field(cols, 48, 16)"),
    ("gemmini_field((uint64_t)(id), 3, 2)", "gemmini_field((uint64_t)(id), 4, 2)"),
    ("gemmini_field((uint64_t)(block_stride), 16, 16)", "gemmini_field((uint64_t)(block_stride), 24, 16)"),
    ("gemmini_field((uint64_t)(stride), 0, 32) | gemmini_float_bits(scale) << 32", "gemmini_float_bits(scale) << 32"),
    ("#define GEMMINI_ACC_ADD ((uint32_t)0xC0000000u)", "#define GEMMINI_ACC_ADD ((uint32_t)0xA0000000u)"),
    ("GEMMINI_CONFIG_ST = 2", "GEMMINI_CONFIG_ST = 3"),
]
"""What the header has, and what instead."""

IN_POOLING = [
    (f"gemmini_field((uint64_t)({name}), {at}, ", f"gemmini_field((uint64_t)({name}), {wrong}, ")
    for name, at, wrong in (
        ("pool_stride", 4, 6),
        ("pool_size", 6, 4),
        ("pool_out_dim", 24, 16),
        ("porows", 32, 40),
        ("pocols", 40, 32),
        ("orows", 48, 56),
        ("ocols", 56, 48),
    )
]
"""What the header has for the store's pooling, and what instead."""

IN_PLACES = {
    16: [("enum { b = ", "enum { b = 8192 + 0 * "), ("% 2) * 4096", "% 2) * 16"), ("enum { sum = ", "enum { sum = 1000 + ")],
    8: [("enum { b = ", "enum { b = 16384 + 0 * "), ("% 2) * 8192", "% 2) * 8"), ("enum { sum = 0 }", "enum { sum = 2040 }")],
}
"""What the kernel's C has, and what instead: for dim 16 the first block of A lies at 8192, its halves 4096 rows apart."""


OWN_HEADER = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>"
"""What the C needs of the header that comes with it."""


def test_errors_in_instructions_are_found():
    target, manager = chip(), plugin_manager()
    mutants = []
    for number, (name, old, new) in enumerate(IN_INSTRUCTIONS):
        text = str(target[name])
        assert old in text, (name, old)
        mutants.append(proc_from_source(text.replace(old, new), SCOPE, file=f"<mutant {number}>").ir)
    setters = [target[name].ir for name in target if name.startswith(("config", "fence"))]
    tools = toolchain(manager.get("gemmini"), manager, "c11", emulate=False)
    outcomes = list(check_instructions(mutants, [*setters, *mutants], tools))
    assert [(each.name, number) for number, each in enumerate(outcomes) if each.status != "failed"] == []


@pytest.mark.parametrize(("setter", "user", "old", "new"), IN_SETTERS)
def test_errors_in_configuration_are_found_by_what_relies_on_it(setter, user, old, new):
    target, manager = chip(), plugin_manager()
    text = str(target[setter])
    assert old in text
    mutant = proc_from_source(text.replace(old, new), SCOPE, file=f"<mutant of {setter}>").ir
    others = [target[name].ir for name in target if name.startswith(("config", "fence")) and name != setter]
    tools = toolchain(manager.get("gemmini"), manager, "c11", emulate=False)
    (outcome,) = check_instructions([target[user].ir], [mutant, *others, target[user].ir], tools)
    assert outcome.status == "failed"


def kernel_c(params):
    """The C of a small kernel with the header in it, and arrays for it."""
    code = matmul(40, 80, 50, params=params).c_code()
    whole = code.replace('#include "matmul.h"', OWN_HEADER).replace(f'#include "{params.header_name}"', header(params))
    rng = np.random.default_rng(0)
    a, b, c = (
        rng.integers(-128, 128, (40, 50), np.int8),
        rng.integers(-128, 128, (50, 80), np.int8),
        np.zeros((40, 80), np.int8),
    )
    return whole, a, b, c


def is_wrong(text, a, b, c, params):
    """Whether the simulator refuses the commands, or what they compute is not what NumPy says."""
    library, sim = compile_c(text, params, flags=("-O0",)), Simulator(params)
    c[...] = 0
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, c)]
    try:
        with sim.session():
            sim.allow(a, b, c)
            library.matmul(ctypes.byref(ctypes.c_float(0.01)), *pointers)
            sim.host_reads(c)
    except SimulatorError:
        return True
    return bool((c != read_out(a.astype(np.int32) @ b.astype(np.int32), 0.01, False)).any())


@pytest.mark.parametrize("dim", [8, 16])
def test_errors_in_encodings_and_places_are_found(dim):
    params = GemminiParams(dim=dim)
    text, a, b, c = kernel_c(params)
    assert not is_wrong(text, a, b, c, params)
    for old, new in IN_ENCODINGS + IN_PLACES[dim]:
        assert old in text, old
        assert is_wrong(text.replace(old, new), a, b, c, params), (old, new)


def test_errors_in_the_encoding_of_pooling_are_found():
    layer = Layer(1, 7, 9, 16, 16, 3, 3, 2)
    code = max_pool(layer).c_code()
    text = code.replace('#include "pool.h"', OWN_HEADER).replace('#include "gemmini.h"', header(GemminiParams()))
    assert not pools_wrongly(text, layer)
    for old, new in IN_POOLING:
        assert old in text, old
        assert pools_wrongly(text.replace(old, new), layer), (old, new)


def pools_wrongly(text, layer):
    """Whether the simulator refuses the commands, or some pixel is not the largest of its window."""
    library, sim = compile_c(text, flags=("-O0",)), Simulator()
    rng = np.random.default_rng(1)
    high, wide = layer.HI, layer.WI
    x, y = rng.integers(0, 128, (high * wide, 16), np.int8), np.zeros((layer.H * layer.W, 16), np.int8)
    try:
        with sim.session():
            sim.allow(x, y)
            library.pool(ctypes.byref(ctypes.c_float(1.0)), *(ctypes.c_void_p(each.ctypes.data) for each in (x, y)))
            sim.host_reads(y)
    except SimulatorError:
        return True
    image = x.reshape(high, wide, 16)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(0, 1))[::2, ::2]
    return bool((y.reshape(layer.H, layer.W, 16) != windows.max(axis=(-2, -1))).any())


def test_a_kernel_for_another_chip_does_not_compile():
    text = matmul(16, 16, 16, params=GemminiParams(dim=8)).c_code().replace('#include "matmul.h"', OWN_HEADER)
    with pytest.raises(Exception, match="other parameters"):
        compile_c(text.replace(GemminiParams(dim=8).header_name, "gemmini.h"))
