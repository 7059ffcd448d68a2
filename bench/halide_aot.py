"""Halide pipelines compiled ahead of time into shared libraries, which are kept, and called with NumPy arrays.

    python -m bench.halide_aot box_blur 1536x2560 Adams2019 2      # one library: its path, or why there is none

The compiler runs in a process of its own, since automatic schedulers take minutes, or end with the process. A call costs a
microsecond, less than one through Halide's Python.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import inspect
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.images_halide import BY_HAND, DEFINED

if TYPE_CHECKING:
    from bench.images import Case

AUTOMATIC = ("Mullapudi2016", "Adams2019", "Li2018")
KEPT = Path(__file__).resolve().parent.parent / ".cache" / "images"
LIMIT = 150
"""Seconds that one schedule may take to be found and compiled."""

FUNCTION = "halide_pipeline"


def library(case: Case, how: str, threads: int) -> Path:
    """Where the library of a kernel with a schedule is, or will be; those by hand do not depend on sizes and threads."""
    made_of = [inspect.getsource(each) for each in (build, DEFINED[case.kernel], BY_HAND[case.kernel].get(how, build))]
    made_of.append(importlib.metadata.version("halide"))
    named = [case.kernel, how]
    if how in AUTOMATIC:
        named += [case.size, str(threads)]
    elif len(case.inputs) > 1:
        named.append(case.size)  # tables are constants of the pipeline
    return KEPT / f"{'-'.join(named)}-{hashlib.sha256(''.join(made_of).encode()).hexdigest()[:12]}.so"


def prepare(case: Case, how: str, threads: int) -> str:
    """Make the library if it is not there; what went wrong, if anything did."""
    path = library(case, how, threads)
    why = path.with_suffix(".txt")
    if path.exists():
        return ""
    if why.exists():
        return why.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "bench.halide_aot", case.kernel, case.size, how, str(threads)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        message = "" if path.exists() else (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        message = f"not done after {LIMIT} s"
    if message:
        KEPT.mkdir(parents=True, exist_ok=True)
        why.write_text(message, encoding="utf-8")
    return message


def build(case: Case, how: str, threads: int) -> Path:
    """Define, schedule and compile a pipeline, link it with Halide's runtime, and try it."""
    import halide as hl
    import numpy as np

    given = hl.ImageParam(_kind(hl, case.inputs[0].dtype), case.inputs[0].ndim, "given")
    tables = [hl.Buffer(each) for each in case.inputs[1:]]
    output, funcs = DEFINED[case.kernel](hl, given, *tables)
    made = hl.Pipeline(output)
    target = hl.get_host_target()
    if how in AUTOMATIC:
        (plugin,) = Path(hl.__file__).parent.rglob(f"libautoschedule_{how.lower()}.so")
        hl.load_plugin(str(plugin))
        for dim, extent in enumerate(reversed(case.shape)):
            output.set_estimate(output.args()[dim], 0, extent)
        for dim, extent in enumerate(reversed(case.inputs[0].shape)):
            given.dim(dim).set_estimate(0, extent)
        made.apply_autoscheduler(target, hl.AutoschedulerParams(how, {"parallelism": str(threads)}))
    else:
        BY_HAND[case.kernel][how](hl, output, funcs)
    path = library(case, how, threads)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        archive, linked = f"{folder}/pipeline.a", f"{folder}/pipeline.so"
        made.compile_to({hl.OutputFileType.static_library: archive}, [given], FUNCTION, target)
        compiler = os.environ.get("CC", "cc")
        whole = ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
        subprocess.run([compiler, "-shared", "-o", linked, *whole, "-lpthread", "-ldl", "-lm"], check=True)
        run, _ = caller(Path(linked), case.inputs[0], np.zeros(case.shape, case.inputs[0].dtype))
        run()  # a pipeline that fails ends this process
        Path(linked).replace(path)
    return path


def _kind(hl: Any, dtype: Any) -> Any:
    return hl.Float(32) if dtype.kind == "f" else hl.UInt(8 * dtype.itemsize)


class _Dimension(ctypes.Structure):
    _fields_ = (("min", ctypes.c_int32), ("extent", ctypes.c_int32), ("stride", ctypes.c_int32), ("flags", ctypes.c_uint32))


class _Buffer(ctypes.Structure):
    """Reference: HalideRuntime.h of release 21, halide_buffer_t."""

    _fields_ = (
        ("device", ctypes.c_uint64),
        ("device_interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(_Dimension)),
        ("padding", ctypes.c_void_p),
    )


def caller(path: Path, given: Any, result: Any) -> tuple[Callable[[], object], Callable[[int], object]]:
    """What runs a library on an array, and what sets its number of threads."""
    loaded = ctypes.CDLL(str(path))
    function = getattr(loaded, FUNCTION)
    arguments = [_buffer(given), _buffer(result)]

    arrays = given, result  # run keeps them alive

    def run() -> None:
        assert arrays
        status = function(*(ctypes.byref(each) for each in arguments))
        if status:
            raise RuntimeError(f"{path.name}: Halide's status {status}")

    return run, loaded.halide_set_num_threads


def _buffer(array: Any) -> _Buffer:
    """Halide numbers dimensions from the innermost. The buffer does not keep the array alive."""
    strides = [each // array.itemsize for each in array.strides]
    dims = [_Dimension(0, extent, stride, 0) for extent, stride in zip(array.shape, strides, strict=True)][::-1]
    code = {"i": 0, "u": 1, "f": 2}[array.dtype.kind]
    shape = (_Dimension * len(dims))(*dims)
    return _Buffer(0, None, array.ctypes.data, 0, code, 8 * array.itemsize, 1, len(dims), shape, None)


if __name__ == "__main__":
    from bench.images import cases

    (_case,) = cases([sys.argv[1]], [sys.argv[2]])
    print(build(_case, sys.argv[3], int(sys.argv[4])))
