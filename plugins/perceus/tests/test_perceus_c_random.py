"""Compiled C agrees with the interpreters on random programs, with every optimisation on and off, and leaves an empty heap."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from perceus_native import Outcome, outcomes
from perceus_programs import make_program
from perceus_runs import outcome

from usl_c11.compiler import find_compiler
from usl_core import probe
from usl_perceus.ir import Program
from usl_perceus.passes import OPTIONAL, compile_program


def sample(seed: int, count: int, *, all_on: bool = False) -> tuple[list[Program], list[Outcome]]:
    """Random programs after the passes, some of which are off, and what the standard semantics says of each."""
    rng = random.Random(seed)
    programs: list[Program] = []
    expected: list[Outcome] = []
    while len(programs) < count:
        program = make_program(rng.randbytes(rng.randrange(64, 500)), full=rng.random() < 0.6, size=rng.choice((20, 40, 80)))
        result = outcome(program)
        if result is not None:
            off = [name for name in sorted(OPTIONAL) if rng.random() < 0.25] if not all_on and rng.random() < 0.6 else []
            programs.append(compile_program(program, off=off))
            expected.append(result)
    return programs, expected


def check(programs: list[Program], expected: list[Outcome], folder: Path, flags: tuple[str, ...]) -> None:
    for got, wanted in zip(outcomes(programs, folder, flags), expected, strict=True):
        assert got[0] == wanted[0]
        assert b"".join(got[1]) == b"".join(wanted[1])


def require_flag(folder: Path, *flags: str) -> None:
    """Skips where the compiler cannot build and run a program with these flags."""
    (folder / "probe.c").write_text("int main(void) { return 0; }\n")
    built = subprocess.run(
        [*find_compiler().command, *flags, "probe.c", "-o", "probe"], cwd=folder, capture_output=True, check=False
    )
    if built.returncode != 0 or subprocess.run([str(folder / "probe")], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"the compiler lacks {' '.join(flags)}")


@pytest.mark.parametrize("seed", range(3))
def test_compiled_programs_give_what_the_standard_semantics_says(seed, tmp_path):
    check(*sample(seed, 100), tmp_path, ("-O0",))


def test_optimised_c_gives_the_same(tmp_path):
    check(*sample(10, 60, all_on=True), tmp_path, ("-O2",))


@pytest.mark.parametrize(
    "flags",
    [
        ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        ("-O1", "-fsanitize=thread"),
        ("-O0", "-DUSL_DEBUG"),
        ("-O0", "-DUSL_MALLOC"),
        ("-O0", "-D__STDC_NO_ATOMICS__"),
    ],
    ids=["asan-ubsan", "tsan", "debug", "malloc", "no-atomics"],
)
def test_compiled_programs_are_clean_under(flags, tmp_path):
    require_flag(tmp_path, *flags)
    check(*sample(20, 60), tmp_path, flags)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_generated_c_has_no_warnings(compiler, tmp_path, monkeypatch):
    if probe.program(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    monkeypatch.setenv("CC", compiler)
    # random programs compute what they do not use, and compare variables with themselves
    unused = ("unused", "unused-parameter", "unused-but-set-variable", "unused-but-set-parameter")
    quiet = [f"-Wno-{name}" for name in (*unused, "tautological-compare", "unneeded-internal-declaration")]
    flags = ("-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", *quiet)
    check(*sample(30, 40), tmp_path, flags)
