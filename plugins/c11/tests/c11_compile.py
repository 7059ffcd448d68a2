"""Compiling generated files in tests, with every warning an error."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from usl_core import probe

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")


def require(compiler: str) -> str:
    if probe.program(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    return compiler


def write(files: Mapping[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)


def compiles(compiler: str, source: Path, flags: Sequence[str] = ()) -> str:
    """The compiler's messages on one file under all warnings; empty if it is silent."""
    command = [compiler, "-std=c11", "-O2", *WARNINGS, *flags, "-c", "-o", str(source.with_suffix(".o")), str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def run_program(compiler: str, sources: Sequence[Path], flags: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Builds and runs a program."""
    program = sources[0].with_suffix(".exe")
    built = subprocess.run(
        [compiler, "-std=c11", "-g", *flags, "-o", str(program), *map(str, sources), "-lm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return subprocess.run([str(program)], capture_output=True, text=True, check=False)
