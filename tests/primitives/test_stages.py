"""Programs of several stages, as image processing has them: what it takes to compute one stage where another one uses it."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.cursors import AllocCursor
from usl_core.errors import SchedulingError
from usl_core.scheduling import (
    clone_buffer,
    cut_loop,
    delete_dead_writes,
    divide_loop,
    divide_with_recompute,
    fuse,
    guard_redundant,
    inline_producer,
    reorder_stmts,
    resize_dim,
    simplify,
    sink_alloc,
    unroll_loop,
    widen_loop,
)

PYRAMID = """
    def f(n: size, x: f32[n + 1], y: f32[2 * n]):
        d: f32[n + 1]
        for i in seq(0, n + 1):
            d[i] = x[i] * 2.0
        for i in seq(0, 2 * n):
            y[i] = d[i / 2] + d[(i + 1) / 2]
"""
EVEN_PLACES = """
    def f(n: size, x: f32[2 * n], y: f32[n]):
        d: f32[2 * n]
        for i in seq(0, 2 * n):
            d[i] = x[i]
        for i in seq(0, n):
            y[i] = d[2 * i]
"""


def test_a_producer_is_inlined_at_other_places_than_its_own():
    p = parse(PYRAMID)
    q = inline_producer(p, "d")
    assert "d[" not in str(q)
    assert_equivalent(p, q)


def test_a_producer_is_inlined_where_data_chooses_the_place():
    p = parse("""
        def f(n: size, k: i32[n], x: f32[256], y: f32[n]):
            t: f32[256]
            for i in seq(0, 256):
                t[i] = x[i] * 2.0
            for i in seq(0, n):
                y[i] = t[idx(k[i], 0, 256)]
        """)
    assert "y[i] = x[idx(k[i], 0, 256)] * 2.0" in str(inline_producer(p, "t"))


def test_a_producer_with_a_constant_exterior_is_inlined():
    p = parse("""
        def f(n: size, x: f32[n], y: f32[n]):
            t: f32[n + 2]
            for i in seq(0, n + 2):
                if i >= 1 and i < n + 1:
                    t[i] = x[i - 1]
                else:
                    t[i] = 0.0
            for i in seq(0, n):
                y[i] = t[i] + t[i + 2]
        """)
    assert_equivalent(p, inline_producer(p, "t"))


def test_a_producer_is_narrowed_to_what_is_consumed():
    p = parse(EVEN_PLACES.replace("d[2 * i]", "d[i]"))
    q = cut_loop(p, "i", "n")
    q = delete_dead_writes(q, q.find_loop("i #1"))
    assert str(q).count("for ") == 2
    assert_equivalent(p, q)


def test_a_producer_of_which_every_second_place_is_read():
    """Tiles with gaps are refused; but what nobody reads can be left out first."""
    p = parse(EVEN_PLACES)
    with pytest.raises(SchedulingError, match="may leave out iterations"):
        divide_with_recompute(p, "i", "n", 2, ["io", "ii"], base="2 * io", extent="1")
    q = guard_redundant(p, "d[_] = _", "i % 2 == 0")
    q = divide_loop(q, "i", 2, ["io", "ii"], perfect=True)
    q = simplify(unroll_loop(q, "ii"))
    assert "d[2 * io] = x[2 * io]" in str(q) and "if" not in str(q)
    assert_equivalent(p, q)


def test_a_tile_with_a_tail_is_a_bounded_loop():
    p = parse("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 1.0\n")
    q = divide_loop(p, "i", 8, ["io", "ii"])
    q = simplify(cut_loop(q, "ii", "min(8, n - 8 * io)"))
    assert str(q) == str(divide_loop(p, "i", 8, ["io", "ii"], tail="bound"))


def test_a_consumer_that_is_rounded_up_in_tiles_that_hold_their_producer():
    p = parse("""
        def f(n: size, x: f32[n + 1], y: f32[n]):
            g: f32[n + 1]
            for i in seq(0, n + 1):
                g[i] = 2.0 * x[min(i, n)]
            h: f32[n]
            for j in seq(0, n):
                h[j] = g[j] + g[j + 1]
            for j in seq(0, n):
                y[j] = h[j]
        """)
    q = resize_dim(p, "g", 0, "(n + 3) / 4 * 4 + 1", "0")
    q = resize_dim(q, "h", 0, "(n + 3) / 4 * 4", "0")
    q = widen_loop(q, "i", "(n + 3) / 4 * 4 + 1")
    q = divide_loop(q, "j", 4, ["jo", "ji"], tail="round_up")
    q = divide_with_recompute(q, "i", "(n + 3) / 4", 4, ["jo", "ii"], base="4 * jo", extent="5")
    q = reorder_stmts(q, q.find_loop("jo").expand(0, 1))
    q = fuse(q, q.find_loop("jo"), q.find_loop("jo #1"))
    q = resize_dim(sink_alloc(q, "g"), "g", 0, "5", "4 * jo")
    assert "g: f32[5]" in str(q)
    assert_equivalent(p, q)


def test_a_pyramid_computes_a_place_when_it_is_read_first():
    p = parse(PYRAMID)
    q = divide_with_recompute(p, "i", "2 * n", 1, ["i", "j"], base="i / 2", extent="2")
    q = fuse(q, q.find_loop("i"), q.find_loop("i #1"))
    q = guard_redundant(q, "d[_] = _", "i == 0 or j == 1 and i % 2 == 1")
    q = resize_dim(q, "d", 0, "2", "0", fold=True)
    assert "d: f32[2]" in str(q)
    assert_equivalent(p, q)


def test_each_of_two_consumers_has_a_copy_of_its_producer():
    p = parse("""
        def f(n: size, x: f32[n], y: f32[n], z: f32[n]):
            b: f32[n]
            for i in seq(0, n):
                b[i] = x[i] * 2.0
            for j in seq(0, n):
                y[j] = b[j]
            for k in seq(0, n):
                z[k] = b[k] + 1.0
        """)
    q = clone_buffer(p, "b", p.find_loop("k"), "b2")
    for buffer, consumer in (("b2", "k"), ("b", "j")):
        loop = q.find(f"{buffer}[_] = _").parent()
        while loop.next() != q.find_loop(consumer):
            q = reorder_stmts(q, loop.expand(0, 1))
            loop = q.forward(loop)
        q = fuse(q, loop, q.find_loop(consumer))
        q = sink_alloc(q, buffer)
    assert_equivalent(p, q)


@pytest.mark.parametrize("namesakes", [True, False])
def test_a_chain_of_stages_in_the_tiles_of_the_last_one(namesakes):
    """fuse rewrites the first body or the second, as names are."""
    stages = 5
    lines = [f"def f(n: size, x: f32[n + {stages}], y: f32[n]):", "    assert n % 4 == 0"]
    for s in range(stages):
        source, more = f"s{s - 1}" if s else "x", stages - 1 - s
        if more:
            lines.append(f"    s{s}: f32[n + {more}]")
        lines.append(f"    for i{s} in seq(0, n + {more}):")
        lines.append(f"        {f's{s}' if more else 'y'}[i{s}] = {source}[i{s}] + {source}[i{s} + 1]")
    p = parse("\n".join(lines))
    q = divide_loop(p, f"i{stages - 1}", 4, ["io", "ii"], perfect=True)
    for s in reversed(range(stages - 1)):
        loop = q.find_loop(f"i{s}")
        outer = "io" if namesakes else f"o{s}"
        extent = str(4 + stages - 1 - s)
        q = divide_with_recompute(q, loop, "n / 4", 4, [outer, f"j{s}"], base=f"4 * {outer}", extent=extent)
        loop = q.forward(loop)
        count = 0
        following = loop.next()
        while isinstance(following, AllocCursor):
            following, count = following.next(), count + 1
        q = reorder_stmts(q, loop.expand(0, count), 1) if count else q
        loop = q.forward(loop)
        q = fuse(q, loop, loop.next())
        assert q.forward(loop) == q.find_loop(outer)
    for s in range(stages - 1):
        q = sink_alloc(q, f"s{s}")
    for s in range(stages - 1):
        q = resize_dim(q, f"s{s}", 0, str(4 + stages - 1 - s), f"4 * {q.body()[0].name()}")
    assert len(q.body()) == 1
    assert_equivalent(p, q)
