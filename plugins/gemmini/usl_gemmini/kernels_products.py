"""Products in the array, its configuration, fences and flushes.

A product is a pair of commands, preload and compute. As instructions they would have to agree on the address of the sums,
which no state of the language can hold, so the pair is one instruction, and the block of weights in the array is a buffer that
it writes or reads. `mm_load` leaves weights for `mm_again`. `mm` takes blocks of any size and leaves nothing that can be used
again, as the array fills what is missing with zeros. Those called `first` write the sums, the others add to them; `step2` takes
every other row of A, `step3` every third.
Reference: fact sheet, section 6.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from usl_core import Config, Procedure, fragment, instr
from usl_gemmini.kernels_conditions import row_after_row, weight_stationary
from usl_gemmini.kernels_registers import EX, FENCE, FENCE2, FENCE3, NORM
from usl_gemmini.memories import Memories, chip_header
from usl_gemmini.params import GemminiParams

ENDS = {1: "", 2: "_step2", 3: "_step3", 4: "_step4"}
"""How far apart the rows of A may be, with the end of the instruction's name."""


def products(params: GemminiParams, mems: Memories) -> Mapping[str, Callable[[], Procedure]]:
    """By name, what makes each instruction of this module for one chip."""
    return {
        "config_ex": partial(_config_ex, params),
        "config_ex_ws": partial(_config_ex_ws, params),
        "config_norm": partial(_config_norm, params),
        "mm_first": partial(_mm, params, mems, True, 1),
        "mm_load_first": partial(_mm_load, params, mems, True, 1),
        "mm_again_first": partial(_mm_again, params, mems, True, 1),
        **{f"mm{end}": partial(_mm, params, mems, False, step) for step, end in ENDS.items()},
        **{f"mm_load{end}": partial(_mm_load, params, mems, False, step) for step, end in ENDS.items()},
        **{f"mm_again{end}": partial(_mm_again, params, mems, False, step) for step, end in ENDS.items()},
        "fence": partial(_fence, params, FENCE),
        "fence2": partial(_fence, params, FENCE2),
        "fence3": partial(_fence, params, FENCE3),
        "fence_all": partial(_fence_all, params),
        "flush": partial(_flush, params),
    }


def _pair(weights: str, compute: str, first: bool, k: str, n: str) -> str:
    """The commands of a product of m x k and k x n; a bit of the address of the sums says whether they are added."""
    bits = "" if first else " | GEMMINI_ACC_ADD"
    shape = f"{n}, {k}" if weights == "{b}" else "DIM, DIM"
    return (
        f"gemmini_extended_preload({weights}, ({{c}}){bits}, {shape}, {n}, {{m}});"
        f" gemmini_extended_compute_{compute}({{a}}, GARBAGE_ADDR, {k}, {{m}}, DIM, DIM);"
    )


@fragment
def _array(step, transposes_a, transposes_b):
    """All fields of the array's record."""
    EX.dataflow = 1
    EX.activation = 0
    EX.in_shift = 0
    EX.acc_scale = 1.0
    EX.C_stride = 1
    EX.A_stride = step
    EX.A_transpose = transposes_a
    EX.B_transpose = transposes_b


