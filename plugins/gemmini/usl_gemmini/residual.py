"""The schedule of a sum of two outputs: the accumulator adds what comes in, and the store scales it."""

from __future__ import annotations

from usl_core import (
    Procedure,
    autolift_alloc,
    divide_dim,
    expand_dim,
    fission,
    lift_alloc,
    mult_loops,
    rearrange_dim,
    replace,
    resize_dim,
    set_memory,
    simplify,
    write_config,
)
from usl_gemmini.chip import chip
from usl_gemmini.configuration import configure_load, configure_store
from usl_gemmini.errors import GemminiError
from usl_gemmini.kernels_sum import sum_of
from usl_gemmini.params import GemminiParams
from usl_gemmini.pipelines import divided, lifted
from usl_gemmini.ports import OUT, OUT2, OUT3, PLAIN, Port, wait_for


def residual(
    rows: int,
    columns: int,
    *,
    relu: bool = False,
    params: GemminiParams | None = None,
    a: Port = OUT,
    b: Port = OUT2,
    out: Port = OUT3,
) -> Procedure:
    """The sum of two outputs: `y = act(scale * (x + z))`. Its formals are scale, x, z, y, all [rows, columns].

    Each block of dim rows and up to 64 columns has its own part of the accumulator, all in turn; none waits for a store.

    Raises:
        GemminiError: a size is below 1, or the output has the class of an input.
    """
    if rows < 1 or columns < 1:
        raise GemminiError(f"a sum of {rows} x {columns}: both must be at least 1")
    if out in (a, b) or PLAIN in (a, b):
        raise GemminiError(
            "a sum reads outputs of layers and writes one of another class: while it reads, writes are in flight"
        )
    target = chip(params)
    dim, wide = target.params.dim, target.params.max_block_len * target.params.dim
    p = sum_of(rows, columns, relu, a, b, out)
    p = divided(p, "i", dim, ["io", "ii"], rows)
    p = divided(p, "j", wide, ["jo", "ji"], columns)
    p = lifted(p, p.find_loop("jo"), 1)
    p = autolift_alloc(p, "sum", 2, keep_dims=True)
    p = fission(p, p.find("sum[_] = _").after(), 2)
    p = fission(p, p.find("y[_] = _").before(), 2)
    p = resize_dim(resize_dim(p, "sum", 0, dim, 0), "sum", 1, wide, 0)
    p = rearrange_dim(divide_dim(p, "sum", 1, dim), "sum", [1, 0, 2])
    p = set_memory(p, "sum", target.memories.acc)
    p = mult_loops(p, p.find_loop("io"), "t")
    slots = target.params.acc_rows // wide
    p = lift_alloc(expand_dim(p, "sum", slots, f"t % {slots}"), "sum")
    p = simplify(p, keep_unit_loops=True)

    p = configure_store(p, str(columns), relu, "scale", target)
    p = configure_load(p, 1, str(columns), target, shrunk=True)
    p = configure_load(p, 0, str(columns), target, shrunk=True)
    p = replace(p, p.find("sum[_] = _").parent().parent(), target[a.load("mvin_acc_i8")])
    p = replace(p, p.find("sum[_] += _").parent().parent(), target[b.load("mvin2_acc_i8_add")])
    block = p.find("y[_] = _").parent().parent()
    p = write_config(p, block.before(), out.fence, "pending", True)
    p = replace(p, p.forward(block).expand(1, 0), target[out.store(relu)])
    p = wait_for(p, target, a, b)
    p = replace(p, f"{out.fence.name}.pending = False", target[f"fence{out.suffix}"])
    return simplify(p)
