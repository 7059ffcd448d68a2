"""Ways to run AVX-512 code in tests: natively, or through SIMDe (Debian's libsimde-dev) on any processor."""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from usl_avx512.cpu import has_avx512
from usl_avx512.emulation import SHIM
from usl_c11.backend import C11
from usl_core import Procedure, probe

HOW = ("native", "simde")
FEATURES = ("avx", "avx512f", "avx512bw", "avx512vl")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CC", "cc"))


def require(how: str) -> None:
    """Skip the test where this machine cannot run AVX-512 code in this way."""
    if how == "native" and not has_avx512():
        pytest.skip("this processor has no AVX-512 (F, BW and VL)")
    if how == "simde" and not _has_simde():
        pytest.skip("the headers of SIMDe are not installed")


def _has_simde() -> bool:
    if probe.hidden("simde"):
        return False
    command = [*compiler(), "-fsyntax-only", "-x", "c", "-"]
    return subprocess.run(command, input="#include <simde/x86/avx512.h>\n", capture_output=True, text=True).returncode == 0


def flags_of(how: str, features: Sequence[str] = FEATURES) -> list[str]:
    """What makes a compiler accept the C: all warnings for what we generate, none for the headers of SIMDe."""
    if how == "native":
        return [*WARNINGS, *(f"-m{feature}" for feature in features)]
    emulation = ["-DSIMDE_ENABLE_NATIVE_ALIASES", "-DSIMDE_NO_NATIVE", f"-I{SHIM}", "-w"]
    return [*emulation, *(f"-D__{feature.upper()}__" for feature in features)]


def shared_library(source: Path, how: str, features: Sequence[str] = FEATURES) -> ctypes.CDLL:
    """Compile one C file and load it."""
    output = source.with_name(f"{source.stem}_{how}.so")
    flags = ["-std=c11", "-O1", "-ffp-contract=off", "-shared", "-fPIC", *flags_of(how, features)]
    done = subprocess.run([*compiler(), *flags, str(source), "-o", str(output)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(output))


def kernel(procedure: Procedure, how: str, directory: Path) -> Callable[..., None]:
    """The procedure's C, compiled in this way, as a function of sizes and NumPy arrays."""
    require(how)
    if how == "native":
        native: Callable[..., None] = procedure.jit()
        return native
    name = procedure.name()
    for file, text in C11().emit([procedure.ir], name).items():
        (directory / file).write_text(text, encoding="utf-8")
    function = shared_library(directory / f"{name}.c", how)[name]

    def call(*arguments: int | np.ndarray) -> None:
        values = [ctypes.c_int64(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data) for a in arguments]
        assert function(*values) == 0

    return call


def silent(compiler_name: str, source: Path, features: Sequence[str] = FEATURES) -> str:
    """What a compiler says about a generated file, optimised so that it looks at the flow of data too."""
    if probe.program(compiler_name) is None:
        pytest.skip(f"{compiler_name} is not installed")
    flags = ["-std=c11", "-O3", *flags_of("native", features)]
    command = [compiler_name, *flags, "-c", str(source), "-o", str(source.with_suffix(".o"))]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr
