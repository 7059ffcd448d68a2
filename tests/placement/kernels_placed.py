"""Memories of rows, and instructions on them, for tests of placement."""

from __future__ import annotations

from usl_core import DRAM, instr
from usl_core.placement import PlacedMemory


class PAD(PlacedMemory):
    """Four banks of 64 rows of 4 lanes."""

    name = "PAD"
    rows, lanes, banks = 256, 4, 4


class PAD_ROW_100(PAD):
    """From row 100 on."""

    name = "PAD_ROW_100"
    pinned_row = 100


class PAD_BANK_2(PAD):
    """In bank 2."""

    name = "PAD_BANK_2"
    pinned_bank = 2


class BLOCK(PlacedMemory):
    """Room for one block."""

    name = "BLOCK"
    rows, lanes = 4, 4


@instr("put({dst}, {n}, {v});")
def put(n: size, dst: [i32][n, 4] @ PAD, v: i32 @ DRAM):
    for i in seq(0, n):
        for j in seq(0, 4):
            dst[i, j] = v


@instr("get({src}, {n}, {v.ptr});")
def get(n: size, src: [i32][n, 4] @ PAD, v: i32 @ DRAM):
    for i in seq(0, n):
        for j in seq(0, 4):
            v += src[i, j]


@instr("both({a}, {b}, {n}, {v.ptr});")
def both(n: size, a: [i32][n, 4] @ PAD, b: [i32][n, 4] @ PAD, v: i32 @ DRAM):
    for i in seq(0, n):
        for j in seq(0, 4):
            v += a[i, j] + b[i, j]


@instr("hold({dst}, {v});")
def hold(dst: [i32][4, 4] @ BLOCK, v: i32 @ DRAM):
    for i in seq(0, 4):
        for j in seq(0, 4):
            dst[i, j] = v
