"""Which schedule the demonstration uses on this machine: AVX-512 where the processor has it, else a portable one."""

from __future__ import annotations

from usl_avx512 import blur_schedule, box_blur, has_avx512, sgemm, sgemm_schedule
from usl_core import Procedure
from usl_core.scheduling import divide_loop, rename, reorder_loops, unroll_loop

__all__ = ["box_blur", "fast_blur", "fast_sgemm", "portable_blur", "portable_sgemm", "sgemm"]


def fast_sgemm(p: Procedure) -> Procedure:
    return sgemm_schedule(p) if has_avx512() else portable_sgemm(p)


def fast_blur(p: Procedure) -> Procedure:
    return blur_schedule(p) if has_avx512() else portable_blur(p)


def portable_sgemm(p: Procedure) -> Procedure:
    """No instructions of any one processor: unit stride innermost, and a panel of B that stays in the second-level cache."""
    p = rename(p, "sgemm_portable")
    p = reorder_loops(p, "j k")
    p = reorder_loops(p, "i k")
    p = divide_loop(p, "k", 64, ["ko", "ki"], tail="cut")
    return reorder_loops(p, "ki i")


def portable_blur(p: Procedure) -> Procedure:
    """The nine additions written out, which is what compilers want to see before they vectorise a row."""
    p = rename(p, "box_blur_portable")
    p = unroll_loop(p, "dx")
    return unroll_loop(p, "dy")
