"""Tiles: a few output pixels by one to four registers of channels, whose sums stay in registers all along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from usl_avx512 import isa
from usl_avx512.isa import floats, movement
from usl_avx512.memories import AVX512
from usl_core import Procedure
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    insert_noop_call,
    lift_alloc,
    reorder_loops,
    resize_dim,
    set_memory,
    stage_mem,
)
from usl_stdlib import walk

if TYPE_CHECKING:
    from usl_avx512.conv.schedule import Shape

LANES = 16
"""f32 lanes of a register."""
Prefetch = tuple[Procedure, str, str]
"""An instruction, how many elements ahead, and of which element."""

INSTRUCTIONS = (
    isa.mm512_setzero_ps,
    isa.mm512_loadu_ps,
    isa.mm512_fmadd_set1_ps,
    floats.mm512_relu_ps,
    isa.mm512_storeu_ps,
    isa.mm512_mask_setzero_ps,
    isa.mm512_mask_fmadd_set1_loadu_ps,
    floats.mm512_mask_relu_ps,
    isa.mm512_mask_storeu_ps,
)


@dataclass(frozen=True, slots=True)
class Panel:
    """Neighbouring output channels: `channels` of them, from `first` on, of block number `block` with `size` channels.

    block is text: a number, or the loop over blocks.
    """

    block: str
    size: int
    first: int
    channels: int


@dataclass(frozen=True, slots=True)
class Tile:
    """rows x columns pixels of a panel, from the given row and column on, which are text.

    loops are those over rows and columns, where there is more than one, and over channels.
    """

    panel: Panel
    rows: int
    columns: int
    row: str
    column: str
    loops: tuple[Any, ...]


def in_registers(p: Procedure, tile: Tile, shape: Shape) -> Procedure:
    """Sum up a tile in registers; the loops over the window and the input's channels go around those over the tile."""
    panel, nest = tile.panel, [p.forward(loop) for loop in tile.loops]
    if panel.channels > LANES:
        p = divide_loop(p, nest[-1], LANES, ["ov", "ol"], perfect=True)
        nest = [p.forward(loop) for loop in nest]
        nest.append(nest[-1].body()[0])
    total, zero, window, *after = nest[-1].body()
    for loop in reversed(nest):
        p = expand_dim(p, total, loop.hi(), loop.name())
    p = lift_alloc(p, total, n_lifts=len(nest))
    p = set_memory(p, total, AVX512)
    for statement in (zero, window, *after[:-1]):
        p = fission(p, p.forward(statement).after(), n_lifts=len(nest))
    u = p.forward(window)
    v = u.body()[0]
    c = v.body()[0]
    for loop in (u, v, c):
        for _ in nest:
            p = reorder_loops(p, p.forward(loop).parent())
    if panel.channels >= LANES:
        p = weights_in_registers(p, p.forward(c), panel)
        p = prefetched(p, p.forward(c), tile, shape)
    else:
        p = masked(p, p.forward(total))
    return p


def weights_in_registers(p: Procedure, c: Any, panel: Panel) -> Procedure:
    """Load the weights of all channels once for all pixels."""
    weights = f"w[{panel.block}, u, v, c, {panel.first}:{panel.first + panel.channels}]"
    p = stage_mem(p, c.body(), weights, "taps")
    taps = p.forward(c).body()[0]
    if panel.channels > LANES:
        p = divide_loop(p, taps.next(), LANES, ["ov", "ol"], perfect=True)
        p = divide_dim(p, taps, 0, LANES)
    return set_memory(p, taps, AVX512)


def masked(p: Procedure, total: Any) -> Procedure:
    """Fewer channels than lanes: whole registers, of which the lanes above are left alone."""
    p = resize_dim(p, total, len(total.shape()) - 1, LANES, 0)
    for loop in [loop for loop in walk(p.forward(total).parent(), "loops") if loop.name() == "o"]:
        p = divide_loop(p, loop, LANES, ["ow", "ol"], tail="guard")
    return p


def prefetched(p: Procedure, c: Any, tile: Tile, shape: Shape) -> Procedure:
    """While a tile is summed up, fetch its part of y, and the pixels that the tile to its right adds.

    A tile needs new pixels all at once and stores its results all at once; without this some percent of the time goes there,
    most of all where images are too large for a cache.
    """
    if shape.IC % LANES == 0:
        p = divide_loop(p, c, LANES, ["co", "ci"], perfect=True)
        start = p.forward(c).body()[0].before()
    else:
        start = c.before()
    for fetch, ahead, element in [*of_input(tile, shape), *of_output(tile, shape)]:
        p = insert_noop_call(p, p.forward(start), fetch, [ahead, element])
    return p


def of_input(tile: Tile, shape: Shape) -> Iterator[Prefetch]:
    """One line for each pixel: of the sixteen channels at hand, or the first."""
    step, ahead = shape.stride, str(tile.columns * shape.stride * shape.IC)
    channel = f"{LANES} * co" if shape.IC % LANES == 0 else "0"
    for row in range(tile.rows):
        for column in range(tile.columns):
            pixel = f"{step} * ({tile.row} + {row}) + u, {step} * ({tile.column} + {column}) + v"
            yield movement.mm_prefetch_t1_f32, ahead, f"x[n, {pixel}, {channel}:{channel} + 1]"


def of_output(tile: Tile, shape: Shape) -> Iterator[Prefetch]:
    """All pixels, spread evenly over the steps of the sum."""
    steps, pixels, step = shape.KH * shape.KW, tile.rows * tile.columns, f"({shape.KW} * u + v)"
    if shape.IC % LANES == 0:
        steps, step = steps * shape.IC // LANES, f"({shape.IC // LANES} * {step} + co)"
    at_once = -(-pixels // steps)
    for more in range(at_once):
        pixel = f"{step} * {pixels} / {steps}" if at_once == 1 else f"({at_once} * {step} + {more})"
        for lane in range(0, tile.panel.channels, LANES):
            channel = f"{tile.panel.size} * {tile.panel.block} + {tile.panel.first + lane}"
            first = f"y[n, {tile.row}, {tile.column}, {channel}:{channel} + 1]"
            yield movement.mm_prefetch_t0_f32, f"{pixel} * {shape.OC}", first
