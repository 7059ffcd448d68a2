"""A matrix product on the accelerator of tests/example_plugin: sixteen tiles of sums at a time, all blocks written out.

Every move reads its stride from a register; each of them sets it first, and all but one setting of each are then taken away.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.scheduling.kernels_accelerator import gemm
from usl_core import Procedure
from usl_core.scheduling import (
    call_eqv,
    divide_dim,
    divide_loop,
    fission,
    inline,
    rearrange_dim,
    rename,
    reorder_loops,
    replace,
    set_memory,
    simplify,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import hoist_config, max_config_writes

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "example_plugin"))

from usl_example import kernels as accel
from usl_example.memories import ACCUMULATOR, SCRATCHPAD

BLOCK, BLOCKS = 16, 4
TILE = BLOCK * BLOCKS


def schedule() -> Procedure:
    """The whole schedule."""
    p = in_blocks(rename(gemm, "gemm_accelerator"))
    p = in_scratchpad(p)
    for name in ("ib", "jb"):
        for loop in p.find(f"for {name} in _: _", many=True):
            p = unroll_loop(p, loop)
    p = simplify(p)
    p = instructions(p)
    p = configured(p)
    p, _ = hoist_config(p)
    return max_config_writes(p, 1)


def in_blocks(p: Procedure) -> Procedure:
    """Tiles of sums that are kept while k runs, in blocks of the accelerator's size."""
    for name in ("i", "j"):
        p = divide_loop(p, name, TILE, [f"{name}o", "r"], perfect=True)
        p = divide_loop(p, "r", BLOCK, [f"{name}b", f"{name}i"], perfect=True)
    for pair in ("ii jo", "ib jo", "ii jb"):
        p = reorder_loops(p, pair)
    p = stage_mem(p, p.find_loop("ib"), f"C[{TILE} * io:{TILE} * io + {TILE}, {TILE} * jo:{TILE} * jo + {TILE}]", "sums")
    p = fission(p, p.find("sums[_] = 0").after(), n_lifts=4)
    k = p.find_loop("k")
    p = divide_loop(p, k, BLOCK, ["ko", "ki"], perfect=True)
    for _ in range(4):
        p = reorder_loops(p, p.forward(k).parent())
    return p


def in_scratchpad(p: Procedure) -> Procedure:
    """Operands and sums as blocks in the memories of the accelerator; copies move block by block."""
    product = p.find_loop("ko").body()
    p = stage_mem(p, product, f"A[{TILE} * io:{TILE} * io + {TILE}, {BLOCK} * ko:{BLOCK} * ko + {BLOCK}]", "a")
    p = stage_mem(p, product, f"B[{BLOCK} * ko:{BLOCK} * ko + {BLOCK}, {TILE} * jo:{TILE} * jo + {TILE}]", "b")
    for buffer, dims, order in (("sums", (1, 0), (0, 2, 1, 3)), ("a", (0,), None), ("b", (1,), (1, 0, 2))):
        for dim in dims:
            p = divide_dim(p, buffer, dim, BLOCK)
        p = rearrange_dim(p, buffer, list(order)) if order else p
        p = set_memory(p, buffer, ACCUMULATOR if buffer == "sums" else SCRATCHPAD)
    for copy in ("a[_] = A[_]", "b[_] = B[_]", "C[_] = sums[_]"):
        inner = p.find(copy).parent()
        outer = inner.parent()
        for loop, name in ((outer, "ib"), (inner, "jb")):
            p = divide_loop(p, loop, BLOCK, [name, "r"], perfect=True)
        p = reorder_loops(p, p.forward(inner).parent())
    return p


def instructions(p: Procedure) -> Procedure:
    """Every block by an instruction, or by a move as if there were no registers."""
    for statement, depth, procedure in (
        ("sums[_] = 0", 2, accel.zero16),
        ("sums[_] += _", 3, accel.matmul16),
        ("a[_] = A[_]", 2, accel.load_a),
        ("b[_] = B[_]", 2, accel.load_b),
        ("C[_] = sums[_]", 2, accel.store),
    ):
        for nest in p.find(statement, many=True):
            for _ in range(depth):
                nest = nest.parent()
            p = replace(p, nest, procedure)
    return p


def configured(p: Procedure) -> Procedure:
    """Each move sets its register, every time."""
    for move, version in (
        (accel.load_a, accel.configured_load_a),
        (accel.load_b, accel.configured_load_b),
        (accel.store, accel.configured_store),
    ):
        for call in p.find(f"{move.name()}(_)", many=True):
            p = inline(call_eqv(p, call, version), call)
    return p


def check(p: Procedure) -> None:
    """Against NumPy, on the model of the hardware in C."""
    import numpy as np

    kernel, random = p.jit(), np.random.default_rng(0)
    for m, n, k in ((64, 64, 16), (128, 192, 80)):
        a, b = (random.integers(-128, 128, shape, dtype=np.int8) for shape in ((m, k), (k, n)))
        c = np.full((m, n), -1, np.int32)
        kernel(m, n, k, a, b, c)
        np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32))
