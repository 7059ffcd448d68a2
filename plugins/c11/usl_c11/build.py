"""From procedures to a shared library in a folder that the user names."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from usl_c11 import drivers
from usl_c11.cache import compiled, note, noted
from usl_c11.compiler import DEFAULT_FLAGS, Compiler, any_compiler, compile_library, find_compiler, openmp_flags
from usl_c11.cpu import require_features
from usl_c11.emit import Library, library
from usl_core.errors import BackendError
from usl_core.ir.nodes import Proc


def own_functions() -> tuple[str, ...]:
    """A library calls its own function, not one of the same name (`drem`, `cpow`) that the process has.

    Darwin's libraries do, and its linker does not know the flag.
    """
    return () if sys.platform == "darwin" else ("-Wl,-Bsymbolic",)


def compile_flags(lib: Library, compiler: Compiler, flags: Sequence[str] = (), march: str | None = None) -> tuple[str, ...]:
    """The default flags, those the library's instructions, parallel loops and drivers need, then the caller's, which win."""
    features = tuple(f"-m{feature}" for feature in lib.features)
    parallel = openmp_flags(compiler) if lib.has_parallel_loops else ()
    own = (*drivers.compiler_flags(lib.drivers), *drivers.sources(lib.drivers), *drivers.linker_flags(lib.drivers))
    return (*DEFAULT_FLAGS, *own_functions(), *features, *parallel, *own, *((f"-march={march}",) if march else ()), *flags)


def make_variables(lib: Library) -> str:
    """Variables for make: what the library's files are compiled and linked with."""
    flags = ("-std=c11", "-ffp-contract=off", *(f"-m{feature}" for feature in lib.features))
    parallel = ("-fopenmp",) if lib.has_parallel_loops else ()
    values = {
        "SOURCES": (f"{lib.name}.c", *drivers.sources(lib.drivers)),
        "CFLAGS": (*flags, *parallel, *drivers.compiler_flags(lib.drivers)),
        "LDLIBS": (*parallel, *drivers.linker_flags(lib.drivers), "-lm"),
    }
    return "".join(f"{lib.name}_{name} = {' '.join(map(_in_make, words))}\n" for name, words in values.items())


def _in_make(word: str) -> str:
    return shlex.quote(word).replace("$", "$$").replace("#", "\\#")


def build(
    procs: Sequence[Proc],
    name: str,
    directory: Path,
    *,
    entry_checks: bool = True,
    flags: Sequence[str] = (),
    march: str | None = None,
) -> Path:
    """Writes the library's files into directory and compiles them; the path of the shared library.

    Files appear complete or not at all.

    Raises:
        BackendError: the procedures cannot be C, or directory cannot be written. JitError: the compiler is missing or fails.
    """
    lib = library(procs, name, entry_checks=entry_checks)
    compiler = find_compiler()
    shared = f"lib{name}{'.dylib' if sys.platform == 'darwin' else '.so'}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=directory))
    except OSError as error:
        raise BackendError(f"cannot write to {directory}: {error.strerror or error}") from None
    try:
        write_files(lib.files, work)
        compile_library(compiler, work / f"{name}.c", work / shared, compile_flags(lib, compiler, flags, march))
        for file in (*lib.files, shared):
            (work / file).replace(directory / file)
    except OSError as error:
        raise BackendError(f"cannot write to {directory}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return directory / shared


def build_in_cache(
    lib: Library, files: Mapping[str, str], flags: Sequence[str] = (), march: str | None = None, *, emulated: bool = False
) -> Path:
    """The compiled files of lib, from now or earlier. Where there is no compiler, what was last compiled of the same files.

    emulated says that flags make the compiler emulate the CPU features that lib needs.

    Raises:
        JitError: the compiler is missing or fails, the processor lacks a feature, or the cache cannot be written.
    """
    features = () if emulated else lib.features
    own = drivers.digest(lib.drivers) if lib.drivers else ""
    texts = (text for name in sorted(files) for text in (name, files[name]))
    parts = ["build_in_cache", own, march or "", str(len(flags)), *flags, *texts]
    if any_compiler() is None and (found := noted(parts)) is not None:
        require_features(features, None)
        return found
    compiler = find_compiler()
    require_features(features, compiler)
    found = compiled(files, compiler, compile_flags(lib, compiler, flags, march), own)
    note(parts, found)
    return found


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Writes the files of one unit into a folder."""
    for name, text in files.items():
        (folder / name).write_text(text)
