"""The instructions: each body says what the template does."""

from __future__ import annotations

from usl_core import DRAM, instr
from usl_example.memories import LANES4


@instr("memcpy({dst}.lane, {src.ptr}, sizeof {dst}.lane);", includes=("string.h",))
def load4(dst: [f32][4] @ LANES4, src: [f32][4] @ DRAM):
    assert stride(src, 0) == 1
    for i in seq(0, 4):
        dst[i] = src[i]


INSTRUCTIONS = (load4,)
