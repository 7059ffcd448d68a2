"""The schedule of pooling: pixels come into the accumulator as sums, and the store takes the largest of each window.

A tile is some rows and columns of pooled pixels and up to 64 channels, so that pixels are read 64 bytes at a time. Those of
the next tile are loaded while pooled ones of this one are stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from usl_core import (
    Procedure,
    cut_loop,
    divide_dim,
    inline_producer,
    lift_scope,
    mult_loops,
    rearrange_dim,
    replace,
    resize_dim,
    rewrite_expr,
    set_memory,
    shift_loop,
    simplify,
    stage_mem,
    write_config,
)
from usl_core.cursors import IfCursor, LiteralCursor
from usl_gemmini.chip import Chip, chip
from usl_gemmini.configuration import configure_load, configure_pool
from usl_gemmini.errors import GemminiError
from usl_gemmini.kernels_pool import pooling
from usl_gemmini.kernels_stores import POOLS
from usl_gemmini.layers import Layer, require_layer
from usl_gemmini.params import GemminiParams
from usl_gemmini.pipelines import divided, lifted, run_ahead
from usl_gemmini.ports import OUT, OUT2, PLAIN, Port, wait_for
from usl_stdlib import enclosing_loop


@dataclass(frozen=True, slots=True)
class Cut:
    """How a layer is cut: tiles of so many rows and columns of pooled pixels, and group channels."""

    layer: Layer
    dim: int
    group: int
    rows: int
    columns: int

    @property
    def in_rows(self) -> int:
        """Rows of the input that a tile needs."""
        return self.layer.step * (self.rows - 1) + self.layer.KH

    @property
    def in_columns(self) -> int:
        """Columns of the input that a tile needs."""
        return self.layer.step * (self.columns - 1) + self.layer.KW

    @property
    def sums(self) -> int:
        """Rows of the accumulator for one tile."""
        return self.in_rows * self.in_columns * (self.group // self.dim)

    @property
    def groups(self) -> int:
        """Groups of channels."""
        return -(-self.layer.IC // self.group)

    @property
    def across(self) -> int:
        """Tiles side by side."""
        return self.layer.W // self.columns

    @property
    def down(self) -> int:
        """Tiles one below another."""
        return self.layer.H // self.rows

    @property
    def tiles(self) -> int:
        """All tiles."""
        return self.layer.N * self.down * self.across * self.groups

    @property
    def row(self) -> str:
        """The first row of the image with its border that tile t needs."""
        return f"{self.layer.step * self.rows} * (t / {self.groups * self.across} % {self.down})"

    @property
    def column(self) -> str:
        """The first column that tile t needs."""
        return f"{self.layer.step * self.columns} * (t / {self.groups} % {self.across})"

    def inside(self, row: str, column: str) -> str:
        """That a place in tile t lies in the image and not in its border."""
        pad, row, column = self.layer.pad, f"{self.row} + {row}", f"{self.column} + {column}"
        return f"{pad} <= {row} and {row} < {self.layer.HI + pad} and {pad} <= {column} and {column} < {self.layer.WI + pad}"


def cut_for(layer: Layer, params: GemminiParams) -> Cut:
    """How a layer is cut: of all tiles that half of the accumulator takes the one that reads least pixels twice.

    Raises:
        GemminiError: the windows are none that the store has.
    """
    require_layer(layer)
    if layer.KH != layer.KW or layer.KH not in POOLS or layer.step not in (1, 2) or layer.pad > 1 or layer.IC != layer.OC:
        raise GemminiError(f"{layer}: windows of pooling are 2 x 2 or 3 x 3, 1 or 2 pixels apart, with a border of at most 1")
    dim = params.dim
    group = min(params.max_block_len, -(-layer.IC // dim)) * dim
    sizes = [
        Cut(layer, dim, group, rows, columns)
        for rows in range(1, layer.H + 1)
        for columns in range(1, layer.W + 1)
        if layer.H % rows == 0 and layer.W % columns == 0
    ]
    fit = [cut for cut in sizes if 2 * cut.sums <= params.acc_rows and cut.in_columns <= 255]
    return min(fit, key=lambda cut: (cut.in_rows * cut.in_columns / (cut.rows * cut.columns), cut.rows))


def max_pool(layer: Layer, *, params: GemminiParams | None = None, source: Port = OUT, out: Port = OUT2) -> Procedure:
    """The largest pixel of each window of another layer's output. Its formals are scale, x, y.

    The border counts as zeros, which is what a network means where pixels are not negative.

    Raises:
        GemminiError: windows that the store does not have, or an output of the class of the input.
    """
    if source in (PLAIN, out):
        raise GemminiError("pooling reads the output of a layer and writes one of another class")
    target = chip(params)
    s = cut_for(layer, target.params)
    return map_commands(stage(cut(pooling(layer, source, out), s), s, target), s, target, source, out)


def cut(p: Procedure, s: Cut) -> Procedure:
    """The loop t over tiles, of all channels, columns and rows of all images, and loops over one tile."""
    layer = s.layer
    channels = p.find_loop("o")
    columns, rows = channels.parent(), channels.parent().parent()
    p = divided(p, channels, s.group, ["og", "oo"], layer.IC)
    p = divided(p, columns, s.columns, ["ct", "cc"], layer.W)
    p = divided(p, rows, s.rows, ["rt", "rr"], layer.H)
    p = lifted(p, p.find_loop("ct"), 1)
    p = lifted(p, p.find_loop("og"), 2)
    p = mult_loops(p, p.find_loop("ct"), "t")
    p = mult_loops(p, p.find_loop("rt"), "t")
    p = mult_loops(p, p.find_loop("n #1"), "t")
    return simplify(p, keep_unit_loops=True)


def stage(p: Procedure, s: Cut, target: Chip) -> Procedure:
    """The pixels of a tile in the accumulator, in blocks of channels."""
    layer, dim = s.layer, s.dim
    first = f"{s.group} * (t % {s.groups})"
    last = f"min({first} + {s.group}, {layer.IC})" if layer.IC % s.group else f"{first} + {s.group}"
    rows, columns = f"{s.row}:{s.row} + {s.in_rows}", f"{s.column}:{s.column} + {s.in_columns}"
    window = f"xp[t / {s.groups * s.across * s.down}, {rows}, {columns}, {first}:{last}]"
    p = stage_mem(p, p.find_loop("t").body(), window, "xs")
    p = inline_producer(p, "xp")
    p = resize_dim(p, "xs", 2, s.group, 0)
    p = rearrange_dim(divide_dim(p, "xs", 2, dim), "xs", [2, 0, 1, 3])
    p = set_memory(p, "xs", target.memories.acc)
    return simplify(p, keep_unit_loops=True)


def map_commands(p: Procedure, s: Cut, target: Chip, source: Port, out: Port) -> Procedure:
    """Instructions in the place of loops, the loads of the next tile ahead of the stores of this one."""
    layer = s.layer
    loads = enclosing_loop(p.find("xs[_] = _"), "i0")
    p = map_border(p, s)
    p = divided(p, p.find_loop("oo"), s.dim, ["ob", "oi"], layer.IC)
    p = lifted(p, p.find_loop("ob"), 2)
    p = simplify(p, keep_unit_loops=True)
    p = configure_pool(p, layer.IC, s.columns, s.in_columns, layer.KH, layer.step, target)
    apart = s.dim * s.in_columns * (s.in_rows if s.group > s.dim else 1)
    p = configure_load(p, 0, str(layer.IC), target, block_stride=apart, shrunk=True)
    for copy in p.find_all("xs[_] = _"):
        instruction = "zero_acc" if isinstance(p.forward(copy).rhs(), LiteralCursor) else source.load("mvin_acc_i8")
        p = replace(p, p.forward(copy).parent().parent(), target[instruction])
    pixels = p.find("y[_] = _").parent().parent()
    p = write_config(p, pixels.before(), out.fence, "pending", True)
    end = "" if layer.step == 2 else "_step1"
    p = replace(p, p.forward(pixels).expand(1, 0), target[f"mvout{out.suffix}_pool{layer.KH}{end}"])
    p = wait_for(p, target, source)
    p = replace(p, f"{out.fence.name}.pending = False", target[f"fence{out.suffix}"])
    p = simplify(p, keep_unit_loops=True)
    if s.tiles > 1:
        p, _, _ = run_ahead(p, p.find_loop("t"), loads, "xs")
    return simplify(p)


def map_border(p: Procedure, s: Cut) -> Procedure:
    """The pixels of a tile a row at a time: the column that may lie in the border, then the others."""
    columns = enclosing_loop(p.find("xs[_] = _"), "i1")
    inside = min(s.in_columns, s.layer.WI + s.layer.pad - s.layer.step * (s.layer.W - s.columns))
    cuts = [0, *(at for at in (s.layer.pad, inside) if 0 < at < s.in_columns), s.in_columns]
    part = p.forward(columns)
    for low, high in pairwise(cuts):
        if high < s.in_columns:
            p = cut_loop(p, part, high)
        p = shift_loop(p, part, 0)
        rest = p.forward(part).next() if high < s.in_columns else part
        p = divided(p, part, s.dim, ["px", "pc"], high - low)
        if high - low == 1:  # it may lie in the border, and in another tile be a pixel
            guard = p.forward(part).body()[0].body()[0].body()[0]
            p = rewrite_expr(p, guard.cond(), s.inside("i0", str(low)))
        part = rest
    p = simplify(p, keep_unit_loops=True)
    for copy in p.find_all("xs[_] = i32(_)"):
        guard = p.forward(copy).parent()
        for _ in ("i2", "pc", "px") if isinstance(guard, IfCursor) else ():
            p = lift_scope(p, guard)
    return p
