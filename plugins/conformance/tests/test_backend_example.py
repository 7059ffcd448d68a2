"""The backend that `usl plugin new --kind backend` writes: LLVM IR that is right, and each mistake in it that is found.

What runs LLVM IR needs llvmlite; the text is made without.
"""

from __future__ import annotations

import ast
import importlib
import sys
import tomllib

import numpy as np
import pytest

from tests.test_layers import may_use
from usl_conformance.backends import try_subject
from usl_conformance.new_command import write_package
from usl_core import BackendError, JitError, proc_from_source

SCALE = proc_from_source("""
def scale(n: size, m: size, x: [f32][n, m]):
    assert stride(x, 1) == 1
    for i in seq(0, n):
        t: f32[m]
        for j in par(0, m):
            t[j] = 2.0 * x[i, m - 1 - j]
        for j in seq(0, m):
            if (i - j) / 2 < 0:
                x[i, j] += t[j]
""")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The package, with plugins of its kind told apart by number."""
    return tmp_path_factory.mktemp("backend")


def package(folder, name, *changes):
    """The backend of a package called name, in whose files texts are replaced."""
    write_package(name, folder / name, "backend")
    for file, old, new in changes:
        path = folder / name / f"usl_{name}" / file
        text = path.read_text()
        assert old in text, f"{file} has no {old}"
        path.write_text(text.replace(old, new))
    sys.path.insert(0, str(folder / name))
    try:
        return importlib.import_module(f"usl_{name}.backend").LLVM()
    finally:
        sys.path.remove(str(folder / name))


@pytest.fixture(scope="module")
def llvm(folder):
    return package(folder, "right")


def test_it_imports_public_modules_and_names_only(folder, llvm):
    for path in (folder / "right" / "usl_right").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("usl_core"):
                for alias in node.names:
                    assert may_use("usl_example", f"{node.module}.{alias.name}"), f"{path.name}: {node.module}.{alias.name}"


def test_what_runs_it_is_an_extra(folder, llvm):
    project = tomllib.loads((folder / "right" / "pyproject.toml").read_text())["project"]
    assert not any("llvmlite" in each for each in project["dependencies"])
    assert project["entry-points"]["usl"] == {"right": "usl_right.plugin"}


def test_the_text_is_a_module_of_llvm_ir(llvm):
    (name, text), *others = llvm.emit([SCALE.ir], "scaling").items()
    assert (name, others) == ("scaling.ll", [])
    assert text.startswith("; Made by usl_right from scale.")
    assert "define i32 @scale(i64 %n.n" in text
    assert text.count("call ptr @calloc") == 1
    assert text.count("declare") == 2


REFUSED = {
    "configuration": "right has no configuration",
    "instructions_of_c": "right has no instruction _increment",
    "half_arithmetic": "right has no elements of type f16",
    "square_roots": r"right has no `sqrt\(abs\(x\[i\]\)\)`",
    "places_that_data_decide": "right has no `idx",
    "division_of_integers": "right has no `/` on i32",
}


@pytest.mark.parametrize("construct", REFUSED)
def test_what_it_lacks_is_refused_where_it_stands(llvm, construct):
    from usl_conformance import kernels

    with pytest.raises(BackendError, match=REFUSED[construct]) as caught:
        llvm.emit([getattr(kernels, construct).ir], "refused")
    assert caught.value.span.file.endswith("kernels.py")
    assert caught.value.span.line > 1


def test_memories_of_other_targets_are_refused(llvm):
    from usl_core import Memory

    class Registers(Memory):
        name = "Registers"

    text = "def p(x: f32[4]):\n    r: f32[4] @ Registers\n    for i in seq(0, 4):\n        x[i] = 0.0\n"
    with pytest.raises(BackendError, match="right has no memory Registers"):
        llvm.emit([proc_from_source(text, {"Registers": Registers}).ir], "refused")


def test_an_index_that_may_not_fit_64_bits_is_refused(llvm):
    text = "def p(n: size, x: i64):\n    x = i64(n * 3000000000 * 3000)\n"
    with pytest.raises(BackendError, match="might not fit 64 bits"):
        llvm.emit([proc_from_source(text).ir], "refused")
    text = "def p(n: size, x: f32):\n    t: f32[n, n, n]\n    t[0, 0, 0] = x\n    x = t[0, 0, 0]\n"
    with pytest.raises(BackendError, match=r"t\[n, n, n\] might have more than 2\^63 elements"):
        llvm.emit([proc_from_source(text).ir], "refused")


def test_it_runs_and_refuses_arguments_that_do_not_fit(llvm):
    pytest.importorskip("llvmlite")
    run = llvm.jit(SCALE.ir)
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    wanted = np.array([[0, 5, 4, 3], [4, 5, 16, 15], [8, 9, 10, 27]], np.float32)
    run(3, 4, x)
    np.testing.assert_array_equal(x, wanted)
    with pytest.raises(JitError, match="shape"):
        run(3, 5, x)
    with pytest.raises(JitError, match=r"the assertion `stride\(x, 1\) == 1` does not hold"):
        run(3, 2, x[:, ::2])
    with pytest.raises(JitError, match="between 1 and"):
        run(0, 4, x[:0])
    with pytest.raises(JitError, match="shape"):
        run(1, 2147483647, x)


FAULTS = {
    "index division rounds to zero": ("function.py", "sext i1 {negative} to i64", "zext i1 false to i64", "index_division"),
    "remainders are negative": (
        "function.py",
        "select i1 {negative}, i64 {b}",
        "select i1 {negative}, i64 0",
        "index_division",
    ),
    "windows are taken for dense": (
        "function.py",
        "self.bind(arg, name, strides)",
        "self.bind(arg, name)",
        "windows_as_arguments",
    ),
    "windows begin where their buffer does": (
        "function.py",
        "Buffer(self.address(base, starts),",
        "Buffer(base.pointer,",
        "windows_with_names",
    ),
    "a reduction forgets what was there": ("function.py", "{typ} {old}, {value}", "{typ} {value}, {value}", "float_reductions"),
    "loops run once too often": ("function.py", "icmp slt i64 {name}", "icmp sle i64 {name}", "loops_that_may_not_run"),
    "signs are not extended": ("values.py", '"sext" if source.signed', '"zext" if source.signed', "casts_between_integers"),
    "unsigned numbers compare as signed": (
        "values.py",
        '"u" if scalar is not None and not scalar.signed',
        '"s" if scalar is not None and not scalar.signed',
        "conditions_on_unsigned_integers",
    ),
    "NaN is not unequal": ("values.py", "'une' if", "'one' if", "conditions_on_floats"),
    "floats are rounded twice": (
        "values.py",
        "round_rational(Fraction(value), format_of(scalar))",
        "float(value)",
        "float_constants",
    ),
    "subtractions are the wrong way round": (
        "function.py",
        '{typ} {self.data(lhs)}, {self.data(rhs)}")\n            case ir.Cast',
        '{typ} {self.data(rhs)}, {self.data(lhs)}")\n            case ir.Cast',
        "narrow_integers_wrap",
    ),
    "buffers are too small": ("function.py", "// 8})", "// 16})", "buffers_of_any_size"),
    "a buffer is freed while it is used": (
        "function.py",
        "        return self.bind(stmt, pointer)",
        '        self.emit(f"call void @free(ptr {pointer})")\n        return self.bind(stmt, pointer)',
        "buffers_of_constant_size",
    ),
    "assertions are not tested": ("backend.py", "            found.require_assertions(procedure)\n", "", "assertions"),
    "a failed check is no failure": (
        "backend.py",
        "if status >= FIRST_CHECK:",
        "if status >= FIRST_CHECK:\n                return\n            if status > 1:",
        "checks_that_fail",
    ),
}


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=list(FAULTS))
def test_a_mistake_in_it_is_found_by_the_construct_that_it_spoils(folder, number):
    pytest.importorskip("llvmlite")
    file, old, new, construct = list(FAULTS.values())[number]
    wrong = package(folder, f"wrong_{number}", (file, old, new))
    outcome = try_subject(wrong, ("construct", construct))
    assert outcome.status == "failed", outcome
    assert outcome.findings
