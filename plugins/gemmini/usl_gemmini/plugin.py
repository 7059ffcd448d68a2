"""What usl_gemmini declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from usl_core.ir.config import Config
from usl_core.ir.externs import Extern
from usl_core.ir.memory import Memory
from usl_core.plugins.hookspecs import Driver, Later, hookimpl

USL_API = 1

NONNEGATIVE_FIELDS = ("EX.acc_scale", "LD0.scale", "LD1.scale", "LD2.scale", "ST.scale")
"""What `usl plugin check` writes finite numbers from zero on into: what negative ones do is not known (docs/gemmini.md)."""

# By name, so that nobody who lists plugins waits for any of them to be parsed.
REGISTERS = ("EX", "LD0", "LD1", "LD2", "ST", "NORM", "FENCE", "FENCE2", "FENCE3")
INSTRUCTIONS = tuple(
    """
    config_ld0 config_ld0_wide config_ld0_scaled config_ld1 config_ld1_wide config_ld1_scaled config_ld2
    config_ld2_wide config_ld2_scaled config_st config_st_wide config_st_pool mvin mvin_scaled mvin_acc mvin_acc_add
    mvin_acc_row mvin_acc_i8 zero zero_acc mvin_back mvin_acc_i8_back mvin_acc_i8_add_back mvin_back2
    mvin_acc_i8_back2 mvin_acc_i8_add_back2 mvin_back3 mvin_acc_i8_back3 mvin_acc_i8_add_back3 mvin2 mvin2_scaled
    mvin2_acc mvin2_acc_add mvin2_acc_row mvin2_acc_i8 zero2 zero2_acc mvin2_back mvin2_acc_i8_back
    mvin2_acc_i8_add_back mvin2_back2 mvin2_acc_i8_back2 mvin2_acc_i8_add_back2 mvin2_back3 mvin2_acc_i8_back3
    mvin2_acc_i8_add_back3 mvin3 mvin3_scaled mvin3_acc mvin3_acc_add mvin3_acc_row mvin3_acc_i8 zero3 zero3_acc
    mvin3_back mvin3_back2 mvin3_back3 mvin_apart6 mvin_apart6_back mvin_apart6_back2 mvin_apart6_back3 mvin_every2
    mvin_every2_back mvin_every2_back2 mvin_every2_back3 mvout_full mvout_spad mvout mvout_pool2 mvout_pool2_step1
    mvout_pool3 mvout_pool3_step1 mvout_relu mvout_relu_pool2 mvout_relu_pool2_step1 mvout_relu_pool3
    mvout_relu_pool3_step1 mvout_full2 mvout_spad2 mvout2 mvout2_pool2 mvout2_pool2_step1 mvout2_pool3
    mvout2_pool3_step1 mvout_relu2 mvout_relu2_pool2 mvout_relu2_pool2_step1 mvout_relu2_pool3
    mvout_relu2_pool3_step1 mvout_full3 mvout_spad3 mvout3 mvout3_pool2 mvout3_pool2_step1 mvout3_pool3
    mvout3_pool3_step1 mvout_relu3 mvout_relu3_pool2 mvout_relu3_pool2_step1 mvout_relu3_pool3
    mvout_relu3_pool3_step1 config_ex config_ex_ws config_norm mm_first mm_load_first mm_again_first mm mm_step2
    mm_step3 mm_step4 mm_load mm_load_step2 mm_load_step3 mm_load_step4 mm_again mm_again_step2 mm_again_step3
    mm_again_step4 fence fence2 fence3 fence_all flush
    """.split()
)


@hookimpl
def usl_drivers() -> Mapping[str, Driver]:
    """The headers of the chips of each dimension, with what C that includes them is linked with."""
    from usl_gemmini.driver import SimulatorDriver
    from usl_gemmini.params import DIMENSIONS, GemminiParams

    return {f"dim{dim}": SimulatorDriver(GemminiParams(dim=dim)) for dim in DIMENSIONS}


@hookimpl
def usl_memories() -> Iterable[type[Memory]]:
    """The memories of the default chip."""
    from usl_gemmini.memories import ACC, GEMMINI_OUT, GEMMINI_OUT2, GEMMINI_OUT3, SPAD, SPENT, WEIGHTS

    return (SPAD, ACC, WEIGHTS, SPENT, GEMMINI_OUT, GEMMINI_OUT2, GEMMINI_OUT3)


@hookimpl
def usl_configs() -> Later:
    """The configuration state, which all chips share."""

    def made(name: str) -> Config:
        from usl_gemmini import kernels_registers

        found: Config = getattr(kernels_registers, name)
        return found

    return Later(REGISTERS, made)


@hookimpl
def usl_externs() -> Later:
    """Rounding to the nearest integer."""

    def made(name: str) -> Extern:
        from usl_gemmini.rounding import rne

        return rne

    return Later(("rne",), made)


@hookimpl
def usl_instructions() -> Iterable[object]:
    """The instructions of the default chip."""

    def made(name: str) -> object:
        from usl_gemmini.chip import chip

        return chip()[name]

    return Later(INSTRUCTIONS, made)
