"""The layers of docs/architecture.md: every import under usl_core goes to a row above, or sideways without a cycle."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "usl_core"

ROWS: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "errors profiling deep arguments probe",
        "ir",
        "cursors",
        "analysis",
        "frontend",
        "procedure equivalence",
        "primitives",
        "interp",
        "plugins schedules",
        "scheduling connect",
        "cli",
    )
)
"""From the top; a name is a module or a package of usl_core."""

PUBLIC_API_USERS = frozenset({"cli"})
"""Rows that may import from `usl_core` itself, whose __init__ imports everything else."""

HEAVY = frozenset({"numpy", "scipy", "cffi", "z3"})
HOMES: Mapping[str, tuple[str, ...]] = {
    "numpy": ("usl_core.interp.",),
    "z3": ("usl_core.analysis.solver",),
}
"""Where a heavy library may be imported: modules whose name starts so. The core imports the others nowhere."""


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module as seen from a module of ours. `eager` imports run when the importing module is imported."""

    module: str
    line: int
    eager: bool
    typing_only: bool


@functools.cache
def modules() -> Mapping[str, Path]:
    """Every module of the core by its dotted name."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


@functools.cache
def imports(module: str) -> tuple[Import, ...]:
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    return tuple(_imports(tree, module, eager=True, typing_only=False))


def _imports(node: ast.AST, module: str, *, eager: bool, typing_only: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Import():
                for alias in child.names:
                    yield Import(alias.name, child.lineno, eager, typing_only)
            case ast.ImportFrom():
                for target in _targets(child, module):
                    yield Import(target, child.lineno, eager, typing_only)
            case ast.If() if "TYPE_CHECKING" in ast.unparse(child.test):
                for statement in child.body:
                    block = ast.Module([statement], [])
                    yield from _imports(block, module, eager=False, typing_only=True)
                for statement in child.orelse:
                    yield from _imports(ast.Module([statement], []), module, eager=eager, typing_only=typing_only)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from _imports(child, module, eager=False, typing_only=typing_only)
            case _:
                yield from _imports(child, module, eager=eager, typing_only=typing_only)


def _targets(node: ast.ImportFrom, module: str) -> Iterator[str]:
    """`from a import b` imports a.b if that is a module, else a."""
    base = node.module or ""
    if node.level:
        package = module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]
        anchor = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1])
        base = f"{anchor}.{base}".rstrip(".")
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        yield inner if inner in modules() else base


def row_of(module: str) -> int:
    part = module.split(".")[1]
    return next(index for index, row in enumerate(ROWS) if part in row)


def ours(found: Import) -> bool:
    return found.module == "usl_core" or found.module.startswith("usl_core.")


LAYERED = sorted(set(modules()) - {"usl_core"})  # usl_core/__init__.py may import anything


def test_every_module_of_the_core_belongs_to_a_row():
    known = frozenset().union(*ROWS)
    strangers = {module for module in LAYERED if module.split(".")[1] not in known}
    assert not strangers, f"name the row of {sorted(strangers)} in docs/architecture.md and here"


@pytest.mark.parametrize("module", LAYERED)
def test_a_module_imports_only_from_its_own_row_and_those_above(module):
    wrong = []
    for found in filter(ours, imports(module)):
        if found.module == "usl_core":
            allowed = module.split(".")[1] in PUBLIC_API_USERS
        else:
            allowed = row_of(found.module) <= row_of(module)
        if not allowed:
            wrong.append(f"{modules()[module].relative_to(ROOT)}:{found.line}: imports {found.module}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "+".join(sorted(row)))
def test_the_imports_within_a_row_have_no_cycle(row):
    """Imports inside functions count (a cycle in disguise); those for type checkers only do not."""
    inside = [module for module in LAYERED if module.split(".")[1] in row]
    graph = {
        module: {found.module for found in imports(module) if found.module in inside and not found.typing_only} - {module}
        for module in inside
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(error.args[1]))


JUDGES: Mapping[str, frozenset[str]] = {"interp": frozenset({"analysis", "cursors", "primitives"})}
"""What a package judges it must not run, directly or through other modules: else both are wrong together."""


@pytest.mark.parametrize("judge", JUDGES)
def test_what_judges_the_operators_runs_no_code_that_they_rely_on(judge):
    reached: set[str] = set()
    waiting = [module for module in modules() if module.split(".")[1:2] == [judge]]
    while waiting:
        module = waiting.pop()
        if module in LAYERED and module not in reached:
            reached.add(module)
            waiting += [found.module for found in imports(module) if not found.typing_only]
    assert f"usl_core.{judge}.run" in reached
    assert not {module for module in reached if module.split(".")[1] in JUDGES[judge]}


def test_heavy_libraries_are_imported_only_where_they_live():
    wrong = []
    for module in modules():
        for found in imports(module):
            library = found.module.split(".")[0]
            if library in HEAVY and not found.typing_only and not _is_home(module, library):
                wrong.append(f"{modules()[module].relative_to(ROOT)}:{found.line}: imports {library}")
    assert not wrong, "\n".join(wrong)


def _is_home(module: str, library: str) -> bool:
    return library in HOMES and module.startswith(HOMES[library])


def test_nothing_that_importing_usl_core_runs_imports_a_heavy_library():
    wrong = []
    for module in _eagerly_reached("usl_core"):
        for found in imports(module):
            if found.eager and found.module.split(".")[0] in HEAVY:
                wrong.append(f"{modules()[module].relative_to(ROOT)}:{found.line}: imports {found.module} at once")
    assert not wrong, "\n".join(wrong)


def _eagerly_reached(start: str) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module in modules() and module not in reached:
            reached.add(module)
            waiting += [found.module for found in imports(module) if found.eager]
            waiting.append(module.rpartition(".")[0])  # a package's __init__ runs before its modules
    return reached


def test_importing_usl_core_loads_no_heavy_library_no_plugin_and_no_command_line():
    code = "import sys, usl_core; print(*sorted(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "usl_core" in loaded
    assert not loaded & {*HEAVY, "click", "rich", "usl_stdlib", "usl_conformance", "usl_c11", "usl_perceus", "usl_avx512"}


def test_the_reader_of_imports_sees_through_functions_classes_and_relative_forms(tmp_path, monkeypatch):
    source = tmp_path / "usl_core" / "interp" / "probe.py"
    source.parent.mkdir(parents=True)
    source.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import z3\n"
        "from . import other\n"
        "from ..ir.nodes import Proc\n"
        "class C:\n    def f(self):\n        import numpy\n"
    )
    names = {"usl_core.interp.probe": source, "usl_core.interp.other": source, "usl_core.ir.nodes": source}
    monkeypatch.setattr(sys.modules[__name__], "modules", lambda: names)
    found = {(each.module, each.eager, each.typing_only) for each in imports.__wrapped__("usl_core.interp.probe")}
    assert found == {
        ("typing", True, False),
        ("z3", False, True),
        ("usl_core.interp.other", True, False),
        ("usl_core.ir.nodes", True, False),
        ("numpy", False, False),
    }
