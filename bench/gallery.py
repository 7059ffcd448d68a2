"""The kernels of docs/gallery.md with their speeds: plain loops, the schedule, and NumPy, on one core, taking turns.

`make bench WHAT=gallery` measures and writes bench/results/gallery.json, and the table into the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import report
from bench.measure import take_turns, timed
from tests.docs.examples import session

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "gallery.md"
PLAIN, OURS, NUMPY = "plain loops", "scheduled", "NumPy"
_TABLE = re.compile(r"(<!-- generated: gallery -->\n).*?(<!-- end -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One row: what it computes, where it is shown, how much work it is, who does it, and what a contestant wrote."""

    name: str
    link: str
    size: str
    work: float
    """Operations or bytes of one call, in units of 10^9."""
    unit: str
    contestants: Mapping[str, Callable[[], object]]
    result: Callable[[], np.ndarray[Any, Any]]


def kernels() -> Iterator[Kernel]:
    """All rows, each made when it is its turn."""
    yield _stencil()
    yield _bytes()
    yield _matrix_product()
    yield _box_blur()
    yield from _vectors()


def _stencil() -> Kernel:
    made = session((DOCS / "tutorial_stencil.md").read_text(encoding="utf-8"))
    n = 1024
    x, y = np.random.default_rng(0).random((n + 2, n + 2), np.float32), np.zeros((n, n), np.float32)
    plain, fast = (made[name].jit(march="native") for name in ("blur", "fast"))

    def numpy() -> None:
        across = x[:, :-2] + x[:, 1:-1] + x[:, 2:]
        y[:] = across[:-2] + across[1:-1] + across[2:]

    work = {PLAIN: lambda: plain(n, n, x, y), OURS: lambda: fast(n, n, x, y), NUMPY: numpy}
    return Kernel("blur in two stages, f32", "tutorial_stencil.md", f"{n} x {n}", 8e-9 * n * n, "GB/s", work, lambda: y)


def _bytes() -> Kernel:
    made = session((DOCS / "tutorial_integers.md").read_text(encoding="utf-8"))
    n = 1 << 16
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-128, 128, n, dtype=np.int8) for _ in range(2))
    out = np.zeros((), np.int32)
    plain, fast = (made[name].jit(march="native") for name in ("dot", "mapped"))

    def call(kernel: Callable[..., Any]) -> Callable[[], None]:
        def work() -> None:
            out[()] = 0
            kernel(n, x, y, out)

        return work

    def numpy() -> None:
        out[()] = np.dot(x.astype(np.int32), y.astype(np.int32))

    work = {PLAIN: call(plain), OURS: call(fast), NUMPY: numpy}
    return Kernel("inner product of bytes", "tutorial_integers.md", f"{n}", 2e-9 * n, "Gop/s", work, lambda: out)


def _matrix_product() -> Kernel:
    from usl_avx512.kernels import sgemm as fast
    from usl_avx512.kernels_algorithms import sgemm

    n = 512
    rng = np.random.default_rng(0)
    a, b = (rng.random((n, n), np.float32) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    plain = sgemm.jit(march="native")

    def cleared(add: Callable[[], object]) -> Callable[[], None]:
        def work() -> None:
            c[:] = 0
            add()

        return work

    loops, ours = cleared(lambda: plain(n, n, n, a, b, c)), cleared(lambda: fast(a, b, c))
    work = {PLAIN: loops, OURS: ours, NUMPY: lambda: np.matmul(a, b, out=c)}
    return Kernel("matrix product, f32", "tutorial.md", f"{n} x {n} x {n}", 2e-9 * n**3, "GFLOP/s", work, lambda: c)


def _box_blur() -> Kernel:
    from usl_avx512.kernels_algorithms import box_blur
    from usl_avx512.schedules import blur_schedule

    n = 1024
    x = np.random.default_rng(0).integers(0, 1 << 16, (n + 2, n + 2), dtype=np.uint16)
    y = np.zeros((n, n), np.uint16)
    plain, fast = box_blur.jit(march="native"), blur_schedule(box_blur).jit(march="native")

    def numpy() -> None:
        wide = x.astype(np.uint32)
        across = wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]
        y[:] = (across[:-2] + across[1:-1] + across[2:]) // 9

    work = {PLAIN: lambda: plain(n, n, x, y), OURS: lambda: fast(n, n, x, y), NUMPY: numpy}
    return Kernel("box blur, u16", "operators.md", f"{n} x {n}", 4e-9 * n * n, "GB/s", work, lambda: y)


def _vectors() -> Iterator[Kernel]:
    from usl_avx512 import kernels as blas

    n = 1 << 14
    rng = np.random.default_rng(0)
    x, y, out = rng.random(n, np.float32), rng.random(n, np.float32), np.zeros((), np.float32)
    matrix, short = rng.random((512, 512), np.float32), rng.random(512, np.float32)
    product = np.zeros(512, np.float32)

    def ours() -> None:
        out[()] = blas.sdot(x, y)

    def numpy() -> None:
        out[()] = np.dot(x, y)

    yield Kernel("inner product, f32", "blas.md", f"{n}", 2e-9 * n, "GFLOP/s", {OURS: ours, NUMPY: numpy}, lambda: out)
    gemv = {OURS: lambda: blas.sgemv(1.0, matrix, short, 0.0, product), NUMPY: lambda: np.matmul(matrix, short, out=product)}
    yield Kernel("matrix times vector, f32", "blas.md", "512 x 512", 2e-9 * 512**2, "GFLOP/s", gemv, lambda: product)


def measure(rounds: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows with the median seconds of each contestant, and those whose results differ."""
    rows, wrong = [], []
    for kernel in kernels():
        results = []
        for work in kernel.contestants.values():
            work()
            results.append(np.array(kernel.result(), dtype=np.float64))
        if not all(np.allclose(results[0], each, rtol=1e-3) for each in results):
            wrong.append(f"{kernel.name}: the contestants do not agree")
        timings = take_turns({name: timed(work) for name, work in kernel.contestants.items()}, rounds)
        seconds = {name: timings.median(name) for name in kernel.contestants}
        row = {"name": kernel.name, "link": kernel.link, "size": kernel.size, "work": kernel.work, "unit": kernel.unit}
        rows.append(row | {"seconds": seconds})
        print(f"{kernel.name:28}", {name: f"{1e3 * each:.3f} ms" for name, each in seconds.items()})
    return rows, wrong


def markdown(rows: list[dict[str, Any]], machine: Mapping[str, Any], when: str) -> str:
    """The table of the page."""
    lines = [f"{machine['cpu']}, {machine['compiler']}, Python {machine['python']}, {when}; one core.", ""]
    lines += ["| kernel | size | plain loops | scheduled | NumPy |", "|---|---|---:|---:|---:|"]
    for row in rows:
        shown = [_shown(row, name) for name in (PLAIN, OURS, NUMPY)]
        lines.append(f"| [{row['name']}]({row['link']}) | {row['size']} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _shown(row: Mapping[str, Any], name: str) -> str:
    seconds = row["seconds"].get(name)
    return "" if seconds is None else f"{1e3 * seconds:.3f} ms, {row['work'] / seconds:.1f} {row['unit']}"


def run(rounds: int) -> tuple[dict[str, Any], list[str]]:
    """Measure, and write the table into the page."""
    from datetime import UTC, datetime

    rows, wrong = measure(rounds)
    table = markdown(rows, report.machine(), datetime.now(UTC).date().isoformat())
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda found: found[1] + table + found[2], page), encoding="utf-8")
    return {"rows": rows}, wrong
