"""Whole convolutions: cut into tiles of pixels by channels, in an order that fits the second-level cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usl_avx512.conv.tiles import INSTRUCTIONS, LANES, Panel, Tile, in_registers
from usl_avx512.kernels_convolution import convolution
from usl_core import Procedure, enclosing_loops, loop_nest, walk
from usl_core.scheduling import (
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    fission,
    rename,
    reorder_loops,
    replace_all,
    shift_loop,
    simplify,
    unroll_loop,
)

CACHED_WEIGHTS = 640 * 1024
"""Bytes of weights that stay in the second-level cache, of 1 MiB or more, beside the part of the image that is worked on."""


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
    """A tile has at most `pixels` pixels and `channels` channels. With weights_stay, all channels of a tile's pixels come one
    after another, else all pixels of a block of channels, so that its weights stay in a cache."""

    pixels: int
    channels: int
    weights_stay: bool


def blocking_of(shape: Shape) -> Blocking:
    """What suits a shape.

    14 x 32 takes 28 of the 32 registers for sums and reads weights least often; 6 x 64 reads the image least often, and at no
    more places than a set of the first-level cache holds lines, when pixels are a multiple of its size apart.
    """
    weights = 4 * shape.KH * shape.KW * shape.IC * shape.OC
    apart = 4 * shape.stride * shape.IC
    pixels, channels = (6, 64) if apart % 2048 == 0 else (14, 32)
    return Blocking(pixels, channels, weights > CACHED_WEIGHTS)


def conv_schedule(shape: Shape, blocking: Blocking | None = None) -> Procedure:
    """The convolution of a shape: a procedure of the number of images N, the image, the packed weights, and the result."""
    blocking = blocking or blocking_of(shape)
    p, panels = in_panels(specialised(shape, blocking), shape.OC, blocking)
    tiles: list[Tile] = []
    for panel, nest in panels:
        p, found = in_tiles(p, panel, p.forward(nest), shape, blocking.pixels)
        tiles += found
    for tile in tiles:
        p = in_registers(p, tile, shape)
    p = simplify(replace_all(simplify(p), INSTRUCTIONS))
    # What is left of the loops over a tile would keep its sums in memory; a few input channels are no loop worth its end.
    for name in ("ii", "ji", "ov", *(["c"] if shape.IC < LANES else [])):
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
    parts = [(Panel("oo", size, 0, size), blocks * size), (Panel(str(blocks), size, 0, registers), registers)]
    parts = [(panel, part) for panel, part in [*parts, (Panel(str(blocks), size, registers, left % LANES), left % LANES)] if part]
    p, loops = pieces(p, p.find_loop("o"), [part for _, part in parts])
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
            at = (f"{height} * io + {row}" if height > 1 else f"i + {row}", f"{width} * jo + {column}" if width > 1 else f"j + {column}")
            tiles.append(Tile(panel, height, width, *at, loops))
            column += width * count
        row += height * many
    return p, tiles


def channels_outside(p: Procedure, strip: Any) -> tuple[Procedure, tuple[Any, ...]]:
    """Take the loop over blocks of channels, if it is within strip, out of the loops over a tile; those loops."""
    loops = [loop for loop in loop_nest(strip) if loop.name() in ("ji", "ii", "oo", "o")]
    inner = [loop for loop in loops if loop.name() != "oo"]
    for _ in inner[:-1] if len(inner) < len(loops) else ():
        blocks = next(loop for loop in loops if loop.name() == "oo")
        p = reorder_loops(p, p.forward(blocks).parent())
    return p, tuple(inner)


def near_equal(extent: int, most: int) -> list[tuple[int, int]]:
    """Parts of at most so much, no two of which differ by more than one: sizes, and how many there are of each."""
    count = -(-extent // most)
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
