"""Whole convolutions: cut into tiles of pixels by channels, in an order that fits the second-level cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_avx512.conv.tiles import INSTRUCTIONS, LANES, Panel, Tile, in_registers
from usl_avx512.kernels_convolution import convolution
from usl_core import Procedure
from usl_core.scheduling import (
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    fission,
    rename,
    reorder_loops,
    shift_loop,
    simplify,
    unroll_loop,
)
from usl_stdlib import enclosing_loops, loop_nest, replace_all, walk

CACHE = 1024 * 1024
"""Bytes of the second-level cache; larger ones are common."""
CACHED_WEIGHTS = CACHE // 2
"""Bytes of weights that stay in it, beside what is read and written meanwhile."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a convolution but for the number of images: H x W pixels and OC channels out, H_in x W_in and IC in.

    The window has KH x KW pixels and moves by stride.
    """

    H: int
    W: int
    OC: int
    H_in: int
    W_in: int
    IC: int
    KH: int
    KW: int
    stride: int = 1
    rectify: bool = True


@dataclass(frozen=True, slots=True)
class Blocking:
    """A tile has at most `pixels` pixels and `channels` channels, a multiple of LANES, as has a block of weights.

    All channels of a tile's pixels come one after another; or, with weights_stay, all pixels of all images for one block of
    channels, so that its weights are read from memory once.
    """

    pixels: int
    channels: int
    weights_stay: bool = False


def blocking_of(KH: int, KW: int, IC: int, OC: int) -> Blocking:
    """What suits a window: 6 x 64 reads the image less often, 14 x 32 the weights.

    So the second is for weights of which a block of 64 channels would not stay in the second-level cache.
    """
    wide, weights = 4 * KH * KW * IC * 64, 4 * KH * KW * IC * OC
    pixels, channels = (14, 32) if wide > CACHED_WEIGHTS else (6, 64)
    return Blocking(pixels, channels, weights > CACHE)


def conv_schedule(shape: Shape, blocking: Blocking | None = None) -> Procedure:
    """The convolution of a shape: a procedure of the number of images N, the image, the packed weights, and the result."""
    blocking = blocking or blocking_of(shape.KH, shape.KW, shape.IC, shape.OC)
    p, panels = in_panels(specialised(shape, blocking), shape.OC, blocking)
    tiles: list[Tile] = []
    for panel, nest in panels:
        p, found = in_tiles(p, panel, p.forward(nest), shape, blocking.pixels)
        tiles += found
    for tile in tiles:
        p = in_registers(p, tile, shape)
    p = simplify(replace_all(simplify(p), INSTRUCTIONS))
    # A compiler that leaves one of the loops over a tile a loop keeps the tile in memory.
    for name in ("ii", "ji", "ov"):
        for loop in [loop for loop in walk(p, "loops") if loop.name() == name]:
            p = unroll_loop(p, loop)
    return p


def specialised(shape: Shape, blocking: Blocking) -> Procedure:
    """The plain loops with these sizes."""
    sizes = {name: getattr(shape, name) for name in ("H", "W", "OC", "H_in", "W_in", "IC", "KH", "KW", "rectify")}
    p = convolution(shape.stride, blocking.channels).partial_eval(**sizes)
    p = eliminate_dead_code(p, p.find("if _: _"))
    return rename(p, f"conv_{shape.KH}x{shape.KW}")


def in_panels(p: Procedure, channels: int, blocking: Blocking) -> tuple[Procedure, list[tuple[Panel, Any]]]:
    """A nest of its own for whole blocks of channels, for whole registers, and for the rest; each with its outermost loop."""
    size = blocking.channels
    blocks, left = divmod(channels, size)
    registers = left // LANES * LANES
    panels = [
        (Panel("oo", size, 0, size), blocks * size),
        (Panel(str(blocks), size, 0, registers), registers),
        (Panel(str(blocks), size, registers, left % LANES), left % LANES),
    ]
    parts = [(panel, count) for panel, count in panels if count]
    p, loops = pieces(p, p.find_loop("o"), [count for _, count in parts])
    for loop in loops[:-1]:
        p = fission(p, p.forward(loop).after(), n_lifts=3)
    if blocks:
        p = divide_loop(p, loops[0], size, ["oo", "o"], perfect=True)
        for _ in "nij" if blocking.weights_stay else "":
            p = reorder_loops(p, p.forward(loops[0]).parent())
    nests = [[p.forward(loop), *enclosing_loops(p.forward(loop))][-1] for loop in loops]
    return p, [(panel, nest) for (panel, _), nest in zip(parts, nests, strict=True)]


def in_tiles(p: Procedure, panel: Panel, nest: Any, shape: Shape, pixels: int) -> tuple[Procedure, list[Tile]]:
    """Cut rows and columns into tiles of nearly equal sizes; narrow images have several rows in a tile."""
    rows = near_equal(shape.H, max(1, pixels // shape.W))
    columns = near_equal(shape.W, pixels)
    tiles, row = [], 0
    p, bands = pieces(p, named(nest, "i"), [height * many for height, many in rows])
    for band, (height, many) in zip(bands, rows, strict=True):
        column = 0
        j = named(p.forward(band), "j")
        if height > 1:
            p = divide_loop(p, band, height, ["io", "ii"], perfect=True)
            p = reorder_loops(p, p.forward(j).parent())
        p, strips = pieces(p, p.forward(j), [width * count for width, count in columns])
        for strip, (width, count) in zip(strips, columns, strict=True):
            if width > 1:
                p = divide_loop(p, strip, width, ["jo", "ji"], perfect=True)
            p, loops = channels_outside(p, p.forward(strip))
            tiles.append(Tile(panel, height, width, position("i", height, row), position("j", width, column), loops))
            column += width * count
        row += height * many
    return p, tiles


def position(name: str, size: int, first: int) -> str:
    """Where a tile of this size begins, as text: loops of the given name are divided unless it is 1."""
    return f"{size} * {name}o + {first}" if size > 1 else f"{name} + {first}"


def channels_outside(p: Procedure, strip: Any) -> tuple[Procedure, tuple[Any, ...]]:
    """Take the loop over blocks of channels, if there is one, out of the loops over a tile; those loops.

    Then a tile's pixels stay in the first-level cache for all channels.
    """
    loops = loop_nest(strip)
    inner = tuple(loop for loop in loops if loop.name() in ("ji", "ii", "o"))
    for blocks in (loop for loop in loops if loop.name() == "oo"):
        for _ in inner[:-1]:
            p = reorder_loops(p, p.forward(blocks).parent())
    return p, inner


def near_equal(extent: int, most: int) -> list[tuple[int, int]]:
    """Parts of at most so much, no two of which differ by more than one: sizes, and how many there are of each.

    All are the same where a size that is not much smaller allows it.
    """
    even = next((size for size in range(most, most * 3 // 4, -1) if extent % size == 0), None)
    count = extent // even if even else -(-extent // most)
    size, larger = divmod(extent, count)
    return [(part, many) for part, many in ((size + 1, larger), (size, count - larger)) if many]


def pieces(p: Procedure, loop: Any, extents: list[int]) -> tuple[Procedure, list[Any]]:
    """Cut a loop into one for each extent, all of which start at 0."""
    found = [loop]
    for extent in extents[:-1]:
        p = cut_loop(p, found[-1], extent)
        rest = p.forward(found[-1]).next()
        p = shift_loop(p, rest, 0)
        found.append(p.forward(rest))
    return p, found


def named(loop: Any, name: str) -> Any:
    """The loop of this name in a perfect nest."""
    return next(inner for inner in loop_nest(loop) if inner.name() == name)
