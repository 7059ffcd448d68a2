"""NumPy's matrix product on one thread, in a process of its own with nobody's BLAS settings in its environment.

An inherited `OPENBLAS_CORETYPE` can halve the speed of OpenBLAS; a baseline measured under it would be a strawman.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from bench.toolchain import ToolError

FOREIGN = ("OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "NVPL_", "OMP_", "KMP_", "GOMP_")
"""Prefixes of environment variables that steer a BLAS or its threads."""


def clean_environment() -> dict[str, str]:
    """This environment without BLAS settings, limited to one OpenMP thread; sources are imported from where they are now."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
    return environment | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


class BlasChild:
    """The child process. `seconds()` has it multiply once; use as a context manager."""

    def __init__(self, n: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.blas", str(n)],
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.threads = int(self._read_line())
        """Threads that the child had after a first product; one, or the comparison would not be fair."""

    def seconds(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return float(self._read_line())

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ToolError(f"the BLAS process ended with status {self._process.wait()}")
        return line

    def __enter__(self) -> BlasChild:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def count_threads() -> int:
    """Threads of this process, 1 where the system does not tell."""
    try:
        return sum(1 for _ in Path("/proc/self/task").iterdir())
    except OSError:
        return 1


def serve(n: int) -> None:
    """The child: answer each line on standard input with the seconds of one product of n x n matrices."""
    if hasattr(os, "sched_setaffinity"):  # before NumPy is imported: OpenBLAS counts the processors it may use
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    import time

    import numpy as np

    random = np.random.default_rng(0)
    a, b = (random.standard_normal((n, n), dtype=np.float32) for _ in range(2))
    c = np.empty_like(a)
    np.matmul(a, b, out=c)
    print(count_threads(), flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        np.matmul(a, b, out=c)
        print(time.perf_counter() - begin, flush=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