def _config_ex(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_extended_config_ex(WEIGHT_STATIONARY, NO_ACTIVATION, 0, 1, false, false);", c_global=HEADER)
    def config_ex():
        _array(1, False, False)

    return config_ex


def _config_ex_ws(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr(
        "gemmini_extended_config_ex(WEIGHT_STATIONARY, NO_ACTIVATION, 0, {A_stride}, {A_transpose}, {B_transpose});",
        c_global=HEADER,
    )
    def config_ex_ws(A_stride: index, A_transpose: bool, B_transpose: bool):
        assert A_stride >= 1 and A_stride < 65536
        assert not (A_transpose and B_transpose)
        _array(A_stride, A_transpose, B_transpose)

    return config_ex_ws


def _config_norm(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr(
        "gemmini_config_norm({q_const}, {q_const_type}, {set_stats_id_only}, {act_msb}, {stat_id}, {qb}, {qc});",
        c_global=HEADER,
    )
    def config_norm(
        q_const: index, q_const_type: bool, set_stats_id_only: bool, act_msb: bool, stat_id: index, qb: index, qc: index
    ):
        assert stat_id >= 0 and stat_id < 256
        assert q_const >= -2147483648 and q_const < 2147483648
        assert qb >= -2147483648 and qb < 2147483648
        assert qc >= -2147483648 and qc < 2147483648
        NORM.q_const = q_const
        NORM.q_const_type = q_const_type
        NORM.set_stats_id_only = set_stats_id_only
        NORM.act_msb = act_msb
        NORM.stat_id = stat_id
        NORM.qb = qb
        NORM.qc = qc

    return config_norm


def _mm(params: GemminiParams, mems: Memories, first: bool, step: int) -> Procedure:
    DIM, SPAD, ACC, SPENT, HEADER = params.dim, mems.spad, mems.acc, mems.spent, chip_header(params)

    @instr(_pair("{b}", "preloaded", first, "{k}", "{n}"), c_global=HEADER, implicit=("w",))
    def mm(
        m: size,
        n: size,
        k: size,
        c: [i32][m, DIM] @ ACC,
        a: [i8][step * (m - 1) + 1, DIM] @ SPAD,
        b: [i8][k, DIM] @ SPAD,
        w: [i8][k, DIM] @ SPENT,
    ):
        assert m <= DIM
        assert n <= DIM
        assert k <= DIM
        row_after_row(a, DIM)
        row_after_row(b, DIM)
        row_after_row(c, DIM)
        weight_stationary(step)
        for kk in seq(0, k):
            for j in seq(0, n):
                w[kk, j] = b[kk, j]
        for i in seq(0, m):
            for j in seq(0, n):
                if {first}:
                    c[i, j] = 0
                for kk in seq(0, k):
                    c[i, j] += i32(a[step * i, kk]) * i32(w[kk, j])

    return mm


@fragment
def _product(c, a, w, m, dim, step, first):
    """All columns of a product with the weights in the array."""
    for i in seq(0, m):
        for n in seq(0, dim):
            if {first}:
                c[i, n] = 0
            for k in seq(0, dim):
                c[i, n] += i32(a[step * i, k]) * i32(w[k, n])


def _mm_load(params: GemminiParams, mems: Memories, first: bool, step: int) -> Procedure:
    DIM, SPAD, ACC, WEIGHTS, HEADER = params.dim, mems.spad, mems.acc, mems.weights, chip_header(params)

    @instr(_pair("{b}", "preloaded", first, "DIM", "DIM"), c_global=HEADER, implicit=("w",))
    def mm_load(
        m: size,
        c: [i32][m, DIM] @ ACC,
        a: [i8][step * (m - 1) + 1, DIM] @ SPAD,
        b: [i8][DIM, DIM] @ SPAD,
        w: [i8][DIM, DIM] @ WEIGHTS,
    ):
        assert m <= DIM
        row_after_row(a, DIM)
        row_after_row(b, DIM)
        row_after_row(c, DIM)
        weight_stationary(step)
        for kk in seq(0, DIM):
            for j in seq(0, DIM):
                w[kk, j] = b[kk, j]
        _product(c, a, w, m, DIM, step, {first})

    return mm_load


def _mm_again(params: GemminiParams, mems: Memories, first: bool, step: int) -> Procedure:
    DIM, SPAD, ACC, WEIGHTS, HEADER = params.dim, mems.spad, mems.acc, mems.weights, chip_header(params)

    @instr(_pair("GARBAGE_ADDR", "accumulated", first, "DIM", "DIM"), c_global=HEADER, implicit=("w",))
    def mm_again(m: size, c: [i32][m, DIM] @ ACC, a: [i8][step * (m - 1) + 1, DIM] @ SPAD, w: [i8][DIM, DIM] @ WEIGHTS):
        assert m <= DIM
        row_after_row(a, DIM)
        row_after_row(c, DIM)
        weight_stationary(step)
        _product(c, a, w, m, DIM, step, {first})

    return mm_again


def _fence(params: GemminiParams, record: Config) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_fence();", c_global=HEADER)
    def fence():
        record.pending = False

    return fence


def _fence_all(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_fence();", c_global=HEADER)
    def fence_all():
        FENCE.pending = False
        FENCE2.pending = False
        FENCE3.pending = False

    return fence_all


def _flush(params: GemminiParams) -> Procedure:
    HEADER = chip_header(params)

    @instr("gemmini_flush(0);", c_global=HEADER)
    def flush():
        pass

    return flush
