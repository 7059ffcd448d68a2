"""Every public function, class and method says what it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [
    "usl_core",
    "plugins/avx512/usl_avx512",
    "plugins/c11/usl_c11",
    "plugins/conformance/usl_conformance",
    "plugins/gemmini/usl_gemmini",
    "plugins/halide_lib/usl_halide_lib",
    "plugins/perceus/usl_perceus",
    "plugins/stdlib/usl_stdlib",
]

Named = ast.FunctionDef | ast.ClassDef


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Named]]:
    """The public definitions in a list of statements, those of classes with the class's name before them."""
    for node in body:
        if isinstance(node, Named) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}{node.name}.")


def is_kernel(node: Named) -> bool:
    """Whether a definition is in the object language, or one of several signatures."""
    decorators = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
    return bool(decorators & {"proc", "instr", "config", "overload"})


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_a_docstring(package: str) -> None:
    silent = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for name, node in public(ast.parse(path.read_text(encoding="utf-8")).body)
        if not is_kernel(node) and ast.get_docstring(node) is None
    ]
    assert silent == [], "\n".join(silent)
