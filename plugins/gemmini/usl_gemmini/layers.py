"""Convolutions by their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from usl_gemmini.errors import GemminiError

STEPS = (1, 2, 3, 4)
"""How far apart windows may be."""


FEW = 64
"""Pixels up to which weights that pass once are faster than a matrix product, whose panels of B would wait for memory."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution: N images of H x W x OC from windows of KH x KW x IC, step pixels apart.

    Around the input lies a border of zeros, pad pixels wide, which is not stored. spare says how many rows and columns at
    the end, the border among them, no window reaches.
    """

    N: int
    H: int
    W: int
    IC: int
    OC: int
    KH: int
    KW: int
    step: int = 1
    pad: int = 0
    spare: tuple[int, int] = (0, 0)
    pool: bool = False
    """Whether of each 2 x 2 pixels of the result only the largest is kept."""
    slide: int = 0
    """Not 0: a row of the input is one row of numbers, and windows are so many of them apart (`slid`)."""

    @property
    def HI(self) -> int:
        """Rows of the input."""
        return self.step * (self.H - 1) + self.KH - 2 * self.pad + self.spare[0]

    @property
    def WI(self) -> int:
        """Columns of the input."""
        if self.slide:
            return self.slide * (self.W - 1) + self.IC + self.spare[1]
        return self.step * (self.W - 1) + self.KW - 2 * self.pad + self.spare[1]

    @property
    def across(self) -> int:
        """How far apart windows are in the columns that a tile holds."""
        return self.step // self.skip if not self.slide else 1

    @property
    def skip(self) -> int:
        """How far apart columns of the input are of which only one in so many is read."""
        return self.step if self.KW == 1 and not self.slide else 1

    @property
    def apart(self) -> int:
        """How far apart rows of the input are of which only one in so many is read."""
        return self.step if self.KH == 1 and not self.slide else 1

    @property
    def pixels_in(self) -> tuple[int, int]:
        """The shape of the input: pixels and channels; or rows of images, and the numbers in one."""
        if self.slide:
            return self.N * self.HI, self.WI
        return self.N * self.HI * self.WI, self.IC

    @property
    def pixels_out(self) -> tuple[int, int]:
        """The shape of the output: pixels and channels."""
        pixels = self.H * self.W // (4 if self.pool else 1)
        return self.N * pixels, self.OC

    @property
    def is_product(self) -> bool:
        """Whether it is a matrix product, and faster as one."""
        alone = (self.KH, self.KW, self.step, self.pad, self.pool, self.slide) == (1, 1, 1, 0, False, 0)
        return alone and self.N * self.H * self.W > FEW

    @property
    def products(self) -> int:
        """Multiplications."""
        return self.N * self.H * self.W * self.OC * self.KH * self.KW * self.IC


@dataclass(frozen=True, slots=True)
class Border:
    """N images of HI rows of WI numbers in the midst of zeros, HO rows of WO numbers; so many zeros are above and left."""

    N: int
    HI: int
    WI: int
    HO: int
    WO: int
    above: int
    left: int


def layer_of(images: Sequence[int], windows: Sequence[int], step: int = 1, pad: int = 0) -> Layer:
    """The convolution of images N x HI x WI x IC by windows KH x KW x IC x OC.

    Raises:
        GemminiError: they do not belong together, or an image with its border is smaller than a window.
    """
    (N, HI, WI, IC), (KH, KW, channels, OC) = images, windows
    if step not in STEPS:
        raise GemminiError(f"step must be one of {', '.join(map(str, STEPS))}, got {step!r}")
    if channels != IC:
        raise GemminiError(f"images of {IC} channels and windows of {channels} do not belong together")
    high, wide = HI + 2 * pad - KH, WI + 2 * pad - KW
    if min(high, wide) < 0:
        raise GemminiError(f"windows of {KH} x {KW} do not fit images of {HI} x {WI} with a border of {pad}")
    return Layer(N, high // step + 1, wide // step + 1, IC, OC, KH, KW, step, pad, (high % step, wide % step))


def of_pixels(pixels: int, channels: int, out: int) -> Layer:
    """The convolution by windows of one pixel, whose pixels are one row."""
    return Layer(1, 1, pixels, channels, out, 1, 1)


def slid(layer: Layer) -> Layer:
    """A convolution without border in which a whole row of a window counts as one pixel of KW * IC channels.

    In a row of the input these are neighbours, and a transfer may begin anywhere, so that few channels fill blocks.
    Its weights are [KH, 1, KW * IC, OC], its input is [N * HI, WI * IC].
    """
    if layer.pad or layer.slide:
        raise GemminiError(f"{layer}: rows of windows are one piece of the input only where it has no border")
    rows, columns = layer.spare
    slide = layer.step * layer.IC
    return replace(layer, IC=layer.KW * layer.IC, KW=1, slide=slide, spare=(rows, columns * layer.IC))


def require_layer(layer: Layer) -> None:
    """Raises: GemminiError: a size is below 1, the step is none, whole windows lie in the border, pooling leaves a row."""
    sizes = {name: getattr(layer, name) for name in ("N", "H", "W", "IC", "OC", "KH", "KW", "HI", "WI")}
    for name, size in sizes.items():
        if size < 1:
            raise GemminiError(f"{layer}: {name} is {size} and must be at least 1")
    if layer.step not in STEPS:
        raise GemminiError(f"{layer}: step must be one of {', '.join(map(str, STEPS))}")
    if not 0 <= layer.pad < min(layer.KH, layer.KW):
        raise GemminiError(f"{layer}: pad must be at least 0 and less than the window")
    if layer.pool and (layer.H % 2 or layer.W % 2):
        raise GemminiError(f"{layer}: pooling by 2 x 2 needs an even number of rows and columns")
