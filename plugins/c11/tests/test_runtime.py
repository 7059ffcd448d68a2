"""The runtime by itself, through runtime_driver.c: each case in each build, with the sanitizers that the compiler has."""

from __future__ import annotations

import math
import random
import re
import resource
import signal
import struct
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from usl_c11.compiler import find_compiler
from usl_c11.runtime import runtime_files

DRIVER = Path(__file__).with_name("runtime_driver.c")

BUILDS = {
    "plain": ("-O2",),
    "malloc": ("-O1", "-DUSL_MALLOC"),
    "debug": ("-O1", "-DUSL_DEBUG"),
    "asan": ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    "ubsan": ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"),
    "tsan": ("-O1", "-fsanitize=thread"),
    "sequential": ("-O1", "-D__STDC_NO_ATOMICS__"),
}
"""UBSan by itself: only there is it the runtime's own allocator."""


@pytest.fixture(scope="module")
def drivers(tmp_path_factory):
    """Builds a driver on first use; skips where the compiler cannot."""
    made: dict[str, Path] = {}
    folder = tmp_path_factory.mktemp("driver")
    for file, text in runtime_files().items():
        (folder / file).write_text(text)

    def driver(build: str) -> Path:
        if build not in made:
            output = folder / build
            warnings = ("-Wall", "-Wextra", "-Wshadow", "-Werror", "-Wno-use-after-free") if build == "plain" else ()
            command = [*find_compiler().command, "-std=c11", "-pthread", *warnings, *BUILDS[build], "-I", str(folder)]
            if "-Wno-use-after-free" in command and "clang" in find_compiler().version:
                command.remove("-Wno-use-after-free")
            done = subprocess.run(
                [*command, str(DRIVER), str(folder / "usl_rt.c"), "-o", str(output), "-lm"],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0 and any(flag.startswith("-fsanitize") for flag in command):
                pytest.skip(f"the compiler lacks {build}")
            assert done.returncode == 0, done.stderr
            made[build] = output
        return made[build]

    return driver


def run(program: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(program), *arguments], input=stdin, capture_output=True, text=True, check=False)


SOUND = ("deep", "counts", "sticky", "statics", "sizes", "share_cycle", "arrays", "strings")
THREADED = ("threads", "joins", "shared_joins", "cells")


@pytest.mark.parametrize("case", (*SOUND, *THREADED))
@pytest.mark.parametrize("build", BUILDS)
def test_case(case, build, drivers):
    done = run(drivers(build), case, "empty")
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("case", ["migrate", "handover"])
def test_memory_serves_other_sizes_and_returns_from_other_threads(case, drivers):
    done = run(drivers("plain"), case, "empty")
    assert done.returncode == 0, done.stderr


def test_a_heap_takes_little_more_than_its_blocks(drivers):
    done = run(drivers("plain"), "frugal", "empty")
    assert done.returncode == 0, done.stderr


def test_floats_print_as_python_prints_them(drivers):
    rng = random.Random(1)
    values = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(3000)]
    values += [rng.uniform(-1000, 1000) for _ in range(500)] + [round(rng.uniform(-1e6, 1e6), 3) for _ in range(500)]
    values += [float(m) * 10.0**e for m in (1, 12, 123456789) for e in range(-12, 25)]
    values += [0.0, -0.0, 1.0, -1.0, 0.1, 1e16, 1e15, 123456789012345680.0, 1e-4, 1e-5, 5e-324, math.inf, -math.inf, math.nan]
    done = run(drivers("plain"), "floats", "empty", stdin="".join(f"{value!r}\n" for value in values))
    assert done.stdout.split() == [repr(value) for value in values]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("double_free", "drop of a block that is freed; it was allocated at driver.c:node"),
        ("use_after_free", "use of a block that is freed; it was allocated at driver.c:node"),
        ("write_after_free", "write to a field of a block that is freed; it was allocated at driver.c:node"),
        ("use_of_token", "dup of a block that is kept for reuse; it was allocated at driver.c:node"),
    ],
)
def test_the_debug_runtime_finds(case, message, drivers):
    done = run(drivers("debug"), case)
    assert done.returncode < 0
    assert message in done.stderr


def test_the_debug_runtime_lists_leaks_by_line(drivers):
    done = run(drivers("debug"), "leak")
    assert done.stderr.count("usl: leak: 32 bytes allocated at driver.c:node") == 2
    assert "cycle" not in done.stderr


def test_the_debug_runtime_prints_cycles(drivers):
    text = run(drivers("debug"), "cycle").stderr
    assert "usl: a cycle, which counting cannot free:" in text
    chain = [line.split("allocated at ")[1].split(" ")[0] for line in text.splitlines() if "the block allocated" in line]
    assert sorted(chain[:2]) == ["driver.c:node", "driver.c:ref"]
    assert chain[0] == chain[2]


@pytest.mark.skipif(sys.platform != "linux", reason="only there stacks are watched")
def test_a_stack_that_overflows_is_reported_before_the_process_ends(drivers):
    small = partial(resource.setrlimit, resource.RLIMIT_STACK, (1 << 20, resource.RLIM_INFINITY))
    full = subprocess.run([str(drivers("plain")), "overflow"], capture_output=True, text=True, check=False, preexec_fn=small)
    assert full.returncode == -signal.SIGSEGV
    message = r"usl: the stack overflows \(\d+ KiB\): a recursion does not end, or is too deep for it\n"
    assert re.fullmatch(message, full.stderr)
    other = run(drivers("plain"), "wild")
    assert (other.returncode, other.stderr) == (-signal.SIGSEGV, "")


def test_the_debug_runtime_counts(drivers):
    assert run(drivers("debug"), "statistics").stdout == "1 1 1 1 2\n"
