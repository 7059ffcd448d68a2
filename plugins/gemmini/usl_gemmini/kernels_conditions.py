"""What instructions that touch local memories ask of their operands and of the array, as code that they share.

Reference: fact sheet, sections 3, 5 and 6.
"""

from __future__ import annotations

from usl_core import fragment
from usl_gemmini.kernels_registers import EX, ST


@fragment
def row_after_row(block, dim):
    """The rows of one block of dim columns lie one after another."""
    assert stride(block, 0) == dim
    assert stride(block, 1) == 1


@fragment
def in_blocks(local, rows, dim):
    """Blocks of dim columns, of so many rows each, which do not overlap."""
    assert rows <= dim
    assert stride(local, 1) == dim
    assert stride(local, 2) == 1
    assert stride(local, 0) >= dim * rows


@fragment
def next_to_each_other(local, rows, cols, dim):
    """Blocks that an mvout reads, which it expects dim rows apart."""
    assert rows <= dim
    assert cols <= dim or stride(local, 0) == dim * dim
    assert stride(local, 1) == dim
    assert stride(local, 2) == 1


@fragment
def stored(apart, size):
    """The store writes rows so far apart, of elements of size bytes, without pooling."""
    assert ST.stride == apart
    assert ST.bytes == size
    assert ST.pool_stride == 0


@fragment
def weight_stationary(step):
    """The array keeps weights, transposes nothing, and takes every step-th row of A."""
    assert EX.dataflow == 1
    assert EX.A_stride == step
    assert EX.C_stride == 1
    assert not EX.A_transpose
    assert not EX.B_transpose
