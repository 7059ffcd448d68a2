"""What each C compiler makes of the shipped kernels: registers that go to the stack in inner loops, and speed.

`python -m bench compilers` compiles with every compiler of USL_COMPILERS (commands with blanks between them), or with those of
CANDIDATES that are on PATH. The C is the same for all. A kernel's speed is that of one call on one core: of products a share
of the instruction's peak, of all else the time. Results are compared with those of the first compiler.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import versus

CANDIDATES = ("gcc-11", "gcc-12", "gcc-13", "gcc-14", "gcc", *(f"clang-{version}" for version in range(14, 23)), "clang")
SIZE = 512
"""Rows, columns and sums of products."""

ARITHMETIC = re.compile(r"v(?:pdp|dpbf16|fn?m(?:add|sub)|mul|add|sub|max|min)")
STACK = re.compile(r"\((?:%r[bs]p)[,)]")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A library of C, an entry of it, and its arguments: integers, floats and arrays, of which the last is the result."""

    name: str
    library: Callable[[], Any]
    entry: str
    arguments: Callable[[], Sequence[Any]]
    instruction: str = ""
    """That a product is measured against: one of the kinds of `bench.lowp`, "f32" or "f64"."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a compiler made of a kernel."""

    loops: int
    """Innermost loops with arithmetic on vectors."""
    spilling: int
    """Those in which vectors go to the stack."""
    most: int
    """Most such instructions in one of them."""
    densest: int
    """Such instructions in the loop with the most multiply-adds."""
    seconds: float
    problem: str = ""


def kernels() -> list[Kernel]:
    """All that is compiled."""
    from usl_avx512.conv import Shape
    from usl_avx512.kernels import conv, level3_library, networks, short_library
    from usl_avx512.short_products import TYPES

    rng = np.random.default_rng(0)

    def floats(*shape: int, dtype: str = "float32") -> Any:
        return rng.standard_normal(shape).astype(dtype)

    def short(name: str, *before: str) -> Kernel:
        entry = short_library.ENTRIES[name]

        def made() -> list[Any]:
            a, b, _ = TYPES[entry.base]
            arrays = [_bytes(rng, short_library.ELEMENTS[each].name, SIZE * SIZE) for each in (a, b)]
            extras = [np.zeros(SIZE, np.int32 if entry.sums == "i32" else np.float32) for _ in before if _ != "scale"]
            extras += [np.full(SIZE, 2.0**-8, np.float32) for _ in before if _ == "scale"]
            limits = [0.0, 1e30] if entry.does == "linear" else []
            c = np.zeros(SIZE * SIZE, short_library.ELEMENTS[entry.result].name)
            return [SIZE, SIZE, SIZE, arrays[0], SIZE, arrays[1], *extras, *limits, c, SIZE]

        kind = {"u8s8": "u8s8", "s16s16": "s16s16", "bf16": "bf16"}[entry.base]
        return Kernel(name.removeprefix("usl_"), lambda: short_library.short_library(name), name, made, kind)

    def product(letter: str, dtype: str) -> Kernel:
        name = f"usl_{letter}gemm"

        def made() -> list[Any]:
            a, b, c = floats(SIZE, SIZE, dtype=dtype), floats(SIZE, SIZE, dtype=dtype), np.zeros((SIZE, SIZE), dtype)
            number = ctypes.c_float if letter == "s" else ctypes.c_double
            return [ctypes.c_int(111), ctypes.c_int(111), SIZE, SIZE, SIZE, number(1), a, SIZE, b, SIZE, number(0), c, SIZE]

        return Kernel(name[4:], lambda: level3_library.gemm_library(name), name, made, "f32" if letter == "s" else "f64")

    def network(name: str, *arguments: Any) -> Kernel:
        return Kernel(name, lambda: networks.network_library(name), name, lambda: arguments)

    shape = Shape(56, 56, 64, 58, 58, 64, 3, 3, 1, True)
    x, heads, one = floats(512, 768), [floats(2, 256, 64) for _ in range(3)], np.ones(1, np.float32)
    bits = [(each.view(np.uint32) >> 16).astype(np.uint16) for each in heads]
    weights = conv.pack(floats(3, 3, 64, 64), 64)
    return [
        *map(short, ("usl_gemm_u8s8s32", "usl_gemm_s16s16s32", "usl_gemm_bf16f32", "usl_gemm_bf16f32_widened")),
        short("usl_gemm_s8s8s32", "sums"),
        short("usl_linear_u8s8u8", "bias", "scale"),
        short("usl_linear_bf16bf16", "bias"),
        product("s", "float32"),
        product("d", "float64"),
        Kernel(
            "conv 3x3",
            lambda: conv.conv_library(shape),
            conv.symbol(shape),
            lambda: [1, floats(58, 58, 64), weights, np.zeros((56, 56, 64), np.float32)],
        ),
        network("attention", 2, 256, 256, one / 8, *heads, np.zeros_like(heads[0])),
        network("attention_bf16", 2, 256, 256, one / 8, *bits, np.zeros_like(bits[0])),
        *(network(name, 512, 768, x, np.zeros_like(x)) for name in ("softmax", "log_softmax", "cumsum")),
        network("layer_norm", 512, 768, one * 1e-5, x, x[0], x[1], np.zeros_like(x)),
        network("argmax", 512, 768, x, np.zeros(512, np.int64)),
        *(network(name, x.size, x, np.zeros_like(x)) for name in ("gelu", "gelu_tanh", "silu")),
        *(_function(name, typ, rng) for name in ("exp", "log", "sin", "tanh") for typ in ("f32", "f64")),
    ]


