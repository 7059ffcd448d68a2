"""tile_for_memory: tiles that fit, as large as they may be."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.primitives.equivalence import parse
from usl_core import Procedure, SchedulingError
from usl_core.errors import UsageError
from usl_stdlib import tile_for_memory, tile_loops, touched

PRODUCT = """
def f(A: f32[{M}, {K}], B: f32[{K}, {N}], C: f32[{M}, {N}]):
    for i in seq(0, {M}):
        for j in seq(0, {N}):
            for k in seq(0, {K}):
                C[i, j] += A[i, k] * B[k, j]
"""
BLUR = """
def f(n: size, x: f32[n + 2, 66], y: f32[n, 64]):
    for i in seq(0, n):
        for j in seq(0, 64):
            y[i, j] = x[i, j] + x[i + 2, j + 2]
"""


def product(M: int, N: int, K: int) -> Procedure:
    return parse(PRODUCT.format(M=M, N=N, K=K))


def needed(p: Procedure, sizes: tuple[int, ...], buffers: tuple[str, ...]) -> int:
    """The elements that one full tile accesses, by tiling for real."""
    _, tiles = tile_loops(p, ["i", "j", "k"], sizes, perfect=True)
    found = {each.buffer: each for each in touched(tiles.inner[0])}
    return sum(int(found[name].elements.value.constant or 0) for name in buffers)


def moved(M: int, N: int, K: int, tile: tuple[int, ...]) -> int:
    """What a product of these sizes loads and stores with these tiles: C stays for all of k."""
    i, j, k = tile
    return (M // i) * (N // j) * (2 * i * j + (K // k) * (i * k + k * j))


@settings(max_examples=20, deadline=None)
@given(st.tuples(*3 * [st.sampled_from([4, 8, 12])]), st.integers(3, 200))
def test_tiles_fit_and_nothing_smaller_moves_less(sizes: tuple[int, int, int], capacity: int) -> None:
    p = product(*sizes)
    chosen = tile_for_memory(p, ["i", "j", "k"], [(["A", "B", "C"], capacity)], perfect=True)
    assert needed(p, chosen, ("A", "B", "C")) <= capacity
    divisors = [[d for d in range(1, size + 1) if size % d == 0] for size in sizes]
    fitting = [(i, j, k) for i, j, k in itertools.product(*divisors) if i * j + i * k + k * j <= capacity]
    assert moved(*sizes, chosen) == min(moved(*sizes, tile) for tile in fitting)


def test_memories_with_copies_have_capacities_of_their_own() -> None:
    p = product(512, 512, 512)
    memories = [({"A": 2, "B": 2}, 256 * 1024), ({"C": 1}, 16 * 1024)]
    assert tile_for_memory(p, ["i", "j", "k"], memories, multiples=[16, 64, 64]) == (128, 128, 512)


def test_halos_count_and_formals_get_values() -> None:
    assert tile_for_memory(parse(BLUR), ["i", "j"], [(["x"], 10 * 66)], multiples=[1, 64], sizes={"n": 100}) == (8, 64)


def test_a_loop_shorter_than_the_multiple_is_one_tile() -> None:
    assert tile_for_memory(product(5, 8, 8), ["i", "j"], [(["B"], 100)], multiples=[16, 8], perfect=True) == (5, 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (["i", "j", "k"], [({"A": 2, "B": 1}, 47)], [4, 4, 4]),
            "a tile of 4 x 4 x 4 needs 48 elements of a memory that has 47",
        ),
        ((["i", "j"], [(["A", "D"], 100)], [4, 4]), "the loops do not access D"),
        ((["j", "i"], [(["A", "B"], 100)], [4, 4]), "the loops must contain each other"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, message: str) -> None:
    loops, memories, multiples = arguments
    with pytest.raises(SchedulingError, match=message):
        tile_for_memory(product(64, 64, 64), loops, memories, multiples=multiples)


def test_unknown_sizes_and_wrong_multiples_are_refused() -> None:
    with pytest.raises(SchedulingError, match="the number of iterations of i is not known"):
        tile_for_memory(parse(BLUR), ["i", "j"], [(["x"], 1000)])
    with pytest.raises(UsageError, match="a multiple of at least 1 for each loop"):
        tile_for_memory(product(4, 4, 4), ["i"], [(["A"], 1000)], multiples=[0])
