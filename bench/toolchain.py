"""The C compiler for baselines: the same C text under chosen flags, loaded with ctypes.

Separate from the JIT on purpose: a baseline must be able to ask for flags (`-fno-tree-vectorize`) that no user wants.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_cache_path


class ToolError(Exception):
    """A tool is missing or failed; the text is for the user."""


def compiler() -> list[str]:
    """The command of the C compiler: the environment's CC, else the first of cc, gcc, clang that is installed."""
    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen:
        return chosen
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    raise ToolError("no C compiler found; install gcc or clang, or set CC")


def run_tool(command: Sequence[str]) -> str:
    """Run a tool without a shell; its output, or ToolError with what it said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise ToolError(f"{shlex.join(command)} failed:\n{done.stderr.strip()}")
    return done.stdout


def is_gcc(command: Sequence[str]) -> bool:
    """Whether the compiler understands gcc's names of optimisation flags (clang has others for some)."""
    return "clang" not in run_tool([*command, "--version"]).lower()


def build_library(text: str, flags: Sequence[str]) -> ctypes.CDLL:
    """Compile C text into a shared library and load it; cached by text, compiler and flags."""
    command = compiler()
    version = run_tool([*command, "--version"])
    key = hashlib.sha256("\0".join([text, *command, version, *flags]).encode()).hexdigest()[:24]
    directory = user_cache_path("usl") / "bench"
    library = directory / f"{key}.so"
    if not library.exists():
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            source, built = Path(scratch) / "kernel.c", Path(scratch) / "kernel.so"
            source.write_text(text, encoding="utf-8")
            run_tool([*command, *flags, "-shared", "-fPIC", str(source), "-o", str(built), "-lm"])
            built.replace(library)
    return ctypes.CDLL(str(library))
