"""ResNet-50 in integers, and smaller networks built like it.

Convolutions have their scale, bias and ReLU in the store; the sum of a block and its input is a layer of its own, with ReLU.
Reference: He 2016, table 1; the step of a block is in its 3 x 3 convolution, as in common implementations (v1.5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from usl_gemmini.layers import Border, Layer, layer_of, of_pixels, slid
from usl_gemmini.network import Network, Tensor
from usl_gemmini.ports import OUT, OUT2, OUT3, PLAIN, Port

LINE = 64
"""Bytes of a line of memory, on which rows of images begin."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a network is: images of `image` x `image` pixels, channels of the first stage, blocks in each stage."""

    batch: int = 1
    image: int = 224
    channels: int = 64
    blocks: tuple[int, ...] = (3, 4, 6, 3)
    classes: int = 1000


def resnet(sizes: Sizes = Sizes()) -> Network:
    """The network; with the default sizes ResNet-50. Its input is x, [batch * image, image * 3]."""
    net = Network()
    x, side = stem(net, sizes)
    pool = layer_of((sizes.batch, side, side, sizes.channels), (3, 3, sizes.channels, sizes.channels), 2, 1)
    x, side = net.add("pool", "pool", pool, (x,), OUT, pool.pixels_out), pool.H
    for stage, blocks in enumerate(sizes.blocks):
        for block in range(blocks):
            step = 2 if stage > 0 and block == 0 else 1
            x, side = bottleneck(net, f"s{stage + 1}b{block + 1}", x, sizes.batch, side, sizes.channels << stage, step)
    pixels, channels = side * side, x.columns
    ones = Tensor("ones", PLAIN, sizes.batch, sizes.batch * pixels)
    x = net.add("average", "average", (sizes.batch, channels, ones.columns), (ones, x), OUT2, (sizes.batch, channels))
    convolved(net, "classes", x, (sizes.batch, 1, 1, channels), sizes.classes, 1, 1, OUT)
    return net


def stem(net: Network, sizes: Sizes) -> tuple[Tensor, int]:
    """The first convolution, 7 x 7 of three channels and every other pixel, and the side of its images.

    Its images get their border first, for a row of its window is one pixel of 21 channels then.
    """
    batch, image = sizes.batch, sizes.image
    side = (image - 1) // 2 + 1
    layer = slid(Layer(batch, side, side, 3, sizes.channels, 7, 7, 2))
    layer = replace(layer, spare=(0, -layer.WI % LINE))
    border = Border(batch, image, 3 * image, layer.HI, layer.WI, 3, 9)
    x = Tensor("x", PLAIN, batch * image, 3 * image)
    x = net.add("border", "border", border, (x,), OUT, layer.pixels_in)
    return net.add("stem", "conv", layer, (x,), OUT2, layer.pixels_out, relu=True), side


def bottleneck(net: Network, name: str, x: Tensor, batch: int, side: int, channels: int, step: int) -> tuple[Tensor, int]:
    """A block: 1 x 1, 3 x 3 and 1 x 1 convolutions, and the sum with its input, which has as many channels and pixels then."""
    out = OUT3 if x.port is OUT else OUT  # blocks read and write these two in turn, and the third in between
    y, _ = convolved(net, f"{name}c1", x, (batch, side, side, x.columns), channels, 1, 1, OUT2, relu=True)
    y, new = convolved(net, f"{name}c2", y, (batch, side, side, channels), channels, 3, step, out, relu=True)
    y, _ = convolved(net, f"{name}c3", y, (batch, new, new, channels), 4 * channels, 1, 1, OUT2)
    if x.columns != 4 * channels or step > 1:
        x, _ = convolved(net, f"{name}down", x, (batch, side, side, x.columns), 4 * channels, 1, step, OUT2)
    return net.add(f"{name}sum", "sum", (y.rows, y.columns), (x, y), out, (y.rows, y.columns), relu=True), new


def convolved(
    net: Network,
    name: str,
    x: Tensor,
    images: tuple[int, int, int, int],
    channels: int,
    window: int,
    step: int,
    port: Port,
    *,
    relu: bool = False,
) -> tuple[Tensor, int]:
    """A convolution of x, or the product that it is, and the side of its images."""
    layer = layer_of(images, (window, window, images[3], channels), step, window // 2)
    rows, columns = layer.pixels_out
    if layer.is_product:
        return net.add(name, "product", (rows, columns, layer.IC), (x,), port, (rows, columns), relu), layer.H
    if window == 1 and step == 1:
        few = of_pixels(rows, layer.IC, columns)
        return net.add(name, "conv", few, (x,), port, (rows, columns), relu), layer.H
    return net.add(name, "conv", layer, (x,), port, (rows, columns), relu), layer.H
