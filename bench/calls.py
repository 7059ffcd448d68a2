"""What a call of a compiled procedure costs from Python, against its goal, NumPy and cffi.

All multiply 2 x 2 matrices, so that hardly anything but the call is measured. A figure is the least CPU time of many runs.
"""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import cffi
import numpy as np

from bench import kernels_calls as kernels
from usl_c11.calls.extension import entry_type

GOAL = 1.5
"""Microseconds that a call with three arrays may take."""

CALLS = 20_000


@dataclass(frozen=True, slots=True)
class Figure:
    """Microseconds of one way to call; goal is 0 where there is none."""

    what: str
    microseconds: float
    goal: float = 0.0


def measure(rounds: int) -> list[Figure]:
    """The figures, in the order of the table."""
    a, b, c = (np.ones((2, 2), np.float32) for _ in range(3))
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    dense, windows, axpy = (each.jit() for each in (kernels.matmul, kernels.matmul_of_windows, kernels.axpy))
    axpy(4, 0.5, x, y)
    ways: dict[str, Callable[[], object]] = {
        "`jit()`, three dense arrays": lambda: dense(2, 2, 2, a, b, c),
        "`jit()`, three windows": lambda: windows(2, 2, 2, a, b, c),
        "`jit()`, three windows, by name": lambda: windows(n=2, m=2, k=2, A=a, B=b, C=c),
        "`jit()`, a number and two windows": lambda: axpy(4, 0.5, x, y),
        "`jit()`, three dense arrays, without Python's headers": lambda: dense._slowly(2, 2, 2, a, b, c),
        "`jit()`, three windows, without Python's headers": lambda: windows._slowly(2, 2, 2, a, b, c),
        "`numpy.matmul(a, b, out=c)`": lambda: np.matmul(a, b, out=c),
        **_through_cffi(dense, (a, b, c)),
    }
    with_goal = "`jit()`, three dense arrays", "`jit()`, three windows"
    return [Figure(what, _microseconds(call, rounds), GOAL if what in with_goal else 0.0) for what, call in ways.items()]


def _through_cffi(dense: Any, arrays: tuple[Any, ...]) -> Mapping[str, Callable[[], object]]:
    """The same C function through cffi's ABI mode, without any check in Python."""
    ffi = cffi.FFI()
    ffi.cdef("int matmul(int64_t, int64_t, int64_t, float *, float *, float *);")
    function = ffi.dlopen(dense.library).matmul
    ready = [ffi.from_buffer("float[]", array) for array in arrays]
    flat, buffer = ffi.typeof("float[]"), ffi.from_buffer
    a, b, c = arrays
    return {
        "cffi, pointers made before": lambda: function(2, 2, 2, *ready),
        "cffi, `from_buffer` in each call": lambda: function(2, 2, 2, buffer(flat, a), buffer(flat, b), buffer(flat, c)),
    }


def _microseconds(call: Callable[[], object], rounds: int) -> float:
    call()
    return min(timeit.repeat(call, timer=time.process_time, number=CALLS, repeat=rounds)) / CALLS * 1e6


def judge(figures: list[Figure]) -> list[str]:
    """The goals that were missed; without the headers of Python there are none."""
    if entry_type() is None:
        return []
    return [
        f"{each.what}: {each.microseconds:.2f} us, the goal is {each.goal} us"
        for each in figures
        if 0 < each.goal < each.microseconds
    ]


def markdown(figures: list[Figure]) -> str:
    """The table of docs/performance.md."""
    rows = (f"| {each.what} | {each.microseconds:.2f} | {each.goal or ''} |" for each in figures)
    return "\n".join(["| call | microseconds | goal |", "| --- | ---: | ---: |", *rows, ""])
