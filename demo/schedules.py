"""Which schedules the demonstration uses: AVX-512 where the processor has it, else portable ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from usl_avx512 import blur_schedule, box_blur, sgemm, sgemm_schedule
from usl_avx512.schedules import tiles_of_c
from usl_core import Procedure
from usl_core.scheduling import divide_loop, lift_alloc, rename, reorder_loops, simplify, stage_mem, unroll_loop

Schedule = Callable[[Procedure], Procedure]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute and how: a procedure, its schedule, the functions the schedule is made of, options for `jit`."""

    plain: Procedure
    schedule: Schedule
    helpers: tuple[Callable[..., Procedure], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


def sgemm_plan(*, portable: bool) -> Plan:
    if portable:
        return Plan(sgemm, portable_sgemm, (tiles_of_c,), NATIVE)
    return Plan(sgemm, sgemm_schedule, (tiles_of_c,))


def blur_plan(*, portable: bool) -> Plan:
    return Plan(box_blur, portable_blur, options=NATIVE) if portable else Plan(box_blur, blur_schedule)


NATIVE: Mapping[str, Any] = {"march": "native"}
"""Portable C leaves the choice of instructions to the compiler, which must then be told the processor."""


def portable_sgemm(p: Procedure, rows: int = 4, columns: int = 64) -> Procedure:
    """Tiles of C as for AVX-512, but of an ordinary array: loops of known length that compilers vectorise and unroll."""
    p = rename(p, "sgemm_portable")
    p = reorder_loops(p, "i j")
    p = divide_loop(p, "j", columns, ["jo", "ji"], tail="cut")
    panel = p.find_loop("i")
    p = reorder_loops(p, "ji i #1")
    p = reorder_loops(p, "ji k")
    p = stage_mem(p, p.find_loop("jo").body(), f"B[0:K, {columns} * jo:{columns} * jo + {columns}]", "B_panel")
    p = lift_alloc(p, "B_panel")
    p = tiles_of_c(p, panel, rows, f"{columns} * jo", columns)
    return simplify(p)


def portable_blur(p: Procedure) -> Procedure:
    """The nine additions written out, which is what compilers want to see before they vectorise a row."""
    p = rename(p, "box_blur_portable")
    p = unroll_loop(p, "dx")
    p = unroll_loop(p, "dy")
    return simplify(p)
