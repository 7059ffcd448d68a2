"""Generated C compiles for RISC-V, and its object code sends the commands that the simulator gets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from usl_gemmini import GemminiError, GemminiParams, words
from usl_gemmini.conv import conv
from usl_gemmini.decode import name_of
from usl_gemmini.header import header
from usl_gemmini.layers import Layer
from usl_gemmini.matmul import matmul
from usl_gemmini.recording import arguments, record
from usl_gemmini.riscv import FLAGS, available, compile_object, custom_instructions, emulate, emulated

KERNELS = {
    "matmul": lambda params: matmul(40, 80, 50, params=params),
    "matmul_row_relu": lambda params: matmul(64, 64, 64, bias="row", relu=True, params=params),
    "conv": lambda params: conv(Layer(2, 12, 12, 32, 32, 3, 3), params=params),
    "conv_step2": lambda params: conv(Layer(1, 8, 8, 32, 32, 3, 3, 2), relu=True, params=params),
}
MOVES = ("mvin", "mvin2", "mvin3", "mvout")

compiled = pytest.mark.skipif(not available(), reason="no compiler for RISC-V (gcc-riscv64-linux-gnu)")
run = pytest.mark.skipif(not emulated(), reason="no compiler or emulator for RISC-V (gcc-riscv64-linux-gnu, qemu-user)")


@compiled
@pytest.mark.parametrize("dim", [4, 32])
def test_the_object_code_has_the_custom_instructions_of_the_commands(dim, tmp_path):
    params = GemminiParams(dim=dim)
    p = matmul(2 * dim, 3 * dim, 2 * dim, params=params)
    found = custom_instructions(compile_object(p, tmp_path, params))
    assert {(each.funct3, each.rd) for each in found} == {(3, 0)}
    assert {each.funct7 for each in found} == set(record(p, params)[:, 0].tolist()) - {words.FENCE}
    assert all(each.rs1 and each.rs2 for each in found if each.funct7 != words.FLUSH)


@run
@pytest.mark.parametrize("name", KERNELS)
def test_the_processor_sends_the_commands_that_the_simulator_gets(name, tmp_path):
    params = GemminiParams()
    p = KERNELS[name](params)
    found, places = emulate(p, tmp_path, params)
    arrays = arguments(p)
    assert [size for _, size in places] == [np.asarray(each).nbytes for each in arrays]
    expected = record(p, params)
    expected = expected[expected[:, 0] != words.FENCE]
    assert (found[:, 0] == expected[:, 0]).all() and (found[:, 2] == expected[:, 2]).all()
    moves = np.array([name_of(funct, rs1) in MOVES for funct, rs1, _ in expected.tolist()])
    assert (found[~moves, 1] == expected[~moves, 1]).all()
    own = [offset_in(places, address) for address in found[moves, 1].tolist()]
    steps = np.diff(found[moves, 1].astype(np.int64)), np.diff(expected[moves, 1].astype(np.int64))
    same = [a[0] == b[0] for a, b in itertools.pairwise(own)]
    assert None not in own and (steps[0][same] == steps[1][same]).all() and len({array for array, _ in own}) >= 3


def offset_in(places, address):
    """Which array an address lies in, and where there."""
    if address == 0:
        return None, 0
    return next((number, address - start) for number, (start, size) in enumerate(places) if start <= address < start + size)


@compiled
def test_a_header_of_another_chip_is_refused(tmp_path):
    p = matmul(16, 16, 16, params=GemminiParams(acc_kib=128))
    small = GemminiParams()
    (tmp_path / GemminiParams(acc_kib=128).header_name).write_text(header(small))
    with pytest.raises(GemminiError, match=r"(?s)refuses the C.*(other parameters|No such file)"):
        compile_object(p, tmp_path, small)
    assert "-Werror" in FLAGS


def test_without_a_compiler_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("USL_HIDE", "riscv64")
    with pytest.raises(GemminiError, match="there is no riscv64-linux-gnu-gcc on this machine"):
        compile_object(matmul(16, 16, 16), tmp_path)
