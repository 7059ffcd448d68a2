"""Generated C for the processor beside the accelerator: compiled for RISC-V, and what its object code sends.

With a cross compiler (`apt-get install gcc-riscv64-linux-gnu`) a kernel becomes an object file in which each macro is the
custom instruction. With an emulator (`qemu-user`) the kernel also runs as far as its commands: these are no instructions of
the emulated processor, and a handler notes the words of each.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from usl_c11.emit import library
from usl_core import Procedure, probe
from usl_gemmini.errors import GemminiError
from usl_gemmini.header import header, source
from usl_gemmini.params import GemminiParams
from usl_gemmini.recording import arguments
from usl_gemmini.trace import Trace, trace_of

COMPILER, COPY, EMULATOR = "riscv64-linux-gnu-gcc", "riscv64-linux-gnu-objcopy", "qemu-riscv64"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror")
CUSTOM_3 = 0x7B


@dataclass(frozen=True, slots=True)
class Custom:
    """A custom instruction in object code: its number, its flags, and the numbers of its registers."""

    funct7: int
    funct3: int
    rd: int
    rs1: int
    rs2: int


def available() -> bool:
    """Whether this machine compiles for RISC-V."""
    return probe.program(COMPILER) is not None and probe.program(COPY) is not None


def emulated() -> bool:
    """Whether this machine runs what was compiled for RISC-V."""
    return available() and probe.program(EMULATOR) is not None


def compile_object(p: Procedure, folder: Path, params: GemminiParams | None = None) -> Path:
    """The object file of a kernel for RISC-V, in folder, beside its C and the header of the chip.

    Raises:
        GemminiError: there is no compiler, or it refuses the C.
    """
    params = params or GemminiParams()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / params.header_name).write_text(header(params), encoding="utf-8")
    for name, text in library([p.ir], p.name()).files.items():
        (folder / name).write_text(text, encoding="utf-8")
    made = folder / f"{p.name()}.o"
    _compile([*FLAGS, "-c", f"{p.name()}.c", "-o", made.name], folder)
    return made


def custom_instructions(made: Path) -> list[Custom]:
    """The custom instructions in the code of an object file, in order.

    Raises:
        GemminiError: the file is no object file for RISC-V.
    """
    code = made.with_suffix(".bin")
    done = subprocess.run(
        [COPY, "-O", "binary", "--only-section=.text", made.name, code.name], cwd=made.parent, capture_output=True, text=True
    )
    if done.returncode:
        raise GemminiError(f"{made}: {done.stderr.strip()}")
    return [
        Custom(word >> 25, word >> 12 & 7, word >> 7 & 31, word >> 15 & 31, word >> 20 & 31)
        for word in _words(code.read_bytes())
        if word & 0x7F == CUSTOM_3
    ]


def _words(code: bytes) -> Iterator[int]:
    """The instructions in code; a compressed one has two bytes (its last bits are not 11)."""
    at = 0
    while at + 2 <= len(code):
        size = 4 if code[at] & 3 == 3 else 2
        yield int.from_bytes(code[at : at + size], "little")
        at += size


def emulate(p: Procedure, folder: Path, params: GemminiParams | None = None) -> tuple[Trace, list[tuple[int, int]]]:
    """The commands that a kernel sends on an emulated processor, but for fences, and where its arrays lie: address and bytes.

    The data are zero and the scale is 1, as for `recording.record`.

    Raises:
        GemminiError: there is no compiler or no emulator; the program fails.
    """
    made = compile_object(p, folder, params)
    sizes = [np.asarray(each).nbytes for each in arguments(p)]
    (folder / "main.c").write_text(_main(p, sizes), encoding="utf-8")
    _compile([*FLAGS, "-static", "-I.", "main.c", made.name, "-o", "kernel"], folder)
    done = subprocess.run([EMULATOR, "./kernel"], cwd=folder, capture_output=True)
    if done.returncode:
        raise GemminiError(f"{p.name()}: the emulated kernel ends with {done.returncode}: {done.stderr.decode()[:500]}")
    numbers = struct.unpack(f"<{len(done.stdout) // 8}Q", done.stdout)
    places = list(zip(numbers[: 2 * len(sizes) : 2], numbers[1 : 2 * len(sizes) : 2], strict=True))
    words = numbers[2 * len(sizes) :]
    return trace_of(zip(words[::3], words[1::3], words[2::3], strict=True)), places


def _main(p: Procedure, sizes: Sequence[int]) -> str:
    """A program that calls the kernel once, with arrays of these sizes in bytes."""
    arrays = "".join(f"static _Alignas(4096) unsigned char array{n}[{size}];\n" for n, size in enumerate(sizes))
    scalars = "".join(
        f"  *(float *)array{n} = 1.0f;\n" for n, arg in enumerate(p.args()) if str(arg.type()) == "f32" and not arg.shape()
    )
    places = "".join(f"  place(array{n}, sizeof array{n});\n" for n in range(len(sizes)))
    call = ", ".join(f"(void *)array{n}" for n in range(len(sizes)))
    return (
        f'{source("riscv_trace.h")}\n#include "{p.name()}.h"\n{arrays}\nint main(void)\n{{\n  trap_commands();\n'
        f"{scalars}{places}  const int status = {p.name()}({call});\n  fflush(stdout);\n  return status;\n}}\n"
    )


def _compile(arguments: Sequence[str], folder: Path) -> None:
    if not available():
        raise GemminiError(f"there is no {COMPILER} on this machine", notes=("apt-get install gcc-riscv64-linux-gnu",))
    done = subprocess.run([COMPILER, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise GemminiError(f"{COMPILER} refuses the C: {done.stderr.strip()[:2000]}")
