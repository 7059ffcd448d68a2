"""Instruction words: the macros of the header against `words.command`, and `decode` back."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from usl_core import probe
from usl_gemmini import GemminiError, GemminiParams, decode
from usl_gemmini.decode import name_of, values_of
from usl_gemmini.header import header
from usl_gemmini.library import compile_c
from usl_gemmini.trace import listing, read, save, trace_of
from usl_gemmini.words import FIELDS, bits_float, command, float_bits

MOVE = "dram local cols rows"
COMPUTE = "a bd a_cols a_rows bd_cols bd_rows"
MACROS = {
    "gemmini_extended_mvin": ("mvin", MOVE),
    "gemmini_extended_mvin2": ("mvin2", MOVE),
    "gemmini_extended_mvin3": ("mvin3", MOVE),
    "gemmini_extended_mvout": ("mvout", MOVE),
    "gemmini_extended_preload": ("preload", "bd c bd_cols bd_rows c_cols c_rows"),
    "gemmini_extended_compute_preloaded": ("compute_preloaded", COMPUTE),
    "gemmini_extended_compute_accumulated": ("compute_accumulated", COMPUTE),
    "gemmini_extended3_config_ex": (
        "config_ex",
        "dataflow activation in_shift acc_scale c_stride a_stride a_transpose b_transpose set_only_strides",
    ),
    "gemmini_extended_config_ex": ("config_ex", "dataflow activation in_shift a_stride a_transpose b_transpose"),
    "gemmini_config_ex": ("config_ex", "dataflow activation in_shift"),
    "gemmini_extended5_config_ld": ("config_ld", "stride scale shrunk block_stride pixel_repeats id"),
    "gemmini_extended4_config_ld": ("config_ld", "stride scale shrunk block_stride id"),
    "gemmini_extended3_config_ld": ("config_ld", "stride scale shrunk id"),
    "gemmini_config_ld": ("config_ld", "stride"),
    "gemmini_extended2_config_st": (
        "config_st",
        "stride activation scale pool_stride pool_size pool_out_dim porows pocols orows ocols upad lpad",
    ),
    "gemmini_extended_config_st": ("config_st", "stride activation scale"),
    "gemmini_config_st": ("config_st", "stride"),
    "gemmini_config_norm": ("config_norm", "q_const q_const_type set_stats_id_only act_msb stat_id qb qc"),
    "gemmini_flush": ("flush", "skip"),
    "gemmini_fence": ("fence", ""),
}
"""Each macro with its command and its arguments, in their order, by the command's fields."""


def field(name, argument):
    return next(field for field in FIELDS[name] if field.name == argument)


def caller(macro):
    name, arguments = MACROS[macro]
    kinds = [field(name, each).kind for each in arguments.split()]
    values = (f"{'f' if kind == 'float' else 'v'}[{at}]" for at, kind in enumerate(kinds))
    return f"void call_{macro}(const uint64_t *v, const float *f) {{ (void)v; (void)f; {macro}({', '.join(values)}); }}\n"


@cache
def callers():
    """Functions that use each macro once, with a `gemmini_sim_issue` of their own that keeps the words."""
    text = '#include "gemmini.h"\nuint64_t seen[3];\n#define gemmini_sim_issue keep\n'
    text += "static void keep(uint64_t hash, uint32_t funct, uint64_t rs1, uint64_t rs2) {\n"
    text += "  (void)hash; seen[0] = funct; seen[1] = rs1; seen[2] = rs2;\n}\n"
    return compile_c(text + "".join(map(caller, MACROS)))


def encoded(macro, values):
    name, arguments = MACROS[macro]
    fields = [field(name, each) for each in arguments.split()]
    whole = [0 if each.kind == "float" else int(values[each.name]) for each in fields]
    real = [values[each.name] if each.kind == "float" else 0.0 for each in fields]
    library = callers()
    library[f"call_{macro}"]((ctypes.c_uint64 * (len(fields) + 1))(*whole), (ctypes.c_float * (len(fields) + 1))(*real))
    return tuple((ctypes.c_uint64 * 3).in_dll(library, "seen"))


@st.composite
def commands(draw):
    """A macro and values for its arguments, each over all of its bits."""
    macro = draw(st.sampled_from(sorted(MACROS)))
    name, arguments = MACROS[macro]
    values = {}
    for each in (field(name, argument) for argument in arguments.split()):
        real = st.floats(width=32, allow_nan=False)
        values[each.name] = draw(real if each.kind == "float" else st.integers(0, 2**each.bits - 1))
    return macro, values


@given(commands())
def test_each_macro_encodes_the_words_of_its_fields(case):
    macro, values = case
    assert encoded(macro, values) == command(MACROS[macro][0], **values)


@given(commands())
def test_words_decode_to_the_fields_they_were_made_of(case):
    macro, values = case
    name = MACROS[macro][0]
    words = command(name, **values)
    assert name_of(*words[:2]) == name
    assert {key: value for key, value in values_of(*words).items() if key in values} == values


def test_words_are_those_of_the_sheet():
    assert command("mvin", dram=0x1000, local=0x40, cols=64, rows=16) == (2, 0x1000, 16 << 48 | 64 << 32 | 0x40)
    assert command("config_ld", stride=512, scale=1.0, block_stride=16, id=2) == (
        0,
        0x3F800000 << 32 | 16 << 16 | 1 << 8 | 2 << 3 | 1,
        512,
    )
    assert command("config_ex", dataflow=1) == (0, 0x3F800000 << 32 | 1 << 16 | 1 << 2, 1 << 48)
    assert command("config_st", stride=64, activation=1, scale=0.5) == (0, 1 << 2 | 2, 0x3F000000 << 32 | 64)
    pooled = command(
        "config_st",
        stride=64,
        pool_stride=2,
        pool_size=3,
        upad=1,
        lpad=1,
        pool_out_dim=56,
        porows=2,
        pocols=4,
        orows=5,
        ocols=9,
    )
    assert pooled[1] == 9 << 56 | 5 << 48 | 4 << 40 | 2 << 32 | 56 << 24 | 1 << 10 | 1 << 8 | 3 << 6 | 2 << 4 | 2


