"""Command traces: words in an array of shape [n, 3] and type uint64, and files of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np

from usl_gemmini.decode import decode
from usl_gemmini.errors import GemminiError
from usl_gemmini.params import GemminiParams
from usl_gemmini.words import Words

Trace: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.uint64]]"

_FIRST = "gemmini-trace 1"


def trace_of(commands: Iterable[Words]) -> Trace:
    """The trace of commands that `words.command` made."""
    return np.array(list(commands), dtype=np.uint64).reshape(-1, 3)


def listing(trace: Trace) -> str:
    """One decoded command a line."""
    return "".join(f"{decode(*map(int, words))}\n" for words in trace)


def save(trace: Trace, params: GemminiParams, file: Path) -> None:
    """Writes a trace as text: a line with the chip's hash, then for each command its words in hexadecimal and its meaning."""
    lines = (f"{funct:x} {rs1:x} {rs2:x}  # {decode(funct, rs1, rs2)}\n" for funct, rs1, rs2 in trace.tolist())
    file.write_text(f"{_FIRST} {params.hash:016x}\n" + "".join(lines), encoding="utf-8")


def read(params: GemminiParams, file: Path) -> Trace:
    """Reads what `save` wrote.

    Raises:
        GemminiError: the file is no trace, or one of another chip.
    """
    lines = file.read_text(encoding="utf-8").splitlines()
    if not lines or not lines[0].startswith(_FIRST):
        raise GemminiError(f"{file} is no trace of Gemmini commands")
    if lines[0] != f"{_FIRST} {params.hash:016x}":
        raise GemminiError(f"{file} is a trace for a chip of other parameters than {params}")
    commands = []
    for number, line in enumerate(lines[1:], 2):
        try:
            funct, rs1, rs2 = (int(word, 16) for word in line.partition("#")[0].split())
        except ValueError:
            raise GemminiError(f"{file}:{number}: not three hexadecimal words: {line!r}") from None
        commands.append((funct, rs1, rs2))
    return trace_of(commands)
