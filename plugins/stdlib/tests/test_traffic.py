"""traffic: how often loops run, what an iteration touches, what moves; as numbers and as a table."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core import Procedure, SchedulingError, divide_loop, proc_from_source, reorder_loops
from usl_stdlib import touched, traffic
from usl_stdlib.memory_traffic import LoopTraffic

GEMM = """
    def gemm(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f64[M, N]):
        for i in seq(0, M):
            for j in seq(0, N):
                for k in seq(0, K):
                    C[i, j] += f64(A[i, k] * B[k, j])
"""


def row_text(row: LoopTraffic) -> list[str]:
    return [f"{each.buffer} {each.elements} {each.reads} {each.writes} {moved}" for each, moved in zip(row.touched, row.moved)]  # noqa: B905


def test_each_loop_of_a_matrix_product_has_its_amounts() -> None:
    found = traffic(parse(GEMM))
    assert [str(row.iterations) for row in found.rows] == ["1", "M", "M * N", "K * M * N"]
    assert row_text(found["i"]) == [
        "A K K * N 0 K * M",
        "B K * N K * N 0 K * M * N",
        "C N K * N K * N M * N",
    ]
    assert row_text(found["k"]) == ["A 1 1 0 K * M * N", "B 1 1 0 K * M * N", "C 1 1 1 K * M * N"]
    assert str(found["i"].working_set) == "4 * K * N + 8 * N + 4 * K"
    assert found["i"].working_set.at(M=1, N=64, K=128).value.value() == 4 * 128 * 64 + 4 * 128 + 8 * 64


def test_tiling_shows_in_the_traffic() -> None:
    p = parse(GEMM).add_assertion("M % 6 == 0").add_assertion("N % 64 == 0")
    p = divide_loop(p, "i", 6, ["io", "ii"], perfect=True)
    p = divide_loop(p, "j", 64, ["jo", "ji"], perfect=True)
    p = reorder_loops(p, "ii jo")
    found = traffic(p)
    assert row_text(found["jo"]) == [
        "A 6 * K 384 * K 0 (K * M * N) / 64",
        "B 64 * K 384 * K 0 (K * M * N) / 6",
        "C 384 384 * K 384 * K M * N",
    ]
    assert found.at(M=12, N=128, K=5)["jo"].moved[1].value.value() == 5 * 12 * 128 // 6


def triangle() -> Procedure:
    return parse("""
        def f(n: size, x: f32[n, n], s: f32):
            for i in seq(0, n):
                for j in seq(0, i + 1):
                    s += x[i, j]
    """)


def test_triangles_are_summed_exactly() -> None:
    row = traffic(triangle())["j"]
    assert (str(row.iterations), row.iterations.exact) == ("(n**2 + n) / 2", True)
    assert row.iterations.at(n=7).value.value() == 28


@pytest.mark.parametrize("n", range(1, 14))
def test_what_runs_under_a_condition_is_an_upper_bound(n: int) -> None:
    p = divide_loop(triangle(), "i", 4, ["io", "ii"], tail="guard")
    row = traffic(p)["j"]
    assert not row.iterations.exact and str(row.iterations).startswith("<= ")
    exact = n * (n + 1) // 2
    assert exact <= row.iterations.at(n=n).value.value() <= exact + 4 * (n + 4)


@pytest.mark.parametrize("n", range(1, 20))
def test_a_loop_whose_end_is_a_minimum_is_bounded(n: int) -> None:
    p = parse("""
        def f(n: size, x: f32[n]):
            for io in seq(0, (n + 3) / 4):
                for ii in seq(0, min(4, n - 4 * io)):
                    x[4 * io + ii] = 0.0
    """)
    (found,) = touched(p)
    assert repr(found) == f"<{found.bounds}: {found.elements} elements, {found.reads} reads, {found.writes} writes>"
    assert str(found.bounds) == "x[0:n]"
    assert n <= found.at(n=n).writes.value.value() <= n + 3


def test_the_table_is_aligned_and_shows_points_as_points() -> None:
    table = str(traffic(triangle())).splitlines()
    assert [line.split() for line in (table[0], table[2])] == [
        "loop iterations bytes touched by one elements reads writes moved by all".split(),
        "(all) 1 4 * n**2 + 4 x[0:n, 0:n] n**2 (n**2 + n) / 2 0 n**2".split(),
    ]
    assert any("x[i, j]" in line for line in table)
    assert len({line.index(word) for line, word in zip(table[2:4], ["x[", "s "], strict=True)}) == 1


def test_a_loop_without_data_has_a_row_all_the_same() -> None:
    p = parse("def f(n: size):\n    for i in seq(0, n):\n        pass\n")
    assert str(traffic(p)).splitlines()[-1].split() == ["i", "n", "0"]


def test_code_that_runs_an_unknown_number_of_times_says_so() -> None:
    from stdlib_config_programs import CFG

    p = proc_from_source(
        "def f(n: size, x: f32[n]):\n    for i in seq(0, max(0, min(Cfg.a, n))):\n        x[i] = 0.0\n", {"Cfg": CFG}
    )
    (found,) = touched(p)
    assert (str(found.bounds), str(found.writes)) == ("x[0:n]", "<= trips(i)")


def test_rows_are_found_by_name_and_R_has_no_bytes() -> None:
    p = parse("def f(n: size, x: R[n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n")
    with pytest.raises(SchedulingError, match="there is no loop z; the loops are i"):
        traffic(p)["z"]
    with pytest.raises(SchedulingError, match="x has elements of type R") as caught:
        _ = traffic(p)["i"].working_set
    assert caught.value.notes == ("hint: set_precision gives it a type with a size",)
