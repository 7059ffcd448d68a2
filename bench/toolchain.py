"""The C compiler for the peak probe: found from CC, run without a shell."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence

from usl_core import probe


class ToolError(Exception):
    """A tool is missing or failed; the text is for the user."""


def compiler() -> list[str]:
    """The command of the C compiler: the environment's CC, else the first of cc, gcc, clang that is installed."""
    chosen = shlex.split(os.environ.get("CC", ""))
    if chosen:
        return chosen
    for name in ("cc", "gcc", "clang"):
        if probe.program(name):
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
