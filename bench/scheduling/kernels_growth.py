"""What the cases of the growth curves call, match and set."""

from __future__ import annotations

from usl_core import config, instr, proc


@config
class Cfg:
    a: index
    b: index


@instr("prefetch({x.ptr});")
def prefetch(n: size, x: [f32][n]):
    for i in seq(0, n):  # noqa: B007
        pass


@instr("clear({x.ptr});")
def clear(x: [f32][8]):
    for i in seq(0, 8):
        x[i] = 0.0


@proc
def ones(x: [f32][8]):
    for i in seq(0, 8):
        x[i] = 1.0
