"""`fuse` of a pure producer with its consumer: later iterations write again what this one has read."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.fuse import fuse
from usl_core.procedure import Procedure


def stages(producer: str, consumer: str, before: str = "pass") -> Procedure:
    def block(text: str) -> str:
        return "\n".join("        " + line for line in text.splitlines())

    return parse(f"""
def foo(n: size, a: f32[2 * n + 5], b: f32[2 * n + 5], c: f32[n + 4], q: i32[n + 4]):
    {before}
    for i in seq(0, n):
{block(producer)}
    for j in seq(0, n):
{block(consumer)}
""")


TILE = "for k in seq(0, 3):\n    b[i + k] = a[i + k] * 2.0"


def test_a_producer_of_overlapping_tiles_is_fused_with_its_consumer():
    p = stages(TILE, "c[j] = b[j] + b[j + 2]")
    q = fuse(p, "i", "j")
    assert_body(
        q,
        """
        pass
        for i in seq(0, n):
            for k in seq(0, 3):
                b[i + k] = a[i + k] * 2.0
            c[i] = b[i] + b[i + 2]
        """,
    )
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    "producer",
    [
        "for k in seq(0, 3):\n    b[i + k] = 1.0",
        "for k in seq(0, 3):\n    b[i + k] = f32(i + k)",
        "for k in seq(0, 3):\n    b[i + k] = a[idx(q[i + k], 0, n)]",
        "for k in seq(0, 3):\n    t: f32\n    t = a[i + k]\n    t += a[i + k + 1]\n    b[i + k] = t",
        "for k in seq(0, 3):\n    b[i + k] = 0.0\n    for l in seq(0, 2):\n        b[i + k] += a[i + k + l]",
        "for k in seq(0, 3):\n    w = b[i : i + 3]\n    v = a[k : k + n]\n    w[k] = v[i]",
        "b[i] = a[i]\nb[i + 1] = a[i + 1]\nb[i + 2] = a[i + 2]",
        "for k in seq(0, 3):\n    if i + k < 5:\n        b[i + k] = a[i + k]\n    else:\n        b[i + k] = 2.0",
        "for k in seq(0, 3):\n    b[min(i + k, n + 1)] = a[min(i + k, n + 1)]",
    ],
)
def test_values_that_depend_on_the_place_alone_may_be_written_again(producer: str):
    p = stages(producer, "c[j] = b[j] + b[j + 2]")
    assert_equivalent(p, fuse(p, "i", "j"))


@pytest.mark.parametrize(
    ("producer", "reason"),
    [
        ("for k in seq(0, 3):\n    b[i + k] = a[i]", "more than the place"),
        ("for k in seq(0, 3):\n    b[i + k] = a[k]", "more than the place"),
        ("for k in seq(0, 3):\n    b[i + k] = f32(i)", "more than the place"),
        ("for k in seq(0, 3):\n    b[i + k] = a[idx(q[i], 0, n)]", "more than the place"),
        ("t: f32\nt = a[i]\nfor k in seq(0, 3):\n    b[i + k] = t", "more than the place"),
        ("for k in seq(0, 3):\n    v = a[i : i + 3]\n    b[i + k] = v[0]", "more than the place"),
        (
            "for k in seq(0, 3):\n    if k == 0:\n        b[i + k] = 1.0\n    else:\n        b[i + k] = 2.0",
            "more than the place",
        ),
        ("b[i] = a[i]\nb[i + 1] = a[i + 1]\nb[i + 2] = a[i + 1]", "more than the place"),
        ("for k in seq(0, 3):\n    b[i + k] = 0.0\n    for l in seq(0, k):\n        b[i + k] += a[l]", "more than the place"),
        ("for k in seq(0, 3):\n    b[i + k] += a[i + k]", "reads it, or adds to it"),
        ("for k in seq(0, 3):\n    b[i + k] = b[i + k] * 2.0", "reads it, or adds to it"),
        ("b[i + 2] = b[i + 1] + 1.0\nb[i] = 0.0\nb[i + 1] = 0.0", "reads it, or adds to it"),
        ("for k in seq(0, 3):\n    if a[i + k] > 0.0:\n        b[i + k] = a[i + k]", "read before it is written"),
        ("for k in seq(0, 2):\n    b[i + k] = a[i + k]", "read before it is written"),
        ("for k in seq(0, 3):\n    b[i + k] = a[i + k]\n    c[i] = 1.0", "writes one buffer"),
    ],
)
def test_producers_that_are_not_pure_are_refused(producer: str, reason: str):
    p = stages(producer, "c[j] = b[j] + b[j + 2]")
    with pytest.raises(
        SchedulingError, match=f"do not commute(.|\n)*nor is the first loop a pure producer(.|\n)*{reason}"
    ) as caught:
        fuse(p, "i", "j")
    assert caught.value.code == "E411"


@pytest.mark.parametrize(
    ("consumer", "reason"),
    [
        ("c[j] = b[j + 3]", "read before it is written"),
        ("c[j] = b[2 * j]", "read before it is written"),
        ("c[j] = b[idx(q[j], 0, n)]", "read before it is written"),
        ("c[j] = b[j + 2]\na[j + 1] = 0.0", "same location of a"),
        ("c[j] = b[j + 2]\nb[j] = 0.0", "modifies b too"),
        ("c[j] = b[j + 2]\ncheck(j < n)", "check"),
    ],
)
def test_consumers_that_come_too_early_or_disturb_are_refused(consumer: str, reason: str):
    with pytest.raises(SchedulingError, match=f"nor is the first loop a pure producer(.|\n)*{reason}"):
        fuse(stages(TILE, consumer), "i", "j")


def test_what_the_producer_has_read_for_the_last_time_may_be_modified():
    p = stages(TILE, "c[j] = b[j + 2]\na[j] = 0.0")
    assert_equivalent(p, fuse(p, "i", "j"))


def test_places_that_no_later_iteration_writes_may_be_read_unwritten():
    p = stages("for k in seq(0, 3):\n    b[i + k] = a[i + k]", "c[j] = b[j + 2] + b[2 * n + 4]")
    assert_equivalent(p, fuse(p, "i", "j"))


def test_a_temporary_shared_by_the_iterations_is_refused():
    p = stages("t = a[i]\nfor k in seq(0, 3):\n    b[i + k] = t", "c[j] = b[j + 1]", before="t: f32")
    with pytest.raises(SchedulingError, match="this code writes t, b"):
        fuse(p, "i", "j")


def test_iterations_around_it_are_the_same_for_both():
    p = parse("""
        def foo(n: size, m: size, a: f32[m, n + 2], c: f32[m, n]):
            b: f32[n + 2]
            for l in seq(0, m):
                for i in seq(0, n):
                    for k in seq(0, 3):
                        b[i + k] = a[l, i + k]
                for j in seq(0, n):
                    c[l, j] = b[j] + b[j + 2]
        """)
    assert_equivalent(p, fuse(p, "i", "j"))
