"""A kernel whose instruction is a template of the public macros."""

from __future__ import annotations

from usl_core import instr, proc


@instr(
    "gemmini_config_ld({src.stride0}); gemmini_config_st({dst.stride0});"
    " gemmini_mvin({src.ptr}, 0); gemmini_mvout({dst.ptr}, 0); gemmini_fence();",
    includes=['"gemmini.h"'],
)
def copy_block(dst: [i8][16, 16], src: [i8][16, 16]):
    assert stride(dst, 1) == 1
    assert stride(src, 1) == 1
    for i in seq(0, 16):
        for j in seq(0, 16):
            dst[i, j] = src[i, j]


@proc
def copies(dst: i8[64, 16], src: i8[64, 16]):
    for b in seq(0, 4):
        copy_block(dst[16 * b : 16 * b + 16, 0:16], src[16 * b : 16 * b + 16, 0:16])
