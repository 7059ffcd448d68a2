"""Configuration instructions at the front of a procedure: the fields written one by one, then by the instruction."""

from __future__ import annotations

from collections.abc import Mapping

from usl_core import Procedure, replace, write_config
from usl_gemmini.chip import Chip
from usl_gemmini.kernels_registers import BY_NAME


def configure(p: Procedure, record: str, fields: Mapping[str, str | float | bool], instruction: Procedure) -> Procedure:
    """The instruction, which writes these fields in this order, before everything else."""
    start = p.body()[0]
    for field, value in fields.items():
        p = write_config(p, p.forward(start).before(), BY_NAME[record], field, value)
    return replace(p, p.body()[0 : len(fields)], instruction)


def configure_array(p: Procedure, target: Chip, *, step: int = 1) -> Procedure:
    """Weight-stationary products, nothing transposed, every step-th row of A."""
    fields: dict[str, str | float | bool] = {
        "dataflow": 1,
        "activation": 0,
        "in_shift": 0,
        "acc_scale": 1.0,
        "C_stride": 1,
        "A_stride": step,
        "A_transpose": False,
        "B_transpose": False,
    }
    return configure(p, "EX", fields, target["config_ex" if step == 1 else "config_ex_ws"])


def configure_load(
    p: Procedure, channel: int, stride: str, target: Chip, *, block_stride: int = 0, shrunk: bool = False
) -> Procedure:
    """A channel for int8 data without scale, which may become sums (shrunk): stride in elements between rows in main memory.

    Blocks are block_stride elements of local memory apart, by default one after another.
    """
    fields = _load_fields(stride, 1, block_stride or target.params.dim**2) | {"shrunk": shrunk}
    return configure(p, f"LD{channel}", fields, target[f"config_ld{channel}"])


def configure_wide_load(p: Procedure, channel: int, stride: str, target: Chip) -> Procedure:
    """A channel for int32 data: stride in elements between rows in main memory, blocks one after another."""
    fields = _load_fields(stride, 4, target.params.dim**2)
    return configure(p, f"LD{channel}", fields, target[f"config_ld{channel}_wide"])


def _load_fields(stride: str, size: int, block_stride: int) -> dict[str, str | float | bool]:
    return {
        "stride": stride,
        "bytes": size,
        "scale": 1.0,
        "plain": True,
        "shrunk": False,
        "block_stride": block_stride,
        "pixel_repeats": 1,
    }


def configure_store(p: Procedure, stride: str, relu: bool, scale: str, target: Chip) -> Procedure:
    """The store without pooling: stride in elements between rows in main memory."""
    none = ("pool_stride", "pool_size", "pool_out_dim", "porows", "pocols", "orows", "ocols", "upad", "lpad")
    fields: dict[str, str | float | bool] = {"stride": stride, "bytes": 1, "activation": int(relu), "scale": scale}
    return configure(p, "ST", fields | dict.fromkeys(none, 0), target["config_st"])


def configure_pool(p: Procedure, stride: int, pixels: int, width: int, size: int, step: int, target: Chip) -> Procedure:
    """The store with pooling, one row at a time: pixels of windows size x size, step apart, in rows of width pixels."""
    fields: dict[str, str | float | bool] = {"stride": stride, "bytes": 1, "activation": 0, "scale": "scale"}
    fields |= {"pool_stride": step, "pool_size": size, "pool_out_dim": pixels, "porows": 1, "pocols": pixels}
    fields |= {"orows": size, "ocols": width, "upad": 0, "lpad": 0}
    return configure(p, "ST", fields, target["config_st_pool"])
