"""A procedure as a callable on NumPy arrays: compiled C, called through its trampoline."""

from __future__ import annotations

import ctypes
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from usl_c11.arguments import Packed
from usl_c11.build import build_in_cache
from usl_c11.cache import command_of
from usl_c11.calls.entry import make_entry
from usl_c11.context import Context
from usl_c11.emit import Library, library
from usl_c11.trampoline import PREFIX, with_trampolines
from usl_core import Procedure
from usl_core.calling import formals, require_dtypes
from usl_core.errors import JitError
from usl_core.ir.identity import Identical
from usl_core.ir.nodes import Proc
from usl_core.pickling import procedure_of


class JitProcedure(Identical):
    """A compiled procedure. Call it with the formals' values in order, or by name; arrays are changed in place.

    Sizes and indices are ints, data are NumPy arrays of exactly the formal's dtype and shape (windows: with any
    strides); a scalar is an array of one element, or a number if the procedure only reads it. `source` is the C text, `command`
    the compiler with its flags; `parallel` says whether `par` loops use threads, and is None if there are none.

    A procedure with configuration that C may read back takes `configs` by name: a dict from (configuration, field) to a value,
    which gives fields their values at the start and holds all of them afterwards. Without it they start as zero. Each call has
    a context of its own, so that calls may run at the same time.

    Calls raise JitError: an argument has the wrong type, shape or place, an assertion does not hold, a `check` failed, or there
    was no memory.
    """

    # Python finds `__call__` in this slot, so that a call goes to the object in it without a frame of ours in between.
    __slots__ = (
        "__call__",
        "__name__",
        "_context",
        "_error",
        "_formals",
        "_function",
        "_options",
        "_proc",
        "command",
        "library",
        "parallel",
        "source",
    )

    __call__: Callable[..., None]

    def __init__(self, proc: Proc, source: str, path: str, lib: Library, options: Mapping[str, Any] | None = None) -> None:
        loaded = _load(proc, path)
        self._function = getattr(loaded, f"{PREFIX}{proc.name}")
        self._error = getattr(loaded, f"{proc.name}_error")
        self._error.restype = ctypes.c_char_p
        self._proc, self._formals, self._options = proc, formals(proc), options
        self._context = Context(proc.name, lib) if proc in lib.contexts else None
        self.__name__, self.source, self.library, self.command = proc.name, source, path, command_of(Path(path))
        threads = any(flag.startswith("-fopenmp") for flag in shlex.split(self.command))
        self.parallel = threads if lib.has_parallel_loops else None
        self.__call__ = self._first

    def __repr__(self) -> str:
        how = {None: "", True: ", with threads", False: ", its parallel loops in order: no -fopenmp"}[self.parallel]
        return f"<compiled {self.__name__} from {self.library}{how}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """A process that gets it compiles the procedure too, or finds it in the cache; one of a batch is refused."""
        if self._options is None:
            return super().__reduce_ex__(protocol)
        return compiled_again, (procedure_of(self._proc), self._options)

    def _first(self, /, *args: Any, **kwargs: Any) -> None:
        """The first call. It finds out whether arguments can be checked in C, for which NumPy must be loaded."""
        address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        entry = make_entry(self._formals, address, self._slowly, self._refused, self._context is not None)
        self.__call__ = entry or self._slowly
        self.__call__(*args, **kwargs)

    def _slowly(self, /, *args: Any, **kwargs: Any) -> None:
        """A call whose arguments are checked in Python: those that need a conversion, or an explanation."""
        configs = kwargs.pop("configs", {}) if self._context is not None else {}
        context = None if self._context is None else self._context.made(configs)
        packed = Packed(self._proc, self._formals, args, kwargs)
        status = self._function(*packed.pointers(context))
        if self._context is not None:
            self._context.report(context, configs)
        if status != 0:
            raise self._failure(status)

    def _refused(self, status: int, /, *args: Any) -> None:
        """Raises what a status says of arguments that were checked in C; the tests in Python have the better messages."""
        Packed(self._proc, self._formals, args, {})
        raise self._failure(status)

    def _failure(self, status: int) -> JitError:
        return JitError(f"{self._proc.name}: {self._error(status).decode()}")


def _load(proc: Proc, path: str) -> ctypes.CDLL:
    try:
        # never unloaded: the threads of an OpenMP runtime outlive a call, and would run in unmapped code
        return ctypes.CDLL(path, mode=os.RTLD_NOW | getattr(os, "RTLD_NODELETE", 0))
    except OSError as error:
        raise JitError(f"cannot load the compiled {proc.name}: {error}") from None


def jit(proc: Proc, *, flags: Sequence[str] = (), march: str | None = None) -> JitProcedure:
    """Compiles proc, or takes it from the cache.

    flags come after the default ones (-O3, -std=c11, -ffp-contract=off, and those of the CPU features that instructions
    name), so they win; march="native" lets the compiler use everything that this machine has.

    Raises:
        BackendError: proc cannot be C. JitError: the compiler is missing or fails, the processor lacks a feature, or the cache
            cannot be written.
    """
    if not isinstance(flags, list | tuple) or not all(isinstance(each, str) and "\0" not in each for each in flags):
        raise JitError(f"flags must be a list of texts, got {flags!r}")
    lib = library([proc], proc.name)
    require_dtypes(formals(proc))
    path = build_in_cache(lib, with_trampolines(lib, [proc]), flags, march)
    return JitProcedure(proc, lib.files[f"{proc.name}.c"], str(path), lib, {"flags": tuple(flags), "march": march})


def compiled_again(procedure: Procedure, options: Mapping[str, Any]) -> Callable[..., Any]:
    """A pickled callable."""
    return procedure.jit(**options)
