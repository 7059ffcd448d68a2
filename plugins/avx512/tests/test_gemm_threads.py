"""BLAS level 3 on several threads: the bits of one thread, whatever else the process and the machine do."""

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

from usl_avx512 import kernels
from usl_avx512.kernels import dgemm, sgemm
from usl_avx512.kernels.level3_library import gemm_path
from usl_c11.compiler import find_compiler

MULTIPLY = {"float32": sgemm, "float64": dgemm}
THREADS = Path(str(sys.modules["usl_avx512"].__file__)).parent / "kernels" / "threads.c"
SHAPES = (
    (131, 700, 520),
    (600, 40, 300),
    (7, 2000, 900),
    (300, 3100, 130),
    (1, 900, 9000),
    (513, 38, 1500),
    (10, 1024, 513),
    (14, 606, 2048),
    (13, 1130, 1500),
    (701, 1003, 17),
    (2900, 1500, 2),
)
"""Panels and what is left of them, few rows, rows with rows, columns, a vector: all that is shared, and long sums; a
matrix that comes from memory, bands of rows near and far."""


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


def of_level3(letter: str, threads: int | None) -> dict[str, np.ndarray]:
    """What each routine beside `gemm` makes of matrices that are always the same."""
    random, dtype = np.random.default_rng(7), np.dtype({"s": "float32", "d": "float64"}[letter])
    A, B, C = (random.uniform(-1, 1, shape).astype(dtype) for shape in ((400, 400), (400, 330), (400, 330)))
    a, b = (random.uniform(-1, 1, (9, 120, 110)).astype(dtype) for _ in range(2))
    A += 400 * np.eye(400, dtype=dtype)
    found = {name: C.copy() for name in ("symm", "trmm", "trsm", "trsm_t")}
    found |= {name: A.copy() for name in ("syrk", "syr2k")} | {"batch": np.zeros((9, 120, 120), dtype)}
    found |= {"few": np.zeros((2, 400, 400), dtype)}

    def call(name: str, *arguments: object, **options: bool) -> None:
        getattr(kernels, letter + name)(*arguments, threads=threads, **options)

    call("symm", 1.5, A, B, 0.5, found["symm"], lower=True)
    call("syrk", 1.5, B, 0.5, found["syrk"])
    call("syr2k", 1.5, B, C, 0.5, found["syr2k"], lower=True)
    call("trmm", 1.5, A, found["trmm"])
    call("trsm", 1.5, A, found["trsm"], lower=True)
    call("trsm", 1.5, A, found["trsm_t"].T, right=True)
    call("gemm_batch_strided", a, b, found["batch"], transB=True)
    call("gemm_batch_strided", np.stack([A, A]), np.stack([A, A.T]), found["few"])
    return found


@pytest.mark.parametrize("letter", "sd")
def test_all_of_level_3_has_the_same_bits_on_any_number_of_threads(letter: str) -> None:
    one = of_level3(letter, 1)
    for threads in (2, 3, None):
        for name, result in of_level3(letter, threads).items():
            assert np.array_equal(one[name], result), (name, threads)


@pytest.mark.parametrize("name", ["sgemm", "ssymm", "dtrsm", "sgemm_batch_strided"])
def test_a_wrong_number_of_threads_is_refused_before_anything_is_written(name: str) -> None:
    matrices = [
        np.ones((2, 2, 2) if "batch" in name else (2, 2), np.float64 if name[0] == "d" else np.float32) for _ in range(3)
    ]
    arguments = {"ssymm": (2.0, matrices[0], matrices[1], 2.0, matrices[2]), "dtrsm": (2.0, *matrices[:2])}.get(name, matrices)
    for threads, error in ((0, ValueError), (-3, ValueError), (1.0, TypeError), (True, TypeError), ("2", TypeError)):
        with pytest.raises(error, match="threads must be"):
            getattr(kernels, name)(*arguments, threads=threads)
    assert all((matrix == 1).all() for matrix in matrices)


def test_beside_busy_processes_results_are_the_same() -> None:
    wants = [product("float32", *shape, (False, True), 1) for shape in SHAPES]
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        for _ in range(5):
            for shape, want in zip(SHAPES, wants, strict=True):
                assert np.array_equal(want, product("float32", *shape, (False, True), 2))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


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
        "def forks():\n"
        "    for _ in range(3):\n"
        "        child = os.fork()\n"
        "        if child == 0: os._exit(0 if work() else 1)\n"
        "        assert work() and os.waitpid(child, 0)[1] == 0\n"
        "forks()\n"
        "import threading\n"
        "others = [threading.Thread(target=lambda: [work() for _ in range(20)]) for _ in range(2)]\n"
        "for other in others: other.start()\n"
        "forks()\n"  # while other threads are in calls
        "for other in others: other.join()\n"
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


