"""What is measured: each program with its data, how results are compared, and what no program can be faster than."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Data = Callable[[np.random.Generator], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Case:
    """A program on data of one size. `work` are the operations of one kind per run, `moved` the bytes read and written once."""

    name: str
    title: str
    module: str
    function: str
    data: Data
    goal: float
    work: float = 0
    moved: float = 0
    tolerance: float = 1e-4
    peer: str = ""
    """The name that peers have for it, if it is another."""

    @property
    def known_as(self) -> str:
        """The name that peers have for it."""
        return self.peer or self.name

    def program(self) -> Any:
        """The function."""
        return getattr(self.source(), self.function)

    def source(self) -> Any:
        """The module that has it."""
        return importlib.import_module(self.module)


def _f32(rng: np.random.Generator, *shape: int, low: float = 0, high: float = 1) -> Any:
    return rng.uniform(low, high, shape).astype(np.float32)


def _options(rng: np.random.Generator) -> Sequence[Any]:
    n = 1 << 20
    return _f32(rng, n, low=5, high=30), _f32(rng, n, low=1, high=100), _f32(rng, n, low=0.25, high=10), 0.02, 0.3


def _systems(rng: np.random.Generator) -> Sequence[Any]:
    n, m = 8192, 256
    a, c, d = (_f32(rng, n, m, low=-1) for _ in range(3))
    return a, _f32(rng, n, m, low=3, high=4), c, d


def _chip(rng: np.random.Generator) -> Sequence[Any]:
    return _f32(rng, 1024, 1024, low=323, high=341), _f32(rng, 1024, 1024), 20, 0.5, 0.1, 0.1, 0.01


def _clusters(rng: np.random.Generator) -> Sequence[Any]:
    points = _f32(rng, 65536, 16)
    return points, points[:64].copy(), 5


def _places(rng: np.random.Generator) -> Sequence[Any]:
    n = 1_000_000
    return _f32(rng, n, high=90), _f32(rng, n, high=180), 30.0, 90.0, 10


def _directions(rng: np.random.Generator) -> Sequence[Any]:
    return 1 << 20, rng.integers(0, 1 << 32, (8, 32), dtype=np.uint32)


def _square(rng: np.random.Generator) -> Sequence[Any]:
    return _f32(rng, 1024, 1024), _f32(rng, 1024, 1024)


def _stack(rng: np.random.Generator) -> Sequence[Any]:
    return (_f32(rng, 64, 256, 256, low=0.98, high=1.02),)


def _signed(rng: np.random.Generator) -> Sequence[Any]:
    return (rng.standard_normal(4_000_000).astype(np.float32),)


def _bodies(rng: np.random.Generator) -> Sequence[Any]:
    return tuple(_f32(rng, 4096) for _ in range(4))


def _locvol(strikes: int, n: int, m: int, times: int) -> Data:
    def data(rng: np.random.Generator) -> Sequence[Any]:
        from examples.arrays.locvol import locvol_data

        return locvol_data(strikes, n, m, times, rng)

    return data


def _interest(rng: np.random.Generator) -> Sequence[Any]:
    from examples.arrays.interest import interest_data

    return interest_data(16384, 128, 6)


def _gas(rng: np.random.Generator) -> Sequence[Any]:
    from examples.arrays.cfd import cfd_data

    return cfd_data(97_000, 10)


def _cells(rng: np.random.Generator) -> Sequence[Any]:
    from examples.arrays.myocyte import myocyte_data

    return myocyte_data(1024, 1000)


def _asian(rng: np.random.Generator) -> Sequence[Any]:
    from examples.arrays.options import asian_data

    return asian_data(1.0, 0.05, 0.2, 100.0, 100.0)


def _case(name: str, title: str, function: str, data: Data, goal: float, **options: Any) -> Case:
    module = options.pop("module", f"examples.arrays.{name}")
    return Case(name, title, module, function, data, goal, **options)


KMEANS = 5 * 65536 * 64 * 16 * 3
NBODY = 20 * 4096**2
LOCVOL = {"module": "examples.arrays.locvol", "peer": "locvol"}
FIG7 = "examples.arrays.fig7"
CASES: Sequence[Case] = (
    _case("matmul", "matrix product, 1024, f32", "matmul", _square, 1.8, work=2 * 1024**3),
    _case("floyd", "Floyd's shortest paths, 512, f32", "floyd", lambda r: (_f32(r, 512, 512, high=100),), 3, work=2 * 512**3),
    _case("fig7", "figure 7, all, 64x256x256, f32", "every", _stack, 1.2, moved=4 * 64 * 65536),
    _case("fig7_index", "figure 7, one of 64", "fifth", _stack, 20, moved=4 * 65536, module=FIG7),
    _case("sobol", "Sobol, 1M x 8, u32", "sobol", _directions, 5, moved=32 << 20),
    _case("black_scholes", "Black-Scholes, 1M, f32", "black_scholes", _options, 1, moved=16 << 20),
    _case("asian", "option pricing whole, 1M paths x 8, f32", "asian", _asian, 1.5, module="examples.arrays.options"),
    _case("tridag", "tridiagonal systems, 8192x256, f32", "tridag", _systems, 2, moved=20 * 8192 * 256),
    _case("locvol", "LocVolCalib small, 16 of 32x256, 256 times", "locvol", _locvol(16, 32, 256, 256), 2),
    _case("locvol_medium", "LocVolCalib medium, 128 of 256x32, 64 times", "locvol", _locvol(128, 256, 32, 64), 2, **LOCVOL),
    _case("locvol_large", "LocVolCalib large, 256 of 256x256, 64 times", "locvol", _locvol(256, 256, 256, 64), 2, **LOCVOL),
    _case("interest", "InterestCalib, 16,384 paths, 6x128 candidates, f32", "calibrated", _interest, 1.5, tolerance=2e-3),
    _case("cfd", "CFD, 97,000 cells, 10 steps, f32", "cfd", _gas, 1.5),
    _case("myocyte", "Myocyte, 1,024 cells, 1,000 steps, f32", "myocyte", _cells, 1.5, tolerance=2e-3),
    _case("hotspot", "HotSpot, 1024x1024, 20 steps, f32", "hotspot", _chip, 5, work=20 * 14 * 1024**2),
    _case("kmeans", "k-means, 65,536x16, 64, 5 rounds, f32", "kmeans", _clusters, 4, work=KMEANS, tolerance=2e-3),
    _case("nn", "nearest 10 of 1M, f32", "nn", _places, 2, moved=8e6),
    _case("mandelbrot", "Mandelbrot, 1024x768, 255", "mandelbrot", lambda r: (1024, 768, 255), 6),
    _case("filtered", "filter, 4M, half kept, f32", "positive", _signed, 4, moved=24e6),
    _case("scanned", "scan, 4M, f32", "sums", lambda r: (_f32(r, 4_000_000),), 1.5, moved=32e6, tolerance=2e-3),
    _case("nbody", "n-body, 4096, f32", "accelerations", _bodies, 1.5, work=NBODY),
)  # fmt: skip
