"""A matrix product on the accelerator: from three loops to a program that sets each register once."""

from __future__ import annotations

from usl_core import Procedure, call_eqv, divide_loop, fission, inline, reorder_loops, replace, set_memory, stage_mem
from usl_example import kernels as accel
from usl_example.memories import ACCUMULATOR, SCRATCHPAD
from usl_stdlib import double_buffer, hoist_config, max_config_writes


def accelerate_gemm(p: Procedure) -> Procedure:
    """The product `C = A B` of `i8` matrices with sums in `i32`, in tiles of 16x16, each register set once.

    p has the loops i, j and k in this order, sets `C[i, j]` before loop k and adds `i32(A[i, k]) * i32(B[k, j])` in it; its
    assertions say that 16 divides the three sizes.

    Raises:
        SchedulingError: p is something else, or 16 may not divide a size.
    """
    p = configure(map_moves(map_products(stage(tile(p)))))
    p, _ = hoist_config(p)
    return max_config_writes(p, 1)


def accelerate_gemm_ahead(p: Procedure) -> Procedure:
    """As `accelerate_gemm`, with the operands of the next product on their way while the unit works on these.

    The two halves of each buffer lie in banks of their own, so that nobody waits for a bank.

    Raises:
        SchedulingError: what `accelerate_gemm` raises.
    """
    p, _ = double_buffer(accelerate_gemm(p), "ko", "matmul16(_)", tail="guard")
    return p


def tile(p: Procedure) -> Procedure:
    """Tiles of 16x16 sums, cleared first; then products of tiles, one after another."""
    p = divide_loop(p, "i", 16, ["io", "ii"], perfect=True)
    p = divide_loop(p, "j", 16, ["jo", "ji"], perfect=True)
    p = reorder_loops(p, "ii jo")
    p = stage_mem(p, p.find_loop("ii"), "C[16 * io:16 * io + 16, 16 * jo:16 * jo + 16]", "sums")
    p = fission(p, p.find("sums[_] = 0").after(), n_lifts=2)
    p = divide_loop(p, "k", 16, ["ko", "ki"], perfect=True)
    p = reorder_loops(p, "ji ko")
    return reorder_loops(p, "ii ko")


def stage(p: Procedure) -> Procedure:
    """Operands in the scratchpad, sums in the accumulator."""
    product = p.find_loop("ko").body()
    p = stage_mem(p, product, "A[16 * io:16 * io + 16, 16 * ko:16 * ko + 16]", "a")
    p = stage_mem(p, product, "B[16 * ko:16 * ko + 16, 16 * jo:16 * jo + 16]", "b")
    p = set_memory(p, "a", SCRATCHPAD)
    p = set_memory(p, "b", SCRATCHPAD)
    return set_memory(p, "sums", ACCUMULATOR)


def map_products(p: Procedure) -> Procedure:
    """The instructions that read no register."""
    p = replace(p, p.find("sums[_] = 0").parent().parent(), accel.zero16)
    return replace(p, p.find("sums[_] += _").parent().parent().parent(), accel.matmul16)


def map_moves(p: Procedure) -> Procedure:
    """Moves, as if there were no registers."""
    p = replace(p, p.find("a[_] = A[_]").parent().parent(), accel.load_a)
    p = replace(p, p.find("b[_] = B[_]").parent().parent(), accel.load_b)
    return replace(p, p.find("C[_] = sums[_]").parent().parent(), accel.store)


def configure(p: Procedure) -> Procedure:
    """Each move sets its register, every time."""
    for move, configured in (
        (accel.load_a, accel.configured_load_a),
        (accel.load_b, accel.configured_load_b),
        (accel.store, accel.configured_store),
    ):
        call = p.find(f"{move.name()}(_)")
        p = inline(call_eqv(p, call, configured), call)
    return p


STEPS = (tile, stage, map_products, map_moves, configure)
"""What comes before `hoist_config`, in order."""
