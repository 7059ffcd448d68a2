"""What C compilers make of single instructions: whether a loop of one, with sums in registers, touches the stack, its speed.

Each instruction of `usl_avx512.isa` stands in a loop of its own, as many times as there are results in registers: twelve, or
one of functions, which have registers of their own. What it reads is new to the compiler in each round. `python -m bench
compilers` measures them with the kernels.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.compilers import STACK, loops_of
from usl_avx512 import isa
from usl_c11.compiler import find_compiler
from usl_c11.cpu import has_feature
from usl_core.errors import NOWHERE

RESULTS = 12
ROUNDS, TIMES = 2000, 7
ROOM = 1 << 16
"""Bytes for each operand in memory."""
NUMBER = 3
"""What integers that choose lanes, rows or distances are."""
CTYPES = {
    "f32": "float",
    "f64": "double",
    "bf16": "uint16_t",
    **{f"{sign}{bits}": f"{'u' * (sign == 'u')}int{bits}_t" for sign in "iu" for bits in (8, 16, 32, 64)},
}


def loop(instruction: Any) -> str:
    """A C function `loop_NAME(rounds, number, memory)`, memory with room for each operand."""
    from usl_core.ir.types import ControlType, TensorType, scalar_of
    from usl_core.ir.written import written_formals

    ir = instruction.ir
    count = results(instruction)
    before, after, read, made = [], [], list[str](), list[str]()
    texts: list[dict[tuple[str, str | None], str]] = [{} for _ in range(count)]
    for place, arg in enumerate(ir.args):
        name, copies = arg.name.name, count if arg.name in written_formals(ir) else 1
        if isinstance(arg.type, ControlType):
            for text in texts:
                text[name, None] = "number"
            continue
        ctype = CTYPES[scalar_of(arg.type).name]
        before.append(f"{ctype} *const {name}_p = (void *)(memory + {place * ROOM});")
        for text in texts:
            text[name, "ptr"], text[name, "stride0"] = f"{name}_p", "64"
        if arg.mem is not None and not arg.mem.addressable:
            shape = [str(extent.value) for extent in arg.type.shape]
            for i in range(copies):
                register = f"{name}_{i}"
                before += [
                    arg.mem.alloc(register, ctype, shape, NOWHERE),
                    f"memcpy(&{register}, {name}_p + {64 * i}, sizeof {register});",
                ]
                after.append(f"memcpy({name}_p, &{register}, sizeof {register});")
                (read if copies == 1 else made).extend([register] if len(shape) == 1 else [])
            for i, text in enumerate(texts):
                text[name, None] = arg.mem.window(
                    f"{name}_{i % copies}", ctype, ["0"] * len(shape), ["1"] * len(shape), NOWHERE
                )
        elif not isinstance(arg.type, TensorType):
            for text in texts:
                text[name, None] = f"*{name}_p"
    lines = [_filled(ir.instr.template, text) for text in texts]
    body = ['__asm__ volatile("" ::: "memory");', *(f'__asm__ volatile("" : "+v"({each}));' for each in read), *lines]
    body += [f'__asm__ volatile("" : : "v"({each}));' for each in made]
    head = f"void loop_{ir.name}(int64_t rounds, int64_t number, char *memory)\n{{\n    (void)number;\n"
    first, round_, last = ("\n".join(f"    {line}" for line in each) for each in (before, body, after))
    return f"{head}{first}\n    for (int64_t round = 0; round < rounds; round++) {{\n{round_}\n    }}\n{last}\n}}\n"


def _filled(template: str, text: dict[tuple[str, str | None], str]) -> str:
    from usl_core.ir.template import fill

    return fill(template, lambda name, attribute, _: text[name, attribute])


def results(instruction: Any) -> int:
    """How many results a loop has: one of functions, which have registers of their own."""
    return 1 if instruction in isa.instructions("functions") else RESULTS


def source(instructions: Sequence[Any]) -> str:
    """The C of all their loops."""
    templates = [each.ir.instr for each in instructions]
    headers = dict.fromkeys(["stdint.h", "stdbool.h", "stddef.h", "string.h", "math.h"])
    headers |= dict.fromkeys(header for each in templates for header in each.includes)
    shared = dict.fromkeys(each.c_global for each in templates if each.c_global)
    return "\n".join([*(f"#include <{header}>" for header in headers), *shared, *map(loop, instructions)])


def compiled(instructions: Sequence[Any], command: str, folder: Path) -> Path | str:
    """The library of their loops, or what the compiler said."""
    from usl_c11.compiler import DEFAULT_FLAGS

    file, output = folder / "loops.c", folder / "loops.so"
    file.write_text(source(instructions), encoding="utf-8")
    features = sorted({feature for each in instructions for feature in each.ir.instr.features})
    # The frame pointer stays what it is, so that what is beside it is the stack.
    flags = [*DEFAULT_FLAGS, "-D_GNU_SOURCE", "-w", "-fno-omit-frame-pointer", *(f"-m{feature}" for feature in features)]
    done = subprocess.run([command, *flags, str(file), "-o", str(output), "-lm"], capture_output=True, text=True, check=False)
    return output if done.returncode == 0 else done.stderr


def moved(library: Path) -> dict[str, int]:
    """How many instructions of each loop move vectors to or from the stack."""
    shown = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(library)], capture_output=True, text=True, check=True)
    found = {}
    for part in shown.stdout.split("\n\n"):
        if (name := re.search(r"<loop_(\w+)>:", part)) is not None:
            found[name[1]] = sum("mm" in line and STACK.search(line) is not None for each in loops_of(part) for line in each)
    return found


def measure(command: str) -> Iterator[dict[str, Any]]:
    """A row for each instruction that this processor has."""
    compiler = find_compiler()
    tables: list[Sequence[Any]] = [isa.instructions(table) for table in isa.TABLES]
    for table in tables:
        present = [each for each in table if all(has_feature(name, compiler) for name in each.ir.instr.features)]
        yield from _of_table(present, command)


def _of_table(instructions: Sequence[Any], command: str) -> Iterator[dict[str, Any]]:
    """All together, or by halves where the compiler fails, so that what it fails on is found."""
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(instructions, command, Path(folder))
        if isinstance(library, Path):
            loaded, traffic = ctypes.CDLL(str(library)), moved(library)
            for each in instructions:
                seconds = _seconds(getattr(loaded, f"loop_{each.name()}")) / (ROUNDS * results(each))
                yield {"instruction": each.name(), "moved": traffic.get(each.name(), 0), "ns": 1e9 * seconds, "problem": ""}
            return
    if len(instructions) > 1:
        half = len(instructions) // 2
        yield from _of_table(instructions[:half], command)
        yield from _of_table(instructions[half:], command)
        return
    errors = [line for line in library.splitlines() if "rror" in line or "PLEASE" in line] or ["it fails"]
    yield {"instruction": instructions[0].name(), "moved": 0, "ns": 0.0, "problem": errors[0].strip()}


def _seconds(function: Any) -> float:
    """The least time of a call."""
    memory = ctypes.create_string_buffer(16 * ROOM + 64)
    address = ctypes.c_void_p(-(-ctypes.addressof(memory) // 64) * 64)
    best = float("inf")
    for _ in range(TIMES):
        begin = time.thread_time()
        function(ctypes.c_int64(ROUNDS), ctypes.c_int64(NUMBER), address)
        best = min(best, time.thread_time() - begin)
    return best


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """How many instructions each compiler was given, moves to the stack, takes a third longer for than another, refuses."""
    compilers = list(dict.fromkeys(row["compiler"] for row in rows))
    fastest: dict[str, float] = {}
    for row in rows:
        if not row["problem"]:
            fastest[row["instruction"]] = min(row["ns"], fastest.get(row["instruction"], float("inf")))
    lines = [
        "| compiler | instructions | with moves to the stack | slower by a third than with another | refused |",
        "|---" * 5 + "|",
    ]
    for compiler in compilers:
        own = [row for row in rows if row["compiler"] == compiler]
        slow = [row for row in own if not row["problem"] and row["ns"] > 4 / 3 * fastest[row["instruction"]] + 0.1]
        counts = len(own), sum(row["moved"] > 0 for row in own), len(slow), sum(bool(row["problem"]) for row in own)
        lines.append(f"| {compiler} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines) + "\n"


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """For each instruction and compiler the moves to or from the stack in its loop, and nanoseconds."""
    compilers = list(dict.fromkeys(row["compiler"] for row in rows))
    lines = ["| | " + " | ".join(compilers) + " |", "|---" * (len(compilers) + 1) + "|"]
    cells = {(row["instruction"], row["compiler"]): row["problem"] or f"{row['moved']}, {row['ns']:.2f}" for row in rows}
    for name in dict.fromkeys(row["instruction"] for row in rows):
        lines.append(f"| {name} | {' | '.join(cells.get((name, each), '-') for each in compilers)} |")
    return "\n".join(lines) + "\n"
