"""The C programs beside the tests that run a library's entries on many operands: how they are built and run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from avx512_build import FEATURES, compiler

from usl_avx512.conv import Shape, blocking_of
from usl_avx512.kernels.blas_library import WHOLE, blas_path, entry_name
from usl_avx512.kernels.conv import conv_path, flattened, symbol
from usl_avx512.kernels.level3_library import gemm_path

HERE = Path(__file__).parent
AS_USED: tuple[str, ...] = ()
"""The library as users get it; other flags compile its C again."""
SANITIZED = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
PRECISIONS = {
    "s": ("-DREAL=float", "-DEXACT=double", "-DEPSILON=0x1p-24"),
    "d": ("-DREAL=double", "-DEXACT=long double", "-DEPSILON=0x1p-53"),
}
"""What a driver is told of the elements: their type, that of the reference, the unit roundoff."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution of images (N, H_in, W_in, IC) with weights (KH, KW, IC, OC)."""

    images: tuple[int, int, int, int]
    window: tuple[int, int, int, int]
    stride: int
    relu: bool


def build(driver: str, path: Path, name: str, directory: Path, defines: Sequence[str], flags: Sequence[str]) -> Path:
    """The program of a driver with a library, or with its C, called name, which lies beside it."""
    program = directory / "driver"
    sources = [str(HERE / driver), str(path.with_name(f"{name}.c") if flags else path)]
    options = [
        *(f"-m{feature}" for feature in (*FEATURES, "fma")),
        *(flags or ("-O2", f"-Wl,-rpath,{path.parent}")),
        *defines,
        f'-DHEADER="{name}.h"',
        f"-I{path.parent}",
    ]
    command = [*compiler(), "-std=c11", *options, *sources, "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def gemm(name: str, directory: Path, flags: Sequence[str] = AS_USED) -> Path:
    """The program of gemm_driver.c for usl_sgemm or usl_dgemm."""
    return build("gemm_driver.c", gemm_path(name), name, directory, (*PRECISIONS[name[4]], f"-DGEMM={name}"), flags)


def blas(letter: str, directory: Path, flags: Sequence[str] = AS_USED) -> Path:
    """The program of blas_driver.c in a precision."""
    name, defines = entry_name(WHOLE, letter), (*PRECISIONS[letter], f"-DP={letter}")
    return build("blas_driver.c", blas_path(WHOLE, letter), name, directory, defines, flags)


def conv(layer: Layer, directory: Path, flags: Sequence[str] = AS_USED) -> tuple[Path, list[str]]:
    """The program of conv_driver.c for a layer, and its arguments."""
    (count, height, width, _), (kh, kw, ic, oc) = layer.images, layer.window
    rows, columns = (height - kh) // layer.stride + 1, (width - kw) // layer.stride + 1
    shape = flattened(Shape(rows, columns, oc, height, width, ic, kh, kw, layer.stride, layer.relu))
    name = symbol(shape)
    program = build("conv_driver.c", conv_path(shape), name, directory, ("-DREAL=float", f"-DCONV={name}"), flags)
    arguments = (count, height, width, ic, kh, kw, oc, layer.stride, int(layer.relu), blocking_of(kh, kw, ic, oc).channels)
    return program, list(map(str, arguments))


def execute(program: Path, *arguments: str) -> None:
    """Run a driver; what it says is part of the failure if its status is not 0."""
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
