"""The schedule of a matrix product: from three plain loops to commands, in a mapping that keeps the array busy.

The columns of C fall into panels, as wide as B's part of them fits a bank of the scratchpad. For each panel come all rows,
dim at a time; for each of these, groups of up to four blocks of columns, whose sums leave by one mvout. `cut` makes these
loops, `stage` brings operands to the local memories, `map_commands` puts instructions in the place of loops. `pipeline` then
loads the next panel and the next rows while the array works on those before, spread evenly over the products.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from usl_core import (
    Procedure,
    autolift_alloc,
    cut_loop,
    divide_dim,
    expand_dim,
    fission,
    lift_alloc,
    lift_scope,
    rearrange_dim,
    rename_loop,
    reorder_loops,
    replace,
    resize_dim,
    set_memory,
    simplify,
    stage_mem,
    unroll_loop,
    write_config,
)
from usl_core.cursors import ForCursor
from usl_gemmini.chip import Chip, chip
from usl_gemmini.configuration import configure_array, configure_load, configure_store, configure_wide_load
from usl_gemmini.deep import cut_deep, deep_product
from usl_gemmini.errors import GemminiError
from usl_gemmini.kernels_matmul import ALGORITHMS
from usl_gemmini.kernels_registers import SETTINGS
from usl_gemmini.params import GemminiParams
from usl_gemmini.pipelines import ahead, brought_first, divided, flattened, out_of_branches, run_ahead, spread_over
from usl_gemmini.ports import OUT, PLAIN, Port, wait_for
from usl_stdlib import hoist_config, holds_at_end, max_config_writes

Bias = Literal["none", "matrix", "row"]
"""What is added to the product."""


MOST_LOADS = 2
"""Loads of B in a row that need not be spread."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A product of M x K and K x N and how it is cut, all in elements: panel columns of B at a time, group columns an mvout.

    wide is the number of columns that one mvin takes.
    """

    M: int
    N: int
    K: int
    dim: int
    wide: int
    panel: int
    group: int

    @property
    def panels(self) -> int:
        """How many panels there are."""
        return -(-self.N // self.panel)

    @property
    def rows(self) -> int:
        """How many blocks of rows there are."""
        return -(-self.M // self.dim)

    @property
    def groups(self) -> int:
        """How many groups of columns a panel has."""
        return -(-min(self.N, self.panel) // self.group)

    @property
    def depth(self) -> int:
        """How many blocks a sum has."""
        return -(-self.K // self.dim)

    @property
    def even(self) -> bool:
        """Whether all panels are alike."""
        return self.panels == 1 or self.N % self.panel == 0

    def padded(self, size: int) -> int:
        """The next multiple of dim."""
        return -(-size // self.dim) * self.dim


def cut_for(M: int, N: int, K: int, params: GemminiParams) -> Cut:
    """How a product is cut: panels as wide as one fits a bank of the scratchpad; of no columns if K is too long for that.

    Raises:
        GemminiError: a size is below 1.
    """
    for name, size in (("M", M), ("N", N), ("K", K)):
        if size < 1:
            raise GemminiError(f"a product of {M} x {K} and {K} x {N}: {name} must be at least 1")
    dim, wide = params.dim, params.max_block_len * params.dim
    deep = -(-K // dim)
    most = params.sp_bank_rows // deep // dim * dim
    columns = -(-N // dim) * dim
    if most == 0:
        return Cut(M, N, K, dim, wide, 0, min(wide, columns))
    group = min(wide, most, columns, params.acc_rows)
    panels = [panel for panel in range(group, most + 1, group) if N % panel == 0]  # all alike, which pipelining needs
    panel = max(panels, default=most // group * group)
    if columns <= most:
        panel = -(-columns // group) * group
    return Cut(M, N, K, dim, wide, panel, group)


def matmul(
    M: int,
    N: int,
    K: int,
    *,
    relu: bool = False,
    bias: Bias = "none",
    params: GemminiParams | None = None,
    a: Port = PLAIN,
    b: Port = PLAIN,
    out: Port = OUT,
) -> Procedure:
    """The product of these sizes on a chip: `C = act(scale * (A B))`, or `act(scale * (A B + D))` with a matrix or a row D.

    Its formals are scale, A, B (and D), C. a, b and out say in which class of main memory A, B and C lie.

    Raises:
        GemminiError: a size is below 1.
    """
    target = chip(params)
    shape = cut_for(M, N, K, target.params)
    p = ALGORITHMS[bias](relu, a, b, out).partial_eval(M=M, N=N, K=K)
    if shape.panel == 0:
        return deep_product(p, cut_deep(M, N, K, target.params), target, relu, bias, a, b, out)
    p = map_commands(stage(cut(p, shape, bias), shape, target), shape, target, relu, bias, a, b, out)
    if shape.even:
        p = pipeline(p, shape, target, bias)
    return holds_at_end(p, out.fence, "pending", False)


def cut(p: Procedure, s: Cut, bias: Bias) -> Procedure:
    """The loops of the mapping: panels jp, rows io, groups jg, blocks of columns jb, blocks of the sum ko, and one block."""
    p = divided(p, "i", s.dim, ["io", "ii"], s.M)
    p = divided(p, "j", s.panel, ["jp", "jn"], s.N)
    p = divided(p, "jn", s.group, ["jg", "jj"], s.N)
    p = reorder_loops(p, "ii jp")
    p = reorder_loops(p, "io jp")
    p = reorder_loops(p, "ii jg")
    p = autolift_alloc(p, "sum", 2, keep_dims=True)
    p = fission(p, p.find("C[_] = _").before(), 2)
    p = divided(p, "jj", s.dim, ["jb", "ji"], s.N)
    p = reorder_loops(p, "ii jb")
    p = divided(p, "k", s.dim, ["ko", "ki"], s.K)
    if bias != "none":
        p = fission(p, p.find("sum[_] = _").after(), 2)
        return reorder_loops(reorder_loops(p, "ji ko"), "ii ko")
    if s.depth > 1:
        p = cut_loop(p, "ko", 1)
        p = fission(p, p.find_loop("ko").after(), 2)
        p = reorder_loops(p, "ji ko #1")
        p = reorder_loops(p, "ii ko")
    return unroll_loop(p, "ko")


def stage(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """Operands in the scratchpad, sums in the accumulator, all in blocks of dim x dim."""
    p = simplify(p, keep_unit_loops=True)
    columns = f"{s.panel} * jp:min({s.panel} * jp + {s.panel}, {s.N})"
    p = stage_mem(p, p.find_loop("jp").body(), f"B[0:{s.K}, {columns}]", "b")
    rows = f"{s.dim} * io:min({s.dim} * io + {s.dim}, {s.M})"
    p = stage_mem(p, p.find_loop("io").body(), f"A[{rows}, 0:{s.K}]", "a")
    deep = s.padded(s.K)
    for buffer, extents in (("a", (s.dim, deep)), ("b", (deep, s.panel)), ("sum", (s.dim, s.group))):
        for dim, extent in enumerate(extents):
            p = resize_dim(p, buffer, dim, extent, 0)
        p = divide_dim(p, buffer, 1, s.dim)
    p = divide_dim(p, "b", 0, s.dim)
    p = rearrange_dim(p, "a", [1, 0, 2])
    p = rearrange_dim(p, "b", [0, 2, 1, 3])
    p = rearrange_dim(p, "sum", [1, 0, 2])
    for buffer in ("a", "b"):
        p = set_memory(p, buffer, target.memories.spad)
    return set_memory(p, "sum", target.memories.acc)


def map_commands(
    p: Procedure, s: Cut, target: Chip, relu: bool, bias: Bias, a: Port = PLAIN, b: Port = PLAIN, out: Port = OUT
) -> Procedure:
    """Instructions in the place of loops, each after the configuration that it needs, and this as rarely as can be proved."""
    p = hoist_config(configured_commands(p, s, target, relu, bias, a, b, out))[0]
    return max_config_writes(p, 1, SETTINGS)


def configured_commands(
    p: Procedure, s: Cut, target: Chip, relu: bool, bias: Bias, a: Port = PLAIN, b: Port = PLAIN, out: Port = OUT
) -> Procedure:
    """Instructions in the place of loops; each sets its channel, the array or the store every time."""
    load_b, load_a = p.find_loop("i0"), p.find_loop("i0 #1")
    p = divided(p, load_a.body()[0], s.wide, ["aq", "ac"], s.K)
    p = reorder_loops(p, p.forward(load_a))
    p = divided(p, load_b, s.dim, ["bk", "br"], s.K)
    p = divided(p, p.find_loop("br").body()[0], s.wide, ["bq", "bc"], math.gcd(s.N, s.panel))
    p = reorder_loops(p, "br bq")
    p = simplify(p, keep_unit_loops=True)
    rows, blocks = p.find_loop("aq").body()[0], p.find_loop("br")
    p = configure_load(p, 0, "stride(A, 0)", target, before=rows)
    p = replace(p, p.forward(rows), target[a.load("mvin")])
    p = configure_load(p, 1, "stride(B, 0)", target, before=blocks)
    p = replace(p, p.forward(blocks), target[b.load("mvin2")])
    sums = p.find("C[_] = _").parent().parent()
    p = configure_store(p, "stride(C, 0)", relu, "scale", target, before=sums)
    p = write_config(p, p.forward(sums).before(), out.fence, "pending", True)
    p = replace(p, p.forward(sums).expand(1, 0), target[out.store(relu)])
    p = wait_for(map_products(p, s, target, bias), target, a, b)
    return replace(p, f"{out.fence.name}.pending = False", target[f"fence{out.suffix}"])


def map_products(p: Procedure, s: Cut, target: Chip, bias: Bias) -> Procedure:
    """Each block of weights goes to the array, and from there into one product."""
    columns = f"0:min({s.dim}, {s.N} - {s.panel} * jp - {s.group} * jg - {s.dim} * jb)"
    at = f"{s.group // s.dim} * jg + jb"
    if bias != "none":
        load = p.find("sum[_] = _").parent().parent()
        p = configure_wide_load(p, 2, str(s.N if bias == "matrix" else 0), target, before=load)
        p = replace(p, p.forward(load), target["mvin3_acc" if bias == "matrix" else "mvin3_acc_row"])
    else:
        first = p.find("sum[_] = 0").parent().parent()
        p = configure_array(p, target, before=first)
        p = weights(p, first, f"b[0, {at}, 0:{min(s.K, s.dim)}, {columns}]", "w", s, target)
        p = replace(p, p.forward(first).expand(1, 0), target["mm_first"])
    if bias != "none" or s.depth > 1:
        rest = p.find("sum[_] += _").parent().parent().parent()
        p = configure_array(p, target, before=rest)
        p = weights(p, rest, f"b[ko, {at}, 0:min({s.dim}, {s.K} - {s.dim} * ko), {columns}]", "w2", s, target)
        p = replace(p, p.forward(rest).expand(1, 0), target["mm"])
    return p


def weights(p: Procedure, products: ForCursor, block: str, name: str, s: Cut, target: Chip) -> Procedure:
    """The block of weights in the array, right before the products that use it."""
    p = stage_mem(p, products, block, name)
    for dim in (0, 1):
        p = resize_dim(p, name, dim, s.dim, 0)
    return set_memory(p, name, target.memories.spent)


def pipeline(p: Procedure, s: Cut, target: Chip, bias: Bias = "none") -> Procedure:
    """The next panel and the next rows on the way while the array works, in one loop t over the rows of all panels."""
    rows, loads_of_b = p.find_loop("io"), -(-s.K // s.dim) * -(-s.panel // s.wide)
    each = -(-loads_of_b // s.rows)
    if s.panels > 1:
        p, panels, loads = run_ahead(p, p.find_loop("jp"), p.find_loop("bk"), "b")
        p = flattened(p, loads, "bl")
        p = spread_over(p, p.forward(loads), loads_of_b, rows, s.rows, again=True)
        p = flattened(p, panels, "t")
    else:
        p = rename_loop(p, rows, "t")
        p = unroll_loop(p, "jp")
    if s.rows * s.panels > 1:
        p, _, loads = run_ahead(p, p.find_loop("t"), p.find_loop("aq"), "a")
        p = spread_over_groups(p, loads, -(-s.K // s.wide), s)
        if s.panels > 1 and each > MOST_LOADS:
            p = spread_over_groups(p, p.find_loop("bl_each"), each, s)
    else:
        p = unroll_loop(p, "t")
    p = rotate_sums(p, s, target)
    if bias != "none" and s.rows * s.panels > 1 and 2 * s.groups * s.group <= target.params.acc_rows:
        p = bias_ahead(p, s, bias)
    return simplify(p, keep_unit_loops=True)


def bias_ahead(p: Procedure, s: Cut, bias: Bias) -> Procedure:
    """What the sums of the next rows begin with comes while the array works on these."""
    first = p.find("mvin3_acc(_)" if bias == "matrix" else "mvin3_acc_row(_)")
    for _ in ("jb", "jg"):
        p = brought_first(p, first)
        p = fission(p, p.forward(first).after())
        first = p.forward(first).parent()
    groups = p.forward(first).next()
    p = brought_first(p, first)
    p, _, guard = ahead(p, p.find_loop("t"), first)
    loads = guard.body()[0]
    p = lift_scope(p, loads)
    return spread_over(p, p.forward(loads), s.groups, groups, s.groups)


def spread_over_groups(p: Procedure, loads: ForCursor, trips: int, s: Cut) -> Procedure:
    """So many loads, which a row of blocks begins with, among its groups; among the blocks of a group if these are alike."""
    p = out_of_branches(p, loads)
    each = -(-trips // s.groups)
    again = each > 1 and s.N % s.group == 0
    p = spread_over(p, loads, trips, p.find_loop("jg"), s.groups, again=again)
    if not again:
        return p
    loads = p.find_loop(f"{loads.name()}_each")
    p = out_of_branches(p, loads)
    return spread_over(p, loads, each, p.find_loop("jb"), s.group // s.dim)


def rotate_sums(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """Each group has its own part of the accumulator, all in turn, so that none waits for an mvout."""
    slots = target.params.acc_rows // s.group
    groups = s.groups
    if s.rows * s.panels > 1:
        p = expand_dim(p, "sum", slots, f"({groups} * t + jg) % {slots}")
        return lift_alloc(p, "sum", 2)
    p = expand_dim(p, "sum", slots, f"jg % {slots}")
    return lift_alloc(p, "sum")
