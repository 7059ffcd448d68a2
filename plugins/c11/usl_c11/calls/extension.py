"""CPython extensions, such as `usl_entry`, compiled when they are first needed, and kept in the build cache.

They need the headers of Python (`usl_entry` also those of NumPy) and a C compiler, once; where they are missing, calls are
checked in Python.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from importlib import resources
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from usl_c11.cache import compiled, remembered
from usl_c11.compiler import find_compiler
from usl_core import probe
from usl_core.errors import JitError

NAME = "usl_entry"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared")


@functools.cache
def entry_type() -> Any:
    """The type `Entry` of the extension; None where it cannot be had."""
    if not may_load():
        return None
    import numpy as np

    source = resources.files("usl_c11").joinpath("calls", "entry.c").read_text(encoding="utf-8")
    module = extension(NAME, source, (np.get_include(),), f"NumPy {np.__version__}")
    return None if module is None else module.Entry


def may_load() -> bool:
    """Whether this Python takes extensions in C."""
    return sys.implementation.name == "cpython" and not probe.hidden("Python.h")


def extension(name: str, source: str, folders: Sequence[str] = (), versions: str = "") -> Any:
    """The extension module with this source; None where it cannot be had. versions: of the headers in folders."""
    if not may_load():
        return None
    source += f"/* {EXTENSION_SUFFIXES[0]}, Python {sys.version.split()[0]}{versions and ', '}{versions} */\n"
    try:
        path = remembered([source], lambda: _compiled(name, source, folders))  # no compiler is needed where it is there already
        loader = ExtensionFileLoader(name, str(path))
        spec = spec_from_loader(name, loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
    except (JitError, ImportError, OSError):
        return None
    probe.found.add("Python.h")
    return module


def _compiled(name: str, source: str, folders: Sequence[str]) -> Path:
    import sysconfig

    every = dict.fromkeys([sysconfig.get_path("include"), sysconfig.get_path("platinclude"), *folders])
    if not any(Path(folder, "Python.h").is_file() for folder in every):
        raise JitError("Python.h is not installed")
    undefined = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
    includes = (f"-I{folder}" for folder in every)
    return compiled({f"{name}.c": source}, find_compiler(), (*FLAGS, *undefined, *includes))
