"""The heap of this process: the runtime, compiled and loaded once, with one context that the lock guards.

All compiled programs share it, so that a value that one of them made may be given to another.
"""

from __future__ import annotations

import functools
import re
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from usl_c11.cache import compiled
from usl_c11.compiler import DEFAULT_FLAGS, Compiler, find_compiler
from usl_c11.runtime import runtime_files
from usl_c11.runtime.abi import DECLARATIONS, FUNCTIONS
from usl_core.errors import JitError
from usl_perceus.python.output import Output
from usl_perceus.python.worker import HeapLock, Worker

NOTHING = 1
"""An odd word is not counted: the elements of an array before they are set."""


class Heap:
    """The runtime and its context. Every use of either holds `lock`."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self.ffi, self.lib = ffi, lib
        self.output = Output()
        self.lock = HeapLock(self.output)
        self.in_worker = Worker(self.lock, lib.usl_watch_stack)
        self.context = lib.usl_context_acquire()
        self.site = ffi.new("char[]", b"Python")
        self.dropped: deque[int] = deque()
        """References that finalizers left."""
        self.worker: Any = None
        """The thread of calls in C, made when there is one."""
        self.drop: Callable[[int], object] = self.release_later
        """Gives up a reference, from a finalizer."""
        self._write = ffi.callback("void(void *, const char *, size_t)", self._print)
        lib.usl_set_output(self.context, self._write, ffi.NULL)

    def _print(self, user: Any, data: Any, count: int) -> None:
        if not self.output.write(self.ffi.buffer(data, count)[:].decode("utf-8", "replace")) and self.worker is not None:
            self.worker.failed = True

    def unwritten(self) -> BaseException | None:
        """What kept text from being written since this was asked last."""
        failure, self.output.failure = self.output.failure, None
        if self.worker is not None:
            self.worker.failed = False
        return failure

    def release_later(self, address: int) -> None:
        """Gives up a reference, from a finalizer: at once if nobody uses the heap, else when it is used next."""
        self.dropped.append(address)
        if self.lock.try_acquire():
            try:
                self.collect()
            finally:
                self.lock.release()

    def collect(self) -> None:
        """Gives up the references that finalizers left. The lock is held."""
        while self.dropped:
            try:
                address = self.dropped.popleft()
            except IndexError:  # another thread's finalizer was faster
                return
            self.lib.usl_release(self.ffi.cast("usl_value", address), self.context)

    def release(self, value: Any) -> None:
        """Gives up one reference to a block. The lock is held."""
        self.lib.usl_release(value, self.context)

    def address(self, pointer: Any) -> int:
        """Of a function or of data."""
        return int(self.ffi.cast("uintptr_t", pointer))

    def entry_points(self) -> tuple[int, ...]:
        """The runtime's functions and data in the order of `struct runtime` in entry.c."""
        names = (
            *("usl_release", "usl_retain", "usl_has_thrown", "usl_take_exception", "usl_was_out_of_memory"),
            *("usl_string_new", "usl_raw_array_new", "usl_raw_array_lent", "usl_raw_array_return"),
        )
        return (*(self.address(getattr(self.lib, name)) for name in names), self.address(self.context), self.address(self.site))


def cffi() -> Any:
    """The package, which calls need."""
    try:
        import cffi
    except ImportError:
        raise JitError("calling a @fun needs the package cffi", notes=("pip install cffi numpy",)) from None
    return cffi


def shared_flags(compiler: Compiler) -> tuple[str, ...]:
    """Flags for a library that takes the runtime from the process. Its own functions are hidden: the dynamic linker would call
    one of the C library instead where that has one of the same name, as glibc has `step`."""
    return (*DEFAULT_FLAGS, "-fvisibility=hidden", *(("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()))


class Undefined(Exception):
    """No library of the process defines the symbol that is its argument."""


def load(ffi: Any, path: str, *, everywhere: bool = False) -> Any:
    """The library, for the rest of the process: blocks and threads may refer to its code.

    Raises:
        Undefined: it needs a function that is nowhere. JitError: it cannot be loaded for another reason.
    """
    flags = ffi.RTLD_NOW | getattr(ffi, "RTLD_NODELETE", 0) | (ffi.RTLD_GLOBAL if everywhere else 0)
    try:
        return ffi.dlopen(path, flags)
    except OSError as error:
        missing = re.search(r"undefined symbol: (\w+)|symbol not found in flat namespace '_(\w+)'", str(error))
        if missing is None:
            raise JitError(f"cannot load {path}: {error}") from None
        raise Undefined(missing[1] or missing[2]) from None


_making = threading.Lock()


def heap() -> Heap:
    """The heap of this process, made when it is first needed.

    Raises:
        JitError: there is no compiler, or it fails.
    """
    with _making:
        return _heap()


@functools.cache
def _heap() -> Heap:
    ffi = cffi().FFI()
    ffi.cdef(DECLARATIONS + FUNCTIONS)
    compiler = find_compiler()
    texts = runtime_files()
    files = {"usl_rt.c": texts["usl_rt.c"], "usl_rt.h": texts["usl_rt.h"]}
    path = compiled(files, compiler, (*DEFAULT_FLAGS, "-pthread"))
    return Heap(ffi, load(ffi, str(path), everywhere=True))


def live_blocks() -> int:
    """How many blocks are alive in the heap of this process, threads that still run not counted exactly."""
    own = heap()
    with own.lock:
        own.collect()
        return int(own.lib.usl_live_blocks())
