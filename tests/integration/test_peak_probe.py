"""The FMA peak is measured on registers only: a look at the machine code."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest

from bench.peak import ACCUMULATORS, AVX2, AVX512, PORTABLE, Variant, best_variant, compile_probe, fma_peak
from usl_core import probe

needs_x86 = pytest.mark.skipif(platform.machine().lower() not in ("x86_64", "amd64"), reason="reads x86 machine code")
COMPILERS = [name for name in ("gcc", "clang") if probe.program(name)]


def inner_loop(assembly: str) -> list[str]:
    """The instructions of fma_loop between the loop's label and the jump back to it."""
    body = re.search(r"^fma_loop:.*?\n(.*?)^\s*\.size\s+fma_loop", assembly, re.MULTILINE | re.DOTALL)
    assert body is not None
    labelled = re.compile(r"^(?P<label>\.L\w+):.*?\n(?P<code>(?:(?!^\.L).*\n)*?)\s*j\w+\s+(?P=label)\b", re.MULTILINE)
    loops = [match["code"] for match in labelled.finditer(body[1])]
    assert len(loops) == 1, body[1]
    lines = (line.split("#")[0].strip() for line in loops[0].splitlines())
    return [line for line in lines if line and not line.startswith((".", "/"))]


@needs_x86
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("variant", [AVX512, AVX2], ids=lambda v: v.name)
def test_the_probe_loop_holds_nothing_but_multiply_adds_on_registers(
    variant: Variant, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    code = inner_loop(compile_probe(variant, tmp_path, assembly=True).read_text(encoding="utf-8"))
    fmas = [line for line in code if line.startswith("vfm")]
    assert not [line for line in code if "(" in line or line.startswith("vmov")], code
    assert len(code) - len(fmas) <= 3, code  # the counter and its comparison
    destinations = [line.split(",")[-1].strip() for line in fmas]
    # An unrolled loop repeats the accumulators; each must be there, or the compiler found two to be equal.
    assert len(set(destinations)) == ACCUMULATORS and len(fmas) % ACCUMULATORS == 0, code
    register = "%zmm" if variant is AVX512 else "%ymm"
    assert all(operand.startswith(register) for operand in destinations), code


def test_the_widest_registers_of_the_processor_are_used() -> None:
    assert best_variant(frozenset({"avx512f", "avx2", "fma"})) is AVX512
    assert best_variant(frozenset({"avx2", "fma"})) is AVX2
    assert best_variant(frozenset()) is PORTABLE


def test_the_portable_probe_runs_everywhere() -> None:
    assert fma_peak(frozenset(), rounds=1000, repeats=1) > 0
