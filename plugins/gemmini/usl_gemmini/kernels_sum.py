"""The sum of two outputs as plain loops: what it computes, and nothing of how."""

from __future__ import annotations

from usl_core import Procedure, proc
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.ports import Port
from usl_gemmini.rounding import rne


def sum_of(rows: int, columns: int, relu: bool, a: Port, b: Port, out: Port) -> Procedure:
    """`y = act(scale * (a + b))`, rounded to the nearest integer and saturated; a, b and y are [rows, columns]."""
    act, LEFT, RIGHT, GOAL = ACTIVATIONS[relu], a.memory, b.memory, out.memory
    FENCE, BEFORE_A, BEFORE_B = out.fence, a.fence, b.fence

    @proc
    def residual(scale: f32, x: i8[rows, columns] @ LEFT, z: i8[rows, columns] @ RIGHT, y: i8[rows, columns] @ GOAL):
        BEFORE_A.pending = False
        if {b is not a}:
            BEFORE_B.pending = False
        for i in seq(0, rows):
            for j in seq(0, columns):
                sum: i32
                sum = i32(x[i, j])
                sum += i32(z[i, j])
                y[i, j] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return residual