def ran(source: str, folder: Path, flags: list[str], missing: str) -> None:
    """Compile a program and run it; skip, with missing as the reason, where the compiler has not what the flags ask for."""
    (folder / "driver.c").write_text("#define _GNU_SOURCE\n" + source, encoding="utf-8")
    compiler, program = find_compiler(), folder / "driver"
    command = [*compiler.command, "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", *flags]
    command += [f"-I{THREADS.parent}", str(folder / "driver.c"), "-o", str(program), "-pthread", "-ldl", "-lm"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0 and "driver.c" not in made.stderr:
        pytest.skip(missing)
    assert made.returncode == 0, made.stderr
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


OPENMP = """
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <dirent.h>

enum { N = 300, CALLERS = 4 };
static float a[N * N], want[N * N], found[CALLERS][N * N];
typedef int gemm(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                 float *, int64_t);

static int threads_there(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (; tasks != NULL && readdir(tasks) != NULL; count++)
        ;
    if (tasks != NULL)
        closedir(tasks);
    return count;
}

int main(void)
{
    void *library = dlopen("LIBRARY", RTLD_NOW);
    gemm *multiply = library == NULL ? NULL : (gemm *)dlsym(library, "usl_sgemm_threads");
    if (multiply == NULL)
        return printf("no library: %s", dlerror()), 1;
    for (int i = 0; i < N * N; i++)
        a[i] = (float)(i * 7919 % 1000) / 999;
    multiply(1, 111, 112, N, N, N, 1, a, N, a, N, 0, want, N);
    omp_set_num_threads(CALLERS);
#pragma omp parallel
    found[omp_get_thread_num()][0] = 1;
    const int before = threads_there();
    int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    for (int turn = 0; turn < 5; turn++) {
        float *own = found[omp_get_thread_num()];
        wrong += multiply(8, 111, 112, N, N, N, 1, a, N, a, N, 0, own, N) != 0 || memcmp(own, want, sizeof want) != 0;
    }
    if (wrong || threads_there() != before)
        return printf("%d wrong, %d and %d threads", wrong, before, threads_there()), 1;
    multiply(8, 111, 112, N, N, N, 1, a, N, a, N, 0, found[0], N); /* and after it, with threads of its own */
    return memcmp(found[0], want, sizeof want) != 0;
}
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list threads")
def test_calls_in_a_parallel_region_of_openmp_have_their_own_thread_alone(tmp_path: Path) -> None:
    text = OPENMP.replace("LIBRARY", str(gemm_path("usl_sgemm")))
    ran(text, tmp_path, ["-fopenmp", "-Wno-pedantic"], "the compiler has no OpenMP")


AROUND = """
#include <fenv.h>
#include <sched.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <immintrin.h>
#include "threads.c"

enum { PIECES = 12 };
static pthread_t caller;
static atomic_int begun, done, elsewhere;
static char *closed;

static void rest(long milliseconds)
{
    const struct timespec some = {0, milliseconds * 1000000};
    nanosleep(&some, NULL);
}

static int slow(const void *work, int64_t piece)
{
    (void)work;
    (void)piece;
    atomic_fetch_add(&begun, 1);
    rest(4);
    atomic_fetch_add(&done, 1);
    return 0;
}

static void *call_and_end(void *given)
{
    (void)given;
    usl_share(2, PIECES, slow, NULL);
    pthread_testcancel();
    return &done; /* it was not cancelled */
}

/* Each piece where both threads have one: the worker's, then, is none of the caller's. */
static int particular(const void *work, int64_t piece)
{
    (void)piece;
    if (pthread_equal(pthread_self(), caller)) {
        for (int i = 0; i < 2000 && atomic_load(&elsewhere) == 0; i++)
            rest(1);
        return 0;
    }
    atomic_fetch_add(&elsewhere, 1);
    if (strcmp(work, "flags") == 0)
        feraiseexcept(FE_DIVBYZERO);
    if (strcmp(work, "fault") == 0)
        *(volatile char *)closed = 1;
    cpu_set_t now;
    if (strcmp(work, "place") == 0)
        return sched_getaffinity(0, sizeof now, &now) != 0 || CPU_COUNT(&now) != 1;
    return 0;
}

static int shared(const char *what)
{
    atomic_store(&elsewhere, 0);
    return usl_share(2, 2, particular, what) != 0 || atomic_load(&elsewhere) == 0;
}

static void open_again(int number)
{
    (void)number;
    mprotect(closed, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
    if (usl_granted(9) != 2)
        return 1; /* the files say so much time that two processors have it */
    pthread_t other;
    void *ended;
    pthread_create(&other, NULL, call_and_end, NULL);
    while (atomic_load(&begun) == 0)
        rest(1);
    pthread_cancel(other);
    pthread_join(other, &ended);
    if (ended != PTHREAD_CANCELED || atomic_load(&done) != PIECES || usl_teams[0].taken || usl_at_work != 0)
        return 2;
    caller = pthread_self();
    feclearexcept(FE_ALL_EXCEPT);
    if (shared("nothing") || fetestexcept(FE_DIVBYZERO) || shared("flags") || !fetestexcept(FE_DIVBYZERO))
        return 3; /* what a worker raised is to be seen by the caller, and nothing else */
    closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, open_again);
    if (shared("fault"))
        return 4; /* the program's handler is to be called in a worker as well */
    cpu_set_t before, first;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&first);
    for (int i = 0; CPU_COUNT(&first) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &first);
    sched_setaffinity(0, sizeof first, &first);
    return shared("place") ? 5 : 0; /* workers are where the caller is, not where the first caller was */
}
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system binds no threads to processors")
def test_cancelled_callers_flags_faults_processors_and_limits_of_time_are_heeded(tmp_path: Path) -> None:
    inner = tmp_path / "groups" / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "own").write_text("0::/outer/inner\n", encoding="utf-8")
    for folder, limit in ((inner, "max 100000"), (inner.parent, "150000 100000"), (inner.parents[1], "1600000 100000")):
        (folder / "cpu.max").write_text(limit + "\n", encoding="utf-8")
    files = [f'-DUSL_GROUPS="{tmp_path / "groups"}"', f'-DUSL_OWN_GROUP="{tmp_path / "own"}"']
    ran(AROUND, tmp_path, ["-DUSL_PROCESSORS=40", *files], "the compiler has no POSIX threads")


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
    flags = ["-DUSL_PROCESSORS=40", f"-fsanitize={sanitizer}", "-fno-sanitize-recover"]
    ran(text, tmp_path, flags, f"the compiler has no sanitizer of {sanitizer}")
