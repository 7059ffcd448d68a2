"""What a machine may lack is asked of `usl_core.probe` alone, so that `USL_HIDE` can hide it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.bare import CORE, lacking
from usl_core import probe

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("usl_core", "plugins", "tests", "bench", "demo", "tools")
ELSEWHERE = {"usl_core/probe.py", "tests/test_probes.py", "bench/report.py"}
"""Those that may look for themselves: the probe, and a report that names the processor."""


def sources(*folders: str) -> list[Path]:
    return [file for folder in folders for file in (ROOT / folder).rglob("*.py")]


def test_nobody_else_looks_for_programs_or_reads_the_list_of_cpu_features() -> None:
    asking = re.compile(r"shutil\.which|from shutil import .*\bwhich\b|/proc/cpuinfo")
    found = {str(file.relative_to(ROOT)) for file in sources(*FOLDERS) if asking.search(file.read_text(encoding="utf-8"))}
    assert found <= ELSEWHERE, "ask usl_core.probe"


def test_the_tests_that_the_bare_run_leaves_out_import_no_target_and_start_no_compiler() -> None:
    for file in sources(*(folder.rstrip("/") for folder in CORE)):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            targets = [name for name in names if name.startswith(("usl_avx512", "usl_conformance", "bench", "demo", "scipy"))]
            assert not targets, f"{file.relative_to(ROOT)} imports {targets}"


def test_the_bare_run_leaves_out_what_the_guard_watches() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^CORE_TESTS := \$\(addprefix tests/,(.*)\)$", text, re.MULTILINE)
    assert listed is not None
    assert tuple(f"tests/{name}/" for name in listed[1].split()) == CORE


@pytest.mark.parametrize(
    ("hide", "name", "is_hidden"),
    [
        ("", "clang", False),
        ("clang", "clang", True),
        ("clang", "clang-18", True),
        ("clang", "gcc", False),
        ("simde, avx512", "avx512_vnni", True),
        ("avx512", "avx512f", True),
        ("avx512", "avx2", False),
        ("-", "gcc", False),
    ],
)
def test_a_name_hides_what_begins_with_it(hide: str, name: str, is_hidden: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.VARIABLE, hide)
    assert probe.hidden(name) is is_hidden


def test_a_package_is_hidden_by_its_own_name_or_by_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.VARIABLE, "graphics avx512")
    names = ("matplotlib", "PIL", "avx512", "avx512_build", "numpy")
    assert [name for name in names if probe.hidden_package(name)] == ["matplotlib", "PIL", "avx512"]


def test_a_hidden_program_is_not_found_and_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.VARIABLE, "clang")
    assert probe.program("sh") is not None
    monkeypatch.setenv(probe.VARIABLE, "sh")
    assert probe.program("sh") is None


def test_hidden_features_are_missing_from_the_processor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(probe, "CPUINFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text("flags\t: fpu avx2 avx512f avx512_vnni\n")
    monkeypatch.setenv(probe.VARIABLE, "avx512")
    assert probe.cpu_flags() == {"fpu", "avx2"}
    monkeypatch.setattr(probe, "CPUINFO", tmp_path / "missing")
    assert probe.cpu_flags() is None


@pytest.mark.parametrize(
    ("reason", "what"),
    [
        ("Skipped: clang is not installed", "clang"),
        ("Skipped: the headers of SIMDe are not installed", "the headers of SIMDe"),
        ("Skipped: could not import 'scipy': No module named 'scipy'", "scipy"),
        ("Skipped: this processor has no AVX-512 (F, BW and VL)", "this processor has no AVX-512 (F, BW and VL)"),
        ("Skipped: only on one of three", ""),
    ],
)
def test_the_summary_knows_what_a_test_was_skipped_for_lack_of(reason: str, what: str) -> None:
    assert lacking(reason) == what
