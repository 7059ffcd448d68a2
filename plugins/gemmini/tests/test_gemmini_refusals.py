"""Each thing that hardware would fail on is refused, with the command's number, its text and the reason."""

from __future__ import annotations

import numpy as np
import pytest

from usl_gemmini import SimulatorError
from usl_gemmini.library import compile_c
from usl_gemmini.trace import trace_of
from usl_gemmini.words import ACC, ACC_ADD, ACC_FULL, GARBAGE, command

DATA = np.ones((64, 64), np.int8)
OUT = np.ones((64, 64), np.int8)
WIDE = np.zeros((64, 64), np.int32)
HERE, THERE, SUMS = (array.ctypes.data for array in (DATA, OUT, WIDE))

LD = command("config_ld", stride=64)
LD32 = command("config_ld", stride=256)
ST = command("config_st", stride=64)
EX = command("config_ex", dataflow=1)
OS = command("config_ex", dataflow=0)
A = command("mvin", dram=HERE, local=0, cols=16, rows=16)
FENCE = command("fence")
ZERO = command("mvin", dram=0, local=ACC, cols=16, rows=16)


def mvin(**fields):
    return command("mvin", **{"dram": HERE, "local": 0, "cols": 16, "rows": 16, **fields})


def mvout(**fields):
    return command("mvout", **{"dram": THERE, "local": 0, "cols": 16, "rows": 16, **fields})


def preload(**fields):
    whole = {"bd": 0, "bd_cols": 16, "bd_rows": 16, "c": ACC, "c_cols": 16, "c_rows": 16}
    return command("preload", **{**whole, **fields})


def compute(name="compute_preloaded", **fields):
    return command(name, **{"a": 0, "a_cols": 16, "a_rows": 16, "bd": GARBAGE, "bd_cols": 16, "bd_rows": 16, **fields})


def stay(**fields):
    return compute("compute_accumulated", **fields)


SHORT = preload(bd=GARBAGE, c_rows=4)


def pool(**fields):
    whole = {"pool_stride": 2, "pool_size": 2, "pool_out_dim": 2, "porows": 2, "pocols": 2, "orows": 4, "ocols": 4}
    return command("config_st", stride=64, **{**whole, **fields})


