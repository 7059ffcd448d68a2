"""Which operators a module of the kernel serves, for the fuzzer."""

from __future__ import annotations

import ast
from functools import cache

from tests.mutation.kernel import PACKAGE, kernel_modules, path_of


def operators_of(module: str) -> list[str]:
    """The operators whose module is module or imports it, directly or not; every one for a module of the analysis."""
    if not module.startswith("primitives."):
        return []
    found, open_modules = {module}, [module]
    while open_modules:
        current = open_modules.pop()
        new = {user for user in kernel_modules() if current in _imports(user)} - found
        found |= new
        open_modules += new
    return sorted(name.rpartition(".")[2] for name in found)


@cache
def _imports(module: str) -> frozenset[str]:
    tree = ast.parse(path_of(module).read_text(encoding="utf-8"))
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return frozenset(name.removeprefix(f"{PACKAGE}.") for name in named)
