"""The arithmetic of benchmarks: confidence bounds, taking turns, and a BLAS that nobody slows down."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from bench.blas import BlasChild, clean_environment
from bench.blur import wrong_pixels
from bench.measure import Timings, lower_rank, take_turns
from bench.pictures import scipy_blur
from bench.sgemm import Accuracy, SgemmReport, accuracy, gamma


@pytest.mark.parametrize("n", [5, 9, 15, 25, 101])
def test_the_lower_bound_of_a_median_is_the_highest_that_has_the_confidence(n: int) -> None:
    def below(k: int) -> float:
        return sum(math.comb(n, i) for i in range(k + 1)) / 2**n

    k = lower_rank(n)
    assert below(k) <= 0.05 < below(k + 1)


def test_too_few_rounds_give_the_smallest_value_as_bound() -> None:
    assert [lower_rank(n) for n in (1, 2, 3, 4)] == [0, 0, 0, 0]


def test_the_lower_bound_covers_the_true_median_as_often_as_it_says() -> None:
    source = random.Random(7)
    hits = 0
    for _ in range(2000):
        sample = sorted(source.expovariate(1.0) for _ in range(15))
        hits += sample[lower_rank(15)] <= math.log(2)
    assert hits >= 0.94 * 2000


def test_a_speedup_is_the_median_of_ratios_within_rounds() -> None:
    timings = Timings({"slow": (4.0, 8.0, 6.0), "fast": (2.0, 2.0, 2.0)})
    ratio = timings.speedup("fast", over="slow")
    assert (ratio.median, ratio.lower95) == (3.0, 2.0)


def test_contestants_take_turns_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def contestant(name: str) -> float:
        order.append(name)
        return float(len(order))

    timings = take_turns({"a": lambda: contestant("a"), "b": lambda: contestant("b")}, 2)
    assert order == ["a", "b", "a", "b", "b", "a"]
    assert timings.seconds == {"a": (3.0, 6.0), "b": (4.0, 5.0)}


def test_without_warm_up_every_round_counts() -> None:
    values = iter([5.0, 3.0])
    seen: list[int] = []
    timings = take_turns({"a": lambda: next(values)}, 2, warm_up=False, on_round=seen.append)
    assert timings.seconds == {"a": (5.0, 3.0)} and seen == [1, 2]


def test_the_blas_process_sees_no_settings_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "8")
    monkeypatch.setenv("MKL_NUM_THREADS", "8")
    environment = clean_environment()
    assert not [name for name in environment if name.startswith(("OPENBLAS_", "MKL_"))]
    assert environment["OMP_NUM_THREADS"] == "1"


def test_the_blas_process_runs_on_one_thread_and_answers() -> None:
    with BlasChild(64) as blas:
        assert blas.threads == 1
        assert blas.seconds() > 0


def test_a_figure_above_the_peak_or_a_wrong_result_is_a_problem() -> None:
    nothing = Timings({"scheduled C": (1.0,), "NumPy BLAS, one thread": (1.0,)})
    ratio = nothing.speedup("scheduled C", "NumPy BLAS, one thread")

    def report(rate: float, worst: float, threads: int) -> SgemmReport:
        good = Accuracy(64, 0.5)
        return SgemmReport(8, {"scheduled C": rate}, 100.0, Accuracy(64, worst), good, threads, ratio, nothing)

    assert report(99.0, 0.5, 1).problems == []
    assert "above the measured peak" in report(101.0, 0.5, 1).problems[0]
    assert "error bound" in report(99.0, 1.5, 1).problems[0]
    assert "8 threads" in report(99.0, 0.5, 8).problems[0]


def test_gamma_is_close_to_the_number_of_roundings_times_the_unit() -> None:
    assert 1024 * 2.0**-24 < gamma(1024, 2.0**-24) < 1024 * 2.0**-24 * (1 + 1e-4)


def exact_product(m: int, n: int, k: int, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    c += (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


def test_one_wrong_element_of_a_product_is_outside_the_error_bound() -> None:
    def slightly_wrong(m: int, n: int, k: int, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        exact_product(m, n, k, a, b, c)
        c[m - 1, n // 2] += np.float32(1e-3)

    good, bad = accuracy(exact_product, 40, 50, 60), accuracy(slightly_wrong, 40, 50, 60)
    assert good.ok and good.elements == 2000
    assert not bad.ok


def test_one_wrong_pixel_is_counted() -> None:
    pytest.importorskip("scipy")
    pixels = np.random.default_rng(3).integers(0, 65535, (9, 21), np.uint16, endpoint=True)

    def off_by_one(h: int, w: int, source: np.ndarray, result: np.ndarray) -> None:
        result[:] = scipy_blur(source)[1:-1, 1:-1]
        result[4, 5] += np.uint16(1)

    assert wrong_pixels(off_by_one, pixels) == 1