def _bytes(rng: Any, dtype: str, count: int) -> Any:
    if dtype == "uint16":  # bf16
        return (rng.standard_normal(count).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return rng.integers(0, 100, count).astype(dtype)


def _function(name: str, typ: str, rng: Any) -> Kernel:
    """A loop over a function."""
    dtype, lanes = ("float32", 16) if typ == "f32" else ("float64", 8)
    x = rng.uniform(0.1, 10, 4096).astype(dtype)

    def library() -> Any:
        from usl_avx512 import AVX512, isa
        from usl_c11.emit import library
        from usl_core import proc_from_source
        from usl_stdlib import vectorize

        head = f"def {name}_loop(n: size, x: {typ}[n], y: {typ}[n]):"
        p = proc_from_source(f"{head}\n    for i in seq(0, n):\n        y[i] = {name}(x[i])\n")
        p, _ = vectorize(p, "i", lanes, AVX512, isa.for_lanes(lanes, types=(typ,)), tail="masked")
        return library([p.ir], f"usl_{name}_{typ}", entry_checks=False)

    return Kernel(f"{name} {typ}", library, f"{name}_loop", lambda: [len(x), x, np.zeros_like(x)])


# ---- one kernel under one compiler


def commands() -> list[str]:
    """The compilers to be asked."""
    from usl_core.probe import program

    if chosen := os.environ.get("USL_COMPILERS", "").split():
        return chosen
    found = {path: name for name in reversed(CANDIDATES) if (path := program(name))}
    real = {os.path.realpath(path): name for path, name in found.items()}
    return [name for name in CANDIDATES if name in real.values()]


def inner_loops(library: Path) -> list[list[str]]:
    """The instructions of each loop that has no other in it: from where a jump goes back to the jump."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(library)], capture_output=True, text=True, check=True)
    return loops_of(text.stdout)


def loops_of(disassembled: str) -> list[list[str]]:
    """`inner_loops` of what objdump wrote."""
    code = {int(line[1], 16): line[2] for line in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", disassembled, re.MULTILINE)}
    jumps = ((re.match(r"j\w+ +(?:0x)?([0-9a-f]+)", text), at) for at, text in code.items())
    loops = [(int(jump[1], 16), at) for jump, at in jumps if jump and int(jump[1], 16) <= at]
    inner = [loop for loop in loops if not any(loop[0] <= a and b <= loop[1] for a, b in loops if (a, b) != loop)]
    return [[text for at, text in code.items() if first <= at <= last] for first, last in inner]


def stack_traffic(library: Path) -> tuple[int, int, int, int]:
    """`Made`'s first fields."""
    counted = [
        (
            sum(line.startswith(("vpdp", "vdpbf16", "vfmadd", "vfnmadd")) for line in loop),
            sum("mm" in line and STACK.search(line) is not None for line in loop),
        )
        for loop in inner_loops(library)
        if sum(ARITHMETIC.match(line) is not None and "zmm" in line for line in loop)
    ]
    spilling = [traffic for _, traffic in counted if traffic]
    densest = max(counted, default=(0, 0), key=lambda each: each[0])
    return len(counted), len(spilling), max(spilling, default=0), densest[1]


def made(kernel: Kernel, library: Any, arguments: Sequence[Any], command: str, expected: list[Any]) -> Made:
    """Compile, look, call and compare; expected has the first compiler's result, or takes it."""
    from usl_c11.build import write_files
    from usl_c11.compiler import DEFAULT_FLAGS

    with tempfile.TemporaryDirectory() as folder:
        write_files({file: text for file, text in library.files.items() if not file.endswith(".d")}, Path(folder))
        output = Path(folder, "kernel.so")
        features = [f"-m{feature}" for feature in library.features]
        source = Path(folder, f"{library.name}.c")
        done = subprocess.run(
            [command, *DEFAULT_FLAGS, *features, str(source), "-o", str(output), "-lm"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "rror" in line or "PLEASE" in line]
            crashed = any("PLEASE submit" in line for line in lines)
            return Made(0, 0, 0, 0, 0, "the compiler crashes" if crashed else (lines or ["it fails"])[0].strip())
        function = getattr(ctypes.CDLL(str(output)), kernel.entry)
        seconds, result = _called(function, arguments)
        if not expected:
            expected.append(result)
        same = np.allclose(result.astype(float), expected[0].astype(float), rtol=1e-3, atol=1e-3, equal_nan=True)
        return Made(*stack_traffic(output), seconds, "" if same else "other results")


def _called(function: Any, arguments: Sequence[Any]) -> tuple[float, Any]:
    """The least time of a call, and a copy of what the first one writes."""
    passed = [
        ctypes.c_int64(each)
        if isinstance(each, int)
        else ctypes.c_float(each)
        if isinstance(each, float)
        else ctypes.c_void_p(each.ctypes.data)
        if isinstance(each, np.ndarray)
        else each
        for each in arguments
    ]
    result = [each for each in arguments if isinstance(each, np.ndarray)][-1]
    result[...] = 0
    function(*passed)
    first, best = result.copy(), float("inf")
    end = time.perf_counter() + 0.15
    while time.perf_counter() < end:
        begin = time.thread_time()
        function(*passed)
        best = min(best, time.thread_time() - begin)
    return best, first


def peaks() -> dict[str, float]:
    """What the instructions of products do at most, in operations a second."""
    from bench import lowp
    from bench.peak import fma_peak
    from usl_avx512.cpu import cpu_features

    with tempfile.TemporaryDirectory() as folder:
        found = {kind: 1e9 * lowp.peak(folder, lowp.KINDS[kind]) for kind in ("u8s8", "s16s16", "bf16")}
    single = 1e9 * fma_peak(cpu_features())
    return found | {"f32": single, "f64": single / 2}


def measure(only: str = "") -> dict[str, Any]:
    """For each kernel and compiler what was made of it, as JSON has it, and what is wrong."""
    versus.pin()
    names, most = commands(), peaks()
    rows: list[dict[str, Any]] = []
    for kernel in kernels():
        if only not in kernel.name:
            continue
        library, arguments, expected = kernel.library(), kernel.arguments(), list[Any]()
        for command in names:
            found = made(kernel, library, arguments, command, expected)
            row = {"kernel": kernel.name, "compiler": Path(command).name, "seconds": found.seconds, "problem": found.problem}
            row |= {"loops": found.loops, "spilling": found.spilling, "most": found.most, "densest": found.densest}
            if kernel.instruction and found.seconds:
                row["share"] = 2.0 * SIZE**3 / found.seconds / most[kernel.instruction]
            rows.append(row)
            print(line(row), flush=True)
    return {"rows": rows, "peaks": most}


def line(row: dict[str, Any]) -> str:
    """A row to be read while others are measured."""
    speed = f"{100 * row['share']:.0f} % of peak" if "share" in row else f"{1e6 * row['seconds']:.1f} us"
    loops = f"{row['spilling']:3} of {row['loops']:3} loops, {row['most']:3} at most, {row['densest']:3} in the densest"
    return f"{row['kernel']:>22} {row['compiler']:>9} {row['problem'] or f'{loops}  {speed}'}"


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table: for each kernel and compiler the stack traffic of its densest loop, how many loops have any, and the speed."""
    compilers = list(dict.fromkeys(row["compiler"] for row in rows))
    lines = ["| | " + " | ".join(compilers) + " |", "|---" * (len(compilers) + 1) + "|"]
    for kernel in dict.fromkeys(row["kernel"] for row in rows):
        cells = [_cell(row) for row in rows if row["kernel"] == kernel]
        lines.append(f"| {kernel} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(row: dict[str, Any]) -> str:
    if row["problem"]:
        return str(row["problem"])
    speed = f"{100 * row['share']:.0f} %" if "share" in row else f"{1e6 * row['seconds']:.1f} us"
    return f"{row['densest']}, {row['spilling']}/{row['loops']}, {speed}"


def problems(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Compilers that fail or give other results, and sums of products that go to the stack."""
    found = [f"{row['kernel']}, {row['compiler']}: {row['problem']}" for row in rows if row["problem"]]
    moved = [row for row in rows if "share" in row and row["densest"]]
    return found + [f"{row['kernel']}, {row['compiler']}: {row['densest']} moves of sums in the densest loop" for row in moved]


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="kernels whose name has this in it")
    table = measure(parser.parse_args().only)["rows"]
    print(markdown(table))
    print("\n".join(problems(table)))
