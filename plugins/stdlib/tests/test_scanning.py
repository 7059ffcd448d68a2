"""Running results in blocks, in trees and in parallel give what the loop gives."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core import Procedure
from usl_core.errors import SchedulingError
from usl_core.ir.memory import DRAM
from usl_stdlib import parallel_scan, scan_in_blocks, tree_scan


class Lanes(DRAM):
    name = "Lanes"


def scan(reduction: str, typ: str = "f32") -> Procedure:
    return parse(f"""
        def scan(n: size, x: {typ}[n], y: {typ}[n], s: {typ}):
            for i in seq(0, n):
                {reduction}
                y[i] = s
        """)


@pytest.mark.parametrize("reduction", ["s += x[i]", "s *= x[i]", "s @= max(x[i])", "s @= min(x[i] * 2.0)"])
@pytest.mark.parametrize("factor", [2, 5, 8])
def test_each_way_gives_the_running_results(reduction: str, factor: int) -> None:
    p = scan(reduction)
    q, places = scan_in_blocks(p, "i", factor, Lanes)
    assert_equivalent(p, q, factor=factor)
    assert places.block.mem() is Lanes
    assert len(places.steps) == 2 * (factor - 1).bit_length()
    assert_equivalent(p, parallel_scan(p, "i", factor), factor=factor)


def test_results_without_the_element_are_scanned_too() -> None:
    p = parse("""
        def places(n: size, x: i32[n], y: i32[n], s: i32):
            for i in seq(0, n):
                y[i] = s
                s += x[i]
        """)
    q, places = scan_in_blocks(p, "i", 4)
    assert_equivalent(p, q)
    assert places.block == q.find("block: _") and "block[0] = 0" in str(q)
    assert_equivalent(p, parallel_scan(p, "i", 4))


def test_blocks_have_their_values_steps_and_results_one_after_the_other() -> None:
    q, places = scan_in_blocks(scan("s ^= x[i] & 3", "u8"), "i", 3)
    assert_body(
        q,
        """
        for io in seq(0, n / 3):
            block: u8[3]
            for ii in seq(0, 3):
                block[ii] = x[3 * io + ii] & 3
            step: u8[3]
            for j in seq(1, 3):
                step[j] = block[j - 1]
            for j in seq(1, 3):
                block[j] ^= step[j]
            step1: u8[3]
            for j in seq(2, 3):
                step1[j] = block[j - 2]
            for j in seq(2, 3):
                block[j] ^= step1[j]
            for ii in seq(0, 3):
                y[3 * io + ii] = s ^ block[ii]
            s ^= block[2]
        for ii in seq(0, n % 3):
            s ^= x[ii + n / 3 * 3] & 3
            y[ii + n / 3 * 3] = s
        """,
    )
    assert places.values.body()[0] == q.find("block[_] = _")
    assert places.results.body()[0] == q.find("y[_] = _")
    assert places.total == q.find("s ^= block[2]")
    assert places.tail is not None and places.tail.prev() == places.loop


def test_parallel_loops_share_the_blocks_and_one_loop_adds_up_their_totals() -> None:
    q = parallel_scan(scan("s += x[i]"), "i", 64)
    assert_body(
        q,
        """
        block: f32[n / 64 + 1, 64]
        start: f32[n / 64 + 1]
        for io in par(0, n / 64):
            for ii in seq(0, 64):
                block[io, ii] = x[64 * io + ii]
            for j in seq(1, 64):
                block[io, j] += block[io, j - 1]
        for io in seq(0, n / 64):
            start[io] = s
            s += block[io, 63]
        for io in par(0, n / 64):
            for ii in seq(0, 64):
                y[64 * io + ii] = start[io] + block[io, ii]
        for ii in seq(0, n % 64):
            s += x[ii + n / 64 * 64]
            y[ii + n / 64 * 64] = s
        """,
    )


def test_a_tree_goes_on_to_the_last_step() -> None:
    p = parse("""
        def f(x: i32[2, 11]):
            for j in seq(1, 11):
                x[1, j] += x[1, j - 1]
        """)
    q = tree_scan(p, "j")
    assert_equivalent(p, q)
    assert [str(q).count(f"x[1, j - {step}]") for step in (1, 2, 4, 8, 16)] == [1, 1, 1, 1, 0]


def test_refusals_say_which_function_was_asked() -> None:
    with pytest.raises(SchedulingError, match=": scan_in_blocks: block_scan: the value reads s"):
        scan_in_blocks(scan("s += x[i] * s"), "i", 4)
    with pytest.raises(SchedulingError, match=": tree_scan: recursive_doubling: the loop is to have one reduction"):
        tree_scan(scan("s += x[i]"), "i")
    with pytest.raises(SchedulingError, match=": parallel_scan: parallelize_loop: "):
        parallel_scan(
            parse("""
            def f(n: size, x: f32[n], y: f32[1], s: f32):
                for i in seq(0, n):
                    s += x[i]
                    y[0] = s
            """),
            "i",
            4,
        )


def test_a_block_without_steps_is_refused_and_named() -> None:
    with pytest.raises(SchedulingError, match="scan_in_blocks: factor must be at least 2, not 1: a block of one element"):
        scan_in_blocks(scan("s += x[i]"), "i", 1)
    with pytest.raises(SchedulingError, match="parallel_scan: factor must be at least 1, not 0"):
        parallel_scan(scan("s += x[i]"), "i", 0)
