"""How a convolution is cut into tiles: what stays in the chip, and how much is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from usl_gemmini.errors import GemminiError
from usl_gemmini.layers import Layer, require_layer
from usl_gemmini.params import GemminiParams

MOST_POOLED = 255
"""Pixels of a row that the store can pool."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How a layer is cut: rows and columns of an image per tile, group output channels; wide input channels per mvin."""

    layer: Layer
    dim: int
    wide: int
    group: int
    rows: int
    columns: int
    resident: bool
    """Whether all weights of a group stay in the scratchpad; otherwise they are loaded for each tile."""
    stays: bool
    """Whether all pixels stay in the scratchpad; otherwise they are loaded for each group."""

    @property
    def blocks(self) -> int:
        """Blocks of pixels in a row."""
        return -(-self.columns // self.dim)

    @property
    def lack(self) -> int:
        """Pixels that the first block of a row lacks."""
        return -self.columns % self.dim

    @property
    def tiles(self) -> int:
        """Tiles of one group of channels."""
        return self.layer.N * (self.layer.H // self.rows) * self.across

    @property
    def across(self) -> int:
        """Tiles beside each other."""
        return self.layer.W // self.columns

    @property
    def place(self) -> tuple[str, str, str]:
        """The image of tile t, its first row and its first column there."""
        row = f"t / {self.across}" if self.across > 1 else "t"
        down = self.layer.H // self.rows
        column = f"{self.columns} * (t % {self.across})" if self.across > 1 else "0"
        return f"{row} / {down}", f"{self.rows} * ({row} % {down})", column

    @property
    def groups(self) -> int:
        """Groups of output channels."""
        return -(-self.layer.OC // self.group)

    @property
    def depth(self) -> int:
        """Blocks of input channels."""
        return -(-self.layer.IC // self.dim)

    @property
    def taps(self) -> int:
        """Blocks of weights that one sum needs."""
        return self.layer.KH * self.layer.KW * self.depth

    @property
    def in_rows(self) -> int:
        """Rows of the input that a tile needs."""
        return self.down * (self.rows - 1) + self.layer.KH

    @property
    def down(self) -> int:
        """How far apart windows are in rows that are loaded."""
        return self.layer.step // self.layer.apart

    @property
    def in_columns(self) -> int:
        """Columns of the input that a tile needs."""
        return self.layer.across * (self.columns - 1) + self.layer.KW

    @property
    def halves(self) -> int:
        """How many tiles are in the chip at the same time."""
        return min(2, self.tiles * self.groups)

    @property
    def sums(self) -> int:
        """Rows of the accumulator. Pooling reads all pixels of a row one after another, so that none may lie between."""
        width = self.columns if self.layer.pool else self.blocks * self.dim
        return self.halves * self.rows * width * (self.group // self.dim)

    @property
    def stores(self) -> int:
        """Stores of a tile: one for each row, or for each two rows and block of channels."""
        return self.rows // 2 * (self.group // self.dim) if self.layer.pool else self.rows

    @property
    def pixels(self) -> int:
        """Rows of the scratchpad for pixels."""
        return (self.tiles if self.stays else self.halves) * self.in_rows * self.in_columns * self.depth

    @property
    def loaded(self) -> int:
        """Rows of the scratchpad that are loaded."""
        pixels, weights = self.in_rows * self.in_columns * self.depth, self.group * self.taps
        each = self.tiles * pixels * (1 if self.stays else self.groups)
        return each + self.groups * weights * (1 if self.resident else self.tiles)

    @property
    def weights(self) -> int:
        """Rows of the scratchpad for weights."""
        return self.group * (self.taps if self.resident else 2)


def cut_for(layer: Layer, params: GemminiParams) -> Cut:
    """How a layer is cut: as many sums as half of the accumulator takes, with as many channels as there are for a store.

    Raises:
        GemminiError: one row does not fit, or the layer is none.
    """
    require_layer(layer)
    dim, wide = params.dim, params.max_block_len * params.dim
    channels = -(-layer.OC // dim)
    cuts = [
        Cut(layer, dim, wide, dim * group, rows, columns, resident, stays)
        for group in range(1, min(wide // dim, channels) + 1)
        for rows in divisors(layer.H)
        for columns in (divisors(layer.W) if not (layer.pad or layer.pool) else [layer.W])
        for resident in (False, True)
        for stays in (False, True)
        if channels % group == 0 and not (layer.pool and rows % 2)
    ]
    fit = [cut for cut in cuts if cut.sums <= params.acc_rows and cut.pixels + cut.weights <= params.sp_rows]
    if layer.pool:
        fit = [cut for cut in fit if layer.W <= MOST_POOLED]
    if not fit:
        raise GemminiError(
            f"{layer}: a tile of one row of the image does not fit the chip: {cuts[0].sums} of its {params.acc_rows} rows of"
            f" sums, {cuts[0].pixels + cuts[0].weights} of its {params.sp_rows} rows of pixels and weights",
            notes=("cut the image into stripes",),
        )
    return max(
        fit,
        key=lambda cut: (
            cut.rows * cut.columns * cut.group,
            cut.group,
            -cut.loaded,
            not cut.resident,
            not cut.stays,
            cut.columns,
        ),
    )


def divisors(number: int) -> list[int]:
    """What divides a number."""
    return [each for each in range(1, number + 1) if number % each == 0]
