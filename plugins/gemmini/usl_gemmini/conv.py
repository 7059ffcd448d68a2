"""The schedule of a convolution: weights stay in the array while several blocks of pixels pass.

A tile is some rows of an image, all of their columns, and four blocks of output channels; its sums take at most half of the
accumulator. A block of pixels is up to dim neighbours in one row. Where dim does not divide the width, the first block of a
row is the short one: the slot of the last block before new weights takes dim cycles anyway, so that one should be full. `cut`
makes these loops, `stage` brings pixels and weights to the scratchpad, `map_commands` puts instructions in the place of loops.
`pipeline` loads the pixels, the bias and the weights that come next while the array works.
"""

from __future__ import annotations

from usl_core import (
    Procedure,
    autolift_alloc,
    cut_loop,
    divide_dim,
    eliminate_dead_code,
    fission,
    fuse,
    guard_redundant,
    inline_producer,
    lift_alloc,
    lift_scope,
    mult_dim,
    mult_loops,
    rearrange_dim,
    remove_loop,
    reorder_stmts,
    replace,
    resize_dim,
    set_memory,
    shift_loop,
    simplify,
    sink_alloc,
    stage_mem,
    unroll_loop,
    write_config,
)
from usl_core.cursors import ForCursor, IfCursor, LiteralCursor
from usl_gemmini.chip import Chip, chip
from usl_gemmini.configuration import configure_array, configure_load, configure_pool, configure_store, configure_wide_load
from usl_gemmini.cuts import Cut, cut_for
from usl_gemmini.kernels_conv import convolution, pooled_convolution, sliding_convolution
from usl_gemmini.kernels_products import ENDS
from usl_gemmini.layers import Layer
from usl_gemmini.params import GemminiParams
from usl_gemmini.pipelines import (
    ahead,
    brought_before,
    brought_first,
    divided,
    flattened,
    lifted,
    out_of_branches,
    run_ahead,
    short,
    spread_over,
    upto,
)
from usl_gemmini.ports import OUT, PLAIN, Port, wait_for
from usl_stdlib import enclosing_loop


def conv(
    layer: Layer, *, relu: bool = False, params: GemminiParams | None = None, source: Port = PLAIN, out: Port = OUT
) -> Procedure:
    """The convolution of a layer on a chip: `y = act(scale * (x * w + bias))`. Its formals are scale, x, w, bias, y.

    x has the shape `layer.pixels_in`, y `layer.pixels_out`; w is [KH, KW, IC, OC].

    Raises:
        GemminiError: the layer does not fit the chip.
    """
    target = chip(params)
    s = cut_for(layer, target.params)
    if layer.pool:
        p = cut_pooled(pooled_convolution(layer, relu, source, out), s)
    else:
        algorithm = sliding_convolution if layer.slide else convolution
        p = cut(algorithm(layer, relu, source, out), s)
    p = stage(p, s, target)
    return pipeline(map_commands(p, s, target, relu, source, out), s)


def cut(p: Procedure, s: Cut) -> Procedure:
    """The loops: groups of channels og, tiles t; then init, products and stores, each with loops over one tile."""
    layer = s.layer
    columns = p.find("y[_] = _").parent().parent()
    rows, images = columns.parent(), columns.parent().parent()
    p = divided(p, p.forward(columns).body()[0], s.group, ["og", "oo"], layer.OC)
    p = divided(p, rows, s.rows, ["rt", "rr"], layer.H)
    p = lifted(p, p.find_loop("og"), 4)
    p = mult_loops(p, images, "t")
    if s.across > 1:
        p = divided(p, columns, s.columns, ["ct", "c"], layer.W)
        p = lifted(p, columns, 1)
        p = mult_loops(p, images, "t")
    p = autolift_alloc(p, "sum", 3, keep_dims=True)
    p = fission(p, p.find("sum[_] = _").after(), 3)
    p = fission(p, p.find("y[_] = _").before(), 3)
    return cut_products(p, s)


