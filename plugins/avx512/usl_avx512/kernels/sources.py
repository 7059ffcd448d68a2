"""What kernels are made from, as one digest: when it changes, they are scheduled and compiled again."""

from __future__ import annotations

import functools
import hashlib
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("usl_core", "usl_c11", "usl_avx512")
SUFFIXES = (".py", ".c", ".h")


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
