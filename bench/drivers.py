"""`python -m bench.drivers [gemm] [blas] [conv]`: the C drivers of the tests on all small sizes, with and without sanitizers.

What the tests do for a choice of sizes (plugins/avx512/tests/*_driver.c, which say what is checked): matrix products with M, N
and K from 0 to 70; BLAS 1 and 2 with all vectors up to 300 and all matrices up to 130 in both directions; convolutions of a
grid of shapes, each scheduled and compiled by itself. Minutes each; exit status 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import run

sys.path.insert(0, str(Path(__file__).parents[1] / "plugins" / "avx512" / "tests"))

import avx512_drivers as drivers


def compiled(build: Callable[..., Path], name: str, runs: Sequence[Sequence[str]], few: Sequence[Sequence[str]]) -> int:
    """Run a driver with each list of arguments, and a sanitized one with those of few; how many runs failed."""
    failed = 0
    for flags, chosen in ((drivers.AS_USED, runs), (drivers.SANITIZED, few)):
        with tempfile.TemporaryDirectory() as folder:
            program = build(name, Path(folder), flags)
            for arguments in chosen:
                print(name, *flags[:2], *arguments[:2], end=": ", flush=True)
                failed += run([str(program), *arguments], check=False).returncode != 0
    return failed


def gemm() -> int:
    every = ",".join(map(str, range(71)))
    runs, few = [("list", every), ("random", "40", "1300")], [("list", "0,1,3,7,16,17,31,33,64,70"), ("random", "5", "700")]
    return sum(compiled(drivers.gemm, name, runs, few) for name in ("usl_sgemm", "usl_dgemm"))


def blas() -> int:
    runs = [("vectors", "300"), ("matrices", "130"), ("random", "300", "500"), ("overlap", "2000000")]
    few = [("vectors", "100"), ("matrices", "70"), ("random", "40", "300"), ("overlap", "100000")]
    return sum(compiled(drivers.blas, letter, runs, few) for letter in "sd")


def layers() -> Iterator[drivers.Layer]:
    """Windows and strides with numbers of channels on both sides of registers and blocks, on images with pixels left over."""
    for (kh, kw), stride in itertools.product(((1, 1), (3, 3), (2, 5)), (1, 2, 3)):
        for number, (ic, oc) in enumerate(((1, 1), (3, 17), (7, 33), (16, 64), (17, 75), (32, 16))):
            height, width = kh + (number * 3) % 7, kw + 4 + number * 5
            yield drivers.Layer((1 + number % 2, height, width, ic), (kh, kw, ic, oc), stride, number % 3 > 0)


def conv() -> int:
    failed = 0
    for layer in layers():
        for flags in (drivers.AS_USED, drivers.SANITIZED):
            with tempfile.TemporaryDirectory() as folder:
                program, arguments = drivers.conv(layer, Path(folder), flags)
                print(layer, *flags[:1], end=": ", flush=True)
                failed += run([str(program), *arguments], check=False).returncode != 0
    return failed


ALL = {"gemm": gemm, "blas": blas, "conv": conv}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.drivers")
    parser.add_argument("what", nargs="*", choices=[*ALL, []], help="all, if none is named")
    chosen = parser.parse_args(arguments).what or list(ALL)
    failed = sum(ALL[name]() for name in chosen)
    print(f"{failed} runs failed")
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
