"""Upward-exposed reads: what a block may see of what was there before it."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis.context import Context
from usl_core.analysis.exposed import definite_writes, exposed_read, exposure_notes
from usl_core.ir.nodes import Block
from usl_core.ir.sym import Sym

WRITES = parse("def put(d: [f32][4]):\n    for i in seq(0, 4): d[i] = 0.0")
MAYBE = parse("def maybe(s: [f32][4], d: [f32][4]):\n    if s[0] < 1.0:\n        for i in seq(0, 4): d[i] = 0.0")
READS = parse("def get(s: [f32][4], d: f32): d = s[3]")
PUTS_AT_STRIDE_3 = parse("def put3(m: size, a: f32[2, m], d: f32[8]):\n    if stride(a, 0) == 3: d[0] = 1.0")
GETS_AT_STRIDE_3 = parse("def get3(m: size, a: f32[2, m], s: f32[8], d: f32):\n    if stride(a, 0) == 3: d = s[0]")
SCOPE = {"put": WRITES, "maybe": MAYBE, "get": READS, "put3": PUTS_AT_STRIDE_3, "get3": GETS_AT_STRIDE_3}


def block_with_t(body: str) -> tuple[Context, Block, Sym]:
    """A body that works on `t: f32[8]`, with the context before it and the buffer."""
    head = "def foo(n: size, c: bool, x: f32[8], k: i32, u: f32):\n    assert n <= 8\n    t: f32[8]\n"
    program = parse(head + indent(body, "    "), **SCOPE).ir
    alloc, *rest = program.body
    return Context.of_proc(program).after(alloc), tuple(rest), alloc.name  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = t[0]",
        "t[0] = 1.0\nx[0] = t[1]",
        "x[0] = t[0]\nt[0] = 1.0",
        "t[0] += 1.0\nx[0] = t[0]",
        "if t[0] < 1.0: x[0] = 1.0",
        "if c: t[0] = 1.0\nx[0] = t[0]",
        "if c: pass\nelse: t[0] = 1.0\nx[0] = t[0]",
        "if x[0] < 1.0: t[0] = 1.0\nelse: t[0] = 2.0\nx[0] = t[0]",
        "if c: x[0] = t[0]\nelse: t[0] = 1.0",
        "for i in seq(0, n): t[i] = 1.0\nfor i in seq(0, 8): x[i] = t[i]",
        "for i in seq(1, n): t[0] = 1.0\nx[0] = t[0]",
        "for i in seq(0, 8): x[i] = t[7 - i]\nt[0] = 1.0",
        "for i in seq(0, 8):\n    x[i] = t[i]\n    t[i] = 1.0",
        "for i in seq(1, 8):\n    x[i] = t[i - 1]\n    t[i] = 1.0",
        "for i in seq(0, 7):\n    x[i] = t[i + 1]\n    t[i] = 1.0",
        "for i in seq(0, 8):\n    for j in seq(0, i): t[j] = 1.0\n    x[i] = t[i]",
        "for i in seq(0, 8):\n    if c: t[i] = 1.0\n    x[i] = t[i]",
        "for i in seq(0, 4):\n    for j in seq(0, 1): t[2 * i + j] = 1.0\nx[0] = t[7]",
        "for i in seq(0, 8):\n    for j in seq(0, i): t[j] = 1.0\nx[0] = t[7]",
        "t[idx(k, 0, 8)] = 1.0\nx[0] = t[0]",
        "for i in seq(0, 8): t[idx(k, 0, 8)] = 1.0\nx[0] = t[0]",
        "for i in seq(0, 8):\n    x[i] = t[0]\n    if x[0] < 1.0: t[0] = 1.0",
        "w = t[0:4]\nw[0] = 1.0\nx[0] = t[1]",
        "w = t[4:8]\nx[0] = w[0]",
        "w = t[4:8]\nt[0] = 1.0\nx[0] = w[0]",
        "w = t[4:8]\nw[0] = 1.0\nx[0] = t[0]",
        "w = t[4:8]\nif w[0] < 1.0: x[0] = 1.0",
        "t[0] = 1.0\nw = t[4:8]\nif w[0] < 1.0: x[0] = 1.0",
        "if c:\n    for i in seq(0, n): t[i] = 1.0\nelse:\n    for i in seq(0, 8): t[i] = 1.0\nx[0] = t[7]",
        "for i in seq(0, 2):\n    w = t[4 * i:4 * i + 4]\n    w[0] = 1.0\n    x[i] = t[i]",
        "maybe(x[0:4], t[0:4])\nx[0] = t[0]",
        "put(t[0:4])\nget(t[4:8], u)",
        "get(t[0:4], u)\nput(t[0:4])",
        "x[0] = 1.0\nu = t[0]",
    ],
)
def test_a_read_that_may_see_an_older_value_is_found(body: str) -> None:
    ctx, block, t = block_with_t(body)
    found = exposed_read(ctx, block, t)
    assert found is not None
    assert found.buffer is t


@pytest.mark.parametrize(
    "body",
    [
        "t[0] = 1.0\nx[0] = t[0]",
        "x[0] = 1.0",
        "for i in seq(0, 8): t[i] = 1.0\nfor i in seq(0, n): x[i] = t[i]",
        "for i in seq(0, 8):\n    t[i] = 1.0\n    x[i] = t[i]",
        "t[0] = 1.0\nfor i in seq(1, 8):\n    x[i] = t[i - 1]\n    t[i] = 1.0",
        "if c: t[0] = 1.0\nelse: t[0] = 2.0\nx[0] = t[0]",
        "if c: t[0] = 1.0\nif c: x[0] = t[0]",
        "w = t[4:8]\nw[0] = 1.0\nx[0] = t[4]",
        "t[4] = 1.0\nw = t[4:8]\nx[0] = w[0]",
        "put(t[4:8])\nget(t[4:8], u)",
        "w = t[4:8]\nput(w)\nget(t[4:8], u)",
        "for i in seq(0, 8): t[i] = 1.0\nx[0] = t[idx(k, 0, 8)]",
    ],
)
def test_reads_that_follow_a_write_of_the_same_element_see_nothing_older(body: str) -> None:
    ctx, block, t = block_with_t(body)
    assert exposed_read(ctx, block, t) is None


@pytest.mark.parametrize("write", ["put3(5 - i, s, t)", "if stride(s, 0) == 3: t[0] = 1.0"])
def test_a_write_at_one_stride_of_a_buffer_of_each_iteration_is_none_in_another_iteration(write: str) -> None:
    """Read and write happen where i is 2, so that nothing is written before the read."""
    ctx, block, t = block_with_t(f"""
