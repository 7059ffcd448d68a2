"""Declarations that pickle finds by name, and one that it does not."""

from __future__ import annotations

from usl_core import DRAM, Procedure, config, instr, proc


class Scratch(DRAM):
    """A memory that pickle finds by name."""

    name = "Scratch"


@config
class Setting:
    stride: index


@proc
def clear(x: [f32][4]):
    for i in seq(0, 4):
        x[i] = 0.0


@instr("clear4({x.ptr});")
def clear4(x: [f32][4]):
    for i in seq(0, 4):
        x[i] = 0.0


@proc
def user(n: size, x: f32[n + 4] @ Scratch):
    Setting.stride = n
    t: f32 @ DRAM
    t = 0.5
    clear(x[0:4])
    clear4(x[n : n + 4])
    for i in par(0, n):
        if i < 4:
            x[i] = -t * 2.0


def nameless_instruction() -> Procedure:
    @instr("nothing")
    def local(x: [f32][4]):
        pass

    return local
