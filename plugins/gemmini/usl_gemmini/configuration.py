"""Configuration instructions, right before what needs them or at the front. `hoist_config` removes what is redundant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_core import Procedure, insert_noop_call
from usl_core.cursors import StmtCursor
from usl_gemmini.chip import Chip


def configure(p: Procedure, instruction: Procedure, values: Sequence[Any], before: StmtCursor | None = None) -> Procedure:
    """The instruction with these arguments before a statement, by default before everything."""
    place = p.body()[0] if before is None else p.forward(before)
    return insert_noop_call(p, place.before(), instruction, values)


def configure_array(p: Procedure, target: Chip, *, step: int = 1, before: StmtCursor | None = None) -> Procedure:
    """Weight-stationary products, nothing transposed, every step-th row of A."""
    if step == 1:
        return configure(p, target["config_ex"], [], before)
    return configure(p, target["config_ex_ws"], [step, False, False], before)


def configure_load(
    p: Procedure,
    channel: int,
    stride: str,
    target: Chip,
    *,
    block_stride: int = 0,
    shrunk: bool = False,
    before: StmtCursor | None = None,
) -> Procedure:
    """A channel for int8 data without scale, which may become sums (shrunk): stride in elements between rows in main memory.

    Blocks are block_stride elements of local memory apart, by default one after another.
    """
    values = [stride, shrunk, block_stride or target.params.dim**2]
    return configure(p, target[f"config_ld{channel}"], values, before)


def configure_wide_load(
    p: Procedure, channel: int, stride: str, target: Chip, *, block_stride: int = 0, before: StmtCursor | None = None
) -> Procedure:
    """A channel for int32 data: stride in elements between rows in main memory. Blocks are apart as for `configure_load`."""
    return configure(p, target[f"config_ld{channel}_wide"], [stride, block_stride or target.params.dim**2], before)


def configure_store(
    p: Procedure, stride: str, relu: bool, scale: str, target: Chip, *, before: StmtCursor | None = None
) -> Procedure:
    """The store without pooling: stride in elements between rows in main memory."""
    return configure(p, target["config_st"], [stride, int(relu), scale], before)


def configure_pool(
    p: Procedure, stride: int, pixels: int, width: int, size: int, step: int, target: Chip, *, relu: bool = False
) -> Procedure:
    """The store with pooling, one row at a time: pixels of windows size x size, step apart, in rows of width pixels."""
    values = [stride, int(relu), "scale", step, size, pixels, 1, pixels, size, width, 0, 0]
    return configure(p, target["config_st_pool"], values)
