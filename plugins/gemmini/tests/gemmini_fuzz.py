"""`make fuzz WHAT=gemmini`: random products and convolutions on the simulator, against NumPy, bit for bit.

Sizes are 1, primes, multiples of dim and whatever lies between; arrays begin anywhere that their elements may; half of the
chips are the default one. A shape that does not fit a chip is refused and counted apart.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from gemmini_model import convolved, largest_of_four, read_out, wrapped

from usl_gemmini import GemminiError, GemminiParams
from usl_gemmini.conv import conv
from usl_gemmini.layers import Layer, layer_of
from usl_gemmini.matmul import matmul
from usl_gemmini.sim import Simulator

MOST_PRODUCTS = 20_000_000
"""Multiplications of one case."""
CHIPS = (16, 16, 16, 4, 8, 32)


@dataclass(frozen=True)
class Case:
    """A kernel, by its shape, and the seed of its data."""

    dim: int
    shape: Layer | tuple[int, int, int]
    relu: bool
    bias: str
    seed: int


def size(rng: random.Random, most: int) -> int:
    """1, a small number, one of any kind, or a multiple of 16."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.choice((1, 1, 2, 3))
    if kind == 1:
        return rng.randint(1, min(most, 20))
    if kind == 2:
        return min(most, 16 * rng.randint(1, max(1, most // 16)))
    return rng.randint(1, most)


def case(seed: int) -> Case:
    """The case of a seed."""
    rng = random.Random(seed)
    dim, relu = rng.choice(CHIPS), rng.random() < 0.5
    while True:
        if seed % 2:
            shape: Layer | tuple[int, int, int] = size(rng, 400), size(rng, 400), size(rng, 700)
            products = shape[0] * shape[1] * shape[2]
            bias = rng.choice(("none", "matrix", "row"))
        else:
            shape, bias = layer(rng), "row"
            products = shape.products
        if products <= MOST_PRODUCTS:
            return Case(dim, shape, relu, bias, seed)


def layer(rng: random.Random) -> Layer:
    """A convolution of images that its windows need not fill."""
    while True:
        KH, KW = rng.choice(((1, 1), (3, 3), (3, 3), (5, 5), (7, 7), (rng.randint(1, 7), rng.randint(1, 7))))
        pad = rng.choice((0, 0, min(KH, KW) // 2, rng.randrange(min(KH, KW))))
        images = rng.choice((1, 1, 2, 3)), size(rng, 40), size(rng, 70), size(rng, 130)
        try:
            made = layer_of(images, (KH, KW, images[3], size(rng, 150)), rng.choice((1, 1, 1, 2, 2, 3, 4)), pad)
            return replace(made, pool=made.H % 2 == made.W % 2 == 0 and rng.random() < 0.5)
        except GemminiError:
            continue


def anywhere(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """A copy that begins at a random multiple of the size of its elements."""
    room = np.empty(array.size + 64, array.dtype)
    start = int(rng.integers(0, 64))
    copy = room[start : start + array.size].reshape(array.shape)
    copy[...] = array
    return copy


def data(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """int8 of all sizes, or the largest ones only."""
    values = (
        rng.integers(-128, 128, shape, np.int8) if rng.random() < 0.8 else rng.choice(np.array([-128, 127], np.int8), shape)
    )
    return anywhere(rng, values)


def run(case: Case) -> bool:
    """Whether the kernel gives what NumPy gives.

    Raises:
        GemminiError: the shape does not fit the chip, or a command is one that hardware would fail on.
    """
    params, rng, shape = GemminiParams(dim=case.dim), np.random.default_rng(case.seed), case.shape
    scale = np.float32(rng.choice((0.0, 1.0, 0.01, 0.0005, rng.random())))
    if isinstance(shape, Layer):
        kernel = conv(shape, relu=case.relu, params=params)
        x, w = data(rng, *shape.pixels_in), data(rng, shape.KH, shape.KW, shape.IC, shape.OC)
        bias = anywhere(rng, rng.integers(-(2**31), 2**31 - 1, shape.OC, np.int32))
        images = x.reshape(shape.N, shape.HI, shape.WI, shape.IC)
        inputs, sums = (x, w, bias), convolved(images, w, shape.step, shape.pad) + bias
    else:
        M, N, K = shape
        kernel = matmul(M, N, K, relu=case.relu, bias=case.bias, params=params)
        a, b = data(rng, M, K), data(rng, K, N)
        inputs, sums = (a, b), a.astype(np.int64) @ b.astype(np.int64)
        if case.bias != "none":
            d = anywhere(rng, rng.integers(-(2**16), 2**16, (M, N) if case.bias == "matrix" else N, np.int32))
            inputs, sums = (a, b, d), sums + d
    want = read_out(wrapped(sums), scale, case.relu)
    if isinstance(shape, Layer):
        want = (largest_of_four(want) if shape.pool else want).reshape(shape.pixels_out)
    out, sim = anywhere(rng, np.zeros(want.shape, np.int8)), Simulator(params)
    compiled = kernel.jit()
    with sim.session():
        sim.allow(*inputs, out)
        compiled(scale, *inputs, out)
        sim.host_reads(out)
    return bool((out == want).all())


def judged(case: Case) -> tuple[Case, str, float]:
    """The case, what became of it, and how long it took."""
    begun = time.perf_counter()
    try:
        verdict = "exact" if run(case) else "WRONG"
    except GemminiError as error:
        verdict = "does not fit" if "does not fit" in str(error) or "of the scratchpad" in str(error) else f"FAILED {error}"
    except Exception as error:  # whatever goes wrong belongs to this case, and the others go on
        verdict = f"FAILED {type(error).__name__}: {error}"
    return case, verdict, time.perf_counter() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs so many cases that fit; the exit status says whether all are exact."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    spent, slowest = 0.0, (0.0, "")
    cases = map(case, range(options.seed, options.seed + options.cases))
    with ProcessPoolExecutor(options.jobs) as pool:
        for done, verdict, seconds in pool.map(judged, cases):
            kind = "convolutions" if isinstance(done.shape, Layer) else "products"
            counts[f"{kind}: {verdict.split()[0] if verdict != 'does not fit' else verdict}"] += 1
            spent, slowest = spent + seconds, max(slowest, (seconds, str(done)))
            if verdict not in ("exact", "does not fit"):
                print(f"{done}: {verdict}", flush=True)
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    print(f"{spent / options.cases:.2f} seconds a case, at most {slowest[0]:.1f}: {slowest[1]}")
    return int(any("WRONG" in name or "FAILED" in name for name in counts))


if __name__ == "__main__":
    sys.exit(main())