REFUSED = {
    "a channel that was never configured": ([mvin()], "load channel 0 was never configured"),
    "another channel than the configured one": ([LD, command("mvin3", dram=HERE, cols=1, rows=1)], "load channel 2 was never"),
    "a fourth channel": ([command("config_ld", id=3)], "three load channels, not one of number 3"),
    "more rows than the array has": ([LD, mvin(rows=17)], "mvin: 17 rows; at most 16"),
    "no rows": ([LD, mvin(rows=0)], "0 rows of 16 columns; neither may be 0"),
    "no columns": ([LD, mvin(cols=0)], "16 rows of 0 columns"),
    "more than 64 bytes of int8": ([LD, mvin(cols=65)], "mvin: 65 columns; at most 64"),
    "more than 64 bytes of int32": ([LD32, mvin(dram=SUMS, local=ACC, cols=17)], "mvin: 17 columns; at most 16"),
    "a block_stride of 0": ([command("config_ld", block_stride=0)], "block_stride is 0"),
    "a block_stride below the rows": (
        [command("config_ld", stride=64, block_stride=8), mvin(rows=9)],
        "8 of channel 0 is less",
    ),
    "pixel_repeats": ([command("config_ld", pixel_repeats=2)], "pixel_repeats = 2 is not modelled"),
    "a scale of an mvin that is not finite": ([command("config_ld", scale=float("inf"))], "config_ld: the scale is not finite"),
    "a scale of an mvout that is not finite": (
        [command("config_st", scale=float("nan"))],
        "config_st: the scale is not finite",
    ),
    "a negative scale": ([command("config_st", scale=-1.0)], "the scale is negative"),
    "a scale of the array that is not finite": ([command("config_ex", acc_scale=float("nan"))], "config_ex: the scale is not"),
    "a destination beyond the scratchpad": (
        [LD, mvin(local=16384 - 15)],
        "rows 16369 to 16384 of the scratchpad, which has 16384",
    ),
    "blocks beyond the scratchpad": ([LD, mvin(local=16384 - 16, cols=17)], "rows 16368 to 16399 of the scratchpad"),
    "a destination beyond the accumulator": ([LD32, mvin(dram=SUMS, local=ACC + 1020)], "of the accumulator, which has 1024"),
    "address bits that mean nothing": ([LD, mvin(local=1 << 20)], "has bits that mean nothing"),
    "normalisation bits": ([LD32, mvin(dram=0, local=ACC | 1 << 26)], "has bits that mean nothing"),
    "a garbage destination": ([LD, mvin(local=GARBAGE)], "the destination is the garbage address"),
    "misaligned int32": ([LD32, mvin(dram=SUMS + 2, local=ACC)], "not a multiple of 4"),
    "a misaligned stride of int32": ([command("config_ld", stride=30), mvin(dram=SUMS, local=ACC)], "stride of 30 bytes"),
    "a pointer into the first page": ([LD, mvin(dram=8)], "0x8 of main memory is null or wraps"),
    "a sum onto what was never written": (
        [LD, mvin(dram=0, local=ACC_ADD)],
        "the sum: row 0, column 0 of the accumulator was never",
    ),
    "a store that was never configured": ([LD, A, mvout()], "the store was never configured"),
    "a null destination": ([LD, A, ST, mvout(dram=0)], "the address in main memory is null"),
    "an mvout of garbage": ([ST, mvout(local=GARBAGE)], "the source is the garbage address"),
    "an mvout of unwritten rows": ([LD, A, ST, mvout(local=1)], "mvout: row 16, column 0 of the scratchpad was never written"),
    "an mvout of unwritten columns": ([LD, mvin(cols=9), ST, mvout()], "row 0, column 9 of the scratchpad was never written"),
    "an mvout of unwritten sums": ([ST, mvout(local=ACC + 3)], "row 3, column 0 of the accumulator was never written"),
    "an mvout of too many rows": ([LD, A, ST, mvout(rows=17)], "mvout: 17 rows; at most 16"),
    "a wide mvout of int32": ([LD, ZERO, ST, mvout(local=ACC_FULL, cols=17)], "mvout: 17 columns; at most 16"),
    "a misaligned mvout of int32": ([LD, ZERO, ST, mvout(dram=THERE + 1, local=ACC_FULL)], "is not a multiple of 4"),
    "normalising activations": ([command("config_st", activation=2)], "activation 2 needs normalisation"),
    "a window without a stride": ([command("config_st", pool_size=2)], "selects another mode in hardware"),
    "a pool without rows": ([pool(porows=0)], "pooling needs a window, rows and columns"),
    "a pool wider than its image": ([pool(pool_out_dim=1)], "pool_out_dim >= pocols"),
    "pooling of the scratchpad": ([LD, A, pool(), mvout()], "pooling reads the accumulator"),
    "pooling of more channels than a row has": ([LD, ZERO, pool(), mvout(local=ACC, cols=17)], "17 columns; at most 16"),
    "pooling of unwritten pixels": (
        [LD, pool(orows=5), ZERO, mvout(local=ACC + 1)],
        "row 16, column 0 of the accumulator was never",
    ),
    "pooling beyond the accumulator": ([LD, pool(), mvout(local=ACC + 1010)], "rows 1010 to 1025 of the accumulator"),
    "an array that was never configured": ([LD, A, preload()], "the array was never configured"),
    "both operands transposed": ([command("config_ex", dataflow=1, a_transpose=1, b_transpose=1)], "A or B, not both"),
    "only B transposed, output-stationary": ([command("config_ex", dataflow=0, b_transpose=1)], "only together with A"),
    "a stride of 0 in the array": (
        [command("config_ex", dataflow=1, a_stride=0)],
        "A_stride = 0, C_stride = 1; neither may be 0",
    ),
    "strides alone before anything else": ([command("config_ex", set_only_strides=1)], "the rest was never configured"),
    "a shift by more than 31": ([command("config_ex", in_shift=32)], "a shift by 32 bits"),
    "two preloads": ([LD, A, EX, preload(), preload()], "two preloads without a compute between them"),
    "a compute without a preload": ([LD, A, EX, compute()], "a compute without a preload before it"),
    "a second compute": ([LD, A, EX, preload(), compute(), compute()], "a compute without a preload before it"),
    "config_ex in a pair": ([LD, A, EX, preload(), EX], "config_ex between a preload and its compute"),
    "a fence in a pair": ([LD, A, EX, preload(), FENCE], "a fence between a preload and its compute"),
    "weights from the accumulator": ([LD, ZERO, EX, preload(bd=ACC)], "operands are read from the scratchpad"),
    "A from the accumulator": ([LD, A, ZERO, EX, preload(), compute(a=ACC)], "A is an address of the accumulator"),
    "a garbage A": ([LD, A, EX, preload(), compute(a=GARBAGE)], "A is the garbage address, whose data is undefined"),
    "unwritten weights": ([EX, preload(bd=7)], "the preloaded block: row 7, column 0 of the scratchpad was never written"),
    "unwritten A": ([LD, A, EX, preload(), compute(a=1)], "A: row 16, column 0 of the scratchpad was never written"),
    "unwritten D": ([LD, A, EX, preload(), compute(bd=2)], "D: row 16, column 0 of the scratchpad was never written"),
    "a block of weights with too many rows": ([EX, preload(bd_rows=17)], "the preloaded block: 17 rows; at most 16"),
    "A with too many columns": ([LD, A, EX, preload(), compute(a_cols=17)], "A: 17 columns; at most 16"),
    "C with too many columns": ([LD, A, EX, preload(c_cols=17)], "C: 17 columns; at most 16"),
    "C beyond the accumulator": ([LD, A, EX, preload(c=ACC + 1009)], "C: rows 1009 to 1024 of the accumulator"),
    "more rows of C than of A": ([LD, A, EX, preload(), compute(a_rows=8)], "16 rows of C, but 8 of A"),
    "a product added to unwritten sums": (
        [LD, A, EX, preload(c=ACC_ADD), compute()],
        "the sum: row 0, column 0 of the accumulator",
    ),
    "weights that are preloaded and never used": ([LD, A, EX, preload(), compute(), preload(), stay()], "two live blocks"),
    "old weights where there are none": ([LD, A, EX, preload(bd=GARBAGE), stay()], "the array holds no weights"),
    "weights from before a change of dataflow": (
        [LD, A, EX, preload(), compute(), OS, EX, preload(bd=GARBAGE), stay()],
        "the array holds no weights",
    ),
    "old sums where there are none": ([LD, A, OS, preload(bd=GARBAGE), stay(bd=0)], "the array holds no sums"),
    "new sums that are not used": ([LD, A, OS, preload(), compute(bd=0), preload(), stay(bd=0)], "keeps the old sums"),
    "shifted sums in the accumulator": (
        [LD, A, command("config_ex", dataflow=0, in_shift=1), preload(bd=GARBAGE), compute(bd=0)],
        "shifted by hardware and not by the model",
    ),
    "a result read from another first row": (
        [LD, A, EX, preload(c=32), compute(), SHORT, stay(a=33, a_rows=4)],
        "A: row 33 is the result of a product that began at row 32",
    ),
    "an mvin of what is being written": (
        [LD, A, ST, mvout(), mvin(dram=THERE + 64, rows=1)],
        "row 0 reads what command 3, an mvout, may still be writing: a fence is missing",
    ),
    "a loop instruction": ([(8, 0, 0)], "function 8 is not modelled"),
    "a performance counter": ([(126, 0, 0)], "function 126 is not modelled"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_simulator_refuses(chip, what):
    commands, reason = REFUSED[what]
    with pytest.raises(SimulatorError) as caught:
        chip.run(trace_of(commands))
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"command {caught.value.index}: ")
    assert caught.value.index in (len(commands) - 1, len(commands) - 2)


ACCEPTED = {
    "a result read from its own first row": [LD, A, EX, preload(c=32), compute(), SHORT, stay(a=32, a_rows=4)],
    "a result read elsewhere after a fence": [LD, A, EX, preload(c=32), compute(), FENCE, SHORT, stay(a=33, a_rows=4)],
    "rows that are written between": [LD, A, ST, mvout(), FENCE, mvin(dram=THERE)],
    "neighbours of what is being written": [LD, A, ST, mvout(cols=7, rows=1), mvin(dram=THERE + 7, rows=1, cols=9)],
    "zeros for int32 in one wide command": [LD, mvin(dram=0, local=ACC, cols=64)],
    "any alignment of int8": [command("config_ld", stride=33), mvin(dram=HERE + 3)],
    "normalisation constants": [command("config_norm", q_const=3, qb=1)],
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_the_simulator_accepts(chip, what):
    chip.run(trace_of(ACCEPTED[what]))


def test_the_host_waits_for_a_fence(chip):
    chip.run(trace_of([LD, A, ST, mvout(rows=2)]))
    chip.host_reads(OUT[2:])
    chip.host_reads(DATA)
    with pytest.raises(SimulatorError, match=r"the host, after 4 commands: the host reads 64 bytes .* a fence is missing"):
        chip.host_reads(OUT[1])
    chip.reset()
    chip.run(trace_of([LD, A]))
    with pytest.raises(SimulatorError, match="the host writes 64 bytes"):
        chip.host_writes(DATA[15])
    chip.reset()
    chip.run(trace_of([LD, A, ST, mvout(), FENCE]))
    chip.host_reads(OUT)
    chip.host_writes(DATA)


def test_live_buffers_do_not_overlap_and_commands_stay_inside(chip):
    chip.claim(0, 16)
    chip.claim(16, 16)
    with pytest.raises(SimulatorError, match="two live buffers overlap in row 31 of the scratchpad"):
        chip.claim(31, 2)
    chip.reset()
    chip.claim(0, 16)
    chip.claim(16, 16)
    chip.run(trace_of([LD, A]))
    with pytest.raises(SimulatorError, match="rows 8 and 16 of the scratchpad belong to different buffers"):
        chip.run(trace_of([LD, mvin(local=8)]))
    chip.reset()
    chip.claim(0, 16)
    chip.run(trace_of([LD, A]))
    chip.release(0, 16)
    with pytest.raises(SimulatorError, match="row 0 of the scratchpad belongs to no live buffer"):
        chip.run(trace_of([LD, A]))
    chip.reset()
    with pytest.raises(SimulatorError, match="row 4 is given back, but no live buffer has it"):
        chip.release(ACC + 4, 1)


def test_a_new_buffer_has_no_contents(chip):
    chip.claim(0, 16)
    chip.run(trace_of([LD, A, ST]))
    chip.release(0, 16)
    chip.claim(0, 16)
    with pytest.raises(SimulatorError, match="row 0, column 0 of the scratchpad was never written"):
        chip.run(trace_of([mvout()]))


def test_the_array_holds_one_block_of_weights(chip):
    weights = 0x7FFFFFFF
    chip.run(trace_of([LD, A, EX]))
    chip.claim(weights, 1)
    chip.run(trace_of([preload(), compute()]))
    chip.release(weights, 1)
    chip.claim(weights, 1)
    with pytest.raises(SimulatorError, match="the array holds no weights"):
        chip.run(trace_of([preload(bd=GARBAGE), stay()]))
    chip.reset()
    chip.claim(weights, 1)
    with pytest.raises(SimulatorError, match="a second live block of weights"):
        chip.claim(weights, 1)


def test_transfers_stay_inside_of_the_arrays_that_are_allowed(chip):
    chip.allow(DATA[:16], OUT[:8])
    chip.run(trace_of([LD, A, ST, mvout(rows=8)]))
    with pytest.raises(SimulatorError, match=r"mvout: 16 bytes at .* lie outside of every buffer"):
        chip.run(trace_of([mvout(rows=9)]))
    chip.reset()
    chip.allow(DATA[:15])
    with pytest.raises(SimulatorError, match=r"mvin: 16 bytes at .* lie outside of every buffer"):
        chip.run(trace_of([LD, A]))


def test_output_stationary_sums_beyond_the_array_are_refused(chip):
    low = np.full((16, 16), -128, np.int8)
    commands = [command("config_ld", stride=16), mvin(dram=low.ctypes.data), OS, preload(bd=GARBAGE, c=GARBAGE), compute(bd=0)]
    commands += [preload(bd=GARBAGE), stay(bd=0)]
    with pytest.raises(SimulatorError, match="the output-stationary sum 524288 does not fit the 20 bits of hardware"):
        chip.run(trace_of(commands))


KERNEL = """
#include "gemmini.h"
void kernel(int8_t *out, int fenced);
void kernel(int8_t *out, int fenced) {
  gemmini_config_ld(16);
  gemmini_config_st(16);
  gemmini_host_claim(0, 16);
  gemmini_mvin(0, 0);
  gemmini_mvout(out, 0);
  if (fenced) gemmini_fence();
  gemmini_host_read(out, 256);
  gemmini_host_release(0, 16);
}
"""


def test_a_kernel_in_c_fails_as_an_exception_and_the_process_goes_on(chip):
    kernel, out = compile_c(KERNEL).kernel, np.ones((16, 16), np.int8)
    with pytest.raises(SimulatorError, match="the host reads 256 bytes"), chip.session():
        kernel(np.ctypeslib.as_ctypes(out.reshape(-1)), 0)
    with chip.session(record=True):
        kernel(np.ctypeslib.as_ctypes(out.reshape(-1)), 1)
    assert not out.any()
    assert len(chip.trace()) == 5


def test_after_a_failure_nothing_runs_until_reset(chip):
    with pytest.raises(SimulatorError, match="command 1: mvin"):
        chip.run(trace_of([LD, mvin(rows=17), A]))
    assert chip.count == 2
    with pytest.raises(SimulatorError, match="command 1: mvin"):
        chip.run(trace_of([A]))
    chip.reset()
    chip.run(trace_of([LD, A]))
