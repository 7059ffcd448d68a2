"""Small programs for the target: a copy through the scratchpad, and two that hardware could not run."""

from __future__ import annotations

from usl_core import DRAM, proc
from usl_gemmini.chip import chip
from usl_gemmini.memories import GEMMINI_OUT, SPAD, WEIGHTS

_chip = chip()
config_ld0, config_st, mvin, mvin_back, mvout_spad, fence = (
    _chip[name] for name in ("config_ld0", "config_st", "mvin", "mvin_back", "mvout_spad", "fence")
)


@proc
def copied(x: i8[16, 16] @ DRAM, y: i8[16, 16] @ GEMMINI_OUT):
    a: i8[1, 16, 16] @ SPAD
    config_ld0(16, False, 256)
    config_st(16, 0, 1.0)
    mvin(16, 16, a[0:1, 0:16, 0:16], x[0:16, 0:16])
    mvout_spad(16, 16, y[0:16, 0:16], a[0:1, 0:16, 0:16])
    fence()


@proc
def read_by_plain_code(x: i8[16, 16] @ DRAM, y: i8[16, 16] @ GEMMINI_OUT, z: i8[16, 16] @ DRAM):
    copied(x, y)
    for i in seq(0, 16):
        for j in seq(0, 16):
            z[i, j] = y[i, j]


@proc
def two_blocks_of_weights(x: i8[16, 16] @ DRAM):
    v: i8[16, 16] @ WEIGHTS
    w: i8[16, 16] @ WEIGHTS
    for i in seq(0, 16):
        for j in seq(0, 16):
            v[i, j] = x[i, j]
    for i in seq(0, 16):
        for j in seq(0, 16):
            w[i, j] = v[i, j]
