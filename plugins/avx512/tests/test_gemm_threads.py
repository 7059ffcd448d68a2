"""Products on several threads: the bits of one thread, whatever else the process and the machine do."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from avx512_build import require

from usl_avx512.kernels import dgemm, sgemm
from usl_c11.compiler import find_compiler

MULTIPLY = {"float32": sgemm, "float64": dgemm}
THREADS = Path(str(sys.modules["usl_avx512"].__file__)).parent / "kernels" / "threads.c"
SHAPES = ((131, 700, 520), (600, 40, 300), (7, 2000, 900), (300, 3100, 130), (1, 900, 9000), (513, 38, 1500), (10, 1024, 513))
"""Panels and what is left of them, few rows, rows with rows, columns, a vector: all that is shared, and long sums."""


@pytest.fixture(autouse=True)
def _needs_the_processor() -> None:
    require("native")


def product(dtype: str, m: int, n: int, k: int, turned: tuple[bool, bool], threads: int | None) -> np.ndarray:
    """A product of matrices that are always the same."""
    random = np.random.default_rng(m + n + k)
    a = random.uniform(-1, 1, (k, m) if turned[0] else (m, k)).astype(dtype)
    b = random.uniform(-1, 1, (n, k) if turned[1] else (k, n)).astype(dtype)
    c = np.ones((m, n), dtype)
    MULTIPLY[dtype](a, b, c, alpha=1.25, transA=turned[0], transB=turned[1], threads=threads)
    return c


@pytest.mark.parametrize("dtype", MULTIPLY)
def test_the_number_of_threads_does_not_change_a_bit(dtype: str) -> None:
    for shape, turned in itertools.product(SHAPES, itertools.product((False, True), repeat=2)):
        one = product(dtype, *shape, turned, 1)
        for threads in (2, 3, 2**70, None):
            assert np.array_equal(one, product(dtype, *shape, turned, threads)), (shape, turned, threads)


def test_calls_of_many_threads_at_a_time_do_not_meet() -> None:
    wants = [product("float32", *shape, (False, False), 1) for shape in SHAPES]

    def work(number: int) -> bool:
        shape, want = SHAPES[number % len(SHAPES)], wants[number % len(SHAPES)]
        return np.array_equal(want, product("float32", *shape, (False, False), 2))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(60)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_child_has_threads_of_its_own() -> None:
    code = (
        "import os, numpy as np; from usl_avx512.kernels import sgemm\n"
        "A = np.ones((600, 600), np.float32)\n"
        "def work():\n"
        "    C = np.zeros((600, 600), np.float32)\n"
        "    for _ in range(4): sgemm(A, A, C, threads=2)\n"
        "    return (C == 2400).all()\n"
        "assert work()\n"
        "for _ in range(3):\n"
        "    child = os.fork()\n"
        "    if child == 0: os._exit(0 if work() else 1)\n"
        "    assert work() and os.waitpid(child, 0)[1] == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no threads to processors")
def test_small_products_and_a_single_processor_start_no_threads() -> None:
    code = (
        "import os, numpy as np; from usl_avx512.kernels import sgemm\n"
        "def work(n):\n"
        "    before = len(os.listdir('/proc/self/task'))\n"
        "    sgemm(*(np.ones((n, n), np.float32) for _ in range(3)), threads=3)\n"
        "    return len(os.listdir('/proc/self/task')) - before\n"
        "everywhere = os.sched_getaffinity(0)\n"
        "assert work(64) == 0\n"
        "os.sched_setaffinity(0, {min(everywhere)})\n"
        "assert work(600) == 0\n"
        "os.sched_setaffinity(0, everywhere)\n"
        "assert work(600) == min(3, len(everywhere)) - 1\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr


DRIVER = """
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <immintrin.h>
#include "threads.c"
#include <sys/wait.h>

static int mark(const void *work, int64_t piece)
{
    ((int *)work)[piece]++;
    return piece == 777;
}

static void *call_often(void *given)
{
    const int threads = (int)(intptr_t)given;
    static _Thread_local int seen[1000];
    for (int turn = 1; turn <= 300; turn++) {
        const int pieces = 1 + (turn * 37 + threads) % 1000;
        memset(seen, 0, sizeof seen);
        if (usl_share(usl_granted(threads), pieces, mark, seen) != (pieces > 777 ? -1 : 0))
            abort();
        for (int i = 0; i < 1000; i++)
            if (seen[i] != (i < pieces))
                abort();
    }
    return NULL;
}

int main(void)
{
    pthread_t callers[20];
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 20; i++)
            pthread_create(&callers[i], NULL, call_often, (void *)(intptr_t)(1 + i % 7));
        for (int i = 0; i < 20; i++)
            pthread_join(callers[i], NULL);
    }
    if (usl_at_work != 0)
        abort();
    if (FORKS) {
        const pid_t child = fork();
        if (child == 0) {
            call_often((void *)(intptr_t)4);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        return status;
    }
    return 0;
}
"""


@pytest.mark.parametrize("sanitizer", ["thread", "undefined"])
def test_each_piece_is_done_once_and_nothing_races(sanitizer: str, tmp_path: Path) -> None:
    """More callers than teams, more threads than processors, failing pieces, and a child after fork."""
    text = DRIVER.replace("FORKS", "0" if sanitizer == "thread" else "1")  # the sanitizer of threads refuses threads after fork
    (tmp_path / "driver.c").write_text("#define _GNU_SOURCE\n" + text, encoding="utf-8")
    compiler, program = find_compiler(), tmp_path / "driver"
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-DUSL_PROCESSORS=40"]
    command = [*compiler.command, *flags, f"-I{THREADS.parent}", f"-fsanitize={sanitizer}", "-fno-sanitize-recover"]
    made = subprocess.run(
        [*command, str(tmp_path / "driver.c"), "-o", str(program), "-pthread"], capture_output=True, text=True, check=False
    )
    if made.returncode != 0 and "error:" not in made.stderr:
        pytest.skip(f"the compiler has no sanitizer of {sanitizer}")
    assert made.returncode == 0, made.stderr
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
