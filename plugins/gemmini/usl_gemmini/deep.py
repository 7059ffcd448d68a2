"""The schedule of a product whose sums are so long that not even one block of columns of B fits a bank of the scratchpad.

A block of dim rows and up to 64 columns stays in the accumulator while panels of A and B pass, which lie in two halves of the
scratchpad in turn. B is loaded anew for each block of rows, so that loads limit such a product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from usl_core import (
    Procedure,
    autolift_alloc,
    divide_dim,
    fission,
    rearrange_dim,
    replace,
    resize_dim,
    set_memory,
    simplify,
    stage_mem,
    write_config,
)
from usl_core.cursors import ForCursor
from usl_gemmini.chip import Chip
from usl_gemmini.configuration import configure_array, configure_load, configure_store, configure_wide_load
from usl_gemmini.errors import GemminiError
from usl_gemmini.params import GemminiParams
from usl_gemmini.pipelines import ahead, brought_first, divided, lifted, short, upto
from usl_gemmini.ports import Port, wait_for
from usl_stdlib import enclosing_loop


@dataclass(frozen=True, slots=True)
class Cut:
    """A product of M x K and K x N, cut into blocks of dim rows and group columns, whose sums have panels of so many terms."""

    M: int
    N: int
    K: int
    dim: int
    wide: int
    group: int
    panel: int

    @property
    def panels(self) -> int:
        """How many panels a sum has."""
        return -(-self.K // self.panel)


def cut_deep(M: int, N: int, K: int, params: GemminiParams) -> Cut:
    """How a long product is cut: panels as long as one of B fits half a bank, of as many columns as leave room for a block.

    Raises:
        GemminiError: half a bank takes no block.
    """
    dim = params.dim
    columns = min(params.max_block_len * dim, -(-N // dim) * dim, params.acc_rows)
    for group in range(columns, 0, -dim):
        panel = params.sp_bank_rows * dim // group // 2
        wide = min(params.max_block_len * dim, panel // dim * dim)
        if wide:
            return Cut(M, N, K, dim, wide, group, panel // wide * wide)
    raise GemminiError(
        f"a product of {M} x {K} and {K} x {N}: half of a bank of {params.sp_bank_rows} rows does not fit a block of {dim} rows"
    )


def deep_product(p: Procedure, s: Cut, target: Chip, relu: bool, bias: str, a: Port, b: Port, out: Port) -> Procedure:
    """The schedule of one of the algorithms of `kernels_matmul` for these sizes."""
    p = stage(cut(p, s), s, target)
    loads = {name: enclosing_loop(p.find(f"{name}[_] = _"), "i0") for name in ("a", "b")}
    first = {"a": p.forward(loads["a"]).body()[0], "b": loads["b"]}
    p = map_commands(p, s, target, relu, bias, a, b, out, loads)
    if s.panels > 1:
        for name in ("b", "a"):
            p = brought_first(autolift_alloc(p, name, keep_dims=True), first[name])
            p, _, _ = ahead(p, p.find_loop("kp"), first[name])
            p = resize_dim(p, name, 0, 2, 0, fold=True)
    return simplify(p)


def cut(p: Procedure, s: Cut) -> Procedure:
    """The loops: groups of columns jg, blocks of rows io, panels kp, blocks of columns jb, and blocks of a panel ko."""
    p = divided(p, "i", s.dim, ["io", "ii"], s.M)
    p = divided(p, "j", s.group, ["jg", "jj"], s.N)
    p = lifted(p, p.find_loop("jg"), 2)
    p = autolift_alloc(p, "sum", 2, keep_dims=True)
    p = fission(p, p.find("sum[_] = _").after(), 2)
    p = fission(p, p.find("C[_] = _").before(), 2)
    for pattern in ("sum[_] = _", "sum[_] += _"):
        columns = enclosing_loop(p.find(pattern), "jj")
        p = divided(p, columns, s.dim, ["jb", "ji"], s.N)
        p = lifted(p, columns, 1)
    terms = p.find_loop("k")
    p = divided(p, terms, s.panel, ["kp", "kk"], s.K)
    inner = p.forward(terms).body()[0]
    p = divided(p, inner, s.dim, ["ko", "ki"], s.K)
    p = lifted(p, terms, 3)
    return simplify(lifted(p, inner, 2), keep_unit_loops=True)


def stage(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """A panel of A and one of B in the scratchpad, the sums in the accumulator, all in blocks of dim x dim."""
    terms = upto(f"{s.panel} * kp", s.panel, s.K)
    p = stage_mem(p, p.find_loop("kp").body(), f"B[{terms}, {upto(f'{s.group} * jg', s.group, s.N)}]", "b")
    p = stage_mem(p, p.find_loop("kp").body(), f"A[{upto(f'{s.dim} * io', s.dim, s.M)}, {terms}]", "a")
    for buffer, extents in (("a", (s.dim, s.panel)), ("b", (s.panel, s.group)), ("sum", (s.dim, s.group))):
        for dim, extent in enumerate(extents):
            p = resize_dim(p, buffer, dim, extent, 0)
        p = divide_dim(p, buffer, 1, s.dim)
    p = rearrange_dim(divide_dim(p, "b", 0, s.dim), "b", [0, 2, 1, 3])
    for buffer in ("a", "sum"):
        p = rearrange_dim(p, buffer, [1, 0, 2])
    for buffer in ("a", "b"):
        p = set_memory(p, buffer, target.memories.spad)
    return set_memory(p, "sum", target.memories.acc)


def map_commands(
    p: Procedure,
    s: Cut,
    target: Chip,
    relu: bool,
    bias: str,
    a: Port,
    b: Port,
    out: Port,
    loads: Mapping[str, ForCursor],
) -> Procedure:
    """Instructions in the place of loops, after the configuration that they need."""
    columns = p.forward(loads["a"]).body()[0]
    p = lifted(divided(p, columns, s.wide, ["aq", "ac"], s.K), columns, 1)
    p = divided(p, loads["b"], s.dim, ["bk", "br"], s.K)
    p = simplify(p, keep_unit_loops=True)
    p = configure_wide_load(p, 2, str(s.N if bias == "matrix" else 0), target)
    p = configure_store(p, str(s.N), relu, "scale", target)
    p = configure_load(p, 1, str(s.N), target)
    p = configure_load(p, 0, str(s.K), target)
    p = configure_array(p, target)
    p = replace(p, p.forward(columns).body()[0], target[a.load("mvin")])
    p = replace(p, p.forward(loads["b"]).body()[0], target[b.load("mvin2")])
    start = {"none": "zero3_acc", "matrix": "mvin3_acc", "row": "mvin3_acc_row"}[bias]
    p = replace(p, p.find("sum[_] = _").parent().parent(), target[start])
    rows = p.find("C[_] = _").parent().parent()
    p = write_config(p, rows.before(), out.fence, "pending", True)
    p = replace(p, p.forward(rows).expand(1, 0), target[out.store(relu)])
    product = p.find("sum[_] += _").parent().parent().parent()
    deep = short(f"{s.panel} * kp - {s.dim} * ko", s.dim, s.K)
    across = short(f"{s.group} * jg - {s.dim} * jb", s.dim, s.N)
    p = stage_mem(p, product, f"b[ko, jb, 0:{deep}, 0:{across}]", "w")
    p = resize_dim(resize_dim(p, "w", 0, s.dim, 0), "w", 1, s.dim, 0)
    p = set_memory(p, "w", target.memories.spent)
    p = replace(p, p.forward(product).expand(1, 0), target["mm"])
    p = wait_for(p, target, a, b)
    p = replace(p, f"{out.fence.name}.pending = False", target[f"fence{out.suffix}"])
    return simplify(p, keep_unit_loops=True)
