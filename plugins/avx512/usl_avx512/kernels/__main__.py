"""Build kernels before they are first called: `python -m usl_avx512.kernels sgemm saxpy`; without names, all but convolutions.

A convolution has a library for each shape; `usl_avx512.kernels.conv.conv_path` builds one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from usl_avx512.kernels.blas_library import KERNELS, TYPES, blas_path, entry_name
from usl_avx512.kernels.level3_library import VARIANTS, gemm_path
from usl_avx512.kernels.short_library import ENTRIES, short_path
from usl_core.errors import UslError


def builders() -> dict[str, Callable[[], Path]]:
    """What builds each routine, or finds it in the build cache, by the routine's name."""
    products = {name: partial(gemm_path, name) for name in VARIANTS}
    routines = {entry_name(routine, letter): partial(blas_path, routine, letter) for letter in TYPES for routine in KERNELS}
    short = {name: partial(short_path, name) for name in ENTRIES}
    return {name.removeprefix("usl_"): build for name, build in (products | short | routines).items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds kernels from the command line; the exit status."""
    known = builders()
    parser = argparse.ArgumentParser("python -m usl_avx512.kernels", description="Build kernels before they are first called.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; all if there is none")
    names = parser.parse_args(arguments).names or list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no routine is called {', '.join(unknown)}; there are {', '.join(known)}")
    for name in names:
        print(f"{name} ...", end=" ", flush=True)
        start = time.monotonic()
        try:
            known[name]()
        except UslError as error:
            print(f"\n{error}", file=sys.stderr)
            return 1
        print(f"{time.monotonic() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
