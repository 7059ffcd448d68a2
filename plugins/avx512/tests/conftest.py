"""`library` runs the C template of an instruction by itself, on buffers given as NumPy arrays."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # helpers beside the tests

from avx512_build import HOW, require, shared_library
from avx512_templates import source

from usl_avx512 import isa, kernels_int
from usl_avx512.kernels import blas_library
from usl_core import Procedure


def compile_instructions(instructions: Sequence[Procedure], directory: Path, how: str) -> ctypes.CDLL:
    """All wrappers in one shared library, built with just the features the instructions name."""
    features = sorted({f for i in instructions if i.ir.instr is not None for f in i.ir.instr.features})
    file = directory / "instructions.c"
    file.write_text(source(instructions), encoding="utf-8")
    return shared_library(file, how, features)


class Library:
    """The compiled wrappers of all instructions."""

    def __init__(self, directory: Path, how: str) -> None:
        self._library = compile_instructions((*isa.instructions("basics"), *kernels_int.INSTRUCTIONS), directory, how)

    def call(self, instruction: Procedure, values: Sequence[int | np.ndarray]) -> None:
        """Execute the template on values, one per formal; arrays are changed in place."""
        function = self._library[f"run_{instruction.name()}"]
        function.restype = None
        function(*(ctypes.c_int64(v) if isinstance(v, int) else ctypes.c_void_p(v.ctypes.data) for v in values))


@pytest.fixture(scope="session", params=HOW)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    require(request.param)
    return Library(tmp_path_factory.mktemp("instructions"), request.param)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A build cache of its own for each test run, which its processes share: each kernel is scheduled and compiled once."""
    run = tmp_path_factory.getbasetemp()
    run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("USL_CACHE_DIR", str(run / "build-cache"))
        yield


@pytest.fixture(scope="module")
def one_library() -> Iterator[None]:
    """The routines of BLAS come from one library for each precision, so that each kernel is scheduled and compiled once."""
    path = blas_library.blas_path
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blas_library, "blas_path", lambda routine, letter: path(blas_library.WHOLE, letter))
        yield
