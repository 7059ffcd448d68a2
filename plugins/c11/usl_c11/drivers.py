"""What C needs beside itself: the drivers that plugins declare for the headers that it includes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from usl_core.errors import BackendError
from usl_core.plugins.hookspecs import Driver
from usl_core.plugins.manager import Kind, plugin_manager

_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]""", re.MULTILINE)
_STANDARD = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
    stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype
    omp cpuid arm_neon arm_sve arm_acle riscv_vector
"""
_OF_COMPILERS = frozenset(f"{name}.h" for name in _STANDARD.split())
"""Headers of the C library and of compilers; those of x86 end in `intrin.h`."""


def drivers_of(text: str, own: str) -> tuple[Driver, ...]:
    """The drivers of the headers that C text includes, own being its own. No plugin is asked where all are the compiler's.

    Raises:
        BackendError: two drivers declare one header.
    """
    headers = foreign_headers(text, own)
    if not headers:
        return ()
    found: dict[str, tuple[str, Driver]] = {}
    for plugin in plugin_manager().plugins():
        for name, driver in plugin.declared(Kind.DRIVERS).items():
            full_name = f"{plugin.name}.{name}"
            for header in sorted(headers):
                serving = driver.serving(header)
                if serving is None:
                    continue
                if header in found:
                    raise BackendError(
                        f"the drivers {found[header][0]} and {full_name} both declare the header {header}",
                        notes=("load only one of the plugins (--plugins, USL_PLUGINS)",),
                    )
                found[header] = full_name, serving
    return tuple(dict.fromkeys(driver for _, (_, driver) in sorted(found.items())))


def foreign_headers(text: str, own: str) -> set[str]:
    """The headers that C text includes and that are neither its own nor the compiler's."""
    return {n for n in _INCLUDE.findall(text) if n not in _OF_COMPILERS and not n.endswith("intrin.h") and n != own}


def compiler_flags(drivers: Iterable[Driver]) -> tuple[str, ...]:
    """The flags that the generated file is compiled with."""
    return tuple(flag for each in drivers for flag in (*(f"-I{folder}" for folder in each.include_dirs), *each.flags))


def linker_flags(drivers: Sequence[Driver]) -> tuple[str, ...]:
    """Folders of libraries, also for when the program is loaded, then libraries."""
    folders = dict.fromkeys(folder for each in drivers for folder in each.library_dirs)
    found = (flag for folder in folders for flag in (f"-L{folder}", f"-Wl,-rpath,{folder}"))
    return (*found, *(f"-l{name}" for each in drivers for name in each.libraries))


def sources(drivers: Iterable[Driver]) -> tuple[str, ...]:
    """The C files that are compiled with the generated one."""
    return tuple(str(path) for each in drivers for path in each.sources)


def digest(drivers: Iterable[Driver]) -> str:
    """Changes with the drivers' own C and headers, and with their libraries where these are in folders that drivers name."""
    found = hashlib.sha256()
    for each in drivers:
        for path in _inputs(each):
            found.update(f"{path}:{path.stat().st_size}:".encode() + path.read_bytes())
    return found.hexdigest()


def _inputs(driver: Driver) -> Iterator[Path]:
    folders = dict.fromkeys((*driver.include_dirs, *(path.parent for path in driver.sources)))
    yield from driver.sources
    for folder in folders:
        yield from sorted(path for path in folder.glob("*.h") if path.is_file())
    for folder in driver.library_dirs:
        for name in driver.libraries:
            yield from sorted(path for path in folder.glob(f"lib{name}.*") if path.is_file())
