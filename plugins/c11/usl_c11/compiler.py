"""The C compiler: found from `CC`, asked what it is, run without a shell."""

from __future__ import annotations

import functools
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from usl_core import probe
from usl_core.errors import JitError

_NEVER_RIGHT = ("implicit-function-declaration", "incompatible-pointer-types", "int-conversion")
"""Warnings of some compilers about what others refuse: the library would read memory that is not its own."""
DEFAULT_FLAGS = ("-std=c11", "-O3", "-ffp-contract=off", "-fPIC", "-shared", *(f"-Werror={name}" for name in _NEVER_RIGHT))
"""Contraction into fused operations is off so that floats round where the program says; `-std=c11` alone does not say so to
clang. There is no `-march=native`: a library runs on any machine that has the features its instructions name."""

_CANDIDATES = ("cc", "gcc", "clang")
_HINT = "install gcc or clang (Debian: apt-get install gcc), or set CC to the command of a C11 compiler"


@dataclass(frozen=True, slots=True)
class Compiler:
    """The command (resolved program and fixed arguments) and everything it says about its version."""

    command: tuple[str, ...]
    version: str


def find_compiler() -> Compiler:
    """The compiler that CC names, else the first of cc, gcc, clang.

    Raises:
        JitError: there is none, or it cannot be run.
    """
    compiler = any_compiler()
    if compiler is None:
        raise JitError("no C compiler found: CC is not set, and there is no cc, gcc or clang on PATH", notes=(_HINT,))
    return compiler


def any_compiler() -> Compiler | None:
    """As `find_compiler`; None if CC is not set and there is none.

    Raises:
        JitError: what CC names is not there, or the compiler cannot be run.
    """
    wanted = os.environ.get("CC", "").strip()
    if not wanted:
        names = (probe.program(name) for name in _CANDIDATES)
        program = next((name for name in names if name is not None), None)
        return None if program is None else _ask(program, ())
    try:
        program, *fixed = shlex.split(wanted)
    except ValueError as error:
        raise JitError(f"CC={wanted!r} is not a command: {error}", notes=(_HINT,)) from None
    found = probe.program(program)
    if found is None:
        raise JitError(f"the C compiler of CC={wanted!r} was not found", notes=(_HINT,))
    return _ask(found, tuple(fixed))


@functools.lru_cache
def _ask(program: str, fixed: tuple[str, ...]) -> Compiler:
    answer = _run([program, *fixed, "--version"])
    if answer.returncode != 0:
        raise JitError(f"`{program} --version` failed with status {answer.returncode}", notes=(_HINT,))
    return Compiler((program, *fixed), answer.stdout)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            list(command), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise JitError(f"cannot run {command[0]}: {error.strerror}", notes=(_HINT,)) from None


def compile_library(compiler: Compiler, source: Path, output: Path, flags: Sequence[str]) -> None:
    """Compiles one C file, and those that flags name, into a shared library.

    Raises:
        JitError: the compiler refuses; its first messages are the notes.
    """
    # the source first: what a library named in flags defines is looked up for what was mentioned before
    answer = _run([*compiler.command, "-o", str(output), str(source), *flags, "-lm"])
    if answer.returncode != 0:
        messages = [line for line in answer.stderr.splitlines() if line.strip()][:12]
        raise JitError(f"{Path(compiler.command[0]).name} failed on the C of {source.stem}", notes=messages)


@functools.lru_cache
def openmp_flags(compiler: Compiler) -> tuple[str, ...]:
    """`-fopenmp` if a program with it compiles and links, else nothing; parallel loops then run in order."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <omp.h>\nint usl_probe(void);\nint usl_probe(void) { return omp_get_max_threads(); }\n")
        flags = ["-fopenmp", "-fPIC", "-shared"]
        answer = _run([*compiler.command, *flags, "-o", str(Path(folder, "probe.so")), str(source)])
    return ("-fopenmp",) if answer.returncode == 0 else ()
