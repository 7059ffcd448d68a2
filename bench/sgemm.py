"""SGEMM: C += A * B in single precision, checked element by element, timed against plain C, NumPy's BLAS and the FMA peak."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bench.blas import BlasChild
from bench.measure import Ratio, Timings, take_turns, timed
from bench.native import PLAIN, native
from bench.peak import PeakProbe
from usl_avx512.cpu import cpu_features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from usl_core import Procedure

    Matrix = NDArray[np.float32]

Kernel = Callable[..., object]
"""Called with M, N, K, A, B, C."""

ODD_SHAPE = (1021, 1013, 1009)
"""M, N, K that fill no tile."""
SLOW_ROUNDS = 2
"""Rounds of the plain loops, which take as long as a hundred runs of the others."""
UNSCHEDULED, SCHEDULED, BLAS = "unscheduled C, -O3", "scheduled C", "NumPy BLAS, one thread"


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far results are from the exact product, as a fraction of what the error bound allows; above 1 is wrong."""

    elements: int
    worst: float

    @property
    def ok(self) -> bool:
        return self.worst <= 1.0


@dataclass(frozen=True, slots=True)
class SgemmReport:
    """GFLOP/s by contestant; the peak is measured before and between the rounds, the largest counts."""

    n: int
    gflops: dict[str, float]
    peak: float
    accuracy: Accuracy
    odd_accuracy: Accuracy
    blas_threads: int
    over_blas: Ratio
    timings: Timings

    @property
    def of_peak(self) -> float:
        return self.gflops[SCHEDULED] / self.peak

    @property
    def problems(self) -> list[str]:
        """What makes these figures wrong or unfair; empty in a good run."""
        found = [
            f"a result is {checked.worst:.2f} times the error bound away from the exact product ({what})"
            for what, checked in (("square matrices", self.accuracy), ("odd sizes", self.odd_accuracy))
            if not checked.ok
        ]
        found += [f"{name} is above the measured peak" for name, rate in self.gflops.items() if rate > self.peak]
        if self.blas_threads != 1:
            found.append(f"NumPy's BLAS ran on {self.blas_threads} threads")
        return found


def matrices(m: int, n: int, k: int) -> tuple[Matrix, Matrix, Matrix]:
    """A, B and C with normally distributed elements, the same in every run."""
    import numpy as np

    random = np.random.default_rng(1024)
    return tuple(random.standard_normal(shape, dtype=np.float32) for shape in ((m, k), (k, n), (m, n)))  # type: ignore[return-value]


def accuracy(kernel: Kernel, m: int, n: int, k: int) -> Accuracy:
    """Run the kernel once and compare every element of C with the product in double precision.

    A sum of k products and a start value, in any order, fused or not, is within gamma(k + 1) * (|A| |B| + |C|) of the exact
    value, gamma(t) = t u / (1 - t u) with u = 2^-24; the reference's own error is the same with u = 2^-53. Reference: Higham,
    Accuracy and Stability of Numerical Algorithms, 2nd edition, section 3.1.
    """
    import numpy as np

    a, b, c = matrices(m, n, k)
    a64, b64, c64 = (x.astype(np.float64) for x in (a, b, c))
    kernel(m, n, k, a, b, c)
    magnitude = np.abs(a64) @ np.abs(b64) + np.abs(c64)
    bound = (gamma(k + 1, 2.0**-24) + gamma(k + 1, 2.0**-53)) * magnitude
    return Accuracy(c.size, float(np.max(np.abs(c - (c64 + a64 @ b64)) / bound)))


def gamma(terms: int, unit: float) -> float:
    return terms * unit / (1 - terms * unit)


def measure(
    unscheduled: Procedure,
    scheduled: Procedure,
    *,
    options: Mapping[str, Any] = MappingProxyType({}),
    n: int = 1024,
    rounds: int = 15,
    slow_rounds: int = SLOW_ROUNDS,
    on_round: Callable[[int], None] = lambda done: None,
) -> SgemmReport:
    """Check the scheduled kernel, then time all contestants in turns on n x n matrices.

    options are those of the scheduled kernel's `jit`. on_round is told how many of rounds + slow_rounds rounds are done.
    """
    kernel, plain = scheduled.jit(**options), native(unscheduled, PLAIN)
    checked, odd = accuracy(kernel, n, n, n), accuracy(kernel, *ODD_SHAPE)
    a, b, c = matrices(n, n, n)
    with PeakProbe(cpu_features()) as probe, BlasChild(n) as blas:
        peaks = [probe.gflops()]

        def after_round(done: int) -> None:
            peaks.append(probe.gflops(repeats=3))
            on_round(done)

        fast = {SCHEDULED: timed(lambda: kernel(n, n, n, a, b, c)), BLAS: blas.seconds}
        timings = take_turns(fast, rounds, on_round=after_round)
    slow = take_turns(
        {UNSCHEDULED: timed(lambda: plain(n, n, n, a, b, c))},
        slow_rounds,
        warm_up=False,
        on_round=lambda done: on_round(rounds + done),
    )
    timings = Timings({**slow.seconds, **timings.seconds})
    rates = {name: 2.0 * n**3 / timings.median(name) / 1e9 for name in timings.seconds}
    return SgemmReport(n, rates, max(peaks), checked, odd, blas.threads, timings.speedup(SCHEDULED, BLAS), timings)