for i in seq(0, 4):
    s: f32[2, 5 - i]
    if i > 0: get3(5 - i, s, t, u)
    {write}
""")
    assert exposed_read(ctx, block, t) is not None


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("t[0] = 1.0", 1),
        ("t[0] += 1.0", 0),
        ("x[0] = 1.0", 0),
        ("x[0] = t[0]", 0),
        ("w = t[0:4]\nw[0] = 1.0", 1),
        ("t[idx(k, 0, 8)] = 1.0", 0),
        ("if x[0] < 1.0: t[0] = 1.0", 0),
        ("for i in seq(0, 8): t[i] = 1.0", 1),
        ("maybe(x[0:4], t[0:4])", 0),
        ("put(t[0:4])", 1),
    ],
)
def test_only_certain_assignments_are_definite_writes(body: str, count: int) -> None:
    ctx, block, t = block_with_t(body)
    found = definite_writes(ctx, block, t)
    assert len(found) == count
    assert all(a.buffer is t for a in found)


def test_a_read_that_no_earlier_iteration_covers_is_shown_with_values() -> None:
    """The writes of earlier iterations have an iterator j of their own."""
    ctx, block, t = block_with_t("""
for i in seq(0, 4):
    for j in seq(0, 4):
        if i > 0: x[i] = t[j]
        if j < 2: t[j] = 0.0
""")
    assert exposure_notes(ctx, block, t)[-1] == "counter-example: j = 2, i = 1"
