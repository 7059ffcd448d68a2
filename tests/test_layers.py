"""The layers of docs/architecture.md: in each package every import goes to a row above, or sideways without a cycle; what
packages import of each other is public."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ROWS: Mapping[str, tuple[str, ...]] = {
    "usl_core": (
        "errors python_syntax profiling collector deep arguments shared_z3 probe records progress tracebacks pytest_tracebacks "
        "cache_folder",
        "ir",
        "cursors",
        "analysis",
        "frontend",
        "procedure equivalence expansion assoc",
        "store",
        "primitives",
        "ranges",
        "inspect backend display pickling placement",
        "interp",
        "calling plugins schedules",
        "scheduling connect",
        "cli",
    ),
    "usl_stdlib": (
        "inspection expressions reporting symbolic config_writes nearly replacing",
        "ranges combinators hoisting lane_indices",
        "accesses config_contract dividing extremes feeding invariants pipelining rules spreading subexpressions tiling",
        "bounds classification guards parts specializing unrolling",
        "selection",
        "fitting memory_traffic staging sums unmapped",
        "cutting reductions",
        "interleaving scanning separating vectorizing",
        "plugin",
    ),
    "usl_conformance": (
        "findings arena bounds compiled controls data isolate kernels random_programs",
        "compare configs layouts names",
        "transfer",
        "driver",
        "cases routes",
        "execute memories",
        "diagnose",
        "backends instructions",
        "check suite",
        "new_command check_command",
        "command pytest_plugin",
        "plugin",
    ),
    "usl_c11": (
        "compiler ctext drivers folding formats low_precision memory names reductions remainders runtime types usage",
        "cache checks cpu literals mirror",
        "helpers",
        "unit",
        "arith scope",
        "fences intervals status",
        "expr",
        "access alloc parallel",
        "call",
        "stmt",
        "func",
        "entry",
        "arguments emit",
        "build calls context trampoline",
        "jit",
        "batch",
        "backend",
        "plugin",
    ),
    "usl_perceus": (
        "errors ir",
        "chains layout prims scalars show traverse",
        "allocation copying cyclic front fuse specialize verify",
        "insert opt reuse",
        "c explain linear promises sharing",
        "passes",
        "python report",
        "command decorators",
        "generated",
        "plugin std",
    ),
    "usl_avx512": (
        "cpu emulation externs kernels_algorithms kernels_convolution masks memories short_products table_values",
        "tables",
        "isa kernels_int",
        "blas1 conv schedules",
        "blas1_norms blas2 scanning",
        "gemm",
        "networks",
        "kernels",
        "functions",
        "plugin",
    ),
    "usl_gemmini": (
        "errors kernels_activation kernels_registers rounding",
        "params words",
        "decode header layers memories",
        "cuts kernels_conditions kernels_settings library trace",
        "kernels_loads kernels_products kernels_stores",
        "chip driver pipelines sim timing",
        "configuration ports",
        "kernels_border kernels_conv kernels_matmul kernels_pool kernels_sum",
        "border conv deep picture pool recording residual",
        "matmul",
        "network riscv run",
        "network_run resnet",
        "plugin",
    ),
    "usl_halide_lib": (
        "errors infer linear_forms places",
        "avx512_operations idioms resampling shapes",
        "streaming",
        "kernels_bilateral kernels_convolution kernels_demosaic kernels_images kernels_laplacian kernels_resize",
        "directives",
        "order partition working",
        "apart halves jamming lifting loops nest shifting strips",
        "lanes",
        "compute explain picture tails",
        "algorithm specialising storage vector",
        "fold",
        "applying",
        "functions image_schedules",
        "kernels",
        "lang",
        "hl report",
        "command",
        "plugin",
    ),
    "usl_soac": (
        "errors liveness scalars sizes",
        "core facts text",
        "failures operations show signatures",
        "building cost folding traverse",
        "checking dead slices",
        "array_rules branches calls inlining iterations kernel_rows maps rows",
        "elaborate formulas lifting simplify",
        "hoist reasons slicing",
        "modes",
        "pipeline",
        "fates",
        "definitions values",
        "arithmetic",
        "empty",
        "interp",
        "operators sized_interp",
        "arguments plain_calls",
        "arrays",
        "soacs",
        "expressions",
        "own_functions",
        "statements",
        "types",
        "blocks parallel products",
        "allocations constants copying kernel_uses kernel_values own_arrays siblings size_terms views",
        "kernel_ops lazy_maps",
        "choices kernel_formals truths",
        "lowering staged_calls staging",
        "lowering_arrays rounds",
        "masked",
        "lowering_soacs",
        "outer_frame",
        "outer_arrays outer_scalars regions",
        "kernel_calls loop_buffers outer_soacs",
        "outer_body",
        "outer",
        "result_memory",
        "pictures running",
        "report schedules tuning",
        "decorators",
        "command",
        "plugin",
    ),
}
"""For each package its rows from the top; a name is a module or a folder of it."""

FOUNDATIONS: Mapping[str, tuple[str, ...]] = {
    "usl_core": (),
    "usl_stdlib": ("usl_core",),
    "usl_conformance": ("usl_core",),
    "usl_c11": ("usl_core",),
    "usl_perceus": ("usl_core", "usl_c11"),
    "usl_avx512": ("usl_core", "usl_stdlib", "usl_c11"),
    "usl_gemmini": ("usl_core", "usl_stdlib", "usl_c11"),
    "usl_halide_lib": ("usl_core", "usl_stdlib", "usl_c11", "usl_avx512"),
    "usl_soac": ("usl_core", "usl_stdlib", "usl_c11", "usl_perceus", "usl_avx512"),
    "usl_example": ("usl_core", "usl_stdlib"),
    "usl_example_schedules": ("usl_core", "usl_stdlib"),
}
"""The packages that each may import."""

PUBLIC: Mapping[str, frozenset[str]] = {
    "usl_core": frozenset(
        """errors equivalence scheduling schedules cursors inspect backend calling ranges pickling progress interp interp.arrays
        interp.encoding arguments placement deep probe cache_folder python_syntax ir.combining ir.config ir.externs ir.identity
        ir.memory ir.nodes ir.operation ir.printer ir.sym ir.template ir.traverse ir.types tracebacks plugins.hookspecs
        plugins.manager frontend.source shared_z3 cli.files cli.modules""".split()
    ),
    "usl_stdlib": frozenset(),
    "usl_avx512": frozenset(),
    "usl_conformance": frozenset(),
    "usl_perceus": frozenset(),
    "usl_c11": frozenset(
        "build cache calls.extension compiler cpu emit low_precision memory names runtime runtime.abi types".split()
    ),
}
"""The modules that other packages may import, beside the package itself; docs/architecture.md says what each is for."""

PUBLIC_API_USERS = frozenset({"cli"})
"""Rows that may import from `usl_core` itself, whose __init__ imports everything else."""

HEAVY = frozenset({"numpy", "scipy", "cffi", "z3"})
HOMES: Mapping[str, tuple[str, ...]] = {
    "numpy": ("usl_core.interp.", "usl_core.calling"),
    "z3": ("usl_core.shared_z3",),
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
def modules(package: str = "usl_core") -> Mapping[str, Path]:
    """Every module of a package by its dotted name."""
    (folder,) = [each for each in (ROOT, *ROOT.glob("plugins/*"), *ROOT.glob("tests/example*")) if (each / package).is_dir()]
    paths = sorted((folder / package).rglob("*.py"))
    return {".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def layered(package: str) -> list[str]:
    """The modules that have a row: the __init__ of a package may import anything, a program (`python -m`) is run alone."""
    return [module for module in modules(package) if module != package and not module.endswith("__main__")]


@functools.cache
def imports(module: str) -> tuple[Import, ...]:
    tree = ast.parse(modules(module.partition(".")[0])[module].read_text(encoding="utf-8"))
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
    known = modules(module.partition(".")[0])
    if node.level:
        package = module if known[module].name == "__init__.py" else module.rpartition(".")[0]
        anchor = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1])
        base = f"{anchor}.{base}".rstrip(".")
    owner = base.partition(".")[0]
    known = known if owner not in ROWS else modules(owner)
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        yield inner if inner in known else base


def row_of(module: str) -> int:
    package, part = module.split(".")[:2]
    return next(index for index, row in enumerate(ROWS[package]) if part in row.split())


def where(module: str, found: Import) -> str:
    return f"{modules(module.partition('.')[0])[module].relative_to(ROOT)}:{found.line}: imports {found.module}"


def test_every_package_of_this_repository_has_rows():
    plugins = {f"usl_{path.parent.name}" for path in ROOT.glob("plugins/*/pyproject.toml")}
    assert set(ROWS) == {"usl_core"} | plugins


@pytest.mark.parametrize("package", ROWS)
def test_every_module_belongs_to_a_row(package):
    known = {part for row in ROWS[package] for part in row.split()}
    there = {module.split(".")[1] for module in layered(package)}
    there = {part for part in there if not part.startswith("template")}  # files of new packages, not modules
    assert there == known, "name the row of a new module here, and take out those that went"


@pytest.mark.parametrize("package", ROWS)
def test_a_module_imports_only_from_its_own_row_and_those_above(package):
    wrong = []
    for module in layered(package):
        for found in imports(module):
            if package != "usl_core" and found.typing_only:
                continue
            if found.module == package:
                allowed = package != "usl_core" or module.split(".")[1] in PUBLIC_API_USERS
            elif found.module.startswith(f"{package}."):
                allowed = row_of(found.module) <= row_of(module)
            else:
                continue
            if not allowed:
                wrong.append(where(module, found))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", ROWS)
def test_no_import_goes_round_in_a_circle(package):
    """Imports inside functions count (a cycle in disguise); those for type checkers only do not."""
    inside = set(layered(package))
    graph = {
        module: {found.module for found in imports(module) if found.module in inside and not found.typing_only} - {module}
        for module in inside
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("import cycle: " + " <- ".join(error.args[1]))


@pytest.mark.parametrize("package", FOUNDATIONS)
def test_a_package_imports_public_modules_of_others_only_and_public_names_of_them(package):
    wrong = []
    for path in modules(package).values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ImportFrom(module=str() as base, level=0, names=names):
                    used = [f"{base}.{alias.name}" for alias in names]
                case ast.Import(names=names):
                    used = [alias.name for alias in names]
                case _:
                    continue
            strangers = [name for name in used if not may_use(package, name)]
            wrong += [f"{path.relative_to(ROOT)}:{node.lineno}: imports {name}" for name in strangers]
    assert not wrong, "\n".join(wrong)


def may_use(package: str, name: str) -> bool:
    """Whether a package may import `a.b.name`: a public module, or what a public module has."""
    owner, _, inner = name.partition(".")
    if owner == package or owner not in {*ROWS, *FOUNDATIONS}:
        return True
    if owner not in FOUNDATIONS[package] or any(part.startswith("_") for part in inner.split(".")):
        return False
    home = inner.rpartition(".")[0]
    return not inner or inner in PUBLIC[owner] or ((not home or home in PUBLIC[owner]) and not _is_internal(owner, name, home))


def _is_internal(owner: str, name: str, home: str) -> bool:
    """Whether `from home import name` gives a module, as home itself has nothing of that name."""
    if name not in modules(owner):
        return False
    path = modules(owner)[f"{owner}.{home}" if home else owner]
    return not re.search(rf"\b{name.rpartition('.')[2]}\b", path.read_text(encoding="utf-8"))


JUDGES: Mapping[str, frozenset[str]] = {"interp": frozenset({"analysis", "cursors", "primitives"})}
"""What a package judges it must not run, directly or through other modules: else both are wrong together."""


@pytest.mark.parametrize("judge", JUDGES)
def test_what_judges_the_operators_runs_no_code_that_they_rely_on(judge):
    reached: set[str] = set()
    waiting = [module for module in modules() if module.split(".")[1:2] == [judge]]
    while waiting:
        module = waiting.pop()
        if module in layered("usl_core") and module not in reached:
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
    monkeypatch.setattr(sys.modules[__name__], "modules", lambda package: names)
    found = {(each.module, each.eager, each.typing_only) for each in imports.__wrapped__("usl_core.interp.probe")}
    assert found == {
        ("typing", True, False),
        ("z3", False, True),
        ("usl_core.interp.other", True, False),
        ("usl_core.ir.nodes", True, False),
        ("numpy", False, False),
    }
