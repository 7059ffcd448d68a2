"""Kernels from the build cache: scheduled and compiled again only when what they are made from changes."""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from usl_core.errors import JitError

if TYPE_CHECKING:
    from usl_c11.compiler import Compiler
    from usl_c11.emit import Library

PACKAGES = ("usl_core", "usl_stdlib", "usl_c11", "usl_avx512")
SUFFIXES = (".py", ".c", ".h")
FLAGS = ("-fno-math-errno",)
"""Nobody looks at errno after a kernel, and a square root that need not set it is one instruction: `snrm2` of 16 elements takes
a fifth less time."""

_making = threading.RLock()
"""Schedules share procedures that are made once (`functools.cache`), of which two threads that came at once would make two."""


def built_once(name: str, make: Callable[[], Library]) -> Path:
    """The compiled library that make gives the C of, or what any process built under this name from the same sources.

    name says all that make depends on, but for the sources of PACKAGES.

    Raises:
        JitError: the processor has no AVX-512, or there is no C compiler.
    """
    from usl_c11.cache import remembered
    from usl_c11.compiler import find_compiler
    from usl_c11.cpu import listed_features

    compiler, features = find_compiler(), listed_features()
    _require(("avx512f",), compiler)  # before anything is scheduled, which takes seconds
    if features is None:  # nothing says whether a library in the cache would run on this machine
        return _built(make(), compiler)
    parts = ["usl_avx512.kernels", name, sources_digest(), *compiler.command, compiler.version, *sorted(features)]
    with _making:
        return remembered(parts, lambda: _built(make(), compiler))


def _built(lib: Library, compiler: Compiler) -> Path:
    from usl_c11.build import compile_flags
    from usl_c11.cache import compiled

    _require(lib.features, compiler)
    files = {file: text for file, text in lib.files.items() if not file.endswith(".d")}
    return compiled(files, compiler, compile_flags(lib, compiler, FLAGS))


def _require(features: Sequence[str], compiler: Compiler) -> None:
    from usl_c11.cpu import has_feature

    missing = [feature for feature in features if not has_feature(feature, compiler)]
    if missing:
        raise JitError(
            f"this processor lacks {', '.join(missing)}, which the kernels of usl_avx512 need",
            notes=("their C can be had on any machine, to be compiled for another: gemm_library, blas_library, conv_library",),
        )


@functools.cache
def sources_digest() -> str:
    """The digest of all source files of PACKAGES, by name and content."""
    total = hashlib.sha256()
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec is not None and spec.submodule_search_locations is not None
        for root in map(Path, spec.submodule_search_locations):
            for file in sorted(file for file in root.rglob("*") if file.suffix in SUFFIXES):
                total.update(f"{package}/{file.relative_to(root).as_posix()}\0".encode())
                total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()
