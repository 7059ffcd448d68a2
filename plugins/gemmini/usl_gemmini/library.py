"""The simulator as a shared library: one for each chip, compiled on first use and kept in the build cache.

A process has at most one chip of each parameters: C that was linked with the library and Python see the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from usl_c11.cache import compiled, remembered
from usl_c11.compiler import DEFAULT_FLAGS, find_compiler
from usl_gemmini.errors import GemminiError
from usl_gemmini.header import header, source
from usl_gemmini.params import GemminiParams

PARTS = tuple(
    "gemmini_sim.c dram.h state.h movement.h compute.h"
    " timing.h timing_load.h timing_store.h timing_execute.h timing_host.h timing_unroller.h timing_run.h".split()
)


def library_name(params: GemminiParams) -> str:
    """As `-l` names the simulator of a chip."""
    return f"usl_gemmini_{params.hash:016x}"


@functools.cache
def library_path(params: GemminiParams) -> Path:
    """The simulator's shared library, compiled now or earlier. Its folder holds the header `params.header_name` as well.

    Raises:
        JitError: there is no compiler, or nothing can be written.
    """
    texts = {"gemmini.h": header(params)} | {name: source(name) for name in PARTS}
    shared = f"lib{library_name(params)}.so"
    # GNU's and LLVM's linkers alike; programs that are linked with the library look for it by this name
    name = ("-install_name", f"@rpath/{shared}") if sys.platform == "darwin" else (f"-Wl,-soname,{shared}",)
    flags = (*DEFAULT_FLAGS, "-O2", *name)
    compiler = find_compiler()
    parts = ["usl_gemmini", *compiler.command, compiler.version, *flags, *(text for each in texts.items() for text in each)]
    entry = remembered(parts, lambda: compiled(texts, compiler, flags)).parent
    _put(entry / shared, (entry / "library.so").read_bytes())
    _put(entry / params.header_name, header(params).encode())
    return entry / shared


def compile_c(text: str, params: GemminiParams | None = None, flags: Sequence[str] = ()) -> ctypes.CDLL:
    """C that includes the chip's header, compiled, linked with the simulator and loaded.

    Its functions run on the chip that `sim.Simulator(params)` is. A process has each text once, so state in it stays.

    Raises:
        JitError: the compiler refuses the text; its first messages are the notes.
    """
    params = params or GemminiParams()
    folder = library_path(params).parent
    own = (f"-I{folder}", f"-L{folder}", f"-l{library_name(params)}", f"-Wl,-rpath,{folder}")
    path = compiled({"kernel.c": text}, find_compiler(), (*DEFAULT_FLAGS, *own, *flags), f"{params.hash:x}")
    return ctypes.CDLL(str(path))


def _put(file: Path, content: bytes) -> None:
    """Writes a file at once, if it is not there: another process sees it whole or not at all."""
    with contextlib.suppress(OSError):
        if file.read_bytes() == content:
            return
    work = Path(tempfile.mkdtemp(prefix="tmp-", dir=file.parent))
    try:
        (work / file.name).write_bytes(content)
        (work / file.name).replace(file)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@functools.cache
def load(params: GemminiParams) -> ctypes.CDLL:
    """The simulator of a chip in this process.

    Raises:
        GemminiError: the library is that of another chip.
    """
    path = library_path(params)
    library = ctypes.CDLL(str(path))
    library.gemmini_sim_params_hash.restype = ctypes.c_uint64
    found = library.gemmini_sim_params_hash()
    if found != params.hash:
        raise GemminiError(f"{path.name} simulates a chip of parameters {found:#018x}, not {params} ({params.hash:#018x})")
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.gemmini_sim_count.restype = ctypes.c_int64
    library.gemmini_sim_error.restype = ctypes.c_char_p
    library.gemmini_sim_error.argtypes = (ctypes.POINTER(ctypes.c_int64), pointer)
    library.gemmini_sim_trace.restype = size
    library.gemmini_sim_trace.argtypes = (ctypes.POINTER(pointer),)
    library.gemmini_sim_run.argtypes = (pointer, size)
    library.gemmini_sim_run.restype = None
    library.gemmini_sim_time.argtypes = (pointer, ctypes.c_int64, pointer, ctypes.c_int, pointer, pointer)
    library.gemmini_sim_allow.argtypes = (ctypes.c_uint64, ctypes.c_uint64)
    library.gemmini_sim_local.argtypes = (ctypes.c_uint32, ctypes.c_uint32, pointer, pointer)
    library.gemmini_sim_host.argtypes = (ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64)
    library.gemmini_sim_host.restype = None
    return library