def test_signed_addresses_stay_out_of_the_other_fields():
    text = '#include "gemmini.h"\nvoid pair(void);\nvoid pair(void) {\n  int garbage = -1, acc = (int)0x80000010u;\n'
    text += "  gemmini_extended_preload(garbage, acc, 16, 16, 8, 4);\n}\n"
    text = text.replace(
        '"gemmini.h"\n',
        '"gemmini.h"\nuint64_t seen[3];\n#define gemmini_sim_issue(h, f, a, b) (seen[0] = (f), seen[1] = (a), seen[2] = (b))\n',
    )
    library = compile_c(text)
    library.pair()
    assert tuple((ctypes.c_uint64 * 3).in_dll(library, "seen")) == command(
        "preload", bd=0xFFFFFFFF, c=0x80000010, bd_cols=16, bd_rows=16, c_cols=8, c_rows=4
    )


def test_decoded_commands_read_like_calls():
    assert (
        decode(*command("mvin2", dram=0x1000, local=64, cols=64, rows=16))
        == "mvin2(dram=0x1000, local=sp[64], cols=64, rows=16)"
    )
    assert decode(*command("mvin", local=0xC0000010, cols=16, rows=16)) == "mvin(dram=null, local=acc+[16], cols=16, rows=16)"
    assert (
        decode(*command("mvout", dram=0x40, local=0xA0000000, cols=1, rows=2))
        == "mvout(dram=0x40, local=acc32[0], cols=1, rows=2)"
    )
    assert decode(*command("preload", bd=0xFFFFFFFF, c=0x80000000)).startswith(
        "preload(bd=garbage, bd_cols=0, bd_rows=0, c=acc[0]"
    )
    assert decode(99, 1, 2) == "funct 99 (rs1=0x1, rs2=0x2)"


def test_a_value_that_does_not_fit_its_bits_is_refused():
    with pytest.raises(GemminiError, match="mvin: cols = 65536 does not fit 16 bits"):
        command("mvin", cols=65536)
    with pytest.raises(GemminiError, match="mvin has no field columns"):
        command("mvin", columns=4)
    with pytest.raises(GemminiError, match="there is no command 'move'"):
        command("move")


@given(st.floats(width=32, allow_nan=False))
def test_scales_travel_as_their_bits(value):
    assert bits_float(float_bits(value)) == value


def test_a_trace_goes_to_a_file_and_back(tmp_path):
    trace = trace_of([command("flush"), command("mvin", dram=2**63, local=0xC0000000, cols=4, rows=2), command("fence")])
    file = tmp_path / "kernel.trace"
    save(trace, GemminiParams(), file)
    assert (read(GemminiParams(), file) == trace).all()
    assert file.read_text().splitlines()[2].endswith("# mvin(dram=0x8000000000000000, local=acc+[0], cols=4, rows=2)")
    assert listing(trace).splitlines()[0] == "flush(skip=0)"
    with pytest.raises(GemminiError, match="a chip of other parameters"):
        read(GemminiParams(dim=8), file)
    file.write_text(file.read_text() + "1 2\n")
    with pytest.raises(GemminiError, match=r"kernel.trace:5: not three hexadecimal words: '1 2'"):
        read(GemminiParams(), file)
    file.write_text("nothing")
    with pytest.raises(GemminiError, match="is no trace"):
        read(GemminiParams(), file)


ALL_MACROS = """
#include "gemmini.h"
void all(int8_t *a, int32_t *d, float scale);
void all(int8_t *a, int32_t *d, float scale) {
  gemmini_flush(0);
  gemmini_config_ex(WEIGHT_STATIONARY, NO_ACTIVATION, 0);
  gemmini_config_ld(64);
  gemmini_extended3_config_ld(64, scale, true, 2);
  gemmini_extended_config_st(64, RELU, scale);
  gemmini_mvin(a, 0);
  gemmini_extended_mvin3(d, GEMMINI_ACC, 16, 16);
  gemmini_mvin2(NULL, 16);
  gemmini_preload(0, GEMMINI_ACC_ADD);
  gemmini_compute_preloaded(16, GARBAGE_ADDR);
  gemmini_preload_zeros(GEMMINI_ACC_ADD);
  gemmini_compute_accumulated(16, GARBAGE_ADDR);
  gemmini_mvout(a, GEMMINI_ACC);
  gemmini_config_norm(1, 0, 0, 0, 0, 1, 2);
  gemmini_fence();
  gemmini_host_read(a, 256);
  gemmini_host_write(a, 256);
  gemmini_host_claim(0, 16);
  gemmini_host_release(0, 16);
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang", "riscv64-linux-gnu-gcc"])
@pytest.mark.parametrize("dim", [4, 8, 16, 32])
def test_the_header_compiles_without_warnings(compiler, dim, tmp_path):
    program = probe.program(compiler)
    if program is None:
        pytest.skip(f"{compiler} is not installed")
    chip = GemminiParams(dim=dim)
    (tmp_path / "gemmini.h").write_text(header(chip))
    (tmp_path / "all.c").write_text(f"{ALL_MACROS}GEMMINI_REQUIRE_PARAMS(0x{chip.hash:x});\n")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Werror", "-pedantic", "-O1"]
    done = subprocess.run([program, *flags, "-c", "all.c"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
