"""The schedule of a border of zeros: the scratchpad takes pieces of the images, and zeros, and stores them where they belong.

It is for images of few channels, of which a convolution reads whole rows of windows (`layers.slid`): the zeros of a border are
then no columns of their own, so that no transfer could leave them out.
"""

from __future__ import annotations

from usl_core import (
    Procedure,
    autolift_alloc,
    cut_loop,
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    rearrange_dim,
    replace,
    resize_dim,
    set_memory,
    shift_loop,
    simplify,
    write_config,
)
from usl_core.cursors import LiteralCursor, StmtCursor
from usl_gemmini.chip import Chip, chip
from usl_gemmini.configuration import configure_load, configure_store
from usl_gemmini.kernels_border import bordered
from usl_gemmini.layers import Border
from usl_gemmini.params import GemminiParams
from usl_gemmini.pipelines import lifted
from usl_gemmini.ports import OUT, Port
from usl_stdlib import enclosing_loop

TURNS = 4
"""Pieces in the scratchpad at the same time."""


def with_border(border: Border, *, params: GemminiParams | None = None, out: Port = OUT) -> Procedure:
    """Images in the midst of zeros. Its formals are x and y."""
    target = chip(params)
    p = simplify(in_parts(bordered(border, out), border), keep_unit_loops=True)
    stores = p.find_all("y[_] = _")
    for store in stores:
        p = staged(p, p.forward(store), target)
    p = simplify(p, keep_unit_loops=True)
    p = configure_store(p, str(border.WO), False, "1.0", target)
    p = configure_load(p, 0, str(border.WI), target)
    for fill in p.find_all("v[_] = _"):
        instruction = "zero" if isinstance(p.forward(fill).rhs(), LiteralCursor) else "mvin"
        p = replace(p, p.forward(fill).parent().parent(), target[instruction])
    for store in stores:
        rows = p.forward(store).parent().parent()
        p = write_config(p, rows.before(), out.fence, "pending", True)
        p = replace(p, p.forward(rows).expand(1, 0), target[f"mvout_spad{out.suffix}"])
    p = replace(p, f"{out.fence.name}.pending = False", target[f"fence{out.suffix}"])
    return simplify(p)


def in_parts(p: Procedure, border: Border) -> Procedure:
    """Loops of their own over what is above, below, left and right of the images, and over these."""
    rows, columns = p.find_loop("r"), p.find_loop("c")
    if border.above:
        p = cut_loop(p, rows, border.above)
        rows = p.forward(rows).next()
        columns = rows.body()[0]
    if border.above + border.HI < border.HO:
        p = cut_loop(p, rows, border.above + border.HI)
    for at in (border.left, border.left + border.WI):
        if 0 < at < border.WO:
            p = cut_loop(p, columns, at)
            p = fission(p, p.forward(columns).after())
            columns = enclosing_loop(p.forward(columns), "r").next().body()[0]
    return p


def staged(p: Procedure, store: StmtCursor, target: Chip) -> Procedure:
    """One of these loops in pieces of dim rows and up to 64 columns, which lie in the scratchpad a few at a time."""
    dim, wide = target.params.dim, target.params.max_block_len * target.params.dim
    columns, rows = enclosing_loop(store, "c"), enclosing_loop(store, "r")
    value = columns.body()[0]
    p = divide_loop(shift_loop(p, rows, 0), rows, dim, ["ro", "ri"], tail="bound")
    p = divide_loop(shift_loop(p, columns, 0), columns, wide, ["co", "ci"], tail="bound")
    p = lifted(p, columns, 1)
    p = autolift_alloc(p, value, 2, keep_dims=True)
    p = fission(p, p.forward(store).before(), 2)
    p = resize_dim(resize_dim(p, value, 0, dim, 0), value, 1, wide, 0)
    p = rearrange_dim(divide_dim(p, value, 1, dim), value, [1, 0, 2])
    p = set_memory(p, value, target.memories.spad)
    return lift_alloc(expand_dim(p, value, TURNS, f"co % {TURNS}"), value)
