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
from usl_gemmini.library import compile_c
from usl_gemmini.matmul import matmul
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
    ("mm_again", "i32(a[1 * i, kk]) * i32(w[kk, j])", "i32(a[1 * i, kk]) * i32(w[j, kk])"),
    ("mm_load_step2", "a[2 * i, kk]", "a[i, kk]"),
]
"""An instruction, what its text has, and what instead."""

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

IN_PLACES = [("enum { b = ", "enum { b = 8192 + 0 * "), ("% 2) * 4096", "% 2) * 16"), ("enum { sum = ", "enum { sum = 1000 + ")]
"""What the kernel's C has, and what instead: the first block of A lies at 8192, its halves 4096 rows apart."""


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


def kernel_c():
    """The C of a small kernel with the header in it, and arrays for it."""
    params = GemminiParams()
    code = matmul(40, 80, 50).c_code()
    whole = code.replace('#include "matmul.h"', OWN_HEADER).replace('#include "gemmini.h"', header(params))
    rng = np.random.default_rng(0)
    a, b, c = (
        rng.integers(-128, 128, (40, 50), np.int8),
        rng.integers(-128, 128, (50, 80), np.int8),
        np.zeros((40, 80), np.int8),
    )
    return whole, a, b, c


def is_wrong(text, a, b, c):
    """Whether the simulator refuses the commands, or what they compute is not what NumPy says."""
    library, sim = compile_c(text, flags=("-O0",)), Simulator()
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


def test_errors_in_encodings_and_places_are_found():
    text, a, b, c = kernel_c()
    assert not is_wrong(text, a, b, c)
    for old, new in IN_ENCODINGS + IN_PLACES:
        assert old in text, old
        assert is_wrong(text.replace(old, new), a, b, c), (old, new)


def test_a_kernel_for_another_chip_does_not_compile():
    text = matmul(16, 16, 16, params=GemminiParams(dim=8)).c_code().replace('#include "matmul.h"', OWN_HEADER)
    with pytest.raises(Exception, match="other parameters"):
        compile_c(text.replace(GemminiParams(dim=8).header_name, "gemmini.h"))
