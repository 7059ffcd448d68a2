"""C that is generated from instructions of the macros runs on the simulator of this process."""

from __future__ import annotations

import numpy as np
import pytest
from kernels_gemmini import copies

from usl_gemmini import SimulatorError
from usl_gemmini.decode import name_of


def test_a_compiled_procedure_is_linked_with_the_simulator(chip):
    kernel = copies.jit()
    src, dst = np.arange(1024, dtype=np.int64).astype(np.int8).reshape(64, 16), np.zeros((64, 16), np.int8)
    with chip.session(record=True):
        chip.allow(src, dst)
        kernel(dst, src)
        chip.host_reads(dst)
    assert (dst == src).all()
    names = [name_of(int(funct), int(rs1)) for funct, rs1, _ in chip.trace()]
    assert names == ["config_ld", "config_st", "mvin", "mvout", "fence"] * 4


def test_a_compiled_procedure_that_fails_raises_when_the_session_ends(chip):
    kernel = copies.jit()
    src, dst = np.zeros((64, 16), np.int8), np.zeros((64, 16), np.int8)
    with pytest.raises(SimulatorError, match=r"command 7: mvin.*lie outside of every buffer"), chip.session():
        chip.allow(src[:16], dst)
        kernel(dst, src)


def test_what_runs_after_a_failed_session_starts_from_power_up(chip):
    kernel = copies.jit()
    src, dst = np.full((64, 16), 3, np.int8), np.zeros((64, 16), np.int8)
    with pytest.raises(SimulatorError), chip.session(record=True):
        chip.allow(src[:16], dst)
        kernel(dst, src)
    assert len(chip.trace()) == 8  # with the failing one
    with pytest.raises(ValueError, match="of Python"), chip.session():
        chip.allow(src[:16], dst)
        kernel(dst, src)
        raise ValueError("of Python")
    kernel(dst, src)  # without a session
    chip.check()
    assert (dst == src).all()