def cut_pooled(p: Procedure, s: Cut) -> Procedure:
    """The same for a convolution that ends in pooling: sums and pooled pixels in one loop t over tiles."""
    layer = s.layer
    nests = []
    for pattern, rows, height in (("sum[_] = _", s.rows, layer.H), ("y[_] = _", s.rows // 2, layer.H // 2)):
        channels = p.find(pattern).parent()
        columns = channels.parent()
        down, images = columns.parent(), columns.parent().parent()
        p = divided(p, channels, s.group, ["og", "oo"], layer.OC)
        p = divided(p, down, rows, ["rt", "rr"], height)
        p = lifted(p, channels, 4)
        p = mult_loops(p, images, "t")
        nests.append((channels, images))
    for sums, pooled in zip(*nests, strict=True):
        p = fuse(p, sums, pooled)
        p = sink_alloc(p, "sum")
    image, row, _ = s.place
    p = resize_dim(p, "sum", 0, 1, image)
    p = resize_dim(p, "sum", 1, s.rows, row)
    p = resize_dim(p, "sum", 3, s.group, f"{s.group} * og")
    p = mult_dim(p, "sum", 0, 1)
    p = fission(p, p.find("sum[_] = _").after(), 3)
    return cut_products(simplify(p, keep_unit_loops=True), s)


def cut_products(p: Procedure, s: Cut) -> Procedure:
    """The loops of products: blocks of weights outside, then blocks of output channels, and pixels inside."""
    layer = s.layer
    rows = enclosing_loop(p.find("sum[_] += _"), "rr")
    columns, channels = rows.body()[0], rows.body()[0].body()[0]
    taps = channels.body()[0]
    inner = taps.body()[0].body()[0]
    p = divided(p, inner, s.dim, ["ib", "ii"], layer.IC)
    p = in_blocks(p, channels, s)
    if s.lack:
        p = shift_loop(p, columns, s.lack)
    for loop in (taps, taps.body()[0], inner):
        p = lifted(p, loop, 4)
    return lifted(p, channels, 2)


def in_blocks(p: Procedure, channels: ForCursor, s: Cut) -> Procedure:
    """A loop over the output channels of a group as loops over blocks ob and channels oi; all groups have as many blocks."""
    p = divided(p, channels, s.dim, ["ob", "oi"], s.layer.OC)
    if s.layer.OC % s.dim:
        p = cut_loop(p, channels, s.group // s.dim)
        p = eliminate_dead_code(p, p.forward(channels).next())
    return p


def stage(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """Pixels and weights in the scratchpad, sums in the accumulator, in blocks; weights of a group only once, if they fit."""
    layer, dim = s.layer, s.dim
    p = divide_dim(resize_dim(p, "sum", 2, s.group, 0), "sum", 2, dim)
    if layer.pool:
        p = rearrange_dim(p, "sum", [2, 0, 1, 3])
    else:
        p = divide_dim(resize_dim(p, "sum", 1, dim * s.blocks, -s.lack), "sum", 1, dim)
        p = rearrange_dim(p, "sum", [0, 1, 3, 2, 4])
    p = set_memory(p, "sum", target.memories.acc)
    p = simplify(p, keep_unit_loops=True)

    image, row, column = s.place
    row, column = f"{s.down} * ({row})", f"{layer.across} * ({column})"
    window = f"xp[{image}, {row}:{row} + {s.in_rows}, {column}:{column} + {s.in_columns}, 0:{layer.IC}]"
    p = stage_mem(p, p.find_loop("t").body(), window, "xs")
    if s.stays:
        p = kept(p, s)
    p = inline_producer(p, "xp")
    lead = int(s.stays)
    p = resize_dim(p, "xs", lead + 2, dim * s.depth, 0)
    p = divide_dim(p, "xs", lead + 2, dim)
    p = rearrange_dim(p, "xs", [*range(lead), *(lead + at for at in (2, 0, 1, 3))])
    deep = upto(f"{dim} * ib", dim, layer.IC)
    window = f"w[kr, kc, {deep}, {upto(f'{s.group} * og', s.group, layer.OC)}]"
    p = stage_mem(p, p.find_loop("ib").body(), window, "ws")
    p = resize_dim(resize_dim(p, "ws", 0, dim, 0), "ws", 1, s.group, 0)
    p = rearrange_dim(divide_dim(p, "ws", 1, dim), "ws", [1, 0, 2])
    for buffer in ("xs", "ws"):
        p = set_memory(p, buffer, target.memories.spad)
    if s.resident:
        p = autolift_alloc(p, "ws", 3, keep_dims=True)
        p = lift_alloc(p, "ws", 2)
        p = guard_redundant(p, p.find("ws[_] = _").parent().parent(), "t == 0")
    bias = p.find("sum[_] = _").parent()
    p = in_blocks(p, bias, s)
    p = lifted(p, bias, 2)
    p = columns_in_blocks(p, s, p.find("sum[_] = _").parent().parent())
    if layer.pool:
        pooled = p.find("y[_] = _").parent()
        p = lifted(in_blocks(p, pooled, s), pooled, 2)
    else:
        p = columns_in_blocks(p, s, p.find("y[_] = _").parent().parent())
    p = columns_in_blocks(p, s, p.find("sum[_] += _").parent().parent().parent(), shifted=True)
    return simplify(p, keep_unit_loops=True)


def kept(p: Procedure, s: Cut) -> Procedure:
    """The pixels of each tile in a place of their own, loaded for the first group of channels only."""
    p = lift_alloc(autolift_alloc(p, "xs", keep_dims=True), "xs")
    loads = p.find_loop("i0")
    if s.tiles > 1:
        return guard_redundant(p, loads, "og == 0")
    p = fission(p, loads.after(), 2)
    p = remove_loop(p, p.forward(loads).parent().parent())
    return unroll_loop(p, p.forward(loads).parent())


def columns_in_blocks(p: Procedure, s: Cut, columns: ForCursor, *, shifted: bool = False) -> Procedure:
    """A loop over the columns of a row as the short block and a loop cb over full ones; all short products come first."""
    if not s.lack:
        return divided(p, columns, s.dim, ["cb", columns.name()], s.columns)
    if not shifted:
        p = shift_loop(p, columns, s.lack)
    if s.blocks == 1:
        return p
    p = cut_loop(p, columns, s.dim)
    full = p.forward(columns).next()
    p = shift_loop(p, full, 0)
    p = divided(p, full, s.dim, ["cb", columns.name()], s.columns - s.columns % s.dim)
    return fission(p, p.forward(columns).after()) if shifted else p


def map_commands(p: Procedure, s: Cut, target: Chip, relu: bool, source: Port, out: Port) -> Procedure:
    """Instructions in the place of loops, after the configuration that they need."""
    layer = s.layer
    p = simplify(map_border(p, s), keep_unit_loops=True)
    if layer.pool:
        p = configure_wide_load(
            p, 2, "0", target, block_stride=s.dim * layer.W
        )  # of one block, the next row counts as the next
        p = configure_pool(p, layer.OC, layer.W // 2, layer.W, 2, 2, target, relu=relu)
    else:
        p = configure_wide_load(p, 2, "0", target)
        p = configure_store(p, str(layer.OC), relu, "scale", target)
    p = configure_load(p, 1, str(layer.OC), target)
    apart = s.in_columns * s.dim * (s.in_rows if s.depth > 1 else 1)  # of one block, the next row counts as the next block
    p = configure_load(p, 0, str(layer.slide or layer.skip * layer.IC), target, block_stride=apart)
    p = configure_array(p, target, step=layer.across)
    load = f"mvin_apart{layer.slide}" if layer.slide else f"mvin_every{layer.skip}" if layer.skip > 1 else "mvin"
    for copy in p.find_all("xs[_] = _"):
        instruction = "zero" if isinstance(p.forward(copy).rhs(), LiteralCursor) else source.load(load)
        p = replace(p, p.forward(copy).parent().parent(), target[instruction])
    p = replace(p, p.find("ws[_] = _").parent().parent(), target["mvin2"])
    for write in p.find_all("sum[_] = _"):
        p = replace(p, p.forward(write).parent().parent(), target["mvin3_acc_row"])
    for write in p.find_all("y[_] = _"):
        pixels = p.forward(write).parent().parent()
        p = write_config(p, pixels.before(), out.fence, "pending", True)
        p = replace(p, p.forward(pixels).expand(1, 0), target[out.store(relu) + ("_pool2" if layer.pool else "")])
    p = wait_for(map_products(p, s, target), target, source)
    p = replace(p, f"{out.fence.name}.pending = False", target[f"fence{out.suffix}"])
    return simplify(p, keep_unit_loops=True)


def map_border(p: Procedure, s: Cut) -> Procedure:
    """The pixels of a tile a row and some channels at a time: zeros left of the image, its pixels, zeros right of it.

    In a row above or below the image all are zeros.
    """
    layer = s.layer
    p = simplify(p, keep_unit_loops=True)
    channels, columns = (enclosing_loop(p.find("xs[_] = _"), name) for name in ("i2", "i1"))
    p = lifted(divided(p, channels, s.wide, ["iq", "ic"], layer.IC), channels, 1)
    if layer.pad == 0:
        return in_dims(p, columns, s, s.in_columns)
    p = cut_loop(p, columns, layer.pad)
    inside = p.forward(columns).next()
    right = min(layer.pad + layer.WI, s.in_columns)
    if right < s.in_columns:
        p = cut_loop(p, inside, right)
        p = in_dims(p, p.forward(inside).next(), s, s.in_columns - right)
    p = in_dims(p, columns, s, layer.pad)
    p = in_dims(p, inside, s, right - layer.pad)
    p = simplify(p, keep_unit_loops=True)
    guard = p.find("xs[_] = x[_]").parent()
    while isinstance(p.forward(guard).parent(), ForCursor) and p.forward(guard).parent().name() != "iq":
        p = lift_scope(p, guard)
    return p


def in_dims(p: Procedure, columns: ForCursor, s: Cut, count: int) -> Procedure:
    """The loop over count columns as a loop px over blocks of dim."""
    return divided(shift_loop(p, columns, 0), columns, s.dim, ["px", "pc"], count)


def map_products(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """Each block of weights goes to the array with the first block of pixels, and stays for the others."""
    end = ENDS[s.layer.across]
    if s.layer.IC % s.dim or s.layer.OC % s.dim:
        return map_small_products(p, s, target)
    first = p.find_loop("ob #1").body()[0]
    p = stage_mem(p, p.find_loop("ob #1").body(), f"{weights(s)}, 0:{s.dim}, 0:{s.dim}]", "wa")
    p = set_memory(p, "wa", target.memories.weights)
    for loop in (first,) if s.lack else (first, first.body()[0]):
        p = unroll_first(p, loop)
    copy = p.find("wa[_] = _").parent().parent()
    p = replace(p, copy.expand(0, 1), target[f"mm_load{end}"])
    for add in p.find_all("sum[_] += _"):
        p = replace(p, p.forward(add).parent().parent().parent(), target[f"mm_again{end}"])
    return p


def map_small_products(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """The same where channels do not fill blocks: what the array fills up with zeros is no block that can be used again."""
    deep = f"0:{short(f'{s.dim} * ib', s.dim, s.layer.IC)}"
    wide = f"0:{short(f'{s.group} * og - {s.dim} * ob', s.dim, s.layer.OC)}"
    for number, add in enumerate(p.find_all("sum[_] += _")):
        product, name = p.forward(add).parent().parent().parent(), f"wa{number}"
        p = stage_mem(p, product, f"{weights(s)}, {deep}, {wide}]", name)
        p = resize_dim(resize_dim(p, name, 0, s.dim, 0), name, 1, s.dim, 0)
        p = set_memory(p, name, target.memories.spent)
        p = replace(p, p.forward(product).expand(1, 0), target[f"mm{ENDS[s.layer.across]}"])
    return p


def weights(s: Cut) -> str:
    """The block of weights for a tap and a block of output channels, without its last two dimensions."""
    return "ws[kr, kc, ib, ob" if s.resident else "ws[ob"


def unroll_first(p: Procedure, loop: ForCursor) -> Procedure:
    """The first iteration of a loop before it."""
    here = p.forward(loop)
    p = cut_loop(p, here, 1)
    return unroll_loop(p, here)


def pipeline(p: Procedure, s: Cut) -> Procedure:
    """What comes next on the way while the array works, in one loop t over the tiles of all groups."""
    if s.groups > 1:
        p = flattened(p, p.find_loop("og"), "t")
    else:
        p = unroll_loop(p, "og")
    p = mult_loops(mult_loops(p, "kr", "tap"), "tap", "kk")
    taps = p.find_loop("kk")
    trips = s.tiles * s.groups
    if trips < 3 or s.taps <= s.group // s.dim:
        return simplify(p)
    load = p.find("mvin2(_)")
    if s.resident:
        guard = load.parent()
        p, taps, _ = ahead(p, taps, guard if isinstance(guard, IfCursor) else load)
    else:
        p = brought_first(autolift_alloc(p, "ws", keep_dims=True), load)
        p, taps, _ = ahead(p, taps, load)
        p = resize_dim(p, "ws", 0, 2, 0, fold=True)
    p = pixels_ahead(p, s, taps)
    p = autolift_alloc(p, "sum", keep_dims=True)
    bias = enclosing_loop(p.find("mvin3_acc_row(_)"), "ob")
    p = brought_first(p, bias)
    p, tiles, guard = ahead(p, p.find_loop("t"), bias)
    p = lift_scope(p, guard.body()[0])
    p, tiles = store_behind(p, tiles, s, trips)
    taps = next(loop for loop in p.forward(tiles).body() if isinstance(loop, ForCursor) and loop.name() == "kk")
    loads = next(loop for loop in p.forward(tiles).body() if isinstance(loop, ForCursor) and loop.name() == "ob")
    p = late_in(p, loads, s.group // s.dim, taps, s.taps)
    return simplify(resize_dim(p, "sum", 0, 2, 0, fold=True))


def pixels_ahead(p: Procedure, s: Cut, taps: ForCursor) -> Procedure:
    """The pixels of the next tile, some for each block of weights; those that stay are loaded for the first group only."""
    tiles, loads = p.find_loop("t"), p.find_loop("i0")
    if s.stays and s.tiles == 1:
        return p  # they have been loaded before
    if s.stays:
        stmt = loads if loads.parent() == tiles else loads.parent()
        p, _, _ = ahead(p, tiles, stmt)
        p = out_of_branches(p, loads)
    else:
        p, _, loads = run_ahead(p, tiles, loads, "xs")
    p = flattened(p, p.forward(loads), "xl")
    return spread_over(p, p.forward(loads), s.in_rows * -(-s.layer.IC // s.wide), taps, s.taps)


def store_behind(p: Procedure, tiles: ForCursor, s: Cut, trips: int) -> tuple[Procedure, ForCursor]:
    """The stores of a tile while the array works on the next one, some for each block of weights.

    The first tile stands before the loop then, and the stores of the last one after it.
    """
    stores = p.forward(tiles).body()[-1]
    if s.layer.pool:
        p = flattened(p, stores, "rr")
    p = fission(p, stores.before())
    after = p.forward(stores).parent()
    p = cut_loop(p, after, trips - 1)
    p = unroll_loop(p, p.forward(after).next())
    p = shift_loop(p, after, 1)
    first = p.forward(tiles)
    p = cut_loop(p, first, 1)
    rest = p.forward(first).next()
    p = unroll_loop(p, first)
    p = fuse(p, rest, after)
    p = brought_first(p, stores)
    taps = next(loop for loop in p.forward(rest).body() if isinstance(loop, ForCursor) and loop.name() == "kk")
    each = -(-s.stores // (s.taps - s.group // s.dim))  # in the last iterations bias comes into the place of what is stored
    if each > 1:
        p = divided(p, p.forward(stores), each, ["rr", "rr_each"], s.stores)
    p = spread_over(p, p.forward(stores), -(-s.stores // each), taps, s.taps)
    return p, p.forward(rest)


def late_in(p: Procedure, loads: ForCursor, trips: int, loop: ForCursor, all_trips: int) -> Procedure:
    """The loads one each in the last iterations of loop: what they overwrite is still being stored in the first ones."""
    p = cut_loop(p, loop, all_trips - trips)
    last = p.forward(loop).next()
    p = shift_loop(p, last, 0)
    p = brought_before(p, loads, loop)
    p = reorder_stmts(p, p.forward(loads).expand(0, 1))
    p = spread_over(p, p.forward(loads), trips, p.forward(last), trips)
    return shift_loop(p, last, all_trips - trips)
